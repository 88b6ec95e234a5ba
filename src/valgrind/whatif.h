/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Questions about other layouts, each of one object (struct sim_question): taken from misstop,
 * answered by src/sim/whatif, several at a time, each by a model of its own. Between access.c, which says what happens, and the shared memory.
 */
#ifndef MISSTOP_VALGRIND_WHATIF_H
#define MISSTOP_VALGRIND_WHATIF_H

#include "sim/model.h"
#include "pub_tool_basics.h"

/* What was asked of the program that the process ran before has no answer here. */
void whatif_start(void);

/* Now and then, while the program stands: a new question is heard, the answer brought up to date;
 * where a question is awaited, the program waits for it, once there were some `accesses`.
 * `first` and `spec`: the model that counts anyway; `thread` runs. True: accesses are to be told.
 */
Bool whatif_look(const struct model *first, const struct model_spec *spec, UInt thread,
                 ULong accesses);

/* An access that level `served` had. */
void whatif_take(Addr address, UInt size, UInt kind, UInt ip, UInt served);

/* The last figures, when the program ends. */
void whatif_finish(void);

#endif
