/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounds of waiting, from time samples of access patterns, compared with a plain model of an L1
 * that records what waited. */
#include <linux/perf_event.h>
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "profile/cache/waits.h"
#include "profile/profile.h"
#include "unit.h"
#include "unit/names.h"

enum { SETS = WAITS_SETS, WAYS = 8, HIT = 4, MISS = 50, SAMPLES = 6000 };

/* An L1 with LRU replacement, and a clock that samples about every 997 cycles. */
struct machine {
    uint64_t lines[SETS][WAYS]; /* most recent first */
    uint64_t due;
    uint64_t now;
    uint64_t waited; /* cycles of the sampled pattern */
    struct window window;
    struct prng prng;
};

static bool cache_access(struct machine *machine, uint64_t line)
{
    uint64_t *set = machine->lines[line % SETS];
    int way = 0;
    while (way < WAYS - 1 && set[way] != line)
        way++;
    bool hit = set[way] == line;
    memmove(set + 1, set, (size_t)way * sizeof *set);
    set[0] = line;
    return hit;
}

static void touch(struct machine *machine, struct window_entry access)
{
    bool hit = cache_access(machine, access.address >> 6);
    machine->now += hit ? HIT : MISS;
    machine->waited += hit ? 0 : MISS;
    if (machine->now < machine->due)
        return;
    access.time_ns = machine->now * 500; /* one sample per half millisecond */
    access.weight = window_pack_weight(500000);
    access.tid = access.tid ? access.tid : 7;
    window_add(&machine->window, &access);
    machine->due = machine->now + 900 + prng_below(&machine->prng, 200);
}

/* Returns the i-th access of a pattern. */
typedef struct window_entry pattern(struct machine *machine, uint64_t i);

static struct snapshot_wait bounds_of(struct machine *machine, double *truth, pattern *next)
{
    static const uint64_t lines[WAIT_LEVELS] = {SETS * WAYS, 1 << 14, 1 << 19};
    struct window_counts counts;
    struct waits waits;
    struct waits_sums sums = {0};
    double chased[WAIT_LEVELS];
    struct hash none;
    *machine = (struct machine){.prng = {5}};
    assert_int_equal(window_init(&machine->window, 0, 6), 0);
    for (uint64_t i = 0; machine->window.used < SAMPLES; i++)
        touch(machine, next(machine, i));
    window_count(&machine->window, &counts);
    hash_init(&none);
    assert_true(waits_init(&waits, &machine->window, lines, 0, &none));
    for (uint32_t i = 0; i < machine->window.used; i++)
        waits_take(&waits, window_at(&machine->window, i), &(struct waits_sums *){&sums}, 1);
    for (int level = 0; level < WAIT_LEVELS; level++)
        chased[level] = waits_chased(&waits, &sums, (enum wait_level)level);
    struct snapshot_wait wait = waits_bounds(&waits, &sums, chased);
    waits_fini(&waits);
    window_fini(&machine->window);
    *truth = (double)machine->waited / (double)machine->now;
    return wait;
}

static void check_bounds(const char *what, pattern *next, double low_min, double high_most)
{
    static struct machine machine;
    double truth;
    struct snapshot_wait wait = bounds_of(&machine, &truth, next);
    double low = wait.low[WAIT_BEYOND_L1];
    double high = wait.high[WAIT_BEYOND_L1];
    /* First touches are part of the truth, but seldom sampled. */
    bool holds = low <= truth + 0.01 && truth <= high + 0.01;
    if (!holds || low < low_min || high > high_most)
        print_error("%s: bounds %.3f to %.3f, true share %.3f\n", what, low, high, truth);
    assert_true(holds && low >= low_min && high <= high_most);
}

static struct window_entry at_line(uint64_t line)
{
    return (struct window_entry){.address = 0x10000000 + line * 64};
}

static struct window_entry small_array(struct machine *machine, uint64_t i)
{
    (void)machine;
    return at_line(i % 256);
}

static struct window_entry one_set(struct machine *machine, uint64_t i)
{
    (void)machine;
    return at_line(i % (WAYS + 1) * SETS);
}

static struct window_entry full_set(struct machine *machine, uint64_t i)
{
    (void)machine;
    return at_line(i % WAYS * SETS);
}

static struct window_entry too_large(struct machine *machine, uint64_t i)
{
    (void)machine;
    return at_line(i % (SETS * WAYS * 2));
}

