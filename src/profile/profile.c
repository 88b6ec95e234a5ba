/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/profile.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/state.h"

/*
 * Places that differ only in address and time form a group, for the duration of the caller's batch;
 * the rows that all of them count in are written once per group. Counts that depend on the address,
 * or on the order of samples, are made for each place.
 *
 * The tables are larger than the caches. Therefore places are added a few at a time, in three
 * steps: prefetch the hash slots, prefetch the rows that they point to, then count. By the time the
 * last row is prefetched, the first is cached.
 */

enum { BATCH = 16, GROUPS = 512, GROUP_SLOTS = 2 * GROUPS, NO_THREAD = UINT32_MAX };

/* Has no padding: keys are compared as words. */
struct group_key {
    uint64_t ip;
    uint64_t base;
    uint32_t object;
    uint32_t function;
    uint32_t bin_object;
    uint32_t tid;
    uint32_t type;
    uint32_t type_offset;
    uint8_t event;
    uint8_t kind;
    uint8_t how;
    uint8_t reason;
    uint8_t typed;
    uint8_t untyped;
    uint8_t unit;
    bool by_member : 1;
    bool stacks : 1;
};

enum { KEY_WORDS = sizeof(struct group_key) / sizeof(uint64_t) };
_Static_assert(sizeof(struct group_key) == 48, "no padding");

/* The row of a pair that counts all samples of a group, as long as the row belongs to the pair. */
struct cached_row {
    struct pairs *pairs; /* NULL: the group counts in none */
    struct pair *row;    /* NULL: not hot enough */
    uint64_t generation; /* pair.generation of the row; differs once the row was evicted */
    uint64_t hash;
    uint64_t key;
    uint32_t owner;
};

struct group {
    union {
        struct group_key key;
        uint64_t words[KEY_WORDS];
    };
    struct sums sums; /* not yet in the tables */
    uint32_t slot;
    uint32_t object;          /* id it counts under; TALLY_IDS_MAX: only in the totals */
    uint32_t function;        /* id it counts under */
    uint32_t thread;          /* dense number; NO_THREAD: no thread is counted */
    struct cached_row offset; /* for members, which have one offset in all instances */
    struct cached_row code;
    struct cached_row instance;
};

struct groups {
    struct group at[GROUPS];
    uint32_t count;
    uint16_t slots[GROUP_SLOTS]; /* index + 1 into at; 0: free */
};

static int profile_tables(struct profile *profile)
{
    const struct profile_options *options = &profile->options;
    tallies_init(&profile->objects, options->event_count);
    tallies_init(&profile->bin_objects, options->event_count);
    tallies_init(&profile->functions, options->event_count);
    profile->sorted = malloc(OFFSET_PAIRS * sizeof *profile->sorted);
    profile->groups = calloc(1, sizeof *profile->groups);
    if (!profile->sorted || !profile->groups || pairs_init(&profile->offsets, OFFSET_PAIRS) ||
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
    return window_init(
        &profile->window, options->window_entries,
        (unsigned)__builtin_ctz(options->geometry.line_bytes ? options->geometry.line_bytes : 64));
}

/* Misses of a level are also misses of all levels above, so the first level has them all. */
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
        return error_set(error, -EINVAL, "the cache has no sets; specify -C L1=32K,8,64");
    struct profile *profile = calloc(1, sizeof *profile);
    if (!profile)
        return error_set(error, -ENOMEM, "out of memory for the tables; try a smaller window (-w)");
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
        return error_set(error, -ENOMEM, "out of memory for the tables; try a smaller window (-w)");
    }
    *out = profile;
    return 0;
}

