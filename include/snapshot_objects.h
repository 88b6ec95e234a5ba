/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of struct snapshot (its rules are in snapshot.h): objects, their fields, types and
 * instructions. */
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

/* One offset, or one field-like column of an array of equal elements. */
struct snapshot_field {
    const char *name; /* "particle.vy"; "+40", "[*]+40" without a type */
    const char *type; /* of the field: "double"; NULL: not known */
    uint32_t type_id; /* of the type it is a member of; 0: not known */
    uint32_t member;  /* index of the member; TYPE_NO_MEMBER: none */
    uint8_t unit;     /* size of the bit-fields' unit in bytes; the member is the first of them:
                         "flags.lo..hi" */
    int64_t offset;   /* into the element where one is inferred, else into the object; below 0: from
                         the end of a frame (CFA) */
    uint32_t size;    /* widest access seen, bytes */
    double samples;   /* under the basis, by weight: samples of mean weight */
    double count_over; /* samples counted, less these: 0 where all weigh the same */
    double share;      /* of its object */
    double loads;
    double stores;
    struct snapshot_levels *levels;         /* NULL: not measured */
    struct snapshot_rates *rates;           /* the same */
    struct snapshot_use *use;               /* the same, of the lines it fetched */
    struct snapshot_causes_figures *causes; /* the same */
};

/* One row of a type's picture, in order of offset: a member, or bytes that belong to none. */
enum layout_row_kind {
    LAYOUT_MEMBER,
    LAYOUT_HOLE,    /* padding before the next member */
    LAYOUT_PADDING, /* ... at the end */
    LAYOUT_UNKNOWN  /* without debugging information: an offset that was sampled */
};

struct snapshot_layout_row {
    enum layout_row_kind kind;
    struct type_member member; /* name "" and type NULL in a hole */
    uint32_t index;            /* of the member in its type; TYPE_NO_MEMBER: none */
    bool has_members;          /* rows of its own members follow; its heat is theirs together */
    double samples;
    double count_over; /* samples counted, less these */
    double share;      /* of the object's samples of this type */
    double loads;
    double stores;
    const struct snapshot_levels *levels; /* NULL: not measured, or it is several fields */
    const struct snapshot_rates *rates;   /* the same */
    const struct snapshot_use *use;       /* the same */
    uint32_t line; /* cache line it begins in, under the leading phase, from 0 */
};

/* A cache line of the element, as the leading phase cuts it. */
struct snapshot_layout_line {
    uint64_t start; /* first and last byte + 1, as offsets into the element */
    uint64_t end;
    double share;  /* of the samples on the type that fall here */
    uint32_t used; /* bytes of members that were sampled */
    uint32_t cold; /* bytes fetched that never were */
};

/* A type as the samples on one object see it: the Layout screen. */
/* The first that is so. Thresholds: src/profile/snapshot/layout.c. */
enum layout_reading {
    LAYOUT_TOO_FEW,   /* samples, or no lines */
    LAYOUT_SHORT,     /* it is no whole line, and is not in an array */
    LAYOUT_SPREAD,    /* the members with most of the heat take more lines than they need */
    LAYOUT_STRADDLES, /* accesses cross from line to line */
    LAYOUT_UNUSED,    /* much of the bytes fetched is not used */
    LAYOUT_FITS
};

struct snapshot_layout {
    uint32_t type;    /* id */
    const char *name; /* "struct particle" */
    uint64_t size;    /* of one element */
    bool inferred;    /* no type: element size and offsets are worked out from samples */
    double samples;
    double count_over; /* samples counted, less these */
    double share;      /* of the object's samples */
    struct snapshot_layout_row *rows;
    size_t row_count;
    struct snapshot_layout_line *lines;
    size_t line_count;
    uint32_t phase;              /* where in a cache line elements begin most often, bytes */
    double phase_share;          /* of the samples in the window; NAN: too few */
    uint32_t phases;             /* different ones seen */
    double straddling;           /* share of samples with an access that crosses a line; NAN */
    uint64_t hot_span;           /* lines that hold the members with most of the heat */
    uint64_t hot_lines;          /* lines they would need side by side */
    enum layout_reading reading; /* of the picture, by the figures above and these */
    double unused;               /* part of the bytes fetched that is not used, */
    bool unused_least;           /* at the least: neighbours are not known */
    uint32_t line_bytes;
};

