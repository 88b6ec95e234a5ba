/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares two sides of runs: which objects, fields and functions have more or fewer misses. diff.c
 * matches the rows, tests which of them changed, and prints; json_report.c reads reports and prints
 * JSON. For src/diff.c.
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
 * One run in comparable form, from a saved JSON report or from a snapshot. Reports are files of
 * unknown origin: a member that is missing, has another type or is out of range is treated as not
 * known; counts and lengths are bounded; text is sanitised. For diff only.
 */
enum report_table { REPORT_OBJECTS, REPORT_FIELDS, REPORT_FUNCTIONS, REPORT_TABLES };

/* Addresses in names are not part of the key. Strings are never NULL. */
struct report_row {
    const char *name;
    const char *kind;        /* "" for functions */
    const char *module;      /* "" if not known */
    bool own;                /* the module is the program itself, with any name */
    const char *object;      /* object of a field; of a function, the one with most of its misses */
    double share;            /* fraction of all attributed weight */
    double min_listed_share; /* for an object: fields with a smaller share may be missing */
    const double *parts;     /* for an object: its share in each part of the run; [part_count] */
};

struct report {
    const char *path;
    const char *comm;
    const char *event;       /* ranking event; "" if not known */
    const char *weight_unit; /* unit of shares; "" */
    const char *basis;       /* "run" or "decayed" */
    bool simulated;
    double period;       /* events per sample; NAN */
    double half_life_s;  /* 0: no decay */
    double elapsed_s;    /* NAN: not known, as for the next five */
    double covered_s;    /* seconds that the counts cover; with decay, effective seconds */
    double weight;       /* events of all attributed samples, under the basis */
    double instructions; /* instructions during covered_s, if sampled */
    double samples;      /* attributed, without decay */
    /* number of samples of equal weight with the same statistical error */
    double effective_samples;
    double min_object_share; /* objects with a smaller share may be missing; 0: all are listed */
    double min_code;
    double loading_share; /* share of the samples before debug information was loaded; 0 */
    size_t part_count;
    struct report_row *rows[REPORT_TABLES];
    size_t count[REPORT_TABLES];
    struct arena arena; /* holds all data */
};

/* Reads the last report of a file. Returns 0, -EBADMSG, -EFBIG, or an error of reading. */
int report_read(struct report **report, const char *path, struct error *error);

/* Makes a report from a snapshot. Returns 0 or -ENOMEM. */
int report_of_snapshot(struct report **report, const struct snapshot *snapshot, const char *path,
                       struct error *error);

void report_free(struct report *report);

enum { DIFF_RUNS_MAX = 32, DIFF_NOTES_MAX = 16 };

/* Unit of amounts, the same on both sides. */
enum diff_amount {
    DIFF_AMOUNT_UNKNOWN,
    DIFF_AMOUNT_PER_SECOND,
    DIFF_AMOUNT_PER_1000_INSTRUCTIONS,
    DIFF_AMOUNT_OF_RUN /* a simulation counts every access, and its clock is not comparable */
};

struct diff_side {
    struct report *const *runs;
    size_t run_count;
    double effective_samples; /* samples of all runs */
    double amount;            /* amount of all attributed samples, mean of the runs; NAN */
    double weight;            /* events of a whole run, mean of the runs; NAN */
};

struct diff_row {
    const struct report_row *row;
    /* Object of a field; of a function, the one with most of its misses; NULL: none. Valid until
     * the rows are sorted. */
    const struct diff_row *object;
    double *shares;            /* [runs of a, then of b]; NAN: not listed there */
    double *min_listed_shares; /* for an object, as in struct report_row; NAN: not listed */
    const double *parts[2];    /* known if each side has one run */
    double a;                  /* means of the shares; NAN: listed in none of the runs */
    double b;
    double amount_a;
    double amount_b;
    double design_effect; /* compare_design() of the row, or of its object */
    struct comparison share;
    struct compare_times times; /* ratio of the amounts, b / a */
    double p_adjusted;          /* adjusted for all rows of the table; NAN: not tested */
    bool changed;
    char amounts[36]; /* "791ms > 875ms"; "-": there is none */
};

struct diff {
    struct diff_side a;
    struct diff_side b;
    enum diff_amount amounts;
    struct compare_times times;           /* ratio of the totals, b / a */
    bool several;                         /* each side has several runs */
    struct diff_row *rows[REPORT_TABLES]; /* changed rows first, largest change first */
    size_t count[REPORT_TABLES];
    size_t changed[REPORT_TABLES];
    size_t tested[REPORT_TABLES]; /* rows large enough to be tested */
    const char *notes[DIFF_NOTES_MAX];
    size_t note_count;
    struct arena arena;
};

/* Compares two sides. The reports must outlive the diff. Returns 0; -EDOM if the sides rank by
 * different events, or have no samples; -ENOMEM. */
int diff_new(struct diff **diff, const struct diff_side *a, const struct diff_side *b,
             struct error *error);
void diff_free(struct diff *diff);

/* Describes the meaning of a row's change; "" if nothing changed. */
const char *diff_reading(const struct diff_row *row);

/* Prints the tables; `all`: including rows that did not change. Returns 0 or a negative errno. */
int diff_print(FILE *out, const struct diff *diff, const struct view_options *options, bool all);
int json_diff_print(FILE *out, const struct diff *diff, bool all);

/* ---- shared by the files of diff ---- */

/* Columns and members of a row of each table. */
extern const struct columns *const diff_columns[REPORT_TABLES];

/* Returns true if amounts are nanoseconds instead of events. */
bool diff_in_time(const struct diff *diff);

/* Returns true if a file begins like JSON; false if not, or if it cannot be read. */
bool report_file_is_json(const char *path);

#endif
