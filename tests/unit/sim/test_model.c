/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces of tiny caches, computed by hand: lines of 16 bytes, letters name lines of one set. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "unit.h"
#include "unit/sim/model_host.h"
#include "unit/sim/model_tiny.h"

enum { MODEL_NO_USER = -1 };

/* In tiny_two_by_two, A, B, C .. share the first set, a, b, c .. the second. */
static uint64_t address_of(char line)
{
    return line >= 'a' ? (uint64_t)(line - 'a') * 2 * TINY_LINE + TINY_LINE
                       : (uint64_t)(line - 'A') * 2 * TINY_LINE;
}

struct step {
    char line;
    int served;
    enum model_cause cause;
    int evictor; /* the step that evicted it */
};

static void follow(struct model *model, const struct step *steps, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t served =
            model_access(model_thread(model, 0), address_of(steps[i].line), 8, MODEL_LOAD, i);
        assert_int_equal(served, steps[i].served);
        if (!served)
            continue;
        assert_int_equal(tiny_last_miss.level[0].cause, steps[i].cause);
        assert_int_equal(tiny_last_miss.level[0].evictor.ip, (uint32_t)steps[i].evictor);
    }
}

static void miss_causes_and_evictors_match_expected(void **state)
{
    (void)state;
    static const struct step steps[] = {
        {'A', 1, MODEL_FIRST, MODEL_NO_USER},
        {'B', 1, MODEL_FIRST, MODEL_NO_USER},
        {'A', 0, 0, 0},
        {'C', 1, MODEL_FIRST, MODEL_NO_USER}, /* 3: evicts B, which is older than A */
        {'A', 0, 0, 0},
        {'B', 1, MODEL_CONFLICT, 3}, /* 5: four lines would hold A, B, C; evicts C */
        {'C', 1, MODEL_CONFLICT, 5}, /* 6: evicts A */
        {'a', 1, MODEL_FIRST, MODEL_NO_USER},
        {'b', 1, MODEL_FIRST, MODEL_NO_USER}, /* 8: the last four are B, C, a, b */
        {'B', 0, 0, 0},                       /* C, a, b, B */
        {'c', 1, MODEL_FIRST, MODEL_NO_USER}, /* 10: evicts a; a, b, B, c */
        {'A', 1, MODEL_CAPACITY, 6},          /* 11: evicts C; b, B, c, A */
        {'a', 1, MODEL_CAPACITY, 10},         /* 12: evicts b; B, c, A, a */
        {'c', 0, 0, 0},
        {'b', 1, MODEL_CAPACITY, 12},
    };
    struct model *model = tiny_model(tiny_two_by_two);
    follow(model, steps, sizeof steps / sizeof *steps);
    const struct figures *total = &tiny_rooms.seen[0];
    assert_int_equal(total->misses, 11);
    assert_int_equal(total->causes[MODEL_FIRST], 6);
    assert_int_equal(total->causes[MODEL_CONFLICT], 2);
    assert_int_equal(total->causes[MODEL_CAPACITY], 3);
    assert_int_equal(tiny_of_ip[5][0].causes[MODEL_CONFLICT], 1);
}

/* Instructions occupy the lower level, and evict the thread's least recently used line there. */
static void instruction_fetches_evict_data(void **state)
{
    (void)state;
    struct model_spec spec = {
        .level = {{.size_bytes = 4 * TINY_LINE, .ways = 4, .line_bytes = TINY_LINE},
                  {.size_bytes = 2 * TINY_LINE, .ways = 2, .line_bytes = TINY_LINE}},
        .level_count = 2,
        .instruction = {.size_bytes = 4 * TINY_LINE, .ways = 4, .line_bytes = TINY_LINE}};
    struct model *model = tiny_model(spec);
    struct model_thread *thread = model_thread(model, 0);
    assert_int_equal(model_access(thread, 0, 4, MODEL_LOAD, 0), 2);
    assert_int_equal(model_access(thread, 0, 4, MODEL_LOAD, 0), 0);
    assert_int_equal(model_access(thread, 4096, 4, MODEL_INSTRUCTION, 1), 2);
    assert_int_equal(model_access(thread, 4096, 4, MODEL_INSTRUCTION, 1), 0);
    assert_int_equal(tiny_eviction_count, 0);
    assert_int_equal(model_access(thread, 4096 + TINY_LINE, 4, MODEL_INSTRUCTION, 2), 2);
    assert_int_equal(tiny_eviction_count, 1);
    assert_int_equal(tiny_evictions[0].level, 1);
    assert_int_equal(tiny_evictions[0].address, 0);
    for (uint32_t line = 1; line < 5; line++)
        assert_int_equal(model_access(thread, line * TINY_LINE, 4, MODEL_LOAD, 0), 2);
    assert_int_equal(model_access(thread, 0, 4, MODEL_LOAD, 0), 2);
    assert_int_equal(tiny_last_miss.level[1].cause, MODEL_CAPACITY);
    assert_int_equal(tiny_last_miss.level[1].evictor.ip, 2);
    assert_int_equal(tiny_rooms.seen[0].misses, 6);
}

