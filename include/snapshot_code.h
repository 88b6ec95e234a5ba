/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of struct snapshot (snapshot.h, where its rules stand): functions, and their instructions
 * that access memory. */
#ifndef MISSTOP_SNAPSHOT_CODE_H
#define MISSTOP_SNAPSHOT_CODE_H

#include "snapshot_rates.h"
#include "snapshot_share.h"
#include "snapshot_use.h"

#include <stddef.h>
#include <stdint.h>

enum { SNAPSHOT_PARTNERS = 6 };

/* An instruction that used, or threw out, lines that another one had fetched. */
struct snapshot_partner {
    uint64_t address;
    const char *function;
    const char *file; /* NULL: not known */
    uint32_t line;
    double count;
};

struct snapshot_partners {
    double all;                                      /* with those that are not listed */
    struct snapshot_partner list[SNAPSHOT_PARTNERS]; /* most first */
    uint32_t count;
};

/* One accessing instruction of a function. */
struct snapshot_instruction {
    uint64_t address;
    const char *file;       /* NULL: not known */
    uint32_t line;          /* 0: not known */
    const char *inlined;    /* "min < clamp": functions inlined there; NULL: none */
    double samples;         /* of known objects, by weight: samples of mean weight */
    double count_over;      /* samples counted, less these: 0 where all weigh the same */
    double unknown_samples; /* those whose object is not known, */
    double unknown_over;
    const char *unknown_note; /* and why: "object unknown: overwritten"; NULL: none */
    double share;             /* of its function's, of known objects or not */
    double loads;
    double stores;
    uint32_t object;     /* index into objects of the one it missed on most; UINT32_MAX */
    double object_share; /* of the instruction's samples */
    uint32_t objects;    /* different ones */
    const char *field;   /* "particle.vy"; NULL: not known */
    uint32_t type_id;    /* as in struct snapshot_field */
    uint32_t member;
    uint64_t offset; /* into the type, arrays folded to element 0; which of a union's members, or of
                        the bit-fields there, it is for does not follow from that */
    const struct snapshot_use *use;     /* of lines it fetched; NULL: nothing is told of it */
    struct snapshot_partners *partners; /* [LINE_PAIRS]; NULL: none told, or it is no hot one */
};

/* A function and its accesses: to one object, or, in snapshot.code, all of them. */
struct snapshot_code {
    uint32_t id;
    const char *function;
    const char *module;
    const char *file; /* NULL: not known */
    uint32_t line;
    uint64_t address; /* hottest accessing instruction */
    double samples;   /* as an instruction's */
    double count_over;
    struct snapshot_share share; /* of its object; of everything attributed in `code` */
    /* In `code` only: samples that waited for data whose object is not known, as parts of all
     * samples, and with those that are known; why, of most of them, or NULL. */
    double unknown_samples;
    double unknown_over;
    double unknown_share;
    double all_share;
    const char *unknown_note;
    uint32_t sites;      /* distinct accessing instructions seen */
    uint32_t top_object; /* index into objects, UINT32_MAX if none */
    double top_object_share;
    struct snapshot_rates *rates; /* in `code` only; NULL: the source tells nothing of it */
    struct snapshot_use *use;     /* the same, of the lines it fetched */
    struct snapshot_instruction *instructions; /* in `code` only; by address */
    size_t instruction_count;
};

#endif
