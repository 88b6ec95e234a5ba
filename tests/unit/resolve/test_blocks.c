/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares the index of heap blocks, and the candidates of its benchmark, with a sorted array.
 * Tests the memory bound, hostile input, and the precision of stored values.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../bench/blocks_candidate.h"
#include "base/hash.h"
#include "resolve/process/space.h"
#include "unit.h"

enum { MODEL_MAX = 1200, STEPS = 250000, STEPS_OTHERS = 60000, COMPARE_EVERY = 5000 };

#define WASTE_MAX (UINT64_C(1) << 42)

struct model {
    struct block blocks[MODEL_MAX];
    size_t count;
    uint64_t displaced;
};

/* Distribution of a run's blocks: dense in one run, sparse in another. */
struct field {
    const char *name;
    uint64_t base;
    uint64_t span;
    uint64_t largest;
    size_t most; /* maximum number of blocks in the model */
};

static const struct field fields[] = {
    {"dense", 0x7f0000000000, 32 << 10, 40, MODEL_MAX},
    {"heap", 0x5555557ff000, 1 << 20, 600, MODEL_MAX},
    {"wide", 0x7e0000000000, UINT64_C(1) << 40, UINT64_C(1) << 33, 150},
    {"everywhere", 8, BLOCKS_ADDRESS_END - 16, UINT64_C(1) << 46, 40},
};

struct run {
    const struct candidate *candidate;
    void *index;
    const struct field *field;
    struct prng prng;
    struct model model;
    struct block reported[MODEL_MAX]; /* reported by the callback */
    size_t reported_count;
    uint64_t now_ns;
};

static uint64_t end_of(const struct block *block)
{
    return block->start + (block->usable_bytes ? block->usable_bytes : 1);
}

