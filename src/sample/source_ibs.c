/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ibs: AMD instruction-based sampling of operations; the hardware records address, latency
 * and data source. From arch/x86/events/amd/ibs.c: per-process sampling since Linux 6.2; no
 * user/kernel filter in hardware, so exclude_kernel needs swfilt (6.14: config2 bit 0); the
 * period counts cycles (or ops with cnt_ctl) in steps of 16. Only the IP of the registers is
 * that of the sampled op. Not run on such a machine here (HACKING.md).
 */
#include "sample/source.h"

#include "sample/sysfs_event.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { IBS_FIRST_PERIOD = 100000 / 16 * 16 };

static bool sysfs_has(const struct kernel *kernel, const char *path)
{
    char text[64];
    return kernel_text(kernel->sysfs, path, text, sizeof text);
}

static int ibs_plan(struct source_plan *plan, const char *list, const struct kernel *kernel,
                    struct error *error)
{
    long type = sysfs_pmu_type(kernel, "ibs_op");
    if (type < 0)
        return error_set(error, -ENODEV, "ibs: no ibs_op PMU here (AMD since family 10h, and "
                                         "seldom in a virtual machine)");
    if (list)
        return error_set(error, -EINVAL, "ibs samples operations; it takes no -e");
    plan->count = 1;
    plan->events[0] = (struct event){.name = "ibs_op", .encoded = "ibs_op//",
                                     .role = EVENT_ACCESS, .type = (uint32_t)type};
    /* Count dispatched ops rather than cycles where the format offers it. */
    if (sysfs_has(kernel, "bus/event_source/devices/ibs_op/format/cnt_ctl"))
        plan->events[0].config = UINT64_C(1) << 19;
    plan->swfilt = sysfs_has(kernel, "bus/event_source/devices/ibs_op/format/swfilt");
    if (plan->swfilt)
        plan->events[0].config2 = 1;
    plan->first_period = IBS_FIRST_PERIOD;
    snprintf(plan->weighs, sizeof plan->weighs, "memory operations");
    return 0;
}

static void ibs_attribute(const struct source_plan *plan, const struct event *event,
                          struct perf_event_attr *attr)
{
    (void)event;
    attr->sample_type |= PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC;
    /* Without swfilt the PMU refuses any exclusion; kernel samples are then counted as such. */
    if (!plan->swfilt)
        attr->exclude_kernel = attr->exclude_hv = 0;
}

const struct source source_ibs = {
    .name = "ibs",
    .exact_address = true,
    .exact_ip = true,
    .latency = true,
    .data_source = true,
    .alien_regs = true,
    .plan = ibs_plan,
    .attribute = ibs_attribute,
    .enable = "needs an AMD CPU and Linux 6.2; without privilege Linux 6.14 (swfilt)",
};
