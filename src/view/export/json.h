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

/* ---- values; unknown is null ---- */

json_t *json_share(double value);
json_t *json_count(double value); /* whole numbers unless they decay */
json_t *json_whole(uint64_t value);
json_t *json_known(uint64_t value); /* 0: unknown */
json_t *json_address(uint64_t value);
json_t *json_text(const char *value);
json_t *json_text_or_null(const char *value); /* "": unknown */

/* The name, as in `objects`; null: not listed there. */
json_t *json_object_name(const struct snapshot *snapshot, uint32_t index);

/* Takes the value over. */
void json_set(json_t *object, const char *key, json_t *value);

/* All of it: what json_print() prints. NULL: out of memory. */
json_t *json_snapshot(const struct snapshot *snapshot);

/* One object on one line, flushed; it is freed. 0 or a negative errno. */
int json_line(FILE *out, json_t *root);

/* What of the run it is of; null: all of it. */
json_t *json_objects(const struct snapshot *snapshot);
/* Members `levels` and `latency` of whatever has levels. */
void json_set_levels(json_t *out, const struct snapshot *snapshot,
                     const struct snapshot_levels *levels);
/* Members `accesses`, `miss_rate` and `rates`; NULL: not known. */
void json_set_rates(json_t *out, const struct snapshot_rates *rates);
/* Members `spatial_use`, `temporal_use` and `use`, where anything is told of use; NULL: not of it.
 */
void json_set_use(json_t *out, const struct snapshot *snapshot, const struct snapshot_use *use);
json_t *json_functions(const struct snapshot *snapshot, const struct snapshot_code *from,
                       size_t count);
/* Null where nothing is simulated. */
json_t *json_simulation(const struct snapshot_simulation *from);
json_t *json_sets(const struct snapshot *snapshot);
json_t *json_search(const struct snapshot_search *from);
json_t *json_window(const struct snapshot *snapshot);
json_t *json_threads(const struct snapshot_threads *threads);
json_t *json_heap(const struct snapshot *snapshot);
/* Functions x objects, under the names that the user gave. */
json_t *json_matrix(const struct snapshot *snapshot);
/* Of an object or function by its id; null: nothing was told. */
json_t *json_causes(const struct snapshot_causes *causes, enum causes_of kind, uint32_t id);
/* Of everything, by thread, and who evicts whom. Figures alone are those of a field or a cell. */
json_t *json_all_causes(const struct snapshot_causes *causes);
json_t *json_cause_figures(const struct snapshot_causes_figures *from);
/* Only where it is told. */
json_t *json_reuse(const struct snapshot_reuse *reuse);
/* Only with --watch. */
json_t *json_watchpoints(const struct snapshot_watch *watch);
/* Only where something was asked. */
/* what_if: the best answer; what_ifs: all, best first. Nothing where nothing is asked. */
void json_set_whatif(json_t *out, const struct snapshot_whatifs *asked);
json_t *json_sharing(const struct snapshot_sharing *sharing);

#endif
