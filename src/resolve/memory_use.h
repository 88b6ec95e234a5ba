/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How the target uses memory, beside what samples tell: page faults and the kernel's part of its
 * time (/proc/PID/stat, see proc(5)), and how much of a mapping is on huge pages
 * (/proc/PID/smaps). Owned by the resolver, of live processes only. smaps costs the kernel a walk
 * of all page tables: it is read when somebody asks, and not again within
 * MEMORY_USE_FRESH_NS.
 */
#ifndef MISSTOP_RESOLVE_MEMORY_USE_H
#define MISSTOP_RESOLVE_MEMORY_USE_H

#include "place.h"
#include "resolve/process.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#define MEMORY_USE_FRESH_NS UINT64_C(10000000000)

enum { MEMORY_USE_MAPPINGS = 256 };

/* A mapping and what of it is there, in KiB. */
struct memory_use_mapping {
    uint64_t start;
    uint64_t end;
    uint64_t resident_kib;
    uint64_t huge_kib;
};

struct memory_use_of {
    pid_t pid; /* 0: not live */
    uint64_t ticked_ns;
    uint64_t faults; /* at the last tick, like the next two */
    uint64_t cpu_ticks;
    uint64_t system_ticks;
    double faults_per_s; /* between the last two ticks; NAN: no two yet */
    double cpus;
    double kernel_share;
    uint32_t tlb_entries;                                    /* 0: not known */
    uint64_t read_ns;                                        /* smaps; 0: never */
    struct memory_use_mapping mappings[MEMORY_USE_MAPPINGS]; /* the largest */
    size_t mapping_count;
};

void memory_use_init(struct memory_use_of *use, pid_t pid);

/* Once a refresh, with what stands in /proc/PID/stat then. */
void memory_use_tick(struct memory_use_of *use, const struct process_stat *stat, uint64_t now_ns);

/* Of the process; of the mapping around an address as well, where that is not 0. */
void memory_use_read(struct memory_use_of *use, uint64_t address, uint64_t now_ns,
                     struct memory_use *out);

/* The largest mappings in the text of a smaps file; 0 to MEMORY_USE_MAPPINGS. */
size_t memory_use_parse(FILE *smaps, struct memory_use_mapping *mappings);

#endif
