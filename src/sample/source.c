/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

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
                       PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD,
        /* What part of the time the counter was the event's own: session.c. */
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
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
    /* Registers that are not those of the sampled instruction would only fill the ring. */
    if (!source->alien_regs) {
        attr->sample_type |= PERF_SAMPLE_REGS_USER;
        attr->sample_regs_user = SOURCE_REGS;
    }
    source->attribute(plan, event, attr);
}

/* Other software events, and plain counters, carry 0 for an address. */
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
    return (struct record_format){
        .sample_type = attr->sample_type,
        .read_format = attr->read_format,
        .branch_type = attr->branch_sample_type,
        .regs_user = attr->sample_regs_user,
        .regs_intr = attr->sample_regs_intr,
        .period = attr->sample_period,
        .sample_id_all = attr->sample_id_all,
        /* A fault leaves the IP at the instruction that will be tried again; precise_ip 1
         * promises a constant skid only. */
        .exact_ip = attr->precise_ip ? attr->precise_ip >= 2 : source->exact_ip || fault,
        .recorded_address = source->exact_address || attr->precise_ip || fault,
        .alien_regs = source->alien_regs || attr->precise_ip,
        .of_any = event_counts_instructions(attr),
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
