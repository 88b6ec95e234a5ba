/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/simulated/sim_session.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "access.h"
#include "base/text.h"

/* Destination of records; their time is the session's last_ns. */
struct sim_delivery {
    struct sim_session *session;
    sampler_sink sink;
    void *context;
};

/* Newer than some uapi headers that this must compile with. */
#define LVLNUM_SHIFT 33
enum { LVLNUM_RAM = 0x0d };

/* Returns the union perf_mem_data_src of a miss or access with `level_count` levels. */
static uint64_t sim_record_data_src(const struct sim_miss *miss, uint32_t level_count)
{
    static const uint64_t bits[SIM_LEVELS_MAX] = {PERF_MEM_LVL_L1, PERF_MEM_LVL_L2, PERF_MEM_LVL_L3,
                                                  0};
    bool memory = miss->hit_level >= level_count;
    unsigned cause = sim_cause_of(miss, 0);
    bool shared = cause == SIM_INVALIDATED_TRUE || cause == SIM_INVALIDATED_FALSE;
    uint64_t number = memory ? LVLNUM_RAM : miss->hit_level + 1u;
    uint64_t level = memory ? PERF_MEM_LVL_LOC_RAM : bits[miss->hit_level];
    /* A modify waits for its load. */
    uint64_t op = miss->op & SIM_LOAD ? PERF_MEM_OP_LOAD : PERF_MEM_OP_STORE;
    return op | (level | PERF_MEM_LVL_HIT) << PERF_MEM_LVL_SHIFT | number << LVLNUM_SHIFT |
           (uint64_t)(shared ? PERF_MEM_SNOOP_HITM : PERF_MEM_SNOOP_NA) << PERF_MEM_SNOOP_SHIFT |
           (uint64_t)PERF_MEM_LOCK_NA << PERF_MEM_LOCK_SHIFT |
           (uint64_t)PERF_MEM_TLB_NA << PERF_MEM_TLB_SHIFT;
}

static struct record sim_record_begin(const struct sim_delivery *delivery, enum record_kind kind,
                                      uint32_t tid)
{
    return (struct record){.kind = kind,
                           .time_ns = delivery->session->last_ns,
                           .pid = delivery->session->pid,
                           .tid = tid};
}

static void take_cause(const struct sim_session *session, const struct sim_miss *miss,
                       unsigned level, struct sample *sample)
{
    unsigned cause = sim_cause_of(miss, level);
    bool evictor = level == miss->evictor_level;
    sample->cause = CAUSE_NOT_KNOWN;
    sample->evictor_ip = sample->evictor_address = sample->evictor_tid = 0;
    if (miss->kind == SIM_ACCESS || !session->memory->settings.causes)
        return;
    sample->cause = (uint8_t)(CAUSE_UNKNOWN + (cause < SIM_CAUSES ? cause : SIM_CAUSE_UNKNOWN));
    sample->evictor_ip = evictor ? miss->evictor_ip : 0;
    sample->evictor_address = evictor ? miss->evictor_address : 0;
    sample->evictor_tid = evictor ? miss->evictor_tid : 0;
}

/* Delivers one sample per event that the miss or access counts for. */
static void deliver_miss(const struct sim_delivery *delivery, const struct sim_miss *miss)
{
    const struct sim_session *session = delivery->session;
    struct record record = sim_record_begin(delivery, RECORD_SAMPLE, miss->tid);
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
                                     : !event->accesses && event->level < miss->hit_level)
            delivery->sink(delivery->context, &record);
    }
}

/* Returns the event that counts the misses of a level, or event_count if none does. */
static unsigned event_of(const struct sim_session *session, uint8_t level)
{
    unsigned i = 0;
    while (i < session->event_count &&
           (session->events[i].accesses || session->events[i].level != level))
        i++;
    return i;
}

