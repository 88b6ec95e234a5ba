/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/rows.h"

#include "base/array.h"

#include <stdlib.h>

void rows_init(struct rows *rows, unsigned fields, size_t limit)
{
    *rows = (struct rows){.fields = fields, .limit = limit};
    hash_init(&rows->index);
}

void rows_fini(struct rows *rows)
{
    hash_fini(&rows->index);
    free(rows->at);
    free(rows->ids);
    *rows = (struct rows){0};
}

uint64_t *rows_find(const struct rows *rows, uint64_t id)
{
    const uint32_t *number = hash_find(&rows->index, id);
    return number ? rows_at(rows, *number) : NULL;
}

/* Both arrays have the same room: a row is in neither unless it is in both. */
static bool rows_grow(struct rows *rows)
{
    size_t room = rows->room;
    uint64_t *at =
        array_more(rows->at, &room, rows->count, rows->fields * sizeof *at, ARRAY_UNBOUNDED);
    if (!at)
        return false;
    rows->at = at;
    uint64_t *ids = array_more(rows->ids, &rows->room, rows->count, sizeof *ids, ARRAY_UNBOUNDED);
    if (ids)
        rows->ids = ids;
    return ids;
}

uint64_t *rows_take(struct rows *rows, uint64_t id, bool *created)
{
    uint64_t *found = rows_find(rows, id);
    *created = !found;
    if (found)
        return found;
    if (rows->count >= rows->limit || (rows->count == rows->room && !rows_grow(rows)))
        return NULL;
    uint32_t *number = hash_insert(&rows->index, id, NULL);
    if (!number)
        return NULL;
    *number = (uint32_t)rows->count;
    rows->ids[rows->count] = id;
    found = rows_at(rows, rows->count++);
    memset(found, 0, rows->fields * sizeof *found);
    return found;
}

unsigned char *row_put(unsigned char *out, const uint64_t *now, uint64_t *before, unsigned fields)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < fields; i++)
        mask |= (uint64_t)(now[i] != before[i]) << i;
    out = number_put(out, mask);
    for (; mask; mask &= mask - 1) {
        unsigned i = (unsigned)__builtin_ctzll(mask);
        out = number_put(out, number_of_difference(now[i] - before[i]));
        before[i] = now[i];
    }
    return out;
}

bool row_get(struct numbers *from, uint64_t *row, unsigned fields)
{
    uint64_t mask;
    uint64_t number;
    if (!number_get(from, &mask))
        return false;
    for (; mask; mask &= mask - 1) {
        unsigned i = (unsigned)__builtin_ctzll(mask);
        if (!number_get(from, &number))
            return false;
        if (i < fields)
            row[i] += number_to_difference(number);
    }
    return true;
}
