/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/flow.h"

struct value value_of_kind(enum value_kind kind)
{
    return (struct value){.kind = (uint8_t)kind};
}

struct value value_constant(int64_t number)
{
    return (struct value){.kind = VALUE_CONSTANT, .offset = number};
}

struct value value_pointer(uint32_t shape, int64_t offset, uint8_t how)
{
    return (struct value){.kind = VALUE_POINTER, .shape = shape, .offset = offset, .how = how};
}

struct value value_loaded(struct shapes *shapes, uint32_t shape, uint64_t offset, uint8_t how)
{
    struct shape_leaf leaf;
    if (!shapes_leaf(shapes, shape, offset, &leaf) || leaf.is_ambiguous)
        return value_of_kind(VALUE_UNKNOWN);
    const struct shape *at = shapes_at(shapes, leaf.shape);
    if (at->kind != SHAPE_POINTER)
        return value_of_kind(VALUE_NUMBER);
    return value_pointer(at->pointee, 0, how);
}

static int64_t value_add_offsets(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

struct value value_shifted(struct value value, int64_t bytes)
{
    if (value.kind == VALUE_NOTHING || value.kind == VALUE_UNKNOWN || value.kind == VALUE_CONFLICT)
        return value;
    value.offset = value_add_offsets(value.offset, bytes);
    return value;
}

static bool value_is_place(const struct value *value)
{
    return value->kind == VALUE_POINTER || value->kind == VALUE_FRAME ||
           value->kind == VALUE_THREAD;
}

static bool is_number(const struct value *value)
{
    return value->kind == VALUE_CONSTANT || value->kind == VALUE_NUMBER;
}

struct value value_scaled(const struct value *value, int64_t factor)
{
    struct value scaled = *value;
    if (!is_number(value))
        return value_of_kind(VALUE_NUMBER);
    scaled.offset = (int64_t)((uint64_t)value->offset * (uint64_t)factor);
    return scaled;
}

/* Returns a place plus an offset: an index, with the constant that compilers fold into it. */
static struct value place_plus_offset(const struct value *place, const struct value *by,
                                      unsigned scale)
{
    struct value sum = *place;
    /* q + (p - q) points to the target of p, for any q. */
    if (by->kind == VALUE_DIFFERENCE && scale == 1) {
        sum = value_pointer(by->shape, by->offset, by->how);
        sum.indexed = true;
        return sum;
    }
    if (is_number(by))
        sum = value_shifted(sum, value_scaled(by, scale).offset);
    sum.indexed |= by->kind != VALUE_CONSTANT || by->indexed;
    return sum;
}

/* Adds the thread pointer and a distance from it. */
static struct value add_thread_pointer(const struct value *value, const struct value *other)
{
    struct value sum = *value;
    if (value->shape + other->shape != VALUE_THREAD_POINTER + VALUE_THREAD_DISTANCE)
        return value_of_kind(VALUE_UNKNOWN);
    sum.shape = VALUE_THREAD_PLACE;
    sum.offset = value_add_offsets(value->offset, other->offset);
    return sum;
}

struct value value_sum(const struct value *value, const struct value *other, unsigned scale)
{
    if (value->kind == VALUE_THREAD && other->kind == VALUE_THREAD && scale == 1)
        return add_thread_pointer(value, other);
    if (value_is_place(value))
        return place_plus_offset(value, other, scale);
    if (value_is_place(other) && scale == 1)
        return place_plus_offset(other, value, 1);
    if (value->kind == VALUE_CONFLICT || other->kind == VALUE_CONFLICT)
        return value_of_kind(VALUE_CONFLICT);
    if (!is_number(value) || !is_number(other))
        return value_of_kind(VALUE_UNKNOWN);
    struct value sum = value_shifted(*value, value_scaled(other, scale).offset);
    /* For a variable's address and an index, the address identifies the variable. */
    bool address = value->kind == VALUE_CONSTANT || (other->kind == VALUE_CONSTANT && scale == 1);
    bool fixed = value->kind == other->kind && !value->indexed && !other->indexed;
    sum.kind = address ? VALUE_CONSTANT : VALUE_NUMBER;
    sum.indexed = address && !fixed;
    return sum;
}

struct value value_difference(const struct value *value, const struct value *other)
{
    if (value->kind == VALUE_POINTER && !is_number(other)) {
        struct value difference = *value;
        difference.kind = VALUE_DIFFERENCE;
        return difference;
    }
    struct value negative = value_scaled(other, -1);
    if (value->kind == VALUE_POINTER || value->kind == VALUE_FRAME)
        return place_plus_offset(value, &negative, 1);
    return is_number(value) && is_number(other) ? value_sum(value, &negative, 1)
                                                : value_of_kind(VALUE_NUMBER);
}

bool value_equal(const struct value *value, const struct value *other)
{
    return value->kind == other->kind && value->shape == other->shape &&
           value->offset == other->offset && value->step == other->step &&
           value->indexed == other->indexed;
}

static uint64_t greatest_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Returns the step between two offsets into one type: of a loop over its elements, or over an inner
 * array with an offset that is still to be added. */
static uint32_t join_steps(const struct shapes *shapes, const struct value *value,
                           const struct value *other)
{
    int64_t apart = (int64_t)((uint64_t)value->offset - (uint64_t)other->offset);
    uint64_t size = shapes_at(shapes, value->shape)->size;
    uint64_t step = greatest_divisor(value->step, other->step);
    uint64_t distance = apart < 0 ? 0 - (uint64_t)apart : (uint64_t)apart;
    if (size && distance % size)
        step = greatest_divisor(step, distance);
    return step > UINT32_MAX ? 1 : (uint32_t)step;
}

/* Joins a record with a pointer to its part: the other path may know only the part. */
static bool join_with_part(struct shapes *shapes, const struct value *whole,
                           const struct value *part, struct value *joined)
{
    struct shape_leaf leaf;
    if (whole->offset < 0 || !shapes_leaf(shapes, whole->shape, (uint64_t)whole->offset, &leaf) ||
        !shapes_same(shapes, leaf.shape, part->shape))
        return false;
    *joined = *part;
    return true;
}

static struct value join_places(struct shapes *shapes, const struct value *value,
                                const struct value *other)
{
    struct value joined = *value;
    joined.indexed |= other->indexed;
    if (value->kind == VALUE_THREAD && value->shape != other->shape)
        return value_of_kind(VALUE_CONFLICT);
    if (value->kind == VALUE_POINTER && !shapes_same(shapes, value->shape, other->shape)) {
        /* A void pointer does not contradict the other path. */
        if (!value->shape || !other->shape)
            return value->shape ? *value : *other;
        /* Links do not contradict the node that contains them. */
        if (value->offset == other->offset && shapes_is_node(shapes, value->shape, other->shape))
            return *value;
        if (value->offset == other->offset && shapes_is_node(shapes, other->shape, value->shape))
            return *other;
        if (join_with_part(shapes, value, other, &joined) ||
            join_with_part(shapes, other, value, &joined))
            return joined;
        return value_of_kind(VALUE_CONFLICT);
    }
    if (value->kind == VALUE_POINTER)
        joined.step = join_steps(shapes, value, other);
    joined.indexed |= value->offset != other->offset;
    return joined;
}

struct value value_joined(struct shapes *shapes, const struct value *value,
                          const struct value *other)
{
    if (value->kind != other->kind)
        return value->kind > other->kind ? *value : *other;
    return value->kind == VALUE_UNKNOWN || value->kind == VALUE_NUMBER ||
                   value->kind == VALUE_CONFLICT
               ? *value
               : join_places(shapes, value, other);
}

unsigned value_specificity(const struct shapes *shapes, const struct value *value)
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

/* Returns true if the skipped part is an array at that offset. */
static bool step_fits_array(struct shapes *shapes, const struct value *value)
{
    struct shape_leaf leaf;
    return !value->step || (shapes_leaf(shapes, value->shape, (uint64_t)value->offset, &leaf) &&
                            leaf.stride && value->step % leaf.stride == 0);
}

static bool is_record(const struct shape *shape)
{
    return shape->kind == SHAPE_RECORD || shape->kind == SHAPE_UNION;
}

/* Returns true if the offset is valid past the type's end, in a flexible array. */
static bool is_in_flexible_array(struct shapes *shapes, const struct value *value)
{
    struct shape_leaf leaf;
    return value->offset >= 0 && shapes_leaf(shapes, value->shape, (uint64_t)value->offset, &leaf);
}

bool value_folded(struct shapes *shapes, struct value *value)
{
    const struct shape *shape = shapes_at(shapes, value->shape);
    int64_t size = (int64_t)shape->size;
    if (size <= 0)
        return false;
    if (value->offset < 0 || value->offset >= size) {
        if (is_record(shape) && is_in_flexible_array(shapes, value))
            return step_fits_array(shapes, value);
        if (shape->descriptor || (is_record(shape) && !value->indexed))
            return false;
        value->offset = (value->offset % size + size) % size;
        value->indexed = true;
    }
    return !is_record(shape) || step_fits_array(shapes, value);
}
