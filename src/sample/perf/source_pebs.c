/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pebs: Intel load latency and precise stores; the hardware records the address.
 *
 * The events, from arch/x86/events/intel/core.c (mem-loads, mem-stores, mem-loads-aux) and the
 * constraints of ds.c (which of them carry an address; 0x82d0 does since Haswell):
 * - Nehalem, Westmere: loads 0x100b, no stores
 * - Sandy, Ivy Bridge: loads 0x01cd, stores 0x02cd
 * - Haswell to Ice Lake: loads 0x01cd, stores 0x82d0
 * - Sapphire Rapids and later: loads 0x01cd, stores 0x02cd
 * - efficient cores since Gracemont, Sierra Forest: loads 0x05d0, stores 0x06d0
 *
 * The threshold is ldlat in config1. Sapphire and Emerald Rapids, Alder and Raptor Lake refuse the
 * loads without mem-loads-aux (0x8203) as group leader: ENODATA.
 *
 * Encodings are taken from sysfs first, because it has the table of the running kernel.
 * libpfm4 4.13 has no CPU after Sapphire Rapids, and encodes STORE_SAMPLE of that CPU as 0x03cd.
 *
 * Large PEBS (several records per interrupt) is not used. The kernel allows it only without time
 * stamps of CLOCK_MONOTONIC (intel_pmu_large_pebs_flags: not with use_clockid), which are needed to
 * order samples and heap events. It would also delay records until a buffer of 64 KiB is full: a
 * sixth of a second at -r 2000, and the records would not be in order. The other conditions are
 * met: a fixed period, a watermark, no registers.
 *
 * Not tested on such a machine here (HACKING.md).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sample/perf/event.h"
#include "sample/perf/source.h"

enum { PEBS_FIRST_PERIOD = 1009, PEBS_PRECISE_IP = 2, PEBS_LDLAT_CYCLES = 30 };

/* Returns the CPU's own PMU that the events are named by. */
static const char *main_pmu(const struct kernel *kernel)
{
    return sysfs_pmu_type(kernel, "cpu_core") >= 0 ? "cpu_core" : "cpu";
}

/* Encodes "PMU/event,ldlat=30/"; ldlat 0: without a threshold. */
static int encode_sysfs(struct event *event, const char *pmu, const char *name, unsigned ldlat,
                        const struct kernel *kernel)
{
    char string[sizeof event->name];
    if (ldlat)
        snprintf(string, sizeof string, "%s/%s,ldlat=%u/", pmu, name, ldlat);
    else
        snprintf(string, sizeof string, "%s/%s/", pmu, name);
    return event_encode(event, string, strlen(string), 0, kernel, NULL);
}

static int encode_libpfm(struct event *event, const char *const *names, unsigned ldlat,
                         const struct kernel *kernel)
{
    for (; *names; names++) {
        char string[sizeof event->name];
        if (ldlat)
            snprintf(string, sizeof string, "%s:ldlat=%u", *names, ldlat);
        else
            snprintf(string, sizeof string, "%s", *names);
        if (!event_encode(event, string, strlen(string), 0, kernel, NULL))
            return 0;
    }
    return -ENODEV;
}

/* Encodes an event for every PMU of the CPU; `names`: libpfm4's, if sysfs has no such file. */
static int encode_all(struct event *event, const char *name, const char *const *names,
                      unsigned ldlat, const struct kernel *kernel)
{
    int code = encode_sysfs(event, main_pmu(kernel), name, ldlat, kernel);
    if (code)
        code = encode_libpfm(event, names, ldlat, kernel);
    for (const char *const *pmu = event_twin_pmus(); !code && *pmu; pmu++) {
        struct event twin;
        if (event->twin_count < EVENT_TWINS_MAX && !encode_sysfs(&twin, *pmu, name, ldlat, kernel))
            event->twins[event->twin_count++] =
                (struct event_twin){twin.type, twin.config, twin.config1};
    }
    return code;
}

static int plan_loads(struct source_plan *plan, unsigned ldlat, const struct kernel *kernel)
{
    static const char *const names[] = {"MEM_TRANS_RETIRED:LOAD_LATENCY",
                                        "MEM_TRANS_RETIRED:LATENCY_ABOVE_THRESHOLD",
                                        "MEM_INST_RETIRED:LATENCY_ABOVE_THRESHOLD", NULL};
    return encode_all(&plan->events[0], "mem-loads", names, ldlat, kernel);
}

/* Plans the store event. Nehalem and Westmere have none. */
static void plan_stores(struct source_plan *plan, const struct kernel *kernel)
{
    static const char *const names[] = {"MEM_TRANS_RETIRED:PRECISE_STORE",
                                        "MEM_INST_RETIRED:ALL_STORES",
                                        "MEM_UOPS_RETIRED:ALL_STORES", NULL};
    if (!encode_all(&plan->events[1], "mem-stores", names, 0, kernel))
        plan->count = 2;
}

/* Plans the leader if sysfs lists it; the kernel shows whether it is required. */
static void plan_aux(struct source_plan *plan, const struct kernel *kernel)
{
    if (encode_sysfs(&plan->aux, main_pmu(kernel), "mem-loads-aux", 0, kernel))
        plan->aux = (struct event){0};
}

