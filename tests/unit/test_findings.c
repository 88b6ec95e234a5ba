/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rules of findings on made-up figures: what the live test cannot make on any machine, and
 * that each stays silent just below its thresholds. */
#include "unit.h"

#include "profile/findings/findings.h"

#include <math.h>
#include <string.h>

enum { LINE = 64 };

static struct window window;
static struct arena arena;
static struct snapshot snapshot;
static struct snapshot_object object;
static struct snapshot_levels levels;
static struct snapshot_finding list[FINDINGS_MAX];
static struct findings findings;

static int setup(void **state)
{
    (void)state;
    arena_init(&arena);
    levels = (struct snapshot_levels){.from = LEVELS_RECORDED, .tlb_miss = NAN, .remote = NAN};
    object = (struct snapshot_object){.id = 7,
                                      .name = "table",
                                      .samples = FINDINGS_SAMPLES,
                                      .share = {.value = 0.5},
                                      .levels = &levels};
    snapshot = (struct snapshot){.objects = &object, .object_count = 1};
    snapshot.sets.line = LINE;
    findings = (struct findings){
        .snapshot = &snapshot, .arena = &arena, .attributed = 0.8, .rate = 2000, .list = list};
    return window_init(&window, 4096, 6);
}

static int teardown(void **state)
{
    (void)state;
    window_fini(&window);
    arena_fini(&arena);
    return 0;
}

static void add(uint64_t address)
{
    struct window_entry entry = {.address = address, .object = 7, .tid = 1, .size = 8};
    window_add(&window, &entry);
}

static struct spread gather(void)
{
    struct spread spread;
    struct spread_of of = {.object = 7};
    struct window_counts counts;
    window_count(&window, &counts, NULL, 0);
    spread_gather(&spread, &of, 1, &window, LINE);
    return spread;
}

/* Eight samples a pass over 64 MiB. */
static void a_pass_over_an_array_is_in_order(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 800; i++)
        add((1 << 26) + ((i % 8) << 23) + i * LINE);
    struct spread spread = gather();
    assert_int_equal(spread_order(&spread, spread_pass_samples(&spread, 2000)), SPREAD_FORWARD);
    assert_true(spread_bytes(&spread, LINE) > 56 << 20);
    assert_true(fabs(spread_passes(&spread, SPREAD_FORWARD) - 99) < 2);
}

/* Two arrays of one object by turns, each in order: no pass ends in 400 steps. */
static void going_back_and_forth_is_no_pass(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 400; i++)
        add(((i % 2 + 1) << 27) + i * 4 * LINE);
    struct spread spread = gather();
    assert_true(spread_passes(&spread, SPREAD_FORWARD) <= 1);
}

static void the_same_backwards(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 800; i++)
        add((1 << 26) + ((7 - i % 8) << 23) + i * LINE);
    struct spread spread = gather();
    assert_int_equal(spread_order(&spread, spread_pass_samples(&spread, 2000)), SPREAD_BACKWARD);
}

static void no_order_is_told_only_where_order_would_be_seen(void **state)
{
    (void)state;
    uint64_t at = 1;
    for (int i = 0; i < 2000; i++) {
        at = at * 6364136223846793005u + 1442695040888963407u;
        add((UINT64_C(1) << 32) + (at >> 37));
    }
    struct spread spread = gather();
    assert_int_equal(spread_order(&spread, spread_pass_samples(&spread, 2000)), SPREAD_SCATTERED);
    assert_int_equal(spread_order(&spread, spread_pass_samples(&spread, 100)), SPREAD_UNKNOWN);
    assert_int_equal(spread_order(&spread, spread_pass_samples(&spread, NAN)), SPREAD_UNKNOWN);
}

/* Chao's estimate, worked out by hand: 3 lines once, 1 twice: 4 + 3 * 2 / (2 * 2). */
static void lines_not_seen_are_estimated(void **state)
{
    (void)state;
    static const uint64_t lines[] = {1, 9, 5, 1, 300};
    for (size_t i = 0; i < 5; i++)
        add(lines[i] * LINE);
    struct spread spread = gather();
    assert_int_equal(spread.lines, 4);
    assert_int_equal(spread.singles, 3);
    assert_int_equal(spread.doubles, 1);
    assert_true(fabs(spread_bytes(&spread, LINE) - 5.5 * LINE) < 1e-9);
}