/* A stream and an array that fills half of the cache: the array stays, the stream waits. */
static struct window_entry stream_beside(struct machine *machine, uint64_t i)
{
    (void)machine;
    return i % 64 ? at_line(i % 256) : at_line(100000 + i);
}

static struct window_entry chase(struct machine *machine, uint64_t i)
{
    struct window_entry entry = at_line(prng_below(&machine->prng, 1 << 20));
    (void)i;
    entry.is_pointer_chase = true;
    return entry;
}

static struct window_entry chase_through(struct machine *machine, uint32_t lines)
{
    struct window_entry entry = at_line(prng_below(&machine->prng, lines));
    entry.is_pointer_chase = true;
    return entry;
}

static struct window_entry chase_through_24m(struct machine *machine, uint64_t i)
{
    (void)i;
    return chase_through(machine, 24 << 14);
}

/* A pass over such a small array can end between two samples, which looks the same. */
static struct window_entry chase_through_8m(struct machine *machine, uint64_t i)
{
    (void)i;
    return chase_through(machine, 8 << 14);
}

/* The same lines, but each is used for some time: time samples alone do not show which pattern it
 * is. */
static struct window_entry lingering(struct machine *machine, uint64_t i)
{
    static struct window_entry last;
    if (i % 100 == 0)
        last = at_line(prng_below(&machine->prng, 1 << 20));
    return last;
}

static struct window_entry chase_of_few(struct machine *machine, uint64_t i)
{
    struct window_entry entry = at_line(prng_below(&machine->prng, 300));
    (void)i;
    entry.is_pointer_chase = true;
    return entry;
}

/* Eight accesses to each line of 64 MB. */
static struct window_entry pass(struct machine *machine, uint64_t i)
{
    struct window_entry entry = at_line(i / 8 % (1 << 20));
    (void)machine;
    entry.address += i % 8 * 8;
    entry.per_line_log2 = 3;
    entry.line_was_accessed = i % 8;
    return entry;
}

/* The same over 8 KB at a time, a hundred times. */
static struct window_entry blocked_passes(struct machine *machine, uint64_t i)
{
    return pass(machine, i / 102400 * 1024 + i % 1024);
}

/* One-line records anywhere in 64 MB; straight-line code reads four fields of each, and the last
 * three do not wait. */
static struct window_entry fields_of_a_line(struct machine *machine, uint64_t i)
{
    static struct window_entry record;
    if (i % 4 == 0)
        record = at_line(prng_below(&machine->prng, 1 << 20));
    record.line_was_accessed = i % 4;
    return record;
}

static struct window_entry of_two_threads(struct machine *machine, uint64_t i)
{
    struct window_entry entry = at_line(prng_below(&machine->prng, 4));
    entry.tid = 7 + (uint32_t)(i & 1);
    entry.line_was_accessed = i % 2;
    return entry;
}

static void wait_bounds_contain_the_truth(void **state)
{
    (void)state;
    check_bounds("half of the cache", small_array, 0, 0.02);
    check_bounds("a line too many for a set", one_set, 0, 1);
    check_bounds("as many as a set has ways", full_set, 0, 0.02);
    check_bounds("twice the cache", too_large, 0, 1);
    check_bounds("a stream beside", stream_beside, 0, 0.6);
    check_bounds("a chase through 64 MB", chase, 0.9, 1);
    check_bounds("a chase through 24 MB", chase_through_24m, 0.8, 1);
    check_bounds("64 MB, each line used on", lingering, 0, 1);
    check_bounds("a chase that stays", chase_of_few, 0, 0.05);
    check_bounds("a pass", pass, 0.5, 0.75);
    check_bounds("passes by blocks", blocked_passes, 0, 0.1);
    check_bounds("fields of a line", fields_of_a_line, 0, 0.83);
}

/* The model has one cache, so this does not wait; two cores might. */
static void lines_used_by_two_threads_may_wait(void **state)
{
    static struct machine machine;
    double truth;
    (void)state;
    struct snapshot_wait wait = bounds_of(&machine, &truth, of_two_threads);
    assert_true(wait.high[WAIT_BEYOND_L1] > 0.98);
}

/* A scan in order does not look like a chase, whatever the code suggests. */
static struct window_entry chase_in_order(struct machine *machine, uint64_t i)
{
    struct window_entry entry = at_line(i / 40 % (1 << 20));
    (void)machine;
    entry.is_pointer_chase = true;
    return entry;
}

