/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "phases_fixture.h"

#include <math.h>
#include <stdlib.h>

/* Where the segments begin, in steps; the last planted one ends the list with 0. */
static void expect_starts(const struct planted_run *run, const unsigned *starts, unsigned count)
{
    assert_int_equal(run->phases.segment_count, count + 1);
    for (unsigned i = 0; i < count; i++) {
        double found = (double)run->phases.segments[i + 1].start_ns / PLANTED_STEP_NS;
        assert_true(fabs(found - starts[i]) <= 1);
    }
}

static void none(void **state)
{
    (void)state;
    struct planted_run run;
    planted_begin(&run, 1, 1);
    planted_steps(&run, &planted_even, 30 * 60 * 4);
    assert_int_equal(run.found, 0);
    assert_int_equal(run.phases.segment_count, 1);
    phases_fini(&run.phases);
}

/* Two and then two again: recognised, and called the same. */
static void simple_ones_recur(void **state)
{
    static const unsigned starts[] = {40, 100, 120, 300};
    (void)state;
    struct planted_run run;
    planted_begin(&run, 2, 1);
    planted_steps(&run, &planted_even, 40);
    planted_steps(&run, &planted_other, 60);
    planted_steps(&run, &planted_even, 20);
    planted_steps(&run, &planted_other, 180);
    planted_steps(&run, &planted_third, 40);
    expect_starts(&run, starts, 4);
    const struct phases_segment *segments = run.phases.segments;
    assert_int_equal(segments[0].phase, 0);
    assert_int_equal(segments[1].phase, 1);
    assert_int_equal(segments[2].phase, 0);
    assert_int_equal(segments[3].phase, 1);
    assert_int_equal(segments[4].phase, PHASES_NONE); /* has not ended */
    assert_int_equal(phases_letter(&run.phases), 2);
    assert_int_equal(run.phases.known[0].segments, 2);
    assert_int_equal(run.phases.known[0].time_ns / PLANTED_STEP_NS, 60);
    phases_fini(&run.phases);
}

/* As in applu: short ones, 5 steps each, over and over. */
static void short_ones(void **state)
{
    static const unsigned starts[] = {20, 25, 30, 35, 40, 45, 50, 55};
    (void)state;
    struct planted_run run;
    planted_begin(&run, 3, 1);
    planted_steps(&run, &planted_even, 20);
    for (int i = 0; i < 4; i++) {
        planted_steps(&run, &planted_other, 5);
        planted_steps(&run, &planted_even, 5);
    }
    expect_starts(&run, starts, 8);
    phases_fini(&run.phases);
}

/* The change falls into a step: its edge makes no phase of its own. */
static void an_edge_is_no_phase(void **state)
{
    (void)state;
    struct planted_mix half;
    for (unsigned i = 0; i < PLANTED_OBJECTS; i++)
        half.share[i] = (planted_even.share[i] + planted_third.share[i]) / 2;
    struct planted_run run;
    planted_begin(&run, 4, 1);
    planted_steps(&run, &planted_even, 50);
    planted_steps(&run, &half, 1);
    planted_steps(&run, &planted_third, 50);
    assert_int_equal(run.phases.segment_count, 2);
    assert_true(fabs((double)run.phases.segments[1].start_ns / PLANTED_STEP_NS - 50.5) <= 1);
    phases_fini(&run.phases);
}

/* A loop whose two halves differ, faster than a step or slower: what the program does all the
 * time is no change of it, once it has been seen a few times. */
static void a_steady_loop_settles(void **state)
{
    (void)state;
    struct planted_run run;
    planted_begin(&run, 5, 1);
    for (int i = 0; i < 2000; i++)
        planted_step(&run, i % 2 ? &planted_even : &planted_third, PLANTED_SAMPLES);
    unsigned early = run.found;
    for (int i = 0; i < 2000; i++)
        planted_step(&run, i % 2 ? &planted_even : &planted_third, PLANTED_SAMPLES);
    print_message("a loop of two steps: %u segments at first, %u later\n", early,
                  run.found - early);
    assert_int_equal(run.found - early, 0);
    assert_true(early <= 3);
    phases_fini(&run.phases);
}

/* Few samples: blocks take longer, and the phases are still there. */
static void a_slow_source_sees_them_later(void **state)
{
    (void)state;
    struct planted_run run;
    planted_begin(&run, 6, 1);
    for (int i = 0; i < 400; i++)
        planted_step(&run, &planted_even, 20);
    for (int i = 0; i < 400; i++)
        planted_step(&run, &planted_other, 20);
    assert_int_equal(run.phases.segment_count, 2);
    assert_true(fabs((double)run.phases.segments[1].start_ns / PLANTED_STEP_NS - 400) <= 6);
    phases_fini(&run.phases);
}

/* Half hours of programs in which nothing changes: misses one by one, and in bursts of 16, which is
 * noise of sixteen times the strength. PHASES_FULL=1 looks at more. */
