/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Data with known reuse, for watch-beside-sim, which compiles it: `reuse_planted MODE` works until
 * it is killed. Each object is used in one way only:
 *   stream   512 MiB, a line read once in many rounds, with all of its words
 *   pass     256 KiB in order, eight times per round, all words: more than L1, less than L2 holds
 *   chase    2 MiB, a list of lines in random order, two words of eight; again after 32 rounds
 *   stride   64 lines a page apart, repeatedly: more than a set of L1 holds, one word
 *   hot      8 KiB of records picked at random, three words of eight: always cached
 * Modes: mixed (all alternating), scan (stream and hot), walk (chase and pass), sets (stride and
 * hot).
 */
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORDS = 8, /* per line */
    STREAM_LINES = 1 << 23,
    STREAM_STEP = 1 << 12,
    PASS_LINES = 1 << 12,
    PASSES = 8,
    CHASE_LINES = 1 << 15,
    CHASE_STEP = 1 << 10,
    STRIDE_ROWS = 64,
    STRIDE_WORDS = 512,
    STRIDE_LAPS = 500,
    HOT_LINES = 128,
    HOT_PICKS = 20000
};

struct line {
    uint64_t word[WORDS];
};

alignas(4096) static struct line stream[STREAM_LINES];
alignas(4096) static struct line pass[PASS_LINES];
alignas(4096) static struct line chase[CHASE_LINES];
alignas(4096) static uint64_t stride[STRIDE_ROWS * STRIDE_WORDS];
alignas(4096) static struct line hot[HOT_LINES];
static volatile uint64_t sink;

static uint64_t random_next(void)
{
    static uint64_t state = 88172645463325252;
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

/* Slow enough not to wrap around during a watch; written, because otherwise all pages would be the
 * kernel's zero page. */
__attribute__((noinline)) static void run_stream(void)
{
    static size_t at;
    uint64_t sum = at;
    for (size_t i = 0; i < STREAM_STEP; i++)
        for (int k = 0; k < WORDS; k++)
            stream[at + i].word[k] = sum = (sum * 3 + stream[at + i].word[k]) * (sum | 1);
    sink += sum;
    at = (at + STREAM_STEP) % STREAM_LINES;
}

__attribute__((noinline)) static void run_pass(void)
{
    uint64_t sum = 0;
    for (int lap = 0; lap < PASSES; lap++)
        for (size_t i = 0; i < PASS_LINES; i++)
            for (int k = 0; k < WORDS; k++)
                sum = sum * 3 + pass[i].word[k];
    sink += sum;
}

__attribute__((noinline)) static void run_chase(void)
{
    static uint64_t at;
    uint64_t sum = 0;
    for (size_t i = 0; i < CHASE_STEP; i++) {
        sum += chase[at].word[1];
        at = chase[at].word[0];
    }
    sink += sum;
}

__attribute__((noinline)) static void run_stride(void)
{
    uint64_t sum = 0;
    for (int lap = 0; lap < STRIDE_LAPS; lap++)
        for (size_t i = 0; i < STRIDE_ROWS; i++)
            sum = (sum ^ stride[i * STRIDE_WORDS]) + (uint64_t)lap;
    sink += sum;
}

__attribute__((noinline)) static void run_hot(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < HOT_PICKS; i++) {
        struct line *line = &hot[random_next() % HOT_LINES];
        sum += line->word[2] + line->word[5];
        line->word[7] += sum;
    }
    sink += sum;
}

/* Makes one cycle through all lines (Sattolo). */
static void link_chase(void)
{
    for (uint64_t i = 0; i < CHASE_LINES; i++)
        chase[i].word[0] = i;
    for (uint64_t i = CHASE_LINES - 1; i > 0; i--) {
        uint64_t other = random_next() % i;
        uint64_t next = chase[i].word[0];
        chase[i].word[0] = chase[other].word[0];
        chase[other].word[0] = next;
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*runs[5])(void);
    } modes[] = {{"mixed", {run_stream, run_pass, run_chase, run_stride, run_hot}},
                 {"scan", {run_stream, run_hot}},
                 {"walk", {run_chase, run_pass}},
                 {"sets", {run_stride, run_hot}}};
    const char *wanted = argc > 1 ? argv[1] : "mixed";
    for (size_t mode = 0; mode < sizeof modes / sizeof *modes; mode++) {
        if (strcmp(modes[mode].name, wanted) != 0)
            continue;
        link_chase();
        memset(pass, 1, sizeof pass);
        memset(stride, 1, sizeof stride);
        for (;;)
            for (int i = 0; i < 5 && modes[mode].runs[i]; i++)
                modes[mode].runs[i]();
    }
    fprintf(stderr, "reuse_planted: mixed, scan, walk or sets\n");
    return 2;
}
