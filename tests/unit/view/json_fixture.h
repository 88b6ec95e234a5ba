/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A snapshot printed as JSON and read back. */
#ifndef MISSTOP_UNIT_VIEW_JSON_FIXTURE_H
#define MISSTOP_UNIT_VIEW_JSON_FIXTURE_H

#include <jansson.h>

#include "snapshot.h"

/* Releases the snapshot. Fails unless the JSON is one object on one line. */
json_t *json_fixture(const struct snapshot *snapshot);

/* Returns member "a.b.c" of an object; NULL: no such member. */
json_t *json_fixture_at(json_t *from, const char *path);

/* The same; fails if it is not a number. */
double json_fixture_number(json_t *from, const char *path);

#endif
