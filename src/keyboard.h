/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the keys come from when standard input is something else, as with less: a recording
 * (perf record -o - | misstop -i -), or what the watched program reads (misstop -- CMD < FILE). For
 * main.
 */
#ifndef MISSTOP_KEYBOARD_H
#define MISSTOP_KEYBOARD_H

#include "base/error.h"

#include <stddef.h>

/* Whether there is a terminal to draw on and one to read keys from; -ENOTTY. Changes nothing. */
int keyboard_check(struct error *error);

/* Puts the terminal where standard input was, if that is none. 0, or a negative errno. */
int keyboard_take(struct error *error);

/* Path of standard input while that is no terminal, to be read after keyboard_take(); "" where it
 * is one. 0, or a negative errno. */
int keyboard_leave(char *path, size_t size, struct error *error);

#endif
