/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "profile/cache/search_phases.h"
#include "unit.h"
#include "unit/profile/planted.h"

static uint64_t draw(struct prng *prng, double (*share)(uint32_t object, uint64_t now),
                     uint64_t now)
{
    double sum = 0;
    for (uint32_t i = 0; i < planted_count; i++)
        sum += share ? share(i, now) : planted[i].share;
    double point = (double)prng_below(prng, 1u << 30) / (1u << 30) * sum;
    uint32_t i = 0;
    for (; i + 1 < planted_count; i++) {
        point -= share ? share(i, now) : planted[i].share;
        if (point < 0)
            break;
    }
    return planted[i].base + prng_below(prng, (uint32_t)planted[i].size) / 8 * 8;
}

static void check_regions(const struct search *search)
{
    for (uint32_t i = 0; i < search->active_count; i++) {
        const struct region *region = &search->active[i];
        assert_true(region->base < region->bound);
        if (i)
            assert_true(search->active[i - 1].bound <= region->base);
        for (uint32_t k = 0; k < planted_count; k++) {
            uint64_t base = planted[k].base;
            uint64_t bound = base + planted[k].size;
            bool across = (region->base > base && region->base < bound) ||
                          (region->bound > base && region->bound < bound);
            assert_false(across && planted[k].kind == OBJECT_GLOBAL);
        }
    }
}

/* Feeds 2,000 samples per second for `seconds`, starting at `now`. */
static uint64_t feed(struct search *search, struct prng *prng, uint64_t now, double seconds,
                     double (*share)(uint32_t object, uint64_t now))
{
    uint64_t end = now + (uint64_t)(seconds * 1e9);
    for (; now < end; now += 500000) {
        uint32_t before = search->iteration;
        search_count(search, draw(prng, share, now), 1);
        search_tick(search, now);
        if (search->iteration != before)
            check_regions(search);
    }
    return now;
}

static double found_share(const struct search *search, const char *name)
{
    for (uint32_t i = 0; i < planted_count; i++)
        if (!strcmp(planted[i].name, name))
            return planted_found(search, i + 1);
    return NAN;
}

#define MIB (UINT64_C(1) << 20)

static const struct planted figure2[] = {
    {"A", 0x10000000, MIB, .20, OBJECT_GLOBAL}, {"B", 0x10100000, MIB, .20, OBJECT_GLOBAL},
    {"C", 0x10200000, MIB, .20, OBJECT_GLOBAL}, {"D", 0x10300000, MIB, .025, OBJECT_GLOBAL},
    {"E", 0x10400000, MIB, .35, OBJECT_GLOBAL}, {"F", 0x10500000, MIB, .025, OBJECT_GLOBAL}};

/* `forgetful`: the queue is cleared before each step. */
static const char *two_way_finds(uint64_t seed, bool forgetful)
{
    static struct search search;
    struct prng prng = {seed};
    plant(figure2, 6);
    search_init(&search, &planted_names, 2, 64);
    search_start(&search, 0x10000000, 0x10600000, "all", 0);
    for (uint64_t now = 1; now < UINT64_C(30000000000); now = feed(&search, &prng, now, 5e-4, NULL))
        search.queue.count = forgetful ? 0 : search.queue.count;
    double best = 0;
    const char *name = "";
    for (uint32_t i = 0; i < planted_count; i++)
        if (found_share(&search, planted[i].name) > best) {
            best = found_share(&search, planted[i].name);
            name = planted[i].name;
        }
    return name;
}

static void figure2_search_needs_its_priority_queue(void **state)
{
    (void)state;
    assert_string_equal(two_way_finds(7, false), "E");
    assert_string_not_equal(two_way_finds(7, true), "E");
}

/* 60 samples per interval are noisy: sometimes B or C looks hottest. A search that settled on it
 * must continue when the error shows. */
static void search_recovers_from_a_noisy_interval(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++)
        assert_string_equal(two_way_finds(seed, false), "E");
}

static void ten_way_search_finds_all_shares(void **state)
{
    (void)state;
    static struct search search;
    struct prng prng = {9};
    plant(figure2, 6);
    search_init(&search, &planted_names, 10, 64);
    search_start(&search, 0, UINT64_MAX, "all", 0);
    feed(&search, &prng, 1, 300, NULL);
    assert_int_equal(search.state, SEARCH_SETTLED);
    for (uint32_t i = 0; i < 6; i++) {
        double share = found_share(&search, figure2[i].name);
        print_message("%s: found %.4f, planted %.4f\n", figure2[i].name, share, figure2[i].share);
        assert_true(fabs(share - figure2[i].share) < 0.003);
    }
}

