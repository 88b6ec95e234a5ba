/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which events of a plan the kernel takes, and in which of the forms they can have. */
#include "sample/source.h"

#include "base/files.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static int ask(struct perf_event_attr *attr, pid_t pid, int group, const struct kernel *kernel)
{
    int fd = kernel->perf_event_open(attr, pid, -1, group, PERF_FLAG_FD_CLOEXEC);
    /* Kernels before 5.13 refuse the unknown bit. */
    if (fd != -EINVAL)
        return fd;
    attr->inherit_thread = 0;
    return kernel->perf_event_open(attr, pid, -1, group, PERF_FLAG_FD_CLOEXEC);
}

static int open_once(const struct source *source, const struct source_plan *plan,
                     const struct event *event, pid_t pid, const struct kernel *kernel)
{
    struct perf_event_attr attr;
    struct perf_event_attr aux;
    int leader = -1;
    source_attribute(source, plan, event, &attr);
    attr.sample_period = plan->first_period;
    if (plan->needs_aux && event == &plan->events[0]) {
        source_aux_attribute(plan, &attr, &aux);
        leader = ask(&aux, pid, -1, kernel);
        if (leader < 0)
            return leader;
    }
    int fd = ask(&attr, pid, leader, kernel);
    if (fd >= 0)
        close(fd);
    if (leader >= 0)
        close(leader);
    return fd < 0 ? fd : 0;
}

static bool final(int code)
{
    return code == -EACCES || code == -EPERM || code == -ESRCH || code == -EMFILE ||
           code == -ENOSYS;
}

/* The next candidate of an alias until the kernel takes one. */
static int try_event(const struct source *source, const struct source_plan *plan,
                     struct event *event, pid_t pid, const struct kernel *kernel)
{
    const struct event first = *event;
    int code = open_once(source, plan, event, pid, kernel);
    for (unsigned skip = 1; code && !final(code); skip++) {
        if (event_encode(event, first.name, strlen(first.name), skip, kernel, NULL))
            break;
        code = open_once(source, plan, event, pid, kernel);
    }
    if (code)
        *event = first;
    return code;
}

/* Sapphire Rapids and hybrid P-cores: load latency only behind mem-loads-aux. */
static int try_led(const struct source *source, struct source_plan *plan, pid_t pid,
                   const struct kernel *kernel)
{
    int code = try_event(source, plan, &plan->events[0], pid, kernel);
    if (code != -ENODATA || !plan->aux.name[0])
        return code;
    plan->needs_aux = true;
    return try_event(source, plan, &plan->events[0], pid, kernel);
}

/*
 * The ranking event, less precise where its source is precise in any case: CPUs before Haswell
 * need the branch records for precise_ip 2 (core.c, x86_pmu_hw_config), which virtual machines
 * seldom have; the address is as good, and only the instruction is found by its skid.
 */
static int try_first(const struct source *source, struct source_plan *plan, pid_t pid,
                     const struct kernel *kernel)
{
    int code = try_led(source, plan, pid, kernel);
    if (code != -EOPNOTSUPP || !source->exact_address || plan->events[0].precise_ip < 2)
        return code;
    struct source_plan lower = *plan;
    for (unsigned i = 0; i < lower.count; i++)
        lower.events[i].precise_ip = 1;
    code = try_led(source, &lower, pid, kernel);
    if (!code)
        *plan = lower;
    return code;
}

static bool repeated(const struct source_plan *plan, unsigned count, const struct event *event)
{
    for (unsigned i = 0; i < count; i++)
        if (plan->events[i].type == event->type && plan->events[i].config == event->config &&
            plan->events[i].config1 == event->config1)
            return true;
    return false;
}

int source_try(const struct source *source, struct source_plan *plan, pid_t pid,
               const struct kernel *kernel, struct error *error)
{
    /* A first thread that has ended takes no events. */
    pid = files_shown_by(pid);
    int code = try_first(source, plan, pid, kernel);
    struct event refused = plan->events[0];
    while (code && plan->first_optional && !final(code) && plan->count > 1) {
        memmove(plan->events, plan->events + 1, --plan->count * sizeof *plan->events);
        int next = try_first(source, plan, pid, kernel);
        code = next ? code : 0;
    }
    if (code)
        return source_explain(source, code, plan, refused.name, kernel, error);
    /* Further events are an offer: those the kernel refuses are left out, not an error. Aliases
     * may end in the same generic event: once is enough. */
    unsigned kept = 1;
    for (unsigned i = 1; i < plan->count; i++) {
        struct event event = plan->events[i];
        if (!try_event(source, plan, &event, pid, kernel) &&
            !(plan->first_optional && repeated(plan, kept, &event)))
            plan->events[kept++] = event;
    }
    plan->count = kept;
    if (source->settle)
        source->settle(plan);
    event_weigh(&plan->events[0], plan->weighs, sizeof plan->weighs);
    return 0;
}
