/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory shared by misstop and the allocation agent: fixed width, versioned. misstop creates it
 * (src/resolve/heap/feed.c) and treats everything the agent wrote as hostile; the agent maps it and
 * writes. It contains no pointers.
 *
 * Layout in order: header (one page), rings, links of rings, links of chunks, words of paths,
 * chunks. A ring is the record of one thread: a chain of chunks from a pool that all threads share.
 * An idle thread holds one chunk; a busy thread can hold all the others. A ring has one producer at
 * a time (a thread of the target) and one consumer (misstop), which returns chunks to the pool as
 * it reads. A position is chunk << 48 | units written so far. The low bits are the index in the
 * chunk; a record never crosses into another chunk.
 *
 * Paths are a ring of words with many producers. An entry is id << 8 | count, written last,
 * followed by the return addresses, innermost first. misstop copies entries and zeroes them.
 */
#ifndef MISSTOP_AGENT_ABI_H
#define MISSTOP_AGENT_ABI_H

#include <stdint.h>

#define AGENT_MAGIC    UINT64_C(0x6c6c41706f747373) /* "sstopAll" */
#define AGENT_VERSION  4u
#define AGENT_VARIABLE "MISSTOP_AGENT" /* file descriptor of the shared memory, in decimal */
#define AGENT_FILE     "libmisstop-agent.so"
#define AGENT_MEMORY   "memfd:misstop-agent" /* name of the shared memory in /proc/PID/maps */

enum {
    AGENT_HEADER_BYTES = 4096,
    AGENT_DEPTH_MAX = 64,
    AGENT_RINGS_MAX = 4096,
    AGENT_CHUNK_BITS = 8,
    AGENT_CHUNK_UNITS = 1 << AGENT_CHUNK_BITS, /* one page */
    AGENT_CHUNKS_MAX = 1 << 15,
    AGENT_PATHS_MAX = 1 << 20,
    AGENT_WORDS_MAX = 1 << 24,
    AGENT_TRIES_MAX = 1000,
};

enum agent_state { AGENT_ABSENT, AGENT_RUNNING, AGENT_GAVE_UP };

enum agent_reason {
    AGENT_NO_REASON,
    AGENT_NO_MEMORY,     /* the whole memory could not be mapped (address space limit?) */
    AGENT_NO_WIPEONFORK, /* no MADV_WIPEONFORK: a kernel before 4.14 */
    AGENT_NO_MALLOC,     /* no allocator found behind the agent */
    AGENT_OTHER_SIZES,   /* the sizes in the header make no sense to this agent */
    AGENT_NO_CLOCK,      /* reading the processor's clock is forbidden (PR_SET_TSC) */
    AGENT_SANDBOXED,     /* the program restricted its own system calls (seccomp) */
    AGENT_NOT_FOLLOWED   /* the process exec'd a program that cannot load the agent */
};

enum agent_clock { AGENT_TSC, AGENT_MONOTONIC };

enum agent_flags {
    AGENT_CHECK_PATHS = 1, /* compare each cached path with a fresh unwind */
    /* Valgrind: the exec'd program itself passes the variables to the watched program. */
    AGENT_PASS_VARIABLES = 2,
};

struct agent_sizes {
    uint32_t ring_count;
    uint32_t chunk_count;
    uint32_t path_count; /* id 0: no path */
    uint32_t word_count; /* a power of 2 */
};

/* Identifies a file, even if its path differs in another root. */
struct agent_file {
    uint64_t device;
    uint64_t inode;
};

