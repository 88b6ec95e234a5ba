/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cost of watching from outside:
 *   - slowdown of the target by misstop and by perf record, with the same event, period and
 *     registers, in one run: sampling is switched on and off every second, so that the varying
 *     speed of the machine affects both alike (doc/facts.md);
 *   - misstop's own CPU time at 2,000 samples per second;
 *   - time from start to the first screen, and to the first named object on it.
 *
 *   bench_attach MISSTOP DEMO [SECONDS]
 */
#include "base/clock.h"
#include "engine/engine.h"
#include "profile/profile.h"

#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 1 << 22, ROUNDS_MAX = 60, PERIOD_NS = 500009 };

enum mode { MODE_OFF, MODE_MISSTOP, MODE_PERF, MODE_COUNT };

struct bench {
    volatile uint64_t *progress; /* steps of the worker, in shared memory */
    pid_t worker;
    struct engine *engine;
    pid_t perf;
    int control;
    int acknowledge;
    double rates[MODE_COUNT][ROUNDS_MAX];
    int rounds;
};

static double seconds_now(void)
{
    return (double)clock_now_ns() / CLOCK_NS_PER_S;
}

/* Dependent random reads of 32 MiB; pinned, so that the reader runs on the other CPU. */
static pid_t start_worker(volatile uint64_t *progress)
{
    pid_t pid = fork();
    if (pid)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    volatile uint64_t *words = calloc(WORDS, sizeof *words);
    uint64_t state = 1;
    for (uint64_t i = 0; i < WORDS; i++)
        words[i] = i & 7;
    for (;; (*progress)++)
        for (int i = 0; i < 1000; i++)
            state = (state + words[(state >> 33) & (WORDS - 1)]) * 6364136223846793005u + 1;
}

static int start_perf(struct bench *bench)
{
    char pid[16];
    char period[16];
    char control[128];
    snprintf(pid, sizeof pid, "%d", (int)bench->worker);
    snprintf(period, sizeof period, "%d", PERIOD_NS);
    if (mkfifo("/tmp/misstop-bench-control", 0600) || mkfifo("/tmp/misstop-bench-ack", 0600))
        return -1;
    snprintf(control, sizeof control,
             "--control=fifo:/tmp/misstop-bench-control,/tmp/misstop-bench-ack");
    bench->control = open("/tmp/misstop-bench-control", O_RDWR | O_CLOEXEC);
    bench->acknowledge = open("/tmp/misstop-bench-ack", O_RDWR | O_CLOEXEC);
    bench->perf = fork();
    if (!bench->perf) {
        int null = open("/dev/null", O_RDWR);
        dup2(null, 1);
        dup2(null, 2);
        execlp("perf", "perf", "record", "-q", "-e", "cpu-clock:u", "-c", period, "-d",
               "--user-regs=ax,bx,cx,dx,si,di,bp,sp,ip,flags,r8,r9,r10,r11,r12,r13,r14,r15",
               control, "-D", "-1", "-o", "/dev/null", "-p", pid, NULL);
        _exit(127);
    }
    sleep(1);
    return waitpid(bench->perf, NULL, WNOHANG) ? -1 : 0;
}

static void send_to_perf(struct bench *bench, const char *command)
{
    char answer[16];
    struct pollfd polled = {.fd = bench->acknowledge, .events = POLLIN};
    if (write(bench->control, command, strlen(command)) < 0)
        return;
    if (poll(&polled, 1, 1000) > 0 && read(bench->acknowledge, answer, sizeof answer) < 0)
        perror("perf control");
}

