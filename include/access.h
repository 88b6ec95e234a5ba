/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * decode -> resolve: one memory access, its address, and how it was learnt;
 * or the one reason why no address could be learnt.
 */
#ifndef MISSTOP_ACCESS_H
#define MISSTOP_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Why a sample has no object. Every sample ends attributed (REASON_NONE) or in
 * exactly one of these: samples = attributed + sum of reasons. REASON_AGENT is outside of them.
 * The JSON names are in access_reason_name(): src/decode/data_source.c.
 */
enum reason {
    REASON_NONE,
    REASON_KERNEL,        /* taken in kernel or hypervisor mode */
    REASON_NO_REGISTERS,  /* short sample, PERF_SAMPLE_REGS_ABI_NONE, and no address */
    REASON_NO_CODE,       /* the bytes at the IP cannot be read (unmapped, gone) */
    REASON_BAD_CODE,      /* the bytes are no instruction, or the IP is inside one */
    REASON_NO_MEMORY,     /* no instruction within reach touches memory: not a data miss */
    REASON_CALL_BOUNDARY, /* the culprit is across a call, return or function entry */
    REASON_OVERWRITTEN,   /* the load overwrote its own base, and nothing recovers it */
    REASON_CLOBBERED,     /* a register of the operand was changed after the access */
    REASON_AMBIGUOUS,     /* several predecessors, with different addresses */
    REASON_GATHER,        /* vector gather or scatter: many addresses, one sample */
    REASON_SEGMENT,       /* fs or gs base not known */
    REASON_BAD_ADDRESS,   /* the address computed is in no mapping of the target */
    REASON_FOREIGN,       /* sample of another process */
    REASON_NO_ADDRESS,    /* precise record with an invalid address */
    REASON_NOT_X86_64,    /* registers of 32-bit code, or of another architecture */
    REASON_AGENT,         /* code or data of misstop's own agent: no sample of the program, counted
                             apart */
    REASON_COUNT
};

/* Whether it is data that the sample waited for, of a known object or not. */
static inline bool access_is_for_data(enum reason reason)
{
    switch (reason) {
    case REASON_KERNEL:
    case REASON_NO_MEMORY: /* it was computing */
    case REASON_FOREIGN:
    case REASON_AGENT:
        return false;
    default:
        return true;
    }
}

enum access_kind {
    ACCESS_UNKNOWN_KIND,
    ACCESS_LOAD,
    ACCESS_STORE,
    ACCESS_LOAD_STORE, /* read-modify-write */
    ACCESS_PREFETCH
};

/* How the address was learnt, from the surest on. */
enum access_how {
    ACCESS_RECORDED, /* the hardware recorded it */
    ACCESS_DIRECT,   /* operand of the instruction before the IP, registers unchanged */
    ACCESS_UNDONE,   /* registers taken back over the instructions in between */
    ACCESS_BRANCHED, /* operand of an instruction before a jump that leads to the IP */
    ACCESS_REREAD,   /* base recovered by reading the target's memory again */
    ACCESS_INFERRED, /* a neighbour's: the next iteration's, or by memory written since */
    ACCESS_LANE,     /* one lane of a gather or scatter, which accesses each */
    ACCESS_OBJECT,   /* somewhere in the object at this address: a vector's indices are not known */
    ACCESS_HOW_COUNT
};

/* Why a line was not in the level that the event counts; only a simulation knows. The order from
 * CAUSE_UNKNOWN on is that of enum sim_cause (sim_abi.h), where they are explained. */
enum miss_cause {
    CAUSE_NOT_KNOWN, /* not measured */
    CAUSE_UNKNOWN,
    CAUSE_FIRST,
    CAUSE_FIRST_HERE, /* of this thread */
    CAUSE_INVALIDATED_TRUE,
    CAUSE_INVALIDATED_FALSE,
    CAUSE_INCLUSION,
    CAUSE_CONFLICT,
    CAUSE_CAPACITY,
    CAUSE_COUNT
};

