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
 * The JSON names stand in access_reason_name(): src/decode/access.c.
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
    REASON_NO_ADDRESS,    /* a precise record whose address is not valid */
    REASON_NOT_X86_64,    /* registers of 32-bit code, or of another architecture */
    REASON_AGENT,         /* code or data of misstop's own agent: no sample of the program, counted
                             apart */
    REASON_COUNT
};

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
    CAUSE_NOT_TOLD, /* nobody asked */
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
    uint64_t address;         /* valid if reason is REASON_NONE */
    uint64_t ip;              /* of the accessing instruction; of the sample where unknown */
    uint64_t weight;          /* events (misses, stalls) this access stands for */
    uint64_t latency;         /* core cycles; 0: not measured */
    uint64_t data_src;        /* union perf_mem_data_src; 0: not recorded */
    uint64_t physical;        /* 0: not recorded */
    uint64_t evictor_ip;      /* what had thrown the line out; 0: not known */
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
    uint8_t cause; /* enum miss_cause */
    bool locked;   /* an atomic read-modify-write: lock prefix, or xchg */
    bool of_leaf;  /* needed the frame of a leaf function, which is soon gone */
    bool waits;    /* in a loop that only looks until somebody else writes: it spins */
    bool kept;     /* a slot of the frame, in a loop that calls: what is kept there while it does */
};

/* Name of a reason as it stands in JSON ("base-overwritten") and one plain sentence. */
const char *access_reason_name(enum reason reason);
const char *access_reason_text(enum reason reason);

/* "recorded", "direct", "undone", "branched", "reread", "inferred", "lane", "object". */
const char *access_how_name(enum access_how how);

#endif
