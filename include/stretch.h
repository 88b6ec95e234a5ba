/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stretch of a run: from start_ns on, before end_ns, by the clock of the samples. */
#ifndef MISSTOP_STRETCH_H
#define MISSTOP_STRETCH_H

#include <stdint.h>

struct stretch {
    uint64_t start_ns;
    uint64_t end_ns;
};

#endif
