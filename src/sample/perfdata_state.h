/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording that is open: shared by perfdata*.c, and by nobody else. */
#ifndef MISSTOP_SAMPLE_PERFDATA_STATE_H
#define MISSTOP_SAMPLE_PERFDATA_STATE_H

#include "sample/attributes.h"
#include "sample/build_ids.h"
#include "sample/features.h"
#include "sample/input.h"
#include "sample/order.h"
#include "sample/perfdata.h"
#include "sample/perfdata_header.h"
#include "sample/processes.h"
#include "sample/reads.h"
#include "sample/tape.h"

struct perfdata {
    struct input input;
    struct perfdata_header header;
    struct tape tape;
    struct tape_record held; /* read but not taken yet; bytes NULL: none */
    struct attributes attributes;
    struct build_ids build_ids;
    struct processes processes;
    struct reads reads;
    struct order order;
    struct perfdata_machine machine;
    struct perfdata_counts counts;
    pid_t pid;
    char name[128];     /* the path, for messages */
    bool surveyed;      /* read once to its end: events, processes and counts are known */
    bool more;          /* of a pipe that is followed: there was more to read */
    bool finished;      /* the tape has no more records */
    uint64_t oldest_ns; /* of all records; 0: not known */
    uint64_t first_ns;  /* time 0 of the replay: the first sample of its process; 0: not known */
    uint64_t clock_ns;  /* of the record handed on last */
};

/* Takes what one of perf's own records says, unless that is known. 0 or -ENOMEM. */
int perfdata_take_own(struct perfdata *file, const struct tape_record *found);

/* The features of a file that is no piped recording. 0 or -ENOMEM. */
int perfdata_take_features(struct perfdata *file);

/*
 * One of the kernel's records in our form: 1 with its event, or 0 for what is of no interest or
 * no use, which is counted.
 */
int perfdata_parse(struct perfdata *file, const struct tape_record *found, struct attribute **event,
                   struct record *record);

/* What one of them stands for, as record by record with its event: itself, or where samples carry
 * counts one of each member of the group. 0, -ENOMEM, or what `take` returned. */
int perfdata_expand(struct perfdata *file, const struct tape_record *found, struct attribute *event,
                    const struct record *record, reads_take take, void *context);

/* Into counts and processes, unless the recording was surveyed. 0 or -ENOMEM. */
int perfdata_count(struct perfdata *file, struct attribute *event, const struct record *record);

#endif
