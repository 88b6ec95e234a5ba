/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of types and members, sanitised, each kept once: the same few are used a thousand times,
 * and equal ones are the same pointer. For describe.c.
 */
#ifndef MISSTOP_RESOLVE_DWARF_STRINGS_H
#define MISSTOP_RESOLVE_DWARF_STRINGS_H

#include "base/array.h"
#include "base/hash.h"

#include <stddef.h>
#include <stdint.h>

struct strings {
    struct arena arena;
    struct hash by_hash; /* to an index + 1 into kept */
    const char **kept;
    uint32_t count;
    size_t room;
};

void strings_init(struct strings *strings);
void strings_fini(struct strings *strings);

/* A safe copy that lives as long as the strings; "" for NULL and when out of memory. */
const char *strings_keep(struct strings *strings, const char *text);

#endif
