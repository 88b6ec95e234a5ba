/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/unwind.h"

#include "resolve/module.h"
#include "resolve/process.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

enum {
    RULES_MAX = 1 << 16,
    DEPTH_MAX = 64,
    RED_ZONE = 128,            /* bytes below the stack pointer that a leaf may use */
    STACK_MAX = 64 * 1024,     /* bytes of the stack that are looked at */
    KEPT = 6                   /* registers that a callee keeps, but for the stack pointer */
};

static const uint8_t kept[KEPT] = {SREG_BX, SREG_BP, SREG_R12, SREG_R13, SREG_R14, SREG_R15};
/* The same as DWARF numbers them (System V ABI AMD64, figure 3.36); the return address is 16. */
static const uint8_t kept_number[KEPT] = {3, 6, 12, 13, 14, 15};
enum { RETURN_ADDRESS = 16 };

static const int32_t unchanged = INT32_MAX; /* a register keeps its value */

struct unwind_rule {
    uint8_t cfa_register; /* SREG_NONE: there is no rule */
    int32_t cfa_offset;
    int32_t return_address; /* offset from the CFA, as the rest */
    int32_t saved[KEPT];
};

struct state {
    uint64_t pc;
    uint64_t sp;
    uint64_t value[KEPT];
    uint8_t known; /* bits: which of them */
    const uint8_t *stack;
    uint64_t stack_start;
    size_t stack_bytes;
};

void unwind_init(struct unwind *unwind, pid_t pid)
{
    *unwind = (struct unwind){.pid = pid};
    hash_init(&unwind->of_pc);
}

void unwind_fini(struct unwind *unwind)
{
    hash_fini(&unwind->of_pc);
    free(unwind->rules);
}

void unwind_forget(struct unwind *unwind)
{
    hash_clear(&unwind->of_pc);
    unwind->count = 0;
}

static bool fits(int64_t offset)
{
    return offset > -STACK_MAX && offset < STACK_MAX;
}

/* "At CFA + offset", or unchanged; false: something else. */
static bool saved_at(Dwarf_Frame *frame, unsigned number, int32_t *offset)
{
    Dwarf_Op memory[3];
    Dwarf_Op *ops;
    size_t count;
    *offset = unchanged;
    if (dwarf_frame_register(frame, (int)number, memory, &ops, &count))
        return false;
    if (!count)
        return ops == NULL; /* same value; else undefined */
    bool in_memory = ops[0].atom == DW_OP_call_frame_cfa && count <= 2 &&
                     (count == 1 || ops[1].atom == DW_OP_plus_uconst);
    int64_t at = count == 2 ? (int64_t)ops[1].number : 0;
    if (!in_memory || !fits(at))
        return false;
    *offset = (int32_t)at;
    return true;
}

static bool cfa_rule(Dwarf_Frame *frame, struct unwind_rule *rule)
{
    Dwarf_Op *ops;
    size_t count;
    if (dwarf_frame_cfa(frame, &ops, &count) || count != 1 || !fits((int64_t)ops[0].number))
        return false;
    if (ops[0].atom == DW_OP_breg7)
        rule->cfa_register = SREG_SP;
    else if (ops[0].atom == DW_OP_breg6)
        rule->cfa_register = SREG_BP;
    else
        return false;
    rule->cfa_offset = (int32_t)ops[0].number;
    return true;
}

static struct unwind_rule make_rule(struct space *space, uint64_t pc)
{
    struct unwind_rule rule = {.cfa_register = SREG_NONE};
    struct map *map = space_map(space, pc);
    struct module *module = map ? space_module(space, map) : NULL;
    uint64_t bias = 0;
    Dwarf_CFI *frames = module ? module_frames(module, &bias) : NULL;
    Dwarf_Frame *frame = NULL;
    if (!frames || dwarf_cfi_addrframe(frames, pc - bias, &frame))
        return rule;
    bool good = cfa_rule(frame, &rule) &&
                saved_at(frame, RETURN_ADDRESS, &rule.return_address) &&
                rule.return_address != unchanged;
    for (unsigned i = 0; i < KEPT && good; i++)
        good = saved_at(frame, kept_number[i], &rule.saved[i]);
    free(frame);
    if (!good)
        rule.cfa_register = SREG_NONE;
    return rule;
}

