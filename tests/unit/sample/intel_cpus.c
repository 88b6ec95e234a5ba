/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit/sample/intel_cpus.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "unit.h"
#include "unit/sample/fake_kernel.h"

#define ONE(loads, stores, aux)                                                                    \
    {                                                                                              \
        {                                                                                          \
            "cpu", 4, loads, stores, aux                                                           \
        }                                                                                          \
    }
#define TWO(aux)                                                                                   \
    {                                                                                              \
        {"cpu_core", 4, 0x1cd, 0x2cd, aux},                                                        \
        {                                                                                          \
            "cpu_atom", 10, 0x5d0, 0x6d0, false                                                    \
        }                                                                                          \
    }

const struct intel_cpu intel_cpus[] = {
    {"Nehalem", "nhm", 0, 0, 2, false, ONE(0x100b, 0, false)},
    {"Westmere", "wsm", 0, 0, 2, false, ONE(0x100b, 0, false)},
    {"Sandy Bridge", "snb", 0, 0x60006a3, 2, false, ONE(0x1cd, 0x2cd, false)},
    {"Ivy Bridge", "ivb", 0, 0xc000ca3, 2, false, ONE(0x1cd, 0x2cd, false)},
    {"Haswell", "hsw", 0, 0xc000ca3, 2, false, ONE(0x1cd, 0x82d0, false)},
    {"Broadwell", "bdw", 0, 0xc000ca3, 2, false, ONE(0x1cd, 0x82d0, false)},
    {"Skylake", "skl", 0, 0xc000ca3, 3, false, ONE(0x1cd, 0x82d0, false)},
    {"Skylake-SP", "skx", 0, 0xc000ca3, 3, false, ONE(0x1cd, 0x82d0, false)},
    {"Cascade Lake", "clx", 0, 0xc000ca3, 3, false, ONE(0x1cd, 0x82d0, false)},
    {"Ice Lake", "icl", 0, 0xc000ca3, 3, false, ONE(0x1cd, 0x82d0, false)},
    {"Ice Lake-SP", "icx", 0, 0xc000ca3, 3, false, ONE(0x1cd, 0x82d0, false)},
    {"Tiger Lake", NULL, 0, 0, 3, false, ONE(0x1cd, 0x82d0, false)},
    {"Alder Lake", NULL, 0, 0, 3, true, TWO(true)},
    {"Raptor Lake", NULL, 0, 0, 3, true, TWO(true)},
    {"Meteor Lake", NULL, 0, 0, 3, false, TWO(false)},
    {"Lunar Lake", NULL, 0, 0, 3, false, TWO(false)},
    {"Arrow Lake", NULL, 0, 0, 3, false, TWO(false)},
    {"Arrow Lake-H",
     NULL,
     0,
     0,
     3,
     false,
     {{"cpu_core", 4, 0x1cd, 0x2cd, false},
      {"cpu_atom", 10, 0x5d0, 0x6d0, false},
      {"cpu_lowpower", 11, 0x5d0, 0x6d0, false}}},
    /*
     * libpfm4 encodes STORE_SAMPLE as 0x3cd, which no kernel accepts for it; ALL_STORES is right.
     */
    {"Sapphire Rapids", "spr", 0x82d0, 0xc000ca3, 3, true, ONE(0x1cd, 0x2cd, true)},
    {"Emerald Rapids", NULL, 0, 0, 3, true, ONE(0x1cd, 0x2cd, true)},
    {"Granite Rapids", NULL, 0, 0, 3, false, ONE(0x1cd, 0x2cd, true)},
    {"Sierra Forest", NULL, 0, 0, 3, false, ONE(0x5d0, 0x6d0, false)},
};
const unsigned intel_cpu_count = sizeof intel_cpus / sizeof *intel_cpus;

const struct intel_cpu *intel_cpu_named(const char *name)
{
    for (unsigned i = 0; i < intel_cpu_count; i++)
        if (!strcmp(intel_cpus[i].name, name))
            return &intel_cpus[i];
    fail_msg("no CPU '%s'", name);
    return NULL;
}

static void pmu_file(const struct intel_pmu *pmu, const char *path, const char *text)
{
    char name[128];
    snprintf(name, sizeof name, "sys/bus/event_source/devices/%s/%s", pmu->name, path);
    fake_kernel_file(name, text);
}

static void event_file(const struct intel_pmu *pmu, const char *name, uint64_t config,
                       const char *more)
{
    char path[64];
    char text[64];
    snprintf(path, sizeof path, "events/%s", name);
    snprintf(text, sizeof text, "event=0x%x,umask=0x%x%s", (unsigned)(config & 0xff),
             (unsigned)(config >> 8 & 0xff), more);
    pmu_file(pmu, path, text);
}

static void pmu_files(const struct intel_cpu *cpu, const struct intel_pmu *pmu, bool events)
{
    char text[16];
    snprintf(text, sizeof text, "%u", (unsigned)pmu->type);
    pmu_file(pmu, "type", text);
    snprintf(text, sizeof text, "%d", cpu->max_precise);
    pmu_file(pmu, "caps/max_precise", text);
    pmu_file(pmu, "format/event", "config:0-7");
    pmu_file(pmu, "format/umask", "config:8-15");
    pmu_file(pmu, "format/ldlat", "config1:0-15");
    if (!events)
        return;
    event_file(pmu, "mem-loads", pmu->loads, ",ldlat=3");
    if (pmu->stores)
        event_file(pmu, "mem-stores", pmu->stores, "");
    if (pmu->aux)
        event_file(pmu, "mem-loads-aux", INTEL_AUX, "");
}

void intel_cpu_files(const struct intel_cpu *cpu, bool events)
{
    fake_kernel_file("proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel");
    for (int i = 0; i < INTEL_PMUS && cpu->pmus[i].name; i++)
        pmu_files(cpu, &cpu->pmus[i], events);
}

int intel_cpu_judge(const struct intel_cpu *cpu, const struct perf_event_attr *attr,
                    uint64_t leader, int pmu)
{
    int own = 0;
    while (own < INTEL_PMUS && cpu->pmus[own].name && cpu->pmus[own].type != attr->type)
        own++;
    if (own == INTEL_PMUS || !cpu->pmus[own].name || (pmu >= 0 && pmu != own))
        return -ENOENT;
    if (!attr->sample_period)
        return attr->precise_ip ? -EINVAL : 0;
    if (attr->precise_ip > cpu->max_precise)
        return -EOPNOTSUPP;
    bool load = attr->config == cpu->pmus[own].loads;
    if (attr->config1 && !load)
        return -EINVAL;
    if (cpu->needs_aux && attr->config == 0x1cd && attr->sample_type & PERF_SAMPLE_DATA_SRC &&
        leader != INTEL_AUX)
        return -ENODATA;
    return 0;
}
