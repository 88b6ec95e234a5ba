/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records what a program of this folder reported about its types and objects (truth.h), and checks
 * answers against it. */
#ifndef MISSTOP_TESTS_TYPES_KNOWN_H
#define MISSTOP_TESTS_TYPES_KNOWN_H

#include "place.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KNOWN_TYPES = 32, KNOWN_PARTS = 24, KNOWN_OBJECTS = 96, KNOWN_NAME = 64 };

struct known_part {
    char name[KNOWN_NAME]; /* name of its type */
    uint64_t offset;
    uint64_t size; /* size of one element */
    uint64_t count;
};

struct known_type {
    char name[KNOWN_NAME];
    uint64_t size;
    struct known_part parts[KNOWN_PARTS];
    size_t part_count;
};

struct known_object {
    char type[KNOWN_NAME];
    uint64_t address;
    uint64_t count;
    bool on_stack; /* gone when the stack pointer is above it */
};

struct known {
    struct known_type types[KNOWN_TYPES];
    size_t type_count;
    struct known_object objects[KNOWN_OBJECTS];
    size_t object_count;
    uint64_t code_start;
    uint64_t code_end;
};

/* Parses one line that the program printed. Returns false if it is invalid. */
bool known_line(struct known *known, const char *line);

/* Returns the object that covers an address, the latest if several, and the offset into its
 * element; NULL: none. */
const struct known_object *known_find(const struct known *known, uint64_t address,
                                      uint64_t *offset);

/* Drops the objects of frames that have returned. */
void known_returned(struct known *known, uint64_t stack_pointer);

/* Returns true if "this type at this offset" is correct for an offset into an object's element. */
bool known_agrees(const struct known *known, const struct known_object *object, uint64_t offset,
                  const struct type_desc *type, uint64_t type_offset);

#endif
