/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of threads: from records, from /proc, forgotten with their number. */
#include "unit.h"

#include "resolve/process/threads.h"

#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct thread_names names;
static char out[THREAD_NAME_MAX];

static int begin(void **state)
{
    (void)state;
    thread_names_init(&names);
    return 0;
}

static int end(void **state)
{
    (void)state;
    thread_names_fini(&names);
    return 0;
}

static void what_records_say(void **state)
{
    (void)state;
    assert_false(thread_names_get(&names, 1, 7, false, out, sizeof out));
    thread_names_put(&names, 7, "worker-1");
    thread_names_put(&names, 8, "\033[2Jevil");
    assert_true(thread_names_get(&names, 1, 7, false, out, sizeof out));
    assert_string_equal(out, "worker-1");
    assert_true(thread_names_get(&names, 1, 8, false, out, sizeof out));
    assert_null(strchr(out, '\033'));
    thread_names_put(&names, 7, "worker-2");
    thread_names_get(&names, 1, 7, false, out, sizeof out);
    assert_string_equal(out, "worker-2");
    thread_names_forget(&names, 7);
    assert_false(thread_names_get(&names, 1, 7, false, out, sizeof out));
    thread_names_forget_all(&names);
    assert_false(thread_names_get(&names, 1, 8, false, out, sizeof out));
}

static void what_proc_says(void **state)
{
    uint32_t tid = (uint32_t)syscall(SYS_gettid);
    (void)state;
    prctl(PR_SET_NAME, "my\tname");
    assert_true(thread_names_get(&names, getpid(), tid, true, out, sizeof out));
    assert_true(!strncmp(out, "my", 2) && !strchr(out, '\t'));
    /* Asked once: a record tells of a change. */
    prctl(PR_SET_NAME, "other");
    thread_names_get(&names, getpid(), tid, true, out, sizeof out);
    assert_string_not_equal(out, "other");
    assert_false(thread_names_get(&names, getpid(), UINT32_MAX / 2, true, out, sizeof out));
}

static void there_is_an_end_to_them(void **state)
{
    (void)state;
    for (uint32_t tid = 1; tid <= THREAD_NAMES_MAX + 10; tid++)
        thread_names_put(&names, tid, "x");
    assert_int_equal(names.count, THREAD_NAMES_MAX);
    assert_true(thread_names_get(&names, 1, 1, false, out, sizeof out));
    assert_false(thread_names_get(&names, 1, THREAD_NAMES_MAX + 5, false, out, sizeof out));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_records_say, begin, end),
        cmocka_unit_test_setup_teardown(what_proc_says, begin, end),
        cmocka_unit_test_setup_teardown(there_is_an_end_to_them, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
