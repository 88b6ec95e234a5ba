/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/perfdata/attributes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "sample.h"
#include "sample/perf/source.h"
#include "sample/perfdata/header.h"

/* One event per CPU and thread has an id; a recording with more is invalid. */
enum { ATTRIBUTES_MAX = 1 << 14, ATTRIBUTES_IDS_MAX = 1 << 22 };

void attributes_fini(struct attributes *attributes)
{
    free(attributes->events);
    hash_fini(&attributes->event_of_id);
    *attributes = (struct attributes){0};
}

/* Takes the flags. On a machine of the other byte order, bit fields are laid out from the other
 * end: the first byte still contains the first eight flags, in reverse order. */
static uint64_t take_flags(struct cursor *cursor)
{
    bool swap = cursor->swap;
    cursor->swap = false;
    uint64_t flags = cursor_u64(cursor);
    cursor->swap = swap;
    if (!swap)
        return flags;
    flags = (flags >> 1 & 0x5555555555555555) | (flags & 0x5555555555555555) << 1;
    flags = (flags >> 2 & 0x3333333333333333) | (flags & 0x3333333333333333) << 2;
    return (flags >> 4 & 0x0f0f0f0f0f0f0f0f) | (flags & 0x0f0f0f0f0f0f0f0f) << 4;
}

_Static_assert(offsetof(struct perf_event_attr, wakeup_events) == 48, "the flags are word 5");

/* Members that an older attribute lacks are 0, because a cursor returns zeros past its end. */
static void take_attr(struct cursor *cursor, struct perf_event_attr *attr)
{
    attr->type = cursor_u32(cursor);
    attr->size = cursor_u32(cursor);
    attr->config = cursor_u64(cursor);
    attr->sample_period = cursor_u64(cursor);
    attr->sample_type = cursor_u64(cursor);
    attr->read_format = cursor_u64(cursor);
    uint64_t flags = take_flags(cursor);
    /* The flags are the word after read_format; they have no name of their own. */
    memcpy((char *)attr + 40, &flags, sizeof flags);
    attr->wakeup_events = cursor_u32(cursor);
    attr->bp_type = cursor_u32(cursor);
    attr->config1 = cursor_u64(cursor);
    attr->config2 = cursor_u64(cursor);
    attr->branch_sample_type = cursor_u64(cursor);
    attr->sample_regs_user = cursor_u64(cursor);
    attr->sample_stack_user = cursor_u32(cursor);
    attr->clockid = (int32_t)cursor_u32(cursor);
    attr->sample_regs_intr = cursor_u64(cursor);
    /* The other members (AUX, longest chain) do not affect the layout of records. */
}

/* Takes the PMU of a generic event from the upper half of config, where it is if the CPU has
 * several PMUs (PERF_PMU_TYPE_SHIFT in linux/perf_event.h). */
static uint32_t take_pmu(struct perf_event_attr *attr)
{
    enum { PMU_SHIFT = 32 };
    uint32_t pmu = (uint32_t)(attr->config >> PMU_SHIFT);
    if (attr->type != PERF_TYPE_HARDWARE && attr->type != PERF_TYPE_HW_CACHE)
        return 0;
    attr->config &= UINT32_MAX;
    return pmu;
}

static struct record_format format_of(const struct perf_event_attr *attr, size_t index, bool swap)
{
    bool address = attr->sample_type & PERF_SAMPLE_ADDR;
    bool fault = source_faults(attr);
    /* perf record -d writes a data source for every event, meaningless for software events. */
    bool silent = attr->type == PERF_TYPE_SOFTWARE;
    return (struct record_format){
        .sample_type = attr->sample_type,
        .read_format = attr->read_format,
        .branch_type = attr->branch_sample_type,
        .regs_user = attr->sample_regs_user,
        .regs_intr = attr->sample_regs_intr,
        .period = attr->freq ? 1 : attr->sample_period,
        .sample_id_all = attr->sample_id_all,
        .exact_ip = attr->precise_ip >= 2 || fault,
        .recorded_address = address && (silent ? fault : attr->sample_type & PERF_SAMPLE_DATA_SRC),
        .no_data_source = silent,
        .has_skid_regs = attr->precise_ip > 0,
        .counts_instructions = event_counts_instructions(attr),
        .swap = swap,
        .event = index < SAMPLE_EVENTS_MAX ? (uint16_t)index : SAMPLE_EVENTS_MAX - 1,
    };
}

