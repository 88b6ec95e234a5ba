/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/form.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "sample.h"
#include "snapshot_simulation.h"

struct form {
    const struct row_field *list;
    unsigned listed;
    unsigned more; /* fields encoded by hand, after those in the list */
    size_t limit;
};

#define MEMBER(kind, of, member, ...)                                                              \
    {                                                                                              \
        .type = (kind), .size = sizeof((struct of *)0)->member, .at = offsetof(struct of, member), \
        __VA_ARGS__                                                                                \
    }
#define NUMBER(of, member)     MEMBER(ROW_NUMBER, of, member)
#define COUNT(of, member, top) MEMBER(ROW_COUNT, of, member, .most = (top))
#define ENUM(of, member, top)  MEMBER(ROW_ENUM, of, member, .most = (top))
#define FLAG(of, member)       MEMBER(ROW_FLAG, of, member)
#define DOUBLE(of, member)     MEMBER(ROW_DOUBLE, of, member)
#define STRING(of, member)     MEMBER(ROW_STRING, of, member)
#define NAME(of, member)       MEMBER(ROW_NAME, of, member)
#define CHARS(of, member)      MEMBER(ROW_CHARS, of, member)
#define HAND                                                                                       \
    {                                                                                              \
        .type = ROW_BY_HAND                                                                        \
    }

