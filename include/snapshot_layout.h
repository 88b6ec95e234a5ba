/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of struct snapshot (snapshot.h, where its rules stand): fields, and the types they belong to
 * as the samples see them. */
#ifndef MISSTOP_SNAPSHOT_LAYOUT_H
#define MISSTOP_SNAPSHOT_LAYOUT_H

#include "snapshot_causes.h"
#include "snapshot_levels.h"
#include "snapshot_rates.h"
#include "snapshot_use.h"
#include "type.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One offset, or one field-like column of an array of equal elements. */
struct snapshot_field {
    const char *name; /* "particle.vy"; "+40", "[*]+40" without a type */
    const char *type; /* of the field: "double"; NULL: not known */
    uint32_t type_id; /* of the type it is a member of; 0: not known */
    uint32_t member;  /* index of the member; TYPE_NO_MEMBER: none */
    uint8_t unit;     /* bytes of bit-fields, the first of which is the member: "flags.lo..hi" */
    uint64_t offset;  /* into the element where one is inferred, else into the object */
    uint32_t size;    /* widest access seen, bytes */
    double samples;   /* under the basis, by weight: samples of mean weight */
    double count_over; /* samples counted, less these: 0 where all weigh the same */
    double share;     /* of its object */
    double loads;
    double stores;
    struct snapshot_levels *levels;         /* NULL: the source tells nothing of it */
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
    double share; /* of the object's samples of this type */
    double loads;
    double stores;
    const struct snapshot_levels *levels; /* NULL: not told, or it is several fields */
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
struct snapshot_layout {
    uint32_t type;    /* id */
    const char *name; /* "struct particle" */
    uint64_t size;    /* of one element */
    bool inferred;    /* no type: element size and offsets are worked out from samples */
    double samples;
    double share; /* of the object's samples */
    struct snapshot_layout_row *rows;
    size_t row_count;
    struct snapshot_layout_line *lines;
    size_t line_count;
    uint32_t phase;      /* where in a cache line elements begin most often, bytes */
    double phase_share;  /* of the samples in the window; NAN: too few */
    uint32_t phases;     /* different ones seen */
    double straddling;   /* share of samples whose access crosses a line; NAN */
    uint64_t hot_span;   /* lines that the members with most of the heat lie in */
    uint64_t hot_lines;  /* lines they would need side by side */
    const char *reading; /* one or two sentences: what the picture says; NULL */
};

#endif
