/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * -i FILE where misstop itself recorded FILE: places and names come from FILE.misstop, and nothing
 * is decoded or resolved again. What the engine wants of sampler, resolver and sysfs is given
 * here from what the store tells. For engine*.c.
 */
#ifndef MISSTOP_ENGINE_RECORDED_H
#define MISSTOP_ENGINE_RECORDED_H

#include <stdbool.h>

#include "base/error.h"
#include "profile/geometry.h"
#include "resolve/resolver.h"
#include "sample/sampler.h"
#include "store/store_read.h"

/*
 * The store to be played for `input`: it itself, or what stands beside it and belongs to it.
 * *store NULL: there is none, `note` says why where one would have been expected ("" else).
 * A negative errno only where `input` itself is a store that cannot be read.
 */
int replay_open(struct store_reader **store, const char *input, char *note, size_t note_size,
                struct error *error);

/* As of the point that was read up to; strings live as long as the store. */
struct resolver_target replay_target(const struct store_reader *store);

#endif
