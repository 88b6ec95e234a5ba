/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared lines from synthetic accesses to snapshots: contention of each kind, harmless lines that
 * resemble it, and the bound on memory. */
#include <linux/perf_event.h>
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "profile/profile.h"
#include "unit.h"
#include "view/words.h"
#include "unit/names.h"

#define BASE      UINT64_C(0x100000)
#define LOAD_HITM (PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, HIT) | PERF_MEM_S(SNOOP, HITM))
#define LOAD_L1   (PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, HIT) | PERF_MEM_S(SNOOP, NONE))

static struct profile *profile;
static const struct snapshot *snapshot;
static uint64_t now;

static const char *reading_of(const struct snapshot_sharing_group *group)
{
    static char text[SHARING_READING_BYTES];
    sharing_reading(group, text, sizeof text);
    return text;
}

static bool fake_object(void *context, uint32_t object, struct object_desc *desc)
{
    (void)context;
    *desc = (struct object_desc){.name = object == 2 ? "second" : "counters",
                                 .module = "m",
                                 .kind = OBJECT_GLOBAL,
                                 .type_id = object == 1 ? 5 : 0,
                                 .address = BASE};
    return true;
}

/* struct counters { long hits; long misses; } */
static bool fake_type(void *context, uint32_t type, struct type_desc *desc)
{
    static const struct type_member members[] = {
        {.name = "hits", .type = "long", .size = 8, .parent = TYPE_NO_MEMBER},
        {.name = "misses", .type = "long", .offset = 8, .size = 8, .parent = TYPE_NO_MEMBER}};
    (void)context;
    *desc = (struct type_desc){.name = "struct counters",
                               .kind = TYPE_STRUCT,
                               .size = 16,
                               .members = members,
                               .member_count = 2};
    return type == 5;
}

static bool fake_node(enum place_question question, uint64_t number, union place_answer *answer)
{
    answer->node = (int)(question == PLACE_CPU_NODE ? number : number >> 12 & 7);
    return question == PLACE_CPU_NODE || question == PLACE_PAGE_NODE;
}

static int set_up(void **state)
{
    static const struct fake_names answers = {
        .object = fake_object, .type = fake_type, .other = fake_node};
    struct profile_options options = {.names = FAKE_NAMES(&answers),
                                      .half_life_s = 10,
                                      .ways = 10,
                                      .event_count = 2,
                                      .window_entries = 1024};
    (void)state;
    now = 1;
    snapshot = NULL;
    return geometry_parse(&options.geometry, "L1=32K,8,64", "/", NULL) ||
           profile_new(&profile, &options, NULL);
}

static int tear_down(void **state)
{
    (void)state;
    snapshot_free(snapshot);
    profile_free(profile);
    return 0;
}

/* An access by thread 100 + side on CPU `side`, one millisecond after the last. */
struct touch {
    unsigned side;
    uint64_t offset;
    enum access_kind kind;
    uint64_t data_src;
    bool locked;
    uint32_t object; /* 0: object 1 */
    uint64_t base;   /* 0: BASE */
    uint64_t size;   /* 0: 16 */
    uint32_t cpu;    /* 0: the CPU of the side */
    uint16_t event;
};

static void touch(struct touch touch)
{
    struct place place = {.object = touch.object ? touch.object : 1,
                          .function = 3 + touch.side,
                          .base = touch.base ? touch.base : BASE,
                          .size_bytes = touch.size ? touch.size : 16};
    place.access = (struct access){.time_ns = now += 1000000,
                                   .address = place.base + touch.offset,
                                   .ip = 0x400000 + touch.side * 64 + touch.offset,
                                   .weight = 1,
                                   .data_src = touch.data_src,
                                   .tid = 100 + touch.side,
                                   .cpu = touch.cpu ? touch.cpu - 1 : touch.side,
                                   .size = 8,
                                   .event = touch.event,
                                   .kind = (uint8_t)touch.kind,
                                   .locked = touch.locked};
    profile_add(profile, &place);
}

