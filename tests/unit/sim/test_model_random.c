/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs random traces through the model and an independent plain model: level and causes of every
 * access, and all counts at the end, must be equal. MODEL_FULL=1 runs longer traces. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "unit.h"
#include "unit/sim/model_host.h"
#include "unit/sim/model_plain.h"

enum { SPAN = PLAIN_BYTES / 4, START = PLAIN_BYTES * 3 / 8 };

struct run {
    struct model_rooms rooms; /* first member: the host's context */
    struct prng prng;
    struct model_miss miss;
    bool missed;
    struct figures of_ip[PLAIN_IDS][MODEL_LEVELS_MAX];
    struct model_host counting;
    const struct model_spec *spec;
};

static void on_miss(void *context, const struct model_miss *miss)
{
    struct run *run = context;
    run->miss = *miss;
    run->missed = true;
    run->counting.miss(context, miss);
    for (uint32_t level = 0; level < miss->hit_level; level++)
        figures_miss(&run->of_ip[miss->who.ip][level], &miss->level[level]);
}

static void on_eviction(void *context, const struct model_eviction *eviction)
{
    struct run *run = context;
    run->counting.eviction(context, eviction);
    figures_line(&run->of_ip[eviction->fetched.ip][eviction->level], eviction);
}

struct access {
    uint32_t thread, size, kind, ip;
    uint64_t address;
};

/* Some hot bytes, some walks, some anywhere; statements 0 to 7. */
static struct access draw(struct run *run, uint64_t step)
{
    struct prng *prng = &run->prng;
    static const uint32_t kinds[] = {MODEL_LOAD, MODEL_LOAD, MODEL_STORE, MODEL_MODIFY};
    /* The last thread starts first, and runs alone for a while. */
    uint32_t last = run->spec->threads - 1;
    struct access access = {
        .thread = step < 300 ? last : last - (uint32_t)prng_below(prng, last + 1),
        .size = 1u << prng_below(prng, 4),
        .kind = kinds[prng_below(prng, 4)] | (prng_below(prng, 4) ? 0 : MODEL_FLOAT),
        .ip = (uint32_t)prng_below(prng, 8)};
    uint64_t where = prng_below(prng, 8);
    if (where < 3)
        access.address = prng_below(prng, 512);
    else if (where < 6)
        access.address = (step * 24 + access.ip * 1024) % SPAN;
    else
        access.address = prng_below(prng, SPAN);
    if (prng_below(prng, 64) == 0)
        access.size = (uint32_t)prng_below(prng, 300) + 1;
    access.address += START;
    return access;
}

static void same_miss(const struct run *run, const struct plain *plain)
{
    assert_int_equal(run->missed, plain->served > 0);
    for (uint32_t level = 0; level < plain->served; level++) {
        const struct model_missed *missed = &run->miss.level[level];
        assert_int_equal(missed->cause, plain->missed[level].cause);
        assert_int_equal(missed->evictor.ip, plain->missed[level].evictor.ip);
        assert_int_equal(missed->evictor_thread, plain->missed[level].evictor_thread);
    }
}

/* Removes figures that a model without use does not have. */
static struct figures without_use(const struct figures *figures)
{
    struct figures less = *figures;
    less.used_bytes = less.touched_bytes = less.written = 0;
    memset(less.uses, 0, sizeof less.uses);
    return less;
}

static void same_figures(const struct run *run, const struct figures *figures,
                         const struct figures *plain)
{
    struct figures wanted = *plain, found = *figures;
    if (!run->spec->use) {
        wanted = without_use(&wanted);
        found = without_use(&found);
    }
    assert_memory_equal(&found, &wanted, sizeof found);
}

static void same_pairs(const struct run *run, const struct plain *plain, uint32_t level)
{
    for (enum model_pairs which = 0; which < MODEL_PAIRS; which++)
        for (uint32_t first = 0; first < PLAIN_IDS; first++)
            for (uint32_t second = 0; second < PLAIN_IDS; second++)
                assert_int_equal(model_rooms_pair(&run->rooms, which, level, first, second),
                                 plain->pairs[which][level][first][second]);
}

static void same_end(const struct run *run, const struct plain *plain)
{
    for (uint32_t level = 0; level < plain->spec.level_count; level++) {
        same_figures(run, &run->rooms.seen[level], &plain->total[level]);
        for (uint32_t id = 0; id < PLAIN_IDS; id++)
            same_figures(run, &run->of_ip[id][level], &plain->of_ip[id][level]);
        same_pairs(run, plain, level);
    }
}

