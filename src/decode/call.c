/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/call.h"

#include <string.h>

enum { CALL_BYTES = 8 }; /* the longest that compilers make: prefix, ff, two more, 4 of distance */

enum reason call_slot(uint64_t address, enum access_kind kind, struct access *access)
{
    access->address = address;
    access->kind = (uint8_t)kind;
    access->size = 8;
    access->base = SREG_SP;
    access->index = SREG_NONE;
    access->displacement = 0;
    access->how = ACCESS_DIRECT;
    return REASON_NONE;
}

/* A procedure linkage stub is a jump through a slot of the GOT: [endbr64] [bnd] ff 25 rel32. */
static bool stub_slot(const struct decode_target *target, uint64_t stub, uint64_t *slot)
{
    static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
    uint8_t bytes[16];
    int32_t distance;
    size_t at = 0;
    if (target->code(target->context, stub, bytes, sizeof bytes) != sizeof bytes)
        return false;
    if (!memcmp(bytes, endbr64, sizeof endbr64))
        at += sizeof endbr64;
    at += bytes[at] == 0xf2;
    memcpy(&distance, bytes + at + 2, sizeof distance);
    *slot = stub + at + 6 + (uint64_t)(int64_t)distance;
    return bytes[at] == 0xff && bytes[at + 1] == 0x25;
}

/*
 * The operand of a call through memory whose bytes end where `end` does. Nothing tells where it
 * begins: false if there is none of that length.
 */
static bool read_call(const uint8_t *at, const uint8_t *end, uint64_t back,
                      struct insn_memory *memory)
{
    struct insn insn;
    size_t size = (size_t)(end - at);
    if (!insn_decode(&insn, back - size, at, size) || insn.length != size ||
        insn.flow != INSN_CALL || insn.memory_count != 2)
        return false;
    *memory = insn.memory[0];
    return true;
}

/* The call's operand, with the registers of then: the right one if the function entered is what
 * stands there. */
static bool leads_to(struct trace_values *values, const struct insn_memory *memory, uint64_t entry,
                     uint64_t *address)
{
    const struct decode_target *target = values->target;
    uint64_t found = 0;
    if (!trace_address(values, memory, 0, address))
        return false;
    if (memory->base == SREG_SP)
        *address += sizeof found; /* the call has pushed since */
    return target->memory(target->context, *address, &found, sizeof found) && found == entry;
}

static enum reason take_load(const struct insn_memory *memory, uint64_t ip, uint64_t address,
                             struct access *access)
{
    call_slot(address, ACCESS_LOAD, access);
    access->ip = ip ? ip : access->ip;
    access->base = memory->base;
    access->index = memory->index;
    access->displacement = (int32_t)memory->displacement;
    access->how = ACCESS_REREAD;
    return REASON_NONE;
}

static enum reason call_through(struct trace_values *values, const uint8_t *bytes, uint64_t back,
                                struct call_seen *seen, struct access *access)
{
    for (size_t at = CALL_BYTES - 2; at + 1 > 0; at--) {
        struct insn_memory memory;
        uint64_t address;
        if (!read_call(bytes + at, bytes + CALL_BYTES, back, &memory) ||
            !leads_to(values, &memory, seen->entry, &address))
            continue;
        call_noted(seen, CALL_LOADS);
        seen->memory = memory;
        seen->ip = back - (CALL_BYTES - at);
        return take_load(&memory, seen->ip, address, access);
    }
    return REASON_CALL_BOUNDARY;
}

/* The call whose return address stands on the stack now. */
static enum reason call_standing(struct trace_values *values, uint64_t stack,
                                 struct call_seen *seen, struct access *access)
{
    const struct decode_target *target = values->target;
    uint64_t back = 0;
    uint64_t slot;
    uint8_t bytes[CALL_BYTES] = {0};
    int32_t distance;
    if (!target->memory || !target->memory(target->context, stack, &back, sizeof back) ||
        target->code(target->context, back - sizeof bytes, bytes, sizeof bytes) != sizeof bytes)
        return REASON_CALL_BOUNDARY;
    const uint8_t *direct = bytes + CALL_BYTES - 5;
    memcpy(&distance, direct + 1, sizeof distance);
    uint64_t called = back + (uint64_t)(int64_t)distance;
    bool by_register = direct[3] == 0xff && (direct[4] & 0xf8) == 0xd0;
    if ((direct[0] == 0xe8 && called == seen->entry) || by_register) {
        call_noted(seen, CALL_PUSHES);
        return call_slot(stack, ACCESS_STORE, access);
    }
    if (direct[0] != 0xe8 || !stub_slot(target, called, &slot))
        return call_through(values, bytes, back, seen, access);
    call_noted(seen, CALL_LOADS);
    seen->memory = (struct insn_memory){.base = SREG_NONE,
                                        .index = SREG_NONE,
                                        .scale = 1,
                                        .kind = ACCESS_LOAD,
                                        .displacement = (int64_t)slot};
    seen->ip = 0;
    call_slot(slot, ACCESS_LOAD, access);
    access->base = SREG_NONE;
    return REASON_NONE;
}

/* The call that was seen before, where another's return address stands by now. */
static enum reason call_remembered(struct trace_values *values, uint64_t stack,
                                   const struct call_seen *seen, struct access *access)
{
    const struct insn_memory *memory = &seen->memory;
    bool fixed = memory->base == SREG_NONE && memory->index == SREG_NONE;
    uint64_t address;
    if (seen->way == CALL_PUSHES) {
        call_slot(stack, ACCESS_STORE, access);
        access->how = ACCESS_INFERRED;
        return REASON_NONE;
    }
    /* What stands at a fixed place leads there whichever call it was. */
    if (seen->way == CALL_NEVER || (fixed && seen->way == CALL_VARIES) ||
        memory->kind != ACCESS_LOAD || !leads_to(values, memory, seen->entry, &address))
        return REASON_CALL_BOUNDARY;
    take_load(memory, seen->ip, address, access);
    access->how = fixed ? ACCESS_INFERRED : ACCESS_REREAD;
    return REASON_NONE;
}

enum reason call_entry(struct trace_values *values, struct calls *calls, uint64_t stack,
                       uint64_t entry, struct access *access)
{
    struct call_seen alone = {.entry = entry};
    struct call_seen *seen = calls ? calls_at(calls, entry) : &alone;
    enum reason reason = call_standing(values, stack, seen, access);
    return reason ? call_remembered(values, stack, seen, access) : reason;
}
