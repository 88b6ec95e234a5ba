/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The exact totals of a simulated run in words; the same in the screen's header and in text. */
#ifndef MISSTOP_VIEW_SIMULATION_WORDS_H
#define MISSTOP_VIEW_SIMULATION_WORDS_H

#include "snapshot.h"
#include "view/canvas.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether the program has not begun: Valgrind takes a moment before it runs. */
bool simulation_starts(const struct snapshot_simulation *simulation);

/* "312M loads, 98M stores; missed L1 1.24%, ..."; "" where nothing is simulated. */
void simulation_sentence(const struct snapshot_simulation *simulation, char *out, size_t size);

/* One line of the header; false: there is nothing to say. */
bool simulation_line(const struct snapshot_simulation *simulation, struct canvas *canvas,
                     struct area area);

#endif
