/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the dynamic linker writes into words of the file (its global offset table), by the file's
 * relocations: addresses of variables, and how far thread-local ones are from the thread pointer.
 * System V ABI AMD64 1.0, 4.4; Drepper, ELF Handling for Thread-Local Storage, 4.4. Owned by
 * flow.c; for step.c.
 */
#ifndef MISSTOP_RESOLVE_DWARF_LINKS_H
#define MISSTOP_RESOLVE_DWARF_LINKS_H

#include <stdbool.h>
#include <stdint.h>

struct links;
struct program;

enum link_kind {
    LINK_ADDRESS, /* `value`: a run-time address in this file */
    LINK_NAME,    /* the address of a variable of another file, of this name */
    LINK_THREAD,  /* distance from the thread pointer to `value` in the file's own TLS image */
    LINK_DYNAMIC  /* what __tls_get_addr() is given to find `value` in the TLS image */
};

struct link {
    uint64_t place; /* run-time address of the word */
    uint64_t value;
    const char *name; /* NAME: raw, lives with the program */
    uint8_t kind;     /* enum link_kind */
};

/* NULL: out of memory. */
struct links *links_new(struct program *program);
void links_free(struct links *links);

/* NULL: nothing is written there. */
const struct link *links_find(struct links *links, uint64_t place);

/* What a distance from the thread pointer (negative) is in an executable's TLS image. */
bool links_thread(struct links *links, int64_t distance, uint64_t *offset);

#endif
