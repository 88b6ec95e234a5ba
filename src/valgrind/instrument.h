/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Puts calls of access.h before every access to memory in a block of the program's code: loads,
 * stores, guarded ones, compare-and-swap, load-linked and store-conditional, and what helpers of
 * Valgrind's do to memory for one instruction. Instructions of the allocation agent are left as
 * they are, for they are not the program's. Used by tool.c.
 */
#ifndef MISSTOP_VALGRIND_INSTRUMENT_H
#define MISSTOP_VALGRIND_INSTRUMENT_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                 const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
                 IRType host_word);

#endif
