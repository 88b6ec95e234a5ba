/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events by name: the aliases of -e, anything libpfm4 knows, raw events, and sysfs event
 * strings. Only this file sees libpfm4.
 */
#ifndef MISSTOP_SAMPLE_PERF_EVENT_H
#define MISSTOP_SAMPLE_PERF_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "sample/kernel.h"
#include "sample.h"

/* The same event as another PMU of a hybrid CPU wants it: cpu_atom, and cpu_lowpower where the
 * CPU has a third kind of cores (Arrow Lake H). */
enum { EVENT_TWINS_MAX = 2 };
struct event_twin {
    uint32_t type;
    uint64_t config;
    uint64_t config1;
};

struct event {
    char name[64];    /* as the user wrote it */
    char encoded[96]; /* its encoding: libpfm4's full string, or the name */
    enum event_role role;
    uint32_t type; /* of struct perf_event_attr, like the rest */
    uint64_t config;
    uint64_t config1;
    uint64_t config2;
    uint8_t precise_ip;
    bool as_counter; /* sampled with registers and without a recorded address, by any source */
    unsigned twin_count;
    struct event_twin twins[EVENT_TWINS_MAX];
};

/*
 * Encodes one event. Aliases have several candidates, the most specific first; `skip` of them are
 * passed over (for when the kernel refused those). -EINVAL with the nearest names, -ENOENT when an
 * alias has no (further) candidate on this CPU.
 */
int event_encode(struct event *event, const char *name, size_t name_size, unsigned skip,
                 const struct kernel *kernel, struct error *error);

/* The PMUs that a twin may be for, NULL-ended. */
const char *const *event_twin_pmus(void);

/* Splits -e LIST at commas outside slashes: the next word from *list; false at the end. */
bool event_next_word(const char **list, const char **word, size_t *word_size);

/* Software events have periods and rates of their own kind and need no PMU. */
bool event_is_software(const struct event *event);

/*
 * Meaning of a share of the event's samples, for the header line: "loads that took 30 cycles or
 * more", "loads and stores among the ops tagged", "L2 cache misses". By name, role, and for a
 * precise event by its encoding; so for recordings as well, from the attribute and its name.
 */
void event_weigh(const struct event *event, char *out, size_t out_size);

/* Whether the samples of a precise event are hits as well as misses, chosen evenly among all loads,
 * or all loads and stores: ibs_op without a filter, load latency with a threshold that every load
 * passes. */
bool event_samples_all(const struct event *event);

/* Whether it counts instructions of any kind: those that access memory are its accesses. */
bool event_counts_instructions(const struct perf_event_attr *attr);

/* The PMUs that libpfm4 finds in this machine, a line each, and its version. */
void event_describe_pmus(FILE *out);

/* The aliases of -e, NULL-ended. */
const char *const *event_aliases(void);

/*
 * Events as sysfs describes them: PMU/term=value,term/ and PMU/event/, by the files type,
 * format and events below /sys/bus/event_source/devices/PMU.
 * Source: Documentation/ABI/testing/sysfs-bus-event_source-devices-{events,format}.
 */
/* event->name holds the string. 0 or -EINVAL, -ENOENT with the cause. */
int sysfs_event_encode(struct event *event, const struct kernel *kernel, struct error *error);

/* Type number of a PMU; -1: there is none of that name. */
long sysfs_pmu_type(const struct kernel *kernel, const char *pmu);

#endif
