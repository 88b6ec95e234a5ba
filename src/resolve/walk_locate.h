/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The chunk of a span that holds an address. Private to the walk. */
#ifndef MISSTOP_RESOLVE_WALK_LOCATE_H
#define MISSTOP_RESOLVE_WALK_LOCATE_H

#include "resolve/walk_state.h"

/* Fills *block, or says why not. The span may be gone after a failure. */
enum walk_failure walk_locate(struct walk *walk, struct walk_span *span, uint64_t address,
                              struct walk_block *block);

#endif
