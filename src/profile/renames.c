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

/* The renames in progress, by the object that ends. */
struct renaming {
    struct profile *profile;
    const struct object_rename *list;
    size_t count;
    uint32_t *at; /* [TALLY_IDS_MAX]: index + 1 into list; 0: the object stays */
};

/* A pair that moves to another row, with the levels and causes stored under its index. */
struct moved_pair {
    struct pair pair;
    double credit;
    struct levels levels;
    struct causes_row causes;
    bool has_levels;
    bool has_causes;
};

/* A table of pairs, and the tables of their levels and causes; NULL: none. */
struct pairs_beside {
    struct pairs *pairs;
    struct count_rows *levels;
    struct count_rows *causes;
    uint64_t (*hash)(const struct pair *pair);
};

/* Returns the rename that ended an object; NULL: it exists. */
static const struct object_rename *ended(const struct profile *profile, uint32_t object)
{
    uint32_t at = profile->renamed && object < TALLY_IDS_MAX ? profile->renamed[object] : 0;
    return at ? &profile->renames[at - 1] : NULL;
}

static uint32_t one_of(const struct profile *profile, uint32_t object)
{
    for (const struct object_rename *rename; (rename = ended(profile, object));)
        object = rename->to;
    return object;
}

uint32_t profile_object(const struct profile *profile, uint32_t object)
{
    return one_of(profile, object);
}

static const struct object_rename *rename_of(const struct renaming *renaming, uint32_t object)
{
    uint32_t at = object < TALLY_IDS_MAX ? renaming->at[object] : 0;
    return at ? &renaming->list[at - 1] : NULL;
}

static void move_id(const struct renaming *renaming, uint32_t *object)
{
    if (rename_of(renaming, *object))
        *object = one_of(renaming->profile, *object);
}

/* Computes the offset in the new object. Returns false if it is before the start. */
static bool moved_offset(const struct object_rename *rename, uint64_t offset, int64_t *moved)
{
    *moved = rename->fixed ? rename->offset : (int64_t)offset - rename->offset;
    return rename->fixed || *moved >= 0;
}

/* Finds the type of a rename. Returns false if there is none or it has no members. */
static bool type_of(const struct profile *profile, const struct object_rename *rename,
                    struct type_desc *desc)
{
    union place_answer answer;
    if (!rename->type || !place_ask(&profile->options.names, PLACE_TYPE, rename->type, &answer))
        return false;
    *desc = answer.type;
    return desc->member_count;
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
    bool typed = type_of(profile, rename, &desc);
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
            profile->typed[event][TYPED_NOT].at[basis] -= moved;
            profile->typed[event][TYPED_DATA].at[basis] += moved;
        }
}

static uint64_t take_untyped(struct profile *profile, int reason, uint64_t samples)
{
    struct snapshot_totals *totals = &profile->totals;
    uint64_t part = totals->untyped[reason] < samples ? totals->untyped[reason] : samples;
    if (part)
        take_untyped_weight(profile, reason, (double)part / (double)totals->untyped[reason]);
    totals->untyped[reason] -= part;
    totals->typed[TYPED_NOT] -= part;
    totals->typed[TYPED_DATA] += part;
    return samples - part;
}

/*
 * Counts samples without a type as typed by the memory they access. Most of them waited for
 * debugging information; the reason of each is not stored.
 */
static void type_totals(struct profile *profile, uint64_t samples)
{
    samples = take_untyped(profile, UNTYPED_WAITING, samples);
    for (int i = 0; i < UNTYPED_COUNT && samples; i++)
        samples = take_untyped(profile, i, samples);
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
    if (type_of(profile, rename, &desc)) {
        type_totals(profile, old->typed[TYPED_NOT]);
        old->typed[TYPED_DATA] += old->typed[TYPED_NOT];
        old->typed[TYPED_NOT] = 0;
    }
    for (int i = 0; i < TYPED_COUNT; i++)
        into->typed[i] += old->typed[i];
    if (!into->inferred_at && !rename->type) {
        into->element = old->element;
        into->inferred_at = old->inferred_at;
        into->confidence = old->confidence;
    }
    move_history(into, old);
    *old = (struct object_extra){0};
    for (int i = 0; i < SNAPSHOT_HISTORY; i++)
        old->history[i] = NAN;
}

