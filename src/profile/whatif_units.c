/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/whatif_units.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { NATURAL_MAX_BYTES = 8 };

/* Hot members take at least this part of the samples together. */
static const double hot_part = 0.9;

uint32_t whatif_low_bit(uint64_t value)
{
    uint64_t bit = value & -value;
    return !bit || bit > NATURAL_MAX_BYTES ? NATURAL_MAX_BYTES : (uint32_t)bit;
}

static uint32_t natural_of(const struct type_member *member)
{
    uint32_t by_size = whatif_low_bit(member->stride ? member->stride : member->size);
    uint32_t by_place = whatif_low_bit(member->offset);
    return by_size < by_place ? by_size : by_place;
}

/* ---- units ---- */

static void add_unit(struct whatif_planner *planner, const struct snapshot_layout_row *row)
{
    struct whatif_unit *last = planner->count ? &planner->units[planner->count - 1] : NULL;
    uint32_t from = (uint32_t)row->member.offset;
    uint32_t end = from + (uint32_t)row->member.size;
    uint32_t natural = natural_of(&row->member);
    if (last && from < last->end) {
        last->end = end > last->end ? end : last->end;
        last->natural = natural > last->natural ? natural : last->natural;
        last->samples += row->samples;
        return;
    }
    if (planner->count == WHATIF_UNITS_MAX)
        return;
    planner->units[planner->count++] = (struct whatif_unit){.from = from,
                                                            .end = end,
                                                            .natural = natural,
                                                            .samples = row->samples,
                                                            .name = row->member.name};
}

/* Without a type the offsets that were seen are its members, each up to the next. */
void whatif_find_units(struct whatif_planner *planner)
{
    const struct snapshot_layout *layout = planner->layout;
    for (size_t i = 0; layout && i < layout->row_count; i++) {
        const struct snapshot_layout_row *row = &layout->rows[i];
        bool member = row->kind == LAYOUT_MEMBER || row->kind == LAYOUT_UNKNOWN;
        if (member && !row->member.depth && row->member.size &&
            row->member.offset < planner->element &&
            row->member.size <= planner->element - row->member.offset)
            add_unit(planner, row);
    }
}

uint32_t whatif_natural(const struct whatif_planner *planner)
{
    uint32_t natural = planner->count ? 1 : NATURAL_MAX_BYTES;
    for (unsigned i = 0; i < planner->count; i++)
        natural = planner->units[i].natural > natural ? planner->units[i].natural : natural;
    return natural;
}

/* ---- which are hot ---- */

static bool is_named(const struct whatif_unit *unit, const char *name, size_t length)
{
    char offset[24];
    snprintf(offset, sizeof offset, "+%u", unit->from);
    return (unit->name && strlen(unit->name) == length && !memcmp(unit->name, name, length)) ||
           (strlen(offset) == length && !memcmp(offset, name, length));
}

int whatif_heat_named(struct whatif_planner *planner)
{
    for (const char *at = planner->wanted->fields; at; at = strchr(at, ',')) {
        at += *at == ',';
        size_t length = strcspn(at, ",");
        bool found = false;
        for (unsigned i = 0; i < planner->count; i++) {
            bool its = is_named(&planner->units[i], at, length);
            planner->units[i].hot |= its;
            found |= its;
        }
        if (!found)
            return error_set(planner->error, -EINVAL, "%.40s has no member %.*s of its own",
                             planner->layout ? planner->layout->name : "it", (int)length, at);
    }
    return 0;
}

static struct whatif_unit *hottest_left(struct whatif_planner *planner)
{
    struct whatif_unit *found = NULL;
    for (unsigned i = 0; i < planner->count; i++)
        if (!planner->units[i].hot && (!found || planner->units[i].samples > found->samples))
            found = &planner->units[i];
    return found;
}

int whatif_heat_measured(struct whatif_planner *planner)
{
    double all = 0, hot = 0;
    for (unsigned i = 0; i < planner->count; i++)
        all += planner->units[i].samples;
    if (!(all > 0))
        return error_set(planner->error, -EINVAL, "no member of it was sampled yet");
    for (struct whatif_unit *next; hot < hot_part * all && (next = hottest_left(planner));) {
        next->hot = true;
        hot += next->samples;
    }
    return 0;
}
