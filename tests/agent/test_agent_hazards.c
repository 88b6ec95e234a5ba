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

static void run(const char *hazard, const char *file)
{
    const char *const words[] = {"victim", hazard, file, NULL};
    const char *why;
    watch_run(&watch, words);
    assert_int_equal(feed_state(watch.feed, &why), FEED_RUNNING);
    assert_null(why);
    assert_int_equal(feed_counts(watch.feed).damaged, 0);
}

static int forget(void **state)
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

static size_t allocated(uint64_t size)
{
    return watch_count(&watch, FEED_ALLOC, size);
}

static void children_are_not_recorded(void **state)
{
    (void)state;
    run("fork", NULL);
    assert_int_equal(watch.status, 0);
    assert_int_equal(allocated(MARK), 20);
    assert_int_equal(allocated(MARK_CHILD), 0);
}

static void threads_that_come_and_go_use_rings_again(void **state)
{
    (void)state;
    watch.sizes = (struct agent_sizes){8, 1 << 12, 1024, 1 << 16};
    run("threads", NULL);
    assert_int_equal(watch.status, 0);
    assert_int_equal(feed_lost(watch.feed), 0);
    assert_int_equal(allocated(MARK), THREADS);
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
static void the_process_is_followed_through_exec(void **state)
{
    (void)state;
    run("exec", NULL);
    assert_int_equal(watch.status, 0);
    assert_int_equal(feed_lost(watch.feed), 0);
    assert_int_equal(allocated(MARK), 7 * 10);
    assert_int_equal(allocated(MARK_LATE), 7);
}

static void events_after_the_threads_destructor_are_kept(void **state)
{
    (void)state;
    watch.sizes = (struct agent_sizes){8, 1 << 12, 1024, 1 << 16};
    run("destructors", NULL);
    assert_int_equal(watch.status, 0);
    assert_int_equal(feed_lost(watch.feed), 0);
    assert_int_equal(allocated(MARK), THREADS);
    assert_int_equal(allocated(MARK_LATE), 2 * THREADS);
}

static void too_few_rings_lose_events_and_say_so(void **state)
{
    (void)state;
    watch.sizes = (struct agent_sizes){1, 1 << 12, 1024, 1 << 16};
    run("threads", NULL);
    assert_int_equal(watch.status, 0);
    assert_true(feed_counts(watch.feed).no_ring > 0);
}

static void signals_interrupt_recording(void **state)
{
    (void)state;
    run("signals", NULL);
    assert_int_equal(watch.status, 0);
    /* A slow reader, for example with sanitizers, loses events, which are counted. */
    uint64_t lost = feed_lost(watch.feed);
    assert_true(allocated(MARK) <= SIGNAL_PAIRS && allocated(MARK) + lost >= SIGNAL_PAIRS);
}

static void before_main_and_after_exit(void **state)
{
    (void)state;
    run("early", NULL);
    assert_int_equal(watch.status, 0);
    assert_int_equal(allocated(MARK), 1);
    assert_int_equal(allocated(MARK_LATE), 2);
}

static void libraries_loaded_and_unloaded(void **state)
{
    (void)state;
    char plugin[4096];
    snprintf(plugin, sizeof plugin, "%s", watch_file("plugin.so"));
    run("dlopen", plugin);
    assert_int_equal(watch.status, 0);
    assert_int_equal(allocated(MARK), 50);
    /* plugin_allocate, hazard_dlopen, main and libc's start: the path leads through the plugin. */
    for (size_t i = 0; i < watch.count; i++) {
        const uint64_t *frames;
        if (watch.events[i].requested == MARK)
            assert_true(feed_path(watch.feed, watch.events[i].path, &frames) >= 4);
    }
}

static void longjmp_leaves_nothing_behind(void **state)
{
    (void)state;
    run("longjmp", NULL);
    assert_int_equal(watch.status, 0);
    assert_int_equal(allocated(MARK), 550);
    uint32_t deepest = 0;
    for (size_t i = 0; i < watch.count; i++) {
        const uint64_t *frames;
        uint32_t depth = feed_path(watch.feed, watch.events[i].path, &frames);
        if (watch.events[i].requested == MARK && depth > deepest)
            deepest = depth;
    }
    assert_true(deepest >= 13); /* mark, ten of jump, the hazard, main, two of libc */
}

static void a_preload_of_the_users_stays(void **state)
{
    (void)state;
    char plugin[4096];
    snprintf(plugin, sizeof plugin, "%s", watch_file("plugin.so"));
    watch.preload = plugin;
    run("environment", plugin);
    assert_int_equal(watch.status, 0);
    assert_int_equal(allocated(MARK), 1);
}

static void without_a_preload_the_variable_goes(void **state)
{
    (void)state;
    run("environment", "");
    assert_int_equal(watch.status, 0);
}

static void strdup_and_operator_new_come_through_malloc(void **state)
{
    (void)state;
    run("indirect", NULL);
    if (WEXITSTATUS(watch.status) == 77) {
        printf("no libstdc++.so.6: operator new not tried\n");
        skip();
    }
    assert_int_equal(watch.status, 0);
    /* strdup, strndup, two of reallocarray (not counted again as realloc), operator new */
    assert_int_equal(allocated(MARK), 5);
}

static void every_function_is_recorded(void **state)
{
    (void)state;
    run("functions", NULL);
    assert_int_equal(watch.status, 0);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(allocated(FUNCTION_SIZE(i)), 1);
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
    run("maps", NULL);
    assert_int_equal(watch.status, 0);
    assert_int_equal(watch_count(&watch, FEED_MAP, MARK_MAP), 1);
    assert_int_equal(watch_count(&watch, FEED_UNMAP, MARK_MAP), 1);
    assert_int_equal(watch_count(&watch, FEED_MAP, 2 * MARK_MAP), 1);
    assert_int_equal(watch_count(&watch, FEED_UNMAP, 2 * MARK_MAP), 1);
}

static void stacks_that_go_away_are_not_read(void **state)
{
    (void)state;
    run("stacks", NULL);
    assert_int_equal(watch.status, 0);
    assert_int_equal(allocated(MARK), 20);
}

static void a_malloc_of_the_programs_own_wins(void **state)
{
    (void)state;
    const char *const words[] = {"own_malloc", NULL};
    const char *why;
    watch_run(&watch, words);
    assert_int_equal(watch.status, 0);
    assert_int_equal(feed_state(watch.feed, &why), FEED_RUNNING);
    assert_non_null(strstr(why, "its own malloc"));
}

static void a_full_ring_counts_and_never_waits(void **state)
{
    (void)state;
    watch.sizes = (struct agent_sizes){8, 8, 1024, 1 << 16};
    watch.leave_unread = true;
    run("full", NULL);
    assert_int_equal(watch.status, 0);
    assert_true(watch.count > 300);
    assert_int_equal(feed_counts(watch.feed).no_ring, 0);
    size_t events = watch.count + feed_counts(watch.feed).ring_full;
    assert_true(events >= 2 * FULL_PAIRS && events < 2 * FULL_PAIRS + 1000);
}

static void full_tables_of_paths_lose_paths_only(void **state)
{
    (void)state;
    watch.sizes = (struct agent_sizes){8, 1 << 12, 2, 1 << 16};
    run("longjmp", NULL);
    assert_int_equal(watch.status, 0);
    assert_int_equal(allocated(MARK), 550);
    assert_true(feed_counts(watch.feed).no_path > 0);
}

static void without_address_space_it_gives_up_and_says_why(void **state)
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
static void read_for_ever(int input, int output, int report)
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
static void killing_misstop_leaves_the_program_undisturbed(void **state)
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
        read_for_ever(to[0], from[1], report[1]);
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
        cmocka_unit_test_teardown(children_are_not_recorded, forget),
        cmocka_unit_test_teardown(half_full_rings_wake_the_reader, forget),
        cmocka_unit_test_teardown(threads_that_come_and_go_use_rings_again, forget),
        cmocka_unit_test_teardown(the_process_is_followed_through_exec, forget),
        cmocka_unit_test_teardown(events_after_the_threads_destructor_are_kept, forget),
        cmocka_unit_test_teardown(too_few_rings_lose_events_and_say_so, forget),
        cmocka_unit_test_teardown(signals_interrupt_recording, forget),
        cmocka_unit_test_teardown(before_main_and_after_exit, forget),
        cmocka_unit_test_teardown(libraries_loaded_and_unloaded, forget),
        cmocka_unit_test_teardown(longjmp_leaves_nothing_behind, forget),
        cmocka_unit_test_teardown(a_preload_of_the_users_stays, forget),
        cmocka_unit_test_teardown(without_a_preload_the_variable_goes, forget),
        cmocka_unit_test_teardown(strdup_and_operator_new_come_through_malloc, forget),
        cmocka_unit_test_teardown(every_function_is_recorded, forget),
        cmocka_unit_test_teardown(mappings_are_recorded, forget),
        cmocka_unit_test_teardown(stacks_that_go_away_are_not_read, forget),
        cmocka_unit_test_teardown(a_malloc_of_the_programs_own_wins, forget),
        cmocka_unit_test_teardown(a_full_ring_counts_and_never_waits, forget),
        cmocka_unit_test_teardown(full_tables_of_paths_lose_paths_only, forget),
        cmocka_unit_test_teardown(without_address_space_it_gives_up_and_says_why, forget),
        cmocka_unit_test(killing_misstop_leaves_the_program_undisturbed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
