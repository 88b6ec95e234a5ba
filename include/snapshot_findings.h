/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of struct snapshot (its rules are in snapshot.h): problems that are recognised, each
 * with the figures of its evidence. The rules are in src/profile/findings, the sentences in
 * src/view/findings.c. */
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
    FINDING_WASTE,         /* the allocator uses most of the memory of the blocks */
    FINDING_STACK,         /* a variable on the stack where a register would do */
    FINDING_FIRST_TOUCH,   /* fresh memory is filled all the time */
    FINDING_REACH,         /* on more pages than the TLB reaches, by reckoning */
    FINDING_COLUMNS,       /* a matrix is walked down columns, rows a power of two */
    FINDING_PUSHED_OUT,    /* it would fit, but accesses to another need the room */
    FINDING_SPINNING,      /* a word is read over and over until another thread writes it */
    FINDING_COPYING,       /* a large block is copied into another */
    FINDING_CLEARING,      /* a large block is set to one value again and again */
    FINDING_KIND_COUNT
};

/* How well the evidence supports the rule; the man page has it for each kind. */
enum finding_sure { FINDING_PERHAPS, FINDING_LIKELY, FINDING_SURE };

/*
 * The rule that found it: its kind (src/profile/findings), which figures it has, and its sentences
 * (src/view/findings.c). In the order in which rules are applied: some say nothing of an object
 * that an earlier one reported.
 */
enum finding_rule {
    RULE_NONE,
    RULE_FALSE_SHARING_CAUSE, /* by the causes of the object's misses */
    RULE_TRUE_SHARING_CAUSE,
    RULE_CONFLICT_CAUSE, /* by the causes of the misses */
    RULE_FALSE_SHARING,  /* lines that threads take from each other */
    RULE_TRUE_SHARING,
    RULE_CONFLICT_SETS, /* samples crowd in few sets */
    RULE_SPLIT,         /* members in use side by side, or in an array of their own */
    RULE_SPLIT_OFF,     /* ... in an array that the caches would hold */
    RULE_STRADDLING,
    RULE_COLUMNS,
    RULE_COPYING,
    RULE_CLEARING, /* the figures of RULE_COPYING */
    RULE_CHASING,
    RULE_POINTED_TO, /* one of a pair holds a pointer to the other */
    RULE_SAME_INDEX, /* two arrays are read at the same index */
    RULE_SCATTERED,
    RULE_WASTE,
    RULE_CHURN,
    RULE_STACK,
    RULE_SPINNING,
    RULE_FIRST_TOUCH_FAULTS,
    RULE_TLB,
    RULE_REACH,
    RULE_REMOTE,
    RULE_EVICTED,         /* capacity misses by another object that passes through */
    RULE_STREAMING_CAUSE, /* by the causes of the misses */
    RULE_FIRST_TOUCH_CAUSE,
    RULE_STREAMING, /* by the order and speed of samples */
    RULE_COUNT
};

struct finding_split {
    double samples; /* on the type */
    uint64_t element_bytes;
    uint64_t used_bytes;  /* of an element */
    double fetched_bytes; /* for each element; RULE_SPLIT_OFF: for all, like the next */
    double needed_bytes;
    bool in_order;
    bool pass;      /* elements side by side, read in order */
    bool scattered; /* known to be in no order */
};

struct finding_straddling {
    uint32_t samples;
    double crossing; /* part of them on elements that cross */
    double elements; /* part of the elements that cross; NAN: not known */
    double part;     /* of the samples that aligning saves */
    bool by_number;  /* it follows from `elements` */
    uint64_t hot_first;
    uint64_t hot_end;
    uint64_t element_bytes;
};

struct finding_sharing {
    uint32_t threads;
    size_t lines;
    double samples;
    double turns;
    double hitm;
    double misses; /* of a simulation, in all; NAN: of samples */
    bool by_hitm;  /* else by turns */
};

/* Of misses with causes that a simulation counted. */
struct finding_cause {
    double misses;
    double part;        /* with the rule's cause, or causes */
    double first;       /* first references */
    double same;        /* for bytes that the other thread wrote */
    double apart;       /* for others of the line */
    double stores;      /* part of the samples */
    double bytes;       /* that miss */
    double cache_bytes; /* 0: not known, like the next */
    uint64_t stride;    /* of addresses in one set */
    bool written;
};

struct finding_sets {
    uint32_t hot;
    uint32_t all;
    uint32_t ways;
    double excess; /* part of the samples above an even share */
    double part;   /* of that on this object */
};

struct finding_chasing {
    uint64_t element_bytes;
    double samples;
    double bytes;
    bool scattered;
    bool several; /* links */
    bool links_read;
    uint32_t read;
    uint32_t far;
    uint32_t nodes;
    uint32_t deep; /* of the nodes, followed by so many more: */
    uint32_t deep_least;
};

