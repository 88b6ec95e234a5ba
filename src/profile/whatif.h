/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Questions about another layout of an object: read from the user's words, planned from its type
 * and its heat (whatif.c), and what an answer means in time (DTrack 3.4). For the engine,
 * which asks the simulation, and for the views, which offer them.
 */
#ifndef MISSTOP_PROFILE_WHATIF_H
#define MISSTOP_PROFILE_WHATIF_H

#include <stddef.h>

#include "base/error.h"
#include "new_layout.h"
#include "snapshot.h"

enum whatif_kind {
    WHATIF_NEVER,        /* "never": it never missed */
    WHATIF_SPLIT,        /* "split=FIELD": in two, from this member on */
    WHATIF_HOT,          /* "hot", "hot=FIELD,FIELD": hot members apart from the others */
    WHATIF_ORDER,        /* "order": hottest members first */
    WHATIF_PAD,          /* "pad", "pad=BYTES": each element; to a power of two */
    WHATIF_ALIGN,        /* "align", "align=BYTES": each element begins on a line */
    WHATIF_ALIGN_OBJECT, /* "align-object", "align-object=BYTES": each block does */
    WHATIF_ARRAYS,       /* "arrays": one for each member */
    WHATIF_POOL,         /* "pool": its blocks side by side */
    WHATIF_KINDS
};

struct whatif_wanted {
    enum whatif_kind kind;
    char fields[128]; /* of split and hot: names, or offsets "+16", with commas; "": by heat */
    uint32_t bytes;   /* of pad and align; 0: as said above */
};

enum { WHATIF_MEMBERS_NAMED = 64 };

/* "OBJECT:split=FIELD" and so on; names may have colons. -EINVAL with the forms that there are. */
int whatif_parse(const char *text, struct whatif_wanted *wanted, char *object, size_t object_size,
                 struct error *error);
/* The part behind the colon. */
void whatif_words(const struct whatif_wanted *wanted, char *out, size_t size);

/* The layout in question; its names are those of the object's layout and of the question. */
struct whatif_plan {
    struct relayout layout;
    enum whatif_kind kind;
    uint32_t element;  /* bytes, as it is */
    uint32_t sizes[2]; /* bytes then: of the hot part, or before the cut, or all; of the rest */
    uint32_t to;       /* bytes that it is aligned to */
    unsigned count;    /* members: that are hot, or all of them */
    const char
        *members[WHATIF_MEMBERS_NAMED]; /* the first of them, or the one that is cut before */
};

/*
 * `layout`: of the chosen type; NULL: none is known. `line_bytes`: of the caches. 0; -EINVAL:
 * impossible, with the reason.
 */
int whatif_plan(const struct whatif_wanted *wanted, const struct snapshot_object *object,
                const struct snapshot_layout *layout, uint32_t line_bytes, struct whatif_plan *plan,
                struct error *error);

/* Cost of a miss at a level, beside a hit there: typical latencies of 4, 14, 44 and 200 cycles for
 * L1, L2, L3 and memory; the last of the levels misses to memory. */
double whatif_miss_cycles(uint32_t level, uint32_t level_count);

/*
 * The level that most cycles are lost at, of exact counts: of an access that L2 serves L1's, of one
 * that memory serves the last one's. `now` stays where another has not cost half as much again.
 */
uint32_t whatif_costliest_level(const struct snapshot_simulation *simulation, uint32_t now);

/* Fills in what never missing would leave, and the cycles. */
void whatif_weigh(struct snapshot_whatif *answer, bool never);

#endif
