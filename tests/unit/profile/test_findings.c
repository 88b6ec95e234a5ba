/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rules of findings on synthetic figures: cases that the live test cannot produce on every
 * machine, and no finding just below each threshold. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "profile/findings/findings.h"
#include "unit.h"

enum { LINE = 64 };

static struct window findings_window;
static struct arena findings_arena;
static struct snapshot findings_snapshot;
static struct snapshot_object findings_object;
static struct snapshot_levels levels;
static struct snapshot_finding findings_list[FINDINGS_MAX];
static struct findings findings_findings;

static int setup(void **state)
{
    (void)state;
    arena_init(&findings_arena);
    levels = (struct snapshot_levels){.evidence = LEVELS_RECORDED, .tlb_miss = NAN, .remote = NAN};
    findings_object = (struct snapshot_object){.id = 7,
                                               .name = "table",
                                               .samples = FINDINGS_SAMPLES,
                                               .share = {.value = 0.5},
                                               .levels = &levels};
    findings_snapshot = (struct snapshot){.objects = &findings_object, .object_count = 1};
    findings_snapshot.sets.line = LINE;
    findings_findings = (struct findings){.snapshot = &findings_snapshot,
                                          .arena = &findings_arena,
                                          .attributed = 0.8,
                                          .rate = 2000,
                                          .list = findings_list};
    return window_init(&findings_window, 4096, 6);
}

static int teardown(void **state)
{
    (void)state;
    window_fini(&findings_window);
    arena_fini(&findings_arena);
    return 0;
}

static void add(uint64_t address)
{
    struct window_entry entry = {.address = address, .object = 7, .tid = 1, .size = 8};
    window_add(&findings_window, &entry);
}

static struct spread gather(void)
{
    struct spread spread;
    struct spread_target of = {.object = 7};
    struct window_counts counts;
    window_count(&findings_window, &counts);
    spread_gather(&spread, &of, 1, &findings_window, LINE);
    return spread;
}

/* Eight samples per pass over 64 MiB. */
static void forward_passes_over_array_are_spread_forward(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 800; i++)
        add((1 << 26) + ((i % 8) << 23) + i * LINE);
    struct spread spread = gather();
    assert_int_equal(spread_order(&spread, spread_pass_samples(&spread, 2000)), SPREAD_FORWARD);
    assert_true(spread_bytes(&spread, LINE) > 56 << 20);
    assert_true(fabs(spread_passes(&spread, SPREAD_FORWARD) - 99) < 2);
}

/* Two arrays of one object alternate, each in order: no pass ends in 400 steps. */
static void two_alternating_arrays_are_not_passes(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 400; i++)
        add(((i % 2 + 1) << 27) + i * 4 * LINE);
    struct spread spread = gather();
    assert_true(spread_passes(&spread, SPREAD_FORWARD) <= 1);
}

static void backward_passes_over_array_are_spread_backward(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 800; i++)
        add((1 << 26) + ((7 - i % 8) << 23) + i * LINE);
    struct spread spread = gather();
    assert_int_equal(spread_order(&spread, spread_pass_samples(&spread, 2000)), SPREAD_BACKWARD);
}

static void scattered_order_needs_enough_samples_per_pass(void **state)
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

/* Chao's estimate, computed by hand: 3 lines once, 1 twice: 4 + 3 * 2 / (2 * 2). */
static void unsampled_lines_are_estimated_by_chao(void **state)
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

static void tlb_finding_needs_twenty_percent_page_walks(void **state)
{
    (void)state;
    levels.tlb_miss = 0.19;
    findings_apply(&findings_findings, RULE_TLB);
    assert_int_equal(findings_findings.count, 0);
    levels.tlb_miss = 0.25;
    findings_apply(&findings_findings, RULE_TLB);
    assert_int_equal(findings_findings.count, 1);
    assert_int_equal(findings_list[0].kind, FINDING_TLB);
    assert_true(fabs(findings_list[0].gain - 0.5 * 0.8 * 0.25) < 1e-9);
    assert_string_equal(findings_list[0].name, "table");
    assert_true(findings_list[0].rule == RULE_TLB &&
                findings_list[0].figures.pages.affected_share == 0.25);
}