/*
 * The address space of a process: a program and its heap, libraries far above, a stack at the end.
 */
static const struct planted apart[] = {{"program", 0x562000000000, MIB, .2, OBJECT_GLOBAL},
                                       {"heap", 0x562000200000, MIB, .2, OBJECT_GLOBAL},
                                       {"library", 0x7f1000000000, MIB, .3, OBJECT_GLOBAL},
                                       {"stack", 0x7ffc00000000, MIB, .3, OBJECT_GLOBAL}};

/* Before any samples: no counter is wasted on unmapped addresses. */
static void first_regions_are_the_mapped_objects(void **state)
{
    (void)state;
    static struct search search;
    plant(apart, 4);
    search_init(&search, &planted_names, 10, 64);
    search_start(&search, 0, UINT64_MAX, "all", 0);
    assert_int_equal(search.active_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(search.active[i].base == apart[i].base);
        assert_true(region_size(&search.active[i]) == apart[i].size);
    }
}

/* More objects than counters; every second one is silent, alternately. */
static double alternating_share(uint32_t object, uint64_t now)
{
    return object % 2 == now / 700000000 % 2 ? planted[object].share : 0;
}

/* The result of one interval is not final: the region is measured again. */
static void found_regions_are_measured_again(void **state)
{
    (void)state;
    static struct search search;
    struct prng prng = {23};
    struct planted many[9];
    for (uint32_t i = 0; i < 9; i++)
        many[i] = (struct planted){"", 0x10000000 + i * MIB, MIB, 1. / 9, OBJECT_GLOBAL};
    plant(many, 9);
    search_init(&search, &planted_names, 4, 64);
    search_start(&search, 0, UINT64_MAX, "all", 0);
    feed(&search, &prng, 1, 1200, alternating_share);
    unsigned found = 0;
    for (uint32_t i = 0; i < 9; i++) {
        double share = planted_found(&search, i + 1);
        double truth = i % 2 ? .5 / 4 : .5 / 5;
        found += !isnan(share);
        print_message("object %u: found %.4f, planted %.4f\n", i, share, truth);
        assert_true(isnan(share) || fabs(share - truth) < 0.02);
    }
    assert_true(found > 4);
}

/* applu of Table 1: a, b and c are quiet together for part of every 2 seconds. */
static const struct planted search_applu[] = {
    {"a", 0x600000, MIB, .229, OBJECT_GLOBAL},   {"b", 0x700000, MIB, .229, OBJECT_GLOBAL},
    {"c", 0x800000, MIB, .226, OBJECT_GLOBAL},   {"d", 0x900000, MIB, .174, OBJECT_GLOBAL},
    {"rsd", 0xa00000, MIB, .069, OBJECT_GLOBAL}, {"u", 0xb00000, MIB, .073, OBJECT_GLOBAL}};

static double applu_share(uint32_t object, uint64_t now)
{
    bool quiet = now % 2000000000 > 1400000000;
    return quiet && object < 3 ? 0 : search_applu[object].share;
}

static void search_finds_objects_of_alternating_applu_phases(void **state)
{
    (void)state;
    static struct search search;
    struct prng prng = {11};
    plant(search_applu, 6);
    search_init(&search, &planted_names, 10, 64);
    search_start(&search, 0, UINT64_MAX, "all", 0);
    feed(&search, &prng, 1, 600, applu_share);
    /* The sampling rate is constant, so the quiet part has a weight of 0.3. */
    double busy = 0.7;
    for (uint32_t i = 0; i < 6; i++) {
        double rest = search_applu[i].share / (.174 + .069 + .073);
        double truth = busy * search_applu[i].share + (i < 3 ? 0 : (1 - busy) * rest);
        double share = found_share(&search, search_applu[i].name);
        print_message("%s: found %.4f, planted %.4f, %u restarts\n", search_applu[i].name, share,
                      truth, search.restarts);
        assert_true(fabs(share - truth) < 0.003);
    }
}