/* In file order. */
static const struct row_field object_list[] = {
    NAME(object_desc, name),
    NAME(object_desc, module),
    STRING(object_desc, type),
    NUMBER(object_desc, type_id),
    NUMBER(object_desc, type_votes),
    NUMBER(object_desc, type_votes_against),
    ENUM(object_desc, kind, OBJECT_KIND_COUNT - 1),
    NUMBER(object_desc, address),
    NUMBER(object_desc, size_bytes),
    NUMBER(object_desc, blocks),
    NUMBER(object_desc, part_of),
};
static const struct row_field function_list[] = {
    NAME(function_desc, name),   NAME(function_desc, module),  NAME(function_desc, file),
    NUMBER(function_desc, line), NUMBER(function_desc, start), NUMBER(function_desc, end),
};
static const struct row_field caller_list[] = {
    NUMBER(caller_desc, parent),
    NUMBER(caller_desc, function),
};
static const struct row_field type_list[] = {
    NAME(type_desc, name),
    ENUM(type_desc, kind, TYPE_POINTER),
    NUMBER(type_desc, size),
    HAND,
    HAND,
    FLAG(type_desc, is_truncated),
    STRING(type_desc, raw),
    FLAG(type_desc, managed),
};
static const struct row_field member_list[] = {
    NAME(type_member, name),
    NAME(type_member, type),
    NUMBER(type_member, offset),
    NUMBER(type_member, size),
    NUMBER(type_member, count),
    NUMBER(type_member, stride),
    HAND,
    NUMBER(type_member, depth),
    NUMBER(type_member, kind),
    NUMBER(type_member, bit_offset),
    NUMBER(type_member, bit_size),
};
static const struct row_field instruction_list[] = {
    STRING(instruction_desc, file),
    NUMBER(instruction_desc, line),
    STRING(instruction_desc, inlined),
};
static const struct row_field extent_list[] = {
    NUMBER(object_extent, bound),
    NUMBER(object_extent, object),
};
static const struct row_field mapping_list[] = {
    NUMBER(mapping_desc, end),
    NUMBER(mapping_desc, offset),
    CHARS(mapping_desc, path),
    CHARS(mapping_desc, build_id),
};
static const struct row_field bin_list[] = {
    NUMBER(heap_bin, id),
    NUMBER(heap_bin, object),
    STRING(heap_bin, name),
    STRING(heap_bin, path),
    NUMBER(heap_bin, type_id),
    STRING(heap_bin, type),
    HAND,
    NUMBER(heap_bin, combined),
    NUMBER(heap_bin, live_blocks),
    NUMBER(heap_bin, usable_bytes),
    NUMBER(heap_bin, requested_bytes),
    NUMBER(heap_bin, allocations),
    NUMBER(heap_bin, frees),
    DOUBLE(heap_bin, allocations_per_s),
    DOUBLE(heap_bin, frees_per_s),
    DOUBLE(heap_bin, lifetime_s),
    HAND,
    HAND,
    DOUBLE(heap_bin, growth_blocks),
    DOUBLE(heap_bin, growth_bytes),
};
static const struct row_field heap_list[] = {
    ENUM(heap_summary, feed, HEAP_FEED_WALK),
    STRING(heap_summary, source),
    STRING(heap_summary, note),
    NUMBER(heap_summary, live_blocks),
    NUMBER(heap_summary, usable_bytes),
    NUMBER(heap_summary, requested_bytes),
    NUMBER(heap_summary, lost),
    NUMBER(heap_summary, failed),
    HAND,
    DOUBLE(heap_summary, mark_age_s),
};
static const struct row_field memory_list[] = {
    DOUBLE(memory_use, faults_per_s), DOUBLE(memory_use, cpus),
    DOUBLE(memory_use, kernel_share), DOUBLE(memory_use, huge_share),
    NUMBER(memory_use, tlb_entries),
};
static const struct row_field event_list[] = {
    CHARS(sampler_event, name),        NUMBER(sampler_event, role),
    CHARS(sampler_event, weight_unit), NUMBER(sampler_event, period),
    NUMBER(sampler_event, open_count), DOUBLE(sampler_event, running_share),
};
static const struct row_field facts_list[] = {
    STRING(store_facts, info.source),
    NAME(store_facts, info.weight_unit),
    CHARS(store_facts, info.note),
    HAND,
    COUNT(store_facts, info.event_count, SAMPLE_EVENTS_MAX),
    NUMBER(store_facts, target.pid),
    NUMBER(store_facts, target.threads),
    STRING(store_facts, target.comm),
    STRING(store_facts, target.exe),
    FLAG(store_facts, target.alive),
    STRING(store_facts, cache_level),
    NUMBER(store_facts, cache_size_bytes),
    NUMBER(store_facts, cache_ways),
    NUMBER(store_facts, cache_line_bytes),
    STRING(store_facts, host),
};
static const struct row_field simulation_list[] = {
    COUNT(snapshot_simulation, level_count, SIMULATION_LEVELS_MAX),
    NUMBER(snapshot_simulation, loads),
    NUMBER(snapshot_simulation, stores),
    NUMBER(snapshot_simulation, accesses),
    NUMBER(snapshot_simulation, miss_period),
    NUMBER(snapshot_simulation, dropped),
    FLAG(snapshot_simulation, counting),
    ENUM(snapshot_simulation, pause, SIMULATION_PAUSE_COUNT - 1),
};
static const struct row_field sim_level_list[] = {
    NUMBER(simulation_level, size_bytes),   NUMBER(simulation_level, ways),
    NUMBER(simulation_level, line_bytes),   NUMBER(simulation_level, load_misses),
    NUMBER(simulation_level, store_misses),
};
static const struct row_field watching_list[] = {
    FLAG(store_facts, watch.is_on),         NUMBER(store_facts, watch.registers),
    NUMBER(store_facts, watch.threads),     NUMBER(store_facts, watch.threads_left_out),
    NUMBER(store_facts, watch.offered),     NUMBER(store_facts, watch.armed),
    NUMBER(store_facts, watch.over_budget), NUMBER(store_facts, watch.touches),
    DOUBLE(store_facts, watch.trap_ns),     DOUBLE(store_facts, watch.arm_ns),
    DOUBLE(store_facts, watch.budget),      DOUBLE(store_facts, watch.overhead),
    STRING(store_facts, watch.failure),     NUMBER(store_facts, cache_lines[0]),
    NUMBER(store_facts, cache_lines[1]),    NUMBER(store_facts, cache_lines[2]),
};
static const struct row_field whatifs_list[] = {
    COUNT(snapshot_whatifs, count, WHATIF_MAX),
    COUNT(snapshot_whatifs, past_count, WHATIF_PAST_MAX),
};
static const struct row_field whatif_list[] = {
    NUMBER(snapshot_whatif, state),
    CHARS(snapshot_whatif, object),
    NUMBER(snapshot_whatif, object_id),
    CHARS(snapshot_whatif, question),
    CHARS(snapshot_whatif, layout),
    CHARS(snapshot_whatif, reason),
    FLAG(snapshot_whatif, settled),
    DOUBLE(snapshot_whatif, blocks),
    DOUBLE(snapshot_whatif, blocks_left_out),
    DOUBLE(snapshot_whatif, blocks_small),
    DOUBLE(snapshot_whatif, accesses),
    DOUBLE(snapshot_whatif, object_accesses),
    DOUBLE(snapshot_whatif, split_accesses),
    COUNT(snapshot_whatif, level_count, SIMULATION_LEVELS_MAX),
    DOUBLE(snapshot_whatif, stall_before),
    DOUBLE(snapshot_whatif, stall_after),
    COUNT(snapshot_whatif, number, WHATIF_MAX - 1),
};
static const struct row_field whatif_level_list[] = {
    DOUBLE(snapshot_whatif_level, before),        DOUBLE(snapshot_whatif_level, after),
    DOUBLE(snapshot_whatif_level, object_before), DOUBLE(snapshot_whatif_level, object_after),
    DOUBLE(snapshot_whatif_level, cold_share),
};
static const struct row_field whatif_past_list[] = {
    CHARS(snapshot_whatif_past, object),
    NUMBER(snapshot_whatif_past, object_id),
    CHARS(snapshot_whatif_past, question),
    DOUBLE(snapshot_whatif_past, stall_change),
};
/* The instruction after the touching one is not stored. */
static const struct row_field watch_list[] = {
    NUMBER(store_watch, result.end_ns),      HAND,
    NUMBER(store_watch, result.object),      NUMBER(store_watch, result.origin_tid),
    NUMBER(store_watch, result.toucher_tid), NUMBER(store_watch, result.address),
    NUMBER(store_watch, result.base),        NUMBER(store_watch, result.origin_ns),
    NUMBER(store_watch, result.armed_ns),    NUMBER(store_watch, result.off_cpu_ns),
    NUMBER(store_watch, function),           NUMBER(store_watch, ip),
};
static const struct row_field pair_list[] = {
    NUMBER(line_pair, first),
    NUMBER(line_pair, second),
    NUMBER(line_pair, count),
};
static const struct row_field rename_list[] = {
    NUMBER(object_rename, from),   NUMBER(object_rename, to),
    NUMBER(object_rename, type),   FLAG(object_rename, has_fixed_offset),
    NUMBER(object_rename, offset),
};

