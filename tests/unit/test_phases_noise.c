/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The finder of phases on streams like those of programs nobody here wrote: a noisy start, a
 * collector that comes now and then, slow ramps, edges that are like neither side, few samples in
 * bursts. Each is drawn in many runs, of which a count is printed.
 */
#include "unit.h"

#include "phases_fixture.h"

#include <math.h>
#include <stdlib.h>

enum { RUNS = 40, RATE = 160 /* samples a step */, LATE = 16 /* steps */ };

static const struct planted_mix alone = {{0, 0, 0, 0, 0, 1, 0, 0}};

static unsigned runs_wanted(void)
{
    return getenv("PHASES_FULL") ? 10 * RUNS : RUNS;
}

/* The step at which a change is told, of `most` steps at the most. */
static unsigned told_after(struct planted_run *run, const struct planted_mix *mix, unsigned most)
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

/* Five seconds in which each step is of something else: a program that starts. */
static void start_noisily(struct planted_run *run)
{
    for (int i = 0; i < 20; i++) {
        struct planted_mix mix =
            planted_between(&planted_even, i % 2 ? &alone : &planted_third, planted_uniform(run));
        planted_step(run, &mix, RATE);
    }
}

/* Half a minute later a change is told as soon as if the start had been calm, or nearly. */
static void the_noise_of_a_start_is_forgotten(void **state)
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
                start_noisily(&run);
            for (int i = 0; i < 120; i++)
                planted_step(&run, &planted_even, RATE);
            unsigned steps = told_after(&run, &shifted, 120);
            waited[noisy] += (double)steps / runs;
            late += steps > LATE;
            phases_fini(&run.phases);
        }
    }
    print_message("a change is told after %.1f steps, after a noisy start %.1f; %u of %u late\n",
                  waited[0], waited[1], late, 2 * runs);
    assert_true(late <= runs / 20);
    assert_true(waited[1] < 1.5 * waited[0]);
}

/* A minute in bursts so long that a block holds three of them, then a minute of single misses: a
 * small change is told as soon as where there never were bursts, or nearly. */
static void noise_that_goes_is_forgotten(void **state)
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
            waited[noisy] += (double)told_after(&run, &shifted, 120) / runs;
            phases_fini(&run.phases);
        }
    }
    print_message("a small change is told after %.1f steps, %.1f where there were bursts before\n",
                  waited[0], waited[1]);
    assert_true(waited[1] < 1.5 * waited[0]);
}

/* One to three steps in which most misses are a collector's, at odd times, all along. */
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

static void a_collector_is_no_phase(void **state)
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
        unsigned steps = told_after(&run, &planted_third, 60);
        late += steps > LATE;
        collect(&run, &planted_third, 400);
        letters += letters_of(&run) != 2;
        phases_fini(&run.phases);
    }
    print_message("a collector of 1 to 3 steps: %u changes told in %u runs of 5 minutes, the real "
                  "one late in %u, letters not two in %u\n",
                  alarms, runs, late, letters);
    assert_true(late <= runs / 20);
    assert_true(alarms <= runs);
    assert_true(letters <= runs / 20);
}

/* From one level to the other in `length` steps, and back. */
static void ramp(struct planted_run *run, const struct planted_mix *from,
                 const struct planted_mix *to, unsigned length)
{
    for (unsigned i = 0; i < length; i++) {
        struct planted_mix mix = planted_between(from, to, (i + 0.5) / length);
        planted_step(run, &mix, RATE);
    }
}

static void a_ramp_lies_between_two_phases(void **state)
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
            ramp(&run, &planted_even, &planted_third, lengths[i]);
            for (int k = 0; k < 60; k++)
                planted_step(&run, &planted_third, RATE);
            ramp(&run, &planted_third, &planted_even, lengths[i]);
            for (int k = 0; k < 60; k++)
                planted_step(&run, &planted_even, RATE);
            more += letters_of(&run) != 2 || run.phases.segment_count != 3;
            double start = (double)run.phases.segments[1].start_ns / PLANTED_STEP_NS;
            outside += start < 59 || start > 61 + lengths[i];
            phases_fini(&run.phases);
        }
        print_message("ramps of %2u steps: not A B A in %u of %u runs, begun outside in %u\n",
                      lengths[i], more, runs, outside);
        assert_true(more <= runs / 10);
        assert_true(outside <= runs / 20);
    }
}

/* Some steps between two phases that are like neither. */
static void edges_are_no_phases(void **state)
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
        print_message("edges of %u steps: not A B A B A B in %u of %u runs, %u changes off\n",
                      length, more, runs, off);
        assert_true(more <= runs / 20);
        assert_true(off <= runs / 20);
    }
}

/* Phases of some seconds that come round, few samples and those in bursts. */
static void few_samples_have_their_old_letter(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_noise_of_a_start_is_forgotten),
        cmocka_unit_test(noise_that_goes_is_forgotten),
        cmocka_unit_test(a_collector_is_no_phase),
        cmocka_unit_test(a_ramp_lies_between_two_phases),
        cmocka_unit_test(edges_are_no_phases),
        cmocka_unit_test(few_samples_have_their_old_letter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