#define SNAPSHOT_HISTORY 32 /* refreshes in an object's sparkline */

struct snapshot_instance {
    uint64_t base;
    uint64_t size;
    double samples;    /* by weight, as an object's */
    double count_over; /* the same */
    double share;      /* of its object */
    uint32_t tid;      /* thread that missed most on it */
};

struct snapshot_object {
    uint32_t id;
    const char *name;
    const char *module;
    const char *type;          /* NULL: not known */
    const char *type_raw;      /* of an element, as the compiler writes it; NULL: not known */
    uint32_t type_id;          /* of its elements; 0: not known */
    uint32_t type_votes;       /* accesses by code that gave it; 0: declared */
    uint32_t type_against;     /* that say another */
    double typed[TYPED_COUNT]; /* parts of samples */
    enum object_kind kind;
    uint64_t address;
    uint64_t size;
    uint32_t blocks;
    uint32_t bin;                /* index into heap.bins, UINT32_MAX: no heap bin */
    double samples;              /* ranking event, under the basis, by weight: of mean weight */
    double count_over;           /* samples counted, less these: 0 where all weigh the same */
    struct snapshot_share share; /* of all attributed weight of the ranking event */
    double loads;                /* parts of samples; the rest is of unknown kind */
    double stores;
    double inferred; /* part of samples with an address that is inferred, not computed */
    double event_share[SAMPLE_EVENTS_MAX]; /* of each event's attributed weight; NAN: none */
    double latency;                        /* mean, cycles; NAN */
    struct snapshot_levels *levels;        /* NULL: not measured */
    struct snapshot_rates *rates;          /* the same */
    struct snapshot_use *use;              /* the same, of the lines it fetched */
    struct snapshot_wait wait;             /* of the time at its accesses */
    struct snapshot_callers *callers;      /* functions that access it; NULL: few stacks, or none */
    uint64_t element_size;                 /* inferred stride; 0: none */
    double element_confidence;             /* 0..1 */
    uint32_t threads;                      /* distinct threads seen, capped at 255 */
    float history[SNAPSHOT_HISTORY]; /* weight per refresh as a share of the refresh, oldest first;
                                        NAN before start */
    struct snapshot_field *fields;   /* most samples first */
    size_t field_count;
    struct snapshot_layout *layouts; /* types seen in it, most samples first */
    size_t layout_count;
    struct snapshot_code *code;
    size_t code_count;
    struct snapshot_instance *instances;
    size_t instance_count;
};

/* An instruction and an object, for profiles that other viewers read: only on request
 * (profile_want_accesses()), for each pair is looked at. */
struct snapshot_access {
    uint64_t address; /* of the instruction; 0: all those of the object that are not kept apart */
    const char *function;      /* NULL: address is 0 */
    const char *function_file; /* where it begins; NULL, 0: not known, like the next four */
    uint32_t function_line;
    const char *file; /* of the instruction */
    uint32_t line;
    const char *inlined;                 /* "min < clamp": functions inlined there; NULL: none */
    const struct mapping_desc *code;     /* mapping of the instruction */
    const struct snapshot_stack *stacks; /* of its function on its object; shares add up to 1 */
    size_t stack_count;
    const char *object;
    enum object_kind kind;
    const char *module; /* of the object; "" */
    const char *type;   /* of the object; NULL */
    const char *field;  /* NULL */
    double samples;     /* add up to those attributed, like the next two to their totals */
    double weight;      /* events: the object's, in proportion to the samples */
    double cycles;      /* weight times the object's mean latency; NAN: not measured */
};

/* One bin of the heap beside its misses. */
struct snapshot_bin {
    struct heap_bin heap; /* strings in the snapshot's arena */
    uint32_t object;      /* index into objects, UINT32_MAX: not listed there */
    double samples;       /* under the basis */
    double share;         /* of all attributed weight of the ranking event */
    const char *called; /* name and first caller on whom it differs from others of that name; NULL:
                           no other has it */
    bool touched;       /* a sample has fallen on it since start or zero */
    bool suspect;       /* grows, is old, never touched: perhaps a leak */
};

struct snapshot_heap {
    struct heap_summary summary;
    struct snapshot_bin *bins; /* most samples first, then most bytes */
    size_t bin_count;
    size_t bins_left_out;
};

#endif