#define LIST(list) list, sizeof(list) / sizeof *(list)
#define UNLISTED   NULL, 0

static const struct form forms[STORE_KINDS] = {
    [STORE_OBJECT] = {LIST(object_list), 0, 1 << 18},
    [STORE_FUNCTION] = {LIST(function_list), 0, 1 << 18},
    [STORE_TYPE] = {LIST(type_list), 0, 1 << 18},
    [STORE_MEMBER] = {LIST(member_list), 0, 1 << 20},
    [STORE_INSTRUCTION] = {LIST(instruction_list), 2, 1 << 20},
    [STORE_EXTENT] = {LIST(extent_list), 0, 1 << 18},
    [STORE_BIN] = {LIST(bin_list), HEAP_SIZES, 1 << 16},
    [STORE_HEAP] = {LIST(heap_list), 1, 1},
    [STORE_EVENT] = {LIST(event_list), 0, SAMPLE_EVENTS_MAX},
    [STORE_FACTS] = {LIST(facts_list), 1, 1},
    [STORE_COUNTS] = {UNLISTED, 3, 1},
    [STORE_MARK] = {UNLISTED, 2, 1},
    [STORE_SITE] = {UNLISTED, SITE_ROW_FIELDS, 1 << 16},
    [STORE_MAPPING] = {LIST(mapping_list), 0, 1 << 12},
    [STORE_CPU] = {UNLISTED, 1, 1 << 14},
    [STORE_PAGE] = {UNLISTED, 1, 1 << 18},
    [STORE_THREAD] = {UNLISTED, 1, 1 << 18},
    [STORE_MEMORY] = {LIST(memory_list), 0, 1 << 16},
    [STORE_WORD] = {UNLISTED, 1, 1 << 18},
    [STORE_SIMULATION] = {LIST(simulation_list), 0, 1},
    [STORE_SIM_LEVEL] = {LIST(sim_level_list), 0, SIMULATION_LEVELS_MAX},
    [STORE_WATCH] = {LIST(watch_list), 0, 1},
    [STORE_WATCHING] = {LIST(watching_list), 0, 1},
    [STORE_LINE] = {UNLISTED, LINE_ROW_FIELDS, STORE_SLOTS},
    [STORE_PAIR] = {LIST(pair_list), 0, 1 << 19},
    [STORE_CODE] = {UNLISTED, 1, 1 << 16},
    [STORE_WHATIFS] = {LIST(whatifs_list), 0, 1},
    [STORE_WHATIF] = {LIST(whatif_list), 0, WHATIF_MAX},
    [STORE_WHATIF_LEVEL] = {LIST(whatif_level_list), 0, WHATIF_MAX *SIMULATION_LEVELS_MAX},
    [STORE_WHATIF_PAST] = {LIST(whatif_past_list), 0, WHATIF_PAST_MAX},
    [STORE_RENAME] = {LIST(rename_list), 0, 1},
    [STORE_RANKING] = {UNLISTED, 1, 1},
    [STORE_CALLER] = {LIST(caller_list), 0, 1 << 16},
};

