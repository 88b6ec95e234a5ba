/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/cache/sharing.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "base/array.h"
#include "sample.h"

#define SOON_NS UINT64_C(1000000000)

/* Resets a line for the next access. */
static void sharing_line_start(struct sharing_line *line, uint64_t address)
{
    *line = (struct sharing_line){.address = address};
}

static void rescale_side(struct sharing_side *side, double factor)
{
    side->samples.at[BASIS_DECAYED] *= factor;
    side->loads.at[BASIS_DECAYED] *= factor;
    side->stores.at[BASIS_DECAYED] *= factor;
    side->hitm.at[BASIS_DECAYED] *= factor;
    for (int i = 0; i < SHARING_INSTRUCTIONS; i++) {
        side->instructions[i].credit *= factor;
        side->instructions[i].samples.at[BASIS_DECAYED] *= factor;
    }
}

static void sharing_line_rescale(struct sharing_line *line, double factor)
{
    line->samples.at[BASIS_DECAYED] *= factor;
    line->close_accesses.at[BASIS_DECAYED] *= factor;
    line->alternations.at[BASIS_DECAYED] *= factor;
    line->hitm.at[BASIS_DECAYED] *= factor;
    line->snooped.at[BASIS_DECAYED] *= factor;
    for (int i = 0; i < line->owner_count; i++)
        line->owners[i].samples.at[BASIS_DECAYED] *= factor;
    for (int i = 0; i < line->side_count; i++)
        rescale_side(&line->sides[i], factor);
}

/* Relations of two extents. One that contains a known extent and starts elsewhere is the same
 * memory with less exact information; any other overlap means that the memory was reused. */
enum relation { RELATION_APART, RELATION_SAME, RELATION_WIDER, RELATION_CLOSER, RELATION_ANEW };