static void remote_memory_accesses_are_a_finding(void **state)
{
    (void)state;
    levels.remote = 0.5;
    findings_find(&findings_findings);
    assert_int_equal(findings_findings.count, 1);
    assert_int_equal(findings_list[0].kind, FINDING_REMOTE);
    assert_true(findings_list[0].gain > 0 && findings_list[0].gain < 0.5 * 0.8 * 0.5);
}

static void levels_not_reported_by_hardware_give_no_finding(void **state)
{
    (void)state;
    findings_find(&findings_findings); /* NAN */
    levels.tlb_miss = levels.remote = 0.9;
    levels.evidence = LEVELS_COUNTED;
    findings_find(&findings_findings);
    findings_object.levels = NULL;
    findings_find(&findings_findings);
    assert_int_equal(findings_findings.count, 0);
}

/* glibc's heap, tables of the loader, sections: their layout is not under the user's control. */
static void no_finding_for_memory_outside_user_control(void **state)
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
        findings_object.name = cases[i].name;
        findings_object.module = cases[i].module;
        findings_object.type = cases[i].type;
        findings_object.kind = cases[i].kind;
        findings_findings.count = 0;
        findings_apply(&findings_findings, RULE_TLB);
        assert_int_equal(findings_findings.count, cases[i].reported);
    }
}

static void small_gain_or_few_samples_give_no_finding(void **state)
{
    (void)state;
    levels.tlb_miss = 0.9;
    findings_object.share.value = 0.04;
    findings_find(&findings_findings);
    assert_int_equal(findings_findings.count, 0);
    findings_object.share.value = 0.5;
    findings_object.samples = FINDINGS_SAMPLES - 1;
    findings_find(&findings_findings);
    assert_int_equal(findings_findings.count, 0);
}

static void estimates_precede_bounds_in_a_bounded_list(void **state)
{
    (void)state;
    levels.tlb_miss = levels.remote = 0.4; /* the bound is larger than the estimate */
    findings_find(&findings_findings);
    findings_weigh(&findings_findings);
    assert_int_equal(findings_findings.count, 2);
    assert_int_equal(findings_list[0].kind, FINDING_REMOTE);
    assert_true(findings_list[0].gain < findings_list[1].gain);
    for (int i = 0; i < FINDINGS_MAX; i++)
        findings_apply(&findings_findings, RULE_REMOTE);
    assert_int_equal(findings_findings.count, FINDINGS_MAX);
}

/* A rule without a row has no kind, so findings_add() could not add it. */
static void every_rule_is_in_one_family_row(void **state)
{
    static const struct findings_family *const families[] = {&findings_layout, &findings_access,
                                                             &findings_misses, &findings_threads};
    unsigned rows[RULE_COUNT] = {0};
    unsigned functions[FINDING_KIND_COUNT] = {0};
    (void)state;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        for (size_t k = 0; k < families[i]->count; k++) {
            const struct findings_rule *row = &families[i]->rules[k];
            rows[row->rule]++;
            functions[row->kind] += row->find || row->find_object;
            assert_false(row->find && row->find_object);
        }
    for (int rule = RULE_NONE + 1; rule < RULE_COUNT; rule++)
        assert_int_equal(rows[rule], 1);
    assert_null(findings_rule(RULE_NONE));
    functions[FINDING_TRUE_SHARING]++; /* found by the function of FINDING_FALSE_SHARING */
    for (int kind = 0; kind < FINDING_KIND_COUNT; kind++)
        assert_true(functions[kind]);
}

