/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/source.h"

#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* AX..IP, FLAGS, R8..R15 of enum perf_event_x86_regs: segments cannot be had. */
#define SOURCE_REGS UINT64_C(0xff03ff)

const struct source *source_at(unsigned index)
{
    static const struct source *const all[SOURCES] = {&source_pebs, &source_ibs, &source_counter,
                                                      &source_clock};
    return index < SOURCES ? all[index] : NULL;
}

const struct source *source_find(const char *name)
{
    for (unsigned i = 0; i < SOURCES; i++)
        if (!strcmp(source_at(i)->name, name))
            return source_at(i);
    return NULL;
}

bool source_vendor(const struct kernel *kernel, const char *vendor)
{
    char path[64];
    char text[512];
    snprintf(path, sizeof path, "%s/cpuinfo", kernel->procfs);
    return text_read_file(path, text, sizeof text) > 0 && strstr(text, vendor);
}

int source_plan_list(struct source_plan *plan, const char *list, const struct kernel *kernel,
                     struct error *error)
{
    const char *word;
    size_t size;
    plan->count = 0;
    plan->software = true;
    while (event_next_word(&list, &word, &size)) {
        if (plan->count == SAMPLE_EVENTS_MAX)
            return error_set(error, -EINVAL, "-e: at most %d events at once", SAMPLE_EVENTS_MAX);
        struct event *event = &plan->events[plan->count];
        int code = event_encode(event, word, size, 0, kernel, error);
        if (code)
            return code;
        plan->software &= event_is_software(event);
        plan->count++;
    }
    return plan->count ? 0 : error_set(error, -EINVAL, "-e: the list of events is empty");
}

void source_attribute(const struct source *source, const struct source_plan *plan,
                      const struct event *event, struct perf_event_attr *attr)
{
    *attr = (struct perf_event_attr){
        .size = sizeof *attr,
        .type = event->type,
        .config = event->config,
        .config1 = event->config1,
        .config2 = event->config2,
        .precise_ip = event->precise_ip,
        .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                       PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU |
                       PERF_SAMPLE_PERIOD | PERF_SAMPLE_REGS_USER,
        .sample_regs_user = SOURCE_REGS,
        .disabled = 1,
        .inherit = 1,
        .inherit_thread = 1, /* 5.13; forked children are filtered by pid before */
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .sample_id_all = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
    };
    source->attribute(plan, event, attr);
}

struct record_format source_format(const struct source *source,
                                   const struct perf_event_attr *attr, uint16_t index)
{
    /* page-faults carry the faulting address; other software events and plain counters 0. */
    bool fault = attr->type == PERF_TYPE_SOFTWARE && attr->config >= PERF_COUNT_SW_PAGE_FAULTS &&
                 attr->config <= PERF_COUNT_SW_EMULATION_FAULTS &&
                 attr->config != PERF_COUNT_SW_CONTEXT_SWITCHES &&
                 attr->config != PERF_COUNT_SW_CPU_MIGRATIONS;
    return (struct record_format){
        .sample_type = attr->sample_type,
        .read_format = attr->read_format,
        .branch_type = attr->branch_sample_type,
        .regs_user = attr->sample_regs_user,
        .regs_intr = attr->sample_regs_intr,
        .period = attr->sample_period,
        .sample_id_all = attr->sample_id_all,
        /* A fault leaves the IP at the instruction that will be tried again. */
        .exact_ip = attr->precise_ip >= 2 || source->exact_ip || fault,
        .recorded_address = source->exact_address || attr->precise_ip || fault,
        .alien_regs = source->alien_regs || attr->precise_ip,
        .event = index,
    };
}

static int explain_access(const char *what, const struct kernel *kernel, struct error *error)
{
    long paranoid = kernel_number(kernel->procfs, "sys/kernel/perf_event_paranoid", -100);
    if (paranoid > 2)
        return error_set(error, -EACCES,
                         "%s: permission denied: perf_event_paranoid is %ld; "
                         "sudo sysctl kernel.perf_event_paranoid=2 allows your own processes",
                         what, paranoid);
    return error_set(error, -EACCES,
                     "%s: permission denied: the process belongs to another user or may not be "
                     "traced, or a seccomp filter forbids perf_event_open; try sudo",
                     what);
}

int source_explain(int code, const char *what, const struct kernel *kernel, struct error *error)
{
    struct rlimit limit = {0};
    switch (-code) {
    case EACCES:
    case EPERM:
        return explain_access(what, kernel, error);
    case ENOENT:
    case EOPNOTSUPP:
    case ENODEV:
        return error_set(error, code, "%s: this CPU or virtual machine does not count it (%s)",
                         what, strerror(-code));
    case EMFILE:
        getrlimit(RLIMIT_NOFILE, &limit);
        return error_set(error, code,
                         "%s: more descriptors needed than the limit of %lu allows; raise it with "
                         "ulimit -n",
                         what, (unsigned long)limit.rlim_cur);
    case EBUSY:
        return error_set(error, code, "%s: the counter is in use by somebody else", what);
    case ENOSYS:
        return error_set(error, code, "%s: this kernel or sandbox has no perf_event_open", what);
    case EINVAL:
        return error_set(error, -ENOTSUP, "%s: the kernel refuses these attributes (EINVAL)", what);
    default:
        return error_set(error, code, "%s: %s", what, strerror(-code));
    }
}

static int open_once(const struct source *source, const struct source_plan *plan,
                     const struct event *event, pid_t pid, const struct kernel *kernel)
{
    struct perf_event_attr attr;
    source_attribute(source, plan, event, &attr);
    attr.sample_period = plan->first_period;
    int fd = kernel->perf_event_open(&attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
    /* Kernels before 5.13 refuse the unknown bit. */
    if (fd == -EINVAL) {
        attr.inherit_thread = 0;
        fd = kernel->perf_event_open(&attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
    }
    if (fd >= 0)
        close(fd);
    return fd < 0 ? fd : 0;
}

/* The next candidate of an alias until the kernel takes one. */
static int try_event(const struct source *source, struct source_plan *plan, struct event *event,
                     pid_t pid, const struct kernel *kernel, struct error *error)
{
    char name[sizeof event->name];
    snprintf(name, sizeof name, "%s", event->name);
    int code = open_once(source, plan, event, pid, kernel);
    for (unsigned skip = 1; code && code != -EACCES && code != -EPERM && code != -ESRCH; skip++) {
        struct event other;
        if (event_encode(&other, name, strlen(name), skip, kernel, NULL))
            break;
        int next = open_once(source, plan, &other, pid, kernel);
        if (!next)
            *event = other;
        code = next;
    }
    return code ? source_explain(code, name, kernel, error) : 0;
}

int source_try(const struct source *source, struct source_plan *plan, pid_t pid,
               const struct kernel *kernel, struct error *error)
{
    int code = try_event(source, plan, &plan->events[0], pid, kernel, error);
    /* Sapphire Rapids and hybrid P-cores: load latency only behind mem-loads-aux. */
    if (code == -ENODATA && plan->aux.name[0] && !plan->needs_aux) {
        plan->needs_aux = true;
        code = try_event(source, plan, &plan->events[0], pid, kernel, error);
    }
    if (code)
        return code;
    /* Further events are an offer: those the kernel refuses are left out, not an error. */
    unsigned kept = 1;
    for (unsigned i = 1; i < plan->count; i++)
        if (!try_event(source, plan, &plan->events[i], pid, kernel, NULL))
            plan->events[kept++] = plan->events[i];
    plan->count = kept;
    return 0;
}
