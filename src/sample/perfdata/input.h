/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bytes of a recording, from a file or a pipe, read front to back through one bounded buffer; a
 * copy, so that a file cut short meanwhile raises no SIGBUS. A pipe can be spooled to an unnamed
 * file, to be read twice.
 */
#ifndef MISSTOP_SAMPLE_PERFDATA_INPUT_H
#define MISSTOP_SAMPLE_PERFDATA_INPUT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zstd.h>

#include "base/error.h"

struct input {
    int fd;
    bool seekable;
    int64_t written_unix_s; /* when the file was last written; 0: a pipe */
    uint64_t size_bytes;    /* of the file; UINT64_MAX: a pipe's, not known */
    uint64_t at;            /* offset of the next byte handed out */
    uint64_t end;           /* nothing is read from here on; UINT64_MAX: no such limit */
    unsigned char *buffer;
    size_t room;
    size_t first; /* of the bytes waiting in the buffer */
    size_t past;  /* one after the last */
    int failed;   /* negative errno of the read that failed, 0: none */
    /* A pipe that was spooled in part and goes on: */
    bool goes_on;
    int pipe_fd;      /* where */
    bool follows;     /* read on from there, without waiting: it has no end yet */
    bool dry;         /* nothing came when more was wanted: the last peek is to be tried again */
    uint64_t came_ns; /* when something came last */
    bool idled;       /* it was dry for longer than a file that is piped ever is */
};

/* `path` "-": standard input, left open. */
int input_open(struct input *input, const char *path, struct error *error);
void input_close(struct input *input);

/* Bytes between here and the end, as far as they are known: UINT64_MAX for a pipe. */
static inline uint64_t input_left(const struct input *input)
{
    uint64_t end = input->end < input->size_bytes ? input->end : input->size_bytes;
    return end == UINT64_MAX ? UINT64_MAX : end > input->at ? end - input->at : 0;
}

/* The same as input_peek(), where the buffer does not have it. */
const unsigned char *input_peek_on(struct input *input, size_t size_bytes);

/*
 * `size_bytes` (at most 128 KiB) of what comes next, without taking it; NULL where there are not
 * as many. Valid until the next call.
 */
static inline const unsigned char *input_peek(struct input *input, size_t size_bytes)
{
    bool there = input->past - input->first >= size_bytes && size_bytes <= input_left(input);
    if (!there)
        return input_peek_on(input, size_bytes);
    input->dry = false;
    return input->buffer + input->first;
}

/* Takes what was peeked at. */
static inline void input_take(struct input *input, size_t size_bytes)
{
    input->first += size_bytes;
    input->at += size_bytes;
}

/* Steps over so much; false where the input ends before. */
bool input_skip(struct input *input, uint64_t size_bytes);

/* Goes on from `offset`; for seekable inputs only. */
int input_seek(struct input *input, uint64_t offset);

/* Up to `size` bytes at `offset`, whatever was read before: how many, or a negative errno. */
long input_read_at(const struct input *input, uint64_t offset, void *out, size_t size);

/* Whether a process has the file open for writing: 1, 0, or -1 where that cannot be known. */
int input_has_writer(const struct input *input);

/*
 * Copies a pipe, from its first byte, into a file without a name, and goes on with that. 0: all of
 * it; 1: the pipe goes on, but it has been silent (`wait_s` NAN: silence is waited for), or there
 * is no more room; input_spool_more() copies on, as the first time, and input_follow() reads the
 * file and then the pipe itself, and keeps nothing of the pipe. -EINTR: a signal is waiting that
 * ends the program.
 */
int input_spool(struct input *input, double wait_s, struct error *error);
int input_spool_more(struct input *input, double wait_s, struct error *error);
void input_follow(struct input *input);

/* Nothing has come for a while; what does will not be of the same time any more. */
bool input_quiet(const struct input *input);

/* To poll for what comes next; -1: it is no pipe that is followed. */
int input_fd(const struct input *input);

/* Whether a signal waits that ends the program when the loop comes to it: those are blocked. */
bool input_interrupted(void);

/* Recognises files that are no recording, with the remedy. */
/* By its first bytes: "is ...; remedy", to follow the path. Never NULL. */
const char *foreign_file(const unsigned char *bytes, size_t size);

/*
 * Compressed records: the chunks of a recording are one continuous zstd stream, and a record may
 * begin in one chunk and end in another. Output goes through one bounded buffer, however much a
 * chunk holds.
 */
struct compressed {
    ZSTD_DStream *zstd; /* NULL until the first chunk */
    ZSTD_inBuffer chunk;
    unsigned char *buffer;
    size_t first; /* of the bytes not handed out yet */
    size_t past;
    bool drained; /* zstd has nothing left of this chunk */
};

/*
 * The records of a recording one by one, in the order of the file: compressed ones unpacked, trace
 * data between records skipped. Format: tools/perf/Documentation/perf.data-file-format.txt.
 */
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

/* 1 and a record; 0 at the end, with its kind in `end`; -EAGAIN: it has not come yet in a followed
 * pipe; -ENOMEM, or the errno of a read. */
int tape_next(struct tape *tape, struct tape_record *record);

/* The bytes of the next records that are here already, so that many of them can be looked at
 * without a call for each; the last one may be cut. Valid until the next call. */
const unsigned char *tape_ahead(struct tape *tape, size_t *size_bytes);

/* Takes whole records of these. */
void tape_take(struct tape *tape, size_t size_bytes);

#endif
