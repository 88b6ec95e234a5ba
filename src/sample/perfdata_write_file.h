/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The files of a recording as files: created, moved, written to at an offset; and what to say
 * where that fails. For perfdata_write*.c.
 */
#ifndef MISSTOP_SAMPLE_PERFDATA_WRITE_FILE_H
#define MISSTOP_SAMPLE_PERFDATA_WRITE_FILE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* All of the bytes at the offset, or a negative errno; then any of them may be there. */
int perfdata_file_put(int fd, uint64_t offset, const void *bytes, size_t size);

/* Why `path` cannot be written, and what helps. Returns `code`. */
int perfdata_file_explain(const char *path, int code, struct error *error);

#endif
