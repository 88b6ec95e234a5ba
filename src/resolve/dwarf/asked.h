/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Questions in the order they were asked, a bounded number of them. For reader.c. */
#ifndef MISSTOP_RESOLVE_DWARF_ASKED_H
#define MISSTOP_RESOLVE_DWARF_ASKED_H

#include "resolve/dwarf/question.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ASKED_MAX = 4096 };

struct asked {
    struct dwarf_question *at; /* a ring */
    uint32_t room;             /* a power of two, or 0 */
    uint32_t first;
    uint32_t count;
};

void asked_fini(struct asked *asked);

/* False: full, or out of memory. */
bool asked_push(struct asked *asked, const struct dwarf_question *question);

/* The i-th from the oldest, i < count. */
const struct dwarf_question *asked_get(const struct asked *asked, uint32_t i);

/* Takes the oldest; there must be one. */
struct dwarf_question asked_pop(struct asked *asked);

#endif
