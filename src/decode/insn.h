/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One instruction, reduced to what finding an address needs: its memory operands, which general
 * registers it changes, and for the common ones how. Every x86-64 encoding is decoded here, from
 * its bytes; tests/unit/decode/test_operands compares the result with an independent disassembler.
 */
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
    INSN_STOP /* hlt, ud2, int3: nothing follows */
};

/* Effect on the destination register. */
enum insn_op {
    INSN_OP_NONE, /* changes registers in a way that is not followed */
    INSN_OP_MOVE, /* dest = source */
    INSN_OP_LOAD, /* dest = memory operand, zero- or sign-extended */
    INSN_OP_LEA,  /* dest = address of the memory operand */
    INSN_OP_ADD,  /* dest = dest op source, from here on */
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
    INSN_OP_EXCHANGE /* dest and source trade values */
};

/* Reported of an operation that is not followed (op is NONE): enough for the object that its result
 * points into, not for its value. `dest` and `source` (SREG_NONE: memory[0]) are set. */
enum insn_vague {
    INSN_VAGUE_NONE,
    INSN_VAGUE_CHOOSE, /* cmov: dest stays or becomes the source */
    INSN_VAGUE_ADD,    /* with a memory source */
    INSN_VAGUE_SUB
};

/* Operation of a comparison on its operands; it changes flags alone. */
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
    uint8_t lanes;        /* of a vector index */
    uint8_t vector_index; /* number of the vector register, SREG_NONE */
    uint8_t scale : 4;
    uint8_t index_bytes : 4; /* of one of the indices of a vector */
    uint8_t segment : 2;     /* 0 none, 1 fs, 2 gs */
    uint8_t kind : 4;        /* enum access_kind */
    bool narrow : 1;         /* 32-bit addressing */
    bool vector : 1; /* vector index: gather, scatter; one access a lane, `size` bytes each */
};

/* Bits of the registers that the address is made of. */
static inline uint32_t insn_memory_uses(const struct insn_memory *memory)
{
    return (memory->base != SREG_NONE ? 1u << memory->base : 0) |
           (memory->index != SREG_NONE ? 1u << memory->index : 0);
}

enum { INSN_VECTOR_COPY = 16 };
enum { INSN_MEMORY_MAX = 2, INSN_CONDITION_NONE = 0xff };

/* How a loop moves an operand: its register begins at `from` and counts. (function.c) */
struct insn_step {
    uint8_t bytes; /* each time round, 1 to 32; 0: not so */
    uint8_t scale; /* of the register in the operand */
    uint8_t reg;
    uint8_t from; /* register that holds the beginning, which does not change; SREG_NONE: 0 */
    bool moved;   /* before the access */
};

struct insn {
    uint64_t address;
    uint64_t target;                            /* of a direct jump or call; 0: not known */
    int64_t immediate;                          /* source when source is SREG_NONE */
    struct insn_memory memory[INSN_MEMORY_MAX]; /* the likelier culprit first */
    uint32_t writes;                            /* mask of enum sample_register, whole registers */
    int16_t stack_step; /* the instruction's own change of RSP: push, pop, call */
    uint8_t memory_count;
    uint8_t length;
    uint8_t flow;             /* enum insn_flow */
    uint8_t condition;        /* low 4 bits of the jcc opcode, INSN_CONDITION_NONE */
    uint8_t op;               /* enum insn_op */
    uint8_t narrow_op;        /* the same of one or two bytes of a register, where `op` is none */
    uint8_t dest;             /* SREG_NONE: none; of an indirect call or jump, what it goes by */
    uint8_t source;           /* SREG_NONE: the immediate */
    uint8_t width : 4;        /* bytes of the operation: 1, 2, 4, 8 */
    uint8_t source_width : 4; /* of a MOVE or LOAD that extends */
    uint8_t vague : 2;        /* enum insn_vague */
    uint8_t compares : 2;     /* enum insn_compare, */
    uint8_t compared : 4;     /* ... bytes of its operands, */
    uint8_t left;             /* ... the first, SREG_NONE: memory[0], */
    uint8_t right;  /* ... and the second, SREG_NONE: memory[0] if `left` is not, or immediate */
    uint8_t stored; /* register that mov or push copies to memory, 4 or 8 bytes; SREG_NONE:
                             none */
    uint8_t vector_dest; /* number of the vector register that it may write, SREG_NONE */
    uint8_t
        vector_load; /* how it is loaded: 0 not simply, INSN_VECTOR_COPY as it is in memory, else
                        from elements of so many bytes, sign- or zero-extended to `width` */
    uint8_t string_step; /* bytes that a string instruction advances RSI and RDI by */
    /* Loads before it in the same straight code, from the same registers: 1 + bytes from the last
     * byte of the nearest one below, and to the first of the nearest above; 0: none */
    uint8_t loaded_below;
    uint8_t loaded_above;
    struct insn_step step;
    bool sign_extends : 1;
    bool locked : 1; /* atomic: lock prefix, or xchg with memory */
    bool changes_flags : 1;
    bool repeats : 1;   /* rep string instruction: interruptible, IP stays on it */
    bool is_nop : 1;    /* of any length: perhaps padding that is never run */
    bool evicts : 1;    /* takes a line out of the caches: a flush, a non-temporal store */
    bool is_target : 1; /* some jump of the function leads here */
    bool waits : 1;     /* in a loop that only waits for another thread's store (function.c) */
    bool kept : 1;      /* accesses a slot of the frame in a loop that calls (function.c) */
    bool in_loop : 1;   /* the next three are of the innermost loop around it */
    bool chases : 1;    /* its address comes from a load of the loop around it (function.c) */
    bool follows : 1;   /* a store to what its loop loads (function.c) */
    bool rewritten : 1; /* accesses a slot of the frame that its loop stores to (function.c) */
    bool decoded : 1;
    bool described : 1; /* the code around it has been looked at, too (function_describe()) */
};

/* All that the rest of its function needs of an instruction. */
struct insn_outline {
    uint64_t target; /* of a direct jump or call; 0: not known */
    uint32_t at;     /* bytes from the function's start */
    uint8_t length;
    uint8_t flow;      /* enum insn_flow */
    uint8_t condition; /* low 4 bits of the jcc opcode, INSN_CONDITION_NONE */
    bool is_nop : 1;
    bool is_target : 1; /* some jump of the function leads here */
    bool flushes : 1;   /* clflush, clflushopt, clwb, cldemote */
};

/* Fills `out` from the instruction at the start of the bytes; false: they are none, or too few. */
bool insn_decode(struct insn *out, uint64_t address, const uint8_t *bytes, size_t size);

/* The same, the outline only; `at` is the caller's. */
bool insn_outline(struct insn_outline *out, uint64_t address, const uint8_t *bytes, size_t size);

/* The flags (RFLAGS_RESULT) that a comparison of these values leaves. */
#define RFLAGS_RESULT UINT64_C(0x8c5) /* carry, parity, zero, sign, overflow */
#define RFLAGS_VALUE  UINT64_C(0xc4)  /* parity, zero, sign: those of the result alone */
uint64_t insn_compare_flags(enum insn_compare compares, uint64_t left, uint64_t right,
                            uint8_t bytes);

/* Whether the condition of a jcc holds in RFLAGS (Intel SDM vol. 1, appendix B). */
bool insn_condition_holds(uint8_t condition, uint64_t flags);

#endif
