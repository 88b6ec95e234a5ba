/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cost of recording for the program: CPU time per pair of malloc and free, without the agent, with
 * the agent and a reader, and with heaptrack if installed; with jemalloc, without and with its own
 * profiler, for every allocation and for one per 512 KiB; with 1, 2 and 4 threads, call depths 5
 * and 20. The threads allocate in bursts, so that the reader can keep up: a lost event costs less
 * than a recorded one. Also the cost of reading for misstop, and the share of lost events.
 *
 *   bench_agent                       figures; run in the build folder
 *   bench_agent THREADS DEPTH AGENT... one line for each of these builds of the agent, alternating
 *   bench_agent work FILE THREADS DEPTH PAIRS
 */
#include "agent_abi.h"
#include "base/clock.h"
#include "resolve/heap/feed.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    LIVE = 32,
    ROUND = 1000,
    BURST = 20000,
    PAUSE_US = 2000,
    THREADS_MAX = 16,
    REPEATS = 5,
    AGENTS_MAX = 16
};

static uint64_t pairs_per_thread;
static int depth;
static unsigned pause_us;
static double thread_ns[THREADS_MAX];
static pthread_barrier_t barrier;

static double thread_time_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Varying sizes, blocks that stay for a while, four call sites. */
static __attribute__((noinline)) void leaf(void **live, uint64_t *random)
{
    for (int i = 0; i < ROUND; i++) {
        *random = *random * 6364136223846793005u + 1442695040888963407u;
        size_t size = 16 + (*random >> 55);
        void **place = &live[i % LIVE];
        free(*place);
        switch (i & 3) {
        case 0:
            *place = malloc(size);
            break;
        case 1:
            *place = malloc(size + 8);
            break;
        case 2:
            *place = malloc(size + 16);
            break;
        default:
            *place = malloc(size + 24);
        }
    }
}

static __attribute__((noinline)) int descend(int levels, void **live, uint64_t *random)
{
    int below = 0;
    if (levels > 1)
        below = descend(levels - 1, live, random);
    else
        leaf(live, random);
    __asm__ volatile("" : "+r"(below)); /* otherwise the compiler makes a loop of it */
    return below + 1;
}

static void *work_thread(void *data)
{
    int number = (int)(intptr_t)data;
    void *live[LIVE] = {0};
    uint64_t random = (uint64_t)number + 1;
    descend(depth, live, &random);
    pthread_barrier_wait(&barrier);
    double start = thread_time_ns();
    for (uint64_t done = 0; done < pairs_per_thread; done += ROUND) {
        descend(depth, live, &random);
        if (done % BURST == 0)
            usleep(pause_us);
    }
    thread_ns[number] = (thread_time_ns() - start) / (double)pairs_per_thread;
    for (int i = 0; i < LIVE; i++)
        free(live[i]);
    return NULL;
}

static int work(char **words)
{
    pthread_t threads[THREADS_MAX];
    int count = atoi(words[1]);
    double sum = 0;
    depth = atoi(words[2]) - 2; /* without thread and leaf */
    pairs_per_thread = strtoul(words[3], NULL, 10);
    pause_us = PAUSE_US * (unsigned)count;
    pthread_barrier_init(&barrier, NULL, (unsigned)count);
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, work_thread, (void *)(intptr_t)i);
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
        sum += thread_ns[i];
    }
    FILE *out = fopen(words[0], "w");
    if (!out)
        return 1;
    fprintf(out, "%.2f\n", sum / count);
    return fclose(out);
}

enum way { ALONE, AGENT, HEAPTRACK, JEMALLOC, PROFILER, SAMPLER, WAYS };

struct result {
    double pair_ns;
    double read_ns; /* misstop's CPU time per event */
    double lost;    /* share of events */
};

static char self[4096];
static char agent[4200];
static char result_file[] = "/tmp/misstop-bench-agent-XXXXXX";

static void start(enum way way, const struct feed *feed, int threads, int levels, uint64_t pairs)
{
    char thread_word[16];
    char depth_word[16];
    char pairs_word[32];
    static char preload[8192];
    static char variable[64];
    snprintf(thread_word, sizeof thread_word, "%d", threads);
    snprintf(depth_word, sizeof depth_word, "%d", levels);
    snprintf(pairs_word, sizeof pairs_word, "%llu", (unsigned long long)pairs);
    if (way == AGENT &&
        (feed_inherit(feed) ||
         feed_environment(feed, agent, preload, sizeof preload, variable, sizeof variable, NULL) ||
         putenv(preload) || putenv(variable)))
        _exit(126);
    if (way >= JEMALLOC)
        setenv("LD_PRELOAD", "libjemalloc.so.2", 1);
    if (way > JEMALLOC)
        setenv("MALLOC_CONF", way == PROFILER ? "prof:true,lg_prof_sample:0" : "prof:true", 1);
    if (way != HEAPTRACK)
        execl(self, self, "work", result_file, thread_word, depth_word, pairs_word, NULL);
    int null = open("/dev/null", O_RDWR);
    dup2(null, 1);
    dup2(null, 2);
    execlp("heaptrack", "heaptrack", "-o", "/tmp/misstop-bench-heaptrack", self, "work",
           result_file, thread_word, depth_word, pairs_word, NULL);
    _exit(127);
}

static void ignore(void *context, const struct feed_event *event)
{
    *(uint64_t *)context += event->address;
}

