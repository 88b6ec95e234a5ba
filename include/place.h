/* SPDX-License-Identifier: GPL-3.0-or-later */
/* resolve -> profile: the place of an access. The resolver interns objects and functions under
 * dense ids that stay valid for its lifetime; id 0 is "unknown". */
#ifndef MISSTOP_PLACE_H
#define MISSTOP_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "access.h"
#include "simulated_line.h"

/* A type as described by debug information. All strings are sanitised. Ids are dense from 1, 0 is
 * "not known"; ids and descriptions stay valid for the resolver's lifetime. */
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
    MEMBER_WRAPPER /* library type around a value: paths leave its name out */
};

enum { TYPE_NO_MEMBER = 0xffffffff, TYPE_MEMBERS_MAX = 4096, TYPE_DEPTH_MAX = 12 };

/* One member. Its own members follow it, depth first, in declaration order. For an array of structs
 * the members of one element follow, with the offsets of element 0. */
struct type_member {
    const char *name; /* "": anonymous */
    const char *type; /* "double [3]", "struct list_head *" */
    uint64_t offset;  /* bytes from the start of the outermost type */
    uint64_t size;    /* bytes, all elements; 0: flexible array member, or empty */
    uint64_t count;   /* elements of an array; 0: not an array (0 with a stride: flexible array) */
    uint32_t stride;  /* bytes from element to element; 0: not an array */
    uint32_t parent;  /* index of the enclosing member; TYPE_NO_MEMBER: the type itself */
    uint16_t depth;   /* 0: a member of the type itself */
    uint8_t kind;     /* enum member_kind */
    uint8_t bit_offset; /* bits from `offset` to a bit-field, least significant bit first */
    uint8_t bit_size;   /* 0: not a bit-field */
};

struct type_desc {
    const char *name; /* "struct particle", "vector<int>", "double" */
    const char *raw;  /* as written by the compiler, truncated if long; NULL: same as `name` */
    enum type_kind kind;
    uint64_t size; /* bytes; 0: not known (incomplete) */
    const struct type_member *members;
    uint32_t member_count;
    bool is_truncated; /* has more members than can be kept */
    bool managed;      /* a language runtime decides the layout */
};

/* Source of an access's type. Every attributed sample has one of these values. */
enum typed {
    TYPED_NONE,     /* see enum untyped */
    TYPED_CODE,     /* from the type that the instruction's pointer points to */
    TYPED_DATA,     /* from the object's own type */
    TYPED_AGREED,   /* both sources agree */
    TYPED_DISAGREED /* both sources are known and disagree; the type from data is used */
};
enum { TYPED_COUNT = TYPED_DISAGREED + 1 };

/* Why an access has no type. */
enum untyped {
    UNTYPED_NO_REASON,
    UNTYPED_WAITING,     /* debug information is still being read */
    UNTYPED_NO_DEBUG,    /* the code's file has no debug information */
    UNTYPED_NO_UNIT,     /* debug information exists, but not for this code */
    UNTYPED_NO_CODE,     /* the instruction could not be read from the file (JIT, vdso) */
    UNTYPED_NO_VARIABLE, /* no variable is known for the base register */
    UNTYPED_NO_POINTER,  /* the register's value is not a pointer by its type */
    UNTYPED_VOID,        /* points to void, or to bytes to be copied */
    UNTYPED_OUTSIDE,     /* the displacement is outside the type */
    UNTYPED_CONFLICT,    /* paths to this instruction disagree on the type */
    UNTYPED_SPILL,       /* stack slot without a variable: spill, saved register, argument */
    UNTYPED_GAVE_UP,     /* the debug information reader failed or was stopped */
    UNTYPED_RARE,        /* dynamic linker code in a simulation, with few samples: not looked up */
    UNTYPED_COUNT
};

/* Return the JSON names ("by-code", "by-data", "agreed", "disagreed"; "no-debug-information", ...)
 * and a plain sentence. In src/resolve/members.c. */
const char *typed_name(enum typed typed);
const char *untyped_name(enum untyped untyped);
const char *untyped_text(enum untyped untyped);

/*
 * resolve -> profile: summary of the target's heap. Blocks are counted in bins, as in MemSpy
 * (section 5.2). A bin is a call path of allocations, or a size class for blocks that were
 * allocated before misstop attached. The strings stay valid until the resolver's next tick.
 */
enum heap_feed {
    HEAP_FEED_NONE,
    HEAP_FEED_AGENT, /* reports every allocation since the start */
    HEAP_FEED_WALK,  /* the allocator's own headers, read from outside */
};

/* Size classes of blocks: below 32 bytes, 32 to 63, and so on; the last has no upper bound. */
enum { HEAP_SIZES = 24 };

