/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "resolve/dwarf/program.h"
#include "resolve/elf/cfi.h"
#include "sample.h"

enum { DEPTH_MAX = 64, ENTRIES_MAX = 1 << 20, ITEMS_MAX = 1 << 18, RANGES_MAX = 1 << 14 };

/* The base of DW_OP_fbreg. */
struct place_frame {
    uint8_t reg; /* enum sample_register, WHERE_CFA, or SREG_NONE: not supported */
    int64_t offset;
};

struct where_reader {
    struct wheres *wheres;
    struct shapes *shapes;
    const struct routine *routine;
    struct place_frame frame;
    unsigned left; /* entries that may still be read */
};

/* A variable with a location for one range of addresses. */
struct where_variable {
    struct where_reader *reader;
    Dwarf_Die die;
    uint32_t shape;
    uint32_t depth;
    uint64_t start;
    uint64_t end;
    bool is_whole_scope;
};

/* Returns the register of DW_OP_regN or DW_OP_bregN; SREG_NONE: another operation. */
static uint8_t register_of(const Dwarf_Op *op)
{
    if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
        return cfi_register(op->atom - DW_OP_reg0);
    if (op->atom == DW_OP_regx)
        return cfi_register((unsigned)op->number);
    return SREG_NONE;
}

static bool read_base_register(const Dwarf_Op *op, const struct place_frame *frame, uint8_t *reg,
                               int64_t *offset)
{
    unsigned number;
    *reg = SREG_NONE;
    if (cfi_register_offset(op, &number, offset)) {
        *reg = cfi_register(number);
    } else if (op->atom == DW_OP_fbreg && frame) {
        *reg = frame->reg;
        *offset = (int64_t)(op->number + (uint64_t)frame->offset);
    } else if (op->atom == DW_OP_call_frame_cfa) {
        *reg = WHERE_CFA;
        *offset = 0;
    }
    return *reg != SREG_NONE;
}

static void place_frame(struct place_frame *frame, Dwarf_Die *function)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count = 0;
    *frame = (struct place_frame){.reg = SREG_NONE};
    if (!dwarf_attr_integrate(function, DW_AT_frame_base, &attribute))
        return;
    /* DWARF 2 cannot refer to the canonical frame address. gcc describes it by a list instead, or
     * by the stack pointer, which is valid only at the start of the function. */
    if (dwarf_getlocation(&attribute, &ops, &count) || (count && ops[0].atom == DW_OP_breg7)) {
        frame->reg = WHERE_CFA;
        return;
    }
    if (count != 1)
        return;
    frame->reg = register_of(&ops[0]);
    if (frame->reg == SREG_NONE)
        read_base_register(&ops[0], NULL, &frame->reg, &frame->offset);
}

static bool is_piece(const Dwarf_Op *op)
{
    return op->atom == DW_OP_piece || op->atom == DW_OP_bit_piece;
}

static uint64_t piece_bytes(const Dwarf_Op *op)
{
    return op->atom == DW_OP_piece ? op->number : op->number / 8;
}

/* Interprets the operations up to a piece's size, or all. */
static bool read_piece(const Dwarf_Op *ops, size_t count, const struct place_frame *frame,
                       struct where *piece)
{
    size_t at = 1;
    if (!count)
        return false; /* optimised away */
    piece->reg = register_of(&ops[0]);
    piece->offset = 0;
    piece->kind = WHERE_HELD;
    if (piece->reg != SREG_NONE)
        return count == 1;
    if (!read_base_register(&ops[0], frame, &piece->reg, &piece->offset))
        return false;
    for (; at < count && (ops[at].atom == DW_OP_plus_uconst || ops[at].atom == DW_OP_nop); at++)
        if (ops[at].atom == DW_OP_plus_uconst)
            piece->offset = (int64_t)((uint64_t)piece->offset + ops[at].number);
    piece->kind = WHERE_MEMORY;
    if (at < count && ops[at].atom == DW_OP_stack_value) {
        piece->kind = WHERE_COMPUTED;
        at++;
    } else if (at < count && ops[at].atom == DW_OP_deref) {
        bool value = at + 1 < count && ops[at + 1].atom == DW_OP_stack_value;
        piece->kind = value ? WHERE_MEMORY : WHERE_POINTED;
        at += value ? 2 : 1;
    }
    return at == count;
}

