/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between json_report.c, the file and its head, and json_report_rows.c, its tables. */
#ifndef MISSTOP_VIEW_JSON_REPORT_PART_H
#define MISSTOP_VIEW_JSON_REPORT_PART_H

#include "view/report.h"

#include <jansson.h>

enum { REPORT_ROWS_MOST = 1 << 17 };

/* "a.b": NULL where it is not there. */
json_t *report_member(const json_t *from, const char *path);

/* NAN: not there, no number, or not below infinity and from 0 on. */
double report_number(const json_t *from, const char *path);

/* Printable, in the report's arena; "" where it is not there. */
const char *report_text(struct report *report, const json_t *from, const char *path);

/* The tables, into rows that have room for them or for REPORT_ROWS_MOST. */
void report_take_objects(struct report *report, const json_t *objects);
void report_take_functions(struct report *report, const json_t *functions);

#endif