/* Returns the position of the first model block that starts at or after the address. */
static size_t model_at(const struct model *model, uint64_t address)
{
    size_t low = 0;
    size_t high = model->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (model->blocks[middle].start < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void model_delete(struct model *model, size_t at)
{
    model->count--;
    memmove(&model->blocks[at], &model->blocks[at + 1],
            (model->count - at) * sizeof model->blocks[0]);
}

static void model_insert(struct model *model, const struct block *block)
{
    size_t at = model_at(model, block->start);
    memmove(&model->blocks[at + 1], &model->blocks[at],
            (model->count - at) * sizeof model->blocks[0]);
    model->blocks[at] = *block;
    model->count++;
}

/* Compares a block as specified in blocks.h. */
static void expect_same_block(const struct block *found, const struct block *expected)
{
    uint64_t requested = expected->requested_bytes < expected->usable_bytes
                             ? expected->requested_bytes
                             : expected->usable_bytes;
    uint64_t waste = expected->usable_bytes - requested;
    uint64_t found_waste = found->usable_bytes - found->requested_bytes;
    assert_int_equal(found->start, expected->start);
    assert_int_equal(found->usable_bytes, expected->usable_bytes);
    assert_int_equal(found->bin, expected->bin);
    if (waste > WASTE_MAX)
        waste = WASTE_MAX;
    assert_true(found_waste <= waste && waste - found_waste <= (waste < 4096 ? 0 : waste / 1000));
    assert_int_equal(!found->born_ns, !expected->born_ns);
    assert_true(found->born_ns <= expected->born_ns);
    assert_true(expected->born_ns - found->born_ns < 256);
}

static bool is_radix(const struct run *run)
{
    return run->candidate == &candidate_radix;
}

static void note_displaced(void *context, const struct block *removed)
{
    struct run *run = context;
    assert_true(run->reported_count < MODEL_MAX);
    run->reported[run->reported_count++] = *removed;
}

/* Deletes blocks [first, last) from the model; the callback must have reported them, last first. */
static void expect_reported(struct run *run, size_t first, size_t last)
{
    if (is_radix(run))
        assert_int_equal(run->reported_count, last - first);
    for (size_t i = 0; last > first; i++) {
        last--;
        if (is_radix(run))
            expect_same_block(&run->reported[i], &run->model.blocks[last]);
        model_delete(&run->model, last);
    }
    run->reported_count = 0;
}

/* Returns a size with a uniformly distributed logarithm, so that small ones are more frequent. */
static uint64_t pick_size(struct run *run)
{
    uint64_t limit = prng_next(&run->prng) % (run->field->largest + 1);
    unsigned shift = (unsigned)prng_below(&run->prng, 48);
    return prng_below(&run->prng, 4) ? limit : limit >> shift;
}

/* Returns a random address, or one at an edge of a block or of a radix table. */
static uint64_t pick_address(struct run *run)
{
    static const int64_t near[] = {-8, -1, 0, 1, 8};
    const struct model *model = &run->model;
    uint64_t address = run->field->base + prng_next(&run->prng) % run->field->span;
    uint64_t kind = prng_below(&run->prng, 8);
    if (kind < 4 && model->count) {
        const struct block *block = &model->blocks[prng_below(&run->prng, (uint32_t)model->count)];
        address = kind < 2 ? block->start : end_of(block);
        address += (uint64_t)near[prng_below(&run->prng, 5)];
    } else if (kind == 4) {
        static const unsigned shifts[] = {11, 14, 17, 21, 27, 33, 40};
        unsigned shift = shifts[prng_below(&run->prng, 7)];
        address = address >> shift << shift;
        address += (uint64_t)near[prng_below(&run->prng, 5)];
    }
    return address;
}

static void step_add(struct run *run)
{
    run->now_ns += prng_below(&run->prng, 1 << 22);
    struct block block = {.start = pick_address(run) & ~UINT64_C(7),
                          .usable_bytes = pick_size(run),
                          .born_ns = prng_below(&run->prng, 8) ? run->now_ns : 0,
                          .bin = (uint32_t)prng_below(&run->prng, BLOCKS_BINS_END)};
    block.requested_bytes = block.usable_bytes - prng_next(&run->prng) % (block.usable_bytes + 1);
    struct model *model = &run->model;
    if (!block.start || block.start >= BLOCKS_ADDRESS_END ||
        block.usable_bytes > BLOCKS_ADDRESS_END - block.start) {
        assert_int_equal(run->candidate->add(run->index, &block), -EINVAL);
        return;
    }
    assert_int_equal(run->candidate->add(run->index, &block), 0);
    size_t first = model_at(model, block.start);
    size_t last = model_at(model, end_of(&block));
    if (first && end_of(&model->blocks[first - 1]) > block.start)
        first--;
    model->displaced += last - first;
    expect_reported(run, first, last);
    model_insert(model, &block);
}

static void step_remove(struct run *run)
{
    struct model *model = &run->model;
    uint64_t start = pick_address(run);
    size_t at = model_at(model, start);
    bool known = at < model->count && model->blocks[at].start == start;
    struct block removed;
    assert_int_equal(run->candidate->remove(run->index, start, &removed), known);
    if (!known)
        return;
    expect_same_block(&removed, &model->blocks[at]);
    model_delete(model, at);
}

static void step_remove_range(struct run *run)
{
    if (!is_radix(run))
        return;
    uint64_t start = pick_address(run);
    uint64_t length = prng_next(&run->prng) % (run->field->span / 16 + 1);
    uint64_t end = prng_below(&run->prng, 20) ? start + length : start - length;
    size_t first = model_at(&run->model, start);
    size_t last = model_at(&run->model, end);
    blocks_remove_range(run->index, start, end, note_displaced, run);
    expect_reported(run, first, last > first ? last : first);
}

static void step_find(struct run *run)
{
    const struct model *model = &run->model;
    uint64_t address = pick_address(run);
    size_t at = model_at(model, address);
    struct block found;
    bool next = run->candidate->next(run->index, address, &found);
    assert_int_equal(next, at < model->count);
    if (next)
        expect_same_block(&found, &model->blocks[at]);
    bool previous = run->candidate->previous(run->index, address, &found);
    assert_int_equal(previous, at > 0);
    if (previous)
        expect_same_block(&found, &model->blocks[at - 1]);
    size_t cover = at < model->count && model->blocks[at].start == address ? at : at - 1;
    bool covered = cover < model->count && address < end_of(&model->blocks[cover]);
    assert_int_equal(run->candidate->find(run->index, address, &found), covered);
    if (covered)
        expect_same_block(&found, &model->blocks[cover]);
}

/* Compares the whole index, forwards and backwards. */
static void compare(const struct run *run)
{
    const struct model *model = &run->model;
    struct block found = {.start = 0};
    uint64_t address = 0;
    for (size_t i = 0; i < model->count; i++, address = found.start + 1) {
        assert_true(run->candidate->next(run->index, address, &found));
        expect_same_block(&found, &model->blocks[i]);
    }
    assert_false(run->candidate->next(run->index, address, &found));
    address = UINT64_MAX;
    for (size_t i = model->count; i-- > 0; address = found.start) {
        assert_true(run->candidate->previous(run->index, address, &found));
        expect_same_block(&found, &model->blocks[i]);
    }
    assert_false(run->candidate->previous(run->index, address, &found));
    if (is_radix(run)) {
        assert_int_equal(blocks_displaced(run->index), model->displaced);
    }
}

static void step(struct run *run)
{
    uint64_t kind = prng_below(&run->prng, 100);
    if (kind < 45 && run->model.count < run->field->most)
        step_add(run);
    else if (kind < 65)
        step_remove(run);
    else if (kind == 65 && !prng_below(&run->prng, 20))
        step_remove_range(run);
    else
        step_find(run);
}

static void compare_with_model(const struct candidate *candidate, int steps)
{
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        struct run *run = calloc(1, sizeof *run);
        assert_non_null(run);
        *run = (struct run){.candidate = candidate,
                            .index = candidate->new (),
                            .field = &fields[i],
                            .prng = {i + 1},
                            .now_ns = 5000000000};
        assert_non_null(run->index);
        if (is_radix(run))
            blocks_on_displaced(run->index, note_displaced, run);
        for (int done = 0; done < steps; done++) {
            step(run);
            if (done % COMPARE_EVERY == 0)
                compare(run);
        }
        compare(run);
        assert_true(run->model.displaced > 100);
        candidate->free(run->index);
        free(run);
    }
}

static void block_index_matches_model(void **state)
{
    (void)state;
    compare_with_model(&candidate_radix, STEPS);
}

static void alternative_indexes_match_model(void **state)
{
    (void)state;
    compare_with_model(&candidate_btree, STEPS_OTHERS);
    compare_with_model(&candidate_runs, STEPS_OTHERS);
    compare_with_model(&candidate_redblack, STEPS_OTHERS);
}

/* Many levels, long runs, all size classes of pages: too many blocks for the model's array. */
static void check_many_blocks(const struct candidate *candidate)
{
    enum { COUNT = 200000, STEP_BYTES = 48 };
    void *index = candidate->new ();
    struct block found;
    struct prng prng = {7};
    assert_non_null(index);
    for (uint64_t i = 1; i <= COUNT; i++) {
        struct block block = {.start = i * STEP_BYTES, .usable_bytes = 40, .bin = (uint32_t)i};
        assert_int_equal(candidate->add(index, &block), 0);
    }
    for (int i = 0; i < COUNT; i++) {
        uint64_t start = (1 + prng_below(&prng, COUNT)) * STEP_BYTES;
        struct block block = {.start = start, .usable_bytes = 16, .bin = (uint32_t)(start / 48)};
        assert_int_equal(candidate->remove(index, start, &found), true);
        assert_false(candidate->find(index, start, &found));
        assert_int_equal(candidate->add(index, &block), 0);
        assert_true(candidate->find(index, start + 15, &found));
        assert_false(candidate->find(index, start + 40, &found));
    }
    for (uint64_t i = 1; i <= COUNT; i++) {
        assert_true(candidate->remove(index, i * STEP_BYTES, &found));
        assert_int_equal(found.bin, i);
        if (i % 1000 == 0) /* runs across dead slots */
            assert_int_equal(candidate->next(index, 0, &found), i < COUNT);
    }
    candidate->free(index);
}

static void indexes_hold_many_blocks(void **state)
{
    (void)state;
    check_many_blocks(&candidate_radix);
    check_many_blocks(&candidate_btree);
    check_many_blocks(&candidate_redblack);
    check_many_blocks(&candidate_runs);
}

/* Adds blocks with a fixed step until one is refused; returns how many were accepted. */
static uint64_t fill(struct blocks *blocks, uint64_t step_bytes)
{
    for (uint64_t i = 1;; i++) {
        struct block block = {.start = i * step_bytes, .usable_bytes = 8, .bin = (uint32_t)i};
        if (block.start >= BLOCKS_ADDRESS_END)
            return i - 1;
        int result = blocks_add(blocks, &block);
        if (result) {
            assert_int_equal(result, -ENOMEM);
            return i - 1;
        }
    }
}

static void check_bound(uint64_t step_bytes, uint64_t least)
{
    struct blocks *blocks;
    struct block found;
    uint64_t most_bytes = data_bytes() + (3 << 20);
    assert_int_equal(blocks_new(&blocks, 2 << 20), 0);
    uint64_t count = fill(blocks, step_bytes);
    assert_true(count >= least);
    assert_int_equal(blocks_count(blocks), count);
    assert_int_equal(blocks_refused(blocks), 1);
    assert_true(data_bytes() <= most_bytes);
    for (uint64_t i = 1; i <= count; i++) {
        assert_true(blocks_find(blocks, i * step_bytes + 7, &found));
        assert_int_equal(found.bin, i);
    }
    assert_false(blocks_find(blocks, (count + 1) * step_bytes, &found));
    /* Freed memory is used again, except the pieces that are too small. */
    for (int again = 0; again < 8; again++) {
        blocks_remove_range(blocks, 0, UINT64_MAX, NULL, NULL);
        assert_false(blocks_next(blocks, 0, &found));
        assert_true(fill(blocks, step_bytes) >= count - count / 100);
    }
    assert_true(data_bytes() <= most_bytes);
    blocks_free(blocks);
}

static void block_index_memory_is_bounded(void **state)
{
    (void)state;
    check_bound(8, 50000);
    check_bound(48, 50000);
    check_bound(4096, 20000);
    check_bound(2 << 20, 400);          /* one leaf per block */
    check_bound(UINT64_C(8) << 30, 80); /* one middle table and one leaf per block */
    check_bound((UINT64_C(8) << 30) + 2056, 80);
}

/* A block that gets a page but no table must free the page. */
static void refused_blocks_keep_no_page(void **state)
{
    (void)state;
    const uint64_t step_bytes = 2 << 20; /* one leaf per block */
    struct blocks *blocks;
    assert_int_equal(blocks_new(&blocks, 2 << 20), 0);
    uint64_t count = fill(blocks, step_bytes);
    for (uint64_t i = 1; i < 1000; i++) {
        struct block block = {.start = (count + i) * step_bytes, .usable_bytes = 8};
        assert_int_equal(blocks_add(blocks, &block), -ENOMEM);
    }
    assert_int_equal(blocks_refused(blocks), 1000);
    /* The few lines left are too few for a leaf, but enough for a page in an existing leaf. */
    struct block block = {.start = step_bytes + 4096, .usable_bytes = 8};
    assert_int_equal(blocks_add(blocks, &block), 0);
    blocks_free(blocks);
}

/* At the bound, memory freed by dense pages is used for sparse ones. */
static void memory_freed_by_dense_pages_is_reused(void **state)
{
    (void)state;
    struct blocks *blocks;
    assert_int_equal(blocks_new(&blocks, 2 << 20), 0);
    uint64_t dense = fill(blocks, 8);
    for (uint64_t i = 1; i <= dense; i++)
        if (i % 256 > 4) /* four are left per page */
            assert_true(blocks_remove(blocks, i * 8, NULL));
    uint64_t count_before = blocks_count(blocks);
    for (uint64_t i = 0; i < 10000; i++) {
        struct block block = {.start = 0x40000000 + i * 4096, .usable_bytes = 24};
        assert_int_equal(blocks_add(blocks, &block), 0);
    }
    assert_int_equal(blocks_count(blocks), count_before + 10000);
    blocks_free(blocks);
}

static void invalid_blocks_are_refused(void **state)
{
    (void)state;
    static const struct block bad[] = {
        {.start = 0, .usable_bytes = 8},
        {.start = 4, .usable_bytes = 8},
        {.start = 0x1001, .usable_bytes = 8},
        {.start = BLOCKS_ADDRESS_END, .usable_bytes = 0},
        {.start = BLOCKS_ADDRESS_END - 8, .usable_bytes = 9},
        {.start = 0xffff888000000000, .usable_bytes = 64},
        {.start = UINT64_MAX - 7, .usable_bytes = 8},
        {.start = 0x1000, .usable_bytes = UINT64_MAX},
        {.start = 0x1000, .usable_bytes = UINT64_MAX - 0x1000 + 1},
        {.start = 0x1000, .usable_bytes = UINT64_C(1) << 63},
    };
    struct blocks *blocks;
    struct block found;
    assert_int_equal(blocks_new(&blocks, 0), 0);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(blocks_add(blocks, &bad[i]), -EINVAL);
        assert_false(blocks_remove(blocks, bad[i].start, &found));
        assert_false(blocks_find(blocks, bad[i].start, &found));
        assert_false(blocks_next(blocks, bad[i].start, &found));
        assert_false(blocks_previous(blocks, bad[i].start, &found));
        blocks_remove_range(blocks, bad[i].start, bad[i].start + bad[i].usable_bytes, NULL, NULL);
    }
    assert_int_equal(blocks_count(blocks), 0);
    blocks_free(blocks);
}

