/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * perf record -o - | misstop -i -: the recording comes where the keys should. As with less, keys
 * are then read from the terminal itself. For main, before the screen opens.
 */
#ifndef MISSTOP_PIPED_INPUT_H
#define MISSTOP_PIPED_INPUT_H

#include "base/error.h"

#include <stddef.h>

/*
 * Puts the terminal where standard input was, if `input` is "-" and no terminal; `path`: where the
 * recording is read from now, "" if nothing changed. 0, or a negative errno.
 */
int piped_input(const char *input, char *path, size_t size, struct error *error);

#endif