/*
 * Returns true if the hardware writes a data address into the records of an event: ds.c,
 * constraints with PLD, PST, PSD or DATALA. Checks the event code only; before Haswell events from
 * 0xd0 on have no address, and their samples end up without one.
 */
static bool carries_address(const struct event *event)
{
    uint64_t code = event->config & 0xff;
    bool own = event->type >= PERF_TYPE_RAW;
    return own &&
           (code == 0xcd || (code >= 0xd0 && code <= 0xd4) || (event->config & 0xffff) == 0x100b);
}

static int plan_listed_events(struct source_plan *plan, const char *list,
                              const struct kernel *kernel, struct error *error)
{
    int code = source_plan_list(plan, list, kernel, error);
    for (unsigned i = 0; !code && i < plan->count; i++)
        if (!carries_address(&plan->events[i]))
            code = error_set(error, -EINVAL,
                             "%s: the CPU records no data address with it; take a MEM_ event, or "
                             "-s counter",
                             plan->events[i].name);
    return code;
}

static int plan_default(struct source_plan *plan, const struct filter *filter,
                        const struct kernel *kernel, struct error *error)
{
    unsigned ldlat = filter->ldlat_cycles ? filter->ldlat_cycles : PEBS_LDLAT_CYCLES;
    plan->count = 1;
    if (filter->l3_miss_only)
        return error_set(
            error, -EINVAL,
            "-e l3missonly is for ibs; with pebs raise the threshold, as in ldlat=100");
    if (plan_loads(plan, ldlat, kernel))
        return error_set(error, -ENODEV,
                         "pebs: neither libpfm4 nor sysfs knows a load-latency "
                         "event for this CPU");
    struct event *loads = &plan->events[0];
    loads->precise_ip = PEBS_PRECISE_IP;
    if (event_samples_all(loads))
        loads->role = EVENT_ACCESS;
    plan_stores(plan, kernel);
    source_offer_stalls(plan, kernel);
    return 0;
}

/* Kernels before 4.15 do not report the highest precision, so it is found by trying. */
static int set_precision(struct source_plan *plan, const struct kernel *kernel, struct error *error)
{
    char path[128];
    snprintf(path, sizeof path, "bus/event_source/devices/%s/caps/max_precise", main_pmu(kernel));
    long most = kernel_number(kernel->sysfs, path, PEBS_PRECISE_IP);
    if (most <= 0)
        return error_set(error, -ENODEV,
                         "pebs: there are counters but no precise ones (caps/max_precise is 0): "
                         "the host does not pass PEBS on; take -s counter");
    for (unsigned i = 0; i < plan->count; i++)
        if (plan->events[i].precise_ip < PEBS_PRECISE_IP && !plan->events[i].as_counter)
            plan->events[i].precise_ip = (uint8_t)(most < PEBS_PRECISE_IP ? most : PEBS_PRECISE_IP);
    return 0;
}

static int pebs_plan(struct source_plan *plan, const char *list, const struct kernel *kernel,
                     struct error *error)
{
    struct filter filter;
    if (!kernel_vendor(kernel, "GenuineIntel"))
        return error_set(error, -ENODEV, "pebs is for Intel CPUs; this is another one");
    if (sysfs_pmu_type(kernel, main_pmu(kernel)) < 0)
        return error_set(error, -ENODEV, "pebs: this machine exposes no CPU counters");
    int code = filter_parse(&filter, list, error);
    if (code)
        return code;
    if (filter.has_events && (filter.ldlat_cycles || filter.l3_miss_only))
        return error_set(error, -EINVAL,
                         "-e: ldlat= is for the source's own events and goes without others");
    code = filter.has_events ? plan_listed_events(plan, list, kernel, error)
                             : plan_default(plan, &filter, kernel, error);
    if (code)
        return code;
    plan->first_period = PEBS_FIRST_PERIOD;
    plan_aux(plan, kernel);
    return set_precision(plan, kernel, error);
}

static void pebs_attribute(const struct source_plan *plan, const struct event *event,
                           struct perf_event_attr *attr)
{
    (void)plan;
    attr->precise_ip = event->precise_ip;
    attr->sample_type |= PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC;
}

static const char *pebs_remedy(int code, const struct kernel *kernel)
{
    (void)kernel;
    switch (-code) {
    case EOPNOTSUPP:
        return "this CPU has no precise sampling, or the virtual machine's host does "
               "not pass PEBS on (KVM: Linux 6.0 and an Ice Lake or newer server); take "
               "-s counter";
    case ENODATA:
        return "this CPU wants mem-loads-aux counted along, and sysfs has no such event; take "
               "-s counter";
    case ENOENT:
        return "no PMU of this machine counts it; take -s counter";
    default:
        return NULL;
    }
}

const struct source source_pebs = {
    .name = "pebs",
    .exact_address = true,
    .exact_ip = true,
    .has_latency = true,
    .has_data_source = true,
    .has_skid_regs = true,
    .plan = pebs_plan,
    .attribute = pebs_attribute,
    .settle = source_settle_stalls,
    .remedy = pebs_remedy,
    .enable = "needs an Intel CPU since Nehalem; in a VM the host must pass PEBS on",
};