/* Removes the row of a slot and copies it; returns false if there was none. */
static bool take_row(struct count_rows *rows, size_t slot, uint64_t key, void *out)
{
    void *row = rows ? count_rows_find(rows, slot, key) : NULL;
    if (!row)
        return false;
    memcpy(out, row, rows->row_bytes);
    memset(row, 0, rows->row_bytes);
    return true;
}

static void give_row(struct count_rows *rows, size_t slot, uint64_t key, const void *more,
                     size_t row_bytes)
{
    void *row = count_rows_make(rows, row_bytes, slot, key);
    if (row)
        counted_sum(row, more, row_bytes);
}

static void move_rows(struct profile *profile, uint32_t from, uint32_t to)
{
    uint16_t events = profile->objects.events;
    for (uint16_t event = 0; event < events; event++) {
        struct levels levels;
        struct causes_row causes;
        size_t old = (size_t)from * events + event;
        if (take_row(&profile->object_levels, old, 1, &levels))
            give_row(&profile->object_levels, (size_t)to * events + event, 1, &levels,
                     sizeof levels);
        if (take_row(&profile->causes.objects, CAUSES_SLOT(from, event), 0, &causes))
            give_row(&profile->causes.objects, CAUSES_SLOT(to, event), 0, &causes, sizeof causes);
    }
}

