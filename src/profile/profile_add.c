/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A place on its way into the tables. They are larger than the caches, and each sample touches
 * some twenty of their lines. So a handful of places goes in together, in three steps: what is
 * found by hashing is asked for, then what that leads to, and when the last one was asked for
 * the first one's lines are there.
 */
#include "profile/state.h"

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
static void begin(struct profile *profile, const struct place *place, struct adding *adding)
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
static struct levels_rows find_levels(struct profile *profile, const struct adding *adding,
                                      const struct pair *offset, const struct pair *code)
{
    const struct access *access = &adding->place->access;
    const struct pair_keys *keys = &adding->keys;
    size_t object = (size_t)adding->object * profile->objects.events + access->event;
    size_t function = (size_t)adding->function * profile->objects.events + access->event;
    struct levels_rows rows = {data_source_decode(access->data_src),
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
    struct levels_rows rows =
        told ? find_levels(profile, adding, offset, code) : (struct levels_rows){0};
    struct pair *instance = pairs_take(&profile->instances, keys->instance_hash, keys->owner,
                                       adding->place->base, scale);
    if (instance)
        add_instance(instance, adding->place, scale);
    if (told)
        levels_add(&rows, access, scale);
    if (access->cause != CAUSE_NOT_TOLD)
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
        .size = access->size,
        .waits = access->waits,
        .kept = access->kept,
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
        tally_add(tallies_at(&profile->holders, holder, place->access.event), &place->access,
                  scale);
}

/* Third step: the counting. */
static void finish(struct profile *profile, const struct adding *adding)
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
    if (access->reason != REASON_NONE && access->event < profile->options.event_count)
        unplaced_add(&profile->unplaced, &profile->functions, place, scale);
    if (object == TALLY_IDS_MAX)
        return;
    tally_add(&profile->all[access->event], access, scale);
    add_typed(profile, place, scale);
    tally_add(tallies_at(&profile->objects, object, access->event), access, scale);
    tally_add(tallies_at(&profile->functions, adding->function, access->event), access, scale);
    if (place->holder)
        add_to_holder(profile, place, scale);
    add_pairs(profile, adding, scale);
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
        begin(profile, &places[i], &adding[i]);
    for (size_t i = 0; i < count; i++)
        approach(profile, &adding[i]);
    for (size_t i = 0; i < count; i++)
        finish(profile, &adding[i]);
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
