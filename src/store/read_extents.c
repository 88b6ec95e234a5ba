/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What lies around an address: what the tables were told while recording, and, where they did not
 * ask, the first instance of each object. For the splits of a search. And mappings, and nodes.
 */
#include "store/read_state.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
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

bool reader_mapping(void *context, uint64_t address, struct mapping_desc *desc)
{
    const struct store_reader *reader = context;
    const struct rows *rows = &reader->rows[STORE_MAPPING];
    size_t i = 0;
    while (i < rows->count &&
           (address < rows->ids[i] || address >= rows_at(rows, i)[MAPPING_ROW_END]))
        i++;
    if (i == rows->count)
        return false;
    const uint64_t *row = rows_at(rows, i);
    const char *path = reader_string(reader, row[MAPPING_ROW_PATH]);
    const char *build_id = reader_string(reader, row[MAPPING_ROW_BUILD_ID]);
    *desc = (struct mapping_desc){
        .start = rows->ids[i], .end = row[MAPPING_ROW_END], .offset = row[MAPPING_ROW_OFFSET]};
    snprintf(desc->path, sizeof desc->path, "%s", path ? path : "");
    snprintf(desc->build_id, sizeof desc->build_id, "%s", build_id ? build_id : "");
    return true;
}

static int node_of(const struct rows *rows, uint64_t id)
{
    const uint64_t *row = rows_find(rows, id);
    return row && row[NODE_ROW_NODE] <= INT_MAX ? (int)row[NODE_ROW_NODE] - 1 : -1;
}

int reader_cpu_node(void *context, uint32_t cpu)
{
    const struct store_reader *reader = context;
    return node_of(&reader->rows[STORE_CPU], cpu);
}

void reader_page_nodes(void *context, const uint64_t *addresses, size_t count, int *nodes)
{
    const struct store_reader *reader = context;
    for (size_t i = 0; i < count; i++)
        nodes[i] = node_of(&reader->rows[STORE_PAGE], addresses[i]);
}

void reader_memory(void *context, uint64_t address, struct memory_use *use)
{
    const struct store_reader *reader = context;
    const uint64_t *row = rows_find(&reader->rows[STORE_MEMORY], address);
    *use = (struct memory_use){NAN, NAN, NAN, NAN, 0};
    if (!row)
        return;
    use->faults_per_s = number_to_double(row[MEMORY_ROW_FAULTS]);
    use->cpus = number_to_double(row[MEMORY_ROW_CPUS]);
    use->kernel_share = number_to_double(row[MEMORY_ROW_KERNEL]);
    use->huge_share = number_to_double(row[MEMORY_ROW_HUGE]);
    use->tlb_entries = row[MEMORY_ROW_TLB] <= UINT32_MAX ? (uint32_t)row[MEMORY_ROW_TLB] : 0;
}

bool reader_word(void *context, uint64_t address, uint64_t *value)
{
    const struct store_reader *reader = context;
    const uint64_t *row = rows_find(&reader->rows[STORE_WORD], address);
    *value = row ? row[WORD_ROW_VALUE] : 0;
    return row;
}