static void uninformative_wait_bounds_are_blank(void **state)
{
    static struct machine machine;
    double truth;
    (void)state;
    struct snapshot_wait wait = bounds_of(&machine, &truth, chase_in_order);
    assert_true(wait.low[WAIT_BEYOND_L1] == 0);
    waits_drop_uninformative(&wait);
    assert_int_equal(wait.evidence, WAIT_UNKNOWN);
    wait = bounds_of(&machine, &truth, chase_through_8m);
    assert_true(wait.low[WAIT_BEYOND_L1] == 0);
    wait = bounds_of(&machine, &truth, chase);
    assert_true(wait.low[WAIT_BEYOND_L2] > 0.8 && wait.low[WAIT_BEYOND_L3] < 0.6);
    waits_drop_uninformative(&wait);
    assert_int_equal(wait.evidence, WAIT_FROM_RECURRENCE);
    wait = (struct snapshot_wait){
        .evidence = WAIT_FROM_RECURRENCE, .low = {0, 0, 0}, .high = {0.99, 0.5, NAN}};
    waits_drop_uninformative(&wait);
    assert_true(isnan(wait.low[0]) && isnan(wait.high[0]) && wait.high[1] == 0.5);
}

/* Through a profile: 4,000 samples on two objects in two functions, and some without an object. */

static const uint64_t apart = 1 << 26;
static uint64_t now_ns;

/* The third object is shared memory. */
static bool describe_object(void *context, uint32_t id, struct object_desc *desc)
{
    (void)context;
    *desc = (struct object_desc){
        .name = "an object", .module = "", .kind = id == 3 ? OBJECT_MAP : OBJECT_GLOBAL};
    return true;
}

static struct profile *timed_profile(void)
{
    static const struct fake_names known = {.object = describe_object};
    struct profile *profile;
    struct profile_options options = {.names = FAKE_NAMES(&known),
                                      .ways = 10,
                                      .event_count = 1,
                                      .roles = {EVENT_TIME},
                                      .cache_lines = {SETS * WAYS, 1 << 14, 1 << 19}};
    assert_int_equal(geometry_parse(&options.geometry, "L1=32K,8,64", "/", NULL), 0);
    assert_int_equal(profile_new(&profile, &options, NULL), 0);
    now_ns = 1;
    return profile;
}

static void add_sample(struct profile *profile, uint32_t object, uint64_t line,
                       struct access access)
{
    struct place place = {
        .access = access, .object = object, .function = object, .base = object * apart};
    place.access.time_ns = now_ns += 500000;
    place.access.weight = 500000;
    place.access.ip = 0x400000 + object * 16 + access.reason;
    place.access.tid = 7;
    place.access.address = place.base + line * 64;
    profile_add(profile, &place);
}

static const struct snapshot *timed_snapshot(struct profile *profile, const char *source)
{
    struct snapshot head = {.source = {.name = source,
                                       .weight_unit = "time at the access",
                                       .event_count = 1,
                                       .events = {{"cpu-clock", EVENT_TIME, 500000, 0, NAN, NAN}}}};
    const struct snapshot *snapshot = profile_snapshot(profile, &head, now_ns + 1);
    assert_non_null(snapshot);
    return snapshot;
}

static const struct snapshot_object *object_of(const struct snapshot *snapshot, uint32_t id)
{
    for (size_t i = 0; i < snapshot->object_count; i++)
        if (snapshot->objects[i].id == id)
            return &snapshot->objects[i];
    fail_msg("object %u is not listed", id);
    return NULL;
}

static void snapshot_has_wait_bounds(void **state)
{
    struct prng prng = {3};
    struct profile *profile = timed_profile();
    (void)state;
    for (uint64_t i = 0; i < 4000; i++) {
        add_sample(profile, 1, i % 50, (struct access){0});
        add_sample(profile, 2, prng_below(&prng, 1 << 20),
                   (struct access){.is_pointer_chase = true});
        if (i % 2)
            add_sample(profile, 0, 0, (struct access){.reason = REASON_NO_MEMORY});
    }
    const struct snapshot *snapshot = timed_snapshot(profile, "clock");
    const struct snapshot_wait *held = &object_of(snapshot, 1)->wait;
    const struct snapshot_wait *chased = &object_of(snapshot, 2)->wait;
    assert_int_equal(held->evidence, WAIT_FROM_RECURRENCE);
    assert_true(held->low[WAIT_BEYOND_L1] == 0 && held->high[WAIT_BEYOND_L2] < 0.1);
    assert_true(chased->low[WAIT_BEYOND_L2] > 0.75 && chased->high[WAIT_BEYOND_L2] > 0.99);
    for (size_t i = 0; i < snapshot->code_count; i++)
        assert_true(snapshot->code[i].id != 2 || snapshot->code[i].wait.low[WAIT_BEYOND_L2] > 0.75);
    /* A fifth of the process's time is without accesses. */
    assert_true(snapshot->wait.low[WAIT_BEYOND_L2] > 0.75 * 0.4);
    assert_true(snapshot->wait.high[WAIT_BEYOND_L2] < 0.45);
    snapshot_free(snapshot);

    /* Samples without an object may or may not wait. */
    for (int i = 0; i < 5000; i++)
        add_sample(profile, 0, 0, (struct access){.reason = REASON_AMBIGUOUS});
    const struct snapshot *more = timed_snapshot(profile, "clock");
    assert_true(more->wait.low[WAIT_BEYOND_L2] < 0.3);
    assert_true(more->wait.high[WAIT_BEYOND_L2] > 0.55);
    snapshot_free(more);
    profile_free(profile);
}

