/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words for enum object_kind; apart, for profile and views say them too and need no more of us. */
#include "place.h"

const char *object_kind_name(enum object_kind kind)
{
    static const char *const kinds[OBJECT_KIND_COUNT] = {"unknown", "global", "heap", "stack", "tls",
                                                         "map",     "anon",   "code", "jit"};
    return kind < OBJECT_KIND_COUNT ? kinds[kind] : "unknown";
}
