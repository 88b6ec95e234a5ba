/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/cache/sharing.h"
#include "profile/snapshot/builders.h"
#include "profile/tables/statistics.h"
#include "resolve/members.h"

/* A line and the key of its group. */
struct sharing_listed {
    struct snapshot_sharing_line line;
    struct sharing_assessment assessment;
    uint32_t object;
    uint64_t base;
};

/* Compares for sorting: the larger number comes first. */
static inline int sharing_compare_descending(double a, double b)
{
    return a > b ? -1 : a < b;
}

/* Returns the whole lines from the start of the instance, which can begin anywhere in a line. */
static inline int64_t sharing_line_in_object(const struct sharing_listed *listed)
{
    return listed->line.offset >> 6;
}

/* Functions, source lines and fields of the threads that share a line. */

enum { NAME_BYTES = 160, FIELDS_NAMED = 3 };

/* Minimum share of its side's samples for an instruction to count in the advice. For a store: share
 * of the side's stores, which are fast and rarely sampled. */
static const double now_and_then = 0.01;

/* Describes an object; returns its name in the arena, NULL: no memory. */
static const char *sharing_describe(struct build *build, uint32_t object, struct object_desc *desc)
{
    build_describe_object(build, object, desc);
    return build_name(build, desc->name);
}

static uint64_t spot_base(const struct sharing_line *line, const struct sharing_instruction *spot,
                          uint64_t *size)
{
    for (int i = 0; i < line->owner_count; i++)
        if (line->owners[i].object == spot->object) {
            *size = line->owners[i].size;
            return line->owners[i].base;
        }
    *size = 0;
    return line->address;
}

/* Formats "[3].hits" for an array element, "[3]" for one without members. */
static void name_element(const struct type_desc *type, uint64_t offset, const char *name, char *out,
                         size_t size)
{
    size_t bare = strlen(type_bare_name(type));
    const char *path = type->member_count && strlen(name) > bare ? name + bare : "";
    snprintf(out, size, "[%llu]%s", (unsigned long long)(offset / type->size), path);
}

static const char *field_of(struct build *build, const struct sharing_line *line,
                            const struct sharing_instruction *spot)
{
    struct object_desc object;
    struct type_desc type;
    char name[NAME_BYTES];
    char element[NAME_BYTES];
    uint64_t size;
    uint64_t base = spot_base(line, spot, &size);
    uint64_t offset = spot->address - base;
    const char *object_name = sharing_describe(build, spot->object, &object);
    bool by_code = build_type(build, spot->type, &type) && type.size;
    if (!object_name || (!by_code && (!build_type(build, object.type_id, &type) || !type.size)))
        return arena_printf(build->arena, "%+lld", (long long)offset);
    uint64_t into = by_code ? spot->type_offset : type_in_element(&type, offset);
    if (!type.member_count && size == type.size)
        return object_name;
    type_field_name(&type, into, spot->size, name, sizeof name);
    bool array = (!by_code || spot->type == object.type_id) && size >= 2 * type.size;
    if (!array)
        return arena_string(build->arena, name);
    name_element(&type, offset, name, element, sizeof element);
    return arena_string(build->arena, element);
}

static void fill_code(struct build *build, const struct sharing_line *line,
                      const struct sharing_instruction *spot, struct snapshot_sharing_code *code)
{
    *code = (struct snapshot_sharing_code){.address = spot->ip,
                                           .function = build_function_name(build, spot->function),
                                           .id = spot->function,
                                           .share = build_read(build, &spot->samples),
                                           .read = spot->read,
                                           .written = spot->written,
                                           .field = field_of(build, line, spot),
                                           .locked = spot->locked};
    build->failed |= !code->field;
    code->file = build_locate(build, spot->ip, &code->line);
    if (code->line)
        code->position = build_line_name(build, code->file, code->line);
}

static int compare_code_offset(const void *left, const void *right)
{
    const struct snapshot_sharing_code *a = *(const struct snapshot_sharing_code *const *)left;
    const struct snapshot_sharing_code *b = *(const struct snapshot_sharing_code *const *)right;
    uint64_t first = a->read | a->written;
    uint64_t second = b->read | b->written;
    first &= -first; /* lowest bit */
    second &= -second;
    return first < second ? -1 : first > second;
}

