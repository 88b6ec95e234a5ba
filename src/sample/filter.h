/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which of all accesses a precise source samples: the words of -e that pebs and ibs take beside
 * or instead of event names. For the two sources only.
 */
#ifndef MISSTOP_SAMPLE_FILTER_H
#define MISSTOP_SAMPLE_FILTER_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct filter {
    uint32_t ldlat_cycles; /* loads that took as long or longer; 0: not asked for */
    bool l3_miss_only;
    bool events; /* the list has other words too */
};

/* Reads "ldlat=64", "l3missonly" out of `list` (NULL: none). 0, or -EINVAL for a bad number. */
int filter_parse(struct filter *filter, const char *list, struct error *error);

#endif
