/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two sides of runs compared: which objects, fields and functions have more or less of the
 * misses. diff_match.c makes the rows, diff_compare.c says which of them changed, diff_text.c
 * and json_diff.c print. For src/diff.c.
 */
#ifndef MISSTOP_VIEW_DIFF_H
#define MISSTOP_VIEW_DIFF_H

#include "profile/tables/statistics.h"
#include "view/report.h"
#include "view/view.h"

#include <stdbool.h>
#include <stdio.h>

enum { DIFF_RUNS_MOST = 32, DIFF_NOTES_MOST = 16 };

/* What amounts are counted by; both sides in the same way. */
enum diff_amount {
    DIFF_AMOUNT_UNKNOWN,
    DIFF_AMOUNT_PER_SECOND,
    DIFF_AMOUNT_PER_1000_INSTRUCTIONS,
    DIFF_AMOUNT_OF_RUN /* a simulation counts everything, and its clock means nothing */
};

struct diff_side {
    struct report *const *runs;
    size_t run_count;
    double effective; /* samples of all runs */
    double amount;    /* of everything attributed, mean of the runs; NAN */
    double weight;    /* events of a whole run, mean of the runs; NAN */
};

struct diff_row {
    const struct report_row *what;
    const struct diff_row *object; /* of a field: its object; of a function: the one it misses on
                                      most; NULL. Only until the rows are sorted */
    double *shares;                /* [runs of a, then of b]; NAN: not listed there */
    double *leasts;                /* of an object: see struct report_row; NAN: not listed */
    const double *parts[2];        /* with one run a side */
    double a;                      /* means of the shares; NAN: in none of the runs */
    double b;
    double amount_a;
    double amount_b;
    double design; /* compare_design() of it, or of its object */
    struct comparison share;
    struct compare_times times; /* amounts, b by a */
    double p_adjusted;          /* for all rows of the table; NAN: not tested */
    bool changed;
};

struct diff {
    struct diff_side a;
    struct diff_side b;
    enum diff_amount amounts;
    struct compare_times times;           /* of everything, b by a */
    bool several;                         /* runs on both sides */
    struct diff_row *rows[REPORT_TABLES]; /* those that changed first, the largest change first */
    size_t count[REPORT_TABLES];
    size_t changed[REPORT_TABLES];
    size_t tested[REPORT_TABLES]; /* rows that are large enough */
    const char *notes[DIFF_NOTES_MOST];
    size_t note_count;
    struct arena arena;
};

/*
 * Compares. The reports must outlive the diff. 0; -EDOM where the two sides do not rank by the
 * same thing, or have no samples; -ENOMEM.
 */
int diff_new(struct diff **diff, const struct diff_side *a, const struct diff_side *b,
             struct error *error);
void diff_free(struct diff *diff);

/* What a row's change means, in words; "" where nothing changed. */
const char *diff_reading(const struct diff_row *row);

/* The tables; `all`: rows that did not change too. 0, or a negative errno. */
int diff_print(FILE *out, const struct diff *diff, const struct view_options *options, bool all);
int json_diff_print(FILE *out, const struct diff *diff, bool all);

/* ---- between the files of diff ---- */

/* Rows of all runs under what they have in common. 0 or -ENOMEM. */
int diff_match(struct diff *diff);

/* Amounts of both sides, and notes on what the user has to know of them. As diff_new(). */
int diff_totals(struct diff *diff, struct error *error);

/* The runs of a, then those of b. */
const struct report *diff_run(const struct diff *diff, size_t run);

/* Of everything attributed in a run; NAN: not known. */
double diff_amount(const struct diff *diff, const struct report *run);

/* Whether amounts are nanoseconds, not events. */
bool diff_in_time(const struct diff *diff);

#endif
