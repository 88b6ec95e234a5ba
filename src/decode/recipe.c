/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/recipe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    RECIPE_STEPS_MAX = 8,    /* instructions walked over before giving up */
    RECIPE_CROSSINGS_MAX = 2,/* block boundaries crossed on one way */
    RECIPE_PREFIX_MAX = 24,  /* instructions before the culprit kept for slices */
    RECIPE_LOOP_BYTES = 512,
    RECIPE_BUDGET = 48
};

/* A way being walked: instructions newest first. */
struct walk {
    const struct insn *steps[RECIPE_STEPS_MAX + 1];
    size_t count;
    size_t crossings;
    uint8_t condition;
    bool taken;
    bool branched;
    bool back;
};

struct search {
    const struct function *function;
    struct recipe_way ways[RECIPE_WAYS_MAX];
    size_t count;
    bool overflow;
};

static bool is_culprit(const struct insn *insn)
{
    return insn->memory_count && insn->memory[0].kind != ACCESS_PREFETCH;
}

static bool adjacent(const struct function *function, size_t index)
{
    const struct insn *before = &function->insns[index - 1];
    return before->address + before->length == function->insns[index].address;
}

/* Instructions in a straight line before the culprit, for recomputing its registers. */
static size_t add_prefix(const struct function *function, size_t culprit, struct trace *trace)
{
    size_t first = culprit;
    while (first > 0 && culprit - first < RECIPE_PREFIX_MAX && !function->insns[first].is_target &&
           adjacent(function, first) && (function->insns[first - 1].flow == INSN_PLAIN ||
                                         function->insns[first - 1].flow == INSN_CONDITIONAL))
        first--;
    for (size_t i = first; i < culprit; i++)
        trace->insns[trace->count++] = &function->insns[i];
    return trace->count;
}

/* Whether a jump back encloses the culprit and nothing else in the loop writes its base. */
static bool in_own_loop(const struct function *function, size_t culprit)
{
    const struct insn *load = &function->insns[culprit];
    uint8_t base = load->memory[0].base;
    if (load->op != INSN_OP_LOAD || load->dest != base || base == SREG_NONE)
        return false;
    for (size_t i = culprit; i < function->count; i++) {
        const struct insn *insn = &function->insns[i];
        if (insn->address - load->address > RECIPE_LOOP_BYTES)
            return false;
        if (i > culprit && insn->writes >> base & 1)
            return false;
        bool jump = insn->flow == INSN_CONDITIONAL || insn->flow == INSN_JUMP;
        if (!jump || !insn->target || insn->target > load->address)
            continue;
        size_t head = function_index(function, insn->target);
        for (size_t j = head; j < culprit; j++)
            if (function->insns[j].writes >> base & 1)
                return false;
        return head != SIZE_MAX;
    }
    return false;
}

static void finish(struct search *search, const struct walk *walk, size_t culprit,
                   enum reason reason)
{
    if (search->count == RECIPE_WAYS_MAX) {
        search->overflow = true;
        return;
    }
    struct recipe_way *way = &search->ways[search->count++];
    *way = (struct recipe_way){.condition = walk->condition, .taken = walk->taken,
                               .branched = walk->branched, .back = walk->back,
                               .reason = (uint8_t)reason};
    if (reason == REASON_NONE) {
        way->culprit = &search->function->insns[culprit];
        way->at = (uint8_t)add_prefix(search->function, culprit, &way->trace);
        way->loops = in_own_loop(search->function, culprit);
    }
    for (size_t i = walk->count; i > 0; i--)
        way->trace.insns[way->trace.count++] = walk->steps[i - 1];
}

static void walk_back(struct search *search, struct walk walk, size_t index);

/* One predecessor: the culprit itself, or one step further back. */
static void step_to(struct search *search, struct walk walk, size_t index)
{
    const struct insn *insn = &search->function->insns[index];
    if (insn->flow == INSN_CALL || insn->flow == INSN_SYSCALL) {
        finish(search, &walk, index,
               insn->flow == INSN_CALL ? REASON_CALL_BOUNDARY : REASON_NO_MEMORY);
        search->ways[search->count - 1].returned = insn->flow == INSN_CALL;
        return;
    }
    walk.steps[walk.count++] = insn;
    if (is_culprit(insn))
        finish(search, &walk, index, REASON_NONE);
    else if (walk.count >= RECIPE_STEPS_MAX)
        finish(search, &walk, index, REASON_NO_MEMORY);
    else
        walk_back(search, walk, index);
}

/* The flags tell of a jump only while nothing after it has changed them. */
static void note_condition(struct walk *walk, const struct insn *jump, bool taken)
{
    if (walk->condition != INSN_CONDITION_NONE || jump->flow != INSN_CONDITIONAL)
        return;
    for (size_t i = 0; i < walk->count; i++)
        if (walk->steps[i]->changes_flags)
            return;
    walk->condition = jump->condition;
    walk->taken = taken;
}