/* The hot part of one object that is known only as a whole. */
struct hot {
    uint64_t base;
    uint64_t size;
    double share;
};

static uint64_t draw_hot(struct prng *prng, const struct hot *hot, uint32_t count)
{
    double point = (double)prng_below(prng, 1u << 30) / (1u << 30);
    uint32_t i = 0;
    for (; i + 1 < count && point >= hot[i].share; i++)
        point -= hot[i].share;
    return hot[i].base + prng_below(prng, (uint32_t)hot[i].size) / 8 * 8;
}

static const struct region *found_range(const struct search *search, uint64_t base, uint64_t size)
{
    for (uint32_t i = 0; i < search->active_count + search->queue.count; i++) {
        const struct region *region = i < search->active_count
                                          ? &search->active[i]
                                          : &search->queue.at[i - search->active_count];
        if (region->final && region->iterations && region->base == base &&
            region_size(region) == size)
            return region;
    }
    return NULL;
}

/* With 500 to 2,000 samples per second: settles within 30 s, finds each hot range exactly, and its
 * share within one percentage point. */
static void find_hot(const struct planted *known, uint32_t known_count, const struct hot *hot,
                     uint32_t count, uint32_t found, uint64_t step_ns)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        static struct search search;
        struct prng prng = {seed};
        uint64_t settled = 0;
        search_init(&search, &planted_names, 10, 64);
        plant(known, known_count);
        search_start(&search, 0, UINT64_MAX, "all", 0);
        for (uint64_t now = 1; now < UINT64_C(60000000000); now += step_ns) {
            search_count(&search, draw_hot(&prng, hot, count), 1);
            search_tick(&search, now);
            if (search.state == SEARCH_SETTLED && !settled)
                settled = now;
        }
        print_message("seed %u: settled after %.1f s, explained %.3f\n", (unsigned)seed,
                      (double)settled / 1e9, search_explained(&search));
        assert_true(settled && settled < UINT64_C(30000000000));
        assert_int_equal(search.state, SEARCH_SETTLED);
        for (uint32_t i = 0; i < found; i++) {
            const struct region *region = found_range(&search, hot[i].base, hot[i].size);
            assert_non_null(region);
            assert_true(fabs(region->share - hot[i].share) < 0.01);
        }
    }
}

#define ARENA UINT64_C(0x7f0000000000)
static const struct planted arena[] = {{"arena", ARENA, 256 * MIB, 0, OBJECT_ANON},
                                       {"x", 0x600000, MIB, 0, OBJECT_GLOBAL}};

static void hot_page_of_an_arena_is_found(void **state)
{
    (void)state;
    static const struct hot hot[] = {
        {ARENA + 0x1234000, 4096, .4}, {0x600000, MIB, .1}, {ARENA, 256 * MIB, .5}};
    find_hot(arena, 2, hot, 3, 2, 500000);
}

static void three_hot_pages_of_an_arena_are_found(void **state)
{
    (void)state;
    static const struct hot hot[] = {{ARENA + 70 * MIB + 0x5000, 4096, .45},
                                     {ARENA + 123 * MIB + 0x4d000, 4096, .30},
                                     {ARENA + 201 * MIB + 0x3000, 4096, .20},
                                     {ARENA, 256 * MIB, .05}};
    find_hot(arena, 1, hot, 4, 3, 500000);
    find_hot(arena, 1, hot, 4, 3, 2000000);
}

static void three_hot_lines_of_a_page_are_found(void **state)
{
    (void)state;
    static const struct hot hot[] = {{ARENA + 0x1234000 + 3 * 64, 64, .35},
                                     {ARENA + 0x1234000 + 20 * 64, 64, .30},
                                     {ARENA + 0x1234000 + 41 * 64, 64, .25},
                                     {ARENA, 256 * MIB, .1}};
    find_hot(arena, 1, hot, 4, 3, 500000);
}

/* A range that ends inside a piece is found as one range, not in pieces. */
static void hot_range_and_hot_line_are_found(void **state)
{
    (void)state;
    static const struct hot hot[] = {
        {ARENA + 64 * MIB, MIB, .6}, {ARENA + 99 * MIB + 0x7440, 64, .3}, {ARENA, 256 * MIB, .1}};
    find_hot(arena, 1, hot, 3, 2, 500000);
}

