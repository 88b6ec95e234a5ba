/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Heap bins: statistics compared with a sum over the live blocks, names of made-up paths, groups by
 * rules; the file of the rules, and the wrappers.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/settings.h"
#include "resolve/heap/bin_rules.h"
#include "resolve/heap/bins.h"
#include "unit.h"

/* Names: address 100 * f + line is in function f */

static const char *const functions[] = {"zero",
                                        "malloc",
                                        "xmalloc",
                                        "parse",
                                        "main",
                                        "operator new(unsigned long)",
                                        "grow\x1b[31m",
                                        "alloc::vec::Vec<T>::grow",
                                        "std::map<int, A>::insert"};

static bool name_fake(void *context, uint64_t address, const char **function, const char **module,
                      const char **file, uint32_t *line)
{
    const char *module_name = context;
    uint64_t index = address / 100;
    *module = module_name;
    if (index >= sizeof functions / sizeof functions[0])
        return module_name;
    *function = functions[index];
    *file = "/src/lib/code.c";
    *line = (uint32_t)(address % 100);
    return true;
}

struct fixture {
    struct bins *bins;
    struct wrappers wrappers;
    struct bin_rules rules;
};

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    wrappers_init(&fixture->wrappers);
    bin_rules_init(&fixture->rules);
    *state = fixture;
    return bins_new(&fixture->bins, 0);
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    bins_free(fixture->bins);
    wrappers_fini(&fixture->wrappers);
    bin_rules_fini(&fixture->rules);
    free(fixture);
    return 0;
}

static void update_names(struct fixture *fixture)
{
    assert_int_equal(bins_update_names(fixture->bins, &fixture->wrappers, &fixture->rules,
                                       name_fake, NULL, NULL),
                     0);
}

/* Returns a bin with up to three frames: functions by number, each at line 10; 0 ends the path. */
static uint32_t bin_of(struct fixture *fixture, unsigned a, unsigned b, unsigned c)
{
    const uint64_t path[] = {a * 100 + 11, b * 100 + 11, c * 100 + 11};
    return bins_of_path(fixture->bins, path, !b ? 1 : !c ? 2 : 3);
}

/* Statistics */

enum { BINS = 7, LIVE_MAX = 500, STEPS = 200000 };

struct model {
    struct block live[LIVE_MAX];
    size_t count;
    struct bin_stats stats[BINS + 1];
};

/* Returns the size class: below 32 bytes, below 64, and so on. */
static unsigned size_class_of(uint64_t bytes)
{
    unsigned class = 0;
    while (class < HEAP_SIZES - 1 && bytes >= UINT64_C(32) << class)
        class ++;
    return class;
}

static void model_born(struct model *model, struct bins *bins, struct prng *prng, uint64_t now_ns)
{
    struct block block = {.bin = 1 + (uint32_t)prng_below(prng, BINS),
                          .usable_bytes = prng_next(prng) >> (17 + prng_below(prng, 47)),
                          .born_ns = prng_below(prng, 5) ? now_ns : 0};
    block.requested_bytes = block.usable_bytes - prng_below(prng, 4096) % (block.usable_bytes + 1);
    struct bin_stats *stats = &model->stats[block.bin];
    stats->allocations++;
    if (block.born_ns) {
        if (!stats->first_ns)
            stats->first_ns = now_ns;
        stats->last_ns = now_ns;
    }
    model->live[model->count++] = block;
    bins_count_alloc(bins, &block, block.born_ns);
}

static void model_died(struct model *model, struct bins *bins, struct prng *prng, uint64_t now_ns)
{
    size_t at = prng_below(prng, (uint32_t)model->count);
    struct block block = model->live[at];
    struct bin_stats *stats = &model->stats[block.bin];
    stats->frees++;
    if (block.born_ns) {
        stats->lifetime_count++;
        stats->lifetime_sum_ns += now_ns - block.born_ns;
    }
    model->live[at] = model->live[--model->count];
    bins_count_free(bins, &block, now_ns);
}

/* Sums the live blocks of a bin. */
static struct bin_stats model_sum(const struct model *model, uint32_t bin)
{
    struct bin_stats sum = model->stats[bin];
    for (size_t i = 0; i < model->count; i++) {
        const struct block *block = &model->live[i];
        if (block->bin != bin)
            continue;
        sum.live_blocks++;
        sum.live_usable_bytes += block->usable_bytes;
        sum.live_requested_bytes += block->requested_bytes;
        sum.sizes[size_class_of(block->usable_bytes)]++;
    }
    return sum;
}

static void assert_stats(const struct bin_stats *found, const struct bin_stats *expected)
{
    assert_int_equal(found->live_blocks, expected->live_blocks);
    assert_int_equal(found->live_usable_bytes, expected->live_usable_bytes);
    assert_int_equal(found->live_requested_bytes, expected->live_requested_bytes);
    assert_int_equal(found->allocations, expected->allocations);
    assert_int_equal(found->frees, expected->frees);
    assert_int_equal(found->lifetime_sum_ns, expected->lifetime_sum_ns);
    assert_int_equal(found->lifetime_count, expected->lifetime_count);
    assert_int_equal(found->first_ns, expected->first_ns);
    assert_int_equal(found->last_ns, expected->last_ns);
    assert_memory_equal(found->sizes, expected->sizes, sizeof found->sizes);
}

