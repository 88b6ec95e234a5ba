/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ibs: AMD instruction-based sampling of operations; the hardware records address, latency and data
 * source. From arch/x86/events/amd/ibs.c: per-process sampling since Linux 6.2. The hardware has no
 * user/kernel filter, so exclude_kernel needs swfilt (6.14: config2 bit 0) and fails with EINVAL
 * without it. The period counts ops (cnt_ctl, config bit 19) or cycles, in steps of 16, and is at
 * least 0x90. l3missonly is config bit 16 (Zen 4); ldlat is config1 bits 0-11, from 128 to 2048
 * (Zen 5, 6.15). format/ lists each only if the CPU has it. Only the IP of the registers belongs to
 * the sampled op. Not tested on such a machine here (HACKING.md).
 *
 * Weight of a sample: without a filter every op is equally likely to be tagged, so shares are
 * shares of ops. With a filter the hardware discards tagged ops that do not pass; those that pass
 * are still chosen evenly.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sample/perf/event.h"
#include "sample/perf/source.h"

enum {
    IBS_PERIOD_STEP = 16,
    IBS_PERIOD_MIN = 0x90,
    IBS_FIRST_PERIOD = 100000 / IBS_PERIOD_STEP * IBS_PERIOD_STEP,
    IBS_FILTERED_PERIOD = 10000 / IBS_PERIOD_STEP * IBS_PERIOD_STEP, /* few ops pass */
    IBS_LDLAT_MIN = 128,
    IBS_LDLAT_MAX = 2048
};

static bool has_format(const struct kernel *kernel, const char *term)
{
    char path[128];
    char text[64];
    snprintf(path, sizeof path, "bus/event_source/devices/ibs_op/format/%s", term);
    return kernel_text(kernel->sysfs, path, text, sizeof text);
}

static int check_filter(const struct filter *filter, const struct kernel *kernel,
                        struct error *error)
{
    if (filter->has_events)
        return error_set(error, -EINVAL,
                         "ibs samples operations and takes no events, only ldlat= and "
                         "l3missonly; name events with -s counter");
    if (filter->l3_miss_only && !has_format(kernel, "l3missonly"))
        return error_set(error, -EINVAL, "-e l3missonly: needs a Zen 4 CPU and Linux 5.19");
    if (filter->ldlat_cycles && !has_format(kernel, "ldlat"))
        return error_set(error, -EINVAL,
                         "-e ldlat=: ibs filters by latency since Zen 5 and "
                         "Linux 6.15; l3missonly comes near to it since Zen 4");
    if (filter->ldlat_cycles &&
        (filter->ldlat_cycles < IBS_LDLAT_MIN || filter->ldlat_cycles > IBS_LDLAT_MAX))
        return error_set(error, -EINVAL, "-e ldlat=: ibs takes %d to %d cycles", IBS_LDLAT_MIN,
                         IBS_LDLAT_MAX);
    return 0;
}

/* Encodes "ibs_op/cnt_ctl,swfilt,l3missonly,ldlat=128/"; counts ops, not cycles, if possible. */
static int encode_op(struct source_plan *plan, const struct filter *filter,
                     const struct kernel *kernel, struct error *error)
{
    struct event *event = &plan->events[0];
    char terms[48] = "";
    char name[sizeof event->name];
    if (filter->ldlat_cycles)
        snprintf(terms, sizeof terms, ",ldlat=%u", (unsigned)filter->ldlat_cycles);
    snprintf(name, sizeof name, "ibs_op/%s%s%s%s/", has_format(kernel, "cnt_ctl") ? "cnt_ctl" : "",
             plan->includes_kernel ? "" : ",swfilt", filter->l3_miss_only ? ",l3missonly" : "",
             terms);
    int code = event_encode(event, name, strlen(name), 0, kernel, error);
    if (!code)
        snprintf(event->name, sizeof event->name, "ibs_op");
    return code;
}

static int ibs_plan(struct source_plan *plan, const char *list, const struct kernel *kernel,
                    struct error *error)
{
    struct filter filter;
    if (sysfs_pmu_type(kernel, "ibs_op") < 0)
        return error_set(error, -ENODEV,
                         "ibs: no ibs_op PMU here (AMD since family 10h, and "
                         "seldom in a virtual machine)");
    int code = filter_parse(&filter, list, error);
    if (!code)
        code = check_filter(&filter, kernel, error);
    plan->includes_kernel = !has_format(kernel, "swfilt");
    if (!code)
        code = encode_op(plan, &filter, kernel, error);
    if (code)
        return code;
    bool filtered = filter.l3_miss_only || filter.ldlat_cycles;
    plan->events[0].role = event_samples_all(&plan->events[0]) ? EVENT_ACCESS : EVENT_MEM_FILL;
    plan->count = 1;
    plan->first_period = filtered ? IBS_FILTERED_PERIOD : IBS_FIRST_PERIOD;
    plan->period_step = IBS_PERIOD_STEP;
    plan->period_min = IBS_PERIOD_MIN;
    source_offer_stalls(plan, kernel);
    return 0;
}

static void ibs_attribute(const struct source_plan *plan, const struct event *event,
                          struct perf_event_attr *attr)
{
    (void)event;
    attr->sample_type |= PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC;
    /* Without swfilt the PMU refuses any exclusion; kernel samples are then counted separately. */
    if (plan->includes_kernel)
        attr->exclude_kernel = attr->exclude_hv = 0;
}

static bool kernel_is_before_6_2(const struct kernel *kernel)
{
    char release[64];
    unsigned major;
    unsigned minor;
    return kernel_text(kernel->procfs, "sys/kernel/osrelease", release, sizeof release) &&
           sscanf(release, "%u.%u", &major, &minor) == 2 &&
           (major < 6 || (major == 6 && minor < 2));
}

static const char *ibs_remedy(int code, const struct kernel *kernel)
{
    if (code == -EINVAL && kernel_is_before_6_2(kernel))
        return "kernels before 6.2 sample whole CPUs with ibs, not one process: take a newer "
               "kernel, or -s counter";
    if (code == -EBUSY)
        return "ibs samples for one user at a time: stop the other profiler";
    return NULL;
}

const struct source source_ibs = {
    .name = "ibs",
    .exact_address = true,
    .exact_ip = true,
    .has_latency = true,
    .has_data_source = true,
    .has_skid_regs = true,
    .plan = ibs_plan,
    .attribute = ibs_attribute,
    .settle = source_settle_stalls,
    .remedy = ibs_remedy,
    .enable = "needs an AMD CPU and Linux 6.2; without privilege Linux 6.14 (swfilt)",
};
