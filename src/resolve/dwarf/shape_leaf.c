/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is at an offset of a shape. */
#include "resolve/dwarf/shape.h"

#include "resolve/dwarf/parts.h"

struct look {
    struct shapes *shapes;
    unsigned left; /* members that may still be looked into */
};

/* Only the last may be flexible: "[0]" elsewhere marks a place and holds nothing. */
static bool covers(const struct parts *parts, size_t part, uint64_t offset)
{
    const struct part *at = &parts->parts[part];
    return offset >= at->offset &&
           (at->size ? offset - at->offset < at->size : part == parts->count - 1);
}

/* Of several members at one place a pointer says more than a number; two pointers, nothing. */
static void choose(struct shapes *shapes, const struct shape_leaf *other, struct shape_leaf *leaf)
{
    bool mine = shapes_at(shapes, leaf->shape)->kind == SHAPE_POINTER;
    bool its = shapes_at(shapes, other->shape)->kind == SHAPE_POINTER;
    if (its && !mine)
        *leaf = *other;
    else if (its == mine && !shapes_same(shapes, other->shape, leaf->shape))
        leaf->doubtful = true;
}

static bool look_into(struct look *look, uint32_t shape, uint64_t base, uint64_t offset,
                      struct shape_leaf *leaf);

static bool look_at_part(struct look *look, struct part part, uint64_t base, uint64_t offset,
                         struct shape_leaf *leaf)
{
    uint32_t element = shapes_of(look->shapes, &part.type);
    uint64_t inside = offset - part.offset;
    if (part.stride) {
        leaf->stride = part.stride;
        leaf->first = base + part.offset;
        leaf->bound = part.size ? leaf->first + part.size : UINT64_MAX;
        inside %= part.stride;
    }
    return look_into(look, element, base + part.offset, inside, leaf);
}

/* `leaf` comes with the array around, if there is one. */
static bool look_into(struct look *look, uint32_t shape, uint64_t base, uint64_t offset,
                      struct shape_leaf *leaf)
{
    const struct shape *at = shapes_at(look->shapes, shape);
    const struct shape_leaf around = *leaf;
    bool found = false;
    if (at->kind == SHAPE_VOID)
        return false;
    if (at->kind != SHAPE_RECORD && at->kind != SHAPE_UNION) {
        if (at->size && offset >= at->size)
            return false;
        leaf->shape = shape;
        leaf->start = base;
        return true;
    }
    for (size_t i = 0; i < shapes_parts(look->shapes, shape)->count && look->left; i++) {
        struct part part = shapes_parts(look->shapes, shape)->parts[i];
        struct shape_leaf other = around;
        if (!covers(shapes_parts(look->shapes, shape), i, offset))
            continue;
        look->left--;
        if (!look_at_part(look, part, base, offset, &other))
            continue;
        if (found)
            choose(look->shapes, &other, leaf);
        else
            *leaf = other;
        found = true;
    }
    return found;
}

bool shapes_leaf(struct shapes *shapes, uint32_t shape, uint64_t offset, struct shape_leaf *leaf)
{
    struct look look = {shapes, 256};
    *leaf = (struct shape_leaf){0};
    return look_into(&look, shape, 0, offset, leaf);
}
