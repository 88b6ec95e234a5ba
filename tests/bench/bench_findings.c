/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cost of findings at each refresh, compared with the whole snapshot: a full window of misses in
 * random order on many objects, beyond the reach of the TLB, so that most rules check further.
 * Takes the fastest of several runs, because the machine is shared. Figures only, no verdict.
 */
#include "base/clock.h"
#include "base/hash.h"
#include "profile/state.h"
#include "unit/names.h"

#include <math.h>
#include <stdio.h>

enum { SAMPLES = 1 << 16, ROUNDS = 50 };
#define OBJECT_BYTES (UINT64_C(256) << 20)

static struct place places[SAMPLES];

static void know_memory(void *context, uint64_t address, struct memory_use *use)
{
    (void)context;
    (void)address;
    *use =
        (struct memory_use){.faults_per_s = 0, .cpus = 1, .kernel_share = 0, .tlb_entries = 1536};
}

static void draw(uint32_t objects)
{
    struct prng prng = {1};
    for (int i = 0; i < SAMPLES; i++) {
        uint32_t object = 1 + (uint32_t)prng_below(&prng, objects);
        places[i] = (struct place){
            .object = object, .base = object * OBJECT_BYTES, .size_bytes = OBJECT_BYTES};
        places[i].access =
            (struct access){.address = places[i].base + prng_below(&prng, OBJECT_BYTES),
                            .ip = 0x400000,
                            .weight = 10007,
                            .tid = object % 4,
                            .kind = ACCESS_LOAD,
                            .size = 8,
                            .time_ns = (uint64_t)(i + 1) * 500000};
    }
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static int bench(uint32_t objects)
{
    struct profile *profile;
    static const struct fake_names answers = {.memory = know_memory};
    struct profile_options options = {
        .names = FAKE_NAMES(&answers), .half_life_s = 10, .ways = 10, .event_count = 1};
    struct snapshot head = {0};
    double whole_us = INFINITY;
    double findings_us = INFINITY;
    size_t found = 0;
    if (geometry_parse(&options.geometry, "L1=32K,8,64", "/", NULL) ||
        profile_new(&profile, &options, NULL))
        return 1;
    draw(objects);
    profile_add_all(profile, places, SAMPLES);
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t now = places[SAMPLES - 1].access.time_ns + (uint64_t)i;
        uint64_t start = clock_now_ns();
        const struct snapshot *made = profile_snapshot(profile, &head, now);
        whole_us = least(whole_us, (double)(clock_now_ns() - start) / 1e3);
        struct snapshot again = made ? *made : head;
        struct arena arena;
        struct build build = {.profile = profile, .arena = &arena, .snapshot = &again};
        arena_init(&arena);
        start = clock_now_ns();
        build_findings(&build);
        findings_us = least(findings_us, (double)(clock_now_ns() - start) / 1e3);
        found = again.findings.count;
        arena_fini(&arena);
        snapshot_free(made);
    }
    printf("%4u objects: snapshot %7.0f us, of which findings %6.0f us (%u samples, %zu found)\n",
           objects, whole_us, findings_us, profile->window.used, found);
    profile_free(profile);
    return 0;
}

int main(void)
{
    return bench(1) || bench(8) || bench(1000);
}