static void bin_statistics_match_the_model(void **state)
{
    struct fixture *fixture = *state;
    struct model *model = calloc(1, sizeof *model);
    struct prng prng = {3};
    uint64_t now_ns = 1000;
    for (unsigned i = 1; i < BINS; i++)
        assert_int_equal(bin_of(fixture, 3, i, 0), i + 1);
    for (int step = 0; step < STEPS; step++) {
        now_ns += prng_next(&prng) >> (30 + prng_below(&prng, 30));
        if (model->count < LIVE_MAX && (!model->count || prng_below(&prng, 100) < 51))
            model_born(model, fixture->bins, &prng, now_ns);
        else
            model_died(model, fixture->bins, &prng, now_ns);
        uint32_t bin = 1 + (uint32_t)step % BINS;
        if (step % 501)
            continue;
        struct bin_stats expected = model_sum(model, bin);
        struct bin_stats found;
        assert_true(bins_stats(fixture->bins, bin, &found));
        assert_stats(&found, &expected);
    }
    free(model);
}

static void requested_bytes_do_not_drift(void **state)
{
    struct fixture *fixture = *state;
    struct blocks *blocks;
    struct bin_stats stats;
    struct block removed;
    const struct block block = {.start = 4096,
                                .usable_bytes = UINT64_C(1) << 33,
                                .requested_bytes = 123456789,
                                .bin = BINS_REST};
    assert_int_equal(blocks_new(&blocks, 0), 0);
    assert_int_equal(blocks_add(blocks, &block), 0);
    bins_count_alloc(fixture->bins, &block, block.born_ns);
    assert_true(blocks_remove(blocks, block.start, &removed));
    bins_count_free(fixture->bins, &removed, 5);
    assert_true(bins_stats(fixture->bins, BINS_REST, &stats));
    assert_int_equal(stats.live_requested_bytes, 0);
    assert_int_equal(stats.live_usable_bytes, 0);
    blocks_free(blocks);
}

static void bin_rates_and_growth_are_measured(void **state)
{
    struct fixture *fixture = *state;
    struct bins *bins = fixture->bins;
    struct bin_stats stats;
    const uint32_t id = bin_of(fixture, 3, 0, 0);
    const struct block block = {.bin = id, .usable_bytes = 24, .born_ns = 1};
    const uint64_t s = 1000000000;
    bins_count_alloc(bins, &block, block.born_ns);
    bins_tick(bins, 10 * s);
    assert_true(bins_stats(bins, id, &stats));
    assert_true(isnan(stats.allocations_per_s) && isnan(bin_stats_lifetime_ns(&stats)));
    for (int i = 0; i < 30; i++)
        bins_count_alloc(bins, &block, block.born_ns);
    bins_mark(bins, 11 * s);
    for (int i = 0; i < 10; i++)
        bins_count_free(bins, &block, 1001);
    bins_tick(bins, 12 * s);
    bins_tick(bins, 12 * s); /* no time has passed: nothing changes */
    bins_tick(bins, 1 * s);
    assert_true(bins_stats(bins, id, &stats));
    assert_float_equal(stats.allocations_per_s, 15, 1e-9);
    assert_float_equal(stats.frees_per_s, 5, 1e-9);
    assert_float_equal(bin_stats_lifetime_ns(&stats), 1000, 1e-9);
    assert_int_equal(stats.mark_blocks, 31);
    assert_int_equal(stats.live_blocks, 21);
    assert_int_equal(stats.mark_usable_bytes, 31 * 24);
    assert_int_equal(bins_mark_ns(bins), 11 * s);
}

/* Bins of paths */

static void bins_are_identified_by_path(void **state)
{
    struct fixture *fixture = *state;
    struct bins *bins = fixture->bins;
    uint64_t path[300];
    for (unsigned i = 0; i < 300; i++)
        path[i] = i;
    assert_int_equal(bins_of_path(bins, path, 0), BINS_REST);
    uint32_t id = bins_of_path(bins, path, 5);
    assert_int_equal(id, 2);
    assert_int_equal(bins_of_path(bins, path, 4), 3);
    assert_int_equal(bins_of_path(bins, path + 1, 5), 4);
    assert_int_equal(bins_of_path(bins, path, 5), id);
    /* Frames beyond the maximum are cut at the outer end. */
    assert_int_equal(bins_of_path(bins, path, 300), bins_of_path(bins, path, BINS_DEPTH_MAX));
    const struct bin *bin = bins_at(bins, 5);
    assert_int_equal(bin->depth, BINS_DEPTH_MAX);
    assert_memory_equal(bins_path(bins, bin), path, sizeof path[0] * BINS_DEPTH_MAX);
    assert_null(bin_name(bin));
    assert_null(bins_at(bins, 0));
    assert_null(bins_at(bins, 6));
}

static void full_bins_use_the_rest_bin(void **state)
{
    (void)state;
    struct bins *bins;
    assert_int_equal(bins_new(&bins, 1000), 0);
    for (uint64_t i = 0; i < 3000; i++) {
        uint64_t path[] = {i, i + 1};
        uint32_t id = bins_of_path(bins, path, 2);
        assert_int_equal(id, i < 999 ? i + 2 : BINS_REST);
    }
    for (uint64_t i = 0; i < 999; i++) {
        uint64_t path[] = {i, i + 1};
        assert_int_equal(bins_of_path(bins, path, 2), i + 2);
    }
    assert_int_equal(bins_count(bins), 1000);
    bins_free(bins);
}