#define RULE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static int run_findings(void)
{
    const struct CMUnitTest tests[] = {
        RULE(forward_passes_over_array_are_spread_forward),
        RULE(two_alternating_arrays_are_not_passes),
        RULE(backward_passes_over_array_are_spread_backward),
        RULE(scattered_order_needs_enough_samples_per_pass),
        RULE(unsampled_lines_are_estimated_by_chao),
        RULE(tlb_finding_needs_twenty_percent_page_walks),
        RULE(remote_memory_accesses_are_a_finding),
        RULE(levels_not_reported_by_hardware_give_no_finding),
        RULE(no_finding_for_memory_outside_user_control),
        RULE(small_gain_or_few_samples_give_no_finding),
        RULE(estimates_precede_bounds_in_a_bounded_list),
        RULE(every_rule_is_in_one_family_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Findings from refresh to refresh: how long they stay, and in which state. */

enum { USED = 1000, ROOM = 4 };

static struct findings_held held;
static struct arena held_arena;
static struct snapshot_finding held_list[ROOM];
static struct findings_moment moment;

static int held_setup(void **state)
{
    (void)state;
    arena_init(&held_arena);
    held = (struct findings_held){0};
    moment = (struct findings_moment){.added = USED, .used = USED, .elapsed_s = 1};
    return 0;
}

static int held_teardown(void **state)
{
    (void)state;
    findings_held_fini(&held);
    arena_fini(&held_arena);
    return 0;
}

static struct snapshot_finding finding(enum finding_kind kind, uint32_t id, const char *type)
{
    return (struct snapshot_finding){
        .kind = kind, .id = id, .name = "table", .type = type, .gain = 0.5};
}

/* Refreshes after `samples` more samples, with a split found on object 7, or nothing (NULL). */
static size_t refresh(uint64_t samples, const char *type)
{
    moment.added += samples;
    moment.elapsed_s += 1;
    held_list[0] = finding(FINDING_SPLIT, 7, type);
    return findings_held_join(&held, held_list, type ? 1 : 0, ROOM, &moment, &held_arena);
}

static void finding_seen_once_is_not_held(void **state)
{
    (void)state;
    assert_int_equal(refresh(10, "first"), 1);
    assert_int_equal(refresh(10, NULL), 0);
    assert_int_equal(refresh(10, "again"), 1);
    assert_int_equal(refresh(10, NULL), 0);
}

static void finding_seen_twice_is_held_with_latest_text(void **state)
{
    char text[32] = "second";
    (void)state;
    refresh(10, "first");
    refresh(10, text);
    memset(text, 'x', sizeof text - 1); /* the text was in the arena of a freed snapshot */
    held_list[0] = (struct snapshot_finding){0};
    assert_int_equal(refresh(10, NULL), 1);
    assert_string_equal(held_list[0].type, "second");
    assert_string_equal(held_list[0].name, "table");
    assert_null(held_list[0].field);
}

static void held_finding_ends_when_its_samples_leave_window(void **state)
{
    (void)state;
    refresh(10, "first");
    refresh(10, "second");
    assert_int_equal(refresh(USED - 1, NULL), 1);
    assert_int_equal(refresh(1, NULL), 0);
    assert_int_equal(refresh(1, NULL), 0);
}

static void held_finding_ends_after_half_a_minute(void **state)
{
    (void)state;
    refresh(10, "first");
    refresh(10, "second");
    moment.elapsed_s += 28;
    assert_int_equal(refresh(0, NULL), 1);
    assert_int_equal(refresh(0, NULL), 1);
    assert_int_equal(refresh(0, NULL), 0);
}

static void one_finding_per_kind_and_object(void **state)
{
    (void)state;
    refresh(10, "first");
    refresh(10, "second");
    held_list[0] = finding(FINDING_SPLIT, 7, "other members lead");
    held_list[0].field = "x, y";
    assert_int_equal(findings_held_join(&held, held_list, 1, ROOM, &moment, &held_arena), 1);
    held_list[0] = finding(FINDING_SPLIT, 8, "another object");
    assert_int_equal(findings_held_join(&held, held_list, 1, ROOM, &moment, &held_arena), 2);
    assert_int_equal(held_list[1].id, 7);
}

static void sharing_findings_are_listed_per_line(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        held_list[0] = finding(FINDING_FALSE_SHARING, 7, "one");
        held_list[0].field = "a";
        held_list[0].lines_first = held_list[0].lines_last = 64;
        held_list[1] = held_list[0];
        held_list[1].field = "b";
        held_list[1].lines_first = held_list[1].lines_last = 128;
        assert_int_equal(findings_held_join(&held, held_list, 2, ROOM, &moment, &held_arena), 2);
    }
    assert_int_equal(findings_held_join(&held, held_list, 1, ROOM, &moment, &held_arena), 2);
    assert_string_equal(held_list[1].field, "b");
}

static void shared_line_is_listed_once_despite_new_names(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        held_list[0] = finding(i < 2 ? FINDING_FALSE_SHARING : FINDING_TRUE_SHARING, 7, "one");
        held_list[0].field = i % 2 ? "hits | misses" : "misses | hits";
        held_list[0].lines_first = 64;
        held_list[0].lines_last = i % 2 ? 64 : 128;
        assert_int_equal(findings_held_join(&held, held_list, 1, ROOM, &moment, &held_arena), 1);
    }
}

static void held_findings_are_bounded(void **state)
{
    (void)state;
    for (int times = 0; times < 2; times++)
        for (uint32_t id = 0; id < 2 * FINDINGS_HELD_MAX; id++) {
            held_list[0] = finding(FINDING_TLB, id, "many");
            assert_true(findings_held_join(&held, held_list, 1, ROOM, &moment, &held_arena) <=
                        ROOM);
        }
    assert_true(held.count <= FINDINGS_HELD_MAX);
}

static void findings_with_too_long_strings_are_not_held(void **state)
{
    static char text[FINDINGS_HELD_TEXT + 1];
    (void)state;
    memset(text, 'x', sizeof text - 1);
    refresh(10, text);
    refresh(10, text);
    assert_int_equal(refresh(10, NULL), 0);
}

/* ---- in a snapshot ---- */

static struct window held_window;
static struct snapshot_object held_objects[2];
static struct snapshot held_test_snapshot;
static struct findings held_findings;

static void find_with_held(size_t count)
{
    held_list[0] = finding(FINDING_TLB, 7, "walks");
    held_findings.count = count;
    findings_hold(&held_findings, &held);
}

static void hold_one_finding(void)
{
    held_objects[0] = (struct snapshot_object){.id = 7, .share = {.value = 0.6}};
    held_objects[1] = (struct snapshot_object){.id = 8, .share = {.value = 0.4}};
    held_test_snapshot =
        (struct snapshot){.objects = held_objects, .object_count = 2, .elapsed_s = 5};
    held_window = (struct window){.added = USED, .used = USED};
    held_findings = (struct findings){.snapshot = &held_test_snapshot,
                                      .arena = &held_arena,
                                      .window = &held_window,
                                      .attributed = 1,
                                      .list = held_list};
    find_with_held(1);
    find_with_held(1);
}

static void held_finding_follows_its_object_to_new_row(void **state)
{
    (void)state;
    hold_one_finding();
    held_objects[0].id = 8;
    held_objects[1] = (struct snapshot_object){.id = 7, .share = {.value = 0.25}};
    find_with_held(0);
    assert_int_equal(held_findings.count, 1);
    assert_int_equal(held_list[0].object, 1);
    assert_true(fabs(held_list[0].gain - 0.25) < 1e-9); /* no more than the remainder */
}

static void held_finding_ends_when_object_hardly_misses(void **state)
{
    (void)state;
    hold_one_finding();
    held_objects[0].share.value = FINDINGS_GAIN_MIN / 2;
    find_with_held(0);
    assert_int_equal(held_findings.count, 0);
    held_objects[0].share.value = 0.6;
    held_test_snapshot.object_count = 0;
    find_with_held(0);
    assert_int_equal(held_findings.count, 0);
}

#define HELD(test) cmocka_unit_test_setup_teardown(test, held_setup, held_teardown)

static int run_findings_held(void)
{
    const struct CMUnitTest tests[] = {
        HELD(finding_seen_once_is_not_held),
        HELD(finding_seen_twice_is_held_with_latest_text),
        HELD(held_finding_ends_when_its_samples_leave_window),
        HELD(held_finding_ends_after_half_a_minute),
        HELD(one_finding_per_kind_and_object),
        HELD(sharing_findings_are_listed_per_line),
        HELD(shared_line_is_listed_once_despite_new_names),
        HELD(held_findings_are_bounded),
        HELD(findings_with_too_long_strings_are_not_held),
        HELD(held_finding_follows_its_object_to_new_row),
        HELD(held_finding_ends_when_object_hardly_misses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    int failed = 0;
    failed += run_findings();
    failed += run_findings_held();
    return failed;
}
