/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of struct snapshot: functions and their instructions that access memory. */
#ifndef MISSTOP_SNAPSHOT_CODE_H
#define MISSTOP_SNAPSHOT_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot_causes.h"
#include "snapshot_share.h"
#include "snapshot_time.h"

enum { SNAPSHOT_PARTNERS = 6 };

/* An instruction that used or evicted lines that another instruction fetched. */
struct snapshot_partner {
    uint64_t address;
    const char *function;
    const char *file; /* NULL: not known */
    uint32_t line;
    double count;
};

struct snapshot_partners {
    double all;                                      /* including those that are not listed */
    struct snapshot_partner list[SNAPSHOT_PARTNERS]; /* largest count first */
    size_t count;
};

struct snapshot_instruction {
    uint64_t address;
    const char *file;       /* NULL: not known */
    uint32_t line;          /* 0: not known */
    const char *inlined;    /* "min < clamp": functions inlined there; NULL: none */
    double samples;         /* samples on known objects, weighted: of mean weight */
    double count_excess;    /* samples counted, minus `samples`; 0 if all have the same weight */
    double unknown_samples; /* without a known object */
    double unknown_excess;
    enum reason unknown_reason; /* most frequent reason of the unknown samples; REASON_NONE: none */
    double share;               /* fraction of its function's samples, on known objects or not */
    double loads;
    double stores;
    uint32_t object;     /* index into objects of the object with most of its misses; UINT32_MAX */
    double object_share; /* fraction of the instruction's samples */
    uint32_t objects;    /* number of distinct objects */
    const char *field;   /* "particle.vy"; NULL: not known */
    uint32_t type_id;    /* as in struct snapshot_field */
    uint32_t member;
    /* Offset into the type, with arrays folded to element 0. It does not identify which member of a
     * union, or which bit-field, was accessed. */
    uint64_t offset;
    const struct snapshot_use *use; /* use of the lines it fetched; NULL: not measured */
    /* [LINE_PAIRS]; NULL: not measured, or not a hot instruction. */
    struct snapshot_partners *partners;
};

/*
 * A function of the caller tree. The following entries with a greater `depth`, up to the next one
 * with the same or a smaller depth, are its own callers. The tree of a function begins with its
 * callers, the tree of an object with the functions that access it. A recursive function is one
 * row. Shares are inclusive.
 */
struct snapshot_caller {
    uint32_t depth;
    uint32_t id; /* id of the function */
    const char *function;
    const char *module;
    uint64_t path; /* the same for the same row in the next snapshot */
    double samples;
    struct snapshot_share share; /* fraction of the samples with known callers */
};

/* Callers for the ranking event, under the basis. */
struct snapshot_callers {
    double samples; /* samples with known callers; in `code` also those on unknown objects */
    struct snapshot_caller *list; /* without shares below 0.01 */
    size_t count;
};

struct snapshot_frame {
    const char *function;
    const char *file; /* NULL: not known */
    uint32_t line;    /* first line of the function; 0: not known */
    /* Function that it called; NULL: this is the sampled function. */
    const struct snapshot_frame *inner;
};

struct snapshot_stack {
    const struct snapshot_frame *outermost;
    double share; /* fraction of the known stacks of a function on an object */
};

/* A function and its accesses: to one object, or to all objects in snapshot.code. */
struct snapshot_code {
    uint32_t id;
    const char *function;
    const char *module;
    const char *file; /* NULL: not known */
    uint32_t line;
    uint64_t address; /* hottest accessing instruction */
    double samples;   /* weighted, as for an instruction */
    double count_excess;
    /* Fraction of its object's samples; in `code`, of all attributed samples. */
    struct snapshot_share share;
    /*
     * Only in `code`: samples that waited for data of an unknown object, their fraction of all
     * samples, and the fraction of all samples including known objects; the most frequent reason,
     * or REASON_NONE.
     */
    double unknown_samples;
    double unknown_excess;
    double unknown_share;
    double all_share;
    enum reason unknown_reason;
    uint32_t sites;      /* number of distinct accessing instructions seen */
    uint32_t top_object; /* index into objects, UINT32_MAX if none */
    double top_object_share;
    struct snapshot_rates *rates; /* only in `code`; NULL: not measured */
    struct snapshot_use *use;  /* only in `code`: use of the lines it fetched; NULL: not measured */
    struct snapshot_wait wait; /* only in `code`: fraction of the function's time spent waiting */
    struct snapshot_callers *callers;          /* only in `code`; NULL: too few stacks are known */
    struct snapshot_instruction *instructions; /* only in `code`: sorted by address */
    size_t instruction_count;
};

enum {
    SNAPSHOT_MATRIX_ROWS = 40,
    SNAPSHOT_MATRIX_COLUMNS = 24,
    SNAPSHOT_MATRIX_REST = 2, /* rows and columns in addition to the listed ones */
    SNAPSHOT_MATRIX_RECENT = 8192,
};

