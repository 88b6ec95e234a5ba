/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One end of a socket pair with what has come but was not taken and what is to go but could not
 * yet. Whether it waits is the descriptor's own setting. For worker.c and serve.c.
 */
#ifndef MISSTOP_RESOLVE_DWARF_CHANNEL_H
#define MISSTOP_RESOLVE_DWARF_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of which [start, end) count. */
struct channel_bytes {
    unsigned char *at;
    size_t start;
    size_t end;
    size_t room;
};

struct channel {
    int fd; /* owned; -1: closed */
    struct channel_bytes in;
    struct channel_bytes out;
};

void channel_fini(struct channel *channel);

/* Room for more bytes at the end; NULL: out of memory. channel_grown() makes them count. */
unsigned char *channel_room(struct channel_bytes *bytes, size_t more);
void channel_grown(struct channel_bytes *bytes, size_t more);

/* Reads once what there is: > 0 bytes, 0 end, or a negative errno (-EAGAIN: nothing now). */
long channel_read(struct channel *channel);

/* Writes all, or as much as goes without waiting (0 too); a negative errno: the end. */
int channel_write(struct channel *channel);

#endif