/* Lists fields such as "hits, misses", each once. They are in order of offset, because the order by
 * samples changes all the time. */
static const char *fields_in_order(struct build *build, const struct snapshot_sharing_code **named,
                                   size_t count)
{
    char fields[FIELDS_NAMED * (NAME_BYTES + 2)] = "";
    size_t used = 0;
    if (!count)
        return NULL;
    qsort(named, count, sizeof *named, compare_code_offset);
    for (size_t i = 0; i < count; i++) {
        int length =
            snprintf(fields + used, sizeof fields - used, "%s%s", i ? ", " : "", named[i]->field);
        used += (size_t)length < sizeof fields - used ? (size_t)length : 0;
    }
    const char *text = arena_string(build->arena, fields);
    build->failed |= !text;
    return text;
}

static bool is_field_named(const struct snapshot_sharing_code *const *named, size_t count,
                           const struct snapshot_sharing_code *code)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(named[i]->field, code->field))
            return true;
    return false;
}

static void sum_up_side(struct build *build, struct snapshot_sharing_side *side)
{
    const struct snapshot_sharing_code *named[FIELDS_NAMED];
    size_t count = 0;
    double written = side->samples > 0 ? fmin(1, side->stores / side->samples) : 1;
    for (size_t i = 0; i < side->code_count; i++) {
        const struct snapshot_sharing_code *code = &side->codes[i];
        if (code->share < now_and_then * (code->written ? written : 1))
            continue;
        side->read |= code->read;
        side->written |= code->written;
        side->locked |= code->locked;
        if (count < FIELDS_NAMED && !is_field_named(named, count, code))
            named[count++] = code;
    }
    side->fields = fields_in_order(build, named, count);
}

/* Fills in the instructions of a side with functions, source lines and fields, and the side's
 * object, bytes and lock. */
static void sharing_fill_codes(struct build *build, const struct sharing_line *line,
                               const struct sharing_side *from, struct snapshot_sharing_side *side)
{
    const struct sharing_instruction *most = NULL;
    struct object_desc desc;
    for (int i = 0; i < SHARING_INSTRUCTIONS; i++) {
        const struct sharing_instruction *spot = &from->instructions[i];
        if (!(spot->credit > 0) || !(build_read(build, &spot->samples) > 0))
            continue;
        fill_code(build, line, spot, &side->codes[side->code_count++]);
        if (!most || build_read(build, &spot->samples) > build_read(build, &most->samples))
            most = spot;
    }
    if (build->failed)
        return;
    SORT(side->codes, side->code_count, LARGEST(struct snapshot_sharing_code, share),
         SMALLEST(struct snapshot_sharing_code, address));
    for (size_t i = 0; i < side->code_count; i++)
        side->codes[i].share = side->samples > 0 ? side->codes[i].share / side->samples : 0;
    sum_up_side(build, side);
    side->object = most ? build_object_index(build, most->object) : UINT32_MAX;
    side->name = most ? sharing_describe(build, most->object, &desc) : "unknown";
    build->failed |= !side->name;
}

/* ---- advice ---- */

/* True for fields of the same element, as "[3].hits" and "[3].misses": a line per element does not
 * separate them. */
static bool is_in_same_element(const char *a, const char *b)
{
    size_t length = strcspn(a, "]");
    return !strncmp(a, b, length + 1);
}

static struct sharing_remedy false_sharing_remedy(const struct snapshot_sharing_group *group)
{
    const struct snapshot_sharing_side *sides = group->lines[0].sides;
    bool turned = sharing_first_byte(&sides[1]) < sharing_first_byte(&sides[0]);
    const struct snapshot_sharing_side *low = &sides[turned];
    const struct snapshot_sharing_side *high = &sides[!turned];
    bool elements = high->fields && *high->fields == '[' &&
                    !(low->fields && is_in_same_element(low->fields, high->fields));
    if (group->line_count > 1 || elements)
        return (struct sharing_remedy){.kind = SHARING_PER_ELEMENT};
    if (strcmp(low->name, high->name) != 0)
        return (struct sharing_remedy){.kind = SHARING_ALIGN, .name = high->name};
    return (struct sharing_remedy){.kind = SHARING_PAD,
                                   .name = high->fields,
                                   .bytes = SHARING_LINE_BYTES - sharing_first_byte(high)};
}

