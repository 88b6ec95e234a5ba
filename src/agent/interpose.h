/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the agent puts in front of libc's functions: the only symbols it exports. */
#ifndef MISSTOP_AGENT_INTERPOSE_H
#define MISSTOP_AGENT_INTERPOSE_H

#include "agent/record.h"

#define INTERPOSED __attribute__((visibility("default")))

/* The wrapper's own frame: the path begins at its return address. */
#define OWN_FRAME ((void *const *)__builtin_frame_address(0))

#endif
