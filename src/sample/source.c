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
                       PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
                       PERF_SAMPLE_REGS_USER,
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
    /*
     * kernel/events/core.c, perf_swevent_event(): with PERF_SAMPLE_PERIOD a software event that
     * is no timer writes a sample at every single event, whatever its period. Without it the
     * weight is that of the attribute.
     */
    if (event_is_software(event) && event->role != EVENT_STALL)
        attr->sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
    source->attribute(plan, event, attr);
}

struct record_format source_format(const struct source *source, const struct perf_event_attr *attr,
                                   uint16_t index)
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

void source_aux_attribute(const struct source_plan *plan, const struct perf_event_attr *first,
                          struct perf_event_attr *attr)
{
    *attr = *first;
    attr->type = plan->aux.type;
    attr->config = plan->aux.config;
    attr->config1 = plan->aux.config1;
    attr->config2 = plan->aux.config2;
    attr->sample_period = 0;
    /* arch/x86/events/core.c: an event that does not sample must not be precise. */
    attr->precise_ip = 0;
    attr->mmap = attr->mmap2 = attr->mmap_data = 0;
    attr->comm = attr->comm_exec = attr->task = 0;
}

static int explain_access(const struct source_plan *plan, const char *what,
                          const struct kernel *kernel, struct error *error)
{
    long paranoid = kernel_number(kernel->procfs, "sys/kernel/perf_event_paranoid", -100);
    int enough = plan->kernel_too ? 1 : 2;
    if (paranoid > enough)
        return error_set(error, -EACCES,
                         "%s: permission denied: perf_event_paranoid is %ld; sudo sysctl "
                         "kernel.perf_event_paranoid=%d allows it for your own processes, or give "
                         "misstop alone the right: sudo setcap cap_perfmon+ep on its file",
                         what, paranoid, enough);
    return error_set(error, -EACCES,
                     "%s: permission denied: the process belongs to another user or may not be "
                     "traced, or a seccomp filter forbids perf_event_open; try sudo",
                     what);
}

static int explain_files(const char *what, struct error *error)
{
    struct rlimit limit = {0};
    getrlimit(RLIMIT_NOFILE, &limit);
    return error_set(error, -EMFILE,
                     "%s: more descriptors needed than the limit of %lu allows; raise it with "
                     "ulimit -n",
                     what, (unsigned long)limit.rlim_cur);
}

int source_explain(int code, const struct source_plan *plan, const char *what,
                   const struct kernel *kernel, struct error *error)
{
    switch (-code) {
    case EACCES:
    case EPERM:
        return explain_access(plan, what, kernel, error);
    case ENOENT:
    case EOPNOTSUPP:
    case ENODEV:
        return error_set(error, code, "%s: this CPU or virtual machine does not count it (%s)",
                         what, strerror(-code));
    case ENODATA:
        return error_set(error, code,
                         "%s: this CPU wants mem-loads-aux counted along, and sysfs "
                         "has no such event; take -s counter",
                         what);
    case EMFILE:
        return explain_files(what, error);
    case EBUSY:
        return error_set(error, code,
                         "%s: the counter is in use by somebody else; stop other "
                         "profilers (and sudo sysctl kernel.nmi_watchdog=0)",
                         what);
    case ENOSYS:
        return error_set(error, code,
                         "%s: this kernel or sandbox has no perf_event_open; run "
                         "misstop outside of it",
                         what);
    case ESRCH:
        return error_set(error, code, "%s: the process is gone", what);
    case EINVAL:
        return error_set(error, -ENOTSUP,
                         "%s: the kernel refuses these attributes (EINVAL); take "
                         "another event with -e or another source with -s",
                         what);
    default:
        return error_set(error, code, "%s: %s", what, strerror(-code));
    }
}

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
static int try_first(const struct source *source, struct source_plan *plan, pid_t pid,
                     const struct kernel *kernel)
{
    int code = try_event(source, plan, &plan->events[0], pid, kernel);
    if (code != -ENODATA || !plan->aux.name[0])
        return code;
    plan->needs_aux = true;
    return try_event(source, plan, &plan->events[0], pid, kernel);
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
    int code = try_first(source, plan, pid, kernel);
    struct event refused = plan->events[0];
    while (code && plan->first_optional && !final(code) && plan->count > 1) {
        memmove(plan->events, plan->events + 1, --plan->count * sizeof *plan->events);
        int next = try_first(source, plan, pid, kernel);
        code = next ? code : 0;
    }
    if (code)
        return source_explain(code, plan, refused.name, kernel, error);
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
    if (source->describe)
        source->describe(plan);
    return 0;
}