/* Sums that rates are computed from: src/profile/tables/rates.h. */
struct rates_plan;
struct rates_sums;
struct snapshot_causes_figures;

/* A cell, for the ranking event under the basis. */
struct snapshot_matrix_cell {
    double samples;
    double share; /* fraction of the total weight, attributed or not */
    double loads; /* fraction of samples; samples without loads and stores are of unknown kind */
    double stores;
    /* Cycles waited, latency x accesses; NAN: latencies are not measured for this event. */
    double cycles;
    double by_measure[SNAPSHOT_MEASURES]; /* events of the other measures; NAN: not counted */
    const struct snapshot_levels *levels; /* levels of a listed cell; NULL: not measured */
    const struct rates_sums *rates; /* sums for the miss rate, also of totals; NULL: not measured */
    const struct snapshot_causes_figures *causes;
};

struct snapshot_matrix_site {
    uint16_t row;
    uint16_t column;
    uint32_t line;     /* 0: not known */
    const char *file;  /* NULL: not known */
    const char *field; /* "particle.vy"; NULL: not known */
    uint64_t address;  /* address of the instruction */
    double samples;
    double loads;
    double stores;
};

/* Misses of a thread on one block (instance of an object), in one function. Each of the last
 * `recent` samples of the ranking event counts 1, under either basis. */
struct snapshot_matrix_block {
    uint16_t row;
    uint16_t column;
    uint32_t tid;
    uint64_t base;  /* start of the block */
    double samples; /* weighted: samples of mean weight */
};

/* Evictors of the lines missed in a cell (MemSpy's "Causes of Replacements"), or evicting threads.
 * Threads add up to the known evictions of the cell, except those without a free table entry. */
struct snapshot_matrix_evictor {
    uint16_t row;
    uint16_t column;
    const char *name;   /* function, "unknown" if not known; or "worker (123)" */
    const char *object; /* NULL: not known, or a thread */
    double misses;
};

/*
 * Matrix of functions and objects, most weight first in both directions; then a row and a column of
 * all others; then a column of samples without an object, and a row of samples in no known function
 * that waited for no known data (computing, in the kernel). Cells add up to the totals of their row
 * and column, and the totals to the whole.
 *
 * Rows and columns count every sample. Cells are counted by instruction and object in tables of
 * bounded size, which drop rare entries. Dropped weight is assigned to the others of its row and
 * column as far as they have room for it. Only the remainder is estimated over the listed cells, in
 * proportion to the gaps of their rows and columns.
 */
struct snapshot_matrix {
    size_t row_count;                          /* listed rows; 0: nothing to show */
    size_t column_count;                       /* listed columns */
    uint32_t rows[SNAPSHOT_MATRIX_ROWS];       /* indices into code */
    uint32_t columns[SNAPSHOT_MATRIX_COLUMNS]; /* indices into objects */
    struct snapshot_matrix_cell all;
    struct snapshot_matrix_cell *row_totals;    /* [row_count + 2] */
    struct snapshot_matrix_cell *column_totals; /* [column_count + 2] */
    struct snapshot_matrix_cell *cells;         /* [(row_count + 2) * (column_count + 2)] by rows */
    double attributed;                          /* fraction of the total weight */
    double dropped_share; /* share of all attributed weight in dropped cells */
    double estimated;     /* fraction of the dropped weight that is spread over listed cells */
    /* Parts of cells, as far as they were kept; unordered. */
    struct snapshot_matrix_site *sites; /* without sites below 1/4000 of the total */
    size_t site_count;
    struct snapshot_matrix_block *blocks;
    size_t block_count;
    size_t recent; /* number of samples that blocks are from, at most SNAPSHOT_MATRIX_RECENT */
    /* Unordered, without evictors below 1/2000 of all known evictions. */
    struct snapshot_matrix_evictor *evictors;
    size_t evictor_count;
    struct snapshot_matrix_evictor *evictor_threads;
    size_t evictor_thread_count;
    const struct rates_plan *rates_plan; /* NULL: not measured */
    const struct rates_sums *rates_all;
};

/* Returns true if anything was counted there, for any event. */
static inline bool snapshot_matrix_any(const struct snapshot_matrix_cell *cell)
{
    for (int i = 0; i < SNAPSHOT_MEASURES; i++)
        if (cell->by_measure[i] > 0)
            return true;
    return cell->samples > 0;
}

/* Row row_count and column column_count are the others. The next row has no function, the next
 * column no object. */
static inline const struct snapshot_matrix_cell *
snapshot_matrix_at(const struct snapshot_matrix *matrix, size_t row, size_t column)
{
    return &matrix->cells[row * (matrix->column_count + SNAPSHOT_MATRIX_REST) + column];
}

#endif
