/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "fake_kernel.h"
#include "sample/kernel.h"

#include <errno.h>

static void threads_are_listed_in_order(void **state)
{
    struct threads threads = {0};
    (void)state;
    const struct kernel *kernel = fake_kernel_begin(NULL);
    fake_kernel_file("proc/10/task/12/comm", "b");
    fake_kernel_file("proc/10/task/9/comm", "c");
    fake_kernel_file("proc/10/task/10/comm", "a");
    assert_int_equal(threads_read(&threads, kernel, 10), 0);
    assert_int_equal(threads.count, 3);
    assert_int_equal(threads.tids[0], 9);
    assert_int_equal(threads.tids[2], 12);
    assert_true(threads_has(&threads, 10));
    assert_false(threads_has(&threads, 11));
    assert_int_equal(threads_read(&threads, kernel, 11), -ESRCH);
    threads_fini(&threads);
    assert_false(threads_has(&threads, 10));
    fake_kernel_end();
}

static void a_thread_has_its_process(void **state)
{
    (void)state;
    const struct kernel *kernel = fake_kernel_begin(NULL);
    fake_kernel_file("proc/12/status", "Name:\tTgid: 99\nTgid:\t10\nPid:\t12");
    fake_kernel_file("proc/13/status", "nothing of the kind");
    assert_int_equal(threads_leader(kernel, 12), 10);
    assert_int_equal(threads_leader(kernel, 13), -1);
    assert_int_equal(threads_leader(kernel, 14), -1);
    fake_kernel_end();
}

static void numbers_and_texts_of_the_kernel(void **state)
{
    char text[8];
    (void)state;
    const struct kernel *kernel = fake_kernel_begin(NULL);
    fake_kernel_file("proc/number", "-1");
    fake_kernel_file("proc/word", "four");
    assert_int_equal(kernel_number(kernel->procfs, "number", 7), -1);
    assert_int_equal(kernel_number(kernel->procfs, "word", 7), 7);
    assert_int_equal(kernel_number(kernel->procfs, "nothing", 7), 7);
    assert_true(kernel_text(kernel->procfs, "word", text, sizeof text));
    assert_string_equal(text, "four");
    assert_false(kernel_text(kernel->procfs, "nothing", text, sizeof text));
    fake_kernel_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_are_listed_in_order),
        cmocka_unit_test(a_thread_has_its_process),
        cmocka_unit_test(numbers_and_texts_of_the_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
