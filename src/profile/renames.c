/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Merges two objects that turn out to be one (struct object_rename): the counts of one move to the
 * other, in every table that counts by object. Phases stay unchanged: they count by the object that
 * contains the memory (timeline.h), which a rename does not change. A rename is rare compared with
 * samples: each table is scanned once for all renames of a refresh.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/state.h"
#include "resolve/members.h"

/* A table of pairs, and the tables of their levels and causes; NULL: none. */
struct pairs_table {
    struct pairs *pairs;
    struct count_rows *levels;
    struct count_rows *causes;
    uint64_t (*hash)(const struct pair *pair);
    /* Changes a pair to its new owner and key; returns false if nothing changes. */
    bool (*change)(const struct profile *profile, struct pair *pair);
};

/* Returns the rename that ended an object; NULL: it exists. */
static const struct object_rename *rename_of_object(const struct profile *profile, uint32_t object)
{
    uint32_t at = profile->renamed && object < TALLY_IDS_MAX ? profile->renamed[object] : 0;
    return at ? &profile->renames[at - 1] : NULL;
}

uint32_t profile_object(const struct profile *profile, uint32_t object)
{
    for (const struct object_rename *rename; (rename = rename_of_object(profile, object));)
        object = rename->to;
    return object;
}

static void move_id(const struct profile *profile, uint32_t *object)
{
    *object = profile_object(profile, *object);
}

/* Computes the offset in the new object. Returns false if it is before the start. */
static bool moved_offset(const struct object_rename *rename, uint64_t offset, int64_t *moved)
{
    *moved = rename->has_fixed_offset ? rename->offset : (int64_t)offset - rename->offset;
    return rename->has_fixed_offset || *moved >= 0;
}

/* Finds the type of a rename. Returns false if there is none or it has no members. */
static bool rename_type(const struct profile *profile, const struct object_rename *rename,
                        struct type_desc *desc)
{
    union place_answer answer;
    if (!rename->type || !place_ask(&profile->options.names, PLACE_TYPE, rename->type, &answer))
        return false;
    *desc = answer.type;
    return desc->member_count;
}

/* Finds the type at an offset of the object that ended, in the new object. */
static bool moved_type(const struct profile *profile, const struct object_rename *rename,
                       uint64_t offset, uint32_t *type, uint32_t *type_offset)
{
    struct type_desc desc;
    int64_t moved;
    if (!moved_offset(rename, offset, &moved) || !rename_type(profile, rename, &desc))
        return false;
    *type = rename->type;
    *type_offset = (uint32_t)type_in_element(&desc, (uint64_t)moved);
    return true;
}

/* Returns the offset_key() of the same place in the new object. */
static uint64_t moved_key(const struct profile *profile, const struct object_rename *rename,
                          uint64_t key)
{
    struct type_desc desc;
    if (key & OFFSET_TYPED)
        return key;
    bool folded = key & OFFSET_FOLDED;
    int64_t offset;
    bool inside = moved_offset(rename, folded ? offset_key_offset(key) : key, &offset);
    bool typed = rename_type(profile, rename, &desc);
    bool element = !folded || (typed && (key & ~OFFSET_FOLDED) >> OFFSET_SHIFT == desc.size);
    if (!inside || !element)
        return key;
    if (!typed)
        return (uint64_t)offset & ~(OFFSET_FOLDED | OFFSET_TYPED);
    return OFFSET_TYPED | (uint64_t)rename->type << OFFSET_SHIFT |
           (uint32_t)type_in_element(&desc, (uint64_t)offset);
}

/* ---- counts by id ---- */

static void move_tallies(struct tallies *tallies, uint32_t from, uint32_t to)
{
    for (uint16_t event = 0; event < tallies->events; event++) {
        struct tally *old = tallies_at(tallies, from, event);
        struct tally *into = tallies_at(tallies, to, event);
        counted_sum(into, old, sizeof *into);
        *old = (struct tally){0};
    }
}

/* Moves the same share of weights, for every event. */
static void take_untyped_weight(struct profile *profile, int reason, double part)
{
    for (int event = 0; event < SAMPLE_EVENTS_MAX; event++)
        for (int basis = 0; basis < 2; basis++) {
            double moved = profile->untyped[event][reason].at[basis] * part;
            profile->untyped[event][reason].at[basis] -= moved;
            profile->typed[event][TYPED_NONE].at[basis] -= moved;
            profile->typed[event][TYPED_DATA].at[basis] += moved;
        }
}

