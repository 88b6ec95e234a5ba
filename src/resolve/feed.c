/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/feed.h"

#include "agent_abi.h"
#include "resolve/feed_clock.h"
#include "resolve/feed_paths.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Sparse: what is not written takes no memory. */
static const struct agent_sizes usual_sizes = {
    .ring_count = 512,
    .ring_units = 1 << 18,
    .path_count = 1 << 20,
    .word_count = 1 << 24,
};

enum { RELEASE_UNITS = 1024 }; /* read before the writer is told */

/* How far a ring is read, and its next event, copied out and checked. */
struct cursor {
    uint64_t tail; /* of units not read or copied; ours, never the shared one */
    uint64_t head; /* as last looked at */
    uint64_t released;
    uint64_t stamp;
    struct feed_event event;
    bool has_event;
    uint32_t tid;
};

struct feed {
    int fd;
    char *memory;
    struct agent_sizes sizes; /* ours; those in the memory are for the agent */
    struct agent_header *header;
    struct agent_ring *rings;
    const struct agent_unit *units;
    struct cursor *cursors;
    uint32_t *heap; /* rings with an event, earliest on top */
    uint32_t heap_count;
    struct feed_clock clock;
    struct feed_paths paths;
    uint64_t last_ns;
    uint64_t damaged;
};

