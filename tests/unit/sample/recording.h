/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Recordings put together in memory, for tests of the reader: of either byte order, as a file or
 * as a pipe. What is written here follows the documents of the format, not the reader.
 */
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
    size_t record_at; /* of the record that was begun last */
    size_t data_at;
    bool swap; /* as a machine of the other byte order writes it */
};

void recording_u64(struct recording *recording, uint64_t value);
void recording_u32(struct recording *recording, uint32_t value);
void recording_bytes(struct recording *recording, const void *bytes, size_t size);
/* With its NUL, filled up to whole words. */
void recording_string(struct recording *recording, const char *text);

/* A record; what is put between the two is its body. */
void recording_begin(struct recording *recording, uint32_t type, uint16_t misc);
void recording_end(struct recording *recording);

/* Attribute of `attr_bytes`; flags as the bits of the word that a little-endian machine has. */
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

/* A file's head with events, their ids and the data's place; finish sets the data's size. */
void recording_file(struct recording *recording, bool swap, const struct recording_event *events,
                    size_t count, size_t attr_bytes);
void recording_finish(struct recording *recording);

/* A pipe's head, and an attribute as it stands in one. */
void recording_pipe(struct recording *recording, bool swap);
void recording_pipe_event(struct recording *recording, const struct recording_event *event);

/* Opened for reading through a path in /proc, which is returned; close `*fd` after. */
const char *recording_path(const void *bytes, size_t size, int *fd, char path[64]);

#endif
