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
        sharing_init(&profile->sharing))
        return -ENOMEM;
    return window_init(&profile->window, options->window_entries,
                       shift_of(options->geometry.line_bytes));
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
    pairs_fini(&profile->offsets);
    pairs_fini(&profile->code);
    pairs_fini(&profile->instances);
    sets_fini(&profile->sets);
    comiss_fini(&profile->comiss);
    sharing_fini(&profile->sharing);
    window_fini(&profile->window);
    hash_fini(&profile->threads);
    hash_fini(&profile->parts);
    free(profile->extras);
    free(profile->sorted);
    free(profile);
}

static void clear_extra(struct object_extra *extra)
{
    *extra = (struct object_extra){0};
    for (int i = 0; i < SNAPSHOT_HISTORY; i++)
        extra->history[i] = NAN;
}

static bool grow_extras(struct profile *profile)
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

static void rescale(struct profile *profile)
{
    double factor;
    if (!decay_renormalise(&profile->decay, &factor))
        return;
    tallies_rescale(&profile->objects, factor);
    tallies_rescale(&profile->holders, factor);
    tallies_rescale(&profile->functions, factor);
    pairs_rescale(&profile->offsets, factor);
    pairs_rescale(&profile->code, factor);
    pairs_rescale(&profile->instances, factor);
    sets_rescale(&profile->sets, factor);
    sharing_rescale(&profile->sharing, factor);
    levels_table_rescale(&profile->object_levels, factor);
    levels_table_rescale(&profile->offset_levels, factor);
    for (int i = 0; i < SAMPLE_EVENTS_MAX; i++) {
        tally_rescale(&profile->all[i], factor);
        levels_rescale(&profile->all_levels[i], factor);
    }
}

static void note_thread(struct profile *profile, struct object_extra *extra, uint32_t tid)
{
    uint32_t *number = hash_find(&profile->threads, tid);
    if (!number && profile->threads.count < THREADS_MAX) {
        number = hash_insert(&profile->threads, tid, NULL);
        if (number)
            *number = (uint32_t)profile->threads.count - 1;
    }
    uint32_t bit = number ? *number : THREADS_MAX;
    extra->threads[bit / 64] |= UINT64_C(1) << bit % 64;
}

static void add_to_pair(struct pair *pair, const struct access *access, double scale)
{
    counted_add(&pair->samples, 1, scale);
    if (access->kind == ACCESS_LOAD || access->kind == ACCESS_LOAD_STORE)
        counted_add(&pair->loads, 1, scale);
    if (access->kind == ACCESS_STORE || access->kind == ACCESS_LOAD_STORE)
        counted_add(&pair->stores, 1, scale);
}

static void add_instance(struct pair *pair, const struct place *place, double scale)
{
    pair->size = place->size_bytes;
    if (pair->extra == place->access.tid || pair->rival <= 0) {
        pair->extra = place->access.tid;
        pair->rival = fmax(pair->rival, 0) + scale;
    } else {
        pair->rival -= scale;
    }
    add_to_pair(pair, &place->access, scale);
}

/* Where an access counts besides its object and function. */
struct pair_keys {
    uint32_t owner;
    uint64_t offset;
    uint64_t offset_hash;
    uint64_t code_hash;
    uint64_t instance_hash;
};

/* The tables are larger than the caches: their lines are asked for together, before the
 * first is needed. */
static struct pair_keys prefetch_pairs(struct profile *profile, const struct place *place,
                                       uint32_t object)
{
    const struct access *access = &place->access;
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
    return keys;
}

/* What an access says beside its address, and where that counts; rows NULL: nowhere. */
struct level_rows {
    struct data_source source;
    struct levels *object;
    struct levels *offset;
};

/* `offset`: the pair the access counted under, NULL if it is not hot enough. */
static struct level_rows find_levels(struct profile *profile, const struct access *access,
                                     const struct pair_keys *keys, const struct pair *offset)
{
    size_t slot = (size_t)PAIR_OBJECT(keys->owner) * profile->objects.events + access->event;
    struct level_rows rows = {.source = data_source_decode(access->data_src),
                              .object = levels_row(&profile->object_levels, slot, 1)};
    if (offset)
        rows.offset = levels_row(&profile->offset_levels, (size_t)(offset - profile->offsets.at),
                                 keys->offset_hash);
    if (rows.offset)
        levels_prefetch(rows.offset, access, &rows.source);
    if (rows.object)
        levels_prefetch(rows.object, access, &rows.source);
    return rows;
}

static void add_levels(struct profile *profile, const struct access *access,
                       const struct level_rows *rows, double scale)
{
    levels_add(&profile->all_levels[access->event], access, &rows->source, scale);
    if (rows->object)
        levels_add(rows->object, access, &rows->source, scale);
    if (rows->offset)
        levels_add(rows->offset, access, &rows->source, scale);
}

