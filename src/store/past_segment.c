/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/past_segment.h"

#include "store/place_row.h"
#include "store/rows.h"

#include <assert.h>
#include <string.h>

/* Slot, time, mask and fields of a place. */
enum { PLACE_BYTES_MAX = (3 + SEGMENT_FIELDS) * NUMBER_BYTES_MAX };

void coder_begin(struct coder *coder)
{
    *coder = (struct coder){0};
}

static void note_time(struct segment *segment, uint64_t time_ns)
{
    if (!segment->kept || time_ns < segment->start_ns)
        segment->start_ns = time_ns;
    if (!segment->kept || time_ns > segment->end_ns)
        segment->end_ns = time_ns;
}

bool coder_put(struct coder *coder, struct segment *segment, size_t limit_bytes,
               const struct place *place, uint64_t count)
{
    uint64_t row[SEGMENT_FIELDS];
    unsigned char *out = segment->bytes + segment->used_bytes;
    if (segment->used_bytes + PLACE_BYTES_MAX > limit_bytes)
        return false;
    place_row_fill(row, place);
    row[SEGMENT_COUNT] = count;
    unsigned slot = place_row_slot(row) % SEGMENT_SLOTS;
    out = number_put(out, slot);
    out = number_put(out, number_of_difference(place->access.time_ns - coder->time_ns));
    out = row_put(out, row, coder->slots[slot], SEGMENT_FIELDS);
    note_time(segment, place->access.time_ns);
    coder->time_ns = place->access.time_ns;
    segment->used_bytes = (size_t)(out - segment->bytes);
    segment->kept++;
    segment->seen += count;
    return true;
}

bool coder_get(struct coder *coder, const struct segment *segment, struct kept_place *kept)
{
    struct numbers from = {segment->bytes + coder->at_bytes, segment->bytes + segment->used_bytes};
    uint64_t slot;
    uint64_t difference;
    if (coder->at_bytes >= segment->used_bytes)
        return false;
    bool whole = number_get(&from, &slot) && slot < SEGMENT_SLOTS &&
                 number_get(&from, &difference) &&
                 row_get(&from, coder->slots[slot], SEGMENT_FIELDS);
    assert(whole); /* nobody but coder_put() writes here */
    if (!whole)
        return false;
    coder->time_ns += number_to_difference(difference);
    coder->at_bytes = (size_t)(from.at - segment->bytes);
    place_row_read(coder->slots[slot], &kept->place);
    kept->place.access.time_ns = coder->time_ns;
    kept->count = coder->slots[slot][SEGMENT_COUNT];
    return true;
}
