/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The records of a recording one by one, as they lie in the file: compressed ones unpacked, what
 * lies between records (trace data) stepped over. For perfdata*.c.
 * Format: tools/perf/Documentation/perf.data-file-format.txt.
 */
#ifndef MISSTOP_SAMPLE_TAPE_H
#define MISSTOP_SAMPLE_TAPE_H

#include "sample/compressed.h"
#include "sample/input.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

/* Records of perf itself, beside those of the kernel (tools/lib/perf/include/perf/event.h). */
enum tape_type {
    TAPE_USER = 64, /* the first that is not the kernel's */
    TAPE_ATTR = 64,
    TAPE_TRACING_DATA = 66,
    TAPE_BUILD_ID = 67,
    TAPE_FINISHED_ROUND = 68,
    TAPE_AUXTRACE_INFO = 70,
    TAPE_AUXTRACE = 71,
    TAPE_EVENT_UPDATE = 78,
    TAPE_FEATURE = 80,
    TAPE_COMPRESSED = 81,
    TAPE_COMPRESSED2 = 83
};

enum tape_end {
    TAPE_GOES_ON,
    TAPE_WHOLE,
    TAPE_CUT,         /* ends inside a record, or before its data do */
    TAPE_DAMAGED,     /* a record that cannot be one */
    TAPE_NOT_UNPACKED /* zstd refused the compressed records */
};

struct tape {
    struct input *input; /* at the first record */
    bool swap;           /* of the other byte order */
    bool expects_more;   /* the header promised data beyond what the input holds */
    enum tape_end end;
    uint64_t aux_bytes; /* trace data stepped over */
    struct compressed compressed;
};

struct tape_record {
    struct perf_event_header header; /* in our byte order */
    const unsigned char *bytes;      /* header first, in its own order; until the next call */
};

void tape_init(struct tape *tape, struct input *input, bool swap);
void tape_fini(struct tape *tape);

/* 1 and a record; 0 at the end, whose kind stands in `end`; -EAGAIN: of a pipe that is followed it
 * has not come yet; -ENOMEM, or the errno of a read. */
int tape_next(struct tape *tape, struct tape_record *record);

#endif
