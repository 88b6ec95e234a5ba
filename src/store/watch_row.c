/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/watch_row.h"

void watch_row_fill(uint64_t row[WATCH_ROW_FIELDS], const struct store_watch *watch)
{
    const struct watch_result *result = &watch->result;
    row[WATCH_ROW_END_NS] = result->end_ns;
    row[WATCH_ROW_SHAPE] = result->kind | (uint64_t)result->end << 8;
    row[WATCH_ROW_OBJECT] = result->object;
    row[WATCH_ROW_ORIGIN_TID] = result->origin_tid;
    row[WATCH_ROW_TOUCHER_TID] = result->toucher_tid;
    row[WATCH_ROW_ADDRESS] = result->address;
    row[WATCH_ROW_BASE] = result->base;
    row[WATCH_ROW_ORIGIN_NS] = result->origin_ns;
    row[WATCH_ROW_ARMED_NS] = result->armed_ns;
    row[WATCH_ROW_OFF_NS] = result->off_ns;
    row[WATCH_ROW_FUNCTION] = watch->function;
    row[WATCH_ROW_IP] = watch->ip;
}

bool watch_row_read(const uint64_t row[WATCH_ROW_FIELDS], struct store_watch *watch)
{
    *watch = (struct store_watch){
        .result = {.kind = (uint8_t)row[WATCH_ROW_SHAPE],
                   .end = (uint8_t)(row[WATCH_ROW_SHAPE] >> 8),
                   .object = (uint32_t)row[WATCH_ROW_OBJECT],
                   .origin_tid = (uint32_t)row[WATCH_ROW_ORIGIN_TID],
                   .toucher_tid = (uint32_t)row[WATCH_ROW_TOUCHER_TID],
                   .address = row[WATCH_ROW_ADDRESS],
                   .base = row[WATCH_ROW_BASE],
                   .origin_ns = row[WATCH_ROW_ORIGIN_NS],
                   .armed_ns = row[WATCH_ROW_ARMED_NS],
                   .end_ns = row[WATCH_ROW_END_NS],
                   .off_ns = row[WATCH_ROW_OFF_NS]},
        .function = (uint32_t)row[WATCH_ROW_FUNCTION],
        .ip = row[WATCH_ROW_IP],
    };
    return watch->result.kind <= WATCH_VISIT && watch->result.end <= WATCH_DROPPED;
}