static void blocks_at_address_space_limits_are_found(void **state)
{
    (void)state;
    struct blocks *blocks;
    struct block found;
    const struct block all = {.start = 8, .usable_bytes = BLOCKS_ADDRESS_END - 8, .bin = 1};
    const struct block last = {.start = BLOCKS_ADDRESS_END - 8, .usable_bytes = 0, .bin = 2};
    assert_int_equal(blocks_new(&blocks, 0), 0);
    assert_int_equal(blocks_add(blocks, &all), 0);
    assert_true(blocks_find(blocks, 8, &found));
    assert_true(blocks_find(blocks, BLOCKS_ADDRESS_END - 1, &found));
    assert_int_equal(found.usable_bytes, all.usable_bytes);
    assert_false(blocks_find(blocks, 7, &found));
    assert_int_equal(blocks_add(blocks, &last), 0);
    assert_int_equal(blocks_displaced(blocks), 1);
    assert_int_equal(blocks_count(blocks), 1);
    assert_true(blocks_find(blocks, last.start, &found));
    assert_false(blocks_find(blocks, last.start + 1, &found));
    assert_true(blocks_next(blocks, last.start - 7, &found));
    assert_false(blocks_next(blocks, last.start + 1, &found));
    assert_true(blocks_previous(blocks, UINT64_MAX, &found));
    assert_int_equal(found.bin, 2);
    blocks_remove_range(blocks, 0, UINT64_MAX, NULL, NULL);
    assert_int_equal(blocks_count(blocks), 0);
    blocks_free(blocks);
    blocks_free(NULL);
}

