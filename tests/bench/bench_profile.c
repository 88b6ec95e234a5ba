/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cost of a sample in the tables, and of a snapshot with 1,000 objects. Figures only, no verdict.
 */
#include "base/clock.h"
#include "base/hash.h"
#include "profile/tables/tally.h"
#include "profile/profile.h"
#include "profile/cache/sharing.h"
#include "profile/cache/window.h"

#include <stdio.h>

enum { OBJECTS = 1000, FEW_OBJECTS = 10, ROUNDS = 2000000, DRAWN = 1 << 16 };

static struct place drawn[DRAWN];

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

/* The same samples, half of them with one of a hundred types. */
static void give_types(void)
{
    enum { TYPES = 100 };
    for (int i = 0; i < DRAWN; i += 2) {
        drawn[i].type = 1 + drawn[i].object % TYPES;
        drawn[i].type_offset = (uint32_t)(i / 2 % 16 * 8);
        drawn[i].by_member = true;
        drawn[i].typed = TYPED_CODE;
    }
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

/* Same as profile_add(): prefetches the needed line some time before. `threads`: number of threads
 * that touch each line; from two on the line has a row. */
static void bench_sharing(const char *what, uint32_t threads)
{
    enum { AHEAD = 4 };
    struct sharing sharing;
    if (sharing_init(&sharing))
        return;
    uint64_t start = clock_now_ns();
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct place place = drawn[i % DRAWN];
        place.access.time_ns = i;
        place.access.kind = ACCESS_LOAD_STORE;
        place.access.tid = threads == 1 ? 1 : i % threads;
        sharing_prefetch(&sharing, drawn[(i + AHEAD) % DRAWN].access.address);
        sharing_add(&sharing, &place, 1);
    }
    report(what, start, ROUNDS);
    sharing_fini(&sharing);
}

static int bench_profile(const char *what)
{
    struct profile *profile;
    struct snapshot head = {0};
    struct profile_options options = {.half_life_s = 10, .ways = 10, .event_count = 1};
    if (geometry_parse(&options.geometry, "L1=32K,8,64", "/", NULL) ||
        profile_new(&profile, &options, NULL))
        return 1;
    uint64_t now = 1;
    uint64_t start = 0;
    for (int round = 0; round <= ROUNDS / DRAWN; round++) {
        if (round == 1)
            start = clock_now_ns();
        for (int i = 0; i < DRAWN; i++)
            drawn[i].access.time_ns = now += 500000;
        profile_add_all(profile, drawn, DRAWN);
    }
    report(what, start, ROUNDS / DRAWN * DRAWN);
    for (int i = 0; i < 3; i++) {
        start = clock_now_ns();
        snapshot_free(profile_snapshot(profile, &head, now));
        report("profile_snapshot", start, 1);
    }
    profile_free(profile);
    return 0;
}

/* Loads that hit L1, line fill buffer, L3 and memory, as reported by Intel's load latency. */
enum { SOURCES = 4 };
static const uint64_t sources[SOURCES] = {0x268100142, 0x1868100242, 0x668100842, 0x1a68101042};

/* One of two profiles with the same input, except for the data of precise sources. */
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
    }
    profile_add_all(fed->profile, drawn, DRAWN);
    fed->spent_ns += clock_now_ns() - start;
}

static void report_both(const struct fed fed[2], uint32_t objects, uint64_t now)
{
    struct snapshot head = {0};
    double count = (double)(ROUNDS / DRAWN * DRAWN);
    printf("profile_add_all, %5u objects %7.1f ns\n", objects, (double)fed[0].spent_ns / count);
    printf("%-28s %8.1f ns\n", "... with levels, latencies", (double)fed[1].spent_ns / count);
    for (int i = 0; i < 2; i++) {
        uint64_t start = clock_now_ns();
        snapshot_free(profile_snapshot(fed[i].profile, &head, now));
        report(i ? "... with levels, latencies" : "profile_snapshot", start, 1);
    }
}

/* 64 fields per object. */
static int bench_levels(uint32_t objects)
{
    struct fed fed[2] = {{.levels = false}, {.levels = true}};
    struct profile_options options = {.half_life_s = 10, .ways = 10, .event_count = 1};
    uint64_t now = 1;
    if (geometry_parse(&options.geometry, "L1=32K,8,64", "/", NULL) ||
        profile_new(&fed[0].profile, &options, NULL) ||
        profile_new(&fed[1].profile, &options, NULL))
        return 1;
    draw(objects);
    /* The first round grows the tables; later rounds alternate, so that both profiles have the same
     * noise. */
    for (int round = 0; round <= ROUNDS / DRAWN; round++)
        for (int i = 0; i < 2; i++) {
            fed[i].spent_ns = round ? fed[i].spent_ns : 0;
            feed(&fed[i], &now);
        }
    report_both(fed, objects, now);
    profile_free(fed[0].profile);
    profile_free(fed[1].profile);
    return 0;
}

int main(void)
{
    draw(OBJECTS);
    bench_parts();
    bench_sharing("sharing_add, of one thread", 1);
    bench_sharing("sharing_add, of two", 2);
    if (bench_profile("profile_add_all, 1,000 objects"))
        return 1;
    give_types();
    if (bench_profile("... half of them typed"))
        return 1;
    /* 640 fields, typical of programs, and 64,000, the capacity of the tables. */
    return bench_levels(FEW_OBJECTS) || bench_levels(OBJECTS);
}
