/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether a layout that was asked for (include/new_layout.h) can be, and where in it a byte of an
 * element lies. For src/sim/moved.c, and for who plans one.
 */
#ifndef MISSTOP_SIM_RELAYOUT_H
#define MISSTOP_SIM_RELAYOUT_H

#include "new_layout.h"

/* NULL: it is as it has to be. Else why not. */
const char *relayout_refuse(const struct relayout *relayout);

/* The part that holds byte `offset` of an element; NULL: none does, the byte stays where it is. */
const struct relayout_part *relayout_find(const struct relayout *relayout, uint32_t offset);

#endif
