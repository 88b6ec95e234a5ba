/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared cache lines: which are listed, who is on them, and which belong together. */
#include "profile/interval.h"
#include "profile/sharing_verdict.h"
#include "profile/snapshot_sharing.h"
#include "profile/state.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_LISTED = 256, GROUPS_LISTED = 64, NODES_ASKED = 64 };

static int most_first(double a, double b)
{
    return a > b ? -1 : a < b;
}

static const struct sharing_owner *main_owner(const struct build *build,
                                              const struct sharing_line *line)
{
    const struct sharing_owner *most = &line->owners[0];
    for (int i = 1; i < line->owner_count; i++)
        if (build_read(build, &line->owners[i].samples) > build_read(build, &most->samples))
            most = &line->owners[i];
    return most;
}

static double all_samples(const struct build *build)
{
    double all = 0;
    for (int i = 0; i < build->profile->options.event_count; i++)
        all += build_read(build, &build->profile->all[i].samples);
    return all;
}

static double object_samples(const struct build *build, uint32_t object)
{
    const struct tallies *objects = &build->profile->objects;
    double all = 0;
    for (uint16_t i = 0; i < objects->events && object < objects->ids; i++)
        all += build_read(build, &tallies_at(objects, object, i)->samples);
    return all;
}

/* ---- sides ---- */

static int by_side_samples(const void *left, const void *right)
{
    const struct snapshot_sharing_side *a = left;
    const struct snapshot_sharing_side *b = right;
    int order = most_first(a->samples, b->samples);
    return order ? order : a->tid < b->tid ? -1 : a->tid > b->tid;
}

static int cpu_node(const struct build *build, uint32_t cpu)
{
    const struct place_names *names = &build->profile->options.names;
    return names->cpu_node && cpu != SAMPLE_NO_CPU ? names->cpu_node(names->context, cpu) : -1;
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
    line->sides = arena_array(build->arena, from->side_count, sizeof *line->sides);
    build->failed |= !line->sides;
    for (int i = 0; i < from->side_count && !build->failed; i++) {
        struct snapshot_sharing_side *side = &line->sides[line->side_count];
        fill_side(build, from, &from->sides[i], side);
        /* Who has been away for long is no party to it any more. */
        if (side->samples < 0.05)
            continue;
        line->locked |= side->locked;
        line->side_count++;
    }
    if (!build->failed)
        qsort(line->sides, line->side_count, sizeof *line->sides, by_side_samples);
    line->threads = (uint32_t)line->side_count;
}

/* ---- lines ---- */

/* A line and what it is grouped by. */
struct listed {
    struct snapshot_sharing_line line;
    struct sharing_judged judged;
    uint32_t object;
    uint64_t base;
};

static void fill_line(struct build *build, const struct sharing_line *from, struct listed *listed)
{
    const struct sharing_judged *judged = &listed->judged;
    const struct sharing_owner *owner = main_owner(build, from);
    double all = all_samples(build);
    double object = object_samples(build, owner->object);
    listed->object = owner->object;
    listed->base = owner->base;
    listed->line = (struct snapshot_sharing_line){
        .address = from->address,
        .offset = (int64_t)(from->address - owner->base),
        .verdict = judged->verdict,
        .overlap = judged->overlap,
        .samples = judged->samples,
        .share = all > 0 ? judged->samples / all : NAN,
        .of_object = object > 0 ? fmin(1, judged->samples / object) : NAN,
        .hitm = judged->hitm,
        .turns = judged->turns,
        .pairs = judged->pairs,
        .expected = judged->expected,
        .node = -1,
        .others = from->others,
    };
    fill_sides(build, from, &listed->line);
}

static int by_samples(const void *left, const void *right)
{
    const struct listed *a = left;
    const struct listed *b = right;
    bool a_reads = a->judged.verdict == SHARING_READ_ONLY;
    bool b_reads = b->judged.verdict == SHARING_READ_ONLY;
    if (a_reads != b_reads)
        return a_reads ? 1 : -1;
    int order = most_first(a->judged.samples, b->judged.samples);
    return order ? order : a->line.address < b->line.address ? -1 : 1;
}

/* Instances begin anywhere in a line: by whole lines from where they begin. */
static int64_t line_in_object(const struct listed *listed)
{
    return listed->line.offset >> 6;
}

