/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer to whether the process waits for memory, in words and as a gauge. */
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <string.h>

#include "unit.h"
#include "unit/view/screen_fixture.h"
#include "unit/view/snapshot_fixture.h"
#include "view/answer.h"

static struct snapshot snapshot_with(double low, double high)
{
    struct snapshot snapshot = {
        .wait = {.evidence = WAIT_FROM_RECURRENCE,
                 .low = {low, low / 2, NAN},
                 .high = {high, high / 2, NAN}},
        .target = {.state = "running", .cpu = 0.93, .cpus = 4},
        .source = {.live = true},
        .totals = {.samples = 1000, .attributed = 900},
    };
    return snapshot;
}

static void expect(const struct snapshot *snapshot, enum answer answer, const char *words)
{
    char text[256];
    assert_int_equal(answer_kind(snapshot), answer);
    answer_words(snapshot, INT_MAX, text, sizeof text);
    assert_string_equal(text, words);
}

static void wait_bounds_select_the_answer(void **state)
{
    struct snapshot snapshot = snapshot_with(0, 0.071);
    (void)state;
    expect(&snapshot, WAITS_HARDLY, "Hardly waits for memory: at most 8% of CPU time beyond L1");
    snapshot = snapshot_with(0.05, 0.6);
    expect(&snapshot, WAITS_PERHAPS,
           "Waits for memory: 5-60% of CPU time beyond L1, 2-30% beyond L2");
    snapshot = snapshot_with(0.35, 0.6);
    expect(&snapshot, WAITS_MUCH,
           "Waits for memory: 35-60% of CPU time beyond L1, 17-30% beyond L2");
    snapshot = snapshot_with(0.5, 0.5);
    expect(&snapshot, WAITS_MUCH, "Waits for memory: 50% of CPU time beyond L1, 25% beyond L2");
    assert_string_equal(answer_evidence(&snapshot), "bounds from recurring lines");
    snapshot = snapshot_with(0, 0.41);
    expect(&snapshot, WAITS_PERHAPS,
           "Waits for memory: at most 41% of CPU time beyond L1, at most 21% beyond L2");
    snapshot = snapshot_with(0.4, 1);
    expect(&snapshot, WAITS_MUCH,
           "Waits for memory: at least 40% of CPU time beyond L1, 20-50% beyond L2");
    snapshot = snapshot_with(0.5, 0.5);
    snapshot.wait.evidence = WAIT_FROM_SIMULATION;
    expect(&snapshot, WAITS_MUCH,
           "Waits for memory: 50% of simulated cycles beyond L1, 25% beyond L2");
}

static struct snapshot_finding finding_on(uint32_t object, double gain_low)
{
    return (struct snapshot_finding){.kind = FINDING_CHASING,
                                     .confidence = CONFIDENCE_MEDIUM,
                                     .object = object,
                                     .gain = 2 * gain_low,
                                     .gain_low = gain_low};
}

/*
 * A remedy saves only time that is spent waiting: the answer is at least as high as the findings.
 */
static void findings_raise_the_lower_bound(void **state)
{
    struct snapshot_finding list[] = {finding_on(0, 0.2), finding_on(1, 0.15), finding_on(1, 0.15),
                                      finding_on(1, 0.1)};
    struct snapshot snapshot = snapshot_with(NAN, NAN);
    (void)state;
    snapshot.findings = (struct snapshot_findings){.list = list, .count = 4};
    expect(&snapshot, WAITS_MUCH, "Waits for memory: at least 35% of CPU time beyond L1");
    assert_string_equal(answer_evidence(&snapshot), "low end from the findings");
    snapshot = snapshot_with(0, 0.3);
    snapshot.findings = (struct snapshot_findings){.list = list, .count = 1};
    expect(&snapshot, WAITS_PERHAPS,
           "Waits for memory: 20-30% of CPU time beyond L1, at most 15% beyond L2");
    snapshot.findings.count = 4; /* more than the upper bound */
    expect(&snapshot, WAITS_MUCH,
           "Waits for memory: 30% of CPU time beyond L1, at most 15% beyond L2");
    snapshot.findings.count = 1;
    for (int i = 0; i < 4; i++) {
        list[0] = finding_on(i == 0 ? UINT32_MAX : 0, 0.2);
        list[0].confidence = i == 1 ? CONFIDENCE_LOW : CONFIDENCE_MEDIUM;
        list[0].is_upper_bound = i == 2;
        list[0].kind = i == 3 ? FINDING_CHURN : FINDING_CHASING;
        expect(&snapshot, WAITS_PERHAPS,
               "Waits for memory: at most 30% of CPU time beyond L1, at most 15% beyond L2");
    }
}

