/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cost per sample of each stage, on samples of a running program: records them from its rings
 * first, then passes them through the stages repeatedly.
 *
 *   bench_pipeline PID [MILLIONS]
 */
#include "base/clock.h"
#include "decode/decoder.h"
#include "profile/profile.h"
#include "resolve/resolver.h"
#include "sample/sampler.h"

#include <poll.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SAMPLES_MAX = 100000,
    BLOCK = 512,
    BLOCKS_MAX = SAMPLES_MAX / BLOCK + 1,
    RECORD_SECONDS = 4
};

struct bench {
    struct sampler *sampler;
    struct resolver *resolver;
    struct decoder *decoder;
    struct profile *profile;
    struct sample *samples;
    struct access *accesses;
    struct place *places;
    size_t count;
    uint64_t time_ns; /* time of the newest sample in the profile */
};

static void keep_sample(void *context, const struct record *record)
{
    struct bench *bench = context;
    if (record->kind == RECORD_SAMPLE && bench->count < SAMPLES_MAX)
        bench->samples[bench->count++] = record->sample;
    else if (record->kind == RECORD_MAPPING)
        resolver_record(bench->resolver, record);
}

static bool segment_base(void *context, uint32_t tid, enum decode_segment segment, uint64_t *base)
{
    return resolver_segment(context, tid, segment == DECODE_GS, base);
}

static int open_stages(struct bench *bench, int pid, struct error *error)
{
    struct sampler_options sampling = {.pid = pid, .source = "auto", .rate = 20000};
    struct resolver_options naming = {.pid = pid, .live = true};
    struct profile_options tables = {.half_life_s = 10, .ways = 10, .event_count = 1};
    int code = sampler_open(&bench->sampler, &sampling, error);
    if (!code)
        code = resolver_open(&bench->resolver, &naming, error);
    if (!code)
        code = geometry_parse(&tables.geometry, "L1=32K,8,64", "/sys/devices/system/cpu", error);
    if (code)
        return code;
    tables.names = resolver_names(bench->resolver);
    struct decode_target target = {.context = bench->resolver,
                                   .code = resolver_code,
                                   .function = resolver_function_bounds,
                                   .memory = resolver_memory,
                                   .segment = segment_base,
                                   .mapped = resolver_mapped};
    bench->decoder = decoder_new(&target);
    return profile_new(&bench->profile, &tables, error);
}

static void record(struct bench *bench)
{
    uint64_t end = clock_now_ns() + RECORD_SECONDS * CLOCK_NS_PER_S;
    struct pollfd polled = {.fd = sampler_fd(bench->sampler), .events = POLLIN};
    while (clock_now_ns() < end && bench->count < SAMPLES_MAX)
        if (poll(&polled, 1, 50) > 0)
            sampler_read(bench->sampler, UINT64_MAX, keep_sample, bench);
    sampler_read(bench->sampler, UINT64_MAX, keep_sample, bench);
    sampler_enable(bench->sampler, false);
}

struct block {
    size_t first;
    size_t end;
};

static void decode_block(struct bench *bench, struct block block)
{
    for (size_t i = block.first; i < block.end; i++)
        decoder_decode(bench->decoder, &bench->samples[i], &bench->accesses[i]);
}

static void resolve_block(struct bench *bench, struct block block)
{
    for (size_t i = block.first; i < block.end; i++) {
        const struct sample *sample = &bench->samples[i];
        bool usable = sample->has & SAMPLE_HAS_REGS && !(sample->has & SAMPLE_HAS_SKID_REGS);
        resolver_resolve(bench->resolver, &bench->accesses[i], usable ? sample->regs : NULL,
                         &bench->places[i]);
    }
}

/* Times increase from pass to pass, as the profile requires. */
static void profile_block(struct bench *bench, struct block block)
{
    for (size_t i = block.first; i < block.end; i++)
        bench->places[i].access.time_ns = bench->time_ns += 1000;
    profile_add_all(bench->profile, &bench->places[block.first], block.end - block.first);
}

enum { STAGES = 3 };
static const struct stage {
    const char *name;
    void (*run)(struct bench *bench, struct block block);
} stages[STAGES] = {
    {"decode", decode_block}, {"resolve", resolve_block}, {"profile", profile_block}};

/* For each stage and block, the time of its fastest pass: other load can only add time. */
struct costs {
    uint64_t best_ns[STAGES][BLOCKS_MAX];
};

/* Passes all samples through all stages once, one block at a time, because live samples come in
 * small groups. */
