/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The n-way search of a profile; declared in profile.h. */
#include "profile/profile.h"

#include "profile/state.h"

void profile_search_start(struct profile *profile, uint64_t base, uint64_t bound, const char *what,
                          uint64_t now_ns)
{
    const struct search *search = &profile->search;
    if (search->base != base || search->bound != bound)
        search_before_put(&profile->search_before, search);
    search_phases_clear(&profile->search_phases);
    search_start(&profile->search, base, bound, what, now_ns);
}

void profile_search_stop(struct profile *profile)
{
    search_before_clear(&profile->search_before);
    search_phases_clear(&profile->search_phases);
    search_stop(&profile->search);
}

bool profile_search_back(struct profile *profile, uint64_t now_ns)
{
    if (!search_before_take(&profile->search_before, &profile->search, now_ns))
        return false;
    search_phases_clear(&profile->search_phases);
    return true;
}

enum search_state profile_search_state(const struct profile *profile)
{
    return profile->search.state;
}

void profile_search_as(struct profile *profile, const struct profile *other, uint64_t now_ns)
{
    const struct search *search = &other->search;
    if (search->state != SEARCH_OFF)
        search_start(&profile->search, search->base, search->bound, search->what, now_ns);
}

void profile_search_add(struct profile *profile, const struct place *place, uint64_t now_ns)
{
    search_tick(&profile->search, now_ns);
    if (place->access.reason == REASON_NONE && place->access.event == profile->options.ranking)
        search_count(&profile->search, place->access.address, tally_weight(&place->access));
}
