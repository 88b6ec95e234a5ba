/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of struct snapshot (snapshot.h, where its rules stand): cache sets. */
#ifndef MISSTOP_SNAPSHOT_SETS_H
#define MISSTOP_SNAPSHOT_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sets_verdict { SETS_TOO_FEW, SETS_UNIFORM, SETS_CONCENTRATED };

/* An object's part in one set. */
struct snapshot_set_part {
    uint32_t set;
    uint32_t object; /* index into objects, UINT32_MAX: not listed there */
    double samples; /* of mean weight */
};

struct snapshot_sets {
    const char *level; /* "L1d" */
    const char *index; /* "virtual", "physical" */
    const char *note;  /* NULL, or why the index is what it is / may be wrong */
    uint32_t sets;
    uint32_t ways;
    uint32_t line;
    double *counts;    /* [sets] under the basis */
    uint32_t *lines;   /* [sets] distinct lines that missed, in the window; NULL: not known */
    double chi2;       /* NAN: too few */
    double p_value;    /* of a uniform distribution */
    uint32_t hot_sets; /* sets above their expected 99.9 % bound */
    enum sets_verdict verdict;
    bool conflict; /* concentrated, and on more lines than the hot sets have ways */
    const char *reading;             /* one sentence: capacity or conflict, and why */
    struct snapshot_set_part *parts; /* by set, most samples first; from the window */
    size_t part_count;
};

/* As in JSON. */
const char *sets_verdict_name(enum sets_verdict verdict);

#endif
