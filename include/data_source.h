/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the hardware says of one access beside its address: where the data came from, what other
 * caches answered, what the TLB did. Decoded from union perf_mem_data_src by
 * src/decode/data_source.c; a plain value. Everything may be unknown: sources differ in what
 * they tell, and unknown is not "no".
 *
 * Source: include/uapi/linux/perf_event.h, PERF_MEM_*, there also the older mem_lvl beside the
 * newer mem_lvl_num; arch/x86/events/intel/ds.c and amd/ibs.c for what CPUs put in.
 */
#ifndef MISSTOP_DATA_SOURCE_H
#define MISSTOP_DATA_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

/* Where the data was found, from near to far; names as in JSON: data_level_name(). */
enum data_level {
    DATA_UNKNOWN,
    DATA_L0,
    DATA_L1,
    DATA_LFB, /* on its way to the L1 already: line fill buffer, miss handling buffer */
    DATA_L2,
    DATA_L2_MHB,
    DATA_L3,
    DATA_L4,
    DATA_MSC,          /* memory-side cache */
    DATA_CACHE,        /* of this node, which level is not told */
    DATA_PEER_CACHE,   /* another core's, same node */
    DATA_REMOTE_CACHE, /* another node's or socket's */
    DATA_DRAM,         /* of this node */
    DATA_REMOTE_DRAM,
    DATA_MEMORY, /* which node's is not told */
    DATA_PMEM,
    DATA_CXL,
    DATA_UNCACHED,
    DATA_IO,
    DATA_BEYOND_L1, /* missed there, and that is all that is known: stores of many CPUs */
    DATA_BEYOND_L2,
    DATA_BEYOND_L3,
    DATA_LEVEL_COUNT
};

/* What other caches answered. */
enum data_snoop {
    SNOOP_UNKNOWN,
    SNOOP_NONE, /* nobody was asked */
    SNOOP_MISS,
    SNOOP_HIT,
    SNOOP_FORWARD, /* the line was handed over, clean */
    SNOOP_PEER,    /* ... by a cache of the same level */
    SNOOP_HITM,    /* it was modified there: true or false sharing */
    SNOOP_COUNT
};

enum data_tlb {
    TLB_UNKNOWN,
    TLB_L1,
    TLB_L2,
    TLB_HIT,  /* in one of the two */
    TLB_MISS, /* in both: the page tables were walked */
    TLB_FAULT, /* the kernel had to answer */
    TLB_COUNT
};

enum data_answer { ANSWER_UNKNOWN, ANSWER_NO, ANSWER_YES };

/* Bytes, not enums: two of these a sample are passed about. */
struct data_source {
    uint8_t level;  /* enum data_level */
    uint8_t snoop;  /* enum data_snoop */
    uint8_t tlb;    /* enum data_tlb */
    uint8_t hops;   /* 1: another core, 2: another node, 3: another socket, 4: another board; 0:
                       not told */
    uint8_t kind;   /* enum access_kind of access.h */
    uint8_t remote; /* enum data_answer, like the rest */
    uint8_t locked;
    uint8_t blocked_data;    /* waited for a store that could not be forwarded */
    uint8_t blocked_address; /* ... for one whose address conflicted */
};

/* `data_src` 0: not recorded, everything unknown. */
struct data_source data_source_decode(uint64_t data_src);

/* Whether the data came from beyond the caches and buffers of this core; false when it is not
 * known on which side. */
bool data_level_is_far(enum data_level level);

/* "L1", "LFB", "remote-cache", ...; "unknown". */
const char *data_level_name(enum data_level level);
/* "hitm", ...; "unknown". */
const char *data_snoop_name(enum data_snoop snoop);
/* "hit-L1", "miss", ...; "unknown". */
const char *data_tlb_name(enum data_tlb tlb);

#endif
