/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cost of a sample in the tables, and of a snapshot with 1,000 objects. Figures, no verdict. */
#include "base/clock.h"
#include "base/prng.h"
#include "profile/pairs.h"
#include "profile/profile.h"
#include "profile/window.h"

#include <stdio.h>
#include <string.h>

enum { OBJECTS = 1000, FEW_OBJECTS = 10, ROUNDS = 2000000, DRAWN = 1 << 16 };

static struct place drawn[DRAWN];

/* Loads that hit L1, line fill buffer, L3 and memory, as Intel's load latency reports them. */
enum { SOURCES = 4 };
static const uint64_t sources[SOURCES] = {0x268100142, 0x1868100242, 0x668100842, 0x1a68101042};

static void draw(uint32_t objects)
{
    struct prng prng = {1};
    for (int i = 0; i < DRAWN; i++) {
        uint32_t object = (uint32_t)prng_below(&prng, objects);
        drawn[i] = (struct place){.object = object,
                                  .function = object % 50,
                                  .base = object * UINT64_C(1000000),
                                  .size_bytes = 1000000};
        drawn[i].access = (struct access){.address = drawn[i].base + prng_below(&prng, 64) * 64,
                                          .ip = 0x400000 + object % 200,
                                          .weight = 10007,
                                          .tid = object % 4,
                                          .kind = ACCESS_LOAD,
                                          .size = 8};
    }
}

static void report(const char *what, uint64_t start, double count)
{
    printf("%-28s %8.1f ns\n", what, (double)(clock_now_ns() - start) / count);
}

static void bench_parts(void)
{
    struct window window;
    struct pairs pairs;
    if (window_init(&window, 0, 6) || pairs_init(&pairs, 1 << 16))
        return;
    uint64_t start = clock_now_ns();
    for (int i = 0; i < ROUNDS; i++)
        window_add(&window, &(struct window_entry){.address = drawn[i % DRAWN].access.address});
    report("window_add", start, ROUNDS);
    start = clock_now_ns();
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t owner = PAIR_OWNER(drawn[i % DRAWN].object, 0);
        uint64_t key = drawn[i % DRAWN].access.address;
        pairs_take(&pairs, pairs_hash(owner, key), owner, key, 1);
    }
    report("pairs_take (each of three)", start, ROUNDS);
    window_fini(&window);
    pairs_fini(&pairs);
}

/* One of two profiles fed alike, but for what precise sources add. */
struct fed {
    struct profile *profile;
    bool levels;
    uint64_t spent_ns;
};

static void feed(struct fed *fed, uint64_t *now)
{
    uint64_t start = clock_now_ns();
    for (int i = 0; i < DRAWN; i++) {
        struct access *access = &drawn[i].access;
        access->time_ns = *now += 500000;
        access->data_src = fed->levels ? sources[i % SOURCES] : 0;
        access->latency = fed->levels ? 30 + (unsigned)i % 400 : 0;
        profile_add(fed->profile, &drawn[i]);
    }
    fed->spent_ns += clock_now_ns() - start;
}

static int bench_add(struct fed fed[2], uint32_t objects, uint64_t *now)
{
    struct profile_options options = {.half_life_s = 10, .ways = 10, .event_count = 1};
    if (geometry_parse(&options.geometry, "L1=32K,8,64", "/", NULL) ||
        profile_new(&fed[0].profile, &options, NULL) ||
        profile_new(&fed[1].profile, &options, NULL))
        return 1;
    fed[1].levels = true;
    draw(objects);
    /* The first round finds the tables' size; then by turns, so that both have the same noise. */
    for (int round = 0; round <= ROUNDS / DRAWN; round++)
        for (int i = 0; i < 2; i++) {
            fed[i].spent_ns = round ? fed[i].spent_ns : 0;
            feed(&fed[i], now);
        }
    double count = (double)(ROUNDS / DRAWN * DRAWN);
    printf("profile_add, %5u objects    %8.1f ns\n", objects, (double)fed[0].spent_ns / count);
    printf("%-28s %8.1f ns\n", "... with levels, latencies", (double)fed[1].spent_ns / count);
    return 0;
}

int main(void)
{
    struct snapshot head = {0};
    struct fed fed[2] = {{0}};
    uint64_t now = 1;
    draw(OBJECTS);
    bench_parts();
    /* 64 fields each: 640, as programs have them, and 64,000, which is all that tables hold. */
    if (bench_add(fed, FEW_OBJECTS, &now))
        return 1;
    profile_free(fed[0].profile);
    profile_free(fed[1].profile);
    memset(fed, 0, sizeof fed);
    if (bench_add(fed, OBJECTS, &now))
        return 1;
    for (int i = 0; i < 6; i++) {
        uint64_t start = clock_now_ns();
        snapshot_free(profile_snapshot(fed[i % 2].profile, &head, now));
        report(i % 2 ? "... with levels, latencies" : "profile_snapshot", start, 1);
    }
    profile_free(fed[0].profile);
    profile_free(fed[1].profile);
    return 0;
}