static void add_pairs(struct profile *profile, const struct place *place,
                      const struct pair_keys *keys, double scale)
{
    const struct access *access = &place->access;
    struct pair *pair =
        pairs_take(&profile->offsets, keys->offset_hash, keys->owner, keys->offset, scale);
    if (pair) {
        pair->size = access->size > pair->size ? access->size : pair->size;
        add_to_pair(pair, access, scale);
    }
    /* Found now and filled in last: the tables between them give its lines time to come. */
    struct level_rows rows = {{0}, NULL, NULL};
    if (levels_apply(access))
        rows = find_levels(profile, access, keys, pair);
    pair = pairs_take(&profile->code, keys->code_hash, keys->owner, access->ip, scale);
    if (pair) {
        pair->extra = place->function;
        pair->size =
            place->by_member ? (uint64_t)place->type << OFFSET_SHIFT | place->type_offset : 0;
        add_to_pair(pair, access, scale);
    }
    pair = pairs_take(&profile->instances, keys->instance_hash, keys->owner, place->base, scale);
    if (pair)
        add_instance(pair, place, scale);
    if (levels_apply(access))
        add_levels(profile, access, &rows, scale);
}

static void add_ranking(struct profile *profile, const struct place *place, uint32_t object,
                        double scale)
{
    const struct access *access = &place->access;
    bool physical = profile->options.physical_index && access->physical;
    struct window_entry entry = {
        .time_ns = access->time_ns,
        .address = access->address,
        .offset = access->address - place->base,
        .object = object,
        .function = place->function,
        .tid = access->tid,
        .type = place->by_member ? place->type : 0,
        .type_offset = place->type_offset,
        .size = access->size,
        .set = geometry_set(&profile->sets.geometry, physical ? access->physical : access->address),
    };
    sets_add(&profile->sets, entry.set, scale);
    window_add(&profile->window, &entry);
    search_count(&profile->search, access->address, tally_weight(access));
    profile->extras[object].refresh_weight += tally_weight(access);
    profile->refresh_weight += tally_weight(access);
    note_thread(profile, &profile->extras[object], access->tid);
}

static bool count_total(struct profile *profile, const struct place *place)
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
    return attributed;
}

static void add_to_holder(struct profile *profile, const struct place *place, double scale)
{
    uint32_t holder = tallies_reserve(&profile->holders, place->holder);
    if (holder != TALLY_IDS_MAX)
        tally_add(tallies_at(&profile->holders, holder, place->access.event), &place->access,
                  scale);
}

void profile_add(struct profile *profile, const struct place *place)
{
    const struct access *access = &place->access;
    double scale = decay_advance(&profile->decay, access->time_ns);
    if (!profile->refreshed_ns)
        profile->refreshed_ns = access->time_ns;
    search_tick(&profile->search, access->time_ns);
    if (!count_total(profile, place) || access->event >= profile->options.event_count)
        return;
    uint32_t object = tallies_reserve(&profile->objects, place->object);
    uint32_t function = tallies_reserve(&profile->functions, place->function);
    if (object == TALLY_IDS_MAX || function == TALLY_IDS_MAX || !grow_extras(profile))
        return;
    struct pair_keys keys = prefetch_pairs(profile, place, object);
    tally_add(&profile->all[access->event], access, scale);
    tally_add(tallies_at(&profile->objects, object, access->event), access, scale);
    tally_add(tallies_at(&profile->functions, function, access->event), access, scale);
    if (place->holder)
        add_to_holder(profile, place, scale);
    add_pairs(profile, place, &keys, scale);
    sharing_add(&profile->sharing, place, scale);
    if (place->typed < TYPED_COUNT)
        profile->extras[object].typed[place->typed]++;
    if (access->event == profile->options.ranking)
        add_ranking(profile, place, object, scale);
    rescale(profile);
}

void profile_lost(struct profile *profile, uint64_t count)
{
    profile->totals.lost += count;
}

void profile_throttled(struct profile *profile, uint64_t count)
{
    profile->totals.throttled += count;
}

void profile_set_basis(struct profile *profile, enum snapshot_basis basis)
{
    profile->basis = basis;
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
    levels_table_clear(&profile->object_levels);
    levels_table_clear(&profile->offset_levels);
    hash_clear(&profile->threads);
    memset(profile->all, 0, sizeof profile->all);
    memset(profile->all_levels, 0, sizeof profile->all_levels);
    profile->totals = (struct snapshot_totals){0};
    profile->refreshed_ns = now_ns;
    forget_ranking(profile, now_ns);
}

void profile_search_start(struct profile *profile, uint64_t base, uint64_t bound, const char *what,
                          uint64_t now_ns)
{
    search_start(&profile->search, base, bound, what, now_ns);
}

void profile_search_stop(struct profile *profile)
{
    search_stop(&profile->search);
}