void profile_free(struct profile *profile)
{
    if (!profile)
        return;
    tallies_fini(&profile->objects);
    tallies_fini(&profile->bin_objects);
    tallies_fini(&profile->functions);
    count_rows_fini(&profile->object_levels);
    count_rows_fini(&profile->offset_levels);
    count_rows_fini(&profile->function_levels);
    count_rows_fini(&profile->code_levels);
    pairs_fini(&profile->offsets);
    pairs_fini(&profile->code);
    pairs_fini(&profile->instances);
    pairs_fini(&profile->callers);
    sets_fini(&profile->sets);
    comiss_fini(&profile->comiss);
    timeline_fini(&profile->timeline);
    search_phases_fini(&profile->search_phases);
    search_history_fini(&profile->search_history);
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
    hash_fini(&profile->threads.number_of_tid);
    hash_fini(&profile->parts);
    free(profile->extras);
    free(profile->renames);
    free(profile->renamed);
    free(profile->sorted);
    free(profile->groups);
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
    size_t had = profile->extra_count;
    if (!array_reserve_exact(&profile->extras, &profile->extra_count, count,
                             sizeof *profile->extras))
        return false;
    for (size_t i = had; i < count; i++)
        clear_extra(&profile->extras[i]);
    return true;
}

/* Rescales everything stored with the scale of decay, which was reset. */
static void profile_rescale(struct profile *profile, double factor)
{
    tallies_rescale(&profile->objects, factor);
    tallies_rescale(&profile->bin_objects, factor);
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
    levels_rows_rescale(&profile->object_levels, factor);
    levels_rows_rescale(&profile->offset_levels, factor);
    levels_rows_rescale(&profile->function_levels, factor);
    levels_rows_rescale(&profile->code_levels, factor);
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
    return letter < 'A' || letter >= 'A' + PHASES_MAX
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

/* Resets the counts that exist only for the ranking event. */
static void clear_ranking_counts(struct profile *profile, uint64_t now_ns)
{
    struct search *search = &profile->search;
    window_clear(&profile->window);
    sets_clear(&profile->sets);
    timeline_fini(&profile->timeline);
    memset(&profile->timeline, 0, sizeof profile->timeline);
    profile->findings_held.count = 0;
    if (profile->reuse)
        reuse_clear(profile->reuse);
    search_phases_clear(&profile->search_phases);
    search_history_clear(&profile->search_history);
    for (size_t i = 0; i < profile->extra_count; i++)
        clear_extra(&profile->extras[i]);
    profile->refresh_weight = 0;
    profile->refresh_samples = 0;
    if (search->state != SEARCH_OFF) {
        char what[SEARCH_NAME_BYTES];
        memcpy(what, search->range_name, sizeof what);
        search_start(search, search->base, search->bound, what, now_ns);
    }
}

void profile_set_ranking(struct profile *profile, uint16_t event)
{
    if (event >= profile->options.event_count || event == profile->options.ranking)
        return;
    profile->options.ranking = event;
    measures_plan(&profile->measures, profile->options.roles, profile->options.event_count, event);
    clear_ranking_counts(profile, profile->decay.now_ns);
}

void profile_zero(struct profile *profile, uint64_t now_ns)
{
    tallies_clear(&profile->objects);
    tallies_clear(&profile->bin_objects);
    tallies_clear(&profile->functions);
    pairs_clear(&profile->offsets);
    pairs_clear(&profile->code);
    pairs_clear(&profile->instances);
    pairs_clear(&profile->callers);
    sharing_clear(&profile->sharing);
    unplaced_clear(&profile->unplaced);
    causes_fini(&profile->causes);
    use_clear(&profile->use);
    distances_fini(&profile->distances);
    count_rows_clear(&profile->object_levels);
    count_rows_clear(&profile->offset_levels);
    count_rows_clear(&profile->function_levels);
    count_rows_clear(&profile->code_levels);
    hash_clear(&profile->threads.number_of_tid);
    memset(profile->all, 0, sizeof profile->all);
    memset(profile->typed, 0, sizeof profile->typed);
    memset(profile->untyped, 0, sizeof profile->untyped);
    memset(profile->all_levels, 0, sizeof profile->all_levels);
    profile->totals = (struct snapshot_totals){0};
    profile->refreshed_ns = now_ns;
    clear_ranking_counts(profile, now_ns);
}

/* The run over time: counting of samples, and its steps. */

static void count_measure(struct profile *profile, const struct timeline_part *part,
                          enum snapshot_measure measure, double weight)
{
    timeline_count(&profile->timeline, part->object, part->function, part->thread, measure, weight);
    timeline_count_sample(&profile->timeline, part, measure, weight);
}

/* Counts the other measures in a sample of the ranking event. */
static void count_measures(struct profile *profile, const struct timeline_part *part,
                           const struct access *access)
{
    double waited = measures_waited(&profile->measures, access);
    double missed = measures_missed(&profile->measures, access);
    if (waited > 0)
        count_measure(profile, part, MEASURE_WAITING, waited);
    if (missed > 0)
        count_measure(profile, part, MEASURE_MISSES, missed);
}

/* Counts the sums of a sample over time that its group does not count. */
static void count_sample_over_time(struct profile *profile, const struct timeline_part *part,
                                   enum snapshot_measure measure, const struct access *access)
{
    timeline_count_sample(&profile->timeline, part, measure, tally_weight(access));
    if (access->event == profile->options.ranking && levels_apply(access))
        count_measures(profile, part, access);
}

/* Counts the window again in the search, each sample with the mean weight of the run. */
static void search_recount_window(struct profile *profile, uint64_t from_ns)
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

/* Runs a step of the timeline at the first sample, and after each base period. */
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
        search_recount_window(profile, again_ns);
}

