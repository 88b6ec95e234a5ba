/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/compressed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Room for the longest record and for zstd to work at length. */
enum { COMPRESSED_BUFFER_BYTES = 256 * 1024 };

void compressed_fini(struct compressed *compressed)
{
    ZSTD_freeDStream(compressed->zstd);
    free(compressed->buffer);
    *compressed = (struct compressed){0};
}

int compressed_feed(struct compressed *compressed, const void *bytes, size_t size_bytes)
{
    if (!compressed->zstd) {
        compressed->zstd = ZSTD_createDStream();
        compressed->buffer = malloc(COMPRESSED_BUFFER_BYTES);
    }
    if (!compressed->zstd || !compressed->buffer)
        return -ENOMEM;
    compressed->chunk = (ZSTD_inBuffer){bytes, size_bytes, 0};
    compressed->drained = false;
    return 0;
}

/* One step of zstd into the room behind what waits. */
static int unpack(struct compressed *compressed)
{
    size_t waiting = compressed->past - compressed->first;
    memmove(compressed->buffer, compressed->buffer + compressed->first, waiting);
    compressed->first = 0;
    ZSTD_outBuffer out = {compressed->buffer, COMPRESSED_BUFFER_BYTES, waiting};
    size_t result = ZSTD_decompressStream(compressed->zstd, &out, &compressed->chunk);
    compressed->past = out.pos;
    if (ZSTD_isError(result))
        return -EBADMSG;
    /* A full buffer may leave more inside zstd; room left over says that there is none. */
    bool used_up = compressed->chunk.pos == compressed->chunk.size;
    compressed->drained = (used_up && out.pos < out.size) || out.pos == waiting;
    return 0;
}

int compressed_peek(struct compressed *compressed, size_t size_bytes, const unsigned char **bytes)
{
    if (!compressed->zstd)
        return 0;
    while (compressed->past - compressed->first < size_bytes) {
        if (compressed->drained)
            return 0;
        int code = unpack(compressed);
        if (code)
            return code;
    }
    *bytes = compressed->buffer + compressed->first;
    return 1;
}

void compressed_skip(struct compressed *compressed, size_t size_bytes)
{
    compressed->first += size_bytes;
}
