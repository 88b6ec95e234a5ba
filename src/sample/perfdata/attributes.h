/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The events of a recording: their attributes, the ids by which records name them, and the layout
 * of the records of each. Every byte is untrusted.
 */
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
    uint32_t pmu;      /* of one kind of cores of a hybrid CPU; 0: of the CPU, or by its type */
    char name[64];     /* as recorded, printable; "" until it is known */
};

struct attributes {
    struct attribute *events;
    size_t count;
    size_t room;
    struct hash event_of_id;
    unsigned shown;                 /* numbers given: events that can have samples */
    bool joined[SAMPLE_EVENTS_MAX]; /* by number: the same event of several kinds of cores */
};

void attributes_fini(struct attributes *attributes);

/*
 * An attribute of `size_bytes`, older and newer than ours alike, as the next event. 0, -ENOMEM,
 * or -E2BIG where there are more than a recording can have.
 */
int attributes_add(struct attributes *attributes, const void *bytes, size_t size_bytes, bool swap);

/* An id of event `index`. 0, -ENOMEM or -E2BIG. */
int attributes_add_id(struct attributes *attributes, size_t index, uint64_t id);

/* Body of a HEADER_ATTR record: an attribute and its ids. 0, -EBADMSG, or as above. */
int attributes_add_record(struct attributes *attributes, struct cursor *cursor);

/* The event with this id; NULL: none. */
struct attribute *attributes_by_id(const struct attributes *attributes, uint64_t id);

/*
 * The event that a record of the kernel belongs to; NULL: its id is of no event. Records that perf
 * made up itself carry the id 0 and are laid out as the first event's. There must be an event.
 */
struct attribute *attributes_of(const struct attributes *attributes, const void *bytes,
                                const struct perf_event_header *header);

/*
 * Numbers the events for struct sample: those with samples first, dummies last, else as they came.
 * The same event of a hybrid CPU's kinds of cores has one number: where a thread runs says nothing
 * of its data.
 */
void attributes_number(struct attributes *attributes);

/* "cycles:u" of "cpu_core/cycles/u" and of "cpu_atom/cycles:u/": the name of an event on whichever
 * cores; any other name is left as it is. True: it was one of these. */
bool attributes_plain_name(const char *name, char *out, size_t out_size);

/* The registers of all events are those of another architecture. */
void attributes_set_foreign(struct attributes *attributes);

/* The recorder was an Intel CPU: where a precise event asked for registers, PEBS wrote them, as
 * they were after the instruction (SDM volume 3, "Processor Event-Based Sampling"). */
void attributes_set_pebs(struct attributes *attributes);

/*
 * Leader sampling (perf record -e '{a,b}:S'): only the leader takes samples, and each carries the
 * counts of all members. A sample becomes one of each member that has counted since, with that
 * count as its weight: as perf shows them. Source: include/uapi/linux/perf_event.h, "struct
 * read_format".
 */
struct reads {
    struct hash index_of_id; /* into counts */
    uint64_t *counts;        /* as each event's count, on one CPU, was read last */
    size_t count;
    size_t room;
};

void reads_fini(struct reads *reads);

/* The recording begins anew. */
void reads_restart(struct reads *reads);

/* Whether samples of a format carry counts by which they are distinguished. */
bool reads_in(const struct record_format *format);

/* Gets the sample of one member; event NULL: of one that the recording does not describe. 0, or a
 * negative errno that ends the rest. */
typedef int (*reads_take)(void *context, struct attribute *event, const struct record *record);

/* The samples that `record`, which was parsed from `bytes`, represents. 0, -EBADMSG, -ENOMEM, or
 * what `take` returned. */
int reads_expand(struct reads *reads, const struct attributes *attributes, const void *bytes,
                 size_t size, const struct attribute *event, const struct record *record,
                 reads_take take, void *context);

#endif