static int by_place(const void *left, const void *right)
{
    const struct listed *a = left;
    const struct listed *b = right;
    if (a->object != b->object)
        return a->object < b->object ? -1 : 1;
    if (line_in_object(a) != line_in_object(b))
        return line_in_object(a) < line_in_object(b) ? -1 : 1;
    return a->line.address < b->line.address ? -1 : a->line.address > b->line.address;
}

/* The lines with evidence, those with most samples, by object and place in it. */
static size_t list_lines(struct build *build, struct listed *list)
{
    const struct sharing *sharing = &build->profile->sharing;
    const struct sharing_line *from[SHARING_LINES];
    size_t count = 0;
    for (int i = 0; i < SHARING_LINES; i++) {
        const struct sharing_line *line = &sharing->lines[i];
        if (!line->address || !line->owner_count || line->side_count < 2)
            continue;
        list[count].judged = sharing_judge(line, build->snapshot->basis, build->scale);
        list[count].line.address = line->address;
        list[count].base = (uint64_t)i;
        count += list[count].judged.listed;
    }
    qsort(list, count, sizeof *list, by_samples);
    count = count < LINES_LISTED ? count : LINES_LISTED;
    for (size_t i = 0; i < count; i++)
        from[i] = &sharing->lines[list[i].base];
    for (size_t i = 0; i < count && !build->failed; i++)
        fill_line(build, from[i], &list[i]);
    qsort(list, count, sizeof *list, by_place);
    return count;
}

/* ---- groups ---- */

static bool alike(enum sharing_verdict a, enum sharing_verdict b)
{
    bool unsure = a == SHARING_UNSURE || b == SHARING_UNSURE;
    return a == b || (unsure && a != SHARING_READ_ONLY && b != SHARING_READ_ONLY);
}

/* "[3].hits" is as good as "[17].hits", and "+24" as "+88". */
static bool same_but_digits(const char *a, const char *b)
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

/* Whether two lines are wanted for the same field. */
static bool same_field(const struct snapshot_sharing_line *a, const struct snapshot_sharing_line *b)
{
    for (size_t i = 0; i < a->side_count && i < 2; i++)
        for (size_t k = 0; k < b->side_count && k < 2; k++)
            if (a->sides[i].code_count && b->sides[k].code_count &&
                same_but_digits(a->sides[i].codes[0].field, b->sides[k].codes[0].field))
                return true;
    return false;
}

/* Neighbours in one instance, or the same line of another. */
static bool belongs(const struct listed *last, const struct listed *next)
{
    int64_t step = line_in_object(next) - line_in_object(last);
    bool near = last->base == next->base ? step <= 2 : step == 0;
    return last->object == next->object && near &&
           alike(last->judged.verdict, next->judged.verdict) &&
           same_field(&last->line, &next->line);
}

static int by_line_samples(const void *left, const void *right)
{
    const struct snapshot_sharing_line *a = left;
    const struct snapshot_sharing_line *b = right;
    int order = most_first(a->samples, b->samples);
    return order ? order : a->address < b->address ? -1 : a->address > b->address;
}

static uint32_t different_threads(const struct snapshot_sharing_group *group)
{
    uint32_t seen[255];
    uint32_t count = 0;
    for (size_t i = 0; i < group->line_count; i++)
        for (size_t k = 0; k < group->lines[i].side_count; k++) {
            uint32_t n = 0;
            while (n < count && seen[n] != group->lines[i].sides[k].tid)
                n++;
            if (n == count && count < 255)
                seen[count++] = group->lines[i].sides[k].tid;
        }
    return count;
}

static void add_to_group(struct snapshot_sharing_group *group, const struct listed *listed)
{
    const struct sharing_judged *judged = &listed->judged;
    group->lines[group->line_count++] = listed->line;
    group->samples += judged->samples;
    group->turns += judged->turns;
    group->expected += judged->expected;
    group->locked |= listed->line.locked;
    if (!isnan(judged->hitm))
        group->hitm = (isnan(group->hitm) ? 0 : group->hitm) + judged->hitm;
    if (judged->evidence == SHARING_HITM)
        group->evidence = SHARING_HITM;
    group->sure |= judged->sure;
}

/* "hits | misses": what the two threads with most samples want of the hottest line. */
static const char *group_fields(struct build *build, const struct snapshot_sharing_line *line)
{
    if (line->side_count < 2 || !line->sides[0].fields || !line->sides[1].fields)
        return line->side_count ? line->sides[0].fields : NULL;
    if (!strcmp(line->sides[0].fields, line->sides[1].fields))
        return line->sides[0].fields;
    return arena_printf(build->arena, "%s | %s", line->sides[0].fields, line->sides[1].fields);
}

