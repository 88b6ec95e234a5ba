/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/past_state.h"

#include <errno.h>
#include <stdlib.h>

enum { SEGMENTS_LEAST = 5 /* so that two are thinned beside one read and one written */ };

int past_new(struct past **out, size_t bytes)
{
    *out = NULL;
    size_t room = bytes / SEGMENT_BYTES;
    room = room > SEGMENTS_LEAST ? room - 1 : SEGMENTS_LEAST;
    struct past *past = calloc(1, sizeof *past);
    if (!past)
        return -ENOMEM;
    past->room = room;
    past->bytes = malloc((room + 1) * SEGMENT_BYTES);
    past->segments = calloc(room, sizeof *past->segments);
    if (!past->bytes || !past->segments) {
        past_free(past);
        return -ENOMEM;
    }
    past_clear(past);
    *out = past;
    return 0;
}

void past_free(struct past *past)
{
    if (!past)
        return;
    free(past->bytes);
    free(past->segments);
    free(past);
}

void past_clear(struct past *past)
{
    for (size_t i = 0; i < past->room; i++)
        past->segments[i] = (struct segment){.bytes = past->bytes + i * SEGMENT_BYTES};
    past->spare = past->bytes + past->room * SEGMENT_BYTES;
    past->count = 0;
    past->seen = past->kept = 0;
    past->prng = (struct prng){1};
    past_read_end(past);
}

static void open_segment(struct past *past)
{
    if (past->count == past->room)
        past_thin(past);
    struct segment *segment = &past->segments[past->count++];
    *segment = (struct segment){.bytes = segment->bytes};
    coder_begin(&past->writing);
}

static void add(struct past *past, const struct place *place)
{
    struct segment *last = past->segments + past->count - 1;
    if (!past->count || !coder_put(&past->writing, last, SEGMENT_FILLED, place, 1)) {
        open_segment(past);
        last = past->segments + past->count - 1;
        coder_put(&past->writing, last, SEGMENT_FILLED, place, 1);
    }
    past->seen++;
    past->kept++;
}

void past_add_all(struct past *past, const struct place *places, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add(past, &places[i]);
}

uint64_t past_seen(const struct past *past)
{
    return past->seen;
}

uint64_t past_kept(const struct past *past)
{
    return past->kept;
}
