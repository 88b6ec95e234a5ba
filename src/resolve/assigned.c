/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/assigned.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    REG_RAX = 0,
    REG_RBP = 6,
    REG_RSP = 7,
    MOVED_WITHIN = 16,
    DEPTH_MAX = 64,
    VARIABLES_MAX = 4096
};

enum place_kind { PLACE_RAX, PLACE_REGISTER, PLACE_FRAME, PLACE_GLOBAL };

/* Where the result goes. */
struct place {
    enum place_kind kind;
    unsigned reg;     /* REGISTER: which; FRAME: RBP or RSP */
    int64_t offset;   /* FRAME: from it */
    int64_t base;     /* FRAME: of the function's frame, from the same register */
    uint64_t address; /* GLOBAL */
};

/* Registers as DWARF numbers them, by their number in an instruction. */
static const uint8_t by_number[16] = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};

static int32_t displacement(const uint8_t *at, unsigned bytes)
{
    int32_t value;
    if (bytes == 1)
        return (int8_t)*at;
    memcpy(&value, at, sizeof value);
    return value;
}

/* "test rax, rax" and a jump over a failure stand in between as a rule. */
static size_t skip_check(const uint8_t *code, size_t size)
{
    static const uint8_t test[] = {0x48, 0x85, 0xc0};
    if (size < 9 || memcmp(code, test, sizeof test))
        return 0;
    if ((code[3] & 0xfe) == 0x74)
        return 5;
    return code[3] == 0x0f && (code[4] & 0xfe) == 0x84 ? 9 : 3;
}

/* mov %rax, to a register, to the frame, or to a variable at a fixed place. */
static bool parse_move(const uint8_t *code, size_t size, uint64_t address, struct place *place)
{
    if (size < 8 || (code[0] & 0xfa) != 0x48 || code[1] != 0x89 || (code[2] & 0x38))
        return false;
    unsigned mod = code[2] >> 6;
    unsigned rm = (code[2] & 7) | (code[0] & 1) << 3;
    unsigned bytes = mod == 1 ? 1 : 4;
    if (mod == 3) {
        *place = (struct place){.kind = PLACE_REGISTER, .reg = by_number[rm]};
    } else if (mod == 0 && (code[2] & 7) == 5) {
        *place =
            (struct place){.kind = PLACE_GLOBAL,
                           .address = address + 7 + (uint64_t)(int64_t)displacement(code + 3, 4)};
    } else if (mod && rm == 5) {
        *place = (struct place){
            .kind = PLACE_FRAME, .reg = REG_RBP, .offset = displacement(code + 3, bytes)};
    } else if (rm == 4 && code[3] == 0x24) {
        *place = (struct place){
            .kind = PLACE_FRAME, .reg = REG_RSP, .offset = mod ? displacement(code + 4, bytes) : 0};
    } else {
        return false;
    }
    return true;
}

static struct place find_place(const struct assigned_call *call)
{
    struct place place = {.kind = PLACE_RAX};
    size_t skipped = skip_check(call->code, call->code_size);
    if (!parse_move(call->code + skipped, call->code_size - skipped, call->address + skipped,
                    &place))
        place.kind = PLACE_RAX;
    return place;
}

static bool is_register(const Dwarf_Op *op, unsigned reg)
{
    return (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31 &&
            (unsigned)op->atom - DW_OP_reg0 == reg) ||
           (op->atom == DW_OP_regx && op->number == reg);
}

/* The canonical frame address as an offset from a register; false: not that simple. */
static bool canonical_base(const struct assigned_call *call, unsigned reg, int64_t *offset)
{
    Dwarf_Frame *frame = NULL;
    Dwarf_Op *ops;
    size_t count = 0;
    bool known = call->frames && !dwarf_cfi_addrframe(call->frames, call->frames_address, &frame) &&
                 !dwarf_frame_cfa(frame, &ops, &count) && count == 1;
    if (known && ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31 &&
        (unsigned)ops[0].atom - DW_OP_breg0 == reg)
        *offset = (int64_t)ops[0].number;
    else if (known && ops[0].atom == DW_OP_bregx && ops[0].number == reg)
        *offset = (int64_t)ops[0].number2;
    else
        known = false;
    free(frame);
    return known;
}

/* What the function's variables count their offsets from; false: not told in a simple way. */
static bool frame_base(const struct assigned_call *call, Dwarf_Die *function, unsigned reg,
                       int64_t *offset)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count = 0;
    if (dwarf_getlocation(dwarf_attr(function, DW_AT_frame_base, &attribute), &ops, &count) ||
        count != 1)
        return false;
    *offset = 0;
    return ops[0].atom == DW_OP_call_frame_cfa ? canonical_base(call, reg, offset)
                                               : is_register(&ops[0], reg);
}