static void add_group_over_time(struct profile *profile, const struct group *group)
{
    const struct sums *sums = &group->sums;
    uint16_t event = group->key.event;
    bool ranks = event == profile->options.ranking;
    enum snapshot_measure measure = (enum snapshot_measure)profile->measures.of_event[event];
    struct object_extra *extra = &profile->extras[group->object];
    if (group->thread == NO_THREAD)
        return;
    timeline_count(&profile->timeline, group->object, group->function, group->thread, measure,
                   sums->weight.at[BASIS_RUN]);
    if (!ranks)
        return;
    timeline_count_phases(&profile->timeline,
                          group->key.bin_object ? group->key.bin_object : group->key.object,
                          sums->samples.at[BASIS_RUN]);
    extra->refresh_weight += sums->weight.at[BASIS_RUN];
    profile->refresh_weight += sums->weight.at[BASIS_RUN];
    extra->threads[group->thread / 64] |= UINT64_C(1) << group->thread % 64;
}

static void count_totals(struct profile *profile, const struct group_key *key, uint64_t samples)
{
    struct snapshot_totals *totals = &profile->totals;
    totals->samples += samples;
    profile->refresh_samples += key->event == profile->options.ranking ? samples : 0;
    if (key->reason != REASON_NONE) {
        totals->reasons[key->reason < REASON_COUNT ? key->reason : REASON_BAD_ADDRESS] += samples;
        return;
    }
    totals->attributed += samples;
    if (key->how < ACCESS_HOW_COUNT)
        totals->how[key->how] += samples;
    if (key->typed < TYPED_COUNT)
        totals->typed[key->typed] += samples;
    if (key->typed == TYPED_NONE && key->untyped < UNTYPED_COUNT)
        totals->untyped[key->untyped] += samples;
}

static void add_typed(struct profile *profile, const struct group *group)
{
    const struct group_key *key = &group->key;
    const struct counted *weight = &group->sums.weight;
    if (key->typed < TYPED_COUNT) {
        counted_join(&profile->typed[key->event][key->typed], weight);
        profile->extras[group->object].typed[key->typed] +=
            (uint32_t)group->sums.samples.at[BASIS_RUN];
    }
    if (key->typed == TYPED_NONE && key->untyped < UNTYPED_COUNT)
        counted_join(&profile->untyped[key->event][key->untyped], weight);
}

static void add_to_holder(struct profile *profile, const struct group *group)
{
    uint32_t holder = tallies_reserve(&profile->bin_objects, group->key.bin_object);
    if (holder != TALLY_IDS_MAX)
        tally_add(tallies_at(&profile->bin_objects, holder, group->key.event), &group->sums);
}

/* Adds to a held row. If another pair took the row over, its counts are lost, and so are these. */
static void add_to_held_row(const struct cached_row *held, const struct sums *sums)
{
    if (held->row && held->row->generation == held->generation)
        pair_add(held->row, sums);
}

