/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of struct snapshot (snapshot.h, where its rules stand): problems that are recognised, each
 * with its evidence and what to try. The rules stand in src/profile/findings*.c. */
#ifndef MISSTOP_SNAPSHOT_FINDINGS_H
#define MISSTOP_SNAPSHOT_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot_sharing.h"

enum finding_kind {
    FINDING_SPLIT,         /* few bytes of each element are used: hot and cold in one line */
    FINDING_STRADDLING,    /* elements cross lines that they would fit into */
    FINDING_FALSE_SHARING, /* threads want the line, each for bytes of its own */
    FINDING_TRUE_SHARING,  /* threads want the same bytes */
    FINDING_CONFLICT,      /* few sets, on more lines than these have ways */
    FINDING_CHASING,       /* each address is read from the element before */
    FINDING_STREAMING,     /* read from end to end, and larger than the caches */
    FINDING_TLB,           /* page walks */
    FINDING_REMOTE,        /* memory of another node */
    FINDING_SCATTERED,     /* many small blocks between others, in no order */
    FINDING_TOGETHER,      /* one leads to the other, and both miss */
    FINDING_CHURN,         /* blocks are allocated and freed all the time */
    FINDING_WASTE,         /* most of what the blocks take is the allocator's */
    FINDING_STACK,         /* a variable on the stack where a register would do */
    FINDING_FIRST_TOUCH,   /* fresh memory is filled all the time */
    FINDING_REACH,         /* on more pages than the TLB reaches, by reckoning */
    FINDING_COLUMNS,       /* a matrix is walked down columns, rows a power of two */
    FINDING_PUSHED_OUT,    /* it would fit, but accesses to another need the room */
    FINDING_SPINNING,      /* a word is read over and over until another thread writes it */
    FINDING_COPYING,       /* a large block is copied into another */
    FINDING_KIND_COUNT
};

/* How sure: by the rule itself, which the man page tells for each kind. */
enum finding_sure { FINDING_PERHAPS, FINDING_LIKELY, FINDING_SURE };

/* The screen that shows it. */
enum finding_page {
    FINDING_ON_DETAIL,
    FINDING_ON_LAYOUT,
    FINDING_ON_SHARING,
    FINDING_ON_SETS,
    FINDING_ON_CODE,
    FINDING_ON_HEAP
};

struct snapshot_finding {
    enum finding_kind kind;
    enum finding_sure sure;
    enum finding_page page;
    uint32_t object; /* index into objects; UINT32_MAX: not listed there */
    uint32_t id;     /* of the object: the same in the next snapshot */
    const char *name;
    const char *field;    /* NULL: the whole object */
    uint64_t lines_first; /* addresses of the shared lines it is about; 0: of none */
    uint64_t lines_last;
    const char *function; /* that misses most on it; NULL, 0: not known, like the next two */
    const char *file;
    uint32_t line;
    const char *evidence;         /* numbers, in a sentence or two */
    const char *advice;           /* what to try */
    struct sharing_remedy remedy; /* the same of shared lines; advice is "" */
    const char *how_sure;         /* why no surer */
    /* Part of all samples of the ranking event, attributed or not, that it is about. */
    double share;
    /* Part of all samples that the remedy could save, NAN: the samples do not tell; `reckoned` says
     * how it follows. From gain_low to gain, where there is a low end; bound: at most gain, and no
     * low end is known. */
    double gain;
    double gain_low; /* 0: none */
    const char *reckoned;
    bool bound;
};

struct snapshot_findings {
    struct snapshot_finding *list; /* estimates first, then bounds; most gain first */
    size_t count;
};

/* "split", "true-sharing", ... as in JSON; a few words for a list; "perhaps", "likely", "sure". */
const char *finding_kind_name(enum finding_kind kind);
const char *finding_kind_words(enum finding_kind kind);
const char *finding_sure_name(enum finding_sure sure);
const char *finding_page_name(enum finding_page page);

#endif
