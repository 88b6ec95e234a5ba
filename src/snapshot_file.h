/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A snapshot written to files in the working directory, as text and as JSON. For loop.c. */
#ifndef MISSTOP_SNAPSHOT_FILE_H
#define MISSTOP_SNAPSHOT_FILE_H

#include "view/view.h"

#include <stddef.h>

/* misstop-PID-TIME.txt and .json; what became of it is told in `message`. Overwrites nothing. */
void snapshot_file_write(const struct snapshot *snapshot, const struct view_options *options,
                         char *message, size_t size);

#endif
