/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sampled reuse distances against exact ones, found by counting; the miss-ratio curve against
 * caches really simulated; and the error of the estimate, printed, on random, skewed and looping
 * traces.
 */
#include "unit.h"

#include "model_host.h"

#include "sim/model/reuse.h"

#include "base/hash.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LINE = 64, ACCESSES = 120000, LINES = 20000 };

static uint64_t trace[ACCESSES]; /* line numbers */

static void draw_random(struct prng *prng)
{
    for (int i = 0; i < ACCESSES; i++)
        trace[i] = prng_below(prng, LINES);
}

/* Few lines often, many seldom. */
static void draw_skewed(struct prng *prng)
{
    for (int i = 0; i < ACCESSES; i++) {
        double part = (double)prng_below(prng, 1 << 30) / (1 << 30);
        trace[i] = (uint64_t)(part * part * part * part * LINES);
    }
}

/* Two loops, of which one fits where the other does not. */
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

static uint32_t bin_of(void *context, uint64_t address)
{
    (void)context;
    return address / LINE < LINES / 2 ? 0 : 1;
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
    host.bin_of = bin_of;
    struct model *model = model_new(&spec, &host);
    assert_non_null(model);
    struct model_thread *thread = model_thread(model, 0);
    for (int i = 0; i < ACCESSES; i++)
        model_access(thread, trace[i] * LINE, 8, MODEL_LOAD, (uint32_t)(trace[i] % 4));
    return model;
}

/* distance[i] of each access, UINT32_MAX for first uses: marks at the last use of each line. */
static void measure(uint32_t *distance)
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

static uint32_t bucket_of(uint64_t distance)
{
    uint32_t bucket = 0;
    while (reuse_bucket_start(bucket + 1) <= distance)
        bucket++;
    return bucket;
}

/* As long as all lines are watched nothing is estimated. */
static void watching_all_is_exact(void **state)
{
    (void)state;
    uint32_t *distance = malloc(ACCESSES * sizeof *distance);
    for (int t = 0; t < TRACES; t++) {
        struct model_rooms rooms = {.count = 0};
        struct prng prng = {(uint64_t)t + 1};
        uint64_t counts[REUSE_BUCKETS] = {0}, first = 0;
        traces[t].draw(&prng);
        measure(distance);
        for (int i = 0; i < ACCESSES; i++)
            if (distance[i] == UINT32_MAX)
                first++;
            else
                counts[bucket_of(distance[i])]++;
        struct model *model = run(&rooms, LINES, 4096);
        const struct reuse_histogram *total = reuse_total(model);
        assert_int_equal(total->first_256ths, first * 256);
        for (int i = 0; i < REUSE_BUCKETS; i++) {
            uint64_t parts = 0;
            assert_int_equal(total->accesses_256ths[i], counts[i] * 256);
            for (uint32_t ip = 0; ip < 4; ip++)
                parts += reuse_of_ip(model, ip)->accesses_256ths[i];
            assert_int_equal(parts, counts[i] * 256);
            parts = reuse_of_bin(model, 0)->accesses_256ths[i];
            parts += reuse_of_bin(model, 1) ? reuse_of_bin(model, 1)->accesses_256ths[i] : 0;
            assert_int_equal(parts, counts[i] * 256);
        }
        assert_null(reuse_of_ip(model, 4));
        model_rooms_free(&rooms);
    }
    free(distance);
}

/* Mean difference between estimated and exact miss ratio over cache sizes; SHARDS's own measure. */
static double mean_error(const struct reuse_histogram *total, const uint32_t *distance)
{
    double sum = 0;
    int sizes = 0;
    for (uint64_t lines = 100; lines <= LINES; lines += 100, sizes++)
        sum += fabs(reuse_miss_ratio(total, lines, ACCESSES) - exact_ratio(distance, lines));
    return sum / sizes;
}

static void few_lines_tell_the_curve(void **state)
{
    (void)state;
    static const uint32_t watched[] = {256, 1024, 4096};
    uint32_t *distance = malloc(ACCESSES * sizeof *distance);
    printf("mean error of the miss ratio, %d lines:   256    1024    4096 watched\n", LINES);
    for (int t = 0; t < TRACES; t++) {
        struct prng prng = {(uint64_t)t + 1};
        double error = 0;
        traces[t].draw(&prng);
        measure(distance);
        printf("%-40s", traces[t].name);
        for (int w = 0; w < 3; w++) {
            struct model_rooms rooms = {.count = 0};
            error = mean_error(reuse_total(run(&rooms, watched[w], 4096)), distance);
            printf(" %6.4f ", error);
            model_rooms_free(&rooms);
        }
        printf("\n");
        assert_true(error < 0.02);
    }
    free(distance);
}

/* The curve's points are what fully associative caches of these sizes miss. */
static void curve_is_what_caches_do(void **state)
{
    (void)state;
    struct prng prng = {3};
    struct model_rooms rooms = {.count = 0};
    draw_skewed(&prng);
    const struct reuse_histogram *total = reuse_total(run(&rooms, LINES, 4096));
    /* Powers of two are where buckets begin: nothing is interpolated. */
    for (uint64_t lines = 16; lines <= 256; lines *= 2) {
        struct model_rooms others = {.count = 0};
        uint64_t misses = model_total(run(&others, 0, lines * LINE), 0)->misses;
        assert_float_equal(reuse_miss_ratio(total, lines, 0), (double)misses / ACCESSES, 1e-9);
        model_rooms_free(&others);
    }
    struct model_rooms none = {.count = 0};
    assert_null(reuse_total(run(&none, 0, 4096)));
    assert_true(isnan(reuse_miss_ratio(&(struct reuse_histogram){.first_256ths = 0}, 1, 0)));
    model_rooms_free(&rooms);
    model_rooms_free(&none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(watching_all_is_exact),
        cmocka_unit_test(few_lines_tell_the_curve),
        cmocka_unit_test(curve_is_what_caches_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
