/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/heap/feed.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent_abi.h"
#include "base/array.h"
#include "base/clock.h"

enum { WHY_BYTES = 256, WARM_CHUNKS = 32, TRIM_NS = 1000000000 };

/*
 * 6.8 MB of shared memory, and at most 8.9 MB of the program's own: 2 MB for the hashes of paths,
 * 256 KB of unwinding rules, and per-thread data (src/agent/thread.c). No more than 16 MB in all,
 * of memory and of address space, because the program may have limits on both.
 */
static const struct agent_sizes usual_sizes = {
    .ring_count = 320,
    .chunk_count = 1536,
    .path_count = 1 << 17,
    .word_count = 1 << 16,
};

struct feed_cursor {
    uint64_t tail; /* first unit not yet copied; private, never the shared one */
    uint64_t head; /* last value read from the ring */
    uint64_t stamp;
    struct feed_event event; /* everything except the time */
    bool has_event;
    bool is_open; /* a thread owns the ring, which holds the chunk of `tail` */
    uint32_t tid;
};

/* Layout that the kernel walks when the thread ends: set_robust_list(2). */
struct reader_mark {
    struct robust_list_head head;
    struct robust_list node;
    struct robust_list_head *before;
    bool is_set;
};

/* Thread that waits until the agent reports that half of the chunks are written. */
struct feed_waker {
    int fd; /* eventfd, readable from then on */
    pthread_t thread;
    bool runs;
    uint32_t ends;
};

struct feed {
    int fd;
    char *memory;
    struct agent_sizes sizes; /* private copy; the sizes in the shared memory are for the agent */
    struct agent_header *header;
    /* The rings, merged by stamp. Units are copied before they are checked. A malformed ring is
     * skipped up to its writer's head, and counted. Chunks that were read return to the pool at the
     * next poll, rings when their threads have ended. */
    struct agent_ring *rings;
    uint32_t *ring_links;
    uint32_t *chunk_links;
    struct agent_unit *units;
    struct feed_cursor *cursors;
    uint32_t *heap; /* rings with an event, earliest on top */
    uint32_t heap_count;
    uint32_t *unreturned_chunks; /* chunks that were read and not yet returned */
    uint32_t unreturned_count;
    uint8_t *idle;    /* [chunk_count]; used while chunks are returned */
    uint64_t damaged; /* times a ring was skipped */
    /* Call paths, each copied once and checked. */
    uint64_t *words;
    uint64_t words_read;
    bool words_damaged;          /* an entry is invalid, so later entries cannot be found */
    const uint64_t **path_by_id; /* by id: count, then the return addresses; NULL: not read yet */
    struct arena paths;
    struct stamp_clock clock;
    uint64_t last_ns; /* of the event returned last */
    uint64_t last_stamp;
    uint64_t trimmed_ns;
    uint64_t trimmed_taken; /* chunks that the agent had taken at that time */
    struct reader_mark mark;
    struct feed_waker waker;
    bool is_simulated; /* the target runs under Valgrind */
    char *state_text;  /* WHY_BYTES; sentence for feed_state() */
};

