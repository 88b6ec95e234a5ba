/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A snapshot as JSON says it, read back. */
#ifndef MISSTOP_UNIT_VIEW_JSON_FIXTURE_H
#define MISSTOP_UNIT_VIEW_JSON_FIXTURE_H

#include <jansson.h>

#include "snapshot.h"

/* Releases the snapshot. Fails where it is not one object on one line. */
json_t *json_fixture(const struct snapshot *snapshot);

/* "a.b.c" from an object; NULL: no such member. */
json_t *json_fixture_at(json_t *from, const char *path);

/* The same; fails where it is no number. */
double json_fixture_number(json_t *from, const char *path);

#endif
