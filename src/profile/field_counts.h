/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The fields of the leading objects, for the run over time: what each place in an element counts is
 * added per sample in a small table of its own; at the end of a period it goes to the member that
 * lies there, once its type is known. Private to src/profile.
 */
#ifndef MISSTOP_PROFILE_FIELD_COUNTS_H
#define MISSTOP_PROFILE_FIELD_COUNTS_H

#include "place.h"
#include "profile/touched.h"
#include "snapshot_time.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FIELD_OBJECTS = 16, /* that fields are counted of, at the most */
    FIELD_ROWS = 2048,  /* a power of two: 80 KiB */
    FIELD_PROBES = 8,
    FIELDS_MAX = 512 /* different ones; those beyond are not counted */
};

/* Something that is called one name: a member of a type, or an offset in elements without one. */
struct counted_field {
    uint64_t key; /* as offset_key(), of where it begins */
    uint32_t object;
    uint32_t member; /* TYPE_NO_MEMBER */
};

struct field_row {
    uint64_t key; /* as offset_key() */
    uint32_t object;
    uint32_t field;                   /* index + 1; 0: not known yet */
    double weight[SNAPSHOT_MEASURES]; /* since it was taken last */
    bool counted;
};

struct field_counts {
    struct field_row rows[FIELD_ROWS]; /* key 0: free, as only folded and typed keys are counted */
    struct counted_field fields[FIELDS_MAX];
    uint32_t count;
    struct touched followed; /* the objects */
    uint32_t followed_count;
};

/* From here on its fields are counted, if there is room. */
void field_counts_follow(struct field_counts *counts, uint32_t object);

static inline bool field_counts_follows(const struct field_counts *counts, uint32_t object)
{
    return touched_has(&counts->followed, object);
}

/* `key` as offset_key() has it; those of objects without a type or elements are passed over. */
void field_counts_add(struct field_counts *counts, uint32_t object, uint64_t key,
                      enum snapshot_measure measure, double weight);

/* What each field has counted of each measure since this was asked last goes to `take`, with its
 * index. */
void field_counts_take(struct field_counts *counts, const struct place_names *names,
                       void (*take)(void *context, uint32_t field,
                                    const double weight[SNAPSHOT_MEASURES]),
                       void *context);

/* "particle.vy", "+16" of an element. Returns out. */
const char *field_counts_name(const struct counted_field *field, const struct place_names *names,
                              char *out, size_t out_size);

#endif
