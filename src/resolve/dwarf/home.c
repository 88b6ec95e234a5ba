/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/home.h"

#include "resolve/dwarf/die.h"
#include "resolve/dwarf/flow.h"
#include "resolve/dwarf/place_ops.h"

#include <dwarf.h>

enum { DEPTH_MAX = 64, ENTRIES_MAX = 1 << 17, LOCATIONS_MAX = 1 << 12 };

/* One walk through a function's scopes. */
struct search {
    const struct home_place *place;
    struct place_frame frame;
    int64_t slot;
    bool anywhere; /* also in scopes and ranges that the instruction is not in */
    bool dynamic;  /* arrays that a slot points to are looked for */
    uint8_t held;  /* what this register holds is looked for; SREG_NONE: not */
    bool pointers; /* only pointers to something that has a name */
    Dwarf_Addr address;
    unsigned left; /* entries */
    unsigned found;
    struct home home;
    Dwarf_Die variable; /* being looked at */
};

bool home_place(struct program *program, uint64_t pc, struct home_place *place)
{
    if (!routines_find(flows_routines(program_flows(program)), pc, &place->routine))
        return false;
    place->address = pc - place->routine.bias;
    if (!program_cfa(program, pc, &place->cfa_register, &place->cfa_offset))
        place->cfa_register = SREG_NONE;
    return true;
}

/* Where a piece stands from the canonical frame address. */
static bool slot_of(const struct search *search, const struct where *piece, int64_t *slot)
{
    if (piece->reg == WHERE_CFA)
        *slot = piece->offset;
    else if (piece->reg == search->place->cfa_register && piece->reg != SREG_NONE)
        *slot = (int64_t)((uint64_t)piece->offset - (uint64_t)search->place->cfa_offset);
    else
        return false;
    return true;
}

/* Whether a piece is what is looked for, and how far into it the slot is. */
static bool fits(const struct search *search, const struct where *piece, uint64_t *inside)
{
    int64_t start;
    *inside = 0;
    if (search->held != SREG_NONE)
        return piece->kind == WHERE_HELD && piece->reg == search->held && !piece->part;
    if (search->dynamic)
        return piece->kind == WHERE_POINTED && slot_of(search, piece, &start);
    if (piece->kind != WHERE_MEMORY || !slot_of(search, piece, &start))
        return false;
    *inside = (uint64_t)search->slot - (uint64_t)start;
    return *inside < (piece->size ? piece->size : 1);
}

static void take_piece(void *context, const struct where *piece)
{
    struct search *search = context;
    uint64_t inside;
    if (!fits(search, piece, &inside))
        return;
    /* The same one in other ranges is no other. */
    if (search->found && search->home.variable.addr == search->variable.addr)
        return;
    if (!search->found++)
        search->home = (struct home){search->variable, piece->part + inside};
}

static void look_at_range(struct search *search, Dwarf_Attribute *attribute, uint64_t size)
{
    Dwarf_Addr base;
    Dwarf_Addr start;
    Dwarf_Addr end;
    Dwarf_Op *ops;
    size_t count;
    ptrdiff_t at = 0;
    for (unsigned i = 0; i < LOCATIONS_MAX; i++) {
        at = dwarf_getlocations(attribute, at, &base, &start, &end, &ops, &count);
        if (at <= 0)
            return;
        if (search->anywhere || (start <= search->address && search->address < end))
            place_ops(ops, count, &search->frame, size, take_piece, search);
    }
}

/* An array whose length is no constant has no size. */
static bool is_dynamic_array(Dwarf_Die *type)
{
    Dwarf_Die element;
    uint64_t count;
    return die_array(type, &element, &count) && !count;
}

/* The void *p of a wrapper that was inlined says nothing. */
static bool is_telling(Dwarf_Die *type)
{
    Dwarf_Die pointer;
    Dwarf_Die target;
    Dwarf_Die pointee;
    return die_strip(type, &pointer) && die_is_pointer(&pointer) && die_type(&pointer, &target) &&
           die_strip(&target, &pointee);
}

static void look_at(struct search *search, Dwarf_Die *variable)
{
    Dwarf_Attribute attribute;
    Dwarf_Die type;
    uint64_t size = 0;
    if (!dwarf_attr(variable, DW_AT_location, &attribute) || !die_type(variable, &type))
        return;
    if ((search->dynamic && !is_dynamic_array(&type)) || (search->pointers && !is_telling(&type)))
        return;
    die_size(&type, &size);
    search->variable = *variable;
    look_at_range(search, &attribute, size);
}

static bool is_inside(const struct search *search, Dwarf_Die *scope)
{
    return search->anywhere || dwarf_haspc(scope, search->address) == 1;
}

static bool may_go_on(struct search *search)
{
    bool enough = search->found && !search->anywhere && !search->dynamic;
    return !enough && search->left && search->left--;
}

/* Outer scopes first: what is inlined may have the same place under another name. */
static void look_into(struct search *search, Dwarf_Die *scope, unsigned depth)
{
    Dwarf_Die child;
    if (depth >= DEPTH_MAX || dwarf_child(scope, &child))
        return;
    Dwarf_Die first = child;
    do {
        int tag = dwarf_tag(&child);
        if (!may_go_on(search))
            return;
        if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter)
            look_at(search, &child);
    } while (!dwarf_siblingof(&child, &child));
    child = first;
    do {
        int tag = dwarf_tag(&child);
        if (!may_go_on(search))
            return;
        if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine ||
             tag == DW_TAG_try_block || tag == DW_TAG_catch_block) &&
            is_inside(search, &child))
            look_into(search, &child, depth + 1);
    } while (!dwarf_siblingof(&child, &child));
}

static void run(struct search *search)
{
    Dwarf_Die function = search->place->routine.die;
    search->left = ENTRIES_MAX;
    place_frame(&search->frame, &function);
    look_into(search, &function, 0);
}

bool home_find(const struct home_place *place, int64_t slot, struct home *home)
{
    struct search search = {
        .place = place, .slot = slot, .held = SREG_NONE, .address = place->address};
    run(&search);
    if (!search.found) {
        search.anywhere = true;
        run(&search);
    }
    *home = search.home;
    return search.found == 1;
}

bool home_find_held(const struct home_place *place, uint64_t pc, uint8_t reg, Dwarf_Die *variable)
{
    struct search search = {.place = place, .held = reg, .address = pc - place->routine.bias};
    run(&search);
    *variable = search.home.variable;
    return search.found == 1;
}

bool home_find_pointer(const struct home_place *place, uint64_t pc, uint8_t reg,
                       Dwarf_Die *variable)
{
    struct search search = {
        .place = place, .held = reg, .pointers = true, .address = pc - place->routine.bias};
    run(&search);
    *variable = search.home.variable;
    return search.found;
}

bool home_find_dynamic(const struct home_place *place, Dwarf_Die *variable)
{
    struct search search = {
        .place = place, .dynamic = true, .held = SREG_NONE, .address = place->address};
    run(&search);
    *variable = search.home.variable;
    return search.found == 1;
}
