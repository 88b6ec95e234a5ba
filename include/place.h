/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * resolve -> profile: where an access fell. Objects and functions are interned by
 * the resolver under dense ids that stay valid for its lifetime; id 0 is "unknown".
 */
#ifndef MISSTOP_PLACE_H
#define MISSTOP_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "access.h"
#include "simulated_line.h"

/*
 * A type as debug information describes it: values, made by src/resolve/dwarf, looked up by
 * resolve/members.h, shown by the views. All strings are sanitised. Type ids are dense from 1 and
 * stay valid, as the descriptions do, for the resolver's lifetime; 0 is "not known".
 */
enum type_kind {
    TYPE_OTHER,
    TYPE_STRUCT, /* struct, class, Rust struct or tuple, Fortran derived type: has members */
    TYPE_UNION,  /* union, Rust enum with data: has members */
    TYPE_SCALAR, /* integer, floating, bool, enumeration, complex */
    TYPE_POINTER /* pointer, reference */
};

enum member_kind {
    MEMBER_FIELD,
    MEMBER_BASE,   /* a base class, as an unnamed part */
    MEMBER_VTABLE, /* the pointer to the virtual functions */
    MEMBER_WRAPPER /* of a library's type, around a value: paths leave its name out */
};

enum { TYPE_NO_MEMBER = 0xffffffff, TYPE_MEMBERS_MAX = 4096, TYPE_DEPTH_MAX = 12 };

/*
 * One member, members of members following it, depth first, as declared. Of an array of
 * structs the members of one element follow; offsets are those of element 0.
 */
struct type_member {
    const char *name;   /* "": anonymous */
    const char *type;   /* "double [3]", "struct list_head *" */
    uint64_t offset;    /* bytes from the start of the outermost type */
    uint64_t size;      /* bytes, all elements; 0: flexible array member, or empty */
    uint64_t count;     /* elements of an array, 0: no array (a flexible one: 0 with a stride) */
    uint32_t stride;    /* bytes from element to element; 0: no array */
    uint32_t parent;    /* index of the member this one is part of; TYPE_NO_MEMBER: the type */
    uint16_t depth;     /* 0: a member of the type itself */
    uint8_t kind;       /* enum member_kind */
    uint8_t bit_offset; /* of a bit-field, from `offset`, least significant bit first */
    uint8_t bit_size;   /* 0: no bit-field */
};

struct type_desc {
    const char *name; /* "struct particle", "vector<int>", "double" */
    const char *raw;  /* as the compiler writes it, cut where it is long; NULL: as `name` */
    enum type_kind kind;
    uint64_t size; /* bytes; 0: not known (incomplete) */
    const struct type_member *members;
    uint32_t member_count;
    bool cut; /* more members than can be kept */
};

/* How an access came by its type. Every attributed sample is one of these. */
enum typed {
    TYPED_NOT,      /* see enum untyped */
    TYPED_CODE,     /* by what the instruction's pointer points to */
    TYPED_DATA,     /* by the object's own type */
    TYPED_AGREED,   /* by both, and they agree */
    TYPED_DISAGREED /* by both, and they do not; the data's is taken */
};
enum { TYPED_COUNT = TYPED_DISAGREED + 1 };

/* Why an access has no type. */
enum untyped {
    UNTYPED_NO_REASON,
    UNTYPED_WAITING,     /* the debugging information is still being read */
    UNTYPED_NO_DEBUG,    /* the code's file has none */
    UNTYPED_NO_UNIT,     /* it has some, but not of this code */
    UNTYPED_NO_CODE,     /* the instruction could not be read from the file (JIT, vdso) */
    UNTYPED_NO_VARIABLE, /* no variable is known for the base register */
    UNTYPED_NO_POINTER,  /* it holds something that is no pointer by its type */
    UNTYPED_VOID,        /* it points to void, or bytes to be copied */
    UNTYPED_OUTSIDE,     /* the displacement leaves the type */
    UNTYPED_CONFLICT,    /* ways that lead here say different things */
    UNTYPED_SPILL,       /* a stack slot that is no variable: spill, saved register, argument */
    UNTYPED_GAVE_UP,     /* the reader of debugging information failed or was stopped */
    UNTYPED_RARE,        /* the dynamic linker's, simulated, with few samples: not asked */
    UNTYPED_COUNT
};

