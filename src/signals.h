/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The signals that are read like input instead of interrupting. For main, loop.c and pick.c. */
#ifndef MISSTOP_SIGNALS_H
#define MISSTOP_SIGNALS_H

#include <signal.h>

/* Signal dispositions for the started program, which misstop changes for itself. */
struct signals_before {
    sigset_t mask;
    sigset_t ignored;
};

/* Before anything is changed. */
void signals_note(struct signals_before *before);

/* In a child, before exec: as misstop found it. */
void signals_restore(const struct signals_before *before);

/*
 * Blocks them, for everything started afterwards. Call before launching or opening anything.
 */
void signals_block(void);

/* A descriptor that gives struct signalfd_siginfo, not blocking; or a negative errno. */
int signals_open(void);

#endif
