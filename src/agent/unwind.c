/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agent/unwind.h"

#include <dlfcn.h>
#include <errno.h>
#include <features.h>
#include <link.h>
#include <string.h>
#include <sys/syscall.h>

enum { PAGE = 4096, PAGES_MAX = 2048, PAGES_DOWN_MAX = 64, CODE_LOWEST = 4096 };

/*
 * Rules by return address, shared by all threads without locks. The first word is the address mixed
 * with the second word, so a slot with words of two threads matches no address. Each dlclose()
 * changes the mixing, and earlier rules are no longer found.
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

/* Changes nothing: the kernel copies the signal set before it checks `how`. EFAULT or EINVAL. */
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

/* Extends the known stack range down to the stack pointer, or starts a new range elsewhere. */
static void extend_stack_range(struct unwind *unwind, uint64_t address)
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

/* Returns true if the word can be read (at or above the stack pointer); extends the range. */
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

static struct rule cached_rule(const struct unwind *unwind, uint64_t return_address)
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
    uint64_t address; /* the return address */
    uint64_t stack;   /* rsp and rbp in the frame that it returns to */
    uint64_t frame;
    bool frame_is_live; /* rbp still has the value of the wrapper's caller */
    bool used_live_frame;
};

static uint64_t use_frame(struct step *step)
{
    step->used_live_frame |= step->frame_is_live;
    return step->frame;
}

static uint64_t load_word(uint64_t address)
{
    return *(const uint64_t *)(uintptr_t)address;
}

/* Returns the CFA of the frame; 0: unknown. */
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
        return at >= step->stack && can_read(unwind, at) ? load_word(at) : 0;
    case RULE_UNKNOWN: /* generated code: uses rbp if it can be a frame pointer */
        return use_frame(step) >= step->stack ? step->frame + 16 : 0;
    default:
        return 0;
    }
}

/* Returns the address of the caller's saved rbp; 0: rbp is unchanged. */
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

static enum unwind_way rule_way(const struct rule *rule)
{
    if (rule->cfa == RULE_STACK && rule->rbp != RULE_AT_RBP)
        return UNWIND_BY_STACK;
    return rule->cfa == RULE_FRAME || rule->cfa == RULE_UNKNOWN ? UNWIND_BY_FRAME : UNWIND_BY_RULE;
}

/* Moves to the next frame; its CFA and saved rbp are known to be readable. */
static void move_to_caller(struct step *step, uint64_t cfa, uint64_t saved)
{
    step->address = load_word(cfa - 8);
    step->stack = cfa;
    if (saved) {
        step->frame = load_word(saved);
        step->frame_is_live = false;
    }
}

static bool step_by_rule(struct unwind *unwind, struct step *step, struct unwound_frame *from)
{
    const struct rule rule = cached_rule(unwind, step->address);
    uint64_t cfa = find_cfa(unwind, step, &rule);
    if (cfa <= step->stack || !can_read(unwind, cfa - 8) || load_word(cfa - 8) < CODE_LOWEST)
        return false;
    uint64_t saved = find_saved(step, &rule, cfa);
    /* A saved value is inside the frame, otherwise the rule is wrong. */
    if (saved && (saved < step->stack || saved >= cfa || saved & 7))
        return false;
    from->found_by = rule_way(&rule);
    from->saved_rbp_offset = saved ? (int32_t)(saved - from->slot) : 0;
    if (saved && saved - from->slot > INT32_MAX)
        from->found_by = UNWIND_BY_RULE;
    move_to_caller(step, cfa, saved);
    return true;
}

