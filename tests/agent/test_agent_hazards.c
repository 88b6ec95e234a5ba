/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a program with each known hazard for the agent: the program must end as it would without the
 * agent, and the record must be correct. */
#include "../unit/unit.h"

#include "agent_abi.h"
#include "victim.h"
#include "watch.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static struct watch watch;

static void run_hazard(const char *hazard, const char *file)
{
    const char *const words[] = {"victim", hazard, file, NULL};
    const char *why;
    watch_run(&watch, words);
    assert_int_equal(feed_state(watch.feed, &why), FEED_RUNNING);
    assert_null(why);
    assert_int_equal(feed_counts(watch.feed).damaged, 0);
}

static int finish_watch(void **state)
{
    (void)state;
    watch_fini(&watch);
    return 0;
}

/* The thread that takes the last chunk of the first half wakes the reader, once. */
static void half_full_rings_wake_the_reader(void **state)
{
    (void)state;
    char path[] = "/tmp/misstop-half-XXXXXX";
    const char *const words[] = {"logger", path, "1", "5000", "500", NULL};
    const struct agent_header *header;
    int log = mkstemp(path);
    assert_true(log >= 0);
    close(log);
    watch.sizes = (struct agent_sizes){8, 16, 1024, 1 << 16};
    watch_start(&watch, words);
    waitpid(watch.pid, &watch.status, 0);
    unlink(path);
    header = mmap(NULL, AGENT_HEADER_BYTES, PROT_READ, MAP_SHARED, feed_fd(watch.feed), 0);
    assert_ptr_not_equal(header, MAP_FAILED);
    assert_int_equal(header->chunks_taken, 16);
    assert_int_equal(header->woken, 1);
    assert_int_equal(
        poll(&(struct pollfd){.fd = feed_wake_fd(watch.feed), .events = POLLIN}, 1, -1), 1);
    munmap((void *)(uintptr_t)header, AGENT_HEADER_BYTES);
}

static size_t count_allocations(uint64_t size)
{
    return watch_count(&watch, FEED_ALLOC, size);
}

static void forked_children_are_not_recorded(void **state)
{
    (void)state;
    run_hazard("fork", NULL);
    assert_int_equal(watch.status, 0);
    assert_int_equal(count_allocations(MARK), 20);
    assert_int_equal(count_allocations(MARK_CHILD), 0);
}

static void rings_of_short_threads_are_reused(void **state)
{
    (void)state;
    watch.sizes = (struct agent_sizes){8, 1 << 12, 1024, 1 << 16};
    run_hazard("threads", NULL);
    assert_int_equal(watch.status, 0);
    assert_int_equal(feed_lost(watch.feed), 0);
    assert_int_equal(count_allocations(MARK), THREADS);
    uint32_t last = 0;
    size_t threads = 0;
    for (size_t i = 0; i < watch.count; i++)
        if (watch.events[i].requested == MARK && watch.events[i].tid != last) {
            last = watch.events[i].tid;
            threads++;
        }
    assert_true(threads > THREADS / 2); /* the kernel may reuse a tid */
}

/* A shell's last command, env, a wrapper script: the same process with another program. */
static void recording_continues_through_exec(void **state)
{
    (void)state;
    run_hazard("exec", NULL);
    assert_int_equal(watch.status, 0);
    assert_int_equal(feed_lost(watch.feed), 0);
    assert_int_equal(count_allocations(MARK), 7 * 10);
    assert_int_equal(count_allocations(MARK_LATE), 7);
}

static void events_after_thread_destructors_are_recorded(void **state)
{
    (void)state;
    watch.sizes = (struct agent_sizes){8, 1 << 12, 1024, 1 << 16};
    run_hazard("destructors", NULL);
    assert_int_equal(watch.status, 0);
    assert_int_equal(feed_lost(watch.feed), 0);
    assert_int_equal(count_allocations(MARK), THREADS);
    assert_int_equal(count_allocations(MARK_LATE), 2 * THREADS);
}

static void lack_of_rings_is_counted(void **state)
{
    (void)state;
    watch.sizes = (struct agent_sizes){1, 1 << 12, 1024, 1 << 16};
    run_hazard("threads", NULL);
    assert_int_equal(watch.status, 0);
    assert_true(feed_counts(watch.feed).no_ring > 0);
}

static void recording_survives_signals(void **state)
{
    (void)state;
    run_hazard("signals", NULL);
    assert_int_equal(watch.status, 0);
    /* A slow reader, for example with sanitizers, loses events, which are counted. */
    uint64_t lost = feed_lost(watch.feed);
    assert_true(count_allocations(MARK) <= SIGNAL_PAIRS &&
                count_allocations(MARK) + lost >= SIGNAL_PAIRS);
}

