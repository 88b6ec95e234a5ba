/* SPDX-License-Identifier: GPL-3.0-or-later */
/* decode -> resolve: one memory access with its address and how the address was obtained, or the
 * single reason why it could not be obtained. */
#ifndef MISSTOP_ACCESS_H
#define MISSTOP_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

/* Why a sample has no object. samples = attributed (REASON_NONE) + sum of reasons, without
 * REASON_AGENT. access_reason_name() in src/decode/data_source.c has the JSON names. */
enum reason {
    REASON_NONE,
    REASON_KERNEL,        /* taken in kernel or hypervisor mode */
    REASON_NO_REGISTERS,  /* short sample or PERF_SAMPLE_REGS_ABI_NONE, and no address */
    REASON_NO_CODE,       /* the bytes at the IP cannot be read (unmapped, gone) */
    REASON_BAD_CODE,      /* the bytes are not an instruction, or the IP is inside one */
    REASON_NO_MEMORY,     /* no instruction within reach accesses memory: not a data miss */
    REASON_CALL_BOUNDARY, /* the culprit is across a call, return or function entry */
    REASON_OVERWRITTEN,   /* the load overwrote its own base, and the base cannot be recovered */
    REASON_CLOBBERED,     /* an operand register was changed after the access */
    REASON_AMBIGUOUS,     /* several predecessors with different addresses */
    REASON_GATHER,        /* vector gather or scatter: many addresses, one sample */
    REASON_SEGMENT,       /* fs or gs base not known */
    REASON_BAD_ADDRESS,   /* the computed address is in no mapping of the target */
    REASON_FOREIGN,       /* sample of another process */
    REASON_NO_ADDRESS,    /* precise record with an invalid address */
    REASON_NOT_X86_64,    /* registers of 32-bit code, or of another architecture */
    REASON_AGENT,         /* misstop's own agent: not a sample of the program, counted separately */
    REASON_COUNT
};