static uint64_t take_untyped_samples(struct profile *profile, int reason, uint64_t samples)
{
    struct snapshot_totals *totals = &profile->totals;
    uint64_t part = totals->untyped[reason] < samples ? totals->untyped[reason] : samples;
    if (part)
        take_untyped_weight(profile, reason, (double)part / (double)totals->untyped[reason]);
    totals->untyped[reason] -= part;
    totals->typed[TYPED_NONE] -= part;
    totals->typed[TYPED_DATA] += part;
    return samples - part;
}

/* Counts samples without a type as typed by the memory they access. Most of them waited for
 * debugging information; the reason of each is not stored. */
static void type_totals(struct profile *profile, uint64_t samples)
{
    samples = take_untyped_samples(profile, UNTYPED_WAITING, samples);
    for (int i = 0; i < UNTYPED_COUNT && samples; i++)
        samples = take_untyped_samples(profile, i, samples);
}

static void move_history(struct object_extra *into, const struct object_extra *old)
{
    for (int i = 0; i < SNAPSHOT_HISTORY; i++)
        if (!isnan(old->history[i]))
            into->history[i] = old->history[i] + (isnan(into->history[i]) ? 0 : into->history[i]);
}

static void move_extra(struct profile *profile, const struct object_rename *rename, uint32_t to)
{
    struct object_extra *old = &profile->extras[rename->from];
    struct object_extra *into = &profile->extras[to];
    struct type_desc desc;
    for (int i = 0; i < 4; i++)
        into->threads[i] |= old->threads[i];
    into->refresh_weight += old->refresh_weight;
    into->flushed |= old->flushed;
    if (rename_type(profile, rename, &desc)) {
        type_totals(profile, old->typed[TYPED_NONE]);
        old->typed[TYPED_DATA] += old->typed[TYPED_NONE];
        old->typed[TYPED_NONE] = 0;
    }
    for (int i = 0; i < TYPED_COUNT; i++)
        into->typed[i] += old->typed[i];
    if (!into->inferred_at && !rename->type) {
        into->element_bytes = old->element_bytes;
        into->inferred_at = old->inferred_at;
        into->confidence = old->confidence;
    }
    move_history(into, old);
    *old = (struct object_extra){0};
    for (int i = 0; i < SNAPSHOT_HISTORY; i++)
        old->history[i] = NAN;
}

static void move_row(struct count_rows *rows, size_t slot, uint64_t key, size_t to, uint64_t to_key)
{
    union {
        struct levels levels;
        struct causes_row causes;
    } taken;
    void *row = rows ? count_rows_find(rows, slot, key) : NULL;
    if (!row)
        return;
    memcpy(&taken, row, rows->row_bytes);
    memset(row, 0, rows->row_bytes);
    row = count_rows_make(rows, rows->row_bytes, to, to_key);
    if (row)
        counted_sum(row, &taken, rows->row_bytes);
}

static void move_rows(struct profile *profile, uint32_t from, uint32_t to)
{
    uint16_t events = profile->objects.events;
    for (uint16_t event = 0; event < events; event++) {
        move_row(&profile->object_levels, (size_t)from * events + event, 1,
                 (size_t)to * events + event, 1);
        move_row(&profile->causes.objects, CAUSES_SLOT(from, event), 0, CAUSES_SLOT(to, event), 0);
    }
}

static void move_curves(struct timeline *timeline, uint32_t from, uint32_t to)
{
    if (touched_has(&timeline->objects, from))
        touched_add(&timeline->objects, to);
    if (!timeline->started)
        return;
    for (int i = 0; i < SNAPSHOT_MEASURES; i++)
        streams_join(&timeline->by_measure[i], STREAM_KEY(STREAM_OBJECT, from),
                     STREAM_KEY(STREAM_OBJECT, to));
}

/* ---- pairs ---- */

static uint64_t hash_pair(const struct pair *pair)
{
    return pairs_hash(pair->owner, pair->key);
}

static uint64_t hash_cell(const struct pair *pair)
{
    return hash_mix(hash_pair(pair) ^ pair->extra) | 1;
}

static void sum_pair(struct pair *into, const struct pair *more)
{
    if (into->samples.at[BASIS_RUN] <= 0) {
        *into = *more;
        return;
    }
    into->size = more->size > into->size ? more->size : into->size;
    if (into->extra == more->extra) {
        into->vote_credit += more->vote_credit;
    } else if (more->vote_credit > into->vote_credit) {
        into->extra = more->extra;
        into->vote_credit = more->vote_credit - into->vote_credit;
    } else {
        into->vote_credit -= more->vote_credit;
    }
    counted_join(&into->samples, &more->samples);
    counted_join(&into->weight, &more->weight);
    counted_join(&into->loads, &more->loads);
    counted_join(&into->stores, &more->stores);
}

