/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Data that is touched again in known ways, for test_watch.c. `watch_planted MODE SECONDS` prints
 * "ready 1", works until the time is over or SIGTERM comes, then prints its own figures:
 *   reused    16 MiB read in order, repeatedly; two of the eight words of each line
 *   streamed  256 MiB, each line read once in a time longer than a watch
 *   rows      64 lines 4 KiB apart, repeatedly: more than a set of L1 holds
 * Modes: all (alternating), stream (only streamed), tight (only rows; prints its speed), fork
 * (children are forked and end), threads (each starts, walks `reused` and ends), exec (execs itself
 * in mode tight for the last second).
 */
#include <pthread.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LINE = 8 /* in words */, REUSED = 1 << 21, STREAMED = 1 << 25, ROWS = 64, ROW = 512 };

alignas(4096) static uint64_t reused[REUSED];
alignas(4096) static uint64_t streamed[STREAMED];
alignas(4096) static uint64_t rows[ROWS * ROW];
static volatile uint64_t sink;
static atomic_int stop;
static uint64_t laps;
static double lap_s;
static double stream_lap_s;

static void on_signal(int number)
{
    (void)number;
    atomic_store(&stop, 1);
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* CPU time, so that other load does not matter; includes the time of traps. */
static double used_s(void)
{
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
}

__attribute__((noinline)) static uint64_t walk_reused(void)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < REUSED; i += LINE)
        sum += reused[i] + reused[i + 1];
    return sum;
}

/* In an order that no prefetcher follows; each address depends on the previous value. */
__attribute__((noinline)) static uint64_t walk_streamed(size_t lines)
{
    static uint64_t at;
    static double begun_s;
    uint64_t value = 0;
    for (size_t i = 0; i < lines; i++) {
        uint64_t line = at * 2654435761u % (STREAMED / LINE);
        value = streamed[line * LINE + value];
        if (++at % (STREAMED / LINE) == 0) {
            stream_lap_s = now_s() - begun_s;
            begun_s = now_s();
        }
    }
    return value;
}

__attribute__((noinline)) static uint64_t walk_rows(int times)
{
    uint64_t sum = 0;
    for (int k = 0; k < times; k++)
        for (size_t i = 0; i < ROWS; i++)
            sum ^= rows[i * ROW] + (uint64_t)k;
    return sum;
}

static void work_all(double end_s)
{
    enum { STREAMED_LINES = 8000, ROW_LAPS = 14000 };
    while (!atomic_load(&stop)) {
        double start_s = used_s();
        if (now_s() >= end_s)
            return;
        sink += walk_reused();
        sink += walk_streamed(STREAMED_LINES);
        sink += walk_rows(ROW_LAPS);
        lap_s += used_s() - start_s;
        laps++;
    }
}

static void work_stream(double end_s)
{
    enum { LINES = 100000 };
    while (!atomic_load(&stop) && now_s() < end_s)
        sink += walk_streamed(LINES);
}

/* Prints its speed, every tenth of a second of CPU time: "rate SECONDS LAPS". */
static void work_tight(double end_s)
{
    enum { STEP = 2000 };
    double printed_s = used_s();
    double begun_s = now_s();
    uint64_t printed = 0;
    while (!atomic_load(&stop) && now_s() < end_s) {
        sink += walk_rows(STEP);
        laps++;
        double passed_s = used_s() - printed_s;
        if (passed_s < 0.1)
            continue;
        printf("rate %.3f %.1f\n", now_s() - begun_s, (double)(laps - printed) / passed_s);
        fflush(stdout);
        printed_s += passed_s;
        printed = laps;
    }
}

static void work_fork(double end_s)
{
    while (!atomic_load(&stop) && now_s() < end_s) {
        pid_t child = fork();
        if (!child)
            _exit((int)(walk_reused() & 1));
        sink += walk_reused();
        waitpid(child, NULL, 0);
        laps++;
    }
}

static void *walk_once(void *nothing)
{
    enum { TIMES = 20 };
    for (int i = 0; i < TIMES; i++)
        sink += walk_reused();
    return nothing;
}

static void work_threads(double end_s)
{
    while (!atomic_load(&stop) && now_s() < end_s) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, walk_once, NULL))
            return;
        sink += walk_reused();
        pthread_join(thread, NULL);
        laps++;
    }
}

/* The watched data do not exist after the exec. */
static void work_exec(double end_s)
{
    while (!atomic_load(&stop) && now_s() < end_s - 1)
        sink += walk_reused();
    execl("/proc/self/exe", "watch_planted", "tight", "1", (char *)NULL);
}

static const struct mode {
    const char *name;
    void (*work)(double end_s);
} modes[] = {{"all", work_all},   {"stream", work_stream},   {"tight", work_tight},
             {"fork", work_fork}, {"threads", work_threads}, {"exec", work_exec}};

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = on_signal};
    double seconds = argc > 2 ? atof(argv[2]) : 1;
    const char *name = argc > 1 ? argv[1] : "all";
    sigaction(SIGTERM, &action, NULL);
    memset(reused, 0, sizeof reused);
    if (!strcmp(name, "all") || !strcmp(name, "stream"))
        memset(streamed, 0, sizeof streamed);
    memset(rows, 0, sizeof rows);
    printf("ready 1\n");
    fflush(stdout);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (!strcmp(name, modes[i].name))
            modes[i].work(now_s() + seconds);
    printf("laps %llu\nlap %.9f\nstream_lap %.3f\n", (unsigned long long)laps,
           laps ? lap_s / (double)laps : 0.0, stream_lap_s);
    return 0;
}
