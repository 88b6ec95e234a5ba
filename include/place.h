/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * resolve -> profile: where an access fell. Objects and functions are interned by
 * the resolver under dense ids that stay valid for its lifetime; id 0 is "unknown".
 */
#ifndef MISSTOP_PLACE_H
#define MISSTOP_PLACE_H

#include "access.h"
#include "heap_bin.h"
#include "line_told.h"
#include "snapshot_rates.h" /* struct exact_counts */
#include "type.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

struct place {
    struct access access;
    uint32_t object;     /* object id */
    uint32_t holder;     /* object id of the heap bin it lies in, where the object is called after
                            its type instead; else 0 */
    uint32_t function;   /* function id of access.ip */
    uint64_t base;       /* start of the instance the address lies in */
    uint64_t size_bytes; /* of the instance; 0: not known */
    /* offset into the instance is access.address - base */
    uint32_t type;           /* id of the type the access falls into; 0: see untyped */
    uint32_t type_offset;    /* of the access from the start of the type (of one element) */
    uint8_t unit;            /* bytes of bit-fields of which any may be meant; 0: what is there is */
    bool by_member;          /* it has members: accesses count by them, wherever the instance is */
    uint8_t typed;           /* enum typed */
    uint8_t untyped;         /* enum untyped */
    uint32_t evictor_object; /* that needed the room of the line, 0: not known; */
    uint32_t evictor_function; /* by this function's access */
};

/* What a simulation told of a line, and where the access lies that it speaks of. */
struct line_place {
    struct line_told line;
    struct place place;
};

/*
 * An object that has turned out to be another one: a name or a type came late. All that was counted
 * for `from` is of `to`.
 */
struct object_rename {
    uint32_t from;
    uint32_t to;
    uint32_t type;  /* of what is there; 0: not known */
    bool fixed;     /* all accesses to `from` were `offset` bytes into an instance of `to`; else */
    int64_t offset; /* of where the type starts in an instance of `from` */
};

/* What a view may show of an object. Strings are sanitised: printable UTF-8 only. */
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
    uint32_t part_of;    /* object that it is shown under while its own name is not known; 0: none */
};

struct function_desc {
    const char *name;
    const char *module;
    const char *file; /* "" if not known */
    uint32_t line;    /* 0 if not known */
    uint64_t start;   /* runtime addresses; start == end: bounds not known */
    uint64_t end;
};

/* What is known of one instruction's place in the source; strings live with the resolver. */
struct instruction_desc {
    const char *file; /* NULL: not known, or not yet */
    uint32_t line;
    const char *inlined; /* "min < clamp": inlined there, innermost first; NULL: nothing */
};

/* The mapping that code lies in. */
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

/* What is being read in the background. */
struct reading_state {
    uint32_t waiting; /* questions without an answer */
    uint32_t processes;
    uint64_t resident_bytes;
    const char *busy_with; /* a file that takes long; NULL */
};

/* How the target uses memory, beside what samples tell; NAN, 0: not known. */
struct memory_use {
    double faults_per_s;  /* minor page faults of the process, over the last refresh */
    double cpus;          /* it was running on: CPU time a second, then */
    double kernel_share;  /* of that time */
    double huge_share;    /* of the memory around the address, what is on huge pages */
    uint32_t tlb_entries; /* of the last level, for pages of 4 KiB */
};

/*
 * What profile asks of whoever names things (the resolver; a table in tests).
 * Each returns false when the id or address is not known.
 */
struct place_names {
    void *context;
    bool (*object)(void *context, uint32_t object, struct object_desc *desc);
    bool (*function)(void *context, uint32_t function, struct function_desc *desc);
    bool (*extent)(void *context, uint64_t address, struct object_extent *extent);
    /* NULL: not known here. A type by its id; an instruction by its address. */
    bool (*type)(void *context, uint32_t type, struct type_desc *desc);
    bool (*instruction)(void *context, uint64_t address, struct instruction_desc *desc);
    bool (*mapping)(void *context, uint64_t address, struct mapping_desc *desc);
    void (*reading)(void *context, struct reading_state *state);
    /* NULL: nothing is known of the heap. Bins by index from 0; false: no more. */
    void (*heap)(void *context, struct heap_summary *summary);
    bool (*heap_bin)(void *context, uint32_t index, struct heap_bin *bin);
    /* NUMA nodes, -1: not known, or there is one only. NULL: none are known here. Of a CPU; of
     * the pages that addresses of the target lie in, asked once a refresh at most. */
    int (*cpu_node)(void *context, uint32_t cpu);
    void (*page_nodes)(void *context, const uint64_t *addresses, size_t count, int *nodes);
    /* Counts that are exact, by id (0 of everything); stand in the place of what samples say, under
     * either basis. NULL, false: not known. */
    bool (*exact)(void *context, enum exact_of of, uint32_t id, struct exact_counts *counts);
    /* What a thread is called now, sanitised. NULL: threads have no names here. */
    bool (*thread)(void *context, uint32_t tid, char *out, size_t out_size);
    /* NULL: nothing is known of it. `address` 0: of the process only. */
    void (*memory)(void *context, uint64_t address, struct memory_use *use);
    /* The 8 bytes at an address of the process as they stand now, untrusted like all of it. NULL,
     * false: they cannot be read. */
    bool (*word)(void *context, uint64_t address, uint64_t *value);
};

/* "global", "heap", ... as in JSON. */
const char *object_kind_name(enum object_kind kind);

#endif