static void finish_group(struct build *build, struct snapshot_sharing_group *group)
{
    double all = all_samples(build);
    double object = object_samples(build, group->id);
    struct object_desc desc;
    qsort(group->lines, group->line_count, sizeof *group->lines, by_line_samples);
    group->verdict = group->lines[0].verdict;
    for (size_t i = 0; i < group->line_count && group->verdict == SHARING_UNSURE; i++)
        group->verdict = group->lines[i].verdict;
    group->object = build_object_index(build, group->id);
    group->name = sharing_describe(build, group->id, &desc);
    group->fields = group_fields(build, &group->lines[0]);
    group->share = interval_share(all > 0 ? fmin(1, group->samples / all) : NAN, all);
    group->of_object = object > 0 ? fmin(1, group->samples / object) : NAN;
    group->threads = different_threads(group);
    group->reading = sharing_words(build, group);
    build->failed |= !group->name || !group->reading;
}

static int by_group_samples(const void *left, const void *right)
{
    const struct snapshot_sharing_group *a = left;
    const struct snapshot_sharing_group *b = right;
    bool a_reads = a->verdict == SHARING_READ_ONLY;
    bool b_reads = b->verdict == SHARING_READ_ONLY;
    if (a_reads != b_reads)
        return a_reads ? 1 : -1;
    int order = most_first(a->samples, b->samples);
    return order ? order : a->lines[0].address < b->lines[0].address ? -1 : 1;
}

static size_t group_lines(struct build *build, const struct listed *list, size_t count,
                          struct snapshot_sharing_group *groups)
{
    struct snapshot_sharing_line *lines = arena_array(build->arena, count, sizeof *lines);
    size_t group_count = 0;
    build->failed |= !lines;
    for (size_t i = 0; i < count && !build->failed; i++) {
        if (!i || !belongs(&list[i - 1], &list[i]))
            groups[group_count++] = (struct snapshot_sharing_group){
                .id = list[i].object, .hitm = NAN, .lines = lines + i};
        add_to_group(&groups[group_count - 1], &list[i]);
    }
    for (size_t i = 0; i < group_count && !build->failed; i++)
        finish_group(build, &groups[i]);
    if (!build->failed)
        qsort(groups, group_count, sizeof *groups, by_group_samples);
    return group_count;
}

/* Nodes of the pages, for the hottest line of each group first; one question a refresh. */
static void ask_nodes(const struct build *build)
{
    const struct place_names *names = &build->profile->options.names;
    const struct snapshot_sharing *shown = &build->snapshot->sharing;
    struct snapshot_sharing_line *lines[NODES_ASKED];
    uint64_t addresses[NODES_ASKED];
    int nodes[NODES_ASKED];
    size_t count = 0;
    for (size_t deep = 0; deep < NODES_ASKED; deep++)
        for (size_t i = 0; i < shown->group_count && count < NODES_ASKED; i++)
            if (deep < shown->groups[i].line_count) {
                lines[count] = &shown->groups[i].lines[deep];
                addresses[count] = lines[count]->address;
                count++;
            }
    if (!names->page_nodes || !count)
        return;
    names->page_nodes(names->context, addresses, count, nodes);
    for (size_t i = 0; i < count; i++)
        lines[i]->node = nodes[i];
}

static enum sharing_evidence best_evidence(const struct build *build)
{
    double snooped = 0;
    for (int i = 0; i < SAMPLE_EVENTS_MAX; i++)
        snooped += build->profile->all_levels[i].at[LEVELS_SNOOP_KNOWN].at[BASIS_RUN];
    return snooped > 0 ? SHARING_HITM : SHARING_TURNS;
}

void build_sharing(struct build *build)
{
    struct snapshot_sharing *shown = &build->snapshot->sharing;
    struct listed *list = calloc(SHARING_LINES + 1, sizeof *list);
    *shown = (struct snapshot_sharing){
        .evidence = best_evidence(build),
        .groups = arena_array(build->arena, LINES_LISTED, sizeof *shown->groups)};
    build->failed |= !list || !shown->groups;
    if (!build->failed) {
        size_t lines = list_lines(build, list);
        shown->group_count = build->failed ? 0 : group_lines(build, list, lines, shown->groups);
    }
    free(list);
    if (shown->group_count > GROUPS_LISTED) {
        shown->groups_left_out = shown->group_count - GROUPS_LISTED;
        shown->group_count = GROUPS_LISTED;
    }
    if (!build->failed)
        ask_nodes(build);
}
