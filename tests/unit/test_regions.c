/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which object anonymous memory is, over maps as a kernel would list them. */
#include "unit.h"

#include "resolve/process/space.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct memory {
    struct maps maps;
    struct stacks stacks;
    struct regions regions;
};

/* Lines of /proc/PID/maps, in place of those before. */
static void show(struct memory *memory, const char *lines)
{
    FILE *in = fmemopen((void *)(uintptr_t)lines, strlen(lines), "r");
    assert_non_null(in);
    assert_int_equal(maps_read_file(&memory->maps, in), 0);
    fclose(in);
}

static struct region_found find(struct memory *memory, uint64_t address)
{
    struct region_found found;
    const struct map *map = maps_find(&memory->maps, address);
    assert_non_null(map);
    assert_true(regions_find(&memory->regions, &memory->maps, &memory->stacks, map, map->start,
                             map->end, map->start, &found));
    return found;
}

static void end(struct memory *memory)
{
    maps_fini(&memory->maps);
    regions_fini(&memory->regions);
    free(memory->stacks.stacks);
}

/* As cc1's memory does: downwards, in steps, each a mapping of its own until /proc is read again. */
static void what_grows_is_one(void **state)
{
    struct memory memory = {0};
    (void)state;
    show(&memory, "50000000-50400000 rw-p 00000000 00:00 0 \n");
    uint64_t key = find(&memory, 0x50000100).key;
    show(&memory, "4fe00000-50000000 rw-p 00000000 00:00 0 \n"
                  "50000000-50400000 rw-p 00000000 00:00 0 \n");
    assert_int_equal(find(&memory, 0x4fe00100).key, key);
    show(&memory, "4fc00000-50800000 rw-p 00000000 00:00 0 \n");
    assert_int_equal(find(&memory, 0x4fc00100).key, key);
    struct region_found found = find(&memory, 0x50700000);
    assert_int_equal(found.key, key);
    assert_int_equal(found.size_bytes, 0xc00000);
    assert_int_equal(found.blocks, 1);
    assert_int_equal(memory.regions.join_count, 0);
    end(&memory);
}

static void two_that_meet_are_one(void **state)
{
    struct memory memory = {0};
    (void)state;
    show(&memory, "10000000-10100000 rw-p 00000000 00:00 0 \n"
                  "10300000-10400000 rw-p 00000000 00:00 0 \n");
    uint64_t low = find(&memory, 0x10000000).key;
    uint64_t high = find(&memory, 0x10300000).key;
    assert_int_not_equal(low, high);
    show(&memory, "10000000-10400000 rw-p 00000000 00:00 0 \n");
    uint64_t one = find(&memory, 0x10200000).key;
    assert_int_equal(memory.regions.join_count, 1);
    assert_int_equal(memory.regions.joins[0].to, one);
    assert_true((one == low && memory.regions.joins[0].from == high) ||
                (one == high && memory.regions.joins[0].from == low));
    assert_int_equal(find(&memory, 0x10000000).key, one);
    end(&memory);
}

/* Other rights, another name, a thread's stack; what only a stack pointer tells of is no end. */
static void where_a_run_ends(void **state)
{
    struct memory memory = {0};
    (void)state;
    show(&memory, "10000000-10100000 rw-p 00000000 00:00 0 \n"
                  "10100000-10200000 ---p 00000000 00:00 0 \n"
                  "10200000-10300000 rw-p 00000000 00:00 0 [anon:pool]\n"
                  "10300000-10700000 rw-p 00000000 00:00 0 \n"
                  "10700000-10900000 rw-p 00000000 00:00 0 \n");
    memory.stacks.stacks = calloc(2, sizeof *memory.stacks.stacks);
    memory.stacks.count = 2;
    memory.stacks.stacks[0] = (struct stack){0x10400000, 0x10410000, 0};
    memory.stacks.stacks[1] = (struct stack){0x10500000, 0x10700000, 7};
    assert_int_equal(find(&memory, 0x10000000).size_bytes, 0x100000);
    assert_int_equal(find(&memory, 0x10200000).size_bytes, 0x100000);
    struct region_found found;
    const struct map *map = maps_find(&memory.maps, 0x10300000);
    assert_true(regions_find(&memory.regions, &memory.maps, &memory.stacks, map, 0x10300000,
                             0x10400000, 1, &found));
    assert_int_equal(found.size_bytes, 0x200000);
    assert_int_equal(find(&memory, 0x10700000).size_bytes, 0x200000);
    end(&memory);
}

/* Pages of a garbage collector; an array of another size is none of them. */
static void many_of_one_size_are_one(void **state)
{
    struct memory memory = {0};
    char lines[4096];
    size_t used = 0;
    (void)state;
    for (unsigned i = 0; i < 8; i++)
        used += (size_t)snprintf(lines + used, sizeof lines - used,
                                 "%x-%x rw-p 00000000 00:00 0 \n", 0x10000000 + i * 0x100000,
                                 0x10040000 + i * 0x100000);
    snprintf(lines + used, sizeof lines - used, "20000000-22000000 rw-p 00000000 00:00 0 \n");
    show(&memory, lines);
    uint64_t first = find(&memory, 0x10000000).key;
    uint64_t array = find(&memory, 0x20000000).key;
    for (unsigned i = 1; i < 8; i++)
        find(&memory, 0x10000000 + i * 0x100000);
    struct region_found found = find(&memory, 0x10000000);
    assert_int_not_equal(found.key, first);
    assert_true(found.is_of_bin);
    assert_int_equal(found.blocks, 8);
    assert_int_equal(found.size_bytes, 8 * 0x40000);
    assert_int_equal(find(&memory, 0x10700000).key, found.key);
    assert_int_equal(find(&memory, 0x20000000).key, array);
    for (size_t i = 0; i < memory.regions.join_count; i++)
        assert_int_equal(memory.regions.joins[i].to, found.key);
    end(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_grows_is_one), cmocka_unit_test(two_that_meet_are_one),
        cmocka_unit_test(where_a_run_ends), cmocka_unit_test(many_of_one_size_are_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
