/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The picture of one type while it is made: snapshot_layout.c draws the members, snapshot_lines.c
 * the cache lines. Private to those two. */
#ifndef MISSTOP_PROFILE_DRAWING_H
#define MISSTOP_PROFILE_DRAWING_H

#include "profile/state.h"

/* One picture under construction. */
struct drawing {
    struct build *build;
    struct snapshot_layout *layout;
    struct type_desc type;               /* no members: inferred */
    const struct snapshot_field *fields; /* of the type, by offset; offsets as sampled */
    size_t field_count;
    uint32_t line;
    uint64_t extent; /* its size, with one element of an array without a length */
    bool array;      /* the object has many of them side by side */
    struct snapshot_layout_row *rows;
    size_t row_count;
    size_t row_room;
    double *heat;     /* [members][3]: samples, loads, stores, with those of their parts */
    uint8_t *touched; /* per byte */
};

/* The cache line in which an offset lies, under the leading phase. */
uint32_t drawing_line(const struct drawing *drawing, uint64_t offset);

/* Where in a line instances begin, by the accesses in the window; how many of those straddle. */
void drawing_find_phase(struct drawing *drawing, uint32_t object);

/* The lines, what of them is used, and their part of the heat. */
void drawing_cut_into_lines(struct drawing *drawing);

/* Lines that the few members with most of the heat lie in, and how many they need. */
void drawing_measure_spread(struct drawing *drawing);

/* One or two sentences of what the picture says; NULL: too few samples. */
const char *drawing_reading(const struct drawing *drawing);

#endif