void store_form_rows(struct rows rows[STORE_KINDS])
{
    for (unsigned kind = 0; kind < STORE_KINDS; kind++)
        rows[kind] = (struct rows){.fields = forms[kind].listed + forms[kind].more,
                                   .limit = forms[kind].limit};
}

const struct row_field *store_form_list(unsigned kind, unsigned *count)
{
    *count = forms[kind].listed;
    return forms[kind].list;
}

/* Sums bytes, eight at a time: every byte of a recording is summed twice. Each step is reversible,
 * so one bit changes the sum. Protects against accidents, not attacks. */
static uint64_t checksum_bytes(uint64_t sum, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t word;
    for (; size >= sizeof word; at += sizeof word, size -= sizeof word) {
        memcpy(&word, at, sizeof word);
        sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 32;
    }
    word = size;
    for (; size; size--)
        word = word << 8 | *at++;
    return hash_mix(sum ^ word);
}

uint64_t store_form_header_sum(const struct store_header *header)
{
    return checksum_bytes(STORE_VERSION, header, offsetof(struct store_header, checksum));
}

uint64_t store_form_block_sum(const struct store_block *block, const void *payload)
{
    uint64_t sum = checksum_bytes(0, block, offsetof(struct store_block, checksum));
    return checksum_bytes(sum, payload, block->payload_bytes);
}

void rows_fini(struct rows *rows)
{
    hash_fini(&rows->index);
    free(rows->at);
    free(rows->ids);
    *rows = (struct rows){0};
}

uint64_t *rows_find(const struct rows *rows, uint64_t id)
{
    const uint32_t *number = hash_find(&rows->index, id);
    return number ? rows_at(rows, *number) : NULL;
}

/* Grows both arrays together: a row is either in both or in neither. */
static bool rows_grow(struct rows *rows)
{
    size_t room = rows->room;
    return array_reserve_next(&rows->at, &room, rows->count, rows->fields * sizeof *rows->at,
                              ARRAY_UNBOUNDED) &&
           array_reserve_next(&rows->ids, &rows->room, rows->count, sizeof *rows->ids,
                              ARRAY_UNBOUNDED);
}

uint64_t *rows_take(struct rows *rows, uint64_t id, bool *created)
{
    uint64_t *found = rows_find(rows, id);
    *created = !found;
    if (found)
        return found;
    if (rows->count >= rows->limit || (rows->count == rows->room && !rows_grow(rows)))
        return NULL;
    uint32_t *number = hash_insert(&rows->index, id, NULL);
    if (!number)
        return NULL;
    *number = (uint32_t)rows->count;
    rows->ids[rows->count] = id;
    found = rows_at(rows, rows->count++);
    memset(found, 0, rows->fields * sizeof *found);
    return found;
}

unsigned char *row_put(unsigned char *out, const uint64_t *now, uint64_t *before, unsigned fields)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < fields; i++)
        mask |= (uint64_t)(now[i] != before[i]) << i;
    out = number_put(out, mask);
    for (; mask; mask &= mask - 1) {
        unsigned i = (unsigned)__builtin_ctzll(mask);
        out = number_put(out, number_of_difference(now[i] - before[i]));
        before[i] = now[i];
    }
    return out;
}

