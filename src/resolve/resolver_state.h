/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The resolver from inside. resolver.c keeps it current, answers the decoder, and receives the
 * time and the user's bins; place.c names accesses, names.c answers by id or name.
 */
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

/* The function an instruction was in when it was asked about last, for every sample asks: until
 * code changes somewhere. */
struct function_at {
    uint64_t ip;
    struct module *module;
    uint32_t function; /* 0: empty */
    uint32_t binary;   /* of a recording, that the instruction is in; 0: none */
};

enum { FUNCTIONS_AT = 1024 }; /* direct-mapped */

/*
 * The callers of the sampled function: the stacks of a part of the samples, as nodes of a tree that
 * grows from the sampled functions outwards (struct caller_desc, place.h). Of a stack that has no
 * room in the tree, or cannot be followed further, the inner part is known.
 *
 * Live, walking takes CALLERS_COST of one CPU at most: samples that come before that is earned
 * have no stack.
 */
#define CALLERS_COST 0.01

/* Starts as zeros. */
struct callers {
    struct caller_desc *nodes; /* [count], from id 1 on */
    uint32_t count;
    size_t room;
    struct hash of_pair; /* parent and function -> node */
    uint64_t spent_ns;   /* on walking, less what was earned up to the last tick */
    uint64_t ticked_ns;
};

void callers_fini(struct callers *callers);

/* Once per refresh. */
void callers_tick(struct callers *callers, uint64_t now_ns);

/* false: no such node. */
bool callers_describe(const struct callers *callers, uint32_t node, struct caller_desc *desc);

/*
 * Objects that have no name yet (doc/design/heap.md: an object keeps one identity). A heap block
 * that the walk found, memory that is accessed by code with unread debugging information, a stack
 * slot: each gets an object at its first sample. When its type or name is known, a rename (place.h)
 * moves its counts; when it is known that none will come, it joins its size class, mapping or
 * stack.
 *
 * A block has one object from its first sample on. The walk cannot see that a block was freed and
 * its memory given out again: an unrelated type at the same address shows it.
 *
 * Bounded: PROVISIONAL_MAX of them in a run, and PROVISIONAL_BLOCKS blocks remembered; further ones
 * join their size class at once. Owned by the resolver.
 */
struct resolver;

enum {
    PROVISIONAL_MAX = 1 << 14,
    PROVISIONAL_BLOCKS = 1 << 16,
    PROVISIONAL_OWN_ROWS = 8,     /* blocks of one size class that are shown one by one, */
    PROVISIONAL_OWN_BYTES = 4096, /* from this size on */
    PROVISIONAL_SITES = 1 << 12,
};

/* The reason why an object waits. */
enum provisional_kind {
    PROVISIONAL_BLOCK, /* a walked block */
    PROVISIONAL_CODE,  /* memory that one instruction accesses: the type of its operand */
    PROVISIONAL_SLOT,  /* a place in the frames of a function: the variable there */
};

struct provisional_object {
    uint32_t object;
    uint32_t part_of; /* the object it is shown under, and joins if no type comes */
    uint32_t class;   /* object of the size class of a block */
    uint32_t type;    /* of part_of, where that is called after what the block begins with; 0 */
    uint64_t type_at; /* where that starts in the block */
    uint32_t one_of;  /* the object it turned out to be; 0: none yet */
    uint32_t bin;     /* of a block */
    uint8_t kind;     /* enum provisional_kind */
    bool waits;       /* for an answer to the question of `access`, or `pc` and `slot` */
    bool own_row;     /* shown by itself, not under part_of */
    bool by_untyped;  /* `access` is by code without a type */
    /* Of its row: by its size, and by the type that its pointers lead to; NULL: never asked. */
    const char *names[2];
    uint32_t target;
    enum object_kind memory;
    enum allocation_kind allocation;
    uint64_t key; /* of the object it is part of */
    uint64_t start;
    uint64_t end;
    struct access access;
    uint64_t pc;
    int64_t slot;
    bool fixed; /* it turned out to be accesses `into` bytes into an instance of one_of */
    int64_t into;
    uint64_t born_ns; /* first sample of a block */
};