struct access {
    uint64_t time_ns;
    uint64_t address;  /* valid if reason is REASON_NONE */
    uint64_t ip;       /* of the accessing instruction; of the sample where unknown */
    uint64_t weight;   /* events (misses, stalls) this access represents */
    uint64_t latency;  /* core cycles; 0: not measured */
    uint64_t data_src; /* union perf_mem_data_src; 0: not recorded */
    uint64_t physical; /* 0: not recorded */
    uint64_t caller; /* inside the call of the accessing function, where that is compiled for nodes
                        of any type (library_node_function()); else 0 */
    uint64_t evictor_ip;      /* instruction that evicted the line; 0: not known */
    uint64_t evictor_address; /* ... to make room for this; 0: not known */
    uint32_t evictor_tid;     /* by this thread's access; 0: not known */
    uint32_t pid;
    uint32_t tid;
    uint32_t cpu;
    uint16_t event; /* as in struct sample */
    uint8_t size;   /* bytes; 0: not known */
    uint8_t kind;   /* enum access_kind */
    uint8_t how;    /* enum access_how */
    uint8_t reason; /* enum reason */
    uint8_t base;   /* enum sample_register of the base, SREG_NONE if there is none */
    uint8_t index;  /* same for the index */
    int32_t displacement;
    uint8_t cause;  /* enum miss_cause */
    bool locked;    /* an atomic read-modify-write: lock prefix, or xchg */
    bool of_leaf;   /* needed the frame of a leaf function, which is soon gone */
    bool waits;     /* in a loop that only waits for another thread's store (spinning) */
    bool kept;      /* a stack slot that keeps a register across calls in a loop */
    bool rewritten; /* a stack slot that the loop around the access stores to */
    bool chases;    /* to an address loaded in the same loop; the sample is of this instruction */
    bool again; /* to a line that the loop, in this pass, or straight code has accessed before */
    bool
        flushes; /* the instruction takes its line out of the caches, or its function has a flush */
    uint8_t per_line; /* accesses of the pass to each line, 2 to the power of this; 0: not known */
};

/* Name of a reason as it is in JSON ("overwritten"), the same at an instruction ("object unknown:
 * overwritten"; NULL: REASON_NONE), and one plain sentence. */
const char *access_reason_name(enum reason reason);
const char *access_reason_note(unsigned reason);
const char *access_reason_text(enum reason reason);

/* "recorded", "direct", "undone", "branched", "reread", "inferred", "lane", "object". */
const char *access_how_name(enum access_how how);

/*
 * Hardware data of one access beside its address: where the data came from, what other caches
 * answered, what the TLB did. Decoded from union perf_mem_data_src by src/decode/data_source.c; a
 * plain value. Everything may be unknown: sources differ in what they report, and unknown is not
 * "no".
 *
 * Source: include/uapi/linux/perf_event.h, PERF_MEM_*, there also the older mem_lvl beside the
 * newer mem_lvl_num; arch/x86/events/intel/ds.c and amd/ibs.c for the values that CPUs report.
 */
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
    DATA_CACHE,        /* of this node, which level is not reported */
    DATA_PEER_CACHE,   /* another core's, same node */
    DATA_REMOTE_CACHE, /* another node's or socket's */
    DATA_DRAM,         /* of this node */
    DATA_REMOTE_DRAM,
    DATA_MEMORY, /* which node's is not reported */
    DATA_PMEM,
    DATA_CXL,
    DATA_UNCACHED,
    DATA_IO,
    DATA_BEYOND_L1, /* missed there, and that is all that is known: stores of many CPUs */
    DATA_BEYOND_L2,
    DATA_BEYOND_L3,
    DATA_LEVEL_COUNT
};

/* Answers of other caches. */
enum data_snoop {
    SNOOP_UNKNOWN,
    SNOOP_NONE, /* no other cache was asked */
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
    TLB_HIT,   /* in one of the two */
    TLB_MISS,  /* in both: the page tables were walked */
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
                       not reported */
    uint8_t kind;   /* enum access_kind of access.h */
    uint8_t remote; /* enum data_answer, like the rest */
    uint8_t locked;
    uint8_t blocked_data;    /* waited for a store that could not be forwarded */
    uint8_t blocked_address; /* a load blocked by an address conflict */
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
