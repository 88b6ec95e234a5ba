/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Buck and Hollingsworth's experiment (SC 2000, section 3): seven programs under a simulated cache
 * of 2 MB. Compares the misses of each object with the results of sampling and of n-way search.
 *
 *   sc2000 [-s SCALE] [PROGRAM...]
 *
 * SCALE multiplies the length of the runs (1: about two minutes for all). Prints tables like those
 * of the paper, with the published figures next to ours, and the largest errors.
 */
#include "published.h"
#include "simulated.h"
#include "stream.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TICK_CYCLES = 1000000 };

/* Section 3.3: 8,800 for the signal, and its handler. */
static const double interrupt_cycles = 9000;

static struct stream stream;
static struct simulated *cache;

void sc_work(uint32_t cycles)
{
    stream.cycles += cycles;
}

void sc_touch(const void *address, uint32_t bytes, bool store)
{
    stream.cycles++;
    stream.accesses++;
    if (simulated_misses(cache, (uint64_t)(uintptr_t)address, bytes, store))
        stream_miss(&stream, (uint64_t)(uintptr_t)address);
    if (stream.cycles >= stream.next_tick) {
        stream_tick(&stream);
        stream.next_tick = stream.cycles + TICK_CYCLES;
    }
}

static double percent(uint64_t part, uint64_t all)
{
    return all ? 100 * (double)part / (double)all : NAN;
}

static void cell(double value)
{
    if (isnan(value))
        printf("      -");
    else
        printf(" %6.1f", value);
}

struct errors {
    double samplers[SAMPLERS];
    double searches[SEARCHES];
    uint32_t reported[SEARCHES];
};

static void print_row(uint32_t index, struct errors *errors)
{
    const char *name = stream.program->objects[index].name;
    struct published published = published_of(stream.program->name, name);
    double actual = percent(stream.of[index], stream.misses);
    printf("  %-26s", name);
    cell(actual);
    for (int i = 0; i < SAMPLERS; i++) {
        const struct sampler *sampler = &stream.samplers[i];
        double share = percent(sampler->of[index], sampler->samples);
        cell(share);
        errors->samplers[i] = fmax(errors->samplers[i], fabs(share - actual));
    }
    for (int i = 0; i < SEARCHES; i++) {
        double share = stream_found(&stream.searches[i], index);
        cell(share);
        if (isnan(share))
            continue;
        errors->reported[i]++;
        errors->searches[i] = fmax(errors->searches[i], fabs(share - actual));
    }
    printf("  |");
    cell(published.actual);
    cell(published.sample);
    cell(published.search10);
    cell(published.search2);
    printf("\n");
}

static void print_rows(struct errors *errors)
{
    bool printed[OBJECTS_MAX] = {false};
    for (uint32_t n = 0; n < stream.program->object_count; n++) {
        uint32_t best = OBJECTS_MAX;
        for (uint32_t i = 0; i < stream.program->object_count; i++)
            if (!printed[i] && (best == OBJECTS_MAX || stream.of[i] > stream.of[best]))
                best = i;
        printed[best] = true;
        print_row(best, errors);
    }
}

static void print_costs(void)
{
    double billions = (double)stream.cycles / 1e9;
    const struct sampler *sampler = &stream.samplers[1];
    printf("  %.2f billion cycles, %.1f million accesses, %.2f million misses (%.0f a million "
           "cycles)\n",
           billions, (double)stream.accesses / 1e6, (double)stream.misses / 1e6,
           (double)stream.misses / (billions * 1e3));
    printf("  interrupts a billion cycles: sampling %.1f, ten-way search %.1f, two-way %.1f; "
           "sampling slows by %.3f %%\n",
           (double)sampler->samples / billions, stream.searches[0].iteration / billions,
           stream.searches[1].iteration / billions,
           100 * (double)sampler->samples * interrupt_cycles / (double)stream.cycles);
}

static void experiment(const struct sc_program *program, double scale)
{
    struct errors errors = {{0}, {0}, {0}};
    uint32_t parts = (uint32_t)fmax(1, program->parts * scale);
    program->prepare();
    cache = simulated_new();
    stream_init(&stream, program);
    for (uint32_t part = 0; part < parts; part++)
        program->run(part);
    printf("%s\n  %-26s %6s %6s %6s %6s %6s %6s  | %6s %6s %6s %6s\n", program->name, "object",
           "actual", "50,000", "50,111", "jitter", "10-way", "2-way", "actual", "50,000", "10-way",
           "2-way");
    print_rows(&errors);
    print_costs();
    printf("  largest error: 1 in 50,000 %.1f, 1 in 50,111 %.1f, jittered %.1f (%llu samples); "
           "ten-way %.2f (%u objects), two-way %.2f (%u)\n\n",
           errors.samplers[0], errors.samplers[1], errors.samplers[2],
           (unsigned long long)stream.samplers[1].samples, errors.searches[0], errors.reported[0],
           errors.searches[1], errors.reported[1]);
    fflush(stdout);
    simulated_free(cache);
}

int main(int argc, char **argv)
{
    static const struct sc_program *const programs[] = {&tomcatv, &swim,     &su2cor, &mgrid,
                                                        &applu,   &compress, &ijpeg};
    double scale = 1;
    int first = 1;
    if (argc > 2 && !strcmp(argv[1], "-s")) {
        scale = atof(argv[2]);
        first = 3;
    }
    printf("percent of all misses; %s\nleft: here, right of the bar: as published\n\n",
           simulated_described());
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        bool wanted = first >= argc;
        for (int k = first; k < argc; k++)
            wanted |= !strcmp(argv[k], programs[i]->name);
        if (wanted)
            experiment(programs[i], scale);
    }
    return 0;
}
