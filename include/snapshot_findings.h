/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of struct snapshot: recognised problems with their figures. The rules are in
 * src/profile/findings, the sentences in src/view/findings.c. */
#ifndef MISSTOP_SNAPSHOT_FINDINGS_H
#define MISSTOP_SNAPSHOT_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot_sharing.h"

enum finding_kind {
    FINDING_SPLIT,      /* few bytes of each element are used: hot and cold members share a line */
    FINDING_STRADDLING, /* elements cross line boundaries although they would fit into a line */
    FINDING_FALSE_SHARING,  /* threads access different bytes of a line */
    FINDING_TRUE_SHARING,   /* threads access the same bytes */
    FINDING_CONFLICT,       /* more lines in a few sets than the sets have ways */
    FINDING_CHASING,        /* each address is loaded from the previous element */
    FINDING_STREAMING,      /* read sequentially, and larger than the caches */
    FINDING_TLB,            /* page walks */
    FINDING_REMOTE,         /* memory of another node */
    FINDING_SCATTERED,      /* many small blocks, interleaved with others and in no order */
    FINDING_SEPARATED_PAIR, /* misses on one object are followed by misses on the other */
    FINDING_CHURN,          /* blocks are allocated and freed all the time */
    FINDING_WASTE,          /* most of the blocks' memory is allocator overhead */
    FINDING_STACK,          /* variable on the stack that could be in a register */
    FINDING_FIRST_TOUCH,    /* new memory is filled all the time */
    FINDING_TLB_REACH,      /* uses more pages than the TLB covers, by calculation */
    FINDING_COLUMNS,        /* matrix traversed by columns, with rows of a power of two */
    FINDING_EVICTED,        /* would fit, but accesses to another object evict it */
    FINDING_SPINNING,       /* a word is read repeatedly until another thread writes it */
    FINDING_COPYING,        /* a large block is copied into another block */
    FINDING_CLEARING,       /* a large block is repeatedly set to one value */
    FINDING_KIND_COUNT
};

/* How well the evidence supports the rule; documented per kind in the man page. */
enum finding_confidence { CONFIDENCE_LOW, CONFIDENCE_MEDIUM, CONFIDENCE_HIGH };

/* Determines the kind (src/profile/findings), the figures, and the sentences (src/view/findings.c).
 * Applied in this order: some are skipped for an object that an earlier rule reported. */
enum finding_rule {
    RULE_NONE,
    RULE_FALSE_SHARING_CAUSE, /* based on the causes of the object's misses */
    RULE_TRUE_SHARING_CAUSE,
    RULE_CONFLICT_CAUSE, /* based on the causes of the misses */
    RULE_FALSE_SHARING,  /* lines passed between threads */
    RULE_TRUE_SHARING,
    RULE_CONFLICT_SETS, /* samples concentrate in few sets */
    RULE_SPLIT,         /* used members placed next to each other, or in an array of their own */
    RULE_SPLIT_OFF,     /* ... in an array that the caches would hold */
    RULE_STRADDLING,
    RULE_COLUMNS,
    RULE_COPYING,
    RULE_CLEARING, /* uses the figures of RULE_COPYING */
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
    RULE_TLB_REACH,
    RULE_REMOTE,
    RULE_EVICTED,         /* capacity misses caused by another object that is streamed */
    RULE_STREAMING_CAUSE, /* based on the causes of the misses */
    RULE_FIRST_TOUCH_CAUSE,
    RULE_STREAMING, /* based on the order and rate of samples */
    RULE_COUNT
};

struct finding_split {
    double samples; /* number of samples on the type */
    uint64_t element_bytes;
    uint64_t used_bytes;  /* bytes used of an element */
    double fetched_bytes; /* per element; RULE_SPLIT_OFF: in total, as is needed_bytes */
    double needed_bytes;
    bool in_order;
    bool pass;      /* elements are adjacent and read in order */
    bool scattered; /* known to be in no order */
};

struct finding_straddling {
    uint32_t samples;
    double crossing_share;  /* fraction of the samples on elements that cross a line */
    double elements;        /* fraction of the elements that cross; NAN: not known */
    double avoidable_share; /* fraction of the samples that alignment would save */
    bool is_calculated;     /* calculated from `elements` */
    uint64_t hot_first;
    uint64_t hot_end;
    uint64_t element_bytes;
};

struct finding_sharing {
    uint32_t threads;
    size_t lines;
    double samples;
    double alternations;
    double hitm;
    double misses; /* total, in a simulation; NAN: from samples */
    bool by_hitm;  /* by HITM; otherwise by alternating accesses */
};

struct finding_cause {
    double misses;
    double cause_share;       /* part with the cause, or causes, of the rule */
    double first;             /* first references */
    double same_bytes_share;  /* part on bytes that the other thread wrote */
    double other_bytes_share; /* part on other bytes of the line */
    double stores;            /* fraction of the samples */
    double bytes;             /* bytes that miss */
    double cache_bytes;       /* 0: not known; the same for `stride` */
    uint64_t stride;          /* between addresses in one set */
    bool written;
};

