/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "profile/snapshot/builders.h"
#include "profile/tables/statistics.h"
#include "resolve/members.h"

/* Functions and instructions with samples without an object. */

double build_total_weight(const struct build *build)
{
    const struct profile *profile = build->profile;
    return build_read(build, &profile->all[build->event].weight) +
           build_read(build, &profile->unplaced.all[build->event].weight);
}

/* Sums the attributed weight of each instruction in `unplaced`: sums[i] for the i-th. */
static bool sum_attributed(const struct build *build, double *sums)
{
    const struct pair **sorted = build->profile->unplaced.sorted;
    const struct pairs *code = &build->profile->code;
    const struct pair *pair;
    struct hash index = {0};
    bool known = true;
    for (size_t i = 0; i < build->unplaced_count && known; i++)
        known = hash_put(&index, sorted[i]->key, (uint32_t)i);
    for (size_t i = 0; known && (pair = pairs_next(code, &i));) {
        if (PAIR_EVENT(pair->owner) != build->event)
            continue;
        const uint32_t *at = hash_find(&index, pair->key);
        if (at)
            sums[*at] += build_read(build, &pair->weight);
    }
    hash_fini(&index);
    return known;
}

/*
 * Returns the weight of the samples without an object that waited for data, minus the weight that
 * attributed samples of the same instructions represent. If a share f of an instruction's samples
 * has no object, the attributed ones represent a share of 1 - f of these.
 */
static double unplaced_excess_weight(struct build *build)
{
    const struct unplaced *unplaced = &build->profile->unplaced;
    double excess = build_read(build, &unplaced->waited[build->event].weight);
    if (!build->unplaced_count)
        return excess;
    double *sums = arena_array(build->arena, build->unplaced_count, sizeof *sums);
    if (!sums || !sum_attributed(build, sums))
        return excess;
    for (size_t i = 0; i < build->unplaced_count; i++) {
        double own = build_read(build, &unplaced->sorted[i]->weight);
        if (own > 0)
            excess -= own * sums[i] / (own + sums[i]);
    }
    return excess > 0 ? excess : 0;
}

void build_unplaced(struct build *build)
{
    struct unplaced *unplaced = &build->profile->unplaced;
    build->unplaced_count = pairs_sorted(&unplaced->code, build->event, unplaced->sorted);
    build->unplaced_excess = unplaced_excess_weight(build);
}

struct snapshot_share build_widen_share(const struct build *build, struct snapshot_share share)
{
    double all = build_read(build, &build->profile->all[build->event].weight) +
                 build_read(build, &build->profile->unplaced.waited[build->event].weight);
    double excess = all > 0 ? fmin(build->unplaced_excess / all, 1) : 0;
    share.low *= 1 - excess;
    share.high = share.high * (1 - excess) + excess;
    return share;
}

static void build_function_unplaced(const struct build *build, struct snapshot_code *code)
{
    const struct unplaced *unplaced = &build->profile->unplaced;
    const struct tally *known = tallies_at(&build->profile->functions, code->id, build->event);
    const struct tally *tally = unplaced_tally(unplaced, code->id, build->event);
    double all = build_total_weight(build);
    double weight = tally ? build_read(build, &tally->weight) : 0;
    code->unknown_samples = tally ? build_samples(build, &tally->weight) : 0;
    code->unknown_excess = tally ? build_samples_over(build, &tally->samples, &tally->weight) : 0;
    code->unknown_share = all > 0 ? weight / all : NAN;
    code->all_share = all > 0 ? (weight + build_read(build, &known->weight)) / all : NAN;
}

static const struct pair **unplaced_pairs_of_function(const struct build *build, uint32_t function,
                                                      size_t *count)
{
    const struct pair **sorted = build->profile->unplaced.sorted;
    size_t first;
    *count = pairs_of(sorted, build->unplaced_count, PAIR_OWNER(function, build->event), &first);
    return sorted + first;
}

static void build_note_unplaced(struct build *build, struct snapshot_code *code)
{
    size_t count;
    const struct pair **pairs = unplaced_pairs_of_function(build, code->id, &count);
    const struct pair *hottest = NULL;
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        double samples = build_samples(build, &pairs[i]->weight);
        if (samples > most) {
            most = samples;
            hottest = pairs[i];
        }
    }
    if (!hottest)
        return;
    code->unknown_reason = (enum reason)hottest->extra;
    if (!code->address)
        code->address = hottest->key;
}

