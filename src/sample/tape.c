/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/tape.h"

#include "sample/cursor.h"
#include "sample/record.h"

#include <errno.h>

enum { HEADER_BYTES = sizeof(struct perf_event_header) };

void tape_init(struct tape *tape, struct input *input, bool swap)
{
    *tape = (struct tape){.input = input, .swap = swap};
}

void tape_fini(struct tape *tape)
{
    compressed_fini(&tape->compressed);
}

static int ended(struct tape *tape, enum tape_end end)
{
    tape->end = end;
    return 0;
}

/* No more bytes where some were wanted: a clean end, or is something missing? */
static int ran_out(struct tape *tape)
{
    if (tape->input->failed)
        return tape->input->failed;
    uint64_t left = input_left(tape->input);
    bool rest = left == UINT64_MAX ? tape->input->past > tape->input->first : left > 0;
    if (tape->expects_more)
        return ended(tape, TAPE_CUT);
    /* A record that leads out of the data, where there is more of the file, is none. */
    bool bounded = tape->input->end != UINT64_MAX;
    return ended(tape, !rest ? TAPE_WHOLE : bounded ? TAPE_DAMAGED : TAPE_CUT);
}

static bool is_compressed(const struct tape_record *record)
{
    return record->header.type == TAPE_COMPRESSED || record->header.type == TAPE_COMPRESSED2;
}

/* The next record among those unpacked; 0: a further chunk is needed, or the tape ended. */
static int next_unpacked(struct tape *tape, struct tape_record *record)
{
    struct compressed *compressed = &tape->compressed;
    int code = compressed_peek(compressed, HEADER_BYTES, &record->bytes);
    if (code == 1) {
        record->header = record_header(record->bytes, HEADER_BYTES, tape->swap);
        if (record->header.size < HEADER_BYTES || is_compressed(record))
            return ended(tape, TAPE_DAMAGED);
        code = compressed_peek(compressed, record->header.size, &record->bytes);
    }
    if (code < 0)
        return ended(tape, TAPE_NOT_UNPACKED);
    if (code == 1)
        compressed_skip(compressed, record->header.size);
    return code;
}

static int feed_chunk(struct tape *tape, const struct tape_record *record)
{
    struct cursor cursor = {record->bytes, record->header.size, false, tape->swap};
    uint64_t size = record->header.size - HEADER_BYTES;
    cursor_skip(&cursor, HEADER_BYTES);
    if (record->header.type == TAPE_COMPRESSED2) {
        size = cursor_u64(&cursor);
        if (cursor.bad || size > cursor.left)
            return -EBADMSG;
    }
    return compressed_feed(&tape->compressed, cursor.at, (size_t)size);
}

/* What follows such a record and is not counted in its size. */
static uint64_t bytes_behind(struct tape *tape, const struct tape_record *record)
{
    struct cursor cursor = {record->bytes, record->header.size, false, tape->swap};
    cursor_skip(&cursor, HEADER_BYTES);
    if (record->header.type == TAPE_AUXTRACE)
        return cursor_u64(&cursor);
    if (record->header.type == TAPE_TRACING_DATA)
        return ((uint64_t)cursor_u32(&cursor) + 7) & ~UINT64_C(7);
    return 0;
}

/* The next record of the input itself; taken, though its bytes stay until the next peek. */
static int next_plain(struct tape *tape, struct tape_record *record)
{
    record->bytes = input_peek(tape->input, HEADER_BYTES);
    if (!record->bytes)
        return tape->input->dry ? -EAGAIN : ran_out(tape);
    record->header = record_header(record->bytes, HEADER_BYTES, tape->swap);
    if (record->header.size < HEADER_BYTES)
        return ended(tape, TAPE_DAMAGED);
    record->bytes = input_peek(tape->input, record->header.size);
    if (!record->bytes)
        return tape->input->dry ? -EAGAIN : ran_out(tape);
    uint64_t behind = bytes_behind(tape, record);
    input_skip(tape->input, record->header.size);
    if (!behind)
        return 1;
    if (record->header.type == TAPE_AUXTRACE)
        tape->aux_bytes += behind;
    if (!input_skip(tape->input, behind))
        return tape->input->failed ? tape->input->failed : ended(tape, TAPE_CUT);
    /* That may have pushed the record out of the buffer; nobody needs it. */
    record->bytes = NULL;
    return 1;
}

int tape_next(struct tape *tape, struct tape_record *record)
{
    while (tape->end == TAPE_GOES_ON) {
        int code = next_unpacked(tape, record);
        if (code || tape->end != TAPE_GOES_ON)
            return code;
        code = next_plain(tape, record);
        if (code != 1 || (record->bytes && !is_compressed(record)))
            return code;
        if (record->bytes)
            code = feed_chunk(tape, record);
        if (code == -EBADMSG)
            return ended(tape, TAPE_DAMAGED);
        if (code < 0)
            return code;
    }
    return 0;
}
