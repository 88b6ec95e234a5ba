/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows of numbers under an id, all of one width: what writer and reader know of one kind of thing
 * (objects, functions, members, bins ...). A row goes into the file as what changed since the
 * row of the same kind and id before: a mask of the fields, then their differences. So both
 * sides keep the rows, and a reader can step over fields and kinds it does not know.
 * For src/store only.
 */
#ifndef MISSTOP_STORE_ROWS_H
#define MISSTOP_STORE_ROWS_H

#include "base/hash.h"
#include "store/number.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ROWS_FIELDS_MAX = 64,
    ROW_BYTES_MAX = (ROWS_FIELDS_MAX + 1) * NUMBER_BYTES_MAX /* mask and fields */
};

struct rows {
    struct hash index; /* id -> number of the row */
    uint64_t *at;      /* [count * fields] */
    uint64_t *ids;
    size_t count;
    size_t room;
    size_t limit; /* no more rows than these: a hostile file must not fill the memory */
    unsigned fields;
};

void rows_init(struct rows *rows, unsigned fields, size_t limit);
void rows_fini(struct rows *rows);

static inline uint64_t *rows_at(const struct rows *rows, size_t number)
{
    return rows->at + number * rows->fields;
}

/* The row of an id; NULL: there is none. Valid until the next row is made. */
uint64_t *rows_find(const struct rows *rows, uint64_t id);

/* The same, made with all fields 0 if absent (*created); NULL: no memory, or at the limit. */
uint64_t *rows_take(struct rows *rows, uint64_t id, bool *created);

/* Writes what differs and makes `before` equal to `now`. Returns the end of what was written, at
 * most ROW_BYTES_MAX on. */
unsigned char *row_put(unsigned char *out, const uint64_t *now, uint64_t *before, unsigned fields);

/* Brings `row` up to date; fields beyond `fields` are stepped over. false: damaged. */
bool row_get(struct numbers *from, uint64_t *row, unsigned fields);

#endif
