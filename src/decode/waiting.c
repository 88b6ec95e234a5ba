/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/waiting.h"

enum { LOOP_MAX = 24, KEPT_LOOP_MAX = 256, PAUSE_BYTES = 2 };

static bool is_jump(const struct insn *insn)
{
    return insn->flow == INSN_JUMP || insn->flow == INSN_CONDITIONAL;
}

static bool is_compare(const struct insn *insn)
{
    return !insn->writes && insn->changes_flags;
}

/* i++, n--, a mask: with a constant. */
static bool counts(const struct insn *insn)
{
    return (insn->op == INSN_OP_ADD || insn->op == INSN_OP_SUB || insn->op == INSN_OP_AND) &&
           insn->source == SREG_NONE;
}

/* Sums in floating point write no register that is followed, but are longer than a pause. */
static bool does_nothing(const struct insn *insn)
{
    return insn->is_nop || (!insn->writes && !insn->changes_flags && insn->length <= PAUSE_BYTES);
}

static bool may_wait(const struct insn *insn)
{
    if (is_jump(insn))
        return !insn->memory_count;
    if (insn->flow != INSN_PLAIN || insn->repeats || insn->string_step || insn->stack_step ||
        insn->locked || insn->vague != INSN_VAGUE_NONE || insn->memory_count > 1)
        return false;
    if (insn->memory_count)
        return insn->memory[0].kind == ACCESS_LOAD && !insn->memory[0].vector &&
               (insn->op == INSN_OP_LOAD || is_compare(insn));
    return insn->op == INSN_OP_MOVE || counts(insn) || is_compare(insn) || does_nothing(insn);
}

static uint32_t written(const struct insn *insns, size_t count)
{
    uint32_t writes = 0;
    for (size_t i = 0; i < count; i++)
        writes |= insns[i].writes;
    return writes;
}

/* What the loop writes but does not load anew from one place. */
static uint32_t varying(const struct insn *insns, size_t count)
{
    uint32_t all = written(insns, count);
    uint32_t vary = 0;
    for (size_t i = 0; i < count; i++)
        if (!insns[i].memory_count || insn_memory_uses(&insns[i].memory[0]) & all)
            vary |= insns[i].writes;
    return vary;
}

static bool is_waiting(const struct insn *insns, size_t count)
{
    uint32_t vary = varying(insns, count);
    bool looks = false;
    bool leaves = false;
    for (size_t i = 0; i < count; i++) {
        const struct insn *insn = &insns[i];
        if (!may_wait(insn) || (i && insn[-1].address + insn[-1].length != insn->address) ||
            (insn->memory_count && insn_memory_uses(&insn->memory[0]) & vary))
            return false;
        looks |= insn->memory_count > 0;
        leaves |= insn->flow == INSN_CONDITIONAL;
    }
    return looks && leaves;
}

void waiting_mark(struct insn *insns, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t head = i;
        if (!is_jump(&insns[i]) || !insns[i].target || insns[i].target > insns[i].address)
            continue;
        while (head > 0 && i - head < LOOP_MAX && insns[head].address > insns[i].target)
            head--;
        if (insns[head].address != insns[i].target || !is_waiting(&insns[head], i - head + 1))
            continue;
        for (; head < i; head++)
            insns[head].waits = insns[head].memory_count > 0;
    }
}

static bool is_slot(const struct insn *insn)
{
    return insn->memory_count && insn->memory[0].index == SREG_NONE &&
           (insn->memory[0].base == SREG_SP || insn->memory[0].base == SREG_BP);
}

void waiting_mark_kept(struct insn *insns, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool calls = false;
        size_t head = i;
        if (!is_jump(&insns[i]) || !insns[i].target || insns[i].target > insns[i].address)
            continue;
        while (head > 0 && i - head < KEPT_LOOP_MAX && insns[head].address > insns[i].target) {
            head--;
            calls |= insns[head].flow == INSN_CALL;
        }
        if (insns[head].address != insns[i].target)
            continue;
        for (; calls && head < i; head++)
            insns[head].kept |= is_slot(&insns[head]);
    }
}
