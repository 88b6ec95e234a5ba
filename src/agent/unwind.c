/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agent/unwind.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

enum { PAGE = 4096, PAGES_MAX = 2048, PAGES_DOWN_MAX = 64, CODE_LOWEST = 4096 };

/*
 * Rules by return address, kept by all threads without locks: the first word is the address, mixed
 * with the second, so that a slot of which two threads wrote a word each is nobody's. Each
 * dlclose() makes it another mixture, and what was kept before is no longer found.
 */
struct kept_rule {
    uint64_t mixed;
    uint64_t rule;
};

static struct kept_rule *rules;

int unwind_start(void)
{
    if (!rules)
        rules = session_pages((size_t)(1 << UNWIND_RULE_BITS) * sizeof *rules);
    return rules ? 0 : -1;
}

/*
 * The kernel copies the signal set before it looks at `how`: EFAULT or EINVAL, and nothing is
 * changed.
 */
static bool page_is_readable(uint64_t address)
{
    return raw_syscall(SYS_rt_sigprocmask, -1, (long)address, 0, 8, 0, 0) != -EFAULT;
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
    if (unwind->unmaps != gate.unmaps) {
        unwind->unmaps = gate.unmaps;
        unwind->low = unwind->high = 0;
        if (unwind->unloads != gate.unloads)
            unwind->stacks[unwind->current].count = 0;
        unwind->unloads = gate.unloads;
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

static struct rule rule_for(const struct unwind *unwind, uint64_t return_address)
{
    union {
        struct rule rule;
        struct kept_rule words;
    } found;
    uint64_t key = return_address * UINT64_C(0x9e3779b97f4a7c15) >> (64 - UNWIND_RULE_BITS);
    uint64_t mixture = return_address ^ unwind->unloads * UINT64_C(0xd1342543de82ef95);
    struct kept_rule *kept = &rules[key];
    found.words.rule = __atomic_load_n(&kept->rule, __ATOMIC_RELAXED);
    found.words.mixed = return_address;
    if ((__atomic_load_n(&kept->mixed, __ATOMIC_RELAXED) ^ found.words.rule) == mixture)
        return found.rule;
    found.rule = rule_find(return_address);
    __atomic_store_n(&kept->mixed, mixture ^ found.words.rule, __ATOMIC_RELAXED);
    __atomic_store_n(&kept->rule, found.words.rule, __ATOMIC_RELAXED);
    return found.rule;
}

struct step {
    uint64_t address; /* the return address, */
    uint64_t stack;   /* and rsp and rbp in the frame that it leads to */
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

/* Where the caller's rbp is saved; 0: it was not touched. */
static uint64_t find_saved(struct step *step, const struct rule *rule, uint64_t cfa)
{
    if (rule->cfa == RULE_UNKNOWN)
        return cfa - 16;
    if (rule->rbp == RULE_AT_CFA)
        return cfa + (uint64_t)(int64_t)rule->rbp_offset;
    if (rule->rbp == RULE_AT_RBP)
        return use_frame(step) + (uint64_t)(int64_t)rule->rbp_offset;
    return 0;
}

static enum unwind_way way_of(const struct rule *rule)
{
    if (rule->cfa == RULE_STACK && rule->rbp != RULE_AT_RBP)
        return UNWIND_BY_STACK;
    return rule->cfa == RULE_FRAME || rule->cfa == RULE_UNKNOWN ? UNWIND_BY_FRAME : UNWIND_BY_RULE;
}

/* To the next frame, whose CFA and saved rbp are known to be readable. */
static void move(struct step *step, uint64_t cfa, uint64_t saved)
{
    step->address = load(cfa - 8);
    step->stack = cfa;
    if (saved) {
        step->frame = load(saved);
        step->frame_is_live = false;
    }
}

static bool step_by_rule(struct unwind *unwind, struct step *step, struct unwound_frame *from)
{
    const struct rule rule = rule_for(unwind, step->address);
    uint64_t cfa = find_cfa(unwind, step, &rule);
    if (cfa <= step->stack || !can_read(unwind, cfa - 8) || load(cfa - 8) < CODE_LOWEST)
        return false;
    uint64_t saved = find_saved(step, &rule, cfa);
    /* A saved value stands in the frame, or the rule is wrong. */
    if (saved && (saved < step->stack || saved >= cfa || saved & 7))
        return false;
    from->way = way_of(&rule);
    from->saved = saved ? (int32_t)(saved - from->slot) : 0;
    if (saved && saved - from->slot > INT32_MAX)
        from->way = UNWIND_BY_RULE;
    move(step, cfa, saved);
    return true;
}

/* If the frame stood here the time before: where the next one is follows without a rule. */
static bool step_as_before(struct unwind *unwind, struct step *step, struct unwound_frame *from,
                           const struct unwound_frame *before)
{
    if (before->slot != from->slot || before->address != from->address ||
        before->way == UNWIND_BY_RULE)
        return false;
    if (before->way == UNWIND_BY_FRAME) {
        if (before->frame != step->frame)
            return false;
        use_frame(step);
    }
    /* Checked as if it were hostile: a signal handler may have unwound in between. */
    uint64_t slot = before[1].slot;
    uint64_t saved = before->saved ? from->slot + (uint64_t)(int64_t)before->saved : 0;
    if (slot <= from->slot || (UNLIKELY(slot >= unwind->high) && !can_read(unwind, slot)) ||
        (saved && (saved <= from->slot || saved >= slot)))
        return false;
    if (UNLIKELY(load(slot) < CODE_LOWEST))
        return false;
    from->way = before->way;
    from->saved = before->saved;
    move(step, slot + 8, saved);
    return true;
}

/* `before` to `last`: the frames of the time before, without the outermost. */
static void walk(struct unwind *unwind, struct step *step, const struct unwound_frame *before,
                 const struct unwound_frame *last, struct unwound *out)
{
    uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t hash = 0;
    unsigned count = 0; /* not in `out`, which a handler that allocates may be filling too */
    for (;;) {
        struct unwound_frame *from = &out->frames[count++];
        from->address = step->address;
        from->slot = step->stack - 8;
        from->frame = step->frame;
        hash += step->address * factor; /* a sum: the products do not wait for each other */
        factor *= UINT64_C(0xd1342543de82ef95);
        if (count == AGENT_DEPTH_MAX)
            break;
        while (before < last && before->slot < from->slot)
            before++;
        if (!(before < last && step_as_before(unwind, step, from, before)) &&
            !step_by_rule(unwind, step, from))
            break;
    }
    out->count = count;
    out->hash = (hash ^ hash >> 32) * UINT64_C(0x9fb21c651e98df25);
    out->used_frame_pointer = step->used_live_frame;
}

const struct unwound *unwind(struct unwind *unwind, void *const *frame)
{
    struct step step = {.address = (uint64_t)(uintptr_t)frame[1],
                        .stack = (uint64_t)(uintptr_t)(frame + 2),
                        .frame = (uint64_t)(uintptr_t)frame[0],
                        .frame_is_live = true};
    start_at(unwind, step.stack - 8);
    const struct unwound *before = &unwind->stacks[unwind->current & 1];
    unsigned inner = before->count ? before->count - 1 : 0;
    unwind->current ^= 1;
    struct unwound *out = &unwind->stacks[unwind->current & 1];
    walk(unwind, &step, before->frames, before->frames + inner, out);
    return out;
}
