/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Miss-ratio curves; declared in json_part.h. */
#include "view/json_part.h"

static json_t *curve(const struct snapshot_reuse *reuse, const struct snapshot_reuse_row *from)
{
    json_t *out = json_object();
    json_t *miss = json_array();
    json_t *low = json_array();
    json_t *high = json_array();
    json_t *at = json_object();
    json_t *at_between = json_object();
    json_set(out, "name", json_text(from->name));
    if (from->function)
        json_set(out, "function", json_text(from->function));
    json_set(out, "uses", json_count(from->uses));
    json_set(out, "share", json_share(from->share));
    json_set(out, "first", json_share(from->first));
    for (unsigned i = 0; i < REUSE_POINTS; i++) {
        json_array_append_new(miss, json_share(from->miss[i].value));
        json_array_append_new(low, json_share(from->miss[i].low));
        json_array_append_new(high, json_share(from->miss[i].high));
    }
    for (size_t i = 0; i < reuse->mark_count; i++) {
        json_t *between = json_array();
        json_array_append_new(between, json_share(from->at[i].low));
        json_array_append_new(between, json_share(from->at[i].high));
        json_set(at, reuse->marks[i].name, json_share(from->at[i].value));
        json_set(at_between, reuse->marks[i].name, between);
    }
    json_set(out, "miss_ratio", miss);
    json_set(out, "miss_ratio_low", low);
    json_set(out, "miss_ratio_high", high);
    json_set(out, "miss_ratio_at", at);
    json_set(out, "miss_ratio_at_between", at_between);
    return out;
}

static json_t *curves(const struct snapshot_reuse *reuse, const struct snapshot_reuse_row *rows,
                      size_t count)
{
    json_t *out = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(out, curve(reuse, &rows[i]));
    return out;
}

json_t *json_reuse(const struct snapshot_reuse *reuse)
{
    json_t *out = json_object();
    json_t *sizes = json_array();
    json_t *caches = json_object();
    for (unsigned i = 0; i < REUSE_POINTS; i++)
        json_array_append_new(sizes, json_count(snapshot_reuse_size(i)));
    for (size_t i = 0; i < reuse->mark_count; i++)
        json_set(caches, reuse->marks[i].name, json_whole(reuse->marks[i].size_bytes));
    json_set(out, "sizes", sizes);
    json_set(out, "caches", caches);
    json_set(out, "all", curve(reuse, &reuse->all));
    json_set(out, "objects", curves(reuse, reuse->objects, reuse->object_count));
    json_set(out, "code", curves(reuse, reuse->lines, reuse->line_count));
    return out;
}
