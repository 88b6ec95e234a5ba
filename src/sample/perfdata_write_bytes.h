/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bytes that are put together before they are written: the counterpart of cursor.h. Where memory
 * runs out they are marked failed, so that a writer looks once, when it is done. In the byte
 * order of this machine, as perf.data files are. For perfdata_write*.c.
 */
#ifndef MISSTOP_SAMPLE_PERFDATA_WRITE_BYTES_H
#define MISSTOP_SAMPLE_PERFDATA_WRITE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perfdata_bytes {
    unsigned char *at;
    size_t used;
    size_t room;
    bool failed;
};

void perfdata_bytes_fini(struct perfdata_bytes *bytes);

/* Empties them and keeps the memory. */
void perfdata_bytes_clear(struct perfdata_bytes *bytes);

/* Room for `size` more; false, and failed, where there is no memory. */
bool perfdata_bytes_reserve(struct perfdata_bytes *bytes, size_t size);

void perfdata_bytes_put(struct perfdata_bytes *bytes, const void *data, size_t size);
void perfdata_bytes_zero(struct perfdata_bytes *bytes, size_t size);
void perfdata_bytes_u32(struct perfdata_bytes *bytes, uint32_t value);
void perfdata_bytes_u64(struct perfdata_bytes *bytes, uint64_t value);

/* struct perf_header_string: a length, and the text filled up with NULs to that length. */
void perfdata_bytes_string(struct perfdata_bytes *bytes, const char *text);

#endif
