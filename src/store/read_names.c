/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What ids meant at the point that was read up to; nothing in a row is believed. */
#include "store/read_state.h"

#include "base/array.h"
#include "base/clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *string_or(const struct store_reader *reader, uint64_t id, const char *otherwise)
{
    const char *string = reader_string(reader, id);
    return string ? string : otherwise;
}

static bool describe_object(void *context, uint32_t object, struct object_desc *desc)
{
    const struct store_reader *reader = context;
    const uint64_t *row = rows_find(&reader->rows[STORE_OBJECT], object);
    if (!row)
        return false;
    *desc = (struct object_desc){
        .name = string_or(reader, row[OBJECT_ROW_NAME], ""),
        .module = string_or(reader, row[OBJECT_ROW_MODULE], ""),
        .type = reader_string(reader, row[OBJECT_ROW_TYPE]),
        .type_id = (uint32_t)row[OBJECT_ROW_TYPE_ID],
        .type_votes = (uint32_t)row[OBJECT_ROW_VOTES],
        .type_against = (uint32_t)row[OBJECT_ROW_AGAINST],
        .kind = row[OBJECT_ROW_KIND] < OBJECT_KIND_COUNT ? (enum object_kind)row[OBJECT_ROW_KIND]
                                                         : OBJECT_UNKNOWN,
        .address = row[OBJECT_ROW_ADDRESS],
        .size_bytes = row[OBJECT_ROW_SIZE],
        .blocks = (uint32_t)row[OBJECT_ROW_BLOCKS],
        .part_of = (uint32_t)row[OBJECT_ROW_PART_OF],
    };
    return true;
}

static bool describe_function(void *context, uint32_t function, struct function_desc *desc)
{
    const struct store_reader *reader = context;
    const uint64_t *row = rows_find(&reader->rows[STORE_FUNCTION], function);
    if (!row)
        return false;
    *desc = (struct function_desc){
        .name = string_or(reader, row[FUNCTION_ROW_NAME], ""),
        .module = string_or(reader, row[FUNCTION_ROW_MODULE], ""),
        .file = string_or(reader, row[FUNCTION_ROW_FILE], ""),
        .line = (uint32_t)row[FUNCTION_ROW_LINE],
        .start = row[FUNCTION_ROW_START],
        .end = row[FUNCTION_ROW_END],
    };
    return true;
}

static bool describe_instruction(void *context, uint64_t address, struct instruction_desc *desc)
{
    const struct store_reader *reader = context;
    const uint64_t *row = rows_find(&reader->rows[STORE_INSTRUCTION], address);
    *desc = (struct instruction_desc){0};
    if (!row || !row[INSTRUCTION_ROW_ASKED])
        return false;
    desc->file = reader_string(reader, row[INSTRUCTION_ROW_FILE]);
    desc->line = (uint32_t)row[INSTRUCTION_ROW_LINE];
    desc->inlined = reader_string(reader, row[INSTRUCTION_ROW_INLINED]);
    return true;
}

bool store_reader_instruction_text(struct store_reader *reader, uint64_t address, char *out,
                                   size_t size)
{
    const uint64_t *row = rows_find(&reader->rows[STORE_INSTRUCTION], address);
    const char *text = row ? reader_string(reader, row[INSTRUCTION_ROW_TEXT]) : NULL;
    if (text)
        snprintf(out, size, "%s", text);
    return text;
}

/* false: it is no member that may stand there, depth first (place.h). */
static bool read_member(const struct store_reader *reader, uint64_t id, uint32_t index,
                        const struct type_member *members, struct type_member *member)
{
    const uint64_t *row = rows_find(&reader->rows[STORE_MEMBER], id);
    if (!row)
        return false;
    uint64_t parent = row[MEMBER_ROW_PARENT];
    *member = (struct type_member){
        .name = string_or(reader, row[MEMBER_ROW_NAME], ""),
        .type = string_or(reader, row[MEMBER_ROW_TYPE], ""),
        .offset = row[MEMBER_ROW_OFFSET],
        .size = row[MEMBER_ROW_SIZE],
        .count = row[MEMBER_ROW_COUNT],
        .stride = (uint32_t)row[MEMBER_ROW_STRIDE],
        .parent = parent ? (uint32_t)parent - 1 : TYPE_NO_MEMBER,
        .depth = (uint16_t)row[MEMBER_ROW_DEPTH],
        .kind = (uint8_t)row[MEMBER_ROW_KIND],
        .bit_offset = (uint8_t)row[MEMBER_ROW_BIT_OFFSET],
        .bit_size = (uint8_t)row[MEMBER_ROW_BIT_SIZE],
    };
    if (parent > index || member->kind > MEMBER_VTABLE || member->depth > TYPE_DEPTH_MAX ||
        member->offset + member->size < member->offset || (member->count && !member->stride))
        return false;
    return parent ? member->depth == members[parent - 1].depth + 1 : !member->depth;
}