/* Returns true if the sample waited for data, whether or not the object is known. */
static inline bool access_is_for_data(enum reason reason)
{
    switch (reason) {
    case REASON_KERNEL:
    case REASON_NO_MEMORY: /* the CPU was computing */
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

/* How the address was obtained, most reliable first. */
enum access_how {
    ACCESS_RECORDED,  /* recorded by the hardware */
    ACCESS_DIRECT,    /* operand of the instruction before the IP; registers unchanged since */
    ACCESS_INVERTED,  /* register changes undone over the instructions in between */
    ACCESS_BRANCHED,  /* operand of an instruction before a jump that leads to the IP */
    ACCESS_REREAD,    /* base recovered by reading the target's memory again */
    ACCESS_INFERRED,  /* taken from a neighbour: the next iteration, or memory written since */
    ACCESS_LANE,      /* one lane of a gather or scatter, which accesses all lanes */
    ACCESS_IN_OBJECT, /* somewhere in the object at this address: vector indices not known */
    ACCESS_HOW_COUNT
};

/* Why a line was not in the level that the event counts (simulation only). From CAUSE_UNKNOWN on in
 * the order of enum sim_cause; enum model_cause (src/sim/model/model.h) explains them. */
enum miss_cause {
    CAUSE_NOT_KNOWN, /* not measured */
    CAUSE_UNKNOWN,
    CAUSE_FIRST,
    CAUSE_FIRST_HERE, /* first reference by this thread */
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
    uint64_t ip;       /* address of the accessing instruction; of the sample if not known */
    uint64_t weight;   /* events (misses, stalls) this access represents */
    uint64_t latency;  /* core cycles; 0: not measured */
    uint64_t data_src; /* union perf_mem_data_src; 0: not recorded */
    uint64_t physical; /* 0: not recorded */
    /* Address inside the call of the accessing function, if that function is compiled for nodes of
     * any type (library_node_function()); otherwise 0. */
    uint64_t caller;
    uint64_t evictor_ip;      /* instruction that evicted the line; 0: not known */
    uint64_t evictor_address; /* address accessed by evictor_ip; 0: not known */
    uint32_t evictor_tid;     /* thread that evicted the line; 0: not known */
    uint32_t pid;
    uint32_t tid;
    uint32_t cpu;
    uint16_t event; /* as in struct sample */
    uint8_t size;   /* bytes; 0: not known */
    uint8_t kind;   /* enum access_kind */
    uint8_t how;    /* enum access_how */
    uint8_t reason; /* enum reason */
    uint8_t base;   /* enum sample_register of the base; SREG_NONE: none */
    uint8_t index;  /* enum sample_register of the index; SREG_NONE: none */
    int32_t displacement;
    uint8_t cause;          /* enum miss_cause */
    bool locked;            /* atomic read-modify-write: lock prefix, or xchg */
    bool is_in_leaf_frame;  /* needs the frame of a leaf function, which is short-lived */
    bool is_spinning;       /* the loop only waits for another thread's store (spinning) */
    bool is_spill_slot;     /* stack slot that holds a register across calls in a loop */
    bool is_stored_in_loop; /* stack slot that the loop around the access stores to */
    bool is_pointer_chase;  /* address loaded in the same loop; the sample is of this instruction */
    /* Line already accessed by this pass of the loop, or by the same straight-line code. */
    bool line_was_accessed;
    /* The instruction evicts its line from the caches, or its function contains a flush. */
    bool flushes_line;
    uint8_t per_line_log2; /* log2 of the pass's accesses to each line; 0: not known */
};

/* Return the name of a reason as in JSON ("overwritten"), the note shown at an instruction ("object
 * unknown: overwritten"; NULL for REASON_NONE), and one plain sentence. */
const char *access_reason_name(enum reason reason);
const char *access_reason_note(unsigned reason);
const char *access_reason_text(enum reason reason);

/* "recorded", "direct", "undone", "branched", "reread", "inferred", "lane", "object". */
const char *access_how_name(enum access_how how);

/*
 * Data source, snoop result and TLB result of one access. Any member can be unknown, because
 * sources differ in what they report. Unknown does not mean "no".
 *
 * Source: include/uapi/linux/perf_event.h, PERF_MEM_*, which has both the older mem_lvl and the
 * newer mem_lvl_num; arch/x86/events/intel/ds.c and amd/ibs.c for the values that CPUs report.
 */

/* Where the data was found, nearest first. data_level_name() returns the JSON names. */
enum data_level {
    DATA_UNKNOWN,
    DATA_L0,
    DATA_L1,
    DATA_LFB, /* already on its way to L1: line fill buffer, miss handling buffer */
    DATA_L2,
    DATA_L2_MHB,
    DATA_L3,
    DATA_L4,
    DATA_MSC,          /* memory-side cache */
    DATA_CACHE,        /* a cache of this node; the level is not reported */
    DATA_PEER_CACHE,   /* another core of the same node */
    DATA_REMOTE_CACHE, /* another node or socket */
    DATA_DRAM,         /* DRAM of this node */
    DATA_REMOTE_DRAM,
    DATA_MEMORY, /* the node is not reported */
    DATA_PMEM,
    DATA_CXL,
    DATA_UNCACHED,
    DATA_IO,
    DATA_BEYOND_L1, /* missed L1, and nothing else is known: stores of many CPUs */
    DATA_BEYOND_L2,
    DATA_BEYOND_L3,
    DATA_LEVEL_COUNT
};

enum data_snoop {
    SNOOP_UNKNOWN,
    SNOOP_NONE, /* no other cache was snooped */
    SNOOP_MISS,
    SNOOP_HIT,
    SNOOP_FORWARD, /* the line was forwarded, clean */
    SNOOP_PEER,    /* ... by a cache of the same level */
    SNOOP_HITM,    /* the line was modified in another cache: true or false sharing */
    SNOOP_COUNT
};

enum data_tlb {
    TLB_UNKNOWN,
    TLB_L1,
    TLB_L2,
    TLB_HIT,   /* hit in L1 or L2 */
    TLB_MISS,  /* miss in both: page walk */
    TLB_FAULT, /* handled by the kernel */
    TLB_COUNT
};

enum data_answer { ANSWER_UNKNOWN, ANSWER_NO, ANSWER_YES };

/* Bytes instead of enums, because two of these are copied per sample. */
struct data_source {
    uint8_t level;  /* enum data_level */
    uint8_t snoop;  /* enum data_snoop */
    uint8_t tlb;    /* enum data_tlb */
    uint8_t hops;   /* 1: another core, 2: node, 3: socket, 4: board; 0: not reported */
    uint8_t kind;   /* enum access_kind */
    uint8_t remote; /* enum data_answer, like the members below */
    uint8_t locked;
    uint8_t blocked_data;    /* waited for a store that could not be forwarded */
    uint8_t blocked_address; /* load blocked by an address conflict */
};

/* Decodes `data_src`. 0 means not recorded: every member is unknown. */
struct data_source data_source_decode(uint64_t data_src);

/* Returns false if the data came from this core's caches and buffers, or if that is not known. */
bool data_level_is_far(enum data_level level);

/* "L1", "LFB", "remote-cache", ...; "unknown". */
const char *data_level_name(enum data_level level);
/* "hitm", ...; "unknown". */
const char *data_snoop_name(enum data_snoop snoop);
/* "hit-L1", "miss", ...; "unknown". */
const char *data_tlb_name(enum data_tlb tlb);

#endif
