/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of --pprof and --html, written when the run has ended. */
#ifndef MISSTOP_EXPORT_H
#define MISSTOP_EXPORT_H

#include <stddef.h>

#include "engine/engine.h"
#include "options.h"
#include "view/view.h"

/* Whether the files can be made, checked before the run. 0 or a negative errno. */
int export_check(const struct options *options, struct error *error);

/* pid: of the process watched; 0: a recording. All files that were asked for are tried; 0 or the
 * first negative errno. */
int export_write(const struct options *options, struct engine *engine, pid_t pid,
                 struct error *error);

/* A snapshot written to files in the working directory, as text and as JSON. */
/* NAME.txt and NAME.json; the result is reported in `message`. Overwrites nothing. */
void snapshot_file_write(const struct snapshot *snapshot, const struct view_options *options,
                         const char *name, char *message, size_t size);

#endif
