/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tables of a profile under construction: strings, functions, locations and mappings, each
 * thing once. All of it lives in one arena; when there is no more memory, `failed` is set and
 * the ids given are of no use. For pprof.c.
 */
#ifndef MISSTOP_VIEW_PPROF_TABLES_H
#define MISSTOP_VIEW_PPROF_TABLES_H

#include "base/array.h"
#include "base/hash.h"
#include "snapshot.h"

#include "view/pprof.pb-c.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pointers as the messages have them, and where each thing stands; grows. Starts as zeros. */
struct pprof_list {
    struct hash index; /* key -> index + 1 */
    void **at;
    size_t count;
    size_t room;
};

struct pprof_tables {
    struct arena arena;
    struct pprof_list strings;
    struct pprof_list functions;
    struct pprof_list locations;
    struct pprof_list mappings;
    bool failed;
};

void pprof_tables_init(struct pprof_tables *tables);
void pprof_tables_fini(struct pprof_tables *tables);

void pprof_list_fini(struct pprof_list *list);
void pprof_list_add(struct pprof_tables *tables, struct pprof_list *list, void *what);

/* Index of a string; NULL is "". */
int64_t pprof_string(struct pprof_tables *tables, const char *text);

/* Id of a mapping; NULL is 0. */
uint64_t pprof_mapping(struct pprof_tables *tables, const struct mapping_desc *from);

/* Id of the location of an access, with all that it needs. */
uint64_t pprof_location(struct pprof_tables *tables, const struct snapshot_access *access);

#endif
