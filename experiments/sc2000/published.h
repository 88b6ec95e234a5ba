/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Results published by Buck and Hollingsworth (SC 2000, Tables 1 and 2): percent of all misses of
 * each object, actual and as found by sampling 1 in 50,000, by ten-way and by two-way search. NAN:
 * not listed.
 */
#ifndef MISSTOP_TESTS_SC2000_PUBLISHED_H
#define MISSTOP_TESTS_SC2000_PUBLISHED_H

struct published {
    const char *program;
    const char *object; /* name used here; the program mentions a different name in the paper */
    double actual, sample, search10, search2;
};

/* Returns the row of an object; all NAN if the paper has none. */
struct published published_of(const char *program, const char *object);

#endif