/* Moves the pending samples of a group into the tables. */
static void add_group(struct profile *profile, struct group *group)
{
    const struct group_key *key = &group->key;
    struct sums *sums = &group->sums;
    if (!sums->samples.at[BASIS_RUN])
        return;
    count_totals(profile, key, (uint64_t)sums->samples.at[BASIS_RUN]);
    add_to_held_row(&group->code, sums);
    if (key->reason != REASON_NONE && key->event < profile->options.event_count) {
        unplaced_add(&profile->unplaced, key->event, (enum reason)key->reason,
                     group->code.pairs
                         ? tallies_at(&profile->unplaced.functions, group->function, key->event)
                         : NULL,
                     sums);
    } else if (group->object != TALLY_IDS_MAX) {
        tally_add(&profile->all[key->event], sums);
        tally_add(tallies_at(&profile->objects, group->object, key->event), sums);
        tally_add(tallies_at(&profile->functions, group->function, key->event), sums);
        add_typed(profile, group);
        if (key->bin_object)
            add_to_holder(profile, group);
        add_to_held_row(&group->offset, sums);
        add_to_held_row(&group->instance, sums);
        add_group_over_time(profile, group);
    }
    sums_clear(sums);
}

static void add_groups(struct profile *profile)
{
    for (uint32_t i = 0; i < profile->groups->count; i++)
        add_group(profile, &profile->groups->at[i]);
}

static void forget_groups(struct profile *profile)
{
    struct groups *groups = profile->groups;
    add_groups(profile);
    for (uint32_t i = 0; i < groups->count; i++)
        groups->slots[groups->at[i].slot] = 0;
    groups->count = 0;
}

/* Adds a sample's credit to the held row; takes another row if the row was evicted. */
static void credit_held_row(struct profile *profile, struct group *group, struct cached_row *held,
                            double scale)
{
    if (!held->pairs)
        return;
    if (held->row && held->row->generation == held->generation) {
        pairs_credit(held->pairs, held->row, scale);
        return;
    }
    add_group(profile, group);
    held->row = pairs_take(held->pairs, held->hash, held->owner, held->key, scale);
    held->generation = held->row ? held->row->generation : 0;
}

static struct cached_row make_held(struct pairs *pairs, uint32_t owner, uint64_t key)
{
    return (struct cached_row){
        .pairs = pairs, .hash = pairs_hash(owner, key), .key = key, .owner = owner};
}

static void find_rows_unplaced(struct profile *profile, struct group *group)
{
    const struct group_key *key = &group->key;
    if (!key->function)
        return;
    uint32_t id = tallies_reserve(&profile->functions, key->function);
    if (id == TALLY_IDS_MAX || tallies_reserve(&profile->unplaced.functions, id) != id)
        return;
    group->function = id;
    group->code = make_held(&profile->unplaced.code, PAIR_OWNER(id, key->event), key->ip);
}

static void find_rows(struct profile *profile, struct group *group, const struct place *place)
{
    const struct group_key *key = &group->key;
    group->object = TALLY_IDS_MAX;
    if (key->event >= profile->options.event_count)
        return;
    if (key->reason != REASON_NONE) {
        find_rows_unplaced(profile, group);
        return;
    }
    uint32_t object = tallies_reserve(&profile->objects, key->object);
    group->function = tallies_reserve(&profile->functions, key->function);
    if (object == TALLY_IDS_MAX || group->function == TALLY_IDS_MAX ||
        !profile_grow_extras(profile))
        return;
    group->object = object;
    uint32_t owner = PAIR_OWNER(object, key->event);
    if (key->by_member && key->how != ACCESS_IN_OBJECT)
        group->offset = make_held(&profile->offsets, owner,
                                  offset_key(place, profile->extras[object].element_bytes));
    group->code = make_held(&profile->code, owner, key->ip);
    group->instance = make_held(&profile->instances, owner, key->base);
}

