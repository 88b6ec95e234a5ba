/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From a recording to records: samples a second and peak memory, beside perf report --stdio and
 * perf script on the same file.
 *
 *   bench_replay              of a recording of a million samples and more, made now
 *   bench_replay FILE         of this one
 *   bench_replay --read FILE  reads it, and no more: what is timed
 */
#include "base/clock.h"
#include "sample/perfdata.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* cpu-clock once a microsecond, which the kernel cannot quite keep: a million in few seconds. */
#define BENCH_RECORD                                                                               \
    "perf record -q -o '%s' -e cpu-clock -c 1000 -- "                                              \
    "sh -c 'i=0; while [ $i -lt 3000000 ]; do i=$((i+1)); done' >/dev/null 2>&1"

struct figures {
    double wall_s;
    double cpu_s;
    long peak_kb;
};

static void count(void *context, const struct record *record)
{
    uint64_t *samples = context;
    *samples += record->kind == RECORD_SAMPLE;
}

static int read_file(const char *path)
{
    struct perfdata *file;
    struct error error;
    uint64_t samples = 0;
    if (perfdata_open(&file, path, 0, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    while (perfdata_read(file, UINT64_MAX, count, &samples) >= 0)
        continue;
    printf("%" PRIu64 "\n", samples);
    perfdata_close(file);
    return !samples;
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

/* Runs a program to its end, its output to /dev/null; false if it failed. */
static bool measure(const char *const arguments[], struct figures *figures)
{
    struct rusage usage;
    int status;
    uint64_t start_ns = clock_now_ns();
    pid_t child = fork();
    if (!child) {
        int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
        execvp(arguments[0], (char *const *)arguments);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) < 0 || status)
        return false;
    figures->wall_s = (double)(clock_now_ns() - start_ns) / 1e9;
    figures->cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    figures->peak_kb = usage.ru_maxrss;
    return true;
}

static uint64_t samples_in(const char *path)
{
    struct perfdata *file;
    struct error error;
    if (perfdata_open(&file, path, 0, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 0;
    }
    uint64_t samples = perfdata_counts(file).samples;
    perfdata_close(file);
    return samples;
}

/* The best of three: what else runs on the machine only ever adds. */
static void compare(const char *name, const char *const arguments[], uint64_t samples)
{
    struct figures best = {0};
    for (int run = 0; run < 3; run++) {
        struct figures figures;
        if (!measure(arguments, &figures)) {
            printf("%-22s not measured: it failed\n", name);
            return;
        }
        if (!run || figures.cpu_s < best.cpu_s)
            best = figures;
    }
    printf("%-22s %8.2f s wall %8.2f s CPU %9.0f samples a CPU second  peak %8ld KiB\n", name,
           best.wall_s, best.cpu_s, (double)samples / best.cpu_s, best.peak_kb);
}

static int bench(const char *self, const char *path)
{
    const char *ours[] = {self, "--read", path, NULL};
    const char *report[] = {"perf", "report", "-i", path, "--stdio", NULL};
    const char *script[] = {"perf", "script", "-i", path, NULL};
    uint64_t samples = samples_in(path);
    if (!samples)
        return 1;
    printf("%" PRIu64 " samples\n", samples);
    compare("misstop, to records", ours, samples);
    compare("perf report --stdio", report, samples);
    compare("perf script", script, samples);
    return 0;
}

static int bench_fresh(const char *self)
{
    char path[] = "/var/tmp/misstop-bench-XXXXXX";
    char command[512];
    int fd = mkstemp(path);
    if (fd < 0)
        return 1;
    close(fd);
    snprintf(command, sizeof command, BENCH_RECORD, path);
    int code = system(command);
    if (code)
        printf("skipped: perf record does not work here\n");
    else
        code = bench(self, path);
    unlink(path);
    return code ? 77 : 0;
}

int main(int argument_count, char **arguments)
{
    if (argument_count == 3 && !strcmp(arguments[1], "--read"))
        return read_file(arguments[2]);
    return argument_count == 2 ? bench(arguments[0], arguments[1]) : bench_fresh(arguments[0]);
}
