/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The resolver from inside. resolver.c keeps it current, resolver_place.c names accesses,
 * resolver_decode.c answers the decoder, resolver_names.c whoever holds an id or a name;
 * resolver_heap.c is told of time and of the user's bins.
 */
#ifndef MISSTOP_RESOLVE_RESOLVER_STATE_H
#define MISSTOP_RESOLVE_RESOLVER_STATE_H

#include "resolve/allocations.h"
#include "resolve/functions.h"
#include "resolve/names.h"
#include "resolve/resolver.h"
#include "resolve/space.h"
#include "resolve/thread_names.h"
#include "resolve/tls.h"
#include "resolve/memory_use.h"
#include "resolve/nodes.h"
#include "resolve/object_types.h"
#include "resolve/provisional.h"
#include "resolve/type_instances.h"
#include "resolve/typing.h"
#include "resolve/unwind.h"

enum { RESOLVER_CHANGES_MAX = 16, RESOLVER_HEARD_OF = 64 };

struct code_range {
    uint64_t start;
    uint64_t end;
};

struct resolver {
    struct resolver_options options;
    struct space space;
    struct names names;
    struct functions functions;
    struct tcbs tcbs;
    struct tls tls;
    struct typing *typing;
    struct object_types object_types;
    struct object_types class_types; /* what the blocks of a size class are, for the heap's bins */
    struct type_instances type_instances;
    struct provisional provisional;
    struct unwind unwind;
    struct nodes nodes;
    struct thread_names threads_named;
    struct memory_use_of memory_use;
    struct allocations *allocations; /* NULL: the heap is regions only */
    uint32_t *bin_of_object;         /* [NAMES_OBJECTS_MAX], 0: none; a bin's name can change */
    struct code_range changes[RESOLVER_CHANGES_MAX];
    size_t change_count;
    char comm[64];
    char exe[512];
    uint32_t threads;
    bool new_program; /* its rights are to be looked at */
    bool shut_off;    /* see resolver_shut_off() */
    uint32_t user;    /* its effective user, before it ran the program it runs now */
    bool alive;
    bool distrusted;
    uint32_t heard_of[RESOLVER_HEARD_OF]; /* threads, by id: only hints */
    uint32_t tls_of[RESOLVER_HEARD_OF];   /* whose thread-local memory was looked for, likewise */
    uint64_t tls_ns;                      /* when last, by the sample's time */
    uint64_t scan_ns;                     /* no looking for thread control blocks before */
};

/* The variable that the call before a return address assigns to, see allocations_assigned();
 * context: the resolver. */
int resolver_assigned(void *context, uint64_t return_address, char *out, size_t out_size,
                      uint32_t *type);

/* As struct place_names has it. */
bool resolver_thread(void *context, uint32_t tid, char *out, size_t out_size);

/* The file of the code at an address; NULL: none. */
struct module *resolver_code_at(struct resolver *resolver, uint64_t address);

/*
 * A finding of a stack becomes what a function keeps at `slot` bytes from its frames' CFA; `pc` is
 * in the function. NULL: nothing is known to be there, or (*waits) not yet.
 */
const struct typed_variable *resolver_name_slot(struct resolver *resolver, struct finding *finding,
                                                uint64_t address, uint64_t pc, int64_t slot,
                                                bool *waits);

/* Source line of an instruction; NULL: not known yet. */
const struct typed_line *resolver_line(struct resolver *resolver, uint64_t address);

/* Remembers that an object's name is its bin's. */
static inline void resolver_note_bin(struct resolver *resolver, uint32_t object, uint32_t bin)
{
    if (object)
        resolver->bin_of_object[object] = bin;
}

/* What an instruction belongs to, for call paths (bins_namer); context: the resolver. */
bool resolver_name_address(void *context, uint64_t address, const char **function,
                           const char **module, const char **file, uint32_t *line);

#endif
