/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/value.h"

#include "resolve/dwarf/question.h"

struct value value_of_kind(enum value_kind kind)
{
    return (struct value){.kind = (uint8_t)kind};
}

struct value value_pointer(uint32_t shape, int64_t offset, uint8_t how)
{
    return (struct value){.kind = VALUE_POINTER, .shape = shape, .offset = offset, .how = how};
}

struct value value_loaded(struct shapes *shapes, uint32_t shape, uint64_t offset, uint8_t how)
{
    struct shape_leaf leaf;
    if (!shapes_leaf(shapes, shape, offset, &leaf) || leaf.doubtful)
        return value_of_kind(VALUE_UNKNOWN);
    const struct shape *at = shapes_at(shapes, leaf.shape);
    if (at->kind != SHAPE_POINTER)
        return value_of_kind(VALUE_NUMBER);
    return value_pointer(at->pointee, 0, how);
}

static int64_t add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* Not where the pointer was found, but followed from there. */
static uint8_t followed(uint8_t how)
{
    return how == DWARF_HOW_VARIABLE ? (uint8_t)DWARF_HOW_TRACKED : how;
}

struct value value_shifted(struct value value, int64_t bytes)
{
    switch (value.kind) {
    case VALUE_CONSTANT:
    case VALUE_THREAD:
    case VALUE_FRAME:
    case VALUE_POINTER:
    case VALUE_DIFFERENCE:
        value.offset = add(value.offset, bytes);
        value.how = followed(value.how);
        return value;
    default:
        return value;
    }
}

static bool is_place(const struct value *value)
{
    return value->kind == VALUE_POINTER || value->kind == VALUE_FRAME ||
           value->kind == VALUE_THREAD;
}

/* A place and what is added to it. */
static struct value moved(const struct value *place, const struct value *by, unsigned scale)
{
    struct value sum = *place;
    if (by->kind == VALUE_CONSTANT && !by->indexed)
        return value_shifted(sum, (int64_t)((uint64_t)by->offset * scale));
    /* q + (p - q) points where p did, whatever q is. */
    if (by->kind == VALUE_DIFFERENCE && scale == 1) {
        sum = value_pointer(by->shape, by->offset, by->how);
        sum.indexed = true;
        return sum;
    }
    sum.indexed = true;
    sum.how = followed(sum.how);
    return sum;
}

struct value value_sum(const struct value *value, const struct value *other, unsigned scale)
{
    if (is_place(value))
        return moved(value, other, scale);
    if (is_place(other) && scale == 1)
        return moved(other, value, 1);
    if (value->kind == VALUE_CONSTANT && other->kind == VALUE_CONSTANT && !other->indexed)
        return value_shifted(*value, (int64_t)((uint64_t)other->offset * scale));
    /* A variable's address and an index: whoever has the address finds the variable. */
    if (value->kind == VALUE_CONSTANT || (other->kind == VALUE_CONSTANT && scale == 1)) {
        struct value sum = value->kind == VALUE_CONSTANT ? *value : *other;
        sum.indexed = true;
        return sum;
    }
    return value_of_kind(
        value->kind == VALUE_NUMBER && other->kind == VALUE_NUMBER ? VALUE_NUMBER : VALUE_UNKNOWN);
}

struct value value_difference(const struct value *value, const struct value *other)
{
    if (other->kind == VALUE_CONSTANT && !other->indexed)
        return value_shifted(*value, (int64_t)(0 - (uint64_t)other->offset));
    if (value->kind == VALUE_POINTER && other->kind == VALUE_NUMBER)
        return moved(value, other, 1);
    if (value->kind == VALUE_POINTER) {
        struct value difference = *value;
        difference.kind = VALUE_DIFFERENCE;
        return difference;
    }
    return value_of_kind(VALUE_NUMBER);
}

bool value_equal(const struct value *value, const struct value *other)
{
    return value->kind == other->kind && value->shape == other->shape &&
           value->offset == other->offset && value->indexed == other->indexed;
}

/* Two offsets into one type: whether steps over elements lead from one to the other. */
static bool steps_between(struct shapes *shapes, uint32_t shape, int64_t one, int64_t other)
{
    struct shape_leaf leaf;
    uint64_t size = shapes_at(shapes, shape)->size;
    uint64_t apart =
        one < other ? (uint64_t)other - (uint64_t)one : (uint64_t)one - (uint64_t)other;
    if (!size || apart % size == 0)
        return true;
    if (one < 0 || !shapes_leaf(shapes, shape, (uint64_t)one, &leaf) || !leaf.stride)
        return false;
    return apart % leaf.stride == 0;
}

static struct value joined_places(struct shapes *shapes, const struct value *value,
                                  const struct value *other)
{
    struct value joined = *value;
    joined.indexed |= other->indexed;
    if (value->kind == VALUE_POINTER && value->shape != other->shape) {
        /* void says nothing against what the other way says. */
        if (!value->shape || !other->shape)
            return value->shape ? *value : *other;
        return value_of_kind(VALUE_CONFLICT);
    }
    if (value->offset == other->offset)
        return joined;
    joined.indexed = true;
    if (value->kind == VALUE_POINTER &&
        !steps_between(shapes, value->shape, value->offset, other->offset))
        return value_of_kind(VALUE_CONFLICT);
    return joined;
}

struct value value_joined(struct shapes *shapes, const struct value *value,
                          const struct value *other)
{
    if (value->kind != other->kind)
        return value->kind > other->kind ? *value : *other;
    return value->kind == VALUE_UNKNOWN || value->kind == VALUE_NUMBER
               ? *value
               : joined_places(shapes, value, other);
}

unsigned value_worth(const struct shapes *shapes, const struct value *value)
{
    if (value->kind != VALUE_POINTER)
        return value->kind == VALUE_FRAME ? 3 : 0;
    switch (shapes_at(shapes, value->shape)->kind) {
    case SHAPE_VOID:
        return 1;
    case SHAPE_BYTE:
        return 2;
    case SHAPE_RECORD:
    case SHAPE_UNION:
        return 4;
    default:
        return 3;
    }
}

bool value_folded(struct shapes *shapes, struct value *value)
{
    const struct shape *shape = shapes_at(shapes, value->shape);
    bool record = shape->kind == SHAPE_RECORD || shape->kind == SHAPE_UNION;
    struct shape_leaf leaf;
    int64_t size = (int64_t)shape->size;
    if (size <= 0 || (value->offset >= 0 && value->offset < size))
        return size > 0;
    /* The elements of a flexible array stand behind the type's own end. */
    if (record && value->offset >= size)
        if (shapes_leaf(shapes, value->shape, (uint64_t)value->offset, &leaf))
            return true;
    if (record && !value->indexed)
        return false;
    value->offset = (value->offset % size + size) % size;
    value->indexed = true;
    return true;
}
