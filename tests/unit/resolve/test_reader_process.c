/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes of readers: their rights, how they end, and that nothing of them remains. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "unit.h"
#include "unit/resolve/reader_fake.h"

static void reader_process_is_confined(void **state)
{
    (void)state;
    int pair[2];
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    int self = (int)syscall(SYS_pidfd_open, getpid(), 0);
    sigset_t set;
    char expected[256];
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGTERM, SIG_IGN);
    assert_false(socketpair(AF_UNIX, SOCK_STREAM, 0, pair)); /* must not remain open there */
    fake_start(&fake_limits);
    fake_ask(0, FAKE_STATE, 0);
    fake_await(1);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    signal(SIGTERM, SIG_DFL);
    close(pair[0]);
    close(pair[1]);
    close(timer);
    close(self);
    /* Five more than our own, up to the maximum. */
    int own = getpriority(PRIO_PROCESS, 0);
    snprintf(expected, sizeof expected,
             "misstop-types nice=%d core=0 int=1 term=1 blocked=0 null=1 others=1",
             own + 5 < 19 ? own + 5 : 19);
    assert_string_equal(fake.seen[0].name, expected);
}

/* Standard error stays open there in builds with a sanitizer; run-all checks the logs. */
static void sanitizer_findings_of_readers_are_reported(void **state)
{
    (void)state;
#if !defined __SANITIZE_ADDRESS__
    print_message("skipped: built without AddressSanitizer\n");
    skip();
#else
    char text[4096] = "";
    FILE *reported = tmpfile();
    int before = dup(STDERR_FILENO);
    assert_non_null(reported);
    dup2(fileno(reported), STDERR_FILENO);
    fake_start(&fake_limits);
    fake_ask(0, FAKE_OVERRUN, 0);
    fake_await(1);
    dup2(before, STDERR_FILENO);
    close(before);
    fake_expect_untyped(0, 0, UNTYPED_GAVE_UP);
    rewind(reported);
    text[fread(text, 1, sizeof text - 1, reported)] = '\0';
    fclose(reported);
    assert_non_null(strstr(text, "AddressSanitizer: heap-buffer-overflow"));
#endif
}

static void reader_memory_is_limited(void **state)
{
    (void)state;
    fake_start(&fake_limits);
    fake_ask(0, FAKE_EAT, 0);
    fake_await(1);
    uint64_t most = fake_limits.memory_bytes >> 20;
    assert_in_range(fake.seen[0].answer.line, most / 2, most);
}

static void idle_reader_ends_and_restarts(void **state)
{
    (void)state;
    struct readers_limits limits = fake_limits;
    limits.idle_ms = 20;
    fake_start(&limits);
    fake_ask(0, FAKE_ECHO, 1);
    fake_await(1);
    fake_await_processes(0);
    assert_int_equal(readers_status(fake.readers).resident_bytes, 0);
    fake_ask(0, FAKE_ECHO, 2);
    fake_await(2);
    fake_expect(1, 2);
}

static void reader_memory_is_reported(void **state)
{
    (void)state;
    fake_start(&fake_limits);
    fake_ask(0, FAKE_ECHO, 1);
    fake_await(1);
    readers_run(fake.readers, clock_now_ns() + 2 * CLOCK_NS_PER_S);
    assert_in_range(readers_status(fake.readers).resident_bytes, 1 << 16, UINT64_C(1) << 40);
}

static void readers_leave_no_zombie(void **state)
{
    (void)state;
    fake_start(&fake_limits);
    fake_ask(0, FAKE_CRASH, 0);
    fake_ask(1, FAKE_EXIT, 1);
    fake_ask(2, FAKE_ECHO, 2);
    fake_await(3);
    fake_ask(0, FAKE_HANG, 3);
    readers_run(fake.readers, clock_now_ns());
    fake_end(state);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

/* The end of a launched program must be left to its owner to wait for. */
static void readers_do_not_reap_other_children(void **state)
{
    (void)state;
    int status = 0;
    pid_t pid = fork();
    if (!pid)
        _exit(7);
    fake_start(&fake_limits);
    fake_ask(0, FAKE_CRASH, 0);
    fake_ask(0, FAKE_ECHO, 1);
    fake_await(2);
    fake_end(state);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(WEXITSTATUS(status), 7);
}

static void reader_survives_process_group_signals(void **state)
{
    (void)state;
    fake_start(&fake_limits);
    fake_ask(0, FAKE_ECHO, 0);
    fake_await(1);
    signal(SIGINT, SIG_IGN);
    signal(SIGTSTP, SIG_IGN);
    kill(0, SIGINT);
    kill(0, SIGTSTP);
    signal(SIGINT, SIG_DFL);
    signal(SIGTSTP, SIG_DFL);
    fake_ask(0, FAKE_ECHO, 1);
    fake_await(2);
    fake_expect(1, 1);
    assert_int_equal(readers_status(fake.readers).processes, 1);
}

/* The middle process acts as misstop: it is killed while its reader hangs or waits for
 * questions. */
static void reader_ends_with_misstop(void **state)
{
    (void)state;
    static const enum fake_order orders[] = {FAKE_HANG, FAKE_ECHO};
    assert_false(prctl(PR_SET_CHILD_SUBREAPER, 1));
    for (size_t i = 0; i < 2; i++) {
        int ready[2];
        char byte;
        assert_false(pipe(ready));
        pid_t middle = fork();
        if (!middle) {
            fake_start(&fake_limits);
            fake_ask(0, FAKE_ECHO, 0);
            fake_await(1);
            fake_ask(0, orders[i], 1);
            readers_run(fake.readers, clock_now_ns());
            readers_run(fake.readers, clock_now_ns());
            if (write(ready[1], "", 1) == 1)
                for (;;)
                    pause();
            _exit(1);
        }
        assert_int_equal(read(ready[0], &byte, 1), 1);
        kill(middle, SIGKILL);
        assert_int_equal(waitpid(middle, NULL, 0), middle);
        assert_true(waitpid(-1, NULL, 0) > 0); /* the reader, otherwise the test hangs here */
        assert_int_equal(waitpid(-1, NULL, 0), -1);
        close(ready[0]);
        close(ready[1]);
    }
}

#define TEST(test) cmocka_unit_test_teardown(test, fake_end)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(reader_process_is_confined),
                                       TEST(sanitizer_findings_of_readers_are_reported),
                                       TEST(reader_memory_is_limited),
                                       TEST(idle_reader_ends_and_restarts),
                                       TEST(reader_memory_is_reported),
                                       cmocka_unit_test(readers_leave_no_zombie),
                                       cmocka_unit_test(readers_do_not_reap_other_children),
                                       TEST(reader_survives_process_group_signals),
                                       cmocka_unit_test(reader_ends_with_misstop)};
    setpgid(0, 0); /* a signal to our group reaches only us */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
