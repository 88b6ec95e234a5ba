/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Values and parts of the JSON report, put together by json.c; only its files see jansson.
 * Each part is a new reference; out of memory makes it NULL, and the report fails as a whole.
 */
#ifndef MISSTOP_VIEW_EXPORT_JSON_H
#define MISSTOP_VIEW_EXPORT_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "snapshot.h"
#include "view/widget/columns.h"

/* ---- values; unknown is null ---- */

json_t *json_share(double value);
json_t *json_count(double value); /* whole numbers unless they decay */
json_t *json_whole(uint64_t value);
json_t *json_known(uint64_t value); /* 0: unknown */
json_t *json_address(uint64_t value);
json_t *json_text(const char *value);
json_t *json_text_or_null(const char *value); /* "": unknown */

/* Takes the value over. */
void json_set(json_t *object, const char *key, json_t *value);

/* A row's members, as its table has them; null: no row. Rows as an array. */
json_t *json_row(const struct columns *columns, const struct snapshot *snapshot, const void *row);
json_t *json_rows(const struct columns *columns, const struct snapshot *snapshot, const void *rows,
                  size_t count);
/* The same into an object that has members already. */
void json_set_row(json_t *out, const struct columns *columns, const struct snapshot *snapshot,
                  const void *row);

/* All of it: what json_print() prints. NULL: out of memory. */
json_t *json_snapshot(const struct snapshot *snapshot);

/* One object on one line, flushed; it is freed. 0 or a negative errno. */
int json_line(FILE *out, json_t *root);

/* Members of the snapshot that other files put together; the matrix under the names that the user
 * gave. */
json_t *json_matrix(const struct snapshot *snapshot, const void *row);
json_t *json_reuse(const struct snapshot *snapshot, const void *reuse);
json_t *json_waits(const struct snapshot *snapshot, const void *wait);

extern const struct columns simulation_members;
extern const struct columns all_causes_members;
extern const struct columns sets_members;
extern const struct columns search_members;
extern const struct columns window_members;
extern const struct columns threads_members;
extern const struct columns heap_summary_members;
extern const struct columns sharing_members;
extern const struct columns watch_members;
extern const struct columns whatif_members; /* the best answer, and all of them, best first */

#endif
