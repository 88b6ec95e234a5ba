/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes of CPUs and pages, on machines made up in a folder, and the real kernel's answer. */
#include "unit.h"

#include "resolve/process/memory_use.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char folder[64];
static int asked;
static int refusal; /* errno of the fake; 0: it answers */

static void put(const char *node, const char *cpus)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, node);
    assert_int_equal(mkdir(path, 0700), 0);
    strcat(path, "/cpulist");
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(cpus, out);
    fclose(out);
}

static int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/misstop-nodes-XXXXXX");
    asked = refusal = 0;
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

/* The page's number modulo 3, and 2 for "not there". */
static long fake_move_pages(pid_t pid, unsigned long count, void **pages, const int *nodes,
                            int *status, int flags)
{
    asked++;
    assert_int_equal(pid, 77);
    assert_null(nodes); /* else pages would move */
    assert_int_equal(flags, 0);
    for (unsigned long i = 0; i < count; i++) {
        uintptr_t page = (uintptr_t)pages[i] >> 12;
        assert_int_equal((uintptr_t)pages[i] & 4095, 0);
        status[i] = page % 3 == 2 ? -ENOENT : (int)(page % 3);
    }
    errno = refusal;
    return refusal ? -1 : 0;
}

static struct nodes *made(void)
{
    static struct nodes nodes;
    struct nodes_system system = {.sysfs = folder, .move_pages = fake_move_pages};
    nodes_init(&nodes, 77, &system);
    return &nodes;
}

static void cpus_belong_to_nodes(void **state)
{
    (void)state;
    put("node0", "0-2,8\n");
    put("node3", "3-7,99999999999999999999\n"); /* node1 and node2: empty sockets */
    put("node4", "\n");                         /* memory only */
    put("node5", "4000000000-4000000001,x\n");
    struct nodes *nodes = made();
    assert_int_equal(nodes->count, 4);
    assert_int_equal(nodes_cpu(nodes, 0), 0);
    assert_int_equal(nodes_cpu(nodes, 8), 0);
    assert_int_equal(nodes_cpu(nodes, 5), 3);
    assert_int_equal(nodes_cpu(nodes, 9), -1);
    assert_int_equal(nodes_cpu(nodes, UINT32_MAX), -1);
}

static void one_node_says_nothing(void **state)
{
    (void)state;
    uint64_t address = 0x1000;
    int node = 5;
    put("node0", "0-63\n");
    struct nodes *nodes = made();
    assert_int_equal(nodes_cpu(nodes, 1), -1);
    nodes_pages(nodes, &address, 1, &node);
    assert_int_equal(node, -1);
    assert_int_equal(asked, 0);
}

static void pages_are_asked_for_at_once(void **state)
{
    (void)state;
    uint64_t addresses[NODES_PAGES_MAX + 3];
    int out[NODES_PAGES_MAX + 3];
    put("node0", "0\n");
    put("node1", "1\n");
    struct nodes *nodes = made();
    for (unsigned i = 0; i < NODES_PAGES_MAX + 3; i++)
        addresses[i] = (uint64_t)i * 4096 + 100;
    nodes_pages(nodes, addresses, NODES_PAGES_MAX + 3, out);
    assert_int_equal(asked, 1);
    for (int i = 0; i < NODES_PAGES_MAX + 3; i++)
        assert_int_equal(out[i], i >= NODES_PAGES_MAX || i % 3 == 2 ? -1 : i % 3);
    refusal = EPERM;
    nodes_pages(nodes, addresses, 2, out);
    assert_int_equal(out[0], -1);
}

/* What the kernel says of move_pages with no nodes: where our own page is, and it stays. */
static void the_kernel_tells_where_a_page_is(void **state)
{
    (void)state;
    static char memory[8192];
    memory[4096] = 1;
    void *pages[] = {(void *)((uintptr_t)&memory[4096] & ~(uintptr_t)4095)};
    int status = -1;
    if (syscall(SYS_move_pages, 0, 1UL, pages, NULL, &status, 0))
        skip();
    assert_true(status >= 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(cpus_belong_to_nodes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_node_says_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pages_are_asked_for_at_once, set_up, tear_down),
        cmocka_unit_test(the_kernel_tells_where_a_page_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
