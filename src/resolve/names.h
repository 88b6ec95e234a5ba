/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Objects and functions that have been seen, under dense ids from 1; 0 is "unknown". Strings
 * are sanitised here, once. Bounded: when full, what is new is unknown.
 */
#ifndef MISSTOP_RESOLVE_NAMES_H
#define MISSTOP_RESOLVE_NAMES_H

#include "base/array.h"
#include "base/hash.h"
#include "place.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NAMES_OBJECTS_MAX = 1 << 16 };

struct names {
    struct arena strings;
    struct object_desc *objects;
    size_t object_count;
    size_t object_room;
    struct hash object_of_key;
    struct hash instances;     /* (object, base) pairs seen */
    struct function_desc *functions;
    bool *line_looked_for;
    size_t function_count;
    size_t function_room;
    struct hash function_of_key;
};

int names_init(struct names *names);
void names_fini(struct names *names);

/* Id of the object with this key (unique among objects); 0 with *desc to be given by
 * names_add_object(). */
uint32_t names_find_object(const struct names *names, uint64_t key);

/* Takes copies of the strings, sanitised. 0: full or out of memory. */
uint32_t names_add_object(struct names *names, uint64_t key, const struct object_desc *desc);

/* Another instance of a bin: counted once each. */
void names_instance(struct names *names, uint32_t object, uint64_t base);

/* The same for functions; functions have keys of their own. */
uint32_t names_find_function(const struct names *names, uint64_t key);
uint32_t names_add_function(struct names *names, uint64_t key, const struct function_desc *desc);

#endif
