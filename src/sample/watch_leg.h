/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One leg of a watched line: its register set, touched or waited for, and told. Private to
 * watch_lines.c, whose header says what legs and visits are.
 */
#ifndef MISSTOP_SAMPLE_WATCH_LEG_H
#define MISSTOP_SAMPLE_WATCH_LEG_H

#include "sample/watch_lines.h"

/* Sets the register of a word and pays for it, if there is one for it; lines->refused says why not.
 */
void watch_leg_arm(struct watch_lines *lines, struct watch_line *line, struct watch_word *word);

/* How long the thread has run that the leg began with, ns; UINT64_MAX: not known. */
uint64_t watch_leg_disarm(struct watch_lines *lines, struct watch_line *line,
                          struct watch_word *word);

/* Arms the sampled word; where refused it is not armed. */
void watch_leg_begin(struct watch_lines *lines, struct watch_line *line);

/* The sampled word was touched: told, and a first leg is followed by a second. */
void watch_leg_touch(struct watch_lines *lines, struct watch_line *line,
                     const struct watch_touch *touch);

/* Whether it has lasted long enough: a leg that was not touched. */
bool watch_leg_waited(const struct watch_lines *lines, const struct watch_line *line,
                      uint64_t now_ns);

/* It ends otherwise than touched; nothing where it is not armed. */
void watch_leg_end(struct watch_lines *lines, struct watch_line *line, enum watch_end end,
                   uint64_t end_ns);

/* Room for a result, with what the line knows filled in. */
struct watch_result *watch_leg_result(struct watch_lines *lines, const struct watch_line *line,
                                      enum watch_kind kind, enum watch_end end);

#endif
