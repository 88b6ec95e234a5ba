/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Strings of a store, made printable where they enter; declared in read_state.h. */
#include "store/read_state.h"

#include "base/array.h"
#include "base/text.h"

const char *reader_string(const struct store_reader *reader, uint64_t id)
{
    return id && id <= reader->string_count ? reader->string[id - 1] : NULL;
}

bool reader_take_string(struct store_reader *reader, uint64_t id)
{
    uint64_t length;
    if (!number_get(&reader->from, &length) || length > STORE_STRING_BYTES ||
        length > (uint64_t)(reader->from.end - reader->from.at) || id != reader->string_count + 1)
        return false;
    const char **string = array_more(reader->string, &reader->string_room, reader->string_count,
                                     sizeof *string, ARRAY_UNBOUNDED);
    if (!string)
        return false;
    reader->string = string;
    char *copy = arena_alloc(&reader->strings, length + 1);
    if (!copy)
        return false;
    text_sanitise(copy, length + 1, (const char *)reader->from.at, length);
    reader->from.at += length;
    reader->string[reader->string_count++] = copy;
    return true;
}
