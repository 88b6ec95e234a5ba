/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * NUMA nodes: of CPUs by sysfs, of the target's pages by move_pages(2), which with no nodes
 * given moves nothing and only says where pages are. The kernel asks for the rights of
 * PTRACE_MODE_READ, which whoever samples a process has. Both sources can be faked. Used by the
 * resolver.
 */
#ifndef MISSTOP_RESOLVE_NODES_H
#define MISSTOP_RESOLVE_NODES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { NODES_MAX = 1024, NODES_CPUS_MAX = 8192, NODES_PAGES_MAX = 256 };

struct nodes_system {
    const char *sysfs; /* "/sys/devices/system/node" */
    /* As move_pages(2) without its glibc wrapper: 0, or -1 and errno. */
    long (*move_pages)(pid_t pid, unsigned long count, void **pages, const int *nodes, int *status,
                       int flags);
};

struct nodes {
    struct nodes_system system;
    pid_t pid;
    unsigned count;                 /* 0: not known */
    int16_t of_cpu[NODES_CPUS_MAX]; /* -1: not known */
};

/* Reads which CPUs belong to which node. system NULL: this machine's. Never fails: what cannot
 * be read is not known. */
void nodes_init(struct nodes *nodes, pid_t pid, const struct nodes_system *system);

/* The node of a CPU; -1: not known, or the machine has one only. */
int nodes_cpu(const struct nodes *nodes, uint32_t cpu);

/* The nodes of the pages that `count` addresses lie in (NODES_PAGES_MAX at most are asked for),
 * one system call; -1 as above, and for pages that are not in memory. */
void nodes_pages(const struct nodes *nodes, const uint64_t *addresses, size_t count, int *out);

#endif
