/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What stands about the records of a file: header, ids and attributes before them, the features
 * behind. The header never names what is not there: the features' bits are cleared before records
 * overwrite them, and the size of the data grows only when the data are written.
 */
#include "sample/perfdata_write_state.h"

#include "sample/perfdata_header.h"
#include "sample/perfdata_write_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { ID_BYTES = 8, SECTION_BYTES = 16, GENERATIONS = 1 << 16 };
enum { ATTR_BYTES = sizeof(struct perf_event_attr) + SECTION_BYTES };

uint64_t perfdata_writer_mark(const struct perfdata_writer *writer)
{
    return writer->session * GENERATIONS + writer->generation % GENERATIONS;
}

void perfdata_head_number(struct perfdata_writer *writer)
{
    uint64_t first = perfdata_writer_mark(writer) << PERFDATA_MARK_SHIFT;
    for (unsigned i = 0; i < writer->event_count; i++)
        writer->events[i].layout.id =
            first + i + 1 + (writer->events[i].told ? PERFDATA_ID_TOLD : 0);
    writer->data_at = writer->data_end =
        PERFDATA_HEADER_BYTES + writer->event_count * (uint64_t)(ID_BYTES + ATTR_BYTES);
}

static void put_section(struct perfdata_bytes *bytes, uint64_t offset, uint64_t size)
{
    perfdata_bytes_u64(bytes, offset);
    perfdata_bytes_u64(bytes, size);
}

static void put_header(struct perfdata_bytes *bytes, const struct perfdata_writer *writer,
                       uint64_t features)
{
    uint64_t ids_end = PERFDATA_HEADER_BYTES + writer->event_count * (uint64_t)ID_BYTES;
    perfdata_bytes_put(bytes, "PERFILE2", 8);
    perfdata_bytes_u64(bytes, PERFDATA_HEADER_BYTES);
    perfdata_bytes_u64(bytes, ATTR_BYTES);
    put_section(bytes, ids_end, writer->event_count * (uint64_t)ATTR_BYTES);
    put_section(bytes, writer->data_at, writer->data_end - writer->data_at);
    put_section(bytes, 0, 0); /* event types, unused since perf 3 */
    perfdata_bytes_u64(bytes, features);
    perfdata_bytes_zero(bytes, PERFDATA_FEATURES / 8 - sizeof features);
}

static int write_header(struct perfdata_writer *writer, uint64_t features)
{
    struct perfdata_bytes *bytes = &writer->tail;
    perfdata_bytes_clear(bytes);
    put_header(bytes, writer, features);
    return bytes->failed ? -ENOMEM : perfdata_file_put(writer->fd, 0, bytes->at, bytes->used);
}

int perfdata_head_begin(struct perfdata_writer *writer)
{
    struct perfdata_bytes *bytes = &writer->tail;
    uint64_t id_at = PERFDATA_HEADER_BYTES;
    perfdata_bytes_clear(bytes);
    put_header(bytes, writer, 0);
    for (unsigned i = 0; i < writer->event_count; i++)
        perfdata_bytes_u64(bytes, writer->events[i].layout.id);
    for (unsigned i = 0; i < writer->event_count; i++, id_at += ID_BYTES) {
        perfdata_bytes_put(bytes, &writer->events[i].attr, sizeof writer->events[i].attr);
        put_section(bytes, id_at, ID_BYTES);
    }
    writer->sealed = false;
    return bytes->failed ? -ENOMEM : perfdata_file_put(writer->fd, 0, bytes->at, bytes->used);
}

/* The events once more, with their names. */
static void describe_events(struct perfdata_writer *writer)
{
    struct perfdata_bytes *section = &writer->sections.of[FEATURE_EVENT_DESC];
    perfdata_bytes_clear(section);
    perfdata_bytes_u32(section, writer->event_count);
    perfdata_bytes_u32(section, sizeof(struct perf_event_attr));
    for (unsigned i = 0; i < writer->event_count; i++) {
        const struct perfdata_writer_event *event = &writer->events[i];
        perfdata_bytes_put(section, &event->attr, sizeof event->attr);
        perfdata_bytes_u32(section, 1);
        perfdata_bytes_string(section, event->name);
        perfdata_bytes_u64(section, event->layout.id);
    }
}

static void describe_times(struct perfdata_writer *writer)
{
    struct perfdata_bytes *section = &writer->sections.of[FEATURE_SAMPLE_TIME];
    perfdata_bytes_clear(section);
    if (!writer->first_sample_ns)
        return;
    perfdata_bytes_u64(section, writer->first_sample_ns);
    perfdata_bytes_u64(section, writer->last_sample_ns);
}

static const struct perfdata_bytes *section_of(const struct perfdata_writer *writer,
                                               unsigned feature)
{
    return feature == FEATURE_BUILD_ID ? &writer->build_ids.section : &writer->sections.of[feature];
}

/* A table of sections, and the sections; the bits that say which. */
static uint64_t put_features(struct perfdata_writer *writer)
{
    struct perfdata_bytes *bytes = &writer->tail;
    uint64_t features = 0;
    describe_events(writer);
    describe_times(writer);
    for (unsigned i = 0; i < FEATURE_COUNT; i++)
        if (section_of(writer, i)->used && !section_of(writer, i)->failed)
            features |= UINT64_C(1) << i;
    uint64_t at = writer->data_end + (uint64_t)__builtin_popcountll(features) * SECTION_BYTES;
    perfdata_bytes_clear(bytes);
    for (unsigned i = 0; i < FEATURE_COUNT; i++)
        if (features >> i & 1) {
            put_section(bytes, at, section_of(writer, i)->used);
            at += section_of(writer, i)->used;
        }
    for (unsigned i = 0; i < FEATURE_COUNT; i++)
        if (features >> i & 1)
            perfdata_bytes_put(bytes, section_of(writer, i)->at, section_of(writer, i)->used);
    return features;
}

int perfdata_head_unseal(struct perfdata_writer *writer)
{
    int code = writer->sealed ? write_header(writer, 0) : 0;
    writer->sealed &= !!code;
    return code;
}

int perfdata_head_seal(struct perfdata_writer *writer)
{
    uint64_t features = put_features(writer);
    uint64_t past = writer->data_end + writer->tail.used;
    int code = writer->tail.failed ? -ENOMEM
                                   : perfdata_file_put(writer->fd, writer->data_end,
                                                       writer->tail.at, writer->tail.used);
    /* What a write that failed left behind, or a description that did not fit. */
    if (ftruncate(writer->fd, (off_t)(code ? writer->data_end : past)) && !code)
        code = -errno;
    if (!code)
        writer->tail_bytes = writer->tail.used;
    int later = write_header(writer, code ? 0 : features);
    code = code ? code : later;
    writer->sealed = !code;
    return code;
}
