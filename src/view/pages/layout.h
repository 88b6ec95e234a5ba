/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rows of the Layout screen: a type's members as they lie, those of folded ones left out,
 * with a rule where a cache line begins and a note on what is wrong. For layout.c.
 */
#ifndef MISSTOP_VIEW_PAGES_LAYOUT_H
#define MISSTOP_VIEW_PAGES_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot.h"

struct layout_row {
    const struct snapshot_layout_row *row; /* NULL: a rule, which says `text` */
    uint64_t identity;
    char text[160]; /* the member's name, indented */
    char note[64];  /* "" if there is nothing to say; what costs begins with a capital */
};

struct layout_rows {
    struct layout_row *list;
    size_t count;
    size_t capacity;
};

/* Members whose own are not shown, by index. */
struct layout_folds {
    uint32_t members[64];
    unsigned count;
};

/* Folds, or unfolds; false: too many are folded. */
bool layout_fold(struct layout_folds *folds, uint32_t member);

/* Out of memory: as many rows as there is room for. They point into the layout. */
void layout_rows_make(struct layout_rows *rows, const struct snapshot_layout *layout,
                      const struct layout_folds *folds);
void layout_rows_fini(struct layout_rows *rows);

/* What table rows of members, and of offsets without one, are known by. */
uint64_t layout_identity(uint32_t member, uint64_t offset);

struct browser;
/* The row selected on the page, NULL: none; and the type that it shows, 0: none. */
const struct layout_row *layout_selected(const struct browser *browser, uint32_t *type);

#endif