static const struct unwind_rule *rule_at(struct unwind *unwind, struct space *space, uint64_t pc)
{
    const uint32_t *known = hash_find(&unwind->of_pc, pc);
    if (known)
        return &unwind->rules[*known];
    if (unwind->count == RULES_MAX)
        unwind_forget(unwind);
    if (unwind->count == unwind->room) {
        uint32_t room = unwind->room ? unwind->room * 2 : 256;
        struct unwind_rule *more = realloc(unwind->rules, room * sizeof *more);
        if (!more)
            return NULL;
        unwind->rules = more;
        unwind->room = room;
    }
    uint32_t *slot = hash_insert(&unwind->of_pc, pc, NULL);
    if (!slot)
        return NULL;
    *slot = unwind->count;
    unwind->rules[unwind->count] = make_rule(space, pc);
    return &unwind->rules[unwind->count++];
}

static bool read_stack(const struct state *state, uint64_t address, uint64_t *value)
{
    uint64_t into = address - state->stack_start;
    if (address < state->stack_start || into + sizeof *value > state->stack_bytes)
        return false;
    memcpy(value, state->stack + into, sizeof *value);
    return true;
}

static bool frame_address(const struct unwind_rule *rule, const struct state *state, uint64_t *cfa)
{
    enum { BP_INDEX = 1 };
    if (rule->cfa_register == SREG_NONE ||
        (rule->cfa_register == SREG_BP && !(state->known & 1 << BP_INDEX)))
        return false;
    uint64_t base = rule->cfa_register == SREG_SP ? state->sp : state->value[BP_INDEX];
    *cfa = base + (uint64_t)(int64_t)rule->cfa_offset;
    return *cfa > state->sp && *cfa - state->sp < STACK_MAX && !(*cfa & 7);
}

static bool step(const struct unwind_rule *rule, struct state *state, uint64_t cfa)
{
    uint64_t return_address;
    if (!read_stack(state, cfa + (uint64_t)(int64_t)rule->return_address, &return_address) ||
        !return_address)
        return false;
    for (unsigned i = 0; i < KEPT; i++)
        if (rule->saved[i] != unchanged &&
            !read_stack(state, cfa + (uint64_t)(int64_t)rule->saved[i], &state->value[i]))
            state->known &= (uint8_t)~(1u << i);
    state->sp = cfa;
    state->pc = return_address - 1;
    return true;
}

static void begin(struct state *state, const uint64_t regs[SREG_COUNT])
{
    *state = (struct state){.pc = regs[SREG_IP], .sp = regs[SREG_SP], .known = (1 << KEPT) - 1};
    for (unsigned i = 0; i < KEPT; i++)
        state->value[i] = regs[kept[i]];
}

bool unwind_find(struct unwind *unwind, struct space *space, const uint64_t regs[SREG_COUNT],
                 uint64_t address, struct unwind_frame *frame)
{
    uint8_t copy[STACK_MAX];
    struct state state;
    begin(&state, regs);
    if (address + RED_ZONE < state.sp || address - state.sp + RED_ZONE >= STACK_MAX)
        return false;
    for (int depth = 0; depth < DEPTH_MAX; depth++) {
        const struct unwind_rule *rule = rule_at(unwind, space, state.pc);
        uint64_t cfa;
        if (!rule || !frame_address(rule, &state, &cfa))
            return false;
        if (address < cfa) {
            *frame = (struct unwind_frame){state.pc, cfa};
            return true;
        }
        /* Read once, when the first frame does not hold it. */
        if (!state.stack) {
            state.stack_start = state.sp;
            state.stack_bytes =
                process_read_some(unwind->pid, state.sp, copy, address - state.sp + sizeof(void *));
            state.stack = copy;
        }
        if (!step(rule, &state, cfa))
            return false;
    }
    return false;
}
