/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a program with a planted hot field, misstop on it, and judges what misstop says by what
 * the program says. For tests/live/test_fields. */
#ifndef MISSTOP_TESTS_LIVE_TEST_FIELDS_WATCH_H
#define MISSTOP_TESTS_LIVE_TEST_FIELDS_WATCH_H

#include <stdbool.h>

enum verdict {
    VERDICT_NOT_RUN,
    VERDICT_RIGHT,
    VERDICT_UNKNOWN, /* no type was found, or no address; `text` says why */
    VERDICT_WRONG,   /* another field; `text` says which and which it is */
    VERDICT_BROKEN   /* program or misstop failed */
};

struct judged {
    enum verdict verdict;
    double share; /* of all samples, on the hottest object's hottest field */
    char text[320];
};

/* By attaching, or by launching it. */
struct judged watch_case(const char *program, const char *name, bool launch);

#endif
