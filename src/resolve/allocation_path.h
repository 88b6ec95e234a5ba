/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether allocations by one of the agent's call paths are those of a bin; for resolver.h and what
 * it asks. */
#ifndef MISSTOP_RESOLVE_ALLOCATION_PATH_H
#define MISSTOP_RESOLVE_ALLOCATION_PATH_H

enum allocation_path {
    ALLOCATION_PATH_UNKNOWN, /* none came yet, or it is not grouped yet */
    ALLOCATION_PATH_OTHER,
    ALLOCATION_PATH_ITS
};

#endif