static unsigned count_writers(const struct snapshot_sharing_line *line)
{
    unsigned count = 0;
    for (size_t i = 0; i < line->side_count; i++)
        count += line->sides[i].written != 0;
    return count;
}

/* Returns true if bytes are used that no atomic instruction accesses. */
static bool has_unlocked_bytes(const struct snapshot_sharing_line *line)
{
    uint64_t locked = 0;
    uint64_t used = 0;
    for (size_t i = 0; i < line->side_count; i++) {
        const struct snapshot_sharing_side *side = &line->sides[i];
        used |= side->read | side->written;
        for (size_t k = 0; k < side->code_count; k++)
            locked |= side->codes[k].locked ? side->codes[k].written : 0;
    }
    return used & ~locked;
}

static struct sharing_remedy sharing_group_remedy(const struct snapshot_sharing_group *group)
{
    const struct snapshot_sharing_line *line = &group->lines[0];
    enum sharing_remedy_kind kind = SHARING_NO_REMEDY;
    if (line->side_count < 2)
        return (struct sharing_remedy){.kind = kind};
    if (group->verdict == SHARING_FALSE)
        return false_sharing_remedy(group);
    if (group->verdict == SHARING_TRUE && group->locked)
        kind = has_unlocked_bytes(line) ? SHARING_LOCK_LESS_AND_APART : SHARING_LOCK_LESS;
    else if (group->verdict == SHARING_TRUE)
        kind = count_writers(line) == 1 ? SHARING_HAND_OVER : SHARING_COPIES;
    else if (group->verdict == SHARING_BOTH)
        kind = group->locked ? SHARING_LOCK_APART : SHARING_OWN_APART;
    return (struct sharing_remedy){.kind = kind};
}

/* Return the samples of all events in the shown basis: attributed, and of one object. */
static double sharing_all_samples(const struct build *build)
{
    double all = 0;
    for (uint16_t i = 0; i < build->profile->options.event_count; i++)
        if (profile_shares(build->profile, i))
            all += build_read(build, &build->profile->all[i].samples);
    return all;
}

static double sharing_object_samples(const struct build *build, uint32_t object)
{
    const struct tallies *objects = &build->profile->objects;
    double all = 0;
    for (uint16_t i = 0; i < objects->events && object < objects->ids; i++)
        if (profile_shares(build->profile, i))
            all += build_read(build, &tallies_at(objects, object, i)->samples);
    return all;
}

/* Groups lines with the same cause, such as an array of counters or a field in many blocks. */

static bool verdicts_agree(enum sharing_verdict a, enum sharing_verdict b)
{
    bool unsure = a == SHARING_INCONCLUSIVE || b == SHARING_INCONCLUSIVE;
    return a == b || (unsure && a != SHARING_READ_ONLY && b != SHARING_READ_ONLY);
}

/* Returns true if strings differ only in numbers: "[3].hits", "[17].hits"; "+24", "+88". */
static bool equal_except_digits(const char *a, const char *b)
{
    for (;;) {
        bool numbers = isdigit((unsigned char)*a) && isdigit((unsigned char)*b);
        while (numbers && isdigit((unsigned char)*a))
            a++;
        while (numbers && isdigit((unsigned char)*b))
            b++;
        if (*a != *b)
            return false;
        if (!*a)
            return true;
        a++;
        b++;
    }
}

/* Minimum share of the line's samples. Stores are fast and rarely sampled. */
static const double party = 0.01;
static const double writing_party = 0.002;

/* Returns true if a thread has enough accesses to count in a line's verdict. */
static bool sharing_side_counts(const struct snapshot_sharing_side *side)
{
    return side->share >= (side->written ? writing_party : party);
}

/* Returns true if the same field is used on two lines. */
static bool lines_share_field(const struct snapshot_sharing_line *a,
                              const struct snapshot_sharing_line *b)
{
    for (size_t i = 0; i < a->side_count && i < 2; i++)
        for (size_t k = 0; k < b->side_count && k < 2; k++)
            if (a->sides[i].code_count && b->sides[k].code_count &&
                equal_except_digits(a->sides[i].codes[0].field, b->sides[k].codes[0].field))
                return true;
    return false;
}

