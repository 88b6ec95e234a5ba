/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Intel CPUs that are not here: the sysfs files their kernels write, the events they take, and a
 * kernel that judges attributes as theirs do. From arch/x86/events/intel/core.c:
 * intel_pmu_init() and the attributes named mem_ld_* and mem_st_*, intel_pmu_hw_config() for
 * mem-loads-aux, x86_pmu_max_precise() in ../core.c; ds.c for which stores carry an address.
 */
#ifndef MISSTOP_UNIT_SAMPLE_INTEL_CPUS_H
#define MISSTOP_UNIT_SAMPLE_INTEL_CPUS_H

#include <stdbool.h>
#include <stdint.h>

#include "sample/kernel.h"

enum { INTEL_PMUS = 3, INTEL_AUX = 0x8203, INTEL_CYCLES = 0x3c };

struct intel_pmu {
    const char *name; /* NULL: no further one */
    uint32_t type;
    uint64_t loads;
    uint64_t stores; /* 0: no event carries their address */
    bool aux;        /* sysfs offers mem-loads-aux */
};

struct intel_cpu {
    const char *name;
    const char *libpfm;     /* what libpfm4 4.13 calls it; NULL: does not know it */
    uint64_t libpfm_stores; /* where that is another event than in sysfs */
    uint64_t stall;         /* libpfm4's event of stalled cycles; 0: it knows none */
    int max_precise;
    bool needs_aux;
    struct intel_pmu pmus[INTEL_PMUS];
};

extern const struct intel_cpu intel_cpus[];
extern const unsigned intel_cpu_count;

const struct intel_cpu *intel_cpu_named(const char *name);

/* Writes the files of the CPU into the fake kernel's tree; `events` false: formats only. */
void intel_cpu_files(const struct intel_cpu *cpu, bool events);

/* What that CPU's kernel says to the attributes: 0 or -errno. `leader`: config of the group's
 * leader, 0: none. `pmu`: index of the PMU whose CPU it is opened on; -1: any. */
int intel_cpu_judge(const struct intel_cpu *cpu, const struct perf_event_attr *attr,
                    uint64_t leader, int pmu);

#endif
