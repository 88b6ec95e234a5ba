/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/slab.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* A huge page of x86-64: with one TLB entry for each, a lookup costs one miss, not two. */
#define SLAB_STEP_BYTES (UINT64_C(2) << 20)

const uint16_t slab_class_lines[SLAB_CLASSES] = {1,  2,  3,  4,  5,  6,  7,  8,  10, 12, 14,
                                                 16, 20, 24, 28, 32, 40, 48, 56, 66, 264};

/* What is reserved counts against RLIMIT_AS: a part of it, so that the rest has room too. */
static uint64_t within_limit(uint64_t bound_bytes)
{
    enum { PARTS = 16 };
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY ||
        bound_bytes <= limit.rlim_cur / PARTS)
        return bound_bytes;
    return limit.rlim_cur / PARTS;
}

int slab_init(struct slab *slab, uint64_t bound_bytes)
{
    *slab = (struct slab){.next_line = 1}; /* line 0 means none */
    bound_bytes = within_limit(bound_bytes);
    if (bound_bytes < SLAB_STEP_BYTES)
        bound_bytes = SLAB_STEP_BYTES;
    if (bound_bytes > SLAB_BOUND_MAX_BYTES)
        bound_bytes = SLAB_BOUND_MAX_BYTES;
    slab->bound_bytes = bound_bytes / SLAB_STEP_BYTES * SLAB_STEP_BYTES;
    slab->reserved_bytes = slab->bound_bytes + SLAB_STEP_BYTES;
    /* Without access it is not charged, whatever the system's rule on overcommitting. */
    slab->reserved = mmap(NULL, slab->reserved_bytes, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (slab->reserved == MAP_FAILED) {
        slab->reserved = NULL;
        return -ENOMEM;
    }
    uint64_t past = (uintptr_t)slab->reserved % SLAB_STEP_BYTES;
    slab->base = slab->reserved + (past ? SLAB_STEP_BYTES - past : 0);
    madvise(slab->base, slab->bound_bytes, MADV_HUGEPAGE); /* slower without, not wrong */
    return 0;
}

void slab_fini(struct slab *slab)
{
    if (slab->reserved)
        munmap(slab->reserved, slab->reserved_bytes);
    *slab = (struct slab){0};
}

static int slab_extend(struct slab *slab)
{
    if (slab->usable_bytes >= slab->bound_bytes)
        return -ENOMEM;
    if (mprotect(slab->base + slab->usable_bytes, SLAB_STEP_BYTES, PROT_READ | PROT_WRITE))
        return -ENOMEM;
    slab->usable_bytes += SLAB_STEP_BYTES;
    return 0;
}

static uint32_t slab_pop(struct slab *slab, unsigned class)
{
    uint32_t line = slab->free_lines[class];
    if (line)
        memcpy(&slab->free_lines[class], slab_at(slab, line), sizeof line);
    return line;
}

/* From the next larger piece that is free; what remains of it goes to smaller classes. */
static uint32_t slab_split(struct slab *slab, unsigned class)
{
    uint32_t line = 0;
    unsigned from = class;
    while (!line && ++from < SLAB_CLASSES)
        line = slab_pop(slab, from);
    if (!line)
        return 0;
    uint32_t rest = line + slab_class_lines[class];
    uint32_t end = line + slab_class_lines[from];
    for (unsigned piece = SLAB_CLASSES; piece-- > 0;)
        for (; end - rest >= slab_class_lines[piece]; rest += slab_class_lines[piece])
            slab_release(slab, rest, piece);
    return line;
}

uint32_t slab_alloc(struct slab *slab, unsigned class)
{
    assert(class < SLAB_CLASSES);
    uint32_t line = slab_pop(slab, class);
    if (line)
        return line;
    uint64_t end_line = slab->next_line + slab_class_lines[class];
    while (end_line * SLAB_LINE_BYTES > slab->usable_bytes)
        if (slab_extend(slab))
            return slab_split(slab, class);
    line = (uint32_t)slab->next_line;
    slab->next_line = end_line;
    return line;
}

void slab_release(struct slab *slab, uint32_t line, unsigned class)
{
    assert(line && class < SLAB_CLASSES);
    memcpy(slab_at(slab, line), &slab->free_lines[class], sizeof line);
    slab->free_lines[class] = line;
}
