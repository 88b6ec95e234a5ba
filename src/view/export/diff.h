/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two sides of runs compared: which objects, fields and functions have more or less of the
 * misses. diff.c makes the rows, diff.c says which of them changed, diff.c
 * and json_report.c print. For src/diff.c.
 */
#ifndef MISSTOP_VIEW_EXPORT_DIFF_H
#define MISSTOP_VIEW_EXPORT_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/array.h"
#include "base/error.h"
#include "profile/tables/statistics.h"
#include "snapshot.h"
#include "view/view.h"

/*
 * One run in comparable form: from a saved JSON report or from a snapshot. Reports are files of
 * unknown origin: a member that is missing, of another type or out of range is not known, counts
 * and lengths are bounded, text is sanitised. For diff only.
 */
enum report_table { REPORT_OBJECTS, REPORT_FIELDS, REPORT_FUNCTIONS, REPORT_TABLES };

/* A row of a table and its key in other runs: addresses in names are left out of the key.
 * Strings are never NULL. */
struct report_row {
    const char *name;
    const char *kind;    /* "" for functions */
    const char *module;  /* "" if not known */
    bool own;            /* the module is the program itself, which may have another name */
    const char *object;  /* of a field: the object; of a function: the one it misses on most */
    double share;        /* of all attributed weight */
    double least;        /* of an object: fields with less may not be listed, as such a share */
    const double *parts; /* of an object: its share in the parts of the run; [part_count] */
};

struct report {
    const char *path;
    const char *comm;
    const char *event;  /* that ranks; "" if not known */
    const char *weighs; /* the base of shares; "" */
    const char *basis;  /* "run" or "decayed" */
    bool simulated;
    double period;       /* events per sample; NAN */
    double half_life_s;  /* 0: nothing decays */
    double elapsed_s;    /* NAN: not known, like the next five */
    double covered_s;    /* seconds that the counts cover; under decay, their effective seconds */
    double weight;       /* events of all attributed samples; under the basis */
    double instructions; /* if they were sampled; of covered_s */
    double samples;      /* attributed, not decayed */
    double effective;    /* samples of equal weight that would be as sure */
    double least;        /* objects with a smaller share may not be listed; 0: all are */
    double least_code;
    double waiting; /* share of the samples that came before debugging information; 0 */
    size_t part_count;
    struct report_row *rows[REPORT_TABLES];
    size_t count[REPORT_TABLES];
    struct arena arena; /* holds all of it */
};

/* The last object of a file of JSON reports. 0; -EBADMSG, -EFBIG, or what reading gave. */
int report_read(struct report **report, const char *path, struct error *error);

/* The same from a snapshot. 0 or -ENOMEM. */
int report_of_snapshot(struct report **report, const struct snapshot *snapshot, const char *path,
                       struct error *error);

void report_free(struct report *report);

enum { DIFF_RUNS_MOST = 32, DIFF_NOTES_MOST = 16 };

/* The unit of amounts, the same on both sides. */
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
    char amounts[36]; /* "791ms > 875ms"; "-": there is none */
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

/* The meaning of a row's change, in words; "": nothing changed. */
const char *diff_reading(const struct diff_row *row);

/* The tables; `all`: rows that did not change too. 0, or a negative errno. */
int diff_print(FILE *out, const struct diff *diff, const struct view_options *options, bool all);
int json_diff_print(FILE *out, const struct diff *diff, bool all);

/* ---- between the files of diff ---- */

/* Columns and members of a row of each table. */
extern const struct columns *const diff_columns[REPORT_TABLES];

/* Whether amounts are nanoseconds, not events. */
bool diff_in_time(const struct diff *diff);

/* Whether a file begins as JSON does; false also where it cannot be read. */
bool report_file_is_json(const char *path);

#endif
