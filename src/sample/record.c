/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/record.h"

#include "sample/record_part.h"

#include <errno.h>

struct perf_event_header record_header(const void *bytes, size_t size, bool swap)
{
    struct cursor cursor = {bytes, size, false, swap};
    struct perf_event_header header;
    header.type = cursor_u32(&cursor);
    header.misc = cursor_u16(&cursor);
    header.size = cursor_u16(&cursor);
    return cursor.bad ? (struct perf_event_header){0} : header;
}

/* What follows the header, without what follows the record. */
static struct cursor body(const void *bytes, const struct perf_event_header *header, bool swap)
{
    return (struct cursor){(const unsigned char *)bytes + sizeof *header,
                           header->size - sizeof *header, false, swap};
}

static bool header_fits(const struct perf_event_header *header, size_t size)
{
    return header->size >= sizeof *header && header->size <= size;
}

int record_parse_as(const void *bytes, size_t size, const struct record_format *format,
                    struct record *out)
{
    struct perf_event_header header = record_header(bytes, size, format->swap);
    if (!header_fits(&header, size))
        return -EBADMSG;
    struct cursor cursor = body(bytes, &header, format->swap);
    if (header.type == PERF_RECORD_SAMPLE)
        return record_take_sample(&cursor, header.misc, format, out);
    *out = (struct record){0};
    return record_take_other(&cursor, &header, format, out);
}

/* In a ring of ours: first in a sample, last in other records, for we ask for IDENTIFIER. */
static uint64_t id_in_ring(const struct perf_event_header *header, struct cursor cursor)
{
    if (header->type != PERF_RECORD_SAMPLE && cursor.left >= 8)
        cursor_skip(&cursor, cursor.left - 8);
    return cursor_u64(&cursor);
}

static const struct record_format *format_of(const void *bytes,
                                             const struct perf_event_header *header,
                                             record_lookup lookup, void *context)
{
    struct cursor cursor = body(bytes, header, false);
    return lookup(context, id_in_ring(header, cursor), cursor.left >= 8);
}

int record_parse(const void *bytes, size_t size, record_lookup lookup, void *context,
                 struct record *out)
{
    struct perf_event_header header = record_header(bytes, size, false);
    if (!header_fits(&header, size))
        return -EBADMSG;
    const struct record_format *format = format_of(bytes, &header, lookup, context);
    return format ? record_parse_as(bytes, size, format, out) : 0;
}

uint64_t record_time(const void *bytes, size_t size, record_lookup lookup, void *context)
{
    struct perf_event_header header = record_header(bytes, size, false);
    struct record_brief brief = {0};
    struct record record;
    if (!header_fits(&header, size))
        return 0;
    const struct record_format *format = format_of(bytes, &header, lookup, context);
    if (!format)
        return 0;
    if (header.type == PERF_RECORD_SAMPLE)
        return record_brief(bytes, size, format, &brief) ? brief.time_ns : 0;
    return record_parse_as(bytes, size, format, &record) == 1 ? record.time_ns : 0;
}

bool record_id(const void *bytes, size_t size, const struct record_format *format, uint64_t *id)
{
    struct perf_event_header header = record_header(bytes, size, format->swap);
    uint64_t type = format->sample_type;
    bool identifier = type & PERF_SAMPLE_IDENTIFIER;
    if (!header_fits(&header, size) || !(identifier || type & PERF_SAMPLE_ID))
        return false;
    struct cursor cursor = body(bytes, &header, format->swap);
    if (header.type == PERF_RECORD_SAMPLE) {
        size_t before = !!(type & PERF_SAMPLE_IP) + !!(type & PERF_SAMPLE_TID) +
                        !!(type & PERF_SAMPLE_TIME) + !!(type & PERF_SAMPLE_ADDR);
        cursor_skip(&cursor, identifier ? 0 : before * 8);
    } else {
        size_t after = !!(type & PERF_SAMPLE_STREAM_ID) + !!(type & PERF_SAMPLE_CPU);
        size_t from_end = (identifier ? 1 : after + 1) * 8;
        if (!format->sample_id_all || cursor.left < from_end)
            return false;
        cursor_skip(&cursor, cursor.left - from_end);
    }
    *id = cursor_u64(&cursor);
    return !cursor.bad;
}

bool record_brief(const void *bytes, size_t size, const struct record_format *format,
                  struct record_brief *brief)
{
    uint64_t type = format->sample_type;
    struct cursor cursor = {bytes, size, false, format->swap};
    cursor_skip(&cursor, sizeof(struct perf_event_header) +
                             8u * (!!(type & PERF_SAMPLE_IDENTIFIER) + !!(type & PERF_SAMPLE_IP)));
    brief->pid = 0;
    if (type & PERF_SAMPLE_TID) {
        brief->pid = cursor_u32(&cursor);
        cursor_skip(&cursor, 4); /* the thread */
    }
    brief->time_ns = type & PERF_SAMPLE_TIME ? cursor_u64(&cursor) : 0;
    return !cursor.bad;
}