static void pass(struct bench *bench, struct costs *costs)
{
    size_t number = 0;
    for (size_t first = 0; first < bench->count; first += BLOCK, number++) {
        size_t end = first + BLOCK < bench->count ? first + BLOCK : bench->count;
        for (size_t i = 0; i < STAGES; i++) {
            uint64_t start = clock_now_ns();
            stages[i].run(bench, (struct block){first, end});
            uint64_t ns = clock_now_ns() - start;
            uint64_t *best = &costs->best_ns[i][number];
            *best = !*best || ns < *best ? ns : *best;
        }
    }
}

/* Repeats until all questions about debugging information are answered: a warm cache. */
static void read_types(struct bench *bench)
{
    enum { PATIENCE_SECONDS = 60 };
    uint64_t start = clock_now_ns();
    size_t typed = 0;
    size_t attributed = 0;
    struct block all = {0, bench->count};
    decode_block(bench, all);
    do {
        resolve_block(bench, all);
        resolver_settle(bench->resolver, clock_now_ns());
        poll(NULL, 0, 1);
    } while (resolver_loading(bench->resolver).pending_requests &&
             clock_now_ns() - start < PATIENCE_SECONDS * CLOCK_NS_PER_S);
    resolve_block(bench, all);
    for (size_t i = 0; i < bench->count; i++) {
        attributed += bench->places[i].access.reason == REASON_NONE;
        typed += bench->places[i].typed != TYPED_NONE;
    }
    printf("types read in %.2f s: %zu of %zu attributed samples typed\n",
           (double)(clock_now_ns() - start) / 1e9, typed, attributed);
}

/* The first snapshot also looks up source lines; the others have the cost of every refresh. */
static void measure_snapshots(struct bench *bench, uint64_t time_ns)
{
    enum { SNAPSHOTS = 10 };
    struct snapshot head = {0};
    double first = 0;
    double rest = 0;
    size_t objects = 0;
    for (int i = 0; i <= SNAPSHOTS; i++) {
        uint64_t start = clock_now_ns();
        const struct snapshot *snapshot = profile_snapshot(bench->profile, &head, time_ns);
        *(i ? &rest : &first) += (double)(clock_now_ns() - start) / 1e6;
        objects = snapshot ? snapshot->object_count : 0;
        snapshot_free(snapshot);
        for (size_t j = 0; j < bench->count && j < 2000; j++) {
            bench->places[j].access.time_ns = time_ns += 1000;
            profile_add(bench->profile, &bench->places[j]);
        }
    }
    printf("  snapshot %.2f ms at first, then %.2f ms, %zu objects\n", first, rest / SNAPSHOTS,
           objects);
}

static double show(const struct bench *bench, const struct costs *costs, size_t stage)
{
    uint64_t sum_ns = 0;
    for (size_t i = 0; i < BLOCKS_MAX; i++)
        sum_ns += costs->best_ns[stage][i];
    printf("  %-8s %7.1f ns a sample\n", stages[stage].name, (double)sum_ns / (double)bench->count);
    return (double)sum_ns / (double)bench->count;
}

static void measure(struct bench *bench, size_t wanted)
{
    static struct costs costs;
    double total = 0;
    size_t passes = 0;
    bench->time_ns = clock_now_ns();
    read_types(bench);
    pass(bench, &costs);
    struct mallinfo2 before = mallinfo2();
    for (; passes * bench->count < wanted; passes++)
        pass(bench, &costs);
    struct mallinfo2 after = mallinfo2();
    printf("%zu samples recorded, put through %zu times, the fastest of each block:\n",
           bench->count, passes);
    for (size_t i = 0; i < STAGES; i++)
        total += show(bench, &costs, i);
    printf("  together %7.1f ns: %.2f million samples a second per core\n", total, 1e3 / total);
    printf("  heap growth during this: %zd bytes\n", (ssize_t)(after.uordblks - before.uordblks));
    measure_snapshots(bench, bench->time_ns);
}

int main(int argc, char **argv)
{
    struct error error;
    struct bench bench = {.samples = calloc(SAMPLES_MAX, sizeof *bench.samples),
                          .accesses = calloc(SAMPLES_MAX, sizeof *bench.accesses),
                          .places = calloc(SAMPLES_MAX, sizeof *bench.places)};
    if (argc < 2 || !bench.samples || !bench.accesses || !bench.places) {
        fprintf(stderr, "usage: bench_pipeline PID [MILLIONS]\n");
        return 2;
    }
    if (open_stages(&bench, atoi(argv[1]), &error)) {
        printf("skipped: %s\n", error.text);
        return 1;
    }
    record(&bench);
    if (bench.count)
        measure(&bench, (size_t)((argc > 2 ? atof(argv[2]) : 5) * 1e6));
    else
        printf("skipped: no samples\n");
    sampler_close(bench.sampler);
    decoder_free(bench.decoder);
    profile_free(bench.profile);
    resolver_close(bench.resolver);
    free(bench.samples);
    free(bench.accesses);
    free(bench.places);
    return bench.count ? 0 : 1;
}