static void allocations_before_main_and_after_exit_are_recorded(void **state)
{
    (void)state;
    run_hazard("early", NULL);
    assert_int_equal(watch.status, 0);
    assert_int_equal(count_allocations(MARK), 1);
    assert_int_equal(count_allocations(MARK_LATE), 2);
}

static void allocations_of_dlopened_library_are_recorded(void **state)
{
    (void)state;
    char plugin[4096];
    snprintf(plugin, sizeof plugin, "%s", watch_file("plugin.so"));
    run_hazard("dlopen", plugin);
    assert_int_equal(watch.status, 0);
    assert_int_equal(count_allocations(MARK), 50);
    /* plugin_allocate, hazard_dlopen, main and libc's start: the path leads through the plugin. */
    for (size_t i = 0; i < watch.count; i++) {
        const uint64_t *frames;
        if (watch.events[i].requested == MARK)
            assert_true(feed_path(watch.feed, watch.events[i].path, &frames) >= 4);
    }
}

static void recording_survives_longjmp(void **state)
{
    (void)state;
    run_hazard("longjmp", NULL);
    assert_int_equal(watch.status, 0);
    assert_int_equal(count_allocations(MARK), 550);
    uint32_t deepest = 0;
    for (size_t i = 0; i < watch.count; i++) {
        const uint64_t *frames;
        uint32_t depth = feed_path(watch.feed, watch.events[i].path, &frames);
        if (watch.events[i].requested == MARK && depth > deepest)
            deepest = depth;
    }
    assert_true(deepest >= 13); /* mark, ten of jump, the hazard, main, two of libc */
}

static void user_preload_is_kept(void **state)
{
    (void)state;
    char plugin[4096];
    snprintf(plugin, sizeof plugin, "%s", watch_file("plugin.so"));
    watch.preload = plugin;
    run_hazard("environment", plugin);
    assert_int_equal(watch.status, 0);
    assert_int_equal(count_allocations(MARK), 1);
}

static void preload_variable_is_removed(void **state)
{
    (void)state;
    run_hazard("environment", "");
    assert_int_equal(watch.status, 0);
}

static void strdup_and_operator_new_are_recorded(void **state)
{
    (void)state;
    run_hazard("indirect", NULL);
    if (WEXITSTATUS(watch.status) == 77) {
        printf("skipped: operator new; libstdc++.so.6 cannot be loaded\n");
        skip();
    }
    assert_int_equal(watch.status, 0);
    /* strdup, strndup, two of reallocarray (not counted again as realloc), operator new */
    assert_int_equal(count_allocations(MARK), 5);
}

static void every_allocation_function_is_recorded(void **state)
{
    (void)state;
    run_hazard("functions", NULL);
    assert_int_equal(watch.status, 0);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(count_allocations(FUNCTION_SIZE(i)), 1);
    /* The block that realloc could not grow: allocated, freed for the attempt, allocated again. */
    const struct feed_event *first = watch.events;
    const struct feed_event *end = watch.events + watch.count;
    while (first < end && first->requested != FUNCTION_SIZE(8))
        first++;
    assert_true(first + 2 < end);
    assert_int_equal(first[1].kind, FEED_FREE);
    assert_int_equal(first[1].address, first->address);
    assert_int_equal(first[2].kind, FEED_ALLOC);
    assert_int_equal(first[2].address, first->address);
}

static void mappings_are_recorded(void **state)
{
    (void)state;
    run_hazard("maps", NULL);
    assert_int_equal(watch.status, 0);
    assert_int_equal(watch_count(&watch, FEED_MAP, MARK_MAP), 1);
    assert_int_equal(watch_count(&watch, FEED_UNMAP, MARK_MAP), 1);
    assert_int_equal(watch_count(&watch, FEED_MAP, 2 * MARK_MAP), 1);
    assert_int_equal(watch_count(&watch, FEED_UNMAP, 2 * MARK_MAP), 1);
}

static void unmapped_stacks_are_not_read(void **state)
{
    (void)state;
    run_hazard("stacks", NULL);
    assert_int_equal(watch.status, 0);
    assert_int_equal(count_allocations(MARK), 20);
}

static void programs_own_malloc_takes_precedence(void **state)
{
    (void)state;
    const char *const words[] = {"own_malloc", NULL};
    const char *why;
    watch_run(&watch, words);
    assert_int_equal(watch.status, 0);
    assert_int_equal(feed_state(watch.feed, &why), FEED_RUNNING);
    assert_non_null(strstr(why, "its own malloc"));
}