/* Steps without a rule: a frame at the same position as before has the same next frame. */
static bool step_like_previous(struct unwind *unwind, struct step *step, struct unwound_frame *from,
                               const struct unwound_frame *before)
{
    if (before->slot != from->slot || before->address != from->address ||
        before->found_by == UNWIND_BY_RULE)
        return false;
    if (before->found_by == UNWIND_BY_FRAME) {
        if (before->frame != step->frame)
            return false;
        use_frame(step);
    }
    /* Check as if untrusted: a signal handler may have unwound in between. */
    uint64_t slot = before[1].slot;
    uint64_t saved =
        before->saved_rbp_offset ? from->slot + (uint64_t)(int64_t)before->saved_rbp_offset : 0;
    if (slot <= from->slot || (UNLIKELY(slot >= unwind->high) && !can_read(unwind, slot)) ||
        (saved && (saved <= from->slot || saved >= slot)))
        return false;
    if (UNLIKELY(load_word(slot) < CODE_LOWEST))
        return false;
    from->found_by = before->found_by;
    from->saved_rbp_offset = before->saved_rbp_offset;
    move_to_caller(step, slot + 8, saved);
    return true;
}

/* Walks the stack. `before` to `last`: frames of the previous unwinding, without the outermost. */
static void walk_frames(struct unwind *unwind, struct step *step,
                        const struct unwound_frame *before, const struct unwound_frame *last,
                        struct unwound *out)
{
    uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t hash = 0;
    unsigned count = 0; /* not in `out`: a handler that allocates may be filling it, too */
    for (;;) {
        struct unwound_frame *from = &out->frames[count++];
        from->address = step->address;
        from->slot = step->stack - 8;
        from->frame = step->frame;
        hash += step->address * factor; /* a sum, so that the multiplications are independent */
        factor *= UINT64_C(0xd1342543de82ef95);
        if (count == AGENT_DEPTH_MAX)
            break;
        while (before < last && before->slot < from->slot)
            before++;
        if (!(before < last && step_like_previous(unwind, step, from, before)) &&
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
    extend_stack_range(unwind, step.stack - 8);
    const struct unwound *before = &unwind->stacks[unwind->current & 1];
    unsigned inner = before->count ? before->count - 1 : 0;
    unwind->current ^= 1;
    struct unwound *out = &unwind->stacks[unwind->current & 1];
    walk_frames(unwind, &step, before->frames, before->frames + inner, out);
    return out;
}

/* Pointer encodings (LSB Core, DWARF extensions). */
enum {
    FORM_MASK = 0x0f,
    FORM_ABSOLUTE = 0x00,
    FORM_UDATA4 = 0x03,
    FORM_UDATA8 = 0x04,
    FORM_SDATA4 = 0x0b,
    FORM_SDATA8 = 0x0c,
    APPLY_MASK = 0x70,
    APPLY_PCREL = 0x10,
    TABLE_ENCODING = 0x3b, /* sdata4, relative to the table's header: used by every linker */
};

#if __GLIBC_PREREQ(2, 35)
static int (*find_object)(void *, struct dl_find_object *);
#endif

void rule_start(void)
{
#if __GLIBC_PREREQ(2, 35)
    /* By name, so that the agent also loads with an older libc than the one it was built with. */
    find_object = (int (*)(void *, struct dl_find_object *))dlsym(RTLD_DEFAULT, "_dl_find_object");
#endif
}

struct fde_search {
    uint64_t address;
    struct dl_phdr_info *library;
};

static int find_library_segment(struct dl_phdr_info *info, size_t size, void *data)
{
    const struct fde_search *search = data;
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD ||
            search->address - info->dlpi_addr - segment->p_vaddr >= segment->p_memsz)
            continue;
        search->library->dlpi_addr = info->dlpi_addr;
        search->library->dlpi_phdr = info->dlpi_phdr;
        search->library->dlpi_phnum = info->dlpi_phnum;
        return 1;
    }
    return 0;
}

bool unwind_find_library(uint64_t address, struct dl_phdr_info *library)
{
    struct fde_search search = {address, library};
    return dl_iterate_phdr(find_library_segment, &search);
}

/* Uses dl_iterate_phdr() as a last resort: constructors run under its lock, and may wait for a lock
 * of a thread that allocates from a new place. Both would wait forever. */