/* Names */

static void bin_names_skip_allocation_wrappers(void **state)
{
    struct fixture *fixture = *state;
    uint32_t plain = bin_of(fixture, 3, 4, 0);
    uint32_t wrapped = bin_of(fixture, 2, 3, 4);
    uint32_t cxx = bin_of(fixture, 5, 3, 4);
    uint32_t wrappers_only = bin_of(fixture, 1, 2, 0);
    uint32_t hostile = bin_of(fixture, 6, 4, 0);
    uint32_t unknown = bin_of(fixture, 77, 2, 4);
    update_names(fixture);
    assert_string_equal(bin_name(bins_at(fixture->bins, plain)), "parse code.c:10");
    assert_string_equal(bins_at(fixture->bins, plain)->full_name, "parse < main");
    assert_string_equal(bin_name(bins_at(fixture->bins, wrapped)), "parse code.c:10");
    assert_string_equal(bins_at(fixture->bins, wrapped)->full_name, "xmalloc < parse < main");
    assert_string_equal(bin_name(bins_at(fixture->bins, cxx)), "parse code.c:10");
    assert_string_equal(bin_name(bins_at(fixture->bins, wrappers_only)), "xmalloc code.c:10");
    assert_string_equal(bins_at(fixture->bins, hostile)->full_name, "grow?[31m < main");
    assert_string_equal(bins_at(fixture->bins, unknown)->full_name, "? < xmalloc < main");
    assert_string_equal(bin_name(bins_at(fixture->bins, unknown)), "?");
    uint32_t in_module = bin_of(fixture, 78, 4, 0);
    assert_int_equal(bins_update_names(fixture->bins, &fixture->wrappers, &fixture->rules,
                                       name_fake, NULL, (void *)(uintptr_t) "/usr/lib/libx.so.1"),
                     0);
    /* In the same module a frame with a name is preferred. */
    assert_string_equal(bin_name(bins_at(fixture->bins, in_module)), "main code.c:10");
    assert_string_equal(bins_at(fixture->bins, in_module)->full_name, "[libx.so.1] < main");
}

/* Frames of a stripped library, its exported functions, the program, and a mapping. */
static bool name_stripped(void *context, uint64_t address, const char **function,
                          const char **module, const char **file, uint32_t *line)
{
    static const struct {
        const char *function;
        const char *module;
    } frames[] = {
        {"libx.so.1+0x10", "libx.so.1"}, {"xmalloc", "libx.so.1"}, {"libx.so.1+0x20", "libx.so.1"},
        {"x_parse", "libx.so.1"},        {"main", "prog"},         {"prog+0x30", "prog"},
        {"malloc", "libagent.so"},       {BINS_MAPPING_NAME, NULL}};
    (void)context;
    *function = frames[address / 100].function;
    *module = frames[address / 100].module;
    *file = NULL;
    *line = 0;
    return true;
}