/* The model then finds the cause only after the serving level is known. */
static bool asks_causes(void *context, uint32_t served)
{
    (void)context, (void)served;
    return true;
}

static void compare(const struct model_spec *spec, uint64_t seed, uint64_t steps)
{
    struct run *run = calloc(1, sizeof *run);
    struct model_host host = run->counting = model_host_of(&run->rooms);
    host.miss = on_miss;
    host.eviction = on_eviction;
    host.asks_causes = seed % 2 ? asks_causes : NULL;
    run->prng.state = seed;
    run->spec = spec;
    struct model *model = model_new(spec, &host);
    assert_non_null(model);
    struct plain *plain = plain_new(spec);
    for (uint64_t step = 0; step < steps; step++) {
        struct access a = draw(run, step);
        run->missed = false;
        uint32_t served =
            model_access(model_thread(model, a.thread), a.address, a.size, a.kind, a.ip);
        assert_int_equal(served, plain_access(plain, a.thread, a.address, a.size, a.kind, a.ip));
        same_miss(run, plain);
        /* The results must not depend on when it is called. */
        if (step % 97 == 0)
            model_settle(model);
    }
    model_finish(model);
    plain_finish(plain);
    same_end(run, plain);
    plain_free(plain);
    model_rooms_free(&run->rooms);
    free(run);
}

static uint64_t steps(void)
{
    return getenv("MODEL_FULL") ? 200000 : 3000;
}

#define LEVEL(size, ways_, line, ...)                                                              \
    {                                                                                              \
        .size_bytes = size, .ways = ways_, .line_bytes = line, __VA_ARGS__                         \
    }

/* Shapes of one to three levels, including unusual ones. */
static const struct model_spec shapes[] = {
    {.level = {LEVEL(256, 1, 32)}, .level_count = 1},
    {.level = {LEVEL(512, 16, 32)}, .level_count = 1},
    {.level = {LEVEL(384, 2, 64), LEVEL(2048, 4, 64), LEVEL(8192, 8, 64, .shared = true)},
     .level_count = 3},
    {.level = {LEVEL(512, 4, 32), LEVEL(1536, 3, 32), LEVEL(4096, 4, 128, .shared = true)},
     .level_count = 3},
    {.level = {LEVEL(512, 4, 32), LEVEL(2048, 4, 32, .shared = true)}, .level_count = 2},
    {.level = {LEVEL(512, 2, 64), LEVEL(1024, 2, 64), LEVEL(4096, 4, 256, .shared = true)},
     .level_count = 3},
    {.level = {LEVEL(1024, 8, 64), LEVEL(2048, 8, 64, .shared = true),
               LEVEL(4096, 8, 64, .shared = true)},
     .level_count = 3},
    {.level = {LEVEL(128, 2, 4), LEVEL(256, 4, 4), LEVEL(2048, 4, 16, .shared = true)},
     .level_count = 3},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* With all features no access takes the fast path; with fewer features most do. The first are those
 * of the Valgrind tool. */
enum { CAUSES_ONLY, COUNTS, USE, CAUSES, USERS, ALL, WANTED };

static struct model_spec spec_wanting(uint32_t wanted, uint32_t shape, uint32_t threads)
{
    struct model_spec spec = shapes[shape];
    spec.threads = threads;
    spec.use = wanted >= USE;
    spec.causes = wanted == CAUSES_ONLY || wanted == CAUSES || wanted == ALL;
    spec.users_one_in = wanted == USERS || wanted == ALL;
    spec.reuse_lines = wanted == ALL ? 64 : 0;
    spec.pairs_max = PLAIN_IDS * PLAIN_IDS;
    return spec;
}

static void random_traces_of_one_thread_match_plain_model(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < SHAPES * WANTED; i++) {
        struct model_spec spec = spec_wanting(i / SHAPES, i % SHAPES, 1);
        compare(&spec, i + 1, steps());
    }
}

static void random_traces_of_threads_match_plain_model(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < SHAPES * WANTED; i++) {
        struct model_spec spec = spec_wanting(i / SHAPES, i % SHAPES, 2 + i % 3);
        compare(&spec, i + 100, steps());
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_traces_of_one_thread_match_plain_model),
        cmocka_unit_test(random_traces_of_threads_match_plain_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
