/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The memory that misstop and the allocation agent share: fixed width, versioned. misstop makes
 * it (src/resolve/heap/feed.c) and treats all that the agent wrote as hostile; the agent maps it
 * and writes. No pointers cross. Included by src/agent and src/resolve/feed*.c, and for the name of
 * the agent's file by launch.c and place.c.
 *
 * In order: header (a page), rings, links of rings, links of chunks, words of paths, chunks.
 * A ring is the record of one thread: a chain of chunks out of a pool that all threads share, so
 * that a thread at rest holds one chunk and a busy one has all of the rest. A ring has one producer
 * at a time (a thread of the target) and one consumer (misstop), which gives chunks back to the
 * pool as it reads. A position is the chunk << 48 | the units written so far; the place in the
 * chunk is its low bits, and a record never leaves its chunk.
 *
 * Paths are a ring of words with many producers: an entry is id << 8 | count, written last, and the
 * return addresses, innermost first. misstop copies entries and leaves zeroes behind.
 */
#ifndef MISSTOP_AGENT_ABI_H
#define MISSTOP_AGENT_ABI_H

#include <stdint.h>

#define AGENT_MAGIC    UINT64_C(0x6c6c41706f747373) /* "sstopAll" */
#define AGENT_VERSION  4u
#define AGENT_VARIABLE "MISSTOP_AGENT" /* the memory's descriptor, in decimal */
#define AGENT_FILE     "libmisstop-agent.so"
#define AGENT_MEMORY   "memfd:misstop-agent" /* name in maps of the memory shared with misstop */

enum {
    AGENT_HEADER_BYTES = 4096,
    AGENT_DEPTH_MAX = 64,
    AGENT_RINGS_MAX = 4096,
    AGENT_CHUNK_BITS = 8,
    AGENT_CHUNK_UNITS = 1 << AGENT_CHUNK_BITS, /* a page */
    AGENT_CHUNKS_MAX = 1 << 15,
    AGENT_PATHS_MAX = 1 << 20,
    AGENT_WORDS_MAX = 1 << 24,
    AGENT_TRIES_MAX = 1000,
};

enum agent_state { AGENT_ABSENT, AGENT_RUNNING, AGENT_GAVE_UP };

enum agent_reason {
    AGENT_NO_REASON,
    AGENT_NO_MEMORY,   /* the memory could not be mapped whole (an address space limit?) */
    AGENT_NO_WIPE,     /* no MADV_WIPEONFORK: a kernel before 4.14 */
    AGENT_NO_MALLOC,   /* no allocator found behind the agent */
    AGENT_OTHER_SIZES, /* sizes in the header make no sense to this agent */
    AGENT_NO_CLOCK,    /* reading the processor's clock is forbidden (PR_SET_TSC) */
    AGENT_SANDBOXED,   /* the program forbade itself system calls (seccomp) */
    AGENT_NOT_FOLLOWED /* the process became a program that cannot load the agent */
};

enum agent_clock { AGENT_TSC, AGENT_MONOTONIC };

enum agent_flags {
    AGENT_CHECK_PATHS = 1, /* compare each remembered path with a fresh unwind */
    AGENT_HAND_ON = 2,     /* Valgrind: the exec'd program passes the variables on to the watched
                              program by itself */
};

/* How much of each part there is; misstop decides. */
struct agent_sizes {
    uint32_t ring_count;
    uint32_t chunk_count;
    uint32_t path_count; /* id 0 is no path */
    uint32_t word_count; /* a power of 2 */
};

/* Which file it is, whatever its path in another root. */
struct agent_file {
    uint64_t device;
    uint64_t inode;
};

