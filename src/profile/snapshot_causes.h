/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of build_causes(): figures out of rows, names, and who threw out what
 * (snapshot_causes_who.c). For the snapshot files that tell causes. */
#ifndef MISSTOP_PROFILE_SNAPSHOT_CAUSES_H
#define MISSTOP_PROFILE_SNAPSHOT_CAUSES_H

#include "profile/state.h"

/* Sums start as zeros: weights where figures have shares. NULL adds nothing. */
void build_sum_causes(const struct build *build, const struct causes_row *row,
                      struct snapshot_causes_figures *sums);
/* Sums as figures; false: there is nothing of them. */
bool build_share_causes(struct snapshot_causes_figures *sums);
/* The same in the arena; NULL: nothing was told, or no memory. */
struct snapshot_causes_figures *build_figures_of(struct build *build,
                                                 const struct snapshot_causes_figures *sums);

/* NULL: not known, or no memory. */
const char *build_evictor_object(struct build *build, uint32_t id);
/* "unknown"; NULL: no memory. */
const char *build_evictor_function(struct build *build, uint32_t id);

/* Of a dense number, 0: beyond those that are told apart; "worker (123)", NULL: no memory. */
uint32_t build_thread_id(const struct build *build, uint32_t number);
const char *build_thread_name(struct build *build, uint32_t tid);

/* Which threads threw out the lines of the rows listed. (snapshot_causes_threads.c) */
void build_evictor_threads(struct build *build, enum causes_of kind);

/* Who threw out the lines of the rows listed, and all that were, as a matrix; `evicted`: misses of
 * all bins of the kind, listed or not, whose evictor is known. */
void build_evictors(struct build *build, enum causes_of kind, double evicted);

#endif
