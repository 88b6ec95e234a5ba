/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/nodes.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static long ask_kernel(pid_t pid, unsigned long count, void **pages, const int *nodes, int *status,
                       int flags)
{
    return syscall(SYS_move_pages, pid, count, pages, nodes, status, flags);
}

/* "0-3,8-11" */
static void take_cpus(struct nodes *nodes, const char *list, int16_t node)
{
    char *end;
    for (const char *at = list; *at >= '0' && *at <= '9'; at = *end == ',' ? end + 1 : end) {
        unsigned long first = strtoul(at, &end, 10);
        unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
        for (unsigned long cpu = first; cpu <= last && cpu < NODES_CPUS_MAX; cpu++)
            nodes->of_cpu[cpu] = node;
    }
}

static int read_node(struct nodes *nodes, unsigned node)
{
    char path[512];
    char list[4096];
    snprintf(path, sizeof path, "%s/node%u/cpulist", nodes->system.sysfs, node);
    FILE *in = fopen(path, "re");
    if (!in)
        return -1;
    if (fgets(list, sizeof list, in))
        take_cpus(nodes, list, (int16_t)node);
    fclose(in);
    return 0;
}

/* Numbers of nodes may have holes where a socket is empty. */
void nodes_init(struct nodes *nodes, pid_t pid, const struct nodes_system *system)
{
    enum { HOLES_MAX = 64 };
    unsigned missing = 0;
    *nodes = (struct nodes){
        .pid = pid, .system = {.sysfs = "/sys/devices/system/node", .move_pages = ask_kernel}};
    if (system)
        nodes->system = *system;
    for (int i = 0; i < NODES_CPUS_MAX; i++)
        nodes->of_cpu[i] = -1;
    for (unsigned node = 0; node < NODES_MAX && missing < HOLES_MAX; node++)
        if (read_node(nodes, node))
            missing++;
        else
            nodes->count++;
}

int nodes_cpu(const struct nodes *nodes, uint32_t cpu)
{
    return nodes->count > 1 && cpu < NODES_CPUS_MAX ? nodes->of_cpu[cpu] : -1;
}

void nodes_pages(const struct nodes *nodes, const uint64_t *addresses, size_t count, int *out)
{
    void *pages[NODES_PAGES_MAX];
    int status[NODES_PAGES_MAX];
    size_t asked = count < NODES_PAGES_MAX ? count : NODES_PAGES_MAX;
    for (size_t i = 0; i < count; i++)
        out[i] = -1;
    for (size_t i = 0; i < asked; i++) {
        pages[i] = (void *)(uintptr_t)(addresses[i] & ~UINT64_C(4095));
        status[i] = -1;
    }
    if (nodes->count < 2 || !asked ||
        nodes->system.move_pages(nodes->pid, asked, pages, NULL, status, 0))
        return;
    for (size_t i = 0; i < asked; i++)
        out[i] = status[i] >= 0 ? status[i] : -1;
}
