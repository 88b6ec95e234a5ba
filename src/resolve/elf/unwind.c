/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/elf/unwind.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "resolve/elf/cfi.h"
#include "resolve/elf/module.h"
#include "resolve/process/process.h"

enum {
    RULES_MAX = 1 << 16,
    DEPTH_MAX = 64,
    RED_ZONE = 128,           /* bytes below the stack pointer that a leaf may use */
    STACK_MAX = 64 << 20,     /* largest distance of an address from the stack pointer */
    WINDOW_BYTES = 4096,      /* bytes of the stack read at once */
    WINDOW_BELOW_BYTES = 128, /* ... bytes below the requested address: registers are saved there */
    CALLEE_SAVED = 6          /* callee-saved registers, except the stack pointer */
};

static const uint8_t kept[CALLEE_SAVED] = {SREG_BX,  SREG_BP,  SREG_R12,
                                           SREG_R13, SREG_R14, SREG_R15};
/* DWARF numbers of these registers. */
static const uint8_t kept_number[CALLEE_SAVED] = {3, CFI_FRAME_POINTER, 12, 13, 14, 15};

static const int32_t unchanged = INT32_MAX; /* the register keeps its value */

/* Location of a saved value: at an offset from the CFA, or from the frame pointer in functions that
 * align their stack. */
struct unwind_slot {
    int32_t offset;
    bool from_bp;
};

struct unwind_rule {
    uint8_t cfa_register; /* SREG_NONE: no rule */
    bool no_table;        /* no unwind table covers the code: JIT-compiled code, assembly */
    bool after_call;      /* a call ends with this byte: the next address may be a return address */
    bool cfa_loaded;      /* the CFA is loaded from the register's value + offset */
    int32_t cfa_offset;
    struct unwind_slot return_address;
    struct unwind_slot saved[CALLEE_SAVED];
};

