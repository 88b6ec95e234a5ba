/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Puts the records of a recording in the order of time, in bounded memory. perf record drains one
 * CPU after the other, round by round: nothing in a round is older than the end of the round before
 * the last one. Where no rounds are marked, or one is too large, the older half of the waiting
 * records goes first, and late records are counted.
 */
#ifndef MISSTOP_SAMPLE_PERFDATA_ORDER_H
#define MISSTOP_SAMPLE_PERFDATA_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bounds of the waiting records: their bytes and number. */
enum { ORDER_BYTES_MAX = 256 << 20, ORDER_RECORDS_MAX = 4 << 20 };

/* Precedes the bytes of a record that waits. */
struct order_item {
    uint32_t size_bytes;
    uint16_t event;  /* index of its attribute */
    uint16_t parsed; /* 1: the bytes are a struct record, not what the file holds */
};

struct order_entry {
    uint64_t time_ns;
    uint32_t block;
    uint32_t offset;
};

struct order_block {
    unsigned char *bytes;
    uint32_t used;
    uint32_t live; /* records in it that were not handed on */
};

struct order {
    struct order_entry *entries; /* [next, ready) sorted, may be handed on; [ready, count) wait */
    struct order_entry *scratch;
    size_t next;
    size_t ready;
    size_t count;
    size_t room;
    struct order_block *blocks;
    uint32_t *spare; /* indices of empty blocks */
    size_t block_count;
    size_t spare_count;
    uint32_t filling; /* index of the block that is filled; block_count: none */
    size_t blocks_max;
    size_t records_max;
    uint64_t newest_ns;   /* of all so far */
    uint64_t boundary_ns; /* `newest_ns` when the last round ended */
    uint64_t handed_ns;
    uint64_t late; /* came after a newer one was handed on */
};

/* Limits as above, or smaller ones to test with (at least one block, two records). */
void order_init(struct order *order, size_t bytes_max, size_t records_max);
void order_fini(struct order *order);

/* Only while none is ready. 0 or -ENOMEM. */
int order_add(struct order *order, uint64_t time_ns, struct order_item item, const void *bytes);

/* A round has ended; the recording has ended: everything is ready. */
void order_round(struct order *order);
void order_finish(struct order *order);

/* Whether some are ready. */
static inline bool order_ready(const struct order *order)
{
    return order->next != order->ready;
}

/* The oldest record that is ready, until it is popped; its bytes follow. NULL: none. */
const struct order_item *order_head(const struct order *order, uint64_t *time_ns);
void order_pop(struct order *order);

#endif
