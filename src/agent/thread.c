/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agent/thread.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>

/*
 * Units that are always left in a chunk: an owner record, a record of two units, and the link to
 * the next chunk. A thread and its chunk take less than 64 KiB. Threads after the first LARGE_MAX
 * have smaller caches, so that all rings together (feed.c) stay below 16 MiB.
 */
enum {
    CHUNK_RESERVE_UNITS = 4,
    LARGE_MAX = 40,
    LARGE_BYTES = 56 << 10,
    SMALL_BYTES = 16 << 10,
    KEPT_MAX = 8,
    REFUSED_EVENTS = 1000,
};

__thread struct thread *thread_current __attribute__((tls_model("initial-exec")));

/* The thread has run the destructor, or is being set up. */
static __thread bool has_ended __attribute__((tls_model("initial-exec")));
static __thread bool is_taking __attribute__((tls_model("initial-exec")));
/* Events until the kernel is asked again for memory that it refused. */
static __thread uint32_t refused __attribute__((tls_model("initial-exec")));

static struct thread **threads; /* one per ring; NULL: not in use */
static uint32_t *kept_links;    /* not in struct thread, which another thread may unmap */
static uint64_t kept;           /* stack of kept threads without an owner */
static uint32_t kept_count;
static uint32_t large_count;
static pthread_key_t key;

static struct agent_unit *chunk_units(uint32_t chunk)
{
    return session.units + (size_t)chunk * AGENT_CHUNK_UNITS;
}

/* Wakes misstop at the requested number of chunks. Exactly one thread reaches that number. */
static void count_chunk(struct agent_header *header)
{
    if (__atomic_add_fetch(&header->chunks_taken, 1, __ATOMIC_RELAXED) !=
        __atomic_load_n(&header->wake_at, __ATOMIC_RELAXED))
        return;
    __atomic_add_fetch(&header->woken, 1, __ATOMIC_RELEASE);
    raw_syscall(SYS_futex, (long)&header->woken, FUTEX_WAKE, INT_MAX, 0, 0, 0);
}

/* Returns the index + 1, or 0 if none is free. */
static uint32_t pop_chunk(void)
{
    struct agent_header *header = session.header;
    uint32_t chunk =
        agent_pop(&header->warm_chunks, session.chunk_links, session.sizes.chunk_count);
    if (!chunk)
        chunk = agent_pop(&header->cold_chunks, session.chunk_links, session.sizes.chunk_count);
    if (chunk)
        count_chunk(header);
    return chunk;
}

static void enter_chunk(struct thread *thread, uint64_t position)
{
    thread->units = chunk_units(agent_chunk(position));
    thread->head = position;
    thread->chunk_full_at = position + AGENT_CHUNK_UNITS - CHUNK_RESERVE_UNITS;
}

static void put_mark(struct thread *thread, enum agent_kind kind, uint32_t value)
{
    thread->units[thread->head & THREAD_MASK] =
        (struct agent_unit){.second = value | (uint64_t)kind << AGENT_KIND_SHIFT};
    thread->head++;
}

/* Returns the ring and its chunk to the reader, who recycles them after reading everything. */
static void release_ring(struct thread *thread)
{
    put_mark(thread, AGENT_END, 0);
    __atomic_store_n(&thread->ring->head, thread->head, __ATOMIC_RELEASE);
    threads[thread->index] = NULL;
    if (thread->is_large)
        __atomic_fetch_sub(&large_count, 1, __ATOMIC_RELAXED);
    session_unmap(thread, thread->size_bytes);
}

static void keep_or_release_ring(struct thread *thread)
{
    if (__atomic_add_fetch(&kept_count, 1, __ATOMIC_RELAXED) <= KEPT_MAX) {
        agent_push(&kept, kept_links, thread->index);
        return;
    }
    __atomic_fetch_sub(&kept_count, 1, __ATOMIC_RELAXED);
    release_ring(thread);
}

static void on_thread_exit(void *data)
{
    has_ended = true;
    thread_current = NULL;
    if (session_on())
        keep_or_release_ring(data);
}

int thread_start(void)
{
    size_t count = session.sizes.ring_count;
    threads = session_pages(count * sizeof *threads);
    kept_links = session_pages(count * sizeof *kept_links);
    if (!threads || !kept_links)
        return -1;
    return pthread_key_create(&key, on_thread_exit) ? -1 : 0;
}

/* Takes a ring never used before: those of an earlier program may still have to be read. */
static uint32_t take_fresh_ring(void)
{
    uint32_t used = __atomic_load_n(&session.header->rings_used, __ATOMIC_RELAXED);
    do
        if (used >= session.sizes.ring_count)
            return 0;
    while (!__atomic_compare_exchange_n(&session.header->rings_used, &used, used + 1, true,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED));
    return used + 1;
}

