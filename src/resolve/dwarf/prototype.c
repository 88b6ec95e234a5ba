/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/prototype.h"

#include "resolve/dwarf/die.h"
#include "resolve/dwarf/question.h"
#include "sample.h"

#include <dwarf.h>

enum { EIGHTBYTE = 8, INTEGERS = 6, FLOATS = 8, CHILDREN_MAX = 1 << 16 };

enum passing { CLASS_NONE, CLASS_INTEGER, CLASS_FLOAT, CLASS_MEMORY };

static const uint8_t integer_registers[INTEGERS] = {SREG_DI, SREG_SI, SREG_DX,
                                                    SREG_CX, SREG_R8, SREG_R9};

/* A parameter or result: its type, and the classes of its eightbytes. */
struct passed {
    uint32_t shape;
    uint64_t size;
    enum passing classes[2];
    bool reference; /* C++: not to be copied as bytes, so passed by its address */
};

static bool is_float(const struct shape *shape)
{
    Dwarf_Attribute attribute;
    Dwarf_Die die = shape->die;
    Dwarf_Word encoding = 0;
    if (shape->kind != SHAPE_SCALAR)
        return false;
    dwarf_formudata(dwarf_attr_integrate(&die, DW_AT_encoding, &attribute), &encoding);
    return encoding == DW_ATE_float || encoding == DW_ATE_complex_float;
}

static enum passing class_at(struct shapes *shapes, const struct passed *passed, uint64_t eightbyte)
{
    enum passing passing = CLASS_NONE;
    for (uint64_t at = eightbyte; at < eightbyte + EIGHTBYTE && at < passed->size; at++) {
        struct shape_leaf leaf;
        if (!shapes_leaf(shapes, passed->shape, at, &leaf))
            continue;
        if (!is_float(shapes_at(shapes, leaf.shape)))
            return CLASS_INTEGER;
        passing = CLASS_FLOAT;
    }
    return passing;
}

static bool goes_by_reference(Dwarf_Die *type)
{
    Dwarf_Attribute attribute;
    Dwarf_Word convention = 0;
    dwarf_formudata(dwarf_attr_integrate(type, DW_AT_calling_convention, &attribute), &convention);
    return convention == DW_CC_pass_by_reference;
}

/* False: no type, that is void, or one that is not known. */
static bool classify(struct shapes *shapes, Dwarf_Die *die, struct passed *passed)
{
    Dwarf_Die type;
    *passed = (struct passed){0};
    if (!die_type(die, &type) || !die_peel(&type, &type))
        return false;
    passed->shape = shapes_of(shapes, &type);
    if (!die_size(&type, &passed->size) || !passed->size)
        return false;
    const struct shape *shape = shapes_at(shapes, passed->shape);
    bool record = shape->kind == SHAPE_RECORD || shape->kind == SHAPE_UNION;
    passed->reference = record && goes_by_reference(&type);
    if (passed->reference) {
        passed->classes[0] = CLASS_INTEGER;
        passed->size = EIGHTBYTE;
    } else if (passed->size > 2 * EIGHTBYTE || (is_float(shape) && passed->size == 2 * EIGHTBYTE)) {
        passed->classes[0] = CLASS_MEMORY; /* long double too: class X87 */
    } else {
        passed->classes[0] = class_at(shapes, passed, 0);
        passed->classes[1] = class_at(shapes, passed, EIGHTBYTE);
    }
    return true;
}

struct placing {
    struct shapes *shapes;
    prototype_take *take;
    void *context;
    unsigned integers;
    unsigned floats;
    int64_t slot;
};

static struct value part_value(const struct placing *placing, const struct passed *passed,
                               uint64_t part)
{
    return passed->reference
               ? value_pointer(passed->shape, 0, DWARF_HOW_ARGUMENT)
               : value_loaded(placing->shapes, passed->shape, part, DWARF_HOW_ARGUMENT);
}

static void place_in_memory(struct placing *placing, const struct passed *passed)
{
    for (uint64_t part = 0; part < passed->size && passed->size <= 4096; part += EIGHTBYTE) {
        struct value value = part_value(placing, passed, part);
        placing->take(placing->context, SREG_NONE, placing->slot, &value);
        placing->slot += EIGHTBYTE;
    }
}

/* All eightbytes in registers, or all in memory. */
static void place(struct placing *placing, const struct passed *passed)
{
    unsigned integers = 0;
    unsigned floats = 0;
    for (unsigned i = 0; i < 2; i++) {
        integers += passed->classes[i] == CLASS_INTEGER;
        floats += passed->classes[i] == CLASS_FLOAT;
    }
    if (passed->classes[0] == CLASS_MEMORY || placing->integers + integers > INTEGERS ||
        placing->floats + floats > FLOATS) {
        place_in_memory(placing, passed);
        return;
    }
    for (unsigned i = 0; i < 2; i++) {
        if (passed->classes[i] != CLASS_INTEGER)
            continue;
        struct value value = part_value(placing, passed, i * (uint64_t)EIGHTBYTE);
        placing->take(placing->context, integer_registers[placing->integers++], 0, &value);
    }
    placing->floats += floats;
}

void prototype_arguments(struct shapes *shapes, Dwarf_Die *function, prototype_take *take,
                         void *context)
{
    struct placing placing = {.shapes = shapes, .take = take, .context = context};
    struct passed passed;
    Dwarf_Die child;
    /* A result in memory: its address comes first. */
    if (classify(shapes, function, &passed) &&
        (passed.classes[0] == CLASS_MEMORY || passed.reference)) {
        struct value value = value_pointer(passed.shape, 0, DWARF_HOW_ARGUMENT);
        take(context, integer_registers[placing.integers++], 0, &value);
    }
    if (dwarf_child(function, &child))
        return;
    for (unsigned i = 0; i < CHILDREN_MAX; i++) {
        if (dwarf_tag(&child) == DW_TAG_formal_parameter && classify(shapes, &child, &passed))
            place(&placing, &passed);
        if (dwarf_siblingof(&child, &child))
            return;
    }
}

void prototype_results(struct shapes *shapes, Dwarf_Die *function, struct value *ax,
                       struct value *dx)
{
    struct passed passed;
    struct value *registers[] = {ax, dx};
    unsigned used = 0;
    *ax = *dx = value_of_kind(VALUE_UNKNOWN);
    if (!classify(shapes, function, &passed))
        return;
    if (passed.reference || passed.classes[0] == CLASS_MEMORY) {
        if (!is_float(shapes_at(shapes, passed.shape)))
            *ax = value_pointer(passed.shape, 0, DWARF_HOW_RESULT);
        return;
    }
    for (unsigned i = 0; i < 2; i++)
        if (passed.classes[i] == CLASS_INTEGER)
            *registers[used++] =
                value_loaded(shapes, passed.shape, i * (uint64_t)EIGHTBYTE, DWARF_HOW_RESULT);
}
