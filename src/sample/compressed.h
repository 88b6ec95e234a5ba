/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compressed records: the chunks of a recording are one continuous zstd stream, and a record may
 * begin in one chunk and end in another. Output goes through one bounded buffer, however much a
 * chunk holds. For tape.c only.
 */
#ifndef MISSTOP_SAMPLE_COMPRESSED_H
#define MISSTOP_SAMPLE_COMPRESSED_H

#include <stdbool.h>
#include <stddef.h>
#include <zstd.h>

struct compressed {
    ZSTD_DStream *zstd; /* NULL until the first chunk */
    ZSTD_inBuffer chunk;
    unsigned char *buffer;
    size_t first; /* of the bytes not handed out yet */
    size_t past;
    bool drained; /* zstd has nothing left of this chunk */
};

void compressed_fini(struct compressed *compressed);

/*
 * The next chunk, after the one before was used up; it must stay until this one is. 0 or
 * -ENOMEM.
 */
int compressed_feed(struct compressed *compressed, const void *bytes, size_t size_bytes);

/*
 * `size_bytes` (at most 64 KiB) of what comes next, without taking it. 1; 0: not before the next
 * chunk; -EBADMSG: no zstd stream, or damaged.
 */
int compressed_peek(struct compressed *compressed, size_t size_bytes, const unsigned char **bytes);
void compressed_skip(struct compressed *compressed, size_t size_bytes);

#endif
