/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is watched, what went on beside the samples, and the heap at each sync. */
#include "store/write_state.h"

#include "base/clock.h"
#include "store/form_facts.h"
#include "store/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put_event(struct store_writer *writer, unsigned number, const struct store_event *event)
{
    uint64_t row[EVENT_ROW_FIELDS] = {
        [EVENT_ROW_NAME] = writer_string(writer, event->name),
        [EVENT_ROW_ROLE] = event->role,
        [EVENT_ROW_WEIGHS] = writer_string(writer, event->weighs),
        [EVENT_ROW_PERIOD] = event->period,
        [EVENT_ROW_OPENED_ON] = event->opened_on,
        [EVENT_ROW_COUNTED] = number_of_double(event->counted),
    };
    writer_row(writer, STORE_EVENT, number, row);
}

static void put_level(struct store_writer *writer, unsigned number,
                      const struct simulation_level *level)
{
    uint64_t row[SIM_LEVEL_ROW_FIELDS] = {
        [SIM_LEVEL_ROW_SIZE] = level->size_bytes,
        [SIM_LEVEL_ROW_WAYS] = level->ways,
        [SIM_LEVEL_ROW_LINE] = level->line_bytes,
        [SIM_LEVEL_ROW_LOAD_MISSES] = level->load_misses,
        [SIM_LEVEL_ROW_STORE_MISSES] = level->store_misses,
    };
    writer_row(writer, STORE_SIM_LEVEL, number, row);
}

static void put_simulation(struct store_writer *writer,
                           const struct snapshot_simulation *simulation)
{
    uint64_t row[SIMULATION_ROW_FIELDS] = {
        [SIMULATION_ROW_LEVELS] = simulation->level_count,
        [SIMULATION_ROW_LOADS] = simulation->loads,
        [SIMULATION_ROW_STORES] = simulation->stores,
        [SIMULATION_ROW_ACCESSES] = simulation->accesses,
        [SIMULATION_ROW_ONE_IN] = simulation->one_in,
        [SIMULATION_ROW_UNTOLD] = simulation->untold,
        [SIMULATION_ROW_COUNTING] = simulation->counting,
        [SIMULATION_ROW_PAUSE] = simulation->pause,
    };
    if (!simulation->level_count)
        return;
    for (unsigned i = 0; i < simulation->level_count && i < SIMULATION_LEVELS_MAX; i++)
        put_level(writer, i, &simulation->level[i]);
    writer_row(writer, STORE_SIMULATION, 0, row);
}

static void put_watching(struct store_writer *writer, const struct store_facts *facts)
{
    const struct snapshot_watch *watch = &facts->watch;
    uint64_t row[WATCHING_ROW_FIELDS] = {
        [WATCHING_ROW_ON] = watch->on,
        [WATCHING_ROW_REGISTERS] = watch->registers,
        [WATCHING_ROW_THREADS] = watch->threads,
        [WATCHING_ROW_LEFT_OUT] = watch->threads_left_out,
        [WATCHING_ROW_OFFERED] = watch->offered,
        [WATCHING_ROW_ARMED] = watch->armed,
        [WATCHING_ROW_UNPAID] = watch->unpaid,
        [WATCHING_ROW_TOUCHES] = watch->touches,
        [WATCHING_ROW_TRAP] = number_of_double(watch->trap_ns),
        [WATCHING_ROW_ARM] = number_of_double(watch->arm_ns),
        [WATCHING_ROW_BUDGET] = number_of_double(watch->budget),
        [WATCHING_ROW_OVERHEAD] = number_of_double(watch->overhead),
        [WATCHING_ROW_TROUBLE] = writer_string(writer, watch->trouble),
    };
    memcpy(row + WATCHING_ROW_LINES, facts->watch_lines, sizeof facts->watch_lines);
    if (watch->on)
        writer_row(writer, STORE_WATCHING, 0, row);
}

