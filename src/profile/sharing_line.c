/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/sharing_line.h"

#include "sample.h"

#define SOON_NS UINT64_C(1000000000)

void sharing_line_start(struct sharing_line *line, uint64_t address)
{
    *line = (struct sharing_line){.address = address};
}

static void rescale_side(struct sharing_side *side, double factor)
{
    side->samples.at[BASIS_DECAYED] *= factor;
    side->loads.at[BASIS_DECAYED] *= factor;
    side->stores.at[BASIS_DECAYED] *= factor;
    side->hitm.at[BASIS_DECAYED] *= factor;
    for (int i = 0; i < SHARING_SPOTS; i++) {
        side->spots[i].credit *= factor;
        side->spots[i].samples.at[BASIS_DECAYED] *= factor;
    }
}

void sharing_line_rescale(struct sharing_line *line, double factor)
{
    line->samples.at[BASIS_DECAYED] *= factor;
    line->pairs.at[BASIS_DECAYED] *= factor;
    line->turns.at[BASIS_DECAYED] *= factor;
    line->hitm.at[BASIS_DECAYED] *= factor;
    line->snooped.at[BASIS_DECAYED] *= factor;
    for (int i = 0; i < line->owner_count; i++)
        line->owners[i].samples.at[BASIS_DECAYED] *= factor;
    for (int i = 0; i < line->side_count; i++)
        rescale_side(&line->sides[i], factor);
}

/* An extent that is wider than one known already, and begins elsewhere, is the same memory seen
 * with less knowledge; one that overlaps in any other way is memory used anew. */
enum relation { RELATION_APART, RELATION_SAME, RELATION_WIDER, RELATION_CLOSER, RELATION_ANEW };

static enum relation relate(const struct sharing_owner *owner, const struct place *place)
{
    uint64_t old_end = owner->base + owner->size;
    uint64_t new_end = place->base + place->size_bytes;
    if (owner->object == place->object && owner->base == place->base)
        return RELATION_SAME;
    if (!place->size_bytes)
        return RELATION_WIDER;
    if (!owner->size)
        return RELATION_CLOSER;
    if (place->base >= old_end || owner->base >= new_end)
        return RELATION_APART;
    if (place->base < owner->base && new_end >= old_end)
        return RELATION_WIDER;
    if (place->base > owner->base && new_end <= old_end)
        return RELATION_CLOSER;
    return RELATION_ANEW;
}

static struct sharing_owner owner_of(const struct place *place)
{
    return (struct sharing_owner){
        .base = place->base, .size = place->size_bytes, .object = place->object};
}

/* The owner of an access; false: the line is used anew, and what was counted is of the past. */
static bool find_owner(struct sharing_line *line, const struct place *place,
                       struct sharing_owner **found)
{
    *found = NULL;
    for (int i = 0; i < line->owner_count; i++) {
        enum relation relation = relate(&line->owners[i], place);
        if (relation == RELATION_ANEW)
            return false;
        if (relation == RELATION_CLOSER)
            line->owners[i] = owner_of(place);
        if (relation != RELATION_APART) {
            *found = &line->owners[i];
            return true;
        }
    }
    if (line->owner_count < SHARING_OWNERS) {
        *found = &line->owners[line->owner_count++];
        **found = owner_of(place);
    }
    return true;
}

/* The side of a thread, in the place of the coldest that is nearly forgotten; NULL: no room. */
static struct sharing_side *side_of(struct sharing_line *line, const struct access *access,
                                    double scale)
{
    struct sharing_side *coldest = &line->sides[0];
    for (int i = 0; i < line->side_count; i++) {
        struct sharing_side *side = &line->sides[i];
        if (side->tid == access->tid)
            return side;
        if (side->samples.at[BASIS_DECAYED] < coldest->samples.at[BASIS_DECAYED])
            coldest = side;
    }
    if (line->side_count < SHARING_SIDES)
        coldest = &line->sides[line->side_count++];
    else if (coldest->samples.at[BASIS_DECAYED] > scale / 4)
        return NULL;
    *coldest = (struct sharing_side){.tid = access->tid};
    return coldest;
}

