/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Playing a recording: records of the chosen process, in the order of time. */
#include "sample/perfdata_state.h"

#include <errno.h>

struct player {
    struct perfdata *file;
    sampler_sink sink;
    void *context;
    long handed;
};

static void hand_on(struct player *player, struct record *record)
{
    struct perfdata *file = player->file;
    /* One that comes late, or without a time, must not turn time back. */
    if (record->time_ns < file->clock_ns || record->time_ns == UINT64_MAX)
        record->time_ns = file->clock_ns;
    file->clock_ns = record->time_ns;
    if (record->kind == RECORD_SAMPLE)
        record->sample.time_ns = record->time_ns;
    if (record->kind == RECORD_MAPPING)
        build_ids_complete(&file->build_ids, &record->mapping);
    player->sink(player->context, record);
    player->handed++;
}

static bool wanted_pid(const struct perfdata *file, uint32_t pid)
{
    return file->pid == PERFDATA_EVERY_PROCESS || pid == (uint32_t)file->pid;
}

/* What a forefather had mapped when it forked is mapped in the child, which has its name, too; and
 * what it had before it ran another program is not. */
static bool handed_down(const struct perfdata *file, const struct record *record)
{
    bool name = record->kind == RECORD_COMM && record->pid == record->tid;
    return (record->kind == RECORD_MAPPING || name) && !wanted_pid(file, record->pid) &&
           processes_hands_down(&file->processes, (uint32_t)file->pid, record->pid,
                                record->time_ns);
}

/* As the process that is shown has it. */
static void adopt(const struct perfdata *file, struct record *record)
{
    if (file->pid != PERFDATA_EVERY_PROCESS && !wanted_pid(file, record->pid) &&
        (record->kind == RECORD_MAPPING || record->kind == RECORD_COMM))
        record->pid = record->tid = (uint32_t)file->pid;
}

static bool wanted(const struct perfdata *file, const struct record *record)
{
    return record->kind == RECORD_LOST || wanted_pid(file, record->pid) ||
           handed_down(file, record);
}

/* perf itself hands on at once what has no time. */
static bool has_time(uint64_t time_ns)
{
    return time_ns && time_ns != UINT64_MAX;
}

static int keep(struct perfdata *file, const struct attribute *event,
                const struct tape_record *found, const struct record *record, uint64_t time_ns)
{
    struct order_item item = {.size_bytes = found->header.size,
                              .event = (uint16_t)(event - file->attributes.events)};
    /* Of a sample with stack and call chain we keep little: not the rest, while it waits. One of
     * several that a record stands for is not what its bytes say. */
    if (record && record->kind == RECORD_SAMPLE &&
        (item.size_bytes > sizeof *record || reads_in(&event->format))) {
        item.parsed = 1;
        item.size_bytes = sizeof *record;
        return order_add(&file->order, time_ns, item, record);
    }
    return order_add(&file->order, time_ns, item, found->bytes);
}

/* A sample that is small and whose process is known to be another's, or can wait, unparsed. */
static bool take_brief(struct player *player, const struct tape_record *found, int *code)
{
    struct perfdata *file = player->file;
    struct record_brief brief;
    if (!file->surveyed || found->header.type != PERF_RECORD_SAMPLE)
        return false;
    struct attribute *event = attributes_of(&file->attributes, found->bytes, &found->header);
    *code = 0;
    if (event && reads_in(&event->format))
        return false;
    if (!event || !record_brief(found->bytes, found->header.size, &event->format, &brief) ||
        !wanted_pid(file, brief.pid))
        return true;
    if (!has_time(brief.time_ns) || found->header.size > sizeof(struct record))
        return false;
    *code = keep(file, event, found, NULL, brief.time_ns);
    return true;
}

struct taken {
    struct player *player;
    const struct tape_record *found;
};

static int take_one(void *context, struct attribute *event, const struct record *record)
{
    struct taken *taken = context;
    struct perfdata *file = taken->player->file;
    struct record copy = *record;
    int code = perfdata_count(file, event, record);
    if (code || !wanted(file, record))
        return code;
    if (has_time(record->time_ns))
        return keep(file, event, taken->found, record, record->time_ns);
    adopt(file, &copy);
    hand_on(taken->player, &copy);
    return 0;
}

static int take_kernel(struct player *player, const struct tape_record *found)
{
    struct perfdata *file = player->file;
    struct taken taken = {player, found};
    struct attribute *event;
    struct record record;
    int code;
    if (take_brief(player, found, &code))
        return code;
    if (!perfdata_parse(file, found, &event, &record))
        return 0;
    return perfdata_expand(file, found, event, &record, take_one, &taken);
}

/* One more record from the tape. 0, or a negative errno. */
static int pull(struct player *player)
{
    struct perfdata *file = player->file;
    struct tape_record found = file->held;
    file->held.bytes = NULL;
    int code = found.bytes ? 1 : tape_next(&file->tape, &found);
    if (code == -EAGAIN)
        return code;
    if (code <= 0) {
        file->finished = true;
        order_finish(&file->order);
        return code;
    }
    if (!found.bytes) /* stepped over */
        return 0;
    if (found.header.type < TAPE_USER)
        return take_kernel(player, &found);
    if (found.header.type == TAPE_FINISHED_ROUND)
        order_round(&file->order);
    return perfdata_take_own(file, &found);
}

static void hand_on_item(struct player *player, const struct order_item *item)
{
    struct perfdata *file = player->file;
    struct record record;
    const void *bytes = item + 1;
    const struct record_format *format = &file->attributes.events[item->event].format;
    if (item->parsed)
        memcpy(&record, bytes, sizeof record);
    else if (record_parse_as(bytes, item->size_bytes, format, &record) != 1)
        return; /* counted when it was surveyed */
    if (item->parsed && record.kind == RECORD_SAMPLE)
        record.sample.stack = NULL; /* its bytes were not kept */
    adopt(file, &record);
    hand_on(player, &record);
}

static bool due(struct perfdata *file, uint64_t time_ns, uint64_t until_ns)
{
    if (!file->first_ns)
        file->first_ns = time_ns;
    return time_ns <= file->first_ns || time_ns - file->first_ns <= until_ns;
}

long perfdata_read(struct perfdata *file, uint64_t until_ns, sampler_sink sink, void *context)
{
    /* Of a pipe that is followed some ms of work at a time. */
    enum { AT_ONCE = 4096 };
    struct player player = {file, sink, context, 0};
    size_t pulled = 0;
    uint64_t time_ns;
    file->more = false;
    for (;;) {
        const struct order_item *item = order_head(&file->order, &time_ns);
        if (item && !due(file, time_ns, until_ns))
            return player.handed;
        if (item) {
            hand_on_item(&player, item);
            order_pop(&file->order);
            continue;
        }
        if (file->finished)
            return player.handed ? player.handed : -ENODATA;
        file->more = file->input.follows && ++pulled == AT_ONCE;
        if (file->more)
            return player.handed;
        int code = pull(&player);
        if (code == -EAGAIN) {
            /* perf ends a round when a ring is half full, some seconds later: too late to look on.
             */
            if (!input_quiet(&file->input) || file->order.next == file->order.count)
                return player.handed;
            order_finish(&file->order);
            continue;
        }
        if (code < 0)
            return code;
    }
}
