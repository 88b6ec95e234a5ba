/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Internal state of the resolver. resolver.c keeps it current, serves the decoder, and receives the
 * time and the user's bins; place.c names accesses; names.c answers by id or name. */
#ifndef MISSTOP_RESOLVE_RESOLVER_STATE_H
#define MISSTOP_RESOLVE_RESOLVER_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "resolve/elf/unwind.h"
#include "resolve/heap/allocations.h"
#include "resolve/object_types.h"
#include "resolve/objects.h"
#include "resolve/process/memory_use.h"
#include "resolve/process/space.h"
#include "resolve/process/threads.h"
#include "resolve/resolver.h"
#include "resolve/runtime/runtime.h"
#include "resolve/typing.h"

/* Cached function of an instruction, looked up for every sample; valid until code changes. */
struct function_at {
    uint64_t ip;
    struct module *module;
    uint32_t function; /* 0: empty */
    uint32_t binary;   /* recording: binary of the instruction; 0: none */
};

enum { FUNCTIONS_AT = 1024 }; /* direct-mapped */

/*
 * The callers of sampled functions: the stacks of some samples as a tree that grows from the
 * sampled functions outwards (struct caller_desc, place.h). If a stack does not fit in the tree, or
 * cannot be followed further, only its inner part is known.
 *
 * In a live process, walking takes at most CALLERS_COST of one CPU: samples beyond that budget have
 * no stack.
 */
#define CALLERS_COST 0.01

/* Initialised with zeros. */
struct callers {
    struct caller_desc *nodes; /* [count], from id 1 on */
    uint32_t count;
    size_t room;
    struct hash of_pair; /* parent and function -> node */
    uint64_t spent_ns;   /* time spent walking, minus the budget earned up to the last tick */
    uint64_t ticked_ns;
};

void callers_fini(struct callers *callers);

/* Adds to the budget. Called once per refresh. */
void callers_tick(struct callers *callers, uint64_t now_ns);

/* Returns false if there is no such node. */
bool callers_describe(const struct callers *callers, uint32_t node, struct caller_desc *desc);

/*
 * Objects without a name yet (doc/design/heap.md: an object has one identity): a heap block found
 * by the walk, memory accessed by code with unread debug information, a stack slot. Each gets an
 * object at its first sample. When its type or name becomes known, a rename (place.h) moves its
 * counts. Without a type or name the object joins its size class, mapping or stack.
 *
 * A block has one object from its first sample on. The walk cannot see that a block was freed and
 * its memory allocated again; an unrelated type at the same address reveals it.
 *
 * Bounded: PROVISIONAL_MAX objects per run, and PROVISIONAL_BLOCKS cached blocks; further blocks
 * join their size class at once. Owned by the resolver.
 */
struct resolver;

enum {
    PROVISIONAL_MAX = 1 << 14,
    PROVISIONAL_BLOCKS = 1 << 16,
    PROVISIONAL_OWN_ROWS = 8,     /* blocks of one size class with a row each, ... */
    PROVISIONAL_OWN_BYTES = 4096, /* ... if they have at least this size */
    PROVISIONAL_SITES = 1 << 12,
};

enum provisional_kind {
    PROVISIONAL_BLOCK, /* a walked block */
    PROVISIONAL_CODE,  /* memory accessed by one instruction: the type of its operand */
    PROVISIONAL_SLOT,  /* a slot in the frames of a function: the variable there */
};

struct provisional_object {
    uint32_t object;
    uint32_t part_of;    /* the object it is shown under, which it joins if no type is found */
    uint32_t class;      /* object of a block's size class */
    uint32_t type;       /* type of part_of, if that is named after the start of the block; 0 */
    uint64_t type_at;    /* start of that type in the block */
    uint32_t renamed_to; /* the object it turned out to be; 0: not known yet */
    uint32_t bin;        /* bin of a block */
    uint8_t kind;        /* enum provisional_kind */
    bool is_pending;     /* waits for an answer about `access`, or `pc` and `slot` */
    bool own_row;        /* has its own row, not under part_of */
    bool by_untyped;     /* `access` was by code without a type */
    /* Names of its row: by size, and by the pointee type of its pointers; NULL: not made yet. */
    const char *names[2];
    uint32_t target;
    enum object_kind memory_kind;
    enum allocation_kind allocation;
    uint64_t key; /* key of the object it is part of */
    uint64_t start;
    uint64_t end;
    struct access access;
    uint64_t pc;
    int64_t slot;
    /* its accesses are `offset_in_object` bytes into an instance of renamed_to */
    bool has_fixed_offset;
    int64_t offset_in_object;
    uint64_t first_sample_ns; /* first sample of a block */
};

