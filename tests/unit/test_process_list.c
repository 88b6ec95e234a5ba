/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of processes to choose from, and facts about one, on children of this test. */
#include "unit.h"

#include "resolve/process/process.h"
#include "resolve/resolver.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct resolver_process *entry_of(struct resolver_process_list *list, pid_t pid)
{
    const struct resolver_process *entries;
    size_t count = resolver_process_list_read(list, &entries);
    for (size_t i = 0; i < count; i++)
        if (entries[i].pid == pid)
            return &entries[i];
    return NULL;
}

/* Turns at full speed under a name that tries to steer the terminal. */
static pid_t start_busy(void)
{
    pid_t child = fork();
    if (!child) {
        prctl(PR_SET_NAME, "a) b(\033[2J");
        for (volatile unsigned i = 0;; i++)
            continue;
    }
    /* A process that has just begun has no memory of its own yet. */
    struct process_stat stat;
    do
        assert_true(process_stat(child, &stat));
    while (!stat.cpu_ticks);
    return child;
}

static void end_child(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static void a_busy_child_is_listed_with_its_share(void **state)
{
    (void)state;
    struct resolver_process_list *list = resolver_process_list_new();
    pid_t child = start_busy();
    const struct resolver_process *entry = entry_of(list, child);
    assert_non_null(entry);
    assert_true(isnan(entry->cpu_percent)); /* unknown is not zero */
    assert_true(entry->threads == 1 && entry->resident_bytes > 0);
    assert_non_null(strstr(entry->command, "test_process_list"));
    struct process_stat stat;
    do
        assert_true(process_stat(child, &stat));
    while (stat.cpu_ticks < 5);
    entry = entry_of(list, child);
    assert_true(entry->cpu_percent > 0);
    end_child(child);
    assert_null(entry_of(list, child));
    resolver_process_list_free(list);
}

static void neither_we_nor_kernel_threads_are_listed(void **state)
{
    (void)state;
    struct resolver_process_list *list = resolver_process_list_new();
    assert_null(entry_of(list, getpid()));
    assert_null(entry_of(list, 2));
    const struct resolver_process *entries;
    size_t count = resolver_process_list_read(list, &entries);
    for (size_t i = 0; i + 1 < count; i++) {
        double left = isnan(entries[i].cpu_percent) ? 0 : entries[i].cpu_percent;
        double right = isnan(entries[i + 1].cpu_percent) ? 0 : entries[i + 1].cpu_percent;
        assert_true(left >= right);
    }
    resolver_process_list_free(list);
}

static void a_zombie_is_not_listed(void **state)
{
    (void)state;
    struct resolver_process_list *list = resolver_process_list_new();
    siginfo_t info;
    pid_t child = fork();
    if (!child)
        _exit(0);
    waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
    assert_null(entry_of(list, child));
    waitpid(child, NULL, 0);
    resolver_process_list_free(list);
}

static void a_name_may_hold_anything(void **state)
{
    (void)state;
    struct process_stat stat;
    pid_t child = start_busy();
    do
        assert_true(process_stat(child, &stat));
    while (strncmp(stat.comm, "a) ", 3) != 0);
    assert_string_equal(stat.comm, "a) b(?[2J");
    assert_true(stat.state == 'R' || stat.state == 'S');
    assert_int_equal(stat.threads, 1);
    end_child(child);
    assert_false(process_stat(child, &stat));
}

static void memory_is_read_up_to_what_is_there(void **state)
{
    (void)state;
    static char text[10000] = "text";
    char copy[10000];
    assert_true(process_read(getpid(), (uintptr_t)text, copy, sizeof copy));
    assert_memory_equal(copy, text, sizeof copy);
    assert_false(process_read(getpid(), 16, copy, 8));
    assert_int_equal(process_read_some(getpid(), 16, copy, 8), 0);
    assert_int_equal(process_read_some(1 << 30, (uintptr_t)text, copy, 8), 0);
    assert_false(process_read(getpid(), UINT64_MAX - 3, copy, 8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_busy_child_is_listed_with_its_share),
        cmocka_unit_test(neither_we_nor_kernel_threads_are_listed),
        cmocka_unit_test(a_zombie_is_not_listed),
        cmocka_unit_test(a_name_may_hold_anything),
        cmocka_unit_test(memory_is_read_up_to_what_is_there),
    };
    return cmocka_run_group_tests_name("process_list", tests, NULL, NULL);
}
