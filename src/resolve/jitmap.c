/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/jitmap.h"

#include "base/text.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { JITMAP_BYTES_MAX = 256 << 20 };

void jitmap_init(struct jitmap *jitmap)
{
    *jitmap = (struct jitmap){.file_bytes = -1};
}

void jitmap_fini(struct jitmap *jitmap)
{
    free(jitmap->text);
    free(jitmap->symbols);
    jitmap_init(jitmap);
}

/* The PID inside the process's own namespace names the file. */
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

static int open_map(pid_t pid)
{
    char path[96];
    snprintf(path, sizeof path, "/proc/%d/root/tmp/perf-%d.map", (int)pid, (int)inner_pid(pid));
    return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

static int compare(const void *a, const void *b)
{
    const struct jit_symbol *x = a;
    const struct jit_symbol *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->line < y->line ? 1 : -1;
}

static void parse(struct jitmap *jitmap, size_t size)
{
    size_t lines = 1;
    for (size_t i = 0; i < size; i++)
        lines += jitmap->text[i] == '\n';
    jitmap->symbols = calloc(lines, sizeof *jitmap->symbols);
    char *at = jitmap->text;
    for (uint32_t line = 0; jitmap->symbols && *at; line++) {
        unsigned long long start, length;
        int used = 0;
        char *end = at + strcspn(at, "\n");
        bool last = !*end;
        *end = '\0';
        if (sscanf(at, "%llx %llx %n", &start, &length, &used) == 2 && used &&
            start + length > start)
            jitmap->symbols[jitmap->count++] = (struct jit_symbol){
                start, start + length, line, (uint32_t)(at + used - jitmap->text)};
        at = last ? end : end + 1;
    }
    if (jitmap->count)
        qsort(jitmap->symbols, jitmap->count, sizeof *jitmap->symbols, compare);
    size_t kept = 0;
    for (size_t i = 0; i < jitmap->count; i++)
        if (!kept || jitmap->symbols[i].start >= jitmap->symbols[kept - 1].end)
            jitmap->symbols[kept++] = jitmap->symbols[i];
    jitmap->count = kept;
}

bool jitmap_refresh(struct jitmap *jitmap, pid_t pid)
{
    struct stat status;
    int fd = open_map(pid);
    if (fd < 0)
        return false;
    bool changed = !fstat(fd, &status) && S_ISREG(status.st_mode) &&
                   status.st_size != jitmap->file_bytes && status.st_size <= JITMAP_BYTES_MAX;
    if (changed) {
        jitmap_fini(jitmap);
        jitmap->file_bytes = status.st_size;
        jitmap->text = malloc((size_t)status.st_size + 1);
        ssize_t got = jitmap->text ? read(fd, jitmap->text, (size_t)status.st_size) : 0;
        size_t size = got > 0 ? (size_t)got : 0;
        if (jitmap->text) {
            jitmap->text[size] = '\0';
            parse(jitmap, strlen(jitmap->text));
        }
    }
    close(fd);
    return changed;
}

const struct jit_symbol *jitmap_find(const struct jitmap *jitmap, uint64_t address)
{
    size_t low = 0;
    size_t high = jitmap->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (jitmap->symbols[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low && address < jitmap->symbols[low - 1].end ? &jitmap->symbols[low - 1] : NULL;
}

const char *jitmap_name(const struct jitmap *jitmap, const struct jit_symbol *symbol)
{
    return jitmap->text + symbol->name;
}
