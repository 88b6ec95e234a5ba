/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Values and parts of the JSON report, put together by json.c; only its files see jansson.
 * Each part is a new reference; out of memory makes it NULL, and the report fails as a whole.
 */
#ifndef MISSTOP_VIEW_JSON_PART_H
#define MISSTOP_VIEW_JSON_PART_H

#include "snapshot.h"

#include <jansson.h>
#include <stdio.h>

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

/* ---- parts ---- */

json_t *json_target(const struct snapshot_target *target);
json_t *json_source(const struct snapshot_source *source);
/* What of the run it is of; null: all of it. */
json_t *json_stretch(const struct snapshot_stretch *stretch);
json_t *json_samples(const struct snapshot *snapshot);
json_t *json_binaries(const struct snapshot_binaries *binaries);
json_t *json_refused(const struct snapshot_refused *refused);
json_t *json_types(const struct snapshot_totals *totals);
json_t *json_reading(const struct reading_state *reading);
json_t *json_objects(const struct snapshot *snapshot);
json_t *json_layout(const struct snapshot *snapshot, const struct snapshot_layout *layout);
/* Where accesses found their data; null where levels are NULL. */
json_t *json_levels(const struct snapshot *snapshot, const struct snapshot_levels *levels);
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
/* Only where there is one. */
json_t *json_recording(const struct snapshot_recording *from);
/* Null where nothing is simulated. */
json_t *json_simulation(const struct snapshot_simulation *from);
json_t *json_sets(const struct snapshot *snapshot);
json_t *json_search(const struct snapshot_search *from);
json_t *json_window(const struct snapshot *snapshot);
json_t *json_threads(const struct snapshot_threads *threads);
json_t *json_heap(const struct snapshot *snapshot);
json_t *json_phases(const struct snapshot *snapshot);
/* Functions x objects, under the names that the user gave. */
json_t *json_matrix(const struct snapshot *snapshot);
json_t *json_findings(const struct snapshot_findings *findings);
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

/* What is known of the blocks themselves; null for what is no heap bin. */
void json_set_heap(json_t *out, const struct heap_bin *heap);

#endif
