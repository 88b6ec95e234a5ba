/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which instructions used, and which threw out, the lines that a listed one had fetched: what Berg
 * and Hagersten (SIP, 2004) left for later. For the instructions that a screen would open only.
 */
#include "profile/state.h"

#include <stdlib.h>

enum { FUNCTIONS = 24, INSTRUCTIONS = 1024 };
static const double worth = 0.01; /* of its function's samples */

/* The hot instructions, by address. */
struct hot {
    struct snapshot_instruction *at[INSTRUCTIONS];
    size_t count;
};

static int by_address(const void *left, const void *right)
{
    const struct snapshot_instruction *a = *(struct snapshot_instruction *const *)left;
    const struct snapshot_instruction *b = *(struct snapshot_instruction *const *)right;
    return a->address < b->address ? -1 : a->address > b->address;
}

static void gather(const struct build *build, struct hot *hot)
{
    const struct snapshot *snapshot = build->snapshot;
    for (size_t i = 0; i < snapshot->code_count && i < FUNCTIONS; i++)
        for (size_t k = 0; k < snapshot->code[i].instruction_count; k++)
            if (snapshot->code[i].instructions[k].share >= worth && hot->count < INSTRUCTIONS)
                hot->at[hot->count++] = &snapshot->code[i].instructions[k];
    qsort(hot->at, hot->count, sizeof hot->at[0], by_address);
}

static struct snapshot_instruction *find(const struct hot *hot, uint64_t address)
{
    struct snapshot_instruction wanted = {.address = address};
    struct snapshot_instruction *key = &wanted;
    struct snapshot_instruction *const *found =
        bsearch(&key, hot->at, hot->count, sizeof hot->at[0], by_address);
    return found ? *found : NULL;
}

static void keep(struct snapshot_partners *partners, const struct line_pair *pair)
{
    double count = (double)pair->count;
    uint32_t at = partners->count;
    partners->all += count;
    if (at == SNAPSHOT_PARTNERS && partners->list[--at].count >= count)
        return;
    partners->count = at + 1;
    for (; at > 0 && partners->list[at - 1].count < count; at--)
        partners->list[at] = partners->list[at - 1];
    partners->list[at] = (struct snapshot_partner){.address = pair->second, .count = count};
}

static void take(struct build *build, const struct hot *hot, enum line_pairs kind)
{
    const struct line_pair_source *source = &build->profile->options.pairs;
    struct line_pair pair;
    uint32_t place = 0;
    while (!build->failed &&
           source->next(source->context, kind, build->snapshot->uses.level, &place, &pair)) {
        struct snapshot_instruction *instruction = find(hot, pair.first);
        if (!instruction)
            continue;
        if (!instruction->partners)
            instruction->partners =
                arena_array(build->arena, LINE_PAIRS, sizeof *instruction->partners);
        build->failed |= !instruction->partners;
        if (instruction->partners)
            keep(&instruction->partners[kind], &pair);
    }
}

static void describe(struct build *build, struct snapshot_partner *partner)
{
    const struct place_names *names = &build->profile->options.names;
    const struct line_pair_source *source = &build->profile->options.pairs;
    struct instruction_desc instruction = {0};
    struct function_desc function = {0};
    uint32_t id = source->function(source->context, partner->address);
    bool known = names->function && names->function(names->context, id, &function) && function.name;
    partner->function = arena_string(build->arena, known ? function.name : "unknown");
    build->failed |= !partner->function;
    if (!names->instruction ||
        !names->instruction(names->context, partner->address, &instruction) || !instruction.file)
        return;
    partner->file = arena_string(build->arena, instruction.file);
    partner->line = partner->file ? instruction.line : 0;
}

void build_partners(struct build *build)
{
    struct hot hot = {0};
    if (!build->profile->options.pairs.next || !build->snapshot->uses.told)
        return;
    gather(build, &hot);
    for (enum line_pairs kind = 0; kind < LINE_PAIRS && hot.count; kind++)
        take(build, &hot, kind);
    for (size_t i = 0; i < hot.count && !build->failed; i++)
        for (int kind = 0; kind < LINE_PAIRS && hot.at[i]->partners; kind++)
            for (uint32_t k = 0; k < hot.at[i]->partners[kind].count; k++)
                describe(build, &hot.at[i]->partners[kind].list[k]);
}