static const uint8_t *table_header(uint64_t address)
{
#if __GLIBC_PREREQ(2, 35)
    struct dl_find_object object;
    if (find_object)
        return find_object((void *)address, &object) ? NULL : object.dlfo_eh_frame;
#endif
    struct dl_phdr_info library;
    bool found = unwind_find_library(address, &library);
    for (unsigned i = 0; found && i < library.dlpi_phnum; i++)
        if (library.dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
            return (const uint8_t *)(library.dlpi_addr + library.dlpi_phdr[i].p_vaddr);
    return NULL;
}

/* Uses __builtin_memcpy, here and below: -fno-builtin would make a call of memcpy. */
static uint32_t read_u32(const uint8_t *at)
{
    uint32_t value;
    __builtin_memcpy(&value, at, sizeof value);
    return value;
}

static int32_t read_s32(const uint8_t *at)
{
    return (int32_t)read_u32(at);
}

static uint64_t frame_table_uleb(const uint8_t **at, const uint8_t *end)
{
    uint64_t value = 0;
    for (unsigned shift = 0; *at < end; shift += 7) {
        uint8_t byte = *(*at)++;
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            break;
    }
    return value;
}

static int64_t frame_table_sleb(const uint8_t **at, const uint8_t *end)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte = 0;
    while (*at < end) {
        byte = *(*at)++;
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
        if (!(byte & 0x80))
            break;
    }
    if (byte & 0x40 && shift < 64)
        value |= ~UINT64_C(0) << shift;
    return (int64_t)value;
}

