/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The references that one file's types are known under outside. A process that reads the file
 * has references of its own, which begin again when another takes its place; a type that is told
 * again keeps the reference it had, by its content. For reader.c.
 */
#ifndef MISSTOP_RESOLVE_DWARF_REFERENCES_H
#define MISSTOP_RESOLVE_DWARF_REFERENCES_H

#include "base/hash.h"

#include <stdbool.h>
#include <stdint.h>

enum { REFERENCES_MAX = 1 << 18 };

struct references {
    struct hash by_content;
    struct hash by_told; /* of the process that runs now */
    uint32_t count;
};

void references_fini(struct references *references);

/* Another process tells types now. */
void references_restart(struct references *references);

/* A type was told under a reference; its own, *is_new if it was never told before. 0: too many. */
uint32_t references_add(struct references *references, uint32_t told, uint64_t content,
                        bool *is_new);

/* 0: no such type was told. */
uint32_t references_of(const struct references *references, uint32_t told);

#endif
