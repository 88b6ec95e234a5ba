/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "agent_load.h"

enum {
    SCRIPTS_MAX = 4,
    HEADERS_MAX = 64,
    SECTIONS_MAX = 4096,
    DYNAMIC_MAX = 256,
    SEARCHED_MAX = 64 << 20, /* bytes searched per part of a file */
};

struct file {
    struct agent_load_work *work;
    int fd;
    Elf64_Ehdr header;
    Elf64_Phdr headers[HEADERS_MAX];
    unsigned count;
};

static bool read_at(const struct file *file, void *out, size_t size, uint64_t at)
{
    return at <= INT64_MAX && pread(file->fd, out, size, (off_t)at) == (ssize_t)size;
}

/* Searches a piece of the file, which may start anywhere. */
static bool has_sanitizer_init(const char *start, size_t size)
{
    static const char init[] = "san_init";
    static const char *const before[] = {"__a", "__t", "__m", "__l", "__hwa", "__df"};
    const char *at = start;
    const char *end = start + size;
    while ((at = memmem(at, (size_t)(end - at), init, sizeof init))) { /* including the NUL */
        for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
            size_t length = strlen(before[i]);
            if ((size_t)(at - start) >= length && !memcmp(at - length, before[i], length))
                return true;
        }
        at++;
    }
    return false;
}

/* Searches for a message of the sanitizers' common runtime, for programs without symbols. */
static bool has_sanitizer_message(const char *start, size_t size)
{
    static const char message[] = "CHECK failed: %s:%d \"%s\" (0x%zx, 0x%zx)";
    return memmem(start, size, message, sizeof message - 1);
}

typedef bool searcher(const char *start, size_t size);

/* Searches the file in pieces that overlap by more than the longest search string. */
static bool load_search(const struct file *file, uint64_t at, uint64_t size, searcher *find)
{
    enum { OVERLAP = 64 };
    char *buffer = file->work->buffer;
    uint64_t left = size < SEARCHED_MAX ? size : SEARCHED_MAX;
    while (left && at <= INT64_MAX) {
        size_t piece = left < AGENT_LOAD_BUFFER ? (size_t)left : AGENT_LOAD_BUFFER;
        ssize_t got = pread(file->fd, buffer, piece, (off_t)at);
        if (got <= 0)
            return false;
        if (find(buffer, (size_t)got))
            return true;
        if ((uint64_t)got >= left || got <= OVERLAP)
            return false;
        at += (uint64_t)got - OVERLAP;
        left -= (uint64_t)got - OVERLAP;
    }
    return false;
}

/* Finds sanitizer runtimes by name, except UBSan's, which causes no conflict. */
static bool is_sanitizer_library(const char *name)
{
    static const char *const names[] = {
        "libasan.so",       "libtsan.so",         "libmsan.so",       "liblsan.so",
        "libhwasan.so",     "libclang_rt.asan",   "libclang_rt.tsan", "libclang_rt.msan",
        "libclang_rt.lsan", "libclang_rt.hwasan", "libclang_rt.dfsan"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(name, names[i]))
            return true;
    return false;
}

static bool file_offset(const struct file *file, uint64_t address, uint64_t *offset)
{
    for (unsigned i = 0; i < file->count; i++) {
        const Elf64_Phdr *part = &file->headers[i];
        if (part->p_type == PT_LOAD && address - part->p_vaddr < part->p_filesz) {
            *offset = part->p_offset + (address - part->p_vaddr);
            return true;
        }
    }
    return false;
}

static bool needs_sanitizer(const struct file *file, const Elf64_Dyn *entries, size_t count,
                            uint64_t strings)
{
    char name[64];
    for (size_t i = 0; i < count && entries[i].d_tag != DT_NULL; i++) {
        if (entries[i].d_tag != DT_NEEDED)
            continue;
        ssize_t got =
            pread(file->fd, name, sizeof name - 1, (off_t)(strings + entries[i].d_un.d_val));
        name[got > 0 ? got : 0] = '\0';
        if (is_sanitizer_library(name))
            return true;
    }
    return false;
}

static bool links_sanitizer(const struct file *file, const Elf64_Phdr *dynamic)
{
    Elf64_Dyn entries[DYNAMIC_MAX];
    uint64_t address = 0;
    uint64_t size = 0;
    uint64_t strings;
    size_t count = dynamic->p_filesz / sizeof *entries;
    if (count > sizeof entries / sizeof *entries)
        count = sizeof entries / sizeof *entries;
    if (!read_at(file, entries, count * sizeof *entries, dynamic->p_offset))
        return false;
    for (size_t i = 0; i < count && entries[i].d_tag != DT_NULL; i++) {
        if (entries[i].d_tag == DT_STRTAB)
            address = entries[i].d_un.d_ptr;
        if (entries[i].d_tag == DT_STRSZ)
            size = entries[i].d_un.d_val;
    }
    if (!file_offset(file, address, &strings) || strings > INT64_MAX / 2)
        return false;
    return needs_sanitizer(file, entries, count, strings) ||
           load_search(file, strings, size, has_sanitizer_init);
}