/* A block and the object it is. */
struct provisional_known {
    uint64_t start;
    uint64_t size_bytes; /* 0: empty */
    uint64_t type_at;    /* where the object's type starts in it */
    uint32_t object;
    uint32_t against; /* samples in a row that found an unrelated type */
};

/*
 * An instruction without debugging information that accesses blocks of a size class, and the object
 * that these blocks were, where they were known. So a block that only such code accesses has a
 * type, too.
 */
struct provisional_site {
    uint64_t ip;
    uint32_t class;
    uint32_t object;
    uint32_t agreed; /* blocks that were this object */
    uint32_t others; /* ... another one */
};

/* Knowledge about the blocks of a size class. */
enum { PROVISIONAL_KINDS = 4 };

struct provisional_class {
    uint32_t filled_by[PROVISIONAL_KINDS]; /* objects that fill them; none is part of another */
    bool filled_by_more;                   /* than there is room for */
    bool typed;                            /* some have a type */
    bool many;                             /* large ones come in numbers */
    bool free;                             /* they are free blocks */
};

struct provisional {
    struct provisional_object *list;
    size_t count;
    size_t room;
    size_t first_active;             /* all before it have ended */
    uint32_t *of_object;             /* [NAMES_OBJECTS_MAX]: index + 1; 0: it is not provisional */
    struct provisional_known *known; /* [PROVISIONAL_BLOCKS], direct-mapped */
    bool knows;                      /* any of them */
    struct provisional_site *sites;  /* [PROVISIONAL_SITES], likewise */
    struct provisional_class *classes; /* [NAMES_OBJECTS_MAX], of size classes */
    struct object_rename *renames;     /* since the last refresh */
    size_t rename_count;
    size_t rename_room;
};

/* 0 or -ENOMEM. */
int provisional_init(struct provisional *provisional);
void provisional_fini(struct provisional *provisional);

/* Another program runs: objects without a name yet join the object they are part of. */
void provisional_forget(struct resolver *resolver);

/*
 * The object of a walked block. `named`: the block as type_instances_rename() left it, `type` what
 * that returned. Sets place->object and ->holder, and makes `named` fit the object. Returns the
 * type that the object is called after; 0: none.
 */
uint32_t provisional_block(struct resolver *resolver, const struct located *block,
                           struct located *named, uint32_t type, const struct access *access,
                           const struct typed_answer *operand, struct place *place);

/* The object of a walked block's size class. */
uint32_t provisional_class(struct resolver *resolver, const struct located *block);

/* Memory with a type that may come from the code's debug information, which is being read. Sets
 * place->object and ->holder, and the bounds of the instance where the answer came before; false:
 * there is no room. */
bool provisional_code(struct resolver *resolver, struct located *memory,
                      const struct access *access, struct place *place);

/* A stack slot with its variable being looked up. `slot`: distance from the frame's CFA. */
bool provisional_slot(struct resolver *resolver, struct located *stack, uint64_t pc, int64_t slot,
                      const struct access *access, struct place *place);

/* Once per refresh: answers that have come, blocks that are gone. */
void provisional_tick(struct resolver *resolver, uint64_t now_ns);

/* The object that a block is known to be; 0: none. */
uint32_t provisional_find(const struct resolver *resolver, uint64_t start, uint64_t size_bytes);

/* The object that one has turned out to be; itself as long as nothing else is known. */
uint32_t provisional_now(const struct resolver *resolver, uint32_t object);

/* Whether one that has no name yet is a block. */
bool provisional_is_block(const struct resolver *resolver, uint32_t object);

/* The name of a block's row: "malloc(32.0M)", or "struct job * []" where `desc` is an array of
 * pointers, with " #2" where there is another. NULL: it is none. */
const char *provisional_name(struct resolver *resolver, uint32_t object,
                             const struct object_desc *desc);

/* The object under which one without a name is shown; 0: it is shown by itself. */
uint32_t provisional_part_of(const struct resolver *resolver, uint32_t object);

/*
 * An object of a recording as one instruction accesses it: found once, and the same for all its
 * accesses until the space changes. Not a frame, a block, or memory that is called after a type:
 * there each access may be to another instance. (place.c)
 */
enum { RESOLVED_RECENT = 512 }; /* direct-mapped */