static void move_pair(const struct pairs_table *table, size_t at, const struct pair *pair)
{
    struct pairs_bucket *bucket = &table->pairs->buckets[at / PAIRS_BUCKET];
    uint64_t before = bucket->hash[at % PAIRS_BUCKET];
    double credit = bucket->credit[at % PAIRS_BUCKET];
    uint64_t hash = table->hash(pair);
    bucket->hash[at % PAIRS_BUCKET] = 0;
    bucket->credit[at % PAIRS_BUCKET] = 0;
    struct pair *into = pair->owner == PAIR_NO_OWNER
                            ? NULL
                            : pairs_take(table->pairs, hash, pair->owner, pair->key, credit);
    if (!into)
        return;
    size_t to = (size_t)(into - table->pairs->at);
    sum_pair(into, pair);
    move_row(table->levels, at, before, to, hash);
    move_row(table->causes, at, before, to, hash);
}

/* The scan meets some moved pairs again; they stay, because their object exists. */
static void move_pairs(const struct profile *profile, const struct pairs_table *table)
{
    const struct pair *next;
    for (size_t i = 0; (next = pairs_next(table->pairs, &i));) {
        struct pair pair = *next;
        if (table->change(profile, &pair))
            move_pair(table, (size_t)(next - table->pairs->at), &pair);
    }
}

static bool change_owner(const struct profile *profile, struct pair *pair)
{
    uint32_t before = pair->owner;
    pair->owner = PAIR_OWNER(profile_object(profile, PAIR_OBJECT(before)), PAIR_EVENT(before));
    return pair->owner != before;
}

static bool change_offset(const struct profile *profile, struct pair *pair)
{
    const struct object_rename *rename = rename_of_object(profile, PAIR_OBJECT(pair->owner));
    if (!rename)
        return false;
    pair->key = moved_key(profile, rename, pair->key);
    return change_owner(profile, pair);
}

static bool change_evictor(const struct profile *profile, struct pair *pair)
{
    uint32_t evictor = EVICTOR_OBJECT(pair->key);
    move_id(profile, &evictor);
    uint64_t before = pair->key;
    pair->key = EVICTOR_KEY(evictor, EVICTOR_FUNCTION(pair->key));
    return change_owner(profile, pair) || pair->key != before;
}

/* The start of the instances of a `has_fixed_offset` rename is not stored: drops them. */
static bool change_instance(const struct profile *profile, struct pair *pair)
{
    const struct object_rename *rename = rename_of_object(profile, PAIR_OBJECT(pair->owner));
    bool moves = change_owner(profile, pair);
    if (moves && rename->has_fixed_offset)
        pair->owner = PAIR_NO_OWNER;
    return moves;
}

/* Changes a thread evictor; functions and threads have such rows too. */
static bool change_thread_evictor(const struct profile *profile, struct pair *pair)
{
    unsigned of = EVICTOR_THREAD_OF(pair->key);
    return (of == CAUSES_OBJECTS || of == CAUSES_KINDS) && change_owner(profile, pair);
}

/* Moves the use of lines by field, which is stored under a hash of the key. */
static void move_field_uses(struct profile *profile)
{
    const struct pair *pair;
    for (size_t i = 0; profile->use.count && (pair = pairs_next(&profile->offsets, &i));) {
        const struct object_rename *rename = rename_of_object(profile, PAIR_OBJECT(pair->owner));
        for (uint8_t level = 0; rename && level < USE_LEVELS; level++)
            use_join(&profile->use, use_key(USE_FIELD, level, rename->from, pair->key),
                     use_key(USE_FIELD, level, profile_object(profile, rename->from),
                             moved_key(profile, rename, pair->key)));
    }
}

