/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A gzip file that is there as a whole or not at all. For pprof.c. */
#ifndef MISSTOP_VIEW_PPROF_FILE_H
#define MISSTOP_VIEW_PPROF_FILE_H

#include "base/error.h"

#include <stddef.h>

/* In a temporary file beside it, mode 0600, that takes the path's place once all is on disk. What
 * stood there before is left as it is on failure. 0 or a negative errno. */
int pprof_file_write(const char *path, const void *bytes, size_t size_bytes, struct error *error);

#endif