/* Samples without an object are not counted by address, thread or type, so these are 0. */
static struct group_key group_key_of_place(const struct place *place, bool counted)
{
    const struct access *access = &place->access;
    bool placed = access->reason == REASON_NONE;
    bool by_code = placed || access_is_for_data((enum reason)access->reason);
    struct group_key key = {.ip = by_code ? access->ip : 0,
                            .function = by_code ? place->function : 0,
                            .event = counted ? (uint8_t)access->event : UINT8_MAX,
                            .kind = access->kind,
                            .how = access->how,
                            .reason = access->reason,
                            .stacks = place->caller};
    if (!placed)
        return key;
    key.base = place->base;
    key.object = place->object;
    key.bin_object = place->bin_object;
    key.tid = access->tid;
    key.type = place->type;
    key.type_offset = place->type_offset;
    key.typed = place->typed;
    key.untyped = place->untyped;
    key.unit = place->unit;
    key.by_member = place->by_member;
    return key;
}

static uint32_t hash_of(const uint64_t *words)
{
    uint64_t hash = 0;
    for (int i = 0; i < KEY_WORDS; i++)
        hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(hash >> 32);
}

static bool same_group_key(const uint64_t *left, const uint64_t *right)
{
    uint64_t differ = 0;
    for (int i = 0; i < KEY_WORDS; i++)
        differ |= left[i] ^ right[i];
    return !differ;
}

static struct group *group_of(struct profile *profile, const struct place *place)
{
    struct groups *groups = profile->groups;
    struct group_key key =
        group_key_of_place(place, place->access.event < profile->options.event_count);
    uint64_t words[KEY_WORDS];
    memcpy(words, &key, sizeof words);
    uint32_t slot = hash_of(words) % GROUP_SLOTS;
    for (; groups->slots[slot]; slot = (slot + 1) % GROUP_SLOTS)
        if (same_group_key(groups->at[groups->slots[slot] - 1].words, words))
            return &groups->at[groups->slots[slot] - 1];
    struct group *group = &groups->at[groups->count++];
    groups->slots[slot] = (uint16_t)groups->count;
    *group = (struct group){.key = key,
                            .slot = slot,
                            .thread = NO_THREAD,
                            .sums = {.kind = key.kind, .how = key.how, .stacks = key.stacks}};
    find_rows(profile, group, place);
    return group;
}

/* A fast path: most places follow one of their own group. */
static bool same_group_place(const struct place *left, const struct place *right)
{
    const struct access *a = &left->access;
    const struct access *b = &right->access;
    return a->ip == b->ip && left->base == right->base && left->object == right->object &&
           left->function == right->function && left->bin_object == right->bin_object &&
           a->tid == b->tid && left->type == right->type &&
           left->type_offset == right->type_offset && a->event == b->event && a->kind == b->kind &&
           a->how == b->how && a->reason == b->reason && left->typed == right->typed &&
           left->untyped == right->untyped && left->unit == right->unit &&
           left->by_member == right->by_member && !left->caller == !right->caller;
}

struct place_addition {
    const struct place *place;
    struct group *group;
    uint64_t offset;
    uint64_t offset_hash;
};

/* First step: finds the group, and prefetches the hash slots of the address. */
static void adding_begin(struct profile *profile, const struct place *place,
                         const struct place_addition *before, struct place_addition *adding)
{
    const struct access *access = &place->access;
    adding->place = place;
    adding->group =
        before && same_group_place(place, before->place) ? before->group : group_of(profile, place);
    const struct group *group = adding->group;
    if (group->object == TALLY_IDS_MAX)
        return;
    adding->offset = group->offset.key;
    adding->offset_hash = group->offset.hash;
    if (!group->offset.pairs) {
        adding->offset = offset_key(place, profile->extras[group->object].element_bytes);
        adding->offset_hash = pairs_hash(PAIR_OWNER(group->object, access->event), adding->offset);
        pairs_prefetch(&profile->offsets, adding->offset_hash);
    }
    window_prefetch(&profile->window, access->address);
    sharing_prefetch(&profile->sharing, access->address);
}

/* Second step: prefetches the rows in those slots. */
static void prefetch_rows(const struct profile *profile, const struct place_addition *adding)
{
    if (adding->group->object == TALLY_IDS_MAX)
        return;
    if (!adding->group->offset.pairs)
        pairs_prefetch_row(&profile->offsets, adding->offset_hash);
    window_prefetch_entry(&profile->window, adding->place->access.address);
}

