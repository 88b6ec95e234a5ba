/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The end of a file of reports, one JSON object a line: hours of them may stand before the one
 * that counts, so the file is read from its end. For json_report.c.
 */
#ifndef MISSTOP_VIEW_REPORT_FILE_H
#define MISSTOP_VIEW_REPORT_FILE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum { REPORT_BYTES_MOST = 64 << 20 };

struct report_file {
    char *text; /* the last REPORT_BYTES_MOST of the file at the most */
    size_t size;
    const char *last; /* the last line that is not blank, in `text` */
    size_t last_size;
};

/* 0; -EBADMSG where the file is empty, -EFBIG where its last line is too long, or what reading
 * gave. */
int report_file_read(struct report_file *file, const char *path, struct error *error);
void report_file_free(struct report_file *file);

/* Whether a file begins as JSON does; false also where it cannot be read. */
bool report_file_is_json(const char *path);

#endif
