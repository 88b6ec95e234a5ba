/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What each register points into before an instruction: types followed forward through a whole
 * function, from parameters, variables, globals and results of calls, over its blocks until nothing
 * changes. Functions are kept while there is room. Owned by program.c; for access.c.
 */
#ifndef MISSTOP_RESOLVE_DWARF_FLOW_H
#define MISSTOP_RESOLVE_DWARF_FLOW_H

#include "resolve/dwarf/step.h"

#include <stdbool.h>
#include <stdint.h>

struct flows;
struct program;

/* NULL: out of memory. */
struct flows *flows_new(struct program *program);
void flows_free(struct flows *flows);

/* What holds before an instruction. */
struct flow_at {
    struct scene scene;
    struct state state;
    const struct insn *insn;
    const struct insn *insns; /* of the function */
    size_t count;
};

/* 0; -ENOENT: no debugging information of this code; -EFAULT: no instruction there; -ENOMEM. */
int flows_at(struct flows *flows, uint64_t pc, struct flow_at *at);

/* Functions by address and types, which it has a use for itself. */
struct routines *flows_routines(const struct flows *flows);
struct shapes *flows_shapes(const struct flows *flows);

#endif
