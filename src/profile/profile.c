/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/state.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static unsigned shift_of(uint32_t line_bytes)
{
    return (unsigned)__builtin_ctz(line_bytes ? line_bytes : 64);
}

static int profile_tables(struct profile *profile)
{
    const struct profile_options *options = &profile->options;
    tallies_init(&profile->objects, options->event_count);
    tallies_init(&profile->holders, options->event_count);
    tallies_init(&profile->functions, options->event_count);
    profile->sorted = malloc(OFFSET_PAIRS * sizeof *profile->sorted);
    if (!profile->sorted || pairs_init(&profile->offsets, OFFSET_PAIRS) ||
        pairs_init(&profile->code, CODE_PAIRS) || pairs_init(&profile->instances, INSTANCE_PAIRS) ||
        sets_init(&profile->sets, &options->geometry) || comiss_init(&profile->comiss) ||
        sharing_init(&profile->sharing) || unplaced_init(&profile->unplaced, options->event_count))
        return -ENOMEM;
    if (options->watch) {
        profile->reuse = calloc(1, sizeof *profile->reuse);
        if (!profile->reuse || reuse_init(profile->reuse))
            return -ENOMEM;
    }
    return window_init(&profile->window, options->window_entries,
                       shift_of(options->geometry.line_bytes));
}

/* What misses a level has missed all above it: those of the uppermost one are all misses. */
static uint16_t first_level_event(const struct profile_options *options)
{
    static const uint8_t order[] = {EVENT_MISS_L1, EVENT_MISS_L2, EVENT_OTHER, EVENT_MEM_FILL};
    for (size_t i = 0; i < sizeof order; i++)
        for (uint16_t event = 0; event < options->event_count; event++)
            if (options->roles[event] == order[i])
                return event;
    return 0;
}

int profile_new(struct profile **out, const struct profile_options *options, struct error *error)
{
    *out = NULL;
    if (!options->geometry.sets || !options->geometry.line_bytes)
        return error_set(error, -EINVAL, "the cache has no sets; give its shape: -C L1=32K,8,64");
    struct profile *profile = calloc(1, sizeof *profile);
    if (!profile)
        return error_set(error, -ENOMEM, "no memory for the tables; try a smaller window (-w)");
    profile->options = *options;
    if (profile->options.event_count > SAMPLE_EVENTS_MAX)
        profile->options.event_count = SAMPLE_EVENTS_MAX;
    if (!profile->options.event_count)
        profile->options.event_count = 1;
    if (profile->options.ranking >= profile->options.event_count)
        profile->options.ranking = 0;
    measures_plan(&profile->measures, profile->options.roles, profile->options.event_count,
                  profile->options.ranking);
    profile->sharing_event = first_level_event(&profile->options);
    decay_init(&profile->decay, options->half_life_s);
    search_init(&profile->search, &options->names, options->ways, options->geometry.line_bytes);
    if (profile_tables(profile)) {
        profile_free(profile);
        return error_set(error, -ENOMEM, "no memory for the tables; try a smaller window (-w)");
    }
    *out = profile;
    return 0;
}

void profile_free(struct profile *profile)
{
    if (!profile)
        return;
    tallies_fini(&profile->objects);
    tallies_fini(&profile->holders);
    tallies_fini(&profile->functions);
    levels_table_fini(&profile->object_levels);
    levels_table_fini(&profile->offset_levels);
    levels_table_fini(&profile->function_levels);
    levels_table_fini(&profile->code_levels);
    pairs_fini(&profile->offsets);
    pairs_fini(&profile->code);
    pairs_fini(&profile->instances);
    sets_fini(&profile->sets);
    comiss_fini(&profile->comiss);
    timeline_fini(&profile->timeline);
    search_phases_fini(&profile->search_phases);
    search_before_fini(&profile->search_before);
    sharing_fini(&profile->sharing);
    unplaced_fini(&profile->unplaced);
    causes_fini(&profile->causes);
    use_fini(&profile->use);
    distances_fini(&profile->distances);
    findings_held_fini(&profile->findings_held);
    if (profile->reuse)
        reuse_fini(profile->reuse);
    free(profile->reuse);
    window_fini(&profile->window);
    thread_numbers_fini(&profile->threads);
    hash_fini(&profile->parts);
    free(profile->extras);
    free(profile->renames);
    free(profile->renamed);
    free(profile->sorted);
    free(profile);
}

static void clear_extra(struct object_extra *extra)
{
    *extra = (struct object_extra){0};
    for (int i = 0; i < SNAPSHOT_HISTORY; i++)
        extra->history[i] = NAN;
}

bool profile_grow_extras(struct profile *profile)
{
    size_t count = profile->objects.ids;
    if (profile->extra_count >= count)
        return true;
    struct object_extra *extras = realloc(profile->extras, count * sizeof *extras);
    if (!extras)
        return false;
    profile->extras = extras;
    for (size_t i = profile->extra_count; i < count; i++)
        clear_extra(&extras[i]);
    profile->extra_count = count;
    return true;
}