static void add_where(const struct where_variable *found, const struct where *piece)
{
    struct wheres *wheres = found->reader->wheres;
    bool held = piece->kind == WHERE_HELD || piece->kind == WHERE_COMPUTED;
    struct where_list *list = held ? &wheres->in_register : &wheres->in_memory;
    if (!array_reserve_next(&list->at, &list->room, list->count, sizeof *list->at, ITEMS_MAX))
        return;
    struct where *where = &list->at[list->count++];
    *where = *piece;
    where->variable = found->die;
    where->shape = found->shape;
    where->depth = found->depth;
    where->is_whole_scope = found->is_whole_scope;
    where->start = found->start + found->reader->routine->bias;
    where->end = found->end + found->reader->routine->bias;
}

/* Adds a location expression (DWARF 5, 2.6), piece by piece. Expressions with more than a register
 * and an offset are skipped. `size`: of the variable, 0: not known. */
static void take_location(const struct where_variable *found, const Dwarf_Op *ops, size_t count,
                          uint64_t size)
{
    struct where piece = {0};
    for (size_t start = 0; start < count;) {
        size_t end = start;
        while (end < count && !is_piece(&ops[end]))
            end++;
        piece.size = end < count ? piece_bytes(&ops[end]) : size;
        if (read_piece(ops + start, end - start, &found->reader->frame, &piece))
            add_where(found, &piece);
        piece.piece_offset += piece.size;
        start = end + 1;
    }
}

/* Adds a location that is not a list; it is valid wherever its scope has code. */
static void take_plain_location(struct where_variable *found, Dwarf_Die *scope, const Dwarf_Op *ops,
                                size_t count, uint64_t size)
{
    Dwarf_Addr base;
    ptrdiff_t at = 0;
    found->is_whole_scope = true;
    for (unsigned i = 0; i < RANGES_MAX; i++) {
        at = dwarf_ranges(scope, at, &base, &found->start, &found->end);
        if (at <= 0)
            return;
        take_location(found, ops, count, size);
    }
}

static void read_variable(struct where_reader *reader, Dwarf_Die *scope, unsigned depth,
                          Dwarf_Die *variable)
{
    struct where_variable found = {.reader = reader, .die = *variable, .depth = depth};
    Dwarf_Attribute attribute;
    Dwarf_Die type;
    Dwarf_Addr base;
    Dwarf_Op *ops;
    size_t count;
    ptrdiff_t at = 0;
    uint64_t size = 0;
    if (!die_type(variable, &type))
        return;
    found.shape = shapes_of(reader->shapes, &type);
    if (!dwarf_attr_integrate(variable, DW_AT_location, &attribute))
        return;
    if (!die_size(&type, &size) && shapes_at(reader->shapes, found.shape)->descriptor)
        size = shapes_at(reader->shapes, found.shape)->size;
    for (unsigned i = 0; i < RANGES_MAX; i++) {
        at = dwarf_getlocations(&attribute, at, &base, &found.start, &found.end, &ops, &count);
        if (at <= 0)
            return;
        if (found.start == 0 && found.end == (Dwarf_Addr)-1)
            take_plain_location(&found, scope, ops, count, size);
        else
            take_location(&found, ops, count, size);
    }
}