/* Returns the worker's speed over one second in a mode; drains misstop's engine meanwhile. */
static double speed(struct bench *bench, enum mode mode)
{
    struct pollfd polled = {.fd = engine_fd(bench->engine), .events = POLLIN};
    engine_enable(bench->engine, mode == MODE_MISSTOP);
    if (mode == MODE_PERF)
        send_to_perf(bench, "enable\n");
    double start = seconds_now();
    uint64_t before = *bench->progress;
    while (seconds_now() < start + 1) {
        if (mode != MODE_MISSTOP)
            usleep(20000);
        else if (poll(&polled, 1, 20) > 0)
            engine_drain(bench->engine, UINT64_MAX);
    }
    double rate = (double)(*bench->progress - before) / (seconds_now() - start);
    if (mode == MODE_PERF)
        send_to_perf(bench, "disable\n");
    return rate;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static int slowdown(int rounds)
{
    static const char *const names[] = {"off", "misstop", "perf record"};
    struct bench bench = {.rounds = rounds < ROUNDS_MAX ? rounds : ROUNDS_MAX};
    struct error error;
    bench.progress = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bench.worker = start_worker(bench.progress);
    sleep(1);
    struct engine_options options = {.pid = bench.worker,
                                     .source = "clock",
                                     .rate = 2000,
                                     .period = PERIOD_NS,
                                     .half_life_s = 10,
                                     .ways = 10};
    if (engine_open(&bench.engine, &options, &error)) {
        printf("slowdown: skipped: %s\n", error.text);
        kill(bench.worker, SIGKILL);
        return 1;
    }
    int with_perf = start_perf(&bench) == 0;
    for (int i = 0; i < bench.rounds; i++)
        for (enum mode mode = 0; mode < MODE_COUNT; mode++)
            if (mode != MODE_PERF || with_perf)
                bench.rates[mode][i] = speed(&bench, mode);
    double off = median(bench.rates[MODE_OFF], bench.rounds);
    printf("slowdown of the target, cpu-clock every %d ns, user registers, %d x 1 s each:\n",
           PERIOD_NS, bench.rounds);
    for (enum mode mode = 0; mode < MODE_COUNT; mode++)
        if (mode != MODE_PERF || with_perf) {
            double rate = median(bench.rates[mode], bench.rounds);
            printf("  %-12s %10.0f steps/s  %+6.2f %%\n", names[mode], rate * 1000,
                   (off / rate - 1) * 100);
        } else {
            printf("  perf record  skipped: perf is not installed or has no --control\n");
        }
    kill(bench.perf, SIGTERM);
    kill(bench.worker, SIGKILL);
    unlink("/tmp/misstop-bench-control");
    unlink("/tmp/misstop-bench-ack");
    engine_close(bench.engine);
    while (wait(NULL) > 0)
        continue;
    return 0;
}

static pid_t start_demo(const char *demo)
{
    pid_t pid = fork();
    if (!pid) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execl(demo, demo, NULL);
        _exit(127);
    }
    sleep(1);
    return pid;
}

static void own_cpu(const char *misstop, pid_t demo, int seconds)
{
    char pid[16];
    char count[16];
    struct rusage usage;
    snprintf(pid, sizeof pid, "%d", (int)demo);
    snprintf(count, sizeof count, "%d", seconds);
    double start = seconds_now();
    pid_t child = fork();
    if (!child) {
        dup2(open("/dev/null", O_WRONLY), 1);
        execl(misstop, misstop, "-b", "-s", "clock", "-r", "2000", "-n", count, "-p", pid, NULL);
        _exit(127);
    }
    wait4(child, NULL, 0, &usage);
    double cpu = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                 (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
    printf("misstop's own CPU at 2000 samples/s, batch, %d s: %.2f %% of a core "
           "(%.3f s), peak %ld MiB\n",
           seconds, 100 * cpu / (seconds_now() - start), cpu, usage.ru_maxrss / 1024);
}

/*
 * Reads the pseudo-terminal until the text appears. Returns the seconds since `start`; NAN: never.
 */
static double wait_for_text(int terminal, const char *text, double start, char *seen, size_t size)
{
    size_t used = strlen(seen);
    struct pollfd polled = {.fd = terminal, .events = POLLIN};
    while (seconds_now() < start + 10) {
        if (strstr(seen, text))
            return seconds_now() - start;
        if (poll(&polled, 1, 100) <= 0)
            continue;
        ssize_t got = read(terminal, seen + used, size - 1 - used);
        if (got <= 0 || used + (size_t)got + 1 >= size)
            return NAN;
        /* NULs would hide the text after them from strstr(). */
        for (ssize_t i = 0; i < got; i++)
            if (!seen[used + (size_t)i])
                seen[used + (size_t)i] = ' ';
        used += (size_t)got;
        seen[used] = '\0';
    }
    return NAN;
}

static void first_screen(const char *misstop, pid_t demo)
{
    static char seen[1 << 20];
    char pid[16];
    int terminal;
    struct winsize size = {.ws_row = 36, .ws_col = 120};
    snprintf(pid, sizeof pid, "%d", (int)demo);
    double start = seconds_now();
    pid_t child = forkpty(&terminal, NULL, NULL, &size);
    if (!child) {
        setenv("TERM", "xterm-256color", 1);
        execl(misstop, misstop, "-s", "clock", "-p", pid, NULL);
        _exit(127);
    }
    double drawn = wait_for_text(terminal, "misstop", start, seen, sizeof seen);
    double named = wait_for_text(terminal, "malloc(", start, seen, sizeof seen);
    printf("start to first screen %.3f s, to the first named object %.3f s\n", drawn, named);
    kill(child, SIGTERM);
    close(terminal);
    waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: bench_attach MISSTOP DEMO [SECONDS]\n");
        return 2;
    }
    int seconds = argc > 3 ? atoi(argv[3]) : 10;
    int code = slowdown(seconds);
    pid_t demo = start_demo(argv[2]);
    own_cpu(argv[1], demo, seconds);
    first_screen(argv[1], demo);
    kill(demo, SIGKILL);
    return code;
}