/* Returns the maximum number of rows that build_join_unplaced() adds to `used` rows, which are
 * sorted by address. Its new rows have their own index as type_id. */
static size_t build_unplaced_most(const struct build *build, uint32_t function)
{
    size_t count;
    unplaced_pairs_of_function(build, function, &count);
    return count;
}

/* Returns the row of an address among the first `used` rows, sorted by address; NULL: none. */
static struct snapshot_instruction *find_instruction_row(struct snapshot_instruction *rows,
                                                         size_t used, uint64_t address)
{
    size_t low = SORTED_BELOW(rows, used, address, address);
    return low < used && rows[low].address == address ? &rows[low] : NULL;
}

static size_t build_join_unplaced(struct build *build, uint32_t function,
                                  struct snapshot_instruction *rows, size_t used)
{
    size_t count;
    const struct pair **pairs = unplaced_pairs_of_function(build, function, &count);
    size_t known = used;
    for (size_t i = 0; i < count; i++) {
        double samples = build_samples(build, &pairs[i]->weight);
        struct snapshot_instruction *row = find_instruction_row(rows, known, pairs[i]->key);
        if (!(samples > 0))
            continue;
        if (!row) {
            row = &rows[used];
            *row = (struct snapshot_instruction){
                .address = pairs[i]->key, .object = UINT32_MAX, .type_id = (uint32_t)used};
            used++;
        }
        row->unknown_samples = samples;
        row->unknown_excess = build_samples_over(build, &pairs[i]->samples, &pairs[i]->weight);
        row->unknown_reason = (enum reason)pairs[i]->extra;
    }
    return used;
}

enum { CODES = 32, CODES_ALL = 200 };

static void code_describe(struct build *build, struct snapshot_code *code)
{
    struct function_desc desc;
    build_describe_function(build, code->id, &desc);
    code->function = build_name(build, desc.name);
    code->module = build_name(build, desc.module ? desc.module : "");
    code->file = desc.file && desc.file[0] ? arena_string(build->arena, desc.file) : NULL;
    code->line = desc.line;
}