static bool types_grow(struct store_reader *reader)
{
    struct type_desc *type = array_more(reader->type, &reader->type_room, reader->type_count,
                                        sizeof *type, ARRAY_UNBOUNDED);
    if (type)
        reader->type = type;
    return type;
}

/* Members of two types are never the same rows: so no more can be made than came. */
static uint32_t read_members(struct store_reader *reader, const uint64_t *row,
                             const struct type_member **out)
{
    uint64_t count = row[TYPE_ROW_MEMBERS];
    *out = NULL;
    if (count > TYPE_MEMBERS_MAX || reader->members_made + count > reader->rows[STORE_MEMBER].count)
        return 0;
    struct type_member *members = arena_array(&reader->types, count, sizeof *members);
    uint32_t read = 0;
    while (members && read < count &&
           read_member(reader, row[TYPE_ROW_FIRST_MEMBER] + read, read, members, &members[read]))
        read++;
    reader->members_made += count;
    *out = members;
    return read;
}

static bool make_type(struct store_reader *reader, uint32_t id, const uint64_t *row)
{
    struct type_desc desc = {.name = string_or(reader, row[TYPE_ROW_NAME], ""),
                             .kind = row[TYPE_ROW_KIND] <= TYPE_POINTER
                                         ? (enum type_kind)row[TYPE_ROW_KIND]
                                         : TYPE_OTHER,
                             .size = row[TYPE_ROW_SIZE],
                             .cut = row[TYPE_ROW_CUT]};
    desc.member_count = read_members(reader, row, &desc.members);
    desc.cut |= desc.member_count < row[TYPE_ROW_MEMBERS];
    uint32_t *number = types_grow(reader) ? hash_insert(&reader->type_index, id, NULL) : NULL;
    if (!number)
        return false;
    *number = (uint32_t)reader->type_count;
    reader->type[reader->type_count++] = desc;
    return true;
}

static bool describe_type(void *context, uint32_t type, struct type_desc *desc)
{
    struct store_reader *reader = context;
    const uint32_t *known = hash_find(&reader->type_index, type);
    if (!known) {
        const uint64_t *row = rows_find(&reader->rows[STORE_TYPE], type);
        if (!row || !make_type(reader, type, row))
            return false;
        known = hash_find(&reader->type_index, type);
    }
    *desc = reader->type[*known];
    return true;
}

static void summarise_heap(void *context, struct heap_summary *summary)
{
    const struct store_reader *reader = context;
    const uint64_t *row = rows_find(&reader->rows[STORE_HEAP], 0);
    *summary = (struct heap_summary){.mark_age_s = NAN};
    if (!row)
        return;
    if (row[HEAP_ROW_FEED] <= HEAP_FEED_WALK)
        summary->feed = (enum heap_feed)row[HEAP_ROW_FEED];
    summary->source = reader_string(reader, row[HEAP_ROW_SOURCE]);
    summary->note = reader_string(reader, row[HEAP_ROW_NOTE]);
    summary->live_blocks = row[HEAP_ROW_LIVE_BLOCKS];
    summary->usable_bytes = row[HEAP_ROW_USABLE_BYTES];
    summary->requested_bytes = row[HEAP_ROW_REQUESTED_BYTES];
    summary->lost = row[HEAP_ROW_LOST];
    summary->failed = row[HEAP_ROW_FAILED];
    summary->bins = (uint32_t)reader->rows[STORE_BIN].count;
    summary->mark_age_s = number_to_double(row[HEAP_ROW_MARK_AGE]);
}