static void bin_names_skip_unnamed_frames(void **state)
{
    struct fixture *fixture = *state;
    enum { INNER, WRAPPER, OUTER, EXPORTED, MAIN, PROGRAM, AGENT, MAPPING };
    static const struct {
        unsigned path[5];
        unsigned depth;
        const char *name;
    } cases[] = {
        {{INNER, WRAPPER, OUTER, EXPORTED, MAIN}, 5, "x_parse"},
        {{INNER, WRAPPER, EXPORTED, MAIN}, 4, "x_parse"},
        {{INNER, OUTER, MAIN}, 3, "libx.so.1+0x10"}, /* main() names no library's blocks */
        {{PROGRAM, MAIN}, 2, "main"},
        {{INNER, AGENT, MAIN}, 3, "libx.so.1+0x10"}, /* nor is the caller of malloc */
        {{MAPPING, INNER}, 2, "mmap in libx.so.1+0x10"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t path[5];
        for (unsigned k = 0; k < cases[i].depth; k++)
            path[k] = cases[i].path[k] * 100 + 51;
        uint32_t id = bins_of_path(fixture->bins, path, cases[i].depth);
        assert_int_equal(bins_update_names(fixture->bins, &fixture->wrappers, &fixture->rules,
                                           name_stripped, NULL, NULL),
                         0);
        assert_string_equal(bin_name(bins_at(fixture->bins, id)), cases[i].name);
    }
}

/* parse() returns its block as plain memory, grow() is not described, insert() allocates nodes.
 * main() stores the result in a variable, if `context` is set. */
static int assign_fake(void *context, uint64_t return_address, char *out, size_t out_size,
                       uint32_t *type)
{
    static const char *const names[] = {[3] = "", [4] = "node.list", [8] = "map<int, A> node"};
    const char *name = names[return_address / 100];
    *type = 0;
    snprintf(out, out_size, "%s", name ? name : "");
    return name && (name != names[4] || context) ? 0 : -ENOENT;
}

static void function_that_returns_block_is_wrapper(void **state)
{
    struct fixture *fixture = *state;
    static const char module[] = "prog";
    uint32_t stored = bin_of(fixture, 2, 3, 4);
    assert_int_equal(bins_update_names(fixture->bins, &fixture->wrappers, &fixture->rules,
                                       name_fake, assign_fake, (void *)(uintptr_t)module),
                     0);
    assert_string_equal(bin_name(bins_at(fixture->bins, stored)), "node.list");
    uint32_t not_stored = bin_of(fixture, 5, 3, 4);
    uint32_t outermost = bin_of(fixture, 2, 3, 0);
    assert_int_equal(bins_update_names(fixture->bins, &fixture->wrappers, &fixture->rules,
                                       name_fake, assign_fake, NULL),
                     0);
    assert_string_equal(bin_name(bins_at(fixture->bins, not_stored)), "main code.c:10");
    assert_string_equal(bin_name(bins_at(fixture->bins, outermost)), "parse code.c:10");
    assert_int_equal(wrappers_add(&fixture->wrappers, "!parse"), 0);
    uint32_t declared = bin_of(fixture, 1, 3, 4);
    assert_int_equal(bins_update_names(fixture->bins, &fixture->wrappers, &fixture->rules,
                                       name_fake, assign_fake, NULL),
                     0);
    assert_string_equal(bin_name(bins_at(fixture->bins, declared)), "parse code.c:10");
}

static void bin_names_skip_library_functions(void **state)
{
    struct fixture *fixture = *state;
    static const char module[] = "prog";
    uint32_t unknown = bin_of(fixture, 7, 4, 0); /* main() stores another result */
    uint32_t known = bin_of(fixture, 7, 8, 4);
    assert_int_equal(bins_update_names(fixture->bins, &fixture->wrappers, &fixture->rules,
                                       name_fake, assign_fake, (void *)(uintptr_t)module),
                     0);
    assert_string_equal(bin_name(bins_at(fixture->bins, unknown)), "main code.c:10");
    assert_string_equal(bin_name(bins_at(fixture->bins, known)), "map<int, A> node");
    uint32_t plain = bin_of(fixture, 7, 3, 4); /* without debug information */
    update_names(fixture);
    assert_string_equal(bin_name(bins_at(fixture->bins, plain)),
                        "alloc::vec::Vec<T>::grow code.c:10");
}

static bool name_long(void *context, uint64_t address, const char **function, const char **module,
                      const char **file, uint32_t *line)
{
    (void)address, (void)module, (void)file, (void)line;
    *function = context;
    return true;
}

static void long_bin_names_are_bounded(void **state)
{
    struct fixture *fixture = *state;
    char function[3000];
    uint64_t path[BINS_DEPTH_MAX] = {0};
    memset(function, 'x', sizeof function - 1);
    function[sizeof function - 1] = '\0';
    uint32_t id = bins_of_path(fixture->bins, path, BINS_DEPTH_MAX);
    assert_int_equal(bins_update_names(fixture->bins, &fixture->wrappers, &fixture->rules,
                                       name_long, NULL, function),
                     0);
    size_t length = strlen(bins_at(fixture->bins, id)->full_name);
    assert_true(length > BIN_RULES_NAME_BYTES / 2 && length < BIN_RULES_NAME_BYTES);
    assert_true(strlen(bin_name(bins_at(fixture->bins, id))) < 1200);
}

/* Rename, combine, undo */

static uint64_t group_blocks(const struct fixture *fixture, uint32_t lead)
{
    struct bin_stats stats;
    assert_true(bins_stats(fixture->bins, lead, &stats));
    return stats.live_blocks;
}

static void regroup(struct fixture *fixture)
{
    assert_int_equal(bins_regroup(fixture->bins, &fixture->rules), 0);
}

static void undo(struct fixture *fixture)
{
    assert_true(bin_rules_undo(&fixture->rules));
    regroup(fixture);
}

static void bins_can_be_renamed_and_combined(void **state)
{
    struct fixture *fixture = *state;
    struct bin_rules *rules = &fixture->rules;
    uint32_t ids[4];
    for (unsigned i = 0; i < 4; i++) { /* "X < main", 1 to 4 blocks */
        ids[i] = bin_of(fixture, i + 1, 4, 0);
        for (unsigned n = 0; n <= i; n++)
            bins_count_alloc(fixture->bins, &(struct block){.bin = ids[i]}, 0);
    }
    update_names(fixture);
    assert_int_equal(bin_rules_combine(rules, "parse < main", "xmalloc < main"), 0);
    assert_int_equal(bin_rules_combine(rules, "xmalloc < main", "parse < main"), -EEXIST);
    assert_int_equal(bin_rules_rename(rules, "xmalloc < main", "tree\tnodes"), 0);
    regroup(fixture);
    assert_int_equal(bins_at(fixture->bins, ids[1])->lead_bin, ids[2]);
    assert_int_equal(bins_at(fixture->bins, ids[2])->lead_bin, ids[2]);
    assert_int_equal(group_blocks(fixture, ids[2]), 5);
    assert_string_equal(bin_name(bins_at(fixture->bins, ids[2])), "tree?nodes");
    assert_true(bins_at(fixture->bins, ids[2])->new_name);
    /* Combines a group into another one through its member, four in all. */
    assert_int_equal(bin_rules_combine(rules, "main < main", "xmalloc < main"), 0);
    assert_int_equal(bin_rules_combine(rules, "main < main", "malloc < main"), 0);
    regroup(fixture);
    assert_int_equal(group_blocks(fixture, ids[3]), 10);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(bins_at(fixture->bins, ids[i])->lead_bin, ids[3]);
    assert_false(bins_at(fixture->bins, ids[3])->new_name);
    undo(fixture);
    undo(fixture);
    assert_int_equal(group_blocks(fixture, ids[3]), 4);
    assert_int_equal(group_blocks(fixture, ids[2]), 5);
    assert_string_equal(bin_name(bins_at(fixture->bins, ids[2])), "tree?nodes");
    undo(fixture);
    assert_string_equal(bin_name(bins_at(fixture->bins, ids[2])), "parse code.c:10");
    undo(fixture);
    assert_int_equal(group_blocks(fixture, ids[2]), 3);
    assert_int_equal(bins_at(fixture->bins, ids[1])->lead_bin, ids[1]);
    assert_false(bin_rules_undo(rules));
}

/* Rules of an earlier session: bins come later, and the group's own name may never come. */
static void rules_apply_to_bins_created_later(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(bin_rules_combine(&fixture->rules, "never < seen", "malloc < main"), 0);
    assert_int_equal(bin_rules_combine(&fixture->rules, "never < seen", "parse < main"), 0);
    assert_int_equal(bin_rules_rename(&fixture->rules, "never < seen", "ours"), 0);
    uint32_t first = bin_of(fixture, 1, 4, 0);
    update_names(fixture);
    uint32_t second = bin_of(fixture, 3, 4, 0);
    const uint64_t other_line[] = {320, 411};
    uint32_t same_name = bins_of_path(fixture->bins, other_line, 2);
    uint32_t outside = bin_of(fixture, 4, 4, 0);
    update_names(fixture);
    assert_int_equal(bins_at(fixture->bins, second)->lead_bin, first);
    assert_int_equal(bins_at(fixture->bins, same_name)->lead_bin, first);
    assert_int_equal(bins_at(fixture->bins, outside)->lead_bin, outside);
    assert_string_equal(bin_name(bins_at(fixture->bins, first)), "ours");
    unsigned members = 0;
    for (uint32_t id = first; id; id = bins_at(fixture->bins, id)->next)
        members++;
    assert_int_equal(members, 3);
}

/* All fields of a group's sum, each from two members. */
static void group_statistics_are_sums_of_members(void **state)
{
    struct fixture *fixture = *state;
    struct bins *bins = fixture->bins;
    uint32_t a = bin_of(fixture, 1, 4, 0);
    uint32_t b = bin_of(fixture, 3, 4, 0);
    const uint64_t s = 1000000000;
    struct bin_stats sum;
    bins_tick(bins, s);
    for (int i = 0; i < 6; i++)
        bins_count_alloc(bins,
                         &(struct block){.bin = i % 2 ? a : b,
                                         .usable_bytes = 40,
                                         .requested_bytes = 30,
                                         .born_ns = (uint64_t)(100 + i)},
                         (uint64_t)(100 + i));
    bins_mark(bins, s);
    bins_count_free(
        bins, &(struct block){.bin = a, .usable_bytes = 40, .requested_bytes = 30, .born_ns = 101},
        201);
    bins_count_free(
        bins, &(struct block){.bin = b, .usable_bytes = 40, .requested_bytes = 30, .born_ns = 100},
        400);
    bins_tick(bins, 3 * s);
    update_names(fixture);
    assert_int_equal(bin_rules_combine(&fixture->rules, "malloc < main", "parse < main"), 0);
    regroup(fixture);
    assert_true(bins_stats(bins, a, &sum));
    assert_int_equal(sum.live_blocks, 4);
    assert_int_equal(sum.live_usable_bytes, 160);
    assert_int_equal(sum.live_requested_bytes, 120);
    assert_int_equal(sum.allocations, 6);
    assert_int_equal(sum.frees, 2);
    assert_int_equal(sum.first_ns, 100);
    assert_int_equal(sum.last_ns, 105);
    assert_int_equal(sum.mark_blocks, 6);
    assert_int_equal(sum.mark_usable_bytes, 240);
    assert_int_equal(sum.sizes[1], 4);
    assert_float_equal(bin_stats_lifetime_ns(&sum), 200, 1e-9);
    assert_float_equal(sum.allocations_per_s, 3, 1e-9);
    assert_float_equal(sum.frees_per_s, 1, 1e-9);
    assert_int_equal(bins_at(bins, a)->stats.live_blocks, 2);
    assert_true(bins_stats(bins, b, &sum)); /* leads no group: only its own statistics */
    assert_int_equal(sum.live_blocks, 2);
}

static int run_bins(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(bin_statistics_match_the_model),       TEST(requested_bytes_do_not_drift),
        TEST(bin_rates_and_growth_are_measured),    TEST(bins_are_identified_by_path),
        TEST(full_bins_use_the_rest_bin),           TEST(bin_names_skip_allocation_wrappers),
        TEST(bin_names_skip_unnamed_frames),        TEST(function_that_returns_block_is_wrapper),
        TEST(bin_names_skip_library_functions),     TEST(long_bin_names_are_bounded),
        TEST(bins_can_be_renamed_and_combined),     TEST(rules_apply_to_bins_created_later),
        TEST(group_statistics_are_sums_of_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#undef TEST

/* The file of renamed and combined bins, with hostile contents and failures; the wrappers. */

static char folder[PATH_MAX];

static int bin_rules_setup(void **state)
{
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/misstop-bins-XXXXXX", base ? base : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

static int bin_rules_teardown(void **state)
{
    (void)state;
    char command[PATH_MAX + 16];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static const char *path_of(const char *name)
{
    static char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static int count_entries(void)
{
    DIR *directory = opendir(folder);
    int count = 0;
    assert_non_null(directory);
    while (readdir(directory))
        count++;
    closedir(directory);
    return count - 2;
}

static void assert_rule(const struct bin_rules *rules, uint32_t at, bool combines, const char *name,
                        const char *value)
{
    assert_true(at < rules->count);
    assert_int_equal(rules->rules[at].combines, combines);
    assert_string_equal(rules->rules[at].name, name);
    assert_string_equal(rules->rules[at].value, value);
}

static void rules_survive_saving_and_loading(void **state)
{
    (void)state;
    struct bin_rules rules;
    struct bin_rules again;
    const char *path = path_of("made/on/the/way/bins");
    bin_rules_init(&rules);
    bin_rules_init(&again);
    assert_int_equal(bin_rules_load(&rules, path), 0); /* no file: no rules */
    assert_int_equal(rules.count, 0);
    assert_int_equal(bin_rules_rename(&rules, "a < main", "first\nrename\tx\ty"), 0);
    assert_int_equal(bin_rules_combine(&rules, "a < main", "caf\xc3\xa9 < main"), 0);
    assert_int_equal(bin_rules_rename(&rules, "caf\xc3\xa9 < main", "second"), 0);
    assert_int_equal(bin_rules_save(&rules, path), 0);
    assert_int_equal(bin_rules_save(&rules, path), 0); /* overwrites itself */
    assert_int_equal(bin_rules_load(&again, path), 0);
    assert_int_equal(again.skipped, 0);
    assert_int_equal(again.count, 3);
    assert_rule(&again, 0, false, "a < main", "first?rename?x?y");
    assert_rule(&again, 1, true, "caf\xc3\xa9 < main", "a < main");
    assert_rule(&again, 2, false, "a < main", "second"); /* renames the group that contains it */
    bin_rules_fini(&rules);
    bin_rules_fini(&again);
}

static void malformed_rule_lines_are_skipped(void **state)
{
    (void)state;
    static const char text[] = "# comment\n"
                               "\n"
                               "rename\ta\tb\n"
                               "rename\ta\n"
                               "rename\n"
                               "rename\t\tb\n"
                               "rename\ta\t\n"
                               "rename\ta\tb\tc\n"
                               "delete\ta\tb\n"
                               "combine\ta\ta\n"
                               "combine\tx\ty\n"
                               "combine\ty\tx\n" /* would be a cycle */
                               "rename\ta\tb\0c\n"
                               "rename\te\tesc \x1b[2J\n"
                               "rename\tlast\tno newline";
    struct bin_rules rules;
    bin_rules_init(&rules);
    write_file(path_of("bins"), text, sizeof text - 1);
    assert_int_equal(bin_rules_load(&rules, path_of("bins")), 0);
    assert_int_equal(rules.count, 4);
    assert_int_equal(rules.skipped, 9);
    assert_rule(&rules, 0, false, "a", "b");
    assert_rule(&rules, 1, true, "x", "y");
    assert_rule(&rules, 2, false, "e", "esc ?[2J");
    assert_rule(&rules, 3, false, "last", "no newline");
    bin_rules_fini(&rules);
}

/* Random file contents: no crash, bounded, groups terminate, accepted rules can be saved. */
static void random_rule_files_are_harmless(void **state)
{
    (void)state;
    static const char *const words[] = {"rename", "combine", "\t",    "\t", "\n",  "\n",
                                        "a",      "b",       "c < d", "#",  " < ", "\r"};
    struct prng prng = {11};
    for (int round = 0; round < 300; round++) {
        char text[4096];
        size_t size = 0;
        while (size + 16 < sizeof text) {
            uint64_t pick = prng_below(&prng, 13);
            if (pick == 12)
                text[size++] = (char)prng_next(&prng);
            else
                size += (size_t)sprintf(text + size, "%s", words[pick]);
        }
        struct bin_rules rules;
        struct bin_rules again;
        uint32_t first;
        bin_rules_init(&rules);
        bin_rules_init(&again);
        write_file(path_of("bins"), text, size);
        assert_int_equal(bin_rules_load(&rules, path_of("bins")), 0);
        for (uint32_t i = 0; i < rules.count; i++)
            bin_rules_group(&rules, rules.rules[i].name, rules.rules[i].name_hash, &first);
        assert_int_equal(bin_rules_save(&rules, path_of("bins")), 0);
        assert_int_equal(bin_rules_load(&again, path_of("bins")), 0);
        assert_int_equal(again.count, rules.count);
        assert_int_equal(again.skipped, 0);
        bin_rules_fini(&rules);
        bin_rules_fini(&again);
    }
}

static void rule_limits_are_enforced(void **state)
{
    (void)state;
    struct bin_rules rules;
    char name[32];
    char *lengthy = malloc(BIN_RULES_NAME_BYTES + 1);
    bin_rules_init(&rules);
    memset(lengthy, 'x', BIN_RULES_NAME_BYTES);
    lengthy[BIN_RULES_NAME_BYTES] = '\0';
    assert_int_equal(bin_rules_rename(&rules, "a", lengthy), -EINVAL);
    lengthy[BIN_RULES_NAME_BYTES - 1] = '\0';
    assert_int_equal(bin_rules_rename(&rules, "a", lengthy), 0);
    assert_int_equal(bin_rules_rename(&rules, "a", ""), -EINVAL);
    for (int i = 1; i < BIN_RULES_MAX; i++) { /* one chain of maximum length */
        char before[32];
        snprintf(before, sizeof before, "n%d", i - 1);
        snprintf(name, sizeof name, "n%d", i);
        assert_int_equal(bin_rules_combine(&rules, name, before), 0);
    }
    assert_int_equal(bin_rules_combine(&rules, "more", "n0"), -ENOSPC);
    assert_non_null(bin_rules_name(&rules, "a", rules.rules[0].name_hash));
    uint32_t first;
    const char *head = bin_rules_group(&rules, "n0", rules.rules[1].name_hash, &first);
    assert_string_equal(head, "n1023");
    assert_int_equal(first, BIN_RULES_MAX - 1);
    bin_rules_fini(&rules);
    free(lengthy);
}

static void unsuitable_rule_files_are_refused(void **state)
{
    (void)state;
    struct bin_rules rules;
    bin_rules_init(&rules);
    assert_int_equal(bin_rules_load(&rules, folder), -EINVAL);
    assert_int_equal(mkfifo(path_of("fifo"), 0600), 0); /* must not block */
    assert_int_equal(bin_rules_load(&rules, path_of("fifo")), -EINVAL);
    write_file(path_of("huge"), "", 0);
    assert_int_equal(truncate(path_of("huge"), BIN_RULES_FILE_BYTES + 1), 0);
    assert_int_equal(bin_rules_load(&rules, path_of("huge")), -EINVAL);
    assert_int_equal(bin_rules_load(&rules, "/dev/null"), -EINVAL);
    assert_int_equal(rules.count, 0);
    bin_rules_fini(&rules);
}

/* A failed save keeps the old file and leaves no other; a link stays a link. */
static void saving_rules_is_atomic(void **state)
{
    (void)state;
    struct bin_rules rules;
    struct stat status;
    char target[PATH_MAX + 64];
    bin_rules_init(&rules);
    assert_int_equal(bin_rules_rename(&rules, "a", "b"), 0);
    assert_int_equal(mkdir(path_of("bins"), 0700), 0); /* cannot be replaced by a file */
    assert_int_equal(mkdir(path_of("bins/full"), 0700), 0);
    assert_true(bin_rules_save(&rules, path_of("bins")) < 0);
    assert_int_equal(count_entries(), 1);
    assert_true(bin_rules_save(&rules, "/proc/nowhere/bins") < 0);
    snprintf(target, sizeof target, "%s", path_of("real"));
    write_file(target, "old", 3);
    assert_int_equal(symlink(target, path_of("link")), 0);
    assert_int_equal(bin_rules_save(&rules, path_of("link")), 0);
    assert_int_equal(lstat(path_of("link"), &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat(target, &status), 0);
    assert_true(status.st_size > 3 && (status.st_mode & 077) == 0);
    assert_int_equal(count_entries(), 3);
    bin_rules_fini(&rules);
}

static void settings_path_honours_xdg_and_home(void **state)
{
    (void)state;
    char path[64];
    char tiny[8];
    setenv("HOME", "/home/u", 1);
    setenv("XDG_CONFIG_HOME", "/c", 1);
    assert_int_equal(settings_path(path, sizeof path, "bins"), 0);
    assert_string_equal(path, "/c/misstop/bins");
    assert_int_equal(settings_path(tiny, sizeof tiny, "bins"), -ENAMETOOLONG);
    setenv("XDG_CONFIG_HOME", "relative", 1);
    assert_int_equal(settings_path(path, sizeof path, "bins"), 0);
    assert_string_equal(path, "/home/u/.config/misstop/bins");
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("HOME");
    assert_int_equal(settings_path(path, sizeof path, "bins"), -ENOENT);
}

static void default_allocation_wrappers_are_recognised(void **state)
{
    (void)state;
    static const char *const wrapper_names[] = {
        "malloc",
        "calloc",
        "xmalloc",
        "g_malloc0_n",
        "g_slice_alloc",
        "operator new[](unsigned long)",
        "_Znwm",
        "_Znam",
        "PyObject_Malloc",
        "PyMem_Malloc",
        "_PyObject_Malloc",
        "zmalloc_usable",
        "zcalloc",
        "je_malloc_default",
        "sqlite3Malloc",
        "sqlite3MemMalloc",
        "my_alloc",
        "my_malloc",
        "strdup",
        "Counted<Order>::allocate",
        "std::allocator_traits<A>::allocate(A&, unsigned long)",
        "mystuff_realloc"};
    static const char *const other_names[] = {
        "main",   "parse", "", "mallocator_main", "make_node", "std::vector<int>::push_back(int&&)",
        "dictAdd"};
    struct wrappers wrappers;
    wrappers_init(&wrappers);
    for (size_t i = 0; i < sizeof wrapper_names / sizeof wrapper_names[0]; i++)
        if (wrappers_match(&wrappers, wrapper_names[i]) != WRAPPER_YES)
            fail_msg("%s is not a wrapper", wrapper_names[i]);
    for (size_t i = 0; i < sizeof other_names / sizeof other_names[0]; i++)
        if (wrappers_match(&wrappers, other_names[i]) == WRAPPER_YES)
            fail_msg("%s is a wrapper, but must not be", other_names[i]);
    wrappers_fini(&wrappers);
}

static void user_patterns_extend_wrappers(void **state)
{
    (void)state;
    struct wrappers wrappers;
    char lengthy[2 * WRAPPERS_GLOB_BYTES];
    assert_int_equal(wrappers_init(&wrappers), 0);
    assert_int_equal(wrappers.skipped, 0);
    unsigned before = wrappers.count;
    assert_int_equal(wrappers_add(&wrappers, "node_new\n# main\n\n  arena_* ; \t; !zmalloc\r\n"),
                     0);
    assert_int_equal(wrappers.count, before + 3);
    assert_int_equal(wrappers_match(&wrappers, "node_new"), WRAPPER_YES);
    assert_int_equal(wrappers_match(&wrappers, "arena_push"), WRAPPER_YES);
    assert_int_equal(wrappers_match(&wrappers, "zmalloc"), WRAPPER_NO);
    assert_int_equal(wrappers_match(&wrappers, "zmalloc_usable"), WRAPPER_YES);
    assert_int_equal(wrappers_match(&wrappers, "main"), WRAPPER_NO_RULE);
    assert_int_equal(wrappers_add(&wrappers, "zmalloc;a*b*c*d*e*f"), 0);
    assert_int_equal(wrappers_match(&wrappers, "zmalloc"), WRAPPER_YES); /* the last match wins */
    assert_int_equal(wrappers.skipped, 1);
    memset(lengthy, 'y', sizeof lengthy);
    lengthy[sizeof lengthy - 1] = '\0';
    assert_int_equal(wrappers_add(&wrappers, lengthy), 0);
    assert_int_equal(wrappers.skipped, 2);
    for (int i = 0; i < WRAPPERS_MAX; i++)
        assert_int_equal(wrappers_add(&wrappers, "more"), 0);
    assert_int_equal(wrappers.count, WRAPPERS_MAX);
    wrappers_fini(&wrappers);
}

static void wrappers_are_read_from_file_and_environment(void **state)
{
    (void)state;
    struct wrappers wrappers;
    wrappers_init(&wrappers);
    setenv("XDG_CONFIG_HOME", folder, 1);
    setenv("MISSTOP_WRAPPERS", "!from_file;from_variable", 1);
    assert_int_equal(mkdir(path_of("misstop"), 0700), 0);
    write_file(path_of("misstop/wrappers"), "from_file\nfile_too\n", 19);
    assert_int_equal(wrappers_add_settings(&wrappers), 0);
    assert_int_equal(wrappers_match(&wrappers, "from_variable"), WRAPPER_YES);
    assert_int_equal(wrappers_match(&wrappers, "file_too"), WRAPPER_YES);
    assert_int_equal(wrappers_match(&wrappers, "from_file"), WRAPPER_NO);
    wrappers_fini(&wrappers);
    unsetenv("MISSTOP_WRAPPERS");
}

static void undo_reverts_a_whole_step(void **state)
{
    (void)state;
    struct bin_rules rules;
    bin_rules_init(&rules);
    assert_int_equal(bin_rules_rename(&rules, "a < b", "mine"), 0);
    bin_rules_begin_step(&rules);
    assert_int_equal(bin_rules_combine(&rules, "a < b", "c < d"), 0);
    assert_int_equal(bin_rules_combine(&rules, "a < b", "e < f"), 0);
    assert_int_equal(bin_rules_end_step(&rules, 0), 0);
    assert_int_equal(rules.count, 3);
    assert_true(bin_rules_undo(&rules));
    assert_int_equal(rules.count, 1);
    assert_true(bin_rules_undo(&rules));
    assert_false(bin_rules_undo(&rules));
    bin_rules_fini(&rules);
}

static int run_bin_rules(void)
{
#define TEST(function)                                                                             \
    cmocka_unit_test_setup_teardown(function, bin_rules_setup, bin_rules_teardown)
    const struct CMUnitTest tests[] = {
        TEST(undo_reverts_a_whole_step),
        TEST(rules_survive_saving_and_loading),
        TEST(malformed_rule_lines_are_skipped),
        TEST(random_rule_files_are_harmless),
        TEST(rule_limits_are_enforced),
        TEST(unsuitable_rule_files_are_refused),
        TEST(saving_rules_is_atomic),
        TEST(settings_path_honours_xdg_and_home),
        TEST(default_allocation_wrappers_are_recognised),
        TEST(user_patterns_extend_wrappers),
        TEST(wrappers_are_read_from_file_and_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#undef TEST

int main(void)
{
    int failed = 0;
    failed += run_bins();
    failed += run_bin_rules();
    return failed;
}
