/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The values that options take, from their text: each 0, or -EINVAL with what the option wants
 * instead. For options.c.
 */
#ifndef MISSTOP_OPTION_VALUE_H
#define MISSTOP_OPTION_VALUE_H

#include "base/error.h"
#include "options.h"

#include <stdint.h>

int option_unsigned(const char *text, const char *option, uint64_t low, uint64_t high,
                    uint64_t *value, struct error *error);
int option_u32(const char *text, const char *option, uint64_t low, uint64_t high, uint32_t *value,
               struct error *error);
int option_seconds(const char *text, const char *option, double low, double high, double *value,
                   struct error *error);
int option_pid(const char *text, pid_t *pid, struct error *error);

/* The index of one of several words, ended by NULL. */
int option_choice(const char *text, const char *option, const char *const *choices,
                  struct error *error);

/* Words of --heap with commas between: bits of enum options_heap. */
int option_heap(const char *text, unsigned *heap, struct error *error);

/* SIZE[,FILES] of --record-limit. */
int option_record_limit(const char *text, struct options *options, struct error *error);

/* PERCENT of --watch, as a part of 1: NULL is 1 %. */
int option_watch(const char *text, double *part, struct error *error);

/* PACE of --play: NULL is 1, max is INFINITY. */
int option_pace(const char *text, double *pace, struct error *error);

#endif