static const struct planted six[] = {{"ga", 0x55d14adb8060, 4 * MIB, .1, OBJECT_GLOBAL},
                                     {"gb", 0x55d14a5b8060, 8 * MIB, .15, OBJECT_GLOBAL},
                                     {"gc", 0x55d14a3b8060, 2 * MIB, .05, OBJECT_GLOBAL},
                                     {"h1", 0x7ff73d90f010, 33558512, .3, OBJECT_HEAP},
                                     {"h2", 0x7ff73b90e010, 33558512, .25, OBJECT_HEAP},
                                     {"h3", 0x7ff73b40d010, 5 * MIB, .15, OBJECT_HEAP}};

static void evenly_used_blocks_are_found_whole(void **state)
{
    (void)state;
    struct hot hot[6];
    for (uint32_t i = 0; i < 6; i++)
        hot[i] = (struct hot){six[i].base, six[i].size, six[i].share};
    find_hot(six, 6, hot, 6, 6, 500000);
}

static double moved_share(uint32_t object, uint64_t now)
{
    return now < UINT64_C(60000000000) ? (object == 0   ? .95
                                          : object == 4 ? 0
                                                        : .01)
                                       : (object == 4 ? .95 : .01);
}

static void search_restarts_when_the_hot_object_changes(void **state)
{
    (void)state;
    static struct search search;
    struct prng prng = {17};
    plant(figure2, 6);
    search_init(&search, &planted_names, 4, 64);
    search_start(&search, 0, UINT64_MAX, "all", 0);
    uint64_t now = feed(&search, &prng, 1, 60, moved_share);
    assert_int_equal(search.state, SEARCH_SETTLED);
    assert_true(found_share(&search, "A") > 0.9);
    feed(&search, &prng, now, 120, moved_share);
    assert_true(search.restarts >= 1);
    assert_true(found_share(&search, "E") > 0.9);
}

static void search_waits_for_samples_and_finds_one_object(void **state)
{
    (void)state;
    static struct search search;
    struct prng prng = {19};
    static const struct planted one[] = {{"only", 0x5000, 8192, 1, OBJECT_GLOBAL}};
    plant(one, 1);
    search_init(&search, &planted_names, 10, 64);
    search_start(&search, 0, UINT64_MAX, "all", 0);
    for (uint64_t now = 1; now < 100000000000; now += 100000000)
        search_tick(&search, now);
    assert_int_equal(search.state, SEARCH_SEARCHING);
    assert_int_equal(search.iteration, 0);
    feed(&search, &prng, 100000000000, 10, NULL);
    assert_int_equal(search.state, SEARCH_SETTLED);
    assert_true(found_share(&search, "only") > 0.99);
}

static int run_search(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure2_search_needs_its_priority_queue),
        cmocka_unit_test(search_recovers_from_a_noisy_interval),
        cmocka_unit_test(ten_way_search_finds_all_shares),
        cmocka_unit_test(first_regions_are_the_mapped_objects),
        cmocka_unit_test(found_regions_are_measured_again),
        cmocka_unit_test(search_finds_objects_of_alternating_applu_phases),
        cmocka_unit_test(hot_page_of_an_arena_is_found),
        cmocka_unit_test(three_hot_pages_of_an_arena_are_found),
        cmocka_unit_test(three_hot_lines_of_a_page_are_found),
        cmocka_unit_test(hot_range_and_hot_line_are_found),
        cmocka_unit_test(evenly_used_blocks_are_found_whole),
        cmocka_unit_test(search_restarts_when_the_hot_object_changes),
        cmocka_unit_test(search_waits_for_samples_and_finds_one_object)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#undef MIB

#define MIB (UINT64_C(1) << 20)

static const struct planted objects[] = {{"hot", 0x10000000, MIB, .7, OBJECT_GLOBAL},
                                         {"warm", 0x10100000, MIB, .3, OBJECT_GLOBAL}};

static struct search before_search; /* 76 KiB */

static uint64_t before_feed(struct prng *prng, uint64_t now, double seconds)
{
    uint64_t end = now + (uint64_t)(seconds * 1e9);
    for (; now < end; now += 500000) {
        const struct planted *one = &planted[prng_below(prng, 10) >= 7];
        search_count(&before_search, one->base + prng_below(prng, (uint32_t)one->size) / 8 * 8, 1);
        search_tick(&before_search, now);
    }
    return now;
}

