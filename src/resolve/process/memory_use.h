/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Page faults and the kernel's share of the time (/proc/PID/stat, see proc(5)), and how much of a
 * mapping is on huge pages (/proc/PID/smaps). Live processes only. For smaps the kernel walks all
 * page tables, so it is read on request, and not again within MEMORY_USE_FRESH_NS.
 */
#ifndef MISSTOP_RESOLVE_PROCESS_MEMORY_USE_H
#define MISSTOP_RESOLVE_PROCESS_MEMORY_USE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "place.h"
#include "resolve/process/process.h"

#define MEMORY_USE_FRESH_NS UINT64_C(10000000000)

enum { MEMORY_USE_MAPPINGS = 256 };

/* A mapping and its resident part, in KiB. */
struct memory_use_mapping {
    uint64_t start;
    uint64_t end;
    uint64_t resident_kib;
    uint64_t huge_kib;
};

struct memory_use_of {
    pid_t pid; /* 0: not live */
    uint64_t ticked_ns;
    uint64_t faults; /* at the last tick, like the next two members */
    uint64_t cpu_ticks;
    uint64_t system_ticks;
    double faults_per_s; /* between the last two ticks; NAN: fewer than two ticks */
    double cpus;
    double kernel_share;
    uint32_t tlb_entries; /* 0: not known */
    uint64_t read_ns;     /* time of the last read of smaps; 0: never */
    struct memory_use_mapping mappings[MEMORY_USE_MAPPINGS]; /* the largest */
    size_t mapping_count;
};

void memory_use_init(struct memory_use_of *use, pid_t pid);

/* Updates the rates. Called once per refresh with the current /proc/PID/stat. */
void memory_use_tick(struct memory_use_of *use, const struct process_stat *stat, uint64_t now_ns);

/* Reads the memory use of the process, and of the mapping around an address if that is not 0. */
void memory_use_read(struct memory_use_of *use, uint64_t address, uint64_t now_ns,
                     struct memory_use *out);

/* Parses a smaps file for the largest mappings. Returns their number, 0 to MEMORY_USE_MAPPINGS. */
size_t memory_use_parse(FILE *smaps, struct memory_use_mapping *mappings);

/*
 * NUMA nodes of CPUs from sysfs, and of the target's pages from move_pages(2), which moves nothing
 * if no nodes are given, and only reports where pages are. The kernel requires the rights of
 * PTRACE_MODE_READ, which a sampler has. Tests replace both.
 */
enum { NODES_MAX = 1024, NODES_CPUS_MAX = 8192 };

struct nodes_system {
    const char *sysfs; /* "/sys/devices/system/node" */
    /* Like move_pages(2), without its glibc wrapper: 0, or -1 and errno. */
    long (*move_pages)(pid_t pid, unsigned long count, void **pages, const int *nodes, int *status,
                       int flags);
};

struct nodes {
    struct nodes_system system;
    pid_t pid;
    unsigned count;                 /* 0: not known */
    int16_t of_cpu[NODES_CPUS_MAX]; /* -1: not known */
};

/* Reads the node of each CPU. system NULL: this machine. Unreadable values are not known. */
void nodes_init(struct nodes *nodes, pid_t pid, const struct nodes_system *system);

/* Returns the node of a CPU; -1: not known, or the machine has only one. */
int nodes_cpu(const struct nodes *nodes, uint32_t cpu);

/* Returns the node of the page with an address; -1: as above, or the page is not in memory. */
int nodes_page(const struct nodes *nodes, uint64_t address);

/* Size of this machine's last-level data TLB (tlb.c): measured by 'misstop doctor' for this CPU
 * model, otherwise the CPU's own report if it is plausible, otherwise not known. */

/* Returns the entries for 4 KiB pages; 0: not known. Reads a file: not for every sample. */
uint32_t tlb_entries(void);

/* Measures the size, prints it, and saves it for this CPU model in the file "tlb" (settings.h).
 * Takes about 0.1 s and 32 MiB. */
void tlb_doctor(FILE *out);

/*
 * AMD's CPUID leaf 0x80000006: EBX[27:16] is the number of entries of the L2 data TLB for 4 KiB
 * pages, and EBX[31:28] is not 0 if there is one (APM volume 3, E.4.5), in units of 32 if leaf
 * 0x80000021 has EAX[14] (L2TlbSizeX32, since Zen 5). Hypervisors that do not know that bit hide
 * it, so fewer entries than any CPU with an L2 TLB has are rejected. 0: none, or rejected.
 */
uint32_t tlb_entries_amd(uint32_t ebx, uint32_t eax_21);

/* Decodes a subleaf of Intel's CPUID leaf 0x18: EDX[4:0] type (1 data, 3 unified), EBX[0] 4 KiB
 * pages, EBX[31:16] ways, ECX sets (SDM volume 2A, CPUID). 0: another type. */
uint32_t tlb_entries_intel(uint32_t ebx, uint32_t ecx, uint32_t edx);

/* Returns the entries for a CPU in the text of the file; 0: none. */
uint32_t tlb_entries_kept(FILE *file, const char *cpu);

/*
 * Returns the largest number of pages used without page walks. `pages` is ascending; `ns` is the
 * translation time per access for each number of pages, in random order. Page walks begin where the
 * time has risen halfway from the first value to the last. 0: it does not rise enough.
 */
uint32_t tlb_knee(const uint32_t *pages, const double *ns, size_t count);

#endif
