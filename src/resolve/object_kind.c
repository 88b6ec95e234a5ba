/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declared in place.h; apart from the names themselves, which need a demangler. */
#include "place.h"

const char *object_kind_name(enum object_kind kind)
{
    static const char *const kinds[OBJECT_KIND_COUNT] = {
        "unknown", "global", "heap", "stack", "tls", "map", "anon", "code", "jit"};
    return kind < OBJECT_KIND_COUNT ? kinds[kind] : "unknown";
}