void writer_facts(struct store_writer *writer, const struct store_facts *facts)
{
    put_simulation(writer, &facts->simulation);
    put_watching(writer, facts);
    writer_whatif(writer, &facts->whatif);
    for (unsigned i = 0; i < facts->event_count && i < SAMPLE_EVENTS_MAX; i++)
        put_event(writer, i, &facts->events[i]);
    uint64_t row[FACTS_ROW_FIELDS] = {
        [FACTS_ROW_SOURCE] = writer_string(writer, facts->source),
        [FACTS_ROW_WEIGHS] = writer_string(writer, facts->weighs),
        [FACTS_ROW_NOTE] = writer_string(writer, facts->note),
        [FACTS_ROW_GIVES] = facts->exact_address | facts->exact_ip << 1 | facts->latency << 2 |
                            facts->data_source << 3 | facts->lines << 4,
        [FACTS_ROW_EVENTS] = facts->event_count,
        [FACTS_ROW_PID] = facts->pid,
        [FACTS_ROW_THREADS] = facts->threads,
        [FACTS_ROW_COMM] = writer_string(writer, facts->comm),
        [FACTS_ROW_EXE] = writer_string(writer, facts->exe),
        [FACTS_ROW_ALIVE] = facts->alive,
        [FACTS_ROW_CACHE_LEVEL] = writer_string(writer, facts->cache_level),
        [FACTS_ROW_CACHE_SIZE] = facts->cache_size_bytes,
        [FACTS_ROW_CACHE_WAYS] = facts->cache_ways,
        [FACTS_ROW_CACHE_LINE] = facts->cache_line_bytes,
        [FACTS_ROW_HOST] = writer_string(writer, facts->host),
        [FACTS_ROW_USER] = facts->user < 0 ? 0 : (uint64_t)facts->user + 1,
    };
    writer_row(writer, STORE_FACTS, 0, row);
}

static void put_node(struct store_writer *writer, enum store_kind kind, uint64_t id, int node)
{
    uint64_t row[NODE_ROW_FIELDS] = {[NODE_ROW_NODE] = node < 0 ? 0 : (uint64_t)node + 1};
    writer_row(writer, kind, id, row);
}

void store_writer_cpu_node(struct store_writer *writer, uint32_t cpu, int node)
{
    put_node(writer, STORE_CPU, cpu, node);
}

void store_writer_page_node(struct store_writer *writer, uint64_t address, int node)
{
    put_node(writer, STORE_PAGE, address, node);
}

void store_writer_memory(struct store_writer *writer, uint64_t address,
                         const struct memory_use *use)
{
    uint64_t row[MEMORY_ROW_FIELDS] = {
        [MEMORY_ROW_FAULTS] = number_of_double(use->faults_per_s),
        [MEMORY_ROW_CPUS] = number_of_double(use->cpus),
        [MEMORY_ROW_KERNEL] = number_of_double(use->kernel_share),
        [MEMORY_ROW_HUGE] = number_of_double(use->huge_share),
        [MEMORY_ROW_TLB] = use->tlb_entries,
    };
    writer_row(writer, STORE_MEMORY, address, row);
}

void store_writer_word(struct store_writer *writer, uint64_t address, uint64_t value)
{
    uint64_t row[WORD_ROW_FIELDS] = {[WORD_ROW_VALUE] = value};
    writer_row(writer, STORE_WORD, address, row);
}

bool store_writer_known_word(const struct store_writer *writer, uint64_t address, uint64_t *value)
{
    const uint64_t *row = rows_find(&writer->rows[STORE_WORD], address);
    if (row)
        *value = row[WORD_ROW_VALUE];
    return row;
}

static uint64_t ns_of(double seconds)
{
    return (uint64_t)llround(seconds * (double)CLOCK_NS_PER_S);
}

/* When something was that is so old; UINT64_MAX: not known. */
static uint64_t moment(uint64_t now_ns, double age_s)
{
    return isnan(age_s) ? UINT64_MAX : now_ns - ns_of(age_s);
}

/*
 * Ages are told on the heap's own clock, which is not handed out: it is worked out from a bin whose
 * first moment stands in the file, so that a bin that rests does not change.
 */
static uint64_t heap_clock(struct store_writer *writer, uint64_t now_ns)
{
    const struct place_names *names = &writer->options.names;
    struct heap_bin bin;
    for (uint32_t i = 0; names->heap_bin(names->context, i, &bin); i++) {
        const uint64_t *row = rows_find(&writer->rows[STORE_BIN], i);
        if (row && row[BIN_ROW_ID] == bin.id && !isnan(bin.age_s) &&
            row[BIN_ROW_FIRST_NS] != UINT64_MAX)
            return row[BIN_ROW_FIRST_NS] + ns_of(bin.age_s);
    }
    return now_ns;
}