struct agent_header {
    /* Written by misstop before the target starts. */
    uint64_t magic;
    uint32_t version;
    uint32_t clock; /* enum agent_clock: clock of the stamps */
    uint32_t flags;
    /* misstop's thread while it reads; 0 after it has left. The kernel also clears it when misstop
     * ends for any reason (set_robust_list(2)). */
    uint32_t reader;
    struct agent_sizes sizes;
    uint64_t total_bytes;
    uint32_t owner;           /* misstop's process and its descriptor of this memory: */
    uint32_t owner_fd;        /* needed to follow an exec */
    uint32_t seccomp_filters; /* number of seccomp filters of misstop itself */
    uint32_t unused;
    struct agent_file linker; /* the dynamic linker that can load the agent */
    uint64_t words_read;      /* read by misstop */
    uint64_t wake_at;         /* the agent wakes misstop when chunks_taken reaches this */
    uint8_t unused1[128 - 96];
    /* Written by the agent. */
    uint32_t state;  /* enum agent_state */
    uint32_t reason; /* enum agent_reason */
    uint32_t pid;
    uint32_t own_malloc; /* the program defines malloc: blocks are seen only if that calls libc */
    uint32_t rings_used; /* rings from this index on were never written */
    /* Programs run in the process so far: an exec leaves rings without threads. */
    uint32_t generation;
    uint64_t not_followed_reason; /* AGENT_NOT_FOLLOWED: enum agent_load */
    uint64_t words_from;          /* the running program's words start here */
    uint64_t path_top;            /* ids assigned << AGENT_PATH_SHIFT | words written */
    uint64_t lost_no_ring;        /* events of threads that found no free ring */
    uint64_t lost_paths;          /* events without a path because the memory for paths is full */
    uint64_t unwound;             /* paths that needed an unwind */
    uint64_t paths_checked;       /* cached paths compared with a fresh unwind */
    uint64_t paths_wrong;         /* ... that differed */
    uint64_t chunks_taken;        /* chunks taken from the pool since the start */
    uint32_t woken;               /* number of wakeups of misstop; the futex it waits on */
    uint32_t unused3;
    uint8_t unused2[128 - 104];
    /* Free lists as stacks: changes << 32 | index + 1. Both sides push and pop. */
    uint64_t free_rings;
    uint64_t warm_chunks; /* recently used: taken first */
    uint64_t cold_chunks;
};

/* Producer and consumer use separate cache lines. */
struct agent_ring {
    uint64_t head;       /* end of the written part */
    uint64_t lost;       /* events that found no free chunk */
    uint64_t start;      /* position at which the current owner began */
    uint64_t generation; /* generation of the owner */
    uint64_t unused[4];
};

#define AGENT_CHUNK_SHIFT 48
#define AGENT_UNITS_MASK  ((UINT64_C(1) << AGENT_CHUNK_SHIFT) - 1)
#define AGENT_PATH_SHIFT  40

/*
 * A record is one unit (owner, free) or two (all others): stamp, address | kind << 56; then
 * requested size or length in bytes, path | (usable - requested) << 32. A free is stamped before
 * the real free, an allocation after the real allocation, so that a block's recorded lifetime is
 * within its real lifetime. The same applies to unmap and map. Each record is published (head
 * moves) before the program can cause another event with the same address.
 *
 * Most allocations are brief if only one thread records: one unit, with requested | path <<
 * AGENT_BRIEF_PATH | (usable - requested) << AGENT_BRIEF_SLACK instead of the stamp. The preceding
 * stamp in the ring applies to them: no thread recorded anything in between, so no other block had
 * that address. One in AGENT_TIMED_ONE_IN, chosen at random, has a stamp to measure its block's
 * lifetime. AGENT_NOT_TIMED marks records that have a stamp for another reason.
 */
struct agent_unit {
    uint64_t first;
    uint64_t second;
};

enum agent_kind {
    AGENT_OWNER = 1, /* from here on, the thread in the address writes the ring */
    AGENT_ALLOC,
    AGENT_FREE,
    AGENT_MAP,
    AGENT_UNMAP,
    AGENT_NEXT, /* continues in the chunk in the address */
    AGENT_END,  /* the owner has ended: its ring and chunk are free */
    AGENT_BRIEF,
};

enum { AGENT_BRIEF_PATH = 32, AGENT_BRIEF_SLACK = 52, AGENT_TIMED_ONE_IN = 8 };
#define AGENT_NOT_TIMED (UINT32_C(1) << 31) /* flag in the path */

