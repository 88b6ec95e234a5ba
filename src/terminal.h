/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Keys and signals. Keys come from the terminal if standard input is something else, as in less: a
 * recording (perf record -o - | misstop -i -) or the input of the watched program (misstop -- CMD <
 * FILE). Signals are read like input instead of interrupting.
 */
#ifndef MISSTOP_TERMINAL_H
#define MISSTOP_TERMINAL_H

#include <signal.h>
#include <stddef.h>

#include "base/error.h"

/* Checks that there is a terminal to draw on and one to read keys from; otherwise returns -ENOTTY.
 * Changes nothing. */
int keyboard_check(struct error *error);

/* Replaces standard input by the terminal if it is not one. Returns 0 or a negative errno. */
int keyboard_take(struct error *error);

/* Sets `path` for reading the original standard input after keyboard_take(), if it is not a
 * terminal; otherwise "". Returns 0 or a negative errno. */
int keyboard_leave(char *path, size_t size, struct error *error);

/* Original signal dispositions, for the started program; misstop changes its own. */
struct signal_dispositions {
    sigset_t mask;
    sigset_t ignored;
};

/* Call before anything is changed. */
void signals_note(struct signal_dispositions *before);

/* Restores the original dispositions. Call in a child, before exec. */
void signals_restore(const struct signal_dispositions *before);

/* Blocks these signals for everything started afterwards. Call first. */
void signals_block(void);

/* Returns a non-blocking descriptor that delivers struct signalfd_siginfo, or a negative errno. */
int signals_open(void);

#endif
