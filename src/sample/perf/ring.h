/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ring buffer the kernel writes records to: mapped, read, given back. Records are
 * copied out, so that one that wraps or is overwritten meanwhile cannot be seen torn.
 */
#ifndef MISSTOP_SAMPLE_PERF_RING_H
#define MISSTOP_SAMPLE_PERF_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring {
    void *memory;      /* struct perf_event_mmap_page, then data */
    size_t data_bytes; /* a power of two */
    uint64_t tail;     /* next byte to read */
};

/* Maps the ring of an event descriptor. Halves the size while the kernel's limit on locked
 * memory refuses it. 0 or a negative errno. */
int ring_open(struct ring *ring, int fd, size_t data_bytes);

/* A ring over the caller's memory, for tests: one page of header, then data. */
void ring_attach(struct ring *ring, void *memory, size_t data_bytes);

void ring_close(struct ring *ring);

/*
 * Copies the next record to `out`. Returns its size, 0 when there is none, -EBADMSG when the
 * size makes no sense (the ring is then given back whole).
 */
long ring_next(struct ring *ring, void *out, size_t out_size);

/* Reports the bytes read to the kernel. */
void ring_release(struct ring *ring);

#endif