/* Returns true for neighbouring lines of an instance, and the same line of another instance. */
static bool is_same_line_group(const struct sharing_listed *last, const struct sharing_listed *next)
{
    int64_t step = sharing_line_in_object(next) - sharing_line_in_object(last);
    bool near = last->base == next->base ? step <= 2 : step == 0;
    return last->object == next->object && near &&
           verdicts_agree(last->assessment.verdict, next->assessment.verdict) &&
           lines_share_field(&last->line, &next->line);
}

static uint32_t different_threads(const struct snapshot_sharing_group *group)
{
    uint32_t seen[255];
    uint32_t count = 0;
    for (size_t i = 0; i < group->line_count; i++)
        for (size_t k = 0; k < group->lines[i].side_count; k++) {
            uint32_t n = 0;
            if (!sharing_side_counts(&group->lines[i].sides[k]))
                continue;
            while (n < count && seen[n] != group->lines[i].sides[k].tid)
                n++;
            if (n == count && count < 255)
                seen[count++] = group->lines[i].sides[k].tid;
        }
    return count;
}

static void add_to_group(struct snapshot_sharing_group *group, const struct sharing_listed *listed)
{
    const struct sharing_assessment *assessment = &listed->assessment;
    group->lines[group->line_count++] = listed->line;
    group->samples += assessment->samples;
    group->alternations += assessment->alternations;
    group->expected_alternations += assessment->expected_alternations;
    group->locked |= listed->line.locked;
    if (!isnan(assessment->hitm))
        group->hitm = (isnan(group->hitm) ? 0 : group->hitm) + assessment->hitm;
    if (assessment->evidence == SHARING_HITM)
        group->evidence = SHARING_HITM;
    group->has_enough_samples |= assessment->has_enough_samples;
}

/* Returns "hits | misses": the fields that the two busiest threads use on the hottest line. They
 * are in order of offset, because the order by samples changes all the time. */
static const char *group_fields(struct build *build, const struct snapshot_sharing_line *line)
{
    if (line->side_count < 2 || !line->sides[0].fields || !line->sides[1].fields)
        return line->side_count ? line->sides[0].fields : NULL;
    if (!strcmp(line->sides[0].fields, line->sides[1].fields))
        return line->sides[0].fields;
    bool turned = sharing_first_byte(&line->sides[1]) < sharing_first_byte(&line->sides[0]);
    return arena_printf(build->arena, "%s | %s", line->sides[turned].fields,
                        line->sides[!turned].fields);
}

static void finish_group(struct build *build, struct snapshot_sharing_group *group)
{
    double all = sharing_all_samples(build);
    double object = sharing_object_samples(build, group->id);
    struct object_desc desc;
    SORT(group->lines, group->line_count, LARGEST(struct snapshot_sharing_line, samples),
         SMALLEST(struct snapshot_sharing_line, address));
    group->verdict = group->lines[0].verdict;
    for (size_t i = 0; i < group->line_count && group->verdict == SHARING_INCONCLUSIVE; i++)
        group->verdict = group->lines[i].verdict;
    group->object = build_object_index(build, group->id);
    group->name = sharing_describe(build, group->id, &desc);
    group->fields = group_fields(build, &group->lines[0]);
    group->share = interval_share(all > 0 ? fmin(1, group->samples / all) : NAN, all);
    group->object_share = object > 0 ? fmin(1, group->samples / object) : NAN;
    group->threads = different_threads(group);
    group->remedy = sharing_group_remedy(group);
    build->failed |= !group->name;
}

static int compare_group_samples(const void *left, const void *right)
{
    const struct snapshot_sharing_group *a = left;
    const struct snapshot_sharing_group *b = right;
    bool a_reads = a->verdict == SHARING_READ_ONLY;
    bool b_reads = b->verdict == SHARING_READ_ONLY;
    if (a_reads != b_reads)
        return a_reads ? 1 : -1;
    int order = sharing_compare_descending(a->samples, b->samples);
    return order ? order : a->lines[0].address < b->lines[0].address ? -1 : 1;
}

/* Groups lines that belong together; contention first, then by samples. The lines are sorted by
 * object and place; `groups` has room for one group per line. Returns the number of groups. */
