/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who runs: the program's threads as Valgrind numbers them, and their places in the shared memory.
 * Used by tool.c. */
#ifndef MISSTOP_VALGRIND_THREADS_H
#define MISSTOP_VALGRIND_THREADS_H

#include "pub_tool_basics.h"

/* Asks Valgrind to be told. */
void threads_start(void);

#endif
