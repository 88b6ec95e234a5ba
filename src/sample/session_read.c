/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draining the rings of a session: records of all CPUs, put in the order of time. */
#include "sample/session.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

static const struct record_format *lookup(void *context, uint64_t id, bool has_id)
{
    struct session *session = context;
    uint32_t *event = has_id ? hash_find(&session->event_of_id, id) : NULL;
    /* LOST and other records of the ring itself may carry no id: laid out as the first. */
    return &session->events[event ? *event : 0].format;
}

static bool stage(struct session *session, const unsigned char *record, size_t size)
{
    if (session->staging_used + size > session->staging_room) {
        size_t room = session->staging_room ? session->staging_room * 2 : SESSION_RING_BYTES;
        unsigned char *more = realloc(session->staging, room);
        if (!more)
            return false;
        session->staging = more;
        session->staging_room = room;
    }
    struct session_order *more = array_more(session->order, &session->order_room,
                                            session->order_count, sizeof *more, ARRAY_UNBOUNDED);
    if (!more)
        return false;
    session->order = more;
    memcpy(session->staging + session->staging_used, record, size);
    session->order[session->order_count++] =
        (struct session_order){record_time(record, size, lookup, session), session->staging_used};
    /* Kernel records are 8-byte multiples; keep that whatever a size says. */
    session->staging_used += (size + 7) & ~(size_t)7;
    return true;
}

/* At most one ring's worth, so that a busy target cannot keep us here. */
static void stage_ring(struct session *session, struct ring *ring)
{
    unsigned char record[65536];
    size_t taken = 0;
    long size;
    while (taken < ring->data_bytes && (size = ring_next(ring, record, sizeof record))) {
        if (size < 0 || !stage(session, record, (size_t)size)) {
            session->bad++;
            break;
        }
        taken += (size_t)size;
    }
    ring_release(ring);
}

static size_t staged_size(const struct session *session, uint64_t offset)
{
    struct perf_event_header header;
    memcpy(&header, session->staging + offset, sizeof header);
    return ((size_t)header.size + 7) & ~(size_t)7;
}

static int compare_offset(const void *a, const void *b)
{
    const struct session_order *x = a;
    const struct session_order *y = b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* What is not handed over yet moves to the front, for the next call. */
static void keep_from(struct session *session, size_t first)
{
    size_t count = session->order_count - first;
    uint64_t used = 0;
    session->order_count = session->staging_used = 0;
    if (!count)
        return;
    memmove(session->order, session->order + first, count * sizeof *session->order);
    qsort(session->order, count, sizeof *session->order, compare_offset);
    for (size_t i = 0; i < count; i++) {
        size_t size = staged_size(session, session->order[i].offset);
        memmove(session->staging + used, session->staging + session->order[i].offset, size);
        session->order[i].offset = used;
        used += size;
    }
    session->order_count = count;
    session->staging_used = used;
}

static int compare_order(const void *a, const void *b)
{
    const struct session_order *x = a;
    const struct session_order *y = b;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    return x->offset < y->offset ? -1 : 1;
}

/* Forked children of the target are processes of their own. */
static bool foreign(const struct session *session, const struct record *record)
{
    return record->kind != RECORD_LOST && record->pid != (uint32_t)session->options.pid &&
           record->pid != 0;
}

static void hand_over(struct session *session, size_t index, sampler_sink sink, void *context)
{
    const unsigned char *bytes = session->staging + session->order[index].offset;
    struct record record;
    int code = record_parse(bytes, session->staging_room - session->order[index].offset, lookup,
                            session, &record);
    if (code < 0)
        session->bad++;
    if (code != 1 || foreign(session, &record))
        return;
    /* A record that another CPU wrote a little later than it says must not turn time back. */
    if (record.time_ns < session->last_ns)
        record.time_ns = session->last_ns;
    session->last_ns = record.time_ns;
    /* What was to be enabled on exec is so now. */
    session->enabled |= record.kind == RECORD_COMM && record.comm.exec;
    if (record.kind == RECORD_SAMPLE) {
        record.sample.time_ns = record.time_ns;
        session->events[record.sample.event].samples++;
    }
    if (record.kind == RECORD_LOST)
        session->lost += record.count;
    sink(context, &record);
}

long session_read(struct session *session, uint64_t until_ns, sampler_sink sink, void *context)
{
    struct epoll_event ready[16];
    /* Clears the edge; what is to be read, the rings themselves say. */
    while (epoll_wait(session->epoll_fd, ready, 16, 0) == 16)
        continue;
    for (size_t i = 0; i < session->cpu_count && session->staging_used < SESSION_STAGED_MAX; i++)
        if (session->cpus[i].ring.memory)
            stage_ring(session, &session->cpus[i].ring);
    if (session->order_count)
        qsort(session->order, session->order_count, sizeof *session->order, compare_order);
    size_t handed = 0;
    session->behind = false;
    for (; handed < session->order_count && session->order[handed].time_ns <= until_ns; handed++) {
        session->behind =
            session->may && !session->may(session->may_context, session->order[handed].time_ns);
        if (session->behind)
            break;
        hand_over(session, handed, sink, context);
    }
    keep_from(session, handed);
    return (long)handed;
}
