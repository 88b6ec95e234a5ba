/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/recipe.h"

#include "decode/by_value.h"
#include "decode/call.h"

#include <string.h>

enum { RECIPE_BUDGET = 48, ACROSS_BUDGET = 200 };

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
    access->kept = insn->kept;
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

/* p = p->next: what was loaded is the next iteration's base, the same field of a neighbour. And a
 * table's element by its value. */
static enum reason infer(const struct recipe_way *way, struct trace_values *values,
                         const struct recipe_world *world, struct access *access)
{
    struct across wider;
    const struct insn_memory *memory = &way->culprit->memory[0];
    values->budget = RECIPE_BUDGET;
    access->how = ACCESS_INFERRED;
    if (way->loops && trace_address(values, memory, way->at + 1u, &access->address))
        return REASON_NONE;
    enum reason lost = lost_reason(way->culprit, values);
    values->budget = RECIPE_BUDGET;
    if (lost != REASON_NO_REGISTERS && world->code.find &&
        across(&wider, &world->code, values, way->at)) {
        struct trace_values more = *values;
        more.trace = &wider.trace;
        more.returned = true;
        more.budget = ACROSS_BUDGET;
        if (trace_address(&more, memory, wider.at, &access->address))
            return REASON_NONE;
    }
    values->budget = RECIPE_BUDGET;
    if (lost == REASON_OVERWRITTEN && by_value(values, way->at, &access->address))
        return REASON_NONE;
    access->how = ACCESS_RECORDED;
    return lost;
}

/* The load that the indices came from, as far as the trace goes; NULL: they were computed. */
static const struct insn *index_load(const struct recipe_way *way, size_t *at)
{
    const struct insn_memory *memory = &way->culprit->memory[0];
    for (size_t i = way->at; i > 0; i--) {
        const struct insn *insn = way->insns[i - 1];
        if (insn->vector_dest != memory->vector_index)
            continue;
        bool fits = insn->vector_load == INSN_VECTOR_COPY || insn->width == memory->index_bytes;
        *at = i - 1;
        return insn->vector_load && insn->memory_count && fits ? insn : NULL;
    }
    return NULL;
}

/* Each lane as often as the others. */
static unsigned lane_of(const struct sample *sample, unsigned lanes)
{
    uint64_t mixed = (sample->time_ns ^ sample->tid) * UINT64_C(0x9e3779b97f4a7c15);
    return (unsigned)((mixed >> 32) % lanes);
}

static bool is_mapped(const struct decode_target *target, uint64_t address)
{
    return !target->mapped || target->mapped(target->context, address);
}

/*
 * Vector registers are not in the sample. Where the indices were loaded from memory they are read
 * again, and one lane stands for all; else the base tells the object if it points into one.
 */
static enum reason gather(const struct recipe_way *way, struct trace_values *values,
                          const struct sample *sample, struct access *access)
{
    struct insn_memory base = way->culprit->memory[0];
    size_t at;
    uint64_t where;
    uint64_t index = 0;
    const struct insn *load = index_load(way, &at);
    base.vector = false;
    if (!trace_address(values, &base, way->at, &access->address))
        return REASON_GATHER;
    unsigned bytes =
        load && load->vector_load != INSN_VECTOR_COPY ? load->vector_load : base.index_bytes;
    bool sign = !load || load->vector_load == INSN_VECTOR_COPY || load->sign_extends;
    unsigned lane = lane_of(sample, base.lanes);
    if (load && trace_address(values, &load->memory[0], at, &where) &&
        trace_memory(values, where + lane * bytes, &index, bytes)) {
        uint64_t top = UINT64_C(1) << (bytes * 8 - 1);
        index = sign && index & top && bytes < 8 ? index | ~((top << 1) - 1) : index;
        uint64_t address = access->address + index * base.scale;
        if (is_mapped(values->target, address)) {
            access->address = address;
            access->how = ACCESS_LANE;
            return REASON_NONE;
        }
    }
    access->how = ACCESS_OBJECT;
    return base.base != SREG_NONE && is_mapped(values->target, access->address) ? REASON_NONE
                                                                                : REASON_GATHER;
}

