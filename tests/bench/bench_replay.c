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
#include <math.h>
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

struct contender {
    const char *name;
    const char *const *arguments;
    struct figures best;
    bool failed;
};

/* In turn, so that what else runs on the machine meets all of them; it only ever adds. */
static void run_rounds(struct contender *contenders, size_t count)
{
    enum { ROUNDS = 3 };
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < count; i++) {
            struct contender *contender = &contenders[i];
            struct figures now;
            contender->failed |= !measure(contender->arguments, &now);
            if (contender->failed)
                continue;
            contender->best.wall_s = fmin(contender->best.wall_s, now.wall_s);
            contender->best.cpu_s = fmin(contender->best.cpu_s, now.cpu_s);
            contender->best.peak_kb = now.peak_kb;
        }
}

/* The first contender is what the others are compared with. */
static void print_contender(const struct contender *contender, const struct contender *first,
                            uint64_t samples)
{
    const struct figures *best = &contender->best;
    if (contender->failed) {
        printf("%-24s not measured: it failed\n", contender->name);
        return;
    }
    printf("%-24s %6.2f s wall %6.2f s CPU %6.2f M samples a CPU second, ", contender->name,
           best->wall_s, best->cpu_s, (double)samples / best->cpu_s / 1e6);
    if (!first->failed)
        printf("%5.2f (wall) %5.2f (CPU) x perf report, ", first->best.wall_s / best->wall_s,
               first->best.cpu_s / best->cpu_s);
    printf("peak %ld KiB\n", best->peak_kb);
}

/* `build`: the folder of the build, where misstop is; $BEFORE: another misstop to compare. */
static int bench_file(const char *build, const char *self, const char *path)
{
    char misstop[4096];
    const char *before = getenv("BEFORE");
    snprintf(misstop, sizeof misstop, "%s/src/misstop", build);
    const char *report[] = {"perf", "report", "-i", path, "--stdio", "--sort", "sym", NULL};
    const char *data[] = {
        "perf", "report", "-i", path, "--stdio", "--mem-mode", "--sort=mem,symbol,symbol_daddr",
        NULL};
    const char *script[] = {"perf", "script", "-i", path, NULL};
    const char *records[] = {self, "--read", path, NULL};
    const char *one[] = {misstop, "--threads", "1", "-i", path, "-b", "-H", "0", "-n", "1", NULL};
    const char *two[] = {misstop, "--threads", "2", "-i", path, "-b", "-H", "0", "-n", "1", NULL};
    const char *all[] = {misstop, "-i", path, "-b", "-H", "0", "-n", "1", NULL};
    const char *old[] = {before, "-i", path, "-b", "-H", "0", "-n", "1", NULL};
    struct contender contenders[] = {
        {.name = "perf report --sort sym", .arguments = report},
        {.name = "perf report --mem-mode", .arguments = data},
        {.name = "perf script", .arguments = script},
        {.name = "misstop, to records", .arguments = records},
        {.name = "misstop, one thread", .arguments = one},
        {.name = "misstop, two threads", .arguments = two},
        {.name = "misstop", .arguments = all},
        {.name = "$BEFORE", .arguments = old},
    };
    size_t count = sizeof contenders / sizeof *contenders - !before;
    uint64_t samples = samples_in(path);
    if (!samples)
        return 1;
    printf("%" PRIu64 " samples\n", samples);
    fflush(stdout);
    for (size_t i = 0; i < count; i++)
        contenders[i].best = (struct figures){.wall_s = INFINITY, .cpu_s = INFINITY};
    run_rounds(contenders, count);
    for (size_t i = 0; i < count; i++)
        print_contender(&contenders[i], &contenders[0], samples);
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
