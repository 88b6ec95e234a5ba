/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/stream.h"

#include "sample/cursor.h"
#include "sample/record.h"

#include <errno.h>

enum { HEADER_BYTES = sizeof(struct perf_event_header) };

void stream_init(struct stream *stream, struct input *input, bool swap)
{
    *stream = (struct stream){.input = input, .swap = swap};
}

void stream_fini(struct stream *stream)
{
    compressed_fini(&stream->compressed);
}

static int ended(struct stream *stream, enum stream_end end)
{
    stream->end = end;
    return 0;
}

/* No more bytes where some were wanted: a clean end, or is something missing? */
static int ran_out(struct stream *stream)
{
    if (stream->input->failed)
        return stream->input->failed;
    uint64_t left = input_left(stream->input);
    bool rest = left == UINT64_MAX ? stream->input->past > stream->input->first : left > 0;
    if (stream->expects_more)
        return ended(stream, STREAM_CUT);
    /* A record that leads out of the data, where there is more of the file, is none. */
    bool bounded = stream->input->end != UINT64_MAX;
    return ended(stream, !rest ? STREAM_WHOLE : bounded ? STREAM_DAMAGED : STREAM_CUT);
}

static bool is_compressed(const struct stream_record *record)
{
    return record->header.type == STREAM_COMPRESSED || record->header.type == STREAM_COMPRESSED2;
}

/* The next record among those unpacked; 0: a further chunk is needed, or the stream ended. */
static int next_unpacked(struct stream *stream, struct stream_record *record)
{
    struct compressed *compressed = &stream->compressed;
    int code = compressed_peek(compressed, HEADER_BYTES, &record->bytes);
    if (code == 1) {
        record->header = record_header(record->bytes, HEADER_BYTES, stream->swap);
        if (record->header.size < HEADER_BYTES || is_compressed(record))
            return ended(stream, STREAM_DAMAGED);
        code = compressed_peek(compressed, record->header.size, &record->bytes);
    }
    if (code < 0)
        return ended(stream, STREAM_NOT_UNPACKED);
    if (code == 1)
        compressed_skip(compressed, record->header.size);
    return code;
}

static int feed_chunk(struct stream *stream, const struct stream_record *record)
{
    struct cursor cursor = {record->bytes, record->header.size, false, stream->swap};
    uint64_t size = record->header.size - HEADER_BYTES;
    cursor_skip(&cursor, HEADER_BYTES);
    if (record->header.type == STREAM_COMPRESSED2) {
        size = cursor_u64(&cursor);
        if (cursor.bad || size > cursor.left)
            return -EBADMSG;
    }
    return compressed_feed(&stream->compressed, cursor.at, (size_t)size);
}

/* What follows such a record and is not counted in its size. */
static uint64_t bytes_behind(struct stream *stream, const struct stream_record *record)
{
    struct cursor cursor = {record->bytes, record->header.size, false, stream->swap};
    cursor_skip(&cursor, HEADER_BYTES);
    if (record->header.type == STREAM_AUXTRACE)
        return cursor_u64(&cursor);
    if (record->header.type == STREAM_TRACING_DATA)
        return ((uint64_t)cursor_u32(&cursor) + 7) & ~UINT64_C(7);
    return 0;
}

/* The next record of the input itself; taken, though its bytes stay until the next peek. */
static int next_plain(struct stream *stream, struct stream_record *record)
{
    record->bytes = input_peek(stream->input, HEADER_BYTES);
    if (!record->bytes)
        return ran_out(stream);
    record->header = record_header(record->bytes, HEADER_BYTES, stream->swap);
    if (record->header.size < HEADER_BYTES)
        return ended(stream, STREAM_DAMAGED);
    record->bytes = input_peek(stream->input, record->header.size);
    if (!record->bytes)
        return ran_out(stream);
    uint64_t behind = bytes_behind(stream, record);
    input_skip(stream->input, record->header.size);
    if (!behind)
        return 1;
    if (record->header.type == STREAM_AUXTRACE)
        stream->aux_bytes += behind;
    if (!input_skip(stream->input, behind))
        return stream->input->failed ? stream->input->failed : ended(stream, STREAM_CUT);
    /* That may have pushed the record out of the buffer; nobody needs it. */
    record->bytes = NULL;
    return 1;
}

int stream_next(struct stream *stream, struct stream_record *record)
{
    while (stream->end == STREAM_GOES_ON) {
        int code = next_unpacked(stream, record);
        if (code || stream->end != STREAM_GOES_ON)
            return code;
        code = next_plain(stream, record);
        if (code != 1 || (record->bytes && !is_compressed(record)))
            return code;
        if (record->bytes)
            code = feed_chunk(stream, record);
        if (code == -EBADMSG)
            return ended(stream, STREAM_DAMAGED);
        if (code < 0)
            return code;
    }
    return 0;
}
