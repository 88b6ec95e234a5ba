/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What registers and the stack's slots point into, and what one instruction does to that. For
 * flow.c, which goes through functions with it, and access.c.
 */
#ifndef MISSTOP_RESOLVE_DWARF_STEP_H
#define MISSTOP_RESOLVE_DWARF_STEP_H

#include "decode/insn.h"
#include "resolve/dwarf/links.h"
#include "resolve/dwarf/routine.h"
#include "resolve/dwarf/value.h"
#include "resolve/dwarf/where.h"
#include "sample.h"

#include <stdint.h>

struct program;

enum { STATE_SLOTS = 48 };

struct state_slot {
    int64_t offset; /* from the canonical frame address */
    struct value value;
};

struct state {
    struct value regs[SREG_COUNT];
    struct state_slot slots[STATE_SLOTS]; /* by offset */
    uint32_t slot_count;
};

/* What a function's code is read against. */
struct scene {
    struct program *program;
    struct shapes *shapes;
    struct routines *routines;
    struct links *links;
    const struct wheres *wheres;
};

/* Changes the state to what holds after an instruction. */
void step_over(const struct scene *scene, struct state *state, const struct insn *insn);

/* Joins what another way brings. */
void state_join(struct shapes *shapes, struct state *state, const struct state *other);
/* What a slot holds; NULL: not known. A store of what says nothing forgets it. */
const struct value *state_slot(const struct state *state, int64_t offset);
void state_store(struct state *state, int64_t offset, const struct value *value);

#endif
