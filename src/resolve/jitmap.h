/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of JIT-compiled code: /tmp/perf-PID.map inside the process's root, lines of
 * "START SIZE NAME" in hexadecimal (tools/perf/Documentation/jit-interface.txt). Later lines
 * win. Hostile input.
 */
#ifndef MISSTOP_RESOLVE_JITMAP_H
#define MISSTOP_RESOLVE_JITMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct jit_symbol {
    uint64_t start;
    uint64_t end;
    uint32_t line; /* its place in the file */
    uint32_t name; /* offset into text */
};

struct jitmap {
    char *text;
    struct jit_symbol *symbols; /* ascending, no overlaps */
    size_t count;
    int64_t file_bytes; /* when last read; -1: never */
};

void jitmap_init(struct jitmap *jitmap);

/* Reads the file if it is new or has grown. True when it changed. */
bool jitmap_refresh(struct jitmap *jitmap, pid_t pid);
void jitmap_fini(struct jitmap *jitmap);

/* NULL: none covers the address. */
const struct jit_symbol *jitmap_find(const struct jitmap *jitmap, uint64_t address);
const char *jitmap_name(const struct jitmap *jitmap, const struct jit_symbol *symbol);

#endif
