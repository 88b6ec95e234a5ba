/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a recipe is made: all ways to have come to an instruction, walked back to the access that
 * may have missed. Declared in recipe.h. */
#include "decode/recipe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    RECIPE_STEPS_MAX = 8,     /* instructions walked over before giving up */
    RECIPE_CROSSINGS_MAX = 2, /* block boundaries crossed on one way */
    RECIPE_PREFIX_MAX = 24,   /* instructions before the culprit kept for slices */
    RECIPE_LOOP_BYTES = 512
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

static bool adjacent(const struct function *function, size_t index)
{
    const struct insn *before = &function->insns[index - 1];
    return before->address + before->length == function->insns[index].address;
}

/* Instructions in a straight line before the culprit, for recomputing its registers. */
static size_t add_prefix(const struct function *function, size_t culprit, struct recipe_way *way)
{
    size_t first = culprit;
    while (first > 0 && culprit - first < RECIPE_PREFIX_MAX && !function->insns[first].is_target &&
           adjacent(function, first) &&
           (function->insns[first - 1].flow == INSN_PLAIN ||
            function->insns[first - 1].flow == INSN_CONDITIONAL))
        first--;
    for (size_t i = first; i < culprit; i++)
        way->insns[way->count++] = &function->insns[i];
    return way->count;
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

static bool same_slot(const struct insn_memory *a, const struct insn_memory *b)
{
    return a->base == b->base && a->index == b->index && a->segment == b->segment &&
           a->displacement == b->displacement;
}

/* The same in code that is not optimised: the base comes from a slot of the frame, and what was
 * loaded goes there. */
static bool in_loop_of_slot(const struct function *function, size_t culprit)
{
    const struct insn *load = &function->insns[culprit];
    uint8_t base = load->memory[0].base;
    size_t from = culprit;
    if (load->op != INSN_OP_LOAD || load->dest != base || base == SREG_NONE ||
        load->memory[0].index != SREG_NONE || culprit + 1 >= function->count)
        return false;
    do
        if (!from || !adjacent(function, from) || function->insns[from].is_target)
            return false;
    while (!(function->insns[--from].writes >> base & 1));
    const struct insn *slot = &function->insns[from];
    const struct insn *store = &function->insns[culprit + 1];
    return slot->op == INSN_OP_LOAD && slot->dest == base && slot->memory[0].base != base &&
           store->stored == base && store->memory_count &&
           same_slot(&store->memory[0], &slot->memory[0]);
}

static void finish(struct search *search, const struct walk *walk, size_t culprit,
                   enum reason reason)
{
    if (search->count == RECIPE_WAYS_MAX) {
        search->overflow = true;
        return;
    }
    struct recipe_way *way = &search->ways[search->count++];
    *way = (struct recipe_way){.condition = walk->condition,
                               .taken = walk->taken,
                               .branched = walk->branched,
                               .back = walk->back,
                               .reason = (uint8_t)reason};
    if (reason == REASON_NONE) {
        way->culprit = &search->function->insns[culprit];
        way->at = (uint8_t)add_prefix(search->function, culprit, way);
        way->loops =
            in_own_loop(search->function, culprit) || in_loop_of_slot(search->function, culprit);
    }
    for (size_t i = walk->count; i > 0; i--)
        way->insns[way->count++] = walk->steps[i - 1];
    const struct trace trace = {.insns = way->insns, .count = way->count};
    trace_seal(&trace, way->written);
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
    if (recipe_may_miss(insn))
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

/* Up to a label compilers pad with no-ops, which nobody runs behind a jump or return. */
static bool falls_into(const struct function *function, size_t index)
{
    size_t at = index;
    while (at > 0 && adjacent(function, at)) {
        const struct insn *before = &function->insns[at - 1];
        if (before->flow == INSN_JUMP || before->flow == INSN_RETURN || before->flow == INSN_STOP)
            return false;
        if (!before->is_nop || before->is_target)
            return true;
        at--;
    }
    return !at && index;
}

/* All ways to have come to an instruction. */
static void walk_back(struct search *search, struct walk walk, size_t index)
{
    const struct function *function = search->function;
    bool falls = falls_into(function, index);
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

/* Whether the operand's registers hold at the sample what they held at the access. */
static bool untouched(const struct recipe_way *way)
{
    const struct insn_memory *memory = &way->culprit->memory[0];
    uint32_t used = insn_memory_uses(memory);
    for (size_t i = way->at; i < way->count; i++)
        if (way->insns[i]->writes & used)
            return false;
    return !memory->segment && !memory->vector && !memory->narrow;
}

static uint64_t last_before(const struct function *function, size_t index)
{
    const struct insn *before = index ? &function->insns[index - 1] : NULL;
    if (!before || function->insns[index].repeats ||
        (adjacent(function, index) && before->flow == INSN_CALL))
        return function->insns[index].address;
    return adjacent(function, index) ? before->address : 0;
}

int recipe_init(struct recipe *recipe, const struct function *function, uint64_t ip)
{
    struct search search = {.function = function};
    struct walk walk = {.condition = INSN_CONDITION_NONE};
    size_t index = function_index(function, ip);
    *recipe = (struct recipe){
        .ip = ip, .at_ip = &function->insns[index], .last = last_before(function, index)};
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
