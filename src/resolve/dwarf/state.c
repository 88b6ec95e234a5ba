/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/step.h"

#include <string.h>

static uint32_t slot_index(const struct state *state, int64_t offset)
{
    uint32_t at = 0;
    while (at < state->slot_count && state->slots[at].offset < offset)
        at++;
    return at;
}

static bool is_slot(const struct state *state, uint32_t at, int64_t offset)
{
    return at < state->slot_count && state->slots[at].offset == offset;
}

const struct value *state_slot(const struct state *state, int64_t offset)
{
    uint32_t at = slot_index(state, offset);
    return is_slot(state, at, offset) ? &state->slots[at].value : NULL;
}

/* The farthest from the frame's end goes when there is no room: the outgoing arguments. */
void state_store(struct state *state, int64_t offset, const struct value *value)
{
    uint32_t at = slot_index(state, offset);
    if (is_slot(state, at, offset)) {
        state->slots[at].value = *value;
        return;
    }
    if (value->kind <= VALUE_NUMBER)
        return;
    if (state->slot_count == STATE_SLOTS) {
        if (!at)
            return;
        memmove(&state->slots[0], &state->slots[1], (--at) * sizeof *state->slots);
        state->slots[at] = (struct state_slot){offset, *value};
        return;
    }
    memmove(&state->slots[at + 1], &state->slots[at],
            (state->slot_count++ - at) * sizeof *state->slots);
    state->slots[at] = (struct state_slot){offset, *value};
}

void state_join(struct shapes *shapes, struct state *state, const struct state *other)
{
    for (unsigned reg = 0; reg < SREG_COUNT; reg++)
        state->regs[reg] = value_joined(shapes, &state->regs[reg], &other->regs[reg]);
    for (uint32_t i = 0; i < other->slot_count; i++) {
        const struct state_slot *slot = &other->slots[i];
        const struct value *known = state_slot(state, slot->offset);
        struct value value = known ? value_joined(shapes, known, &slot->value) : slot->value;
        state_store(state, slot->offset, &value);
    }
}
