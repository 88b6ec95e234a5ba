/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The accessing instructions of the listed functions: where they stand in the source, what they
 * missed on. */
#include "profile/state.h"

#include "resolve/members.h"

#include <math.h>
#include <stdlib.h>

enum { FUNCTIONS = 100, INSTRUCTIONS = 256, NAME_BYTES = 256 };

/* By instruction, the strongest object first. */
static int by_place(const void *left, const void *right)
{
    const struct pair *a = *(const struct pair *const *)left;
    const struct pair *b = *(const struct pair *const *)right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    double difference = a->weight.at[BASIS_RUN] - b->weight.at[BASIS_RUN];
    return difference > 0 ? -1 : difference < 0;
}

static int most_samples(const void *left, const void *right)
{
    const struct snapshot_instruction *a = left;
    const struct snapshot_instruction *b = right;
    double all_a = a->samples + a->unknown_samples;
    double all_b = b->samples + b->unknown_samples;
    return all_a > all_b ? -1 : all_a < all_b;
}

static int by_address(const void *left, const void *right)
{
    const struct snapshot_instruction *a = left;
    const struct snapshot_instruction *b = right;
    return a->address < b->address ? -1 : a->address > b->address;
}

static void name_field(struct build *build, struct snapshot_instruction *row, uint64_t where)
{
    struct type_desc type;
    char name[NAME_BYTES];
    row->type_id = offset_key_type(where);
    row->member = TYPE_NO_MEMBER;
    if (!build_type(build, row->type_id, &type))
        return;
    row->member = type_member_at(&type, (uint32_t)where, 0);
    row->offset = type_fold(&type, (uint32_t)where);
    type_bits_name(&type, (uint32_t)where, offset_key_unit(where), name, sizeof name);
    row->field = arena_string(build->arena, name);
}

static void locate(struct build *build, struct snapshot_instruction *row)
{
    const struct place_names *names = &build->profile->options.names;
    struct instruction_desc desc = {0};
    if (!names->instruction || !names->instruction(names->context, row->address, &desc))
        return;
    row->file = arena_string(build->arena, desc.file);
    row->inlined = arena_string(build->arena, desc.inlined);
    row->line = desc.line;
}

/* All objects of one instruction are one row, called after the strongest. */
static size_t join(const struct build *build, const struct pair **pairs, size_t count,
                   struct snapshot_instruction *rows, uint64_t *where)
{
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        double samples = build_samples(build, &pairs[i]->weight);
        if (!used || rows[used - 1].address != pairs[i]->key) {
            rows[used] = (struct snapshot_instruction){
                .address = pairs[i]->key,
                .object = build_object_index(build, PAIR_OBJECT(pairs[i]->owner)),
                .object_share = samples,
                .type_id = (uint32_t)used};
            where[used++] = pairs[i]->size;
        }
        struct snapshot_instruction *row = &rows[used - 1];
        row->samples += samples;
        row->count_over += build_over(build, &pairs[i]->samples, &pairs[i]->weight);
        row->loads += build_samples(build, &pairs[i]->loads);
        row->stores += build_samples(build, &pairs[i]->stores);
        row->objects++;
    }
    return used;
}

static void list(struct build *build, struct snapshot_code *code, const struct pair **pairs,
                 size_t count)
{
    size_t most = count + build_unplaced_most(build, code->id);
    struct snapshot_instruction *rows = calloc(most + 1, sizeof *rows);
    uint64_t *where = calloc(most + 1, sizeof *where);
    size_t used = rows && where ? join(build, pairs, count, rows, where) : 0;
    double all = code->samples + code->unknown_samples;
    if (rows && where)
        used = build_join_unplaced(build, code->id, rows, used);
    qsort(rows, used, sizeof *rows, most_samples);
    used = used < INSTRUCTIONS ? used : INSTRUCTIONS;
    code->instructions = arena_array(build->arena, used, sizeof *rows);
    build->failed |= !rows || !where || !code->instructions;
    for (size_t i = 0; i < used && !build->failed; i++) {
        struct snapshot_instruction *row = &code->instructions[code->instruction_count++];
        *row = rows[i];
        row->share = all > 0 ? (row->samples + row->unknown_samples) / all : NAN;
        row->object_share = row->samples > 0 ? row->object_share / row->samples : NAN;
        name_field(build, row, where[rows[i].type_id]);
        row->use = build_instruction_use(build, row->address);
        locate(build, row);
    }
    if (code->sites < code->instruction_count)
        code->sites = (uint32_t)code->instruction_count;
    qsort(code->instructions, code->instruction_count, sizeof *rows, by_address);
    free(rows);
    free(where);
}

/* Pairs of the listed functions, those of one function together: groups[i] is where those of
 * function i end, before it those of i - 1. */
static void group(struct build *build, const struct pair **grouped, size_t groups[FUNCTIONS])
{
    const struct pair **sorted = build->profile->sorted;
    const struct snapshot *snapshot = build->snapshot;
    size_t ids = build->profile->functions.ids;
    uint8_t *listed = calloc(ids + 1, 1); /* by id: index + 1 */
    build->failed |= !listed;
    for (size_t i = 0; listed && i < snapshot->code_count && i < FUNCTIONS; i++)
        listed[snapshot->code[i].id] = (uint8_t)(i + 1);
    for (size_t i = 0; listed && i < build->code_count; i++)
        if (sorted[i]->extra < ids && listed[sorted[i]->extra])
            groups[listed[sorted[i]->extra] - 1]++;
    for (size_t i = 0, first = 0; i < FUNCTIONS; i++) {
        size_t count = groups[i];
        groups[i] = first;
        first += count;
    }
    for (size_t i = 0; listed && i < build->code_count; i++)
        if (sorted[i]->extra < ids && listed[sorted[i]->extra])
            grouped[groups[listed[sorted[i]->extra] - 1]++] = sorted[i];
    free(listed);
}

void build_instructions(struct build *build)
{
    struct snapshot *snapshot = build->snapshot;
    size_t groups[FUNCTIONS] = {0};
    const struct pair **grouped = calloc(build->code_count + 1, sizeof(struct pair *));
    build->failed |= !grouped;
    if (grouped)
        group(build, grouped, groups);
    for (size_t i = 0; i < snapshot->code_count && i < FUNCTIONS && !build->failed; i++) {
        size_t first = i ? groups[i - 1] : 0;
        qsort(grouped + first, groups[i] - first, sizeof *grouped, by_place);
        if (groups[i] > first || build_unplaced_most(build, snapshot->code[i].id))
            list(build, &snapshot->code[i], grouped + first, groups[i] - first);
    }
    free(grouped);
}
