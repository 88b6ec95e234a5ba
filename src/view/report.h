/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One run as it can be compared with another: what a saved JSON report tells, or a snapshot told
 * in the same words. Reports are files of unknown origin: what is missing, of another type or out
 * of range is not known, counts and lengths are bounded, text is sanitised. For diff only.
 */
#ifndef MISSTOP_VIEW_REPORT_H
#define MISSTOP_VIEW_REPORT_H

#include "base/array.h"
#include "base/error.h"
#include "snapshot.h"

#include <stdbool.h>

enum report_table { REPORT_OBJECTS, REPORT_FIELDS, REPORT_FUNCTIONS, REPORT_TABLES };

/* A row of a table, under what makes it the same thing in another run: addresses that stand in
 * names are left out. Strings are never NULL. */
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
    const char *event;   /* that ranks; "" if not known */
    const char *weighs;  /* what shares are of; "" */
    const char *basis;   /* "run" or "decayed" */
    bool simulated;
    double period;       /* events per sample; NAN */
    double half_life_s;  /* 0: nothing decays */
    double elapsed_s;    /* NAN: not known, like the next five */
    double covered_s;    /* seconds that the counts stand for; under decay, the seconds they have
                            not forgotten */
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

/* Out of a snapshot what its JSON would tell. 0 or -ENOMEM. */
int report_of_snapshot(struct report **report, const struct snapshot *snapshot, const char *path,
                       struct error *error);

void report_free(struct report *report);

#endif
