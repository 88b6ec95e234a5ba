/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/strings.h"

#include "base/array.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { STRING_BYTES = 1024 };

void strings_init(struct strings *strings)
{
    *strings = (struct strings){0};
    arena_init(&strings->arena);
    hash_init(&strings->by_hash);
}

void strings_fini(struct strings *strings)
{
    arena_fini(&strings->arena);
    hash_fini(&strings->by_hash);
    free(strings->kept);
}

static bool make_room(struct strings *strings)
{
    const char **more =
        array_more(strings->kept, &strings->room, strings->count, sizeof *more, ARRAY_UNBOUNDED);
    if (!more)
        return false;
    strings->kept = more;
    return true;
}

const char *strings_keep(struct strings *strings, const char *text)
{
    char safe[STRING_BYTES];
    bool created;
    if (!text || !*text)
        return "";
    size_t length = text_sanitise(safe, sizeof safe, text, strnlen(text, sizeof safe));
    uint64_t key = hash_bytes(safe, length);
    const uint32_t *known = hash_find(&strings->by_hash, key);
    if (known && !strcmp(strings->kept[*known - 1], safe))
        return strings->kept[*known - 1];
    const char *copy = arena_string(&strings->arena, safe);
    /* Another text of the same hash: that one stays the known one. */
    if (!copy || known || !make_room(strings))
        return copy ? copy : "";
    uint32_t *slot = hash_insert(&strings->by_hash, key, &created);
    if (slot) {
        strings->kept[strings->count++] = copy;
        *slot = strings->count;
    }
    return copy;
}
