/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/form.h"

#include "base/hash.h"
#include "sample.h"

struct form {
    unsigned fields;
    size_t limit;
};

static const struct form forms[STORE_KINDS] = {
    [STORE_PLACE] = {PLACE_ROW_FIELDS, STORE_SLOTS},
    [STORE_OBJECT] = {OBJECT_ROW_FIELDS, 1 << 18},
    [STORE_FUNCTION] = {FUNCTION_ROW_FIELDS, 1 << 18},
    [STORE_TYPE] = {TYPE_ROW_FIELDS, 1 << 18},
    [STORE_MEMBER] = {MEMBER_ROW_FIELDS, 1 << 20},
    [STORE_INSTRUCTION] = {INSTRUCTION_ROW_FIELDS, 1 << 20},
    [STORE_EXTENT] = {EXTENT_ROW_FIELDS, 1 << 18},
    [STORE_BIN] = {BIN_ROW_FIELDS, 1 << 16},
    [STORE_HEAP] = {HEAP_ROW_FIELDS, 1},
    [STORE_EVENT] = {EVENT_ROW_FIELDS, SAMPLE_EVENTS_MAX},
    [STORE_FACTS] = {FACTS_ROW_FIELDS, 1},
    [STORE_COUNTS] = {COUNTS_ROW_FIELDS, 1},
    [STORE_MARK] = {MARK_ROW_FIELDS, 1},
    [STORE_SITE] = {SITE_ROW_FIELDS, 1 << 16},
};

unsigned store_form_fields(unsigned kind)
{
    return kind < STORE_KINDS ? forms[kind].fields : 0;
}

size_t store_form_limit(unsigned kind)
{
    return kind < STORE_KINDS ? forms[kind].limit : 0;
}

uint64_t store_form_header_sum(const struct store_header *header)
{
    return hash_bytes(header, offsetof(struct store_header, checksum));
}

uint64_t store_form_block_sum(const struct store_block *block, const void *payload)
{
    return hash_mix(hash_bytes(block, offsetof(struct store_block, checksum))) ^
           hash_bytes(payload, block->payload_bytes);
}
