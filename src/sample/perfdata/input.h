/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bytes of a recording, from a file or a pipe, through a bounded buffer. Copying avoids SIGBUS
 * if the file is truncated meanwhile. A pipe can be spooled to an unnamed file, to be read twice.
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
    int64_t written_unix_s; /* time when the file was last written; 0: a pipe */
    uint64_t size_bytes;    /* of the file; UINT64_MAX: a pipe, not known */
    uint64_t at;            /* offset of the next byte handed out */
    uint64_t end;           /* reading stops here; UINT64_MAX: no limit */
    unsigned char *buffer;
    size_t room;
    size_t waiting_start; /* first byte waiting in the buffer */
    size_t waiting_end;   /* one past the last waiting byte */
    int failed;           /* negative errno of the failed read, 0: none */
    /* A pipe that was partly spooled and continues: */
    bool pipe_continues;
    int pipe_fd;
    bool follows_pipe;   /* continue reading from the pipe, without waiting: it has no end yet */
    bool is_empty_now;   /* nothing was available: the last peek must be retried */
    uint64_t arrived_ns; /* time when data last arrived */
    bool was_idle;       /* it was empty for longer than a file sent through a pipe ever is */
};

/* Opens an input. `path` "-": standard input, which stays open. */
int input_open(struct input *input, const char *path, struct error *error);
void input_close(struct input *input);

/* Returns the number of bytes up to the end, or UINT64_MAX for a pipe. */
static inline uint64_t input_left(const struct input *input)
{
    uint64_t end = input->end < input->size_bytes ? input->end : input->size_bytes;
    return end == UINT64_MAX ? UINT64_MAX : end > input->at ? end - input->at : 0;
}

/* Slow path of input_peek(): the buffer does not contain the bytes. */
const unsigned char *input_peek_on(struct input *input, size_t size_bytes);

/* Returns the next `size_bytes` (at most 128 KiB) without taking them, or NULL if there are fewer.
 * Valid until the next call. */
static inline const unsigned char *input_peek(struct input *input, size_t size_bytes)
{
    bool there =
        input->waiting_end - input->waiting_start >= size_bytes && size_bytes <= input_left(input);
    if (!there)
        return input_peek_on(input, size_bytes);
    input->is_empty_now = false;
    return input->buffer + input->waiting_start;
}

/* Takes bytes that were peeked at. */
static inline void input_take(struct input *input, size_t size_bytes)
{
    input->waiting_start += size_bytes;
    input->at += size_bytes;
}

/* Skips bytes. Returns false if the input ends before that. */
bool input_skip(struct input *input, uint64_t size_bytes);

/* Continues at `offset`; for seekable inputs only. */
int input_seek(struct input *input, uint64_t offset);

/* Ignores the current position. Returns the number of bytes or a negative errno. */
long input_read_at(const struct input *input, uint64_t offset, void *out, size_t size);

/* Returns 1 if a process has the file open for writing, 0 if not, or -1 if not known. */
int input_has_writer(const struct input *input);

/*
 * Copies a pipe, from its first byte, to a file without a name, and continues with that file.
 * Returns 0 if all of it was copied. Returns 1 if the pipe continues but has been silent (`wait_s`
 * NAN: waits instead) or there is no more room: then input_spool_more() copies further in the same
 * way, and input_follow() reads the file and then the pipe itself without keeping its bytes.
 * -EINTR: a signal that ends the program is pending.
 */
int input_spool(struct input *input, double wait_s, struct error *error);
int input_spool_more(struct input *input, double wait_s, struct error *error);
void input_follow(struct input *input);

/* Returns true if nothing has arrived for a while: later records belong to a later time. */
bool input_quiet(const struct input *input);

/* Returns true if a blocked signal is pending that will end the program. */
bool input_interrupted(void);

/* Returns "is ...; remedy" by the first bytes, to be printed after the path. Never NULL. */
const char *foreign_file(const unsigned char *bytes, size_t size);

/* The chunks of a recording are one continuous zstd stream, and a record may begin in one chunk and
 * end in another. Output goes through one bounded buffer, however much a chunk expands to. */
struct compressed {
    ZSTD_DStream *zstd; /* NULL until the first chunk */
    ZSTD_inBuffer chunk;
    unsigned char *buffer;
    size_t output_start; /* first byte not handed out yet */
    size_t output_end;
    bool drained; /* zstd has no more output of this chunk */
};

/* The records of a recording one by one, in file order: unpacks compressed records and skips trace
 * data between records. Format: tools/perf/Documentation/perf.data-file-format.txt. */

/* Records of perf itself, in addition to the kernel's (tools/lib/perf/include/perf/event.h). */
enum tape_type {
    TAPE_USER = 64, /* first record type that is not the kernel's */
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
    TAPE_CUT,         /* ends inside a record, or before its data end */
    TAPE_DAMAGED,     /* an invalid record */
    TAPE_NOT_UNPACKED /* zstd rejected the compressed records */
};

struct tape {
    struct input *input; /* at the first record */
    bool swap;           /* from a machine of the other byte order */
    bool expects_more;   /* according to the header there are data beyond the end of the input */
    enum tape_end end;
    uint64_t aux_bytes; /* trace data skipped */
    struct compressed compressed;
};

struct tape_record {
    struct perf_event_header header; /* in our byte order */
    const unsigned char *bytes;      /* header first, original byte order; until the next call */
};

void tape_init(struct tape *tape, struct input *input, bool swap);
void tape_fini(struct tape *tape);

/* Returns 1 and a record; 0 at the end, with its kind in `end`; -EAGAIN if the record has not
 * arrived yet in a followed pipe; -ENOMEM, or the errno of a read. */
int tape_next(struct tape *tape, struct tape_record *record);

/* Returns the bytes of the next records that are already in the buffer, so that many of them can be
 * processed without a call for each. The last record may be cut. Valid until the next call. */
const unsigned char *tape_ahead(struct tape *tape, size_t *size_bytes);

/* Takes whole records from tape_ahead(). */
void tape_take(struct tape *tape, size_t size_bytes);

#endif