bool row_get(struct numbers *from, uint64_t *row, unsigned fields)
{
    uint64_t mask;
    uint64_t number;
    if (!number_get(from, &mask))
        return false;
    for (; mask; mask &= mask - 1) {
        unsigned i = (unsigned)__builtin_ctzll(mask);
        if (!number_get(from, &number))
            return false;
        if (i < fields)
            row[i] += number_to_difference(number);
    }
    return true;
}

static uint64_t pack_access_shape(const struct access *access)
{
    return access->event | (uint64_t)access->reason << 16 | (uint64_t)access->how << 24 |
           (uint64_t)access->size << 32 | (uint64_t)access->kind << 40 |
           (uint64_t)access->base << 48 | (uint64_t)access->index << 56;
}

static uint8_t packed_byte(uint64_t packed, unsigned shift)
{
    return (uint8_t)(packed >> shift);
}

static uint8_t packed_byte_below(uint64_t packed, unsigned shift, uint8_t bound, uint8_t otherwise)
{
    uint8_t byte = packed_byte(packed, shift);
    return byte < bound ? byte : otherwise;
}

static void unpack_shape(uint64_t shape, struct access *access)
{
    access->event = (uint16_t)shape;
    access->reason = packed_byte_below(shape, 16, REASON_COUNT, REASON_BAD_ADDRESS);
    access->how = packed_byte_below(shape, 24, ACCESS_HOW_COUNT, ACCESS_INFERRED);
    access->size = packed_byte(shape, 32);
    access->kind = packed_byte_below(shape, 40, ACCESS_PREFETCH + 1, ACCESS_UNKNOWN_KIND);
    access->base = packed_byte_below(shape, 48, SREG_COUNT, SREG_NONE);
    access->index = packed_byte_below(shape, 56, SREG_COUNT, SREG_NONE);
}

void place_row_fill(uint64_t row[PLACE_ROW_FIELDS], const struct place *place)
{
    const struct access *access = &place->access;
    row[PLACE_ROW_ADDRESS] = access->address;
    row[PLACE_ROW_OFFSET] = access->address - place->base;
    row[PLACE_ROW_TID] = access->tid;
    row[PLACE_ROW_CPU] = access->cpu;
    row[PLACE_ROW_OBJECT] = place->object;
    row[PLACE_ROW_SIZE] = place->size_bytes;
    row[PLACE_ROW_LATENCY] = access->latency;
    row[PLACE_ROW_DATA_SRC] = access->data_src;
    row[PLACE_ROW_PHYSICAL] = access->physical;
    row[PLACE_ROW_WEIGHT] = access->weight;
    row[PLACE_ROW_IP] = access->ip;
    row[PLACE_ROW_FUNCTION] = place->function;
    row[PLACE_ROW_HOLDER] = place->bin_object;
    row[PLACE_ROW_TYPE] = place->type;
    row[PLACE_ROW_TYPE_OFFSET] = place->type_offset;
    row[PLACE_ROW_SHAPE] = pack_access_shape(access);
    row[PLACE_ROW_DISPLACEMENT] = (uint64_t)(int64_t)access->displacement;
    row[PLACE_ROW_TYPING] =
        place->by_member | (uint64_t)place->typed << 8 | (uint64_t)place->untyped << 16 |
        (uint64_t)access->locked << 24 | (uint64_t)access->is_spinning << 25 |
        (uint64_t)access->is_spill_slot << 26 | (uint64_t)access->is_pointer_chase << 27 |
        (uint64_t)access->line_was_accessed << 28 | (uint64_t)(access->per_line_log2 & 7) << 29 |
        (uint64_t)place->unit << 32 | (uint64_t)access->is_stored_in_loop << 40 |
        (uint64_t)access->flushes_line << 41;
    row[PLACE_ROW_PID] = access->pid;
    row[PLACE_ROW_CAUSE] = access->cause;
    row[PLACE_ROW_EVICTOR_IP] = access->evictor_ip;
    row[PLACE_ROW_EVICTOR_ADDRESS] = access->evictor_address;
    row[PLACE_ROW_EVICTOR_OBJECT] = place->evictor_object;
    row[PLACE_ROW_EVICTOR_FUNCTION] = place->evictor_function;
    row[PLACE_ROW_EVICTOR_TID] = access->evictor_tid;
    row[PLACE_ROW_CALLER] = place->caller;
}

