/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recordings assembled in memory, for tests of the reader: of either byte order, as a file or as a
 * pipe. Follows the documentation of the format, not the reader. */
#ifndef MISSTOP_UNIT_SAMPLE_RECORDING_H
#define MISSTOP_UNIT_SAMPLE_RECORDING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RECORDING_BYTES = 256 * 1024 };

struct recording {
    unsigned char bytes[RECORDING_BYTES];
    size_t size;
    size_t record_at; /* of the record begun last */
    size_t data_at;
    bool swap; /* written as on a machine of the other byte order */
};

void recording_u64(struct recording *recording, uint64_t value);
void recording_u32(struct recording *recording, uint32_t value);
void recording_bytes(struct recording *recording, const void *bytes, size_t size);
/* Puts a string with its NUL, padded to whole words. */
void recording_string(struct recording *recording, const char *text);

/* Begins and ends a record; the bytes put in between are its body. */
void recording_begin(struct recording *recording, uint32_t type, uint16_t misc);
void recording_end(struct recording *recording);

/* An attribute of `attr_bytes`; flags as the bits of the word on a little-endian machine. */
struct recording_event {
    uint32_t type;
    uint64_t config;
    uint64_t period;
    uint64_t sample_type;
    uint64_t flags; /* RECORDING_ID_ALL, ... */
    uint64_t regs_user;
    uint64_t regs_intr;
    uint64_t id;
};
#define RECORDING_FREQ    (UINT64_C(1) << 10)
#define RECORDING_ID_ALL  (UINT64_C(1) << 18)
#define RECORDING_PRECISE (UINT64_C(2) << 15)
void recording_attr(struct recording *recording, const struct recording_event *event,
                    size_t attr_bytes);

/* Puts the header of a file with events, their ids and the position of the data; finish sets the
 * size of the data. */
void recording_file(struct recording *recording, bool swap, const struct recording_event *events,
                    size_t count, size_t attr_bytes);
void recording_finish(struct recording *recording);

/* Put the header of a pipe, and an attribute as a record. */
void recording_pipe(struct recording *recording, bool swap);
void recording_pipe_event(struct recording *recording, const struct recording_event *event);

/* Opens the bytes for reading by a path in /proc, which is returned; close `*fd` afterwards. */
const char *recording_path(const void *bytes, size_t size, int *fd, char path[64]);

#endif
