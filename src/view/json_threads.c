/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads one by one; declared in json_part.h. */
#include "view/json_part.h"

static json_t *thread(const struct snapshot_thread *from)
{
    json_t *out = json_object();
    json_set(out, "tid", json_whole(from->tid));
    json_set(out, "name", json_text(from->name));
    json_set(out, "samples", json_count(from->samples));
    json_set(out, "share", json_share(from->share.value));
    json_set(out, "object", json_text(from->object_name));
    json_set(out, "of_object", json_share(from->object_share));
    json_set(out, "function", json_text(from->function_name));
    json_set(out, "of_function", json_share(from->function_share));
    return out;
}

json_t *json_threads(const struct snapshot_threads *threads)
{
    json_t *out = json_object();
    json_t *list = json_array();
    for (size_t i = 0; i < threads->count; i++)
        json_array_append_new(list, thread(&threads->list[i]));
    json_set(out, "recent", json_whole(threads->recent));
    json_set(out, "list", list);
    json_set(out, "left_out", json_whole(threads->left_out));
    return out;
}
