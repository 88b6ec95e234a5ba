/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The members of an element as they can be moved, and which of them are hot; for whatif_plan.c. */
#ifndef MISSTOP_PROFILE_WHATIF_UNITS_H
#define MISSTOP_PROFILE_WHATIF_UNITS_H

#include "profile/whatif.h"

enum { WHATIF_UNITS_MAX = 256 };

/* Bytes of an element that go together: a member of the type itself, or several that overlap. */
struct whatif_unit {
    uint32_t from;
    uint32_t end;
    uint32_t natural; /* alignment */
    double samples;
    const char *name; /* of its first member */
    bool hot;
};

struct whatif_planner {
    const struct whatif_wanted *wanted;
    const struct snapshot_layout *layout; /* NULL: not known */
    struct whatif_plan *plan;
    struct error *error;
    uint32_t element; /* bytes */
    uint32_t line;
    struct whatif_unit units[WHATIF_UNITS_MAX];
    unsigned count;
};

/* Without a type the offsets that were seen are its members. */
void whatif_find_units(struct whatif_planner *planner);

/* 0, or -EINVAL: a name is unknown; nothing was sampled. */
int whatif_heat_named(struct whatif_planner *planner);
int whatif_heat_measured(struct whatif_planner *planner);

/* The alignment that all its members want. */
uint32_t whatif_natural(const struct whatif_planner *planner);
/* The largest power of two that divides a number, at most what any member is aligned to. */
uint32_t whatif_low_bit(uint64_t value);

static inline uint32_t whatif_round_up(uint32_t bytes, uint32_t to)
{
    return to ? (bytes + to - 1) / to * to : bytes;
}

#endif
