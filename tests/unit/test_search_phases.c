/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The search through a program that goes round in phases, as applu does: with phases known, each
 * has a search of its own; without, one search sees a mixture that is true of none. Both printed.
 */
#include "unit.h"

#include "base/hash.h"
#include "profile/cache/search_phases.h"

#include "planted.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OBJECTS = 8, PHASES = 2, STEP_NS = 250000000, SAMPLE_NS = 500000, SEEDS = 6 };
enum { RUN_S = 180 };

static const uint64_t object_bytes = 1 << 20;
static const uint64_t second = 1000000000;
static const double close_enough = 0.03;

typedef const double mix[PHASES][OBJECTS];

/* Two groups of arrays, one silent while the other is worked on; what is left on all. */
static mix turns = {{.40, .25, .15, .10, 0, 0, .05, .05}, {0, 0, .05, .05, .45, .35, .05, .05}};

/* applu of Table 1, where a, b and c fall silent together: d, rsd and u are what is left. */
static mix applu = {{.229, .229, .226, .174, .069, .073, 0, 0}, {0, 0, 0, .551, .218, .231, 0, 0}};

static struct planted arrays[OBJECTS];

static void plant_arrays(void)
{
    static const char *const names[OBJECTS] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    for (uint32_t i = 0; i < OBJECTS; i++)
        arrays[i] = (struct planted){names[i], 0x10000000 + i * object_bytes, object_bytes, 0,
                                     OBJECT_GLOBAL};
    plant(arrays, OBJECTS);
}

/* What the window is for a profile. */
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
};

static struct run *begin(mix *shares, unsigned phase_s, uint64_t seed, bool ignored)
{
    plant_arrays();
    struct run *run = calloc(1, sizeof *run);
    assert_non_null(run);
    run->shares = shares;
    run->phase_s = phase_s;
    run->prng = (struct prng){seed};
    run->kept.ignored = ignored;
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
    return (unsigned)(run->now_ns / (run->phase_s * second) % PHASES);
}

static void count_again(struct run *run, uint64_t from_ns)
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
    count_again(run,
                search_phases_step(&run->kept, &run->search, &run->phases, changed, run->now_ns));
}

/* What is not found counts as nothing. */
static double found_share(const struct search *search, uint32_t id)
{
    double share = planted_found(search, id);
    return isnan(share) ? 0 : share;
}

/* The largest distance from what is true of a phase, over the objects that matter in it. */
static double error_of(const struct search *search, const double *shares)
{
    double most = 0;
    for (uint32_t i = 0; i < OBJECTS; i++)
        if (shares[i] >= 0.1)
            most = fmax(most, fabs(found_share(search, i + 1) - shares[i]));
    return most;
}

/* What stands for a phase: its own search, or where phases are ignored the one there is. */
static const struct search *search_of(const struct run *run, unsigned phase)
{
    uint8_t letter = (uint8_t)phase;
    if (run->kept.ignored || run->kept.phase == letter)
        return &run->search;
    for (unsigned i = 0; i < SEARCH_KEPT; i++)
        if (run->kept.kept[i].mark && run->kept.kept[i].phase == letter)
            return &run->kept.kept[i].mark->search;
    return NULL;
}

