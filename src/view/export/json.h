/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values and parts of the JSON report, combined by json.c; only its files include jansson. Each
 * function returns a new reference, or NULL if out of memory; the report then fails as a whole. */
#ifndef MISSTOP_VIEW_EXPORT_JSON_H
#define MISSTOP_VIEW_EXPORT_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "snapshot.h"
#include "view/widget/columns.h"

/* ---- values; null if not known ---- */

json_t *json_share(double value);
json_t *json_count(double value); /* an integer unless decayed */
json_t *json_whole(uint64_t value);
json_t *json_known(uint64_t value); /* 0: unknown */
json_t *json_address(uint64_t value);
json_t *json_text(const char *value);
json_t *json_text_or_null(const char *value); /* "": unknown */

/* Takes over the reference to `value`. */
void json_set(json_t *object, const char *key, json_t *value);

/* Return the members of a row as its table defines them, null for no row; and rows as an array. */
json_t *json_row(const struct columns *columns, const struct snapshot *snapshot, const void *row);
json_t *json_rows(const struct columns *columns, const struct snapshot *snapshot, const void *rows,
                  size_t count);
/* Adds the members of a row to an existing object. */
void json_set_row(json_t *out, const struct columns *columns, const struct snapshot *snapshot,
                  const void *row);

/* Returns what json_print() prints; NULL if out of memory. */
json_t *json_snapshot(const struct snapshot *snapshot);

/* Flushes, and releases the object. Returns 0 or a negative errno. */
int json_line(FILE *out, json_t *root);

/* Members of the snapshot that other files create; the matrix uses the user's names. */
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
extern const struct columns whatif_members; /* the best answer, and all answers, best first */

#endif
