/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/place_row.h"

#include "base/hash.h"
#include "sample.h"
#include "store/form.h"

static uint64_t pack_shape(const struct access *access)
{
    return access->event | (uint64_t)access->reason << 16 | (uint64_t)access->how << 24 |
           (uint64_t)access->size << 32 | (uint64_t)access->kind << 40 |
           (uint64_t)access->base << 48 | (uint64_t)access->index << 56;
}

static uint8_t byte_of(uint64_t packed, unsigned shift)
{
    return (uint8_t)(packed >> shift);
}

static uint8_t byte_below(uint64_t packed, unsigned shift, uint8_t bound, uint8_t otherwise)
{
    uint8_t byte = byte_of(packed, shift);
    return byte < bound ? byte : otherwise;
}

static void unpack_shape(uint64_t shape, struct access *access)
{
    access->event = (uint16_t)shape;
    access->reason = byte_below(shape, 16, REASON_COUNT, REASON_BAD_ADDRESS);
    access->how = byte_below(shape, 24, ACCESS_HOW_COUNT, ACCESS_INFERRED);
    access->size = byte_of(shape, 32);
    access->kind = byte_below(shape, 40, ACCESS_PREFETCH + 1, ACCESS_UNKNOWN_KIND);
    access->base = byte_below(shape, 48, SREG_COUNT, SREG_NONE);
    access->index = byte_below(shape, 56, SREG_COUNT, SREG_NONE);
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
    row[PLACE_ROW_HOLDER] = place->holder;
    row[PLACE_ROW_TYPE] = place->type;
    row[PLACE_ROW_TYPE_OFFSET] = place->type_offset;
    row[PLACE_ROW_SHAPE] = pack_shape(access);
    row[PLACE_ROW_DISPLACEMENT] = (uint64_t)(int64_t)access->displacement;
    row[PLACE_ROW_TYPING] = place->by_member | (uint64_t)place->typed << 8 |
                            (uint64_t)place->untyped << 16 | (uint64_t)access->locked << 24 |
                            (uint64_t)access->waits << 25 | (uint64_t)access->kept << 26 |
                            (uint64_t)place->unit << 32;
    row[PLACE_ROW_PID] = access->pid;
    row[PLACE_ROW_CAUSE] = access->cause;
    row[PLACE_ROW_EVICTOR_IP] = access->evictor_ip;
    row[PLACE_ROW_EVICTOR_ADDRESS] = access->evictor_address;
    row[PLACE_ROW_EVICTOR_OBJECT] = place->evictor_object;
    row[PLACE_ROW_EVICTOR_FUNCTION] = place->evictor_function;
    row[PLACE_ROW_EVICTOR_TID] = access->evictor_tid;
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
                   .cause = byte_below(row[PLACE_ROW_CAUSE], 0, CAUSE_COUNT, CAUSE_UNKNOWN),
                   .locked = typing >> 24 & 1,
                   .waits = typing >> 25 & 1,
                   .kept = typing >> 26 & 1},
        .object = (uint32_t)row[PLACE_ROW_OBJECT],
        .holder = (uint32_t)row[PLACE_ROW_HOLDER],
        .function = (uint32_t)row[PLACE_ROW_FUNCTION],
        .base = row[PLACE_ROW_ADDRESS] - row[PLACE_ROW_OFFSET],
        .size_bytes = row[PLACE_ROW_SIZE],
        .evictor_object = (uint32_t)row[PLACE_ROW_EVICTOR_OBJECT],
        .evictor_function = (uint32_t)row[PLACE_ROW_EVICTOR_FUNCTION],
        .type = (uint32_t)row[PLACE_ROW_TYPE],
        .type_offset = (uint32_t)row[PLACE_ROW_TYPE_OFFSET],
        .unit = byte_of(typing, 32),
        .by_member = typing & 1,
        .typed = byte_below(typing, 8, TYPED_COUNT, TYPED_NOT),
        .untyped = byte_below(typing, 16, UNTYPED_COUNT, UNTYPED_NO_REASON)};
    if (place->base > place->access.address)
        place->base = place->access.address;
    unpack_shape(row[PLACE_ROW_SHAPE], &place->access);
}

unsigned place_row_slot(const uint64_t row[PLACE_ROW_FIELDS])
{
    return (unsigned)(hash_mix(row[PLACE_ROW_IP] + row[PLACE_ROW_SHAPE]) >> (64 - STORE_SLOT_BITS));
}
