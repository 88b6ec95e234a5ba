/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agent/unwind.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

enum { PAGE = 4096, PAGES_MAX = 2048, PAGES_DOWN_MAX = 64, CODE_LOWEST = 4096 };

/*
 * The kernel copies the signal set before it looks at `how`: EFAULT or EINVAL, and nothing is
 * changed. In assembler, so that errno stays as it is.
 */
static bool page_is_readable(uint64_t address)
{
    long result;
    register long size __asm__("r10") = 8;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"((long)SYS_rt_sigprocmask), "D"(~0L), "S"(address), "d"(0L), "r"(size)
                     : "rcx", "r11", "memory");
    return result != -EFAULT;
}

static bool pages_are_readable(uint64_t from, uint64_t to)
{
    for (; from < to; from += PAGE)
        if (!page_is_readable(from))
            return false;
    return true;
}

/* The known stretch is made to hold the stack pointer: grown down, or begun anew elsewhere. */
static void start_at(struct unwind *unwind, uint64_t address)
{
    uint64_t page = address & ~(uint64_t)(PAGE - 1);
    if (unwind->unmaps != gate->unmaps) {
        unwind->unmaps = gate->unmaps;
        unwind->low = unwind->high = 0;
        if (unwind->unloads != gate->unloads)
            memset(unwind->rules, 0, sizeof unwind->rules);
        unwind->unloads = gate->unloads;
    }
    if (page >= unwind->low && page < unwind->high)
        return;
    if (page >= unwind->low || unwind->low - page > PAGES_DOWN_MAX * PAGE ||
        !pages_are_readable(page, unwind->low))
        unwind->high = page + PAGE;
    unwind->low = page;
}

/* Whether the word at an address at or above the stack pointer can be read; grows upwards. */
static bool can_read(struct unwind *unwind, uint64_t address)
{
    if (address & 7 || address < unwind->low)
        return false;
    if (address >= unwind->high && address - unwind->high > (uint64_t)PAGES_MAX * PAGE)
        return false;
    for (; address >= unwind->high; unwind->high += PAGE)
        if (!page_is_readable(unwind->high))
            return false;
    return true;
}

static const struct rule *rule_for(struct unwind *unwind, uint64_t return_address)
{
    uint64_t key = return_address * UINT64_C(0x9e3779b97f4a7c15) >> (64 - UNWIND_RULE_BITS);
    struct rule *rule = &unwind->rules[key];
    if (rule->return_address != return_address)
        *rule = rule_find(return_address);
    return rule;
}

struct step {
    uint64_t stack; /* rsp and rbp in the frame that the return address leads to */
    uint64_t frame;
    bool frame_is_live; /* rbp is still what it was in the wrapper's caller */
    bool used_live_frame;
};

static uint64_t use_frame(struct step *step)
{
    step->used_live_frame |= step->frame_is_live;
    return step->frame;
}

static uint64_t load(uint64_t address)
{
    return *(const uint64_t *)(uintptr_t)address;
}

/* The CFA of the frame; 0: none to be had. */
static uint64_t find_cfa(struct unwind *unwind, struct step *step, const struct rule *rule)
{
    uint64_t at;
    switch (rule->cfa) {
    case RULE_STACK:
        return step->stack + (uint64_t)(int64_t)rule->cfa_offset;
    case RULE_FRAME:
        return use_frame(step) + (uint64_t)(int64_t)rule->cfa_offset;
    case RULE_REALIGNED:
        at = use_frame(step) + (uint64_t)(int64_t)rule->cfa_offset;
        return at >= step->stack && can_read(unwind, at) ? load(at) : 0;
    case RULE_UNKNOWN: /* generated code: by frame pointer, if it is one */
        return use_frame(step) >= step->stack ? step->frame + 16 : 0;
    default:
        return 0;
    }
}

/* What rbp was in the caller. A saved value stands in the frame, or the rule is wrong. */
static void restore_frame(struct step *step, const struct rule *rule, uint64_t cfa)
{
    uint64_t at;
    if (rule->cfa == RULE_UNKNOWN)
        at = cfa - 16;
    else if (rule->rbp == RULE_AT_CFA)
        at = cfa + (uint64_t)(int64_t)rule->rbp_offset;
    else if (rule->rbp == RULE_AT_RBP)
        at = use_frame(step) + (uint64_t)(int64_t)rule->rbp_offset;
    else
        return;
    bool is_inside = at >= step->stack && at < cfa && !(at & 7);
    step->frame = is_inside ? load(at) : 0;
    step->frame_is_live = false;
}

void unwind(struct unwind *unwind, void *const *frame, struct unwound *out)
{
    uint64_t address = (uint64_t)(uintptr_t)frame[1];
    struct step step = {.stack = (uint64_t)(uintptr_t)(frame + 2),
                        .frame = (uint64_t)(uintptr_t)frame[0],
                        .frame_is_live = true};
    start_at(unwind, step.stack - 8);
    out->count = 0;
    out->hash = 0;
    for (;;) {
        out->hash = (out->hash ^ address) * UINT64_C(0x9fb21c651e98df25);
        out->hash ^= out->hash >> 29;
        out->addresses[out->count] = address;
        out->slots[out->count++] = step.stack - 8;
        if (out->count == AGENT_DEPTH_MAX)
            break;
        const struct rule *rule = rule_for(unwind, address);
        uint64_t cfa = find_cfa(unwind, &step, rule);
        if (cfa <= step.stack || !can_read(unwind, cfa - 8))
            break;
        address = load(cfa - 8);
        if (address < CODE_LOWEST)
            break;
        restore_frame(&step, rule, cfa);
        step.stack = cfa;
    }
    out->used_frame_pointer = step.used_live_frame;
}
