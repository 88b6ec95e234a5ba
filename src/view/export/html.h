/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A snapshot of the whole run as one page for a browser, with nothing outside the file: for those
 * who were not there. Well-formed XML too, so that other programs can read it. Every figure stands
 * as the tables of columns (columns.h) write it. For src/export.c.
 */
#ifndef MISSTOP_VIEW_EXPORT_HTML_H
#define MISSTOP_VIEW_EXPORT_HTML_H

#include <stdio.h>

#include "base/error.h"
#include "snapshot.h"
#include "view/view.h"

/* What a snapshot does not tell; text of any origin, "": not known. */
struct html_run {
    const char *command; /* that was started */
    const char *host;    /* of a live run */
    const char *date;    /* when the page is made */
    const char *version; /* "misstop 1.0" */
};

/* Whether the file can be made, told before there is a run to lose. 0 or a negative errno. */
int html_check(const char *path, struct error *error);

/* There as a whole or not at all, mode 0600. 0 or a negative errno. */
int html_write(const char *path, const struct snapshot *snapshot,
               const struct screen_sources *sources, const struct html_run *run,
               struct error *error);

/* The page alone. 0 or a negative errno. */
int html_print(FILE *out, const struct snapshot *snapshot, const struct screen_sources *sources,
               const struct html_run *run);

#endif
