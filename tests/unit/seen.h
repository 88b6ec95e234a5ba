/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What comes out of a recording, counted. */
#ifndef MISSTOP_TESTS_SEEN_H
#define MISSTOP_TESTS_SEEN_H

#include "sample/perfdata/perfdata.h"

struct seen {
    size_t samples;
    size_t others;
    size_t of_event[SAMPLE_EVENTS_MAX];
    size_t with_address;
    size_t nonzero_address;
    size_t with_registers;
    size_t with_latency;
    size_t with_data_src;
    size_t kernel;
    uint64_t last_ns;
    uint64_t weight;
    bool backwards;
};

/* For perfdata_read(): context is a struct seen. */
void seen_count(void *context, const struct record *record);

/* All that is left of the recording. */
void seen_rest(struct perfdata *perfdata, struct seen *seen);

#endif
