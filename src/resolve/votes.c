/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/votes.h"

static const double majority = 0.5;
static const double structs_at_least = 0.1;
static const double misfits_at_most = 0.2;

static void wear_down(struct votes *votes)
{
    for (unsigned i = 0; i < VOTES_TYPES; i++) {
        if (votes->misfits[i] == votes->count[i] && votes->misfits[i])
            votes->misfits[i]--;
        if (!--votes->count[i])
            votes->type[i] = 0;
    }
}

/* Old votes count less than new ones: a leader can change. */
static void halve(struct votes *votes)
{
    votes->all /= 2;
    votes->worked_out_at = 0;
    for (unsigned i = 0; i < VOTES_TYPES; i++) {
        votes->count[i] /= 2;
        votes->misfits[i] /= 2;
        if (!votes->count[i])
            votes->type[i] = 0;
    }
}

void votes_add(struct votes *votes, uint32_t type, bool fits)
{
    enum { ALL_MAX = 1 << 20 };
    unsigned at = VOTES_TYPES;
    if (++votes->all > ALL_MAX)
        halve(votes);
    for (unsigned i = 0; i < VOTES_TYPES; i++) {
        if (votes->type[i] == type) {
            at = i;
            break;
        }
        if (!votes->type[i] && at == VOTES_TYPES)
            at = i;
    }
    if (at == VOTES_TYPES) {
        wear_down(votes);
        return;
    }
    if (votes->type[at] != type)
        votes->misfits[at] = votes->count[at] = 0;
    votes->type[at] = type;
    votes->count[at]++;
    votes->misfits[at] += !fits;
}

static uint32_t explained(const struct votes *votes, const struct types *types, uint32_t type)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < VOTES_TYPES; i++)
        if (votes->type[i] == type || (votes->type[i] && types_contains(types, type, votes->type[i])))
            sum += votes->count[i];
    return sum;
}

static bool has_members(const struct types *types, uint32_t type)
{
    const struct type_desc *desc = types_at(types, type);
    return desc && desc->member_count;
}

static uint32_t work_out(const struct votes *votes, const struct types *types)
{
    uint32_t structs = 0;
    uint32_t best = 0;
    uint32_t most = 0;
    for (unsigned i = 0; i < VOTES_TYPES; i++)
        structs += votes->type[i] && has_members(types, votes->type[i]) ? votes->count[i] : 0;
    bool want_members = structs >= structs_at_least * votes->all;
    for (unsigned i = 0; i < VOTES_TYPES; i++) {
        uint32_t type = votes->type[i];
        if (!type || votes->misfits[i] > misfits_at_most * votes->count[i] ||
            (want_members && !has_members(types, type)))
            continue;
        uint32_t sum = explained(votes, types, type);
        if (sum > most) {
            most = sum;
            best = type;
        }
    }
    uint32_t of = want_members ? structs : votes->all;
    return most >= VOTES_MIN && most > majority * of ? best : 0;
}

uint32_t votes_leader(struct votes *votes, const struct types *types)
{
    /* Worked out anew as the votes grow by an eighth: it walks over members. */
    if (votes->all > votes->worked_out_at + votes->worked_out_at / 8) {
        votes->leader = work_out(votes, types);
        votes->worked_out_at = votes->all;
    }
    return votes->leader;
}

void votes_count(const struct votes *votes, const struct types *types, uint32_t type,
                 uint32_t *own, uint32_t *against)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < VOTES_TYPES; i++)
        sum += votes->count[i];
    *own = type ? explained(votes, types, type) : 0;
    *against = sum - *own;
}
