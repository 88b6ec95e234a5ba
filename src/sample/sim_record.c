/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/sim_record.h"

#include "access.h"

#include <string.h>
#include <sys/mman.h>

/* Later than some uapi headers this must compile with. */
#define LVLNUM_SHIFT 33
enum { LVLNUM_RAM = 0x0d };

uint64_t sim_record_data_src(const struct sim_miss *miss, uint32_t level_count)
{
    static const uint64_t bits[SIM_LEVELS_MAX] = {PERF_MEM_LVL_L1, PERF_MEM_LVL_L2, PERF_MEM_LVL_L3,
                                                  0};
    bool memory = miss->served >= level_count;
    unsigned cause = sim_cause_of(miss, 0);
    bool shared = cause == SIM_INVALIDATED_TRUE || cause == SIM_INVALIDATED_FALSE;
    uint64_t number = memory ? LVLNUM_RAM : miss->served + 1u;
    uint64_t level = memory ? PERF_MEM_LVL_LOC_RAM : bits[miss->served];
    /* A modify waits for its load. */
    uint64_t op = miss->op & SIM_LOAD ? PERF_MEM_OP_LOAD : PERF_MEM_OP_STORE;
    return op | (level | PERF_MEM_LVL_HIT) << PERF_MEM_LVL_SHIFT | number << LVLNUM_SHIFT |
           (uint64_t)(shared ? PERF_MEM_SNOOP_HITM : PERF_MEM_SNOOP_NA) << PERF_MEM_SNOOP_SHIFT |
           (uint64_t)PERF_MEM_LOCK_NA << PERF_MEM_LOCK_SHIFT |
           (uint64_t)PERF_MEM_TLB_NA << PERF_MEM_TLB_SHIFT;
}

static struct record begin(const struct sim_told *told, enum record_kind kind, uint32_t tid)
{
    return (struct record){
        .kind = kind, .time_ns = told->session->last_ns, .pid = told->session->pid, .tid = tid};
}

/* What the model says of one level. */
static void take_cause(const struct sim_session *session, const struct sim_miss *miss,
                       unsigned level, struct sample *sample)
{
    unsigned cause = sim_cause_of(miss, level);
    bool evictor = level == miss->evictor_level;
    sample->cause = CAUSE_NOT_TOLD;
    sample->evictor_ip = sample->evictor_address = sample->evictor_tid = 0;
    if (miss->kind == SIM_ACCESS || !session->memory->wanted.causes)
        return;
    sample->cause = (uint8_t)(CAUSE_UNKNOWN + (cause < SIM_CAUSES ? cause : SIM_CAUSE_UNKNOWN));
    sample->evictor_ip = evictor ? miss->evictor_ip : 0;
    sample->evictor_address = evictor ? miss->evictor_address : 0;
    sample->evictor_tid = evictor ? miss->evictor_tid : 0;
}

/* A sample for each event that it is one of. */
static void tell_miss(const struct sim_told *told, const struct sim_miss *miss)
{
    const struct sim_session *session = told->session;
    struct record record = begin(told, RECORD_SAMPLE, miss->tid);
    record.sample = (struct sample){
        .time_ns = record.time_ns,
        .ip = miss->ip,
        .address = miss->address,
        .weight = miss->weight ? miss->weight : 1,
        .data_src = sim_record_data_src(miss, session->level_count),
        .pid = session->pid,
        .tid = miss->tid,
        .cpu = SAMPLE_NO_CPU,
        .has = SAMPLE_HAS_ADDRESS | SAMPLE_HAS_DATA_SRC | SAMPLE_HAS_EXACT_IP,
        .mode = SAMPLE_USER,
    };
    for (unsigned i = 0; i < session->event_count; i++) {
        const struct sim_event *event = &session->events[i];
        record.sample.event = (uint16_t)i;
        take_cause(session, miss, event->level, &record.sample);
        if (miss->kind == SIM_ACCESS ? event->accesses
                                     : !event->accesses && event->level < miss->served)
            told->sink(told->context, &record);
    }
}

/* The event that counts misses of a level; event_count: none does. */
static unsigned event_of(const struct sim_session *session, uint8_t level)
{
    unsigned i = 0;
    while (i < session->event_count &&
           (session->events[i].accesses || session->events[i].level != level))
        i++;
    return i;
}