static const struct snapshot_sharing *take_sharing(enum snapshot_basis basis)
{
    struct snapshot head = {.iteration = 1};
    snapshot_free(snapshot);
    profile_set_basis(profile, basis);
    snapshot = profile_snapshot(profile, &head, now);
    assert_non_null(snapshot);
    return &snapshot->sharing;
}

/* Two threads in random order, each at its own offset; every third access a store. */
static void contend(int times, uint64_t left, uint64_t right)
{
    struct prng prng = {5};
    for (int i = 0; i < times; i++) {
        unsigned side = (unsigned)prng_below(&prng, 2);
        touch((struct touch){.side = side,
                             .offset = side ? right : left,
                             .kind = prng_below(&prng, 3) ? ACCESS_LOAD : ACCESS_STORE});
    }
}

static void distinct_bytes_of_a_line_are_false_sharing(void **state)
{
    (void)state;
    contend(300, 0, 8);
    const struct snapshot_sharing *sharing = take_sharing(BASIS_RUN);
    assert_int_equal(sharing->group_count, 1);
    const struct snapshot_sharing_group *group = &sharing->groups[0];
    const struct snapshot_sharing_line *line = &group->lines[0];
    assert_int_equal(group->verdict, SHARING_FALSE);
    assert_int_equal(group->evidence, SHARING_ALTERNATION);
    assert_true(group->has_enough_samples && isnan(group->hitm) && !group->locked);
    assert_string_equal(group->name, "counters");
    assert_true(line->address == BASE && line->offset == 0 && line->side_count == 2);
    assert_true(fabs(line->alternations / line->expected_alternations - 1) <
                0.25); /* really in random order */
    assert_true(line->overlap < 0.01 && line->node == (int)(BASE >> 12 & 7));
    for (int i = 0; i < 2; i++) {
        const struct snapshot_sharing_side *side = &line->sides[i];
        bool left = side->tid == 100;
        assert_int_equal(side->read, left ? 0xff : 0xff00);
        assert_int_equal(side->written, left ? 0xff : 0xff00);
        assert_string_equal(side->fields, left ? "counters.hits" : "counters.misses");
        assert_true(side->cpu == side->tid - 100 && side->node == (int)side->cpu);
    }
    assert_non_null(strstr(reading_of(group), "56 bytes of padding"));
    assert_non_null(strstr(reading_of(group), "run on nodes"));
    assert_true(group->share.value > 0.95 && group->object_share > 0.95);
}

/* Fields are in order of offset, whichever thread has more samples. A third thread has a single
 * access. */
static void sharing_fields_and_threads_are_stable(void **state)
{
    struct prng prng = {5};
    (void)state;
    touch((struct touch){.side = 2, .offset = 0, .kind = ACCESS_LOAD});
    for (int i = 0; i < 800; i++) {
        unsigned side = (unsigned)prng_below(&prng, 2);
        bool often = prng_below(&prng, 3);
        bool second = side == (i < 300); /* the upper field leads from 300 on */
        touch((struct touch){.side = side,
                             .size = 32,
                             .offset = side * 16 + (often == second ? 8 : 0),
                             .kind = ACCESS_LOAD_STORE});
        if (i != 250 && i != 799)
            continue;
        const struct snapshot_sharing_group *group = &take_sharing(BASIS_RUN)->groups[0];
        assert_string_equal(group->fields, "[0].hits, [0].misses | [1].hits, [1].misses");
        assert_int_equal(group->threads, i == 799 ? 2 : group->threads);
        assert_int_equal(group->remedy.kind, SHARING_PER_ELEMENT);
        assert_non_null(strstr(reading_of(group), "each element a line of its own"));
    }
}

static void same_bytes_are_true_sharing(void **state)
{
    (void)state;
    contend(300, 8, 8);
    const struct snapshot_sharing_group *group = &take_sharing(BASIS_DECAYED)->groups[0];
    assert_int_equal(snapshot->sharing.group_count, 1);
    assert_int_equal(group->verdict, SHARING_TRUE);
    assert_true(group->lines[0].overlap > 0.99);
    assert_null(strstr(reading_of(group), "atomic"));
}