static double age_of(const struct store_reader *reader, uint64_t moment_ns)
{
    const uint64_t *heap = rows_find(&reader->rows[STORE_HEAP], 0);
    if (!heap || moment_ns == UINT64_MAX)
        return NAN;
    return (double)(heap[HEAP_ROW_NOW_NS] - moment_ns) / CLOCK_NS_PER_S;
}

static void read_site(struct store_reader *reader, uint32_t index, struct heap_bin *bin)
{
    const uint64_t *row = rows_find(&reader->rows[STORE_SITE], index);
    for (; row && bin->site_count < SITE_ROW_FIELDS && row[bin->site_count]; bin->site_count++)
        reader->site[bin->site_count] = string_or(reader, row[bin->site_count], "?");
    bin->site = reader->site;
}

static void read_figures(const struct store_reader *reader, const uint64_t *row,
                         struct heap_bin *bin)
{
    bin->live_blocks = row[BIN_ROW_LIVE_BLOCKS];
    bin->usable_bytes = row[BIN_ROW_USABLE_BYTES];
    bin->requested_bytes = row[BIN_ROW_REQUESTED_BYTES];
    bin->allocations = row[BIN_ROW_ALLOCATIONS];
    bin->frees = row[BIN_ROW_FREES];
    bin->allocations_per_s = number_to_double(row[BIN_ROW_ALLOCATION_RATE]);
    bin->frees_per_s = number_to_double(row[BIN_ROW_FREE_RATE]);
    bin->lifetime_s = number_to_double(row[BIN_ROW_LIFETIME]);
    bin->age_s = age_of(reader, row[BIN_ROW_FIRST_NS]);
    bin->quiet_s = age_of(reader, row[BIN_ROW_LAST_NS]);
    bin->growth_blocks = number_to_double(row[BIN_ROW_GROWTH_BLOCKS]);
    bin->growth_bytes = number_to_double(row[BIN_ROW_GROWTH_BYTES]);
    memcpy(bin->sizes, row + BIN_ROW_SIZES, sizeof bin->sizes);
}

static bool describe_bin(void *context, uint32_t index, struct heap_bin *bin)
{
    struct store_reader *reader = context;
    const uint64_t *heap = rows_find(&reader->rows[STORE_HEAP], 0);
    const uint64_t *row = rows_find(&reader->rows[STORE_BIN], index);
    if (!row || !heap || index >= heap[HEAP_ROW_BINS])
        return false;
    *bin = (struct heap_bin){
        .id = (uint32_t)row[BIN_ROW_ID],
        .object = (uint32_t)row[BIN_ROW_OBJECT],
        .name = string_or(reader, row[BIN_ROW_NAME], "heap"),
        .path = reader_string(reader, row[BIN_ROW_PATH]),
        .type_id = (uint32_t)row[BIN_ROW_TYPE_ID],
        .type = reader_string(reader, row[BIN_ROW_TYPE]),
        .walked = row[BIN_ROW_FLAGS] & 1,
        .renamed = row[BIN_ROW_FLAGS] & 2,
        .combined = (uint32_t)row[BIN_ROW_COMBINED],
    };
    read_site(reader, index, bin);
    read_figures(reader, row, bin);
    return true;
}

static bool describe_thread(void *context, uint32_t tid, char *out, size_t out_size)
{
    const struct store_reader *reader = context;
    const uint64_t *row = rows_find(&reader->rows[STORE_THREAD], tid);
    const char *name = row ? reader_string(reader, row[THREAD_ROW_NAME]) : NULL;
    snprintf(out, out_size, "%s", name ? name : "");
    return name;
}

struct place_names store_reader_names(struct store_reader *reader)
{
    return (struct place_names){.context = reader,
                                .object = describe_object,
                                .function = describe_function,
                                .extent = reader_extent,
                                .type = describe_type,
                                .instruction = describe_instruction,
                                .mapping = reader_mapping,
                                .cpu_node = reader_cpu_node,
                                .page_nodes = reader_page_nodes,
                                .thread = describe_thread,
                                .memory = reader_memory,
                                .word = reader_word,
                                .heap = summarise_heap,
                                .heap_bin = describe_bin};
}