static void move_all_pairs(struct profile *profile)
{
    struct causes *causes = &profile->causes;
    const struct pairs_table tables[] = {
        {&profile->offsets, &profile->offset_levels, &causes->offsets, hash_pair, change_offset},
        {&profile->code, &profile->code_levels, &causes->code, hash_pair, change_owner},
        {&profile->instances, NULL, NULL, hash_pair, change_instance},
        {&profile->callers, NULL, NULL, hash_pair, change_owner},
        {&causes->evictors, NULL, NULL, hash_pair, change_evictor},
        {&causes->cell_evictors, NULL, NULL, hash_cell, change_evictor},
        {&causes->thread_evictors, NULL, NULL, hash_pair, change_thread_evictor}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        move_pairs(profile, &tables[i]);
}

/* ---- tables with an object in each entry ---- */

static void move_window(struct profile *profile)
{
    struct window *window = &profile->window;
    for (uint32_t i = 1; i <= window->used; i++) {
        uint32_t before = window->head >= i ? window->head - i : window->head + window->size - i;
        struct window_entry *entry = &window->entries[before];
        const struct object_rename *rename = rename_of_object(profile, entry->object);
        if (!rename)
            continue;
        if (!entry->type)
            moved_type(profile, rename, entry->offset, &entry->type, &entry->type_offset);
        if (rename->has_fixed_offset)
            entry->offset = (uint64_t)rename->offset;
        entry->object = profile_object(profile, entry->object);
    }
    for (size_t i = 0; i < profile->comiss.found_count; i++) {
        move_id(profile, &profile->comiss.found[i].object_a);
        move_id(profile, &profile->comiss.found[i].object_b);
    }
}

static void move_spot(const struct profile *profile, struct sharing_line *line,
                      struct sharing_instruction *spot)
{
    const struct object_rename *rename = rename_of_object(profile, spot->object);
    for (unsigned i = 0; rename && i < line->owner_count; i++) {
        struct sharing_owner *owner = &line->owners[i];
        int64_t offset;
        if (owner->object != rename->from ||
            !moved_offset(rename, spot->address - owner->base, &offset))
            continue;
        if (!spot->type)
            moved_type(profile, rename, spot->address - owner->base, &spot->type,
                       &spot->type_offset);
        if (rename->has_fixed_offset)
            owner->base = spot->address - (uint64_t)offset;
        if (offset < 0)
            owner->size = 0;
        owner->from_end = offset < 0;
    }
    move_id(profile, &spot->object);
}

static void move_sharing_line(const struct profile *profile, struct sharing_line *line)
{
    for (int side = 0; side < line->side_count; side++)
        for (int spot = 0; spot < SHARING_INSTRUCTIONS; spot++)
            move_spot(profile, line, &line->sides[side].instructions[spot]);
    for (unsigned i = 0; i < line->owner_count; i++)
        move_id(profile, &line->owners[i].object);
    for (unsigned i = 0; i < line->owner_count; i++)
        for (unsigned k = i + 1; k < line->owner_count;) {
            if (line->owners[k].object != line->owners[i].object ||
                line->owners[k].base != line->owners[i].base) {
                k++;
                continue;
            }
            counted_join(&line->owners[i].samples, &line->owners[k].samples);
            line->owners[k] = line->owners[--line->owner_count];
        }
}

static void move_sharing(struct profile *profile)
{
    struct sharing *sharing = &profile->sharing;
    for (size_t i = 0; i < SHARING_LAST_ACCESSES; i++)
        move_id(profile, &sharing->last_accesses[i].object);
    for (size_t i = 0; i < SHARING_LINES; i++)
        move_sharing_line(profile, &sharing->lines[i]);
}

static void move_fetches(struct profile *profile)
{
    for (size_t i = 0; profile->use.fetches && i < USE_FETCHES; i++) {
        struct use_fetch *fetch = &profile->use.fetches[i];
        const struct object_rename *rename = rename_of_object(profile, fetch->object);
        if (!rename)
            continue;
        fetch->offset = moved_key(profile, rename, fetch->offset);
        fetch->object = profile_object(profile, fetch->object);
    }
}

static void move_legs(struct profile *profile)
{
    struct reuse *reuse = profile->reuse;
    for (size_t i = 0; reuse && i < REUSE_LEGS; i++)
        move_id(profile, &reuse->legs[i].object);
}

/* Merges the curves of two fields that become one. */
static void join_fields(struct timeline *timeline, uint32_t field, uint32_t same)
{
    struct field_counts *counts = &timeline->fields;
    for (int i = 0; timeline->started && i < SNAPSHOT_MEASURES; i++)
        streams_join(&timeline->by_measure[i], STREAM_KEY(STREAM_FIELD, field),
                     STREAM_KEY(STREAM_FIELD, same));
    for (size_t i = 0; i < FIELD_ROWS; i++)
        if (counts->rows[i].field == field + 1)
            counts->rows[i].field = same + 1;
    counts->fields[field].object = TALLY_IDS_MAX; /* no longer belongs to an object */
}

static bool is_same_counted_field(const struct counted_field *a, const struct counted_field *b)
{
    return a->key == b->key && a->object == b->object && a->member == b->member;
}

static void move_fields(struct profile *profile, size_t first)
{
    struct timeline *timeline = &profile->timeline;
    struct field_counts *counts = &timeline->fields;
    for (size_t i = first; i < profile->rename_count; i++)
        if (field_counts_follows(counts, profile->renames[i].from))
            field_counts_follow(counts, profile_object(profile, profile->renames[i].from));
    for (uint32_t i = 0; i < counts->count; i++) {
        struct counted_field *field = &counts->fields[i];
        if (!rename_of_object(profile, field->object))
            continue;
        move_id(profile, &field->object);
        for (uint32_t k = 0; k < counts->count; k++)
            if (k != i && is_same_counted_field(field, &counts->fields[k])) {
                join_fields(timeline, i, k);
                break;
            }
    }
    for (size_t i = 0; i < FIELD_ROWS; i++) {
        struct field_row row = counts->rows[i];
        if (!row.key || !rename_of_object(profile, row.object))
            continue;
        counts->rows[i] = (struct field_row){0};
        for (int measure = 0; row.has_counts && measure < SNAPSHOT_MEASURES; measure++)
            field_counts_add(counts, profile_object(profile, row.object), row.key,
                             (enum snapshot_measure)measure, row.weight[measure]);
    }
}

static void apply_rename(struct profile *profile, const struct object_rename *rename)
{
    uint32_t from = rename->from;
    uint32_t to = profile_object(profile, from);
    move_tallies(&profile->objects, from, to);
    move_extra(profile, rename, to);
    move_rows(profile, from, to);
    move_curves(&profile->timeline, from, to);
    distances_join(&profile->distances, from, to);
    for (uint8_t level = 0; level < USE_LEVELS; level++)
        use_join(&profile->use, use_key(USE_OBJECT, level, from, 0),
                 use_key(USE_OBJECT, level, to, 0));
}

/* Records a rename, unless there is no room or the objects are already one. */
static void renames_note(struct profile *profile, const struct object_rename *rename)
{
    uint32_t from = rename->from;
    uint32_t to = profile_object(profile, rename->to);
    if (!profile->renamed)
        profile->renamed = calloc(TALLY_IDS_MAX, sizeof *profile->renamed);
    if (!profile->renamed ||
        !array_reserve_next(&profile->renames, &profile->rename_room, profile->rename_count,
                            sizeof *profile->renames, TALLY_IDS_MAX) ||
        !from || from >= TALLY_IDS_MAX || rename_of_object(profile, from) || from == to ||
        tallies_reserve(&profile->objects, from) != from ||
        tallies_reserve(&profile->objects, to) != to || !profile_grow_extras(profile))
        return;
    profile->renames[profile->rename_count] = *rename;
    profile->renamed[from] = (uint32_t)++profile->rename_count;
}

void profile_rename_place(const struct profile *profile, struct place *place)
{
    for (const struct object_rename *rename; (rename = rename_of_object(profile, place->object));) {
        if (place->typed == TYPED_NONE &&
            moved_type(profile, rename, place->access.address - place->base, &place->type,
                       &place->type_offset)) {
            place->typed = TYPED_DATA;
            place->untyped = UNTYPED_NO_REASON;
            place->by_member = true;
        }
        if (rename->has_fixed_offset)
            place->base = place->access.address - (uint64_t)rename->offset;
        if (rename->has_fixed_offset && rename->offset < 0)
            place->size_bytes = 0;
        place->object = rename->to;
    }
    place->bin_object = profile_object(profile, place->bin_object);
    place->evictor_object = profile_object(profile, place->evictor_object);
}

void profile_rename(struct profile *profile, const struct object_rename *list, size_t count)
{
    size_t first = profile->rename_count;
    for (size_t i = 0; i < count; i++)
        renames_note(profile, &list[i]);
    if (profile->rename_count == first)
        return;
    move_field_uses(profile);
    for (size_t i = first; i < profile->rename_count; i++)
        apply_rename(profile, &profile->renames[i]);
    move_all_pairs(profile);
    move_window(profile);
    move_sharing(profile);
    move_fetches(profile);
    move_legs(profile);
    move_fields(profile, first);
    findings_held_drop_renamed(&profile->findings_held, profile->renamed, TALLY_IDS_MAX);
}

void profile_rename_as(struct profile *profile, const struct profile *other)
{
    profile_rename(profile, other->renames, other->rename_count);
}