static void atomic_accesses_are_reported_as_sharing(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 200; i++)
        touch((struct touch){
            .side = i % 3 % 2, .kind = ACCESS_LOAD_STORE, .locked = true, .offset = 8});
    const struct snapshot_sharing_group *group = &take_sharing(BASIS_DECAYED)->groups[0];
    assert_true(group->verdict == SHARING_TRUE && group->locked && group->lines[0].sides[0].locked);
    assert_non_null(strstr(reading_of(group), "atomic"));
}

static void true_and_false_sharing_on_one_line(void **state)
{
    (void)state;
    struct prng prng = {9};
    for (int i = 0; i < 1000; i++) {
        unsigned side = (unsigned)prng_below(&prng, 2);
        uint64_t offset = prng_below(&prng, 2) ? 0 : 8;
        touch((struct touch){.side = side, .offset = offset, .kind = ACCESS_LOAD_STORE});
    }
    const struct snapshot_sharing_group *group = &take_sharing(BASIS_DECAYED)->groups[0];
    assert_int_equal(group->verdict, SHARING_BOTH);
}

/* Harmless lines that resemble sharing. */
static void filled_then_read_line_is_not_shared(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 100; i++)
        touch((struct touch){.side = 0, .kind = ACCESS_STORE});
    for (unsigned i = 0; i < 1000; i++)
        touch((struct touch){.side = i % 2, .kind = ACCESS_LOAD});
    assert_int_equal(take_sharing(BASIS_RUN)->group_count, 0);
}

static void long_alternating_runs_are_not_sharing(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 6000; i++)
        touch((struct touch){.side = i / 300 % 2, .kind = ACCESS_LOAD_STORE});
    assert_int_equal(take_sharing(BASIS_RUN)->group_count, 0);
}

/* One thread per piece of work, five samples each, one after the other on two CPUs. */
static void consecutive_short_lived_threads_are_not_sharing(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 600; i++)
        touch((struct touch){.side = i / 5, .kind = ACCESS_LOAD_STORE, .cpu = 1 + i / 5 % 2});
    assert_int_equal(take_sharing(BASIS_RUN)->group_count, 0);
}

/*
 * Ten samples in a row: two threads that a third one mostly prevents from running at the same time.
 */
static void preempted_threads_have_fewer_turns(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 600; i++)
        touch((struct touch){.side = i / 10 % 2, .kind = ACCESS_LOAD_STORE});
    assert_int_equal(take_sharing(BASIS_RUN)->group_count, 1);
    const struct snapshot_sharing_group *group = &snapshot->sharing.groups[0];
    assert_true(group->alternations < 0.25 * group->expected_alternations);
}

static void threads_alternating_on_one_cpu_are_not_sharing(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 600; i++)
        touch((struct touch){.side = i % 2, .kind = ACCESS_LOAD_STORE, .cpu = 1});
    assert_int_equal(take_sharing(BASIS_RUN)->group_count, 0);
}

static void prefetches_are_not_sharing(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 600; i++) {
        touch((struct touch){.side = 0, .kind = ACCESS_LOAD_STORE});
        touch((struct touch){.side = 1, .kind = ACCESS_PREFETCH});
    }
    assert_int_equal(take_sharing(BASIS_RUN)->group_count, 0);
}

/* Freed and allocated again: other objects and sizes at the same address. */
static void reused_memory_resets_the_line(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 600; i++)
        touch((struct touch){.side = i % 2,
                             .kind = ACCESS_LOAD_STORE,
                             .object = 1 + i % 2,
                             .size = i % 2 ? 48 : 16});
    assert_int_equal(take_sharing(BASIS_RUN)->group_count, 0);
}

static void less_precise_object_does_not_reset_the_line(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 600; i++) {
        bool heap = i % 5 == 0;
        uint64_t base = heap ? BASE - 4096 : BASE;
        touch((struct touch){.side = i % 2,
                             .kind = ACCESS_LOAD_STORE,
                             .object = heap ? 3 : 1,
                             .base = base,
                             .offset = BASE - base,
                             .size = heap ? 1 << 20 : 16});
    }
    assert_int_equal(take_sharing(BASIS_RUN)->groups[0].verdict, SHARING_TRUE);
    assert_int_equal(snapshot->sharing.group_count, 1);
    assert_true(snapshot->sharing.groups[0].samples > 590);
}

