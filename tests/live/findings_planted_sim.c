/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Problems for a small simulated cache: arrays that map to the same sets, an evicted table, arrays
 * read at the same index. The other programs of test_findings_sim.c are small variants of other
 * modes.
 */
#include "findings_planted.h"

#include <stdalign.h>

/* Each array is as long as a way of a cache of 8 KiB with 2 ways. */
enum { CLASH = 512, APART = 64, TABLE = 8192, SCANNED = 1 << 16, ROUNDS = 16 };
enum { PAIRS = 1 << 17, LOOK_UPS = 4096 };

alignas(4096) static volatile double clash_x[CLASH];
alignas(4096) static volatile double clash_y[CLASH + APART];
alignas(4096) static volatile double clash_z[CLASH + APART];
static size_t shift; /* offset of y in doubles; z has twice this */

static volatile uint64_t table[TABLE];
static volatile uint64_t scanned[SCANNED];

struct pair {
    double weight;
    double value;
};
static volatile double weights[PAIRS];
static volatile double values[PAIRS];
static volatile struct pair pairs[PAIRS];

/* ---- the work ---- */

__attribute__((noinline)) static size_t clash(void)
{
    const volatile double *y = clash_y + shift;
    const volatile double *z = clash_z + 2 * shift;
    for (size_t i = 0; i < CLASH; i++)
        clash_x[i] += y[i] * z[i];
    return CLASH;
}

__attribute__((noinline)) static uint64_t scan(void)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < SCANNED; i++)
        sum += scanned[i];
    return sum;
}

__attribute__((noinline)) static uint64_t ask_table(void)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < LOOK_UPS; i++)
        sum += table[planted_random() % TABLE];
    return sum;
}

__attribute__((noinline)) static size_t scan_and_ask(void)
{
    for (int round = 0; round < ROUNDS; round++)
        planted_sink = (double)(scan() + ask_table());
    return ROUNDS;
}

/* Scans all rounds first, so that the scan no longer evicts the table between lookups. */
__attribute__((noinline)) static size_t scan_then_ask(void)
{
    for (int round = 0; round < ROUNDS; round++)
        planted_sink = (double)scan();
    for (int round = 0; round < ROUNDS; round++)
        planted_sink = (double)ask_table();
    return ROUNDS;
}

__attribute__((noinline)) static size_t weigh(void)
{
    double sum = 0;
    for (size_t i = 0; i < LOOK_UPS; i++) {
        size_t at = planted_random() % PAIRS;
        sum += weights[at] * values[at];
    }
    planted_sink = sum;
    return LOOK_UPS;
}

__attribute__((noinline)) static size_t weigh_pairs(void)
{
    double sum = 0;
    for (size_t i = 0; i < LOOK_UPS; i++) {
        const volatile struct pair *pair = &pairs[planted_random() % PAIRS];
        sum += pair->weight * pair->value;
    }
    planted_sink = sum;
    return LOOK_UPS;
}

/* Each at a different index. */
__attribute__((noinline)) static size_t weigh_others(void)
{
    double sum = 0;
    for (size_t i = 0; i < LOOK_UPS; i++) {
        size_t at = planted_random() % PAIRS;
        sum += weights[at] * values[planted_random() % PAIRS];
    }
    planted_sink = sum;
    return LOOK_UPS;
}

/* ---- preparing the data ---- */

static void make_clash(size_t doubles)
{
    shift = doubles;
}

const struct planted_mode planted_sim_modes[] = {
    {"clash", make_clash, 0, clash, 1},
    {"clash-fixed", make_clash, 8, clash, 1},
    {"pushed", NULL, 0, scan_and_ask, 1},
    {"pushed-fixed", NULL, 0, scan_then_ask, 1},
    {"paired", NULL, 0, weigh, 1},
    {"paired-fixed", NULL, 0, weigh_pairs, 1},
    {"paired-others", NULL, 0, weigh_others, 1},
    {NULL, NULL, 0, NULL, 0},
};
