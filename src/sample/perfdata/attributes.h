/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The events of a recording: attributes, ids, and the layout of their records. Untrusted. */
#ifndef MISSTOP_SAMPLE_PERFDATA_ATTRIBUTES_H
#define MISSTOP_SAMPLE_PERFDATA_ATTRIBUTES_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "sample/cursor.h"
#include "sample/perf/record.h"

struct attribute {
    struct perf_event_attr attr;
    struct record_format format;
    uint64_t samples;  /* seen so far */
    uint64_t first_id; /* 0: has none */
    uint32_t pmu; /* PMU of one kind of cores of a hybrid CPU; 0: the CPU's, or given by the type */
    char name[64]; /* as recorded, printable; "" until known */
};

struct attributes {
    struct attribute *events;
    size_t count;
    size_t room;
    struct hash event_of_id;
    unsigned number_count;          /* numbers assigned: events that can have samples */
    bool joined[SAMPLE_EVENTS_MAX]; /* by number: the same event on several kinds of cores */
};

void attributes_fini(struct attributes *attributes);

/* Adds an attribute of `size_bytes`, older or newer than ours, as the next event. Returns 0,
 * -ENOMEM, or -E2BIG if there are more than a recording can have. */
int attributes_add(struct attributes *attributes, const void *bytes, size_t size_bytes, bool swap);

/* Adds an id of event `index`. Returns 0, -ENOMEM or -E2BIG. */
int attributes_add_id(struct attributes *attributes, size_t index, uint64_t id);

/* Adds an attribute and its ids from the body of a HEADER_ATTR record. Returns 0, -EBADMSG, or an
 * error as above. */
int attributes_add_record(struct attributes *attributes, struct cursor *cursor);

/* Returns the event with this id, or NULL. */
struct attribute *attributes_by_id(const struct attributes *attributes, uint64_t id);

/*
 * Returns the event that a record of the kernel belongs to, or NULL if no event has its id. Records
 * that perf itself made up have the id 0 and the layout of the first event. There must be an event.
 */
struct attribute *attributes_of(const struct attributes *attributes, const void *bytes,
                                const struct perf_event_header *header);

/* Numbers the events for struct sample: those with samples first, dummies last, otherwise in order
 * of appearance. The same event on both kinds of cores of a hybrid CPU has one number. */
void attributes_number(struct attributes *attributes);

/* Gets the name of an event without the kind of core: "cycles:u" from "cpu_core/cycles/u" and
 * "cpu_atom/cycles:u/". Returns false, and copies the name unchanged, for any other name. */
bool attributes_plain_name(const char *name, char *out, size_t out_size);

/* Marks the registers of all events as those of another architecture. */
void attributes_set_foreign(struct attributes *attributes);

/* Marks registers as usable, for an Intel recorder: for a precise event, PEBS recorded them after
 * the instruction (SDM volume 3, "Processor Event-Based Sampling"). */
void attributes_set_pebs(struct attributes *attributes);

/*
 * Leader sampling (perf record -e '{a,b}:S'): only the leader takes samples, with the counts of all
 * members. Like perf, expands a sample to one for each member that has counted since, weighted by
 * its count. Source: include/uapi/linux/perf_event.h, "struct read_format".
 */
struct reads {
    struct hash index_of_id; /* into counts */
    uint64_t *counts;        /* last count of each event on one CPU */
    size_t count;
    size_t room;
};

void reads_fini(struct reads *reads);

/* Resets the counts: the recording starts again. */
void reads_restart(struct reads *reads);

/* Returns true if samples of a format carry counts with ids. */
bool format_has_reads(const struct record_format *format);

/* Receives the sample of one member; event NULL: a member that the recording does not describe.
 * Returns 0, or a negative errno that stops the expansion. */
typedef int (*reads_take)(void *context, struct attribute *event, const struct record *record);

/* Passes on the samples that `record`, parsed from `bytes`, represents. Returns 0, -EBADMSG,
 * -ENOMEM, or the error of `take`. */
int reads_expand(struct reads *reads, const struct attributes *attributes, const void *bytes,
                 size_t size, const struct attribute *event, const struct record *record,
                 reads_take take, void *context);

#endif