static uint64_t before_begin(struct prng *prng)
{
    plant(objects, 2);
    search_init(&before_search, &planted_names, 10, 64);
    search_start(&before_search, 0, UINT64_MAX, "all", 0);
    return before_feed(prng, 0, 20);
}

static double share_of(uint32_t object)
{
    return planted_found(&before_search, object);
}

static void saved_search_is_resumed(void **state)
{
    (void)state;
    struct prng prng = {7};
    struct search_history before = {0};
    uint64_t now = before_begin(&prng);
    uint32_t rounds = before_search.rounds;
    assert_int_equal(before_search.state, SEARCH_SETTLED);
    search_history_put(&before, &before_search);
    assert_string_equal(search_history_what(&before), "all");
    search_start(&before_search, planted[0].base, planted[0].base + MIB, "hot", now);
    now = before_feed(&prng, now, 5);
    assert_true(before_search.base == planted[0].base);
    assert_true(search_history_take(&before, &before_search, now));
    assert_null(search_history_what(&before));
    assert_string_equal(before_search.range_name, "all");
    assert_int_equal(before_search.state, SEARCH_SETTLED);
    assert_int_equal(before_search.rounds, rounds);
    /* The interval starts again, without earlier counts. */
    assert_true(before_search.started_ns == now && before_search.all_samples == 0);
    before_feed(&prng, now, 20);
    assert_true(before_search.rounds > rounds);
    assert_true(share_of(1) > .65 && share_of(1) < .75);
    assert_true(share_of(2) > .25 && share_of(2) < .35);
    assert_false(search_history_take(&before, &before_search, now));
}

static void search_without_measurement_is_not_saved(void **state)
{
    (void)state;
    struct search_history before = {0};
    plant(objects, 2);
    search_init(&before_search, &planted_names, 10, 64);
    search_history_put(&before, &before_search);
    search_start(&before_search, 0, UINT64_MAX, "all", 0);
    search_history_put(&before, &before_search);
    assert_false(search_history_take(&before, &before_search, 0));
    assert_int_equal(before_search.state, SEARCH_SEARCHING);
}

static void oldest_saved_search_is_evicted(void **state)
{
    (void)state;
    struct prng prng = {9};
    struct search_history before = {0};
    uint64_t now = before_begin(&prng);
    for (unsigned i = 0; i < SEARCH_BEFORE_MAX + 2; i++) {
        before_search.range_name[0] = (char)('a' + i);
        search_history_put(&before, &before_search);
    }
    for (unsigned i = SEARCH_BEFORE_MAX + 2; i-- > 2;) {
        assert_true(search_history_take(&before, &before_search, now));
        assert_int_equal(before_search.range_name[0], 'a' + (int)i);
    }
    assert_false(search_history_take(&before, &before_search, now));
    search_history_put(&before, &before_search);
    search_history_clear(&before);
    assert_null(search_history_what(&before));
}

