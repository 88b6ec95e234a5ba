/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/line_row.h"

#include "base/hash.h"
#include "sample.h"
#include "store/form.h"

_Static_assert(LINE_ROW_FIELDS - LINE_ROW_USES == LINE_USES, "a field for each kind of use");

enum { KIND_SHIFT = 40, LEVEL_SHIFT = 32 };

static uint64_t pack_shape(const struct line_place *line)
{
    return line->line.event | (uint64_t)line->line.line_bytes << 16 |
           (uint64_t)line->line.what << 32 | (uint64_t)line->line.level << 40 |
           (uint64_t)line->place.by_member << 48 | (uint64_t)line->place.unit << 56;
}

void line_row_fill(uint64_t row[LINE_ROW_FIELDS], const struct line_place *line, uint64_t since_ns)
{
    const struct line_told *told = &line->line;
    row[LINE_ROW_SINCE] = since_ns;
    row[LINE_ROW_ADDRESS] = told->address;
    row[LINE_ROW_OFFSET] = told->address - line->place.base;
    row[LINE_ROW_OBJECT] = line->place.object;
    row[LINE_ROW_DISTANCE] = told->distance + 1;
    row[LINE_ROW_WEIGHT] = told->weight;
    row[LINE_ROW_IP] = told->ip;
    row[LINE_ROW_FUNCTION] = line->place.function;
    row[LINE_ROW_SHAPE] = pack_shape(line);
    row[LINE_ROW_TYPE] = line->place.type;
    row[LINE_ROW_TYPE_OFFSET] = line->place.type_offset;
    row[LINE_ROW_USED] = told->used_bytes;
    row[LINE_ROW_TOUCHED] = told->touched_bytes;
    for (int i = 0; i < LINE_USES; i++)
        row[LINE_ROW_USES + i] = told->uses[i];
}

bool line_row_read(const uint64_t row[LINE_ROW_FIELDS], struct line_place *line)
{
    uint64_t shape = row[LINE_ROW_SHAPE];
    struct line_told *told = &line->line;
    *told = (struct line_told){
        .ip = row[LINE_ROW_IP],
        .address = row[LINE_ROW_ADDRESS],
        .weight = row[LINE_ROW_WEIGHT],
        .distance = row[LINE_ROW_DISTANCE] - 1,
        .event = (uint16_t)shape,
        .line_bytes = (uint16_t)(shape >> 16),
        .what = (uint8_t)(shape >> 32),
        .level = (uint8_t)(shape >> 40),
        .used_bytes = (uint16_t)row[LINE_ROW_USED],
        .touched_bytes = (uint32_t)row[LINE_ROW_TOUCHED],
    };
    for (int i = 0; i < LINE_USES; i++)
        told->uses[i] = (uint32_t)row[LINE_ROW_USES + i];
    line->place = (struct place){
        .access = {.address = told->address,
                   .ip = told->ip,
                   .weight = told->weight,
                   .event = told->event,
                   .cpu = SAMPLE_NO_CPU,
                   .how = ACCESS_RECORDED,
                   .base = SREG_NONE,
                   .index = SREG_NONE},
        .object = (uint32_t)row[LINE_ROW_OBJECT],
        .function = (uint32_t)row[LINE_ROW_FUNCTION],
        .base = told->address - row[LINE_ROW_OFFSET],
        .type = (uint32_t)row[LINE_ROW_TYPE],
        .type_offset = (uint32_t)row[LINE_ROW_TYPE_OFFSET],
        .by_member = shape >> 48 & 1,
        .unit = (uint8_t)(shape >> 56),
    };
    if (line->place.base > told->address)
        line->place.base = told->address;
    return told->what <= LINE_REUSED;
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

/* ---- pairs ---- */

static uint64_t table_of(enum line_pairs kind, uint8_t level)
{
    return (uint64_t)kind << KIND_SHIFT | (uint64_t)level << LEVEL_SHIFT;
}

uint64_t pair_row_id(enum line_pairs kind, uint8_t level, uint32_t place)
{
    return table_of(kind, level) | place;
}

bool pair_row_next(const struct rows *rows, enum line_pairs kind, uint8_t level, uint32_t *at,
                   struct line_pair *out)
{
    uint64_t table = table_of(kind, level) >> LEVEL_SHIFT;
    for (; *at < rows->count; ++*at) {
        const uint64_t *row = rows_at(rows, *at);
        if (rows->ids[*at] >> LEVEL_SHIFT != table || !row[PAIR_ROW_COUNT])
            continue;
        *out = (struct line_pair){row[PAIR_ROW_FIRST], row[PAIR_ROW_SECOND], row[PAIR_ROW_COUNT]};
        ++*at;
        return true;
    }
    return false;
}
