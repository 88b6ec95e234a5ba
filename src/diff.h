/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `misstop diff A B`: recordings are replayed to their end, saved reports read, and the two
 * sides compared (src/view/export/diff.h). Used by main only.
 */
#ifndef MISSTOP_DIFF_H
#define MISSTOP_DIFF_H

#include "base/error.h"
#include "view/view.h"

#include <stdbool.h>
#include <sys/types.h>

struct diff_options {
    char *sides[2]; /* files of A and of B, with commas between; changed as they are parted */
    pid_t pids[2];  /* process of the recordings on that side; 0: the one with most samples */
    const char *symfs;
    bool all; /* rows that did not change too */
    bool json;
    bool batch; /* there is no other way to look at it */
    bool help;
    struct view_options view;
};

/* Words after `diff`, up to NULL; options before it are in *options. 0; or -EINVAL with the cause
 * and a remedy. */
int diff_options_parse(struct diff_options *options, char **words, struct error *error);

void diff_help(FILE *out);

/* 0, whether there are differences or not; or a negative errno with the cause. */
int diff_run_command(const struct diff_options *options, struct error *error);

#endif