static void walk_jumps(struct search *search, const struct walk *walk, size_t index)
{
    const struct function *function = search->function;
    for (size_t i = 0; i < function->count; i++) {
        const struct insn *jump = &function->insns[i];
        if ((jump->flow != INSN_JUMP && jump->flow != INSN_CONDITIONAL) ||
            jump->target != function->insns[index].address)
            continue;
        struct walk next = *walk;
        note_condition(&next, jump, true);
        next.branched = true;
        next.back |= i >= index;
        next.crossings++;
        step_to(search, next, i);
    }
}

/* A label that nothing falls into or jumps to directly: a case of a switch, say. It was
 * reached by one of the function's jumps through a register or table. False: it has none. */
static bool walk_indirect(struct search *search, const struct walk *walk)
{
    const struct function *function = search->function;
    bool any = false;
    for (size_t i = 0; i < function->count; i++) {
        if (function->insns[i].flow != INSN_JUMP || function->insns[i].target)
            continue;
        struct walk next = *walk;
        next.branched = true;
        next.crossings++;
        step_to(search, next, i);
        any = true;
    }
    return any;
}

/* All ways to have come to an instruction. */
static void walk_back(struct search *search, struct walk walk, size_t index)
{
    const struct function *function = search->function;
    bool falls = index > 0 && adjacent(function, index) &&
                 function->insns[index - 1].flow != INSN_JUMP &&
                 function->insns[index - 1].flow != INSN_RETURN &&
                 function->insns[index - 1].flow != INSN_STOP;
    if (function->insns[index].is_target && walk.crossings < RECIPE_CROSSINGS_MAX)
        walk_jumps(search, &walk, index);
    if (falls) {
        struct walk next = walk;
        note_condition(&next, &function->insns[index - 1], false);
        step_to(search, next, index - 1);
    } else if (index && !function->insns[index].is_target &&
               walk.crossings < RECIPE_CROSSINGS_MAX && walk_indirect(search, &walk)) {
        return;
    } else if (index == 0 || !function->insns[index].is_target) {
        finish(search, &walk, index, REASON_CALL_BOUNDARY);
        search->ways[search->count - 1].entered = function->whole && !index;
        search->ways[search->count - 1].entry = function->start;
    }
}

/* Stack slot that a call or return used, by the stack pointer of then: the return address. */
static enum reason use_slot(uint64_t address, enum access_kind kind, struct access *access)
{
    access->address = address;
    access->kind = (uint8_t)kind;
    access->size = 8;
    access->base = SREG_SP;
    access->index = SREG_NONE;
    access->displacement = 0;
    access->how = ACCESS_DIRECT;
    return REASON_NONE;
}

/* A procedure linkage stub is a jump through a slot of the GOT: [endbr64] [bnd] ff 25 rel32. */
static bool stub_slot(const struct decode_target *target, uint64_t stub, uint64_t *slot)
{
    static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
    uint8_t bytes[16];
    int32_t distance;
    size_t at = 0;
    if (target->code(target->context, stub, bytes, sizeof bytes) != sizeof bytes)
        return false;
    if (!memcmp(bytes, endbr64, sizeof endbr64))
        at += sizeof endbr64;
    at += bytes[at] == 0xf2;
    memcpy(&distance, bytes + at + 2, sizeof distance);
    *slot = stub + at + 6 + (uint64_t)(int64_t)distance;
    return bytes[at] == 0xff && bytes[at + 1] == 0x25;
}

/*
 * At a function's start, what ran before is the call. It pushed the return address; through a
 * stub, the stub's load of its slot came after; a call through memory also loaded its target,
 * which is the likelier culprit and cannot be told from here. The bytes before the return
 * address say which it was.
 */
static enum reason apply_entry(uint64_t stack, uint64_t entry, const struct decode_target *target,
                               struct access *access)
{
    uint64_t back = 0;
    uint64_t slot;
    uint8_t bytes[5];
    int32_t distance;
    if (!target->memory || !target->memory(target->context, stack, &back, sizeof back) ||
        target->code(target->context, back - sizeof bytes, bytes, sizeof bytes) != sizeof bytes)
        return REASON_CALL_BOUNDARY;
    memcpy(&distance, bytes + 1, sizeof distance);
    uint64_t called = back + (uint64_t)(int64_t)distance;
    bool by_register = bytes[3] == 0xff && (bytes[4] & 0xf8) == 0xd0;
    if ((bytes[0] == 0xe8 && called == entry) || by_register)
        return use_slot(stack, ACCESS_STORE, access);
    if (bytes[0] != 0xe8 || !stub_slot(target, called, &slot))
        return REASON_CALL_BOUNDARY;
    use_slot(slot, ACCESS_LOAD, access);
    access->base = SREG_NONE;
    return REASON_NONE;
}

/* Whether the operand's registers hold at the sample what they held at the access. */
static bool untouched(const struct recipe_way *way)
{
    const struct insn_memory *memory = &way->culprit->memory[0];
    uint32_t used = (memory->base != SREG_NONE ? 1u << memory->base : 0) |
                    (memory->index != SREG_NONE ? 1u << memory->index : 0);
    for (size_t i = way->at; i < way->trace.count; i++)
        if (way->trace.insns[i]->writes & used)
            return false;
    return !memory->segment && !memory->vector && !memory->narrow;
}