/* DWARF 5 may keep addresses in a table of their own; clang does. */
static bool is_address(Dwarf_Attribute *attribute, const Dwarf_Op *op, uint64_t address)
{
    Dwarf_Attribute indexed;
    Dwarf_Addr value;
    if (op->atom == DW_OP_addr)
        return op->number == address;
    return op->atom == DW_OP_addrx && !dwarf_getlocation_attr(attribute, op, &indexed) &&
           !dwarf_formaddr(&indexed, &value) && value == address;
}

/* One location of a variable, valid from `start` on. */
static bool location_fits(const struct assigned_call *call, const struct place *place,
                          Dwarf_Attribute *attribute, const Dwarf_Op *op, Dwarf_Addr start,
                          Dwarf_Addr end)
{
    bool here = start <= call->address && call->address < end;
    bool soon = start > call->address && start <= call->address + MOVED_WITHIN;
    switch (place->kind) {
    case PLACE_GLOBAL:
        return is_address(attribute, op, place->address);
    case PLACE_FRAME:
        return op->atom == DW_OP_fbreg && (int64_t)op->number + place->base == place->offset;
    case PLACE_REGISTER:
        return ((here || soon) && is_register(op, REG_RAX)) ||
               (soon && is_register(op, place->reg));
    default:
        return (here || soon) && is_register(op, REG_RAX);
    }
}

static bool variable_fits(const struct assigned_call *call, const struct place *place,
                          Dwarf_Die *variable)
{
    Dwarf_Attribute memory;
    Dwarf_Attribute *attribute = dwarf_attr_integrate(variable, DW_AT_location, &memory);
    Dwarf_Addr base;
    Dwarf_Addr start;
    Dwarf_Addr end;
    Dwarf_Op *ops;
    size_t count;
    ptrdiff_t at = 0;
    for (unsigned i = 0; attribute && i < VARIABLES_MAX; i++) {
        at = dwarf_getlocations(attribute, at, &base, &start, &end, &ops, &count);
        if (at <= 0)
            return false;
        if (count == 1 && location_fits(call, place, attribute, &ops[0], start, end))
            return true;
    }
    return false;
}

static Dwarf_Die *type_of(Dwarf_Die *die, Dwarf_Die *memory)
{
    Dwarf_Attribute attribute;
    return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), memory);
}

/* Name of what a pointer points to, without const and volatile; NULL: it has none. */
static const char *pointee_name(Dwarf_Die *variable, Dwarf_Die *memory)
{
    bool pointer = false;
    Dwarf_Die *type = type_of(variable, memory);
    for (unsigned i = 0; type && i < DEPTH_MAX; i++) {
        int tag = dwarf_tag(type);
        bool qualifies = tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
                         tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type;
        if (tag == DW_TAG_pointer_type) {
            if (pointer)
                return NULL; /* an array of pointers: the variable says it all */
            pointer = true;
        } else if (!qualifies && (pointer || tag != DW_TAG_typedef)) {
            return pointer ? dwarf_diename(type) : NULL;
        }
        type = type_of(type, memory);
    }
    return NULL;
}

/* False: the type says nothing, as of the void *p of a wrapper that was inlined. */
static bool write_name(Dwarf_Die *variable, char *out, size_t out_size)
{
    Dwarf_Die memory;
    const char *type = pointee_name(variable, &memory);
    if (type)
        snprintf(out, out_size, "%s.%s", type, dwarf_diename(variable));
    return type;
}

/* Among the variables that a scope declares itself. */
static bool find_in(const struct assigned_call *call, const struct place *place, Dwarf_Die *scope,
                    char *out, size_t out_size)
{
    Dwarf_Die child;
    if (dwarf_child(scope, &child))
        return false;
    for (unsigned i = 0; i < VARIABLES_MAX; i++) {
        int tag = dwarf_tag(&child);
        if ((tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) && dwarf_diename(&child) &&
            variable_fits(call, place, &child) && write_name(&child, out, out_size))
            return true;
        if (dwarf_siblingof(&child, &child))
            return false;
    }
    return false;
}

bool assigned_variable(const struct assigned_call *call, char *out, size_t out_size)
{
    Dwarf_Die *scopes = NULL;
    struct place place = find_place(call);
    int count = dwarf_getscopes(call->unit, call->address - 1, &scopes);
    bool found = false;
    bool based = place.kind != PLACE_FRAME;
    for (int i = 0; i < count && !based; i++)
        based = dwarf_tag(&scopes[i]) == DW_TAG_subprogram &&
                frame_base(call, &scopes[i], place.reg, &place.base);
    for (int i = 0; based && i < count && i < DEPTH_MAX && !found; i++)
        found = find_in(call, &place, &scopes[i], out, out_size);
    free(scopes);
    return found;
}