/* A flush evicts even lines that recur all the time, and so do stores of another process. */
static void flushed_or_shared_lines_may_wait(void **state)
{
    struct profile *profile = timed_profile();
    (void)state;
    for (uint64_t i = 0; i < 4000; i++) {
        add_sample(profile, 1, i % 50, (struct access){0});
        add_sample(profile, 2, 50 + i % 7,
                   (struct access){.line_was_accessed = true, .flushes_line = i == 7});
        add_sample(profile, 3, 57 + i % 7, (struct access){0});
    }
    const struct snapshot *snapshot = timed_snapshot(profile, "clock");
    assert_true(object_of(snapshot, 1)->wait.high[WAIT_BEYOND_L1] < 0.2);
    assert_int_equal(object_of(snapshot, 2)->wait.evidence, WAIT_UNKNOWN);
    assert_int_equal(object_of(snapshot, 3)->wait.evidence, WAIT_UNKNOWN);
    snapshot_free(snapshot);
    profile_free(profile);
}

static void recorded_latencies_take_precedence_for_waits(void **state)
{
    struct profile *profile = timed_profile();
    (void)state;
    for (uint64_t i = 0; i < 300; i++)
        add_sample(
            profile, 1, i,
            (struct access){.latency = i % 3 ? 10 : 100,
                            .data_src = PERF_MEM_S(OP, LOAD) |
                                        (i % 3 ? PERF_MEM_S(LVLNUM, L1) : PERF_MEM_S(LVLNUM, L3))});
    const struct snapshot *snapshot = timed_snapshot(profile, "pebs");
    const struct snapshot_wait *wait = &object_of(snapshot, 1)->wait;
    assert_int_equal(wait->evidence, WAIT_FROM_LATENCIES);
    assert_true(wait->low[WAIT_BEYOND_L2] < 100. / 120 && wait->high[WAIT_BEYOND_L2] > 100. / 120);
    assert_true(wait->low[WAIT_BEYOND_L2] > 0.7 && wait->high[WAIT_BEYOND_L3] < 0.05);
    assert_int_equal(snapshot->wait.evidence, WAIT_UNKNOWN);
    snapshot_free(snapshot);
    profile_free(profile);
}

/* In these passes the excess of the first accesses to a line is larger beyond L3 than beyond L2.
 * The bounds must fall anyway, because an access that waits beyond L3 waits beyond L2. */
static void wait_bounds_decrease_with_the_level(void **state)
{
    const struct waits waits = {.lines = {512, 1 << 14, 1 << 19}};
    const struct waits_sums sums = {
        .samples = 1000, .pass_starts = {500, 500, 480}, .pass_start_hits = {400, 400, 300}};
    const double chased[WAIT_LEVELS] = {0};
    struct snapshot_wait wait = waits_bounds(&waits, &sums, chased);
    (void)state;
    assert_true(wait.high[WAIT_BEYOND_L1] >= wait.high[WAIT_BEYOND_L2]);
    assert_true(wait.high[WAIT_BEYOND_L2] >= wait.high[WAIT_BEYOND_L3]);
    assert_true(wait.high[WAIT_BEYOND_L3] > 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wait_bounds_contain_the_truth),
        cmocka_unit_test(lines_used_by_two_threads_may_wait),
        cmocka_unit_test(uninformative_wait_bounds_are_blank),
        cmocka_unit_test(snapshot_has_wait_bounds),
        cmocka_unit_test(flushed_or_shared_lines_may_wait),
        cmocka_unit_test(recorded_latencies_take_precedence_for_waits),
        cmocka_unit_test(wait_bounds_decrease_with_the_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
