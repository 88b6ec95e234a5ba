/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/feed_rings.h"

#include <errno.h>
#include <stdlib.h>

enum { RELEASE_UNITS = 1024 }; /* read before the writer is told */

int feed_rings_init(struct feed_rings *rings, char *memory, const struct agent_sizes *sizes)
{
    rings->sizes = *sizes;
    rings->shared = (struct agent_ring *)(memory + agent_rings_at());
    rings->units = (const struct agent_unit *)(memory + agent_units_at(sizes));
    rings->cursors = calloc(sizes->ring_count, sizeof *rings->cursors);
    rings->heap = calloc(sizes->ring_count, sizeof *rings->heap);
    return rings->cursors && rings->heap ? 0 : -ENOMEM;
}

void feed_rings_fini(struct feed_rings *rings)
{
    free(rings->cursors);
    free(rings->heap);
}

/* A ring that lies: all of it is given up, up to where its writer says it is. */
static bool skip_ring(struct feed_rings *rings, struct feed_cursor *cursor)
{
    rings->damaged++;
    cursor->tail = cursor->head;
    return false;
}

static struct agent_unit copy_unit(const struct feed_rings *rings, uint32_t ring, uint64_t at)
{
    const struct agent_unit *unit = rings->units + (uint64_t)ring * rings->sizes.ring_units +
                                    (at & (rings->sizes.ring_units - 1));
    return (struct agent_unit){__atomic_load_n(&unit->first, __ATOMIC_RELAXED),
                               __atomic_load_n(&unit->second, __ATOMIC_RELAXED)};
}

static bool take_long(struct feed_rings *rings, uint32_t ring, enum feed_kind kind)
{
    struct feed_cursor *cursor = &rings->cursors[ring];
    if (cursor->head - cursor->tail < 2)
        return skip_ring(rings, cursor);
    struct agent_unit rest = copy_unit(rings, ring, cursor->tail + 1);
    struct feed_event *event = &cursor->event;
    event->kind = kind;
    event->requested = rest.first;
    event->path = kind == FEED_UNMAP ? 0 : (uint32_t)rest.second;
    if (__builtin_add_overflow(rest.first, rest.second >> 32, &event->usable))
        event->usable = UINT64_MAX;
    cursor->tail += 2;
    return true;
}

/* The next event of a ring into its cursor; false: there is none up to head. */
static bool take_event(struct feed_rings *rings, uint32_t ring)
{
    struct feed_cursor *cursor = &rings->cursors[ring];
    while (cursor->tail != cursor->head) {
        struct agent_unit unit = copy_unit(rings, ring, cursor->tail);
        uint64_t address = unit.second & AGENT_ADDRESS_MASK;
        cursor->stamp = unit.first;
        cursor->event = (struct feed_event){.address = address, .tid = cursor->tid};
        switch (unit.second >> AGENT_KIND_SHIFT) {
        case AGENT_OWNER:
            cursor->tid = (uint32_t)address;
            cursor->tail++;
            continue;
        case AGENT_FREE:
            cursor->event.kind = FEED_FREE;
            cursor->tail++;
            return true;
        case AGENT_ALLOC:
            return take_long(rings, ring, FEED_ALLOC);
        case AGENT_MAP:
            return take_long(rings, ring, FEED_MAP);
        case AGENT_UNMAP:
            return take_long(rings, ring, FEED_UNMAP);
        default:
            return skip_ring(rings, cursor);
        }
    }
    return false;
}

static bool is_earlier(const struct feed_rings *rings, uint32_t a, uint32_t b)
{
    return rings->cursors[a].stamp < rings->cursors[b].stamp;
}

static void sift_down(struct feed_rings *rings, uint32_t at)
{
    uint32_t *heap = rings->heap;
    uint32_t ring = heap[at];
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= rings->heap_count)
            break;
        if (child + 1 < rings->heap_count && is_earlier(rings, heap[child + 1], heap[child]))
            child++;
        if (!is_earlier(rings, heap[child], ring))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = ring;
}

static void sift_up(struct feed_rings *rings, uint32_t at)
{
    uint32_t *heap = rings->heap;
    uint32_t ring = heap[at];
    for (; at && is_earlier(rings, ring, heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = ring;
}

/* Tells the writer what is free again. */
static void release(struct feed_rings *rings, uint32_t ring)
{
    struct feed_cursor *cursor = &rings->cursors[ring];
    if (cursor->released != cursor->tail)
        __atomic_store_n(&rings->shared[ring].tail, cursor->tail, __ATOMIC_RELEASE);
    cursor->released = cursor->tail;
}

/* Looks how far a ring is written, and takes its first event where none was waiting. */
static void look_at_ring(struct feed_rings *rings, uint32_t ring)
{
    struct feed_cursor *cursor = &rings->cursors[ring];
    uint64_t head = __atomic_load_n(&rings->shared[ring].head, __ATOMIC_ACQUIRE);
    if (head == cursor->head)
        return;
    /* More than the ring holds, or backwards: which of it is new nobody can tell. */
    bool is_sane = head - cursor->tail <= rings->sizes.ring_units;
    cursor->head = head;
    if (!is_sane)
        skip_ring(rings, cursor);
    if (!cursor->has_event && take_event(rings, ring)) {
        cursor->has_event = true;
        rings->heap[rings->heap_count] = ring;
        sift_up(rings, rings->heap_count++);
    } else if (!cursor->has_event) {
        release(rings, ring);
    }
}

void feed_rings_look(struct feed_rings *rings, uint32_t used)
{
    if (used > rings->sizes.ring_count)
        used = rings->sizes.ring_count;
    for (uint32_t ring = 0; ring < used; ring++)
        look_at_ring(rings, ring);
}

void feed_rings_next(struct feed_rings *rings)
{
    uint32_t ring = rings->heap[0];
    struct feed_cursor *cursor = &rings->cursors[ring];
    cursor->has_event = take_event(rings, ring);
    if (!cursor->has_event)
        rings->heap[0] = rings->heap[--rings->heap_count];
    if (!cursor->has_event || cursor->tail - cursor->released >= RELEASE_UNITS)
        release(rings, ring);
    sift_down(rings, 0);
}

uint64_t feed_rings_lost(const struct feed_rings *rings)
{
    uint64_t sum = 0;
    for (uint32_t ring = 0; ring < rings->sizes.ring_count; ring++)
        sum += __atomic_load_n(&rings->shared[ring].lost, __ATOMIC_RELAXED);
    return sum;
}