/* Checks a base address. Only a stack frame's base is above its bytes. */
static uint64_t checked_base(uint64_t base, uint64_t address)
{
    return base > address && base - address > PLACE_FRAME_MAX ? address : base;
}

void place_row_read(const uint64_t row[PLACE_ROW_FIELDS], struct place *place)
{
    uint64_t typing = row[PLACE_ROW_TYPING];
    *place = (struct place){
        .access = {.address = row[PLACE_ROW_ADDRESS],
                   .ip = row[PLACE_ROW_IP],
                   .weight = row[PLACE_ROW_WEIGHT],
                   .latency = row[PLACE_ROW_LATENCY],
                   .data_src = row[PLACE_ROW_DATA_SRC],
                   .physical = row[PLACE_ROW_PHYSICAL],
                   .pid = (uint32_t)row[PLACE_ROW_PID],
                   .tid = (uint32_t)row[PLACE_ROW_TID],
                   .cpu = (uint32_t)row[PLACE_ROW_CPU],
                   .displacement = (int32_t)row[PLACE_ROW_DISPLACEMENT],
                   .evictor_ip = row[PLACE_ROW_EVICTOR_IP],
                   .evictor_address = row[PLACE_ROW_EVICTOR_ADDRESS],
                   .evictor_tid = (uint32_t)row[PLACE_ROW_EVICTOR_TID],
                   .cause = packed_byte_below(row[PLACE_ROW_CAUSE], 0, CAUSE_COUNT, CAUSE_UNKNOWN),
                   .locked = typing >> 24 & 1,
                   .is_spinning = typing >> 25 & 1,
                   .is_spill_slot = typing >> 26 & 1,
                   .is_stored_in_loop = typing >> 40 & 1,
                   .flushes_line = typing >> 41 & 1,
                   .is_pointer_chase = typing >> 27 & 1,
                   .line_was_accessed = typing >> 28 & 1,
                   .per_line_log2 = typing >> 29 & 7},
        .object = (uint32_t)row[PLACE_ROW_OBJECT],
        .bin_object = (uint32_t)row[PLACE_ROW_HOLDER],
        .function = (uint32_t)row[PLACE_ROW_FUNCTION],
        .base = row[PLACE_ROW_ADDRESS] - row[PLACE_ROW_OFFSET],
        .size_bytes = row[PLACE_ROW_SIZE],
        .evictor_object = (uint32_t)row[PLACE_ROW_EVICTOR_OBJECT],
        .evictor_function = (uint32_t)row[PLACE_ROW_EVICTOR_FUNCTION],
        .caller = (uint32_t)row[PLACE_ROW_CALLER],
        .type = (uint32_t)row[PLACE_ROW_TYPE],
        .type_offset = (uint32_t)row[PLACE_ROW_TYPE_OFFSET],
        .unit = packed_byte(typing, 32),
        .by_member = typing & 1,
        .typed = packed_byte_below(typing, 8, TYPED_COUNT, TYPED_NONE),
        .untyped = packed_byte_below(typing, 16, UNTYPED_COUNT, UNTYPED_NO_REASON)};
    place->base = checked_base(place->base, place->access.address);
    unpack_shape(row[PLACE_ROW_SHAPE], &place->access);
}

unsigned place_row_slot(const uint64_t row[PLACE_ROW_FIELDS])
{
    return (unsigned)(hash_mix(row[PLACE_ROW_IP] + row[PLACE_ROW_SHAPE]) >> (64 - STORE_SLOT_BITS));
}

_Static_assert(LINE_ROW_FIELDS - LINE_ROW_USES == LINE_USES, "a field for each kind of use");

static uint64_t pack_line_shape(const struct line_place *line)
{
    return line->line.event | (uint64_t)line->line.line_bytes << 16 |
           (uint64_t)line->line.kind << 32 | (uint64_t)line->line.level << 40 |
           (uint64_t)line->place.by_member << 48 | (uint64_t)line->place.unit << 56;
}

