/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the program maps, told to misstop as the kernel would tell perf. Used by tool.c. */
#ifndef MISSTOP_VALGRIND_MAPPINGS_H
#define MISSTOP_VALGRIND_MAPPINGS_H

/* Asks Valgrind to be told. */
void mappings_start(void);

/* Tells that a new program begins, with the path of its file. */
void mappings_program(void);

#endif
