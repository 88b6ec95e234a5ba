/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of build_sharing(): which lines belong together (sharing_groups.c), what is on a line
 * by name (sharing_names.c), and what it means (sharing_words.c). Private to these and
 * snapshot_sharing.c. */
#ifndef MISSTOP_PROFILE_SNAPSHOT_SHARING_H
#define MISSTOP_PROFILE_SNAPSHOT_SHARING_H

#include "profile/sharing_verdict.h"
#include "profile/state.h"

/* A line and what it is grouped by. */
struct sharing_listed {
    struct snapshot_sharing_line line;
    struct sharing_judged judged;
    uint32_t object;
    uint64_t base;
};

/* For sorting: the larger number comes first. */
static inline int sharing_most_first(double a, double b)
{
    return a > b ? -1 : a < b;
}

/* Byte of the line that a side uses first; 0: none is known. */
static inline unsigned sharing_first_byte(const struct snapshot_sharing_side *side)
{
    uint64_t bytes = side->read | side->written;
    return bytes ? (unsigned)__builtin_ctzll(bytes) : 0;
}

/* Samples of all events under the basis: of everything attributed, of one object. */
double sharing_all_samples(const struct build *build);
double sharing_object_samples(const struct build *build, uint32_t object);

/* Instances begin anywhere in a line: by whole lines from where they begin. */
static inline int64_t sharing_line_in_object(const struct sharing_listed *listed)
{
    return listed->line.offset >> 6;
}

/* Lines that belong together, contention first, most samples first. The lines come by object and
 * place; `groups` has room for as many as there are lines. Returns how many groups. */
size_t sharing_group(struct build *build, const struct sharing_listed *list, size_t count,
                     struct snapshot_sharing_group *groups);

/* The object as it is listed, or as it is named elsewhere; its name in the arena, NULL: no
 * memory. */
const char *sharing_describe(struct build *build, uint32_t object, struct object_desc *desc);

/* Instructions of a side with functions, source lines and fields; its object, bytes and lock. */
void sharing_fill_codes(struct build *build, const struct sharing_line *line,
                        const struct sharing_side *from, struct snapshot_sharing_side *side);

/* Who hardly touches a line is no party to what the others do on it. */
bool sharing_party(const struct snapshot_sharing_side *side);

/* What it is and what to do about it, in the arena; NULL: no memory. Fills in the remedy alone. */
const char *sharing_words(struct build *build, struct snapshot_sharing_group *group);

#endif
