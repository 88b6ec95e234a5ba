/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/channel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { STREAM_STEP_BYTES = 65536, STREAM_KEPT_BYTES = 1 << 20 };

static void bytes_fini(struct channel_bytes *bytes)
{
    free(bytes->at);
    *bytes = (struct channel_bytes){0};
}

void channel_fini(struct channel *channel)
{
    if (channel->fd >= 0)
        close(channel->fd);
    channel->fd = -1;
    bytes_fini(&channel->in);
    bytes_fini(&channel->out);
}

/* What counts moves to the front; a buffer that was large once does not stay so. */
static void tidy(struct channel_bytes *bytes)
{
    if (bytes->start == bytes->end && bytes->room > STREAM_KEPT_BYTES)
        bytes_fini(bytes);
    if (!bytes->start)
        return;
    memmove(bytes->at, bytes->at + bytes->start, bytes->end - bytes->start);
    bytes->end -= bytes->start;
    bytes->start = 0;
}

unsigned char *channel_room(struct channel_bytes *bytes, size_t more)
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

void channel_grown(struct channel_bytes *bytes, size_t more)
{
    bytes->end += more;
}

long channel_read(struct channel *channel)
{
    unsigned char *into = channel_room(&channel->in, STREAM_STEP_BYTES);
    ssize_t got;
    if (!into)
        return -ENOMEM;
    do
        got = read(channel->fd, into, STREAM_STEP_BYTES);
    while (got < 0 && errno == EINTR);
    if (got > 0)
        channel_grown(&channel->in, (size_t)got);
    return got < 0 ? -errno : got;
}

int channel_write(struct channel *channel)
{
    struct channel_bytes *out = &channel->out;
    while (out->start < out->end) {
        ssize_t gone = send(channel->fd, out->at + out->start, out->end - out->start, MSG_NOSIGNAL);
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