struct finding_streaming {
    bool written;
    bool backward;
    double bytes;
    double bytes_per_s;
    double part; /* of the samples that follow the one before in order */
    uint32_t lines;
    uint32_t singles;
};

struct finding_blocks {
    double count;
    double asked_bytes; /* each */
    double taken_bytes;
    double fetched_bytes; /* all */
    double pooled_bytes;
};

struct finding_pair {
    double samples[2]; /* on the one that is read first, and on the other */
    double blocks;     /* of each */
    uint32_t misses;   /* on the one followed by one on the other */
    double same;       /* part of these at the same index */
    uint64_t element_bytes[2];
};

struct finding_churn {
    double per_s;
    double part; /* of all allocations */
    double lifetime_s;
    double allocator; /* part of the samples */
};

/* A way to have huge pages. */
enum finding_huge {
    HUGE_MADVISE,
    HUGE_JAVA,
    HUGE_PYTHON,
    HUGE_PHP,
    HUGE_JEMALLOC,
    HUGE_MIMALLOC,
    HUGE_TCMALLOC,
    HUGE_GLIBC,
    HUGE_ALLOCATOR /* another one */
};

struct finding_pages {
    double samples;
    double part; /* of them: RULE_TLB: page walks; RULE_REMOTE; RULE_FIRST_TOUCH_FAULTS: stores */
    double pages;
    double page_bytes;
    double tlb_entries;
    bool tlb_known; /* else that is the most any has */
    double huge;    /* part of its memory on huge pages */
    enum finding_huge way;
    double faults_per_s;
    double kernel; /* part of the CPU time */
};

struct finding_columns {
    double rows;
    uint64_t row_bytes;
    uint32_t steps;
    uint32_t beside; /* of the steps that end beside the last column */
    bool power;      /* of two */
    uint64_t in_sets;
    uint32_t sets;
    uint32_t ways;
    uint32_t element_bytes;
};

struct finding_stack {
    uint64_t bytes;
    double samples;
    double part; /* in the function */
};

struct finding_spinning {
    uint32_t threads;
    uint32_t samples;
    double part; /* on the line of each */
};

struct finding_copying {
    double bytes;
    double loads;
    double stores;
};

enum { FINDING_EVICTORS = 2 };
struct finding_evictor {
    const char *function; /* NULL: no more of them */
    const char *object;   /* NULL: not known */
    bool itself;
    double share;
};

/* Another measurement that the finding was held against. */
struct finding_support {
    bool causes;       /* of the object's misses: */
    const char *level; /* NULL: of the cache that is simulated */
    double misses;
    double first;
    double capacity;
    double conflict;
    bool use; /* bytes used of the lines fetched for it, in a simulation: */
    double lines;
    double used;
    unsigned use_level;
    bool watch;       /* watchpoints: */
    bool watched_use; /* of the line; else how many were touched again */
    double watch_used;
    double watch_low;
    double watch_high;
    uint64_t visits;
    uint64_t watched;
    uint64_t touched;
};

struct snapshot_finding {
    enum finding_rule rule;
    enum finding_kind kind; /* of the rule */
    enum finding_sure sure;
    uint32_t object; /* index into objects; UINT32_MAX: not listed there */
    uint32_t id;     /* of the object: the same in the next snapshot */
    const char *name;
    const char *field;    /* NULL: the whole object */
    uint64_t lines_first; /* addresses of the shared lines it is about; 0: of none */
    uint64_t lines_last;
    const char *function; /* that misses most on it; NULL, 0: not known, like the next two */
    const char *file;
    uint32_t line;
    /* Name in the sentences of the rule; NULL: none. */
    const char *type;  /* of its elements */
    const char *other; /* object or type */
    const char *link;  /* member that leads from one to the other */
    const char *level; /* of the cache; NULL: of one that is simulated */
    uint32_t line_bytes;
    struct finding_evictor evictors[FINDING_EVICTORS];
    struct sharing_remedy remedy;
    union {
        struct finding_split split;
        struct finding_straddling straddling;
        struct finding_sharing sharing;
        struct finding_cause cause;
        struct finding_sets sets;
        struct finding_chasing chasing;
        struct finding_streaming streaming;
        struct finding_blocks blocks;
        struct finding_pair pair;
        struct finding_churn churn;
        struct finding_pages pages;
        struct finding_columns columns;
        struct finding_stack stack;
        struct finding_spinning spinning;
        struct finding_copying copying;
    } of; /* by the rule */
    struct finding_support support;
    /* Part of all samples of the ranking event, attributed or not, that it is about. */
    double share;
    /* Part of all samples that the remedy could save; NAN: not known. From gain_low to gain, where
     * there is a low end; bound: at most gain, and no low end is known. */
    double gain;
    double gain_low; /* 0: none */
    bool bound;
};

struct snapshot_findings {
    struct snapshot_finding *list; /* estimates first, then bounds; most gain first */
    size_t count;
};

#endif
