/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the agent puts in front of libc's functions: the only symbols it exports.
 *
 * A program that defines malloc itself comes before us, and its malloc wins: we see only what it
 * asks libc for, and misstop says so. A malloc of another library (jemalloc, tcmalloc) comes
 * after us and is called by us, wherever it was preloaded; their operator new does not call
 * malloc, and is not recorded. It could only be by exporting operator new, which would then also
 * stand before that of a libstdc++ that is loaded later and that we could not find to call.
 *
 * The environment is cleaned, so what children exec is not recorded; what the process itself
 * becomes by exec is (interpose_exec.c).
 */
#ifndef MISSTOP_AGENT_INTERPOSE_H
#define MISSTOP_AGENT_INTERPOSE_H

#include "agent/record.h"

#define INTERPOSED __attribute__((visibility("default")))

/* The wrapper's own frame: the path begins at its return address. */
#define OWN_FRAME ((void *const *)__builtin_frame_address(0))

#endif
