/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Values and parts of the JSON report, put together by json.c: a tree of its own, because a hash of
 * the members of each object, as jansson has it, takes longer than all the rest of a short run.
 * Each part is a new one; out of memory makes it NULL, and the report fails as a whole.
 */
#ifndef MISSTOP_VIEW_EXPORT_JSON_H
#define MISSTOP_VIEW_EXPORT_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "snapshot.h"
#include "view/widget/columns.h"

/* ---- values; unknown is null ---- */

struct json;

struct json *json_unknown(void);
struct json *json_yes_no(bool yes);
struct json *json_exact(double value); /* all digits there are */
struct json *json_share(double value);
struct json *json_count(double value); /* whole numbers unless they decay */
struct json *json_whole(uint64_t value);
struct json *json_known(uint64_t value); /* 0: unknown */
struct json *json_address(uint64_t value);
struct json *json_text(const char *value);
struct json *json_text_or_null(const char *value); /* "": unknown */

struct json *json_new_object(void);
struct json *json_new_array(void);

/* Take the value over. A key stays where it is until the line is printed, and is there once. */
void json_set(struct json *object, const char *key, struct json *value);
void json_append(struct json *array, struct json *value);

void json_free(struct json *value);

/* A row's members, as its table has them; null: no row. Rows as an array. */
struct json *json_row(const struct columns *columns, const struct snapshot *snapshot,
                      const void *row);
struct json *json_rows(const struct columns *columns, const struct snapshot *snapshot,
                       const void *rows, size_t count);
/* The same into an object that has members already. */
void json_set_row(struct json *out, const struct columns *columns, const struct snapshot *snapshot,
                  const void *row);

/* The output of json_print(), read back. NULL: out of memory. */
json_t *json_snapshot(const struct snapshot *snapshot);

/* One object on one line, flushed; it is freed. 0 or a negative errno. */
int json_line(FILE *out, struct json *root);

/* Members of the snapshot that other files put together. Null where nothing is simulated; the
 * matrix under the names that the user gave. */
const void *json_simulated(const struct snapshot *snapshot, const void *simulation);
struct json *json_matrix(const struct snapshot *snapshot, const void *row);
struct json *json_reuse(const struct snapshot *snapshot, const void *reuse);
struct json *json_waits(const struct snapshot *snapshot, const void *wait);

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