/* "by-code", "by-data", "agreed", "disagreed"; "no-debug-information" ... as in JSON; and a
 * plain sentence. In src/resolve/members.c. */
const char *typed_name(enum typed typed);
const char *untyped_name(enum untyped untyped);
const char *untyped_text(enum untyped untyped);

/*
 * resolve -> profile: summary of the target's heap. Blocks are counted in bins, as MemSpy does
 * (section 5.2): a bin is a call path of allocations, or a size class for blocks that were
 * allocated before misstop attached. The strings live until the resolver's next tick.
 */
/* Where the knowledge comes from. */
enum heap_feed {
    HEAP_FEED_NONE,
    HEAP_FEED_AGENT, /* reports every allocation since the start */
    HEAP_FEED_WALK,  /* the allocator's own headers, read from outside */
};

/* Blocks below 32 bytes, from 32 to below 64, and so on; the last class has no bound. */
enum { HEAP_SIZES = 24 };

struct heap_bin {
    uint32_t id;      /* stays the same */
    uint32_t object;  /* object id of its blocks */
    const char *name; /* short: the function that wanted the memory, or the user's name */
    const char *path; /* full name, innermost first: "xmalloc < load < main"; NULL: not known */
    const char *const *site; /* call path, innermost first: "function (file:line)" */
    uint32_t site_count;
    uint32_t type_id;  /* of its blocks, by what they are assigned to and by the code that
                          touches them; 0: not known */
    const char *type;  /* its name as an object's; NULL: not known */
    bool walked;       /* a size class; requests, rates and lifetimes are not known */
    bool renamed;      /* the name is the user's */
    uint32_t combined; /* call paths in it beyond the first */
    uint64_t live_blocks;
    uint64_t usable_bytes;    /* of live blocks */
    uint64_t requested_bytes; /* of live blocks; 0 if walked */
    uint64_t allocations;     /* since the start */
    uint64_t frees;
    double allocations_per_s; /* over the last refresh; NAN: not known, as the rest */
    double frees_per_s;
    double lifetime_s;    /* mean, of blocks freed */
    double age_s;         /* since its first allocation */
    double quiet_s;       /* since its last one */
    double growth_blocks; /* since the mark */
    double growth_bytes;
    uint64_t sizes[HEAP_SIZES]; /* live blocks by usable size */
};

struct heap_summary {
    enum heap_feed feed;
    const char *source; /* "agent", "walk of glibc malloc in libc.so.6" */
    const char *note;   /* why there is no feed, or which blocks it does not see; NULL */
    uint64_t live_blocks;
    uint64_t usable_bytes;
    uint64_t requested_bytes; /* agent only */
    uint64_t lost;            /* events not seen */
    uint64_t failed;          /* lookups on the heap that gave no block */
    uint32_t bins;
    double mark_age_s; /* NAN: no mark set yet */
};

enum object_kind {
    OBJECT_UNKNOWN,
    OBJECT_GLOBAL, /* variable of the executable or of a library */
    OBJECT_HEAP,   /* allocator memory: a block's bin, or an arena as a region */
    OBJECT_STACK,  /* thread stacks */
    OBJECT_TLS,    /* thread-local variable: one bin, an instance per thread */
    OBJECT_MAP,    /* file mapping */
    OBJECT_ANON,   /* anonymous mapping, with its prctl name */
    OBJECT_CODE,   /* data read from an executable mapping: tables, constants */
    OBJECT_JIT,    /* named by /tmp/perf-PID.map */
    OBJECT_KIND_COUNT
};

/* Bytes that a place in a frame is below its base, at most. */
enum { PLACE_FRAME_MAX = 64 << 20 };

struct place {
    struct access access;
    uint32_t object;     /* object id */
    uint32_t holder;     /* object id of the heap bin it is in, where the object is called after
                            its type instead; else 0 */
    uint32_t function;   /* function id of access.ip */
    uint64_t base;       /* start of the instance the address is in; of a frame its end (CFA) */
    uint64_t size_bytes; /* of the instance; 0: not known */
    /* offset into the instance is access.address - base, below 0 in a frame */
    uint32_t type;           /* id of the type the access falls into; 0: see untyped */
    uint32_t type_offset;    /* of the access from the start of the type (of one element) */
    uint8_t unit;            /* bytes of bit-fields that may be meant; 0: no bit-field */
    bool by_member;          /* it has members: accesses count by them, wherever the instance is */
    uint8_t typed;           /* enum typed */
    uint8_t untyped;         /* enum untyped */
    uint32_t evictor_object; /* that needed the room of the line, 0: not known; */
    uint32_t evictor_function; /* by this function's access */
    uint32_t caller;           /* of the sampled function, the outermost known: a node of struct
                                  caller_desc; 0: its stack is not known */
};

