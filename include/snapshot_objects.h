/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of struct snapshot: objects, their fields, types and instructions. */
#ifndef MISSTOP_SNAPSHOT_OBJECTS_H
#define MISSTOP_SNAPSHOT_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "place.h"
#include "sample.h"
#include "snapshot_causes.h"
#include "snapshot_code.h"
#include "snapshot_share.h"

/* One offset, or the same offset in all elements of an array. */
struct snapshot_field {
    const char *name; /* "particle.vy"; "+40", or "[*]+40" without a type */
    const char *type; /* type of the field: "double"; NULL: not known */
    uint32_t type_id; /* type it is a member of; 0: not known */
    uint32_t member;  /* index of the member in that type; TYPE_NO_MEMBER: none */
    /* Size in bytes of the bit-field unit. The member is its first bit-field: "flags.lo..hi". */
    uint8_t unit;
    /* Offset into the element if an element is inferred, otherwise into the object; negative: from
     * the end of a stack frame (CFA). */
    int64_t offset;
    uint32_t size;       /* widest access seen, bytes */
    double samples;      /* under the basis, weighted: samples of mean weight */
    double count_excess; /* samples counted, minus `samples`; 0 if all have the same weight */
    double share;        /* fraction of its object's samples */
    double loads;
    double stores;
    struct snapshot_levels *levels;         /* NULL: not measured */
    struct snapshot_rates *rates;           /* NULL: not measured */
    struct snapshot_use *use;               /* use of the lines it fetched; NULL: not measured */
    struct snapshot_causes_figures *causes; /* NULL: not measured */
};

/* One row of a type's layout, in order of offset: a member, or bytes that belong to no member. */
enum layout_row_kind {
    LAYOUT_MEMBER,
    LAYOUT_HOLE,    /* padding before the next member */
    LAYOUT_PADDING, /* ... at the end */
    LAYOUT_UNKNOWN  /* no debug information: an offset that was sampled */
};

struct snapshot_layout_row {
    enum layout_row_kind kind;
    struct type_member member; /* name "" and type NULL in a hole */
    uint32_t index;            /* index of the member in its type; TYPE_NO_MEMBER: none */
    bool has_members;          /* rows of its own members follow; its heat is their sum */
    double samples;
    double count_excess; /* samples counted, minus `samples` */
    double share;        /* fraction of the object's samples of this type */
    double loads;
    double stores;
    const struct snapshot_levels *levels; /* NULL: not measured, or the row covers several fields */
    const struct snapshot_rates *rates;   /* NULL: as for levels */
    const struct snapshot_use *use;       /* NULL: as for levels */
    /* Cache line in which it starts, from 0, for the most frequent alignment (`phase`). */
    uint32_t line;
};

/* A cache line of the element, for the most frequent alignment (`phase`). */
struct snapshot_layout_line {
    uint64_t start; /* offset of the first byte in the element, and of the byte after the last */
    uint64_t end;
    double share;  /* fraction of the samples on the type that are in this line */
    uint32_t used; /* bytes of members with samples */
    uint32_t cold; /* bytes fetched but never sampled */
};

/* The first reading that applies. Thresholds: src/profile/snapshot/layout.c. */
enum layout_reading {
    LAYOUT_TOO_FEW,   /* too few samples, or no lines */
    LAYOUT_SHORT,     /* shorter than a line, and not in an array */
    LAYOUT_SPREAD,    /* the hottest members take more lines than they need */
    LAYOUT_STRADDLES, /* accesses cross line boundaries */
    LAYOUT_UNUSED,    /* many of the fetched bytes are not used */
    LAYOUT_FITS,
    LAYOUT_MANAGED /* before all others: a language runtime decides the layout */
};

struct snapshot_layout {
    uint32_t type;    /* id */
    const char *name; /* "struct particle" */
    uint64_t size;    /* size of one element */
    bool inferred; /* the type is not known: element size and offsets are inferred from samples */
    double samples;
    double count_excess; /* samples counted, minus `samples` */
    double share;        /* fraction of the object's samples */
    struct snapshot_layout_row *rows;
    size_t row_count;
    struct snapshot_layout_line *lines;
    size_t line_count;
    uint32_t phase;     /* most frequent offset of elements in a cache line, bytes */
    double phase_share; /* fraction of the samples in the window with this offset; NAN: too few */
    uint32_t phases;    /* number of distinct offsets seen */
    double straddling;  /* share of samples with an access that crosses a line; NAN */
    uint64_t hot_span;  /* lines that contain the members with most of the heat */
    uint64_t hot_lines; /* lines needed if those members were adjacent */
    enum layout_reading reading; /* interpretation of the figures above and `unused` */
    double unused;               /* fraction of the fetched bytes that is not used */
    bool unused_is_lower_bound;  /* `unused` is a lower bound: neighbours are not known */
    uint32_t line_bytes;
};

