/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "unit.h"
#include "unit/profile/phases_fixture.h"

/* Checks the starts of the segments, in steps; 0 ends the list. */
static void expect_starts(const struct planted_run *run, const unsigned *starts, unsigned count)
{
    assert_int_equal(run->phases.segment_count, count + 1);
    for (unsigned i = 0; i < count; i++) {
        double found = (double)run->phases.segments[i + 1].start_ns / PLANTED_STEP_NS;
        assert_true(fabs(found - starts[i]) <= 1);
    }
}

static void constant_mix_has_no_phase_change(void **state)
{
    (void)state;
    struct planted_run run;
    planted_begin(&run, 1, 1);
    planted_steps(&run, &planted_even, 30 * 60 * 4);
    assert_int_equal(run.found, 0);
    assert_int_equal(run.phases.segment_count, 1);
    phases_fini(&run.phases);
}

/* Two phases, then the same two again: recognised, with the same letters. */
static void recurring_phases_get_the_same_letters(void **state)
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
    assert_int_equal(segments[4].phase, PHASES_NONE); /* not ended yet */
    assert_int_equal(phases_letter(&run.phases), 2);
    assert_int_equal(run.phases.known[0].segments, 2);
    assert_int_equal(run.phases.known[0].time_ns / PLANTED_STEP_NS, 60);
    phases_fini(&run.phases);
}

/* As in applu: short phases of 5 steps each, repeated. */
static void phases_of_five_steps_are_found(void **state)
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

/* The change falls into the middle of a step, which must not become a phase. */
static void change_inside_a_step_is_not_a_phase(void **state)
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

/* A loop with two different halves, faster or slower than a step: constant behaviour is not a
 * change once it has been seen a few times. */
static void alternating_steps_stop_causing_changes(void **state)
{
    (void)state;
    struct planted_run run;
    planted_begin(&run, 5, 1);
    for (int i = 0; i < 2000; i++)
        planted_step(&run, i % 2 ? &planted_even : &planted_third, PLANTED_SAMPLES);
    unsigned early = run.found;
    for (int i = 0; i < 2000; i++)
        planted_step(&run, i % 2 ? &planted_even : &planted_third, PLANTED_SAMPLES);
    print_message("two alternating steps: %u phase changes in the first half, %u in the second\n",
                  early, run.found - early);
    assert_int_equal(run.found - early, 0);
    assert_true(early <= 3);
    phases_fini(&run.phases);
}

/* With few samples a block takes longer, but the phases are still found. */
static void phases_are_found_with_few_samples(void **state)
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

/* Half hours of programs without changes: single misses, and bursts of 16, with sixteen times the
 * noise. PHASES_FULL=1 runs more. */
static void noise_rarely_causes_false_phase_changes(void **state)
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

/* A small change with noise that takes seconds to average out is seen in the longer windows that
 * such noise requires. PHASES_FULL=1 runs more. */
static void noisy_programs_get_longer_windows(void **state)
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
                    phases_rescan(&run.phases, periods_ns[i]);
                planted_step(&run, k < STEPS ? &planted_even : &shifted, PLANTED_SAMPLES);
                alarms[i] += k == STEPS - 1 ? run.found : 0;
            }
            seen[i] += run.phases.segment_count == 2;
            phases_fini(&run.phases);
        }
    }
    print_message(
        "18%% of the misses move, in bursts of %d: found in %u of %u runs with windows of "
        "up to 16 blocks, in %u with up to 64; %u and %u false alarms\n",
        BURST, seen[0], runs, seen[1], alarms[0], alarms[1]);
    assert_true(seen[1] > seen[0] && alarms[1] == 0);
}

static void phase_segments_are_bounded_and_contiguous(void **state)
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

/* A, and a small change after which the match would be A again: two adjacent segments never have
 * the same letter. */
static void adjacent_segments_have_different_letters(void **state)
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
    print_message("small changes: %u of 220 reported as another phase\n", changes);
    assert_int_equal(changes, 0);
}

/*
 * While the last segment is short, it may have no letter or another one; earlier segments may not.
 */
