/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The records of a recording one by one, as they lie in the file: compressed ones unpacked, what
 * lies between records (trace data) stepped over. For perfdata*.c.
 * Format: tools/perf/Documentation/perf.data-file-format.txt.
 */
#ifndef MISSTOP_SAMPLE_STREAM_H
#define MISSTOP_SAMPLE_STREAM_H

#include "sample/compressed.h"
#include "sample/input.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

/* Records of perf itself, beside those of the kernel (tools/lib/perf/include/perf/event.h). */
enum stream_type {
    STREAM_USER = 64, /* the first that is not the kernel's */
    STREAM_ATTR = 64,
    STREAM_TRACING_DATA = 66,
    STREAM_BUILD_ID = 67,
    STREAM_FINISHED_ROUND = 68,
    STREAM_AUXTRACE_INFO = 70,
    STREAM_AUXTRACE = 71,
    STREAM_EVENT_UPDATE = 78,
    STREAM_FEATURE = 80,
    STREAM_COMPRESSED = 81,
    STREAM_COMPRESSED2 = 83
};

enum stream_end {
    STREAM_GOES_ON,
    STREAM_WHOLE,
    STREAM_CUT,         /* ends inside a record, or before its data do */
    STREAM_DAMAGED,     /* a record that cannot be one */
    STREAM_NOT_UNPACKED /* zstd refused the compressed records */
};

struct stream {
    struct input *input; /* at the first record */
    bool swap;           /* of the other byte order */
    bool expects_more;   /* the header promised data beyond what the input holds */
    enum stream_end end;
    uint64_t aux_bytes; /* trace data stepped over */
    struct compressed compressed;
};

struct stream_record {
    struct perf_event_header header; /* in our byte order */
    const unsigned char *bytes;      /* header first, in its own order; until the next call */
};

void stream_init(struct stream *stream, struct input *input, bool swap);
void stream_fini(struct stream *stream);

/* 1 and a record; 0 at the end, whose kind stands in `end`; -ENOMEM, or the errno of a read. */
int stream_next(struct stream *stream, struct stream_record *record);

#endif