struct outcome {
    double error;     /* at the end of the run, of either phase */
    double settled_s; /* when both phases were told within three points; RUN_S: never */
    double right;     /* part of the time in which the phase that went on was told so */
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

static struct outcome go_round(mix *shares, unsigned phase_s, uint64_t seed, bool ignored)
{
    struct run *run = begin(shares, phase_s, seed, ignored);
    struct outcome outcome = {.settled_s = RUN_S};
    unsigned right = 0;
    while (run->now_ns < RUN_S * second) {
        const double *now = (*shares)[phase_now(run)];
        sample(run);
        if (run->now_ns % STEP_NS)
            continue;
        right += error_of(&run->search, now) < close_enough;
        if (outcome.settled_s == RUN_S && error_now(run) < close_enough)
            outcome.settled_s = (double)run->now_ns / (double)second;
    }
    outcome.right = (double)right * STEP_NS / ((double)RUN_S * (double)second);
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
            struct outcome one = go_round(shares, phase_s, seed, ignored);
            sums[ignored].error = fmax(sums[ignored].error, one.error);
            sums[ignored].settled_s = fmax(sums[ignored].settled_s, one.settled_s);
            sums[ignored].right += one.right / SEEDS;
            assert_true(one.changes > RUN_S / phase_s / 2);
        }
    for (unsigned ignored = 0; ignored < 2; ignored++)
        printf("search, %s of %u s for %d s, %s phases: both told within 3 points after %.1f s%s, "
               "at the end off by %.1f; the phase that goes on told so %.0f %% of the time\n",
               what, phase_s, RUN_S, ignored ? "without" : "with", sums[ignored].settled_s,
               sums[ignored].settled_s < RUN_S ? "" : " (never)", sums[ignored].error * 100,
               sums[ignored].right * 100);
    assert_true(sums[0].settled_s < RUN_S / 3);
    assert_true(sums[0].error < close_enough);
    assert_true(sums[0].error < sums[1].error);
    assert_true(sums[0].right > sums[1].right);
}

static void phases_have_their_own_search(void **state)
{
    (void)state;
    compare("turns", &turns, 6);
    compare("turns", &turns, 3);
    compare("applu", &applu, 6);
    compare("applu", &applu, 3);
}

/* Phases shorter than an interval, for samples are rare: its parts add up until it is one. */
static void intervals_go_on_where_they_were_left(void **state)
{
    enum { EVERY = 20, LONG_S = 900 };
    (void)state;
    struct run *run = begin(&turns, 9, 5, false);
    uint64_t step = 0;
    uint64_t longest_ns = 0;
    while (run->now_ns < LONG_S * second) {
        if (step++ % EVERY) {
            run->now_ns += SAMPLE_NS;
            continue;
        }
        sample(run);
        if (run->search.interval_ns > longest_ns)
            longest_ns = run->search.interval_ns;
    }
    double worst = error_now(run);
    printf("search at %u samples a second: intervals of up to %.1f s, phases of 9 s; after %d s "
           "off by %.1f points\n",
           (unsigned)(second / SAMPLE_NS / EVERY), (double)longest_ns / (double)second, LONG_S,
           worst * 100);
    assert_true(worst < 2 * close_enough);
    end(run);
}

/* Nothing that was counted across a change goes into any phase's shares: what is silent in a phase
 * has no miss in it. */
static void no_interval_straddles_a_change(void **state)
{
    (void)state;
    struct run *run = begin(&turns, 6, 7, false);
    while (run->now_ns < RUN_S * second)
        sample(run);
    const struct search *first = search_of(run, 0);
    const struct search *other = search_of(run, 1);
    assert_non_null(first);
    assert_non_null(other);
    for (uint32_t object = 1; object <= OBJECTS; object++) {
        if (turns[0][object - 1] == 0)
            assert_true(found_share(first, object) < 0.02);
        if (turns[1][object - 1] == 0)
            assert_true(found_share(other, object) < 0.02);
    }
    end(run);
}

/* A run without phases is as it would be without all this. */
static void nothing_changes_without_phases(void **state)
{
    (void)state;
    struct run *with = begin(&turns, 1000, 9, false);
    struct run *without = begin(&turns, 1000, 9, true);
    while (with->now_ns < 60 * second) {
        sample(with);
        sample(without);
    }
    assert_int_equal(with->search.iteration, without->search.iteration);
    assert_int_equal(with->search.state, without->search.state);
    assert_true(with->search.queue.count == without->search.queue.count);
    for (uint32_t object = 1; object <= OBJECTS; object++)
        assert_true(found_share(&with->search, object) == found_share(&without->search, object));
    end(with);
    end(without);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phases_have_their_own_search),
        cmocka_unit_test(intervals_go_on_where_they_were_left),
        cmocka_unit_test(no_interval_straddles_a_change),
        cmocka_unit_test(nothing_changes_without_phases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
