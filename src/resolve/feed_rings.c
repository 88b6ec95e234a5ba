/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/feed_rings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

enum { WARM_CHUNKS = 32 };

/* All chunks are free, the first on top. */
static void fill_pool(struct feed_rings *rings)
{
    for (uint32_t chunk = rings->sizes.chunk_count; chunk--;)
        agent_push(&rings->header->cold_chunks, rings->chunk_links, chunk);
}

int feed_rings_init(struct feed_rings *rings, char *memory, const struct agent_sizes *sizes)
{
    rings->sizes = *sizes;
    rings->header = (struct agent_header *)memory;
    rings->shared = (struct agent_ring *)(memory + agent_rings_at());
    rings->ring_links = (uint32_t *)(memory + agent_ring_links_at(sizes));
    rings->chunk_links = (uint32_t *)(memory + agent_chunk_links_at(sizes));
    rings->units = (struct agent_unit *)(memory + agent_chunks_at(sizes));
    rings->cursors = calloc(sizes->ring_count, sizeof *rings->cursors);
    rings->heap = calloc(sizes->ring_count, sizeof *rings->heap);
    rings->passed = calloc(sizes->chunk_count, sizeof *rings->passed);
    rings->idle = calloc(sizes->chunk_count, sizeof *rings->idle);
    fill_pool(rings);
    return rings->cursors && rings->heap && rings->passed && rings->idle ? 0 : -ENOMEM;
}

void feed_rings_fini(struct feed_rings *rings)
{
    free(rings->cursors);
    free(rings->heap);
    free(rings->passed);
    free(rings->idle);
}

/* A chunk goes back to the pool at the next look: --sim's tool, which reads too, is done by then.
 */
static void pass_chunk(struct feed_rings *rings, uint64_t position)
{
    uint32_t chunk = agent_chunk(position);
    if (chunk < rings->sizes.chunk_count && rings->passed_count < rings->sizes.chunk_count)
        rings->passed[rings->passed_count++] = chunk;
}

/* Its thread has ended, and all is read. */
static void close_ring(struct feed_rings *rings, uint32_t ring)
{
    struct feed_cursor *cursor = &rings->cursors[ring];
    pass_chunk(rings, cursor->tail);
    cursor->is_open = false;
    cursor->tail = cursor->head;
    agent_push(&rings->header->free_rings, rings->ring_links, ring);
}

/* A ring that lies: all of it is given up, up to where its writer says it is. */
static bool skip_ring(struct feed_rings *rings, struct feed_cursor *cursor)
{
    rings->damaged++;
    cursor->tail = cursor->head;
    return false;
}

static struct agent_unit copy_unit(const struct feed_rings *rings, uint64_t at)
{
    const struct agent_unit *unit =
        rings->units + (size_t)agent_chunk(at) * AGENT_CHUNK_UNITS + (at & (AGENT_CHUNK_UNITS - 1));
    return (struct agent_unit){__atomic_load_n(&unit->first, __ATOMIC_RELAXED),
                               __atomic_load_n(&unit->second, __ATOMIC_RELAXED)};
}

static uint64_t units_left(const struct feed_cursor *cursor)
{
    return agent_units(cursor->head) - agent_units(cursor->tail);
}

static bool take_long(struct feed_rings *rings, uint32_t ring, enum feed_kind kind)
{
    struct feed_cursor *cursor = &rings->cursors[ring];
    bool is_last = (cursor->tail & (AGENT_CHUNK_UNITS - 1)) == AGENT_CHUNK_UNITS - 1;
    if (units_left(cursor) < 2 || is_last)
        return skip_ring(rings, cursor);
    struct agent_unit rest = copy_unit(rings, cursor->tail + 1);
    struct feed_event *event = &cursor->event;
    event->kind = kind;
    event->requested = rest.first;
    event->path = kind == FEED_UNMAP ? 0 : (uint32_t)rest.second;
    if (__builtin_add_overflow(rest.first, rest.second >> 32, &event->usable))
        event->usable = UINT64_MAX;
    cursor->tail += 2;
    return true;
}

static bool enter_chunk(struct feed_rings *rings, struct feed_cursor *cursor, uint64_t chunk)
{
    uint64_t next = agent_chunk_after(cursor->tail, (uint32_t)chunk & UINT16_MAX);
    if (chunk >= rings->sizes.chunk_count || agent_units(next) > agent_units(cursor->head))
        return skip_ring(rings, cursor);
    pass_chunk(rings, cursor->tail);
    cursor->tail = next;
    return true;
}

/* Units that are no events are passed; false: there is nothing else up to head. */
static bool take_mark(struct feed_rings *rings, uint32_t ring, uint64_t kind, uint64_t value)
{
    struct feed_cursor *cursor = &rings->cursors[ring];
    switch (kind) {
    case AGENT_OWNER:
        cursor->tid = (uint32_t)value;
        cursor->tail++;
        return true;
    case AGENT_NEXT:
        return enter_chunk(rings, cursor, value);
    case AGENT_END:
        cursor->tail++;
        if (!units_left(cursor))
            close_ring(rings, ring);
        else
            skip_ring(rings, cursor);
        return false;
    default:
        return skip_ring(rings, cursor);
    }
}

