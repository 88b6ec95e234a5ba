/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The candidates for the culprit of samples at one IP: the instructions, the path from each to the
 * IP, and how the address follows. Made once per IP.
 *
 * The counter and clock sources report the first instruction not yet retired, so the culprit is the
 * one that ran just before (doc/facts.md: 99 %). Choices made here:
 *  - A few instructions that touch no memory are walked over, for skid is sometimes longer.
 *  - Where the IP is the target of jumps, each of them is a possible path; a conditional jump must
 *    agree with the flags, which it does not change. Paths that the registers, flags or memory
 *    refute are out (trace_agrees()); a path that is frequent is no likelier than another. If the
 *    rest lead to different lines, the sample is ambiguous.
 *  - Behind a call the callee's return ran last: it read the return address below the stack
 *    pointer. At a function's or stub's first instruction the call did, which wrote it, or a stub,
 *    which read its slot; a call through memory waited for its target, if the pointer there now is
 *    that function: else a call boundary.
 *  - Time right after a system call is the kernel's: no memory access of the program.
 *  - A repeated string instruction is interrupted in its middle; the IP stays on it.
 *  - With two memory operands the one that is loaded and not the stack is the likelier.
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
 * How functions were seen to be entered. The return address shows it, but it is on a stack that
 * changes while it is read: often another call has written there since. Then the kind seen before
 * is used: a call through memory if its operand also leads there with the registers of now, a push
 * if no other kind was ever seen. Owned by the decoder.
 */
enum { CALLS_MAX = 4096 };

enum call_kind {
    CALL_NEVER,  /* not seen yet */
    CALL_PUSHES, /* direct, or by a register: it writes the return address */
    CALL_LOADS,  /* its target, or a stub does */
    CALL_VARIES
};

struct call_seen {
    uint64_t entry;
    uint64_t ip;               /* of the call that loads, seen last; 0: it goes through a stub */
    struct insn_memory memory; /* ... its operand, or the stub's */
    uint8_t kind;              /* enum call_kind */
};

struct calls {
    struct call_seen seen[CALLS_MAX]; /* by entry; what meets displaces */
};

/* The slot of an entry; where another entry has it, that one is replaced. */
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
    struct trace trace;         /* TRACE_MAX instructions at most */
    const struct insn *culprit; /* NULL: there is none this way, see reason */
    uint64_t entry;             /* of the function, when entered */
    uint8_t at;                 /* its place in the trace */
    uint8_t reason;             /* enum reason when culprit is NULL */
    uint8_t condition;          /* of the nearest jump, INSN_CONDITION_NONE */
    bool taken;                 /* whether that jump was taken */
    bool branched;              /* the way leads over a taken jump */
    bool returned;              /* a call returned here: the callee's return ran last */
    bool entered;               /* the function's first instruction: the call ran last */
    bool loops;                 /* the culprit is the only writer of its base in a loop around it */
};

struct culprits {
    uint64_t ip;
    struct candidate *candidates;
    const struct insn *at_ip; /* the instruction at the IP; NULL: no code */
    uint64_t last; /* the one that ran last if nothing jumped here; the IP: a call, a return, or a
                      repeated instruction did; 0: not known */
    uint8_t candidate_count;
    uint8_t reason;            /* no way at all: why */
    uint32_t bytes;            /* of the candidates, with their traces */
    struct function *function; /* that it points into; NULL: no code */
};

/* An instruction that itself reads or writes memory: not a prefetch. */
static inline bool culprit_may_miss(const struct insn *insn)
{
    return insn->memory_count && insn->memory[0].kind != ACCESS_PREFETCH;
}

/* 0 or -ENOMEM. The function must outlive the culprits. */
int culprits_init(struct culprits *culprits, struct function *function, uint64_t ip);
void culprits_fini(struct culprits *culprits);

/*
 * Where instructions of leaf functions went that were found while the function ran. Of a later
 * sample of the same call (the stack above it is the same) that is read when it has returned, the
 * same instruction's address is inferred from this one.
 */
enum { CULPRIT_LEAVES_MAX = 256 };
struct culprit_leaf {
    uint64_t call; /* thread, instruction and stack */
    uint64_t address;
};

/* Context in which candidates are evaluated. */
struct culprit_context {
    const struct decode_target *target;
    struct calls *calls;         /* NULL: none */
    struct culprit_leaf *leaves; /* CULPRIT_LEAVES_MAX, by `call`; NULL: none */
    struct across_code code;
};

/* Puts address, size, kind and how (or the reason) into the access. */
void culprits_apply(const struct culprits *culprits, const struct culprit_context *world,
                    const struct sample *sample, struct access *access);

/* The same where the instruction at the IP is known to be the culprit, its registers being those of
 * before. */
void culprit_apply_exact(const struct culprits *culprits, const struct culprit_context *world,
                         const struct sample *sample, struct access *access);

/* Size, kind and registers of an instruction's likeliest operand, and what it has by the code
 * around it; the address is known. */
void culprit_describe(const struct function *function, const struct insn *insn,
                      struct access *access);

#endif
