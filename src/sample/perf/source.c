/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/perf/source.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/files.h"
#include "sample/perf/event.h"

/* AX..IP, FLAGS, R8..R15 of enum perf_event_x86_regs: segment registers are not available. */
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

int source_plan_list(struct source_plan *plan, const char *list, const struct kernel *kernel,
                     struct error *error)
{
    const char *word;
    size_t size;
    plan->count = 0;
    plan->software = true;
    while (event_next_word(&list, &word, &size)) {
        if (plan->count == SAMPLE_EVENTS_MAX)
            return error_set(error, -EINVAL, "-e: at most %d events", SAMPLE_EVENTS_MAX);
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
                       PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD,
        /* To find the share of the time that the event had a counter (session.c). */
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .disabled = 1,
        .inherit = 1,
        .inherit_thread = 1, /* Linux 5.13; before, forked children are filtered by pid */
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .sample_id_all = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
    };
    /*
     * kernel/events/core.c, perf_swevent_event(): with PERF_SAMPLE_PERIOD a software event other
     * than a timer writes a sample for every single event, whatever its period. Without it the
     * weight is that of the attribute.
     */
    if (event_is_software(event) && event->role != EVENT_TIME)
        attr->sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
    /* Registers that are not of the sampled instruction would only fill the ring. */
    if (!source->has_skid_regs || event->as_counter) {
        attr->sample_type |= PERF_SAMPLE_REGS_USER;
        attr->sample_regs_user = SOURCE_REGS;
    }
    if (source->attribute && !event->as_counter)
        source->attribute(plan, event, attr);
}

/* Other software events, and plain counters, record address 0. */
bool source_faults(const struct perf_event_attr *attr)
{
    return attr->type == PERF_TYPE_SOFTWARE && attr->config >= PERF_COUNT_SW_PAGE_FAULTS &&
           attr->config <= PERF_COUNT_SW_EMULATION_FAULTS &&
           attr->config != PERF_COUNT_SW_CONTEXT_SWITCHES &&
           attr->config != PERF_COUNT_SW_CPU_MIGRATIONS;
}