#define AGENT_KIND_SHIFT   56
#define AGENT_ADDRESS_MASK ((UINT64_C(1) << AGENT_KIND_SHIFT) - 1)

/* Offsets of the parts, in bytes from the start. */
static inline uint64_t agent_rings_at(void)
{
    return AGENT_HEADER_BYTES;
}

static inline uint64_t agent_ring_links_at(const struct agent_sizes *sizes)
{
    return agent_rings_at() + sizes->ring_count * (uint64_t)sizeof(struct agent_ring);
}

static inline uint64_t agent_chunk_links_at(const struct agent_sizes *sizes)
{
    return agent_ring_links_at(sizes) + sizes->ring_count * (uint64_t)sizeof(uint32_t);
}

static inline uint64_t agent_words_at(const struct agent_sizes *sizes)
{
    uint64_t end = agent_chunk_links_at(sizes) + sizes->chunk_count * (uint64_t)sizeof(uint32_t);
    return (end + 63) & ~UINT64_C(63);
}

static inline uint64_t agent_chunks_at(const struct agent_sizes *sizes)
{
    uint64_t end = agent_words_at(sizes) + sizes->word_count * (uint64_t)sizeof(uint64_t);
    return (end + 4095) & ~UINT64_C(4095);
}

static inline uint64_t agent_total_bytes(const struct agent_sizes *sizes)
{
    return agent_chunks_at(sizes) +
           sizes->chunk_count * (uint64_t)AGENT_CHUNK_UNITS * sizeof(struct agent_unit);
}

static inline int agent_sizes_valid(const struct agent_sizes *sizes)
{
    return sizes->ring_count && sizes->ring_count <= AGENT_RINGS_MAX && sizes->chunk_count &&
           sizes->chunk_count <= AGENT_CHUNKS_MAX && sizes->path_count > 1 &&
           sizes->path_count <= AGENT_PATHS_MAX && sizes->word_count > AGENT_DEPTH_MAX &&
           sizes->word_count <= AGENT_WORDS_MAX && !(sizes->word_count & (sizes->word_count - 1));
}

static inline uint64_t agent_units(uint64_t position)
{
    return position & AGENT_UNITS_MASK;
}

static inline uint32_t agent_chunk(uint64_t position)
{
    return (uint32_t)(position >> AGENT_CHUNK_SHIFT);
}

/* Returns the position of the first unit of another chunk, after all positions of this one. */
static inline uint64_t agent_chunk_after(uint64_t position, uint32_t chunk)
{
    return (uint64_t)chunk << AGENT_CHUNK_SHIFT |
           (agent_units(position | (AGENT_CHUNK_UNITS - 1)) + 1);
}

/* Pops an index from a stack of `count` entries. Returns index + 1, or 0 if the stack is empty.
 * Never waits or trusts: rejects an index out of range, and bounds the number of tries. */
static inline uint32_t agent_pop(uint64_t *stack, const uint32_t *links, uint32_t count)
{
    uint64_t top = __atomic_load_n(stack, __ATOMIC_ACQUIRE);
    for (int i = 0; i < AGENT_TRIES_MAX && (uint32_t)top && (uint32_t)top <= count; i++) {
        uint64_t next =
            ((top >> 32) + 1) << 32 | __atomic_load_n(&links[(uint32_t)top - 1], __ATOMIC_RELAXED);
        if (__atomic_compare_exchange_n(stack, &top, next, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
            return (uint32_t)top;
    }
    return 0;
}

static inline void agent_push(uint64_t *stack, uint32_t *links, uint32_t index)
{
    uint64_t top = __atomic_load_n(stack, __ATOMIC_RELAXED);
    for (int i = 0; i < AGENT_TRIES_MAX; i++) {
        __atomic_store_n(&links[index], (uint32_t)top, __ATOMIC_RELAXED);
        if (__atomic_compare_exchange_n(stack, &top, ((top >> 32) + 1) << 32 | (index + 1), 0,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED))
            return;
    }
}

#endif
