/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the object of an address: a variable, a thread-local variable, a stack, the heap, a
 * mapping. It is located for one access and then interned. For the files of the resolver. */
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

/* Objects and functions seen so far, with dense ids from 1; 0 is "unknown". Strings are sanitised
 * once, here. Bounded: when full, new ones are unknown. */
enum { NAMES_OBJECTS_MAX = 1 << 16 };

struct names {
    struct arena strings;
    struct object_desc *objects;
    size_t object_count;
    struct hash object_of_key;
    struct hash instances;           /* (object, base) pairs seen */
    struct hash name_counts;         /* number of objects per name, for this program */
    struct function_desc *functions; /* file NULL: not searched for yet */
    size_t function_count;
    struct hash function_of_key;
};

int names_init(struct names *names);
void names_fini(struct names *names);

/* Resets name numbering: another program runs, and its objects may have the same names. */
void names_forget(struct names *names);

/* Returns the id of the object with this unique key; 0: names_add_object() must add it. */
uint32_t names_find_object(const struct names *names, uint64_t key);

/* Adds an object with sanitised copies of the strings. 0: full or out of memory. */
uint32_t names_add_object(struct names *names, uint64_t key, const struct object_desc *desc);

/* Returns a name for an object, numbered if another has it (text_numbered()): static variables of
 * two files, types of two units, successive mappings at one address. */
const char *names_number(struct names *names, const struct object_desc *desc, const char *name);

/* Counts an instance of an object, once per base. */
void names_instance(struct names *names, uint32_t object, uint64_t base);

/* Does the same for functions, which have a key space of their own. */
uint32_t names_find_function(const struct names *names, uint64_t key);
uint32_t names_add_function(struct names *names, uint64_t key, const struct function_desc *desc);

struct located {
    uint64_t key;  /* key of the object */
    uint64_t base; /* base of the instance */
    uint64_t end;
    enum object_kind kind;
    const char *name; /* NULL: already interned */
    const char *module;
    const struct module *in_module; /* module with this variable or section; NULL: none */
    uint32_t bin;                   /* bin of a heap block; 0: none */
    enum allocation_kind allocation;
    uint64_t whole_start;  /* start of the object if whole_blocks is 1 */
    uint64_t whole_bytes;  /* size of the object if [base, end) is only a part; 0: no larger */
    uint32_t whole_blocks; /* number of blocks in the object */
    bool in_use;           /* walked block: in use by the program */
    const struct module *variable_of; /* file that defines the variable; NULL: not a variable */
    uint64_t variable_at;  /* ... and its start; thread-local: offset in the file's image */
    bool is_named_by_type; /* named after a type */
    bool of_thread;        /* stack of a known thread */
    bool shares_name;      /* shared memory or a runtime's object: others have the same name */
    bool guessed;          /* a stack guessed from stack pointers nearby */
    uint64_t type_base;    /* is_named_by_type: start of the instance */
    bool array;            /* is_named_by_type: more instances, whole elements apart */
    bool may_be_array;     /* is_named_by_type: first in its block, at a possible array element */
    char text[160];        /* buffer for generated names */
};

enum stack_wanted {
    STACK_KNOWN,
    STACK_REACHED,  /* reached through a stack pointer: counts as a stack */
    STACK_OF_THREAD /* only stacks of threads, not guesses from stack pointers */
};

/* Locates an address. Returns false if nothing is mapped. */
bool located_make(struct located *located, struct space *space, const struct tls *tls,
                  const struct names *names, uint64_t address, enum stack_wanted stack);

/* Returns true for private memory, not a stack; valid for its mapping until the space changes. */
bool located_is_mapping(const struct located *located, struct space *space, uint64_t address);

/* Locates an address outside a recording's mappings. `sp`: the sample's stack pointer, or 0. */
bool located_unrecorded(struct located *located, const struct space *space, uint64_t address,
                        uint64_t sp);

/* Refines memory in the heap to the block around the address, if that is known. */
bool located_refine(struct located *located, struct allocations *allocations,
                    const struct space *space, uint64_t address, uint64_t time_ns);

/* Refines a runtime's memory to the objects of a class, or to the other memory of the runtime. */
struct runtime_object;
void located_of_class(struct located *located, const struct space *space, const char *name,
                      const struct runtime_object *object);

uint64_t located_bin_key(const struct space *space, uint32_t bin);

/* Returns the key of a part that all frames of a function have. */
uint64_t located_frame_key(const struct space *space, uint32_t function, const char *part);

/* Returns the id of the object, added if it is new; 0: no room. */
uint32_t located_object(const struct located *located, struct names *names);

/* Like located_object(), and counts the located memory as an instance. */
uint32_t located_intern(const struct located *located, struct names *names);

#endif