struct agent_header {
    /* Written by misstop before the target starts. */
    uint64_t magic;
    uint32_t version;
    uint32_t clock; /* enum agent_clock: what stamps are in */
    uint32_t flags;
    /*
     * misstop's thread while it reads; 0 once it has left. The kernel, too, takes the thread's
     * number out when misstop ends in whatever way (set_robust_list(2)).
     */
    uint32_t reader;
    struct agent_sizes sizes;
    uint64_t total_bytes;
    uint32_t owner;    /* misstop's process and its descriptor of this memory, */
    uint32_t owner_fd; /* for an exec to be followed */
    uint32_t filters;  /* seccomp filters that misstop has itself */
    uint32_t unused;
    struct agent_file linker; /* the dynamic linker that can load the agent */
    uint64_t words_read;      /* by misstop */
    uint64_t wake_at;         /* chunks_taken with which the agent wakes misstop */
    uint8_t unused1[128 - 96];
    /* Written by the agent. */
    uint32_t state;  /* enum agent_state */
    uint32_t reason; /* enum agent_reason */
    uint32_t pid;
    uint32_t own_malloc; /* the program defines malloc: blocks are seen only if it asks libc */
    uint32_t rings_used; /* rings from here on were never written */
    uint32_t
        generation; /* programs that ran in the process: an exec leaves rings without threads */
    uint64_t load;  /* AGENT_NOT_FOLLOWED: enum agent_load */
    uint64_t words_from;   /* words of the program that runs now begin here */
    uint64_t path_top;     /* ids given << AGENT_PATH_SHIFT | words written */
    uint64_t lost_no_ring; /* events of threads that found no ring free */
    uint64_t lost_paths;   /* events without a path because the paths' memory is full */
    uint64_t unwound;      /* paths that had to be unwound */
    uint64_t checked;      /* remembered paths compared with a fresh unwind */
    uint64_t wrong;        /* ... that differed */
    uint64_t chunks_taken; /* from the pool, since the start */
    uint32_t woken;        /* times that misstop was woken: a futex that it waits at */
    uint32_t unused3;
    uint8_t unused2[128 - 104];
    /* Free lists as stacks: changes << 32 | index + 1; both sides push and pop. */
    uint64_t free_rings;
    uint64_t warm_chunks; /* used lately: taken first */
    uint64_t cold_chunks;
};

/* Producer and consumer on cache lines of their own. */
struct agent_ring {
    uint64_t head;       /* position up to which it is written */
    uint64_t lost;       /* events that found no chunk free */
    uint64_t start;      /* position at which the present owner began */
    uint64_t generation; /* of the owner */
    uint64_t unused[4];
};

#define AGENT_CHUNK_SHIFT 48
#define AGENT_UNITS_MASK  ((UINT64_C(1) << AGENT_CHUNK_SHIFT) - 1)
#define AGENT_PATH_SHIFT  40

/*
 * A record is one unit (owner, free) or two (the rest): stamp, address | kind << 56;  requested or
 * length in bytes, path | (usable - requested) << 32 A free is stamped before, an allocation after
 * the real one, so that a block's recorded life is inside its real one; the same with unmap and
 * map. Either is published (head moves) before the program can go on to cause another event of the
 * same address.
 *
 * Most allocations of a thread that is the only one to record are brief: one unit, requested | path
 * << AGENT_BRIEF_PATH | (usable - requested) << AGENT_BRIEF_SLACK in place of the stamp. They are
 * taken at the stamp before them in the ring: between the two no thread recorded anything, so
 * nothing else had that address. One in AGENT_TIMED_ONE_IN, chosen at random, has a stamp for its
 * block's lifetime; AGENT_NOT_TIMED marks those that have one for another reason.
 */
struct agent_unit {
    uint64_t first;
    uint64_t second;
};

enum agent_kind {
    AGENT_OWNER = 1, /* from here on the ring is written by the thread in the address */
    AGENT_ALLOC,
    AGENT_FREE,
    AGENT_MAP,
    AGENT_UNMAP,
    AGENT_NEXT, /* goes on in the chunk in the address */
    AGENT_END,  /* the owner has ended: the ring and its chunk are free */
    AGENT_BRIEF,
};

enum { AGENT_BRIEF_PATH = 32, AGENT_BRIEF_SLACK = 52, AGENT_TIMED_ONE_IN = 8 };
#define AGENT_NOT_TIMED (UINT32_C(1) << 31) /* in the path */

#define AGENT_KIND_SHIFT   56
#define AGENT_ADDRESS_MASK ((UINT64_C(1) << AGENT_KIND_SHIFT) - 1)

/* Where the parts begin, in bytes from the start. */
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

/* Whether these sizes can be worked with at all. */
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

/* The first unit of another chunk, behind all positions of this one. */
static inline uint64_t agent_chunk_after(uint64_t position, uint32_t chunk)
{
    return (uint64_t)chunk << AGENT_CHUNK_SHIFT |
           (agent_units(position | (AGENT_CHUNK_UNITS - 1)) + 1);
}

/*
 * Takes an index from a stack of `count`; returns it + 1, or 0: empty. Neither side waits for the
 * other or trusts it: an index out of range is refused, and tries are bounded.
 */
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
