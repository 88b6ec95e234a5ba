/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models of Intel CPUs: the sysfs files that their kernels write, the events that they accept, and
 * a kernel that checks attributes as theirs do. From arch/x86/events/intel/core.c: intel_pmu_init()
 * and the attributes named mem_ld_* and mem_st_*, intel_pmu_hw_config() for mem-loads-aux,
 * x86_pmu_max_precise() in ../core.c; ds.c for which stores carry an address.
 */
#ifndef MISSTOP_UNIT_SAMPLE_INTEL_CPUS_H
#define MISSTOP_UNIT_SAMPLE_INTEL_CPUS_H

#include <stdbool.h>
#include <stdint.h>

#include "sample/kernel.h"

enum { INTEL_PMUS = 3, INTEL_AUX = 0x8203, INTEL_CYCLES = 0x3c };

struct intel_pmu {
    const char *name; /* NULL: end of the list */
    uint32_t type;
    uint64_t loads;
    uint64_t stores; /* 0: no event carries their address */
    bool aux;        /* sysfs offers mem-loads-aux */
};

struct intel_cpu {
    const char *name;
    const char *libpfm;     /* name in libpfm4 4.13; NULL: unknown to it */
    uint64_t libpfm_stores; /* if it differs from the event in sysfs */
    uint64_t stall;         /* libpfm4's event of stalled cycles; 0: none */
    int max_precise;
    bool needs_aux;
    struct intel_pmu pmus[INTEL_PMUS];
};

extern const struct intel_cpu intel_cpus[];
extern const unsigned intel_cpu_count;

const struct intel_cpu *intel_cpu_named(const char *name);

/* Writes the files of the CPU to the fake kernel's tree; `events` false: only the formats. */
void intel_cpu_files(const struct intel_cpu *cpu, bool events);

/* Returns the result of that CPU's kernel for the attributes: 0 or -errno. `leader`: config of the
 * group's leader, 0: none. `pmu`: index of the PMU of the CPU on which it is opened; -1: any. */
int intel_cpu_judge(const struct intel_cpu *cpu, const struct perf_event_attr *attr,
                    uint64_t leader, int pmu);

#endif
