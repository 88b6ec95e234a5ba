/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a model counts, for all, for a statement or for a bin; plain values. */
#ifndef MISSTOP_SIM_FIGURES_H
#define MISSTOP_SIM_FIGURES_H

#include <stdint.h>

/*
 * Why an access missed a level, asked in this order. Hill's three Cs by a fully associative LRU
 * cache of the same size beside (Hill and Smith 1989); invalidations by the bytes that other
 * threads wrote since (Torrellas, Lam, Hennessy 1994, by the access that misses).
 */
enum model_cause {
    MODEL_CAUSE_UNKNOWN,     /* not asked for, or a table was full */
    MODEL_FIRST,             /* nobody referenced the line before */
    MODEL_FIRST_HERE,        /* another thread did, this one not (private levels) */
    MODEL_INVALIDATED_TRUE,  /* another thread wrote bytes that are asked for now */
    MODEL_INVALIDATED_FALSE, /* another thread wrote to the line, but other bytes */
    MODEL_INCLUSION,         /* an inclusive level below threw it out */
    MODEL_CONFLICT,          /* a fully associative cache of this size would have it */
    MODEL_CAPACITY,
    MODEL_CAUSES
};

/* Why a line left a level. */
enum model_reason {
    MODEL_REPLACED,
    MODEL_INVALIDATED, /* another thread wrote to it */
    MODEL_INCLUDED,    /* an inclusive level below threw it out */
    MODEL_END          /* model_finish() */
};

/* Uses of a line, by what used it. */
enum model_use_class {
    MODEL_LOAD_INTEGER,
    MODEL_LOAD_FLOAT,
    MODEL_STORE_INTEGER, /* a modify is a store */
    MODEL_STORE_FLOAT,
    MODEL_USE_CLASSES
};

/* What was done to one line. Bits stand for bytes; for line / 64 bytes where lines are longer. */
struct model_use {
    uint64_t touched;
    uint64_t written;
    uint64_t touched_bytes; /* sum of the accesses' sizes: SIP's reuse count */
    uint64_t uses[MODEL_USE_CLASSES];
};

/* At one level. */
struct model_figures {
    uint64_t misses; /* accesses */
    uint64_t causes[MODEL_CAUSES];
    uint64_t thrown_by_same;  /* misses on what the same bin had thrown out */
    uint64_t thrown_by_other; /* another bin (DTrack 3.5) */
    uint64_t fetched;         /* lines fetched that have left since; two where a miss straddled */
    uint64_t used_bytes;      /* different bytes of them that were touched: SIP's spatial use */
    uint64_t touched_bytes;   /* every touch counted: SIP's reuse count */
    uint64_t uses[MODEL_USE_CLASSES];
    uint64_t written_back;
    uint64_t prefetched; /* lines fetched ahead, that have left since */
    uint64_t prefetched_unused;
};

/*
 * Percent of the fetched bytes that were used, and how often a used byte was used again (SIP 5.2;
 * lines fetched stand for its misses). NAN: nothing was fetched, nothing used.
 */
double model_spatial_use(const struct model_figures *figures, uint32_t line_bytes);
double model_temporal_use(const struct model_figures *figures);

#endif
