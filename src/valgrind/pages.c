/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "valgrind/pages.h"

#include "valgrind/core.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_vkiscnums.h"

/* Small rooms share a slab: Valgrind's list of mappings is short. */
enum { SLAB_BYTES = 1 << 20, ALIGN_BYTES = 64 };

/* Tables that are looked into all over wait for addresses to be translated more than for anything.
 * Source: uapi/asm-generic/mman-common.h; Valgrind has no name for it. */
enum { HUGE_BYTES = 2 << 20, ADVICE_HUGE_PAGES = 14 };

void *pages_keep(void *context, size_t size_bytes)
{
    void *room = VG_(am_shadow_alloc)(size_bytes);
    (void)context;
    if (room && size_bytes >= HUGE_BYTES)
        VG_(do_syscall)
    (__NR_madvise, (UWord)room, size_bytes / 4096 * 4096, ADVICE_HUGE_PAGES, 0, 0, 0, 0, 0);
    return room;
}

/* At the start of each slab, or of a large room. */
struct pages_slab {
    struct pages_slab *before;
    SizeT bytes;
};

static Addr new_slab(struct pages *pages, SizeT bytes)
{
    struct pages_slab *slab = VG_(am_shadow_alloc)(bytes);
    if (!slab)
        return 0;
    *slab = (struct pages_slab){.before = pages->slabs, .bytes = bytes};
    pages->slabs = slab;
    return (Addr)slab + ALIGN_BYTES;
}

void *pages_take(void *context, size_t size_bytes)
{
    struct pages *pages = context;
    SizeT bytes = (size_bytes + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;
    if (bytes < size_bytes || bytes > (SizeT)1 << 40)
        return NULL;
    if (bytes >= SLAB_BYTES / 4)
        return (void *)new_slab(pages, (bytes + ALIGN_BYTES + 4095) / 4096 * 4096);
    if (bytes > pages->left_bytes) {
        Addr fresh = new_slab(pages, SLAB_BYTES);
        if (!fresh)
            return NULL;
        pages->next_free = fresh;
        pages->left_bytes = SLAB_BYTES - ALIGN_BYTES;
    }
    void *room = (void *)pages->next_free;
    pages->next_free += bytes;
    pages->left_bytes -= bytes;
    return room;
}

void pages_give_back(struct pages *pages)
{
    while (pages->slabs) {
        struct pages_slab *slab = pages->slabs;
        pages->slabs = slab->before;
        VG_(am_munmap_valgrind)((Addr)slab, slab->bytes);
    }
    pages->left_bytes = 0;
}