/* Finds a statically linked runtime by its symbols or, if there are none, by its messages. */
static bool contains_sanitizer(const struct file *file)
{
    Elf64_Shdr section;
    const Elf64_Ehdr *header = &file->header;
    uint64_t at = header->e_shoff;
    bool has_symbols = false;
    if (!at || header->e_shentsize != sizeof section || header->e_shnum > SECTIONS_MAX)
        return false;
    for (unsigned i = 0; i < header->e_shnum; i++) {
        if (!read_at(file, &section, sizeof section, at + i * sizeof section))
            return false;
        if (section.sh_type != SHT_SYMTAB)
            continue;
        has_symbols = true;
        if (section.sh_link < header->e_shnum &&
            read_at(file, &section, sizeof section, at + section.sh_link * sizeof section) &&
            load_search(file, section.sh_offset, section.sh_size, has_sanitizer_init))
            return true;
    }
    for (unsigned i = 0; !has_symbols && i < header->e_shnum; i++)
        if (read_at(file, &section, sizeof section, at + i * sizeof section) &&
            section.sh_type == SHT_PROGBITS && section.sh_flags & SHF_ALLOC &&
            !(section.sh_flags & (SHF_WRITE | SHF_EXECINSTR)) &&
            load_search(file, section.sh_offset, section.sh_size, has_sanitizer_message))
            return true;
    return false;
}

static const Elf64_Phdr *find_header(const struct file *file, uint32_t type)
{
    for (unsigned i = 0; i < file->count; i++)
        if (file->headers[i].p_type == type)
            return &file->headers[i];
    return NULL;
}

static enum agent_load read_headers(struct file *file)
{
    Elf64_Ehdr *header = &file->header;
    file->count = 0;
    if (!read_at(file, header, sizeof *header, 0) || memcmp(header->e_ident, ELFMAG, SELFMAG))
        return AGENT_LOAD_NO_PROGRAM;
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != EM_X86_64)
        return AGENT_LOAD_MACHINE;
    if (header->e_phentsize != sizeof *file->headers || !header->e_phnum ||
        header->e_phnum > HEADERS_MAX ||
        !read_at(file, file->headers, header->e_phnum * sizeof *file->headers, header->e_phoff))
        return AGENT_LOAD_NO_PROGRAM;
    file->count = header->e_phnum;
    return AGENT_LOADABLE;
}

/* Returns the path of the dynamic linker, in the buffer, or NULL if there is none. */
static const char *read_linker(const struct file *file)
{
    const Elf64_Phdr *part = find_header(file, PT_INTERP);
    char *path = file->work->buffer;
    if (!part || part->p_filesz >= AGENT_LOAD_PATH ||
        !read_at(file, path, part->p_filesz, part->p_offset))
        return NULL;
    path[part->p_filesz] = '\0';
    return path;
}

static bool is_file(const char *path, const struct agent_file *wanted)
{
    struct stat status;
    return !stat(path, &status) && status.st_dev == wanted->device &&
           status.st_ino == wanted->inode;
}

static enum agent_load check_elf(struct file *file, const struct agent_file *linker)
{
    static const char name[] = "/ld-linux-x86-64.so.2";
    enum agent_load why = read_headers(file);
    if (why != AGENT_LOADABLE)
        return why;
    const char *path = read_linker(file);
    const Elf64_Phdr *dynamic = find_header(file, PT_DYNAMIC);
    if (!path || !dynamic)
        return AGENT_LOAD_STATIC;
    size_t length = strlen(path);
    if (linker->inode && !is_file(path, linker))
        why = AGENT_LOAD_LINKER;
    if (length < sizeof name - 1 || strcmp(path + length - (sizeof name - 1), name) != 0)
        why = AGENT_LOAD_LIBC;
    if (why == AGENT_LOADABLE && (links_sanitizer(file, dynamic) || contains_sanitizer(file)))
        why = AGENT_LOAD_SANITIZER;
    return why;
}

/* ld.so ignores LD_PRELOAD if exec gives the program other rights than ours. */
static bool exec_gains_rights(int fd, const struct stat *status)
{
    char capabilities[64];
    if (status->st_mode & S_ISUID && status->st_uid != getuid())
        return true;
    if ((status->st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) &&
        status->st_gid != getgid())
        return true;
    return getuid() && fgetxattr(fd, "security.capability", capabilities, sizeof capabilities) > 0;
}

/* Reads the interpreter into work->path. Returns false if the file is not a script. */
static bool read_script(const struct file *file)
{
    char line[256];
    ssize_t got = pread(file->fd, line, sizeof line - 1, 0);
    if (got < 3 || line[0] != '#' || line[1] != '!')
        return false;
    line[got] = '\0';
    char *name = line + 2 + strspn(line + 2, " \t");
    name[strcspn(name, " \t\n")] = '\0';
    strcpy(file->work->path, name);
    return true;
}