static void full_ring_counts_losses_and_never_blocks(void **state)
{
    (void)state;
    watch.sizes = (struct agent_sizes){8, 8, 1024, 1 << 16};
    watch.leave_unread = true;
    run_hazard("full", NULL);
    assert_int_equal(watch.status, 0);
    assert_true(watch.count > 300);
    assert_int_equal(feed_counts(watch.feed).no_ring, 0);
    size_t events = watch.count + feed_counts(watch.feed).ring_full;
    assert_true(events >= 2 * FULL_PAIRS && events < 2 * FULL_PAIRS + 1000);
}

static void full_path_table_loses_paths_only(void **state)
{
    (void)state;
    watch.sizes = (struct agent_sizes){8, 1 << 12, 2, 1 << 16};
    run_hazard("longjmp", NULL);
    assert_int_equal(watch.status, 0);
    assert_int_equal(count_allocations(MARK), 550);
    assert_true(feed_counts(watch.feed).no_path > 0);
}

static void agent_without_address_space_gives_up_with_reason(void **state)
{
    (void)state;
    const char *const words[] = {"victim", "longjmp", NULL};
    const char *why;
    watch.address_space_bytes = 64 << 20;
    watch_run(&watch, words);
    assert_int_equal(watch.status, 0);
    assert_int_equal(watch.count, 0);
    assert_int_equal(feed_state(watch.feed, &why), FEED_GAVE_UP);
    assert_non_null(strstr(why, "address space"));
}

/* Runs a reader in a separate process. */
static void read_forever(int input, int output, int report)
{
    const char *const words[] = {"victim", "reader", NULL};
    dup2(input, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    watch_start(&watch, words);
    if (write(report, &watch.pid, sizeof watch.pid) < 0)
        _exit(1);
    while (!waitpid(watch.pid, &watch.status, WNOHANG))
        watch_read(&watch);
    _exit(1);
}

/* This process adopts the victim after its reader has been killed, to get the victim's status. */
static void killing_misstop_does_not_disturb_the_program(void **state)
{
    (void)state;
    int to[2];
    int from[2];
    int report[2];
    char byte;
    pid_t victim;
    int status = -1;
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    assert_true(!pipe2(to, O_CLOEXEC) && !pipe2(from, O_CLOEXEC) && !pipe2(report, O_CLOEXEC));
    pid_t reader = fork();
    if (!reader) {
        close(to[1]);
        read_forever(to[0], from[1], report[1]);
    }
    close(from[1]);
    close(report[1]);
    assert_int_equal(read(report[0], &victim, sizeof victim), sizeof victim);
    assert_int_equal(read(from[0], &byte, 1), 1);
    kill(reader, SIGKILL);
    waitpid(reader, &status, 0);
    assert_true(WIFSIGNALED(status));
    close(to[1]);
    assert_int_equal(waitpid(victim, &status, 0), victim);
    assert_int_equal(status, 0);
    close(from[0]);
    close(report[0]);
    close(to[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(forked_children_are_not_recorded, finish_watch),
        cmocka_unit_test_teardown(half_full_rings_wake_the_reader, finish_watch),
        cmocka_unit_test_teardown(rings_of_short_threads_are_reused, finish_watch),
        cmocka_unit_test_teardown(recording_continues_through_exec, finish_watch),
        cmocka_unit_test_teardown(events_after_thread_destructors_are_recorded, finish_watch),
        cmocka_unit_test_teardown(lack_of_rings_is_counted, finish_watch),
        cmocka_unit_test_teardown(recording_survives_signals, finish_watch),
        cmocka_unit_test_teardown(allocations_before_main_and_after_exit_are_recorded,
                                  finish_watch),
        cmocka_unit_test_teardown(allocations_of_dlopened_library_are_recorded, finish_watch),
        cmocka_unit_test_teardown(recording_survives_longjmp, finish_watch),
        cmocka_unit_test_teardown(user_preload_is_kept, finish_watch),
        cmocka_unit_test_teardown(preload_variable_is_removed, finish_watch),
        cmocka_unit_test_teardown(strdup_and_operator_new_are_recorded, finish_watch),
        cmocka_unit_test_teardown(every_allocation_function_is_recorded, finish_watch),
        cmocka_unit_test_teardown(mappings_are_recorded, finish_watch),
        cmocka_unit_test_teardown(unmapped_stacks_are_not_read, finish_watch),
        cmocka_unit_test_teardown(programs_own_malloc_takes_precedence, finish_watch),
        cmocka_unit_test_teardown(full_ring_counts_losses_and_never_blocks, finish_watch),
        cmocka_unit_test_teardown(full_path_table_loses_paths_only, finish_watch),
        cmocka_unit_test_teardown(agent_without_address_space_gives_up_with_reason, finish_watch),
        cmocka_unit_test(killing_misstop_does_not_disturb_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
