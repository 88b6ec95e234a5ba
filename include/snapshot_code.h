/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of struct snapshot (its rules are in snapshot.h): functions, and their instructions
 * that access memory. */
#ifndef MISSTOP_SNAPSHOT_CODE_H
#define MISSTOP_SNAPSHOT_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot_causes.h"
#include "snapshot_share.h"
#include "snapshot_time.h"

enum { SNAPSHOT_PARTNERS = 6 };

/* An instruction that used or evicted lines that another one had fetched. */
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
    size_t count;
};

/* One accessing instruction of a function. */
struct snapshot_instruction {
    uint64_t address;
    const char *file;       /* NULL: not known */
    uint32_t line;          /* 0: not known */
    const char *inlined;    /* "min < clamp": functions inlined there; NULL: none */
    double samples;         /* of known objects, by weight: samples of mean weight */
    double count_over;      /* samples counted, less these: 0 where all weigh the same */
    double unknown_samples; /* those without a known object, */
    double unknown_over;
    enum reason unknown_reason; /* and why: of the hottest instruction; REASON_NONE: none */
    double share;               /* of its function's, of known objects or not */
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
    const struct snapshot_use *use;     /* of lines it fetched; NULL: not measured */
    struct snapshot_partners *partners; /* [LINE_PAIRS]; NULL: not measured, or it is no hot one */
};

/*
 * A function of the tree of callers: those of `depth` more, up to the next of the same or less, are
 * its own callers. Of a function the tree begins with its callers, of an object with the functions
 * that access it. A function that calls itself is one row. Shares are inclusive.
 */
struct snapshot_caller {
    uint32_t depth;
    uint32_t id; /* of the function */
    const char *function;
    const char *module;
    uint64_t path; /* the same for the same row of the next snapshot */
    double samples;
    struct snapshot_share share; /* of the samples with known callers */
};

/* Of the ranking event, under the basis. */
struct snapshot_callers {
    double samples; /* with known callers; with those of objects not known in `code` */
    struct snapshot_caller *list; /* shares of less than 0.01 are left out */
    size_t count;
};

/* A function on a stack. */
struct snapshot_frame {
    const char *function;
    const char *file;                   /* NULL: not known */
    uint32_t line;                      /* of the function; 0: not known */
    const struct snapshot_frame *inner; /* that it called; NULL: it is the sampled function */
};

struct snapshot_stack {
    const struct snapshot_frame *outermost;
    double share; /* of the known stacks of a function on an object */
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
    /* In `code` only: samples that waited for data of no known object, as parts of all samples, and
     * with those that are known; the reason of most of them, or NULL. */
    double unknown_samples;
    double unknown_over;
    double unknown_share;
    double all_share;
    enum reason unknown_reason;
    uint32_t sites;      /* distinct accessing instructions seen */
    uint32_t top_object; /* index into objects, UINT32_MAX if none */
    double top_object_share;
    struct snapshot_rates *rates;     /* in `code` only; NULL: not measured */
    struct snapshot_use *use;         /* the same, of the lines it fetched */
    struct snapshot_wait wait;        /* of the function's time; in `code` only */
    struct snapshot_callers *callers; /* in `code` only; NULL: few stacks are known, or none */
    struct snapshot_instruction *instructions; /* in `code` only; by address */
    size_t instruction_count;
};

/* Functions x objects. */
enum {
    SNAPSHOT_MATRIX_ROWS = 40,
    SNAPSHOT_MATRIX_COLUMNS = 24,
    SNAPSHOT_MATRIX_REST = 2, /* rows and columns beside the listed ones */
    SNAPSHOT_MATRIX_RECENT = 8192,
};

/* Sums that rates are made of: src/profile/tables/rates.h. */
struct rates_plan;
struct rates_sums;
struct snapshot_causes_figures;

/* Of the ranking event, under the basis. */
struct snapshot_matrix_cell {
    double samples;
    double share; /* of the weight of everything, attributed or not */
    double loads; /* parts of samples; the rest is of unknown kind */
    double stores;
    double cycles; /* waited, latency x accesses; NAN: latencies are not measured, or not of it */
    double by[SNAPSHOT_MEASURES]; /* events of others than the ranking one; NAN: none counts it */
    const struct snapshot_levels
        *levels;                    /* of a listed cell; NULL: not measured, like the next two */
    const struct rates_sums *rates; /* for the miss rate; of totals too */
    const struct snapshot_causes_figures *causes;
};

