/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Thread control blocks of this very process, whose threads know where theirs are. */
#include "unit.h"

#include "resolve/process/threads.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS = 20 };

static struct {
    pthread_t thread;
    uint32_t tid;
    uint64_t base;
    uint64_t stack;
} threads[THREADS];

static pthread_barrier_t started;
static pthread_barrier_t finished;
static struct tcbs tcbs;
static struct maps maps;

static void *thread_main(void *data)
{
    size_t i = (size_t)(uintptr_t)data;
    char local = 0;
    threads[i].tid = (uint32_t)syscall(SYS_gettid);
    threads[i].base = (uint64_t)(uintptr_t)__builtin_thread_pointer();
    threads[i].stack = (uint64_t)(uintptr_t)&local;
    pthread_barrier_wait(&started);
    pthread_barrier_wait(&finished);
    return NULL;
}

static int start_threads(void **state)
{
    (void)state;
    pthread_barrier_init(&started, NULL, THREADS + 1);
    pthread_barrier_init(&finished, NULL, THREADS + 1);
    for (size_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i].thread, NULL, thread_main, (void *)(uintptr_t)i))
            return -1;
    pthread_barrier_wait(&started);
    return maps_read(&maps, getpid());
}

static int join_threads(void **state)
{
    (void)state;
    pthread_barrier_wait(&finished);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i].thread, NULL);
    maps_fini(&maps);
    return 0;
}

static int end(void **state)
{
    (void)state;
    tcbs_fini(&tcbs);
    return 0;
}

static void expect_ours(void)
{
    uint32_t self = (uint32_t)getpid();
    const struct tcb *tcb = tcbs_of_thread(&tcbs, self);
    assert_non_null(tcb);
    assert_int_equal(tcb->base, (uintptr_t)__builtin_thread_pointer());
    for (size_t i = 0; i < THREADS; i++) {
        tcb = tcbs_of_thread(&tcbs, threads[i].tid);
        assert_non_null(tcb);
        assert_int_equal(tcb->base, threads[i].base);
    }
    for (size_t i = 0; i + 1 < tcbs.count; i++)
        assert_true(tcbs.tcbs[i].tid < tcbs.tcbs[i + 1].tid);
}

/* Not on glibc: then the kernel knows of no list. */
static bool kernel_tells(void)
{
    void *head = NULL;
    size_t size;
    return !syscall(SYS_get_robust_list, 0, &head, &size) && head;
}

static void the_kernel_leads_to_every_block(void **state)
{
    (void)state;
    if (!kernel_tells()) {
        print_message("skipped: this C library registers no robust list\n");
        skip();
    }
    tcbs_refresh(&tcbs, getpid());
    expect_ours();
    tcbs_refresh(&tcbs, getpid()); /* nothing is counted twice */
    assert_int_equal(tcbs.count, THREADS + 1);
}

static void each_knows_its_stack(void **state)
{
    (void)state;
    tcbs_refresh(&tcbs, getpid());
    for (size_t i = 0; i < THREADS && tcbs.count; i++) {
        const struct tcb *tcb = tcbs_of_thread(&tcbs, threads[i].tid);
        pthread_attr_t attributes;
        void *start;
        size_t bytes;
        assert_int_equal(pthread_getattr_np(threads[i].thread, &attributes), 0);
        assert_int_equal(pthread_attr_getstack(&attributes, &start, &bytes), 0);
        pthread_attr_destroy(&attributes);
        assert_int_equal(tcb->stack_start, (uintptr_t)start);
        assert_int_equal(tcb->stack_end, (uintptr_t)start + bytes);
    }
}

/* The second way, for libraries that register no list. */
static void a_search_finds_them_as_well(void **state)
{
    (void)state;
    tcbs_scan(&tcbs, getpid(), &maps);
    if (!tcbs.count)
        skip(); /* blocks that look otherwise */
    expect_ours();
}

static void threads_that_ended_are_forgotten(void **state)
{
    (void)state;
    tcbs_refresh(&tcbs, getpid());
    size_t before = tcbs.count;
    if (!before)
        skip();
    tcbs.tcbs[before - 1].tid = 0x7ffffff0; /* no thread has this one */
    tcbs_refresh(&tcbs, getpid());
    assert_null(tcbs_of_thread(&tcbs, 0x7ffffff0));
    assert_int_equal(tcbs.count, before);
}

static void strangers_have_none(void **state)
{
    (void)state;
    assert_null(tcbs_ask(&tcbs, getpid(), 0x7ffffff0));
    assert_null(tcbs_of_thread(&tcbs, 1));
    assert_int_equal(tcbs.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_kernel_leads_to_every_block, end),
        cmocka_unit_test_teardown(each_knows_its_stack, end),
        cmocka_unit_test_teardown(a_search_finds_them_as_well, end),
        cmocka_unit_test_teardown(threads_that_ended_are_forgotten, end),
        cmocka_unit_test_teardown(strangers_have_none, end),
    };
    return cmocka_run_group_tests_name("tcb", tests, start_threads, join_threads);
}