static struct levels *make_levels(struct count_rows *rows, size_t slot, uint64_t key)
{
    return count_rows_make(rows, sizeof(struct levels), slot, key);
}

/* Finds the level rows of an access. Each row is from a separate table, because making a row moves
 * the others of its table. Pairs are NULL if they are not hot enough. */
static struct levels_touched
find_levels(struct profile *profile, const struct place_addition *adding, const struct pair *offset)
{
    const struct access *access = &adding->place->access;
    const struct group *group = adding->group;
    const struct pair *code = group->code.row;
    size_t object = (size_t)group->object * profile->objects.events + access->event;
    size_t function = (size_t)group->function * profile->objects.events + access->event;
    struct levels_touched rows = {data_source_decode(access->data_src),
                                  {&profile->all_levels[access->event],
                                   make_levels(&profile->object_levels, object, 1),
                                   make_levels(&profile->function_levels, function, 1)}};
    if (offset)
        rows.at[3] = make_levels(&profile->offset_levels, (size_t)(offset - profile->offsets.at),
                                 adding->offset_hash);
    if (code)
        rows.at[4] =
            make_levels(&profile->code_levels, (size_t)(code - profile->code.at), group->code.hash);
    levels_prefetch(&rows, access);
    return rows;
}

static void add_causes(struct profile *profile, const struct place_addition *adding,
                       const struct pair *offset, double scale)
{
    const struct access *access = &adding->place->access;
    const struct group *group = adding->group;
    const struct pair *code = group->code.row;
    struct causes_bins bins = {
        .object = group->object,
        .function = group->function,
        .thread = thread_numbers_of(&profile->threads, access->tid),
        .evictor_thread = access->evictor_tid
                              ? thread_numbers_of(&profile->threads, access->evictor_tid)
                              : UINT32_MAX,
        .offset = offset ? (size_t)(offset - profile->offsets.at) : CAUSES_NO_PAIR,
        .code = code ? (size_t)(code - profile->code.at) : CAUSES_NO_PAIR,
        .offset_hash = adding->offset_hash,
        .code_hash = group->code.hash};
    causes_add(&profile->causes, &bins, adding->place, scale);
}

static bool has_offset(const struct access *access)
{
    return access->how != ACCESS_IN_OBJECT;
}

/* Counts the offset and returns its row; NULL: none. */
static struct pair *add_offset(struct profile *profile, const struct place_addition *adding,
                               double scale)
{
    const struct access *access = &adding->place->access;
    struct group *group = adding->group;
    struct pair *pair = NULL;
    if (group->offset.pairs) {
        credit_held_row(profile, group, &group->offset, scale);
        pair = group->offset.row;
    } else if (has_offset(access)) {
        pair = pairs_take(&profile->offsets, adding->offset_hash,
                          PAIR_OWNER(group->object, access->event), adding->offset, scale);
        struct sums one = {.kind = access->kind};
        sums_add(&one, tally_weight(access), scale);
        if (pair)
            pair_add(pair, &one);
    }
    if (pair)
        pair->size = access->size > pair->size ? access->size : pair->size;
    return pair;
}

/* Adds data of a sample that its group lacks: credits, votes, sizes, levels and causes. */
static void add_pairs(struct profile *profile, const struct place_addition *adding, double scale)
{
    const struct place *place = adding->place;
    const struct access *access = &place->access;
    struct group *group = adding->group;
    bool with_levels = levels_apply(access);
    const struct pair *offset = add_offset(profile, adding, scale);
    credit_held_row(profile, group, &group->code, scale);
    /* Found here but filled in last, so that the prefetched lines arrive in between. */
    struct levels_touched rows =
        with_levels ? find_levels(profile, adding, offset) : (struct levels_touched){0};
    credit_held_row(profile, group, &group->instance, scale);
    if (group->code.row) {
        group->code.row->extra = place->function;
        if (place->by_member)
            pair_vote_member(group->code.row, offset_in_type(place), scale);
    }
    if (group->instance.row) {
        /* A heap block's address (its holder is known) may have had several blocks in turn. */
        if (!place->bin_object || place->size_bytes > group->instance.row->size)
            group->instance.row->size = place->size_bytes;
        pair_vote(group->instance.row, access->tid, scale);
    }
    if (with_levels)
        levels_add(&rows, access, scale);
    if (access->cause != CAUSE_NOT_KNOWN)
        add_causes(profile, adding, offset, scale);
}

