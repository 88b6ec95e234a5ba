/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What Buck and Hollingsworth published (SC 2000, Tables 1 and 2): percent of all misses of each
 * object as it was, by sampling 1 in 50,000, by ten-way and by two-way search. NAN: not listed.
 */
#ifndef MISSTOP_TESTS_SC2000_PUBLISHED_H
#define MISSTOP_TESTS_SC2000_PUBLISHED_H

struct published {
    const char *program;
    const char *object; /* ours; where the paper's has another name the program says so */
    double actual, sample, search10, search2;
};

/* The row of an object; all NAN where the paper has none. */
struct published published_of(const char *program, const char *object);

#endif