/* Each answer fits the smallest terminal, with as many further figures as there is room for. */
static void answer_is_shortened_to_the_width(void **state)
{
    static const struct {
        int columns;
        const char *words;
    } cases[] = {
        {39, "Waits for memory: 35-60% of CPU time"},
        {46, "Waits for memory: 35-60% of CPU time beyond L1"},
        {63, "Waits for memory: 35-60% of CPU time beyond L1"},
        {64, "Waits for memory: 35-60% of CPU time beyond L1, 17-30% beyond L2"},
    };
    struct snapshot snapshot = snapshot_with(0.35, 0.6);
    char text[256];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        answer_words(&snapshot, cases[i].columns, text, sizeof text);
        assert_string_equal(text, cases[i].words);
    }
    for (int i = 0; i < 5; i++) {
        snapshot = snapshot_with(i == 1 ? NAN : 0, i == 1 ? NAN : i == 2 ? 0.099 : 0.9);
        snapshot.totals.samples = i == 3 ? 9 : 1000;
        snapshot.target.state = i == 4 ? "idle" : "running";
        answer_words(&snapshot, 39, text, sizeof text);
        assert_in_range(strlen(text), 20, 39);
    }
}

/* Time samples may not answer the question; then the user is referred to a better source. */
static void wide_bounds_give_a_vague_answer(void **state)
{
    struct snapshot snapshot = snapshot_with(0, 0.88);
    (void)state;
    snapshot.source.events[0].role = EVENT_TIME;
    snapshot.source.event_count = 1;
    assert_true(answer_is_vague(&snapshot));
    snapshot.wait.low[WAIT_BEYOND_L1] = 0.2;
    assert_false(answer_is_vague(&snapshot));
    snapshot.wait.low[WAIT_BEYOND_L1] = 0;
    snapshot.wait.high[WAIT_BEYOND_L1] = 0.2;
    assert_false(answer_is_vague(&snapshot));
    snapshot.wait.high[WAIT_BEYOND_L1] = 0.88;
    snapshot.source.events[0].role = EVENT_MISS_L2;
    assert_false(answer_is_vague(&snapshot));
}

/* Without measurements there is no answer. */
static void no_bounds_give_no_answer(void **state)
{
    static const char unknown[] = "Waits for memory: not known from these samples";
    struct snapshot snapshot = snapshot_with(NAN, NAN);
    char gauge[128];
    (void)state;
    expect(&snapshot, WAITS_UNKNOWN, unknown);
    answer_gauge(&snapshot, 10, true, gauge, sizeof gauge);
    assert_string_equal(gauge, "");
    assert_string_equal(answer_evidence(&snapshot), "");
    snapshot = snapshot_with(0.1, 0.5);
    snapshot.wait.evidence = WAIT_UNKNOWN;
    expect(&snapshot, WAITS_UNKNOWN, unknown);
    snapshot = snapshot_with(0, 0.95); /* wide bounds are shown, too: no flickering */
    expect(&snapshot, WAITS_PERHAPS,
           "Waits for memory: at most 95% of CPU time beyond L1, at most 48% beyond L2");
    snapshot = snapshot_with(0.35, 0.6);
    snapshot.totals.samples = 99;
    expect(&snapshot, WAITS_NOT_YET, "Waits for memory: too few samples to say");
    snapshot.target.state = "idle";
    expect(&snapshot, WAITS_IDLE, "Uses no CPU: not waiting for memory");
}

