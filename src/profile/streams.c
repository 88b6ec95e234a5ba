/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/streams.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

void streams_init(struct streams *streams, uint64_t start_ns, uint64_t period_ns)
{
    *streams = (struct streams){.start_ns = start_ns, .period_ns = period_ns, .most = STREAMS_MAX};
    hash_init(&streams->of_key);
}

void streams_fini(struct streams *streams)
{
    for (size_t i = 0; i < streams->count; i++)
        free(streams->list[i].at);
    free(streams->list);
    hash_fini(&streams->of_key);
}

void streams_restart(struct streams *streams, uint64_t start_ns, uint64_t period_ns)
{
    for (size_t i = 0; i < streams->count; i++)
        free(streams->list[i].at);
    hash_clear(&streams->of_key);
    streams->count = streams->points = 0;
    streams->crowded = false;
    streams->start_ns = start_ns;
    streams->period_ns = period_ns;
}

static struct stream *least(struct streams *streams)
{
    struct stream *found = streams->list;
    for (size_t i = 1; i < streams->count; i++)
        if (streams->list[i].put < found->put)
            found = &streams->list[i];
    return found;
}

static struct stream *add(struct streams *streams)
{
    struct stream *more =
        array_more(streams->list, &streams->room, streams->count, sizeof *more, streams->most);
    if (!more)
        return NULL;
    streams->list = more;
    struct stream *stream = &streams->list[streams->count];
    *stream = (struct stream){.at = calloc(STREAMS_POINTS, sizeof *stream->at)};
    streams->count += stream->at != NULL;
    return stream->at ? stream : NULL;
}

/* The place of the least one, which is forgotten; NULL: all have a higher total. */
static struct stream *displace(struct streams *streams, double total)
{
    struct stream *stream = streams->count ? least(streams) : NULL;
    streams->crowded = true;
    if (!stream || stream->put >= total)
        return NULL;
    hash_remove(&streams->of_key, stream->key);
    memset(stream->at, 0, STREAMS_POINTS * sizeof *stream->at);
    *stream = (struct stream){.at = stream->at, .put = total};
    return stream;
}

static struct stream *make(struct streams *streams, uint64_t key, double total)
{
    struct stream *stream = add(streams);
    if (!stream)
        stream = displace(streams, total);
    uint32_t *index = stream ? hash_insert(&streams->of_key, key, NULL) : NULL;
    if (!index)
        return NULL;
    *index = (uint32_t)(stream - streams->list);
    stream->key = key;
    return stream;
}

static struct stream *find_or_make(struct streams *streams, uint64_t key, double total)
{
    const uint32_t *index = hash_find(&streams->of_key, key);
    return index ? &streams->list[*index] : total > 0 ? make(streams, key, total) : NULL;
}

void streams_skip(struct streams *streams, uint64_t key, double total)
{
    struct stream *stream = find_or_make(streams, key, total);
    if (stream)
        stream->put = total;
}

void streams_put(struct streams *streams, uint64_t key, double total)
{
    struct stream *stream = find_or_make(streams, key, total);
    if (!stream || total == stream->put)
        return;
    double added = total < stream->put ? total : total - stream->put;
    stream->put = total;
    stream->at[streams->points] += added;
    stream->total += added;
}

static void halve(double *at)
{
    for (size_t i = 0; i < STREAMS_POINTS / 2; i++)
        at[i] = at[2 * i] + at[2 * i + 1];
    memset(at + STREAMS_POINTS / 2, 0, STREAMS_POINTS / 2 * sizeof *at);
}

void streams_close(struct streams *streams, uint64_t now_ns)
{
    while (now_ns >= streams_next_ns(streams)) {
        if (++streams->points < STREAMS_POINTS)
            continue;
        for (size_t i = 0; i < streams->count; i++)
            halve(streams->list[i].at);
        streams->points /= 2;
        streams->period_ns *= 2;
    }
}

const struct stream *streams_find(const struct streams *streams, uint64_t key)
{
    const uint32_t *index = hash_find(&streams->of_key, key);
    return index ? &streams->list[*index] : NULL;
}

size_t streams_curve(const struct streams *streams, const struct stream *stream, size_t by,
                     double *out)
{
    size_t count = streams->points / by;
    for (size_t i = 0; i < count; i++) {
        out[i] = 0;
        for (size_t k = 0; k < by; k++)
            out[i] += stream->at[i * by + k];
    }
    return count;
}
