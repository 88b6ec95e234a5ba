/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/form.h"

#include "base/hash.h"
#include "sample.h"
#include "snapshot_simulation.h"
#include "store/form_facts.h"
#include "store/form_items.h"
#include "store/form_names.h"

#include <string.h>

struct form {
    unsigned fields;
    size_t limit;
};

static const struct form forms[STORE_KINDS] = {
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
    [STORE_MAPPING] = {MAPPING_ROW_FIELDS, 1 << 12},
    [STORE_CPU] = {NODE_ROW_FIELDS, 1 << 14},
    [STORE_PAGE] = {NODE_ROW_FIELDS, 1 << 18},
    [STORE_THREAD] = {THREAD_ROW_FIELDS, 1 << 18},
    [STORE_MEMORY] = {MEMORY_ROW_FIELDS, 1 << 16},
    [STORE_WORD] = {WORD_ROW_FIELDS, 1 << 18},
    [STORE_SIMULATION] = {SIMULATION_ROW_FIELDS, 1},
    [STORE_SIM_LEVEL] = {SIM_LEVEL_ROW_FIELDS, SIMULATION_LEVELS_MAX},
    [STORE_WATCH] = {WATCH_ROW_FIELDS, 1},
    [STORE_WATCHING] = {WATCHING_ROW_FIELDS, 1},
    [STORE_LINE] = {LINE_ROW_FIELDS, STORE_SLOTS},
    [STORE_PAIR] = {PAIR_ROW_FIELDS, 1 << 19},
    [STORE_CODE] = {CODE_ROW_FIELDS, 1 << 16},
    [STORE_WHATIFS] = {WHATIFS_ROW_FIELDS, 1},
    [STORE_WHATIF] = {WHATIF_ROW_FIELDS, WHATIF_MAX},
    [STORE_WHATIF_LEVEL] = {WHATIF_LEVEL_ROW_FIELDS, WHATIF_MAX *SIMULATION_LEVELS_MAX},
    [STORE_WHATIF_PAST] = {WHATIF_PAST_ROW_FIELDS, WHATIF_PAST_MAX},
    [STORE_RENAME] = {RENAME_ROW_FIELDS, 1},
    [STORE_RANKING] = {RANKING_ROW_FIELDS, 1},
};

unsigned store_form_fields(unsigned kind)
{
    return kind < STORE_KINDS ? forms[kind].fields : 0;
}

size_t store_form_limit(unsigned kind)
{
    return kind < STORE_KINDS ? forms[kind].limit : 0;
}

/* Eight bytes at a time, for every byte of a recording goes through it twice. A change of one bit
 * changes the sum: each step can be taken back. Against chance, not against malice. */
static uint64_t sum_bytes(uint64_t sum, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t word;
    for (; size >= sizeof word; at += sizeof word, size -= sizeof word) {
        memcpy(&word, at, sizeof word);
        sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 32;
    }
    word = size;
    for (; size; size--)
        word = word << 8 | *at++;
    return hash_mix(sum ^ word);
}

uint64_t store_form_header_sum(const struct store_header *header)
{
    return sum_bytes(STORE_VERSION, header, offsetof(struct store_header, checksum));
}

uint64_t store_form_block_sum(const struct store_block *block, const void *payload)
{
    uint64_t sum = sum_bytes(0, block, offsetof(struct store_block, checksum));
    return sum_bytes(sum, payload, block->payload_bytes);
}