static void move_curves(struct timeline *timeline, uint32_t from, uint32_t to)
{
    if (touched_has(&timeline->objects, from))
        touched_add(&timeline->objects, to);
    if (!timeline->started)
        return;
    for (int i = 0; i < SNAPSHOT_MEASURES; i++)
        streams_join(&timeline->by[i], STREAM_KEY(STREAM_OBJECT, from),
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

static void take_pair(const struct pairs_beside *table, size_t i, struct moved_pair *moved)
{
    struct pairs_bucket *bucket = &table->pairs->buckets[i / PAIRS_BUCKET];
    uint64_t hash = bucket->hash[i % PAIRS_BUCKET];
    moved->pair = table->pairs->at[i];
    moved->credit = bucket->credit[i % PAIRS_BUCKET];
    moved->has_levels = take_row(table->levels, i, hash, &moved->levels);
    moved->has_causes = take_row(table->causes, i, hash, &moved->causes);
    bucket->hash[i % PAIRS_BUCKET] = 0;
    bucket->credit[i % PAIRS_BUCKET] = 0;
}

static void sum_pair(struct pair *into, const struct pair *more)
{
    if (into->samples.at[BASIS_RUN] <= 0) {
        *into = *more;
        return;
    }
    into->size = more->size > into->size ? more->size : into->size;
    if (into->extra == more->extra) {
        into->rival += more->rival;
    } else if (more->rival > into->rival) {
        into->extra = more->extra;
        into->rival = more->rival - into->rival;
    } else {
        into->rival -= more->rival;
    }
    counted_join(&into->samples, &more->samples);
    counted_join(&into->weight, &more->weight);
    counted_join(&into->loads, &more->loads);
    counted_join(&into->stores, &more->stores);
}

static void give_pair(const struct pairs_beside *table, const struct moved_pair *moved)
{
    uint64_t hash = table->hash(&moved->pair);
    struct pair *into =
        pairs_take(table->pairs, hash, moved->pair.owner, moved->pair.key, moved->credit);
    if (!into)
        return;
    size_t index = (size_t)(into - table->pairs->at);
    sum_pair(into, &moved->pair);
    if (moved->has_levels)
        give_row(table->levels, index, hash, &moved->levels, sizeof moved->levels);
    if (moved->has_causes)
        give_row(table->causes, index, hash, &moved->causes, sizeof moved->causes);
}

/* Changes a pair to its new owner and key; returns false if nothing changes. */
typedef bool change_pair(const struct renaming *renaming, struct pair *pair);

static uint32_t moved_owner(const struct renaming *renaming, uint32_t owner)
{
    uint32_t object = PAIR_OBJECT(owner);
    move_id(renaming, &object);
    return PAIR_OWNER(object, PAIR_EVENT(owner));
}

static void move_pairs(const struct renaming *renaming, const struct pairs_beside *table,
                       change_pair *change)
{
    struct moved_pair *moved = NULL;
    size_t count = 0;
    size_t room = 0;
    const struct pair *next;
    for (size_t i = 0; (next = pairs_next(table->pairs, &i));) {
        struct pair pair = *next;
        if (!change(renaming, &pair))
            continue;
        if (!array_more(&moved, &room, count, sizeof *moved, ARRAY_UNBOUNDED))
            break;
        take_pair(table, (size_t)(next - table->pairs->at), &moved[count]);
        moved[count++].pair = pair;
    }
    for (size_t i = 0; i < count; i++)
        if (moved[i].pair.owner != PAIR_NO_OWNER)
            give_pair(table, &moved[i]);
    free(moved);
}

static bool change_owner(const struct renaming *renaming, struct pair *pair)
{
    uint32_t before = pair->owner;
    pair->owner = moved_owner(renaming, before);
    return pair->owner != before;
}

static bool change_offset(const struct renaming *renaming, struct pair *pair)
{
    const struct object_rename *rename = rename_of(renaming, PAIR_OBJECT(pair->owner));
    if (!rename)
        return false;
    pair->key = moved_key(renaming->profile, rename, pair->key);
    return change_owner(renaming, pair);
}

static bool change_evictor(const struct renaming *renaming, struct pair *pair)
{
    uint32_t evictor = EVICTOR_OBJECT(pair->key);
    move_id(renaming, &evictor);
    uint64_t before = pair->key;
    pair->key = EVICTOR_KEY(evictor, EVICTOR_FUNCTION(pair->key));
    return change_owner(renaming, pair) || pair->key != before;
}

/*
 * The start of the instances of a `fixed` rename is not stored: drops them instead of counting a
 * wrong one.
 */
static bool change_instance(const struct renaming *renaming, struct pair *pair)
{
    const struct object_rename *rename = rename_of(renaming, PAIR_OBJECT(pair->owner));
    bool moves = change_owner(renaming, pair);
    if (moves && rename->fixed)
        pair->owner = PAIR_NO_OWNER;
    return moves;
}

/* Changes a thread evictor; functions and threads have such rows too. */
static bool change_thread_evictor(const struct renaming *renaming, struct pair *pair)
{
    unsigned of = EVICTOR_THREAD_OF(pair->key);
    return (of == CAUSES_OBJECTS || of == CAUSES_KINDS) && change_owner(renaming, pair);
}

/* Moves the use of lines by field, which is stored under a hash of the key. */
static void move_field_uses(const struct renaming *renaming)
{
    struct profile *profile = renaming->profile;
    const struct pair *pair;
    for (size_t i = 0; profile->use.count && (pair = pairs_next(&profile->offsets, &i));) {
        const struct object_rename *rename = rename_of(renaming, PAIR_OBJECT(pair->owner));
        for (uint8_t level = 0; rename && level < USE_LEVELS; level++)
            use_join(&profile->use, use_key(USE_FIELD, level, rename->from, pair->key),
                     use_key(USE_FIELD, level, one_of(profile, rename->from),
                             moved_key(profile, rename, pair->key)));
    }
}

static void move_all_pairs(const struct renaming *renaming)
{
    struct profile *profile = renaming->profile;
    struct causes *causes = &profile->causes;
    const struct pairs_beside offsets = {&profile->offsets, &profile->offset_levels,
                                         &causes->offsets, hash_pair};
    const struct pairs_beside code = {&profile->code, &profile->code_levels, &causes->code,
                                      hash_pair};
    const struct pairs_beside instances = {&profile->instances, NULL, NULL, hash_pair};
    const struct pairs_beside callers = {&profile->callers, NULL, NULL, hash_pair};
    const struct pairs_beside evictors = {&causes->evictors, NULL, NULL, hash_pair};
    const struct pairs_beside cells = {&causes->cell_evictors, NULL, NULL, hash_cell};
    const struct pairs_beside threads = {&causes->thread_evictors, NULL, NULL, hash_pair};
    move_pairs(renaming, &offsets, change_offset);
    move_pairs(renaming, &code, change_owner);
    move_pairs(renaming, &instances, change_instance);
    move_pairs(renaming, &callers, change_owner);
    move_pairs(renaming, &evictors, change_evictor);
    move_pairs(renaming, &cells, change_evictor);
    move_pairs(renaming, &threads, change_thread_evictor);
}

/* ---- tables with an object in each entry ---- */

static void move_window(const struct renaming *renaming)
{
    struct profile *profile = renaming->profile;
    struct window *window = &profile->window;
    struct type_desc desc;
    for (uint32_t i = 1; i <= window->used; i++) {
        uint32_t before = window->head >= i ? window->head - i : window->head + window->size - i;
        struct window_entry *entry = &window->entries[before];
        const struct object_rename *rename = rename_of(renaming, entry->object);
        if (!rename)
            continue;
        int64_t offset;
        bool inside = moved_offset(rename, entry->offset, &offset);
        if (!entry->type && inside && type_of(profile, rename, &desc)) {
            entry->type = rename->type;
            entry->type_offset = (uint32_t)type_in_element(&desc, (uint64_t)offset);
        }
        if (rename->fixed)
            entry->offset = (uint64_t)offset;
        entry->object = one_of(profile, entry->object);
    }
    for (size_t i = 0; i < profile->comiss.found_count; i++) {
        move_id(renaming, &profile->comiss.found[i].object_a);
        move_id(renaming, &profile->comiss.found[i].object_b);
    }
}

static void move_spot(const struct renaming *renaming, struct sharing_line *line,
                      struct sharing_spot *spot)
{
    const struct object_rename *rename = rename_of(renaming, spot->object);
    struct type_desc desc;
    for (unsigned i = 0; rename && i < line->owner_count; i++) {
        struct sharing_owner *owner = &line->owners[i];
        int64_t offset;
        if (owner->object != rename->from ||
            !moved_offset(rename, spot->address - owner->base, &offset))
            continue;
        if (rename->fixed)
            owner->base = spot->address - (uint64_t)offset;
        if (offset < 0)
            owner->size = 0;
        owner->from_end = offset < 0;
        if (spot->type || !type_of(renaming->profile, rename, &desc))
            continue;
        spot->type = rename->type;
        spot->type_offset = (uint32_t)type_in_element(&desc, (uint64_t)offset);
    }
    move_id(renaming, &spot->object);
}

static void move_sharing_line(const struct renaming *renaming, struct sharing_line *line)
{
    for (int side = 0; side < line->side_count; side++)
        for (int spot = 0; spot < SHARING_SPOTS; spot++)
            move_spot(renaming, line, &line->sides[side].spots[spot]);
    for (unsigned i = 0; i < line->owner_count; i++)
        move_id(renaming, &line->owners[i].object);
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

static void move_sharing(const struct renaming *renaming)
{
    struct sharing *sharing = &renaming->profile->sharing;
    for (size_t i = 0; i < SHARING_WATCHED; i++)
        move_id(renaming, &sharing->watched[i].object);
    for (size_t i = 0; i < SHARING_LINES; i++)
        move_sharing_line(renaming, &sharing->lines[i]);
}

static void move_fetches(const struct renaming *renaming)
{
    struct profile *profile = renaming->profile;
    for (size_t i = 0; profile->use.fetches && i < USE_FETCHES; i++) {
        struct use_fetch *fetch = &profile->use.fetches[i];
        const struct object_rename *rename = rename_of(renaming, fetch->object);
        if (!rename)
            continue;
        fetch->offset = moved_key(profile, rename, fetch->offset);
        fetch->object = one_of(profile, fetch->object);
    }
}

static void move_legs(const struct renaming *renaming)
{
    struct reuse *reuse = renaming->profile->reuse;
    for (size_t i = 0; reuse && i < REUSE_LEGS; i++)
        move_id(renaming, &reuse->legs[i].object);
}

/* Merges the curves of two fields that become one. */
static void join_fields(struct timeline *timeline, uint32_t field, uint32_t same)
{
    struct field_counts *counts = &timeline->fields;
    for (int i = 0; timeline->started && i < SNAPSHOT_MEASURES; i++)
        streams_join(&timeline->by[i], STREAM_KEY(STREAM_FIELD, field),
                     STREAM_KEY(STREAM_FIELD, same));
    for (size_t i = 0; i < FIELD_ROWS; i++)
        if (counts->rows[i].field == field + 1)
            counts->rows[i].field = same + 1;
    counts->fields[field].object = TALLY_IDS_MAX; /* no longer belongs to an object */
}

static bool same_field(const struct counted_field *a, const struct counted_field *b)
{
    return a->key == b->key && a->object == b->object && a->member == b->member;
}

static void move_fields(const struct renaming *renaming)
{
    struct timeline *timeline = &renaming->profile->timeline;
    struct field_counts *counts = &timeline->fields;
    for (size_t i = 0; i < renaming->count; i++)
        if (field_counts_follows(counts, renaming->list[i].from))
            field_counts_follow(counts, one_of(renaming->profile, renaming->list[i].from));
    for (uint32_t i = 0; i < counts->count; i++) {
        struct counted_field *field = &counts->fields[i];
        if (!rename_of(renaming, field->object))
            continue;
        move_id(renaming, &field->object);
        for (uint32_t k = 0; k < counts->count; k++)
            if (k != i && same_field(field, &counts->fields[k])) {
                join_fields(timeline, i, k);
                break;
            }
    }
    for (size_t i = 0; i < FIELD_ROWS; i++) {
        struct field_row row = counts->rows[i];
        if (!row.key || !rename_of(renaming, row.object))
            continue;
        counts->rows[i] = (struct field_row){0};
        for (int measure = 0; row.counted && measure < SNAPSHOT_MEASURES; measure++)
            field_counts_add(counts, one_of(renaming->profile, row.object), row.key,
                             (enum snapshot_measure)measure, row.weight[measure]);
    }
}

static void move_one(struct profile *profile, const struct object_rename *rename, uint32_t to)
{
    uint32_t from = rename->from;
    move_tallies(&profile->objects, from, to);
    move_extra(profile, rename, to);
    move_rows(profile, from, to);
    move_curves(&profile->timeline, from, to);
    distances_join(&profile->distances, from, to);
    for (uint8_t level = 0; level < USE_LEVELS; level++)
        use_join(&profile->use, use_key(USE_OBJECT, level, from, 0),
                 use_key(USE_OBJECT, level, to, 0));
}

/* Records a rename. Returns false if there is no room, or the objects are already one. */
static bool renames_note(struct profile *profile, const struct object_rename *rename)
{
    uint32_t from = rename->from;
    uint32_t to = one_of(profile, rename->to);
    if (!profile->renamed)
        profile->renamed = calloc(TALLY_IDS_MAX, sizeof *profile->renamed);
    if (!profile->renamed ||
        !array_more(&profile->renames, &profile->rename_room, profile->rename_count,
                    sizeof *profile->renames, TALLY_IDS_MAX) ||
        !from || from >= TALLY_IDS_MAX || ended(profile, from) || from == to ||
        tallies_reserve(&profile->objects, from) != from ||
        tallies_reserve(&profile->objects, to) != to || !profile_grow_extras(profile))
        return false;
    profile->renames[profile->rename_count] = *rename;
    profile->renamed[from] = (uint32_t)++profile->rename_count;
    return true;
}

void profile_rename_place(const struct profile *profile, struct place *place)
{
    struct type_desc desc;
    for (const struct object_rename *rename; (rename = ended(profile, place->object));) {
        int64_t offset;
        bool inside = moved_offset(rename, place->access.address - place->base, &offset);
        if (rename->fixed)
            place->base = place->access.address - (uint64_t)offset;
        if (rename->fixed && offset < 0)
            place->size_bytes = 0;
        if (place->typed == TYPED_NOT && inside && type_of(profile, rename, &desc)) {
            place->typed = TYPED_DATA;
            place->untyped = UNTYPED_NO_REASON;
            place->by_member = true;
            place->type = rename->type;
            place->type_offset = (uint32_t)type_in_element(&desc, (uint64_t)offset);
        }
        place->object = rename->to;
    }
    place->holder = one_of(profile, place->holder);
    place->evictor_object = one_of(profile, place->evictor_object);
}

void profile_rename(struct profile *profile, const struct object_rename *list, size_t count)
{
    struct renaming renaming = {.profile = profile, .list = list, .count = count};
    renaming.at = count ? calloc(TALLY_IDS_MAX, sizeof *renaming.at) : NULL;
    if (!renaming.at)
        return;
    for (size_t i = 0; i < count; i++)
        if (renames_note(profile, &list[i]))
            renaming.at[list[i].from] = (uint32_t)i + 1;
    move_field_uses(&renaming);
    for (size_t i = 0; i < count; i++)
        if (list[i].from < TALLY_IDS_MAX && renaming.at[list[i].from] == i + 1)
            move_one(profile, &list[i], one_of(profile, list[i].from));
    move_all_pairs(&renaming);
    move_window(&renaming);
    move_sharing(&renaming);
    move_fetches(&renaming);
    move_legs(&renaming);
    move_fields(&renaming);
    findings_held_leave(&profile->findings_held, renaming.at, TALLY_IDS_MAX);
    free(renaming.at);
}

void profile_rename_as(struct profile *profile, const struct profile *other)
{
    profile_rename(profile, other->renames, other->rename_count);
}
