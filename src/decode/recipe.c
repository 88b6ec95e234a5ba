/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/recipe.h"

#include "decode/by_value.h"
#include "decode/call.h"

enum { RECIPE_BUDGET = 48 };

void recipe_describe(const struct insn *insn, struct access *access)
{
    const struct insn_memory *memory = &insn->memory[0];
    access->ip = insn->address;
    if (!insn->memory_count)
        return;
    access->size = memory->size;
    access->kind = memory->kind;
    access->locked = insn->locked;
    access->waits = insn->waits;
    access->base = memory->base;
    access->index = memory->index;
    access->displacement = (int32_t)memory->displacement;
}

static enum reason lost_reason(const struct insn *culprit, const struct trace_values *values)
{
    const struct insn_memory *memory = &culprit->memory[0];
    bool own = (memory->base != SREG_NONE && culprit->writes >> memory->base & 1) ||
               (memory->index != SREG_NONE && culprit->writes >> memory->index & 1);
    if (values->no_segment)
        return REASON_SEGMENT;
    if (values->no_register)
        return REASON_NO_REGISTERS;
    return own ? REASON_OVERWRITTEN : REASON_CLOBBERED;
}

/* One way's address; REASON_NONE or why not. */
static enum reason evaluate(const struct recipe_way *way, const struct decode_target *target,
                            struct calls *calls, const struct sample *sample, struct access *access)
{
    struct trace_values values = {.trace = &way->trace,
                                  .regs = sample->regs,
                                  .target = target,
                                  .missing = sample->regs_missing,
                                  .tid = sample->tid,
                                  .budget = RECIPE_BUDGET};
    uint64_t stack;
    if ((way->returned || way->entered) && trace_register(&values, SREG_SP, 0, &stack))
        return way->returned ? call_slot(stack - 8, ACCESS_LOAD, access)
                             : call_entry(&values, calls, stack, way->entry, access);
    if (!way->culprit)
        return way->reason;
    const struct insn_memory *memory = &way->culprit->memory[0];
    recipe_describe(way->culprit, access);
    if (memory->vector)
        return REASON_GATHER;
    if (trace_address(&values, memory, way->at, &access->address)) {
        access->how = values.reread   ? ACCESS_REREAD
                      : way->branched ? ACCESS_BRANCHED
                      : values.undone ? ACCESS_UNDONE
                                      : ACCESS_DIRECT;
        return REASON_NONE;
    }
    values.budget = RECIPE_BUDGET;
    /* p = p->next: what was loaded is the next iteration's base, the same field of a
     * neighbour. */
    if (way->loops && trace_address(&values, memory, way->at + 1u, &access->address)) {
        access->how = ACCESS_INFERRED;
        return REASON_NONE;
    }
    enum reason lost = lost_reason(way->culprit, &values);
    values.budget = RECIPE_BUDGET;
    if (lost == REASON_OVERWRITTEN && by_value(&values, way->at, &access->address)) {
        access->how = ACCESS_INFERRED;
        return REASON_NONE;
    }
    return lost;
}

static bool flags_known(const struct sample *sample)
{
    return !(sample->regs_missing >> SREG_FLAGS & 1);
}

static bool possible(const struct recipe_way *way, const struct sample *sample)
{
    return way->condition == INSN_CONDITION_NONE || !flags_known(sample) ||
           insn_condition_holds(way->condition, sample->regs[SREG_FLAGS]) == way->taken;
}

/* A loop going round, seen in the flags, is better evidence than mere possibility. */
static bool evident(const struct recipe_way *way)
{
    return way->back && way->condition != INSN_CONDITION_NONE && way->taken;
}

struct outcome {
    struct access access;
    enum reason reason;
    const struct recipe_way *way;
    int evidence;
    bool evident;
};

/*
 * Whether a load's register still holds what is at the address it would have read: 1 yes,
 * -1 no, 0 cannot be told. Tells apart ways that are otherwise equally possible.
 */
static int loaded_value_agrees(const struct outcome *outcome, const struct decode_target *target,
                               const struct sample *sample)
{
    const struct insn *load = outcome->way->culprit;
    const struct trace *trace = &outcome->way->trace;
    uint64_t value = 0;
    uint64_t mask;
    if (outcome->reason || !load || load->op != INSN_OP_LOAD || load->sign_extends ||
        !target->memory || !load->source_width || load->source_width > 8 ||
        sample->regs_missing >> load->dest & 1)
        return 0;
    for (size_t i = outcome->way->at + 1u; i < trace->count; i++)
        if (trace->insns[i]->writes >> load->dest & 1)
            return 0;
    if (!target->memory(target->context, outcome->access.address, &value, load->source_width))
        return target->constants_only ? 0 : -1;
    mask = load->source_width == 8 ? UINT64_MAX : (UINT64_C(1) << load->source_width * 8) - 1;
    return (value & mask) == sample->regs[load->dest] ? 1 : -1;
}

