/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/sim_session.h"

#include "sample/sim_record.h"

#include <errno.h>
#include <string.h>

/* Names of misses, by level and how many there are; the last one's are filled from memory. */
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

static struct sim_event *add(struct sim_session *session, struct sampler_info *info,
                             const char *name, const char *weighs, enum event_role role)
{
    struct sim_event *event = &session->events[session->event_count];
    struct sampler_event *told = &info->events[session->event_count++];
    *event = (struct sim_event){.attr = {.type = PERF_TYPE_SOFTWARE,
                                         .size = sizeof event->attr,
                                         .config = PERF_COUNT_SW_DUMMY,
                                         .sample_period = 1,
                                         .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                                                        PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
                                                        PERF_SAMPLE_PERIOD | PERF_SAMPLE_DATA_SRC}};
    snprintf(told->name, sizeof told->name, "%s", name);
    snprintf(told->weighs, sizeof told->weighs, "%s", weighs);
    told->role = role;
    told->opened_on = 1;
    return event;
}

static void add_misses(struct sim_session *session, struct sampler_info *info, unsigned level)
{
    char weighs[64];
    unsigned count = session->level_count;
    bool last = level + 1 == count && count > 1;
    /* Other tools, and processors, have instructions there beside data. */
    snprintf(weighs, sizeof weighs, "misses of the simulated L%u%s%s", level + 1,
             last ? ", to memory" : "",
             last && !session->memory->wanted.code ? " (data alone, see :code)" : "");
    add(session, info, event_name(level, count), weighs, event_role(level, count))->level =
        (uint8_t)level;
}

static void add_accesses(struct sim_session *session, struct sampler_info *info)
{
    add(session, info, "access", "accesses to memory", EVENT_ACCESS)->accesses = true;
}

/* One name of -e; false: there is no such event here. */
static bool add_named(struct sim_session *session, struct sampler_info *info, const char *name,
                      size_t length)
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

static int add_list(struct sim_session *session, struct sampler_info *info, const char *list,
                    struct error *error)
{
    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        size_t length = strcspn(at, ",");
        if (session->event_count == SAMPLE_EVENTS_MAX || !add_named(session, info, at, length))
            return error_set(error, -EINVAL,
                             "-e %.*s: the simulated cache has mem-fill, l2-miss, l1-miss (as far "
                             "as --sim names those levels) and access",
                             (int)length, at);
    }
    return 0;
}

/* The deepest misses rank. */
static void add_all(struct sim_session *session, struct sampler_info *info)
{
    for (unsigned level = session->level_count; level-- > 0;)
        add_misses(session, info, level);
    add_accesses(session, info);
}

int sim_session_open(struct sim_session *session, struct sim_memory *memory, pid_t pid,
                     const char *list, struct sampler_info *info, struct error *error)
{
    *session = (struct sim_session){
        .memory = memory, .pid = (uint32_t)pid, .level_count = memory->wanted.level_count};
    *info = (struct sampler_info){.source = "sim",
                                  .live = true,
                                  .exact_address = true,
                                  .exact_ip = true,
                                  .data_source = true,
                                  .pid = pid};
    if (session->level_count < 1 || session->level_count > SIM_LEVELS_MAX)
        return error_set(error, -EINVAL, "the simulated cache has no levels");
    int code = 0;
    if (list)
        code = add_list(session, info, list, error);
    else
        add_all(session, info);
    sim_session_rank(session, 0);
    for (unsigned i = 0; i < session->event_count; i++)
        if (!session->events[i].accesses)
            memory->shared->header.use_levels |= 1u << session->events[i].level;
    info->lines = memory->wanted.use;
    info->event_count = session->event_count;
    info->weighs = info->events[0].weighs;
    stamp_clock_init(&session->clock);
    __atomic_store_n(&memory->shared->header.clock, session->clock.is_tsc ? SIM_TSC : SIM_MONOTONIC,
                     __ATOMIC_RELEASE);
    return code;
}

/* What could not be told is told so: maps are to be read again. */
static void tell_lost(struct sim_session *session, sampler_sink sink, void *context)
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

