/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one place that reads the time; everything else is handed a time in ns. */
#ifndef MISSTOP_BASE_CLOCK_H
#define MISSTOP_BASE_CLOCK_H

#include <stdint.h>

#define CLOCK_NS_PER_S UINT64_C(1000000000)

/* CLOCK_MONOTONIC, the clock that samples are stamped with. */
uint64_t clock_now_ns(void);

#endif