static int run_search_before(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(saved_search_is_resumed),
                                       cmocka_unit_test(search_without_measurement_is_not_saved),
                                       cmocka_unit_test(oldest_saved_search_is_evicted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#undef MIB

/* The searches that are saved when the phase changes, for a series of synthetic changes. */

static const uint64_t kept_second = 1000000000;
static struct planted array = {"a", 0x10000000, 1 << 20, 0, OBJECT_GLOBAL};
static struct search kept_search;
static struct search_phases kept_phases;

static void kept_start(void)
{
    plant(&array, 1);
    search_phases_clear(&kept_phases);
    search_init(&kept_search, &planted_names, 10, 64);
    search_start(&kept_search, 0, UINT64_MAX, "all", 0);
}

/* One block of misses, and a second one that starts another segment. */
static void change(struct phases *planted_phases, uint64_t at_ns, uint8_t phase)
{
    planted_phases->segments[0] = (struct phases_segment){.start_ns = at_ns, .phase = phase};
    planted_phases->segments[1] = (struct phases_segment){
        .start_ns = at_ns + kept_second, .end_ns = at_ns + 1, .phase = PHASES_NONE};
    search_phases_step(&kept_phases, &kept_search, planted_phases, false, at_ns + 1);
    search_phases_step(&kept_phases, &kept_search, planted_phases, true, at_ns + kept_second + 1);
}

/* More phases than slots: the most recent ones stay, in memory of a fixed size. */
static void saved_phase_searches_are_bounded(void **state)
{
    (void)state;
    struct phases_segment segments[2];
    struct phases planted_phases = {.segments = segments, .segment_count = 2};
    kept_start();
    for (unsigned i = 0; i < 20; i++)
        change(&planted_phases, i * kept_second, (uint8_t)i);
    for (unsigned i = 0; i < SEARCH_KEPT; i++) {
        assert_non_null(kept_phases.kept[i].mark);
        assert_true(kept_phases.kept[i].phase >= 20 - SEARCH_KEPT);
    }
    search_phases_clear(&kept_phases);
    assert_null(kept_phases.marks);
}

/* A measurement between two phases belongs to neither. */
static void search_of_a_phase_edge_is_not_saved(void **state)
{
    (void)state;
    struct phases_segment segments[2];
    struct phases planted_phases = {
        .segments = segments, .segment_count = 2, .after_transition = true};
    kept_start();
    change(&planted_phases, 0, 0);
    assert_null(kept_phases.kept[0].mark);
    planted_phases.after_transition = false;
    change(&planted_phases, kept_second, 0);
    assert_non_null(kept_phases.kept[0].mark);
    search_phases_clear(&kept_phases);
}

static int run_search_kept(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saved_phase_searches_are_bounded),
        cmocka_unit_test(search_of_a_phase_edge_is_not_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The search on a program that alternates between phases, like applu: with known phases, each has
 * its own search; without, one search sees a mixture that is right for none. Prints both. */

enum { OBJECTS = 8, PHASES = 2, STEP_NS = 250000000, SAMPLE_NS = 500000, SEEDS = 6 };
enum { RUN_S = 180 };

static const uint64_t object_bytes = 1 << 20;
static const uint64_t phases_second = 1000000000;
static const double close_enough = 0.03;

typedef const double mix[PHASES][OBJECTS];

/* Two groups of arrays, one silent while the other is used; remaining memory last. */
static mix turns = {{.40, .25, .15, .10, 0, 0, .05, .05}, {0, 0, .05, .05, .45, .35, .05, .05}};

/* applu of Table 1; a, b and c are silent together, leaving d, rsd and u. */
static mix phases_applu = {{.229, .229, .226, .174, .069, .073, 0, 0},
                           {0, 0, 0, .551, .218, .231, 0, 0}};

static struct planted arrays[OBJECTS];

static void plant_arrays(void)
{
    static const char *const names[OBJECTS] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    for (uint32_t i = 0; i < OBJECTS; i++)
        arrays[i] = (struct planted){names[i], 0x10000000 + i * object_bytes, object_bytes, 0,
                                     OBJECT_GLOBAL};
    plant(arrays, OBJECTS);
}

/* Takes the role of the window in a profile. */
enum { REMEMBERED = 1 << 15 };
struct sampled {
    uint64_t time_ns;
    uint64_t address;
};

struct run {
    mix *shares;
    unsigned phase_s;
    struct search search;
    struct search_phases kept;
    struct phases phases;
    struct prng prng;
    double counts[PHASES_COLUMNS];
    uint64_t now_ns;
    uint64_t stepped_ns;
    struct sampled last[REMEMBERED];
    uint64_t sampled;
    bool ignored; /* phases are not used */
};

static struct run *phases_begin(mix *shares, unsigned phase_s, uint64_t seed, bool ignored)
{
    plant_arrays();
    struct run *run = calloc(1, sizeof *run);
    assert_non_null(run);
    run->shares = shares;
    run->phase_s = phase_s;
    run->prng = (struct prng){seed};
    run->ignored = ignored;
    search_phases_clear(&run->kept);
    assert_int_equal(phases_init(&run->phases, 0), 0);
    search_init(&run->search, &planted_names, 10, 64);
    search_start(&run->search, 0, UINT64_MAX, "all", 0);
    return run;
}

static void end(struct run *run)
{
    search_phases_fini(&run->kept);
    phases_fini(&run->phases);
    free(run);
}

static unsigned phase_now(const struct run *run)
{
    return (unsigned)(run->now_ns / (run->phase_s * phases_second) % PHASES);
}

static void recount_misses(struct run *run, uint64_t from_ns)
{
    uint64_t first = run->sampled > REMEMBERED ? run->sampled - REMEMBERED : 0;
    for (uint64_t i = first; i < run->sampled; i++) {
        const struct sampled *one = &run->last[i % REMEMBERED];
        if (from_ns == run->now_ns || one->time_ns < from_ns)
            continue;
        search_tick(&run->search, one->time_ns);
        search_count(&run->search, one->address, 1);
    }
}

static void sample(struct run *run)
{
    const double *now = (*run->shares)[phase_now(run)];
    double point = (double)prng_below(&run->prng, 1 << 30) / (1 << 30);
    uint32_t object = 0;
    while (object < OBJECTS - 1 && (point -= now[object]) >= 0)
        object++;
    run->counts[phases_column(object + 1)]++;
    uint64_t offset = prng_below(&run->prng, (uint32_t)object_bytes);
    struct sampled one = {run->now_ns, arrays[object].base + offset};
    run->last[run->sampled++ % REMEMBERED] = one;
    search_count(&run->search, one.address, 1);
    run->now_ns += SAMPLE_NS;
    search_tick(&run->search, run->now_ns);
    uint64_t end_ns = run->now_ns / STEP_NS * STEP_NS;
    if (end_ns == run->stepped_ns)
        return;
    bool changed = phases_add(&run->phases, run->counts, run->stepped_ns, end_ns);
    memset(run->counts, 0, sizeof run->counts);
    run->stepped_ns = end_ns;
    if (!run->ignored)
        recount_misses(
            run, search_phases_step(&run->kept, &run->search, &run->phases, changed, run->now_ns));
}

/* Returns the share of an object; 0 if it was not found. */
static double phases_found_share(const struct search *search, uint32_t id)
{
    double share = planted_found(search, id);
    return isnan(share) ? 0 : share;
}

/* Returns the largest error against the true shares of a phase, over its important objects. */
static double error_of(const struct search *search, const double *shares)
{
    double most = 0;
    for (uint32_t i = 0; i < OBJECTS; i++)
        if (shares[i] >= 0.1)
            most = fmax(most, fabs(phases_found_share(search, i + 1) - shares[i]));
    return most;
}

/* Returns the search of a phase, or the only search if phases are ignored. */
static const struct search *search_of(const struct run *run, unsigned phase)
{
    uint8_t letter = (uint8_t)phase;
    if (run->ignored || run->kept.phase == letter)
        return &run->search;
    for (unsigned i = 0; i < SEARCH_KEPT; i++)
        if (run->kept.kept[i].mark && run->kept.kept[i].phase == letter)
            return &run->kept.kept[i].mark->search;
    return NULL;
}

struct outcome {
    double error;     /* at the end of the run, the larger of both phases */
    double settled_s; /* time when both phases were right within three points; RUN_S: never */
    double right; /* share of the time in which the current phase was right within three points */
    unsigned changes;
};

static double error_now(const struct run *run)
{
    double worst = 0;
    for (unsigned phase = 0; phase < PHASES; phase++) {
        const struct search *search = search_of(run, phase);
        worst = fmax(worst, search ? error_of(search, (*run->shares)[phase]) : 1);
    }
    return worst;
}

static struct outcome run_phases_search(mix *shares, unsigned phase_s, uint64_t seed, bool ignored)
{
    struct run *run = phases_begin(shares, phase_s, seed, ignored);
    struct outcome outcome = {.settled_s = RUN_S};
    unsigned right = 0;
    while (run->now_ns < RUN_S * phases_second) {
        const double *now = (*shares)[phase_now(run)];
        sample(run);
        if (run->now_ns % STEP_NS)
            continue;
        right += error_of(&run->search, now) < close_enough;
        if (outcome.settled_s == RUN_S && error_now(run) < close_enough)
            outcome.settled_s = (double)run->now_ns / (double)phases_second;
    }
    outcome.right = (double)right * STEP_NS / ((double)RUN_S * (double)phases_second);
    outcome.error = error_now(run);
    outcome.changes = (unsigned)run->phases.segment_count - 1;
    end(run);
    return outcome;
}

static void compare(const char *what, mix *shares, unsigned phase_s)
{
    struct outcome sums[2] = {{0}};
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        for (unsigned ignored = 0; ignored < 2; ignored++) {
            struct outcome one = run_phases_search(shares, phase_s, seed, ignored);
            sums[ignored].error = fmax(sums[ignored].error, one.error);
            sums[ignored].settled_s = fmax(sums[ignored].settled_s, one.settled_s);
            sums[ignored].right += one.right / SEEDS;
            assert_true(one.changes > RUN_S / phase_s / 2);
        }
    for (unsigned ignored = 0; ignored < 2; ignored++)
        printf(
            "search, %s of %u s for %d s, %s phases: both phases within 3 points after %.1f s%s, "
            "final error %.1f points; the current phase within 3 points %.0f %% of the time\n",
            what, phase_s, RUN_S, ignored ? "without" : "with", sums[ignored].settled_s,
            sums[ignored].settled_s < RUN_S ? "" : " (never)", sums[ignored].error * 100,
            sums[ignored].right * 100);
    assert_true(sums[0].settled_s < RUN_S / 3);
    assert_true(sums[0].error < close_enough);
    assert_true(sums[0].error < sums[1].error);
    assert_true(sums[0].right > sums[1].right);
}

static void phases_have_separate_searches(void **state)
{
    (void)state;
    compare("turns", &turns, 6);
    compare("turns", &turns, 3);
    compare("applu", &phases_applu, 6);
    compare("applu", &phases_applu, 3);
}

/* Phases shorter than an interval, because samples are rare: partial intervals add up to a whole
 * one. */
static void interrupted_intervals_are_continued_per_phase(void **state)
{
    enum { EVERY = 20, LONG_S = 900 };
    (void)state;
    struct run *run = phases_begin(&turns, 9, 5, false);
    uint64_t step = 0;
    uint64_t longest_ns = 0;
    while (run->now_ns < LONG_S * phases_second) {
        if (step++ % EVERY) {
            run->now_ns += SAMPLE_NS;
            continue;
        }
        sample(run);
        if (run->search.interval_ns > longest_ns)
            longest_ns = run->search.interval_ns;
    }
    double worst = error_now(run);
    printf("search at %u samples per second: intervals of up to %.1f s, phases of 9 s; error after "
           "%d s: %.1f points\n",
           (unsigned)(phases_second / SAMPLE_NS / EVERY),
           (double)longest_ns / (double)phases_second, LONG_S, worst * 100);
    assert_true(worst < 2 * close_enough);
    end(run);
}

/* No interval across a change counts for a phase: an object that is silent in a phase has no miss
 * in it. */
static void search_intervals_end_at_phase_changes(void **state)
{
    (void)state;
    struct run *run = phases_begin(&turns, 6, 7, false);
    while (run->now_ns < RUN_S * phases_second)
        sample(run);
    const struct search *first = search_of(run, 0);
    const struct search *other = search_of(run, 1);
    assert_non_null(first);
    assert_non_null(other);
    for (uint32_t object = 1; object <= OBJECTS; object++) {
        if (turns[0][object - 1] == 0)
            assert_true(phases_found_share(first, object) < 0.02);
        if (turns[1][object - 1] == 0)
            assert_true(phases_found_share(other, object) < 0.02);
    }
    end(run);
}

/* A run without phases gives the same result as a search that ignores phases. */
static void run_without_phases_equals_ignoring_phases(void **state)
{
    (void)state;
    struct run *with = phases_begin(&turns, 1000, 9, false);
    struct run *without = phases_begin(&turns, 1000, 9, true);
    while (with->now_ns < 60 * phases_second) {
        sample(with);
        sample(without);
    }
    assert_int_equal(with->search.iteration, without->search.iteration);
    assert_int_equal(with->search.state, without->search.state);
    assert_true(with->search.queue.count == without->search.queue.count);
    for (uint32_t object = 1; object <= OBJECTS; object++)
        assert_true(phases_found_share(&with->search, object) ==
                    phases_found_share(&without->search, object));
    end(with);
    end(without);
}

static int run_search_phases(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phases_have_separate_searches),
        cmocka_unit_test(interrupted_intervals_are_continued_per_phase),
        cmocka_unit_test(search_intervals_end_at_phase_changes),
        cmocka_unit_test(run_without_phases_equals_ignoring_phases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    int failed = 0;
    failed += run_search();
    failed += run_search_before();
    failed += run_search_kept();
    failed += run_search_phases();
    return failed;
}
