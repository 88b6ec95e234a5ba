/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of an open recording, for those who show it. */
#include "sample/perfdata_state.h"

#include "sample/event.h"
#include "sample/event_desc.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

const struct perfdata_process *perfdata_processes(const struct perfdata *file, size_t *count)
{
    *count = file->surveyed ? file->processes.count : 0;
    return file->processes.list;
}

const struct perf_event_attr *perfdata_attribute(const struct perfdata *file, unsigned index)
{
    for (size_t i = 0; i < file->attributes.count; i++)
        if (file->attributes.events[i].format.event == index)
            return &file->attributes.events[i].attr;
    return NULL;
}

uint64_t perfdata_mark(const struct perfdata *file)
{
    return file->attributes.count ? file->attributes.events[0].first_id >> PERFDATA_MARK_SHIFT : 0;
}

const struct perfdata_machine *perfdata_machine(const struct perfdata *file)
{
    return &file->machine;
}

struct perfdata_counts perfdata_counts(const struct perfdata *file)
{
    struct perfdata_counts counts = file->counts;
    counts.late = file->order.late;
    if (!file->surveyed) {
        counts.aux_bytes = file->tape.aux_bytes;
        counts.cut = file->tape.end == TAPE_CUT;
        counts.damaged = file->tape.end > TAPE_CUT;
    }
    return counts;
}

struct sampler_span perfdata_span(const struct perfdata *file)
{
    uint64_t first_ns = 0;
    uint64_t last_ns = 0;
    for (size_t i = 0; file->surveyed && i < file->processes.count; i++) {
        const struct perfdata_process *process = &file->processes.list[i];
        if (!process->first_sample_ns ||
            (file->pid != PERFDATA_EVERY_PROCESS && process->pid != file->pid))
            continue;
        if (!first_ns || process->first_sample_ns < first_ns)
            first_ns = process->first_sample_ns;
        if (process->last_sample_ns > last_ns)
            last_ns = process->last_sample_ns;
    }
    return (struct sampler_span){first_ns, file->input.follows ? 0 : last_ns - first_ns};
}

static bool tells_source(const struct attribute *event)
{
    return event->attr.sample_type & PERF_SAMPLE_DATA_SRC && !event->format.no_data_source;
}

static enum event_role role_of_cache(uint64_t config)
{
    const uint64_t read_misses = PERF_COUNT_HW_CACHE_RESULT_MISS << 16;
    return config == PERF_COUNT_HW_CACHE_L1D                   ? EVENT_ACCESS
           : config == (read_misses | PERF_COUNT_HW_CACHE_L1D) ? EVENT_MISS_L1
           : config == (read_misses | PERF_COUNT_HW_CACHE_LL)  ? EVENT_MEM_FILL
                                                               : EVENT_OTHER;
}

/* Only what says the same whatever the CPU: levels are worked out from it. Intel's names. */
static enum event_role role_of(const struct attribute *event)
{
    static const struct {
        const char *name;
        enum event_role role;
    } named[] = {
        {"mem_load_retired.l1_miss", EVENT_MISS_L1},
        {"mem_load_retired.l2_miss", EVENT_MISS_L2},
        {"mem_load_retired.l3_miss", EVENT_MEM_FILL},
        {"mem_load_uops_retired.l1_miss", EVENT_MISS_L1},
        {"mem_load_uops_retired.l2_miss", EVENT_MISS_L2},
        {"mem_load_uops_retired.l3_miss", EVENT_MEM_FILL},
        {"mem_inst_retired.all_loads", EVENT_ACCESS},
        {"mem_uops_retired.all_loads", EVENT_ACCESS},
        {"ls_dispatch.ld_dispatch", EVENT_ACCESS},
    };
    const struct perf_event_attr *attr = &event->attr;
    if (attr->type == PERF_TYPE_HW_CACHE)
        return role_of_cache(attr->config);
    size_t length = strcspn(event->name, ":"); /* modifiers follow */
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (strlen(named[i].name) == length && !strncasecmp(event->name, named[i].name, length))
            return named[i].role;
    if (event_counts_instructions(attr))
        return EVENT_ACCESS;
    bool clock = attr->type == PERF_TYPE_SOFTWARE && attr->config <= PERF_COUNT_SW_TASK_CLOCK;
    bool cycles = attr->type == PERF_TYPE_HARDWARE && attr->config == PERF_COUNT_HW_CPU_CYCLES;
    return clock || cycles ? EVENT_STALL : EVENT_OTHER;
}