static void gauge_is_full_up_to_lower_bound(void **state)
{
    struct snapshot snapshot = snapshot_with(0.3, 0.6);
    char gauge[128];
    (void)state;
    answer_gauge(&snapshot, 10, true, gauge, sizeof gauge);
    assert_string_equal(gauge, "###~~~....");
    answer_gauge(&snapshot, 10, false, gauge, sizeof gauge);
    assert_string_equal(gauge, "███▒▒▒····");
    snapshot = snapshot_with(0, 0.02);
    answer_gauge(&snapshot, 10, true, gauge, sizeof gauge);
    assert_string_equal(gauge, "~.........");
}

static void cpu_use_and_attribution_in_words(void **state)
{
    struct snapshot snapshot = snapshot_with(0.3, 0.6);
    char text[128];
    (void)state;
    answer_cpu(&snapshot.target, text, sizeof text);
    assert_string_equal(text, "0.93 of 4 CPUs");
    snapshot.target.cpu = NAN;
    answer_cpu(&snapshot.target, text, sizeof text);
    assert_string_equal(text, "");
    assert_false(answer_quality(&snapshot, text, sizeof text));
    assert_string_equal(text, "90% attributed");
    snapshot.totals.attributed = 700;
    assert_true(answer_quality(&snapshot, text, sizeof text));
    assert_string_equal(text, "70% attributed");
    snapshot.loading.pending_requests = 1;
    assert_true(answer_quality(&snapshot, text, sizeof text));
    assert_string_equal(text, "loading names");
    snapshot.totals.lost = 1000;
    assert_true(answer_quality(&snapshot, text, sizeof text));
    assert_string_equal(text, "50% lost");
    snapshot.totals.samples = 12;
    assert_true(answer_quality(&snapshot, text, sizeof text));
    assert_string_equal(text, "12 samples");
    snapshot.heap.summary.lost = 5;
    answer_trust(&snapshot, text, sizeof text);
    assert_string_equal(
        text, "5 allocations and frees were lost: some heap samples may be on the wrong block.");
}

/* On the screen: rows that may wait come first if anything waits, otherwise rows with most time. */
static void rows_are_sorted_by_possible_waiting(void **state)
{
    struct snapshot *snapshot;
    (void)state;
    for (int waits = 0; waits < 2; waits++) {
        snapshot = (struct snapshot *)(uintptr_t)fixture_new(FIXTURE_USUAL, 0);
        snapshot->wait = (struct snapshot_wait){.evidence = WAIT_FROM_RECURRENCE,
                                                .low = {waits ? 0.5 : 0},
                                                .high = {waits ? 0.8 : 0.05}};
        snapshot->objects[0].wait =
            (struct snapshot_wait){.evidence = WAIT_FROM_RECURRENCE, .high = {0.01, 0.01, 0.01}};
        screen_open_on(snapshot, 30, 120, false, "");
        int cached = screen_row_with(snapshot->objects[0].name);
        int waiting = screen_row_with(snapshot->objects[1].name);
        assert_true(waits ? waiting < cached : cached < waiting);
        screen_close();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wait_bounds_select_the_answer),
        cmocka_unit_test(findings_raise_the_lower_bound),
        cmocka_unit_test(answer_is_shortened_to_the_width),
        cmocka_unit_test(wide_bounds_give_a_vague_answer),
        cmocka_unit_test(no_bounds_give_no_answer),
        cmocka_unit_test(gauge_is_full_up_to_lower_bound),
        cmocka_unit_test(cpu_use_and_attribution_in_words),
        cmocka_unit_test(rows_are_sorted_by_possible_waiting),
    };
    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