static struct thread *make_pages(void)
{
    bool is_large = __atomic_add_fetch(&large_count, 1, __ATOMIC_RELAXED) <= LARGE_MAX;
    uint32_t size_bytes = is_large ? LARGE_BYTES : SMALL_BYTES;
    struct thread *thread = session_pages(size_bytes);
    if (!thread || !is_large)
        __atomic_fetch_sub(&large_count, 1, __ATOMIC_RELAXED);
    if (!thread)
        return NULL;
    thread->is_large = is_large;
    thread->size_bytes = size_bytes;
    path_cache_start(&thread->paths, size_bytes - offsetof(struct thread, paths));
    return thread;
}

static struct thread *open_ring(uint32_t index, uint32_t chunk)
{
    struct thread *thread = make_pages();
    if (!thread) {
        refused = REFUSED_EVENTS;
        return NULL;
    }
    struct agent_ring *ring = &session.rings[index];
    thread->index = index;
    thread->ring = ring;
    enter_chunk(thread, agent_chunk_after(ring->head, chunk));
    __atomic_store_n(&ring->generation, session.header->generation, __ATOMIC_RELAXED);
    __atomic_store_n(&ring->start, thread->head, __ATOMIC_RELAXED);
    __atomic_store_n(&ring->head, thread->head, __ATOMIC_RELEASE);
    threads[index] = thread;
    return thread;
}

static struct thread *take_unused_ring(void)
{
    struct agent_header *header = session.header;
    uint32_t ring = agent_pop(&header->free_rings, session.ring_links, session.sizes.ring_count);
    if (!ring && !(ring = take_fresh_ring()))
        return NULL;
    uint32_t chunk = pop_chunk();
    struct thread *thread = chunk ? open_ring(ring - 1, chunk - 1) : NULL;
    if (thread)
        return thread;
    if (chunk)
        agent_push(&header->warm_chunks, session.chunk_links, chunk - 1);
    agent_push(&header->free_rings, session.ring_links, ring - 1);
    return NULL;
}

static struct thread *take_kept_ring(void)
{
    uint32_t index = agent_pop(&kept, kept_links, session.sizes.ring_count);
    if (!index)
        return NULL;
    __atomic_fetch_sub(&kept_count, 1, __ATOMIC_RELAXED);
    return threads[index - 1];
}

struct thread *thread_take(void)
{
    struct thread *thread = NULL;
    int saved = errno;
    if (refused) {
        refused--;
    } else if (!is_taking && session_is_read()) {
        is_taking = true; /* pthread_setspecific() may allocate */
        thread = take_kept_ring();
        if (!thread)
            thread = take_unused_ring();
        if (thread) {
            thread->owner_is_known = false;
            thread->is_passing = has_ended || pthread_setspecific(key, thread);
            if (!thread->is_passing)
                thread_current = thread;
        }
        is_taking = false;
    }
    if (!thread)
        __atomic_fetch_add(&session.header->lost_no_ring, 1, __ATOMIC_RELAXED);
    errno = saved;
    return thread;
}

void thread_give_back(struct thread *thread)
{
    keep_or_release_ring(thread);
}

bool thread_make_room(struct thread *thread)
{
    uint32_t chunk = session_is_read() ? pop_chunk() : 0;
    if (!chunk) {
        thread->ring->lost++;
        return false;
    }
    put_mark(thread, AGENT_NEXT, chunk - 1);
    enter_chunk(thread, agent_chunk_after(thread->head - 1, chunk - 1));
    return true;
}

void thread_report_owner(struct thread *thread)
{
    uint32_t tid = (uint32_t)raw_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
    put_mark(thread, AGENT_OWNER, tid);
    thread->owner_is_known = true;
    thread->untimed_left = thread_random_gap(thread->head ^ tid);
    thread->uncontended_events = 0;
    if (__atomic_load_n(&gate.single_recorder, __ATOMIC_RELAXED) == (uint64_t)(uintptr_t)thread)
        __atomic_store_n(&gate.single_recorder, 0, __ATOMIC_RELAXED);
}

/*
 * Clears gate.single_recorder, or makes this thread gate.single_recorder after ALONE_EVENTS. It
 * then stamps SETTLING_EVENTS more events: recording them takes longer than a processor reads
 * ahead, so threads that still found gate.single_recorder empty have taken their stamps by then.
 */
void thread_end_single(struct thread *thread)
{
    enum { ALONE_EVENTS = 1024, SETTLING_EVENTS = 64 };
    uint64_t none = 0;
    if (__atomic_load_n(&gate.single_recorder, __ATOMIC_RELAXED)) {
        __atomic_store_n(&gate.single_recorder, 0, __ATOMIC_RELAXED);
        thread->uncontended_events = 0;
    } else if (++thread->uncontended_events > ALONE_EVENTS) {
        thread->uncontended_events = 0;
        thread->settling_allocations = SETTLING_EVENTS;
        __atomic_compare_exchange_n(&gate.single_recorder, &none, (uint64_t)(uintptr_t)thread,
                                    false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    }
}
