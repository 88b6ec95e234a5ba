/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/runtime/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/files.h"
#include "base/text.h"

enum {
    JITMAP_LINES_MAX = 1 << 20,
    JITMAP_OVERLAPS_MAX = 1 << 12, /* lines looked at for one address */
    JITMAP_TAIL = 64               /* bytes compared to distinguish growth from replacement */
};

void jitmap_init(struct jitmap *jitmap)
{
    *jitmap = (struct jitmap){.file_bytes = -1};
}

void jitmap_fini(struct jitmap *jitmap)
{
    free(jitmap->text);
    free(jitmap->lines);
    jitmap_init(jitmap);
}

/* Returns the PID in the process's own namespace, which is in the name of the file. */
static pid_t inner_pid(pid_t pid)
{
    char path[64];
    char text[4096];
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    if (text_read_file(path, text, sizeof text) <= 0)
        return pid;
    char *line = strstr(text, "\nNSpid:");
    if (!line)
        return pid;
    line[1 + strcspn(line + 1, "\n")] = '\0';
    char *last = strrchr(line, '\t');
    return last ? (pid_t)atoi(last) : pid;
}

/* Returns true if the file's owner is the process's, root or ourselves; others are not trusted. */
static bool is_trusted(int fd, pid_t pid)
{
    char path[64];
    struct stat file;
    struct stat process;
    snprintf(path, sizeof path, "/proc/%d", (int)pid);
    return !fstat(fd, &file) && !stat(path, &process) &&
           (file.st_uid == process.st_uid || !file.st_uid || file.st_uid == geteuid());
}

/* Reads a hexadecimal number and the blanks after it. NULL: none, or more than 64 bits. */
static const char *read_number(const char *at, const char *end, uint64_t *value)
{
    const char *first = at;
    *value = 0;
    if (end - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
        first = at += 2;
    for (; at < end; at++) {
        int digit = *at >= '0' && *at <= '9'   ? *at - '0'
                    : *at >= 'a' && *at <= 'f' ? *at - 'a' + 10
                    : *at >= 'A' && *at <= 'F' ? *at - 'A' + 10
                                               : -1;
        if (digit < 0)
            break;
        if (*value >> 60)
            return NULL;
        *value = *value << 4 | (uint64_t)digit;
    }
    const char *blank = at;
    while (at < end && *at == ' ')
        at++;
    return blank > first && at > blank ? at : NULL;
}

static void parse_line(struct jitmap *jitmap, const char *line, const char *end)
{
    uint64_t start;
    uint64_t length;
    const char *at = read_number(line, end, &start);
    at = at ? read_number(at, end, &length) : NULL;
    if (!at || at == end || !*at || start + length <= start ||
        !array_reserve_next(&jitmap->lines, &jitmap->room, jitmap->count, sizeof *jitmap->lines,
                            JITMAP_LINES_MAX))
        return;
    jitmap->lines[jitmap->count] = (struct jit_symbol){.start = start,
                                                       .end = start + length,
                                                       .line = (uint32_t)jitmap->count,
                                                       .name = (uint32_t)(at - jitmap->text)};
    jitmap->count++;
}

/* Sorts the lines, and links each to the last earlier one that still holds at its start. */
static void jitmap_settle(struct jitmap *jitmap)
{
    struct jit_symbol *lines = jitmap->lines;
    SORT(lines, jitmap->count, SMALLEST(struct jit_symbol, start),
         SMALLEST(struct jit_symbol, line));
    for (size_t i = 0; i < jitmap->count; i++) {
        size_t before = i;
        while (before && lines[before - 1].end <= lines[i].start)
            before = lines[before - 1].earlier_overlap;
        lines[i].earlier_overlap = (uint32_t)before;
    }
}

/* Parses from the end of the last complete line. The last line may be incomplete now. */
static void jitmap_parse(struct jitmap *jitmap)
{
    char *end = jitmap->text + jitmap->text_bytes;
    char *at = jitmap->text + jitmap->whole_bytes;
    for (char *stop; (stop = memchr(at, '\n', (size_t)(end - at))); at = stop + 1) {
        *stop = '\0';
        parse_line(jitmap, at, stop);
    }
    jitmap->whole_bytes = (size_t)(at - jitmap->text);
}

/* Returns true if the file still begins with the text read before, judged by its last bytes. */
static bool has_grown(const struct jitmap *jitmap, int fd, const struct stat *status)
{
    char tail[JITMAP_TAIL];
    size_t size = jitmap->whole_bytes < sizeof tail ? jitmap->whole_bytes : sizeof tail;
    size_t from = jitmap->whole_bytes - size;
    if (!size || status->st_size < jitmap->file_bytes || status->st_ino != jitmap->inode ||
        pread(fd, tail, size, (off_t)from) != (ssize_t)size)
        return false;
    for (size_t i = 0; i < size; i++)
        if (tail[i] != jitmap->text[from + i] && !(tail[i] == '\n' && !jitmap->text[from + i]))
            return false;
    return true;
}

static void read_rest(struct jitmap *jitmap, int fd, size_t size)
{
    char *text = realloc(jitmap->text, size + !size);
    ssize_t got;
    if (!text)
        return;
    jitmap->text = text;
    jitmap->text_bytes = jitmap->whole_bytes;
    while (jitmap->text_bytes < size &&
           (got = pread(fd, text + jitmap->text_bytes, size - jitmap->text_bytes,
                        (off_t)jitmap->text_bytes)) > 0)
        jitmap->text_bytes += (size_t)got;
    jitmap_parse(jitmap);
    jitmap_settle(jitmap);
}

bool jitmap_read(struct jitmap *jitmap, int fd)
{
    struct stat status;
    if (fstat(fd, &status) || !S_ISREG(status.st_mode) || status.st_size > JITMAP_BYTES_MAX)
        return false;
    int64_t changed_ns = (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
    if (status.st_size == jitmap->file_bytes && changed_ns == jitmap->changed_ns &&
        status.st_ino == jitmap->inode)
        return false;
    if (!has_grown(jitmap, fd, &status))
        jitmap_fini(jitmap);
    jitmap->inode = status.st_ino;
    jitmap->file_bytes = status.st_size;
    jitmap->changed_ns = changed_ns;
    read_rest(jitmap, fd, (size_t)status.st_size);
    return true;
}

bool jitmap_refresh(struct jitmap *jitmap, pid_t pid, struct files_client *files)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)inner_pid(pid));
    int fd = files_open_in_root(pid, path, files, FILES_NOFOLLOW, JITMAP_BYTES_MAX);
    bool changed = fd >= 0 && is_trusted(fd, pid) && jitmap_read(jitmap, fd);
    if (fd >= 0)
        close(fd);
    return changed;
}

const struct jit_symbol *jitmap_find(const struct jitmap *jitmap, uint64_t address)
{
    const struct jit_symbol *latest = NULL;
    size_t left = SORTED_UP_TO(jitmap->lines, jitmap->count, start, address);
    for (unsigned i = 0; left && i < JITMAP_OVERLAPS_MAX; i++) {
        const struct jit_symbol *line = &jitmap->lines[left - 1];
        if (address < line->end && (!latest || line->line > latest->line))
            latest = line;
        left = line->earlier_overlap;
    }
    return latest;
}

const char *jitmap_name(const struct jitmap *jitmap, const struct jit_symbol *symbol)
{
    return jitmap->text + symbol->name;
}
