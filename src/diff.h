/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `misstop diff A B`: replays recordings to their end, reads saved reports, and compares the two
 * sides (src/view/export/diff.h). Used by main only. */
#ifndef MISSTOP_DIFF_H
#define MISSTOP_DIFF_H

#include "base/error.h"
#include "view/view.h"

#include <stdbool.h>
#include <sys/types.h>

struct diff_options {
    char *sides[2]; /* files of A and of B, comma-separated; modified while parsing */
    pid_t pids[2];  /* process of the recordings on that side; 0: the one with most samples */
    const char *symfs;
    bool all; /* include unchanged rows */
    bool json;
    bool batch; /* accepted without effect: diff is always a batch */
    bool help;
    struct view_options view;
};

/* *options has the options before `diff`. Returns 0, or -EINVAL with the cause and a remedy. */
int diff_options_parse(struct diff_options *options, char **words, struct error *error);

void diff_help(FILE *out);

/* Returns 0 whether or not there are differences, or a negative errno with the cause. */
int diff_run_command(const struct diff_options *options, struct error *error);

#endif
