/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agent/thread.h"

#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MARGIN_UNITS = 3 }; /* an owner record and one of two units */

__thread struct thread *thread_current __attribute__((tls_model("initial-exec")));

/* This thread ran the destructor, or is just being set up. */
static __thread bool has_ended __attribute__((tls_model("initial-exec")));
static __thread bool is_taking __attribute__((tls_model("initial-exec")));

static struct thread **threads; /* one per ring; made when first used */
static pthread_key_t key;

/* Top of the stack of free rings, index + 1, and above it a number against ABA. */
static uint64_t pool;
static uint32_t fresh; /* rings never used start here */

static void give_back(struct thread *thread)
{
    uint64_t top = __atomic_load_n(&pool, __ATOMIC_RELAXED);
    uint64_t next;
    do {
        thread->next_free = (uint32_t)top;
        next = (((top >> 32) + 1) << 32) | (thread->index + 1);
    } while (
        !__atomic_compare_exchange_n(&pool, &top, next, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

static void thread_ended(void *data)
{
    has_ended = true;
    thread_current = NULL;
    if (session_on())
        give_back(data);
}

int thread_start(void)
{
    /* Rings of a program that ran in this process before are still to be read. */
    fresh = __atomic_load_n(&session.header->rings_used, __ATOMIC_RELAXED);
    threads = session_pages(session.sizes.ring_count * sizeof(struct thread *));
    if (!threads)
        return -1;
    return pthread_key_create(&key, thread_ended) ? -1 : 0;
}

static struct thread *make(uint32_t index)
{
    struct thread *thread = session_pages(sizeof *thread);
    if (!thread)
        return NULL;
    thread->index = index;
    thread->ring = &session.rings[index];
    thread->units = session.units + (uint64_t)index * session.sizes.ring_units;
    thread->mask = session.sizes.ring_units - 1;
    thread->full_at = session.sizes.ring_units - MARGIN_UNITS;
    threads[index] = thread;
    return thread;
}

static struct thread *take_fresh(void)
{
    uint32_t index = __atomic_load_n(&fresh, __ATOMIC_RELAXED);
    do
        if (index >= session.sizes.ring_count)
            return NULL;
    while (!__atomic_compare_exchange_n(&fresh, &index, index + 1, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
    uint32_t used = __atomic_load_n(&session.header->rings_used, __ATOMIC_RELAXED);
    while (used < index + 1 &&
           !__atomic_compare_exchange_n(&session.header->rings_used, &used, index + 1, true,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
    return make(index);
}

static struct thread *take_used(void)
{
    uint64_t top = __atomic_load_n(&pool, __ATOMIC_ACQUIRE);
    while ((uint32_t)top) {
        struct thread *thread = threads[(uint32_t)top - 1];
        uint64_t next = (((top >> 32) + 1) << 32) | thread->next_free;
        if (__atomic_compare_exchange_n(&pool, &top, next, true, __ATOMIC_ACQUIRE,
                                        __ATOMIC_ACQUIRE))
            return thread;
    }
    return NULL;
}

struct thread *thread_take(void)
{
    struct thread *thread = NULL;
    int saved = errno;
    if (!is_taking) {
        is_taking = true; /* pthread_setspecific may allocate */
        thread = take_used();
        if (!thread)
            thread = take_fresh();
        if (thread) {
            thread->owner_is_told = false;
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

void thread_pass(struct thread *thread)
{
    give_back(thread);
}

bool thread_make_room(struct thread *thread)
{
    uint64_t tail = __atomic_load_n(&thread->ring->tail, __ATOMIC_ACQUIRE);
    uint64_t size = thread->mask + 1;
    /* A tail that is not behind head would be misstop's fault; it must not be ours too. */
    if (thread->head - tail <= size - MARGIN_UNITS) {
        thread->full_at = tail + size - MARGIN_UNITS;
        return true;
    }
    thread->ring->lost++;
    if (__atomic_load_n(&session.header->stop, __ATOMIC_RELAXED))
        session_stop();
    return false;
}

void thread_tell_owner(struct thread *thread)
{
    uint64_t tid = (uint64_t)syscall(SYS_gettid);
    thread->units[thread->head & thread->mask] =
        (struct agent_unit){.second = tid | (uint64_t)AGENT_OWNER << AGENT_KIND_SHIFT};
    thread->head++;
    thread->owner_is_told = true;
}
