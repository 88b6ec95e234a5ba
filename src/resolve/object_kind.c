/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Apart from the names of objects, for the tables want it without all that makes those. */
#include "place.h"

const char *object_kind_name(enum object_kind kind)
{
    static const char *const kinds[OBJECT_KIND_COUNT] = {
        "unknown", "global", "heap", "stack", "tls", "map", "anon", "code", "jit"};
    return kind < OBJECT_KIND_COUNT ? kinds[kind] : "unknown";
}
