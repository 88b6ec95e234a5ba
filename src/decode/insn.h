/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One instruction, reduced to the parts needed to find an address. tests/unit/decode/test_operands
 * compares the results with an independent disassembler. */
#ifndef MISSTOP_DECODE_INSN_H
#define MISSTOP_DECODE_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "access.h"
#include "sample.h"

enum insn_flow {
    INSN_PLAIN,
    INSN_JUMP,        /* always taken */
    INSN_CONDITIONAL, /* jcc, loop, jrcxz */
    INSN_CALL,
    INSN_RETURN,
    INSN_SYSCALL,
    INSN_STOP /* hlt, ud2, int3: execution does not continue */
};

enum insn_op {
    INSN_OP_NONE, /* changes registers in an untracked way */
    INSN_OP_MOVE, /* dest = source */
    INSN_OP_LOAD, /* dest = memory operand, zero- or sign-extended */
    INSN_OP_LEA,  /* dest = address of the memory operand */
    INSN_OP_ADD,  /* dest = dest op source, also the following */
    INSN_OP_SUB,
    INSN_OP_AND,
    INSN_OP_OR,
    INSN_OP_XOR,
    INSN_OP_SHL,
    INSN_OP_SHR,
    INSN_OP_SAR,
    INSN_OP_MUL,
    INSN_OP_MUL3, /* dest = source * immediate */
    INSN_OP_NOT,
    INSN_OP_NEG,
    INSN_OP_EXCHANGE /* swaps dest and source */
};

/* Untracked operations (op is NONE) with a result that points into the object of an operand. `dest`
 * and `source` (SREG_NONE: memory[0]) are set. */
enum insn_partial {
    INSN_PARTIAL_NONE,
    INSN_PARTIAL_CHOOSE, /* cmov: dest stays or becomes the source */
    INSN_PARTIAL_ADD,    /* with a memory source */
    INSN_PARTIAL_SUB
};

enum insn_compare {
    INSN_COMPARE_NONE,
    INSN_COMPARE_SUB, /* cmp */
    INSN_COMPARE_AND  /* test */
};

struct insn_memory {
    int64_t displacement; /* absolute for RIP-relative operands, which have no base */
    uint8_t base;         /* SREG_NONE: none */
    uint8_t index;
    uint8_t size;         /* bytes accessed, 0: not known */
    uint8_t lanes;        /* lanes of a vector index */
    uint8_t vector_index; /* number of the vector register, or SREG_NONE */
    uint8_t scale : 4;
    uint8_t index_bytes : 4;    /* bytes of one index of a vector */
    uint8_t segment : 2;        /* 0 none, 1 fs, 2 gs */
    uint8_t kind : 4;           /* enum access_kind */
    bool has_32bit_address : 1; /* 32-bit addressing */
    bool vector : 1; /* vector index: gather, scatter; one access of `size` bytes per lane */
};

static inline uint32_t insn_memory_uses(const struct insn_memory *memory)
{
    return (memory->base != SREG_NONE ? 1u << memory->base : 0) |
           (memory->index != SREG_NONE ? 1u << memory->index : 0);
}

enum { INSN_VECTOR_COPY = 16 };
enum { INSN_MEMORY_MAX = 2, INSN_CONDITION_NONE = 0xff };

/* How a loop advances an operand: its register starts at `from` and counts (function.c). */
struct insn_step {
    uint8_t bytes; /* per iteration, 1 to 32; 0: none */
    uint8_t scale; /* scale of the register in the operand */
    uint8_t reg;
    uint8_t from; /* register with the start value, which does not change; SREG_NONE: 0 */
    bool steps_before_access; /* advanced before the access */
};