static int compare_code_samples(const void *left, const void *right)
{
    const struct snapshot_code *a = left;
    const struct snapshot_code *b = right;
    double all_a = a->samples + a->unknown_samples;
    double all_b = b->samples + b->unknown_samples;
    if (all_a != all_b)
        return all_a > all_b ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* Makes one row per function from pairs sorted by function and instruction. If a row has several
 * objects, an instruction has a pair for each of them. */
static size_t make_function_rows(const struct build *build, const struct pair **sorted,
                                 size_t count, struct snapshot_code *rows)
{
    size_t used = 0;
    double hottest = 0;
    double of_site = 0;
    for (size_t i = 0; i < count; i++) {
        double samples = build_samples(build, &sorted[i]->weight);
        bool first = !used || rows[used - 1].id != sorted[i]->extra;
        bool site = first || sorted[i]->key != sorted[i - 1]->key;
        if (first) {
            rows[used++] = (struct snapshot_code){.id = sorted[i]->extra, .top_object = UINT32_MAX};
            hottest = -1;
        }
        struct snapshot_code *row = &rows[used - 1];
        row->samples += samples;
        row->count_excess += build_samples_over(build, &sorted[i]->samples, &sorted[i]->weight);
        row->sites += site;
        of_site = site ? samples : of_site + samples;
        if (of_site > hottest) {
            hottest = of_site;
            row->address = sorted[i]->key;
        }
    }
    return used;
}

static void build_object_code(struct build *build, struct snapshot_object *object,
                              const struct pair **pairs, size_t count)
{
    struct snapshot_code *rows = build_scratch(build, count + 1, sizeof *rows);
    size_t used = rows ? make_function_rows(build, pairs, count, rows) : 0;
    double effective = 0;
    for (uint32_t id = object->id; id; id = build_next_part(build, id))
        effective += build_effective(build, tallies_at(&build->profile->objects, id, build->event));
    if (rows)
        qsort(rows, used, sizeof *rows, compare_code_samples);
    object->code_count = used < CODES ? used : CODES;
    object->code = build_array(build, object->code_count, sizeof *rows);
    for (size_t i = 0; object->code && i < object->code_count; i++) {
        struct snapshot_code *code = &object->code[i];
        *code = rows[i];
        code->share =
            interval_share(object->samples > 0 ? code->samples / object->samples : NAN, effective);
        code->top_object = (uint32_t)(object - build->snapshot->objects);
        code->top_object_share = 1;
        code->all_share = code->unknown_share = NAN;
        code_describe(build, code);
    }
    free(rows);
}

/* Adds sites, hottest instruction and main object to the listed functions. */
static void join_sites(struct build *build, struct hash *index, const struct pair **sorted,
                       size_t all, struct snapshot_code *rows)
{
    struct snapshot *snapshot = build->snapshot;

    double *strongest = build_scratch(build, snapshot->code_count + 1, sizeof *strongest);
    for (size_t i = 0, next; i < all && !build->failed; i = next) {
        for (next = i; next < all && sorted[next]->owner == sorted[i]->owner; next++)
            continue;
        size_t used = make_function_rows(build, sorted + i, next - i, rows);
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
    /* Id 0 is for samples without a function. */
    for (uint32_t id = 1; id < profile->functions.ids; id++) {
        const struct tally *tally = tallies_at(&profile->functions, id, build->event);
        double samples = build_samples(build, &tally->weight);
        struct snapshot_code code = {
            .id = id, .samples = samples, .top_object = UINT32_MAX, .top_object_share = NAN};
        code.count_excess = build_samples_over(build, &tally->samples, &tally->weight);
        build_function_unplaced(build, &code);
        if (!(samples + code.unknown_samples > 0))
            continue;
        size_t i = snapshot->code_count;
        if (i == CODES_ALL && compare_code_samples(&code, &rows[i - 1]) > 0)
            continue;
        if (i == CODES_ALL)
            i--;
        else
            snapshot->code_count++;
        code.share.value = all > 0 ? build_read(build, &tally->weight) / all : NAN;
        for (; i > 0 && compare_code_samples(&code, &rows[i - 1]) < 0; i--)
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
    struct hash index = {0};
    snapshot->code = build_array(build, CODES_ALL, sizeof *snapshot->code);
    if (snapshot->code)
        list_functions(build, snapshot->code);
    for (size_t i = 0; i < snapshot->code_count; i++) {
        struct snapshot_code *code = &snapshot->code[i];
        build->failed |= !hash_put(&index, code->id, (uint32_t)i);
        code->share = interval_share(code->share.value, samples);
        struct build_sums sums = {0};
        build_sum_function(build, code->id, &sums);
        code->rates = build_rates(build, &sums.rates);
        code->use = build_use(build, USE_FUNCTION, code->id, 0);
        code_describe(build, code);
        build_note_unplaced(build, code);
    }
    join_sites(build, &index, sorted, all, rows);
    hash_fini(&index);
}

void build_code(struct build *build)
{
    struct profile *profile = build->profile;
    size_t all = build->code_count = build_from(build, &profile->code, build_object_code);
    struct snapshot_code *rows = build_scratch(build, all + 1, sizeof *rows);
    if (!build->failed)
        build_all_code(build, profile->sorted, all, rows);
    free(rows);
}

/* The listed functions' accessing instructions: source lines and the objects they missed on. */

enum { FUNCTIONS = 100, INSTRUCTIONS = 256, INSTRUCTIONS_NAME_BYTES = 256 };

static int compare_instruction_samples(const void *left, const void *right)
{
    const struct snapshot_instruction *a = left;
    const struct snapshot_instruction *b = right;
    double all_a = a->samples + a->unknown_samples;
    double all_b = b->samples + b->unknown_samples;
    return all_a > all_b ? -1 : all_a < all_b;
}

/* Returns the member at an offset. Among union members, prefers the one found by the size of the
 * object's accesses. */
static uint32_t member_at(const struct build *build, const struct snapshot_instruction *row,
                          const struct type_desc *type, uint32_t at)
{
    const struct snapshot_object *object =
        row->object < build->snapshot->object_count ? &build->snapshot->objects[row->object] : NULL;
    for (size_t i = 0; object && i < object->field_count; i++) {
        const struct snapshot_field *field = &object->fields[i];
        if (field->type_id == row->type_id && field->offset == (int64_t)at && !field->unit &&
            field->member < type->member_count)
            return field->member;
    }
    return type_member_at(type, at, 0);
}

static void name_field(struct build *build, struct snapshot_instruction *row, uint64_t where)
{
    struct type_desc type;
    char name[INSTRUCTIONS_NAME_BYTES];
    uint32_t at = (uint32_t)where;
    uint32_t whole = row->object < build->snapshot->object_count
                         ? build->snapshot->objects[row->object].type_id
                         : 0;
    row->type_id = offset_key_type(where);
    row->member = TYPE_NO_MEMBER;
    if (build_type(build, whole, &type))
        build_offset_in_whole(build, &type, whole, &row->type_id, &at);
    if (!build_type(build, row->type_id, &type))
        return;
    row->member = member_at(build, row, &type, at);
    row->offset = type_fold(&type, at);
    if (row->member != TYPE_NO_MEMBER && !offset_key_unit(where) &&
        row->member != type_member_at(&type, at, 0))
        type_member_name(&type, row->member, name, sizeof name);
    else
        type_bits_name(&type, at, offset_key_unit(where), name, sizeof name);
    row->field = arena_string(build->arena, name);
}

static void locate_instruction(struct build *build, struct snapshot_instruction *row)
{
    struct instruction_desc desc;
    build_describe_instruction(build, row->address, &desc);
    row->file = arena_string(build->arena, desc.file);
    row->inlined = arena_string(build->arena, desc.inlined);
    row->line = desc.line;
}

/* Samples of one instruction on a listed object; several objects may share a row. */
struct object_samples {
    uint32_t object; /* index; UINT32_MAX: not listed, in a separate entry */
    double samples;
    uint64_t where; /* member of the object with most samples that has one */
};

enum { ON_OBJECTS = 16 }; /* the objects with most samples of one instruction */

static void add_object(struct object_samples list[ON_OBJECTS], struct snapshot_instruction *row,
                       const struct object_samples *more)
{
    for (unsigned i = 0; i < row->objects && i < ON_OBJECTS && more->object != UINT32_MAX; i++) {
        if (list[i].object != more->object)
            continue;
        list[i].samples += more->samples;
        list[i].where = list[i].where ? list[i].where : more->where;
        return;
    }
    if (row->objects < ON_OBJECTS)
        list[row->objects] = *more;
    row->objects++;
}

/* Names the row after the object with most samples. */
static void set_strongest_object(const struct object_samples list[ON_OBJECTS],
                                 struct snapshot_instruction *row, uint64_t *where)
{
    const struct object_samples *most = &list[0];
    for (unsigned i = 1; i < row->objects && i < ON_OBJECTS; i++)
        if (list[i].samples > most->samples)
            most = &list[i];
    row->object = most->object;
    row->object_share = most->samples;
    *where = most->where;
}

/* Merges all objects of an instruction into one row. */
static size_t instructions_join(const struct build *build, const struct pair **pairs, size_t count,
                                struct snapshot_instruction *rows, uint64_t *where)
{
    struct object_samples list[ON_OBJECTS];
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        struct object_samples more = {.object =
                                          build_object_index(build, PAIR_OBJECT(pairs[i]->owner)),
                                      .samples = build_samples(build, &pairs[i]->weight),
                                      .where = pairs[i]->size};
        if (!used || rows[used - 1].address != pairs[i]->key) {
            rows[used] =
                (struct snapshot_instruction){.address = pairs[i]->key, .type_id = (uint32_t)used};
            used++;
        }
        struct snapshot_instruction *row = &rows[used - 1];
        row->samples += more.samples;
        row->count_excess += build_samples_over(build, &pairs[i]->samples, &pairs[i]->weight);
        row->loads += build_samples(build, &pairs[i]->loads);
        row->stores += build_samples(build, &pairs[i]->stores);
        add_object(list, row, &more);
        if (i + 1 == count || pairs[i + 1]->key != pairs[i]->key)
            set_strongest_object(list, row, &where[used - 1]);
    }
    return used;
}

static void instructions_list(struct build *build, struct snapshot_code *code,
                              const struct pair **pairs, size_t count)
{
    size_t most = count + build_unplaced_most(build, code->id);
    struct snapshot_instruction *rows = build_scratch(build, most + 1, sizeof *rows);
    uint64_t *where = build_scratch(build, most + 1, sizeof *where);
    size_t used = rows && where ? instructions_join(build, pairs, count, rows, where) : 0;
    double all = code->samples + code->unknown_samples;
    if (rows && where)
        used = build_join_unplaced(build, code->id, rows, used);
    qsort(rows, used, sizeof *rows, compare_instruction_samples);
    used = used < INSTRUCTIONS ? used : INSTRUCTIONS;
    code->instructions = build_array(build, used, sizeof *rows);
    for (size_t i = 0; i < used && !build->failed; i++) {
        struct snapshot_instruction *row = &code->instructions[code->instruction_count++];
        *row = rows[i];
        row->share = all > 0 ? (row->samples + row->unknown_samples) / all : NAN;
        row->object_share = row->samples > 0 ? row->object_share / row->samples : NAN;
        name_field(build, row, where[rows[i].type_id]);
        row->use = build_use(build, USE_INSTRUCTION, 0, row->address);
        locate_instruction(build, row);
    }
    if (code->sites < code->instruction_count)
        code->sites = (uint32_t)code->instruction_count;
    SORT_BY(code->instructions, code->instruction_count, address);
    free(rows);
    free(where);
}

/* Groups the listed functions' pairs: those of i end at groups[i] and start at groups[i - 1]. */
static void group_code_pairs(struct build *build, const struct pair **grouped,
                             size_t groups[FUNCTIONS])
{
    const struct pair **sorted = build->profile->sorted;
    const struct snapshot *snapshot = build->snapshot;
    size_t ids = build->profile->functions.ids;
    uint8_t *listed = build_scratch(build, ids + 1, 1); /* by id: index + 1 */
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
    const struct pair **grouped =
        build_scratch(build, build->code_count + 1, sizeof(struct pair *));
    if (grouped)
        group_code_pairs(build, grouped, groups);
    for (size_t i = 0; i < snapshot->code_count && i < FUNCTIONS && !build->failed; i++) {
        size_t first = i ? groups[i - 1] : 0;
        SORT_POINTERS(grouped + first, groups[i] - first, SMALLEST(struct pair, key),
                      LARGEST(struct pair, weight.at[BASIS_RUN]));
        if (groups[i] > first || build_unplaced_most(build, snapshot->code[i].id))
            instructions_list(build, &snapshot->code[i], grouped + first, groups[i] - first);
    }
    free(grouped);
}

/* Instructions with the objects they missed on, for the whole run: all rows in the table of code,
 * and the rest of each object as one row. */

enum { ACCESSES_NAME_BYTES = 256, MAPPINGS = 1024 };

/* Strings and figures shared by many rows, looked up once. */
struct access_rows {
    struct build *build;
    struct hash functions;         /* id to index + 1 of its first row */
    struct mapping_desc *mappings; /* [MAPPINGS] in the arena */
    size_t mapping_count;
    struct build_stacks stacks;
};

static const char *accesses_keep_text(struct build *build, const char *text)
{
    return text && *text ? arena_string(build->arena, text) : NULL;
}

static void describe_object(struct build *build, uint32_t id, struct snapshot_access *object)
{
    const struct profile *profile = build->profile;
    const struct tally *tally = tallies_at(&profile->objects, id, build->event);
    struct object_desc desc;
    struct build_sums sums = {0};
    bool known = build_describe_object(build, id, &desc);
    build_sum_object(build, id, &sums);
    const struct snapshot_levels *levels = build_levels(build, &sums);
    object->object = build_name(build, desc.name);
    object->kind = known ? desc.kind : OBJECT_UNKNOWN;
    object->module = build_name(build, desc.module ? desc.module : "");
    object->type = accesses_keep_text(build, desc.type);
    object->samples = build_read(build, &tally->samples);
    object->weight = build_read(build, &tally->weight);
    object->cycles = levels ? object->weight * levels->latency : NAN;
}

static const struct mapping_desc *mapping_of(struct access_rows *shared, uint64_t address)
{
    union place_answer answer;
    for (size_t i = 0; i < shared->mapping_count; i++)
        if (address >= shared->mappings[i].start && address < shared->mappings[i].end)
            return &shared->mappings[i];
    if (shared->mapping_count == MAPPINGS ||
        !build_ask(shared->build, PLACE_MAPPING, address, &answer))
        return NULL;
    struct mapping_desc *mapping = &shared->mappings[shared->mapping_count++];
    *mapping = answer.mapping;
    return mapping;
}

static void describe_function(struct access_rows *shared, uint32_t id, struct snapshot_access *row)
{
    struct build *build = shared->build;
    const struct snapshot *snapshot = build->snapshot;
    uint32_t *first = hash_insert(&shared->functions, id, NULL);
    build->failed |= !first;
    if (first && *first) {
        const struct snapshot_access *like = &snapshot->accesses[*first - 1];
        row->function = like->function;
        row->function_file = like->function_file;
        row->function_line = like->function_line;
        return;
    }
    struct function_desc desc;
    build_describe_function(build, id, &desc);
    row->function = build_name(build, desc.name);
    row->function_file = accesses_keep_text(build, desc.file);
    row->function_line = desc.line;
    if (first)
        *first = (uint32_t)(row - snapshot->accesses) + 1;
}

static void describe_instruction(struct access_rows *shared, const struct pair *pair,
                                 struct snapshot_access *row)
{
    struct build *build = shared->build;
    struct instruction_desc desc;
    struct type_desc type;
    char name[ACCESSES_NAME_BYTES];
    row->address = pair->key;
    row->code = mapping_of(shared, pair->key);
    describe_function(shared, pair->extra, row);
    build_describe_instruction(build, pair->key, &desc);
    row->file = accesses_keep_text(build, desc.file);
    row->line = desc.line;
    row->inlined = accesses_keep_text(build, desc.inlined);
    if (build_type(build, offset_key_type(pair->size), &type)) {
        type_bits_name(&type, (uint32_t)pair->size, offset_key_unit(pair->size), name, sizeof name);
        row->field = accesses_keep_text(build, name);
    }
}

static struct snapshot_access part_of_access(const struct snapshot_access *object, double samples,
                                             double weight)
{
    struct snapshot_access row = *object;
    row.samples = samples;
    row.weight = weight;
    row.cycles = object->weight > 0 ? object->cycles * weight / object->weight : 0;
    return row;
}

static void list_object(struct access_rows *shared, uint32_t id, const struct pair **pairs,
                        size_t count)
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
        *row = part_of_access(&object, samples, weight);
        describe_instruction(shared, pairs[i], row);
        row->stacks =
            build_stacks_of(build, &shared->stacks, id, pairs[i]->extra, &row->stack_count);
        snapshot->access_count++;
        rest_samples -= samples;
        rest -= weight;
    }
    /* Sums of decayed weights have rounding errors. */
    if (rest > 1e-6 * object.weight)
        snapshot->accesses[snapshot->access_count++] =
            part_of_access(&object, fmax(rest_samples, 0), rest);
}

void build_accesses(struct build *build)
{
    struct profile *profile = build->profile;
    struct snapshot *snapshot = build->snapshot;
    struct access_rows shared = {.build = build};
    size_t all = build->code_count;
    snapshot->accesses = build_array(build, all + profile->objects.ids, sizeof *snapshot->accesses);
    shared.mappings = build_array(build, MAPPINGS, sizeof *shared.mappings);
    build_stacks_list(build, &shared.stacks);
    hash_init(&shared.functions);
    for (uint32_t id = 0; id < profile->objects.ids && !build->failed; id++) {
        size_t first;
        size_t count = pairs_of(profile->sorted, all, PAIR_OWNER(id, build->event), &first);
        if (build_samples(build, &tallies_at(&profile->objects, id, build->event)->weight) > 0)
            list_object(&shared, id, profile->sorted + first, count);
    }
    hash_fini(&shared.functions);
}
