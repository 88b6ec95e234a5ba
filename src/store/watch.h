/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a watchpoint ended and the code that touched, as the tables are told it (profile_watch()):
 * what a store keeps of it. A plain value; the recorder fills one in, the reader hands one out. */
#ifndef MISSTOP_STORE_WATCH_H
#define MISSTOP_STORE_WATCH_H

#include "snapshot_watch.h"

#include <stdint.h>

struct store_watch {
    struct watch_result result;
    uint32_t function; /* that touched; 0: it did not, or is not known */
    uint64_t ip;       /* within the instruction that touched */
};

#endif
