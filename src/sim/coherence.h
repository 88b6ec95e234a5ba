/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Private levels of several threads: a line that one writes to leaves the others (MSI; the clean
 * exclusive state only spares searches). What is written then is kept for those it was taken from:
 * their next miss is true sharing if it asks for those bytes. Used inside src/sim only.
 */
#ifndef MISSTOP_SIM_COHERENCE_H
#define MISSTOP_SIM_COHERENCE_H

#include "sim/state.h"

/* A second thread comes: what the first, `thread`, has is written down. Until then nothing was. */
void coherence_begin(struct model *model, uint32_t thread);

/* A thread is about to read a line that it has not in its first level, or to write one that it may
 * not have for itself. */
void coherence_take(struct model *model, uint32_t thread, uint64_t number, bool write,
                    struct model_who who);

/* Whether several threads may have a line. */
bool coherence_shared(struct model *model, uint64_t number);

/* A thread's writes to a line, as they leave its private levels. */
void coherence_wrote(struct model *model, uint32_t thread, uint64_t number, uint64_t grains);

/* Bytes written since a line was taken from a thread; they are asked for once it misses. */
uint64_t coherence_written_since(struct model *model, uint32_t thread, uint64_t number);

/* The thread has the line again. */
void coherence_returned(struct model *model, uint32_t thread, uint64_t number);

/* Which thread may have lines of [address, address + size): 0 none, thread + 1, STATE_HOLDERS. */
uint32_t coherence_holders(struct model *model, uint64_t address, uint32_t size_bytes);

#endif
