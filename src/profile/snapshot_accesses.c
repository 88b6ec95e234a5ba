/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instructions with the objects they missed on, of the whole run: all that the table of code
 * keeps, and what it does not keep as one row of each object. */
#include "profile/state.h"

#include "resolve/members.h"

#include <math.h>
#include <stdlib.h>

enum { NAME_BYTES = 256, MAPPINGS = 1024 };

/* Strings and figures that many rows share, looked up once. */
struct shared {
    struct build *build;
    struct hash functions;         /* id -> index + 1 of the first row of it */
    struct mapping_desc *mappings; /* [MAPPINGS] in the arena */
    size_t mapping_count;
};

static const char *keep(struct build *build, const char *text)
{
    return text && *text ? arena_string(build->arena, text) : NULL;
}

static void describe_object(struct build *build, uint32_t id, struct snapshot_access *object)
{
    const struct profile *profile = build->profile;
    const struct place_names *names = &profile->options.names;
    const struct tally *tally = tallies_at(&profile->objects, id, build->event);
    struct object_desc desc = {.kind = OBJECT_UNKNOWN};
    bool known = names->object && names->object(names->context, id, &desc);
    struct levels_sums sums = {0};
    build_sum_object(build, id, &sums);
    const struct snapshot_levels *levels = build_levels(build, &sums);
    object->object = arena_string(build->arena, known && desc.name ? desc.name : "unknown");
    object->kind = desc.kind;
    object->module = arena_string(build->arena, known && desc.module ? desc.module : "");
    object->type = known ? keep(build, desc.type) : NULL;
    object->samples = build_read(build, &tally->samples);
    object->weight = build_read(build, &tally->weight);
    object->cycles = levels ? object->weight * levels->latency : NAN;
    build->failed |= !object->object || !object->module;
}

static const struct mapping_desc *mapping_of(struct shared *shared, uint64_t address)
{
    const struct place_names *names = &shared->build->profile->options.names;
    for (size_t i = 0; i < shared->mapping_count; i++)
        if (address >= shared->mappings[i].start && address < shared->mappings[i].end)
            return &shared->mappings[i];
    if (shared->mapping_count == MAPPINGS || !names->mapping)
        return NULL;
    struct mapping_desc *mapping = &shared->mappings[shared->mapping_count];
    if (!names->mapping(names->context, address, mapping))
        return NULL;
    shared->mapping_count++;
    return mapping;
}

static void describe_function(struct shared *shared, uint32_t id, struct snapshot_access *row)
{
    struct build *build = shared->build;
    const struct snapshot *snapshot = build->snapshot;
    const struct place_names *names = &build->profile->options.names;
    uint32_t *first = hash_insert(&shared->functions, id, NULL);
    build->failed |= !first;
    if (first && *first) {
        const struct snapshot_access *like = &snapshot->accesses[*first - 1];
        row->function = like->function;
        row->function_file = like->function_file;
        row->function_line = like->function_line;
        return;
    }
    struct function_desc desc = {0};
    bool known = names->function && names->function(names->context, id, &desc);
    row->function = arena_string(build->arena, known && desc.name ? desc.name : "unknown");
    row->function_file = known ? keep(build, desc.file) : NULL;
    row->function_line = known ? desc.line : 0;
    build->failed |= !row->function;
    if (first)
        *first = (uint32_t)(row - snapshot->accesses) + 1;
}

static void describe_instruction(struct shared *shared, const struct pair *pair,
                                 struct snapshot_access *row)
{
    struct build *build = shared->build;
    const struct place_names *names = &build->profile->options.names;
    struct instruction_desc desc = {0};
    struct type_desc type;
    char name[NAME_BYTES];
    row->address = pair->key;
    row->code = mapping_of(shared, pair->key);
    describe_function(shared, pair->extra, row);
    if (names->instruction && names->instruction(names->context, pair->key, &desc)) {
        row->file = keep(build, desc.file);
        row->line = desc.line;
        row->inlined = keep(build, desc.inlined);
    }
    if (build_type(build, offset_key_type(pair->size), &type)) {
        type_bits_name(&type, (uint32_t)pair->size, offset_key_unit(pair->size), name, sizeof name);
        row->field = keep(build, name);
    }
}

/* Of its object, the part of so much weight. */
static struct snapshot_access part_of(const struct snapshot_access *object, double samples,
                                      double weight)
{
    struct snapshot_access row = *object;
    row.samples = samples;
    row.weight = weight;
    row.cycles = object->weight > 0 ? object->cycles * weight / object->weight : 0;
    return row;
}

static void list_object(struct shared *shared, uint32_t id, const struct pair **pairs, size_t count)
{
    struct build *build = shared->build;
    struct snapshot *snapshot = build->snapshot;
    struct snapshot_access object = {0};
    describe_object(build, id, &object);
    double rest_samples = object.samples;
    double rest = object.weight;
    for (size_t i = 0; i < count && !build->failed; i++) {
        double samples = build_read(build, &pairs[i]->samples);
        double weight = build_read(build, &pairs[i]->weight);
        struct snapshot_access *row = &snapshot->accesses[snapshot->access_count];
        if (!(weight > 0))
            continue;
        *row = part_of(&object, samples, weight);
        describe_instruction(shared, pairs[i], row);
        snapshot->access_count++;
        rest_samples -= samples;
        rest -= weight;
    }
    /* Under decay sums are rounded. */
    if (rest > 1e-6 * object.weight)
        snapshot->accesses[snapshot->access_count++] =
            part_of(&object, fmax(rest_samples, 0), rest);
}

void build_accesses(struct build *build)
{
    struct profile *profile = build->profile;
    struct snapshot *snapshot = build->snapshot;
    struct shared shared = {.build = build};
    size_t all = build->code_count;
    snapshot->accesses =
        arena_array(build->arena, all + profile->objects.ids, sizeof *snapshot->accesses);
    shared.mappings = arena_array(build->arena, MAPPINGS, sizeof *shared.mappings);
    build->failed |= !snapshot->accesses || !shared.mappings;
    hash_init(&shared.functions);
    for (uint32_t id = 0; id < profile->objects.ids && !build->failed; id++) {
        size_t first;
        size_t count = pairs_of(profile->sorted, all, PAIR_OWNER(id, build->event), &first);
        if (build_samples(build, &tallies_at(&profile->objects, id, build->event)->weight) > 0)
            list_object(&shared, id, profile->sorted + first, count);
    }
    hash_fini(&shared.functions);
}
