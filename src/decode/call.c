/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/call.h"

#include <string.h>

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

enum reason call_entry(uint64_t stack, uint64_t entry, const struct decode_target *target,
                       struct access *access)
{
    uint64_t back = 0;
    uint64_t slot;
    uint8_t bytes[5];
    int32_t distance;
    if (!target->memory || !target->memory(target->context, stack, &back, sizeof back) ||
        target->code(target->context, back - sizeof bytes, bytes, sizeof bytes) != sizeof bytes)
        return REASON_CALL_BOUNDARY;
    memcpy(&distance, bytes + 1, sizeof distance);
    uint64_t called = back + (uint64_t)(int64_t)distance;
    bool by_register = bytes[3] == 0xff && (bytes[4] & 0xf8) == 0xd0;
    if ((bytes[0] == 0xe8 && called == entry) || by_register)
        return call_slot(stack, ACCESS_STORE, access);
    if (bytes[0] != 0xe8 || !stub_slot(target, called, &slot))
        return REASON_CALL_BOUNDARY;
    call_slot(slot, ACCESS_LOAD, access);
    access->base = SREG_NONE;
    return REASON_NONE;
}
