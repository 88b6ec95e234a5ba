/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Leader sampling (perf record -e '{a,b}:S'): only the leader takes samples, and each carries the
 * counts of all members. A sample becomes one of each member that has counted since, and weighs
 * what it has counted: as perf shows them. For perfdata*.c.
 * Source: include/uapi/linux/perf_event.h, "struct read_format".
 */
#ifndef MISSTOP_SAMPLE_READS_H
#define MISSTOP_SAMPLE_READS_H

#include "sample/attributes.h"
#include "sample/record.h"

struct reads {
    struct hash index_of_id; /* into counts */
    uint64_t *counts;        /* as each event's count, on one CPU, was read last */
    size_t count;
    size_t room;
};

void reads_fini(struct reads *reads);

/* The recording begins anew. */
void reads_restart(struct reads *reads);

/* Whether samples of a format carry counts by which they are told apart. */
bool reads_in(const struct record_format *format);

/* Gets the sample of one member; event NULL: of one that the recording does not describe. 0, or a
 * negative errno that ends the rest. */
typedef int (*reads_take)(void *context, struct attribute *event, const struct record *record);

/* The samples that `record`, which was parsed from `bytes`, stands for. 0, -EBADMSG, -ENOMEM, or
 * what `take` returned. */
int reads_expand(struct reads *reads, const struct attributes *attributes, const void *bytes,
                 size_t size, const struct attribute *event, const struct record *record,
                 reads_take take, void *context);

#endif