/*
 * An access over three lines misses once; the same bytes, accessed line by line, miss three times.
 */
static void access_straddling_lines_is_one_miss(void **state)
{
    (void)state;
    struct model *model = tiny_model(tiny_two_by_two);
    assert_int_equal(model_access(model_thread(model, 0), 12, 24, MODEL_LOAD, 0), 1);
    assert_int_equal(tiny_rooms.seen[0].misses, 1);
    assert_int_equal(model_access(model_thread(model, 0), UINT64_MAX, 64, MODEL_LOAD, 0), 1);
    model_finish(model);
    assert_int_equal(tiny_rooms.seen[0].left, 4);
    assert_int_equal(tiny_rooms.seen[0].used_bytes, 25);
}

static int run_model(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(miss_causes_and_evictors_match_expected, tiny_free),
        cmocka_unit_test_teardown(instruction_fetches_evict_data, tiny_free),
        cmocka_unit_test_teardown(access_straddling_lines_is_one_miss, tiny_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Specs: which are refused and with which message; and random specs: each accepted one gives a
 * model that runs any trace, whatever memory it gets. */

static const struct model_spec good = {
    .level = {{.size_bytes = 1024, .ways = 2, .line_bytes = 64},
              {.size_bytes = 8192, .ways = 4, .line_bytes = 64, .shared = true}},
    .level_count = 2,
    .threads = 2};

#define REFUSED(words, ...)                                                                        \
    do {                                                                                           \
        struct model_spec spec = good;                                                             \
        __VA_ARGS__;                                                                               \
        const char *why = model_spec_refuse(&spec);                                                \
        assert_non_null(why);                                                                      \
        assert_non_null(strstr(why, words));                                                       \
    } while (0)

static void invalid_specs_are_refused_with_reason(void **state)
{
    (void)state;
    assert_null(model_spec_refuse(&good));
    REFUSED("1 to 4 levels", spec.level_count = 0);
    REFUSED("1 to 4 levels", spec.level_count = 5);
    REFUSED("1 to 126 threads", spec.threads = 0);
    REFUSED("1 to 126 threads", spec.threads = 127);
    REFUSED("level 1: there are no ways", spec.level[0].ways = 0);
    REFUSED("level 2: more than 65536 ways", spec.level[1].ways = 65537);
    REFUSED("level 1: a line has 4 to 4096", spec.level[0].line_bytes = 2);
    REFUSED("level 2: a line has 4 to 4096", spec.level[1].line_bytes = 8192);
    REFUSED("level 2: the line size is not a power", spec.level[1].line_bytes = 96);
    REFUSED("level 2: lines shorter", spec.level[1].line_bytes = 32);
    REFUSED("level 1: size is less", spec.level[0].size_bytes = 64);
    REFUSED("level 1: the size is not a multiple", spec.level[0].size_bytes = 1025);
    REFUSED("level 2: more than 2^28", spec.level[1].size_bytes = UINT64_C(1) << 40);
    REFUSED("the first level must be private", spec.level[0].shared = true);
    REFUSED("level 3: private below", spec.level[2] = spec.level[1]; spec.level[2].shared = false;
            spec.level_count = 3);
    REFUSED("level 2: private levels of several", spec.level[1].shared = false;
            spec.level[1].line_bytes = 128);
    REFUSED("instruction cache: there are no ways", spec.instruction.size_bytes = 1024;
            spec.instruction.line_bytes = 64);
    REFUSED("not a power of two", spec.users_one_in = 3);
}

static void refusal_reason_reaches_the_host(void **state)
{
    (void)state;
    struct model_rooms rooms = {.count = 0};
    struct model_host host = model_host_of(&rooms);
    struct model_spec spec = good;
    spec.threads = 0;
    assert_null(model_new(&spec, &host));
    assert_string_equal(rooms.failed, "1 to 126 threads");
    assert_int_equal(rooms.count, 0);
}

static uint32_t pick(struct prng *prng, const uint32_t *from, uint32_t count)
{
    return from[prng_below(prng, count)];
}
#define PICK(prng, ...)                                                                            \
    pick(prng, (const uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / 4)

static struct model_level_spec draw_level(struct prng *prng)
{
    struct model_level_spec level = {.ways = PICK(prng, 1, 2, 4, 8, 16, 32),
                                     .line_bytes = PICK(prng, 4, 64, 64, 4096),
                                     .shared = prng_below(prng, 2)};
    if (prng_below(prng, 16) == 0)
        level.ways = PICK(prng, 0, 3, 65537);
    if (prng_below(prng, 16) == 0)
        level.line_bytes = PICK(prng, 0, 2, 48, 8192);
    level.size_bytes = (uint64_t)level.ways * level.line_bytes * PICK(prng, 1, 2, 3, 8, 16);
    if (prng_below(prng, 16) == 0)
        level.size_bytes += PICK(prng, 7, UINT32_MAX);
    return level;
}

static struct model_spec draw(struct prng *prng)
{
    struct model_spec spec = {
        .level_count = PICK(prng, 1, 2, 3, 4, 1, 2, 3, 2, 0, 5),
        .threads = PICK(prng, 1, 1, 1, 2, 3, 3, 126, 126, 0, 127),
        .causes = prng_below(prng, 2),
        .use = prng_below(prng, 2),
        .users_one_in = PICK(prng, 0, 0, 1, 2, 16, 3),
        .reuse_lines = PICK(prng, 0, 1, 2, 50),
        .evicted_max = PICK(prng, 1, 4, 1000),
        .pairs_max = PICK(prng, 1, 4, 50),
        .lines_limit_bytes = PICK(prng, 1, 10000, 1000000),
    };
    for (uint32_t i = 0; i < MODEL_LEVELS_MAX; i++)
        spec.level[i] = draw_level(prng);
    spec.level[0].shared &= !prng_below(prng, 8);
    if (prng_below(prng, 2))
        spec.instruction = draw_level(prng);
    /* Rules for combining levels; most random specs would be refused for them. */
    for (uint32_t i = 1; i < MODEL_LEVELS_MAX && prng_below(prng, 16); i++) {
        spec.level[i].shared |= spec.level[i - 1].shared;
        spec.level[i].line_bytes = spec.level[i - 1].line_bytes << (spec.level[i].shared ? 1 : 0);
        spec.level[i].size_bytes =
            (uint64_t)spec.level[i].ways * spec.level[i].line_bytes * PICK(prng, 1, 3, 4);
    }
    return spec;
}

static void access_random_trace(struct model *model, struct prng *prng)
{
    static const uint32_t kinds[] = {MODEL_LOAD, MODEL_STORE, MODEL_MODIFY,
                                     MODEL_STORE | MODEL_FLOAT, MODEL_INSTRUCTION};
    for (int i = 0; i < 200; i++) {
        uint64_t address = prng_next(prng) >> PICK(prng, 0, 48, 52, 56);
        struct model_thread *thread = model_thread(model, (uint32_t)prng_next(prng));
        if (!thread)
            continue;
        if (prng_below(prng, 8) == 0)
            address = -address;
        model_access(thread, address, PICK(prng, 1, 4, 8, 64, 0, 5000, UINT32_MAX),
                     kinds[prng_below(prng, 5)], PICK(prng, 0, 1, 5, 50, 500, MODEL_NONE));
    }
}

/* Reports add up, even if allocations fail. */
static void expect_reports_add_up(const struct model_rooms *rooms, const struct model_spec *spec)
{
    for (uint32_t level = 0; level < spec->level_count; level++) {
        const struct figures *total = &rooms->seen[level];
        assert_true(total->used_bytes <= total->left * spec->level[level].line_bytes);
    }
}

static void random_specs_work_or_are_refused(void **state)
{
    (void)state;
    struct prng prng = {1};
    uint32_t taken = 0, refused = 0, starved = 0;
    for (int i = 0; i < 600; i++) {
        struct model_rooms rooms = {.refuse_from = PICK(&prng, 0, 0, 0, 3, 10, 20, 40)};
        struct model_host host = model_host_of(&rooms);
        struct model_spec spec = draw(&prng);
        const char *why = model_spec_refuse(&spec);
        struct model *model = model_new(&spec, &host);
        assert_true(model || rooms.failed);
        assert_true(!why || !model);
        if (model) {
            access_random_trace(model, &prng);
            model_finish(model);
            expect_reports_add_up(&rooms, &spec);
        }
        taken += model != NULL;
        refused += why != NULL;
        starved += !why && rooms.failed;
        model_rooms_free(&rooms);
    }
    print_message("%u specs accepted, %u refused, %u out of memory\n", taken, refused, starved);
    assert_true(taken > 30 && refused > 30 && starved > 10);
}

static int run_model_spec(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(invalid_specs_are_refused_with_reason),
        cmocka_unit_test(refusal_reason_reaches_the_host),
        cmocka_unit_test(random_specs_work_or_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Use of lines, pairs of users and evictors, and threads that write: tiny traces, computed by hand.
 */

enum { USE_NONE = -1 };

/* 8 bytes read twice and 4 others written, of 16: 12 used, touched 20 times. */
static void line_use_follows_the_sip_formulas(void **state)
{
    (void)state;
    struct model *model = tiny_model(tiny_two_by_two);
    struct model_thread *thread = model_thread(model, 0);
    model_access(thread, 0, 8, MODEL_LOAD | MODEL_FLOAT, 7);
    model_access(thread, 0, 8, MODEL_LOAD, 8);
    model_access(thread, 8, 4, MODEL_STORE, 8);
    model_access(thread, 2 * TINY_LINE, 1, MODEL_LOAD, 9);
    assert_int_equal(tiny_eviction_count, 0);
    model_access(thread, 4 * TINY_LINE, 1, MODEL_LOAD, 10);
    assert_int_equal(tiny_eviction_count, 1);
    assert_int_equal(tiny_evictions[0].fetched.ip, 7);
    assert_int_equal(tiny_evictions[0].use.touched, 0xfff);
    assert_int_equal(tiny_evictions[0].use.written, 0xf00);
    const struct figures *seven = &tiny_of_ip[7][0];
    assert_int_equal(seven->uses[MODEL_LOAD_FLOAT], 1);
    assert_int_equal(seven->uses[MODEL_LOAD_INTEGER], 1);
    assert_int_equal(seven->uses[MODEL_STORE_INTEGER], 1);
    assert_int_equal(seven->written, 1);
    assert_true(seven->left == 1 && seven->used_bytes == 12 && seven->touched_bytes == 20);
    model_finish(model);
    assert_true(tiny_rooms.seen[0].left == 3 && tiny_rooms.seen[0].used_bytes == 14);
}

/* The Valgrind tool's settings, and the same for a model that samples nothing. */
struct drawn {
    struct model_rooms rooms;
    struct model_miss missed;
    double lines[2]; /* evicted lines by level, and their used bytes */
    double used_bytes[2];
    uint32_t reports[2];
};

static void drawn_miss(void *context, const struct model_miss *miss)
{
    ((struct drawn *)context)->missed = *miss;
}

static void drawn_eviction(void *context, const struct model_eviction *eviction)
{
    struct drawn *drawn = context;
    drawn->reports[eviction->level]++;
    drawn->lines[eviction->level] += eviction->weight;
    drawn->used_bytes[eviction->level] += (double)eviction->weight * eviction->used_bytes;
}

static void *allocate_counted(void *context, size_t size_bytes)
{
    struct model_host host = model_host_of(&((struct drawn *)context)->rooms);
    return host.allocate(host.context, size_bytes);
}

static void note_failure(void *context, const char *text)
{
    ((struct drawn *)context)->rooms.failed = text;
}

static bool drawn_wants_cause(void *context, uint32_t served)
{
    (void)context, (void)served;
    return true;
}

static struct model *drawn_model(struct drawn *drawn, bool lean)
{
    const struct model_spec spec = {
        .level = {{.size_bytes = 1024, .ways = 2, .line_bytes = 64},
                  {.size_bytes = 8192, .ways = 4, .line_bytes = 64, .shared = true}},
        .level_count = 2,
        .threads = 4,
        .causes = true,
        .use = true,
        .use_one_in = lean ? 8 : 0,
    };
    struct model_host host = {.context = drawn,
                              .allocate = allocate_counted,
                              .fail = note_failure,
                              .miss = drawn_miss,
                              .eviction = drawn_eviction,
                              .asks_causes = lean ? drawn_wants_cause : NULL};
    struct model *model = model_new(&spec, &host);
    assert_non_null(model);
    return model;
}

static void assert_same_miss(const struct model_miss *a, const struct model_miss *b)
{
    assert_int_equal(a->address, b->address);
    assert_int_equal(a->hit_level, b->hit_level);
    for (uint32_t level = 0; level < a->hit_level; level++) {
        assert_int_equal(a->level[level].cause, b->level[level].cause);
        assert_int_equal(a->level[level].evictor.ip, b->level[level].evictor.ip);
        assert_int_equal(a->level[level].evictor.address, b->level[level].evictor.address);
        assert_int_equal(a->level[level].evictor_thread, b->level[level].evictor_thread);
    }
}

/* Sampled lines represent all lines, and nothing else changes: causes and evictors are the same for
 * each access, before and after a second thread starts. */
static void sampled_lines_represent_all_lines(void **state)
{
    static struct drawn all, some;
    enum { STEPS = 400000, SECOND_FROM = 300000 };
    struct prng prng = {7};
    (void)state;
    struct model *models[] = {drawn_model(&all, false), drawn_model(&some, true)};
    for (int i = 0; i < STEPS; i++) {
        uint64_t address = 0x10000 + prng_below(&prng, 1u << PICK(&prng, 10, 12, 14, 15));
        uint32_t size = PICK(&prng, 1, 4, 8, 8), kind = PICK(&prng, MODEL_LOAD, MODEL_STORE);
        uint32_t thread = i >= SECOND_FROM ? 1 + prng_below(&prng, 2) : 1;
        uint32_t served[2];
        for (int k = 0; k < 2; k++)
            served[k] = model_access(model_thread(models[k], thread), address, size, kind,
                                     prng_below(&(struct prng){(uint64_t)i + 1}, 100));
        assert_int_equal(served[0], served[1]);
        if (served[0])
            assert_same_miss(&all.missed, &some.missed);
    }
    for (int level = 0; level < 2; level++) {
        assert_true(some.reports[level] * 6 < all.reports[level]);
        assert_true(fabs(some.lines[level] / all.lines[level] - 1) < 0.05);
        assert_true(fabs(some.used_bytes[level] / some.lines[level] /
                             (all.used_bytes[level] / all.lines[level]) -
                         1) < 0.05);
    }
    model_rooms_free(&all.rooms);
    model_rooms_free(&some.rooms);
}

/* The uses of a line in the first level count in the second level, too, once, whichever evicts it
 * first. */
static void line_use_propagates_to_the_next_level(void **state)
{
    (void)state;
    struct model_spec spec = {
        .level = {{.size_bytes = TINY_LINE, .ways = 1, .line_bytes = TINY_LINE},
                  {.size_bytes = 4 * TINY_LINE, .ways = 2, .line_bytes = 2 * TINY_LINE}},
        .level_count = 2};
    struct model *model = tiny_model(spec);
    struct model_thread *thread = model_thread(model, 0);
    model_access(thread, 0, 4, MODEL_LOAD, 1);
    model_access(thread, TINY_LINE, 4, MODEL_STORE, 2); /* the other half of the longer line */
    model_access(thread, TINY_LINE, 4, MODEL_LOAD, 2);
    model_access(thread, 0, 4, MODEL_LOAD, 1);
    model_finish(model);
    const struct figures *second = &tiny_rooms.seen[1];
    assert_int_equal(second->misses, 1);
    assert_int_equal(second->left, 1);
    assert_int_equal(second->used_bytes, 8);
    assert_int_equal(second->touched_bytes, 16);
    assert_int_equal(second->written, 1);
    assert_int_equal(tiny_of_ip[1][1].used_bytes, 8);
    assert_int_equal(tiny_of_ip[2][1].left, 0);
}

/* Statements 2 and 3 use a line that statement 1 fetched; statement 0 evicts it. */
static void instruction_and_object_pairs_are_counted(void **state)
{
    (void)state;
    struct model_spec spec = tiny_two_by_two;
    spec.users_one_in = 1;
    struct model *model = tiny_model(spec);
    struct model_thread *thread = model_thread(model, 0);
    model_access(thread, 0, 4, MODEL_LOAD, 1);
    model_access(thread, 4, 4, MODEL_LOAD, 2);
    model_access(thread, 4, 4, MODEL_LOAD, 3);
    model_access(thread, 4, 4, MODEL_LOAD, 2);
    model_access(thread, 4096, 4, MODEL_LOAD, 0);
    model_access(thread, 4096 + 2 * TINY_LINE, 4, MODEL_LOAD, 0);
    model_access(thread, 0, 4, MODEL_LOAD, 1);
    assert_int_equal(model_rooms_pair(&tiny_rooms, MODEL_IP_USED_BY_IP, 0, 1, 1), 1);
    assert_int_equal(model_rooms_pair(&tiny_rooms, MODEL_IP_USED_BY_IP, 0, 1, 2), 2);
    assert_int_equal(model_rooms_pair(&tiny_rooms, MODEL_IP_USED_BY_IP, 0, 1, 3), 1);
    assert_int_equal(model_rooms_pair(&tiny_rooms, MODEL_IP_EVICTED_BY_IP, 0, 1, 0), 1);
    assert_int_equal(model_rooms_pair(&tiny_rooms, MODEL_IP_EVICTED_BY_IP, 0, 0, 1), 1);
}

struct shared_step {
    uint32_t thread, kind;
    uint64_t address;
    uint32_t served;
    enum model_cause cause;
    int evictor;
};

static void invalidation_causes_depend_on_bytes(void **state)
{
    (void)state;
    static const struct shared_step steps[] = {
        {0, MODEL_LOAD, 0, 1, MODEL_FIRST, USE_NONE},
        {1, MODEL_STORE, 8, 1, MODEL_FIRST_HERE, USE_NONE}, /* takes it from thread 0 */
        {1, MODEL_STORE, 8, 0, 0, 0},
        {0, MODEL_LOAD, 0, 1, MODEL_INVALIDATED_FALSE, 1},
        {1, MODEL_LOAD, 8, 0, 0, 0},   /* thread 0 only read it */
        {1, MODEL_STORE, 12, 0, 0, 0}, /* 5: takes it again */
        {1, MODEL_STORE, 0, 0, 0, 0},  /* also these bytes */
        {0, MODEL_LOAD, 4, 1, MODEL_INVALIDATED_FALSE, 5},
        {1, MODEL_STORE, 0, 0, 0, 0}, /* 8 */
        {0, MODEL_LOAD, 0, 1, MODEL_INVALIDATED_TRUE, 8},
        {0, MODEL_STORE, 4, 0, 0, 0}, /* 10: now from thread 1 */
        {1, MODEL_LOAD, 4, 1, MODEL_INVALIDATED_TRUE, 10},
    };
    struct model_spec spec = tiny_two_by_two;
    spec.threads = 2;
    struct model *model = tiny_model(spec);
    for (uint32_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const struct shared_step *step = &steps[i];
        struct model_thread *thread = model_thread(model, step->thread);
        assert_int_equal(model_access(thread, step->address, 4, step->kind, i), step->served);
        if (!step->served)
            continue;
        assert_int_equal(tiny_last_miss.level[0].cause, step->cause);
        assert_int_equal(tiny_last_miss.level[0].evictor.ip, (uint32_t)step->evictor);
    }
}

static int run_model_use(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sampled_lines_represent_all_lines),
        cmocka_unit_test_teardown(line_use_follows_the_sip_formulas, tiny_free),
        cmocka_unit_test_teardown(line_use_propagates_to_the_next_level, tiny_free),
        cmocka_unit_test_teardown(instruction_and_object_pairs_are_counted, tiny_free),
        cmocka_unit_test_teardown(invalidation_causes_depend_on_bytes, tiny_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Compares sampled reuse distances with exact ones found by counting, and the miss-ratio curve with
 * simulated caches. Prints the error of the estimate on random, skewed and looping traces. */

enum { LINE = 64, ACCESSES = 120000, LINES = 20000 };

static uint64_t trace[ACCESSES]; /* line numbers */

static void draw_random(struct prng *prng)
{
    for (int i = 0; i < ACCESSES; i++)
        trace[i] = prng_below(prng, LINES);
}

/* A few lines often, many seldom. */
static void draw_skewed(struct prng *prng)
{
    for (int i = 0; i < ACCESSES; i++) {
        double part = (double)prng_below(prng, 1 << 30) / (1 << 30);
        trace[i] = (uint64_t)(part * part * part * part * LINES);
    }
}

/* Two loops; one fits in caches in which the other does not. */
static void draw_looping(struct prng *prng)
{
    (void)prng;
    for (int i = 0; i < ACCESSES; i++)
        trace[i] = i / 30000 % 2 ? (uint64_t)(i % 3000) : (uint64_t)(5000 + i % 12000);
}

static const struct {
    const char *name;
    void (*draw)(struct prng *prng);
} traces[] = {{"random", draw_random}, {"skewed", draw_skewed}, {"looping", draw_looping}};
enum { TRACES = sizeof traces / sizeof *traces };

/* Uses by distance, as reported; estimates for all accesses. */
static struct curve {
    uint64_t by_256ths[LINES + 1]; /* [LINES]: this distance or more */
    uint64_t first_256ths;         /* first uses of lines */
} sampled;

static void on_reuse(void *context, const struct model_reuse *reuse)
{
    (void)context;
    if (reuse->distance == MODEL_NO_DISTANCE)
        sampled.first_256ths += reuse->weight_256ths;
    else
        sampled.by_256ths[reuse->distance < LINES ? reuse->distance : LINES] +=
            reuse->weight_256ths;
}

/*
 * Returns the share of accesses that would miss a fully associative LRU cache of `lines` lines: a
 * point of the miss-ratio curve. Divides by the exact number of accesses, which compensates for hot
 * lines that happen to be watched (SHARDS-adj, section 2.4 of the paper).
 */
static double sampled_ratio(uint64_t lines)
{
    uint64_t misses = sampled.first_256ths;
    for (uint64_t i = lines; i <= LINES; i++)
        misses += sampled.by_256ths[i];
    return fmin(1, (double)misses / (256.0 * ACCESSES));
}

static struct model *run(struct model_rooms *rooms, uint32_t reuse_lines, uint64_t size_bytes)
{
    struct model_spec spec = {.level = {{.size_bytes = size_bytes, .ways = 4, .line_bytes = LINE}},
                              .level_count = 1,
                              .threads = 1,
                              .reuse_lines = reuse_lines};
    if (!reuse_lines)
        spec.level[0].ways = (uint32_t)(size_bytes / LINE);
    struct model_host host = model_host_of(rooms);
    host.reuse = on_reuse;
    sampled = (struct curve){0};
    struct model *model = model_new(&spec, &host);
    assert_non_null(model);
    struct model_thread *thread = model_thread(model, 0);
    for (int i = 0; i < ACCESSES; i++)
        model_access(thread, trace[i] * LINE, 8, MODEL_LOAD, (uint32_t)(trace[i] % 4));
    return model;
}

/*
 * Sets distance[i] of each access, UINT32_MAX for first uses, by marking the last use of each line.
 */
static void measure_distances(uint32_t *distance)
{
    uint32_t *tree = calloc(ACCESSES + 1, sizeof *tree);
    uint32_t *last = calloc(LINES, sizeof *last);
    for (uint32_t now = 1; now <= ACCESSES; now++) {
        uint64_t line = trace[now - 1];
        distance[now - 1] = last[line] ? 0 : UINT32_MAX;
        for (uint32_t i = now - 1; last[line] && i; i &= i - 1)
            distance[now - 1] += tree[i];
        for (uint32_t i = last[line]; i; i &= i - 1)
            distance[now - 1] -= tree[i];
        for (uint32_t i = last[line]; i && i <= ACCESSES; i += i & -i)
            tree[i]--;
        for (uint32_t i = now; i <= ACCESSES; i += i & -i)
            tree[i]++;
        last[line] = now;
    }
    free(tree);
    free(last);
}

static double exact_ratio(const uint32_t *distance, uint64_t lines)
{
    uint32_t misses = 0;
    for (int i = 0; i < ACCESSES; i++)
        misses += distance[i] >= lines;
    return (double)misses / ACCESSES;
}

/* While all lines are watched, the result is exact. */
static void reuse_distances_are_exact_for_all_lines(void **state)
{
    (void)state;
    uint32_t *distance = malloc(ACCESSES * sizeof *distance);
    for (int t = 0; t < TRACES; t++) {
        static uint64_t counts[LINES + 1];
        struct model_rooms rooms = {.count = 0};
        struct prng prng = {(uint64_t)t + 1};
        uint64_t first = 0;
        memset(counts, 0, sizeof counts);
        traces[t].draw(&prng);
        measure_distances(distance);
        for (int i = 0; i < ACCESSES; i++)
            if (distance[i] == UINT32_MAX)
                first++;
            else
                counts[distance[i]]++;
        run(&rooms, LINES, 4096);
        assert_int_equal(sampled.first_256ths, first * 256);
        for (int i = 0; i <= LINES; i++)
            assert_int_equal(sampled.by_256ths[i], counts[i] * 256);
        model_rooms_free(&rooms);
    }
    free(distance);
}

/* Returns the mean difference between estimated and exact miss ratio over cache sizes: SHARDS's own
 * measure. */
static double mean_error(const uint32_t *distance)
{
    double sum = 0;
    int sizes = 0;
    for (uint64_t lines = 100; lines <= LINES; lines += 100, sizes++)
        sum += fabs(sampled_ratio(lines) - exact_ratio(distance, lines));
    return sum / sizes;
}

static void few_sampled_lines_give_the_miss_curve(void **state)
{
    (void)state;
    static const uint32_t watched[] = {256, 1024, 4096};
    uint32_t *distance = malloc(ACCESSES * sizeof *distance);
    printf("mean error of the miss ratio, %d lines:   256    1024    4096 watched\n", LINES);
    for (int t = 0; t < TRACES; t++) {
        struct prng prng = {(uint64_t)t + 1};
        double error = 0;
        traces[t].draw(&prng);
        measure_distances(distance);
        printf("%-40s", traces[t].name);
        for (int w = 0; w < 3; w++) {
            struct model_rooms rooms = {.count = 0};
            run(&rooms, watched[w], 4096);
            error = mean_error(distance);
            printf(" %6.4f ", error);
            model_rooms_free(&rooms);
        }
        printf("\n");
        assert_true(error < 0.02);
    }
    free(distance);
}

/* The points of the curve equal the misses of fully associative caches of these sizes. */
static void miss_curve_matches_simulated_caches(void **state)
{
    (void)state;
    struct prng prng = {3};
    struct model_rooms rooms = {.count = 0};
    double ratio[5];
    draw_skewed(&prng);
    run(&rooms, LINES, 4096);
    for (int i = 0; i < 5; i++)
        ratio[i] = sampled_ratio(UINT64_C(16) << i);
    model_rooms_free(&rooms);
    for (int i = 0; i < 5; i++) {
        run(&rooms, 0, (UINT64_C(16) << i) * LINE);
        assert_float_equal(ratio[i], (double)rooms.seen[0].misses / ACCESSES, 1e-9);
        model_rooms_free(&rooms);
    }
    run(&rooms, 0, 4096);
    assert_int_equal(sampled.first_256ths, 0);
    model_rooms_free(&rooms);
}

static int run_model_reuse(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reuse_distances_are_exact_for_all_lines),
        cmocka_unit_test(few_sampled_lines_give_the_miss_curve),
        cmocka_unit_test(miss_curve_matches_simulated_caches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    int failed = 0;
    failed += run_model();
    failed += run_model_spec();
    failed += run_model_use();
    failed += run_model_reuse();
    return failed;
}
