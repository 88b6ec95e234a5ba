/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What registers and the stack hold where calls of a function arrive. For flow.c. */
#ifndef MISSTOP_RESOLVE_DWARF_ENTRY_H
#define MISSTOP_RESOLVE_DWARF_ENTRY_H

#include "resolve/dwarf/step.h"

#include <stdint.h>

/* At `start` of some code of the routine: nothing is known if that is not its entry. */
void entry_state(const struct scene *scene, struct routine *routine, uint64_t start,
                 struct state *state);

#endif
