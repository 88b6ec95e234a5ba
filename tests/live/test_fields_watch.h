/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a program with a planted hot field and misstop on it, and compares misstop's report with the
 * program's output. For tests/live/test_fields. */
#ifndef MISSTOP_TESTS_LIVE_TEST_FIELDS_WATCH_H
#define MISSTOP_TESTS_LIVE_TEST_FIELDS_WATCH_H

#include <stdbool.h>

enum verdict {
    VERDICT_NOT_RUN,
    VERDICT_RIGHT,
    VERDICT_UNKNOWN, /* no type or no address was found; `text` gives the reason */
    VERDICT_WRONG,   /* another field; `text` names both */
    VERDICT_BROKEN   /* the program or misstop failed */
};

struct judged {
    enum verdict verdict;
    double share; /* of all samples, on the hottest field of the hottest object */
    char text[320];
};

/* Attaches to the program, or launches it. */
struct judged watch_case(const char *program, const char *name, bool launch);

#endif
