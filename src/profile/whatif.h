/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses the user's words, plans a layout from the type and the hot members, and computes what an
 * answer means in time (DTrack 3.4). */
#ifndef MISSTOP_PROFILE_WHATIF_H
#define MISSTOP_PROFILE_WHATIF_H

#include <stddef.h>

#include "base/error.h"
#include "new_layout.h"
#include "snapshot.h"

enum whatif_kind {
    WHATIF_NEVER,        /* "never": it never misses */
    WHATIF_SPLIT,        /* "split=FIELD": two parts, split before FIELD */
    WHATIF_HOT,          /* "hot", "hot=FIELD,FIELD": hot members separate from the others */
    WHATIF_ORDER,        /* "order": hottest members first */
    WHATIF_PAD,          /* "pad", "pad=BYTES": element size; default: next power of two */
    WHATIF_ALIGN,        /* "align", "align=BYTES": each element starts on a line */
    WHATIF_ALIGN_OBJECT, /* "align-object=BYTES": each block starts on a line */
    WHATIF_ARRAYS,       /* "arrays": one array per member */
    WHATIF_POOL,         /* "pool": its blocks adjacent */
    WHATIF_KINDS
};

struct whatif_request {
    enum whatif_kind kind;
    char fields[128]; /* for split and hot: names or offsets "+16"; "": by samples */
    uint32_t bytes;   /* for pad and align; 0: default */
};

enum { WHATIF_MEMBERS_NAMED = 64 };

/* Parses "OBJECT:split=FIELD" and the like; names may contain colons. Returns -EINVAL with the list
 * of valid forms. */
int whatif_parse(const char *text, struct whatif_request *request, char *object, size_t object_size,
                 struct error *error);
/* Formats the part after the colon. */
void whatif_words(const struct whatif_request *request, char *out, size_t size);

/* The planned layout; its names belong to the object's layout and to the question. */
struct whatif_plan {
    struct relayout layout;
    enum whatif_kind kind;
    uint32_t element;  /* current bytes */
    uint32_t sizes[2]; /* planned bytes: hot part, before the cut, or all; [1]: the other part */
    uint32_t to;       /* alignment in bytes */
    unsigned count;    /* number of hot members, or of all */
    const char *members[WHATIF_MEMBERS_NAMED]; /* the first of them, or the member after the cut */
};

/* Plans a layout. `layout`: of the chosen type; NULL: not known. `line_bytes`: of the caches.
 * Returns 0, or -EINVAL with the reason if it is impossible. */
int whatif_plan(const struct whatif_request *request, const struct snapshot_object *object,
                const struct snapshot_layout *layout, uint32_t line_bytes, struct whatif_plan *plan,
                struct error *error);

/* Returns the cost of a miss at a level compared with a hit, from typical latencies of 4, 14, 44
 * and 200 cycles for L1, L2, L3 and memory; the last level misses to memory. */
double whatif_miss_cycles(uint32_t level, uint32_t level_count);

/* Returns the level that costs most cycles, by exact counts: L1 for accesses served by L2, the last
 * level for memory. Keeps `now` unless another level costs 1.5 times as much. */
uint32_t whatif_costliest_level(const struct snapshot_simulation *simulation, uint32_t now);

/* Computes the cycles; with `never` also the misses left if the object never missed. */
void whatif_weigh(struct snapshot_whatif *answer, bool never);

#endif
