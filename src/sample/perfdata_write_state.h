/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording that is being written: shared by perfdata_write*.c, and by nobody else. */
#ifndef MISSTOP_SAMPLE_PERFDATA_WRITE_STATE_H
#define MISSTOP_SAMPLE_PERFDATA_WRITE_STATE_H

#include "sample/perfdata_write.h"
#include "sample/perfdata_write_build_id.h"
#include "sample/perfdata_write_bytes.h"
#include "sample/perfdata_write_host.h"
#include "sample/perfdata_write_record.h"
#include "sample/perfdata_write_tasks.h"

struct perfdata_writer_event {
    struct perf_event_attr attr;
    struct perfdata_layout layout;
    bool told; /* it has no data source of its own */
    char name[64];
};

struct perfdata_writer {
    char *path;
    int fd; /* -1: the next file could not be begun yet */
    pid_t pid;
    bool live;
    struct perfdata_writer_event events[SAMPLE_EVENTS_MAX];
    unsigned event_count;
    uint64_t session;    /* a number that other recordings do not have */
    uint64_t generation; /* files begun */
    bool wants_another;  /* file, with the next record */
    uint64_t limit_bytes;
    unsigned files;

    struct perfdata_bytes buffer; /* records that wait to be written */
    struct perfdata_bytes tail;   /* the description, while it is written */
    uint64_t data_at;             /* offset of the first record */
    uint64_t data_end;            /* ... behind the last one written */
    uint64_t told_end;            /* ... behind what was said of tasks before the first one */
    uint64_t tail_bytes;          /* size of the description when it was written last */
    bool sealed;                  /* header and description agree with the records */
    bool round;                   /* records came since the last round ended */

    struct perfdata_tasks tasks;
    struct perfdata_build_ids build_ids;
    struct perfdata_sections sections;
    uint64_t first_sample_ns; /* of this file; 0: none */
    uint64_t last_sample_ns;
    uint64_t last_ns; /* of any record */
    uint64_t dropped;
    uint64_t dropped_before; /* ... of which LOST records told */
    struct error trouble;    /* code 0: none */
};

/* 0 or -EINVAL. */
int perfdata_writer_check(const struct perfdata_writer_options *options, struct error *error);
void perfdata_writer_take(struct perfdata_writer *writer,
                          const struct perfdata_writer_options *options);

/* Gives each event the id that it has in this file, which holds no records yet. */
void perfdata_head_number(struct perfdata_writer *writer);

/* Header, ids and attributes at the start of an empty file. 0 or -errno. */
int perfdata_head_begin(struct perfdata_writer *writer);

/* Takes the description back, for records are about to overwrite it; and puts it behind them. */
int perfdata_head_unseal(struct perfdata_writer *writer);
int perfdata_head_seal(struct perfdata_writer *writer);

#endif