#define SNAPSHOT_HISTORY 32 /* refreshes in an object's sparkline */

struct snapshot_instance {
    uint64_t base;
    uint64_t size;
    double samples;      /* weighted: samples of mean weight */
    double count_excess; /* samples counted, minus `samples` */
    double share;        /* fraction of its object's samples */
    uint32_t tid;        /* thread with most misses on it */
};

struct snapshot_object {
    uint32_t id;
    const char *name;
    const char *module;
    const char *type;     /* NULL: not known */
    const char *type_raw; /* type of an element, as written by the compiler; NULL: not known */
    uint32_t type_id;     /* type of its elements; 0: not known */
    uint32_t type_votes;  /* accesses by code that gave it this type; 0: declared with this type */
    uint32_t type_votes_against; /* accesses by code that gave it another type */
    double typed[TYPED_COUNT];   /* fractions of the samples */
    enum object_kind kind;
    uint64_t address;
    uint64_t size;
    uint32_t blocks;
    uint32_t bin;        /* index into heap.bins; UINT32_MAX: not a heap bin */
    double samples;      /* ranking event under the basis, weighted: samples of mean weight */
    double count_excess; /* samples counted, minus `samples`; 0 if all have the same weight */
    struct snapshot_share share; /* fraction of all attributed weight of the ranking event */
    double loads; /* fraction of samples; samples without loads and stores are of unknown kind */
    double stores;
    double inferred; /* fraction of samples with an inferred instead of a computed address */
    /* Fraction of each event's attributed weight; NAN: none. */
    double event_share[SAMPLE_EVENTS_MAX];
    double latency;                   /* mean, cycles; NAN */
    struct snapshot_levels *levels;   /* NULL: not measured */
    struct snapshot_rates *rates;     /* NULL: not measured */
    struct snapshot_use *use;         /* use of the lines it fetched; NULL: not measured */
    struct snapshot_wait wait;        /* fraction of the time at its accesses spent waiting */
    struct snapshot_callers *callers; /* functions that access it; NULL: too few stacks are known */
    uint64_t element_size;            /* inferred stride; 0: none */
    double element_confidence;        /* 0..1 */
    uint32_t threads;                 /* distinct threads seen, capped at 255 */
    /* Weight per refresh as a share of the refresh, oldest first; NAN before the start. */
    float history[SNAPSHOT_HISTORY];
    struct snapshot_field *fields; /* most samples first */
    size_t field_count;
    struct snapshot_layout *layouts; /* types seen in it, most samples first */
    size_t layout_count;
    struct snapshot_code *code;
    size_t code_count;
    struct snapshot_instance *instances;
    size_t instance_count;
};

/* An instruction and an object, for profiles in the formats of other tools. Only on request
 * (profile_want_accesses()), because every pair is visited. */
struct snapshot_access {
    /* Address of the instruction; 0: all accesses that are not counted by instruction. */
    uint64_t address;
    const char *function;      /* NULL: address is 0 */
    const char *function_file; /* where it begins; NULL, 0: not known, as for the next four */
    uint32_t function_line;
    const char *file; /* position of the instruction */
    uint32_t line;
    const char *inlined;             /* "min < clamp": functions inlined there; NULL: none */
    const struct mapping_desc *code; /* mapping of the instruction */
    /* Stacks of its function on its object; the shares add up to 1. */
    const struct snapshot_stack *stacks;
    size_t stack_count;
    const char *object;
    enum object_kind kind;
    const char *module; /* module of the object; "" */
    const char *type;   /* type of the object; NULL */
    const char *field;  /* NULL */
    double samples; /* these add up to all attributed samples, weight and cycles to their totals */
    double weight;  /* events: the object's, in proportion to the samples */
    double cycles;  /* weight times the object's mean latency; NAN: not measured */
};

struct snapshot_bin {
    struct heap_bin heap; /* strings in the snapshot's arena */
    uint32_t object;      /* index into objects; UINT32_MAX: not listed there */
    double samples;       /* samples under the basis */
    double share;         /* fraction of all attributed weight of the ranking event */
    /* Name with the first caller that distinguishes it from bins of that name; NULL: unique. */
    const char *display_name;
    bool was_sampled;     /* it has had a sample since the start or the last reset */
    bool is_leak_suspect; /* grows, is old, and was never touched: possibly a leak */
};

struct snapshot_heap {
    struct heap_summary summary;
    struct snapshot_bin *bins; /* most samples first, then most bytes */
    size_t bin_count;
    size_t bins_left_out;
};

#endif
