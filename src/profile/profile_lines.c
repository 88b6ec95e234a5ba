/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a simulation tells of lines, on its way into the tables; declared in profile.h. */
#include "profile/state.h"

static void add_line(struct profile *profile, const struct line_place *told)
{
    const struct line_told *line = &told->line;
    struct place renamed = told->place;
    const struct place *place = &renamed;
    profile_rename_place(profile, &renamed);
    uint32_t object = tallies_reserve(&profile->objects, place->object);
    uint32_t function = tallies_reserve(&profile->functions, place->function);
    if (object == TALLY_IDS_MAX || function == TALLY_IDS_MAX || !profile_grow_extras(profile))
        return;
    double factor;
    double scale = decay_advance(&profile->decay, place->access.time_ns);
    if (line->what == LINE_LEFT) {
        uint64_t offset = offset_key(place, profile->extras[object].element);
        use_find_fetch(&profile->use, line, &object, &offset);
        use_add(&profile->use, line, object, offset, function, scale);
    } else {
        distances_add(&profile->distances, line, object, function, scale);
    }
    if (decay_renormalise(&profile->decay, &factor))
        profile_rescale(profile, factor);
}

void profile_add_lines(struct profile *profile, const struct line_place *lines, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add_line(profile, &lines[i]);
}