static void put_site(struct store_writer *writer, uint32_t index, const struct heap_bin *bin)
{
    uint64_t row[SITE_ROW_FIELDS] = {0};
    for (uint32_t i = 0; i < bin->site_count && i < SITE_ROW_FIELDS; i++)
        row[i] = writer_string(writer, bin->site[i]);
    writer_row(writer, STORE_SITE, index, row);
}

static void put_bin(struct store_writer *writer, uint32_t index, const struct heap_bin *bin,
                    uint64_t heap_ns)
{
    writer_type(writer, bin->type_id);
    if (bin->object)
        writer_object(writer, bin->object);
    if (bin->site_count)
        put_site(writer, index, bin);
    uint64_t row[BIN_ROW_FIELDS] = {
        [BIN_ROW_ID] = bin->id,
        [BIN_ROW_OBJECT] = bin->object,
        [BIN_ROW_NAME] = writer_string(writer, bin->name),
        [BIN_ROW_PATH] = writer_string(writer, bin->path),
        [BIN_ROW_TYPE_ID] = bin->type_id,
        [BIN_ROW_TYPE] = writer_string(writer, bin->type),
        [BIN_ROW_FLAGS] = bin->walked | bin->renamed << 1,
        [BIN_ROW_COMBINED] = bin->combined,
        [BIN_ROW_LIVE_BLOCKS] = bin->live_blocks,
        [BIN_ROW_USABLE_BYTES] = bin->usable_bytes,
        [BIN_ROW_REQUESTED_BYTES] = bin->requested_bytes,
        [BIN_ROW_ALLOCATIONS] = bin->allocations,
        [BIN_ROW_FREES] = bin->frees,
        [BIN_ROW_ALLOCATION_RATE] = number_of_double(bin->allocations_per_s),
        [BIN_ROW_FREE_RATE] = number_of_double(bin->frees_per_s),
        [BIN_ROW_LIFETIME] = number_of_double(bin->lifetime_s),
        [BIN_ROW_FIRST_NS] = moment(heap_ns, bin->age_s),
        [BIN_ROW_LAST_NS] = moment(heap_ns, bin->quiet_s),
        [BIN_ROW_GROWTH_BLOCKS] = number_of_double(bin->growth_blocks),
        [BIN_ROW_GROWTH_BYTES] = number_of_double(bin->growth_bytes),
    };
    memcpy(row + BIN_ROW_SIZES, bin->sizes, sizeof bin->sizes);
    writer_row(writer, STORE_BIN, index, row);
}

void writer_heap_sync(struct store_writer *writer, uint64_t now_ns)
{
    const struct place_names *names = &writer->options.names;
    struct heap_summary summary = {0};
    struct heap_bin bin;
    uint32_t count = 0;
    if (!names->heap || !names->heap_bin)
        return;
    uint64_t heap_ns = heap_clock(writer, now_ns);
    names->heap(names->context, &summary);
    uint64_t row[HEAP_ROW_FIELDS] = {
        [HEAP_ROW_FEED] = summary.feed,
        [HEAP_ROW_SOURCE] = writer_string(writer, summary.source),
        [HEAP_ROW_NOTE] = writer_string(writer, summary.note),
        [HEAP_ROW_LIVE_BLOCKS] = summary.live_blocks,
        [HEAP_ROW_USABLE_BYTES] = summary.usable_bytes,
        [HEAP_ROW_REQUESTED_BYTES] = summary.requested_bytes,
        [HEAP_ROW_LOST] = summary.lost,
        [HEAP_ROW_FAILED] = summary.failed,
        [HEAP_ROW_MARK_AGE] = number_of_double(summary.mark_age_s),
        [HEAP_ROW_NOW_NS] = heap_ns,
    };
    for (; names->heap_bin(names->context, count, &bin); count++)
        put_bin(writer, count, &bin, heap_ns);
    row[HEAP_ROW_BINS] = count;
    writer_row(writer, STORE_HEAP, 0, row);
}
