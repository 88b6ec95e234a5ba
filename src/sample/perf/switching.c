/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/perf/switching.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"

/* Switches in a second of CPU time: at 8 us each, 2 % and 1 % of it. */
static const double often_from = 2500;
static const double often_until = 1250;

#define LOOK_NS      CLOCK_NS_PER_S
#define RUN_LEAST_NS (CLOCK_NS_PER_S / 100) /* less CPU time says nothing */

static bool read_thread(const struct kernel *kernel, pid_t pid, struct switching_thread *thread)
{
    char path[64];
    char text[96];
    snprintf(path, sizeof path, "%d/task/%d/schedstat", (int)pid, (int)thread->tid);
    return kernel_text(kernel->procfs, path, text, sizeof text) &&
           sscanf(text, "%" SCNu64 " %*u %" SCNu64, &thread->run_ns, &thread->switches) == 2;
}

static const struct switching_thread *find_thread(const struct switching *switching, pid_t tid)
{
    for (unsigned i = 0; i < switching->count; i++)
        if (switching->threads[i].tid == tid)
            return &switching->threads[i];
    return NULL;
}

void switching_look(struct switching *switching, const struct kernel *kernel, pid_t pid,
                    uint64_t now_ns)
{
    struct switching now = {.read_ns = now_ns, .often = switching->often};
    struct threads threads = {0};
    double run_ns = 0;
    double switches = 0;
    if (now_ns - switching->read_ns < LOOK_NS)
        return;
    if (!threads_read(&threads, kernel, pid))
        for (size_t i = 0; i < threads.count && now.count < SWITCHING_THREADS; i++) {
            struct switching_thread *thread = &now.threads[now.count];
            thread->tid = threads.tids[i];
            if (!read_thread(kernel, pid, thread))
                continue;
            now.count++;
            const struct switching_thread *before = find_thread(switching, thread->tid);
            if (!before || before->run_ns > thread->run_ns || before->switches > thread->switches)
                continue;
            run_ns += (double)(thread->run_ns - before->run_ns);
            switches += (double)(thread->switches - before->switches);
        }
    threads_fini(&threads);
    if (run_ns >= (double)RUN_LEAST_NS) {
        now.per_cpu_second = switches * (double)CLOCK_NS_PER_S / run_ns;
        now.often = now.per_cpu_second > (switching->often ? often_until : often_from);
    }
    *switching = now;
}