static void two_objects_sharing_a_line_are_named(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 300; i++)
        touch((struct touch){.side = i % 2,
                             .kind = ACCESS_LOAD_STORE,
                             .object = 1 + i % 2,
                             .base = BASE + i % 2 * 16});
    const struct snapshot_sharing_group *group = &take_sharing(BASIS_RUN)->groups[0];
    assert_int_equal(group->verdict, SHARING_FALSE);
    assert_non_null(strstr(reading_of(group), "counters"));
    assert_non_null(strstr(reading_of(group), "align second to 64"));
}

static void per_thread_array_slots_are_one_group(void **state)
{
    (void)state;
    struct prng prng = {11};
    for (int i = 0; i < 4000; i++) {
        uint64_t slot = prng_below(&prng, 32);
        touch((struct touch){.side = (unsigned)slot % 4,
                             .offset = slot * 8,
                             .object = 2,
                             .size = 256,
                             .kind = ACCESS_LOAD_STORE});
    }
    const struct snapshot_sharing *sharing = take_sharing(BASIS_RUN);
    assert_int_equal(sharing->group_count, 1);
    assert_int_equal(sharing->groups[0].verdict, SHARING_FALSE);
    assert_int_equal(sharing->groups[0].line_count, 4);
    assert_int_equal(sharing->groups[0].threads, 4);
    assert_non_null(strstr(reading_of(&sharing->groups[0]), "4 lines"));
}

/* ---- records of the hardware ---- */

static void hitm_alone_is_sharing_evidence(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 40; i++) {
        touch((struct touch){
            .side = 0, .offset = 0, .kind = ACCESS_LOAD, .data_src = i % 2 ? LOAD_HITM : LOAD_L1});
        now += 2000000000; /* too far apart for alternating accesses */
        touch((struct touch){.side = 1, .offset = 8, .kind = ACCESS_STORE, .event = 1});
        now += 2000000000;
    }
    const struct snapshot_sharing *sharing = take_sharing(BASIS_RUN);
    assert_int_equal(sharing->evidence, SHARING_HITM);
    assert_int_equal(sharing->group_count, 1);
    assert_int_equal(sharing->groups[0].evidence, SHARING_HITM);
    assert_int_equal(sharing->groups[0].verdict, SHARING_FALSE);
    assert_true(sharing->groups[0].hitm >= 19 && sharing->groups[0].alternations < 1);
}

static void hitm_without_sampled_writer_is_unsure(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 20; i++)
        touch((struct touch){.side = 0, .kind = ACCESS_LOAD, .data_src = LOAD_HITM});
    const struct snapshot_sharing_group *group = &take_sharing(BASIS_RUN)->groups[0];
    assert_int_equal(snapshot->sharing.group_count, 1);
    assert_int_equal(group->verdict, SHARING_INCONCLUSIVE);
    assert_non_null(strstr(reading_of(group), "the writer was not sampled"));
}

static void reads_by_several_threads_are_read_only(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++)
        touch((struct touch){
            .side = i, .kind = ACCESS_LOAD, .data_src = LOAD_L1, .cpu = SAMPLE_NO_CPU});
    const struct snapshot_sharing_group *group = &take_sharing(BASIS_RUN)->groups[0];
    assert_int_equal(snapshot->sharing.group_count, 1);
    assert_int_equal(group->verdict, SHARING_READ_ONLY);
    assert_int_equal(group->threads, 3); /* including the first */
}

/* ---- bounds and time ---- */