/* Reads shared memory with a single access, whatever the other side is doing. */
static uint32_t load_shared32(const uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static uint64_t load_shared64(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static uint64_t *feed_word(const struct feed *feed, uint64_t at)
{
    return &feed->words[at & (feed->sizes.word_count - 1)];
}

/* Takes the next word and clears it: an entry is present if its first word is not 0. */
static uint64_t take_feed_word(struct feed *feed)
{
    uint64_t *word = feed_word(feed, feed->words_read++);
    uint64_t value = __atomic_load_n(word, __ATOMIC_RELAXED);
    __atomic_store_n(word, 0, __ATOMIC_RELAXED);
    return value;
}

static void take_path(struct feed *feed)
{
    uint64_t first = take_feed_word(feed);
    uint64_t id = first >> 8;
    uint64_t count = first & 0xff;
    uint64_t *copy = NULL;
    if (!count || count > AGENT_DEPTH_MAX || !id || id >= feed->sizes.path_count) {
        feed->words_damaged = true;
        return;
    }
    if (!feed->path_by_id[id])
        copy = arena_array(&feed->paths, count + 1, sizeof *copy);
    if (copy)
        copy[0] = count;
    for (uint64_t i = 1; i <= count; i++) {
        uint64_t address = take_feed_word(feed);
        if (copy)
            copy[i] = address;
    }
    if (copy)
        feed->path_by_id[id] = copy;
}

/* An exec can end a thread in the middle of an entry, which then stays incomplete. The program that
 * runs now publishes the position where its own entries begin. */
static void read_paths(struct feed *feed)
{
    uint64_t end = feed->words_read + feed->sizes.word_count;
    while (!feed->words_damaged && feed->words_read < end &&
           __atomic_load_n(feed_word(feed, feed->words_read), __ATOMIC_ACQUIRE))
        take_path(feed);
    uint64_t from = __atomic_load_n(&feed->header->words_from, __ATOMIC_ACQUIRE);
    while (feed->words_read < from && from < end)
        take_feed_word(feed);
    __atomic_store_n(&feed->header->words_read, feed->words_read, __ATOMIC_RELEASE);
}

/* Queues a chunk for the pool when all of it is read. Under Valgrind it returns at the next poll,
 * because the tool of --sim reads the chunk too and is done by then. */
static void queue_read_chunk(struct feed *feed, uint64_t position)
{
    uint32_t chunk = agent_chunk(position);
    if (chunk < feed->sizes.chunk_count && feed->unreturned_count < feed->sizes.chunk_count)
        feed->unreturned_chunks[feed->unreturned_count++] = chunk;
}

/* Closes a ring: its thread has ended, and all units are read. */
static void close_ring(struct feed *feed, uint32_t ring)
{
    struct feed_cursor *cursor = &feed->cursors[ring];
    queue_read_chunk(feed, cursor->tail);
    cursor->is_open = false;
    cursor->tail = cursor->head;
    agent_push(&feed->header->free_rings, feed->ring_links, ring);
}

/* Skips all of an invalid ring, up to its writer's head. */
static bool skip_invalid_ring(struct feed *feed, struct feed_cursor *cursor)
{
    feed->damaged++;
    cursor->tail = cursor->head;
    return false;
}

static struct agent_unit copy_unit(const struct feed *feed, uint64_t at)
{
    const struct agent_unit *unit =
        feed->units + (size_t)agent_chunk(at) * AGENT_CHUNK_UNITS + (at & (AGENT_CHUNK_UNITS - 1));
    return (struct agent_unit){__atomic_load_n(&unit->first, __ATOMIC_RELAXED),
                               __atomic_load_n(&unit->second, __ATOMIC_RELAXED)};
}

static uint64_t units_left(const struct feed_cursor *cursor)
{
    return agent_units(cursor->head) - agent_units(cursor->tail);
}

static bool take_long(struct feed *feed, uint32_t ring, enum feed_kind kind)
{
    struct feed_cursor *cursor = &feed->cursors[ring];
    bool is_last = (cursor->tail & (AGENT_CHUNK_UNITS - 1)) == AGENT_CHUNK_UNITS - 1;
    if (units_left(cursor) < 2 || is_last)
        return skip_invalid_ring(feed, cursor);
    struct agent_unit rest = copy_unit(feed, cursor->tail + 1);
    struct feed_event *event = &cursor->event;
    event->kind = kind;
    event->requested = rest.first;
    event->path = kind == FEED_UNMAP ? 0 : (uint32_t)rest.second & ~AGENT_NOT_TIMED;
    event->is_timed = !(rest.second & AGENT_NOT_TIMED);
    if (__builtin_add_overflow(rest.first, rest.second >> 32, &event->usable))
        event->usable = UINT64_MAX;
    cursor->tail += 2;
    return true;
}

static bool enter_chunk(struct feed *feed, struct feed_cursor *cursor, uint64_t chunk)
{
    uint64_t next = agent_chunk_after(cursor->tail, (uint32_t)chunk & UINT16_MAX);
    if (chunk >= feed->sizes.chunk_count || agent_units(next) > agent_units(cursor->head))
        return skip_invalid_ring(feed, cursor);
    queue_read_chunk(feed, cursor->tail);
    cursor->tail = next;
    return true;
}

/* Consumes a unit that is not an event. Returns false if nothing else follows up to head. */
static bool take_mark(struct feed *feed, uint32_t ring, uint64_t kind, uint64_t value)
{
    struct feed_cursor *cursor = &feed->cursors[ring];
    switch (kind) {
    case AGENT_OWNER:
        cursor->tid = (uint32_t)value;
        cursor->tail++;
        return true;
    case AGENT_NEXT:
        return enter_chunk(feed, cursor, value);
    case AGENT_END:
        cursor->tail++;
        if (!units_left(cursor))
            close_ring(feed, ring);
        else
            skip_invalid_ring(feed, cursor);
        return false;
    default:
        return skip_invalid_ring(feed, cursor);
    }
}

/* Takes an allocation in the short form, which has the stamp of the event before it. */
static void take_brief(struct feed_cursor *cursor, uint64_t words)
{
    struct feed_event *event = &cursor->event;
    event->kind = FEED_ALLOC;
    event->requested = (uint32_t)words;
    event->usable = event->requested + (words >> AGENT_BRIEF_SLACK);
    event->path = (uint32_t)(words >> AGENT_BRIEF_PATH) & (AGENT_PATHS_MAX - 1);
    cursor->tail++;
}

/* Reads the next event of a ring into its cursor. Returns false if there is none up to head. */
static bool take_event(struct feed *feed, uint32_t ring)
{
    struct feed_cursor *cursor = &feed->cursors[ring];
    while (units_left(cursor)) {
        struct agent_unit unit = copy_unit(feed, cursor->tail);
        uint64_t address = unit.second & AGENT_ADDRESS_MASK;
        uint64_t kind = unit.second >> AGENT_KIND_SHIFT;
        cursor->event = (struct feed_event){.address = address, .tid = cursor->tid};
        if (kind >= AGENT_ALLOC && kind <= AGENT_UNMAP)
            cursor->stamp = unit.first;
        switch (kind) {
        case AGENT_BRIEF:
            take_brief(cursor, unit.first);
            return true;
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
            if (!take_mark(feed, ring, kind, address))
                return false;
        }
    }
    return false;
}

static bool ring_is_earlier(const struct feed *feed, uint32_t a, uint32_t b)
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
        if (child + 1 < feed->heap_count && ring_is_earlier(feed, heap[child + 1], heap[child]))
            child++;
        if (!ring_is_earlier(feed, heap[child], ring))
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
    for (; at && ring_is_earlier(feed, ring, heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = ring;
}

/* Opens a ring that a thread has taken. Returns false if it is invalid. */
static bool open_ring(struct feed *feed, uint32_t ring)
{
    struct feed_cursor *cursor = &feed->cursors[ring];
    uint64_t start = __atomic_load_n(&feed->rings[ring].start, __ATOMIC_RELAXED);
    cursor->is_open = true;
    if (agent_chunk(start) >= feed->sizes.chunk_count || start & (AGENT_CHUNK_UNITS - 1) ||
        agent_units(start) < agent_units(cursor->tail) ||
        agent_units(start) > agent_units(cursor->head))
        return skip_invalid_ring(feed, cursor);
    cursor->tail = start;
    return true;
}

/* Reads how far a ring is written, and takes its next event if none is pending. */
static void poll_ring(struct feed *feed, uint32_t ring)
{
    struct feed_cursor *cursor = &feed->cursors[ring];
    uint64_t most = (uint64_t)feed->sizes.chunk_count * AGENT_CHUNK_UNITS;
    uint64_t head = __atomic_load_n(&feed->rings[ring].head, __ATOMIC_ACQUIRE);
    if (head == cursor->head || agent_chunk(head) >= feed->sizes.chunk_count)
        return;
    cursor->head = head;
    if (!cursor->is_open && !open_ring(feed, ring))
        return;
    /* Head went backwards, or beyond the units of all chunks: skip the new part. */
    if (units_left(cursor) > most)
        skip_invalid_ring(feed, cursor);
    if (!cursor->has_event && take_event(feed, ring)) {
        cursor->has_event = true;
        feed->heap[feed->heap_count] = ring;
        sift_up(feed, feed->heap_count++);
    }
}

/* Closes a ring of a thread that an exec has ended. */
static void close_orphaned_ring(struct feed *feed, uint32_t ring, uint32_t generation)
{
    struct feed_cursor *cursor = &feed->cursors[ring];
    if (cursor->is_open && !cursor->has_event && !units_left(cursor) &&
        __atomic_load_n(&feed->rings[ring].head, __ATOMIC_ACQUIRE) == cursor->head &&
        __atomic_load_n(&feed->rings[ring].generation, __ATOMIC_RELAXED) != generation)
        close_ring(feed, ring);
}

static void return_read_chunks(struct feed *feed)
{
    while (feed->unreturned_count)
        agent_push(&feed->header->warm_chunks, feed->chunk_links,
                   feed->unreturned_chunks[--feed->unreturned_count]);
}

static void poll_rings(struct feed *feed)
{
    uint32_t generation = load_shared32(&feed->header->generation);
    uint32_t used = load_shared32(&feed->header->rings_used);
    if (used > feed->sizes.ring_count)
        used = feed->sizes.ring_count;
    return_read_chunks(feed);
    __atomic_store_n(&feed->header->wake_at,
                     __atomic_load_n(&feed->header->chunks_taken, __ATOMIC_RELAXED) +
                         feed->sizes.chunk_count / 2,
                     __ATOMIC_RELAXED);
    for (uint32_t ring = 0; ring < used; ring++)
        poll_ring(feed, ring);
    for (uint32_t ring = 0; generation && ring < used; ring++)
        close_orphaned_ring(feed, ring, generation);
}

/* Advances from the earliest event, which must exist, to the next event of its ring. */
static void next_event(struct feed *feed)
{
    uint32_t ring = feed->heap[0];
    struct feed_cursor *cursor = &feed->cursors[ring];
    cursor->has_event = take_event(feed, ring);
    if (!cursor->has_event)
        feed->heap[0] = feed->heap[--feed->heap_count];
    sift_down(feed, 0);
}

/* Replaces the pages of a range of chunks with fresh ones. */
static void renew_chunk_pages(const struct feed *feed, uint32_t first, uint32_t end)
{
    enum { CHUNK_BYTES = AGENT_CHUNK_UNITS * sizeof(struct agent_unit) };
    off_t start = (off_t)(agent_chunks_at(&feed->sizes) + (uint64_t)first * CHUNK_BYTES);
    off_t bytes = (off_t)(end - first) * CHUNK_BYTES;
    if (!fallocate(feed->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, start, bytes))
        fallocate(feed->fd, FALLOC_FL_KEEP_SIZE, start, bytes);
}

/* Returns the memory of unused chunks, except a few. The replacement pages are charged to misstop
 * and are not part of the program's resident set. */
static void release_cold_chunks(struct feed *feed)
{
    uint32_t count = feed->sizes.chunk_count;
    uint32_t warm[WARM_CHUNKS];
    uint32_t kept = 0;
    uint32_t chunk;
    memset(feed->idle, 0, count);
    for (uint32_t i = 0; i < count; i++) {
        if (!(chunk = agent_pop(&feed->header->warm_chunks, feed->chunk_links, count)))
            break;
        if (kept < WARM_CHUNKS)
            warm[kept++] = chunk - 1;
        else
            feed->idle[chunk - 1] = 1;
    }
    while (kept)
        agent_push(&feed->header->warm_chunks, feed->chunk_links, warm[--kept]);
    for (uint32_t end, first = 0; first < count; first = end) {
        for (end = first + 1; end < count && feed->idle[end] == feed->idle[first]; end++)
            ;
        if (!feed->idle[first])
            continue;
        renew_chunk_pages(feed, first, end);
        for (chunk = end; chunk-- > first;)
            agent_push(&feed->header->cold_chunks, feed->chunk_links, chunk);
    }
}

static uint64_t events_lost(const struct feed *feed)
{
    uint64_t sum = 0;
    uint32_t used = __atomic_load_n(&feed->header->rings_used, __ATOMIC_ACQUIRE);
    for (uint32_t ring = 0; ring < used && ring < feed->sizes.ring_count; ring++)
        sum += __atomic_load_n(&feed->rings[ring].lost, __ATOMIC_RELAXED);
    return sum;
}

static int make_memory(struct feed *feed, uint64_t size_bytes, struct error *error)
{
    feed->fd = memfd_create("misstop-agent", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (feed->fd < 0)
        return error_set(error, -errno, "no memory for the allocation agent: %s", strerror(errno));
    /* Sealed, because the target could otherwise shrink the file and raise SIGBUS in misstop. */
    if (fchmod(feed->fd, 0600) || ftruncate(feed->fd, (off_t)size_bytes) ||
        fcntl(feed->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
        return error_set(error, -errno, "cannot set up memory for the allocation agent: %s",
                         strerror(errno));
    /* misstop allocates the pages first, so that they are charged to misstop. Best effort. */
    fallocate(feed->fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)size_bytes);
    void *memory =
        mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, feed->fd, 0);
    if (memory == MAP_FAILED)
        return error_set(error, -errno,
                         "cannot map %llu MiB for the allocation agent: %s; is there a ulimit -v?",
                         (unsigned long long)(size_bytes >> 20), strerror(errno));
    feed->memory = memory;
    feed->header = memory;
    return 0;
}

/* The agent runs only while the header has the id of this thread. The kernel clears it when the
 * thread ends, even by SIGKILL. The target can write to the word, but not to the robust list. */
static void sign_header(struct feed *feed)
{
    struct reader_mark *mark = &feed->mark;
    size_t length;
    syscall(SYS_get_robust_list, 0, &mark->before, &length);
    mark->node.next = &mark->head.list;
    mark->head.list.next = &mark->node;
    mark->head.futex_offset = (long)((char *)&feed->header->reader - (char *)&mark->node);
    syscall(SYS_set_robust_list, &mark->head, sizeof mark->head);
    mark->is_set = true;
    feed->header->reader = (uint32_t)syscall(SYS_gettid);
}

/* Frees the pages even if the program or its children still have the memory mapped. */
static void withdraw_feed(struct feed *feed)
{
    struct robust_list_head *now = NULL;
    size_t length;
    __atomic_store_n(&feed->header->reader, 0, __ATOMIC_RELAXED);
    syscall(SYS_get_robust_list, 0, &now, &length);
    if (now == &feed->mark.head)
        syscall(SYS_set_robust_list, feed->mark.before, sizeof *feed->mark.before);
    fallocate(feed->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
              (off_t)agent_total_bytes(&feed->sizes));
}

/* Waits on the agent's futex and signals an eventfd, because a futex cannot be polled. */
static void *wait_for_agent(void *context)
{
    struct feed *feed = context;
    uint32_t *word = &feed->header->woken;
    const uint64_t one = 1;
    const struct timespec pause = {.tv_nsec = 1000000};
    const struct timespec patience = {.tv_sec = 1}; /* the target may overwrite the word */
    uint32_t seen = 0;
    while (!load_shared32(&feed->waker.ends)) {
        syscall(SYS_futex, word, FUTEX_WAIT, seen, &patience, NULL, 0);
        uint32_t now = load_shared32(word);
        if (now == seen)
            continue;
        if (write(feed->waker.fd, &one, sizeof one) < 0)
            break;
        seen = now;
        nanosleep(&pause, NULL); /* limits the rate, whatever the target writes there */
    }
    return NULL;
}

/* Starts the waker thread. Without it, rings are polled only as often as the caller reads. */
static void start_waker(struct feed *feed)
{
    sigset_t all;
    sigset_t before;
    feed->waker.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (feed->waker.fd < 0)
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    feed->waker.runs = !pthread_create(&feed->waker.thread, NULL, wait_for_agent, feed);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Stops the waker. Changes the word, so that a waker about to wait does not miss the wake-up. */
static void stop_waker(struct feed *feed)
{
    if (feed->waker.runs) {
        __atomic_store_n(&feed->waker.ends, 1, __ATOMIC_RELEASE);
        __atomic_add_fetch(&feed->header->woken, 1, __ATOMIC_RELEASE);
        syscall(SYS_futex, &feed->header->woken, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
        pthread_join(feed->waker.thread, NULL);
    }
    if (feed->waker.fd >= 0)
        close(feed->waker.fd);
}

/* Stores misstop's own values, with which an exec of the program is compared. */
static int describe_self(struct feed *feed)
{
    struct agent_load_work *work = malloc(sizeof *work);
    if (!work)
        return -ENOMEM;
    feed->header->linker = agent_load_linker(work, "/proc/self/exe");
    feed->header->seccomp_filters = agent_load_filters(work);
    free(work);
    return 0;
}

static void fill_header(struct feed *feed)
{
    feed->header->version = AGENT_VERSION;
    feed->header->clock = feed->clock.is_tsc ? AGENT_TSC : AGENT_MONOTONIC;
    feed->header->sizes = feed->sizes;
    feed->header->wake_at = feed->sizes.chunk_count / 2;
    feed->header->owner = (uint32_t)getpid();
    feed->header->owner_fd = (uint32_t)feed->fd;
    feed->header->total_bytes = agent_total_bytes(&feed->sizes);
    sign_header(feed);
    feed->header->magic = AGENT_MAGIC;
}

/* Sets up the tables with all chunks free, the first on top. Returns 0 or -ENOMEM. */
static int make_tables(struct feed *feed)
{
    const struct agent_sizes *sizes = &feed->sizes;
    char *memory = feed->memory;
    feed->rings = (struct agent_ring *)(memory + agent_rings_at());
    feed->ring_links = (uint32_t *)(memory + agent_ring_links_at(sizes));
    feed->chunk_links = (uint32_t *)(memory + agent_chunk_links_at(sizes));
    feed->words = (uint64_t *)(memory + agent_words_at(sizes));
    feed->units = (struct agent_unit *)(memory + agent_chunks_at(sizes));
    feed->path_by_id = calloc(sizes->path_count, sizeof *feed->path_by_id);
    feed->cursors = calloc(sizes->ring_count, sizeof *feed->cursors);
    feed->heap = calloc(sizes->ring_count, sizeof *feed->heap);
    feed->unreturned_chunks = calloc(sizes->chunk_count, sizeof *feed->unreturned_chunks);
    feed->idle = calloc(sizes->chunk_count, sizeof *feed->idle);
    for (uint32_t chunk = sizes->chunk_count; chunk--;)
        agent_push(&feed->header->cold_chunks, feed->chunk_links, chunk);
    return feed->path_by_id && feed->cursors && feed->heap && feed->unreturned_chunks && feed->idle
               ? 0
               : -ENOMEM;
}

int feed_new_sized(struct feed **out, const struct agent_sizes *sizes, struct error *error)
{
    if (!agent_sizes_valid(sizes))
        return error_set(error, -EINVAL, "invalid sizes for the allocation agent");
    struct feed *feed = calloc(1, sizeof *feed);
    if (!feed)
        return error_set(error, -ENOMEM, "out of memory");
    feed->fd = feed->waker.fd = -1;
    feed->sizes = *sizes;
    int code = make_memory(feed, agent_total_bytes(sizes), error);
    if (code)
        goto failed;
    feed->state_text = calloc(1, WHY_BYTES);
    if (!feed->state_text || describe_self(feed) || make_tables(feed)) {
        code = error_set(error, -ENOMEM, "out of memory");
        goto failed;
    }
    stamp_clock_init(&feed->clock);
    fill_header(feed);
    start_waker(feed);
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
    stop_waker(feed);
    if (feed->mark.is_set)
        withdraw_feed(feed);
    if (feed->memory)
        munmap(feed->memory, agent_total_bytes(&feed->sizes));
    if (feed->fd >= 0)
        close(feed->fd);
    arena_fini(&feed->paths);
    free(feed->path_by_id);
    free(feed->cursors);
    free(feed->heap);
    free(feed->unreturned_chunks);
    free(feed->idle);
    free(feed->state_text);
    free(feed);
}

int feed_fd(const struct feed *feed)
{
    return feed->fd;
}

int feed_wake_fd(const struct feed *feed)
{
    return feed->waker.runs ? feed->waker.fd : -1;
}

void feed_allow_exec(struct feed *feed)
{
    feed->header->flags |= AGENT_PASS_VARIABLES;
    feed->is_simulated = true;
}

static void deliver_event(struct feed *feed, struct feed_cursor *cursor, feed_callback *callback,
                          void *context)
{
    struct feed_event *event = &cursor->event;
    uint64_t time_ns = feed->last_ns;
    if (cursor->stamp != feed->last_stamp) /* alloc and free may share a stamp */
        time_ns = stamp_clock_ns(&feed->clock, cursor->stamp);
    if (time_ns > feed->last_ns)
        feed->last_ns = time_ns;
    feed->last_stamp = cursor->stamp;
    event->time_ns = feed->last_ns;
    if (event->path >= feed->sizes.path_count || !feed->path_by_id[event->path])
        event->path = 0;
    callback(context, event);
}

static void trim_feed(struct feed *feed)
{
    uint64_t now_ns = stamp_clock_ns(&feed->clock, feed->clock.latest.stamp);
    if (now_ns - feed->trimmed_ns < TRIM_NS)
        return;
    uint64_t taken = load_shared64(&feed->header->chunks_taken);
    bool is_busy = taken - feed->trimmed_taken > feed->sizes.chunk_count / 2;
    feed->trimmed_ns = now_ns;
    feed->trimmed_taken = taken;
    if (!is_busy) /* a busy program would fault the same pages in again */
        release_cold_chunks(feed);
}

long feed_read(struct feed *feed, uint64_t until_ns, feed_callback *callback, void *context)
{
    long count = 0;
    /* Read the time first, then the heads: an event that led to an event stamped before now was
     * published before it, so it is seen too. At most once per batch of samples. */
    if (until_ns > feed->clock.latest.ns) {
        stamp_clock_update(&feed->clock);
        poll_rings(feed);
        read_paths(feed);
    }
    uint64_t limit = stamp_clock_stamp(&feed->clock, until_ns);
    if (limit > feed->clock.latest.stamp)
        limit = feed->clock.latest.stamp;
    /* Terminates because no ring is polled again, and none holds more than all chunks. */
    struct feed_cursor *first;
    while (feed->heap_count && (first = &feed->cursors[feed->heap[0]])->stamp <= limit) {
        deliver_event(feed, first, callback, context);
        next_event(feed);
        count++;
    }
    if (!feed->is_simulated)
        return_read_chunks(feed);
    trim_feed(feed);
    return count;
}

uint32_t feed_path(const struct feed *feed, uint32_t path, const uint64_t **frames)
{
    if (!path || path >= feed->sizes.path_count || !feed->path_by_id[path])
        return 0;
    *frames = feed->path_by_id[path] + 1;
    return (uint32_t)feed->path_by_id[path][0];
}

struct feed_counts feed_counts(const struct feed *feed)
{
    const struct agent_header *header = feed->header;
    return (struct feed_counts){
        .ring_full = events_lost(feed),
        .no_ring = load_shared64(&header->lost_no_ring),
        .damaged = feed->damaged,
        .no_path = load_shared64(&header->lost_paths),
        .paths = load_shared64(&header->path_top) >> AGENT_PATH_SHIFT,
        .unwound = load_shared64(&header->unwound),
        .paths_checked = load_shared64(&header->paths_checked),
        .paths_wrong = load_shared64(&header->paths_wrong),
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
        [AGENT_NO_WIPEONFORK] = "the kernel has no MADV_WIPEONFORK (Linux 4.14)",
        [AGENT_NO_MALLOC] = "no other malloc found after the agent",
        [AGENT_OTHER_SIZES] = "the agent and misstop have different versions",
        [AGENT_NO_CLOCK] = "the program may not read the processor's clock (PR_SET_TSC)",
        [AGENT_SANDBOXED] =
            "the program disabled system calls or the clock for itself (seccomp, PR_SET_TSC)",
    };
    uint32_t state = load_shared32(&feed->header->state);
    uint32_t reason = load_shared32(&feed->header->reason);
    const char *text = NULL;
    if (state == AGENT_GAVE_UP && reason == AGENT_NOT_FOLLOWED) {
        snprintf(feed->state_text, WHY_BYTES,
                 "the program was replaced by exec; the new program %s",
                 agent_load_text((uint32_t)load_shared64(&feed->header->not_followed_reason)));
        text = feed->state_text;
    } else if (state == AGENT_GAVE_UP)
        text = reasons[reason <= AGENT_SANDBOXED ? reason : 0];
    else if (state == AGENT_RUNNING && load_shared32(&feed->header->own_malloc))
        text = "the program has its own malloc: only blocks allocated from libc are shown";
    if (why)
        *why = text;
    return state == AGENT_RUNNING   ? FEED_RUNNING
           : state == AGENT_GAVE_UP ? FEED_GAVE_UP
                                    : FEED_NOT_STARTED;
}

/* Starting the target: its environment and its kind. */

int feed_inherit(const struct feed *feed)
{
    return fcntl(feed_fd(feed), F_SETFD, 0) ? -errno : 0;
}

int feed_environment(const struct feed *feed, const char *agent_path, char *preload,
                     size_t preload_size, char *variable, size_t variable_size, struct error *error)
{
    const char *before = getenv("LD_PRELOAD");
    bool has_before = before && *before;
    if (strpbrk(agent_path, " :"))
        return error_set(error, -EINVAL, "%s: LD_PRELOAD cannot hold a path with spaces or colons",
                         agent_path);
    int length = snprintf(preload, preload_size, "LD_PRELOAD=%s%s%s", agent_path,
                          has_before ? ":" : "", has_before ? before : "");
    int other = snprintf(variable, variable_size, AGENT_VARIABLE "=%d", feed_fd(feed));
    if (length < 0 || (size_t)length >= preload_size || other < 0 || (size_t)other >= variable_size)
        return error_set(error, -ENAMETOOLONG, "LD_PRELOAD would be too long");
    return 0;
}

/* The agent was built with misstop, so what can load misstop can load it. */
static enum agent_load feed_check_agent(struct agent_load_work *work, const char *command,
                                        struct error *error)
{
    const char *preload = getenv("LD_PRELOAD");
    if (!agent_load_find(work, command, getenv("PATH"))) {
        error_set(error, -ENOENT, "%s: no such command", command);
        return AGENT_LOAD_UNREADABLE;
    }
    char *path = strdup(work->path);
    struct agent_file linker = agent_load_linker(work, "/proc/self/exe");
    enum agent_load why =
        path ? agent_load_check(work, path, &linker, NULL) : AGENT_LOAD_UNREADABLE;
    int saved = errno;
    free(path);
    if (why == AGENT_LOAD_UNREADABLE)
        error_set(error, -saved, "cannot read %s: %s", work->path, strerror(saved));
    else if (why != AGENT_LOADABLE)
        error_set(error, -ENOTSUP, "%s %s", work->path, agent_load_text(why));
    else if (preload && agent_load_check(work, work->path, &linker, preload) != AGENT_LOADABLE) {
        error_set(error, -ENOTSUP, "LD_PRELOAD names a sanitizer, which must come first in it");
        why = AGENT_LOAD_SANITIZER;
    }
    return why;
}

enum agent_load feed_refusal(const char *command, struct error *error)
{
    struct agent_load_work *work = malloc(sizeof *work);
    if (!work) {
        error_set(error, -ENOMEM, "out of memory");
        return AGENT_LOAD_UNREADABLE;
    }
    enum agent_load why = feed_check_agent(work, command, error);
    free(work);
    return why;
}