static void describe_event(const struct attribute *event, const struct attributes *all,
                           struct sampler_info *info)
{
    struct sampler_event *out = &info->events[event->format.event];
    uint64_t latency = PERF_SAMPLE_WEIGHT | UINT64_C(1) << 24; /* WEIGHT_STRUCT */
    info->exact_address |= event->format.recorded_address && !event->format.told;
    info->exact_ip |= event->format.exact_ip;
    info->latency |= !!(event->attr.sample_type & latency);
    info->data_source |= tells_source(event);
    out->period = event->attr.freq ? 0 : event->attr.sample_period;
    if (*event->name && all->joined[event->format.event])
        attributes_plain_name(event->name, out->name, sizeof out->name);
    else if (*event->name)
        snprintf(out->name, sizeof out->name, "%s", event->name);
    else
        event_desc_guess(&event->attr, out->name, sizeof out->name);
    struct event meaning = {.type = event->attr.type,
                            .config = event->attr.config,
                            .config1 = event->attr.config1,
                            .config2 = event->attr.config2,
                            .precise_ip = event->attr.precise_ip};
    snprintf(meaning.name, sizeof meaning.name, "%s", out->name);
    meaning.role =
        tells_source(event) && event_samples_all(&meaning) ? EVENT_ACCESS : role_of(event);
    out->role = meaning.role;
    event_weigh(&meaning, out->weighs, sizeof out->weighs);
}

static void add(struct sampler_info *info, const char *text)
{
    size_t used = strlen(info->note);
    snprintf(info->note + used, sizeof info->note - used, "%s%s", used ? "; " : "", text);
}

static void add_count(struct sampler_info *info, uint64_t count, const char *text)
{
    char line[128];
    snprintf(line, sizeof line, "%llu %s", (unsigned long long)count, text);
    if (count)
        add(info, line);
}

/* The most telling first: the note may be too short for all. */
static void describe_trouble(struct sampler_info *info, const struct perfdata_counts *counts)
{
    if (counts->growing)
        add(info, "it is still being recorded: what is there so far is shown");
    else if (counts->perhaps_growing)
        add(info, "the recorder was killed, or is still writing: what is there so far is shown");
    else if (counts->killed)
        add(info, "the recorder was killed: what it wrote until then is shown");
    else if (counts->cut)
        add(info, "the recording is cut short: its end is missing; copy it again");
    if (counts->damaged)
        add(info, "the recording is damaged: read up to there");
    add_count(info, counts->bad, "damaged records in the recording were left out");
    add_count(info, counts->unknown, "records of events that it does not describe were left out");
    add_count(info, counts->lost, "records were lost by the recorder");
    add_count(info, counts->aux_bytes, "bytes of trace data (AUX) were skipped");
    add_count(info, counts->late, "records came out of order");
}

static bool maps_data(const struct perfdata *file)
{
    for (size_t i = 0; i < file->attributes.count; i++)
        if (file->attributes.events[i].attr.mmap_data)
            return true;
    return false;
}

/* Those that are one here came from different kinds of cores. */
static void describe_cores(const struct perfdata *file, struct sampler_info *info)
{
    bool joined = false;
    for (unsigned i = 0; i < file->attributes.shown; i++)
        joined |= file->attributes.joined[i];
    if (joined)
        add(info, "events of the CPU's kinds of cores (cpu_core, cpu_atom) are counted as one");
}

/* Whether its samples can be given addresses, and what to do where they cannot. */
static void describe_use(const struct perfdata *file, struct sampler_info *info,
                         const struct perfdata_counts *counts)
{
    if (counts->samples && !counts->with_address && !counts->with_registers)
        add(info, "no sample has an address or registers: record with perf mem record, or with "
                  "perf record --intr-regs");
    else if (counts->samples && !maps_data(file))
        add(info,
            "mappings of data were not recorded: variables are known by the files, the rest by "
            "its place; perf record -d adds them");
}

/* Addresses that hardware recorded are as good from there as from here. */
static void describe_foreign(const struct perfdata *file, struct sampler_info *info)
{
    char line[128];
    const char *architecture = file->machine.architecture;
    info->foreign = *architecture && strcmp(architecture, "x86_64") != 0;
    snprintf(line, sizeof line,
             "recorded on %s: addresses that were recorded are shown, but nothing is decoded",
             architecture);
    if (info->foreign)
        add(info, line);
}

void perfdata_describe(const struct perfdata *file, struct sampler_info *info)
{
    struct perfdata_counts counts = perfdata_counts(file);
    size_t count = file->attributes.count;
    info->source = "replay";
    info->pid = file->pid;
    info->weighs = "the recorded event";
    info->records_bad = counts.bad + counts.unknown + counts.damaged;
    info->event_count = file->attributes.shown;
    /* Backwards, so that of several events that share a place the first names it. */
    while (count--)
        if (file->attributes.events[count].format.event < info->event_count)
            describe_event(&file->attributes.events[count], &file->attributes, info);
    info->note[0] = '\0';
    describe_foreign(file, info);
    describe_trouble(info, &counts);
    describe_use(file, info, &counts);
    describe_cores(file, info);
}