/* The next event of a ring into its cursor; false: there is none up to head. */
static bool take_event(struct feed_rings *rings, uint32_t ring)
{
    struct feed_cursor *cursor = &rings->cursors[ring];
    while (units_left(cursor)) {
        struct agent_unit unit = copy_unit(rings, cursor->tail);
        uint64_t address = unit.second & AGENT_ADDRESS_MASK;
        cursor->stamp = unit.first;
        cursor->event = (struct feed_event){.address = address, .tid = cursor->tid};
        switch (unit.second >> AGENT_KIND_SHIFT) {
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
            if (!take_mark(rings, ring, unit.second >> AGENT_KIND_SHIFT, address))
                return false;
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

/* Where a thread that took the ring began; false: it lies. */
static bool open_ring(struct feed_rings *rings, uint32_t ring)
{
    struct feed_cursor *cursor = &rings->cursors[ring];
    uint64_t start = __atomic_load_n(&rings->shared[ring].start, __ATOMIC_RELAXED);
    cursor->is_open = true;
    if (agent_chunk(start) >= rings->sizes.chunk_count || start & (AGENT_CHUNK_UNITS - 1) ||
        agent_units(start) < agent_units(cursor->tail) ||
        agent_units(start) > agent_units(cursor->head))
        return skip_ring(rings, cursor);
    cursor->tail = start;
    return true;
}

/* Looks how far a ring is written, and takes its first event where none was waiting. */
static void look_at_ring(struct feed_rings *rings, uint32_t ring)
{
    struct feed_cursor *cursor = &rings->cursors[ring];
    uint64_t most = (uint64_t)rings->sizes.chunk_count * AGENT_CHUNK_UNITS;
    uint64_t head = __atomic_load_n(&rings->shared[ring].head, __ATOMIC_ACQUIRE);
    if (head == cursor->head || agent_chunk(head) >= rings->sizes.chunk_count)
        return;
    cursor->head = head;
    if (!cursor->is_open && !open_ring(rings, ring))
        return;
    /* More than all chunks hold, or backwards: which of it is new nobody can tell. */
    if (units_left(cursor) > most)
        skip_ring(rings, cursor);
    if (!cursor->has_event && take_event(rings, ring)) {
        cursor->has_event = true;
        rings->heap[rings->heap_count] = ring;
        sift_up(rings, rings->heap_count++);
    }
}

/* A ring whose thread an exec has ended. */
static void look_at_owner(struct feed_rings *rings, uint32_t ring, uint32_t generation)
{
    struct feed_cursor *cursor = &rings->cursors[ring];
    if (cursor->is_open && !cursor->has_event && !units_left(cursor) &&
        __atomic_load_n(&rings->shared[ring].head, __ATOMIC_ACQUIRE) == cursor->head &&
        __atomic_load_n(&rings->shared[ring].generation, __ATOMIC_RELAXED) != generation)
        close_ring(rings, ring);
}

void feed_rings_look(struct feed_rings *rings, uint32_t used)
{
    uint32_t generation = __atomic_load_n(&rings->header->generation, __ATOMIC_ACQUIRE);
    if (used > rings->sizes.ring_count)
        used = rings->sizes.ring_count;
    while (rings->passed_count)
        agent_push(&rings->header->warm_chunks, rings->chunk_links,
                   rings->passed[--rings->passed_count]);
    for (uint32_t ring = 0; ring < used; ring++)
        look_at_ring(rings, ring);
    for (uint32_t ring = 0; generation && ring < used; ring++)
        look_at_owner(rings, ring, generation);
}

void feed_rings_next(struct feed_rings *rings)
{
    uint32_t ring = rings->heap[0];
    struct feed_cursor *cursor = &rings->cursors[ring];
    cursor->has_event = take_event(rings, ring);
    if (!cursor->has_event)
        rings->heap[0] = rings->heap[--rings->heap_count];
    sift_down(rings, 0);
}

/* New pages in place of these. */
static void renew(const struct feed_rings *rings, int fd, uint32_t first, uint32_t end)
{
    enum { CHUNK_BYTES = AGENT_CHUNK_UNITS * sizeof(struct agent_unit) };
    off_t start = (off_t)(agent_chunks_at(&rings->sizes) + (uint64_t)first * CHUNK_BYTES);
    off_t bytes = (off_t)(end - first) * CHUNK_BYTES;
    if (!fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, start, bytes))
        fallocate(fd, FALLOC_FL_KEEP_SIZE, start, bytes);
}

void feed_rings_trim(struct feed_rings *rings, int fd)
{
    uint32_t count = rings->sizes.chunk_count;
    uint32_t warm[WARM_CHUNKS];
    uint32_t kept = 0;
    uint32_t chunk;
    memset(rings->idle, 0, count);
    for (uint32_t i = 0; i < count; i++) {
        if (!(chunk = agent_pop(&rings->header->warm_chunks, rings->chunk_links, count)))
            break;
        if (kept < WARM_CHUNKS)
            warm[kept++] = chunk - 1;
        else
            rings->idle[chunk - 1] = 1;
    }
    while (kept)
        agent_push(&rings->header->warm_chunks, rings->chunk_links, warm[--kept]);
    for (uint32_t end, first = 0; first < count; first = end) {
        for (end = first + 1; end < count && rings->idle[end] == rings->idle[first]; end++)
            ;
        if (!rings->idle[first])
            continue;
        renew(rings, fd, first, end);
        for (chunk = end; chunk-- > first;)
            agent_push(&rings->header->cold_chunks, rings->chunk_links, chunk);
    }
}

uint64_t feed_rings_lost(const struct feed_rings *rings)
{
    uint64_t sum = 0;
    for (uint32_t ring = 0; ring < rings->sizes.ring_count; ring++)
        sum += __atomic_load_n(&rings->shared[ring].lost, __ATOMIC_RELAXED);
    return sum;
}
