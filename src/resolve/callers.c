/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "resolve/resolver_state.h"
#include "sample.h"

enum {
    DEPTH_MAX = 64, /* functions per stack; consecutive recursive calls count as one */
    FRAMES_MAX = 256
};

void callers_fini(struct callers *callers)
{
    hash_fini(&callers->of_pair);
    free(callers->nodes);
}

void callers_tick(struct callers *callers, uint64_t now_ns)
{
    double earned = CALLERS_COST * (double)(now_ns - callers->ticked_ns);
    double owed = (double)callers->spent_ns - earned;
    callers->spent_ns = owed > 0 ? (uint64_t)owed : 0;
    callers->ticked_ns = now_ns;
}

bool callers_describe(const struct callers *callers, uint32_t node, struct caller_desc *desc)
{
    if (!node || node > callers->count)
        return false;
    *desc = callers->nodes[node - 1];
    return true;
}

/* Returns the node of a function that called the function of `parent`, or of a sampled function
 * (`parent` 0); 0: no room. */
static uint32_t callers_node(struct callers *callers, uint32_t parent, uint32_t function)
{
    uint64_t pair = (uint64_t)parent << 32 | function;
    const uint32_t *known = hash_find(&callers->of_pair, pair);
    if (known)
        return *known;
    if (!array_reserve_next(&callers->nodes, &callers->room, callers->count, sizeof *callers->nodes,
                            CALLER_NODES_MAX))
        return 0;
    uint32_t *node = hash_insert(&callers->of_pair, pair, NULL);
    if (!node)
        return 0;
    callers->nodes[callers->count] = (struct caller_desc){parent, function};
    return *node = ++callers->count;
}

/* Returns true if a walk is within the budget. The budget of one second may be spent at once. */
static bool walk_is_within_budget(const struct callers *callers, uint64_t time_ns)
{
    uint64_t since_ns = time_ns > callers->ticked_ns ? time_ns - callers->ticked_ns : 0;
    return (double)callers->spent_ns <= CALLERS_COST * (double)(since_ns + CLOCK_NS_PER_S);
}

static size_t chain_callers(struct resolver *resolver, const struct sample *sample, uint64_t *pcs)
{
    size_t count = 0;
    for (uint32_t i = 1; i < sample->chain_count && count < FRAMES_MAX; i++) {
        uint64_t address;
        memcpy(&address, sample->chain + (size_t)i * sizeof address, sizeof address);
        if (!unwind_is_call(&resolver->unwind, &resolver->space, address - 1))
            break;
        pcs[count++] = address - 1;
    }
    return count;
}

static size_t unwind_or_read_chain(struct resolver *resolver, const struct sample *sample,
                                   const uint64_t *regs, uint64_t pcs[FRAMES_MAX])
{
    const struct unwind_copy copy = {sample->stack, sample->stack_bytes};
    return regs && copy.bytes
               ? unwind_callers(&resolver->unwind, &resolver->space, regs, &copy, pcs, FRAMES_MAX)
               : chain_callers(resolver, sample, pcs);
}

/* Returns the node of the outermost caller; 0: none. */
static uint32_t add_caller_nodes(struct resolver *resolver, uint32_t function, const uint64_t *pcs,
                                 size_t count)
{
    struct callers *callers = &resolver->callers;
    uint32_t sampled = callers_node(callers, 0, function);
    uint32_t node = sampled;
    unsigned depth = 0;
    for (size_t i = 0; i < count && node && depth < DEPTH_MAX; i++) {
        struct module *code;
        uint32_t caller = resolver_function(resolver, pcs[i], &code);
        if (caller == function)
            continue;
        uint32_t next = caller ? callers_node(callers, node, caller) : 0;
        if (!next)
            break;
        node = next;
        function = caller;
        depth++;
    }
    return node == sampled ? 0 : node;
}

uint32_t resolver_callers(struct resolver *resolver, const struct sample *sample,
                          const uint64_t *regs, const struct place *place)
{
    struct callers *callers = &resolver->callers;
    uint64_t pcs[FRAMES_MAX];
    bool live = resolver->options.live;
    if (!place->function || !access_is_for_data((enum reason)place->access.reason) ||
        (!sample->stack && !sample->chain) ||
        (live && !walk_is_within_budget(callers, sample->time_ns)))
        return 0;
    uint64_t began_ns = live ? clock_now_ns() : 0;
    size_t count = unwind_or_read_chain(resolver, sample, regs, pcs);
    uint32_t node = add_caller_nodes(resolver, place->function, pcs, count);
    if (live)
        callers->spent_ns += clock_now_ns() - began_ns;
    return node;
}