/* Thread, instruction and all of the stack that was recorded. Not 0. */
static uint64_t call_of(const struct sample *sample, const struct access *access)
{
    uint64_t hash = access->ip * 31 + sample->tid;
    for (uint32_t at = 0; at + sizeof(uint64_t) <= sample->stack_bytes; at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, sample->stack + at, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return (hash ^ sample->regs[SREG_SP]) | 1;
}

static void recall_leaf(const struct recipe_world *world, const struct sample *sample,
                        struct access *access, enum reason *reason)
{
    uint64_t call = call_of(sample, access);
    struct recipe_leaf *leaf = &world->leaves[(call >> 8) % RECIPE_LEAVES_MAX];
    if (*reason == REASON_NONE) {
        *leaf = (struct recipe_leaf){call, access->address};
    } else if (leaf->call == call) {
        access->address = leaf->address;
        access->how = ACCESS_INFERRED;
        *reason = REASON_NONE;
    }
}

/* One way's address; REASON_NONE or why not. */
static enum reason evaluate(const struct recipe_way *way, const struct recipe_world *world,
                            const struct sample *sample, struct access *access)
{
    const struct trace trace = {.insns = way->insns, .written = way->written, .count = way->count};
    struct trace_values values = {.trace = &trace,
                                  .regs = sample->regs,
                                  .target = world->target,
                                  .missing = sample->regs_missing,
                                  .tid = sample->tid,
                                  .stack = sample->stack,
                                  .stack_bytes = sample->stack_bytes,
                                  .budget = RECIPE_BUDGET};
    uint64_t stack;
    if ((way->returned || way->entered) && trace_register(&values, SREG_SP, 0, &stack))
        return way->returned ? call_slot(stack - 8, ACCESS_LOAD, access)
                             : call_entry(&values, world->calls, stack, way->entry, access);
    if (!way->culprit)
        return way->reason;
    const struct insn_memory *memory = &way->culprit->memory[0];
    recipe_describe(way->culprit, access);
    if (memory->vector)
        return gather(way, &values, sample, access);
    enum reason reason = REASON_NONE;
    if (trace_address(&values, memory, way->at, &access->address))
        access->how = values.inferred ? ACCESS_INFERRED
                      : values.reread ? ACCESS_REREAD
                      : way->branched ? ACCESS_BRANCHED
                      : values.undone ? ACCESS_UNDONE
                                      : ACCESS_DIRECT;
    else
        reason = infer(way, &values, world, access);
    access->of_leaf = values.leaf;
    if (values.leaf && world->leaves)
        recall_leaf(world, sample, access, &reason);
    return reason;
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
    const struct recipe_way *way = outcome->way;
    uint64_t value = 0;
    uint64_t mask;
    if (outcome->reason || !load || load->op != INSN_OP_LOAD || load->sign_extends ||
        !target->memory || !load->source_width || load->source_width > 8 ||
        sample->regs_missing >> load->dest & 1)
        return 0;
    for (size_t i = way->at + 1u; i < way->count; i++)
        if (way->insns[i]->writes >> load->dest & 1)
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
static void apply_way(const struct recipe_way *way, const struct recipe_world *world,
                      const struct sample *sample, struct access *access)
{
    access->reason = possible(way, sample) ? (uint8_t)evaluate(way, world, sample, access)
                                           : (uint8_t)REASON_AMBIGUOUS;
}

static void apply_ways(const struct recipe *recipe, const struct recipe_world *world,
                       const struct sample *sample, struct access *access)
{
    const struct decode_target *target = world->target;
    struct outcome outcomes[RECIPE_WAYS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < recipe->way_count; i++) {
        const struct recipe_way *way = &recipe->ways[i];
        if (!possible(way, sample))
            continue;
        struct outcome *outcome = &outcomes[count++];
        outcome->access = *access;
        outcome->way = way;
        outcome->reason = evaluate(way, world, sample, &outcome->access);
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

void recipe_apply_exact(const struct insn *insn, const struct recipe_world *world,
                        const struct sample *sample, struct access *access)
{
    struct recipe_way way = {.culprit = insn, .condition = INSN_CONDITION_NONE};
    if (!recipe_may_miss(insn)) {
        access->reason = REASON_NO_MEMORY;
        return;
    }
    const struct recipe_world alone = {.target = world->target};
    access->reason = (uint8_t)evaluate(&way, &alone, sample, access);
}

void recipe_apply(const struct recipe *recipe, const struct recipe_world *world,
                  const struct sample *sample, struct access *access)
{
    if (recipe->at_ip && recipe->at_ip->repeats) {
        recipe_apply_exact(recipe->at_ip, world, sample, access);
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
        apply_way(recipe->ways, world, sample, access);
    } else if (recipe->ways) {
        apply_ways(recipe, world, sample, access);
    } else {
        access->reason = recipe->reason;
    }
}
