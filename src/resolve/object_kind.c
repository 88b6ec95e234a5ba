/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kinds of objects by name, apart from what names them: profile tells kinds without resolving. */
#include "place.h"

const char *object_kind_name(enum object_kind kind)
{
    static const char *const kinds[OBJECT_KIND_COUNT] = {"unknown", "global", "heap", "stack", "tls",
                                                         "map",     "anon",   "code", "jit"};
    return kind < OBJECT_KIND_COUNT ? kinds[kind] : "unknown";
}