static void deliver_line(const struct sim_delivery *delivery, const struct sim_line *line)
{
    const struct sim_session *session = delivery->session;
    bool left = line->kind == SIM_LEFT;
    uint8_t level = left ? line->level : 0;
    unsigned event = left ? event_of(session, level) : 0;
    if (level >= session->level_count || !session->memory->settings.use) {
        delivery->session->malformed_units++;
        return;
    }
    uint32_t line_bytes = session->memory->settings.levels[level].line_bytes;
    struct record record = sim_record_begin(delivery, RECORD_LINE, line->tid);
    record.line = (struct line_event){
        .kind = left ? LINE_LEFT : LINE_REUSED,
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
        delivery->sink(delivery->context, &record);
}

/* Reads the path in the units after the one at the tail. Returns false if there is none. */
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

static void deliver_mapping(const struct sim_delivery *delivery, const struct sim_mapping *mapping,
                            const char *path)
{
    struct record record = sim_record_begin(delivery, RECORD_MAPPING, delivery->session->pid);
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
        delivery->sink(delivery->context, &record);
    else
        delivery->session->malformed_units++;
}

static void deliver_program(const struct sim_delivery *delivery, const char *path)
{
    struct record record = sim_record_begin(delivery, RECORD_COMM, delivery->session->pid);
    record.comm.name = text_base_name(path);
    record.comm.exec = true;
    record.comm.exe = path;
    delivery->sink(delivery->context, &record);
}

static void deliver_thread(const struct sim_delivery *delivery, const struct sim_miss *miss)
{
    struct record record =
        sim_record_begin(delivery, miss->kind == SIM_THREAD ? RECORD_FORK : RECORD_EXIT, miss->tid);
    record.fork.parent_pid = record.fork.parent_tid = delivery->session->pid;
    if (miss->tid != delivery->session->pid)
        delivery->sink(delivery->context, &record);
}

/* Delivers one unit as one or more records. `behind`: number of units that follow it. Returns how
 * many of them belong to it. Counts invalid units as bad. */
static uint64_t sim_unit_deliver(const struct sim_delivery *delivery, const union sim_unit *unit,
                                 uint64_t behind)
{
    char path[SIM_PATH_UNITS_MAX * sizeof(union sim_unit)];
    const struct sim_mapping *mapping = &unit->mapping;
    switch (unit->miss.kind) {
    case SIM_MISS:
    case SIM_ACCESS:
        deliver_miss(delivery, &unit->miss);
        return 0;
    case SIM_LEFT:
    case SIM_REUSED:
        deliver_line(delivery, &unit->line);
        return 0;
    case SIM_THREAD:
    case SIM_EXIT:
        deliver_thread(delivery, &unit->miss);
        return 0;
    case SIM_MAPPING:
    case SIM_EXEC:
        if (!read_path(delivery->session, mapping->path_units, behind, path))
            break;
        if (mapping->kind == SIM_EXEC)
            deliver_program(delivery, path);
        else
            deliver_mapping(delivery, mapping, path);
        return mapping->path_units;
    default:
        break;
    }
    delivery->session->malformed_units++;
    return 0;
}

/* Names misses by level and number of levels; the last level is filled from memory. */
static const char *event_name(unsigned level, unsigned level_count)
{
    static const char *const names[SIM_LEVELS_MAX] = {"l1-miss", "l2-miss", "l3-miss", "l4-miss"};
    return level + 1 == level_count ? "mem-fill" : names[level];
}

static enum event_role event_role(unsigned level, unsigned level_count)
{
    return level + 1 == level_count ? EVENT_MEM_FILL
           : level == 0             ? EVENT_MISS_L1
           : level == 1             ? EVENT_MISS_L2
                                    : EVENT_OTHER;
}

static struct sim_event *sim_session_add_event(struct sim_session *session,
                                               struct sampler_info *info, const char *name,
                                               const char *weighs, enum event_role role)
{
    struct sim_event *event = &session->events[session->event_count];
    struct sampler_event *opened = &info->events[session->event_count++];
    *event = (struct sim_event){.attr = {.type = PERF_TYPE_SOFTWARE,
                                         .size = sizeof event->attr,
                                         .config = PERF_COUNT_SW_DUMMY,
                                         .sample_period = 1,
                                         .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                                                        PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
                                                        PERF_SAMPLE_PERIOD | PERF_SAMPLE_DATA_SRC}};
    snprintf(opened->name, sizeof opened->name, "%s", name);
    snprintf(opened->weight_unit, sizeof opened->weight_unit, "%s", weighs);
    opened->role = role;
    opened->open_count = 1;
    return event;
}

static void add_misses(struct sim_session *session, struct sampler_info *info, unsigned level)
{
    char weighs[64];
    unsigned count = session->level_count;
    bool last = level + 1 == count && count > 1;
    /* Other tools, and processors, also keep instructions in this level. */
    snprintf(weighs, sizeof weighs, "misses of the simulated L%u%s%s", level + 1,
             last ? ", to memory" : "",
             last && !session->memory->settings.code ? " (data alone, see :code)" : "");
    sim_session_add_event(session, info, event_name(level, count), weighs, event_role(level, count))
        ->level = (uint8_t)level;
}

static void add_accesses(struct sim_session *session, struct sampler_info *info)
{
    sim_session_add_event(session, info, "access", "accesses to memory", EVENT_ACCESS)->accesses =
        true;
}

/* Adds one name of -e. Returns false if there is no such event here. */
static bool add_event_by_name(struct sim_session *session, struct sampler_info *info,
                              const char *name, size_t length)
{
    for (unsigned level = 0; level < session->level_count; level++) {
        const char *own = event_name(level, session->level_count);
        bool first = level == 0 && length == 7 && !memcmp(name, "l1-miss", 7);
        if (!first && (strlen(own) != length || memcmp(own, name, length)))
            continue;
        add_misses(session, info, level);
        return true;
    }
    if (length != strlen("access") || memcmp(name, "access", length))
        return false;
    add_accesses(session, info);
    return true;
}

static int add_event_list(struct sim_session *session, struct sampler_info *info, const char *list,
                          struct error *error)
{
    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        size_t length = strcspn(at, ",");
        if (session->event_count == SAMPLE_EVENTS_MAX ||
            !add_event_by_name(session, info, at, length))
            return error_set(error, -EINVAL,
                             "-e %.*s: the simulated cache has mem-fill, l2-miss, l1-miss (as far "
                             "as --sim names those levels) and access",
                             (int)length, at);
    }
    return 0;
}

