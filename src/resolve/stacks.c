/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/stacks.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

enum {
    STACKS_MAX = 1 << 16,
    STACKS_PAGE = 4096,
    STACKS_TOP_MIN = 64 * 1024, /* below a control block; with less it stands by itself */
    STACKS_STEP = 64 * 1024,    /* of what stack pointers reached */
    STACKS_FRAMES = 1 << 20     /* above a stack pointer: frames of those who called */
};

void stacks_fini(struct stacks *stacks)
{
    free(stacks->stacks);
    *stacks = (struct stacks){0};
}

/* Index of the first stack that ends behind the address. */
static size_t after(const struct stacks *stacks, uint64_t address)
{
    size_t low = 0;
    size_t high = stacks->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (stacks->stacks[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct stack *stacks_find(const struct stacks *stacks, uint64_t address)
{
    size_t at = after(stacks, address);
    return at < stacks->count && stacks->stacks[at].start <= address ? &stacks->stacks[at] : NULL;
}

void stacks_gap(const struct stacks *stacks, uint64_t address, uint64_t *start, uint64_t *end)
{
    size_t next = after(stacks, address);
    size_t before = next;
    /* What was guessed grows, and what is beside it keeps its bounds. */
    while (before && !stacks->stacks[before - 1].tid && stacks->stacks[before - 1].start >= *start)
        before--;
    while (next < stacks->count && !stacks->stacks[next].tid && stacks->stacks[next].start < *end)
        next++;
    if (before && stacks->stacks[before - 1].tid && stacks->stacks[before - 1].end > *start)
        *start = stacks->stacks[before - 1].end;
    if (next < stacks->count && stacks->stacks[next].tid && stacks->stacks[next].start < *end)
        *end = stacks->stacks[next].start;
}

static void take_out(struct stacks *stacks, size_t at)
{
    memmove(&stacks->stacks[at], &stacks->stacks[at + 1],
            (stacks->count - at - 1) * sizeof *stacks->stacks);
    stacks->count--;
}

/* A guess gives way. Of two threads each goes up to where the lower ends: where a stack ends is
 * known better than where it begins. */
static void make_way(struct stacks *stacks, struct stack *stack)
{
    size_t at = after(stacks, stack->start);
    while (at < stacks->count && stacks->stacks[at].start < stack->end) {
        struct stack *other = &stacks->stacks[at];
        bool within = other->end <= stack->end;
        if (!other->tid || (within && other->end == stack->end)) {
            take_out(stacks, at);
            continue;
        }
        if (within)
            stack->start = other->end;
        else
            other->start = stack->end;
        at++;
    }
}

static void put(struct stacks *stacks, struct stack stack)
{
    make_way(stacks, &stack);
    if (stack.start >= stack.end)
        return;
    struct stack *more =
        array_more(stacks->stacks, &stacks->room, stacks->count, sizeof *more, STACKS_MAX);
    if (!more)
        return;
    stacks->stacks = more;
    size_t at = after(stacks, stack.start);
    memmove(&more[at + 1], &more[at], (stacks->count - at) * sizeof *more);
    more[at] = stack;
    stacks->count++;
}

void stacks_forget(struct stacks *stacks, uint64_t start, uint64_t end)
{
    for (size_t at = after(stacks, start); at < stacks->count && stacks->stacks[at].start < end;)
        take_out(stacks, at);
}

void stacks_of_thread(struct stacks *stacks, const struct tcb *tcb, const struct maps *maps)
{
    struct stack stack = {tcb->stack_start, tcb->stack_end, tcb->tid};
    const struct map *map = maps_find(maps, tcb->base);
    if (!stack.end) {
        if (!map || map->kind != MAPPING_ANON || tcb->base - map->start <= STACKS_TOP_MIN)
            return;
        stack.start = map->start;
        stack.end = (tcb->base + TCB_BYTES + STACKS_PAGE - 1) & ~(uint64_t)(STACKS_PAGE - 1);
    }
    put(stacks, stack);
}

static void forget_gone(struct stacks *stacks, const struct maps *maps)
{
    size_t kept = 0;
    for (size_t i = 0; i < stacks->count; i++) {
        const struct stack *stack = &stacks->stacks[i];
        const struct map *map = stack->tid ? NULL : maps_find(maps, stack->start);
        if (map && map->kind == MAPPING_ANON && map->end >= stack->end)
            stacks->stacks[kept++] = *stack;
    }
    stacks->count = kept;
}

void stacks_refresh(struct stacks *stacks, const struct tcbs *tcbs, const struct maps *maps,
                    uint32_t first_tid)
{
    forget_gone(stacks, maps);
    for (size_t i = 0; i < tcbs->count; i++)
        if (tcbs->tcbs[i].tid != first_tid)
            stacks_of_thread(stacks, &tcbs->tcbs[i], maps);
}

/* The guess right above or below, if it is so near that one stack is likelier than two. */
static struct stack *near_guess(struct stacks *stacks, uint64_t address)
{
    size_t next = after(stacks, address);
    struct stack *above = next < stacks->count ? &stacks->stacks[next] : NULL;
    struct stack *below = next ? &stacks->stacks[next - 1] : NULL;
    if (above && !above->tid && above->start - address <= STACKS_FRAMES)
        return above;
    return below && !below->tid && address - below->end <= STACKS_FRAMES ? below : NULL;
}

void stacks_reached(struct stacks *stacks, const struct map *map, uint64_t address)
{
    uint64_t start = map->start;
    uint64_t end = map->end;
    if (stacks_find(stacks, address))
        return;
    stacks_gap(stacks, address, &start, &end);
    uint64_t step = address & ~(uint64_t)(STACKS_STEP - 1);
    struct stack stack = {step > start ? step : start,
                          end - address > STACKS_FRAMES ? step + STACKS_FRAMES : end, 0};
    struct stack *known = near_guess(stacks, address);
    if (known && known->start >= map->start && known->end <= map->end) {
        stack.start = known->start < stack.start ? known->start : stack.start;
        stack.end = known->end > stack.end ? known->end : stack.end;
    }
    put(stacks, stack);
}
