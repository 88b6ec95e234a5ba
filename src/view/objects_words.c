/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/objects_words.h"

#include <stdio.h>

void objects_left_out(const struct snapshot *snapshot, char *out, size_t size)
{
    size_t count = snapshot->objects_left_out;
    double together = snapshot->objects_left_share * 100;
    *out = '\0';
    if (!count)
        return;
    int used = snprintf(out, size, "%zu more object%s less than %g%%%s", count,
                        count == 1 ? " has" : "s have", snapshot->objects_least * 100,
                        count == 1 ? "" : " each");
    if (count < 2 || used < 0 || (size_t)used >= size)
        return;
    if (together < 0.05)
        snprintf(out + used, size - (size_t)used, ", less than 0.1%% together");
    else
        snprintf(out + used, size - (size_t)used, ", %.1f%% together", together);
}

bool object_is_spread(const struct snapshot_object *object)
{
    static const double leads_from = 0.05;
    static const double samples_at_least =
        4; /* one sample of ten is a twentieth, and leads nothing */
    const struct snapshot_field *first = object->fields;
    return object->field_count > 1 && first->member == TYPE_NO_MEMBER &&
           (first->share < leads_from || first->samples < samples_at_least);
}