struct provisional_known {
    uint64_t start;
    uint64_t size_bytes; /* 0: empty */
    uint64_t type_at;    /* start of the object's type in the block */
    uint32_t object;
    uint32_t disagreeing; /* consecutive samples with an unrelated type */
};

/* An instruction without debug information that accesses blocks of a size class, and the object of
 * the blocks that are known. It gives a type to blocks that only such code accesses. */
struct provisional_site {
    uint64_t ip;
    uint32_t class;
    uint32_t object;
    uint32_t agreeing_blocks; /* blocks that were this object */
    uint32_t other_blocks;    /* blocks that were another object */
};

enum { PROVISIONAL_KINDS = 4 };

struct provisional_class {
    uint32_t filled_by[PROVISIONAL_KINDS]; /* objects that fill its blocks, none part of another */
    bool filled_by_others;                 /* there are more such objects */
    bool typed;                            /* some blocks have a type */
    bool has_many_large;                   /* there are many large blocks */
    bool free;                             /* these are free blocks */
};

struct provisional {
    struct provisional_object *list;
    size_t count;
    size_t room;
    size_t first_active;               /* all earlier objects have ended */
    uint32_t *of_object;               /* [NAMES_OBJECTS_MAX]: index + 1; 0: not provisional */
    struct provisional_known *known;   /* [PROVISIONAL_BLOCKS], direct-mapped */
    bool knows;                        /* `known` has entries */
    struct provisional_site *sites;    /* [PROVISIONAL_SITES], direct-mapped */
    struct provisional_class *classes; /* [NAMES_OBJECTS_MAX], for size classes */
    struct object_rename *renames;     /* since the last refresh */
    size_t rename_count;
    size_t rename_room;
};

/* Initialises the tables. Returns 0 or -ENOMEM. */
int provisional_init(struct provisional *provisional);
void provisional_fini(struct provisional *provisional);

/* Joins all objects without a name to the object they are part of: another program runs now. */
void provisional_forget(struct resolver *resolver);

/*
 * Finds the object of a walked block. `named`: the block as set by type_instances_rename(), `type`:
 * its result. Sets place->object and ->holder, and adapts `named` to the object. Returns the type
 * that the object is named after; 0: none.
 */
uint32_t provisional_block(struct resolver *resolver, const struct located *block,
                           struct located *named, uint32_t type, const struct access *access,
                           const struct typed_answer *operand, struct place *place);

uint32_t provisional_class(struct resolver *resolver, const struct located *block);

/* Handles memory with a type in debug information still being read. Sets place->object, ->holder,
 * and the instance's bounds if there was an answer before. */
void provisional_code(struct resolver *resolver, struct located *memory,
                      const struct access *access, struct place *place);

/* Handles a stack slot with a pending lookup of its variable. `slot`: distance from the CFA. */
bool provisional_slot(struct resolver *resolver, struct located *stack, uint64_t pc, int64_t slot,
                      const struct access *access, struct place *place);

/* Handles new answers and freed blocks. Called once per refresh. */
void provisional_tick(struct resolver *resolver, uint64_t now_ns);

uint32_t provisional_find(const struct resolver *resolver, uint64_t start, uint64_t size_bytes);

/* Returns the object that another one turned out to be, or the object itself. */
uint32_t provisional_current(const struct resolver *resolver, uint32_t object);

bool provisional_is_block(const struct resolver *resolver, uint32_t object);

/* Returns the name of a block's row: "malloc(32.0M)", or "struct job * []" if `desc` is an array of
 * pointers, with " #2" if the name is in use. NULL: not a block. */
const char *provisional_name(struct resolver *resolver, uint32_t object,
                             const struct object_desc *desc);

/* Returns the object under which one without a name is shown; 0: it has its own row. */
uint32_t provisional_part_of(const struct resolver *resolver, uint32_t object);

/*
 * Cached result for an instruction and an object of a recording: resolved once for all its
 * accesses, until the space changes. Not used for frames, blocks, or memory named after a type,
 * where each access may be to another instance. (place.c)
 */
enum { RESOLVED_RECENT = 512 }; /* direct-mapped */