int recipe_init(struct recipe *recipe, const struct function *function, uint64_t ip)
{
    struct search search = {.function = function};
    struct walk walk = {.condition = INSN_CONDITION_NONE};
    size_t index = function_index(function, ip);
    *recipe = (struct recipe){.ip = ip, .at_ip = &function->insns[index]};
    walk_back(&search, walk, index);
    recipe->way_count = (uint8_t)search.count;
    if (search.overflow)
        recipe->reason = REASON_AMBIGUOUS;
    if (search.count == 1 && !search.overflow && search.ways[0].culprit &&
        !search.ways[0].branched && untouched(&search.ways[0])) {
        recipe->culprit = search.ways[0].culprit;
        return 0;
    }
    recipe->ways = malloc(search.count * sizeof *recipe->ways + 1);
    if (!recipe->ways)
        return -ENOMEM;
    memcpy(recipe->ways, search.ways, search.count * sizeof *recipe->ways);
    return 0;
}

void recipe_fini(struct recipe *recipe)
{
    free(recipe->ways);
}

void recipe_describe(const struct insn *insn, struct access *access)
{
    const struct insn_memory *memory = &insn->memory[0];
    access->ip = insn->address;
    if (!insn->memory_count)
        return;
    access->size = memory->size;
    access->kind = memory->kind;
    access->locked = insn->locked;
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
    return own ? REASON_OVERWRITTEN : REASON_CLOBBERED;
}

/* One way's address; REASON_NONE or why not. */
static enum reason evaluate(const struct recipe_way *way, const struct decode_target *target,
                            const struct sample *sample, struct access *access)
{
    struct trace_values values = {.trace = &way->trace, .regs = sample->regs, .target = target,
                                  .tid = sample->tid, .budget = RECIPE_BUDGET};
    uint64_t stack;
    if ((way->returned || way->entered) && trace_register(&values, SREG_SP, 0, &stack))
        return way->returned ? use_slot(stack - 8, ACCESS_LOAD, access)
                             : apply_entry(stack, way->entry, target, access);
    if (!way->culprit)
        return way->reason;
    const struct insn_memory *memory = &way->culprit->memory[0];
    recipe_describe(way->culprit, access);
    if (memory->vector)
        return REASON_GATHER;
    if (trace_address(&values, memory, way->at, &access->address)) {
        access->how = values.reread     ? ACCESS_REREAD
                      : way->branched   ? ACCESS_BRANCHED
                      : values.undone   ? ACCESS_UNDONE
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
    return lost_reason(way->culprit, &values);
}

static bool possible(const struct recipe_way *way, uint64_t flags)
{
    return way->condition == INSN_CONDITION_NONE ||
           insn_condition_holds(way->condition, flags) == way->taken;
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
    if (outcome->reason || !load || load->op != INSN_OP_LOAD || load->sign_extends || !target->memory ||
        !load->source_width || load->source_width > 8)
        return 0;
    for (size_t i = outcome->way->at + 1u; i < trace->count; i++)
        if (trace->insns[i]->writes >> load->dest & 1)
            return 0;
    if (!target->memory(target->context, outcome->access.address, &value, load->source_width))
        return -1;
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
        int better = (other->evidence - best->evidence) * 4 +
                     (evident(other->way) - evident(best->way)) * 2 +
                     (other->way->back - best->way->back);
        tie = better == 0 || (tie && better < 0);
        if (better > 0)
            best = other;
    }
    return tie ? NULL : best;
}

static void apply_ways(const struct recipe *recipe, const struct decode_target *target,
                       const struct sample *sample, struct access *access)
{
    struct outcome outcomes[RECIPE_WAYS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < recipe->way_count; i++) {
        const struct recipe_way *way = &recipe->ways[i];
        if (!possible(way, sample->regs[SREG_FLAGS]))
            continue;
        struct outcome *outcome = &outcomes[count++];
        outcome->access = *access;
        outcome->way = way;
        outcome->reason = evaluate(way, target, sample, &outcome->access);
        outcome->evidence = 0;
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
    struct trace empty = {.count = 0};
    struct recipe_way way = {.trace = empty, .culprit = insn};
    if (!is_culprit(insn)) {
        access->reason = REASON_NO_MEMORY;
        return;
    }
    access->reason = (uint8_t)evaluate(&way, target, sample, access);
}

void recipe_apply(const struct recipe *recipe, const struct decode_target *target,
                  const struct sample *sample, struct access *access)
{
    if (recipe->at_ip && recipe->at_ip->repeats) {
        recipe_apply_exact(recipe->at_ip, target, sample, access);
    } else if (recipe->culprit) {
        const struct insn_memory *memory = &recipe->culprit->memory[0];
        recipe_describe(recipe->culprit, access);
        access->address = (uint64_t)memory->displacement;
        if (memory->base != SREG_NONE)
            access->address += sample->regs[memory->base];
        if (memory->index != SREG_NONE)
            access->address += sample->regs[memory->index] * memory->scale;
        access->how = ACCESS_DIRECT;
    } else if (recipe->ways) {
        apply_ways(recipe, target, sample, access);
    } else {
        access->reason = recipe->reason;
    }
}
