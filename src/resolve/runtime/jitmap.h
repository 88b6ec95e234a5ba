/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of JIT-compiled code: /tmp/perf-PID.map inside the process's root, lines of "START SIZE
 * NAME" in hexadecimal (tools/perf/Documentation/jit-interface.txt). The file grows as code is
 * compiled; where lines overlap, the later one is valid. Hostile input: anyone may write to /tmp.
 */
#ifndef MISSTOP_RESOLVE_RUNTIME_JITMAP_H
#define MISSTOP_RESOLVE_RUNTIME_JITMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct files_client;

enum { JITMAP_BYTES_MAX = 64 << 20 };

struct jit_symbol {
    uint64_t start;
    uint64_t end;
    uint32_t line; /* its place in the file */
    uint32_t name; /* offset into text */
};

struct jitmap {
    char *text; /* of the file so far, a NUL for each line's end */
    size_t text_bytes;
    struct jit_symbol *lines; /* as in the file */
    size_t line_count;
    size_t line_room;
    struct jit_symbol *symbols; /* ascending, no overlaps */
    size_t count;
    size_t whole_bytes; /* of the text, up to the end of the last whole line */
    size_t whole_lines;
    uint64_t inode;
    int64_t file_bytes; /* when last read; -1: never */
    int64_t changed_ns; /* the file's own time stamp then */
};

void jitmap_init(struct jitmap *jitmap);
void jitmap_fini(struct jitmap *jitmap);

/* Reads the process's file if it is new or has changed. True when it did. `files`: the process's
 * own rights; NULL: ours. */
bool jitmap_refresh(struct jitmap *jitmap, pid_t pid, struct files_client *files);

/* The same from a descriptor, with any owner. */
bool jitmap_read(struct jitmap *jitmap, int fd);

/* NULL: none covers the address. */
const struct jit_symbol *jitmap_find(const struct jitmap *jitmap, uint64_t address);
const char *jitmap_name(const struct jitmap *jitmap, const struct jit_symbol *symbol);

#endif
