/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/profile.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/state.h"

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
        pairs_init(&profile->callers, CALLER_PAIRS) ||
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

/* Misses of a level are misses of all levels above it: the uppermost level has them all. */
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
    pairs_fini(&profile->callers);
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

/* The scale of decay was brought back: everything that was stored with it is too. */
static void profile_rescale(struct profile *profile, double factor)
{
    tallies_rescale(&profile->objects, factor);
    tallies_rescale(&profile->holders, factor);
    tallies_rescale(&profile->functions, factor);
    pairs_rescale(&profile->offsets, factor);
    pairs_rescale(&profile->code, factor);
    pairs_rescale(&profile->instances, factor);
    pairs_rescale(&profile->callers, factor);
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

size_t profile_time_ranges(const struct profile *profile, char letter, struct time_range *out,
                           size_t room)
{
    return letter < 'A' || letter >= 'A' + PHASES_MOST
               ? 0
               : phases_time_ranges(&profile->timeline.phases, (uint8_t)(letter - 'A'), out, room);
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

/* Counts that exist for the ranking event alone start anew. */
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
    pairs_clear(&profile->callers);
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

/* Upkeep of the tables over time: samples into the run over time, and its steps. Entry points in
 * state.h. */

/* Other measures in a sample of the ranking event. */
static void count_told(struct profile *profile, const struct timeline_part *part,
                       const struct access *access)
{
    double waited = measures_waited(&profile->measures, access);
    double missed = measures_missed(&profile->measures, access);
    if (waited > 0)
        timeline_count(&profile->timeline, part, MEASURE_WAITING, waited);
    if (missed > 0)
        timeline_count(&profile->timeline, part, MEASURE_MISSES, missed);
}

/* An attributed sample of an event that counts a measure goes into the timeline. (profile.c)
 */
static void profile_count_time(struct profile *profile, const struct place *place,
                               const struct timeline_part *part)
{
    const struct access *access = &place->access;
    enum snapshot_measure measure =
        (enum snapshot_measure)profile->measures.of_event[access->event];
    timeline_count(&profile->timeline, part, measure, tally_weight(access));
    if (access->event != profile->options.ranking)
        return;
    timeline_count_phases(&profile->timeline, place);
    if (levels_apply(access))
        count_told(profile, part, access);
}

/* The window has no weights: each of its samples gets the mean. */
static void search_again(struct profile *profile, uint64_t from_ns)
{
    const struct tally *all = &profile->all[profile->options.ranking];
    double samples = all->samples.at[BASIS_RUN];
    double weight = samples > 0 ? all->weight.at[BASIS_RUN] / samples : 1;
    for (uint32_t i = 0; i < profile->window.used; i++) {
        const struct window_entry *entry = window_at(&profile->window, i);
        if (entry->time_ns < from_ns)
            continue;
        search_tick(&profile->search, entry->time_ns);
        search_count(&profile->search, entry->address, weight);
    }
}

/* A step of the timeline is due: at the first sample, and the first after each base period. */
static void profile_step(struct profile *profile, uint64_t now_ns)
{
    struct timeline_totals totals = {.measures = &profile->measures,
                                     .objects = {&profile->objects, &profile->object_levels},
                                     .functions = {&profile->functions, &profile->function_levels},
                                     .all = profile->all,
                                     .all_levels = &profile->all_levels[profile->options.ranking],
                                     .unplaced = profile->unplaced.all,
                                     .names = &profile->options.names};
    bool changed = timeline_step(&profile->timeline, &totals, now_ns);
    uint64_t again_ns = search_phases_step(&profile->search_phases, &profile->search,
                                           &profile->timeline.phases, changed, now_ns);
    if (again_ns < now_ns)
        search_again(profile, again_ns);
}

/*
 * A place on its way into the tables. They are larger than the caches, and each sample touches
 * some twenty of their lines. So a handful of places goes in together, in three steps: hash slots
 * are prefetched, then the rows they point at, and when the last one was prefetched the first
 * one's lines are there.
 */

enum { BATCH = 16 };

/* Where an access counts besides its object and function. */
struct pair_keys {
    uint32_t owner;
    uint64_t offset;
    uint64_t offset_hash;
    uint64_t code_hash;
    uint64_t instance_hash;
};

struct adding {
    const struct place *place;
    uint32_t object; /* TALLY_IDS_MAX: it is counted in the totals only */
    uint32_t function;
    struct pair_keys keys;
};

static bool counts(const struct profile *profile, const struct access *access)
{
    return access->reason == REASON_NONE && access->event < profile->options.event_count;
}

static void prefetch_object(const struct profile *profile, uint32_t object, uint16_t event)
{
    const struct tally *tally = tallies_at(&profile->objects, object, event);
    __builtin_prefetch(&profile->extras[object], 1);
    __builtin_prefetch(&tally->samples, 1);
    __builtin_prefetch(&tally->stores, 1);
}

/* First step: ids and hashes, and what they find. */
static void adding_begin(struct profile *profile, const struct place *place, struct adding *adding)
{
    const struct access *access = &place->access;
    adding->place = place;
    adding->object = TALLY_IDS_MAX;
    if (!counts(profile, access))
        return;
    uint32_t object = tallies_reserve(&profile->objects, place->object);
    adding->function = tallies_reserve(&profile->functions, place->function);
    if (object == TALLY_IDS_MAX || adding->function == TALLY_IDS_MAX ||
        !profile_grow_extras(profile))
        return;
    adding->object = object;
    prefetch_object(profile, object, access->event);
    struct pair_keys keys = {.owner = PAIR_OWNER(object, access->event)};
    keys.offset = offset_key(place, profile->extras[object].element);
    keys.offset_hash = pairs_hash(keys.owner, keys.offset);
    keys.code_hash = pairs_hash(keys.owner, access->ip);
    keys.instance_hash = pairs_hash(keys.owner, place->base);
    pairs_prefetch(&profile->offsets, keys.offset_hash);
    pairs_prefetch(&profile->code, keys.code_hash);
    pairs_prefetch(&profile->instances, keys.instance_hash);
    window_prefetch(&profile->window, access->address);
    sharing_prefetch(&profile->sharing, access->address);
    adding->keys = keys;
}

/* Second step: the rows behind them. */
static void approach(const struct profile *profile, const struct adding *adding)
{
    const struct pair_keys *keys = &adding->keys;
    if (adding->object == TALLY_IDS_MAX)
        return;
    pairs_prefetch_row(&profile->offsets, keys->offset_hash);
    pairs_prefetch_row(&profile->code, keys->code_hash);
    pairs_prefetch_row(&profile->instances, keys->instance_hash);
    window_prefetch_entry(&profile->window, adding->place->access.address);
}

static void add_to_pair(struct pair *pair, const struct access *access, double scale)
{
    double weight = tally_weight(access);
    counted_add(&pair->samples, 1, scale);
    counted_add(&pair->weight, weight, scale);
    if (access->kind == ACCESS_LOAD || access->kind == ACCESS_LOAD_STORE)
        counted_add(&pair->loads, weight, scale);
    if (access->kind == ACCESS_STORE || access->kind == ACCESS_LOAD_STORE)
        counted_add(&pair->stores, weight, scale);
}

static void add_instance(struct pair *pair, const struct place *place, double scale)
{
    pair->size = place->size_bytes;
    pair_vote(pair, place->access.tid, scale);
    add_to_pair(pair, &place->access, scale);
}

/* Each is of a table of its own: making a row moves the others of its table. Pairs are NULL if
 * they are not hot enough. */
static struct levels_touched find_levels(struct profile *profile, const struct adding *adding,
                                         const struct pair *offset, const struct pair *code)
{
    const struct access *access = &adding->place->access;
    const struct pair_keys *keys = &adding->keys;
    size_t object = (size_t)adding->object * profile->objects.events + access->event;
    size_t function = (size_t)adding->function * profile->objects.events + access->event;
    struct levels_touched rows = {data_source_decode(access->data_src),
                                  {&profile->all_levels[access->event],
                                   levels_row(&profile->object_levels, object, 1),
                                   levels_row(&profile->function_levels, function, 1)}};
    if (offset)
        rows.at[3] = levels_row(&profile->offset_levels, (size_t)(offset - profile->offsets.at),
                                keys->offset_hash);
    if (code)
        rows.at[4] =
            levels_row(&profile->code_levels, (size_t)(code - profile->code.at), keys->code_hash);
    levels_prefetch(&rows, access);
    return rows;
}

static struct pair *add_code(struct profile *profile, const struct adding *adding, double scale)
{
    const struct place *place = adding->place;
    const struct pair_keys *keys = &adding->keys;
    struct pair *pair =
        pairs_take(&profile->code, keys->code_hash, keys->owner, place->access.ip, scale);
    if (!pair)
        return NULL;
    pair->extra = place->function;
    if (place->by_member)
        pair_vote_member(pair, offset_in_type(place), scale);
    add_to_pair(pair, &place->access, scale);
    return pair;
}

static void add_causes(struct profile *profile, const struct adding *adding,
                       const struct pair *offset, const struct pair *code, double scale)
{
    const struct access *access = &adding->place->access;
    struct causes_bins bins = {
        .object = adding->object,
        .function = adding->function,
        .thread = thread_numbers_of(&profile->threads, access->tid),
        .evictor_thread = access->evictor_tid
                              ? thread_numbers_of(&profile->threads, access->evictor_tid)
                              : UINT32_MAX,
        .offset = offset ? (size_t)(offset - profile->offsets.at) : CAUSES_NO_PAIR,
        .code = code ? (size_t)(code - profile->code.at) : CAUSES_NO_PAIR,
        .offset_hash = adding->keys.offset_hash,
        .code_hash = adding->keys.code_hash};
    causes_add(&profile->causes, &bins, adding->place, scale);
}

/* Where in its object the access was is known. */
static bool has_offset(const struct access *access)
{
    return access->how != ACCESS_OBJECT;
}

static void add_pairs(struct profile *profile, const struct adding *adding, double scale)
{
    const struct pair_keys *keys = &adding->keys;
    const struct access *access = &adding->place->access;
    bool told = levels_apply(access);
    struct pair *offset = has_offset(access) ? pairs_take(&profile->offsets, keys->offset_hash,
                                                          keys->owner, keys->offset, scale)
                                             : NULL;
    if (offset) {
        offset->size = access->size > offset->size ? access->size : offset->size;
        add_to_pair(offset, access, scale);
    }
    const struct pair *code = add_code(profile, adding, scale);
    /* Found now and filled in last: the table between them gives their lines time to come. */
    struct levels_touched rows =
        told ? find_levels(profile, adding, offset, code) : (struct levels_touched){0};
    struct pair *instance = pairs_take(&profile->instances, keys->instance_hash, keys->owner,
                                       adding->place->base, scale);
    if (instance)
        add_instance(instance, adding->place, scale);
    if (told)
        levels_add(&rows, access, scale);
    if (access->cause != CAUSE_NOT_KNOWN)
        add_causes(profile, adding, offset, code, scale);
}

static void add_to_timeline(struct profile *profile, const struct adding *adding, uint32_t thread)
{
    const struct timeline_part part = {.object = adding->object,
                                       .function = adding->function,
                                       .thread = thread,
                                       .tid = adding->place->access.tid,
                                       .offset = adding->keys.offset};
    profile_count_time(profile, adding->place, &part);
}

static void add_ranking(struct profile *profile, const struct adding *adding, double scale)
{
    const struct place *place = adding->place;
    const struct access *access = &place->access;
    struct object_extra *extra = &profile->extras[adding->object];
    uint32_t thread = thread_numbers_of(&profile->threads, access->tid);
    bool physical = profile->options.physical_index && access->physical;
    struct window_entry entry = {
        .time_ns = access->time_ns,
        .address = access->address,
        .offset = access->address - place->base,
        .object = adding->object,
        .function = place->function,
        .tid = access->tid,
        .type = place->by_member ? place->type : 0,
        .type_offset = place->type_offset,
        .weight = window_pack_weight(tally_weight(access)),
        .size = access->size < 128 ? access->size : 127,
        .waits = access->waits,
        .kept = access->kept,
        .rewritten = access->rewritten,
        .chases = access->chases,
        .again = access->again,
        .per_line = access->per_line & 7,
        .set = sets_of(&profile->sets, physical ? access->physical : access->address),
    };
    if (has_offset(access)) {
        sets_add(&profile->sets, entry.set, tally_weight(access), scale);
        window_add(&profile->window, &entry);
        search_count(&profile->search, access->address, tally_weight(access));
    }
    if (profile->reuse)
        reuse_count(profile->reuse, access->time_ns, access->tid, tally_weight(access));
    add_to_timeline(profile, adding, thread);
    extra->refresh_weight += tally_weight(access);
    profile->refresh_weight += tally_weight(access);
    extra->threads[thread / 64] |= UINT64_C(1) << thread % 64;
}

static void count_total(struct profile *profile, const struct place *place)
{
    const struct access *access = &place->access;
    bool attributed = access->reason == REASON_NONE;
    profile->totals.samples++;
    profile->totals.attributed += attributed;
    if (!attributed)
        profile->totals
            .reasons[access->reason < REASON_COUNT ? access->reason : REASON_BAD_ADDRESS]++;
    else if (access->how < ACCESS_HOW_COUNT)
        profile->totals.how[access->how]++;
    if (attributed && place->typed < TYPED_COUNT)
        profile->totals.typed[place->typed]++;
    if (attributed && place->typed == TYPED_NOT && place->untyped < UNTYPED_COUNT)
        profile->totals.untyped[place->untyped]++;
    profile->refresh_samples += access->event == profile->options.ranking;
}

static void add_typed(struct profile *profile, const struct place *place, double scale)
{
    const struct access *access = &place->access;
    double weight = tally_weight(access);
    if (place->typed < TYPED_COUNT)
        counted_add(&profile->typed[access->event][place->typed], weight, scale);
    if (place->typed == TYPED_NOT && place->untyped < UNTYPED_COUNT)
        counted_add(&profile->untyped[access->event][place->untyped], weight, scale);
}

static void add_to_holder(struct profile *profile, const struct place *place, double scale)
{
    uint32_t holder = tallies_reserve(&profile->holders, place->holder);
    if (holder != TALLY_IDS_MAX)
        tally_add(tallies_at(&profile->holders, holder, place->access.event), place, scale);
}

/* `object` is TALLY_IDS_MAX where it is not known; the node says which function was sampled. */
static void add_caller(struct profile *profile, const struct place *place, uint32_t object,
                       double scale)
{
    uint32_t owner = PAIR_OWNER(object, place->access.event);
    struct pair *pair = place->caller
                            ? pairs_take(&profile->callers, pairs_hash(owner, place->caller), owner,
                                         place->caller, scale)
                            : NULL;
    if (!pair)
        return;
    counted_add(&pair->samples, 1, scale);
    counted_add(&pair->weight, tally_weight(&place->access), scale);
}

/* Third step: the counting. */
static void adding_finish(struct profile *profile, const struct adding *adding)
{
    const struct place *place = adding->place;
    const struct access *access = &place->access;
    uint32_t object = adding->object;
    double factor;
    double scale = decay_advance(&profile->decay, access->time_ns);
    if (!profile->refreshed_ns)
        profile->refreshed_ns = access->time_ns;
    search_tick(&profile->search, access->time_ns);
    if (access->time_ns >= profile->timeline.next_ns)
        profile_step(profile, access->time_ns);
    if (access->reason == REASON_AGENT) {
        profile->totals.agent++;
        return;
    }
    count_total(profile, place);
    if (access->reason != REASON_NONE && access->event < profile->options.event_count) {
        unplaced_add(&profile->unplaced, &profile->functions, place, scale);
        if (access_is_for_data((enum reason)access->reason))
            add_caller(profile, place, TALLY_IDS_MAX, scale);
    }
    if (object == TALLY_IDS_MAX)
        return;
    tally_add(&profile->all[access->event], place, scale);
    add_typed(profile, place, scale);
    tally_add(tallies_at(&profile->objects, object, access->event), place, scale);
    tally_add(tallies_at(&profile->functions, adding->function, access->event), place, scale);
    if (place->holder)
        add_to_holder(profile, place, scale);
    add_pairs(profile, adding, scale);
    add_caller(profile, place, object, scale);
    if (has_offset(access) && profile_shares(profile, access->event))
        sharing_add(&profile->sharing, place, scale);
    if (profile->options.lines && profile->options.roles[access->event] != EVENT_ACCESS)
        use_fetched(&profile->use, place, object, adding->keys.offset);
    if (place->typed < TYPED_COUNT)
        profile->extras[object].typed[place->typed]++;
    if (access->event == profile->options.ranking)
        add_ranking(profile, adding, scale);
    else if (profile->measures.of_event[access->event] < SNAPSHOT_MEASURES)
        add_to_timeline(profile, adding, thread_numbers_of(&profile->threads, access->tid));
    if (decay_renormalise(&profile->decay, &factor))
        profile_rescale(profile, factor);
}

static void add_batch(struct profile *profile, const struct place *places, size_t count)
{
    struct adding adding[BATCH];
    for (size_t i = 0; i < count; i++)
        adding_begin(profile, &places[i], &adding[i]);
    for (size_t i = 0; i < count; i++)
        approach(profile, &adding[i]);
    for (size_t i = 0; i < count; i++)
        adding_finish(profile, &adding[i]);
}

/* Places that were on their way, or were written down, while an object was renamed. */
static void add_renamed(struct profile *profile, const struct place *places, size_t count)
{
    struct place renamed[BATCH];
    for (size_t i = 0; i < count; i++) {
        renamed[i] = places[i];
        profile_rename_place(profile, &renamed[i]);
    }
    add_batch(profile, renamed, count);
}

bool profile_asks(const struct profile *profile, uint64_t time_ns)
{
    return time_ns >= profile->timeline.next_ns || profile->search.state != SEARCH_OFF;
}

void profile_add_all(struct profile *profile, const struct place *places, size_t count)
{
    for (size_t done = 0; done < count; done += BATCH) {
        size_t some = count - done < BATCH ? count - done : BATCH;
        if (profile->renamed)
            add_renamed(profile, &places[done], some);
        else
            add_batch(profile, &places[done], some);
    }
}

void profile_add(struct profile *profile, const struct place *place)
{
    profile_add_all(profile, place, 1);
}

/* Line events of a simulation, on their way into the tables. */

static void add_line(struct profile *profile, const struct line_place *told)
{
    const struct line_event *line = &told->line;
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

/* The n-way search of a profile. */

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
