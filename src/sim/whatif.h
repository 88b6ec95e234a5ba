/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * "What if": from now on every access goes to a second model too, at the address where it would
 * fall if one object lay otherwise (include/new_layout.h). The second begins with what is in the
 * first's caches, moved; once its last level has fetched as many lines as it holds, it has settled,
 * and both count anew. Nothing else moves: where the object was, nothing lies then. Freestanding;
 * driven by src/valgrind/whatif.c and by tests.
 */
#ifndef MISSTOP_SIM_WHATIF_H
#define MISSTOP_SIM_WHATIF_H

#include "sim/lines.h"
#include "sim/model.h"
#include "sim/moved.h"

/* Accesses that a level did not hold. An access that lies in two parts counts in each, once it has
 * been moved. */
struct whatif_misses {
    uint64_t all[MODEL_LEVELS_MAX];
    uint64_t object[MODEL_LEVELS_MAX];
};

struct whatif_counts {
    uint64_t accesses;
    uint64_t object_accesses;
    uint64_t cut; /* of these, that lie in more than one part */
    struct whatif_misses before;
    struct whatif_misses after; /* all 0 where nothing is moved */
    /* Of after.object: on lines that were not touched before, since then. Had the program lain so
     * from its start, they might have been there. */
    uint64_t fresh[MODEL_LEVELS_MAX];
};

struct whatif {
    struct memory memory;
    struct moved moved;
    struct model *model;         /* NULL: nothing is moved, the object's misses are counted only */
    struct model_thread *thread; /* who runs, in it */
    struct lines touched;        /* bits: lines of the new layout that were fetched */
    uint64_t touched_left_bytes;
    uint32_t line_shift;
    uint64_t settles_after; /* misses of the second's last level; 0: it has settled */
    struct whatif_counts counts;
};

/* -1 after host->fail(): no memory, or the layout cannot be. `spec`: the first model's; causes and
 * use are not asked of the second. */
int whatif_init(struct whatif *whatif, const struct relayout *relayout,
                const struct model_spec *spec, const struct model_host *host);

/* After the blocks that are there have been added (whatif->moved): takes over what lies in the
 * first model's caches, and counts from 0. -1 after host->fail(). */
int whatif_begin(struct whatif *whatif, const struct model *first);

/* -1 after host->fail(). */
int whatif_runs(struct whatif *whatif, uint32_t thread);

/* An access that level `served` of the first model had. The rest as model_access(). */
void whatif_access(struct whatif *whatif, uint64_t address, uint32_t size_bytes, uint32_t kind,
                   uint32_t ip, uint32_t served);

#endif