static void false_alarms_are_rare(void **state)
{
    enum { STEPS = 30 * 60 * 4 };
    const unsigned runs = getenv("PHASES_FULL") ? 40 : 10;
    static const unsigned bursts[] = {1, 4, 16};
    (void)state;
    for (unsigned i = 0; i < sizeof bursts / sizeof *bursts; i++) {
        unsigned alarms = 0;
        for (unsigned seed = 1; seed <= runs; seed++) {
            struct planted_run run;
            planted_begin(&run, seed * 77 + i, bursts[i]);
            for (int k = 0; k < STEPS; k++)
                planted_step(&run, &planted_even, 160);
            alarms += run.found;
            phases_fini(&run.phases);
        }
        print_message("misses in bursts of %u: %u false alarms in %u half hours\n", bursts[i],
                      alarms, runs);
        assert_true(alarms <= 1);
    }
}

/* A small change under noise that takes seconds to even out: seen in the longer windows that such
 * noise asks for. PHASES_FULL=1 looks at more. */
static void restless_programs_get_longer_windows(void **state)
{
    enum { BURST = 40, STEPS = 120 };
    const unsigned runs = getenv("PHASES_FULL") ? 200 : 20;
    static const uint64_t periods_ns[] = {PLANTED_STEP_NS, 16 * (uint64_t)PLANTED_STEP_NS};
    static const struct planted_mix shifted = {{0.12, 0.25, 0.2, 0.1, 0.23, 0.05, 0.03, 0.02}};
    unsigned seen[2] = {0};
    unsigned alarms[2] = {0};
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned seed = 1; seed <= runs; seed++) {
            struct planted_run run;
            planted_begin(&run, seed, BURST);
            for (int k = 0; k < 2 * STEPS; k++) {
                if (run.phases.blocks)
                    phases_look_over(&run.phases, periods_ns[i]);
                planted_step(&run, k < STEPS ? &planted_even : &shifted, PLANTED_SAMPLES);
                alarms[i] += k == STEPS - 1 ? run.found : 0;
            }
            seen[i] += run.phases.segment_count == 2;
            phases_fini(&run.phases);
        }
    }
    print_message("18%% of the misses move, in bursts of %d: seen in %u of %u runs by windows of "
                  "up to 16 blocks, %u of up to 64; %u and %u false alarms\n",
                  BURST, seen[0], runs, seen[1], alarms[0], alarms[1]);
    assert_true(seen[1] > seen[0] && alarms[1] == 0);
}

static void segments_are_bounded(void **state)
{
    (void)state;
    struct planted_run run;
    planted_begin(&run, 8, 1);
    planted_steps(&run, &planted_even, 30);
    for (int i = 0; i < PHASES_SEGMENTS + 50; i++)
        planted_steps(&run, i % 2 ? &planted_even : &planted_third, 6);
    assert_int_equal(run.phases.segment_count, PHASES_SEGMENTS);
    assert_int_equal(run.phases.segments[0].start_ns, 0);
    for (size_t i = 1; i < run.phases.segment_count; i++)
        assert_int_equal(run.phases.segments[i].start_ns, run.phases.segments[i - 1].end_ns);
    phases_fini(&run.phases);
}

static bool neighbours_differ(const struct phases *phases)
{
    static struct phases_segment list[PHASES_SEGMENTS];
    size_t count = phases_newest(phases, list, PHASES_SEGMENTS);
    for (size_t i = 1; i < count; i++)
        if (list[i].phase != PHASES_NONE && list[i].phase == list[i - 1].phase)
            return false;
    return true;
}

/* A, and a small change after which everything would be called A again: at no step is there an A
 * beside an A. */
static void neighbours_have_different_letters(void **state)
{
    (void)state;
    unsigned changes = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct planted_run run;
        planted_begin(&run, seed, 1);
        for (unsigned step = 0; step < 1200; step++) {
            double part = step / 100 % 2 ? 0.3 : 0;
            struct planted_mix mix = planted_between(&planted_even, &planted_other, part);
            changes += planted_step(&run, &mix, PLANTED_SAMPLES);
            assert_true(neighbours_differ(&run.phases));
        }
        phases_fini(&run.phases);
    }
    print_message("small changes: %u of 220 called another phase\n", changes);
    assert_int_equal(changes, 0);
}

/* While it is short the last segment may be like nothing, or like something else: not before. */
static void the_last_one_joins_the_one_before(void **state)
{
    (void)state;
    struct planted_run run;
    planted_begin(&run, 8, 1);
    planted_steps(&run, &planted_even, 60);
    planted_steps(&run, &planted_other, 60);
    /* What looked like a third phase turns out to be the second. */
    struct phases *phases = &run.phases;
    phases_split(phases, 10);
    assert_int_equal(phases->segment_count, 3);
    assert_int_equal(phases->segments[1].phase, phases_letter(phases));
    struct phases_segment list[3];
    assert_int_equal(phases_newest(phases, list, 3), 2);
    assert_int_equal(list[1].end_ns, UINT64_C(120) * PLANTED_STEP_NS);
    assert_true(list[0].samples + list[1].samples == 120 * PLANTED_SAMPLES);
    phases_fini(phases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(none),
        cmocka_unit_test(simple_ones_recur),
        cmocka_unit_test(short_ones),
        cmocka_unit_test(an_edge_is_no_phase),
        cmocka_unit_test(a_steady_loop_settles),
        cmocka_unit_test(a_slow_source_sees_them_later),
        cmocka_unit_test(false_alarms_are_rare),
        cmocka_unit_test(restless_programs_get_longer_windows),
        cmocka_unit_test(segments_are_bounded),
        cmocka_unit_test(neighbours_have_different_letters),
        cmocka_unit_test(the_last_one_joins_the_one_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