static size_t sharing_group(struct build *build, const struct sharing_listed *list, size_t count,
                            struct snapshot_sharing_group *groups)
{
    struct snapshot_sharing_line *lines = build_array(build, count, sizeof *lines);
    size_t group_count = 0;
    for (size_t i = 0; i < count && !build->failed; i++) {
        if (!i || !is_same_line_group(&list[i - 1], &list[i]))
            groups[group_count++] = (struct snapshot_sharing_group){
                .id = list[i].object, .hitm = NAN, .lines = lines + i};
        add_to_group(&groups[group_count - 1], &list[i]);
    }
    for (size_t i = 0; i < group_count && !build->failed; i++)
        finish_group(build, &groups[i]);
    if (!build->failed)
        qsort(groups, group_count, sizeof *groups, compare_group_samples);
    return group_count;
}

enum { LINES_LISTED = 256, GROUPS_LISTED = 64, NODES_ASKED = 64 };

static const struct sharing_owner *main_owner(const struct build *build,
                                              const struct sharing_line *line)
{
    const struct sharing_owner *most = &line->owners[0];
    for (int i = 1; i < line->owner_count; i++)
        if (build_read(build, &line->owners[i].samples) > build_read(build, &most->samples))
            most = &line->owners[i];
    return most;
}

static double sharing_total_misses(const struct build *build)
{
    const struct profile *profile = build->profile;
    bool of_misses = profile->options.simulated &&
                     profile->options.roles[profile->sharing_event] != EVENT_ACCESS;
    return of_misses ? build_read(build, &profile->all[profile->sharing_event].samples) : NAN;
}

/* ---- sides ---- */

static int cpu_node(const struct build *build, uint32_t cpu)
{
    union place_answer answer;
    bool known = cpu != SAMPLE_NO_CPU && build_ask(build, PLACE_CPU_NODE, cpu, &answer);
    return known ? answer.node : -1;
}

static void fill_side(struct build *build, const struct sharing_line *line,
                      const struct sharing_side *from, struct snapshot_sharing_side *side)
{
    double all = build_read(build, &line->samples);
    bool snooped = build_read(build, &line->snooped) > 0;
    *side = (struct snapshot_sharing_side){.tid = from->tid,
                                           .cpu = from->cpu,
                                           .node = cpu_node(build, from->cpu),
                                           .samples = build_read(build, &from->samples),
                                           .loads = build_read(build, &from->loads),
                                           .stores = build_read(build, &from->stores),
                                           .hitm = snooped ? build_read(build, &from->hitm) : NAN,
                                           .object = UINT32_MAX};
    side->share = all > 0 ? side->samples / all : NAN;
    sharing_fill_codes(build, line, from, side);
}

static void fill_sides(struct build *build, const struct sharing_line *from,
                       struct snapshot_sharing_line *line)
{
    line->sides = build_array(build, from->side_count, sizeof *line->sides);
    for (int i = 0; i < from->side_count && !build->failed; i++) {
        struct snapshot_sharing_side *side = &line->sides[line->side_count];
        fill_side(build, from, &from->sides[i], side);
        /* The counts of a thread that left have decayed. */
        if (side->samples < 0.05)
            continue;
        line->locked |= side->locked;
        line->threads += sharing_side_counts(side);
        line->side_count++;
    }
    if (!build->failed)
        SORT(line->sides, line->side_count, LARGEST(struct snapshot_sharing_side, samples),
             SMALLEST(struct snapshot_sharing_side, tid));
}

/* ---- lines ---- */

static void fill_line(struct build *build, const struct sharing_line *from,
                      struct sharing_listed *listed)
{
    const struct sharing_assessment *assessment = &listed->assessment;
    const struct sharing_owner *owner = main_owner(build, from);
    double all = sharing_all_samples(build);
    double object = sharing_object_samples(build, owner->object);
    listed->object = owner->object;
    listed->base = owner->base;
    listed->line = (struct snapshot_sharing_line){
        .address = from->address,
        .offset = (int64_t)(from->address - owner->base),
        .verdict = assessment->verdict,
        .overlap = assessment->overlap,
        .samples = assessment->samples,
        .share = all > 0 ? assessment->samples / all : NAN,
        .object_share = object > 0 ? fmin(1, assessment->samples / object) : NAN,
        .hitm = assessment->hitm,
        .alternations = assessment->alternations,
        .close_accesses = assessment->close_accesses,
        .expected_alternations = assessment->expected_alternations,
        .node = -1,
        .other_accesses = from->other_accesses,
    };
    fill_sides(build, from, &listed->line);
}

