/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What lies around an address: what the tables were told while recording, and, where they did not
 * ask, the first instance of each object. For the splits of a search.
 */
#include "store/read_state.h"

#include <stdlib.h>
#include <string.h>

static int by_base(const void *left, const void *right)
{
    const struct object_extent *a = left;
    const struct object_extent *b = right;
    if (a->base != b->base)
        return a->base < b->base ? -1 : 1;
    return a->bound < b->bound ? -1 : a->bound > b->bound;
}

static void collect(struct store_reader *reader)
{
    const struct rows *told = &reader->rows[STORE_EXTENT];
    const struct rows *objects = &reader->rows[STORE_OBJECT];
    for (size_t i = 0; i < told->count; i++) {
        const uint64_t *row = rows_at(told, i);
        if (row[EXTENT_ROW_BOUND] > told->ids[i])
            reader->extent[reader->extent_count++] = (struct object_extent){
                told->ids[i], row[EXTENT_ROW_BOUND], (uint32_t)row[EXTENT_ROW_OBJECT]};
    }
    for (size_t i = 0; i < objects->count; i++) {
        const uint64_t *row = rows_at(objects, i);
        uint64_t base = row[OBJECT_ROW_ADDRESS];
        if (base + row[OBJECT_ROW_SIZE] > base && row[OBJECT_ROW_BLOCKS] <= 1)
            reader->extent[reader->extent_count++] = (struct object_extent){
                base, base + row[OBJECT_ROW_SIZE], (uint32_t)objects->ids[i]};
    }
}

static bool make_extents(struct store_reader *reader)
{
    size_t count = reader->rows[STORE_EXTENT].count + reader->rows[STORE_OBJECT].count;
    if (reader->extent && reader->extents_of == count)
        return true;
    struct object_extent *extent = reallocarray(reader->extent, count + 1, sizeof *extent);
    if (!extent)
        return false;
    reader->extent = extent;
    reader->extent_count = 0;
    reader->extents_of = count;
    collect(reader);
    qsort(reader->extent, reader->extent_count, sizeof *reader->extent, by_base);
    return true;
}

/* How many begin at or below an address. */
static size_t below(const struct store_reader *reader, uint64_t address)
{
    size_t low = 0;
    for (size_t high = reader->extent_count; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (reader->extent[middle].base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* They may lie in one another: a few are looked at, the innermost first. */
bool reader_extent(void *context, uint64_t address, struct object_extent *extent)
{
    enum { NESTED_MAX = 16 };
    struct store_reader *reader = context;
    if (!make_extents(reader))
        return false;
    size_t next = below(reader, address);
    uint64_t gap = 0;
    for (size_t i = next; i > 0 && next - i < NESTED_MAX; i--) {
        if (reader->extent[i - 1].bound > address) {
            *extent = reader->extent[i - 1];
            return true;
        }
        if (reader->extent[i - 1].bound > gap)
            gap = reader->extent[i - 1].bound;
    }
    uint64_t end = next < reader->extent_count ? reader->extent[next].base : UINT64_MAX;
    *extent = (struct object_extent){.base = gap, .bound = end};
    return end > gap && end > address;
}

static bool is_named(const struct store_reader *reader, const uint64_t *row, const char *name)
{
    const char *own = reader_string(reader, row[OBJECT_ROW_NAME]);
    const char *module = reader_string(reader, row[OBJECT_ROW_MODULE]);
    const char *colon = strrchr(name, ':');
    return own && (!strcmp(own, name) || (colon && module && !strcmp(own, colon + 1) &&
                                          strlen(module) == (size_t)(colon - name) &&
                                          !strncmp(module, name, (size_t)(colon - name))));
}

bool store_reader_find(struct store_reader *reader, const char *name, struct object_extent *extent)
{
    const struct rows *rows = &reader->rows[STORE_OBJECT];
    const uint64_t *partly = NULL;
    uint32_t part = 0;
    unsigned parts = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const uint64_t *row = rows_at(rows, i);
        const char *own = reader_string(reader, row[OBJECT_ROW_NAME]);
        bool exact = rows->ids[i] && is_named(reader, row, name);
        if (exact || (rows->ids[i] && own && strstr(own, name))) {
            partly = row;
            part = (uint32_t)rows->ids[i];
            parts = exact ? 1 : parts + 1;
        }
        if (exact)
            break;
    }
    if (parts != 1)
        return false;
    *extent = (struct object_extent){partly[OBJECT_ROW_ADDRESS],
                                     partly[OBJECT_ROW_ADDRESS] + partly[OBJECT_ROW_SIZE], part};
    return true;
}
