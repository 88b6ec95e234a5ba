/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One end of a socket pair with what has come but was not taken and what is to go but could not
 * yet. Whether it waits is the descriptor's own setting. For worker.c and serve.c.
 */
#ifndef MISSTOP_RESOLVE_DWARF_STREAM_H
#define MISSTOP_RESOLVE_DWARF_STREAM_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of which [start, end) count. */
struct stream_bytes {
    unsigned char *at;
    size_t start;
    size_t end;
    size_t room;
};

struct stream {
    int fd; /* owned; -1: closed */
    struct stream_bytes in;
    struct stream_bytes out;
};

void stream_fini(struct stream *stream);

/* Room for more bytes at the end; NULL: out of memory. stream_grown() makes them count. */
unsigned char *stream_room(struct stream_bytes *bytes, size_t more);
void stream_grown(struct stream_bytes *bytes, size_t more);

/* Reads once what there is: > 0 bytes, 0 end, or a negative errno (-EAGAIN: nothing now). */
long stream_read(struct stream *stream);

/* Writes all, or as much as goes without waiting (0 too); a negative errno: the end. */
int stream_write(struct stream *stream);

#endif
