/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One record in the form that perf.data files hold: the counterpart of record.h. Layout:
 * include/uapi/linux/perf_event.h, enum perf_event_type. For perfdata_write*.c.
 */
#ifndef MISSTOP_SAMPLE_PERFDATA_WRITE_RECORD_H
#define MISSTOP_SAMPLE_PERFDATA_WRITE_RECORD_H

#include "sample.h"
#include "sample/perfdata_write.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

/* A path (the kernel's end at 4096 bytes) and what stands about it. */
enum { PERFDATA_WRITE_RECORD_MAX = 4096 + 256 };

/* How the records of one event are laid out. */
struct perfdata_layout {
    uint64_t sample_type;
    uint64_t regs; /* mask of enum perf_event_x86_regs */
    uint64_t id;
};

/*
 * The attribute of a recording that misstop writes, from the one that the event was opened or
 * recorded with: its records carry the decoded address and the data source beside what they had.
 */
void perfdata_layout_init(struct perfdata_layout *layout, struct perf_event_attr *attr,
                          uint64_t id);

/*
 * Lays out a record, a multiple of 8 bytes, and returns its size. Records that are no samples are
 * laid out as those of event 0.
 */
size_t perfdata_write_record(unsigned char out[PERFDATA_WRITE_RECORD_MAX],
                             const struct perfdata_layout *layout, const struct record *record,
                             const struct perfdata_written *told);

/* The record that says that what follows is not older than what came before the last one. */
size_t perfdata_write_round(unsigned char out[PERFDATA_WRITE_RECORD_MAX]);

#endif