void line_row_fill(uint64_t row[LINE_ROW_FIELDS], const struct line_place *line, uint64_t since_ns)
{
    const struct line_event *event = &line->line;
    row[LINE_ROW_SINCE] = since_ns;
    row[LINE_ROW_ADDRESS] = event->address;
    row[LINE_ROW_OFFSET] = event->address - line->place.base;
    row[LINE_ROW_OBJECT] = line->place.object;
    row[LINE_ROW_DISTANCE] = event->distance + 1;
    row[LINE_ROW_WEIGHT] = event->weight;
    row[LINE_ROW_IP] = event->ip;
    row[LINE_ROW_FUNCTION] = line->place.function;
    row[LINE_ROW_SHAPE] = pack_line_shape(line);
    row[LINE_ROW_TYPE] = line->place.type;
    row[LINE_ROW_TYPE_OFFSET] = line->place.type_offset;
    row[LINE_ROW_USED] = event->used_bytes;
    row[LINE_ROW_TOUCHED] = event->touched_bytes;
    for (int i = 0; i < LINE_USES; i++)
        row[LINE_ROW_USES + i] = event->uses[i];
}

bool line_row_read(const uint64_t row[LINE_ROW_FIELDS], struct line_place *line)
{
    uint64_t shape = row[LINE_ROW_SHAPE];
    struct line_event *event = &line->line;
    *event = (struct line_event){
        .ip = row[LINE_ROW_IP],
        .address = row[LINE_ROW_ADDRESS],
        .weight = row[LINE_ROW_WEIGHT],
        .distance = row[LINE_ROW_DISTANCE] - 1,
        .event = (uint16_t)shape,
        .line_bytes = (uint16_t)(shape >> 16),
        .kind = (uint8_t)(shape >> 32),
        .level = (uint8_t)(shape >> 40),
        .used_bytes = (uint16_t)row[LINE_ROW_USED],
        .touched_bytes = (uint32_t)row[LINE_ROW_TOUCHED],
    };
    for (int i = 0; i < LINE_USES; i++)
        event->uses[i] = (uint32_t)row[LINE_ROW_USES + i];
    line->place = (struct place){
        .access = {.address = event->address,
                   .ip = event->ip,
                   .weight = event->weight,
                   .event = event->event,
                   .cpu = SAMPLE_NO_CPU,
                   .how = ACCESS_RECORDED,
                   .base = SREG_NONE,
                   .index = SREG_NONE},
        .object = (uint32_t)row[LINE_ROW_OBJECT],
        .function = (uint32_t)row[LINE_ROW_FUNCTION],
        .base = event->address - row[LINE_ROW_OFFSET],
        .type = (uint32_t)row[LINE_ROW_TYPE],
        .type_offset = (uint32_t)row[LINE_ROW_TYPE_OFFSET],
        .by_member = shape >> 48 & 1,
        .unit = (uint8_t)(shape >> 56),
    };
    line->place.base = checked_base(line->place.base, event->address);
    return event->kind <= LINE_REUSED;
}

unsigned line_row_slot(const uint64_t row[LINE_ROW_FIELDS])
{
    return (unsigned)(hash_mix(row[LINE_ROW_IP] + row[LINE_ROW_SHAPE]) >> (64 - STORE_SLOT_BITS));
}

bool line_row_new_ids(const uint64_t *now, const uint64_t *before)
{
    return now[LINE_ROW_OBJECT] != before[LINE_ROW_OBJECT] ||
           now[LINE_ROW_IP] != before[LINE_ROW_IP] ||
           now[LINE_ROW_FUNCTION] != before[LINE_ROW_FUNCTION] ||
           now[LINE_ROW_TYPE] != before[LINE_ROW_TYPE];
}

bool pair_rows_answer(const struct rows *rows, uint64_t number, struct line_pair *pair)
{
    for (uint32_t place = (uint32_t)number; place < rows->count; place++) {
        const uint64_t *row = rows_at(rows, place);
        if (line_pair_kind(rows->ids[place]) != line_pair_kind(number) ||
            line_pair_level(rows->ids[place]) != line_pair_level(number))
            continue;
        *pair = (struct line_pair){row[PAIR_ROW_FIRST], row[PAIR_ROW_SECOND], row[PAIR_ROW_COUNT],
                                   place};
        return true;
    }
    return false;
}
