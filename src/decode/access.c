/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "access.h"

static const struct {
    const char *name;
    const char *text;
} reasons[REASON_COUNT] = {
    [REASON_NONE] = {"attributed", "attributed"},
    [REASON_KERNEL] = {"kernel", "taken in the kernel: system calls, page faults"},
    [REASON_NO_REGISTERS] = {"no-registers", "the kernel delivered no registers"},
    [REASON_NO_CODE] = {"no-code", "the instruction cannot be read"},
    [REASON_BAD_CODE] = {"bad-code", "the bytes there are no instruction that is known"},
    [REASON_NO_MEMORY] = {"no-memory", "no access to memory near: the thread was computing"},
    [REASON_CALL_BOUNDARY] = {"call-boundary", "the access lies beyond a call or return"},
    [REASON_OVERWRITTEN] = {"overwritten", "the load overwrote its own base register"},
    [REASON_CLOBBERED] = {"clobbered", "a register of the address was changed afterwards"},
    [REASON_AMBIGUOUS] = {"ambiguous", "several accesses could have come before"},
    [REASON_GATHER] = {"gather", "a vector gather or scatter of addresses that are not known"},
    [REASON_SEGMENT] = {"segment", "the thread's fs or gs base is not known"},
    [REASON_BAD_ADDRESS] = {"bad-address", "nothing is mapped at the computed address"},
    [REASON_FOREIGN] = {"foreign", "a sample of another process"},
    [REASON_NO_ADDRESS] = {"no-address", "the hardware recorded no address"},
    [REASON_AGENT] = {"agent", "misstop's own agent: not the program's"},
    [REASON_NOT_X86_64] = {"not-x86-64", "32-bit code or another architecture: not decoded"},
};

const char *access_reason_name(enum reason reason)
{
    return reason < REASON_COUNT ? reasons[reason].name : "?";
}

const char *access_reason_text(enum reason reason)
{
    return reason < REASON_COUNT ? reasons[reason].text : "?";
}

const char *access_how_name(enum access_how how)
{
    static const char *const names[ACCESS_HOW_COUNT] = {
        "recorded", "direct", "undone", "branched", "reread", "inferred", "lane", "object"};
    return how < ACCESS_HOW_COUNT ? names[how] : "?";
}
