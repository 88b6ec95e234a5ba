/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agent/rule.h"

#include "agent/frame_table.h"

#include <string.h>

enum { DWARF_RBP = 6, DWARF_RSP = 7, DWARF_RIP = 16 };
enum { OP_DEREF = 0x06, OP_BREG_RBP = 0x76 };

/* One row of the unwind table, as far as we follow it. */
struct row {
    uint64_t reg; /* CFA = reg + offset */
    int64_t offset;
    int64_t rbp_offset;
    uint8_t rbp; /* enum rule_rbp */
    bool is_realigned;
    bool is_odd; /* CFA or rbp by an expression we do not know, or no caller */
};

enum { REMEMBERED_MAX = 8 };

struct machine {
    const struct frame_entry *entry;
    const uint8_t *at;
    const uint8_t *end;
    uint64_t location;
    uint64_t address; /* rows up to here count */
    struct row row;
    struct row initial;
    struct row remembered[REMEMBERED_MAX];
    unsigned depth;
    bool is_bad;
};

static uint64_t take_uleb(struct machine *machine)
{
    return frame_table_uleb(&machine->at, machine->end);
}

static int64_t take_sleb(struct machine *machine)
{
    return frame_table_sleb(&machine->at, machine->end);
}

static uint64_t take_bytes(struct machine *machine, unsigned bytes)
{
    uint64_t value = 0;
    if ((uint64_t)(machine->end - machine->at) < bytes) {
        machine->is_bad = true;
        return 0;
    }
    __builtin_memcpy(&value, machine->at, bytes);
    machine->at += bytes;
    return value;
}

static void set_saved(struct machine *machine, uint64_t reg, int64_t offset)
{
    if (reg == DWARF_RBP) {
        machine->row.rbp = RULE_AT_CFA;
        machine->row.rbp_offset = offset;
    } else if (reg == DWARF_RIP && offset != -8) {
        machine->row.is_odd = true;
    }
}

static void set_restored(struct machine *machine, uint64_t reg)
{
    if (reg == DWARF_RBP) {
        machine->row.rbp = machine->initial.rbp;
        machine->row.rbp_offset = machine->initial.rbp_offset;
    }
}

/* Undefined, in another register, or by an expression: only rbp and the caller matter. */
static void set_unfollowed(struct machine *machine, uint64_t reg)
{
    if (reg == DWARF_RBP || reg == DWARF_RIP)
        machine->row.is_odd = true;
}

static void set_cfa(struct machine *machine, uint64_t reg, int64_t offset)
{
    machine->row.reg = reg;
    machine->row.offset = offset;
    machine->row.is_realigned = false;
}

/* "rbp + n", and whether the word there is meant; false: another expression. */
static bool take_rbp_expression(struct machine *machine, int64_t *offset, bool *deref)
{
    uint64_t bytes = take_uleb(machine);
    if (machine->at > machine->end || bytes > (uint64_t)(machine->end - machine->at)) {
        machine->is_bad = true;
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

static void cfa_expression(struct machine *machine)
{
    int64_t offset;
    bool deref;
    if (take_rbp_expression(machine, &offset, &deref) && deref) {
        set_cfa(machine, DWARF_RBP, offset);
        machine->row.is_realigned = true;
    } else {
        machine->row.reg = DWARF_RIP; /* none we follow, until another rule sets it */
    }
}

static void saved_expression(struct machine *machine)
{
    int64_t offset;
    bool deref;
    uint64_t reg = take_uleb(machine);
    if (take_rbp_expression(machine, &offset, &deref) && !deref && reg == DWARF_RBP) {
        machine->row.rbp = RULE_AT_RBP;
        machine->row.rbp_offset = offset;
    } else {
        set_unfollowed(machine, reg);
    }
}

static void value_expression(struct machine *machine)
{
    int64_t offset;
    bool deref;
    uint64_t reg = take_uleb(machine);
    take_rbp_expression(machine, &offset, &deref);
    set_unfollowed(machine, reg);
}

static void remember(struct machine *machine)
{
    if (machine->depth < REMEMBERED_MAX)
        machine->remembered[machine->depth++] = machine->row;
    else
        machine->is_bad = true;
}

static void recall(struct machine *machine)
{
    if (machine->depth)
        machine->row = machine->remembered[--machine->depth];
    else
        machine->is_bad = true;
}

/* The instructions with an operand in their low bits. */
static bool execute_short(struct machine *machine, uint8_t code)
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

/* One instruction; numbers as in DWARF 5, 7.24. A switch over all of them: long on purpose. */
static void execute(struct machine *machine)
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
        set_unfollowed(machine, take_uleb(machine));
        return;
    case 0x08: /* same_value */
        if (take_uleb(machine) == DWARF_RBP)
            machine->row.rbp = RULE_KEPT;
        return;
    case 0x09: /* register */
    case 0x14: /* val_offset */
    case 0x15: /* val_offset_sf: of either length, the second operand is skipped the same way */
        set_unfollowed(machine, take_uleb(machine));
        take_uleb(machine);
        return;
    case 0x0a:
        remember(machine);
        return;
    case 0x0b:
        recall(machine);
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
        machine->is_bad = true;
        return;
    }
}

static void run(struct machine *machine, const uint8_t *from, const uint8_t *to)
{
    machine->at = from;
    machine->end = to;
    while (machine->at < machine->end && machine->location <= machine->address && !machine->is_bad)
        execute(machine);
}

/* The row that holds at the address, as a rule. */
static struct rule make_rule(const struct row *row)
{
    struct rule rule = {.cfa = RULE_END};
    if (row->is_odd || row->offset != (int32_t)row->offset ||
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

void rule_start(void)
{
    frame_table_start();
}

struct rule rule_find(uint64_t return_address)
{
    struct rule rule = {.cfa = RULE_UNKNOWN};
    struct frame_entry entry;
    /* The call itself, not what follows: a call may be the last instruction of a function. */
    uint64_t address = return_address - 1;
    if (frame_table_find(address, &entry)) {
        struct machine machine = {.entry = &entry, .location = entry.start, .address = address};
        run(&machine, entry.common, entry.common_end);
        machine.initial = machine.row;
        run(&machine, entry.own, entry.own_end);
        rule = machine.is_bad || entry.is_signal ? (struct rule){.cfa = RULE_END}
                                                 : make_rule(&machine.row);
    }
    rule.return_address = return_address;
    return rule;
}
