/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pebs: Intel load latency and precise stores; the hardware records the address.
 * From arch/x86/events/intel/core.c and ds.c: the load-latency event is 0xcd umask 1 since
 * Nehalem (0x100b there), its threshold is ldlat in config1; Sapphire and Emerald Rapids and
 * the P-cores of hybrids want mem-loads-aux (0x8203) as group leader, else ENODATA.
 * Not run on such a machine here (HACKING.md).
 */
#include "sample/source.h"

#include "sample/sysfs_event.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { PEBS_FIRST_PERIOD = 1009, PEBS_PRECISE_IP = 2, PEBS_LDLAT_CYCLES = 30 };

/* The first of `names` that libpfm4 or sysfs knows. */
static int encode_first(struct event *event, const char *const *names, const struct kernel *kernel)
{
    for (; *names; names++)
        if (!event_encode(event, *names, strlen(*names), 0, kernel, NULL))
            return 0;
    return -ENODEV;
}

/* What the efficient cores of a hybrid call the same event. */
static void add_twin(struct event *event, const char *name, const struct kernel *kernel)
{
    struct event twin;
    if (event_encode(&twin, name, strlen(name), 0, kernel, NULL))
        return;
    event->has_twin = true;
    event->twin = (struct event_twin){twin.type, twin.config, twin.config1};
}

/* sysfs first on hybrids, whose two kinds of cores libpfm4 4.13 does not know; elsewhere last,
 * for CPUs that are newer than libpfm4. */
static int plan_loads(struct source_plan *plan, const struct kernel *kernel)
{
    static const char *const names[] = {
        "cpu_core/mem-loads,ldlat=30/", "MEM_TRANS_RETIRED:LOAD_LATENCY:ldlat=30",
        "MEM_INST_RETIRED:LATENCY_ABOVE_THRESHOLD:ldlat=30", "cpu/mem-loads,ldlat=30/", NULL};
    int code = encode_first(&plan->events[0], names, kernel);
    if (!code)
        add_twin(&plan->events[0], "cpu_atom/mem-loads,ldlat=30/", kernel);
    return code;
}

static void plan_stores(struct source_plan *plan, const struct kernel *kernel)
{
    static const char *const names[] = {"cpu_core/mem-stores/", "MEM_INST_RETIRED:ALL_STORES",
                                        "MEM_UOPS_RETIRED:ALL_STORES", "cpu/mem-stores/", NULL};
    if (encode_first(&plan->events[1], names, kernel))
        return;
    add_twin(&plan->events[1], "cpu_atom/mem-stores/", kernel);
    plan->count = 2;
}

/* The aux leader exists where sysfs offers it; whether it is needed the kernel will say. */
static void plan_aux(struct source_plan *plan, const struct kernel *kernel)
{
    static const char *const names[] = {"cpu_core/mem-loads-aux/", "cpu/mem-loads-aux/", NULL};
    if (encode_first(&plan->aux, names, kernel))
        plan->aux = (struct event){0};
}

static int plan_asked(struct source_plan *plan, const char *list, const struct kernel *kernel,
                      struct error *error)
{
    int code = source_plan_list(plan, list, kernel, error);
    for (unsigned i = 0; !code && i < plan->count; i++)
        if (event_is_software(&plan->events[i]))
            code = error_set(error, -EINVAL,
                             "%s: pebs takes events of the CPU only; take "
                             "-s counter",
                             plan->events[i].name);
    snprintf(plan->weighs, sizeof plan->weighs, "%s", plan->events[0].name);
    return code;
}

static int plan_default(struct source_plan *plan, const struct kernel *kernel, struct error *error)
{
    plan->count = 1;
    if (plan_loads(plan, kernel))
        return error_set(error, -ENODEV,
                         "pebs: neither libpfm4 nor sysfs knows a load-latency "
                         "event for this CPU");
    plan_stores(plan, kernel);
    snprintf(plan->weighs, sizeof plan->weighs, "loads of %d cycles or more", PEBS_LDLAT_CYCLES);
    return 0;
}

static int pebs_plan(struct source_plan *plan, const char *list, const struct kernel *kernel,
                     struct error *error)
{
    if (!source_vendor(kernel, "GenuineIntel"))
        return error_set(error, -ENODEV, "pebs is for Intel CPUs; this is another one");
    if (sysfs_pmu_type(kernel, "cpu") < 0 && sysfs_pmu_type(kernel, "cpu_core") < 0)
        return error_set(error, -ENODEV, "pebs: this machine exposes no CPU counters");
    int code = list ? plan_asked(plan, list, kernel, error) : plan_default(plan, kernel, error);
    if (code)
        return code;
    plan->first_period = PEBS_FIRST_PERIOD;
    plan_aux(plan, kernel);
    for (unsigned i = 0; i < plan->count; i++)
        if (plan->events[i].precise_ip < PEBS_PRECISE_IP)
            plan->events[i].precise_ip = PEBS_PRECISE_IP;
    return 0;
}

static void pebs_attribute(const struct source_plan *plan, const struct event *event,
                           struct perf_event_attr *attr)
{
    (void)plan;
    attr->precise_ip = event->precise_ip;
    attr->sample_type |= PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC;
}

const struct source source_pebs = {
    .name = "pebs",
    .exact_address = true,
    .exact_ip = true,
    .latency = true,
    .data_source = true,
    .alien_regs = true,
    .plan = pebs_plan,
    .attribute = pebs_attribute,
    .enable = "needs an Intel CPU since Nehalem; in a VM the host must pass PEBS on",
};
