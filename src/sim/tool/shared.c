/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"
#include "sim/tool/tool.h"

struct sim_shared *shared;
static ULong head;
static ULong full_at; /* limit of head until tail is read again */

static Bool header_is_valid(const struct sim_header *header)
{
    UInt pid = (UInt)VG_(getpid)();
    /* An exec in the same process opens it again; a forked child that execs may not. */
    return header->magic == SIM_MAGIC && header->version == SIM_VERSION && header->level_count &&
           header->level_count <= SIM_LEVELS_MAX && (!header->pid || header->pid == pid);
}

Bool shared_open(const HChar *path)
{
    SysRes file = VG_(open)(path, VKI_O_RDWR, 0);
    if (sr_isError(file))
        return False;
    Int fd = (Int)sr_Res(file);
    struct vg_stat status;
    SysRes memory = {._isError = True};
    if (!VG_(fstat)(fd, &status) && status.size >= (Long)sizeof *shared)
        memory = VG_(am_shared_mmap_file_float_valgrind)(sizeof *shared,
                                                         VKI_PROT_READ | VKI_PROT_WRITE, fd, 0);
    VG_(close)(fd);
    if (sr_isError(memory))
        return False;
    shared = (struct sim_shared *)sr_Res(memory);
    if (!header_is_valid(&shared->header)) {
        VG_(am_munmap_valgrind)((Addr)shared, sizeof *shared);
        shared = NULL;
        return False;
    }
    shared->header.pid = (UInt)VG_(getpid)();
    head = full_at = shared->ring.head;
    return True;
}

void shared_leave(void)
{
    /* Translated code continues to count there. */
    if (shared)
        VG_(do_syscall)
    (__NR_mmap, (UWord)shared, sizeof *shared, VKI_PROT_READ | VKI_PROT_WRITE,
     VKI_MAP_PRIVATE | VKI_MAP_ANONYMOUS | VKI_MAP_FIXED | VKI_MAP_NORESERVE, (UWord)-1, 0, 0, 0);
    shared = NULL;
}

ULong shared_stamp(void)
{
    struct vki_timespec now;
    if (shared->header.clock == SIM_TSC)
        return __builtin_ia32_rdtsc();
    VG_(clock_gettime)(&now, VKI_CLOCK_MONOTONIC);
    return (ULong)now.tv_sec * 1000000000 + (ULong)now.tv_nsec;
}

UInt shared_waiting(void)
{
    ULong tail = __atomic_load_n(&shared->ring.tail, __ATOMIC_ACQUIRE);
    return (UInt)(head - tail);
}

Bool shared_room(UInt count, Bool may_wait)
{
    UInt limit = SIM_RING_UNITS - (may_wait ? SIM_RING_RESERVE : 0);
    if (head + count <= full_at)
        return True;
    UInt waiting = shared_waiting();
    if (waiting + count > limit)
        return False;
    full_at = head + (SIM_RING_UNITS - SIM_RING_RESERVE > waiting
                          ? SIM_RING_UNITS - SIM_RING_RESERVE - waiting
                          : 0);
    return True;
}

union sim_unit *shared_unit(UInt index)
{
    return &shared->units[(head + index) % SIM_RING_UNITS];
}

void shared_publish(UInt count)
{
    head += count;
    __atomic_store_n(&shared->ring.head, head, __ATOMIC_RELEASE);
}

/* Small allocations share a slab: Valgrind's list of mappings is limited. */
enum { SLAB_BYTES = 1 << 20, ALIGN_BYTES = 64 };

/* Large tables with random access mainly wait for address translation. Source:
 * uapi/asm-generic/mman-common.h; Valgrind has no name for it. */
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