/* The spot of an instruction; the poorest is worn down by those that find no room (pairs.h). */
static struct sharing_spot *spot_of(struct sharing_side *side, uint64_t ip, double scale)
{
    struct sharing_spot *poorest = &side->spots[0];
    for (int i = 0; i < SHARING_SPOTS; i++) {
        struct sharing_spot *spot = &side->spots[i];
        if (spot->credit > 0 && spot->ip == ip)
            return spot;
        if (spot->credit < poorest->credit)
            poorest = spot;
    }
    poorest->credit -= scale;
    if (poorest->credit > 0)
        return NULL;
    *poorest = (struct sharing_spot){.ip = ip};
    return poorest;
}

/* Bits of the bytes an access touches on its first line. */
static uint64_t bytes_of(const struct access *access)
{
    unsigned first = access->address % SHARING_LINE_BYTES;
    unsigned size = access->size ? access->size : 1;
    uint64_t bits = size < SHARING_LINE_BYTES ? (UINT64_C(1) << size) - 1 : UINT64_MAX;
    return bits << first;
}

static void add_spot(struct sharing_spot *spot, const struct place *place, uint32_t object,
                     double scale)
{
    const struct access *access = &place->access;
    uint64_t bytes = bytes_of(access);
    spot->credit += scale;
    counted_add(&spot->samples, 1, scale);
    spot->function = place->function;
    spot->object = object;
    spot->address = access->address;
    spot->type = place->by_member ? place->type : 0;
    spot->type_offset = place->type_offset;
    spot->size = access->size > spot->size ? access->size : spot->size;
    spot->locked |= access->locked;
    if (access->kind != ACCESS_STORE)
        spot->read |= bytes;
    if (sharing_writes(access))
        spot->written |= bytes;
}

static void add_side(struct sharing_line *line, const struct place *place, uint32_t object,
                     bool hitm, double scale)
{
    const struct access *access = &place->access;
    struct sharing_side *side = side_of(line, access, scale);
    if (!side) {
        line->others += line->others < UINT32_MAX;
        return;
    }
    side->cpu = access->cpu;
    side->last_ns = access->time_ns;
    counted_add(&side->samples, 1, scale);
    if (access->kind == ACCESS_LOAD || access->kind == ACCESS_LOAD_STORE)
        counted_add(&side->loads, 1, scale);
    if (sharing_writes(access))
        counted_add(&side->stores, 1, scale);
    if (hitm)
        counted_add(&side->hitm, 1, scale);
    struct sharing_spot *spot = spot_of(side, access->ip, scale);
    if (spot)
        add_spot(spot, place, object, scale);
}

/* NULL: not known, though there may be room for it. */
static const struct sharing_side *known_side(const struct sharing_line *line, uint32_t tid)
{
    for (int i = 0; i < line->side_count; i++)
        if (line->sides[i].tid == tid)
            return &line->sides[i];
    return NULL;
}

/*
 * Turns are of threads that were there before and come back: threads that only follow each other,
 * as those of a program that starts new ones for each piece of work, never do. Of those that no
 * side is kept of that is not known, so they count in neither.
 */
static void add_turn(struct sharing_line *line, const struct access *access, double scale)
{
    const struct sharing_side *side = known_side(line, access->tid);
    bool wrote = sharing_writes(access);
    bool soon = line->last_ns && access->time_ns - line->last_ns <= SOON_NS;
    bool elsewhere = access->cpu == SAMPLE_NO_CPU || access->cpu != line->last_cpu;
    bool back = side && access->time_ns - side->last_ns <= SOON_NS;
    if (soon && (side || line->side_count < SHARING_SIDES))
        counted_add(&line->pairs, 1, scale);
    if (soon && back && elsewhere && access->tid != line->last_tid && (wrote || line->last_wrote))
        counted_add(&line->turns, 1, scale);
    line->last_ns = access->time_ns;
    line->last_tid = access->tid;
    line->last_cpu = access->cpu;
    line->last_wrote = wrote;
}

void sharing_line_add(struct sharing_line *line, const struct place *place,
                      const struct data_source *source, double scale)
{
    const struct access *access = &place->access;
    struct sharing_owner *owner;
    bool hitm = source->snoop == SNOOP_HITM;
    if (!find_owner(line, place, &owner)) {
        sharing_line_start(line, line->address);
        find_owner(line, place, &owner);
    }
    if (owner)
        counted_add(&owner->samples, 1, scale);
    counted_add(&line->samples, 1, scale);
    if (hitm)
        counted_add(&line->hitm, 1, scale);
    if (source->snoop != SNOOP_UNKNOWN)
        counted_add(&line->snooped, 1, scale);
    add_turn(line, access, scale);
    add_side(line, place, owner ? owner->object : place->object, hitm, scale);
}