struct record_format source_format(const struct source *source, const struct perf_event_attr *attr,
                                   uint16_t index)
{
    bool fault = source_faults(attr);
    /* Sources with alien registers request them only for an event sampled as a counter. */
    bool as_counter = source->has_skid_regs && attr->sample_regs_user;
    return (struct record_format){
        .sample_type = attr->sample_type,
        .read_format = attr->read_format,
        .branch_type = attr->branch_sample_type,
        .regs_user = attr->sample_regs_user,
        .regs_intr = attr->sample_regs_intr,
        .period = attr->sample_period,
        .sample_id_all = attr->sample_id_all,
        /* After a fault the IP is at the instruction that will be retried; precise_ip 1 promises
         * only a constant skid. */
        .exact_ip =
            attr->precise_ip ? attr->precise_ip >= 2 : (source->exact_ip && !as_counter) || fault,
        .recorded_address = (source->exact_address && !as_counter) || attr->precise_ip || fault,
        .has_skid_regs = (source->has_skid_regs && !as_counter) || attr->precise_ip,
        .counts_instructions = event_counts_instructions(attr),
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

/* Finds out which events of a plan the kernel accepts, and with which of their alternatives. */

static int source_ask_kernel(struct perf_event_attr *attr, pid_t pid, int group,
                             const struct kernel *kernel)
{
    int fd = kernel->perf_event_open(attr, pid, -1, group, PERF_FLAG_FD_CLOEXEC);
    /* Kernels before 5.13 refuse the unknown bit. */
    if (fd != -EINVAL)
        return fd;
    attr->inherit_thread = 0;
    return kernel->perf_event_open(attr, pid, -1, group, PERF_FLAG_FD_CLOEXEC);
}

static int probe_event(const struct source *source, const struct source_plan *plan,
                       const struct event *event, pid_t pid, const struct kernel *kernel)
{
    struct perf_event_attr attr;
    struct perf_event_attr aux;
    int leader = -1;
    source_attribute(source, plan, event, &attr);
    attr.sample_period = plan->first_period;
    if (plan->needs_aux && event == &plan->events[0]) {
        source_aux_attribute(plan, &attr, &aux);
        leader = source_ask_kernel(&aux, pid, -1, kernel);
        if (leader < 0)
            return leader;
    }
    int fd = source_ask_kernel(&attr, pid, leader, kernel);
    if (fd >= 0)
        close(fd);
    if (leader >= 0)
        close(leader);
    return fd < 0 ? fd : 0;
}

static bool is_final_error(int code)
{
    return code == -EACCES || code == -EPERM || code == -ESRCH || code == -EMFILE ||
           code == -ENOSYS;
}

/* Tries the candidates of an alias until the kernel accepts one. */
static int try_event(const struct source *source, const struct source_plan *plan,
                     struct event *event, pid_t pid, const struct kernel *kernel)
{
    const struct event first = *event;
    int code = probe_event(source, plan, event, pid, kernel);
    for (unsigned skip = 1; code && !is_final_error(code); skip++) {
        if (event_encode(event, first.name, strlen(first.name), skip, kernel, NULL))
            break;
        event->as_counter = first.as_counter;
        code = probe_event(source, plan, event, pid, kernel);
    }
    if (code)
        *event = first;
    return code;
}

/* Sapphire Rapids and hybrid P-cores need mem-loads-aux as group leader for load latency. */
static int try_with_leader(const struct source *source, struct source_plan *plan, pid_t pid,
                           const struct kernel *kernel)
{
    int code = try_event(source, plan, &plan->events[0], pid, kernel);
    if (code != -ENODATA || !plan->aux.name[0])
        return code;
    plan->needs_aux = true;
    return try_event(source, plan, &plan->events[0], pid, kernel);
}

/*
 * Tries the ranking event, with lower precision if the source has exact addresses: CPUs before
 * Haswell need branch records for precise_ip 2 (core.c, x86_pmu_hw_config), which virtual machines
 * seldom have. The address is just as good, and only the instruction must be found by its skid.
 */
static int try_ranking_event(const struct source *source, struct source_plan *plan, pid_t pid,
                             const struct kernel *kernel)
{
    int code = try_with_leader(source, plan, pid, kernel);
    if (code != -EOPNOTSUPP || !source->exact_address || plan->events[0].precise_ip < 2)
        return code;
    struct source_plan lower = *plan;
    for (unsigned i = 0; i < lower.count; i++)
        lower.events[i].precise_ip = 1;
    code = try_with_leader(source, &lower, pid, kernel);
    if (!code)
        *plan = lower;
    return code;
}

void source_offer_stalls(struct source_plan *plan, const struct kernel *kernel)
{
    static const char *const pair[] = {"stall", "cycles"};
    for (int i = 0; i < 2 && plan->count < SAMPLE_EVENTS_MAX; i++) {
        struct event *event = &plan->events[plan->count];
        if (event_encode(event, pair[i], strlen(pair[i]), 0, kernel, NULL))
            continue;
        event->as_counter = true;
        plan->count++;
    }
    source_settle_stalls(plan);
}

void source_settle_stalls(struct source_plan *plan)
{
    unsigned offered = 0;
    unsigned roles = 0;
    for (unsigned i = 0; i < plan->count; i++)
        if (plan->events[i].as_counter) {
            offered++;
            roles |= 1u << plan->events[i].role;
        }
    if (roles != (1u << EVENT_STALL | 1u << EVENT_TIME))
        plan->count -= offered; /* the offered events are the last two */
}

static bool is_repeated_event(const struct source_plan *plan, unsigned count,
                              const struct event *event)
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
    /* A first thread that has ended accepts no events. */
    pid = files_proc_tid(pid);
    int code = try_ranking_event(source, plan, pid, kernel);
    struct event refused = plan->events[0];
    while (code && plan->first_optional && !is_final_error(code) && plan->count > 1) {
        memmove(plan->events, plan->events + 1, --plan->count * sizeof *plan->events);
        int next = try_ranking_event(source, plan, pid, kernel);
        code = next ? code : 0;
    }
    if (code)
        return source_explain(source, code, plan, refused.name, kernel, error);
    /* Further events are optional: skip those that the kernel refuses. Aliases may end in the same
     * generic event: keep it once. */
    unsigned kept = 1;
    for (unsigned i = 1; i < plan->count; i++) {
        struct event event = plan->events[i];
        if (!try_event(source, plan, &event, pid, kernel) &&
            !(plan->first_optional && is_repeated_event(plan, kept, &event)))
            plan->events[kept++] = event;
    }
    plan->count = kept;
    if (source->settle)
        source->settle(plan);
    event_describe_weight(&plan->events[0], plan->weight_unit, sizeof plan->weight_unit);
    return 0;
}

/* Explains errors of perf_event_open to the user, with the remedy. */

static int explain_access(const struct source_plan *plan, const char *what,
                          const struct kernel *kernel, struct error *error)
{
    long paranoid = kernel_number(kernel->procfs, "sys/kernel/perf_event_paranoid", -100);
    int enough = plan->includes_kernel ? 1 : 2;
    if (paranoid > enough)
        return error_set(error, -EACCES,
                         "%s: permission denied: perf_event_paranoid is %ld; sudo sysctl "
                         "kernel.perf_event_paranoid=%d allows it for your own processes, or give "
                         "misstop alone the right: sudo setcap cap_perfmon+ep on its file",
                         what, paranoid, enough);
    return error_set(error, -EACCES,
                     "%s: permission denied: the process belongs to another user or may not be "
                     "traced, or a seccomp filter forbids perf_event_open; %s",
                     what, error_rights_remedy());
}

static int explain_files(int code, const char *what, struct error *error)
{
    char cause[ERROR_CAUSE];
    return error_set(error, code, "%s: more file descriptors are needed: %s", what,
                     error_cause(code, cause));
}

int source_explain(const struct source *source, int code, const struct source_plan *plan,
                   const char *what, const struct kernel *kernel, struct error *error)
{
    const char *remedy = source->remedy ? source->remedy(code, kernel) : NULL;
    if (remedy)
        return error_set(error, code == -EINVAL ? -ENOTSUP : code, "%s: %s", what, remedy);
    switch (-code) {
    case EACCES:
    case EPERM:
        return explain_access(plan, what, kernel, error);
    case ENOENT:
    case EOPNOTSUPP:
    case ENODEV:
        return error_set(error, code, "%s: this CPU or virtual machine does not count it (%s)",
                         what, strerror(-code));
    case EMFILE:
    case ENFILE:
        return explain_files(code, what, error);
    case EBUSY:
        return error_set(error, code,
                         "%s: the counter is in use by another program; stop other "
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

enum { FILTER_WORD_BYTES = 32, FILTER_LDLAT_MAX = 65535 /* config1:0-15 */ };

static int parse_ldlat(struct filter *filter, const char *number, struct error *error)
{
    char *end;
    unsigned long cycles = strtoul(number, &end, 10);
    if (!isdigit((unsigned char)*number) || *end || !cycles || cycles > FILTER_LDLAT_MAX)
        return error_set(error, -EINVAL,
                         "-e ldlat= takes a number of cycles from 1 to %d, as in ldlat=64",
                         FILTER_LDLAT_MAX);
    filter->ldlat_cycles = (uint32_t)cycles;
    return 0;
}

static int parse_filter_word(struct filter *filter, const char *word, struct error *error)
{
    static const char threshold[] = "ldlat=";
    if (!strncmp(word, threshold, sizeof threshold - 1))
        return parse_ldlat(filter, word + sizeof threshold - 1, error);
    if (!strcmp(word, "l3missonly"))
        filter->l3_miss_only = true;
    else
        filter->has_events = true;
    return 0;
}

int filter_parse(struct filter *filter, const char *list, struct error *error)
{
    const char *word;
    size_t size;
    int code = 0;
    *filter = (struct filter){0};
    while (!code && list && event_next_word(&list, &word, &size)) {
        char copy[FILTER_WORD_BYTES];
        if (size >= sizeof copy) {
            filter->has_events = true;
            continue;
        }
        snprintf(copy, sizeof copy, "%.*s", (int)size, word);
        code = parse_filter_word(filter, copy, error);
    }
    return code;
}

/* clock: a timer of the thread's CPU time, with registers. Needs no PMU, so it works in any virtual
 * machine. Its samples represent time, not misses. */

enum { CLOCK_FIRST_PERIOD_NS = 500009 };

static int clock_plan(struct source_plan *plan, const char *list, const struct kernel *kernel,
                      struct error *error)
{
    int code = source_plan_list(plan, list ? list : "cpu-clock,task-clock", kernel, error);
    if (code)
        return code;
    if (plan->events[0].role != EVENT_TIME || !event_is_software(&plan->events[0]))
        return error_set(error, -EINVAL,
                         "-e %s: the clock source counts cpu-clock or task-clock only; "
                         "take -s counter for other events",
                         plan->events[0].name);
    plan->first_period = CLOCK_FIRST_PERIOD_NS;
    plan->first_optional = !list;
    return 0;
}

/* Keeps a single clock: task-clock is used only if cpu-clock did not open. */
static void clock_settle(struct source_plan *plan)
{
    if (plan->first_optional)
        plan->count = 1;
}

const struct source source_clock = {
    .name = "clock",
    .plan = clock_plan,
    .settle = clock_settle,
    .enable = "needs only perf_event_paranoid 2 or less",
};

/* counter: samples a miss event of the CPU on overflow, with user registers (PMPT's method on
 * current kernels). Software events with an address, such as page-faults, work too. */

enum { COUNTER_FIRST_PERIOD = 10007, COUNTER_FIRST_PERIOD_CLOCK_NS = 500009 };

/* Lists the deepest available miss event first, so that it ranks; the other events fill the columns
 * of levels, rates and stalled cycles. Skips events that this CPU lacks. */
static void choose_events(char *list, size_t list_size, const struct kernel *kernel)
{
    static const char *const wanted[] = {"mem-fill", "l2-miss", "l1-miss", "stall", "cycles"};
    bool time = false;
    size_t used = 0;
    *list = '\0';
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct event event;
        if (event_encode(&event, wanted[i], strlen(wanted[i]), 0, kernel, NULL) ||
            (time && event.role == EVENT_TIME))
            continue;
        time |= event.role == EVENT_TIME;
        used += (size_t)snprintf(list + used, list_size - used, "%s%s", used ? "," : "", wanted[i]);
    }
}

static int counter_plan(struct source_plan *plan, const char *list, const struct kernel *kernel,
                        struct error *error)
{
    char chosen[64];
    choose_events(chosen, sizeof chosen, kernel);
    /* Without any, the first explains why. */
    int code = source_plan_list(plan, list ? list : *chosen ? chosen : "mem-fill", kernel, error);
    if (code)
        return code;
    plan->first_optional = !list;
    /* Page faults and the like are rare: sample every one until the rate is too high. */
    plan->first_period = event_is_clock(&plan->events[0])      ? COUNTER_FIRST_PERIOD_CLOCK_NS
                         : event_is_software(&plan->events[0]) ? 1
                                                               : COUNTER_FIRST_PERIOD;
    return 0;
}

const struct source source_counter = {
    .name = "counter",
    .plan = counter_plan,
    .enable = "needs a PMU: on a cloud VM choose a type that exposes it (often the metal and "
              "the largest ones); in QEMU -cpu host,pmu=on",
};