struct heap_bin {
    uint32_t id;      /* never changes */
    uint32_t object;  /* object id of its blocks */
    const char *name; /* short: the function that requested the memory, or the user's name */
    const char *path; /* full name, innermost first: "xmalloc < load < main"; NULL: not known */
    const char *const *site; /* call path, innermost first: "function (file:line)" */
    uint32_t site_count;
    /* Type of its blocks, from the variables they are assigned to and the code that accesses them;
     * 0: not known. */
    uint32_t type_id;
    const char *type;   /* name of the type, as for an object; NULL: not known */
    bool is_size_class; /* a size class; requests, rates and lifetimes are not known */
    bool renamed;       /* the user chose the name */
    uint32_t combined;  /* further call paths merged into this bin */
    uint64_t live_blocks;
    uint64_t usable_bytes;    /* bytes of live blocks */
    uint64_t requested_bytes; /* bytes of live blocks; 0 if walked */
    uint64_t allocations;     /* number since the start */
    uint64_t frees;
    double allocations_per_s; /* over the last refresh; NAN: not known, as for the members below */
    double frees_per_s;
    double lifetime_s;    /* mean, of freed blocks */
    double age_s;         /* time since its first allocation */
    double quiet_s;       /* time since its last allocation */
    double growth_blocks; /* change since the mark */
    double growth_bytes;
    uint64_t sizes[HEAP_SIZES]; /* live blocks by usable size */
};

struct heap_summary {
    enum heap_feed feed;
    const char *source; /* "agent", "walk of glibc malloc in libc.so.6" */
    const char *note;   /* why there is no feed, or which blocks it does not report; NULL */
    uint64_t live_blocks;
    uint64_t usable_bytes;
    uint64_t requested_bytes; /* agent only */
    uint64_t lost;            /* events that were not recorded */
    uint64_t failed;          /* heap lookups that found no block */
    uint32_t bins;
    double mark_age_s; /* NAN: no mark set yet */
};

enum object_kind {
    OBJECT_UNKNOWN,
    OBJECT_GLOBAL, /* variable of the executable or of a library */
    OBJECT_HEAP,   /* allocator memory: a block's bin, or an arena as a region */
    OBJECT_STACK,  /* thread stacks */
    OBJECT_TLS,    /* thread-local variable: one bin, one instance per thread */
    OBJECT_MAP,    /* file mapping */
    OBJECT_ANON,   /* anonymous mapping, with its prctl name */
    OBJECT_CODE,   /* data read from an executable mapping: tables, constants */
    OBJECT_JIT,    /* named by /tmp/perf-PID.map */
    OBJECT_KIND_COUNT
};

/* Maximum distance in bytes of a place in a stack frame below the frame's base. */
enum { PLACE_FRAME_MAX = 64 << 20 };

struct place {
    struct access access;
    uint32_t object; /* object id */
    /* Object id of the heap bin, if the object is named after its type instead; otherwise 0. */
    uint32_t bin_object;
    uint32_t function;   /* function id of access.ip */
    uint64_t base;       /* start of the accessed instance; end (CFA) of a stack frame */
    uint64_t size_bytes; /* size of the instance; 0: not known */
    /* The offset into the instance is access.address - base; it is negative in a stack frame. */
    uint32_t type;        /* id of the accessed type; 0: see untyped */
    uint32_t type_offset; /* offset of the access from the start of the type (of one element) */
    uint8_t unit;         /* size in bytes of the bit-field unit accessed; 0: not a bit-field */
    bool by_member;  /* the type has members: accesses are counted per member, in any instance */
    uint8_t typed;   /* enum typed */
    uint8_t untyped; /* enum untyped */
    uint32_t evictor_object;   /* object accessed by the evictor; 0: not known */
    uint32_t evictor_function; /* function of that access */
    /* Node of the outermost known caller of the sampled function; 0: the stack is not known. */
    uint32_t caller;
};

struct line_place {
    struct line_event line;
    struct place place;
};

/* Moves all counts of `from` to `to`, after a name or type became known late. */
struct object_rename {
    uint32_t from;
    uint32_t to;
    uint32_t type; /* type of the object; 0: not known */
    /* All accesses to `from` were `offset` bytes into an instance of `to`. Otherwise `offset` is
     * the start of the type in an instance of `from`. */
    bool has_fixed_offset;
    int64_t offset;
};

/* Description of an object for views. Strings are sanitised: printable UTF-8 only. */
struct object_desc {
    const char *name;
    const char *module;  /* base name of the file; "" if none */
    const char *type;    /* "struct particle [1000]"; NULL until types are known */
    uint32_t type_id;    /* id of the type, or of its elements; 0: not known */
    uint32_t type_votes; /* accesses by code that gave it this type; 0: declared with this type */
    uint32_t type_votes_against; /* accesses by code that gave it another type */
    enum object_kind kind;
    uint64_t address;    /* first instance seen */
    uint64_t size_bytes; /* 0: not known */
    uint32_t blocks;     /* instances seen; 0 for a part_of: the other object counts them */
    uint32_t part_of;    /* object it is shown under until its own name is known; 0: none */
};

