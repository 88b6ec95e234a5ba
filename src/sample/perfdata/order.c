/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/perfdata/order.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Below the size for which malloc() calls the kernel each time, above the longest record. */
enum {
    ORDER_BLOCK_BYTES = 120 * 1024,
    ORDER_LONGEST_BYTES = 64 * 1024 + sizeof(struct order_item),
    ORDER_FIRST_ROOM = 512
};

void order_init(struct order *order, size_t bytes_max, size_t records_max)
{
    *order = (struct order){0};
    order->blocks_max = bytes_max / ORDER_BLOCK_BYTES + 1;
    order->records_max = records_max;
}

void order_fini(struct order *order)
{
    for (size_t i = 0; i < order->block_count; i++)
        free(order->blocks[i].bytes);
    free(order->blocks);
    free(order->spare);
    free(order->entries);
    free(order->scratch);
    *order = (struct order){0};
}

static size_t run_end(const struct order_entry *entries, size_t from, size_t count)
{
    while (from + 1 < count && entries[from].time_ns <= entries[from + 1].time_ns)
        from++;
    return from + 1 < count ? from + 1 : count;
}

/* Merges neighbouring runs of `from` in pairs. */
static void merge_runs(const struct order_entry *from, struct order_entry *to, size_t count)
{
    for (size_t at = 0; at < count;) {
        size_t left = at;
        size_t middle = run_end(from, at, count);
        size_t right = middle;
        size_t end = middle < count ? run_end(from, middle, count) : count;
        /* Records of equal times keep the order of recording. */
        while (left < middle && right < end)
            to[at++] = from[right].time_ns < from[left].time_ns ? from[right++] : from[left++];
        memcpy(to + at, from + left, (middle - left) * sizeof *to);
        at += middle - left;
        memcpy(to + at, from + right, (end - right) * sizeof *to);
        at = end;
    }
}

/* Sorts by natural merge sort: each CPU's records are already in order, so runs are long. */
static void order_sort(struct order *order)
{
    struct order_entry *from = order->entries + order->next;
    struct order_entry *to = order->scratch;
    size_t count = order->count - order->next;
    while (count && run_end(from, 0, count) < count) {
        merge_runs(from, to, count);
        struct order_entry *swapped = from;
        from = to;
        to = swapped;
    }
    if (from != order->entries + order->next)
        memcpy(order->entries + order->next, from, count * sizeof *from);
}

void order_round(struct order *order)
{
    order_sort(order);
    order->ready =
        order->next + SORTED_UP_TO(order->entries + order->next, order->count - order->next,
                                   time_ns, order->boundary_ns);
    order->boundary_ns = order->newest_ns;
}

void order_finish(struct order *order)
{
    order_sort(order);
    order->ready = order->count;
}

/* Releases the older half because too much is waiting. */
static void release_older_half(struct order *order)
{
    order_sort(order);
    order->ready = order->next + (order->count - order->next + 1) / 2;
}

static int grow_entries(struct order *order)
{
    size_t wanted = order->room ? order->room * 2 : ORDER_FIRST_ROOM;
    size_t room = order->room;
    return array_reserve_exact(&order->scratch, &room, wanted, sizeof *order->scratch) &&
                   array_reserve_exact(&order->entries, &order->room, wanted,
                                       sizeof *order->entries)
               ? 0
               : -ENOMEM;
}

static int order_make_room(struct order *order)
{
    if (order->count < order->room)
        return 0;
    size_t waiting = order->count - order->next;
    if (waiting > order->room / 2)
        return grow_entries(order);
    if (order->next)
        memmove(order->entries, order->entries + order->next, waiting * sizeof *order->entries);
    order->next = order->ready = 0;
    order->count = waiting;
    return order->room ? 0 : grow_entries(order);
}

/* Takes an empty block to fill. Returns false if out of memory. */
static bool new_block(struct order *order)
{
    if (order->spare_count) {
        order->filling = order->spare[--order->spare_count];
        return true;
    }
    size_t blocks = order->block_count, spare = order->block_count;
    if (!array_reserve_exact(&order->blocks, &blocks, blocks + 1, sizeof *order->blocks) ||
        !array_reserve_exact(&order->spare, &spare, spare + 1, sizeof *order->spare))
        return false;
    unsigned char *bytes = malloc(ORDER_BLOCK_BYTES);
    if (!bytes)
        return false;
    order->blocks[order->block_count] = (struct order_block){.bytes = bytes};
    order->filling = (uint32_t)order->block_count++;
    return true;
}

static bool order_is_full(const struct order *order)
{
    bool last_block = order->block_count >= order->blocks_max && !order->spare_count;
    return order->count - order->next >= order->records_max ||
           (last_block &&
            order->blocks[order->filling].used + ORDER_LONGEST_BYTES > ORDER_BLOCK_BYTES);
}

int order_add(struct order *order, uint64_t time_ns, struct order_item item, const void *bytes)
{
    uint32_t size = (uint32_t)((sizeof item + item.size_bytes + 7) & ~(size_t)7);
    assert(order->next == order->ready && size <= ORDER_BLOCK_BYTES);
    if (order_make_room(order))
        return -ENOMEM;
    struct order_block *block = order->block_count ? &order->blocks[order->filling] : NULL;
    if (!block || block->used + size > ORDER_BLOCK_BYTES) {
        if (!new_block(order))
            return -ENOMEM;
        block = &order->blocks[order->filling];
    }
    memcpy(block->bytes + block->used, &item, sizeof item);
    memcpy(block->bytes + block->used + sizeof item, bytes, item.size_bytes);
    order->entries[order->count++] = (struct order_entry){time_ns, order->filling, block->used};
    block->used += size;
    block->undelivered++;
    order->late += time_ns < order->delivered_ns;
    if (time_ns > order->newest_ns)
        order->newest_ns = time_ns;
    if (order_is_full(order))
        release_older_half(order);
    return 0;
}

const struct order_item *order_head(const struct order *order, uint64_t *time_ns)
{
    if (order->next == order->ready)
        return NULL;
    const struct order_entry *entry = &order->entries[order->next];
    *time_ns = entry->time_ns;
    return (const void *)(order->blocks[entry->block].bytes + entry->offset);
}

void order_pop(struct order *order)
{
    const struct order_entry *entry = &order->entries[order->next++];
    struct order_block *block = &order->blocks[entry->block];
    if (entry->time_ns > order->delivered_ns)
        order->delivered_ns = entry->time_ns;
    if (--block->undelivered)
        return;
    block->used = 0;
    if (entry->block != order->filling)
        order->spare[order->spare_count++] = entry->block;
}