void profile_rescale(struct profile *profile, double factor)
{
    tallies_rescale(&profile->objects, factor);
    tallies_rescale(&profile->holders, factor);
    tallies_rescale(&profile->functions, factor);
    pairs_rescale(&profile->offsets, factor);
    pairs_rescale(&profile->code, factor);
    pairs_rescale(&profile->instances, factor);
    sets_rescale(&profile->sets, factor);
    sharing_rescale(&profile->sharing, factor);
    unplaced_rescale(&profile->unplaced, factor);
    causes_rescale(&profile->causes, factor);
    use_rescale(&profile->use, factor);
    distances_rescale(&profile->distances, factor);
    levels_table_rescale(&profile->object_levels, factor);
    levels_table_rescale(&profile->offset_levels, factor);
    levels_table_rescale(&profile->function_levels, factor);
    levels_table_rescale(&profile->code_levels, factor);
    for (int i = 0; i < SAMPLE_EVENTS_MAX; i++) {
        tally_rescale(&profile->all[i], factor);
        for (int k = 0; k < TYPED_COUNT; k++)
            profile->typed[i][k].at[BASIS_DECAYED] *= factor;
        for (int k = 0; k < UNTYPED_COUNT; k++)
            profile->untyped[i][k].at[BASIS_DECAYED] *= factor;
        levels_rescale(&profile->all_levels[i], factor);
    }
}

void profile_watch(struct profile *profile, const struct watch_result *result, uint32_t function,
                   uint64_t ip)
{
    struct watch_result now = *result;
    now.object = profile_object(profile, result->object);
    if (profile->reuse)
        reuse_add(profile->reuse, &now, function, ip);
}

void profile_lost(struct profile *profile, uint64_t count)
{
    profile->totals.lost += count;
}

void profile_throttled(struct profile *profile, uint64_t count)
{
    profile->totals.throttled += count;
}

size_t profile_stretches(const struct profile *profile, char letter, struct stretch *out,
                         size_t room)
{
    return letter < 'A' || letter >= 'A' + PHASES_MOST
               ? 0
               : phases_stretches(&profile->timeline.phases, (uint8_t)(letter - 'A'), out, room);
}

void profile_set_basis(struct profile *profile, enum snapshot_basis basis)
{
    profile->basis = basis;
}

void profile_want_accesses(struct profile *profile, bool wanted)
{
    profile->accesses_wanted = wanted;
}

enum snapshot_basis profile_basis(const struct profile *profile)
{
    return profile->basis;
}

/* What is kept for the ranking event alone starts anew. */
static void forget_ranking(struct profile *profile, uint64_t now_ns)
{
    struct search *search = &profile->search;
    window_clear(&profile->window);
    sets_clear(&profile->sets);
    timeline_clear(&profile->timeline);
    findings_held_clear(&profile->findings_held);
    if (profile->reuse)
        reuse_clear(profile->reuse);
    search_phases_clear(&profile->search_phases);
    search_before_clear(&profile->search_before);
    for (size_t i = 0; i < profile->extra_count; i++)
        clear_extra(&profile->extras[i]);
    profile->refresh_weight = 0;
    profile->refresh_samples = 0;
    if (search->state != SEARCH_OFF) {
        char what[SEARCH_WHAT];
        memcpy(what, search->what, sizeof what);
        search_start(search, search->base, search->bound, what, now_ns);
    }
}

void profile_set_ranking(struct profile *profile, uint16_t event)
{
    if (event >= profile->options.event_count || event == profile->options.ranking)
        return;
    profile->options.ranking = event;
    measures_plan(&profile->measures, profile->options.roles, profile->options.event_count, event);
    forget_ranking(profile, profile->decay.now_ns);
}

void profile_zero(struct profile *profile, uint64_t now_ns)
{
    tallies_clear(&profile->objects);
    tallies_clear(&profile->holders);
    tallies_clear(&profile->functions);
    pairs_clear(&profile->offsets);
    pairs_clear(&profile->code);
    pairs_clear(&profile->instances);
    sharing_clear(&profile->sharing);
    unplaced_clear(&profile->unplaced);
    causes_clear(&profile->causes);
    use_clear(&profile->use);
    distances_clear(&profile->distances);
    levels_table_clear(&profile->object_levels);
    levels_table_clear(&profile->offset_levels);
    levels_table_clear(&profile->function_levels);
    levels_table_clear(&profile->code_levels);
    thread_numbers_clear(&profile->threads);
    memset(profile->all, 0, sizeof profile->all);
    memset(profile->typed, 0, sizeof profile->typed);
    memset(profile->untyped, 0, sizeof profile->untyped);
    memset(profile->all_levels, 0, sizeof profile->all_levels);
    profile->totals = (struct snapshot_totals){0};
    profile->refreshed_ns = now_ns;
    forget_ranking(profile, now_ns);
}