static int attributes_make_room(struct attributes *attributes)
{
    if (attributes->count == ATTRIBUTES_MAX)
        return -E2BIG;
    if (!array_reserve_next(&attributes->events, &attributes->room, attributes->count,
                            sizeof *attributes->events, ATTRIBUTES_MAX))
        return -ENOMEM;
    return 0;
}

int attributes_add(struct attributes *attributes, const void *bytes, size_t size_bytes, bool swap)
{
    struct cursor cursor = {bytes, size_bytes, false, swap};
    int code = attributes_make_room(attributes);
    if (code)
        return code;
    struct attribute *event = &attributes->events[attributes->count];
    *event = (struct attribute){0};
    take_attr(&cursor, &event->attr);
    event->pmu = take_pmu(&event->attr);
    event->format = format_of(&event->attr, attributes->count, swap);
    record_find_places(&event->format);
    attributes->count++;
    return 0;
}

/* Adjusts the format of our own recordings: there ADDR is what live decoding found, and DATA_SRC
 * may be no more than that. Then the sampled event had no data source. */
static void adjust_own_format(struct attribute *event)
{
    struct record_format *format = &event->format;
    if (!perfdata_id_marked(event->first_id))
        return;
    format->recorded_address = event->attr.sample_type & PERF_SAMPLE_ADDR;
    format->no_data_source = event->first_id & PERFDATA_ID_RECORDED;
    format->by_writer =
        format->no_data_source && !event->attr.precise_ip && !source_faults(&event->attr);
    if (format->no_data_source)
        event->attr.sample_type &= ~(uint64_t)PERF_SAMPLE_DATA_SRC;
}

int attributes_add_id(struct attributes *attributes, size_t index, uint64_t id)
{
    if (attributes->event_of_id.count >= ATTRIBUTES_IDS_MAX)
        return -E2BIG;
    if (!hash_put(&attributes->event_of_id, id, (uint32_t)index))
        return -ENOMEM;
    if (!attributes->events[index].first_id) {
        attributes->events[index].first_id = id;
        adjust_own_format(&attributes->events[index]);
    }
    return 0;
}

int attributes_add_record(struct attributes *attributes, struct cursor *cursor)
{
    struct cursor ahead = *cursor;
    cursor_u32(&ahead);
    uint32_t size_bytes = cursor_u32(&ahead);
    if (!size_bytes)
        size_bytes = PERF_ATTR_SIZE_VER0;
    if (size_bytes < PERF_ATTR_SIZE_VER0 || size_bytes > cursor->left)
        return -EBADMSG;
    int code = attributes_add(attributes, cursor->at, size_bytes, cursor->swap);
    cursor_skip(cursor, size_bytes);
    while (!code && cursor->left >= 8)
        code = attributes_add_id(attributes, attributes->count - 1, cursor_u64(cursor));
    return code;
}

struct attribute *attributes_by_id(const struct attributes *attributes, uint64_t id)
{
    const uint32_t *event = hash_find(&attributes->event_of_id, id);
    return event ? &attributes->events[*event] : NULL;
}

struct attribute *attributes_of(const struct attributes *attributes, const void *bytes,
                                const struct perf_event_header *header)
{
    struct attribute *first = &attributes->events[0];
    uint64_t id;
    if (attributes->count == 1 || !record_id(bytes, header->size, &first->format, &id) || !id)
        return first;
    return attributes_by_id(attributes, id);
}

bool attributes_plain_name(const char *name, char *out, size_t out_size)
{
    static const char *const cores[] = {"cpu_core/", "cpu_atom/", "cpu_lowpower/", "cpu/"};
    for (size_t i = 0; i < sizeof cores / sizeof *cores; i++) {
        const char *rest = name + strlen(cores[i]);
        const char *slash = strncmp(name, cores[i], strlen(cores[i])) ? NULL : strrchr(rest, '/');
        if (!slash)
            continue;
        snprintf(out, out_size, "%.*s%s%s", (int)(slash - rest), rest, slash[1] ? ":" : "",
                 slash + 1);
        return true;
    }
    snprintf(out, out_size, "%s", name);
    return false;
}

