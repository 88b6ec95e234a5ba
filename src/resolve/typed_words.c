/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words for how a type is known, and why it is not; declared in place.h. */
#include "place.h"

const char *typed_name(enum typed typed)
{
    static const char *const names[TYPED_COUNT] = {[TYPED_NOT] = "not",
                                                   [TYPED_CODE] = "by-code",
                                                   [TYPED_DATA] = "by-data",
                                                   [TYPED_AGREED] = "agreed",
                                                   [TYPED_DISAGREED] = "disagreed"};
    return (unsigned)typed < TYPED_COUNT ? names[typed] : "?";
}

static const struct {
    const char *name;
    const char *text;
} reasons[UNTYPED_COUNT] = {
    [UNTYPED_NO_REASON] = {"", ""},
    [UNTYPED_WAITING] = {"waiting", "the debug information is still being read"},
    [UNTYPED_NO_DEBUG] = {"no-debug-information", "the code's file has no debug information"},
    [UNTYPED_NO_UNIT] = {"no-unit", "the debug information does not cover this code"},
    [UNTYPED_NO_CODE] = {"no-code", "the instruction could not be read from a file"},
    [UNTYPED_NO_VARIABLE] = {"no-variable", "nothing tells what the address register holds"},
    [UNTYPED_NO_POINTER] = {"no-pointer", "the address register holds no pointer by its type"},
    [UNTYPED_VOID] = {"void", "the pointer is one to void or to plain bytes"},
    [UNTYPED_OUTSIDE] = {"outside-type", "the access is outside the type pointed to"},
    [UNTYPED_CONFLICT] = {"conflict", "ways that lead here say different types"},
    [UNTYPED_SPILL] = {"spill", "a stack slot that is no variable of the program"},
    [UNTYPED_GAVE_UP] = {"gave-up", "reading the debug information failed or was stopped"}};

const char *untyped_name(enum untyped untyped)
{
    return (unsigned)untyped < UNTYPED_COUNT ? reasons[untyped].name : "?";
}

const char *untyped_text(enum untyped untyped)
{
    return (unsigned)untyped < UNTYPED_COUNT ? reasons[untyped].text : "?";
}
