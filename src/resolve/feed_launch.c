/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of feed.h that has to do with starting the target: its environment, its kind. */
#include "resolve/feed.h"

#include "agent_abi.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, SCRIPTS_MAX = 4 };

int feed_inherit(const struct feed *feed)
{
    return fcntl(feed_fd(feed), F_SETFD, 0) ? -errno : 0;
}

int feed_environment(const struct feed *feed, const char *agent_path, char *preload,
                     size_t preload_size, char *variable, size_t variable_size, struct error *error)
{
    const char *before = getenv("LD_PRELOAD");
    bool has_before = before && *before;
    if (strpbrk(agent_path, " :"))
        return error_set(error, -EINVAL, "%s: LD_PRELOAD cannot hold a path with spaces or colons",
                         agent_path);
    int length = snprintf(preload, preload_size, "LD_PRELOAD=%s%s%s", agent_path,
                          has_before ? ":" : "", has_before ? before : "");
    int other = snprintf(variable, variable_size, AGENT_VARIABLE "=%d", feed_fd(feed));
    if (length < 0 || (size_t)length >= preload_size || other < 0 || (size_t)other >= variable_size)
        return error_set(error, -ENAMETOOLONG, "LD_PRELOAD would be too long");
    return 0;
}

/* As execvp does it. False: not found. */
static bool find_command(const char *command, char out[PATH_BYTES])
{
    const char *folders = getenv("PATH");
    if (strchr(command, '/')) {
        snprintf(out, PATH_BYTES, "%s", command);
        return !access(out, F_OK);
    }
    for (const char *at = folders ? folders : "/bin:/usr/bin"; at; at = strchr(at, ':')) {
        at += *at == ':';
        int length = (int)strcspn(at, ":");
        snprintf(out, PATH_BYTES, "%.*s%s%s", length, at, length ? "/" : "./", command);
        if (!access(out, X_OK))
            return true;
    }
    return false;
}

/* Whether exec would give the program other rights than ours: ld.so then ignores LD_PRELOAD. */
static bool gains_rights(int fd)
{
    struct stat status;
    char capabilities[64];
    if (fstat(fd, &status))
        return false;
    if (status.st_mode & S_ISUID && status.st_uid != getuid())
        return true;
    if ((status.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && status.st_gid != getgid())
        return true;
    return getuid() && fgetxattr(fd, "security.capability", capabilities, sizeof capabilities) > 0;
}

static enum feed_refusal look_at_interpreter(Elf *elf, const char *path, struct error *error)
{
    static const char ours[] = "ld-linux-x86-64.so.2";
    size_t segments = 0;
    size_t size = 0;
    const char *raw = elf_rawfile(elf, &size);
    elf_getphdrnum(elf, &segments);
    for (size_t i = 0; raw && i < segments; i++) {
        GElf_Phdr segment;
        if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_INTERP)
            continue;
        if (segment.p_offset > size || segment.p_filesz > size - segment.p_offset)
            break;
        if (memmem(raw + segment.p_offset, segment.p_filesz, ours, sizeof ours))
            return FEED_PRELOADABLE;
        error_set(error, -ENOTSUP, "%s is linked against another libc than glibc", path);
        return FEED_OTHER_LIBC;
    }
    error_set(error, -ENOTSUP, "%s is linked statically: nothing can be preloaded", path);
    return FEED_STATIC;
}

static enum feed_refusal look_at_elf(int fd, const char *path, struct error *error)
{
    GElf_Ehdr header;
    enum feed_refusal refusal = FEED_UNREADABLE;
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header)) {
        error_set(error, -ENOEXEC, "%s is not a program", path);
    } else if (gelf_getclass(elf) != ELFCLASS64 || header.e_machine != EM_X86_64) {
        error_set(error, -ENOTSUP, "%s is not an x86-64 program (32-bit?)", path);
        refusal = FEED_32BIT;
    } else {
        refusal = look_at_interpreter(elf, path, error);
    }
    elf_end(elf);
    return refusal;
}

/* The interpreter that a "#!" line names, into `path`; false: it is no script. */
static bool read_script(int fd, char path[PATH_BYTES])
{
    char line[256];
    ssize_t got = pread(fd, line, sizeof line - 1, 0);
    if (got < 3 || line[0] != '#' || line[1] != '!')
        return false;
    line[got] = 0;
    const char *name = line + 2 + strspn(line + 2, " \t");
    snprintf(path, PATH_BYTES, "%.*s", (int)strcspn(name, " \t\n"), name);
    return true;
}

enum feed_refusal feed_refusal(const char *command, struct error *error)
{
    char path[PATH_BYTES];
    if (!find_command(command, path)) {
        error_set(error, -ENOENT, "%s: no such command", command);
        return FEED_UNREADABLE;
    }
    for (int depth = 0; depth <= SCRIPTS_MAX; depth++) {
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0) {
            error_set(error, -errno, "cannot read %s: %s", path, strerror(errno));
            return FEED_UNREADABLE;
        }
        enum feed_refusal refusal = FEED_SETUID;
        bool is_script = read_script(fd, path);
        if (!is_script && gains_rights(fd))
            error_set(error, -EPERM,
                      "%s is setuid, setgid or has capabilities: "
                      "the system ignores LD_PRELOAD for it",
                      path);
        else if (!is_script)
            refusal = look_at_elf(fd, path, error);
        close(fd);
        if (!is_script)
            return refusal;
    }
    error_set(error, -ELOOP, "%s: scripts that run scripts", command);
    return FEED_UNREADABLE;
}