/* One unit, by value: what is read twice could be two different things. */
static void take_unit(struct sim_session *session, const union sim_unit *unit, uint64_t head,
                      sampler_sink sink, void *context)
{
    struct sim_told told = {.session = session, .sink = sink, .context = context};
    uint64_t time_ns = stamp_clock_ns(&session->clock, unit->words[0]);
    if (time_ns > session->last_ns)
        session->last_ns = time_ns;
    session->tail += 1 + sim_record_tell(&told, unit, head - session->tail - 1);
}

long sim_session_read(struct sim_session *session, uint64_t until_ns, sampler_sink sink,
                      void *context)
{
    struct sim_shared *shared = session->memory->shared;
    long count = 0;
    __atomic_fetch_add(&shared->header.reads, 1, __ATOMIC_RELAXED);
    stamp_clock_update(&session->clock);
    /* Nothing was told after now, whatever a stamp says. */
    uint64_t limit = stamp_clock_stamp(&session->clock, until_ns);
    if (limit > session->clock.latest.stamp)
        limit = session->clock.latest.stamp;
    uint64_t head = __atomic_load_n(&shared->ring.head, __ATOMIC_ACQUIRE);
    /* A head that makes no sense is not followed; what it spoils is the target's own picture. */
    if (head - session->tail > SIM_RING_UNITS) {
        session->bad++;
        session->tail = head;
    }
    session->behind = false;
    while (session->tail < head) {
        union sim_unit unit = shared->units[session->tail % SIM_RING_UNITS];
        if (unit.words[0] > limit)
            break;
        session->behind = count == SIM_SESSION_AT_ONCE;
        if (session->behind)
            break;
        take_unit(session, &unit, head, sink, context);
        count++;
    }
    __atomic_store_n(&shared->ring.tail, session->tail, __ATOMIC_RELEASE);
    tell_lost(session, sink, context);
    return count;
}

void sim_session_enable(struct sim_session *session, bool on)
{
    session->paused = !on;
    __atomic_store_n(&session->memory->shared->header.paused, !on, __ATOMIC_RELAXED);
}

/* Accesses that are no misses have no evictors: then those of the first level are as good. */
void sim_session_rank(struct sim_session *session, unsigned event)
{
    if (event < session->event_count)
        __atomic_store_n(&session->memory->shared->header.evictor_level,
                         session->events[event].level, __ATOMIC_RELAXED);
}

static enum simulation_pause why_paused(const struct sim_session *session, uint64_t accesses)
{
    const struct sim_header *header = &session->memory->shared->header;
    if (sim_memory_state(session->memory) == SIM_ABSENT)
        return SIMULATION_STARTING;
    if (session->paused)
        return SIMULATION_PAUSED;
    return header->from[0] && !accesses ? SIMULATION_BEFORE : SIMULATION_OUTSIDE;
}

/* The geometry is ours: what stands in the header now may be anything. */
struct snapshot_simulation sim_session_totals(const struct sim_session *session)
{
    const struct sim_header *header = &session->memory->shared->header;
    struct sim_totals totals = sim_memory_totals(session->memory);
    struct snapshot_simulation out = {
        .level_count = session->level_count,
        .loads = totals.loads,
        .stores = totals.stores,
        .accesses = totals.accesses,
        .one_in = __atomic_load_n(&header->period_now, __ATOMIC_RELAXED),
        .untold = __atomic_load_n(&header->misses_untold, __ATOMIC_RELAXED),
        .counting = __atomic_load_n(&header->counting, __ATOMIC_RELAXED),
        .pause = (uint8_t)why_paused(session, totals.accesses),
    };
    for (unsigned i = 0; i < session->level_count; i++)
        out.level[i] = (struct simulation_level){
            .size_bytes = session->memory->wanted.levels[i].size_bytes,
            .ways = session->memory->wanted.levels[i].ways,
            .line_bytes = session->memory->wanted.levels[i].line_bytes,
            .load_misses = totals.load_misses[i],
            .store_misses = totals.store_misses[i],
        };
    return out;
}

void sim_session_describe(const struct sim_session *session, struct sampler_info *info)
{
    const struct sim_header *header = &session->memory->shared->header;
    uint32_t period = __atomic_load_n(&header->period_now, __ATOMIC_RELAXED);
    info->records_bad = session->bad;
    for (unsigned i = 0; i < session->event_count; i++)
        info->events[i].period = session->events[i].accesses ? header->access_period : period;
}
