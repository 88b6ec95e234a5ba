/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The allocation functions. C++'s operator new, strdup and the like come through these. */
#include "agent/interpose.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

INTERPOSED void *malloc(size_t size)
{
    void *block = real.malloc(size);
    if (LIKELY(block) && session_on())
        record_alloc(block, size, OWN_FRAME);
    return block;
}

INTERPOSED void *calloc(size_t count, size_t size)
{
    void *block = real.calloc(count, size);
    if (LIKELY(block) && session_on())
        record_alloc(block, count * size, OWN_FRAME); /* it did not overflow: there is a block */
    return block;
}

INTERPOSED void free(void *block)
{
    if (UNLIKELY(!block || real_is_early(block)))
        return;
    if (session_on())
        record_free(block);
    real.free(block);
}

static void *move_early(void *old, size_t size)
{
    size_t rest = (size_t)(real_early + REAL_EARLY_BYTES - (char *)old);
    void *block = real.malloc(size);
    if (block)
        memcpy(block, old, size < rest ? size : rest);
    return block;
}

/* Published as a free of the old block first: another thread may get its address at once. */
static void *reallocate(void *old, size_t size, void *const *frame)
{
    if (UNLIKELY(old && real_is_early(old)))
        return move_early(old, size);
    if (!session_on())
        return real.realloc(old, size);
    if (old)
        record_free(old);
    void *block = real.realloc(old, size);
    if (LIKELY(block))
        record_alloc(block, size, frame);
    else if (old && size)
        record_alloc(old, real.usable(old), frame); /* failed: the old one is still there */
    return block;
}

INTERPOSED void *realloc(void *old, size_t size)
{
    return reallocate(old, size, OWN_FRAME);
}

/* Not handed on: libc's would call our realloc, and jemalloc has none. */
INTERPOSED void *reallocarray(void *old, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return reallocate(old, bytes, OWN_FRAME);
}

INTERPOSED void *aligned_alloc(size_t alignment, size_t size)
{
    void *block = real.aligned_alloc(alignment, size);
    if (LIKELY(block) && session_on())
        record_alloc(block, size, OWN_FRAME);
    return block;
}

INTERPOSED int posix_memalign(void **block, size_t alignment, size_t size)
{
    int code = real.posix_memalign(block, alignment, size);
    if (LIKELY(!code && *block) && session_on())
        record_alloc(*block, size, OWN_FRAME);
    return code;
}

INTERPOSED void *memalign(size_t alignment, size_t size)
{
    void *block = real.memalign(alignment, size);
    if (LIKELY(block) && session_on())
        record_alloc(block, size, OWN_FRAME);
    return block;
}

INTERPOSED void *valloc(size_t size)
{
    void *block = real.valloc(size);
    if (LIKELY(block) && session_on())
        record_alloc(block, size, OWN_FRAME);
    return block;
}

INTERPOSED void *pvalloc(size_t size)
{
    void *block = real.pvalloc(size);
    if (LIKELY(block) && session_on())
        record_alloc(block, size, OWN_FRAME);
    return block;
}