/* Returns true if both are the same event on different kinds of cores. */
static bool is_twin(const struct attribute *a, const struct attribute *b)
{
    char name[sizeof a->name];
    char other[sizeof b->name];
    const struct perf_event_attr *x = &a->attr;
    const struct perf_event_attr *y = &b->attr;
    if (attributes_plain_name(a->name, name, sizeof name) &&
        attributes_plain_name(b->name, other, sizeof other))
        return strcmp(a->name, b->name) != 0 && !strcmp(name, other);
    return a->pmu && b->pmu && a->pmu != b->pmu && x->type == y->type && x->config == y->config &&
           x->precise_ip == y->precise_ip && x->exclude_user == y->exclude_user &&
           x->exclude_kernel == y->exclude_kernel;
}

static unsigned rank_of(const struct attribute *event)
{
    bool dummy =
        event->attr.type == PERF_TYPE_SOFTWARE && event->attr.config == PERF_COUNT_SW_DUMMY;
    return event->samples ? 0 : dummy ? 2 : 1;
}

enum { NO_NUMBER = UINT16_MAX };

/* Returns the number of a twin, or the next; events beyond the last number share it. */
static uint16_t event_number(struct attributes *attributes, size_t firsts[SAMPLE_EVENTS_MAX],
                             size_t index)
{
    for (unsigned i = 0; i < attributes->number_count; i++)
        if (is_twin(&attributes->events[firsts[i]], &attributes->events[index])) {
            attributes->joined[i] = true;
            return (uint16_t)i;
        }
    if (attributes->number_count < SAMPLE_EVENTS_MAX)
        firsts[attributes->number_count++] = index;
    return (uint16_t)(attributes->number_count - 1);
}

void attributes_number(struct attributes *attributes)
{
    size_t firsts[SAMPLE_EVENTS_MAX];
    attributes->number_count = 0;
    memset(attributes->joined, 0, sizeof attributes->joined);
    for (unsigned rank = 0; rank < 2; rank++)
        for (size_t i = 0; i < attributes->count; i++)
            if (rank_of(&attributes->events[i]) == rank)
                attributes->events[i].format.event = event_number(attributes, firsts, i);
    /* A dummy event must not rank. */
    uint16_t behind =
        (uint16_t)(attributes->number_count < SAMPLE_EVENTS_MAX ? attributes->number_count
                                                                : SAMPLE_EVENTS_MAX - 1);
    for (size_t i = 0; i < attributes->count; i++)
        if (rank_of(&attributes->events[i]) == 2)
            attributes->events[i].format.event = behind;
    if (!attributes->number_count)
        attributes->number_count = attributes->count > 0;
}

void attributes_set_foreign(struct attributes *attributes)
{
    for (size_t i = 0; i < attributes->count; i++)
        attributes->events[i].format.foreign_regs = true;
}

void attributes_set_pebs(struct attributes *attributes)
{
    for (size_t i = 0; i < attributes->count; i++)
        if (attributes->events[i].attr.sample_type & PERF_SAMPLE_REGS_INTR)
            attributes->events[i].format.has_skid_regs = false;
}

/* Newer than some uapi headers that this must compile with. */
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

bool format_has_reads(const struct record_format *format)
{
    return format->sample_type & PERF_SAMPLE_READ && format->read_format & PERF_FORMAT_ID;
}

/* Returns a cursor at the counts of a sample: all fields before them are words. */
static struct cursor counts_cursor(const void *bytes, size_t size,
                                   const struct record_format *format)
{
    struct cursor cursor = {bytes, size, false, format->swap};
    uint64_t before = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                      PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
                      PERF_SAMPLE_PERIOD;
    cursor_skip(&cursor, sizeof(struct perf_event_header) +
                             8u * (unsigned)__builtin_popcountll(format->sample_type & before));
    return cursor;
}

static int advance_count(struct reads *reads, uint64_t id, uint64_t value, uint64_t *counted)
{
    bool created;
    if (!array_reserve_next(&reads->counts, &reads->room, reads->count, sizeof *reads->counts,
                            ARRAY_UNBOUNDED))
        return -ENOMEM;
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

/* Does not keep ids without an event: this limits them to the ids that the attributes list. */
static int take_member(struct reads *reads, const struct attributes *attributes, uint64_t id,
                       uint64_t value, const struct record *record, reads_take take, void *context)
{
    struct attribute *member = attributes_by_id(attributes, id);
    struct record copy = *record;
    if (!member)
        return take(context, NULL, record);
    int code = advance_count(reads, id, value, &copy.sample.weight);
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
    struct cursor cursor = counts_cursor(bytes, size, format);
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
