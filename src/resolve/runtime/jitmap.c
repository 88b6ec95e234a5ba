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

/* Lines that have begun and may not have ended: a binary heap, latest line on top. */
struct begun {
    struct jit_symbol *at;
    size_t count;
};

static void swap(struct jit_symbol *a, struct jit_symbol *b)
{
    struct jit_symbol kept = *a;
    *a = *b;
    *b = kept;
}

static void push(struct begun *begun, const struct jit_symbol *line)
{
    size_t i = begun->count++;
    begun->at[i] = *line;
    for (; i && begun->at[(i - 1) / 2].line < begun->at[i].line; i = (i - 1) / 2)
        swap(&begun->at[(i - 1) / 2], &begun->at[i]);
}

static void pop(struct begun *begun)
{
    begun->at[0] = begun->at[--begun->count];
    for (size_t i = 0, later = 1; later < begun->count; i = later, later = 2 * i + 1) {
        if (later + 1 < begun->count && begun->at[later + 1].line > begun->at[later].line)
            later++;
        if (begun->at[i].line >= begun->at[later].line)
            break;
        swap(&begun->at[i], &begun->at[later]);
    }
}

static size_t jit_piece_add(struct jit_symbol *pieces, size_t count, struct jit_symbol piece)
{
    if (count && pieces[count - 1].line == piece.line && pieces[count - 1].end == piece.start) {
        pieces[count - 1].end = piece.end;
        return count;
    }
    pieces[count] = piece;
    return count + 1;
}

/* Sweeps over all boundaries: each step adds or removes a line. */
static size_t sweep(const struct jit_symbol *sorted, size_t count, struct begun *begun,
                    struct jit_symbol *pieces)
{
    size_t made = 0;
    size_t next = 0;
    uint64_t at = 0;
    for (;;) {
        while (begun->count && begun->at[0].end <= at)
            pop(begun);
        if (!begun->count && next == count)
            return made;
        if (!begun->count && sorted[next].start > at)
            at = sorted[next].start;
        while (next < count && sorted[next].start <= at)
            push(begun, &sorted[next++]);
        struct jit_symbol piece = begun->at[0];
        if (piece.end <= at)
            continue;
        piece.start = at;
        if (next < count && sorted[next].start < piece.end)
            piece.end = sorted[next].start;
        made = jit_piece_add(pieces, made, piece);
        at = piece.end;
    }
}

/*
 * Splits `count` lines in any order into ascending pieces without overlaps, each from the latest
 * line at its addresses: at most twice as many. The caller frees the result. NULL: out of memory.
 */
static struct jit_symbol *jitorder_pieces(const struct jit_symbol *lines, size_t count,
                                          size_t *made)
{
    struct jit_symbol *sorted = calloc(count + !count, sizeof *sorted);
    struct jit_symbol *pieces = calloc(2 * count + 1, sizeof *pieces);
    struct begun begun = {.at = calloc(count + !count, sizeof *begun.at)};
    *made = 0;
    if (sorted && pieces && begun.at && count) {
        memcpy(sorted, lines, count * sizeof *sorted);
        SORT_BY(sorted, count, start);
        *made = sweep(sorted, count, &begun, pieces);
    } else if (!sorted || !begun.at) {
        free(pieces);
        pieces = NULL;
    }
    free(sorted);
    free(begun.at);
    return pieces;
}

enum {
    JITMAP_LINES_MAX = 1 << 20,
    JITMAP_TAIL = 64 /* bytes compared to detect a file that was rewritten instead of appended to */
};

void jitmap_init(struct jitmap *jitmap)
{
    *jitmap = (struct jitmap){.file_bytes = -1};
}

void jitmap_fini(struct jitmap *jitmap)
{
    free(jitmap->text);
    free(jitmap->lines);
    free(jitmap->symbols);
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
        !array_more(&jitmap->lines, &jitmap->line_room, jitmap->line_count, sizeof *jitmap->lines,
                    JITMAP_LINES_MAX))
        return;
    jitmap->lines[jitmap->line_count] = (struct jit_symbol){
        start, start + length, (uint32_t)jitmap->line_count, (uint32_t)(at - jitmap->text)};
    jitmap->line_count++;
}

/* Parses from the end of the last complete line. The last line may be incomplete now. */
static void jitmap_parse(struct jitmap *jitmap)
{
    char *end = jitmap->text + jitmap->text_bytes;
    char *at = jitmap->text + jitmap->whole_bytes;
    *end = '\0';
    jitmap->line_count = jitmap->whole_lines;
    while (at < end) {
        char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) {
            parse_line(jitmap, at, end);
            return;
        }
        *stop = '\0';
        parse_line(jitmap, at, stop);
        at = stop + 1;
        jitmap->whole_bytes = (size_t)(at - jitmap->text);
        jitmap->whole_lines = jitmap->line_count;
    }
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
    char *text = realloc(jitmap->text, size + 1);
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
    free(jitmap->symbols);
    jitmap->symbols = jitorder_pieces(jitmap->lines, jitmap->line_count, &jitmap->count);
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
    size_t low = SORTED_UP_TO(jitmap->symbols, jitmap->count, start, address);
    return low && address < jitmap->symbols[low - 1].end ? &jitmap->symbols[low - 1] : NULL;
}

const char *jitmap_name(const struct jitmap *jitmap, const struct jit_symbol *symbol)
{
    return jitmap->text + symbol->name;
}