/* A line event of a simulation, and the place of its access. */
struct line_place {
    struct line_event line;
    struct place place;
};

/*
 * An object that has turned out to be another one: a name or a type came late. All that was counted
 * for `from` is of `to`.
 */
struct object_rename {
    uint32_t from;
    uint32_t to;
    uint32_t type;  /* of the object; 0: not known */
    bool fixed;     /* all accesses to `from` were `offset` bytes into an instance of `to`; else */
    int64_t offset; /* of where the type starts in an instance of `from` */
};

/* Description of an object for views. Strings are sanitised: printable UTF-8 only. */
struct object_desc {
    const char *name;
    const char *module;    /* base name of the file; "" if none */
    const char *type;      /* NULL until types are known: "struct particle [1000]" */
    uint32_t type_id;      /* of it, or of its elements; 0: not known */
    uint32_t type_votes;   /* accesses by code that gave it this type; 0: it is declared so */
    uint32_t type_against; /* accesses by code that say another */
    enum object_kind kind;
    uint64_t address;    /* first instance seen */
    uint64_t size_bytes; /* 0: not known */
    uint32_t blocks;     /* instances seen; 0 of a part_of: the other object has them */
    uint32_t part_of; /* object that it is shown under while its own name is not known; 0: none */
};

struct function_desc {
    const char *name;
    const char *module;
    const char *file; /* "" if not known */
    uint32_t line;    /* 0 if not known */
    uint64_t start;   /* runtime addresses; start == end: bounds not known */
    uint64_t end;
};

/*
 * A node of the tree of callers: its function called that of the parent. The root of a branch has
 * parent 0 and is the sampled function. Nodes are dense from 1, parents before children.
 */
struct caller_desc {
    uint32_t parent;
    uint32_t function;
};

enum { CALLER_NODES_MAX = 1 << 16 };

/* Source position of one instruction; strings live with the resolver. */
struct instruction_desc {
    const char *file; /* NULL: not known, or not yet */
    uint32_t line;
    const char *inlined; /* "min < clamp": inlined there, innermost first; NULL: nothing */
};

/* The mapping that code is in. */
struct mapping_desc {
    uint64_t start;
    uint64_t end;
    uint64_t offset;   /* of start in the file */
    char path[1024];   /* printable; "" if there is no file */
    char build_id[65]; /* lower-case hexadecimal; "" if not known */
};

/* Extent of the object that covers an address, or of the gap between objects. */
struct object_extent {
    uint64_t base;
    uint64_t bound;  /* first byte after */
    uint32_t object; /* 0: a gap */
};

/* Facts about the target for the header line; strings sanitised, owned by the resolver or the
 * recording. */
struct resolver_target {
    uint32_t pid;
    uint32_t threads;
    const char *comm;
    const char *exe;
    bool alive;
    bool stopped;       /* by a signal or a debugger */
    uint64_t cpu_ticks; /* user and system time of all its threads; live */
};

/* Debug information being read in the background. */
struct loading_state {
    uint32_t waiting; /* questions without an answer */
    uint32_t processes;
    uint64_t resident_bytes;
    const char *busy_with; /* a file that takes long; NULL */
};

/* Memory use of the target, beside the samples; NAN, 0: not known. */
struct memory_use {
    double faults_per_s;  /* minor page faults of the process, over the last refresh */
    double cpus;          /* it was running on: CPU time a second, then */
    double kernel_share;  /* of that time */
    double huge_share;    /* share of the memory around the address that is on huge pages */
    uint32_t tlb_entries; /* of the last level, for pages of 4 KiB */
};

/*
 * Questions of profile, while it counts and while it makes a snapshot, by a number each: the
 * meaning of an id, and the state of the target at an address as of now. The resolver answers, or a
 * recording, or a table in tests; with -o the answers are recorded (store_writer_answer()). Why
 * these are no values that come with the snapshot: doc/design/names.md.
 */
