/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether an instruction's data are floating-point numbers. By its bytes, for Valgrind's own form
 * of it loads them as integers. Used by instrument.c.
 */
#ifndef MISSTOP_VALGRIND_FLOATING_H
#define MISSTOP_VALGRIND_FLOATING_H

#include "pub_tool_basics.h"

/* `code`: the whole instruction, `length` bytes that can be read. */
Bool floating_is(const UChar *code, UInt length);

#endif
