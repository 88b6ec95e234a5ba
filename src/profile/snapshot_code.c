/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions: those of each listed object, and all of them. */
#include "profile/interval.h"
#include "profile/state.h"

#include <math.h>
#include <stdlib.h>

enum { CODES = 32, CODES_ALL = 200 };

static void describe(struct build *build, struct snapshot_code *code)
{
    const struct place_names *names = &build->profile->options.names;
    struct function_desc desc = {0};
    bool known = names->function && names->function(names->context, code->id, &desc);
    code->function = arena_string(build->arena, known && desc.name ? desc.name : "unknown");
    code->module = arena_string(build->arena, known && desc.module ? desc.module : "");
    code->file = known && desc.file && desc.file[0] ? arena_string(build->arena, desc.file) : NULL;
    code->line = known ? desc.line : 0;
    build->failed |= !code->function || !code->module;
}

static int most_samples(const void *left, const void *right)
{
    const struct snapshot_code *a = left;
    const struct snapshot_code *b = right;
    double all_a = a->samples + a->unknown_samples;
    double all_b = b->samples + b->unknown_samples;
    if (all_a != all_b)
        return all_a > all_b ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* Pairs stand by function within an object: one row for each run of them. */
static size_t rows_of(const struct build *build, const struct pair **sorted, size_t count,
                      struct snapshot_code *rows)
{
    size_t used = 0;
    double hottest = 0;
    for (size_t i = 0; i < count; i++) {
        double samples = build_samples(build, &sorted[i]->weight);
        if (!used || rows[used - 1].id != sorted[i]->extra) {
            rows[used++] = (struct snapshot_code){.id = sorted[i]->extra, .top_object = UINT32_MAX};
            hottest = -1;
        }
        struct snapshot_code *row = &rows[used - 1];
        row->samples += samples;
        row->count_over += build_over(build, &sorted[i]->samples, &sorted[i]->weight);
        row->sites++;
        if (samples > hottest) {
            hottest = samples;
            row->address = sorted[i]->key;
        }
    }
    return used;
}

static void build_object_code(struct build *build, size_t index, const struct pair **sorted,
                              size_t all, struct snapshot_code *rows)
{
    struct snapshot_object *object = &build->snapshot->objects[index];
    size_t first;
    size_t count = pairs_of(sorted, all, PAIR_OWNER(object->id, build->event), &first);
    size_t used = rows_of(build, sorted + first, count, rows);
    double effective =
        build_effective(build, tallies_at(&build->profile->objects, object->id, build->event));
    qsort(rows, used, sizeof *rows, most_samples);
    object->code_count = used < CODES ? used : CODES;
    object->code = arena_array(build->arena, object->code_count, sizeof *rows);
    build->failed |= !object->code;
    for (size_t i = 0; object->code && i < object->code_count; i++) {
        struct snapshot_code *code = &object->code[i];
        *code = rows[i];
        code->share =
            interval_share(object->samples > 0 ? code->samples / object->samples : NAN, effective);
        code->top_object = (uint32_t)index;
        code->top_object_share = 1;
        code->all_share = code->unknown_share = NAN;
        describe(build, code);
    }
}

/* Sites, hottest instruction and strongest object of the listed functions. */
static void join_sites(struct build *build, struct hash *index, const struct pair **sorted,
                       size_t all, struct snapshot_code *rows)
{
    struct snapshot *snapshot = build->snapshot;

    double *strongest = calloc(snapshot->code_count + 1, sizeof *strongest);
    build->failed |= !strongest;
    for (size_t i = 0, next; i < all && !build->failed; i = next) {
        for (next = i; next < all && sorted[next]->owner == sorted[i]->owner; next++)
            continue;
        size_t used = rows_of(build, sorted + i, next - i, rows);
        for (size_t k = 0; k < used; k++) {
            const uint32_t *at = hash_find(index, rows[k].id);
            if (!at)
                continue;
            struct snapshot_code *code = &snapshot->code[*at];
            code->sites += rows[k].sites;
            if (rows[k].samples > strongest[*at]) {
                strongest[*at] = rows[k].samples;
                code->address = rows[k].address;
                code->top_object = build_object_index(build, PAIR_OBJECT(sorted[i]->owner));
                code->top_object_share = code->samples > 0 ? rows[k].samples / code->samples : NAN;
            }
        }
    }

    free(strongest);
}

static void list_functions(struct build *build, struct snapshot_code *rows)
{
    struct profile *profile = build->profile;
    struct snapshot *snapshot = build->snapshot;
    double all = build_read(build, &profile->all[build->event].weight);
    /* 0: in no function. */
    for (uint32_t id = 1; id < profile->functions.ids; id++) {
        const struct tally *tally = tallies_at(&profile->functions, id, build->event);
        double samples = build_samples(build, &tally->weight);
        struct snapshot_code code = {
            .id = id, .samples = samples, .top_object = UINT32_MAX, .top_object_share = NAN};
        code.count_over = build_over(build, &tally->samples, &tally->weight);
        build_function_unplaced(build, &code);
        if (!(samples + code.unknown_samples > 0))
            continue;
        size_t i = snapshot->code_count;
        if (i == CODES_ALL && most_samples(&code, &rows[i - 1]) > 0)
            continue;
        if (i == CODES_ALL)
            i--;
        else
            snapshot->code_count++;
        code.share.value = all > 0 ? build_read(build, &tally->weight) / all : NAN;
        for (; i > 0 && most_samples(&code, &rows[i - 1]) < 0; i--)
            rows[i] = rows[i - 1];
        rows[i] = code;
    }
}

static void build_all_code(struct build *build, const struct pair **sorted, size_t all,
                           struct snapshot_code *rows)
{
    struct snapshot *snapshot = build->snapshot;
    const struct tally *total = &build->profile->all[build->event];
    double samples = build_effective(build, total);
    struct hash index;
    hash_init(&index);
    snapshot->code = arena_array(build->arena, CODES_ALL, sizeof *snapshot->code);
    build->failed |= !snapshot->code;
    if (snapshot->code)
        list_functions(build, snapshot->code);
    for (size_t i = 0; i < snapshot->code_count; i++) {
        struct snapshot_code *code = &snapshot->code[i];
        uint32_t *at = hash_insert(&index, code->id, NULL);
        build->failed |= !at;
        if (at)
            *at = (uint32_t)i;
        code->share = interval_share(code->share.value, samples);
        code->rates = build_function_rates(build, code->id);
        code->use = build_function_use(build, code->id);
        describe(build, code);
        build_note_unplaced(build, code);
    }
    join_sites(build, &index, sorted, all, rows);
    hash_fini(&index);
}

void build_code(struct build *build)
{
    struct profile *profile = build->profile;
    size_t all = build->code_count = pairs_sorted(&profile->code, build->event, profile->sorted);
    struct snapshot_code *rows = calloc(all + 1, sizeof *rows);
    build->failed |= !rows;
    for (size_t i = 0; i < build->snapshot->object_count && !build->failed; i++)
        build_object_code(build, i, profile->sorted, all, rows);
    if (!build->failed)
        build_all_code(build, profile->sorted, all, rows);
    free(rows);
}