static void hot_line_is_kept_among_millions_of_lines(void **state)
{
    (void)state;
    struct prng prng = {3};
    for (int i = 0; i < 400000; i++) {
        bool hot = i % 50 == 0;
        uint64_t line = prng_below(&prng, 1 << 22) + 2;
        unsigned side = (unsigned)prng_below(&prng, 40);
        touch((struct touch){.side = side,
                             .object = hot ? 1 : 2,
                             .size = hot ? 16 : 1 << 30,
                             .base = hot ? BASE : BASE + 4096,
                             .offset = hot ? side % 2 * 8 : line * 64,
                             .kind = ACCESS_LOAD_STORE});
    }
    const struct snapshot_sharing *sharing = take_sharing(BASIS_RUN);
    assert_true(sharing->group_count >= 1);
    assert_true(sharing->groups[0].lines[0].address == BASE);
    assert_true(sharing->groups[0].lines[0].other_accesses > 0); /* not counted individually */
    assert_true(sharing->groups[0].lines[0].side_count <= 6);
}

static void sharing_decays_but_run_totals_remain(void **state)
{
    (void)state;
    contend(300, 0, 8);
    /* Long enough for the decay scale to be renormalised (decay.h). */
    for (int i = 0; i < 20; i++) {
        now += UINT64_C(1000000000000);
        touch((struct touch){.side = 0, .kind = ACCESS_LOAD, .object = 2, .base = BASE * 2});
    }
    assert_int_equal(take_sharing(BASIS_DECAYED)->group_count, 0);
    assert_int_equal(take_sharing(BASIS_RUN)->group_count, 1);
    profile_zero(profile, now);
    assert_int_equal(take_sharing(BASIS_RUN)->group_count, 0);
}

/* One access that gives a sample of each event. */
static void add_simulated_miss(unsigned side, uint64_t offset, int events)
{
    for (uint16_t event = 0; event < events; event++) {
        now -= event ? 1000000 : 0;
        touch((struct touch){.side = side,
                             .offset = offset,
                             .kind = ACCESS_LOAD_STORE,
                             .data_src = LOAD_HITM,
                             .event = event});
    }
}

static void simulated_miss_counts_once_for_two_events(void **state)
{
    static const struct fake_names answers = {.object = fake_object, .type = fake_type};
    struct profile_options options = {
        .names = FAKE_NAMES(&answers),
        .ways = 10,
        .simulated = true,
        .event_count = 2,
        .roles = {EVENT_MEM_FILL, EVENT_MISS_L1},
        .window_entries = 1024,
    };
    (void)state;
    profile_free(profile);
    assert_int_equal(geometry_parse(&options.geometry, "L1=32K,8,64", "/", NULL), 0);
    assert_int_equal(profile_new(&profile, &options, NULL), 0);
    for (unsigned i = 0; i < 100; i++)
        add_simulated_miss(i % 2, i % 2 * 8, 2);
    const struct snapshot_sharing *sharing = take_sharing(BASIS_RUN);
    assert_int_equal(sharing->group_count, 1);
    assert_true(fabs(sharing->misses - 100) < 1e-6);
    assert_true(sharing->groups[0].hitm <= 100 && sharing->groups[0].hitm >= 98);
    assert_true(sharing->groups[0].samples <= 100);
    assert_true(sharing->groups[0].share.value > 0.97 && sharing->groups[0].object_share > 0.97);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(distinct_bytes_of_a_line_are_false_sharing),
        TEST(sharing_fields_and_threads_are_stable),
        TEST(same_bytes_are_true_sharing),
        TEST(atomic_accesses_are_reported_as_sharing),
        TEST(true_and_false_sharing_on_one_line),
        TEST(filled_then_read_line_is_not_shared),
        TEST(long_alternating_runs_are_not_sharing),
        TEST(consecutive_short_lived_threads_are_not_sharing),
        TEST(preempted_threads_have_fewer_turns),
        TEST(threads_alternating_on_one_cpu_are_not_sharing),
        TEST(prefetches_are_not_sharing),
        TEST(simulated_miss_counts_once_for_two_events),
        TEST(reused_memory_resets_the_line),
        TEST(less_precise_object_does_not_reset_the_line),
        TEST(two_objects_sharing_a_line_are_named),
        TEST(per_thread_array_slots_are_one_group),
        TEST(hitm_alone_is_sharing_evidence),
        TEST(hitm_without_sampled_writer_is_unsure),
        TEST(reads_by_several_threads_are_read_only),
        TEST(hot_line_is_kept_among_millions_of_lines),
        TEST(sharing_decays_but_run_totals_remain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
