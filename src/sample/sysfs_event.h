/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events as sysfs describes them: PMU/term=value,term/ and PMU/event/, by the files type,
 * format and events below /sys/bus/event_source/devices/PMU.
 * Source: Documentation/ABI/testing/sysfs-bus-event_source-devices-{events,format}.
 */
#ifndef MISSTOP_SAMPLE_SYSFS_EVENT_H
#define MISSTOP_SAMPLE_SYSFS_EVENT_H

#include "base/error.h"
#include "sample/event.h"
#include "sample/kernel.h"

/* event->name holds the string. 0 or -EINVAL, -ENOENT with the cause. */
int sysfs_event_encode(struct event *event, const struct kernel *kernel, struct error *error);

/* Type number of a PMU; -1: there is none of that name. */
long sysfs_pmu_type(const struct kernel *kernel, const char *pmu);

#endif
