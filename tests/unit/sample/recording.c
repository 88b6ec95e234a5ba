/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit/sample/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FILE_HEAD_BYTES = 104, DATA_SIZE_AT = 48 };

void recording_bytes(struct recording *recording, const void *bytes, size_t size)
{
    if (size > sizeof recording->bytes - recording->size)
        abort();
    memcpy(recording->bytes + recording->size, bytes, size);
    recording->size += size;
}

/* Puts byte by byte, lowest byte first or last, independently of the reader's swapping. */
static void put_number(struct recording *recording, uint64_t value, unsigned width)
{
    for (unsigned i = 0; i < width; i++) {
        unsigned place = recording->swap ? width - 1 - i : i;
        unsigned char byte = (unsigned char)(value >> 8 * place);
        recording_bytes(recording, &byte, 1);
    }
}

void recording_u64(struct recording *recording, uint64_t value)
{
    put_number(recording, value, 8);
}

void recording_u32(struct recording *recording, uint32_t value)
{
    put_number(recording, value, 4);
}

void recording_string(struct recording *recording, const char *text)
{
    static const char zeros[8];
    size_t size = strlen(text) + 1;
    recording_bytes(recording, text, size);
    recording_bytes(recording, zeros, (8 - size % 8) % 8);
}

void recording_begin(struct recording *recording, uint32_t type, uint16_t misc)
{
    recording->record_at = recording->size;
    put_number(recording, type, 4);
    put_number(recording, misc, 2);
    put_number(recording, 0, 2);
}

void recording_end(struct recording *recording)
{
    size_t end = recording->size;
    recording->size = recording->record_at + 6;
    put_number(recording, end - recording->record_at, 2);
    recording->size = end;
}

/* With the other byte order, bit fields start at the other end of each byte. */
static void put_flags(struct recording *recording, uint64_t flags)
{
    for (unsigned byte = 0; byte < 8; byte++) {
        unsigned char value = 0;
        for (unsigned bit = 0; bit < 8; bit++)
            if (flags >> (byte * 8 + bit) & 1)
                value |= (unsigned char)(1 << (recording->swap ? 7 - bit : bit));
        recording_bytes(recording, &value, 1);
    }
}

void recording_attr(struct recording *recording, const struct recording_event *event,
                    size_t attr_bytes)
{
    static const unsigned char zeros[256];
    size_t start = recording->size;
    recording_u32(recording, event->type);
    recording_u32(recording, (uint32_t)attr_bytes);
    recording_u64(recording, event->config);
    recording_u64(recording, event->period);
    recording_u64(recording, event->sample_type);
    recording_u64(recording, 0); /* read_format */
    put_flags(recording, event->flags);
    recording_u64(recording, 0); /* wakeup_events, bp_type */
    recording_u64(recording, 0); /* config1 */
    recording_u64(recording, 0); /* config2 */
    recording_u64(recording, 0); /* branch_sample_type */
    recording_u64(recording, event->regs_user);
    recording_u64(recording, 0); /* sample_stack_user, clockid */
    recording_u64(recording, event->regs_intr);
    size_t known = recording->size - start;
    if (attr_bytes < known)
        recording->size = start + attr_bytes;
    else
        recording_bytes(recording, zeros, attr_bytes - known);
}

void recording_file(struct recording *recording, bool swap, const struct recording_event *events,
                    size_t count, size_t attr_bytes)
{
    size_t step = attr_bytes + 16;
    size_t ids = FILE_HEAD_BYTES + count * step;
    memset(recording, 0, sizeof *recording);
    recording->swap = swap;
    recording_bytes(recording, swap ? "2ELIFREP" : "PERFILE2", 8);
    recording_u64(recording, FILE_HEAD_BYTES);
    recording_u64(recording, step);
    recording_u64(recording, FILE_HEAD_BYTES);
    recording_u64(recording, count * step);
    recording_u64(recording, ids + count * 8);
    for (int i = 0; i < 7; i++)
        recording_u64(recording, 0);
    for (size_t i = 0; i < count; i++) {
        recording_attr(recording, &events[i], attr_bytes);
        recording_u64(recording, ids + i * 8);
        recording_u64(recording, 8);
    }
    for (size_t i = 0; i < count; i++)
        recording_u64(recording, events[i].id);
    recording->data_at = recording->size;
}

void recording_finish(struct recording *recording)
{
    size_t end = recording->size;
    recording->size = DATA_SIZE_AT;
    recording_u64(recording, end - recording->data_at);
    recording->size = end;
}

void recording_pipe(struct recording *recording, bool swap)
{
    memset(recording, 0, sizeof *recording);
    recording->swap = swap;
    recording_bytes(recording, swap ? "2ELIFREP" : "PERFILE2", 8);
    recording_u64(recording, 16);
}

void recording_pipe_event(struct recording *recording, const struct recording_event *event)
{
    recording_begin(recording, 64, 0); /* HEADER_ATTR */
    recording_attr(recording, event, 112);
    recording_u64(recording, event->id);
    recording_end(recording);
}

const char *recording_path(const void *bytes, size_t size, int *fd, char path[64])
{
    *fd = memfd_create("recording", MFD_CLOEXEC);
    if (*fd < 0 || write(*fd, bytes, size) != (ssize_t)size)
        abort();
    snprintf(path, 64, "/proc/self/fd/%d", *fd);
    return path;
}