int sim_session_open(struct sim_session *session, struct sim_memory *memory, pid_t pid,
                     const char *list, struct sampler_info *info, struct error *error)
{
    *session = (struct sim_session){
        .memory = memory, .pid = (uint32_t)pid, .level_count = memory->settings.level_count};
    *info = (struct sampler_info){.source = "sim",
                                  .live = true,
                                  .exact_address = true,
                                  .exact_ip = true,
                                  .has_data_source = true,
                                  .pid = pid};
    if (session->level_count < 1 || session->level_count > SIM_LEVELS_MAX)
        return error_set(error, -EINVAL, "the simulated cache has no levels");
    int code = 0;
    if (list)
        code = add_event_list(session, info, list, error);
    else {
        for (unsigned level = session->level_count; level-- > 0;) /* the deepest misses rank */
            add_misses(session, info, level);
        add_accesses(session, info);
    }
    sim_session_rank(session, 0);
    for (unsigned i = 0; i < session->event_count; i++)
        if (!session->events[i].accesses)
            memory->shared->header.use_levels |= 1u << session->events[i].level;
    info->has_lines = memory->settings.use;
    info->event_count = session->event_count;
    info->weight_unit = info->events[0].weight_unit;
    stamp_clock_init(&session->clock);
    __atomic_store_n(&memory->shared->header.clock, session->clock.is_tsc ? SIM_TSC : SIM_MONOTONIC,
                     __ATOMIC_RELEASE);
    return code;
}

/* Reports an overflow of the ring, so that the maps are read again. */
static void deliver_lost(struct sim_session *session, sampler_sink sink, void *context)
{
    uint64_t lost = __atomic_load_n(&session->memory->shared->header.lost, __ATOMIC_RELAXED);
    if (lost <= session->lost)
        return;
    struct record record = {.kind = RECORD_LOST,
                            .time_ns = session->last_ns,
                            .pid = session->pid,
                            .tid = session->pid,
                            .count = lost - session->lost};
    session->lost = lost;
    sink(context, &record);
}

/* Takes one unit, copied because two reads of shared memory can differ. */
static void take_unit(struct sim_session *session, const union sim_unit *unit, uint64_t head,
                      sampler_sink sink, void *context)
{
    struct sim_delivery delivery = {.session = session, .sink = sink, .context = context};
    uint64_t time_ns = stamp_clock_ns(&session->clock, unit->words[0]);
    if (time_ns > session->last_ns)
        session->last_ns = time_ns;
    session->tail += 1 + sim_unit_deliver(&delivery, unit, head - session->tail - 1);
}