/* Every reading of shared memory: one access, whatever the other side is doing. */
static uint32_t look32(const uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static uint64_t look64(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static int make_memory(struct feed *feed, uint64_t size_bytes, struct error *error)
{
    feed->fd = memfd_create("misstop-agent", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (feed->fd < 0)
        return error_set(error, -errno, "no memory for the allocation agent: %s", strerror(errno));
    /* Sealed: else the target could shrink it, and a read of ours would be a SIGBUS. */
    if (fchmod(feed->fd, 0600) || ftruncate(feed->fd, (off_t)size_bytes) ||
        fcntl(feed->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
        return error_set(error, -errno, "cannot set up memory for the allocation agent: %s",
                         strerror(errno));
    void *memory =
        mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, feed->fd, 0);
    if (memory == MAP_FAILED)
        return error_set(error, -errno,
                         "cannot map %llu MiB for the allocation agent: %s; is there a ulimit -v?",
                         (unsigned long long)(size_bytes >> 20), strerror(errno));
    feed->memory = memory;
    return 0;
}

static void fill_header(struct feed *feed)
{
    feed->header = (struct agent_header *)feed->memory;
    feed->rings = (struct agent_ring *)(feed->memory + agent_rings_at());
    feed->units = (const struct agent_unit *)(feed->memory + agent_units_at(&feed->sizes));
    feed->header->version = AGENT_VERSION;
    feed->header->clock = feed->clock.is_tsc ? AGENT_TSC : AGENT_MONOTONIC;
    feed->header->sizes = feed->sizes;
    feed->header->total_bytes = agent_total_bytes(&feed->sizes);
    feed->header->magic = AGENT_MAGIC;
}

int feed_new_sized(struct feed **out, const struct agent_sizes *sizes, struct error *error)
{
    if (!agent_sizes_valid(sizes))
        return error_set(error, -EINVAL, "no such sizes for the allocation agent");
    struct feed *feed = calloc(1, sizeof *feed);
    if (!feed)
        return error_set(error, -ENOMEM, "out of memory");
    feed->fd = -1;
    feed->sizes = *sizes;
    int code = make_memory(feed, agent_total_bytes(sizes), error);
    if (code)
        goto failed;
    feed->cursors = calloc(sizes->ring_count, sizeof *feed->cursors);
    feed->heap = calloc(sizes->ring_count, sizeof *feed->heap);
    if (!feed->cursors || !feed->heap ||
        feed_paths_init(&feed->paths, feed->memory, &feed->sizes)) {
        code = error_set(error, -ENOMEM, "out of memory");
        goto failed;
    }
    feed_clock_init(&feed->clock);
    fill_header(feed);
    *out = feed;
    return 0;

failed:
    feed_free(feed);
    return code;
}

int feed_new(struct feed **feed, struct error *error)
{
    return feed_new_sized(feed, &usual_sizes, error);
}

void feed_free(struct feed *feed)
{
    if (!feed)
        return;
    if (feed->header)
        __atomic_store_n(&feed->header->stop, 1, __ATOMIC_RELAXED);
    if (feed->memory)
        munmap(feed->memory, agent_total_bytes(&feed->sizes));
    if (feed->fd >= 0)
        close(feed->fd);
    feed_paths_fini(&feed->paths);
    free(feed->cursors);
    free(feed->heap);
    free(feed);
}

int feed_fd(const struct feed *feed)
{
    return feed->fd;
}

void feed_check_paths(struct feed *feed)
{
    feed->header->flags |= AGENT_CHECK_PATHS;
}

/* A ring that lies: all of it is given up, up to where its writer says it is. */
static bool skip_ring(struct feed *feed, struct cursor *cursor)
{
    feed->damaged++;
    cursor->tail = cursor->head;
    return false;
}

static struct agent_unit copy_unit(const struct feed *feed, uint32_t ring, uint64_t at)
{
    const struct agent_unit *unit =
        feed->units + (uint64_t)ring * feed->sizes.ring_units + (at & (feed->sizes.ring_units - 1));
    return (struct agent_unit){__atomic_load_n(&unit->first, __ATOMIC_RELAXED),
                               __atomic_load_n(&unit->second, __ATOMIC_RELAXED)};
}

static bool take_long(struct feed *feed, uint32_t ring, enum feed_kind kind)
{
    struct cursor *cursor = &feed->cursors[ring];
    if (cursor->head - cursor->tail < 2)
        return skip_ring(feed, cursor);
    struct agent_unit rest = copy_unit(feed, ring, cursor->tail + 1);
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
static bool take_event(struct feed *feed, uint32_t ring)
{
    struct cursor *cursor = &feed->cursors[ring];
    while (cursor->tail != cursor->head) {
        struct agent_unit unit = copy_unit(feed, ring, cursor->tail);
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
            return take_long(feed, ring, FEED_ALLOC);
        case AGENT_MAP:
            return take_long(feed, ring, FEED_MAP);
        case AGENT_UNMAP:
            return take_long(feed, ring, FEED_UNMAP);
        default:
            return skip_ring(feed, cursor);
        }
    }
    return false;
}

static bool is_earlier(const struct feed *feed, uint32_t a, uint32_t b)
{
    return feed->cursors[a].stamp < feed->cursors[b].stamp;
}

static void sift_down(struct feed *feed, uint32_t at)
{
    uint32_t *heap = feed->heap;
    uint32_t ring = heap[at];
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= feed->heap_count)
            break;
        if (child + 1 < feed->heap_count && is_earlier(feed, heap[child + 1], heap[child]))
            child++;
        if (!is_earlier(feed, heap[child], ring))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = ring;
}

static void sift_up(struct feed *feed, uint32_t at)
{
    uint32_t *heap = feed->heap;
    uint32_t ring = heap[at];
    for (; at && is_earlier(feed, ring, heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = ring;
}

/* Tells the writer what is free again. */
static void release(struct feed *feed, uint32_t ring)
{
    struct cursor *cursor = &feed->cursors[ring];
    if (cursor->released != cursor->tail)
        __atomic_store_n(&feed->rings[ring].tail, cursor->tail, __ATOMIC_RELEASE);
    cursor->released = cursor->tail;
}

/* Looks how far a ring is written, and takes its first event where none was waiting. */
static void look_at_ring(struct feed *feed, uint32_t ring)
{
    struct cursor *cursor = &feed->cursors[ring];
    uint64_t head = look64(&feed->rings[ring].head);
    if (head == cursor->head)
        return;
    /* More than the ring holds, or backwards: which of it is new nobody can tell. */
    bool is_sane = head - cursor->tail <= feed->sizes.ring_units;
    cursor->head = head;
    if (!is_sane)
        skip_ring(feed, cursor);
    if (!cursor->has_event && take_event(feed, ring)) {
        cursor->has_event = true;
        feed->heap[feed->heap_count] = ring;
        sift_up(feed, feed->heap_count++);
    } else if (!cursor->has_event) {
        release(feed, ring);
    }
}

static void look_at_rings(struct feed *feed)
{
    uint32_t used = look32(&feed->header->rings_used);
    if (used > feed->sizes.ring_count)
        used = feed->sizes.ring_count;
    for (uint32_t ring = 0; ring < used; ring++)
        look_at_ring(feed, ring);
}

static void hand_out(struct feed *feed, struct cursor *cursor, feed_callback *callback,
                     void *context)
{
    struct feed_event event = cursor->event;
    event.time_ns = feed_clock_ns(&feed->clock, cursor->stamp);
    if (event.time_ns < feed->last_ns)
        event.time_ns = feed->last_ns;
    feed->last_ns = event.time_ns;
    if (event.path && !feed_paths_learn(&feed->paths, event.path))
        event.path = 0;
    callback(context, &event);
}

/* The earliest event was handed out: on to the next of its ring. */
static void advance(struct feed *feed)
{
    uint32_t ring = feed->heap[0];
    struct cursor *cursor = &feed->cursors[ring];
    cursor->has_event = take_event(feed, ring);
    if (!cursor->has_event)
        feed->heap[0] = feed->heap[--feed->heap_count];
    if (!cursor->has_event || cursor->tail - cursor->released >= RELEASE_UNITS)
        release(feed, ring);
    sift_down(feed, 0);
}

long feed_read(struct feed *feed, uint64_t until_ns, feed_callback *callback, void *context)
{
    long count = 0;
    /*
     * The time first, then how far the rings are written: what led to an event stamped before
     * now was published before it, so it is seen too.
     */
    feed_clock_update(&feed->clock);
    uint64_t limit = feed_clock_stamp(&feed->clock, until_ns);
    if (limit > feed->clock.latest.stamp)
        limit = feed->clock.latest.stamp;
    look_at_rings(feed);
    /* Ends: no ring is looked at again, and none holds more than its size. */
    for (; feed->heap_count && feed->cursors[feed->heap[0]].stamp <= limit; count++) {
        hand_out(feed, &feed->cursors[feed->heap[0]], callback, context);
        advance(feed);
    }
    return count;
}

uint64_t feed_peek_time(struct feed *feed)
{
    look_at_rings(feed);
    if (!feed->heap_count)
        return UINT64_MAX;
    uint64_t time_ns = feed_clock_ns(&feed->clock, feed->cursors[feed->heap[0]].stamp);
    return time_ns < feed->last_ns ? feed->last_ns : time_ns;
}

uint32_t feed_path(const struct feed *feed, uint32_t path, const uint64_t **frames)
{
    return feed_paths_get(&feed->paths, path, frames);
}

static uint64_t ring_full_count(const struct feed *feed)
{
    uint64_t sum = 0;
    uint32_t used = look32(&feed->header->rings_used);
    for (uint32_t ring = 0; ring < used && ring < feed->sizes.ring_count; ring++)
        sum += look64(&feed->rings[ring].lost);
    return sum;
}

struct feed_counts feed_counts(const struct feed *feed)
{
    const struct agent_header *header = feed->header;
    return (struct feed_counts){
        .ring_full = ring_full_count(feed),
        .no_ring = look64(&header->lost_no_ring),
        .damaged = feed->damaged,
        .no_path = look64(&header->lost_paths),
        .paths = look32(&header->paths_used),
        .unwound = look64(&header->unwound),
        .checked = look64(&header->checked),
        .wrong = look64(&header->wrong),
    };
}

uint64_t feed_lost(const struct feed *feed)
{
    struct feed_counts counts = feed_counts(feed);
    return counts.ring_full + counts.no_ring + counts.damaged;
}

enum feed_state feed_state(const struct feed *feed, const char **why)
{
    static const char *const reasons[] = {
        [AGENT_NO_REASON] = "the agent gave no reason",
        [AGENT_NO_MEMORY] = "no address space for the agent's memory (ulimit -v?)",
        [AGENT_NO_WIPE] = "the kernel has no MADV_WIPEONFORK (Linux 4.14)",
        [AGENT_NO_MALLOC] = "no malloc found behind the agent",
        [AGENT_OTHER_SIZES] = "the agent is of another version than misstop",
    };
    uint32_t state = look32(&feed->header->state);
    uint32_t reason = look32(&feed->header->reason);
    const char *text = NULL;
    if (state == AGENT_GAVE_UP)
        text = reasons[reason <= AGENT_OTHER_SIZES ? reason : 0];
    else if (state == AGENT_RUNNING && look32(&feed->header->own_malloc))
        text = "the program brings its own malloc: blocks show only if it asks libc for them";
    if (why)
        *why = text;
    return state == AGENT_RUNNING   ? FEED_RUNNING
           : state == AGENT_GAVE_UP ? FEED_GAVE_UP
                                    : FEED_NOT_STARTED;
}