struct resolved {
    uint64_t ip; /* 0: empty */
    uint64_t version;
    uint64_t operand_key; /* of the access */
    const struct typed_answer *operand;
    const struct typed_answer *variable; /* NULL: the object is none */
    uint32_t binary;
    uint32_t function;
    uint32_t object;
    struct located located;
};

enum { RESOLVER_CHANGES_MAX = 16, RESOLVER_HEARD_OF = 64 };

struct code_range {
    uint64_t start;
    uint64_t end;
};

enum { RESOLVER_MET = 1 << 12 };

struct resolver {
    struct resolver_options options;
    uint8_t
        met[RESOLVER_MET]; /* samples of a variable or function, by a hash of it; the most: 255 */
    char heap_words[512];  /* why there is no agent, and no walk either */
    struct space space;
    struct names names;
    char slot_name[2048];      /* of resolver_name_slot()'s last new one */
    struct resolved *resolved; /* of a recording; NULL: live */
    struct jitmap jitmap;
    struct function_at functions[FUNCTIONS_AT];
    struct tcbs tcbs;
    struct tls tls;
    struct typing *typing;
    struct object_types object_types;
    struct object_types class_types; /* types of the blocks of a size class, for the heap's bins */
    struct type_instances type_instances;
    struct provisional provisional;
    struct unwind unwind;
    struct callers callers;
    struct nodes nodes;
    struct runtimes runtimes;
    struct thread_names threads_named;
    struct memory_use_of memory_use;
    struct allocations *allocations; /* of a recording it knows no block */
    uint32_t *bin_of_object;         /* [NAMES_OBJECTS_MAX], 0: none; a bin's name can change */
    struct code_range changes[RESOLVER_CHANGES_MAX];
    size_t change_count;
    char comm[64];
    char exe[512];
    uint32_t threads;
    bool new_program; /* its rights are to be looked at */
    bool shut_off;    /* see resolver_shut_off() */
    uint32_t user;    /* its effective user, before it ran the program it runs now */
    uint64_t cpu_ticks;
    bool stopped;
    bool alive;
    bool distrusted;
    uint32_t heard_of[RESOLVER_HEARD_OF]; /* threads, by id: only hints */
    uint32_t tls_of[RESOLVER_HEARD_OF];   /* threads with thread-local memory already looked for */
    uint64_t tls_ns;                      /* when last, by the sample's time */
    uint64_t scan_ns;                     /* no looking for thread control blocks before */
};

/* The variable that the call before a return address assigns to, see bins_assigned();
 * context: the resolver. */
int resolver_assigned(void *context, uint64_t return_address, char *out, size_t out_size,
                      uint32_t *type);

/* The current name of a thread, else of the process. */
bool resolver_thread(struct resolver *resolver, uint32_t tid, char *out, size_t out_size);

/* The file of the code at an address; NULL: none. */
struct module *resolver_code_at(struct resolver *resolver, uint64_t address);

/* Id of the function around an instruction, by symbol, unwind table or JIT map, 0 where nothing is
 * mapped; and the file it is in, NULL: none. */
uint32_t resolver_function(struct resolver *resolver, uint64_t ip, struct module **module);

/*
 * A located stack becomes what a function keeps at `slot` bytes from its frames' CFA; `pc` is
 * in the function. NULL: nothing is known to be there, or (*waits) not yet.
 */
const struct typed_answer *resolver_name_slot(struct resolver *resolver, struct located *located,
                                              uint64_t address, uint64_t pc, int64_t slot,
                                              bool *waits);

/* The operand of an access in a block, as its caller knows it where the code itself has no type;
 * `node` is room. NULL: debug information is being read. */
const struct typed_answer *resolver_operand_in(struct resolver *resolver,
                                               const struct access *access,
                                               const struct located *block,
                                               const struct typed_answer *operand,
                                               struct typed_answer *node);

/* Source line of an instruction; NULL: not known yet. */
const struct typed_line *resolver_line(struct resolver *resolver, uint64_t address);

/* Remembers that an object's name is its bin's. */
static inline void resolver_note_bin(struct resolver *resolver, uint32_t object, uint32_t bin)
{
    if (object)
        resolver->bin_of_object[object] = bin;
}

/* Function and line of an instruction, for call paths (bins_namer); context: the resolver. */
bool resolver_name_address(void *context, uint64_t address, const char **function,
                           const char **module, const char **file, uint32_t *line);

#endif