/* Adds a block and returns it as the index stored it. */
static struct block add_and_find(struct blocks *blocks, struct block block)
{
    struct block found;
    assert_int_equal(blocks_add(blocks, &block), 0);
    assert_true(blocks_remove(blocks, block.start, &found));
    return found;
}

static void block_sizes_and_times_keep_precision(void **state)
{
    (void)state;
    const uint64_t epoch_ns = UINT64_C(1000000000000000);
    const uint64_t day_ns = UINT64_C(86400000000000);
    struct blocks *blocks;
    struct block block = {.start = 0x1000, .usable_bytes = 1 << 30, .born_ns = epoch_ns};
    assert_int_equal(blocks_new(&blocks, 0), 0);
    block.requested_bytes = block.usable_bytes - 4095;
    assert_int_equal(add_and_find(blocks, block).requested_bytes, block.requested_bytes);
    block.requested_bytes = 0;
    assert_int_equal(add_and_find(blocks, block).requested_bytes, 0);
    block.requested_bytes = UINT64_MAX;
    assert_int_equal(add_and_find(blocks, block).requested_bytes, block.usable_bytes);
    block.usable_bytes = BLOCKS_ADDRESS_END - 0x1000;
    block.requested_bytes = 1;
    struct block most = add_and_find(blocks, block); /* the largest waste that can be encoded */
    assert_true(most.requested_bytes >= block.usable_bytes - WASTE_MAX);
    assert_true(most.requested_bytes < block.usable_bytes - WASTE_MAX / 1000 * 999);
    block.born_ns = epoch_ns - day_ns; /* earlier births are clamped to the first */
    assert_int_equal(add_and_find(blocks, block).born_ns, epoch_ns);
    block.born_ns = epoch_ns + 26 * day_ns;
    assert_true(block.born_ns - add_and_find(blocks, block).born_ns < 256);
    block.born_ns = UINT64_MAX; /* larger than can be encoded: clamped, not wrapped */
    assert_true(add_and_find(blocks, block).born_ns > epoch_ns + 26 * day_ns);
    block.bin = BLOCKS_BINS_END - 1;
    assert_int_equal(add_and_find(blocks, block).bin, block.bin);
    block.bin = BLOCKS_BINS_END;
    assert_int_equal(blocks_add(blocks, &block), -EINVAL);
    blocks_free(blocks);
}

