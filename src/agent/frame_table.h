/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the call frame information of an address stands in memory. Used by rule.c. */
#ifndef MISSTOP_AGENT_FRAME_TABLE_H
#define MISSTOP_AGENT_FRAME_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/* The description of one function, and of what functions of its kind have in common. */
struct frame_entry {
    const uint8_t *common; /* initial instructions */
    const uint8_t *common_end;
    const uint8_t *own; /* the function's instructions */
    const uint8_t *own_end;
    uint64_t start; /* of the function */
    uint64_t code_align;
    int64_t data_align;
    bool is_signal;
};

void frame_table_start(void);

/* The entry that covers an address; false: there is none, or it is of a form nobody emits. */
bool frame_table_find(uint64_t address, struct frame_entry *entry);

uint64_t frame_table_uleb(const uint8_t **at, const uint8_t *end);
int64_t frame_table_sleb(const uint8_t **at, const uint8_t *end);

#endif