static void add_ranking(struct profile *profile, const struct place_addition *adding, double scale)
{
    const struct place *place = adding->place;
    const struct access *access = &place->access;
    struct window_entry entry = {
        .time_ns = access->time_ns,
        .address = access->address,
        .offset = access->address - place->base,
        .object = adding->group->object,
        .function = place->function,
        .tid = access->tid,
        .type = place->by_member ? place->type : 0,
        .type_offset = place->type_offset,
        .weight = window_pack_weight(tally_weight(access)),
        .size = access->size < 128 ? access->size : 127,
        .is_spinning = access->is_spinning,
        .is_spill_slot = access->is_spill_slot,
        .is_stored_in_loop = access->is_stored_in_loop,
        .is_pointer_chase = access->is_pointer_chase,
        .line_was_accessed = access->line_was_accessed && !access->flushes_line,
        .per_line_log2 = access->flushes_line ? 0 : access->per_line_log2 & 7,
        .set = sets_of(&profile->sets, access->address),
    };
    profile->extras[entry.object].flushed |= access->flushes_line;
    if (has_offset(access)) {
        sets_add(&profile->sets, entry.set, tally_weight(access), scale);
        window_add(&profile->window, &entry);
        search_count(&profile->search, access->address, tally_weight(access));
    }
    if (profile->reuse)
        reuse_count(profile->reuse, access->time_ns, access->tid, tally_weight(access));
}

static void add_place_over_time(struct profile *profile, const struct place_addition *adding,
                                enum snapshot_measure measure)
{
    struct group *group = adding->group;
    const struct access *access = &adding->place->access;
    if (group->thread == NO_THREAD)
        group->thread = thread_numbers_of(&profile->threads, access->tid);
    const struct timeline_part part = {.object = group->object,
                                       .function = group->function,
                                       .thread = group->thread,
                                       .tid = access->tid,
                                       .offset = adding->offset};
    count_sample_over_time(profile, &part, measure, access);
}

/* Counts the caller of a sample. `object`: TALLY_IDS_MAX if not known; the caller node identifies
 * the sampled function. */
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

static void add_unplaced(struct profile *profile, const struct place_addition *adding, double scale)
{
    const struct access *access = &adding->place->access;
    struct group *group = adding->group;
    credit_held_row(profile, group, &group->code, scale);
    if (group->code.row)
        pair_vote(group->code.row, access->reason, scale); /* majority vote on the reason */
    if (access_is_for_data((enum reason)access->reason))
        add_caller(profile, adding->place, TALLY_IDS_MAX, scale);
}

static void add_placed(struct profile *profile, const struct place_addition *adding, double scale)
{
    const struct place *place = adding->place;
    const struct access *access = &place->access;
    struct group *group = adding->group;
    enum snapshot_measure measure =
        (enum snapshot_measure)profile->measures.of_event[access->event];
    add_pairs(profile, adding, scale);
    add_caller(profile, place, group->object, scale);
    if (has_offset(access) && profile_shares(profile, access->event))
        sharing_add(&profile->sharing, place, scale);
    if (profile->options.lines && profile->options.roles[access->event] != EVENT_ACCESS)
        use_fetched(&profile->use, place, group->object, adding->offset);
    if (access->event == profile->options.ranking)
        add_ranking(profile, adding, scale);
    if (access->event == profile->options.ranking || measure < SNAPSHOT_MEASURES)
        add_place_over_time(profile, adding, measure);
}

