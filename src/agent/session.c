/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agent/session.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/path.h"
#include "agent/real.h"
#include "agent/thread.h"
#include "agent/unwind.h"

struct gate gate;
struct session session;

/* Maps by a system call: mmap() is our own wrapper and would be recorded. */
static void *map_memory(size_t size_bytes, int flags, int fd)
{
    long address = raw_syscall(SYS_mmap, 0, (long)size_bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
    return address < 0 && address > -4096 ? NULL : (void *)address;
}

void *session_pages(size_t size_bytes)
{
    return map_memory(size_bytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
}

void session_unmap(void *pages, size_t size_bytes)
{
    raw_syscall(SYS_munmap, (long)pages, (long)size_bytes, 0, 0, 0, 0);
}

/* Returns the descriptor, or -1; another program may have a variable of this name. */
static int agent_descriptor(void)
{
    const char *text = environ ? getenv(AGENT_VARIABLE) : NULL;
    char *end;
    if (!text)
        return -1;
    long fd = strtol(text, &end, 10);
    return end == text || *end || fd < 0 || fd > 1 << 24 ? -1 : (int)fd;
}

/* Memory that can shrink is refused: a truncation by another process would kill the program. */
static bool is_sealed(int fd, uint64_t *size_bytes)
{
    struct stat status;
    int seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0 || !(seals & F_SEAL_SHRINK) || fstat(fd, &status) ||
        status.st_size < AGENT_HEADER_BYTES)
        return false;
    *size_bytes = (uint64_t)status.st_size;
    session.memory = (struct agent_file){status.st_dev, status.st_ino};
    return true;
}

static int set_given_up(struct agent_header *header, enum agent_reason reason)
{
    header->reason = reason;
    __atomic_store_n(&header->state, AGENT_GAVE_UP, __ATOMIC_RELEASE);
    return -1;
}

static int check_sizes(struct agent_header *header, uint64_t size_bytes)
{
    session.sizes = header->sizes;
    if (header->magic != AGENT_MAGIC || header->version != AGENT_VERSION)
        return -1;
    if (!agent_sizes_valid(&session.sizes) || agent_total_bytes(&session.sizes) != size_bytes)
        return set_given_up(header, AGENT_OTHER_SIZES);
    return 0;
}

/* Claims the memory; another process with the same variables must not use it. The same process
 * again has run another program (interpose.c), which continues after the first one's records. */
static bool claim_memory(struct agent_header *header)
{
    uint32_t none = 0;
    if (__atomic_load_n(&header->pid, __ATOMIC_RELAXED) == (uint32_t)getpid()) {
        __atomic_store_n(&header->words_from,
                         header->path_top & ((UINT64_C(1) << AGENT_PATH_SHIFT) - 1),
                         __ATOMIC_RELEASE);
        __atomic_fetch_add(&header->generation, 1, __ATOMIC_RELEASE);
        return true;
    }
    return __atomic_compare_exchange_n(&header->pid, &none, (uint32_t)getpid(), false,
                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static void set_session_pointers(char *memory)
{
    const struct agent_sizes *sizes = &session.sizes;
    session.header = (struct agent_header *)memory;
    session.rings = (struct agent_ring *)(memory + agent_rings_at());
    session.ring_links = (uint32_t *)(memory + agent_ring_links_at(sizes));
    session.chunk_links = (uint32_t *)(memory + agent_chunk_links_at(sizes));
    session.words = (uint64_t *)(memory + agent_words_at(sizes));
    session.units = (struct agent_unit *)(memory + agent_chunks_at(sizes));
}

/* Returns true if the time stamp counter may be read. A wrapper may have forbidden it before its
 * exec; the vDSO's clocks read it, too. */
static bool may_read_clock(void)
{
    int allowed = PR_TSC_ENABLE;
    return raw_syscall(SYS_prctl, PR_GET_TSC, (long)&allowed, 0, 0, 0, 0) < 0 ||
           allowed != PR_TSC_SIGSEGV;
}

static int open_gate(struct agent_header *header)
{
    if (!may_read_clock())
        return set_given_up(header, AGENT_NO_CLOCK);
    if (path_table_start() || thread_start() || unwind_start())
        return set_given_up(header, AGENT_NO_MEMORY);
    if (madvise(&gate, sizeof gate, MADV_WIPEONFORK))
        return set_given_up(header, AGENT_NO_WIPEONFORK);
    gate.monotonic = header->clock == AGENT_MONOTONIC;
    gate.checks_paths = header->flags & AGENT_CHECK_PATHS;
    header->own_malloc = real_own_malloc();
    __atomic_store_n(&header->state, AGENT_RUNNING, __ATOMIC_RELEASE);
    __atomic_store_n(&gate.is_recording, 1, __ATOMIC_RELEASE);
    return 0;
}

static void session_begin_record(const struct real *functions, int fd, uint64_t size_bytes)
{
    /* Map only the header first: if there is no room for the whole, the header can report why. */
    struct agent_header *header = map_memory(AGENT_HEADER_BYTES, MAP_SHARED, fd);
    if (!header || check_sizes(header, size_bytes) || !claim_memory(header))
        return;
    char *memory = map_memory(size_bytes, MAP_SHARED | MAP_NORESERVE, fd);
    if (!memory || !functions->malloc) {
        set_given_up(header, memory ? AGENT_NO_MALLOC : AGENT_NO_MEMORY);
        return;
    }
    madvise(memory, size_bytes, MADV_DONTDUMP);
    set_session_pointers(memory);
    rule_start();
    open_gate(header);
}

void session_start(const struct real *functions)
{
    uint64_t size_bytes;
    int saved = errno;
    int fd = agent_descriptor();
    if (fd >= 0 && is_sealed(fd, &size_bytes)) {
        session_begin_record(functions, fd, size_bytes);
        close(fd); /* do not add to the program's descriptors */
    }
    errno = saved;
}

static void session_stop(void)
{
    __atomic_store_n(&gate.is_recording, 0, __ATOMIC_RELAXED);
}

void session_give_up(enum agent_reason reason)
{
    if (!session_on())
        return;
    session_stop();
    set_given_up(session.header, reason);
}

bool session_is_read(void)
{
    if (LIKELY(__atomic_load_n(&session.header->reader, __ATOMIC_RELAXED) & FUTEX_TID_MASK))
        return true;
    if (session_on()) {
        size_t units = (size_t)session.sizes.chunk_count * AGENT_CHUNK_UNITS;
        session_stop();
        /* Threads that are recording now see zeroes, and their writes are ignored. */
        raw_syscall(SYS_madvise, (long)session.units, (long)(units * sizeof(struct agent_unit)),
                    MADV_REMOVE, 0, 0, 0);
    }
    return false;
}
