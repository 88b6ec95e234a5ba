/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Use of lines; declared in json_part.h. */
#include "view/json_part.h"

void json_set_use(json_t *out, const struct snapshot *snapshot, const struct snapshot_use *use)
{
    static const char *const names[LINE_USES] = {"integer_loads", "float_loads", "integer_stores",
                                                 "float_stores"};
    if (!snapshot->uses.told)
        return;
    json_set(out, "spatial_use", json_share(snapshot_use_spatial(use)));
    json_set(out, "temporal_use", json_share(snapshot_use_temporal(use)));
    if (!use) {
        json_set(out, "use", json_null());
        return;
    }
    json_t *more = json_object();
    json_set(more, "level", json_whole(snapshot->uses.level + 1u));
    json_set(more, "lines", json_count(use->lines));
    json_set(more, "fetched_bytes", json_count(use->fetched_bytes));
    json_set(more, "used_bytes", json_count(use->used_bytes));
    json_set(more, "touched_bytes", json_count(use->touched_bytes));
    for (int i = 0; i < LINE_USES; i++)
        json_set(more, names[i], json_count(use->uses[i]));
    json_set(out, "use", more);
}