static int run_blocks(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_index_matches_model),
        cmocka_unit_test(alternative_indexes_match_model),
        cmocka_unit_test(indexes_hold_many_blocks),
        cmocka_unit_test(block_index_memory_is_bounded),
        cmocka_unit_test(memory_freed_by_dense_pages_is_reused),
        cmocka_unit_test(refused_blocks_keep_no_page),
        cmocka_unit_test(invalid_blocks_are_refused),
        cmocka_unit_test(blocks_at_address_space_limits_are_found),
        cmocka_unit_test(block_sizes_and_times_keep_precision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Identity of anonymous memory, with maps as a kernel would list them. */

struct memory {
    struct maps maps;
    struct stacks stacks;
    struct regions regions;
};

/* Replaces the maps by lines of /proc/PID/maps. */
static void set_maps(struct memory *memory, const char *lines)
{
    FILE *in = fmemopen((void *)(uintptr_t)lines, strlen(lines), "r");
    assert_non_null(in);
    assert_int_equal(maps_read_file(&memory->maps, in), 0);
    fclose(in);
}

static struct region_found find_region(struct memory *memory, uint64_t address)
{
    struct region_found found;
    const struct map *map = maps_find(&memory->maps, address);
    assert_non_null(map);
    assert_true(regions_find(&memory->regions, &memory->maps, &memory->stacks, map, map->start,
                             map->end, map->start, &found));
    return found;
}

static void free_memory(struct memory *memory)
{
    maps_fini(&memory->maps);
    regions_fini(&memory->regions);
    free(memory->stacks.stacks);
}

/* Grows downwards in steps, like cc1's memory; each is a mapping until /proc is read again. */
static void growing_mapping_keeps_its_region(void **state)
{
    struct memory memory = {0};
    (void)state;
    set_maps(&memory, "50000000-50400000 rw-p 00000000 00:00 0 \n");
    uint64_t key = find_region(&memory, 0x50000100).key;
    set_maps(&memory, "4fe00000-50000000 rw-p 00000000 00:00 0 \n"
                      "50000000-50400000 rw-p 00000000 00:00 0 \n");
    assert_int_equal(find_region(&memory, 0x4fe00100).key, key);
    set_maps(&memory, "4fc00000-50800000 rw-p 00000000 00:00 0 \n");
    assert_int_equal(find_region(&memory, 0x4fc00100).key, key);
    struct region_found found = find_region(&memory, 0x50700000);
    assert_int_equal(found.key, key);
    assert_int_equal(found.size_bytes, 0xc00000);
    assert_int_equal(found.blocks, 1);
    assert_int_equal(memory.regions.join_count, 0);
    free_memory(&memory);
}

static void regions_that_become_adjacent_are_joined(void **state)
{
    struct memory memory = {0};
    (void)state;
    set_maps(&memory, "10000000-10100000 rw-p 00000000 00:00 0 \n"
                      "10300000-10400000 rw-p 00000000 00:00 0 \n");
    uint64_t low = find_region(&memory, 0x10000000).key;
    uint64_t high = find_region(&memory, 0x10300000).key;
    assert_int_not_equal(low, high);
    set_maps(&memory, "10000000-10400000 rw-p 00000000 00:00 0 \n");
    uint64_t one = find_region(&memory, 0x10200000).key;
    assert_int_equal(memory.regions.join_count, 1);
    assert_int_equal(memory.regions.joins[0].to, one);
    assert_true((one == low && memory.regions.joins[0].from == high) ||
                (one == high && memory.regions.joins[0].from == low));
    assert_int_equal(find_region(&memory, 0x10000000).key, one);
    free_memory(&memory);
}

/* A run ends at other access rights, another name, or a thread's stack, but not at a stack known
 * only from a stack pointer. */
static void region_ends_at_rights_names_and_stacks(void **state)
{
    struct memory memory = {0};
    (void)state;
    set_maps(&memory, "10000000-10100000 rw-p 00000000 00:00 0 \n"
                      "10100000-10200000 ---p 00000000 00:00 0 \n"
                      "10200000-10300000 rw-p 00000000 00:00 0 [anon:pool]\n"
                      "10300000-10700000 rw-p 00000000 00:00 0 \n"
                      "10700000-10900000 rw-p 00000000 00:00 0 \n");
    memory.stacks.stacks = calloc(2, sizeof *memory.stacks.stacks);
    memory.stacks.count = 2;
    memory.stacks.stacks[0] = (struct stack){0x10400000, 0x10410000, 0};
    memory.stacks.stacks[1] = (struct stack){0x10500000, 0x10700000, 7};
    assert_int_equal(find_region(&memory, 0x10000000).size_bytes, 0x100000);
    assert_int_equal(find_region(&memory, 0x10200000).size_bytes, 0x100000);
    struct region_found found;
    const struct map *map = maps_find(&memory.maps, 0x10300000);
    assert_true(regions_find(&memory.regions, &memory.maps, &memory.stacks, map, 0x10300000,
                             0x10400000, 1, &found));
    assert_int_equal(found.size_bytes, 0x200000);
    assert_int_equal(find_region(&memory, 0x10700000).size_bytes, 0x200000);
    free_memory(&memory);
}

/* Pages of a garbage collector are one object; an array of another size is separate. */
static void mappings_of_equal_size_are_one_region(void **state)
{
    struct memory memory = {0};
    char lines[4096];
    size_t used = 0;
    (void)state;
    for (unsigned i = 0; i < 8; i++)
        used +=
            (size_t)snprintf(lines + used, sizeof lines - used, "%x-%x rw-p 00000000 00:00 0 \n",
                             0x10000000 + i * 0x100000, 0x10040000 + i * 0x100000);
    snprintf(lines + used, sizeof lines - used, "20000000-22000000 rw-p 00000000 00:00 0 \n");
    set_maps(&memory, lines);
    uint64_t first = find_region(&memory, 0x10000000).key;
    uint64_t array = find_region(&memory, 0x20000000).key;
    for (unsigned i = 1; i < 8; i++)
        find_region(&memory, 0x10000000 + i * 0x100000);
    struct region_found found = find_region(&memory, 0x10000000);
    assert_int_not_equal(found.key, first);
    assert_true(found.is_of_bin);
    assert_int_equal(found.blocks, 8);
    assert_int_equal(found.size_bytes, 8 * 0x40000);
    assert_int_equal(find_region(&memory, 0x10700000).key, found.key);
    assert_int_equal(find_region(&memory, 0x20000000).key, array);
    for (size_t i = 0; i < memory.regions.join_count; i++)
        assert_int_equal(memory.regions.joins[i].to, found.key);
    free_memory(&memory);
}

/* ruby's heap: pages of 64 KiB that become adjacent. */
static void grown_mapping_leaves_its_size_group(void **state)
{
    struct memory memory = {0};
    (void)state;
    set_maps(&memory, "10000000-10010000 rw-p 00000000 00:00 0 \n"
                      "10100000-10110000 rw-p 00000000 00:00 0 \n"
                      "10200000-10210000 rw-p 00000000 00:00 0 \n"
                      "10300000-10310000 rw-p 00000000 00:00 0 \n");
    for (unsigned i = 0; i < 4; i++)
        find_region(&memory, 0x10000000 + i * 0x100000);
    struct region_found many = find_region(&memory, 0x10000000);
    assert_true(many.is_of_bin);
    assert_int_equal(many.size_bytes, 4 * 0x10000);
    set_maps(&memory, "10000000-10010000 rw-p 00000000 00:00 0 \n"
                      "10100000-10110000 rw-p 00000000 00:00 0 \n"
                      "10200000-10210000 rw-p 00000000 00:00 0 \n"
                      "10300000-10330000 rw-p 00000000 00:00 0 \n");
    struct region_found grown = find_region(&memory, 0x10300000);
    assert_false(grown.is_of_bin);
    assert_int_not_equal(grown.key, many.key);
    assert_int_equal(grown.size_bytes, 0x30000);
    assert_int_equal(find_region(&memory, 0x10320000).key, grown.key);
    many = find_region(&memory, 0x10000000);
    assert_int_equal(many.blocks, 3);
    assert_int_equal(many.size_bytes, 3 * 0x10000);
    /* Its counts from the time when it was larger do not belong to the common object. */
    set_maps(&memory, "10000000-10010000 rw-p 00000000 00:00 0 \n"
                      "10300000-10310000 rw-p 00000000 00:00 0 \n"
                      "10400000-10410000 rw-p 00000000 00:00 0 \n");
    assert_int_equal(find_region(&memory, 0x10300000).key, grown.key);
    assert_int_equal(find_region(&memory, 0x10400000).key, many.key);
    assert_int_equal(find_region(&memory, 0x10300000).key, grown.key);
    free_memory(&memory);
}

/* Memory at an address that belonged to another object before. */
static void region_without_key_gets_a_distinct_key(void **state)
{
    struct memory memory = {0};
    struct region_found found[3];
    (void)state;
    set_maps(&memory, "10000000-10010000 rw-p 00000000 00:00 0 \n"
                      "10100000-10110000 rw-p 00000000 00:00 0 \n");
    for (unsigned i = 0; i < 3; i++) {
        const struct map *map = &memory.maps.maps[i % 2];
        assert_true(regions_find(&memory.regions, &memory.maps, &memory.stacks, map, map->start,
                                 map->end, 0, &found[i]));
    }
    assert_int_not_equal(found[0].key, 0);
    assert_int_not_equal(found[0].key, found[1].key);
    assert_int_equal(found[0].key, found[2].key);
    free_memory(&memory);
}

static int run_regions(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(growing_mapping_keeps_its_region),
                                       cmocka_unit_test(regions_that_become_adjacent_are_joined),
                                       cmocka_unit_test(region_ends_at_rights_names_and_stacks),
                                       cmocka_unit_test(mappings_of_equal_size_are_one_region),
                                       cmocka_unit_test(grown_mapping_leaves_its_size_group),
                                       cmocka_unit_test(region_without_key_gets_a_distinct_key)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    int failed = 0;
    failed += run_blocks();
    failed += run_regions();
    return failed;
}