/* One instruction on one object: the lines and fields of a cell. */
struct snapshot_matrix_site {
    uint16_t row;
    uint16_t column;
    uint32_t line;     /* 0: not known */
    const char *file;  /* NULL: not known */
    const char *field; /* "particle.vy"; NULL: not known */
    uint64_t address;  /* of the instruction */
    double samples;
    double loads;
    double stores;
};

/* Misses of a thread on one block (instance of an object), in one function. Samples of the ranking
 * event, each counting 1 under either basis, of the last `recent` ones. */
struct snapshot_matrix_block {
    uint16_t row;
    uint16_t column;
    uint32_t tid;
    uint64_t base;  /* of the block */
    double samples; /* of mean weight */
};

/* Evictors of the lines that a cell missed: MemSpy's "Causes of Replacements"; and evicting
 * threads, which add up to the known evictions of the cell, as far as the table had room. */
struct snapshot_matrix_evictor {
    uint16_t row;
    uint16_t column;
    const char *name;   /* of the function, "unknown" where it is; or "worker (123)" */
    const char *object; /* NULL: not known, or a thread */
    double misses;
};

/*
 * Functions x objects, most weight first on both sides; then the others; then a column of samples
 * without an object, and a row of samples in no known function that waited for no known data
 * (computing, in the kernel). Cells add up to the totals of their row and column, and those to the
 * whole.
 *
 * Rows and columns count every sample; cells are counted by instruction and object in tables of
 * bounded size, which forget rare ones. Forgotten weight is in the others of its row and column as
 * far as these have room; only the rest is estimated over the listed cells, in proportion to the
 * gaps of their rows and columns.
 */
struct snapshot_matrix {
    size_t row_count;                          /* the listed ones; 0: nothing to show */
    size_t column_count;                       /* the same */
    uint32_t rows[SNAPSHOT_MATRIX_ROWS];       /* indices into code */
    uint32_t columns[SNAPSHOT_MATRIX_COLUMNS]; /* into objects */
    struct snapshot_matrix_cell all;
    struct snapshot_matrix_cell *row_totals;    /* [row_count + 2] */
    struct snapshot_matrix_cell *column_totals; /* [column_count + 2] */
    struct snapshot_matrix_cell *cells;         /* [(row_count + 2) * (column_count + 2)] by rows */
    double attributed;                          /* part of the weight of everything */
    double forgotten; /* share of all attributed weight with a forgotten cell */
    double estimated; /* that part of it which is spread over listed cells */
    /* Parts of cells, as far as kept, in no order. */
    struct snapshot_matrix_site *sites; /* those of less than 1/4000 of everything left out */
    size_t site_count;
    struct snapshot_matrix_block *blocks;
    size_t block_count;
    size_t recent; /* samples that blocks are of, SNAPSHOT_MATRIX_RECENT at most */
    struct snapshot_matrix_evictor *evictors; /* the same; those of less than 1/2000 of all that is
                                                 known left out */
    size_t evictor_count;
    struct snapshot_matrix_evictor *evictor_threads; /* the same */
    size_t evictor_thread_count;
    const struct rates_plan *rates_plan; /* NULL: as above */
    const struct rates_sums *rates_all;
};

/* Whether anything was counted there, of any event. */
static inline bool snapshot_matrix_any(const struct snapshot_matrix_cell *cell)
{
    for (int i = 0; i < SNAPSHOT_MEASURES; i++)
        if (cell->by[i] > 0)
            return true;
    return cell->samples > 0;
}

/* Row row_count and column column_count are the others; the ones after them have no function, no
 * object. */
static inline const struct snapshot_matrix_cell *
snapshot_matrix_at(const struct snapshot_matrix *matrix, size_t row, size_t column)
{
    return &matrix->cells[row * (matrix->column_count + SNAPSHOT_MATRIX_REST) + column];
}

#endif