static void page_walks_are_found_from_a_fifth_on(void **state)
{
    (void)state;
    levels.tlb_miss = 0.19;
    findings_tlb(&findings);
    assert_int_equal(findings.count, 0);
    levels.tlb_miss = 0.25;
    findings_tlb(&findings);
    assert_int_equal(findings.count, 1);
    assert_int_equal(list[0].kind, FINDING_TLB);
    assert_true(fabs(list[0].gain - 0.5 * 0.8 * 0.25) < 1e-9);
    assert_string_equal(list[0].name, "table");
    assert_true(list[0].rule == RULE_TLB && list[0].of.pages.part == 0.25);
}

static void remote_memory_is_found(void **state)
{
    (void)state;
    levels.remote = 0.5;
    findings_find(&findings);
    assert_int_equal(findings.count, 1);
    assert_int_equal(list[0].kind, FINDING_REMOTE);
    assert_true(list[0].gain > 0 && list[0].gain < 0.5 * 0.8 * 0.5);
}

static void what_is_not_told_by_hardware_is_no_finding(void **state)
{
    (void)state;
    findings_find(&findings); /* NAN */
    levels.tlb_miss = levels.remote = 0.9;
    levels.from = LEVELS_COUNTED;
    findings_find(&findings);
    object.levels = NULL;
    findings_find(&findings);
    assert_int_equal(findings.count, 0);
}

/* glibc's heap, the tables of the loader, sections: laid out by others. */
static void nothing_is_advised_that_nobody_can_change(void **state)
{
    static const struct {
        const char *name;
        const char *module;
        const char *type;
        enum object_kind kind;
        size_t reported;
    } cases[] = {
        {"table", "server", "struct order", OBJECT_GLOBAL, 1},
        {"main_arena", "libc.so.6", NULL, OBJECT_GLOBAL, 0},
        {"main_arena", "/usr/lib/x86_64-linux-gnu/libc.so.6", NULL, OBJECT_GLOBAL, 0},
        {".dynsym", "libssl.so.3", NULL, OBJECT_CODE, 0},
        {"make", "", "struct malloc_chunk", OBJECT_HEAP, 0},
        {"make", "", "struct malloc_request", OBJECT_HEAP, 1},
        {"cache", "libcache.so", NULL, OBJECT_GLOBAL, 1},
    };
    (void)state;
    levels.tlb_miss = 0.9;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        object.name = cases[i].name;
        object.module = cases[i].module;
        object.type = cases[i].type;
        object.kind = cases[i].kind;
        findings.count = 0;
        findings_tlb(&findings);
        assert_int_equal(findings.count, cases[i].reported);
    }
}

static void little_gain_and_few_samples_are_not_worth_a_line(void **state)
{
    (void)state;
    levels.tlb_miss = 0.9;
    object.share.value = 0.04;
    findings_find(&findings);
    assert_int_equal(findings.count, 0);
    object.share.value = 0.5;
    object.samples = FINDINGS_SAMPLES - 1;
    findings_find(&findings);
    assert_int_equal(findings.count, 0);
}

static void estimates_come_before_bounds_and_the_list_is_bounded(void **state)
{
    (void)state;
    levels.tlb_miss = levels.remote = 0.4; /* the bound is larger than the estimate */
    findings_find(&findings);
    findings_weigh(&findings);
    assert_int_equal(findings.count, 2);
    assert_int_equal(list[0].kind, FINDING_REMOTE);
    assert_true(list[0].gain < list[1].gain);
    for (int i = 0; i < FINDINGS_MAX; i++)
        findings_remote(&findings);
    assert_int_equal(findings.count, FINDINGS_MAX);
}

#define RULE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RULE(a_pass_over_an_array_is_in_order),
        RULE(going_back_and_forth_is_no_pass),
        RULE(the_same_backwards),
        RULE(no_order_is_told_only_where_order_would_be_seen),
        RULE(lines_not_seen_are_estimated),
        RULE(page_walks_are_found_from_a_fifth_on),
        RULE(remote_memory_is_found),
        RULE(what_is_not_told_by_hardware_is_no_finding),
        RULE(nothing_is_advised_that_nobody_can_change),
        RULE(little_gain_and_few_samples_are_not_worth_a_line),
        RULE(estimates_come_before_bounds_and_the_list_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