/* Third step: counts the place. */
static void adding_finish(struct profile *profile, const struct place_addition *adding)
{
    const struct access *access = &adding->place->access;
    struct group *group = adding->group;
    double factor;
    double scale = decay_advance(&profile->decay, access->time_ns);
    if (!profile->refreshed_ns)
        profile->refreshed_ns = access->time_ns;
    search_tick(&profile->search, access->time_ns);
    if (access->time_ns >= profile->timeline.next_ns) {
        add_groups(profile);
        profile_step(profile, access->time_ns);
    }
    if (access->reason == REASON_AGENT) {
        profile->totals.agent++;
        return;
    }
    if (group->object != TALLY_IDS_MAX)
        add_placed(profile, adding, scale);
    else if (access->reason != REASON_NONE && access->event < profile->options.event_count)
        add_unplaced(profile, adding, scale);
    sums_add(&group->sums, tally_weight(access), scale);
    if (decay_renormalise(&profile->decay, &factor)) {
        add_groups(profile);
        profile_rescale(profile, factor);
    }
}

static void add_place_batch(struct profile *profile, const struct place *places, size_t count)
{
    struct place_addition adding[BATCH];
    if (profile->groups->count + count > GROUPS)
        forget_groups(profile);
    for (size_t i = 0; i < count; i++)
        adding_begin(profile, &places[i], i ? &adding[i - 1] : NULL, &adding[i]);
    for (size_t i = 0; i < count; i++)
        prefetch_rows(profile, &adding[i]);
    for (size_t i = 0; i < count; i++)
        adding_finish(profile, &adding[i]);
}

/* Adds places that were queued or recorded before an object was renamed. */
static void add_renamed(struct profile *profile, const struct place *places, size_t count)
{
    struct place renamed[BATCH];
    for (size_t i = 0; i < count; i++) {
        renamed[i] = places[i];
        profile_rename_place(profile, &renamed[i]);
    }
    add_place_batch(profile, renamed, count);
}

bool profile_needs_names(const struct profile *profile, uint64_t time_ns)
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
            add_place_batch(profile, &places[done], some);
    }
    forget_groups(profile);
}

void profile_add(struct profile *profile, const struct place *place)
{
    profile_add_all(profile, place, 1);
}

/* ---- line events of a simulation ---- */

static void add_line(struct profile *profile, const struct line_place *at)
{
    const struct line_event *line = &at->line;
    struct place renamed = at->place;
    const struct place *place = &renamed;
    profile_rename_place(profile, &renamed);
    uint32_t object = tallies_reserve(&profile->objects, place->object);
    uint32_t function = tallies_reserve(&profile->functions, place->function);
    if (object == TALLY_IDS_MAX || function == TALLY_IDS_MAX || !profile_grow_extras(profile))
        return;
    double factor;
    double scale = decay_advance(&profile->decay, place->access.time_ns);
    if (line->kind == LINE_LEFT) {
        uint64_t offset = offset_key(place, profile->extras[object].element_bytes);
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

void profile_search_start(struct profile *profile, uint64_t base, uint64_t bound, const char *what,
                          uint64_t now_ns)
{
    const struct search *search = &profile->search;
    if (search->base != base || search->bound != bound)
        search_history_put(&profile->search_history, search);
    search_phases_clear(&profile->search_phases);
    search_start(&profile->search, base, bound, what, now_ns);
}

void profile_search_stop(struct profile *profile)
{
    search_history_clear(&profile->search_history);
    search_phases_clear(&profile->search_phases);
    search_stop(&profile->search);
}

bool profile_search_back(struct profile *profile, uint64_t now_ns)
{
    if (!search_history_take(&profile->search_history, &profile->search, now_ns))
        return false;
    search_phases_clear(&profile->search_phases);
    return true;
}

enum search_state profile_search_state(const struct profile *profile)
{
    return profile->search.state;
}

void profile_search_like(struct profile *profile, const struct profile *other, uint64_t now_ns)
{
    const struct search *search = &other->search;
    if (search->state != SEARCH_OFF)
        search_start(&profile->search, search->base, search->bound, search->range_name, now_ns);
}

void profile_search_add(struct profile *profile, const struct place *place, uint64_t now_ns)
{
    search_tick(&profile->search, now_ns);
    if (place->access.reason == REASON_NONE && place->access.event == profile->options.ranking)
        search_count(&profile->search, place->access.address, tally_weight(&place->access));
}