/* Several ways: those of one address are one; evidence decides between the rest. */
static const struct outcome *choose(const struct outcome *outcomes, size_t count)
{
    const struct outcome *best = &outcomes[0];
    bool tie = false;
    for (size_t i = 1; i < count; i++) {
        const struct outcome *other = &outcomes[i];
        bool same = other->reason == best->reason &&
                    (other->reason || other->access.address == best->access.address);
        if (same)
            continue;
        int better = (other->evidence - best->evidence) * 4 + (other->evident - best->evident) * 2 +
                     (other->way->back - best->way->back);
        tie = better == 0 || (tie && better < 0);
        if (better > 0)
            best = other;
    }
    return tie ? NULL : best;
}

/* Most recipes have but one way. */
static void apply_way(const struct recipe_way *way, const struct decode_target *target,
                      struct calls *calls, const struct sample *sample, struct access *access)
{
    access->reason = possible(way, sample) ? (uint8_t)evaluate(way, target, calls, sample, access)
                                           : (uint8_t)REASON_AMBIGUOUS;
}

static void apply_ways(const struct recipe *recipe, const struct decode_target *target,
                       struct calls *calls, const struct sample *sample, struct access *access)
{
    struct outcome outcomes[RECIPE_WAYS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < recipe->way_count; i++) {
        const struct recipe_way *way = &recipe->ways[i];
        if (!possible(way, sample))
            continue;
        struct outcome *outcome = &outcomes[count++];
        outcome->access = *access;
        outcome->way = way;
        outcome->reason = evaluate(way, target, calls, sample, &outcome->access);
        outcome->evidence = 0;
        outcome->evident = flags_known(sample) && evident(way);
        if (outcome->reason == REASON_NONE && target->mapped &&
            !target->mapped(target->context, outcome->access.address)) {
            outcome->reason = REASON_BAD_ADDRESS;
            outcome->evidence = -1;
        }
    }
    for (size_t i = 0; count > 1 && i < count; i++)
        if (!outcomes[i].reason)
            outcomes[i].evidence = loaded_value_agrees(&outcomes[i], target, sample);
    const struct outcome *chosen = count ? choose(outcomes, count) : NULL;
    if (chosen && !recipe->reason) {
        *access = chosen->access;
        access->reason = (uint8_t)chosen->reason;
    } else {
        access->reason = REASON_AMBIGUOUS;
    }
}

void recipe_apply_exact(const struct insn *insn, const struct decode_target *target,
                        const struct sample *sample, struct access *access)
{
    struct recipe_way way = {.culprit = insn, .condition = INSN_CONDITION_NONE};
    if (!recipe_may_miss(insn)) {
        access->reason = REASON_NO_MEMORY;
        return;
    }
    access->reason = (uint8_t)evaluate(&way, target, NULL, sample, access);
}

void recipe_apply(const struct recipe *recipe, const struct decode_target *target,
                  struct calls *calls, const struct sample *sample, struct access *access)
{
    if (recipe->at_ip && recipe->at_ip->repeats) {
        recipe_apply_exact(recipe->at_ip, target, sample, access);
    } else if (recipe->culprit) {
        const struct insn_memory *memory = &recipe->culprit->memory[0];
        recipe_describe(recipe->culprit, access);
        if (sample->regs_missing & insn_memory_uses(memory)) {
            access->reason = REASON_NO_REGISTERS;
            return;
        }
        access->address = (uint64_t)memory->displacement;
        if (memory->base != SREG_NONE)
            access->address += sample->regs[memory->base];
        if (memory->index != SREG_NONE)
            access->address += sample->regs[memory->index] * memory->scale;
        access->how = ACCESS_DIRECT;
    } else if (recipe->way_count == 1 && !recipe->reason) {
        apply_way(recipe->ways, target, calls, sample, access);
    } else if (recipe->ways) {
        apply_ways(recipe, target, calls, sample, access);
    } else {
        access->reason = recipe->reason;
    }
}