static int open_regular(const char *path, struct stat *status)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && (fstat(fd, status) || !S_ISREG(status->st_mode))) {
        close(fd);
        errno = EACCES;
        return -1;
    }
    return fd;
}

enum agent_load agent_load_check(struct agent_load_work *work, const char *path,
                                 const struct agent_file *linker, const char *preload)
{
    struct file file = {.work = work};
    struct stat status;
    if (path != work->path) {
        size_t length = strlen(path);
        if (length >= sizeof work->path)
            return AGENT_LOAD_UNREADABLE;
        memcpy(work->path, path, length + 1);
    }
    for (int depth = 0; depth <= SCRIPTS_MAX; depth++) {
        file.fd = open_regular(work->path, &status);
        if (file.fd < 0)
            return AGENT_LOAD_UNREADABLE;
        bool is_script = read_script(&file);
        enum agent_load why = is_script                             ? AGENT_LOAD_SCRIPTS
                              : exec_gains_rights(file.fd, &status) ? AGENT_LOAD_RIGHTS
                                                                    : check_elf(&file, linker);
        close(file.fd);
        if (why == AGENT_LOADABLE && preload && is_sanitizer_library(preload))
            return AGENT_LOAD_SANITIZER;
        if (!is_script)
            return why;
    }
    return AGENT_LOAD_SCRIPTS;
}

int agent_load_find(struct agent_load_work *work, const char *name, const char *folders)
{
    size_t length = strlen(name);
    if (length >= AGENT_LOAD_PATH || !length)
        return 0;
    if (strchr(name, '/')) {
        memcpy(work->path, name, length + 1);
        return !access(work->path, F_OK);
    }
    for (const char *at = folders ? folders : "/bin:/usr/bin"; at; at = strchr(at, ':')) {
        at += *at == ':';
        size_t folder = strcspn(at, ":");
        if (folder + length + 2 >= AGENT_LOAD_PATH)
            continue;
        memcpy(work->path, folder ? at : ".", folder ? folder : 1);
        folder = folder ? folder : 1;
        work->path[folder] = '/';
        memcpy(work->path + folder + 1, name, length + 1);
        struct stat status;
        if (!stat(work->path, &status) && S_ISREG(status.st_mode) && !access(work->path, X_OK))
            return 1;
    }
    return 0;
}

struct agent_file agent_load_linker(struct agent_load_work *work, const char *path)
{
    struct file file = {.work = work};
    struct stat status;
    const char *linker = NULL;
    file.fd = open_regular(path, &status);
    if (file.fd < 0)
        return (struct agent_file){0, 0};
    if (read_headers(&file) == AGENT_LOADABLE)
        linker = read_linker(&file);
    close(file.fd);
    if (!linker || stat(linker, &status))
        return (struct agent_file){0, 0};
    return (struct agent_file){status.st_dev, status.st_ino};
}

uint32_t agent_load_filters(struct agent_load_work *work)
{
    char *buffer = work->buffer;
    int fd = open("/proc/thread-self/status", O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? 0 : read(fd, buffer, AGENT_LOAD_BUFFER - 1);
    if (fd >= 0)
        close(fd);
    buffer[got > 0 ? got : 0] = '\0';
    const char *count = strstr(buffer, "\nSeccomp_filters:");
    const char *mode = strstr(buffer, "\nSeccomp:");
    return count  ? (uint32_t)strtoul(count + strlen("\nSeccomp_filters:"), NULL, 10)
           : mode ? (uint32_t)strtoul(mode + strlen("\nSeccomp:"), NULL, 10)
                  : 0;
}

const char *agent_load_text(uint32_t why)
{
    static const char *const words[AGENT_LOAD_REASONS] = {
        [AGENT_LOADABLE] = "can load it",
        [AGENT_LOAD_UNREADABLE] = "cannot be read",
        [AGENT_LOAD_NO_PROGRAM] = "is not a program",
        [AGENT_LOAD_SCRIPTS] = "is a script that runs scripts",
        [AGENT_LOAD_RIGHTS] = "is setuid, setgid or has capabilities: "
                              "the system ignores LD_PRELOAD for it",
        [AGENT_LOAD_MACHINE] = "is not an x86-64 program (32-bit?)",
        [AGENT_LOAD_STATIC] = "is linked statically: nothing can be preloaded",
        [AGENT_LOAD_LIBC] = "uses a libc other than glibc",
        [AGENT_LOAD_LINKER] = "uses a different glibc from misstop",
        [AGENT_LOAD_SANITIZER] = "is built with a sanitizer, which needs its own malloc",
        [AGENT_LOAD_NO_AGENT] = "runs in a root directory without the agent",
        [AGENT_LOAD_FILTERED] = "runs under a system call filter (seccomp)",
        [AGENT_LOAD_NO_MEMORY] = "cannot open the memory shared with misstop (another user, or no "
                                 "/proc)",
    };
    return words[why < AGENT_LOAD_REASONS ? why : AGENT_LOAD_NO_PROGRAM];
}
