/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records that are no samples: mappings, names, tasks, losses. */
#include "sample/record_part.h"

#include <errno.h>

/* Later than some uapi headers this must compile with. */
enum { RECORD_MISC_MMAP_BUILD_ID = 1 << 14 };

/* The trailer that sample_id_all adds to other records: cut off, its time and ids read. */
static void strip_trailer(struct cursor *cursor, const struct record_format *format,
                          struct record *out)
{
    uint64_t type = format->sample_type;
    size_t words = !!(type & PERF_SAMPLE_TID) + !!(type & PERF_SAMPLE_TIME) +
                   !!(type & PERF_SAMPLE_ID) + !!(type & PERF_SAMPLE_STREAM_ID) +
                   !!(type & PERF_SAMPLE_CPU) + !!(type & PERF_SAMPLE_IDENTIFIER);
    if (!format->sample_id_all || cursor->left < words * 8)
        return;
    struct cursor tail = *cursor;
    cursor_skip(&tail, cursor->left - words * 8);
    cursor->left -= words * 8;
    if (type & PERF_SAMPLE_TID) {
        out->pid = cursor_u32(&tail);
        out->tid = cursor_u32(&tail);
    }
    if (type & PERF_SAMPLE_TIME)
        out->time_ns = cursor_u64(&tail);
}

static void take_ids(struct cursor *cursor, struct record *out)
{
    out->pid = cursor_u32(cursor);
    out->tid = cursor_u32(cursor);
}

/* The rest of the record as a string; bad unless it ends within the record. */
static const char *take_string(struct cursor *cursor)
{
    if (!memchr(cursor->at, '\0', cursor->left))
        cursor->bad = true;
    return (const char *)cursor->at;
}

static void take_build_id(struct cursor *cursor, struct sample_mapping *mapping)
{
    if (cursor->left < 24) {
        cursor->bad = true;
        return;
    }
    mapping->build_id_size = cursor->at[0] <= 20 ? cursor->at[0] : 0;
    memcpy(mapping->build_id, cursor->at + 4, sizeof mapping->build_id);
    cursor_skip(cursor, 24);
}

static void take_file_identity(struct cursor *cursor, struct sample_mapping *mapping)
{
    mapping->device_major = cursor_u32(cursor);
    mapping->device_minor = cursor_u32(cursor);
    mapping->inode = cursor_u64(cursor);
    cursor_u64(cursor); /* generation */
}

/* Kernels 3.12 to 3.15 wrote neither protection nor flags: the path comes at once, where else bits
 * of the protection are, which are no letters in either byte order. */
static bool lacks_protection(const struct cursor *cursor)
{
    enum { PROTECTION_BYTES = 8 };
    return cursor->left <= PROTECTION_BYTES || cursor->at[0] >= ' ';
}

static void take_mapping(struct cursor *cursor, const struct perf_event_header *header,
                         struct record *out)
{
    struct sample_mapping *mapping = &out->mapping;
    *mapping = (struct sample_mapping){.executable = !(header->misc & PERF_RECORD_MISC_MMAP_DATA)};
    out->kind = RECORD_MAPPING;
    take_ids(cursor, out);
    mapping->start = cursor_u64(cursor);
    mapping->length = cursor_u64(cursor);
    mapping->file_offset = cursor_u64(cursor);
    if (header->type == PERF_RECORD_MMAP2) {
        if (header->misc & RECORD_MISC_MMAP_BUILD_ID)
            take_build_id(cursor, mapping);
        else
            take_file_identity(cursor, mapping);
        bool brief = !(header->misc & RECORD_MISC_MMAP_BUILD_ID) && lacks_protection(cursor);
        mapping->protection = brief ? 0 : cursor_u32(cursor);
        mapping->flags = brief ? 0 : cursor_u32(cursor);
    }
    mapping->path = take_string(cursor);
}

static void take_task(struct cursor *cursor, uint32_t type, struct record *out)
{
    out->kind = type == PERF_RECORD_FORK ? RECORD_FORK : RECORD_EXIT;
    out->pid = cursor_u32(cursor);
    out->fork.parent_pid = cursor_u32(cursor);
    out->tid = cursor_u32(cursor);
    out->fork.parent_tid = cursor_u32(cursor);
    uint64_t time_ns = cursor_u64(cursor);
    if (!out->time_ns)
        out->time_ns = time_ns;
}

static void take_comm(struct cursor *cursor, uint16_t misc, struct record *out)
{
    out->kind = RECORD_COMM;
    take_ids(cursor, out);
    out->comm.exec = misc & PERF_RECORD_MISC_COMM_EXEC;
    out->comm.exe = NULL;
    out->comm.name = take_string(cursor);
}

static void take_lost(struct cursor *cursor, uint32_t type, struct record *out)
{
    out->kind = RECORD_LOST;
    if (type == PERF_RECORD_LOST)
        cursor_u64(cursor); /* id */
    out->count = cursor_u64(cursor);
}

int record_take_other(struct cursor *cursor, const struct perf_event_header *header,
                      const struct record_format *format, struct record *out)
{
    strip_trailer(cursor, format, out);
    switch (header->type) {
    case PERF_RECORD_MMAP:
    case PERF_RECORD_MMAP2:
        take_mapping(cursor, header, out);
        break;
    case PERF_RECORD_COMM:
        take_comm(cursor, header->misc, out);
        break;
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
        take_task(cursor, header->type, out);
        break;
    case PERF_RECORD_LOST:
    case PERF_RECORD_LOST_SAMPLES:
        take_lost(cursor, header->type, out);
        break;
    case PERF_RECORD_THROTTLE:
    case PERF_RECORD_UNTHROTTLE:
        out->kind = header->type == PERF_RECORD_THROTTLE ? RECORD_THROTTLE : RECORD_UNTHROTTLE;
        break;
    default:
        return 0;
    }
    return cursor->bad ? -EBADMSG : 1;
}
