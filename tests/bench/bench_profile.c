/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cost of a sample in the tables, and of a snapshot with 1,000 objects. Figures, no verdict. */
#include "base/clock.h"
#include "base/prng.h"
#include "profile/pairs.h"
#include "profile/profile.h"
#include "profile/window.h"

#include <stdio.h>

enum { OBJECTS = 1000, ROUNDS = 2000000, DRAWN = 1 << 16 };

static struct place drawn[DRAWN];

static void draw(void)
{
    struct prng prng = {1};
    for (int i = 0; i < DRAWN; i++) {
        uint32_t object = (uint32_t)prng_below(&prng, OBJECTS);
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

/* The same samples, half of them with a type: one of a hundred. */
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
    for (int i = 0; i < ROUNDS + DRAWN; i++) {
        if (i == DRAWN)
            start = clock_now_ns();
        drawn[i % DRAWN].access.time_ns = now += 500000;
        profile_add(profile, &drawn[i % DRAWN]);
    }
    report(what, start, ROUNDS);
    for (int i = 0; i < 3; i++) {
        start = clock_now_ns();
        snapshot_free(profile_snapshot(profile, &head, now));
        report("profile_snapshot", start, 1);
    }
    profile_free(profile);
    return 0;
}

int main(void)
{
    draw();
    bench_parts();
    if (bench_profile("profile_add, 1,000 objects"))
        return 1;
    give_types();
    return bench_profile("... half of them typed");
}