struct function_desc {
    const char *name;
    const char *module;
    const char *file; /* "" if not known */
    uint32_t line;    /* 0 if not known */
    uint64_t start;   /* runtime addresses; start == end: bounds not known */
    uint64_t end;
};

/* A node of the caller tree: its function called the function of the parent. The root of a branch
 * has parent 0 and is the sampled function. Nodes are dense from 1; parents precede children. */
struct caller_desc {
    uint32_t parent;
    uint32_t function;
};

enum { CALLER_NODES_MAX = 1 << 16 };

/* Source position of one instruction. The strings live as long as the resolver. */
struct instruction_desc {
    const char *file; /* NULL: not known, or not yet */
    uint32_t line;
    const char *inlined; /* "min < clamp": functions inlined there, innermost first; NULL: none */
};

struct mapping_desc {
    uint64_t start;
    uint64_t end;
    uint64_t offset;   /* file offset of `start` */
    char path[1024];   /* printable; "" if there is no file */
    char build_id[65]; /* lower-case hexadecimal; "" if not known */
};

/* Extent of the object that covers an address, or of the gap between objects. */
struct object_extent {
    uint64_t base;
    uint64_t bound;  /* first byte after */
    uint32_t object; /* 0: a gap */
};

/* Facts for the header line; strings sanitised, owned by the resolver or the recording. */
struct resolver_target {
    uint32_t pid;
    uint32_t threads;
    const char *comm;
    const char *exe;
    bool alive;
    bool stopped;       /* by a signal or a debugger */
    uint64_t cpu_ticks; /* user and system time of all threads; live only */
};

struct loading_state {
    uint32_t pending_requests;
    uint32_t processes;
    uint64_t resident_bytes;
    const char *slow_file; /* file that takes long to read; NULL: none */
};

/* Memory use of the target, in addition to the samples. NAN or 0: not known. */
struct memory_use {
    double faults_per_s;  /* minor page faults of the process, over the last refresh */
    double cpus;          /* CPU time per second, over the same refresh */
    double kernel_share;  /* fraction of that CPU time in kernel mode */
    double huge_share;    /* fraction of the memory around the address on huge pages */
    uint32_t tlb_entries; /* entries of the last-level TLB, for 4 KiB pages */
};

/*
 * Questions that profile asks by number while it counts and while it makes a snapshot: the meaning
 * of an id, or the current state of the target at an address. The resolver, a recording, or a table
 * in tests answers them; with -o the answers are recorded (store_writer_answer()).
 * doc/design/names.md explains why the answers are not values stored in the snapshot.
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
    PLACE_CPU_NODE,    /* CPU -> NUMA node; -1: not known, or there is only one */
    PLACE_PAGE_NODE,   /* address -> node of its page */
    PLACE_MEMORY,      /* address -> memory; address 0: the process only */
    PLACE_WORD,        /* address -> its 8 bytes, untrusted like all target memory */
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
    /* Returns false if not known; the answer is then undefined. NULL: nothing is known. */
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

/* A search for an object by exact name ("htab", "libc.so.6:main_arena"), or by a part of only one
 * name. Call object_search_look() for each object; `found` is the result if `match_count` is 1. */
struct object_search {
    const char *name;
    uint32_t found;
    unsigned match_count;
    bool exact;
};

void object_search_look(struct object_search *search, uint32_t object, const char *name,
                        const char *module);

/* A program or library that a recording has code of. Without the file here, samples that have only
 * registers cannot be decoded, and its code and data have no names. */
enum binary_state {
    BINARY_FOUND,      /* the build-id matches the recorded one */
    BINARY_UNVERIFIED, /* matched by path: the recording has no build-id */
    BINARY_OTHER,      /* not found, but a different build has the same name */
    BINARY_MISSING     /* not found */
};

struct binary_desc {
    const char *path;     /* recorded path, printable */
    const char *build_id; /* recorded build-id, in hexadecimal; NULL: none */
    const char *found;    /* file that was opened; for BINARY_OTHER the rejected file; NULL */
    const char *found_id; /* build-id of the rejected file; NULL: none */
    uint64_t samples;     /* user-mode samples with an instruction in this file */
    /* Recorded on another or an unknown machine: a matching path does not identify the file. */
    bool is_from_other_host;
    enum binary_state state;
};

#define BINARIES_SHOWN 64

struct snapshot_binaries {
    const struct binary_desc *list; /* most samples first, at most BINARIES_SHOWN; NULL: live */
    size_t count;
    uint64_t samples; /* samples of the recording so far, all events */
    /* samples in code outside all recorded mappings: functions without names */
    uint64_t outside_mappings;
    bool code_only; /* only code mappings were recorded: perf record without -d */
};

/* A file named by the program, its debug information or the recording that exists here but was not
 * opened. Strings are printable. */
struct file_refused {
    const char *path;
    const char *reason;
};

struct snapshot_refused {
    const struct file_refused *list;
    size_t count;
};

#endif