/* Reads the return address and callee of a call (DWARF 5, 4.4, or GNU's earlier form). */
static void read_call_site(struct where_reader *reader, Dwarf_Die *site)
{
    struct wheres *wheres = reader->wheres;
    Dwarf_Attribute attribute;
    struct where_call call;
    Dwarf_Addr back;
    if (!array_reserve_next(&wheres->calls, &wheres->call_room, wheres->call_count,
                            sizeof *wheres->calls, ITEMS_MAX))
        return;
    if (dwarf_formaddr(dwarf_attr(site, DW_AT_call_return_pc, &attribute), &back) &&
        dwarf_formaddr(dwarf_attr(site, DW_AT_low_pc, &attribute), &back))
        return;
    if (!dwarf_formref_die(dwarf_attr(site, DW_AT_call_origin, &attribute), &call.callee) &&
        !dwarf_formref_die(dwarf_attr(site, DW_AT_abstract_origin, &attribute), &call.callee))
        return;
    call.return_address = back + reader->routine->bias;
    wheres->calls[wheres->call_count++] = call;
}

static void read_scope(struct where_reader *reader, Dwarf_Die *scope, unsigned depth)
{
    Dwarf_Die child;
    if (depth >= DEPTH_MAX || dwarf_child(scope, &child))
        return;
    do {
        if (!reader->left || !reader->left--)
            return;
        switch (dwarf_tag(&child)) {
        case DW_TAG_variable:
        case DW_TAG_formal_parameter:
            read_variable(reader, scope, depth, &child);
            break;
        case DW_TAG_lexical_block:
        case DW_TAG_inlined_subroutine:
        case DW_TAG_try_block:
        case DW_TAG_catch_block:
            read_scope(reader, &child, depth + 1);
            break;
        case DW_TAG_call_site:
        case DW_TAG_GNU_call_site:
            read_call_site(reader, &child);
            break;
        default:
            break;
        }
    } while (!dwarf_siblingof(&child, &child));
}

static void wheres_settle(struct where_list *list)
{
    SORT_BY(list->at, list->count, start);
    for (size_t i = 0; i < list->count; i++) {
        size_t before = i;
        while (before && list->at[before - 1].end <= list->at[i].start)
            before = list->at[before - 1].earlier_entry;
        list->at[i].earlier_entry = before;
        if (list->at[i].reg < SREG_COUNT && list->at[i].reg != SREG_SP)
            list->regs |= 1u << list->at[i].reg;
    }
}

void wheres_read(struct wheres *wheres, struct shapes *shapes, const struct routine *routine)
{
    Dwarf_Die die = routine->die;
    struct where_reader reader = {
        .wheres = wheres, .shapes = shapes, .routine = routine, .left = ENTRIES_MAX};
    memset(wheres, 0, sizeof *wheres);
    place_frame(&reader.frame, &die);
    read_scope(&reader, &die, 0);
    wheres_settle(&wheres->in_register);
    wheres_settle(&wheres->in_memory);
    SORT_BY(wheres->calls, wheres->call_count, return_address);
}

void wheres_fini(struct wheres *wheres)
{
    free(wheres->in_register.at);
    free(wheres->in_memory.at);
    free(wheres->calls);
    memset(wheres, 0, sizeof *wheres);
}

/* Returns the number of entries that begin at or before the address. */
static size_t entries_up_to(const struct where_list *list, uint64_t address)
{
    return SORTED_UP_TO(list->at, list->count, start, address);
}

const struct where *where_next(const struct where_list *list, uint64_t address, size_t *at)
{
    /* *at is 1 + the number of entries left. */
    for (size_t left = *at ? *at - 1 : entries_up_to(list, address); left;) {
        const struct where *where = &list->at[left - 1];
        left = where->earlier_entry;
        if (address < where->end) {
            *at = left + 1;
            return where;
        }
    }
    *at = 1;
    return NULL;
}

const Dwarf_Die *wheres_callee(const struct wheres *wheres, uint64_t back)
{
    size_t at = SORTED_BELOW(wheres->calls, wheres->call_count, return_address, back);
    bool found = at < wheres->call_count && wheres->calls[at].return_address == back;
    return found ? &wheres->calls[at].callee : NULL;
}