struct state {
    uint64_t pc;
    uint64_t sp;
    uint64_t value[CALLEE_SAVED];
    uint8_t known; /* mask of the known values */
    pid_t pid;
    uint64_t lowest; /* stack pointer of the innermost frame */
    uint64_t window_start;
    size_t window_bytes;
    const unsigned char *copy; /* copy of the stack at the sample, from `lowest` up; NULL: none */
    uint32_t copy_bytes;
    bool window_follows_copy; /* the window follows the copy and belongs to the same stack */
    uint8_t window[WINDOW_BYTES];
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

static bool offset_fits_stack(int64_t offset)
{
    return offset > -STACK_MAX && offset < STACK_MAX;
}

static bool saved_slot(Dwarf_Frame *frame, unsigned number, struct unwind_slot *slot)
{
    struct cfi_saved saved;
    if (!cfi_saved(frame, number, &saved) || !offset_fits_stack(saved.offset))
        return false;
    slot->from_bp = saved.in == CFI_AT_FRAME_POINTER;
    slot->offset = saved.in == CFI_KEPT ? unchanged : (int32_t)saved.offset;
    return true;
}

/* Decodes the rule of PLT stubs: rsp + A, plus a word after the push at offset B in each 16 bytes.
 * Source: binutils, bfd/elfxx-x86.c, elf_x86_64_eh_frame_lazy_plt. */
static bool is_plt_rule(const Dwarf_Op *ops, size_t count, uint64_t pc, int64_t *offset)
{
    static const uint8_t atoms[] = {DW_OP_breg7, DW_OP_breg16, DW_OP_lit15, DW_OP_and, 0,
                                    DW_OP_ge,    DW_OP_lit3,   DW_OP_shl,   DW_OP_plus};
    enum { FROM = 4 };
    if (count != sizeof atoms || ops[FROM].atom < DW_OP_lit0 || ops[FROM].atom > DW_OP_lit15)
        return false;
    for (size_t i = 0; i < count; i++)
        if (i != FROM && ops[i].atom != atoms[i])
            return false;
    *offset = (int64_t)ops[0].number + ((pc & 15) >= ops[FROM].atom - (unsigned)DW_OP_lit0 ? 8 : 0);
    return offset_fits_stack(*offset);
}

static bool cfa_rule(Dwarf_Frame *frame, uint64_t pc, struct unwind_rule *rule)
{
    Dwarf_Op *ops;
    size_t count;
    unsigned number;
    int64_t offset;
    if (dwarf_frame_cfa(frame, &ops, &count))
        return false;
    if (is_plt_rule(ops, count, pc, &offset)) {
        rule->cfa_register = SREG_SP;
        rule->cfa_offset = (int32_t)offset;
        return true;
    }
    if (!count || count > 2 || !cfi_register_offset(&ops[0], &number, &offset) ||
        !offset_fits_stack(offset) || (number != CFI_STACK_POINTER && number != CFI_FRAME_POINTER))
        return false;
    rule->cfa_register = number == CFI_STACK_POINTER ? SREG_SP : SREG_BP;
    rule->cfa_loaded = count == 2 && ops[1].atom == DW_OP_deref;
    rule->cfa_offset = (int32_t)offset;
    return count == 1 || rule->cfa_loaded;
}

/* Returns true if a near call ends at this byte: E8 with 4 bytes, or FF /2 with up to 5 more bytes.
 * Source: Intel SDM volume 2, CALL. Unreadable code counts as a call. */
static bool ends_call(struct module *module, uint64_t last)
{
    enum { LONGEST = 7, RELATIVE = 5 };
    uint8_t code[LONGEST];
    if (!module || module_bytes(module, last + 1 - LONGEST, code, sizeof code) != sizeof code)
        return true;
    bool ends = code[LONGEST - RELATIVE] == 0xe8;
    for (int bytes = 2; bytes <= LONGEST; bytes++)
        ends |= bytes != RELATIVE && code[LONGEST - bytes] == 0xff &&
                (code[LONGEST - bytes + 1] >> 3 & 7) == 2;
    return ends;
}

static struct unwind_rule make_rule(struct space *space, uint64_t pc)
{
    struct unwind_rule rule = {.cfa_register = SREG_NONE};
    struct map *map = space_map(space, pc);
    struct module *module = map ? space_module(space, map) : NULL;
    rule.after_call = map && map->executable && ends_call(module, pc);
    uint64_t bias = 0;
    Dwarf_CFI *frames = module ? module_frames(module, &bias) : NULL;
    Dwarf_Frame *frame = NULL;
    if (!frames || dwarf_cfi_addrframe(frames, pc - bias, &frame)) {
        rule.no_table = true;
        return rule;
    }
    bool good = cfa_rule(frame, pc - bias, &rule) &&
                saved_slot(frame, CFI_RETURN_ADDRESS, &rule.return_address) &&
                rule.return_address.offset != unchanged;
    for (unsigned i = 0; i < CALLEE_SAVED && good; i++)
        good = saved_slot(frame, kept_number[i], &rule.saved[i]);
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
    if (!array_reserve_next(&unwind->rules, &unwind->room, unwind->count, sizeof *unwind->rules,
                            RULES_MAX))
        return NULL;
    uint32_t *slot = hash_insert(&unwind->of_pc, pc, NULL);
    if (!slot)
        return NULL;
    *slot = unwind->count;
    unwind->rules[unwind->count] = make_rule(space, pc);
    return &unwind->rules[unwind->count++];
}

/* Moves the window to the stack around an address; most chains need only one. */
static void move_stack_window(struct state *state, uint64_t address)
{
    state->window_start =
        address - state->lowest > WINDOW_BELOW_BYTES ? address - WINDOW_BELOW_BYTES : state->lowest;
    state->window_bytes = state->pid ? process_read_some(state->pid, state->window_start,
                                                         state->window, sizeof state->window)
                                     : 0;
}

static bool is_in_window(const struct state *state, uint64_t address)
{
    return address >= state->window_start &&
           address - state->window_start + sizeof address <= state->window_bytes;
}

/* Moves the window past the copy. The process has continued since the sample. If the outer half of
 * the copy is still unchanged, the frames beyond it are those of the sample. */
static bool extend_past_copy(struct state *state)
{
    size_t half = state->copy_bytes / 2;
    size_t bytes = half < WINDOW_BYTES / 2 ? half : WINDOW_BYTES / 2;
    state->window_start = state->lowest + state->copy_bytes - bytes;
    state->window_bytes = state->pid ? process_read_some(state->pid, state->window_start,
                                                         state->window, sizeof state->window)
                                     : 0;
    state->window_follows_copy =
        state->window_bytes > bytes && bytes &&
        !memcmp(state->window, state->copy + state->copy_bytes - bytes, bytes);
    return state->window_follows_copy;
}

static bool read_stack(struct state *state, uint64_t address, uint64_t *value)
{
    if (address < state->lowest || address - state->lowest >= STACK_MAX)
        return false;
    uint64_t at = address - state->lowest;
    if (state->copy && at + sizeof *value <= state->copy_bytes) {
        memcpy(value, state->copy + at, sizeof *value);
        return true;
    }
    if (state->copy && !state->window_follows_copy && !extend_past_copy(state))
        return false;
    if (!is_in_window(state, address))
        move_stack_window(state, address);
    if (!is_in_window(state, address))
        return false;
    memcpy(value, state->window + (address - state->window_start), sizeof *value);
    return true;
}

enum { BP_INDEX = 1 /* index of the frame pointer in `kept` */, REALIGNED_MAX = 512 };

static bool frame_address(const struct unwind_rule *rule, struct state *state, uint64_t *cfa)
{
    if (rule->cfa_register == SREG_NONE ||
        (rule->cfa_register == SREG_BP && !(state->known & 1 << BP_INDEX)))
        return false;
    uint64_t base = rule->cfa_register == SREG_SP ? state->sp : state->value[BP_INDEX];
    uint64_t at = base + (uint64_t)(int64_t)rule->cfa_offset;
    *cfa = at;
    /* The word that holds it is just below the gap of the realignment, or has changed since. */
    if (rule->cfa_loaded && (!read_stack(state, at, cfa) || *cfa - at > REALIGNED_MAX))
        return false;
    return *cfa > state->sp && *cfa - state->sp < STACK_MAX && !(*cfa & 7);
}

static bool read_slot(struct state *state, struct unwind_slot slot, uint64_t cfa, uint64_t bp,
                      uint64_t *value)
{
    return read_stack(state, (slot.from_bp ? bp : cfa) + (uint64_t)(int64_t)slot.offset, value);
}

static bool unwind_step(const struct unwind_rule *rule, struct state *state, uint64_t cfa)
{
    uint64_t return_address;
    uint64_t bp = state->value[BP_INDEX];
    bool bp_known = state->known & 1 << BP_INDEX;
    if (!read_slot(state, rule->return_address, cfa, bp, &return_address) || !return_address)
        return false;
    for (unsigned i = 0; i < CALLEE_SAVED; i++) {
        const struct unwind_slot *slot = &rule->saved[i];
        if (slot->offset == unchanged)
            continue;
        bool good =
            (bp_known || !slot->from_bp) && read_slot(state, *slot, cfa, bp, &state->value[i]);
        state->known &= (uint8_t) ~(1u << i);
        state->known |= (uint8_t)(good << i);
    }
    state->sp = cfa;
    state->pc = return_address - 1;
    return true;
}

static void unwind_begin(struct state *state, pid_t pid, const uint64_t regs[SREG_COUNT])
{
    state->pc = regs[SREG_IP];
    state->sp = state->lowest = regs[SREG_SP];
    state->known = (1 << CALLEE_SAVED) - 1;
    state->pid = pid;
    state->window_bytes = 0;
    state->window_start = 0;
    state->copy = NULL;
    state->copy_bytes = 0;
    state->window_follows_copy = false;
    for (unsigned i = 0; i < CALLEE_SAVED; i++)
        state->value[i] = regs[kept[i]];
}

bool unwind_find(struct unwind *unwind, struct space *space, const uint64_t regs[SREG_COUNT],
                 uint64_t address, struct unwind_frame *frame)
{
    struct state state;
    unwind_begin(&state, unwind->pid, regs);
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
        if (!unwind_step(rule, &state, cfa))
            return false;
    }
    return false;
}

