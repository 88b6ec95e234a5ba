/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Units of the ring (sim_abi.h) as records. For sim_session.c only. */
#ifndef MISSTOP_SAMPLE_SIM_RECORD_H
#define MISSTOP_SAMPLE_SIM_RECORD_H

#include "sample/sim_session.h"

/* Where records go; the session's last_ns is their time. */
struct sim_told {
    struct sim_session *session;
    sampler_sink sink;
    void *context;
};

/*
 * Hands on what one unit says, as one record or several. `behind`: units that follow it. Returns
 * how many of those belong to it. What makes no sense is counted as bad.
 */
uint64_t sim_record_tell(const struct sim_told *told, const union sim_unit *unit, uint64_t behind);

/* union perf_mem_data_src of a miss or access among `level_count` levels. */
uint64_t sim_record_data_src(const struct sim_miss *miss, uint32_t level_count);

#endif
