/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The run as a whole in the files of --pprof and --html, written when it has ended. For main.c. */
#ifndef MISSTOP_EXPORT_H
#define MISSTOP_EXPORT_H

#include "options.h"
#include "pipeline.h"

/* Whether the files can be made, told before there is a run to lose. 0 or a negative errno. */
int export_check(const struct options *options, struct error *error);

/* pid: of the process watched; 0: a recording. All files that were asked for are tried; 0 or the
 * first negative errno. */
int export_write(const struct options *options, struct pipeline *pipeline, pid_t pid,
                 struct error *error);

#endif