static void tell_line(const struct sim_told *told, const struct sim_line *line)
{
    const struct sim_session *session = told->session;
    bool left = line->kind == SIM_LEFT;
    uint8_t level = left ? line->level : 0;
    unsigned event = left ? event_of(session, level) : 0;
    if (level >= session->level_count || !session->memory->wanted.use) {
        told->session->bad++;
        return;
    }
    uint32_t line_bytes = session->memory->wanted.levels[level].line_bytes;
    struct record record = begin(told, RECORD_LINE, line->tid);
    record.line = (struct line_told){
        .what = left ? LINE_LEFT : LINE_REUSED,
        .level = level,
        .event = (uint16_t)event,
        .ip = line->ip,
        .address = line->address,
        .weight = line->weight ? line->weight : 1,
        .tid = line->tid,
        .line_bytes = (uint16_t)line_bytes,
    };
    if (left) {
        uint32_t used = line->used_bytes < line_bytes ? line->used_bytes : line_bytes;
        record.line.used_bytes = (uint16_t)used;
        record.line.touched_bytes = line->touched_bytes > used ? line->touched_bytes : used;
        memcpy(record.line.uses, line->uses, sizeof record.line.uses);
    } else {
        record.line.distance = line->distance;
    }
    if (event < session->event_count)
        told->sink(told->context, &record);
}

/* The path in the units behind the one at the tail; false: there is none. */
static bool read_path(const struct sim_session *session, uint32_t units, uint64_t behind,
                      char out[SIM_PATH_UNITS_MAX * sizeof(union sim_unit)])
{
    const struct sim_shared *shared = session->memory->shared;
    const size_t unit = sizeof(union sim_unit);
    if (!units || units > SIM_PATH_UNITS_MAX || units > behind)
        return false;
    for (uint32_t i = 0; i < units; i++)
        memcpy(out + i * unit, &shared->units[(session->tail + 1 + i) % SIM_RING_UNITS], unit);
    out[units * unit - 1] = '\0';
    return true;
}

static void tell_mapping(const struct sim_told *told, const struct sim_mapping *mapping,
                         const char *path)
{
    struct record record = begin(told, RECORD_MAPPING, told->session->pid);
    record.mapping = (struct sample_mapping){
        .start = mapping->start,
        .length = mapping->length,
        .file_offset = mapping->offset,
        .inode = mapping->inode,
        .device_major = mapping->major,
        .device_minor = mapping->minor,
        .protection = mapping->protection,
        .flags = MAP_PRIVATE,
        .executable = mapping->protection & PROT_EXEC,
        .path = path,
    };
    if (mapping->start + mapping->length > mapping->start)
        told->sink(told->context, &record);
    else
        told->session->bad++;
}

static void tell_program(const struct sim_told *told, const char *path)
{
    const char *slash = strrchr(path, '/');
    struct record record = begin(told, RECORD_COMM, told->session->pid);
    record.comm.name = slash ? slash + 1 : path;
    record.comm.exec = true;
    record.comm.exe = path;
    told->sink(told->context, &record);
}

static void tell_thread(const struct sim_told *told, const struct sim_miss *miss)
{
    struct record record =
        begin(told, miss->kind == SIM_THREAD ? RECORD_FORK : RECORD_EXIT, miss->tid);
    record.fork.parent_pid = record.fork.parent_tid = told->session->pid;
    if (miss->tid != told->session->pid)
        told->sink(told->context, &record);
}

uint64_t sim_record_tell(const struct sim_told *told, const union sim_unit *unit, uint64_t behind)
{
    char path[SIM_PATH_UNITS_MAX * sizeof(union sim_unit)];
    const struct sim_mapping *mapping = &unit->mapping;
    switch (unit->miss.kind) {
    case SIM_MISS:
    case SIM_ACCESS:
        tell_miss(told, &unit->miss);
        return 0;
    case SIM_LEFT:
    case SIM_REUSED:
        tell_line(told, &unit->line);
        return 0;
    case SIM_THREAD:
    case SIM_EXIT:
        tell_thread(told, &unit->miss);
        return 0;
    case SIM_MAPPING:
    case SIM_EXEC:
        if (!read_path(told->session, mapping->path_units, behind, path))
            break;
        if (mapping->kind == SIM_EXEC)
            tell_program(told, path);
        else
            tell_mapping(told, mapping, path);
        return mapping->path_units;
    default:
        break;
    }
    told->session->bad++;
    return 0;
}
