/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From a recording to records, and to tables: samples per second and peak memory, compared with
 * perf report --stdio and perf script on the same file, each a whole process.
 *
 *   bench_replay              with new recordings of a million samples and more
 *   bench_replay FILE         with this one
 *   bench_replay --read FILE  only reads it: the timed part
 *   bench_replay --repeat FILE TIMES  writes a recording with its samples repeated, with later
 *   times, to standard output (recording-scale)
 */
#include "base/clock.h"
#include "sample/perfdata/attributes.h"
#include "sample/perfdata/input.h"
#include "sample/perfdata/perfdata.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Recorded now, to $FILE; $BUILD is the build folder. */
static const struct recording {
    const char *what;
    const char *command;
} recordings[] = {
    /* cpu-clock faster than the kernel allows: a million samples in a few seconds. */
    {"registers: cpu-clock, the demo", "exec >/dev/null 2>&1;"
                                       "perf record -q -o \"$FILE\" -e cpu-clock:u -c 10000 -d "
                                       "--intr-regs -- \"$BUILD/src/misstop-demo\" 12"},
    {"addresses: page faults", "exec >/dev/null 2>&1;"
                               "perf record -q -o \"$FILE\" -e page-faults:u -c 1 -d -- "
                               "\"$BUILD/tests/replay/load\" 4200"},
    {"neither: cpu-clock, a shell",
     "exec >/dev/null 2>&1; perf record -q -o \"$FILE\" -e cpu-clock -c 1000 -- "
     "sh -c 'i=0; while [ $i -lt 1000000 ]; do i=$((i+1)); done'"},
    {"addresses: page faults of 400 threads",
     "exec >/dev/null 2>&1; perf record -q -o \"$FILE\" -e page-faults:u -c 1 -d -- \"$(python3 -c "
     "'import sys; print(sys.executable)')\" -c '"
     "import mmap, threading\n"
     "def touch():\n"
     "  for i in range(5):\n"
     "    m = mmap.mmap(-1, 510 * 4096, mmap.MAP_PRIVATE)\n"
     "    for at in range(0, len(m), 4096): m[at] = 1\n"
     "threads = [threading.Thread(target=touch) for i in range(400)]\n"
     "for t in threads: t.start()\n"
     "for t in threads: t.join()'"},
    {"registers: cpu-clock, cc1plus -O2",
     "exec >/dev/null 2>&1; for h in regex map deque random future; do echo \"#include <$h>\"; "
     "done |"
     "g++ -E -x c++ - -o \"$FILE.ii\" && perf record -q -o \"$FILE\" -e cpu-clock:u -c 20000 -d "
     "--intr-regs -- \"$(g++ -print-prog-name=cc1plus)\" -quiet -O2 \"$FILE.ii\" -o /dev/null;"
     "code=$?; rm -f \"$FILE.ii\"; exit $code"},
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
    if (perfdata_open(&file, path, 0, NULL, NULL, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    while (perfdata_read(file, UINT64_MAX, count, &samples) >= 0)
        continue;
    printf("%" PRIu64 "\n", samples);
    perfdata_close(file);
    return !samples;
}

/* Reads a whole file to memory; NULL: it cannot be read. */
static unsigned char *load(const char *path, size_t *size)
{
    FILE *in = fopen(path, "re");
    long end = in && !fseek(in, 0, SEEK_END) ? ftell(in) : -1;
    unsigned char *bytes = end > 0 ? malloc((size_t)end) : NULL;
    *size = (size_t)end;
    if (bytes && (fseek(in, 0, SEEK_SET) || fread(bytes, 1, *size, in) != *size)) {
        free(bytes);
        bytes = NULL;
    }
    if (in)
        fclose(in);
    return bytes;
}

/* perf's file header, reduced to the part needed here: linux/tools/perf/util/header.h. */
struct file_header {
    uint64_t magic, size, attr_size, attrs[2], data[2];
};

/* The samples and rounds of a recording, to be written again. */
struct samples {
    unsigned char *bytes;
    size_t used;
    uint16_t at_time; /* offset of the time in a sample */
    uint64_t first_ns;
    uint64_t last_ns;
};

static uint64_t *time_of(const struct samples *samples, unsigned char *record)
{
    return (uint64_t *)(void *)(record + samples->at_time);
}

static void take_sample(struct samples *samples, unsigned char *bytes)
{
    struct perf_event_header *record = (void *)bytes;
    if (record->type != PERF_RECORD_SAMPLE && record->type != TAPE_FINISHED_ROUND)
        return;
    memcpy(samples->bytes + samples->used, bytes, record->size);
    samples->used += record->size;
    if (record->type != PERF_RECORD_SAMPLE)
        return;
    uint64_t time_ns = *time_of(samples, bytes);
    samples->first_ns = time_ns < samples->first_ns ? time_ns : samples->first_ns;
    samples->last_ns = time_ns > samples->last_ns ? time_ns : samples->last_ns;
}

static void write_later(struct samples *samples)
{
    struct perf_event_header *record;
    for (size_t at = 0; at < samples->used; at += record->size) {
        record = (void *)(samples->bytes + at);
        if (record->type == PERF_RECORD_SAMPLE)
            *time_of(samples, samples->bytes + at) += samples->last_ns - samples->first_ns + 1;
    }
    fwrite(samples->bytes, 1, samples->used, stdout);
}

/* For one event with samples of a fixed size. Without features, because their position would
 * change. */
static int repeat(const char *path, unsigned long times)
{
    enum { FEATURES_AT = 72, FEATURES_BYTES = 32 };
    size_t size;
    unsigned char *bytes = load(path, &size);
    struct file_header header;
    struct attributes attributes = {0};
    struct perf_event_header round = {.type = TAPE_FINISHED_ROUND, .size = sizeof round};
    struct perf_event_header *record;
    if (!bytes || size < FEATURES_AT + FEATURES_BYTES)
        return 1;
    memcpy(&header, bytes, sizeof header);
    if (header.attrs[0] + header.attr_size > size || header.data[0] + header.data[1] > size ||
        attributes_add(&attributes, bytes + header.attrs[0], header.attr_size - 16, false))
        return 1;
    struct samples samples = {.bytes = malloc(header.data[1] + sizeof round),
                              .at_time = attributes.events[0].format.places.time,
                              .first_ns = UINT64_MAX};
    for (size_t at = 0; at < header.data[1]; at += record->size) {
        record = (void *)(bytes + header.data[0] + at);
        if (!samples.at_time || record->size < sizeof *record)
            return 1;
        take_sample(&samples, bytes + header.data[0] + at);
    }
    take_sample(&samples, (unsigned char *)&round);
    size_t once = header.data[0] + header.data[1];
    header.data[1] += samples.used * (times - 1);
    memcpy(bytes, &header, sizeof header);
    memset(bytes + FEATURES_AT, 0, FEATURES_BYTES);
    fwrite(bytes, 1, once, stdout);
    while (--times)
        write_later(&samples);
    return fflush(stdout) ? 1 : 0;
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

/* Runs a program to its end, with output to /dev/null. Returns false if it failed. */
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
    if (perfdata_open(&file, path, 0, NULL, NULL, &error)) {
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

/* Runs the contenders alternately, so that other load affects all of them; it can only add time. */
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

/* Prints the stages of a replay with one thread: the start and, per sample, making a record (the
 * file is read twice), and everything after that. */
static void print_stages(double start_s, double records_s, double replay_s, uint64_t samples)
{
    double each = 1e9 / (double)samples;
    printf("%-24s start %.2f s, records %.0f ns a sample, places and tables %.0f ns\n",
           "misstop, its stages", start_s, records_s * each,
           (replay_s - start_s - records_s) * each);
}

/* The others are compared with the first contender. */
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

/* Returns the CPU time of a replay with almost no samples; NAN: not measured. */
static double measure_start(const char *misstop)
{
    char path[] = "/var/tmp/misstop-start-XXXXXX";
    const char *record[] = {"perf", "record", "-q", "-o", path,   "-e", "page-faults:u",
                            "-c",   "20",     "-d", "--", "true", NULL};
    const char *replay[] = {misstop, "--threads", "1",  "-i", path, "-b",
                            "-H",    "0",         "-n", "1",  NULL};
    struct contender start = {.arguments = replay, .best = {.cpu_s = INFINITY}};
    struct figures figures;
    int fd = mkstemp(path);
    if (fd < 0)
        return NAN;
    close(fd);
    if (measure(record, &figures))
        run_rounds(&start, 1);
    unlink(path);
    return isfinite(start.best.cpu_s) ? start.best.cpu_s : NAN;
}

/* `build`: build folder, with misstop; $BEFORE: another misstop for comparison. */
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
    print_stages(measure_start(misstop), contenders[3].best.cpu_s, contenders[4].best.cpu_s,
                 samples);
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

/* This program is in tests/bench of the build. */
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
    if (argument_count == 4 && !strcmp(arguments[1], "--repeat"))
        return repeat(arguments[2], strtoul(arguments[3], NULL, 10));
    if (!realpath("/proc/self/exe", self))
        return 1;
    build_of(self, build, sizeof build);
    if (argument_count == 2)
        return bench_file(build, self, arguments[1]);
    for (size_t i = 0; i < sizeof recordings / sizeof *recordings; i++)
        code |= bench_fresh(build, self, &recordings[i]);
    return code ? 77 : 0;
}
