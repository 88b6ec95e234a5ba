/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which anonymous mappings belong to glibc's malloc, told by what stands at their start:
 * a thread arena begins with a heap_info on a 64 MiB boundary, a large block with a chunk
 * header whose mmapped bit is set (glibc malloc/arena.c, malloc/malloc.c; doc/facts.md).
 */
#ifndef MISSTOP_RESOLVE_HEAP_H
#define MISSTOP_RESOLVE_HEAP_H

#include "resolve/maps.h"

#include <sys/types.h>

enum heap_finding { HEAP_UNKNOWN, HEAP_NO, HEAP_ARENA, HEAP_BLOCK };

/* Looks once per mapping and remembers. */
enum heap_finding heap_look(struct map *map, pid_t pid);

/* The same for a part of a mapping, each time anew. */
enum heap_finding heap_read(uint64_t start, uint64_t end, pid_t pid);

#endif
