/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads a recording (FILE.misstop) and checks at each refresh that no heap block is in two rows.
 * Uses the places and the renames as written, independently of the tables. Prints the blocks in two
 * rows, and one line of sums. Exit status 1: there are some.
 */
#include "base/hash.h"
#include "store/store_read.h"
#include "unit/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { OBJECTS = 1 << 16, RANGES = 1 << 22, SHOWN = 12 };

/* A range of memory with samples on one object. */
struct range {
    uint64_t start;
    uint64_t end;
    uint32_t object;
    uint32_t row; /* as of the refresh */
    uint32_t samples;
};

struct check {
    struct place_names names;
    uint32_t one_of[OBJECTS];
    bool fixed[OBJECTS]; /* positions of its instances are not known: struct object_rename */
    struct hash seen;    /* (start, end, object) -> index + 1 */
    struct range *ranges;
    size_t count;
    unsigned refreshes;
    unsigned bad_refreshes;
    size_t worst;
    uint32_t shown;
};

static uint32_t now(const struct check *check, uint32_t object)
{
    while (object < OBJECTS && check->one_of[object])
        object = check->one_of[object];
    return object;
}

static uint32_t row_of(const struct check *check, uint32_t object)
{
    struct object_desc desc;
    object = now(check, object);
    bool known = ask_object(&check->names, object, &desc);
    return known && desc.part_of ? now(check, desc.part_of) : object;
}

static const char *name_of(const struct check *check, uint32_t object)
{
    struct object_desc desc;
    return ask_object(&check->names, object, &desc) ? desc.name : "?";
}

static void take_place(struct check *check, const struct place *place)
{
    struct object_desc desc;
    if (place->access.reason != REASON_NONE || !place->object || !place->size_bytes ||
        !ask_object(&check->names, place->object, &desc) || desc.kind != OBJECT_HEAP ||
        check->count == RANGES)
        return;
    uint64_t end = place->base + place->size_bytes;
    uint64_t key = hash_mix(hash_mix(place->base) + end) ^ place->object;
    uint32_t *at = hash_insert(&check->seen, key, NULL);
    if (!at)
        return;
    if (!*at) {
        check->ranges[check->count] = (struct range){place->base, end, place->object, 0, 0};
        *at = (uint32_t)++check->count;
    }
    check->ranges[*at - 1].samples++;
}

static int by_start(const void *left, const void *right)
{
    const struct range *a = left;
    const struct range *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->end > b->end ? -1 : a->end < b->end;
}

/* Finds ranges that are in different rows. (Parts of a larger block may have their own rows.) */
static void take_refresh(struct check *check)
{
    struct range *sorted = malloc((check->count + 1) * sizeof *sorted);
    size_t bad = 0;
    size_t count = 0;
    if (!sorted)
        exit(2);
    for (size_t i = 0; i < check->count; i++) {
        if (check->ranges[i].object < OBJECTS && check->fixed[check->ranges[i].object])
            continue;
        sorted[count] = check->ranges[i];
        sorted[count].row = row_of(check, sorted[count].object);
        count++;
    }
    qsort(sorted, count, sizeof *sorted, by_start);
    for (size_t i = 1; i < count; i++) {
        const struct range *outer = &sorted[i - 1];
        if (sorted[i].start == outer->start && sorted[i].end == outer->end &&
            sorted[i].row != outer->row) {
            bad++;
            if (check->shown++ < SHOWN)
                printf("refresh %u: %" PRIx64 "..%" PRIx64 " of %s (%u) is in %" PRIx64 "..%" PRIx64
                       " of %s (%u)\n",
                       check->refreshes + 1, sorted[i].start, sorted[i].end,
                       name_of(check, sorted[i].row), sorted[i].samples, outer->start, outer->end,
                       name_of(check, outer->row), outer->samples);
        }
    }
    check->refreshes++;
    check->bad_refreshes += bad > 0;
    check->worst = bad > check->worst ? bad : check->worst;
    free(sorted);
}

static void take_rename(struct check *check, const struct object_rename *rename)
{
    check->one_of[rename->from] = rename->to;
    check->fixed[rename->from] = rename->has_fixed_offset;
}

static void take(void *context, const struct store_item *item)
{
    struct check *check = context;
    if (item->kind == STORE_ITEM_PLACE)
        take_place(check, &item->place);
    else if (item->kind == STORE_ITEM_RENAME && item->rename.from < OBJECTS)
        take_rename(check, &item->rename);
    else if (item->kind == STORE_ITEM_REFRESH)
        take_refresh(check);
}

int main(int argc, char **argv)
{
    static struct check check;
    struct store_reader *reader;
    struct error error = {0};
    if (argc != 2 || store_reader_open(&reader, argv[1], &error)) {
        fprintf(stderr, "one_row: %s\n", argc != 2 ? "usage: one_row FILE.misstop" : error.text);
        return 2;
    }
    check.names = store_reader_names(reader);
    check.ranges = calloc(RANGES, sizeof *check.ranges);
    if (!check.ranges)
        return 2;
    hash_init(&check.seen);
    while (store_reader_read(reader, UINT64_MAX, take, &check) > 0)
        ;
    printf("%u refreshes, %zu ranges; in two rows: at most %zu, in %u refreshes\n", check.refreshes,
           check.count, check.worst, check.bad_refreshes);
    store_reader_close(reader);
    return check.bad_refreshes || !check.count;
}