struct insn {
    uint64_t address;
    uint64_t target;                            /* of a direct jump or call; 0: not known */
    int64_t immediate;                          /* source if `source` is SREG_NONE */
    struct insn_memory memory[INSN_MEMORY_MAX]; /* the likelier culprit first */
    uint32_t writes;                            /* mask of enum sample_register, whole registers */
    int16_t stack_step;                         /* implicit change of RSP: push, pop, call */
    uint8_t memory_count;
    uint8_t length;
    uint8_t flow;      /* enum insn_flow */
    uint8_t condition; /* low 4 bits of the jcc opcode, or INSN_CONDITION_NONE */
    uint8_t op;        /* enum insn_op */
    uint8_t narrow_op; /* the same for 1 or 2 bytes of a register; `op` is INSN_OP_NONE then */
    uint8_t dest;      /* SREG_NONE: none; for an indirect call or jump, its register */
    uint8_t source;    /* SREG_NONE: the immediate */
    uint8_t width : 4; /* bytes of the operation: 1, 2, 4, 8 */
    uint8_t source_width : 4;  /* of an extending MOVE or LOAD */
    uint8_t partial_op : 2;    /* enum insn_partial */
    uint8_t compare_op : 2;    /* enum insn_compare, */
    uint8_t compare_bytes : 4; /* ... operand size, */
    uint8_t compare_left;      /* ... first operand, SREG_NONE: memory[0], */
    /* ... second operand, SREG_NONE: memory[0] if `compare_left` is not, or immediate */
    uint8_t compare_right;
    uint8_t stored_register; /* register that mov or push stores, 4 or 8 bytes; SREG_NONE: none */
    uint8_t vector_dest;     /* number of the vector register that it may write, or SREG_NONE */
    /* 0: not loaded, or in another way; INSN_VECTOR_COPY: copied from memory; otherwise bytes of
     * the loaded elements, which are extended to `width`. */
    uint8_t vector_load;
    uint8_t string_step; /* step of RSI and RDI in a string instruction */
    /* Earlier loads in the same straight-line code by the same registers: 1 + distance from the
     * last byte of the nearest load below, and to the first byte of the one above; 0: none. */
    uint8_t loaded_below;
    uint8_t loaded_above;
    struct insn_step step;
    bool sign_extends : 1;
    bool locked : 1; /* atomic: lock prefix, or xchg with memory */
    bool changes_flags : 1;
    bool repeats : 1;       /* rep string instruction: interruptible, the IP stays on it */
    bool is_nop : 1;        /* of any length: may be padding that never runs */
    bool evicts_line : 1;   /* removes a line from the caches: a flush, a non-temporal store */
    bool is_target : 1;     /* a jump of the function leads here */
    bool is_spinning : 1;   /* in a loop that only waits for another thread's store (function.c) */
    bool is_spill_slot : 1; /* accesses a slot of the frame in a loop that calls (function.c) */
    bool in_loop : 1;       /* the next three members are about the innermost loop */
    bool is_pointer_chase : 1;  /* its address comes from a load of its loop (function.c) */
    bool stores_after_load : 1; /* stores to an address that its loop loads (function.c) */
    bool is_stored_in_loop : 1; /* accesses a slot to which its loop stores (function.c) */
    bool decoded : 1;
    bool described : 1; /* function_describe() has analysed the code around it */
};

/* The part of an instruction that is needed for analysing the rest of its function. */
struct insn_outline {
    uint64_t target; /* of a direct jump or call; 0: not known */
    uint32_t at;     /* offset from the function's start */
    uint8_t length;
    uint8_t flow;      /* enum insn_flow */
    uint8_t condition; /* low 4 bits of the jcc opcode, or INSN_CONDITION_NONE */
    bool is_nop : 1;
    bool is_target : 1;    /* a jump of the function leads here */
    bool flushes_line : 1; /* clflush, clflushopt, clwb, cldemote */
};

/* Returns false if the bytes at the start are no instruction, or too few. */
bool insn_decode(struct insn *out, uint64_t address, const uint8_t *bytes, size_t size);

/* Does the same for the outline only; the caller sets `at`. */
bool insn_outline(struct insn_outline *out, uint64_t address, const uint8_t *bytes, size_t size);

/* Returns the flags (RFLAGS_RESULT) after a comparison of these values. */
#define RFLAGS_RESULT UINT64_C(0x8c5) /* carry, parity, zero, sign, overflow */
#define RFLAGS_VALUE  UINT64_C(0xc4)  /* parity, zero, sign: depend on the result only */
uint64_t insn_compare_flags(enum insn_compare compares, uint64_t left, uint64_t right,
                            uint8_t bytes);

/* Returns true if the condition of a jcc holds for RFLAGS (Intel SDM vol. 1, appendix B). */
bool insn_condition_holds(uint8_t condition, uint64_t flags);

#endif
