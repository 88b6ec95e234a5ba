/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What there is to say of the programs and libraries behind a recording: which are not here, what
 * that costs, and how to get them. For the views, and for main.c after a replay in batch mode.
 */
#ifndef MISSTOP_VIEW_BINARY_WORDS_H
#define MISSTOP_VIEW_BINARY_WORDS_H

#include "place.h"

#include <stddef.h>
#include <stdio.h>

/* Share of the samples whose code is not here, 0 to 1; 0 where nothing is missing. */
double binary_missing(const struct snapshot_binaries *binaries);

/* "41.2% of the samples are in programs or libraries that are not here"; "" if none is. */
void binary_note(const struct snapshot_binaries *binaries, char *out, size_t size);

/* What became of one: where it was found if that is another place, "not found: build-id 12ab...",
 * "another build is here: ..."; "" where there is nothing to say. */
void binary_fate(const struct binary_desc *binary, char *out, size_t size);

/* How to get those that are missing, and what a recording with code only lacks. */
extern const char binary_remedy[];
extern const char binary_code_only[];

/* The missing ones, the unverified ones, and the remedies: nothing where all is well. */
void binary_report(FILE *out, const struct snapshot_binaries *binaries);

#endif
