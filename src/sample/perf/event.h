/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Encodes events by name: the aliases of -e, all names that libpfm4 supports, raw events, and sysfs
 * event strings. Only this file uses libpfm4. */
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

/* Encoded for another PMU of a hybrid CPU: cpu_atom, and cpu_lowpower (Arrow Lake H). */
enum { EVENT_TWINS_MAX = 2 };
struct event_twin {
    uint32_t type;
    uint64_t config;
    uint64_t config1;
};

struct event {
    char name[64];    /* as the user wrote it */
    char encoded[96]; /* libpfm4's full string, or the name */
    enum event_role role;
    uint32_t type; /* of struct perf_event_attr, like the following members */
    uint64_t config;
    uint64_t config1;
    uint64_t config2;
    uint8_t precise_ip;
    bool as_counter; /* with registers, without a recorded address, by any source */
    unsigned twin_count;
    struct event_twin twins[EVENT_TWINS_MAX];
};

/* Aliases have candidates, the most specific first; skips the first `skip` (refused by the kernel).
 * Returns 0; -EINVAL with the nearest names; -ENOENT if an alias has no further candidate here. */
int event_encode(struct event *event, const char *name, size_t name_size, unsigned skip,
                 const struct kernel *kernel, struct error *error);

/* Returns the PMUs that a twin can be for; NULL ends the list. */
const char *const *event_twin_pmus(void);

/* Splits -e LIST at commas outside slashes. Returns false at the end. */
bool event_next_word(const char **list, const char **word, size_t *word_size);

/* Returns true for a software event. These use other periods and rates and need no PMU. */
bool event_is_software(const struct event *event);

/* Returns true for a software event that counts time. */
bool event_is_clock(const struct event *event);

/*
 * Describes for the header line which accesses a sample represents: "loads that took 30 cycles or
 * more", "loads and stores among the ops tagged", "L2 cache misses". Uses name, role, and for a
 * precise event its encoding, so it also works for recordings, from the attribute and its name.
 */
void event_describe_weight(const struct event *event, char *out, size_t out_size);

/* Returns true if the samples of a precise event include hits, chosen evenly: ibs_op without a
 * filter, or load latency with a threshold that every load passes. */
bool event_samples_all(const struct event *event);

/* Returns true if the event counts all instructions: those that access memory are accesses. */
bool event_counts_instructions(const struct perf_event_attr *attr);

/* Prints the PMUs that libpfm4 finds on this machine, one per line, and its version. */
void event_describe_pmus(FILE *out);

/* Returns the aliases of -e; NULL ends the list. */
const char *const *event_aliases(void);

/* PMU/term=value,term/ and PMU/event/, by the files type, format and events of the PMU in sysfs.
 * Source: Documentation/ABI/testing/sysfs-bus-event_source-devices-{events,format}. */

/* Encodes the string in event->name. Returns 0, or -EINVAL or -ENOENT with the cause. */
int sysfs_event_encode(struct event *event, const struct kernel *kernel, struct error *error);

/* Returns the type number of a PMU, or -1 if there is no PMU of that name. */
long sysfs_pmu_type(const struct kernel *kernel, const char *pmu);

#endif
