/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What to do with samples at one IP: which instructions may be the culprit, by which way the
 * program came from each, and how the address follows. Made once per IP.
 *
 * The counter and clock sources report the first instruction not yet retired, so the culprit
 * is the one that ran just before (doc/facts.md: 99 %). Choices made here:
 *  - A few instructions that touch no memory are walked over, for skid is sometimes longer.
 *  - Where the IP is the target of jumps, each of them is a way to have come; a conditional
 *    jump must agree with the flags, which it does not change. Of several that remain, a
 *    jump back whose condition holds is a loop going round and wins over falling in; if that
 *    leaves two ways with different addresses, the sample is ambiguous.
 *  - Behind a call the callee's return ran last: it read the return address below the stack
 *    pointer. At a function's first instruction the call did, which wrote it, or a stub, which
 *    read its slot; a call through memory waited for its target, where what stands there now is
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
 * How functions were seen to be entered. The return address tells, but it stands on a stack that
 * goes on while it is read: often another call has written there since. Then the way seen before
 * is taken: a call through memory if its operand leads there with the registers of now too, a
 * push if nothing else was ever seen. Owned by the decoder; for culprit.c.
 */
enum { CALLS_MAX = 4096 };

enum call_way {
    CALL_NEVER,  /* not seen yet */
    CALL_PUSHES, /* direct, or by a register: it writes the return address */
    CALL_LOADS,  /* its target, or a stub does */
    CALL_VARIES
};

struct call_seen {
    uint64_t entry;
    uint64_t ip;               /* of the call that loads, seen last; 0: it goes through a stub */
    struct insn_memory memory; /* ... its operand, or the stub's */
    uint8_t way;               /* enum call_way */
};

struct calls {
    struct call_seen seen[CALLS_MAX]; /* by entry; what meets displaces */
};

/* What is known of an entry; it may be of another, whose place this then takes. */
static inline struct call_seen *calls_at(struct calls *calls, uint64_t entry)
{
    struct call_seen *seen = &calls->seen[(entry >> 2) % CALLS_MAX];
    if (seen->entry != entry)
        *seen = (struct call_seen){.entry = entry};
    return seen;
}

static inline void call_noted(struct call_seen *seen, enum call_way way)
{
    seen->way =
        seen->way == CALL_NEVER || seen->way == (uint8_t)way ? (uint8_t)way : (uint8_t)CALL_VARIES;
}

enum { RECIPE_WAYS_MAX = 4 };

struct recipe_way {
    const struct insn *insns[TRACE_MAX]; /* the trace */
    uint32_t written[TRACE_MAX + 1];
    uint8_t count;
    const struct insn *culprit; /* NULL: there is none this way, see reason */
    uint64_t entry;             /* of the function, when entered */
    uint8_t at;                 /* its place in the trace */
    uint8_t reason;             /* enum reason when culprit is NULL */
    uint8_t condition;          /* of the nearest jump, INSN_CONDITION_NONE */
    bool taken;                 /* whether that jump was taken */
    bool branched;              /* the way leads over a taken jump */
    bool back;                  /* that jump goes back: a loop */
    bool returned;              /* a call returned here: what ran last is the callee's return */
    bool entered;               /* the function's first instruction: what ran last is the call */
    bool loops;                 /* the culprit is the only writer of its base in a loop around it */
};

struct recipe {
    uint64_t ip;
    struct recipe_way *ways;    /* NULL in the fast case */
    const struct insn *culprit; /* of the fast case: one way, registers untouched */
    const struct insn *at_ip;   /* the instruction at the IP; NULL: no code */
    uint64_t last; /* the one that ran last if nothing jumped here; the IP: a call, a return, or a
                      repeated instruction did; 0: not known */
    uint8_t way_count;
    uint8_t reason; /* no way at all: why */
};

/* An instruction that reads or writes memory on its own account: not a prefetch. */
static inline bool recipe_may_miss(const struct insn *insn)
{
    return insn->memory_count && insn->memory[0].kind != ACCESS_PREFETCH;
}

/* 0 or -ENOMEM. The function must outlive the recipe. */
int recipe_init(struct recipe *recipe, const struct function *function, uint64_t ip);
void recipe_fini(struct recipe *recipe);

/*
 * Where instructions of leaf functions went that were found while the function ran. Of a later
 * sample of the same call (the stack above it is the same) that is read when it has returned, the
 * same instruction's address is inferred from this one.
 */
enum { RECIPE_LEAVES_MAX = 256 };
struct recipe_leaf {
    uint64_t call; /* thread, instruction and stack */
    uint64_t address;
};

/* What a recipe is applied with. */
struct recipe_world {
    const struct decode_target *target;
    struct calls *calls;        /* NULL: none */
    struct recipe_leaf *leaves; /* RECIPE_LEAVES_MAX, by `call`; NULL: none */
    struct across_code code;
};

/* Puts address, size, kind and how (or the reason) into the access. */
void recipe_apply(const struct recipe *recipe, const struct recipe_world *world,
                  const struct sample *sample, struct access *access);

/* The same for an instruction known to be the culprit, its registers being those of before. */
void recipe_apply_exact(const struct insn *insn, const struct recipe_world *world,
                        const struct sample *sample, struct access *access);

/* Size, kind and registers of an instruction's likeliest operand; the address is known. */
void recipe_describe(const struct insn *insn, struct access *access);

#endif
