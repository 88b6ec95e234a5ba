/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From a recording to records, and to tables: samples a second and peak memory, beside perf
 * report --stdio and perf script on the same file, whole processes all of them.
 *
 *   bench_replay              of recordings of a million samples and more, made now
 *   bench_replay FILE         of this one
 *   bench_replay --read FILE  reads it, and no more: what is timed
 */
#include "base/clock.h"
#include "sample/perfdata/perfdata.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Made now, into $FILE; $BUILD is the folder of the build. */
static const struct recording {
    const char *what;
    const char *command;
} recordings[] = {
    /* cpu-clock faster than the kernel can: a million in few seconds. */
    {"registers: cpu-clock, the demo", "exec >/dev/null 2>&1;"
                                       "perf record -q -o \"$FILE\" -e cpu-clock:u -c 10000 -d "
                                       "--intr-regs -- \"$BUILD/src/misstop-demo\" 12"},
    {"addresses: page faults", "exec >/dev/null 2>&1;"
                               "perf record -q -o \"$FILE\" -e page-faults:u -c 1 -d -- "
                               "\"$BUILD/tests/replay/load\" 4200"},
    {"neither: cpu-clock, a shell",
     "exec >/dev/null 2>&1; perf record -q -o \"$FILE\" -e cpu-clock -c 1000 -- "
     "sh -c 'i=0; while [ $i -lt 1000000 ]; do i=$((i+1)); done'"},
};

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

struct bench {
    const char *path; /* of the recording */
    uint64_t samples;
    double report_s; /* CPU time of perf report; 0: not known */
};

/* The best of three: what else runs on the machine only ever adds. */
static double compare(const struct bench *bench, const char *name, const char *const arguments[])
{
    struct figures best = {0};
    for (int run = 0; run < 3; run++) {
        struct figures figures;
        if (!measure(arguments, &figures)) {
            printf("%-24s not measured: it failed\n", name);
            return 0;
        }
        if (!run || figures.cpu_s < best.cpu_s)
            best = figures;
    }
    printf("%-24s %7.2f s wall %7.2f s CPU %7.2f M samples a CPU second", name, best.wall_s,
           best.cpu_s, (double)bench->samples / best.cpu_s / 1e6);
    if (bench->report_s > 0)
        printf(" %6.2f x perf report", bench->report_s / best.cpu_s);
    printf("  peak %ld KiB\n", best.peak_kb);
    return best.cpu_s;
}

/* `build`: the folder of the build, where misstop is. */
static int bench_file(const char *build, const char *self, const char *path)
{
    char misstop[4096];
    snprintf(misstop, sizeof misstop, "%s/src/misstop", build);
    const char *report[] = {"perf", "report", "-i", path, "--stdio", NULL};
    const char *data[] = {
        "perf", "report", "-i", path, "--stdio", "--mem-mode", "--sort=mem,symbol,symbol_daddr",
        NULL};
    const char *script[] = {"perf", "script", "-i", path, NULL};
    const char *records[] = {self, "--read", path, NULL};
    const char *tables[] = {misstop, "-i", path, "-b", "-H", "0", "-n", "1", NULL};
    struct bench bench = {.path = path, .samples = samples_in(path)};
    if (!bench.samples)
        return 1;
    printf("%" PRIu64 " samples\n", bench.samples);
    bench.report_s = compare(&bench, "perf report --stdio", report);
    compare(&bench, "perf report --mem-mode", data);
    compare(&bench, "perf script", script);
    compare(&bench, "misstop, to records", records);
    compare(&bench, "misstop, to tables", tables);
    return 0;
}

static int bench_fresh(const char *build, const char *self, const struct recording *recording)
{
    char path[] = "/var/tmp/misstop-bench-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0)
        return 1;
    close(fd);
    printf("%s\n", recording->what);
    fflush(stdout);
    setenv("FILE", path, true);
    setenv("BUILD", build, true);
    int code = system(recording->command);
    if (code)
        printf("skipped: perf record does not work here\n");
    else
        code = bench_file(build, self, path);
    unlink(path);
    return code;
}

/* This program stands in tests/bench of the build. */
static void build_of(const char *self, char *out, size_t out_size)
{
    snprintf(out, out_size, "%s", self);
    for (int up = 0; up < 3; up++) {
        char *slash = strrchr(out, '/');
        snprintf(slash ? slash : out, slash ? 1 : out_size, "%s", slash ? "" : ".");
    }
}

int main(int argument_count, char **arguments)
{
    char self[4096];
    char build[4096];
    int code = 0;
    if (argument_count == 3 && !strcmp(arguments[1], "--read"))
        return read_file(arguments[2]);
    if (!realpath("/proc/self/exe", self))
        return 1;
    build_of(self, build, sizeof build);
    if (argument_count == 2)
        return bench_file(build, self, arguments[1]);
    for (size_t i = 0; i < sizeof recordings / sizeof *recordings; i++)
        code |= bench_fresh(build, self, &recordings[i]);
    return code ? 77 : 0;
}
