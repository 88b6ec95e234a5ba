/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/kernel.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/text.h"

static int host_perf_event_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
                                unsigned long flags)
{
    long fd = syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, flags);
    return fd < 0 ? -errno : (int)fd;
}

const struct kernel *kernel_host(void)
{
    static const struct kernel host = {host_perf_event_open, "/sys", "/proc"};
    return &host;
}

bool kernel_text(const char *root, const char *path, char *out, size_t out_size)
{
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%s/%s", root, path);
    long got = text_read_file(name, out, out_size);
    if (got < 0)
        return false;
    out[strcspn(out, "\n")] = '\0';
    return true;
}

long kernel_number(const char *root, const char *path, long missing)
{
    char text[64];
    char *end;
    if (!kernel_text(root, path, text, sizeof text))
        return missing;
    long value = strtol(text, &end, 10);
    return end == text ? missing : value;
}

static bool cpuinfo_has(const struct kernel *kernel, const char *word)
{
    char path[PATH_MAX];
    char text[8192]; /* the first CPU is enough */
    snprintf(path, sizeof path, "%s/cpuinfo", kernel->procfs);
    return text_read_file(path, text, sizeof text) > 0 && strstr(text, word);
}

bool kernel_vendor(const struct kernel *kernel, const char *vendor)
{
    return cpuinfo_has(kernel, vendor);
}

bool kernel_virtual(const struct kernel *kernel)
{
    return cpuinfo_has(kernel, " hypervisor");
}

void threads_fini(struct threads *threads)
{
    free(threads->tids);
    *threads = (struct threads){0};
}

static int threads_compare(const void *a, const void *b)
{
    pid_t x = *(const pid_t *)a;
    pid_t y = *(const pid_t *)b;
    return (x > y) - (x < y);
}

static int threads_append(struct threads *threads, pid_t tid)
{
    if (!array_reserve_next(&threads->tids, &threads->room, threads->count, sizeof *threads->tids,
                            ARRAY_UNBOUNDED))
        return -ENOMEM;
    threads->tids[threads->count++] = tid;
    return 0;
}

int threads_read(struct threads *threads, const struct kernel *kernel, pid_t pid)
{
    char path[64];
    struct dirent *entry;
    int code = 0;
    snprintf(path, sizeof path, "%s/%d/task", kernel->procfs, (int)pid);
    DIR *folder = opendir(path);
    if (!folder)
        return errno == ENOENT ? -ESRCH : -errno;
    threads->count = 0;
    while (!code && (entry = readdir(folder)))
        if (entry->d_name[0] != '.')
            code = threads_append(threads, (pid_t)atoi(entry->d_name));
    closedir(folder);
    if (threads->count)
        qsort(threads->tids, threads->count, sizeof *threads->tids, threads_compare);
    return code ? code : threads->count ? 0 : -ESRCH;
}

bool threads_has(const struct threads *threads, pid_t tid)
{
    return threads->count &&
           bsearch(&tid, threads->tids, threads->count, sizeof *threads->tids, threads_compare);
}

pid_t threads_leader(const struct kernel *kernel, pid_t tid)
{
    char path[64];
    char line[256];
    int leader = -1;
    snprintf(path, sizeof path, "%s/%d/status", kernel->procfs, (int)tid);
    FILE *file = fopen(path, "re");
    if (!file)
        return -1;
    while (leader < 0 && fgets(line, sizeof line, file))
        if (sscanf(line, "Tgid: %d", &leader) != 1)
            leader = -1;
    fclose(file);
    return leader;
}

/* Switches per second of CPU time: at 8 us each they cost 2 % and 1 % of it. */
static const double often_from = 2500;
static const double often_until = 1250;

#define SWITCHING_INTERVAL_NS CLOCK_NS_PER_S
#define RUN_MIN_NS            (CLOCK_NS_PER_S / 100) /* too little CPU time for a rate */

/* Counts voluntary switches: sampling less does not help a thread that is preempted. */
static bool read_thread(const struct kernel *kernel, pid_t pid, struct switching_thread *thread)
{
    static const char line[] = "\nvoluntary_ctxt_switches:";
    char path[64];
    char text[4096];
    snprintf(path, sizeof path, "%d/task/%d/schedstat", (int)pid, (int)thread->tid);
    if (!kernel_text(kernel->procfs, path, text, sizeof text) ||
        sscanf(text, "%" SCNu64, &thread->run_ns) != 1)
        return false;
    snprintf(path, sizeof path, "%s/%d/task/%d/status", kernel->procfs, (int)pid, (int)thread->tid);
    const char *found = text_read_file(path, text, sizeof text) > 0 ? strstr(text, line) : NULL;
    return found && sscanf(found + sizeof line - 1, "%" SCNu64, &thread->switches) == 1;
}

static const struct switching_thread *find_thread(const struct switching *switching, pid_t tid)
{
    for (unsigned i = 0; i < switching->count; i++)
        if (switching->threads[i].tid == tid)
            return &switching->threads[i];
    return NULL;
}

void switching_update(struct switching *switching, const struct kernel *kernel, pid_t pid,
                      uint64_t now_ns)
{
    struct switching now = {.read_ns = now_ns, .is_switching_often = switching->is_switching_often};
    struct threads threads = {0};
    double run_ns = 0;
    double switches = 0;
    if (now_ns - switching->read_ns < SWITCHING_INTERVAL_NS)
        return;
    if (threads_read(&threads, kernel, pid))
        threads.count = 0;
    /* Takes threads of all ages if there are many: the oldest threads of a server may only wait. */
    size_t step = (threads.count + SWITCHING_THREADS - 1) / SWITCHING_THREADS;
    for (size_t i = 0; i < threads.count; i += step) {
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
    if (run_ns >= (double)RUN_MIN_NS) {
        now.per_cpu_second = switches * (double)CLOCK_NS_PER_S / run_ns;
        now.is_switching_often =
            now.per_cpu_second > (switching->is_switching_often ? often_until : often_from);
    }
    *switching = now;
}
