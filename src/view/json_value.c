/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/json_part.h"

#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

json_t *json_share(double value)
{
    return isfinite(value) ? json_real(round(value * 1e6) / 1e6) : json_null();
}

/* Samples are whole numbers unless they decay. */
json_t *json_count(double value)
{
    if (!isfinite(value))
        return json_null();
    if (value == floor(value) && fabs(value) < 1e15)
        return json_integer((json_int_t)value);
    return json_real(round(value * 100) / 100);
}

json_t *json_whole(uint64_t value)
{
    return value <= INT64_MAX ? json_integer((json_int_t)value) : json_real((double)value);
}

json_t *json_known(uint64_t value)
{
    return value ? json_whole(value) : json_null();
}

json_t *json_address(uint64_t value)
{
    return json_sprintf("0x%" PRIx64, value);
}

json_t *json_text(const char *value)
{
    if (!value)
        return json_null();
    json_t *string = json_string(value);
    if (string)
        return string;
    /* Not UTF-8, which jansson refuses: better a '?' than no line at all. */
    size_t size = strlen(value) + 1;
    char *clean = malloc(size);
    if (!clean)
        return NULL;
    text_sanitise(clean, size, value, size - 1);
    string = json_string(clean);
    free(clean);
    return string;
}

json_t *json_text_or_null(const char *value)
{
    return json_text(value && *value ? value : NULL);
}

/* The name, as in `objects`; null: not listed there. */
json_t *json_object_name(const struct snapshot *snapshot, uint32_t index)
{
    return json_text(index < snapshot->object_count ? snapshot->objects[index].name : NULL);
}

void json_set(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}