long sim_session_read(struct sim_session *session, uint64_t until_ns, sampler_sink sink,
                      void *context)
{
    struct sim_shared *shared = session->memory->shared;
    long count = 0;
    __atomic_fetch_add(&shared->header.reads, 1, __ATOMIC_RELAXED);
    stamp_clock_update(&session->clock);
    /* No stamp can be later than now. */
    uint64_t limit = stamp_clock_stamp(&session->clock, until_ns);
    if (limit > session->clock.latest.stamp)
        limit = session->clock.latest.stamp;
    uint64_t head = __atomic_load_n(&shared->ring.head, __ATOMIC_ACQUIRE);
    /* Skip everything on an invalid head; it affects only the target's own figures. */
    if (head - session->tail > SIM_RING_UNITS) {
        session->malformed_units++;
        session->tail = head;
    }
    session->has_backlog = false;
    while (session->tail < head) {
        union sim_unit unit = shared->units[session->tail % SIM_RING_UNITS];
        if (unit.words[0] > limit)
            break;
        session->has_backlog = count == SIM_SESSION_AT_ONCE;
        if (session->has_backlog)
            break;
        take_unit(session, &unit, head, sink, context);
        count++;
    }
    __atomic_store_n(&shared->ring.tail, session->tail, __ATOMIC_RELEASE);
    deliver_lost(session, sink, context);
    return count;
}

void sim_session_enable(struct sim_session *session, bool on)
{
    session->paused = !on;
    __atomic_store_n(&session->memory->shared->header.paused, !on, __ATOMIC_RELAXED);
}

/* Accesses that are not misses have no evictors; their level is 0, which is as good as any. */
void sim_session_rank(struct sim_session *session, unsigned event)
{
    if (event < session->event_count)
        __atomic_store_n(&session->memory->shared->header.evictor_level,
                         session->events[event].level, __ATOMIC_RELAXED);
}

static enum simulation_pause pause_reason(const struct sim_session *session, uint64_t accesses)
{
    const struct sim_header *header = &session->memory->shared->header;
    if (sim_memory_state(session->memory) == SIM_ABSENT)
        return SIMULATION_STARTING;
    if (session->paused)
        return SIMULATION_PAUSED;
    return header->count_from[0] && !accesses ? SIMULATION_BEFORE : SIMULATION_OUTSIDE;
}

/* Uses our own geometry, because the header may have changed since. */
struct snapshot_simulation sim_session_totals(const struct sim_session *session)
{
    const struct sim_header *header = &session->memory->shared->header;
    struct sim_totals totals = sim_memory_totals(session->memory);
    struct snapshot_simulation out = {
        .level_count = session->level_count,
        .loads = totals.loads,
        .stores = totals.stores,
        .accesses = totals.accesses,
        .miss_period = __atomic_load_n(&header->miss_period, __ATOMIC_RELAXED),
        .dropped = __atomic_load_n(&header->misses_dropped, __ATOMIC_RELAXED),
        .counting = __atomic_load_n(&header->counting, __ATOMIC_RELAXED),
        .pause = (uint8_t)pause_reason(session, totals.accesses),
    };
    for (unsigned i = 0; i < session->level_count; i++)
        out.level[i] = (struct simulation_level){
            .size_bytes = session->memory->settings.levels[i].size_bytes,
            .ways = session->memory->settings.levels[i].ways,
            .line_bytes = session->memory->settings.levels[i].line_bytes,
            .load_misses = totals.load_misses[i],
            .store_misses = totals.store_misses[i],
        };
    return out;
}

void sim_session_describe(const struct sim_session *session, struct sampler_info *info)
{
    const struct sim_header *header = &session->memory->shared->header;
    uint32_t period = __atomic_load_n(&header->miss_period, __ATOMIC_RELAXED);
    info->records_bad = session->malformed_units;
    for (unsigned i = 0; i < session->event_count; i++)
        info->events[i].period = session->events[i].accesses ? header->access_period : period;
}
