/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looks for the next item without taking what stands before it; declared in store_read.h. */
#include "store/read_state.h"

#include <stdlib.h>

static bool is_item(uint64_t kind)
{
    return kind == STORE_PLACE || kind == STORE_COUNTS || kind == STORE_MARK || kind == STORE_WATCH;
}

static bool skip_string(struct numbers *from)
{
    uint64_t length;
    if (!number_get(from, &length) || length > (uint64_t)(from->end - from->at))
        return false;
    from->at += length;
    return true;
}

/* Up to an item, or to the end of the block; false: there is none, or it is damaged before. */
static bool find_item(struct numbers *from, bool *damaged)
{
    uint64_t kind;
    uint64_t id;
    uint64_t ignored[1];
    while (from->at < from->end && !*damaged) {
        *damaged = !number_get(from, &kind) || !number_get(from, &id);
        if (!*damaged && is_item(kind))
            return true;
        if (!*damaged)
            *damaged = !(kind == STORE_STRING ? skip_string(from) : row_get(from, ignored, 0));
    }
    return false;
}

bool store_reader_more(const struct store_reader *reader)
{
    struct numbers from = reader->from;
    uint64_t at = reader->at;
    bool damaged = reader->ended;
    bool found = reader->waiting || find_item(&from, &damaged);
    unsigned char *payload = found || damaged ? NULL : malloc(STORE_BLOCK_BYTES);
    for (uint64_t number = reader->blocks; payload && !found && !damaged; number++) {
        if (!reader_payload(reader, at, number, payload, &from))
            break;
        at += reader_block_bytes(&from);
        found = find_item(&from, &damaged);
    }
    free(payload);
    return found;
}
