/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Specs: what is refused and in which words; and drawn ones, of which those that are taken make a
 * model that goes through any trace, in whatever memory there is.
 */
#include "unit.h"

#include "model_host.h"

#include "base/hash.h"

#include <string.h>

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

static void says_why(void **state)
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
    REFUSED("level 2: bytes of a line are no power", spec.level[1].line_bytes = 96);
    REFUSED("level 2: lines shorter", spec.level[1].line_bytes = 32);
    REFUSED("level 1: size is less", spec.level[0].size_bytes = 64);
    REFUSED("level 1: size is no multiple", spec.level[0].size_bytes = 1025);
    REFUSED("level 2: more than 2^28", spec.level[1].size_bytes = UINT64_C(1) << 40);
    REFUSED("level 1: unknown replacement", spec.level[0].policy = 3);
    REFUSED("level 1: tree-PLRU wants", spec.level[0].policy = MODEL_TREE_PLRU;
            spec.level[0].ways = 3; spec.level[0].size_bytes = 3 * 64);
    REFUSED("level 2: private below", spec.level[0].shared = true; spec.level[1].shared = false);
    REFUSED("level 2: private levels of several", spec.level[1].shared = false;
            spec.level[1].line_bytes = 128);
    REFUSED("level 2: inclusive, but", spec.level[1].inclusive = spec.whole_access_below = true);
    REFUSED("instruction cache: there are no ways", spec.instruction.size_bytes = 1024;
            spec.instruction.line_bytes = 64);
    REFUSED("unknown kind of prefetch", spec.prefetch = 3);
    REFUSED("not there", spec.prefetch = MODEL_NEXT_LINE; spec.prefetch_level = 2);
    REFUSED("no power of two", spec.users_one_in = 3);
}

static void refusal_reaches_the_host(void **state)
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
                                     .policy = (uint8_t)PICK(prng, 0, 1, 2),
                                     .inclusive = prng_below(prng, 8) == 0,
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
        .no_write_allocate = prng_below(prng, 2),
        .whole_access_below = prng_below(prng, 4) == 0,
        .prefetch = (uint8_t)PICK(prng, 0, 0, 1, 2, 1, 2, 3),
        .prefetch_level = PICK(prng, 0, 0, 0, 1, 4),
        .causes = prng_below(prng, 2),
        .use = prng_below(prng, 2),
        .users_one_in = PICK(prng, 0, 0, 1, 2, 16, 3),
        .reuse_lines = PICK(prng, 0, 1, 2, 50),
        .ips_max = PICK(prng, 1, 10, 100),
        .bins_max = PICK(prng, 1, 10, 100),
        .evicted_max = PICK(prng, 1, 4, 1000),
        .pairs_max = PICK(prng, 1, 4, 50),
        .lines_limit_bytes = PICK(prng, 1, 10000, 1000000),
    };
    for (uint32_t i = 0; i < MODEL_LEVELS_MAX; i++)
        spec.level[i] = draw_level(prng);
    if (prng_below(prng, 2))
        spec.instruction = draw_level(prng);
    /* How levels have to go together; most draws would be refused for it. */
    for (uint32_t i = 1; i < MODEL_LEVELS_MAX && prng_below(prng, 16); i++) {
        spec.level[i].shared |= spec.level[i - 1].shared;
        spec.level[i].line_bytes = spec.level[i - 1].line_bytes << (spec.level[i].shared ? 1 : 0);
        spec.level[i].size_bytes =
            (uint64_t)spec.level[i].ways * spec.level[i].line_bytes * PICK(prng, 1, 3, 4);
    }
    return spec;
}

static uint32_t odd_bin(void *context, uint64_t address)
{
    (void)context;
    return address % 3 ? (uint32_t)(address >> 8) : MODEL_NONE;
}

static void add_count(void *context, uint32_t first, uint32_t second, uint64_t count)
{
    (void)first, (void)second;
    *(uint64_t *)context += count;
}

static void any_trace(struct model *model, struct prng *prng)
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

/* What was counted once is the sum of its parts, whatever found no room. */
static void adds_up(const struct model *model, const struct model_spec *spec)
{
    for (uint32_t level = 0; level < spec->level_count; level++) {
        const struct model_figures *total = model_total(model, level);
        uint64_t causes = 0, pairs = 0;
        for (int i = 0; i < MODEL_CAUSES; i++)
            causes += total->causes[i];
        assert_int_equal(causes, total->misses);
        pairs += model_each_pair(model, MODEL_BIN_EVICTED_BY_BIN, level, add_count, &pairs);
        assert_int_equal(pairs, total->evicted_by_same + total->evicted_by_other);
        assert_true(total->used_bytes <=
                    (total->fetched + total->prefetched) * spec->level[level].line_bytes);
        assert_true(total->prefetched_unused <= total->prefetched);
    }
}

static void drawn_specs_hold_or_are_refused(void **state)
{
    (void)state;
    struct prng prng = {1};
    uint32_t taken = 0, refused = 0, starved = 0;
    for (int i = 0; i < 600; i++) {
        struct model_rooms rooms = {.refuse_from = PICK(&prng, 0, 0, 0, 3, 10, 20, 40)};
        struct model_host host = model_host_of(&rooms);
        struct model_spec spec = draw(&prng);
        const char *why = model_spec_refuse(&spec);
        host.bin_of = odd_bin;
        struct model *model = model_new(&spec, &host);
        assert_true(model || rooms.failed);
        assert_true(!why || !model);
        if (model) {
            any_trace(model, &prng);
            model_finish(model);
            adds_up(model, &spec);
        }
        taken += model != NULL;
        refused += why != NULL;
        starved += !why && rooms.failed;
        model_rooms_free(&rooms);
    }
    print_message("%u specs taken, %u refused, %u without the memory\n", taken, refused, starved);
    assert_true(taken > 30 && refused > 30 && starved > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_why),
        cmocka_unit_test(refusal_reaches_the_host),
        cmocka_unit_test(drawn_specs_hold_or_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
