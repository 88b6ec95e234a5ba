/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/asked.h"

#include <assert.h>
#include <stdlib.h>

enum { ASKED_FIRST = 32 };

void asked_fini(struct asked *asked)
{
    free(asked->at);
    *asked = (struct asked){0};
}

static bool grow(struct asked *asked)
{
    uint32_t room = asked->room ? asked->room * 2 : ASKED_FIRST;
    struct dwarf_question *more = room <= ASKED_MAX ? malloc(room * sizeof *more) : NULL;
    if (!more)
        return false;
    for (uint32_t i = 0; i < asked->count; i++)
        more[i] = *asked_get(asked, i);
    free(asked->at);
    asked->at = more;
    asked->room = room;
    asked->first = 0;
    return true;
}

bool asked_push(struct asked *asked, const struct dwarf_question *question)
{
    if (asked->count == asked->room && !grow(asked))
        return false;
    asked->at[(asked->first + asked->count++) & (asked->room - 1)] = *question;
    return true;
}

const struct dwarf_question *asked_get(const struct asked *asked, uint32_t i)
{
    assert(i < asked->count);
    return &asked->at[(asked->first + i) & (asked->room - 1)];
}

struct dwarf_question asked_pop(struct asked *asked)
{
    struct dwarf_question oldest = *asked_get(asked, 0);
    asked->first = (asked->first + 1) & (asked->room - 1);
    asked->count--;
    return oldest;
}