struct finding_sets {
    uint32_t hot;
    uint32_t all;
    uint32_t ways;
    double excess;       /* fraction of the samples above an even distribution */
    double excess_share; /* fraction of that excess on this object */
};

struct finding_chasing {
    uint64_t element_bytes;
    double samples;
    double bytes;
    bool scattered;
    bool several; /* several links */
    bool links_read;
    uint32_t links_in_object;
    uint32_t far_links;
    uint32_t nodes;
    uint32_t deep_nodes; /* nodes followed by deep_min or more */
    uint32_t deep_min;
};

struct finding_streaming {
    bool written;
    bool backward;
    double bytes;
    double bytes_per_s;
    double in_order_share; /* fraction of the samples that continue the previous one in order */
    uint32_t lines;
    uint32_t singles;
};

struct finding_blocks {
    double count;
    double requested_bytes; /* each */
    double occupied_bytes;
    double fetched_bytes; /* total */
    double pooled_bytes;
};

struct finding_pair {
    double samples[2];       /* samples on the object that is read first, and on the other */
    double blocks;           /* number of blocks of each object */
    uint32_t misses;         /* misses on the first object, followed by one on the other */
    double same_index_share; /* fraction of these misses at the same index */
    uint64_t element_bytes[2];
};

struct finding_churn {
    double per_s;
    double allocation_share; /* fraction of all allocations */
    double lifetime_s;
    double allocator; /* fraction of the samples */
};

enum huge_page_method {
    HUGE_MADVISE,
    HUGE_FILE,
    HUGE_JAVA,
    HUGE_PYTHON,
    HUGE_PHP,
    HUGE_JEMALLOC,
    HUGE_MIMALLOC,
    HUGE_TCMALLOC,
    HUGE_GLIBC,
    HUGE_ALLOCATOR /* another allocator */
};

struct finding_pages {
    double samples;
    /* part with page walks, stores (RULE_FIRST_TOUCH_FAULTS) or remote memory */
    double affected_share;
    double pages;
    double page_bytes;
    double tlb_entries;
    bool tlb_known; /* false: tlb_entries is the most that any CPU has */
    double huge;    /* fraction of its memory on huge pages */
    enum huge_page_method huge_method;
    double faults_per_s;
    double kernel; /* fraction of the CPU time */
};

struct finding_columns {
    double rows;
    uint64_t row_bytes;
    uint32_t steps;
    uint32_t near_previous_column; /* steps that end close to the previous column */
    bool is_power_of_two;          /* the row size is a power of two */
    uint64_t sets_used;
    uint32_t sets;
    uint32_t ways;
    uint32_t element_bytes;
};

struct finding_stack {
    uint64_t bytes;
    double samples;
    double function_share; /* part in the function */
};

struct finding_spinning {
    uint32_t threads;
    uint32_t samples;
    double waited_share; /* fraction of the samples on the waited-for line of each thread */
};

struct finding_copying {
    double bytes;
    double loads;
    double stores;
};

enum { FINDING_EVICTORS = 2 };
struct finding_evictor {
    const char *function; /* NULL: no more evictors */
    const char *object;   /* NULL: not known */
    bool is_self_eviction;
    double share;
};

/* Another measurement that the finding was checked against. */
struct finding_support {
    bool has_causes;   /* the causes of the object's misses are known: */
    const char *level; /* NULL: the simulated cache */
    double misses;
    double first;
    double capacity;
    double conflict;
    bool has_use; /* known in a simulation: use of the lines fetched for it */
    double lines;
    double used;
    unsigned use_level;
    bool has_watch; /* results of watchpoints are known: */
    /* Use of the line was measured; otherwise how many lines were touched again. */
    bool watched_use;
    double watch_used;
    double watch_low;
    double watch_high;
    uint64_t visits;
    uint64_t watched;
    uint64_t touched;
};

struct snapshot_finding {
    enum finding_rule rule;
    enum finding_kind kind; /* kind of the rule */
    enum finding_confidence confidence;
    uint32_t object; /* index into objects; UINT32_MAX: not listed there */
    uint32_t id;     /* id of the object: the same in the next snapshot */
    const char *name;
    const char *field;    /* NULL: the whole object */
    uint64_t lines_first; /* addresses of the shared lines; 0: none */
    uint64_t lines_last;
    /* Function with most misses on it; NULL, 0: not known; the same for the next two. */
    const char *function;
    const char *file;
    uint32_t line;
    /* Names used in the rule's sentences; NULL: none. */
    const char *type;  /* type of its elements */
    const char *other; /* object or type */
    const char *link;  /* member that points from one object to the other */
    const char *level; /* cache level; NULL: the simulated cache */
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
    } figures; /* selected by the rule */
    struct finding_support support;
    /* Fraction of all samples of the ranking event, attributed or not. */
    double share;
    /* Fraction of all samples that the remedy could save; NAN: not known. From gain_low to gain if
     * there is a lower bound; if `is_upper_bound` is set, at most `gain`. */
    double gain;
    double gain_low; /* 0: no lower bound */
    bool is_upper_bound;
};

struct snapshot_findings {
    struct snapshot_finding *list; /* estimates first, then bounds; largest gain first */
    size_t count;
};

#endif
