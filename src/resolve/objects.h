/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The object of an address: a variable, a thread's own variable, a stack, the heap, a mapping. It
 * is located for one access and then interned. For the files of the resolver.
 */
#ifndef MISSTOP_RESOLVE_OBJECTS_H
#define MISSTOP_RESOLVE_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/hash.h"
#include "place.h"
#include "resolve/heap/allocations.h"
#include "resolve/process/space.h"

/*
 * Objects and functions that have been seen, under dense ids from 1; 0 is "unknown". Strings are
 * sanitised here, once. Bounded: when full, new ones are unknown.
 */
enum { NAMES_OBJECTS_MAX = 1 << 16 };

struct names {
    struct arena strings;
    struct object_desc *objects;
    size_t object_count;
    struct hash object_of_key;
    struct hash instances;           /* (object, base) pairs seen */
    struct hash called;              /* objects so far by what they are called, of this program */
    struct function_desc *functions; /* file NULL: not looked for yet */
    size_t function_count;
    struct hash function_of_key;
};

int names_init(struct names *names);
void names_fini(struct names *names);

/* Another program runs: its objects may be called as those before. */
void names_forget(struct names *names);

/* Id of the object with this key (unique among objects); 0 with *desc to be given by
 * names_add_object(). */
uint32_t names_find_object(const struct names *names, uint64_t key);

/* Takes copies of the strings, sanitised. 0: full or out of memory. */
uint32_t names_add_object(struct names *names, uint64_t key, const struct object_desc *desc);

/* A name for an object of that kind and module, numbered where another has it (text_numbered()):
 * static variables of two files, types of two units, mappings at one address after another. */
const char *names_number(struct names *names, const struct object_desc *desc, const char *name);

/* Another instance of a bin: counted once each. */
void names_instance(struct names *names, uint32_t object, uint64_t base);

/* The same for functions; functions have keys of their own. */
uint32_t names_find_function(const struct names *names, uint64_t key);
uint32_t names_add_function(struct names *names, uint64_t key, const struct function_desc *desc);

struct located {
    uint64_t key;  /* of the object, see objects.h */
    uint64_t base; /* of the instance */
    uint64_t end;
    enum object_kind kind;
    const char *name; /* NULL: interned already */
    const char *module;
    const struct module *in_module; /* that it is a variable or section of; NULL: none */
    uint32_t bin;                   /* of a heap block; 0: none */
    enum allocation_kind allocation;
    uint64_t whole_start;  /* of the object, where whole_blocks is 1 */
    uint64_t whole_bytes;  /* of the object, if base to end is only a part; 0: it is all */
    uint32_t whole_blocks; /* it has */
    bool in_use;           /* of a walked block: the program has it */
    const struct module *variable_of; /* the file it is a variable of; NULL: it is none */
    uint64_t variable_at; /* ... where it begins; thread-local ones: in the file's image */
    bool of_type;         /* named after the type that is there */
    bool of_thread;       /* a stack: of a thread that is known */
    bool one_of_many;     /* shared memory or an object of a runtime: others have its name */
    bool guessed;         /* a stack: by stack pointers that reached near it */
    uint64_t type_base;   /* ... and where that begins */
    bool array;           /* ... and there are more of it, whole elements apart */
    bool may_be_array;    /* ... a first one in its block, where an element of an array could be */
    char text[160];       /* room for a made-up name */
};

enum stack_wanted {
    STACK_KNOWN,
    STACK_REACHED,  /* reached through a stack pointer: then it is a stack, whoever made
                               it */
    STACK_OF_THREAD /* only of a thread, not what stack pointers reached near */
};

/* False: nothing is mapped. */
bool located_make(struct located *located, struct space *space, const struct tls *tls,
                  const struct names *names, uint64_t address, enum stack_wanted stack);

/* Whether one holds for all addresses of its mapping, private memory without a stack, until
 * something in the space changes. */
bool located_is_mapping(const struct located *located, struct space *space, uint64_t address);

/* In a recording, where no mapping around the address was recorded. `sp`: the sample's stack
 * pointer, 0 if it is not known. */
bool located_unrecorded(struct located *located, const struct space *space, uint64_t address,
                        uint64_t sp);

/* One in the heap becomes one of the block around the address, if that is known. */
bool located_refine(struct located *located, struct allocations *allocations,
                    const struct space *space, uint64_t address, uint64_t time_ns);

/* One in a runtime's memory becomes the objects of a class, or the rest of that memory. */
struct runtime_object;
void located_of_class(struct located *located, const struct space *space, const char *name,
                      const struct runtime_object *object);

/* Key of the object that the blocks of a bin are. */
uint64_t located_bin_key(const struct space *space, uint32_t bin);

/* Key of what all frames of a function have under a name. */
uint64_t located_frame_key(const struct space *space, uint32_t function, const char *part);

/* Id of its object, a new one if it was not seen before; 0: there is no room for more. */
uint32_t located_object(const struct located *located, struct names *names);

/* The same, and what was found counts as an instance of it. */
uint32_t located_intern(const struct located *located, struct names *names);

#endif
