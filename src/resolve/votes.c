/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/votes.h"

static const double majority = 0.5;
static const double structs_at_least = 0.1;
static const double misfits_at_most = 0.2;
static const double against_at_most = 0.02;

/* The slots that a type may take. */
struct slots {
    unsigned first;
    unsigned end;
};

static const struct slots for_structs = {0, VOTES_STRUCTS};
static const struct slots for_scalars = {VOTES_STRUCTS, VOTES_TYPES};

static void wear_down(struct votes *votes, struct slots slots)
{
    for (unsigned i = slots.first; i < slots.end; i++) {
        if (votes->misfits[i] == votes->count[i])
            votes->misfits[i]--;
        if (!--votes->count[i])
            votes->type[i] = 0;
    }
}

/* Old votes count less than new ones: a leader can change. */
static void halve(struct votes *votes)
{
    votes->all /= 2;
    votes->unsaid /= 2;
    votes->structs /= 2;
    votes->worked_out_at = 0;
    for (unsigned i = 0; i < VOTES_TYPES; i++) {
        votes->count[i] /= 2;
        votes->misfits[i] /= 2;
        if (!votes->count[i])
            votes->type[i] = 0;
    }
}

static bool has_members(const struct types *types, uint32_t type)
{
    const struct type_desc *desc = types_at(types, type);
    return desc && desc->member_count;
}

/* The slot of a type, else one that is empty; slots.end: none. */
static unsigned slot_of(const struct votes *votes, struct slots slots, uint32_t type)
{
    unsigned empty = slots.end;
    for (unsigned i = slots.first; i < slots.end; i++) {
        if (votes->type[i] == type)
            return i;
        if (!votes->type[i] && empty == slots.end)
            empty = i;
    }
    return empty;
}

void votes_add(struct votes *votes, const struct types *types, uint32_t type, bool fits)
{
    enum { ALL_MAX = 1 << 20 };
    bool members = has_members(types, type);
    struct slots slots = members ? for_structs : for_scalars;
    if (++votes->all > ALL_MAX)
        halve(votes);
    votes->structs += members;
    unsigned at = slot_of(votes, slots, type);
    if (at == slots.end) {
        wear_down(votes, slots);
        return;
    }
    if (votes->type[at] != type)
        votes->misfits[at] = votes->count[at] = 0;
    votes->type[at] = type;
    votes->count[at]++;
    votes->misfits[at] += !fits;
}

static uint32_t explained(const struct votes *votes, const struct types *types, uint32_t type,
                          struct slots slots)
{
    uint32_t sum = 0;
    for (unsigned i = slots.first; i < slots.end; i++)
        if (votes->type[i] == type ||
            (votes->type[i] && types_contains(types, type, votes->type[i])))
            sum += votes->count[i];
    return sum;
}

static uint32_t work_out(const struct votes *votes, const struct types *types)
{
    uint32_t best = 0;
    uint32_t most = 0;
    bool members = votes->structs >= structs_at_least * votes->all;
    struct slots slots = members ? for_structs : for_scalars;
    for (unsigned i = slots.first; i < slots.end; i++) {
        if (!votes->type[i] || votes->misfits[i] > misfits_at_most * votes->count[i])
            continue;
        uint32_t sum = explained(votes, types, votes->type[i], slots);
        if (sum > most) {
            most = sum;
            best = votes->type[i];
        }
    }
    uint32_t of = members ? votes->structs : votes->all;
    return most >= VOTES_MIN && most > majority * of ? best : 0;
}

uint32_t votes_leader(struct votes *votes, const struct types *types)
{
    /* Worked out anew as the votes grow by an eighth: it walks over members. */
    uint32_t said = votes->all + votes->unsaid;
    if (said > votes->worked_out_at + votes->worked_out_at / 8) {
        uint32_t own;
        uint32_t against;
        votes->leader = work_out(votes, types);
        votes_count(votes, types, votes->leader, &own, &against);
        votes->leads_alone = votes->leader && against + votes->unsaid <= against_at_most * own;
        votes->worked_out_at = said;
    }
    return votes->leader;
}

void votes_count(const struct votes *votes, const struct types *types, uint32_t type, uint32_t *own,
                 uint32_t *against)
{
    static const struct slots every = {0, VOTES_TYPES};
    uint32_t sum = 0;
    for (unsigned i = 0; i < VOTES_TYPES; i++)
        sum += votes->count[i];
    *own = type ? explained(votes, types, type, every) : 0;
    *against = sum - *own;
}