static void short_last_segment_joins_the_previous_one(void **state)
{
    (void)state;
    struct planted_run run;
    planted_begin(&run, 8, 1);
    planted_steps(&run, &planted_even, 60);
    planted_steps(&run, &planted_other, 60);
    /* A third phase turns out to be the second. */
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

static int run_phases(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_mix_has_no_phase_change),
        cmocka_unit_test(recurring_phases_get_the_same_letters),
        cmocka_unit_test(phases_of_five_steps_are_found),
        cmocka_unit_test(change_inside_a_step_is_not_a_phase),
        cmocka_unit_test(alternating_steps_stop_causing_changes),
        cmocka_unit_test(phases_are_found_with_few_samples),
        cmocka_unit_test(noise_rarely_causes_false_phase_changes),
        cmocka_unit_test(noisy_programs_get_longer_windows),
        cmocka_unit_test(phase_segments_are_bounded_and_contiguous),
        cmocka_unit_test(adjacent_segments_have_different_letters),
        cmocka_unit_test(short_last_segment_joins_the_previous_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * The phase detector on streams like those of real programs: a noisy start, an occasional
 * collector, slow ramps, edges that resemble neither side, few samples in bursts. Runs each many
 * times and prints counts.
 */

enum { RUNS = 40, RATE = 160 /* samples per step */, LATE = 16 /* steps */ };

static const struct planted_mix alone = {{0, 0, 0, 0, 0, 1, 0, 0}};

static unsigned runs_wanted(void)
{
    return getenv("PHASES_FULL") ? 10 * RUNS : RUNS;
}

/* Returns the step at which a change is reported, at most `most` steps. */
static unsigned reported_after(struct planted_run *run, const struct planted_mix *mix,
                               unsigned most)
{
    for (unsigned i = 0; i < most; i++)
        if (planted_step(run, mix, RATE))
            return i + 1;
    return most + 1;
}

static unsigned letters_of(const struct planted_run *run)
{
    unsigned letters = run->phases.known_count;
    return letters + (phases_letter(&run->phases) == letters);
}

/* Five seconds with different misses in each step: a program that is starting. */
static void add_noisy_start(struct planted_run *run)
{
    for (int i = 0; i < 20; i++) {
        struct planted_mix mix =
            planted_between(&planted_even, i % 2 ? &alone : &planted_third, planted_uniform(run));
        planted_step(run, &mix, RATE);
    }
}

/* Half a minute later a change is reported about as soon as after a calm start. */
static void startup_noise_is_forgotten(void **state)
{
    const unsigned runs = runs_wanted();
    struct planted_mix shifted = planted_between(&planted_even, &planted_third, 0.7);
    unsigned late = 0;
    double waited[2] = {0};
    (void)state;
    for (unsigned noisy = 0; noisy < 2; noisy++) {
        for (unsigned seed = 1; seed <= runs; seed++) {
            struct planted_run run;
            planted_begin(&run, seed, 4);
            if (noisy)
                add_noisy_start(&run);
            for (int i = 0; i < 120; i++)
                planted_step(&run, &planted_even, RATE);
            unsigned steps = reported_after(&run, &shifted, 120);
            waited[noisy] += (double)steps / runs;
            late += steps > LATE;
            phases_fini(&run.phases);
        }
    }
    print_message(
        "a change is reported after %.1f steps, after a noisy start %.1f; %u of %u late\n",
        waited[0], waited[1], late, 2 * runs);
    assert_true(late <= runs / 20);
    assert_true(waited[1] < 1.5 * waited[0]);
}

/* A minute of bursts so long that a block holds only three, then a minute of single misses: a small
 * change is reported about as soon as without bursts. */
static void past_noise_does_not_delay_detection(void **state)
{
    enum { STEPS = 240 };
    const unsigned runs = runs_wanted();
    struct planted_mix shifted = planted_between(&planted_even, &planted_third, 0.4);
    double waited[2] = {0};
    (void)state;
    for (unsigned noisy = 0; noisy < 2; noisy++) {
        for (unsigned seed = 1; seed <= runs; seed++) {
            struct planted_run run;
            planted_begin(&run, seed, noisy ? 50 : 1);
            for (int i = 0; i < STEPS; i++)
                planted_step(&run, &planted_even, 150);
            run.burst = 1;
            for (int i = 0; i < STEPS; i++)
                planted_step(&run, &planted_even, 150);
            waited[noisy] += (double)reported_after(&run, &shifted, 120) / runs;
            phases_fini(&run.phases);
        }
    }
    print_message("a small change is reported after %.1f steps, after past bursts %.1f\n",
                  waited[0], waited[1]);
    assert_true(waited[1] < 1.5 * waited[0]);
}

/* At irregular times, one to three steps with mostly a collector's misses. */
static unsigned collect(struct planted_run *run, const struct planted_mix *mix, unsigned steps)
{
    struct planted_mix collecting = planted_between(mix, &alone, 0.7);
    unsigned until = 0;
    unsigned found = run->found;
    for (unsigned i = 0, next = 10; i < steps; i++) {
        if (i == next) {
            until = i + 1 + (unsigned)prng_below(&run->prng, 3);
            next = until + 8 + (unsigned)prng_below(&run->prng, 40);
        }
        planted_step(run, i < until ? &collecting : mix, RATE);
    }
    return run->found - found;
}

static void garbage_collector_bursts_are_not_phases(void **state)
{
    const unsigned runs = runs_wanted();
    unsigned alarms = 0;
    unsigned late = 0;
    unsigned letters = 0;
    (void)state;
    for (unsigned seed = 1; seed <= runs; seed++) {
        struct planted_run run;
        planted_begin(&run, seed, 2);
        alarms += collect(&run, &planted_even, 1200);
        unsigned steps = reported_after(&run, &planted_third, 60);
        late += steps > LATE;
        collect(&run, &planted_third, 400);
        letters += letters_of(&run) != 2;
        phases_fini(&run.phases);
    }
    print_message(
        "collector bursts of 1 to 3 steps: %u false changes in %u runs of 5 minutes, real "
        "change late in %u, not two letters in %u\n",
        alarms, runs, late, letters);
    assert_true(late <= runs / 20);
    assert_true(alarms <= runs);
    assert_true(letters <= runs / 20);
}

/* Moves from one mix to the other in `length` steps, and back. */
static void add_gradual_change(struct planted_run *run, const struct planted_mix *from,
                               const struct planted_mix *to, unsigned length)
{
    for (unsigned i = 0; i < length; i++) {
        struct planted_mix mix = planted_between(from, to, (i + 0.5) / length);
        planted_step(run, &mix, RATE);
    }
}

static void gradual_change_gives_one_boundary(void **state)
{
    static const unsigned lengths[] = {4, 8, 12, 16};
    const unsigned runs = runs_wanted();
    (void)state;
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        unsigned more = 0;
        unsigned outside = 0;
        for (unsigned seed = 1; seed <= runs; seed++) {
            struct planted_run run;
            planted_begin(&run, seed, 2);
            for (int k = 0; k < 60; k++)
                planted_step(&run, &planted_even, RATE);
            add_gradual_change(&run, &planted_even, &planted_third, lengths[i]);
            for (int k = 0; k < 60; k++)
                planted_step(&run, &planted_third, RATE);
            add_gradual_change(&run, &planted_third, &planted_even, lengths[i]);
            for (int k = 0; k < 60; k++)
                planted_step(&run, &planted_even, RATE);
            more += letters_of(&run) != 2 || run.phases.segment_count != 3;
            double start = (double)run.phases.segments[1].start_ns / PLANTED_STEP_NS;
            outside += start < 59 || start > 61 + lengths[i];
            phases_fini(&run.phases);
        }
        print_message(
            "ramps of %2u steps: not A B A in %u of %u runs, boundary outside the ramp in %u\n",
            lengths[i], more, runs, outside);
        assert_true(more <= runs / 10);
        assert_true(outside <= runs / 20);
    }
}

/* A few steps between two phases that resemble neither. */
static void short_transitions_are_not_phases(void **state)
{
    const unsigned runs = runs_wanted();
    (void)state;
    for (unsigned length = 1; length <= 3; length++) {
        unsigned more = 0;
        unsigned off = 0;
        for (unsigned seed = 1; seed <= runs; seed++) {
            struct planted_run run;
            planted_begin(&run, seed, 1);
            for (int i = 0; i < 6; i++) {
                for (int k = 0; k < 40; k++)
                    planted_step(&run, i % 2 ? &planted_third : &planted_even, RATE);
                double start = (double)run.phases.segments[run.phases.segment_count - 1].start_ns /
                               PLANTED_STEP_NS;
                off += fabs(start - i * (40.0 + length)) > length + 1;
                for (unsigned k = 0; k < length; k++)
                    planted_step(&run, &alone, RATE);
            }
            more += letters_of(&run) != 2 || run.phases.segment_count != 6;
            phases_fini(&run.phases);
        }
        print_message(
            "transitions of %u steps: not A B A B A B in %u of %u runs, %u boundaries misplaced\n",
            length, more, runs, off);
        assert_true(more <= runs / 20);
        assert_true(off <= runs / 20);
    }
}

/* Recurring phases of a few seconds, with few samples in bursts. */
static void recurring_phases_are_recognised_with_few_samples(void **state)
{
    const unsigned runs = runs_wanted();
    unsigned more = 0;
    unsigned missed = 0;
    (void)state;
    for (unsigned seed = 1; seed <= runs; seed++) {
        struct planted_run run;
        planted_begin(&run, seed, 8);
        for (int i = 0; i < 16; i++)
            for (int k = 0; k < 24; k++)
                planted_step(&run, i % 2 ? &planted_third : &planted_even, 120);
        more += letters_of(&run) > 2;
        missed += run.phases.segment_count < 14;
        phases_fini(&run.phases);
    }
    print_message("in bursts of 8: more than two letters in %u of %u runs, phases missed in %u\n",
                  more, runs, missed);
    assert_true(more <= runs / 20);
    assert_true(missed <= runs / 20);
}

static int run_phases_noise(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(startup_noise_is_forgotten),
        cmocka_unit_test(past_noise_does_not_delay_detection),
        cmocka_unit_test(garbage_collector_bursts_are_not_phases),
        cmocka_unit_test(gradual_change_gives_one_boundary),
        cmocka_unit_test(short_transitions_are_not_phases),
        cmocka_unit_test(recurring_phases_are_recognised_with_few_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    int failed = 0;
    failed += run_phases();
    failed += run_phases_noise();
    return failed;
}
