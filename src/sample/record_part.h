/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts that record.c puts together: what follows a header. For record*.c, and for
 * perfdata_write_record.c, which lays the same out. */
#ifndef MISSTOP_SAMPLE_RECORD_PART_H
#define MISSTOP_SAMPLE_RECORD_PART_H

#include "sample/cursor.h"
#include "sample/record.h"

/* enum perf_event_x86_regs to ours; SREG_NONE: segments, which are skipped. */
enum { RECORD_REGISTER_BITS = 24 };
extern const uint8_t record_register_of_bit[RECORD_REGISTER_BITS];

/* Each returns 1 when `out` is filled, 0 for a record of no interest, -EBADMSG. */
int record_take_sample(struct cursor *cursor, uint16_t misc, const struct record_format *format,
                       struct record *out);
int record_take_other(struct cursor *cursor, const struct perf_event_header *header,
                      const struct record_format *format, struct record *out);

#endif