static int compare_line_samples(const void *left, const void *right)
{
    const struct sharing_listed *a = left;
    const struct sharing_listed *b = right;
    bool a_reads = a->assessment.verdict == SHARING_READ_ONLY;
    bool b_reads = b->assessment.verdict == SHARING_READ_ONLY;
    if (a_reads != b_reads)
        return a_reads ? 1 : -1;
    int order = sharing_compare_descending(a->assessment.samples, b->assessment.samples);
    return order ? order : a->line.address < b->line.address ? -1 : 1;
}

static int compare_line_place(const void *left, const void *right)
{
    const struct sharing_listed *a = left;
    const struct sharing_listed *b = right;
    if (a->object != b->object)
        return a->object < b->object ? -1 : 1;
    if (sharing_line_in_object(a) != sharing_line_in_object(b))
        return sharing_line_in_object(a) < sharing_line_in_object(b) ? -1 : 1;
    return a->line.address < b->line.address ? -1 : a->line.address > b->line.address;
}

/* Lists the lines with evidence and most samples, sorted by object and place. */
static size_t list_lines(struct build *build, struct sharing_listed *list)
{
    const struct sharing *sharing = &build->profile->sharing;
    const struct sharing_line *from[SHARING_LINES];
    const struct pair *row;
    size_t count = 0;
    for (size_t i = 0; (row = pairs_next(&sharing->ranking, &i));) {
        const struct sharing_line *line = &sharing->lines[row - sharing->ranking.at];
        if (!line->address || !line->owner_count)
            continue;
        list[count].assessment = sharing_judge(line, build->snapshot->basis, build->scale);
        list[count].line.address = line->address;
        list[count].base = (uint64_t)(row - sharing->ranking.at);
        count += list[count].assessment.listed;
    }
    qsort(list, count, sizeof *list, compare_line_samples);
    count = count < LINES_LISTED ? count : LINES_LISTED;
    for (size_t i = 0; i < count; i++)
        from[i] = &sharing->lines[list[i].base];
    for (size_t i = 0; i < count && !build->failed; i++)
        fill_line(build, from[i], &list[i]);
    qsort(list, count, sizeof *list, compare_line_place);
    return count;
}

/* Finds the current NUMA nodes of the pages, for the hottest line of each group first. */
static void set_numa_nodes(const struct build *build)
{
    const struct snapshot_sharing *shown = &build->snapshot->sharing;
    union place_answer answer;
    size_t count = 0;
    if (build->profile->options.run)
        return;
    for (size_t deep = 0; deep < NODES_ASKED; deep++)
        for (size_t i = 0; i < shown->group_count && count < NODES_ASKED; i++)
            if (deep < shown->groups[i].line_count) {
                struct snapshot_sharing_line *line = &shown->groups[i].lines[deep];
                count++;
                if (build_ask(build, PLACE_PAGE_NODE, line->address, &answer))
                    line->node = answer.node;
            }
}

static enum sharing_evidence best_evidence(const struct build *build)
{
    double snooped = 0;
    for (int i = 0; i < SAMPLE_EVENTS_MAX; i++)
        for (int k = SNOOP_UNKNOWN + 1; k < SNOOP_COUNT; k++)
            snooped += build->profile->all_levels[i].at[LEVELS_SNOOP + k].at[BASIS_RUN];
    return snooped > 0 ? SHARING_HITM : SHARING_ALTERNATION;
}

void build_sharing(struct build *build)
{
    struct snapshot_sharing *shown = &build->snapshot->sharing;
    struct sharing_listed *list = build_scratch(build, SHARING_LINES + 1, sizeof *list);
    *shown = (struct snapshot_sharing){.evidence = best_evidence(build),
                                       .misses = sharing_total_misses(build),
                                       .groups =
                                           build_array(build, LINES_LISTED, sizeof *shown->groups)};
    if (!build->failed) {
        size_t lines = list_lines(build, list);
        shown->group_count = build->failed ? 0 : sharing_group(build, list, lines, shown->groups);
    }
    free(list);
    if (shown->group_count > GROUPS_LISTED) {
        shown->groups_left_out = shown->group_count - GROUPS_LISTED;
        shown->group_count = GROUPS_LISTED;
    }
    if (!build->failed)
        set_numa_nodes(build);
}
