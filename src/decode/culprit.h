/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The candidates for the culprit of samples at one IP: the instruction, the path from it to the IP,
 * and how its address is found. Built once per IP.
 *
 * The counter and clock sources report the first instruction not yet retired, so the culprit is the
 * one that ran just before (doc/facts.md: 99 %). Rules:
 *  - Skips a few instructions that access no memory, because the skid is sometimes longer.
 *  - If the IP is the target of jumps, each of them is a possible path. A conditional jump must
 *    agree with the flags, which it does not change. Paths that contradict the registers, flags or
 *    memory are dropped (trace_agrees()); a frequent path is no likelier than another. If the
 *    remaining paths lead to different lines, the sample is ambiguous.
 *  - After a call, the return of the callee ran last: it read the return address below the stack
 *    pointer. At the first instruction of a function or stub, the call ran last, which wrote the
 *    return address, or a stub, which read its slot. A call through memory waited for its target if
 *    the pointer there still leads to that function; otherwise the sample is at a call boundary.
 *  - Time right after a system call is the kernel's, not a memory access of the program.
 *  - A repeated string instruction is interrupted in the middle; the IP stays on it.
 *  - With two memory operands, the likelier one is loaded and is not on the stack.
 */
#ifndef MISSTOP_DECODE_CULPRIT_H
#define MISSTOP_DECODE_CULPRIT_H

#include <stdbool.h>
#include <stdint.h>

#include "access.h"
#include "decode/function.h"
#include "decode/insn.h"
#include "decode/trace.h"

/*
 * The ways in which functions were entered so far. The return address shows the kind of call, but
 * the stack changes while it is read: often another call has overwritten it. Then the kind seen
 * before is used: a call through memory if its operand, with the current registers, also leads to
 * the function; a push if no other kind has been seen. Owned by the decoder.
 */
enum { CALLS_MAX = 4096 };

enum call_kind {
    CALL_NEVER,  /* not seen yet */
    CALL_PUSHES, /* direct, or through a register: it writes the return address */
    CALL_LOADS,  /* it, or a stub, loads the target */
    CALL_VARIES
};

struct call_seen {
    uint64_t entry;
    uint64_t ip;               /* last IP of such a load; 0: a stub */
    struct insn_memory memory; /* its operand, or the stub's */
    uint8_t kind;              /* enum call_kind */
};

struct calls {
    struct call_seen seen[CALLS_MAX]; /* by entry; a collision replaces */
};

/* Returns the slot of an entry; replaces another entry in the slot. */
static inline struct call_seen *calls_at(struct calls *calls, uint64_t entry)
{
    struct call_seen *seen = &calls->seen[(entry >> 2) % CALLS_MAX];
    if (seen->entry != entry)
        *seen = (struct call_seen){.entry = entry};
    return seen;
}

static inline void call_noted(struct call_seen *seen, enum call_kind kind)
{
    seen->kind = seen->kind == CALL_NEVER || seen->kind == (uint8_t)kind ? (uint8_t)kind
                                                                         : (uint8_t)CALL_VARIES;
}

enum { CULPRIT_CANDIDATES_MAX = 16 };

struct candidate {
    struct trace trace;         /* at most TRACE_MAX instructions */
    const struct insn *culprit; /* NULL: none on this path, see reason */
    uint64_t entry;             /* entry of the function, if `is_at_entry` */
    uint8_t culprit_index;      /* index of the culprit in the trace */
    uint8_t reason;             /* enum reason if culprit is NULL */
    uint8_t condition;          /* of the nearest conditional jump, or INSN_CONDITION_NONE */
    bool taken;                 /* that jump was taken */
    bool branched;              /* the path includes a taken jump */
    bool is_after_call;         /* a call returned here: the callee's return ran last */
    bool is_at_entry;           /* the function's first instruction: the call ran last */
    bool is_only_writer;        /* the culprit is the only writer of its base in a loop around it */
};

struct culprits {
    uint64_t ip;
    struct candidate *candidates;
    const struct insn *at_ip; /* the instruction at the IP; NULL: no code */
    /* The instruction that ran last if nothing jumped here; the IP itself after a call, a return or
     * a repeated instruction; 0: not known. */
    uint64_t ran_last;
    uint8_t candidate_count;
    uint8_t reason;            /* why there is no path at all */
    uint32_t bytes;            /* of the candidates with their traces */
    struct function *function; /* function of the instructions; NULL: no code */
};

/* Returns true if an instruction reads or writes memory itself, except for a prefetch. */
static inline bool culprit_may_miss(const struct insn *insn)
{
    return insn->memory_count && insn->memory[0].kind != ACCESS_PREFETCH;
}

/* Finds the candidates. Returns 0 or -ENOMEM. The function must outlive the culprits. */
int culprits_init(struct culprits *culprits, struct function *function, uint64_t ip);
void culprits_fini(struct culprits *culprits);

/* Addresses of instructions of leaf functions, found while the function ran. A later sample of the
 * same call may be read after the return; its address is inferred from the earlier one. */
enum { CULPRIT_LEAVES_MAX = 256 };
struct culprit_leaf {
    uint64_t call; /* thread, instruction and stack */
    uint64_t address;
};

struct culprit_context {
    const struct decode_target *target;
    struct calls *calls;         /* NULL: none */
    struct culprit_leaf *leaves; /* CULPRIT_LEAVES_MAX, by `call`; NULL: none */
    struct call_trace_code code;
};

/* Sets address, size, kind and how (or the reason) in the access. */
void culprits_apply(const struct culprits *culprits, const struct culprit_context *world,
                    const struct sample *sample, struct access *access);

/* Does the same if the instruction at the IP is the culprit, with registers from before it. */
void culprit_apply_exact(const struct culprits *culprits, const struct culprit_context *world,
                         const struct sample *sample, struct access *access);

/* Sets size, kind and registers of the likeliest operand, and what the surrounding code shows. */
void culprit_describe(const struct function *function, const struct insn *insn,
                      struct access *access);

#endif
