/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The memory that misstop and the allocation agent share: fixed width, versioned. misstop makes
 * it (src/resolve/feed.c) and treats all that the agent wrote as hostile; the agent maps it and
 * writes. No pointers cross. Included by src/agent and src/resolve/feed*.c, and for the name of the
 * agent's file by launch.c and resolver_place.c.
 *
 * In order: header (a page), rings' counters, index of paths, words of paths, rings' units.
 * A ring has one producer at a time (a thread of the target) and one consumer (misstop). head
 * and tail count units and never wrap; the place in the ring is their low bits.
 */
#ifndef MISSTOP_AGENT_ABI_H
#define MISSTOP_AGENT_ABI_H

#include <stdint.h>

#define AGENT_MAGIC    UINT64_C(0x6c6c41706f747373) /* "sstopAll" */
#define AGENT_VERSION  1u
#define AGENT_VARIABLE "MISSTOP_AGENT" /* the memory's descriptor, in decimal */
#define AGENT_FILE     "libmisstop-agent.so"
#define AGENT_MEMORY   "memfd:misstop-agent" /* what it shares with misstop, in maps */

enum {
    AGENT_HEADER_BYTES = 4096,
    AGENT_DEPTH_MAX = 64,
    AGENT_RINGS_MAX = 4096,
    AGENT_RING_UNITS_MAX = 1 << 24,
    AGENT_PATHS_MAX = 1 << 22,
    AGENT_WORDS_MAX = 1 << 28,
};

enum agent_state { AGENT_ABSENT, AGENT_RUNNING, AGENT_GAVE_UP };

enum agent_reason {
    AGENT_NO_REASON,
    AGENT_NO_MEMORY,  /* the memory could not be mapped whole (an address space limit?) */
    AGENT_NO_WIPE,    /* no MADV_WIPEONFORK: a kernel before 4.14 */
    AGENT_NO_MALLOC,  /* no allocator found behind the agent */
    AGENT_OTHER_SIZES /* sizes in the header make no sense to this agent */
};

enum agent_clock { AGENT_TSC, AGENT_MONOTONIC };

enum agent_flags {
    AGENT_CHECK_PATHS = 1, /* compare each remembered path with a fresh unwind */
};

/* How much of each part there is; misstop decides. */
struct agent_sizes {
    uint32_t ring_count;
    uint32_t ring_units; /* of one ring; a power of 2 */
    uint32_t path_count; /* id 0 is no path */
    uint32_t word_count;
};

struct agent_header {
    /* Written by misstop before the target starts. */
    uint64_t magic;
    uint32_t version;
    uint32_t clock; /* enum agent_clock: what stamps are in */
    uint32_t flags;
    uint32_t stop; /* misstop left: the agent may stop recording */
    struct agent_sizes sizes;
    uint64_t total_bytes;
    uint8_t unused[128 - 56];
    /* Written by the agent. */
    uint32_t state;  /* enum agent_state */
    uint32_t reason; /* enum agent_reason */
    uint32_t pid;
    uint32_t own_malloc; /* the program defines malloc: blocks are seen only if it asks libc */
    uint32_t rings_used; /* rings from here on were never written */
    uint32_t paths_used;
    uint64_t words_used;
    uint64_t lost_no_ring; /* events of threads that found no ring free */
    uint64_t lost_paths;   /* events without a path because the paths' memory is full */
    uint64_t unwound;      /* paths that had to be unwound */
    uint64_t checked;      /* remembered paths compared with a fresh unwind */
    uint64_t wrong;        /* ... that differed */
};

/* Producer and consumer on cache lines of their own. */
struct agent_ring {
    uint64_t head; /* units written */
    uint64_t lost; /* events that found the ring full */
    uint64_t unused[6];
    uint64_t tail; /* units read */
    uint64_t unused2[7];
};

/* Return addresses of one path, innermost first: words [first, first + count). */
struct agent_path {
    uint32_t first;
    uint32_t count;
};

/*
 * A record is one unit (owner, free) or two (the rest):
 *   stamp, address | kind << 56;  requested or length in bytes, path | (usable - requested) << 32
 * A free is stamped before, an allocation after the real one, so that a block's recorded life
 * lies inside its real one; the same with unmap and map. Either is published (head moves)
 * before the program can go on to cause another event of the same address.
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
};

#define AGENT_KIND_SHIFT   56
#define AGENT_ADDRESS_MASK ((UINT64_C(1) << AGENT_KIND_SHIFT) - 1)

/* Where the parts begin, in bytes from the start. */
static inline uint64_t agent_rings_at(void)
{
    return AGENT_HEADER_BYTES;
}

static inline uint64_t agent_paths_at(const struct agent_sizes *sizes)
{
    return agent_rings_at() + sizes->ring_count * (uint64_t)sizeof(struct agent_ring);
}

static inline uint64_t agent_words_at(const struct agent_sizes *sizes)
{
    return agent_paths_at(sizes) + sizes->path_count * (uint64_t)sizeof(struct agent_path);
}

static inline uint64_t agent_units_at(const struct agent_sizes *sizes)
{
    uint64_t end = agent_words_at(sizes) + sizes->word_count * (uint64_t)sizeof(uint64_t);
    return (end + 4095) & ~UINT64_C(4095);
}

static inline uint64_t agent_total_bytes(const struct agent_sizes *sizes)
{
    return agent_units_at(sizes) +
           sizes->ring_count * (uint64_t)sizes->ring_units * sizeof(struct agent_unit);
}

/* Whether these sizes can be worked with at all. */
static inline int agent_sizes_valid(const struct agent_sizes *sizes)
{
    return sizes->ring_count && sizes->ring_count <= AGENT_RINGS_MAX && sizes->ring_units >= 16 &&
           sizes->ring_units <= AGENT_RING_UNITS_MAX &&
           !(sizes->ring_units & (sizes->ring_units - 1)) && sizes->path_count > 1 &&
           sizes->path_count <= AGENT_PATHS_MAX && sizes->word_count >= AGENT_DEPTH_MAX &&
           sizes->word_count <= AGENT_WORDS_MAX;
}

#endif