enum place_question {
    PLACE_OBJECT,      /* object id -> object */
    PLACE_FUNCTION,    /* function id -> function */
    PLACE_CALLER,      /* node -> caller */
    PLACE_TYPE,        /* type id -> type */
    PLACE_INSTRUCTION, /* address -> instruction */
    PLACE_MAPPING,     /* address -> mapping */
    PLACE_EXTENT,      /* address -> extent */
    PLACE_HEAP,        /* 0 -> heap */
    PLACE_BIN,         /* index from 0 -> bin; false: no more */
    PLACE_THREAD,      /* tid -> thread: its current name, sanitised */
    PLACE_CPU_NODE,    /* CPU -> node, a NUMA node; -1: not known, or there is one only */
    PLACE_PAGE_NODE,   /* address -> node, of its page */
    PLACE_MEMORY,      /* address, 0: of the process only -> memory */
    PLACE_WORD,        /* address -> word: its 8 bytes, untrusted like all target memory */
    PLACE_CODE,        /* address of an instruction -> code: its function; 0: not known */
    PLACE_PAIR,        /* line_pair_number() -> pair; false: no more */
};

/* Strings are valid until the next question. */
union place_answer {
    struct object_desc object;
    struct function_desc function;
    struct caller_desc caller;
    struct type_desc type;
    struct instruction_desc instruction;
    struct mapping_desc mapping;
    struct object_extent extent;
    struct heap_summary heap;
    struct heap_bin bin;
    struct memory_use memory;
    char thread[64];
    int node;
    uint64_t word;
    uint32_t code;
    struct line_pair pair;
};

struct place_names {
    /* False: not known, and the answer is undefined. NULL: nothing is known. */
    bool (*answer)(void *context, enum place_question question, uint64_t number,
                   union place_answer *answer);
    void *context;
};

static inline bool place_ask(const struct place_names *names, enum place_question question,
                             uint64_t number, union place_answer *answer)
{
    return names->answer && names->answer(names->context, question, number, answer);
}

/* "global", "heap", ... as in JSON. */
const char *object_kind_name(enum object_kind kind);

/*
 * A search for an object by name, exact ("htab", "libc.so.6:main_arena"), or else by a part that
 * one alone has. Each object is looked at; then `found` is the one if `fits` is 1.
 */
struct object_search {
    const char *name;
    uint32_t found;
    unsigned fits;
    bool exact;
};

void object_search_look(struct object_search *search, uint32_t object, const char *name,
                        const char *module);

/*
 * resolve -> profile -> view: a program or library that a recording has code of, and whether it was
 * found here; and files that were not opened. Without it samples that carry registers only cannot
 * be decoded, and nothing in it has a name.
 */
enum binary_state {
    BINARY_FOUND,      /* with the build-id that was recorded */
    BINARY_UNVERIFIED, /* matched by path: the recording has no build-id */
    BINARY_OTHER,      /* not found, but a file of its name that is another build */
    BINARY_MISSING     /* not found */
};

struct binary_desc {
    const char *path;     /* as recorded, printable */
    const char *build_id; /* that was recorded, in hexadecimal; NULL: none */
    const char *found;    /* file that was opened; of BINARY_OTHER the one that was refused; NULL */
    const char *found_id; /* build-id of a refused one; NULL: it has none */
    uint64_t samples;     /* of user mode with an instruction in it */
    bool elsewhere; /* recorded on another machine, or one not known: no file is it by its path */
    enum binary_state state;
};

#define BINARIES_SHOWN 64

/* Those of a recording, in a snapshot. */
struct snapshot_binaries {
    const struct binary_desc *list; /* most samples first, at most BINARIES_SHOWN; NULL: live */
    size_t count;
    uint64_t samples; /* of the recording so far, all events */
    uint64_t nowhere; /* of these, in code that no recorded mapping holds: functions of no name */
    bool code_only;   /* it reports mappings of code only: perf record without -d */
};

/* A file that the program, its debugging information or the recording names, that is here, and that
 * was not opened. Printable. */
struct file_refused {
    const char *path;
    const char *why;
};

struct snapshot_refused {
    const struct file_refused *list;
    size_t count;
};

#endif
