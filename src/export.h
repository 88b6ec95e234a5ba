/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the files of --pprof and --html at the end of the run. */
#ifndef MISSTOP_EXPORT_H
#define MISSTOP_EXPORT_H

#include <stddef.h>

#include "engine/engine.h"
#include "options.h"
#include "view/view.h"

/* Checks before the run that the files can be created. Returns 0 or a negative errno. */
int export_check(const struct options *options, struct error *error);

/* Writes all requested files; pid 0: a recording. Returns 0, or the first negative errno. */
int export_write(const struct options *options, struct engine *engine, pid_t pid,
                 struct error *error);

/* Writes NAME.txt and NAME.json; reports the result in `message`. Overwrites nothing. */
void snapshot_file_write(const struct snapshot *snapshot, const struct view_options *options,
                         const char *name, char *message, size_t size);

#endif
