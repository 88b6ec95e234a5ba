/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of build_sharing(): what is on a line by name (sharing_names.c), and what it means
 * (sharing_words.c). Private to snapshot_sharing.c and these. */
#ifndef MISSTOP_PROFILE_SNAPSHOT_SHARING_H
#define MISSTOP_PROFILE_SNAPSHOT_SHARING_H

#include "profile/state.h"

/* The object as it is listed, or as it is named elsewhere; its name in the arena, NULL: no
 * memory. */
const char *sharing_describe(struct build *build, uint32_t object, struct object_desc *desc);

/* Instructions of a side with functions, source lines and fields; its object, bytes and lock. */
void sharing_fill_codes(struct build *build, const struct sharing_line *line,
                        const struct sharing_side *from, struct snapshot_sharing_side *side);

/* What it is and what to do about it, in the arena; NULL: no memory. */
const char *sharing_words(struct build *build, const struct snapshot_sharing_group *group);

#endif
