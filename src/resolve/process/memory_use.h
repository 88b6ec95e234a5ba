/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How the target uses memory, beside the samples: page faults and the kernel's part of its time
 * (/proc/PID/stat, see proc(5)), and how much of a mapping is on huge pages (/proc/PID/smaps).
 * Owned by the resolver, of live processes only. smaps costs the kernel a walk of all page tables:
 * it is read on request, and not again within MEMORY_USE_FRESH_NS.
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

/* Once a refresh, with /proc/PID/stat of that time. */
void memory_use_tick(struct memory_use_of *use, const struct process_stat *stat, uint64_t now_ns);

/* Memory use of the process; of the mapping around an address as well, where that is not 0. */
void memory_use_read(struct memory_use_of *use, uint64_t address, uint64_t now_ns,
                     struct memory_use *out);

/* The largest mappings in the text of a smaps file; 0 to MEMORY_USE_MAPPINGS. */
size_t memory_use_parse(FILE *smaps, struct memory_use_mapping *mappings);

/*
 * NUMA nodes: of CPUs by sysfs, of the target's pages by move_pages(2), which with no nodes given
 * moves nothing and only says where pages are. The kernel asks for the rights of PTRACE_MODE_READ,
 * which a sampler of the process has. Both sources can be faked. Used by the resolver.
 */
enum { NODES_MAX = 1024, NODES_CPUS_MAX = 8192 };

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

/* Reads the node of each CPU. system NULL: this machine's. Never fails: unreadable values are not
 * known. */
void nodes_init(struct nodes *nodes, pid_t pid, const struct nodes_system *system);

/* The node of a CPU; -1: not known, or the machine has one only. */
int nodes_cpu(const struct nodes *nodes, uint32_t cpu);

/* The node of the page with an address; -1 as above, and for a page that is not in memory. */
int nodes_page(const struct nodes *nodes, uint64_t address);

/*
 * Size of this machine's last data TLB (tlb.c): as 'misstop doctor' measured it on this CPU model,
 * else as the CPU reports it where that can be true, else not known.
 */
/* Entries for pages of 4 KiB; 0: not known. Reads a file: not to be called per sample. */
uint32_t tlb_entries(void);

/* Measures it, prints it and keeps it for this CPU model in the file "tlb" (bin_rules.h). Takes
 * about 0.1 s and 32 MiB. */
void tlb_doctor(FILE *out);

/*
 * From the registers of AMD's leaf 0x80000006: EBX[27:16] is the number of entries of the L2 data
 * TLB for 4 KiB pages, EBX[31:28] not 0 if there is one (APM volume 3, E.4.5); in units of 32 where
 * leaf 0x80000021 has EAX[14] (L2TlbSizeX32, since Zen 5). Hypervisors that do not know that bit
 * hide it: fewer entries than any CPU with such a level has are not believed. 0: none, or not to be
 * believed.
 */
uint32_t tlb_entries_amd(uint32_t ebx, uint32_t eax_21);

/* From those of a subleaf of Intel's leaf 0x18: EDX[4:0] the kind (1 data, 3 unified), EBX[0]
 * pages of 4 KiB, EBX[31:16] ways, ECX sets (SDM volume 2A, CPUID). 0: none of these. */
uint32_t tlb_entries_intel(uint32_t ebx, uint32_t ecx, uint32_t edx);

/* The entries for a CPU in the text of the file; 0: it has none. */
uint32_t tlb_entries_kept(FILE *file, const char *cpu);

/*
 * The most pages that are used without page walks: `ns` is the time that the translation of an
 * access takes, on so many pages in no order, rising. Where it has gone half of the way from the
 * level before to the last one, the walks have begun. 0: it does not rise by enough to show it.
 */
uint32_t tlb_knee(const uint32_t *pages, const double *ns, size_t count);

#endif
