/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the model says of lines, told to misstop: how they were used before they left a cache, how
 * far apart their uses are, and which instructions used and threw out what another one fetched.
 * For access.c, which owns the model.
 */
#ifndef MISSTOP_VALGRIND_LINES_H
#define MISSTOP_VALGRIND_LINES_H

#include "pub_tool_basics.h"
#include "sim/model.h"

/* What the model needs for it, if misstop wants it. */
void lines_want(struct model_spec *spec, struct model_host *host);

/* Whom the model's next words are of. */
void lines_runs(UInt tid);

#endif
