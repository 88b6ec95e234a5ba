/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/perfdata_write_build_id.h"

#include "base/files.h"

#include <elf.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FILES_MAX = 1 << 14,
    SEGMENTS_MAX = 64,
    NOTE_BYTES_MAX = 4096,
    PATH_BYTES_MAX = 4096,
    NAME_ALIGN = 64,
    EVERY_PROCESS = -1
};

#define FILE_BYTES_MAX (UINT64_C(64) << 30)

void perfdata_build_ids_fini(struct perfdata_build_ids *ids)
{
    perfdata_bytes_fini(&ids->section);
    hash_fini(&ids->seen);
}

/* A note: three words, then name and contents, each filled up to words. */
static bool find_note(const unsigned char *bytes, size_t left, struct build_id *id)
{
    Elf64_Nhdr note;
    while (left >= sizeof note) {
        memcpy(&note, bytes, sizeof note);
        uint64_t name_bytes = ((uint64_t)note.n_namesz + 3) & ~UINT64_C(3);
        uint64_t id_bytes = ((uint64_t)note.n_descsz + 3) & ~UINT64_C(3);
        if (sizeof note + name_bytes + id_bytes > left)
            return false;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            !memcmp(bytes + sizeof note, "GNU", 4) && note.n_descsz &&
            note.n_descsz <= sizeof id->bytes) {
            *id = (struct build_id){.size = (uint8_t)note.n_descsz};
            memcpy(id->bytes, bytes + sizeof note + name_bytes, note.n_descsz);
            return true;
        }
        bytes += sizeof note + name_bytes + id_bytes;
        left -= sizeof note + name_bytes + id_bytes;
    }
    return false;
}

static bool read_notes(int fd, uint64_t offset, uint64_t size, struct build_id *id)
{
    unsigned char bytes[NOTE_BYTES_MAX];
    size_t wanted = size < sizeof bytes ? (size_t)size : sizeof bytes;
    ssize_t got = offset <= INT64_MAX ? pread(fd, bytes, wanted, (off_t)offset) : -1;
    return got > 0 && find_note(bytes, (size_t)got, id);
}

/* Where a segment of notes lies; size 0: it is of another kind. */
static uint64_t note_segment(const unsigned char *header, bool wide, uint64_t *offset)
{
    Elf64_Phdr phdr64;
    Elf32_Phdr phdr32;
    if (wide) {
        memcpy(&phdr64, header, sizeof phdr64);
        *offset = phdr64.p_offset;
        return phdr64.p_type == PT_NOTE ? phdr64.p_filesz : 0;
    }
    memcpy(&phdr32, header, sizeof phdr32);
    *offset = phdr32.p_offset;
    return phdr32.p_type == PT_NOTE ? phdr32.p_filesz : 0;
}

bool perfdata_build_id_read(int fd, struct build_id *id)
{
    union {
        unsigned char ident[EI_NIDENT];
        Elf64_Ehdr wide;
        Elf32_Ehdr narrow;
    } head = {0};
    unsigned char segments[SEGMENTS_MAX * sizeof(Elf64_Phdr)];
    if (pread(fd, &head, sizeof head, 0) < (ssize_t)sizeof head.narrow ||
        memcmp(head.ident, ELFMAG, SELFMAG) || head.ident[EI_DATA] != ELFDATA2LSB)
        return false;
    bool wide = head.ident[EI_CLASS] == ELFCLASS64;
    size_t each = wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
    uint64_t at = wide ? head.wide.e_phoff : head.narrow.e_phoff;
    size_t count = wide ? head.wide.e_phnum : head.narrow.e_phnum;
    ssize_t got = at <= INT64_MAX ? pread(fd, segments, sizeof segments, (off_t)at) : -1;
    for (size_t i = 0; got > 0 && i < count && (i + 1) * each <= (size_t)got; i++) {
        uint64_t offset;
        uint64_t size = note_segment(segments + i * each, wide, &offset);
        if (size && read_notes(fd, offset, size, id))
            return true;
    }
    return false;
}

/* Through the root of the process; and it must be the file that was mapped, not a later one. */
static bool read_file(const struct sample_mapping *mapping, const struct kernel *kernel, pid_t pid,
                      struct build_id *id)
{
    char path[64];
    struct stat status;
    struct files_client client;
    snprintf(path, sizeof path, "%s/%d/root", kernel->procfs, (int)pid);
    int root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root < 0)
        return false;
    files_client_process(&client, pid);
    int fd = files_open_below(root, mapping->path, &client, FILES_FOLLOW, FILE_BYTES_MAX);
    close(root);
    if (fd < 0)
        return false;
    bool found = !fstat(fd, &status) && (!mapping->inode || status.st_ino == mapping->inode) &&
                 perfdata_build_id_read(fd, id);
    close(fd);
    return found;
}

/* struct build_id_event; it has no type where it stands in the feature. */
static void list(struct perfdata_build_ids *ids, uint16_t mode, const char *path,
                 const struct build_id *id)
{
    struct perfdata_bytes *section = &ids->section;
    size_t length = strnlen(path, PATH_BYTES_MAX - 1);
    size_t filled = (length + NAME_ALIGN) & ~(size_t)(NAME_ALIGN - 1);
    uint8_t field[BUILD_ID_FIELD_BYTES] = {0};
    struct perf_event_header header = {.misc = mode | BUILD_ID_MISC_SIZE};
    header.size = (uint16_t)(sizeof header + sizeof(uint32_t) + sizeof field + filled);
    memcpy(field, id->bytes, id->size);
    field[sizeof id->bytes] = id->size;
    if (!perfdata_bytes_reserve(section, header.size))
        return;
    perfdata_bytes_put(section, &header, sizeof header);
    perfdata_bytes_u32(section, (uint32_t)EVERY_PROCESS);
    perfdata_bytes_put(section, field, sizeof field);
    perfdata_bytes_put(section, path, length);
    perfdata_bytes_zero(section, filled - length);
}

/* A file of some file system: not "//anon", "[heap]", "/memfd:...", "/dev/zero". */
static bool is_file(const char *path)
{
    return path[0] == '/' && path[1] != '/' && strncmp(path, "/memfd:", 7) &&
           strncmp(path, "/dev/", 5) && strncmp(path, "/SYSV", 5);
}

void perfdata_build_ids_note(struct perfdata_build_ids *ids, const struct sample_mapping *mapping,
                             const struct kernel *kernel, pid_t pid)
{
    bool created = false;
    struct build_id id;
    bool told = mapping->build_id_size && mapping->build_id_size <= sizeof id.bytes;
    if (!(told || is_file(mapping->path)) || ids->seen.count >= FILES_MAX ||
        !hash_insert(&ids->seen, hash_bytes(mapping->path, strlen(mapping->path)), &created) ||
        !created)
        return;
    if (told) {
        id.size = mapping->build_id_size;
        memcpy(id.bytes, mapping->build_id, sizeof id.bytes);
        list(ids, PERF_RECORD_MISC_USER, mapping->path, &id);
    } else if (pid && read_file(mapping, kernel, pid, &id)) {
        list(ids, PERF_RECORD_MISC_USER, mapping->path, &id);
    }
}

void perfdata_build_ids_kernel(struct perfdata_build_ids *ids, const struct kernel *kernel)
{
    char path[64];
    struct build_id id;
    snprintf(path, sizeof path, "%s/kernel/notes", kernel->sysfs);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    if (read_notes(fd, 0, NOTE_BYTES_MAX, &id))
        list(ids, PERF_RECORD_MISC_KERNEL, "[kernel.kallsyms]", &id);
    close(fd);
}
