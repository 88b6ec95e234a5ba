/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of struct snapshot (snapshot.h, where its rules stand): the stretch of the run that its
 * tables are of, where they are not of the run up to now. Of what goes on live (the heap, records
 * lost, rates, histories) nothing is known then; the timeline is the whole run's all the same.
 */
#ifndef MISSTOP_SNAPSHOT_STRETCH_H
#define MISSTOP_SNAPSHOT_STRETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct snapshot_stretch {
    double start_s; /* from the start of the run */
    double end_s;
    double length_s; /* of its pieces together */
    size_t pieces;   /* as often as the phase came */
    char phase[4];   /* "A"; "": it is no phase's */
    uint64_t kept;   /* samples that are counted */
    uint64_t seen;   /* that there were: what is long ago is thinned, and weighs the same */
    bool reading;    /* there is more of it to come */
};

#endif