/* Steps over a frame that no unwind table covers, by its frame pointer: System V ABI AMD64 1.0,
 * figure 3.3. Registers that it saved elsewhere are lost. */
static bool step_frame_pointer(struct state *state)
{
    uint64_t base = state->value[BP_INDEX];
    uint64_t saved;
    uint64_t return_address;
    if (!(state->known & 1 << BP_INDEX) || base < state->sp || base & 7 ||
        !read_stack(state, base, &saved) || !read_stack(state, base + 8, &return_address))
        return false;
    state->known = 1 << BP_INDEX;
    state->value[BP_INDEX] = saved;
    state->sp = base + 16;
    state->pc = return_address - 1;
    return return_address;
}

size_t unwind_callers(struct unwind *unwind, struct space *space, const uint64_t regs[SREG_COUNT],
                      const struct unwind_copy *copy, uint64_t *pcs, size_t most)
{
    struct state state;
    size_t count = 0;
    unwind_begin(&state, unwind->pid, regs);
    state.copy = copy->bytes;
    state.copy_bytes = copy->size_bytes;
    const struct unwind_rule *rule = rule_at(unwind, space, state.pc);
    while (rule && count < most) {
        uint64_t cfa;
        /* A leaf function may have set up no frame; its frame pointer is then its caller's. */
        bool stepped = rule->no_table && count
                           ? step_frame_pointer(&state)
                           : frame_address(rule, &state, &cfa) && unwind_step(rule, &state, cfa);
        rule = stepped ? rule_at(unwind, space, state.pc) : NULL;
        if (!rule || !rule->after_call)
            break;
        pcs[count++] = state.pc;
    }
    return count;
}

bool unwind_is_call(struct unwind *unwind, struct space *space, uint64_t pc)
{
    const struct unwind_rule *rule = rule_at(unwind, space, pc);
    return rule && rule->after_call;
}