static long drain(struct feed *feed, pid_t pid, int *status)
{
    uint64_t sum = 0;
    long events = 0;
    long last = 1;
    while (!waitpid(pid, status, WNOHANG)) {
        last = feed_read(feed, UINT64_MAX, ignore, &sum);
        events += last;
        if (last < 1000)
            usleep(200);
    }
    return events + feed_read(feed, UINT64_MAX, ignore, &sum);
}

static double read_result(void)
{
    double value = 0;
    FILE *file = fopen(result_file, "r");
    if (!file || fscanf(file, "%lf", &value) != 1)
        value = 0;
    if (file)
        fclose(file);
    return value;
}

static struct result run(enum way way, int threads, int levels, uint64_t pairs)
{
    struct feed *feed = NULL;
    struct result result = {0};
    int status = 0;
    if (way == AGENT && feed_new(&feed, NULL))
        exit(1);
    if (truncate(result_file, 0))
        exit(1);
    pid_t pid = fork();
    if (!pid)
        start(way, feed, threads, levels, pairs);
    if (way == AGENT) {
        double before = thread_time_ns();
        double events = (double)drain(feed, pid, &status);
        double lost = (double)feed_lost(feed);
        result.read_ns = events > 0 ? (thread_time_ns() - before) / events : 0;
        result.lost = events + lost > 0 ? lost / (events + lost) : 0;
        feed_free(feed);
    } else {
        waitpid(pid, &status, 0);
    }
    result.pair_ns = read_result();
    return result;
}

static int by_pair(const void *a, const void *b)
{
    double first = ((const struct result *)a)->pair_ns;
    double second = ((const struct result *)b)->pair_ns;
    return first < second ? -1 : first > second;
}

/* The variants alternate, so that the varying speed of the machine affects all alike; prints
 * medians. */
static void measure(int threads, int levels, uint64_t pairs)
{
    struct result results[WAYS][REPEATS];
    for (int i = 0; i < REPEATS; i++)
        for (enum way way = ALONE; way < WAYS; way++)
            results[way][i] =
                run(way, threads, levels, way == HEAPTRACK || way == PROFILER ? pairs / 10 : pairs);
    for (enum way way = ALONE; way < WAYS; way++)
        qsort(results[way], REPEATS, sizeof results[way][0], by_pair);
    struct result alone = results[ALONE][REPEATS / 2];
    struct result with = results[AGENT][REPEATS / 2];
    struct result other = results[HEAPTRACK][REPEATS / 2];
    printf("%7d %5d  %8.1f %8.1f %8.1f  %6.1f%% %9.1f", threads, levels, alone.pair_ns,
           with.pair_ns, with.pair_ns - alone.pair_ns, 100 * with.lost, with.read_ns);
    if (other.pair_ns > 0)
        printf("  %9.1f %9.1f %7.1f", other.pair_ns, other.pair_ns - alone.pair_ns,
               (other.pair_ns - alone.pair_ns) / (with.pair_ns - alone.pair_ns));
    double own = results[JEMALLOC][REPEATS / 2].pair_ns;
    printf("  %8.1f %8.1f %8.1f\n", own, results[PROFILER][REPEATS / 2].pair_ns - own,
           results[SAMPLER][REPEATS / 2].pair_ns - own);
    fflush(stdout);
}

/* Compares builds, as long as all have the same version of the memory. */
static void compare_agents(int threads, int levels, char **agents, int count)
{
    struct result results[AGENTS_MAX + 1][REPEATS];
    for (int i = 0; i < REPEATS; i++)
        for (int build = 0; build <= count; build++) {
            if (build)
                snprintf(agent, sizeof agent, "%s", agents[build - 1]);
            results[build][i] = run(build ? AGENT : ALONE, threads, levels, 2000000);
        }
    for (int build = 0; build <= count; build++)
        qsort(results[build], REPEATS, sizeof results[build][0], by_pair);
    double alone_ns = results[0][REPEATS / 2].pair_ns;
    printf("%7d %5d  %8.1f alone\n", threads, levels, alone_ns);
    for (int build = 1; build <= count; build++) {
        const struct result *middle = &results[build][REPEATS / 2];
        printf("%7d %5d  %8.1f %8.1f extra (%.1f to %.1f) %5.1f%% lost, %.1f reading  %s\n",
               threads, levels, middle->pair_ns, middle->pair_ns - alone_ns,
               results[build][0].pair_ns - alone_ns, results[build][REPEATS - 1].pair_ns - alone_ns,
               100 * middle->lost, middle->read_ns, agents[build - 1]);
    }
}

int main(int count, char **words)
{
    static const int threads[] = {1, 2, 4};
    static const int depths[] = {5, 20};
    if (count == 6 && !strcmp(words[1], "work"))
        return work(words + 2);
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    int result = mkstemp(result_file);
    if (length < 0 || result < 0)
        return 1;
    close(result);
    if (count > 3 && count <= 3 + AGENTS_MAX) {
        compare_agents(atoi(words[1]), atoi(words[2]), words + 3, count - 3);
        unlink(result_file);
        return 0;
    }
    char *end = strstr(self, "/tests/bench/");
    snprintf(agent, sizeof agent, "%.*s/src/agent/libmisstop-agent.so", end ? (int)(end - self) : 1,
             end ? self : ".");
    printf(
        "CPU time per malloc and free pair, ns (lost: share of events; reading: ns per event)\n");
    printf("threads depth     alone    agent    extra     lost   reading  heaptrack     extra   "
           "ratio  jemalloc    extra  sampled\n");
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++)
        for (size_t d = 0; d < sizeof depths / sizeof *depths; d++)
            measure(threads[t], depths[d], 2000000);
    unlink(result_file);
    return 0;
}
