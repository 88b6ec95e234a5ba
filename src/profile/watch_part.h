/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of build_watch(): the code that touched (watch_codes.c), and what it means
 * (watch_words.c). Private to these and snapshot_watch.c. */
#ifndef MISSTOP_PROFILE_WATCH_PART_H
#define MISSTOP_PROFILE_WATCH_PART_H

#include "profile/reuse.h"
#include "profile/reuse_verdict.h"
#include "profile/state.h"

/* Functions and source lines of touches, most first. Sorts the legs. */
void watch_fill_codes(struct build *build, const struct reuse_leg **legs, size_t count,
                      struct snapshot_watch_object *object);

/* How far the object is from a verdict, whose verdict and part touched again are known; and all of
 * them together. */
void watch_fill_pace(struct build *build, struct snapshot_watch_object *object);
void watch_sum_pace(struct snapshot_watch *watch);

/* What samples of the ranking event are, and the cache they are misses of. */
struct reuse_question watch_question(const struct build *build);

/* Whether the findings say that the object's lines throw each other out of a few sets. */
bool watch_crowded(const struct snapshot *snapshot, uint32_t object);

/* What the samples say of the object: its order, its lines, and the time at other data. */
void watch_ask_of(const struct build *build, uint32_t object, uint32_t id,
                  struct reuse_question *question);

/* Why the verdict, and what to do, in the arena; NULL: no memory. */
const char *watch_words(struct build *build, const struct snapshot_watch_object *object,
                        const struct reuse_question *question);

#endif
