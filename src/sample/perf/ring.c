/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/kernel.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

int ring_open(struct ring *ring, int fd, size_t data_bytes)
{
    size_t page = page_bytes();
    for (;; data_bytes /= 2) {
        void *memory = mmap(NULL, page + data_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (memory != MAP_FAILED) {
            *ring = (struct ring){.memory = memory, .data_bytes = data_bytes};
            return 0;
        }
        /* EPERM: exceeds perf_event_mlock_kb and RLIMIT_MEMLOCK; a smaller ring may fit. */
        if ((errno != EPERM && errno != ENOMEM) || data_bytes <= page)
            return -errno;
    }
}

void ring_close(struct ring *ring)
{
    if (ring->memory)
        munmap(ring->memory, page_bytes() + ring->data_bytes);
    ring->memory = NULL;
}

static void ring_copy(const struct ring *ring, uint64_t from, void *out, size_t size)
{
    const char *data = (const char *)ring->memory + page_bytes();
    size_t start = from & (ring->data_bytes - 1);
    size_t first = size < ring->data_bytes - start ? size : ring->data_bytes - start;
    memcpy(out, data + start, first);
    memcpy((char *)out + first, data, size - first);
}

long ring_next(struct ring *ring, void *out, size_t out_size)
{
    const struct perf_event_mmap_page *page = ring->memory;
    struct perf_event_header header;
    /* Pairs with the kernel's store of data_head after it wrote the record. */
    uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
    uint64_t waiting = head - ring->tail;
    if (!waiting)
        return 0;
    if (waiting > ring->data_bytes || waiting < sizeof header) {
        ring->tail = head;
        return -EBADMSG;
    }
    ring_copy(ring, ring->tail, &header, sizeof header);
    if (header.size < sizeof header || header.size > waiting || header.size > out_size) {
        ring->tail = head;
        return -EBADMSG;
    }
    ring_copy(ring, ring->tail, out, header.size);
    ring->tail += header.size;
    return header.size;
}

void ring_release(struct ring *ring)
{
    struct perf_event_mmap_page *page = ring->memory;
    __atomic_store_n(&page->data_tail, ring->tail, __ATOMIC_RELEASE);
}
