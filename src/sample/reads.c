/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/reads.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

/* Later than some uapi headers this must compile with. */
#define READ_LOST (UINT64_C(1) << 4)

void reads_fini(struct reads *reads)
{
    hash_fini(&reads->index_of_id);
    free(reads->counts);
    *reads = (struct reads){0};
}

void reads_restart(struct reads *reads)
{
    hash_clear(&reads->index_of_id);
    reads->count = 0;
}

bool reads_in(const struct record_format *format)
{
    return format->sample_type & PERF_SAMPLE_READ && format->read_format & PERF_FORMAT_ID;
}

/* Fields of a sample before the counts are words, all of them. */
static struct cursor counts_of(const void *bytes, size_t size, const struct record_format *format)
{
    struct cursor cursor = {bytes, size, false, format->swap};
    uint64_t before = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                      PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
                      PERF_SAMPLE_PERIOD;
    cursor_skip(&cursor, sizeof(struct perf_event_header) +
                             8u * (unsigned)__builtin_popcountll(format->sample_type & before));
    return cursor;
}

/* What was counted since the last time. */
static int advance(struct reads *reads, uint64_t id, uint64_t value, uint64_t *counted)
{
    bool created;
    uint64_t *more =
        array_more(reads->counts, &reads->room, reads->count, sizeof *more, ARRAY_UNBOUNDED);
    if (!more)
        return -ENOMEM;
    reads->counts = more;
    uint32_t *index = hash_insert(&reads->index_of_id, id, &created);
    if (!index)
        return -ENOMEM;
    if (created) {
        *index = (uint32_t)reads->count++;
        reads->counts[*index] = 0;
    }
    *counted = value - reads->counts[*index];
    reads->counts[*index] = value;
    return 0;
}

/* Ids that are of no event are not kept: there are no more of them than the attributes name. */
static int take_member(struct reads *reads, const struct attributes *attributes, uint64_t id,
                       uint64_t value, const struct record *record, reads_take take, void *context)
{
    struct attribute *member = attributes_by_id(attributes, id);
    struct record copy = *record;
    if (!member)
        return take(context, NULL, record);
    int code = advance(reads, id, value, &copy.sample.weight);
    if (code || !copy.sample.weight)
        return code;
    copy.sample.event = member->format.event;
    return take(context, member, &copy);
}

int reads_expand(struct reads *reads, const struct attributes *attributes, const void *bytes,
                 size_t size, const struct attribute *event, const struct record *record,
                 reads_take take, void *context)
{
    const struct record_format *format = &event->format;
    struct cursor cursor = counts_of(bytes, size, format);
    bool group = format->read_format & PERF_FORMAT_GROUP;
    size_t times = !!(format->read_format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
                   !!(format->read_format & PERF_FORMAT_TOTAL_TIME_RUNNING);
    uint64_t count = group ? cursor_u64(&cursor) : 1;
    uint64_t value = group ? 0 : cursor_u64(&cursor);
    int code = 0;
    cursor_skip(&cursor, 8 * times);
    for (uint64_t i = 0; !code && i < count; i++) {
        value = group ? cursor_u64(&cursor) : value;
        uint64_t id = cursor_u64(&cursor);
        if (format->read_format & READ_LOST)
            cursor_u64(&cursor);
        if (cursor.bad)
            return -EBADMSG;
        code = take_member(reads, attributes, id, value, record, take, context);
    }
    return code;
}