static enum relation owner_relation(const struct sharing_owner *owner, const struct place *place)
{
    uint64_t old_end = owner->base + owner->size;
    uint64_t new_end = place->base + place->size_bytes;
    if (owner->object == place->object && owner->base == place->base)
        return RELATION_SAME;
    /* For a stack frame only the end is known; its parts do not overlap. */
    if (owner->from_end || place->base > place->access.address)
        return RELATION_APART;
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

static struct sharing_owner make_owner(const struct place *place)
{
    return (struct sharing_owner){.base = place->base,
                                  .size = place->size_bytes,
                                  .object = place->object,
                                  .from_end = place->base > place->access.address};
}

/* Returns false if the line's memory was reused, so that older counts do not apply. */
static bool find_owner(struct sharing_line *line, const struct place *place,
                       struct sharing_owner **found)
{
    *found = NULL;
    for (int i = 0; i < line->owner_count; i++) {
        enum relation relation = owner_relation(&line->owners[i], place);
        if (relation == RELATION_ANEW)
            return false;
        if (relation == RELATION_CLOSER)
            line->owners[i] = make_owner(place);
        if (relation != RELATION_APART) {
            *found = &line->owners[i];
            return true;
        }
    }
    if (line->owner_count < SHARING_OWNERS) {
        *found = &line->owners[line->owner_count++];
        **found = make_owner(place);
    }
    return true;
}

/* Returns the side of a thread; evicts the coldest if it has almost decayed. NULL: no room. */
static struct sharing_side *find_or_add_side(struct sharing_line *line, const struct access *access,
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

/* Returns the spot of an instruction. Instructions without a spot reduce the lowest credit and take
 * over its spot once it is used up (tally.h). */
static struct sharing_instruction *find_or_add_spot(struct sharing_side *side, uint64_t ip,
                                                    double scale)
{
    struct sharing_instruction *poorest = &side->instructions[0];
    for (int i = 0; i < SHARING_INSTRUCTIONS; i++) {
        struct sharing_instruction *spot = &side->instructions[i];
        if (spot->credit > 0 && spot->ip == ip)
            return spot;
        if (spot->credit < poorest->credit)
            poorest = spot;
    }
    poorest->credit -= scale;
    if (poorest->credit > 0)
        return NULL;
    *poorest = (struct sharing_instruction){.ip = ip};
    return poorest;
}

/* Returns the bit mask of the bytes that an access touches on its first line. */
static uint64_t access_byte_mask(const struct access *access)
{
    unsigned first = access->address % SHARING_LINE_BYTES;
    unsigned size = access->size ? access->size : 1;
    uint64_t bits = size < SHARING_LINE_BYTES ? (UINT64_C(1) << size) - 1 : UINT64_MAX;
    return bits << first;
}

static void add_spot(struct sharing_instruction *spot, const struct place *place, uint32_t object,
                     double scale)
{
    const struct access *access = &place->access;
    uint64_t bytes = access_byte_mask(access);
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
    struct sharing_side *side = find_or_add_side(line, access, scale);
    if (!side) {
        line->other_accesses += line->other_accesses < UINT32_MAX;
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
    struct sharing_instruction *spot = find_or_add_spot(side, access->ip, scale);
    if (spot)
        add_spot(spot, place, object, scale);
}

/* Returns the side of a thread; NULL: none, even if there is room for it. */
static const struct sharing_side *find_side(const struct sharing_line *line, uint32_t tid)
{
    for (int i = 0; i < line->side_count; i++)
        if (line->sides[i].tid == tid)
            return &line->sides[i];
    return NULL;
}

/*
 * Counts turns only for threads that return to the line. Threads that merely follow each other, as
 * in a program that starts a new thread for each piece of work, never return. Whether a thread
 * without a side returns is not known, so it counts neither as a pair nor as a turn.
 */
static void add_turn(struct sharing_line *line, const struct access *access, double scale)
{
    const struct sharing_side *side = find_side(line, access->tid);
    bool wrote = sharing_writes(access);
    bool soon = line->last_ns && access->time_ns - line->last_ns <= SOON_NS;
    bool elsewhere = access->cpu == SAMPLE_NO_CPU || access->cpu != line->last_cpu;
    bool back = side && access->time_ns - side->last_ns <= SOON_NS;
    if (soon && (side || line->side_count < SHARING_SIDES))
        counted_add(&line->close_accesses, 1, scale);
    if (soon && back && elsewhere && access->tid != line->last_tid && (wrote || line->last_wrote))
        counted_add(&line->alternations, 1, scale);
    line->last_ns = access->time_ns;
    line->last_tid = access->tid;
    line->last_cpu = access->cpu;
    line->last_wrote = wrote;
}

/* Adds one access. Resets the line if its memory now belongs to another object. */
static void sharing_line_add(struct sharing_line *line, const struct place *place,
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

enum { STORED = 1, SEVERAL = 2, RECORDED = 4 };

/* Older accesses say nothing about current behaviour. */
#define WATCH_NS UINT64_C(60000000000)

int sharing_init(struct sharing *sharing)
{
    *sharing = (struct sharing){.lines = calloc(SHARING_LINES, sizeof(struct sharing_line))};
    sharing->last_accesses = array_alloc_in_lines(&sharing->memory, SHARING_LAST_ACCESSES,
                                                  sizeof *sharing->last_accesses);
    if (sharing->last_accesses && sharing->lines && !pairs_init(&sharing->ranking, SHARING_LINES))
        return 0;
    sharing_fini(sharing);
    return -ENOMEM;
}

void sharing_fini(struct sharing *sharing)
{
    free(sharing->memory);
    free(sharing->lines);
    pairs_fini(&sharing->ranking);
    *sharing = (struct sharing){0};
}

void sharing_clear(struct sharing *sharing)
{
    memset(sharing->last_accesses, 0, SHARING_LAST_ACCESSES * sizeof *sharing->last_accesses);
    memset(sharing->lines, 0, SHARING_LINES * sizeof *sharing->lines);
    pairs_clear(&sharing->ranking);
}

void sharing_rescale(struct sharing *sharing, double factor)
{
    pairs_rescale(&sharing->ranking, factor);
    for (int i = 0; i < SHARING_LINES; i++)
        sharing_line_rescale(&sharing->lines[i], factor);
}

static uint64_t line_hash(uint64_t line)
{
    return hash_mix(line);
}

static struct sharing_last_access *watch_of(const struct sharing *sharing, uint64_t hash)
{
    return &sharing->last_accesses[hash & (SHARING_LAST_ACCESSES - 1)];
}

void sharing_prefetch(const struct sharing *sharing, uint64_t address)
{
    __builtin_prefetch(watch_of(sharing, line_hash(address / SHARING_LINE_BYTES)), 1);
}

static uint64_t line_address(uint64_t address)
{
    return address & ~(uint64_t)(SHARING_LINE_BYTES - 1);
}

static void sharing_note_access(struct sharing_last_access *seen, const struct place *place,
                                unsigned flags)
{
    const struct access *access = &place->access;
    *seen = (struct sharing_last_access){.time_ns = access->time_ns,
                                         .address = access->address,
                                         .ip = access->ip,
                                         .tid = access->tid,
                                         .cpu = access->cpu,
                                         .object = place->object,
                                         .function = place->function,
                                         .type = place->by_member ? place->type : 0,
                                         .type_offset = place->type_offset,
                                         .size = access->size,
                                         .kind = access->kind,
                                         .locked = access->locked,
                                         .flags = (uint8_t)flags};
}

/* Restores the previous access. Its extent is known only for the object of the current one. */
static struct place previous_place(const struct sharing_last_access *seen,
                                   const struct place *place)
{
    bool same = seen->object == place->object;
    struct place past = {.object = seen->object,
                         .function = seen->function,
                         .base = same ? place->base : seen->address,
                         .size_bytes = same ? place->size_bytes : 0,
                         .type = seen->type,
                         .type_offset = seen->type_offset,
                         .by_member = seen->type != 0};
    past.access = (struct access){.time_ns = seen->time_ns,
                                  .address = seen->address,
                                  .ip = seen->ip,
                                  .tid = seen->tid,
                                  .cpu = seen->cpu,
                                  .size = seen->size,
                                  .kind = seen->kind,
                                  .locked = seen->locked};
    return past;
}

/* Returns the line's row; a new row starts with the previous access. NULL: not hot enough. */
static struct sharing_line *sharing_find_line(struct sharing *sharing,
                                              const struct sharing_last_access *seen,
                                              const struct place *place, double scale)
{
    static const struct data_source nothing;
    uint64_t address = line_address(place->access.address);
    uint64_t hash = line_hash(address / SHARING_LINE_BYTES) | 1;
    struct pair *pair = pairs_take(&sharing->ranking, hash, 0, address, scale);
    if (!pair)
        return NULL;
    struct sharing_line *line = &sharing->lines[pair - sharing->ranking.at];
    if (line->address == address)
        return line;
    sharing_line_start(line, address);
    if (line_address(seen->address) == address) {
        struct place past = previous_place(seen, place);
        sharing_line_add(line, &past, &nothing, scale);
    }
    return line;
}

void sharing_add(struct sharing *sharing, const struct place *place, double scale)
{
    const struct access *access = &place->access;
    uint64_t address = line_address(access->address);
    struct sharing_last_access *seen = watch_of(sharing, line_hash(address / SHARING_LINE_BYTES));
    struct data_source source = {0};
    if (access->kind == ACCESS_PREFETCH)
        return;
    bool known =
        line_address(seen->address) == address && access->time_ns - seen->time_ns <= WATCH_NS;
    unsigned flags = known ? seen->flags : 0;
    if (known && seen->tid != access->tid)
        flags |= SEVERAL;
    if (sharing_writes(access))
        flags |= STORED;
    if (access->data_src) {
        source = data_source_decode(access->data_src);
        flags |= RECORDED;
    }
    if (source.snoop == SNOOP_HITM || (flags & SEVERAL && flags & (STORED | RECORDED))) {
        struct sharing_line *line = sharing_find_line(sharing, seen, place, scale);
        if (line)
            sharing_line_add(line, place, &source, scale);
    }
    sharing_note_access(seen, place, flags);
}

/* Minimum ratio of observed to expected turns. Threads in separate phases reach about 0.01. Waiting
 * for a CPU reduces turns: three busy threads on two CPUs reach 0.25. */
static const double mixed = 0.1;
static const double mostly = 0.8;

const char *sharing_verdict_name(enum sharing_verdict verdict)
{
    static const char *const names[] = {"unsure", "true", "false", "both", "read-only"};
    return (unsigned)verdict < 5 ? names[verdict] : "unsure";
}

const char *sharing_evidence_name(enum sharing_evidence evidence)
{
    return evidence == SHARING_HITM ? "hitm" : "turns";
}

struct basis_scale {
    enum snapshot_basis basis;
    double scale;
};

static double counted_at_basis(const struct basis_scale *how, const struct counted *counted)
{
    return counted_read(counted, how->basis, how->scale);
}

/* Returns the probability that two accesses drawn from all sides are from two threads with at least
 * one store. */
static double turn_probability(const struct sharing_line *line, const struct basis_scale *how)
{
    double all = 0;
    double chance = 0;
    for (int i = 0; i < line->side_count; i++)
        all += counted_at_basis(how, &line->sides[i].samples);
    if (!(all > 0))
        return 0;
    for (int i = 0; i < line->side_count; i++)
        for (int k = 0; k < i; k++) {
            double a = counted_at_basis(how, &line->sides[i].samples);
            double b = counted_at_basis(how, &line->sides[k].samples);
            double no_store =
                a > 0 && b > 0
                    ? (1 - fmin(1, counted_at_basis(how, &line->sides[i].stores) / a)) *
                          (1 - fmin(1, counted_at_basis(how, &line->sides[k].stores) / b))
                    : 1;
            chance += 2 * a / all * b / all * (1 - no_store);
        }
    return chance;
}

/* Adds the contention of two instructions of different threads, to `same` if their bytes overlap
 * and to `apart` otherwise. */
static void add_spot_contention(const struct basis_scale *how, const struct sharing_instruction *a,
                                const struct sharing_instruction *b, double *same, double *apart)
{
    double weight = counted_at_basis(how, &a->samples) * counted_at_basis(how, &b->samples);
    if (!(a->credit > 0) || !(b->credit > 0) || !(a->written | b->written))
        return;
    bool overlap = a->written & (b->read | b->written) || b->written & a->read;
    *(overlap ? same : apart) += weight;
}

static double overlap_share(const struct sharing_line *line, const struct basis_scale *how)
{
    double same = 0;
    double apart = 0;
    for (int i = 0; i < line->side_count; i++)
        for (int k = 0; k < i; k++)
            for (int n = 0; n < SHARING_INSTRUCTIONS * SHARING_INSTRUCTIONS; n++)
                add_spot_contention(how, &line->sides[i].instructions[n / SHARING_INSTRUCTIONS],
                                    &line->sides[k].instructions[n % SHARING_INSTRUCTIONS], &same,
                                    &apart);
    return same + apart > 0 ? same / (same + apart) : NAN;
}

static enum sharing_verdict verdict_of(const struct sharing_assessment *assessment)
{
    if (isnan(assessment->overlap) || !assessment->has_enough_samples)
        return SHARING_INCONCLUSIVE;
    return assessment->overlap >= mostly       ? SHARING_TRUE
           : assessment->overlap <= 1 - mostly ? SHARING_FALSE
                                               : SHARING_BOTH;
}

struct sharing_assessment sharing_judge(const struct sharing_line *line, enum snapshot_basis basis,
                                        double scale)
{
    struct basis_scale how = {basis, scale};
    struct sharing_assessment assessment = {
        .samples = counted_at_basis(&how, &line->samples),
        .alternations = counted_at_basis(&how, &line->alternations),
        .close_accesses = counted_at_basis(&how, &line->close_accesses),
        .hitm = NAN};
    double snooped = counted_at_basis(&how, &line->snooped);
    assessment.expected_alternations = assessment.close_accesses * turn_probability(line, &how);
    assessment.overlap = overlap_share(line, &how);
    if (snooped > 0)
        assessment.hitm = counted_at_basis(&how, &line->hitm);
    bool turns = assessment.alternations >= SHARING_TURNS_LISTED &&
                 assessment.alternations >= mixed * assessment.expected_alternations;
    bool hitm = assessment.hitm >= 0.5;
    assessment.evidence = hitm ? SHARING_HITM : SHARING_ALTERNATION;
    assessment.has_enough_samples = assessment.hitm >= SHARING_HITM_SURE ||
                                    (turns && assessment.alternations >= SHARING_TURNS_SURE);
    assessment.listed = turns || hitm;
    assessment.verdict = verdict_of(&assessment);
    if (!assessment.listed && snooped > 0 && isnan(assessment.overlap) && line->side_count > 1) {
        assessment.listed = true;
        assessment.verdict = SHARING_READ_ONLY;
    }
    return assessment;
}