struct resolved {
    uint64_t ip; /* 0: empty */
    uint64_t version;
    uint64_t operand_key; /* key of the access's operand */
    const struct typed_answer *operand;
    const struct typed_answer *variable; /* NULL: not a variable */
    uint32_t binary;
    uint32_t function;
    uint32_t object;
    struct located located;
};

enum { RESOLVER_CHANGES_MAX = 16, RESOLVER_SEEN_TIDS = 64 };

struct code_range {
    uint64_t start;
    uint64_t end;
};

enum { RESOLVER_SAMPLE_COUNTS = 1 << 12 };

struct resolver {
    struct resolver_options options;
    /* samples per hash of a variable or function, up to 255 */
    uint8_t sample_counts[RESOLVER_SAMPLE_COUNTS];
    char heap_note[512]; /* why there is neither an agent nor a walk */
    struct space space;
    struct names names;
    char slot_name[2048];      /* last new name made by resolver_name_slot() */
    struct resolved *resolved; /* recording only; NULL: live */
    struct jitmap jitmap;
    struct function_at functions[FUNCTIONS_AT];
    struct tcbs tcbs;
    struct tls tls;
    struct typing *typing;
    struct object_types object_types;
    struct object_types class_types; /* types of the blocks of size classes, for the heap's bins */
    struct type_instances type_instances;
    struct provisional provisional;
    struct unwind unwind;
    struct callers callers;
    struct nodes nodes;
    struct runtimes runtimes;
    struct thread_names threads_named;
    struct memory_use_of memory_use;
    struct allocations *allocations; /* empty for a recording */
    uint32_t *bin_of_object;         /* [NAMES_OBJECTS_MAX], 0: none; a bin's name can change */
    struct code_range changes[RESOLVER_CHANGES_MAX];
    size_t change_count;
    char comm[64];
    char exe[512];
    uint32_t threads;
    bool new_program;    /* its rights must be checked */
    bool sampling_ended; /* see resolver_sampling_ended() */
    uint32_t user;       /* effective user before the current program was executed */
    uint64_t cpu_ticks;
    bool stopped;
    bool alive;
    bool maps_are_stale;
    uint32_t seen_tids[RESOLVER_SEEN_TIDS];        /* threads seen, by id; only a hint */
    uint32_t tls_checked_tids[RESOLVER_SEEN_TIDS]; /* threads checked for thread-local memory */
    uint64_t tls_ns;  /* time of the last such check, by the sample's time */
    uint64_t scan_ns; /* earliest time of the next search for thread control blocks */
};

/* Finds the variable assigned by the call before a return address (a bins_assigned callback). */
int resolver_assignee(void *context, uint64_t return_address, char *out, size_t out_size,
                      uint32_t *type);

/* Returns the current name of a thread, otherwise of the process. */
bool resolver_thread(struct resolver *resolver, uint32_t tid, char *out, size_t out_size);

/* Returns the file of the code at an address; NULL: none. */
struct module *resolver_code_at(struct resolver *resolver, uint64_t address);

/* Returns the id of the function around an instruction, by symbol, unwind table or JIT map; 0 if
 * nothing is mapped. Sets *module to its file; NULL: none. */
uint32_t resolver_function(struct resolver *resolver, uint64_t ip, struct module **module);

/* Refines a located stack to the variable or slot at `slot` bytes from the CFA of a function's
 * frames; `pc` is in the function. NULL: nothing known there, or (*waits) not known yet. */
const struct typed_answer *resolver_name_slot(struct resolver *resolver, struct located *located,
                                              uint64_t address, uint64_t pc, int64_t slot,
                                              bool *waits);

/* Returns the operand of an access in a block, from the caller if the code itself has no type;
 * `node` is a buffer. NULL: debug information is being read. */
const struct typed_answer *resolver_operand_in(struct resolver *resolver,
                                               const struct access *access,
                                               const struct located *block,
                                               const struct typed_answer *operand,
                                               struct typed_answer *node);

/* Returns the source line of an instruction; NULL: not known yet. */
const struct typed_line *resolver_line(struct resolver *resolver, uint64_t address);

static inline void resolver_note_bin(struct resolver *resolver, uint32_t object, uint32_t bin)
{
    if (object)
        resolver->bin_of_object[object] = bin;
}

/* Returns function and line of an instruction for call paths (a bins_namer callback). */
bool resolver_name_address(void *context, uint64_t address, const char **function,
                           const char **module, const char **file, uint32_t *line);

#endif