/* Returns the last entry of the sorted table that starts at or below the address, or NULL. */
static const uint8_t *search_table(const uint8_t *header, uint64_t address)
{
    enum { PAIRS_AT = 12, PAIR_BYTES = 8 };
    if (header[0] != 1 || (header[1] & FORM_MASK) != FORM_SDATA4 || header[2] != FORM_UDATA4 ||
        header[3] != TABLE_ENCODING)
        return NULL;
    const uint8_t *pairs = header + PAIRS_AT;
    uint32_t low = 0;
    uint32_t high = read_u32(header + 8);
    int64_t wanted = (int64_t)(address - (uint64_t)(uintptr_t)header);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (read_s32(pairs + (uint64_t)middle * PAIR_BYTES) <= wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? header + read_s32(pairs + (uint64_t)(low - 1) * PAIR_BYTES + 4) : NULL;
}

/* Returns the width of an encoded pointer; 0: a form that is not used for code. */
static unsigned pointer_form_bytes(uint8_t encoding)
{
    switch (encoding & FORM_MASK) {
    case FORM_ABSOLUTE:
    case FORM_UDATA8:
    case FORM_SDATA8:
        return 8;
    case FORM_UDATA4:
    case FORM_SDATA4:
        return 4;
    default:
        return 0;
    }
}

static uint64_t read_form(const uint8_t *at, uint8_t encoding)
{
    uint64_t value;
    if (pointer_form_bytes(encoding) == 8)
        __builtin_memcpy(&value, at, sizeof value);
    else if ((encoding & FORM_MASK) == FORM_SDATA4)
        value = (uint64_t)(int64_t)read_s32(at);
    else
        value = read_u32(at);
    return (encoding & APPLY_MASK) == APPLY_PCREL ? value + (uint64_t)(uintptr_t)at : value;
}

/* Reads the letters of the augmentation. Returns false on an unknown letter. */
static bool read_augmentation(const char *letters, const uint8_t *at, const uint8_t *end,
                              uint8_t *encoding, struct frame_entry *entry)
{
    for (; *letters && at < end; letters++) {
        if (*letters == 'R')
            *encoding = *at++;
        else if (*letters == 'L')
            at++;
        else if (*letters == 'P')
            at += 1 + pointer_form_bytes(*at);
        else if (*letters == 'S')
            entry->is_signal = true;
        else
            return false;
    }
    for (; *letters; letters++)
        entry->is_signal |= *letters == 'S';
    return at <= end;
}

static bool read_common(const uint8_t *at, uint8_t *encoding, struct frame_entry *entry)
{
    uint32_t length = read_u32(at);
    const uint8_t *end = at + 4 + length;
    if (length < 8 || length >= 0xfffffff0 || read_u32(at + 4))
        return false;
    at += 9; /* length, id, version */
    const char *letters = (const char *)at;
    at += strnlen(letters, (size_t)(end - at)) + 1;
    entry->code_align = frame_table_uleb(&at, end);
    entry->data_align = frame_table_sleb(&at, end);
    frame_table_uleb(&at, end); /* return address column: 16 */
    if (*letters == 'z') {
        uint64_t bytes = frame_table_uleb(&at, end);
        if (at > end || bytes > (uint64_t)(end - at) ||
            !read_augmentation(letters + 1, at, at + bytes, encoding, entry))
            return false;
        at += bytes;
    } else if (*letters) {
        return false;
    }
    entry->cie_instructions = at;
    entry->cie_end = end;
    return at <= end;
}

/* Returns false if no entry covers the address, or it has a form that compilers do not emit. */
static bool frame_table_find(uint64_t address, struct frame_entry *entry)
{
    const uint8_t *header = table_header(address);
    const uint8_t *at = header ? search_table(header, address) : NULL;
    uint8_t encoding = FORM_ABSOLUTE;
    *entry = (struct frame_entry){0};
    if (!at)
        return false;
    uint32_t length = read_u32(at);
    const uint8_t *end = at + 4 + length;
    if (length < 12 || length >= 0xfffffff0 ||
        !read_common(at + 4 - read_u32(at + 4), &encoding, entry))
        return false;
    at += 8;
    unsigned width = pointer_form_bytes(encoding);
    if (!width || at + 2 * width > end)
        return false;
    entry->start = read_form(at, encoding);
    uint64_t bytes = read_form(at + width, encoding & FORM_MASK);
    at += 2 * width;
    /* Skip the augmentation data: every compiler uses 'z', so their length comes first. */
    uint64_t skip = frame_table_uleb(&at, end);
    if (at > end || skip > (uint64_t)(end - at))
        return false;
    entry->fde_instructions = at + skip;
    entry->fde_end = end;
    return address - entry->start < bytes;
}

enum { DWARF_RBP = 6, DWARF_RSP = 7, DWARF_RIP = 16 };
enum { OP_DEREF = 0x06, OP_BREG_RBP = 0x76 };

/* One row of the unwind table, reduced to what the agent uses. */
struct row {
    uint64_t reg; /* CFA = reg + offset */
    int64_t offset;
    int64_t rbp_offset;
    uint8_t rbp; /* enum rule_rbp */
    bool is_realigned;
    bool is_unsupported; /* CFA or rbp by an unknown expression, or no caller */
};

enum { REMEMBERED_MAX = 8 };

struct cfa_program {
    const struct frame_entry *entry;
    const uint8_t *at;
    const uint8_t *end;
    uint64_t location;
    uint64_t address; /* rows up to this address apply */
    struct row row;
    struct row initial;
    struct row remembered[REMEMBERED_MAX];
    unsigned depth;
    bool is_malformed;
};

static uint64_t take_uleb(struct cfa_program *machine)
{
    return frame_table_uleb(&machine->at, machine->end);
}

static int64_t take_sleb(struct cfa_program *machine)
{
    return frame_table_sleb(&machine->at, machine->end);
}

static uint64_t take_bytes(struct cfa_program *machine, unsigned bytes)
{
    uint64_t value = 0;
    if ((uint64_t)(machine->end - machine->at) < bytes) {
        machine->is_malformed = true;
        return 0;
    }
    __builtin_memcpy(&value, machine->at, bytes);
    machine->at += bytes;
    return value;
}

static void set_saved(struct cfa_program *machine, uint64_t reg, int64_t offset)
{
    if (reg == DWARF_RBP) {
        machine->row.rbp = RULE_AT_CFA;
        machine->row.rbp_offset = offset;
    } else if (reg == DWARF_RIP && offset != -8) {
        machine->row.is_unsupported = true;
    }
}

static void set_restored(struct cfa_program *machine, uint64_t reg)
{
    if (reg == DWARF_RBP) {
        machine->row.rbp = machine->initial.rbp;
        machine->row.rbp_offset = machine->initial.rbp_offset;
    }
}

/* Handles a register that is undefined, in another register, or given by an expression: only rbp
 * and the return address matter. */
static void mark_unfollowed(struct cfa_program *machine, uint64_t reg)
{
    if (reg == DWARF_RBP || reg == DWARF_RIP)
        machine->row.is_unsupported = true;
}

static void set_cfa(struct cfa_program *machine, uint64_t reg, int64_t offset)
{
    machine->row.reg = reg;
    machine->row.offset = offset;
    machine->row.is_realigned = false;
}

/* Parses "rbp + n", optionally dereferenced. Returns false for any other expression. */
static bool take_rbp_expression(struct cfa_program *machine, int64_t *offset, bool *deref)
{
    uint64_t bytes = take_uleb(machine);
    if (machine->at > machine->end || bytes > (uint64_t)(machine->end - machine->at)) {
        machine->is_malformed = true;
        return false;
    }
    const uint8_t *at = machine->at;
    const uint8_t *end = at + bytes;
    machine->at = end;
    if (at == end || *at++ != OP_BREG_RBP)
        return false;
    *offset = frame_table_sleb(&at, end);
    *deref = at < end && *at == OP_DEREF;
    return at + *deref == end;
}

static void cfa_expression(struct cfa_program *machine)
{
    int64_t offset;
    bool deref;
    if (take_rbp_expression(machine, &offset, &deref) && deref) {
        set_cfa(machine, DWARF_RBP, offset);
        machine->row.is_realigned = true;
    } else {
        machine->row.reg = DWARF_RIP; /* unsupported until another rule sets it */
    }
}

static void saved_expression(struct cfa_program *machine)
{
    int64_t offset;
    bool deref;
    uint64_t reg = take_uleb(machine);
    if (take_rbp_expression(machine, &offset, &deref) && !deref && reg == DWARF_RBP) {
        machine->row.rbp = RULE_AT_RBP;
        machine->row.rbp_offset = offset;
    } else {
        mark_unfollowed(machine, reg);
    }
}

static void value_expression(struct cfa_program *machine)
{
    int64_t offset;
    bool deref;
    uint64_t reg = take_uleb(machine);
    take_rbp_expression(machine, &offset, &deref);
    mark_unfollowed(machine, reg);
}

static void rule_remember_row(struct cfa_program *machine)
{
    if (machine->depth < REMEMBERED_MAX)
        machine->remembered[machine->depth++] = machine->row;
    else
        machine->is_malformed = true;
}

static void restore_row(struct cfa_program *machine)
{
    if (machine->depth)
        machine->row = machine->remembered[--machine->depth];
    else
        machine->is_malformed = true;
}

/* Executes an instruction with its operand in the low bits. */
static bool execute_short(struct cfa_program *machine, uint8_t code)
{
    uint8_t operand = code & 0x3f;
    switch (code & 0xc0) {
    case 0x40:
        machine->location += operand * machine->entry->code_align;
        return true;
    case 0x80:
        set_saved(machine, operand, (int64_t)take_uleb(machine) * machine->entry->data_align);
        return true;
    case 0xc0:
        set_restored(machine, operand);
        return true;
    default:
        return false;
    }
}

/* Numbers as in DWARF 5, 7.24. Long on purpose: one switch over all of them. */
static void execute_instruction(struct cfa_program *machine)
{
    uint8_t code = *machine->at++;
    uint64_t reg;
    if (execute_short(machine, code))
        return;
    switch (code) {
    case 0x00: /* nop */
        return;
    case 0x02: /* advance_loc1, 2, 4 */
    case 0x03:
    case 0x04:
        machine->location += take_bytes(machine, 1u << (code - 2)) * machine->entry->code_align;
        return;
    case 0x05: /* offset_extended */
        reg = take_uleb(machine);
        set_saved(machine, reg, (int64_t)take_uleb(machine) * machine->entry->data_align);
        return;
    case 0x06: /* restore_extended */
        set_restored(machine, take_uleb(machine));
        return;
    case 0x07: /* undefined */
        mark_unfollowed(machine, take_uleb(machine));
        return;
    case 0x08: /* same_value */
        if (take_uleb(machine) == DWARF_RBP)
            machine->row.rbp = RULE_KEPT;
        return;
    case 0x09: /* register */
    case 0x14: /* val_offset */
    case 0x15: /* val_offset_sf: the second operand is skipped in the same way */
        mark_unfollowed(machine, take_uleb(machine));
        take_uleb(machine);
        return;
    case 0x0a:
        rule_remember_row(machine);
        return;
    case 0x0b:
        restore_row(machine);
        return;
    case 0x0c: /* def_cfa */
        reg = take_uleb(machine);
        set_cfa(machine, reg, (int64_t)take_uleb(machine));
        return;
    case 0x0d: /* def_cfa_register */
        set_cfa(machine, take_uleb(machine), machine->row.offset);
        return;
    case 0x0e: /* def_cfa_offset */
        machine->row.offset = (int64_t)take_uleb(machine);
        return;
    case 0x0f:
        cfa_expression(machine);
        return;
    case 0x10:
        saved_expression(machine);
        return;
    case 0x11: /* offset_extended_sf */
        reg = take_uleb(machine);
        set_saved(machine, reg, take_sleb(machine) * machine->entry->data_align);
        return;
    case 0x12: /* def_cfa_sf */
        reg = take_uleb(machine);
        set_cfa(machine, reg, take_sleb(machine) * machine->entry->data_align);
        return;
    case 0x13: /* def_cfa_offset_sf */
        machine->row.offset = take_sleb(machine) * machine->entry->data_align;
        return;
    case 0x16:
        value_expression(machine);
        return;
    case 0x2e: /* GNU_args_size */
        take_uleb(machine);
        return;
    default:
        machine->is_malformed = true;
        return;
    }
}

static void run_instructions(struct cfa_program *machine, const uint8_t *from, const uint8_t *to)
{
    machine->at = from;
    machine->end = to;
    while (machine->at < machine->end && machine->location <= machine->address &&
           !machine->is_malformed)
        execute_instruction(machine);
}

static struct rule make_rule(const struct row *row)
{
    struct rule rule = {.cfa = RULE_END};
    if (row->is_unsupported || row->offset != (int32_t)row->offset ||
        row->rbp_offset != (int16_t)row->rbp_offset)
        return rule;
    if (row->reg == DWARF_RSP)
        rule.cfa = RULE_STACK;
    else if (row->reg == DWARF_RBP)
        rule.cfa = row->is_realigned ? RULE_REALIGNED : RULE_FRAME;
    rule.cfa_offset = (int32_t)row->offset;
    rule.rbp = row->rbp;
    rule.rbp_offset = (int16_t)row->rbp_offset;
    return rule;
}

struct rule rule_find(uint64_t return_address)
{
    struct rule rule = {.cfa = RULE_UNKNOWN};
    struct frame_entry entry;
    /* Look up the call itself: it may be the last instruction of a function. */
    uint64_t address = return_address - 1;
    if (frame_table_find(address, &entry)) {
        struct cfa_program machine = {.entry = &entry, .location = entry.start, .address = address};
        run_instructions(&machine, entry.cie_instructions, entry.cie_end);
        machine.initial = machine.row;
        run_instructions(&machine, entry.fde_instructions, entry.fde_end);
        rule = machine.is_malformed || entry.is_signal ? (struct rule){.cfa = RULE_END}
                                                       : make_rule(&machine.row);
    }
    rule.return_address = return_address;
    return rule;
}
