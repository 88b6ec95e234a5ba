/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit/view/json_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"
#include "unit/view/snapshot_fixture.h"
#include "view/view.h"

json_t *json_fixture(const struct snapshot *snapshot)
{
    char *text = fixture_printed(json_print, snapshot);
    size_t size = strlen(text);
    assert_ptr_equal(strchr(text, '\n'), text + size - 1);
    json_t *root = json_loads(text, 0, NULL);
    assert_non_null(root);
    /* Rewrites the report with each member once, and with another writer's format of numbers and
     * strings. */
    char *again = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(15));
    text[size - 1] = '\0';
    assert_string_equal(text, again);
    free(again);
    free(text);
    return root;
}

json_t *json_fixture_at(json_t *from, const char *path)
{
    char copy[128];
    char *rest = copy;
    snprintf(copy, sizeof copy, "%s", path);
    for (char *name; from && (name = strsep(&rest, "."));)
        from = json_object_get(from, name);
    return from;
}

double json_fixture_number(json_t *from, const char *path)
{
    json_t *value = json_fixture_at(from, path);
    if (!json_is_number(value))
        fail_msg("JSON member %s is not a number", path);
    return json_number_value(value);
}
