/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is known of the content of a register or a stack slot while types are followed through
 * code: which type it points into and how far. Pure arithmetic over shapes. For the files of this
 * folder.
 */
#ifndef MISSTOP_RESOLVE_DWARF_VALUE_H
#define MISSTOP_RESOLVE_DWARF_VALUE_H

#include "resolve/dwarf/shape.h"

#include <stdbool.h>
#include <stdint.h>

/* Two that meet where ways join give the later of the two kinds, or a conflict. */
enum value_kind {
    VALUE_NOTHING,    /* no way that leads here was followed yet */
    VALUE_CONSTANT,   /* `offset` itself, perhaps a run-time address */
    VALUE_UNKNOWN,    /* something */
    VALUE_NUMBER,     /* no pointer: something + `offset` */
    VALUE_THREAD,     /* of thread-local storage: `shape` is enum value_thread */
    VALUE_DIFFERENCE, /* a pointer as `shape` and `offset` say, less another pointer */
    VALUE_FRAME,      /* canonical frame address + offset */
    VALUE_POINTER,    /* `offset` bytes into a `shape` */
    VALUE_CONFLICT    /* ways that lead here say different things */
};

enum value_thread {
    VALUE_THREAD_POINTER,  /* the thread pointer + `offset` */
    VALUE_THREAD_DISTANCE, /* from there to `offset` in the file's image */
    VALUE_THREAD_PLACE     /* a thread's own copy of `offset` in the image */
};

struct value {
    int64_t offset;
    uint32_t shape;
    uint32_t step; /* bytes, any number of times: over an array inside that is not reached yet */
    uint8_t kind;  /* enum value_kind */
    uint8_t how;   /* enum dwarf_how */
    bool indexed;  /* and some elements further, of the shape or of an array inside */
};

struct value value_of_kind(enum value_kind kind);

/* Whether it says where something is, so that offsets and indices make sense. */
bool value_is_place(const struct value *value);
struct value value_pointer(uint32_t shape, int64_t offset, uint8_t how);

/* What a register holds that was loaded from a place of this type at this offset. */
struct value value_loaded(struct shapes *shapes, uint32_t shape, uint64_t offset, uint8_t how);

/* With a constant added. */
struct value value_shifted(struct value value, int64_t bytes);

/* The sum of a value and another that was scaled; which of them is the pointer shows. */
struct value value_sum(const struct value *value, const struct value *other, unsigned scale);
struct value value_scaled(const struct value *value, int64_t factor);
struct value value_difference(const struct value *value, const struct value *other);

/* Where two ways join. */
struct value value_joined(struct shapes *shapes, const struct value *value,
                          const struct value *other);

/* How much a pointer says, to choose among several that are true: 0 nothing. */
unsigned value_worth(const struct shapes *shapes, const struct value *value);

/*
 * The offset of a pointer brought into its type by whole elements where that is right: numbers
 * and pointers always, records where an index moves over them. False: it leaves the type.
 */
bool value_folded(struct shapes *shapes, struct value *value);

bool value_equal(const struct value *value, const struct value *other);

#endif
