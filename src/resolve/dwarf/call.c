/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a call's result is assigned to, which MemSpy (section 5.2) names a heap bin after. The
 * result is in RAX (System V ABI AMD64, 3.2.3); it is followed until it is stored, or is in a
 * register that a variable is in.
 */
#include "decode/insn.h"
#include "resolve/dwarf/assignee.h"
#include "resolve/dwarf/program.h"

enum { STEPS_MAX = 48, FORKS_MAX = 3 };

/* Registers that a function keeps for its caller (System V ABI AMD64, figure 3.4). */
static const uint32_t kept_over_calls = 1u << SREG_BX | 1u << SREG_BP | 1u << SREG_R12 |
                                        1u << SREG_R13 | 1u << SREG_R14 | 1u << SREG_R15;

/* Where the result is: in registers, a mask, and in one place of the frame at most, which an
 * inlined wrapper's own variable has where nothing is optimised. */
struct results {
    uint32_t registers;
    uint8_t base; /* of the place; SREG_NONE: none */
    int64_t displacement;
};

struct follow {
    struct program *program;
    struct dwarf_answer *answer;
    const struct insn *insns;
    size_t count;
    unsigned steps;
};

static bool find_held(struct follow *follow, const struct insn *insn, uint32_t registers)
{
    for (uint8_t reg = 0; reg < SREG_COUNT; reg++)
        if (registers >> reg & 1 &&
            assignee_held(follow->program, insn->address, reg, follow->answer))
            return true;
    return false;
}

static bool is_place(const struct results *results, const struct insn *insn)
{
    const struct insn_memory *memory = &insn->memory[0];
    return insn->memory_count && results->base != SREG_NONE && memory->base == results->base &&
           memory->displacement == results->displacement && memory->index == SREG_NONE;
}

static void keep(struct results *results, const struct insn *insn)
{
    const struct insn_memory *memory = &insn->memory[0];
    if (memory->index != SREG_NONE || (memory->base != SREG_BP && memory->base != SREG_SP))
        return;
    results->base = memory->base;
    results->displacement = memory->displacement;
}

/* What an instruction does to where the result is. */
static void pass(const struct insn *insn, struct results *results)
{
    bool stores = insn->stored < SREG_COUNT && results->registers >> insn->stored & 1;
    bool copies = insn->op == INSN_OP_MOVE && insn->source < SREG_COUNT && insn->width == 8 &&
                  results->registers >> insn->source & 1;
    bool loads = insn->op == INSN_OP_LOAD && insn->width == 8 && is_place(results, insn);
    if (insn->flow == INSN_CALL) {
        results->registers &= kept_over_calls;
        return;
    }
    if (stores && insn->memory_count)
        keep(results, insn);
    results->registers &= ~insn->writes;
    if ((copies || loads) && insn->dest < SREG_COUNT)
        results->registers |= 1u << insn->dest;
}

static size_t index_of(const struct follow *follow, uint64_t address)
{
    size_t low = 0;
    for (size_t high = follow->count; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (follow->insns[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < follow->count && follow->insns[low].address == address ? low : follow->count;
}

/* Past a jump over a failure, or into it: one of the two ways leads to the assignment. */
static bool go(struct follow *follow, size_t at, struct results results, unsigned forks)
{
    while (at < follow->count && (results.registers || results.base != SREG_NONE) &&
           follow->steps++ < STEPS_MAX) {
        const struct insn *insn = &follow->insns[at];
        bool stores = insn->stored < SREG_COUNT && results.registers >> insn->stored & 1;
        if (find_held(follow, insn, results.registers) ||
            (stores && assignee_stored(follow->program, insn, follow->answer)))
            return true;
        if (insn->flow == INSN_RETURN || insn->flow == INSN_STOP)
            return false;
        pass(insn, &results);
        if (insn->flow == INSN_CONDITIONAL && insn->target && forks < FORKS_MAX &&
            go(follow, at + 1, results, forks + 1))
            return true;
        at = insn->target && insn->flow != INSN_CALL ? index_of(follow, insn->target) : at + 1;
    }
    return false;
}

void call_answer(struct program *program, struct dwarf_answer *answer)
{
    struct follow follow = {.program = program, .answer = answer};
    uint64_t start;
    uint64_t end;
    answer->untyped = UNTYPED_NO_VARIABLE;
    if (!program_function(program, answer->question.pc - 1, &start, &end) ||
        !program_insns(program, start, &follow.insns, &follow.count)) {
        answer->untyped = UNTYPED_NO_CODE;
        return;
    }
    struct results results = {.registers = 1u << SREG_AX, .base = SREG_NONE};
    go(&follow, index_of(&follow, answer->question.pc), results, 0);
}
