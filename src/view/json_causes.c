/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why lines were missed; declared in json_part.h. */
#include "view/causes_words.h"
#include "view/json_part.h"

static json_t *evictors_of(const struct snapshot_causes_object *object)
{
    json_t *out = json_array();
    for (size_t i = 0; i < object->evictor_count; i++) {
        const struct snapshot_evictor *from = &object->evictors[i];
        json_t *evictor = json_object();
        json_set(evictor, "function", json_text(from->function));
        json_set(evictor, "object", json_text(from->object));
        json_set(evictor, "share", json_share(from->share));
        json_array_append_new(out, evictor);
    }
    return out;
}

static json_t *object_of(const struct snapshot_causes_object *object)
{
    json_t *out = json_object();
    json_set(out, "samples", json_count(object->samples));
    json_set(out, "misses", json_count(object->misses));
    for (int i = CAUSE_UNKNOWN; i < CAUSE_COUNT; i++)
        json_set(out, causes_name((enum miss_cause)i), json_share(object->share[i]));
    json_set(out, "evicted", json_count(object->evicted));
    json_set(out, "by_itself", json_share(object->by_itself));
    json_set(out, "evictors_unlisted", json_share(object->unlisted));
    json_set(out, "evictors", evictors_of(object));
    return out;
}

json_t *json_causes(const struct snapshot_causes *causes, uint32_t object)
{
    for (size_t i = 0; i < causes->count; i++)
        if (causes->objects[i].id == object)
            return object_of(&causes->objects[i]);
    return json_null();
}
