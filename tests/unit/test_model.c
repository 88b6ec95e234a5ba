/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces of tiny caches, worked by hand: lines of 16 bytes, letters name lines of one set. */
#include "unit.h"

#include "model_tiny.h"

#include <string.h>

enum { NOBODY = -1 };

/* Of tiny_two_by_two: A, B, C .. share the first set, a, b, c .. the second. */
static uint64_t address_of(char line)
{
    return line >= 'a' ? (uint64_t)(line - 'a') * 2 * TINY_LINE + TINY_LINE
                       : (uint64_t)(line - 'A') * 2 * TINY_LINE;
}

struct step {
    char line;
    int served;
    enum model_cause cause;
    int evictor; /* the step that threw it out */
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

static void three_causes_and_who_threw_it_out(void **state)
{
    (void)state;
    static const struct step steps[] = {
        {'A', 1, MODEL_FIRST, NOBODY},
        {'B', 1, MODEL_FIRST, NOBODY},
        {'A', 0, 0, 0},
        {'C', 1, MODEL_FIRST, NOBODY}, /* 3: B, older than A, goes */
        {'A', 0, 0, 0},
        {'B', 1, MODEL_CONFLICT, 3}, /* 5: four lines would hold A, B, C; C goes */
        {'C', 1, MODEL_CONFLICT, 5}, /* 6: A goes */
        {'a', 1, MODEL_FIRST, NOBODY},
        {'b', 1, MODEL_FIRST, NOBODY}, /* 8: the four last are B, C, a, b */
        {'B', 0, 0, 0},                /* C, a, b, B */
        {'c', 1, MODEL_FIRST, NOBODY}, /* 10: a goes; a, b, B, c */
        {'A', 1, MODEL_CAPACITY, 6},   /* 11: C goes; b, B, c, A */
        {'a', 1, MODEL_CAPACITY, 10},  /* 12: b goes; B, c, A, a */
        {'c', 0, 0, 0},
        {'b', 1, MODEL_CAPACITY, 12},
    };
    struct model *model = tiny_model(tiny_two_by_two);
    follow(model, steps, sizeof steps / sizeof *steps);
    const struct model_figures *total = model_total(model, 0);
    assert_int_equal(total->misses, 11);
    assert_int_equal(total->causes[MODEL_FIRST], 6);
    assert_int_equal(total->causes[MODEL_CONFLICT], 2);
    assert_int_equal(total->causes[MODEL_CAPACITY], 3);
    assert_int_equal(total->evicted_by_same, 5);
    assert_null(model_of_ip(model, 100, 0));
    assert_int_equal(model_of_ip(model, 5, 0)->causes[MODEL_CONFLICT], 1);
}

/* The tree: each node points away from the half used last. LRU would take B, C, D, A. */
static void tree_points_away_from_what_was_used(void **state)
{
    (void)state;
    static const char used[] = "ABCDAEFGH";
    static const char thrown_out[] = "CBDA";
    struct model_spec spec = {.level = {{.size_bytes = 8 * TINY_LINE,
                                         .ways = 4,
                                         .line_bytes = TINY_LINE,
                                         .policy = MODEL_TREE_PLRU}},
                              .level_count = 1};
    struct model *model = tiny_model(spec);
    for (const char *line = used; *line; line++)
        model_access(model_thread(model, 0), address_of(*line), 1, MODEL_LOAD, 0);
    assert_int_equal(tiny_eviction_count, strlen(thrown_out));
    for (uint32_t i = 0; i < tiny_eviction_count; i++)
        assert_int_equal(tiny_evictions[i].address, address_of(thrown_out[i]));
}

/* An empty cache fills way by way; the fifth line throws out one of the four, by the seed. */
static void random_takes_every_way(void **state)
{
    (void)state;
    enum { SEEDS = 100 };
    struct model_spec spec = {.level = {{.size_bytes = 4 * TINY_LINE,
                                         .ways = 4,
                                         .line_bytes = TINY_LINE,
                                         .policy = MODEL_RANDOM}},
                              .level_count = 1,
                              .evicted_max = 16,
                              .ips_max = 16,
                              .bins_max = 16};
    uint32_t thrown_out[4] = {0};
    for (spec.seed = 1; spec.seed <= SEEDS; spec.seed++) {
        struct model *model = tiny_model(spec);
        for (uint32_t way = 0; way < 5; way++)
            model_access(model_thread(model, 0), way * TINY_LINE, 1, MODEL_LOAD, way);
        assert_int_equal(tiny_eviction_count, 1);
        thrown_out[tiny_evictions[0].fetched.ip]++;
        tiny_free(NULL);
    }
    for (uint32_t way = 0; way < 4; way++)
        assert_true(thrown_out[way] > SEEDS / 10);
}

static void inclusive_level_takes_it_from_above(void **state)
{
    (void)state;
    struct model_spec spec = {
        .level =
            {{.size_bytes = 4 * TINY_LINE, .ways = 4, .line_bytes = TINY_LINE},
             {.size_bytes = 2 * TINY_LINE, .ways = 2, .line_bytes = TINY_LINE, .inclusive = true}},
        .level_count = 2};
    struct model *model = tiny_model(spec);
    struct model_thread *thread = model_thread(model, 0);
    for (uint32_t line = 0; line < 3; line++)
        assert_int_equal(model_access(thread, line * TINY_LINE, 4, MODEL_LOAD, line), 2);
    assert_int_equal(model_access(thread, 0, 4, MODEL_LOAD, 9), 2);
    assert_int_equal(tiny_last_miss.level[0].cause, MODEL_INCLUSION);
    assert_int_equal(tiny_last_miss.level[0].evictor.ip, 2);
    assert_int_equal(tiny_last_miss.level[1].cause, MODEL_CAPACITY);
}

/* Instructions take room below, and there the line that was used last goes, unseen by its thread.
 */
static void instructions_push_data_out(void **state)
{
    (void)state;
    struct model_spec spec = {
        .level =
            {{.size_bytes = 4 * TINY_LINE, .ways = 4, .line_bytes = TINY_LINE},
             {.size_bytes = 2 * TINY_LINE, .ways = 2, .line_bytes = TINY_LINE, .inclusive = true}},
        .level_count = 2,
        .instruction = {.size_bytes = 4 * TINY_LINE, .ways = 4, .line_bytes = TINY_LINE}};
    struct model *model = tiny_model(spec);
    struct model_thread *thread = model_thread(model, 0);
    assert_int_equal(model_access(thread, 0, 4, MODEL_LOAD, 0), 2);
    assert_int_equal(model_access(thread, 0, 4, MODEL_LOAD, 0), 0);
    assert_int_equal(model_access(thread, 4096, 4, MODEL_INSTRUCTION, 1), 2);
    assert_int_equal(model_access(thread, 4096, 4, MODEL_INSTRUCTION, 1), 0);
    assert_int_equal(model_access(thread, 4096 + TINY_LINE, 4, MODEL_INSTRUCTION, 2), 2);
    assert_int_equal(model_access(thread, 0, 4, MODEL_LOAD, 0), 2);
    assert_int_equal(tiny_last_miss.level[0].cause, MODEL_INCLUSION);
    assert_int_equal(tiny_last_miss.level[0].evictor.ip, 2);
    /* The first instructions went for it. */
    assert_int_equal(model_access(thread, 4096, 4, MODEL_INSTRUCTION, 1), 2);
    assert_int_equal(model_instruction_misses(model, 0), 3);
    assert_int_equal(model_total(model, 0)->misses, 2);
}

static void next_line_is_there_already(void **state)
{
    (void)state;
    struct model_spec spec = tiny_two_by_two;
    spec.prefetch = MODEL_NEXT_LINE;
    struct model *model = tiny_model(spec);
    struct model_thread *thread = model_thread(model, 0);
    assert_int_equal(model_access(thread, 0, 4, MODEL_LOAD, 1), 1);
    for (uint64_t address = TINY_LINE; address < 20 * TINY_LINE; address += TINY_LINE)
        assert_int_equal(model_access(thread, address, 4, MODEL_LOAD, 1), 0);
    model_finish(model);
    assert_int_equal(model_total(model, 0)->misses, 1);
    assert_int_equal(model_total(model, 0)->prefetched, 20);
    assert_int_equal(model_total(model, 0)->prefetched_unused, 1);
}

/* An access over three lines misses once; the same bytes missed line by line, three times. */
static void straddling_is_one_miss(void **state)
{
    (void)state;
    struct model *model = tiny_model(tiny_two_by_two);
    assert_int_equal(model_access(model_thread(model, 0), 12, 24, MODEL_LOAD, 0), 1);
    assert_int_equal(model_total(model, 0)->misses, 1);
    assert_int_equal(model_access(model_thread(model, 0), UINT64_MAX, 64, MODEL_LOAD, 0), 1);
    model_finish(model);
    assert_int_equal(model_total(model, 0)->fetched, 4);
    assert_int_equal(model_total(model, 0)->used_bytes, 25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(three_causes_and_who_threw_it_out, tiny_free),
        cmocka_unit_test_teardown(tree_points_away_from_what_was_used, tiny_free),
        cmocka_unit_test_teardown(random_takes_every_way, tiny_free),
        cmocka_unit_test_teardown(inclusive_level_takes_it_from_above, tiny_free),
        cmocka_unit_test_teardown(instructions_push_data_out, tiny_free),
        cmocka_unit_test_teardown(next_line_is_there_already, tiny_free),
        cmocka_unit_test_teardown(straddling_is_one_miss, tiny_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
