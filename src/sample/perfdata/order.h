/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sorts records by time, in bounded memory. perf record drains CPUs in rounds: no record in a round
 * is older than the end of the round before the last one. If no rounds are marked, or a round is
 * too large, the older half of the waiting records is released early, and late records are counted.
 */
#ifndef MISSTOP_SAMPLE_PERFDATA_ORDER_H
#define MISSTOP_SAMPLE_PERFDATA_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ORDER_BYTES_MAX = 256 << 20, ORDER_RECORDS_MAX = 4 << 20 };

/* Header before the bytes of a waiting record. */
struct order_item {
    uint32_t size_bytes;
    uint16_t event;  /* index of its attribute */
    uint16_t parsed; /* 1: the bytes are a struct record, not those of the file */
};

struct order_entry {
    uint64_t time_ns;
    uint32_t block;
    uint32_t offset;
};

struct order_block {
    unsigned char *bytes;
    uint32_t used;
    uint32_t undelivered; /* records in the block that were not delivered yet */
};

struct order {
    struct order_entry *entries; /* [next, ready) sorted and ready; [ready, count) waiting */
    struct order_entry *scratch;
    size_t next;
    size_t ready;
    size_t count;
    size_t room;
    struct order_block *blocks;
    uint32_t *spare; /* indices of empty blocks */
    size_t block_count;
    size_t spare_count;
    uint32_t filling; /* block being filled; block_count: none */
    size_t blocks_max;
    size_t records_max;
    uint64_t newest_ns;   /* newest time so far */
    uint64_t boundary_ns; /* `newest_ns` when the last round ended */
    uint64_t delivered_ns;
    uint64_t late; /* arrived after a newer record was delivered */
};

/* Sets the limits: the ones above, or smaller ones for tests (at least one block, two records). */
void order_init(struct order *order, size_t bytes_max, size_t records_max);
void order_fini(struct order *order);

/* Adds a record; only while none is ready. Returns 0 or -ENOMEM. */
int order_add(struct order *order, uint64_t time_ns, struct order_item item, const void *bytes);

/* order_round() releases the records that are in order at the end of a round, order_finish() all
 * records at the end of the recording. */
void order_round(struct order *order);
void order_finish(struct order *order);

static inline bool order_ready(const struct order *order)
{
    return order->next != order->ready;
}

/* Returns the oldest ready record, valid until popped, with its bytes behind it. NULL: none. */
const struct order_item *order_head(const struct order *order, uint64_t *time_ns);
void order_pop(struct order *order);

#endif
