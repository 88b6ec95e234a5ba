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

enum { IBS_PERIOD_STEP = 16, IBS_FIRST_PERIOD = 100000 / IBS_PERIOD_STEP * IBS_PERIOD_STEP };

static bool has_format(const struct kernel *kernel, const char *term)
{
    char path[128];
    char text[64];
    snprintf(path, sizeof path, "bus/event_source/devices/ibs_op/format/%s", term);
    return kernel_text(kernel->sysfs, path, text, sizeof text);
}

static int ibs_plan(struct source_plan *plan, const char *list, const struct kernel *kernel,
                    struct error *error)
{
    char name[64];
    if (sysfs_pmu_type(kernel, "ibs_op") < 0)
        return error_set(error, -ENODEV,
                         "ibs: no ibs_op PMU here (AMD since family 10h, and "
                         "seldom in a virtual machine)");
    if (list)
        return error_set(error, -EINVAL,
                         "ibs samples operations and takes no -e; name events "
                         "with -s counter");
    /* Count dispatched ops rather than cycles where the format offers it. */
    bool filtered = has_format(kernel, "swfilt");
    snprintf(name, sizeof name, "ibs_op/%s%s/", has_format(kernel, "cnt_ctl") ? "cnt_ctl," : "",
             filtered ? "swfilt" : "");
    int code = event_encode(&plan->events[0], name, strlen(name), 0, kernel, error);
    if (code)
        return code;
    snprintf(plan->events[0].name, sizeof plan->events[0].name, "ibs_op");
    plan->events[0].role = EVENT_ACCESS;
    plan->count = 1;
    plan->kernel_too = !filtered;
    plan->first_period = IBS_FIRST_PERIOD;
    plan->period_step = IBS_PERIOD_STEP;
    snprintf(plan->weighs, sizeof plan->weighs, "memory operations");
    return 0;
}

static void ibs_attribute(const struct source_plan *plan, const struct event *event,
                          struct perf_event_attr *attr)
{
    (void)event;
    attr->sample_type |= PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC;
    /* Without swfilt the PMU refuses any exclusion; kernel samples are then counted as such. */
    if (plan->kernel_too)
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
