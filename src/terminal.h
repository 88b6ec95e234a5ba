/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Keys and signals. Keys come from the terminal when standard input is something else, as with
 * less: a recording (perf record -o - | misstop -i -) or the input of the watched program (misstop
 * -- CMD < FILE). Signals are read like input instead of interrupting.
 */
#ifndef MISSTOP_TERMINAL_H
#define MISSTOP_TERMINAL_H

#include <signal.h>
#include <stddef.h>

#include "base/error.h"

/* Whether there is a terminal to draw on and one to read keys from; -ENOTTY. Changes nothing. */
int keyboard_check(struct error *error);

/* Puts the terminal where standard input was, if that is none. 0, or a negative errno. */
int keyboard_take(struct error *error);

/* Path of standard input while that is no terminal, to be read after keyboard_take(); "" where it
 * is one. 0, or a negative errno. */
int keyboard_leave(char *path, size_t size, struct error *error);

/* Signal dispositions for the started program, which misstop changes for itself. */
struct signals_before {
    sigset_t mask;
    sigset_t ignored;
};

/* Before anything is changed. */
void signals_note(struct signals_before *before);

/* In a child, before exec: as misstop found it. */
void signals_restore(const struct signals_before *before);

/* Blocks these signals for everything started afterwards. Call before launching or opening
 * anything. */
void signals_block(void);

/* A descriptor that gives struct signalfd_siginfo, not blocking; or a negative errno. */
int signals_open(void);

#endif
