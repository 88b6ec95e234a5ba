/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { STREAM_STEP_BYTES = 65536, STREAM_KEPT_BYTES = 1 << 20 };

static void bytes_fini(struct stream_bytes *bytes)
{
    free(bytes->at);
    *bytes = (struct stream_bytes){0};
}

void stream_fini(struct stream *stream)
{
    if (stream->fd >= 0)
        close(stream->fd);
    stream->fd = -1;
    bytes_fini(&stream->in);
    bytes_fini(&stream->out);
}

/* What counts moves to the front; a buffer that was large once does not stay so. */
static void tidy(struct stream_bytes *bytes)
{
    if (bytes->start == bytes->end && bytes->room > STREAM_KEPT_BYTES)
        bytes_fini(bytes);
    if (!bytes->start)
        return;
    memmove(bytes->at, bytes->at + bytes->start, bytes->end - bytes->start);
    bytes->end -= bytes->start;
    bytes->start = 0;
}

unsigned char *stream_room(struct stream_bytes *bytes, size_t more)
{
    if (bytes->room - bytes->end < more)
        tidy(bytes);
    if (bytes->room - bytes->end < more) {
        size_t room = (bytes->end + more) * 2;
        unsigned char *larger = realloc(bytes->at, room);
        if (!larger)
            return NULL;
        bytes->at = larger;
        bytes->room = room;
    }
    return bytes->at + bytes->end;
}

void stream_grown(struct stream_bytes *bytes, size_t more)
{
    bytes->end += more;
}

long stream_read(struct stream *stream)
{
    unsigned char *into = stream_room(&stream->in, STREAM_STEP_BYTES);
    ssize_t got;
    if (!into)
        return -ENOMEM;
    do
        got = read(stream->fd, into, STREAM_STEP_BYTES);
    while (got < 0 && errno == EINTR);
    if (got > 0)
        stream_grown(&stream->in, (size_t)got);
    return got < 0 ? -errno : got;
}

int stream_write(struct stream *stream)
{
    struct stream_bytes *out = &stream->out;
    while (out->start < out->end) {
        ssize_t gone = send(stream->fd, out->at + out->start, out->end - out->start, MSG_NOSIGNAL);
        if (gone < 0 && errno == EAGAIN)
            return 0;
        if (gone < 0 && errno != EINTR)
            return -errno;
        if (gone > 0)
            out->start += (size_t)gone;
    }
    tidy(out);
    return 0;
}
