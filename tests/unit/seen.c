/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "seen.h"

void seen_count(void *context, const struct record *record)
{
    struct seen *seen = context;
    seen->backwards |= record->time_ns < seen->last_ns;
    seen->last_ns = record->time_ns;
    if (record->kind != RECORD_SAMPLE) {
        seen->others++;
        return;
    }
    seen->samples++;
    seen->weight += record->sample.weight;
    seen->of_event[record->sample.event]++;
    seen->with_address += !!(record->sample.has & SAMPLE_HAS_ADDRESS);
    seen->nonzero_address += record->sample.address != 0;
    seen->with_registers += !!(record->sample.has & SAMPLE_HAS_REGS);
    seen->with_latency += !!(record->sample.has & SAMPLE_HAS_LATENCY);
    seen->with_data_src += !!(record->sample.has & SAMPLE_HAS_DATA_SRC);
    seen->kernel += record->sample.mode == SAMPLE_KERNEL;
}

void seen_rest(struct perfdata *perfdata, struct seen *seen)
{
    while (perfdata_read(perfdata, UINT64_MAX, seen_count, seen) >= 0)
        continue;
}
