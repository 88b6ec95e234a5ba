/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cost of an access in the simulated caches, by result and by enabled features; and memory. CPU
 * time, the fastest of several rounds, because the machine may be busy. Figures only, no verdict.
 */
#include "unit/sim/model_host.h"

#include "base/hash.h"

#include <stdio.h>
#include <time.h>

enum { ACCESSES = 1 << 18, ROUNDS = 3, LINE = 64 };

static uint64_t addresses[ACCESSES];

/* The same line repeatedly; two alternating lines of different sets; eight lines of one set. */
static void draw_same(uint64_t i, struct prng *prng)
{
    (void)prng;
    addresses[i] = i % 8 * 8;
}

static void draw_recent(uint64_t i, struct prng *prng)
{
    (void)prng;
    addresses[i] = i % 32 * LINE;
}

static void draw_ways(uint64_t i, struct prng *prng)
{
    addresses[i] = prng_below(prng, 8) * 64 * LINE;
}

static void draw_sequential(uint64_t i, struct prng *prng)
{
    (void)prng;
    addresses[i] = i * 8 % (64u << 20);
}

static void draw_second(uint64_t i, struct prng *prng)
{
    (void)i;
    addresses[i] = prng_below(prng, (256 << 10) / 8) * 8;
}

static void draw_memory(uint64_t i, struct prng *prng)
{
    addresses[i] = prng_below(prng, (256u << 20) / 8) * 8;
}

static const struct {
    const char *name;
    void (*draw)(uint64_t i, struct prng *prng);
} meets[] = {{"hit: the line before", draw_same}, {"hit: the set's most recent", draw_recent},
             {"hit: any of 8 ways", draw_ways},   {"in order, 8 bytes", draw_sequential},
             {"any of 256 KB: L2", draw_second},  {"any of 256 MB: memory", draw_memory}};

static const struct {
    const char *name;
    bool use, causes;
    uint32_t users_one_in, reuse_lines, reuse_one_in;
} asked[] = {{"counts", false, false, 0, 0, 0},       {"+use", true, false, 0, 0, 0},
             {"+causes", true, true, 0, 0, 0},        {"+users/64", true, true, 64, 0, 0},
             {"+reuse/16", true, true, 64, 4096, 16}, /* as with --sim */
             {"+reuse 8192", true, true, 64, 8192, 0}};
enum { MEETS = sizeof meets / sizeof *meets, ASKED = sizeof asked / sizeof *asked };

static struct model *model_for(struct model_rooms *rooms, int what, uint32_t threads)
{
    struct model_spec spec = {
        .level = {{.size_bytes = 32 << 10, .ways = 8, .line_bytes = LINE},
                  {.size_bytes = 1 << 20, .ways = 8, .line_bytes = LINE},
                  {.size_bytes = 32 << 20, .ways = 16, .line_bytes = LINE, .shared = true}},
        .level_count = 3,
        .threads = threads,
        .use = asked[what].use,
        .causes = asked[what].causes,
        .users_one_in = asked[what].users_one_in,
        .reuse_lines = asked[what].reuse_lines,
        .reuse_one_in = asked[what].reuse_one_in};
    struct model_host host = model_host_of(rooms);
    return model_new(&spec, &host);
}

static uint64_t cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static double round_ns(struct model *model, uint32_t threads)
{
    uint32_t sum = 0;
    struct model_thread *thread[2] = {model_thread(model, 0), model_thread(model, threads - 1)};
    uint64_t start = cpu_ns();
    for (uint32_t i = 0; i < ACCESSES; i++)
        sum += model_access(thread[i >> 10 & 1], addresses[i], 8, i % 4 ? MODEL_LOAD : MODEL_STORE,
                            i % 64);
    uint64_t end = cpu_ns();
    return (double)(end - start + (sum == 0xdead)) / ACCESSES;
}

static double fastest_ns(int what, uint32_t threads, uint64_t *memory_bytes)
{
    static struct model_rooms rooms;
    struct model *model = model_for(&rooms, what, threads);
    double fastest = 1e9;
    for (int round = 0; model && round < ROUNDS; round++) {
        double ns = round_ns(model, threads);
        fastest = ns < fastest ? ns : fastest;
    }
    *memory_bytes = rooms.bytes;
    model_rooms_free(&rooms);
    return fastest;
}

static void table(uint32_t threads)
{
    uint64_t memory_bytes[ASKED] = {0};
    printf("ns an access, %u thread%s     ", threads, threads > 1 ? "s" : " ");
    for (int what = 0; what < ASKED; what++)
        printf(" %11s", asked[what].name);
    printf("\n");
    for (int meet = 0; meet < MEETS; meet++) {
        struct prng prng = {1};
        for (uint64_t i = 0; i < ACCESSES; i++)
            meets[meet].draw(i, &prng);
        printf("%-28s", meets[meet].name);
        for (int what = 0; what < ASKED; what++)
            printf(" %11.1f", fastest_ns(what, threads, &memory_bytes[what]));
        printf("\n");
        fflush(stdout);
    }
    printf("%-28s", "MB after the last");
    for (int what = 0; what < ASKED; what++)
        printf(" %11.1f", (double)memory_bytes[what] / (1 << 20));
    printf("\n");
}

int main(void)
{
    table(1);
    table(2);
    return 0;
}
