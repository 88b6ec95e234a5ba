/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/by_value.h"

#include <string.h>

/* What is read of a table; at the end of a mapping, less. */
enum { TABLE_BYTES = 4096, TABLE_BYTES_LESS = 512 };

static bool loads_element(const struct insn *insn)
{
    const struct insn_memory *memory = &insn->memory[0];
    return insn->op == INSN_OP_LOAD && memory->index != SREG_NONE && !memory->segment &&
           !memory->narrow && !memory->vector && insn->source_width >= 2 &&
           insn->source_width <= memory->scale;
}

/* The only element that is `wanted`; SIZE_MAX: there is none, or there are several. */
static size_t only_one(const unsigned char *table, size_t bytes, const struct insn *load,
                       uint64_t wanted)
{
    size_t found = SIZE_MAX;
    for (size_t at = 0; at + load->source_width <= bytes; at += load->memory[0].scale) {
        if (memcmp(table + at, &wanted, load->source_width) != 0)
            continue;
        if (found != SIZE_MAX)
            return SIZE_MAX;
        found = at;
    }
    return found;
}

bool by_value(struct trace_values *values, size_t at, uint64_t *address)
{
    const struct insn *load = values->trace->insns[at];
    const struct decode_target *target = values->target;
    struct insn_memory start = load->memory[0];
    unsigned char table[TABLE_BYTES];
    size_t bytes = sizeof table;
    uint64_t wanted;
    start.index = SREG_NONE;
    if (!loads_element(load) || !target->memory ||
        !trace_register(values, load->dest, at + 1, &wanted) ||
        !trace_address(values, &start, at, address))
        return false;
    if (!target->memory(target->context, *address, table, bytes)) {
        bytes = TABLE_BYTES_LESS;
        if (!target->memory(target->context, *address, table, bytes))
            return false;
    }
    size_t found = only_one(table, bytes, load, wanted);
    *address += found;
    return found != SIZE_MAX;
}
