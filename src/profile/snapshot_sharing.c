/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared cache lines: which are listed, who is on them, and which belong together. */
#include "profile/snapshot_sharing.h"
#include "profile/state.h"

#include <math.h>
#include <stdlib.h>

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

static double all_misses(const struct build *build)
{
    const struct profile *profile = build->profile;
    bool of_misses = profile->options.simulated &&
                     profile->options.roles[profile->sharing_event] != EVENT_ACCESS;
    return of_misses ? build_read(build, &profile->all[profile->sharing_event].samples) : NAN;
}

double sharing_all_samples(const struct build *build)
{
    double all = 0;
    for (uint16_t i = 0; i < build->profile->options.event_count; i++)
        if (profile_shares(build->profile, i))
            all += build_read(build, &build->profile->all[i].samples);
    return all;
}

double sharing_object_samples(const struct build *build, uint32_t object)
{
    const struct tallies *objects = &build->profile->objects;
    double all = 0;
    for (uint16_t i = 0; i < objects->events && object < objects->ids; i++)
        if (profile_shares(build->profile, i))
            all += build_read(build, &tallies_at(objects, object, i)->samples);
    return all;
}

/* ---- sides ---- */

static int by_side_samples(const void *left, const void *right)
{
    const struct snapshot_sharing_side *a = left;
    const struct snapshot_sharing_side *b = right;
    int order = sharing_most_first(a->samples, b->samples);
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
        line->threads += sharing_party(side);
        line->side_count++;
    }
    if (!build->failed)
        qsort(line->sides, line->side_count, sizeof *line->sides, by_side_samples);
}

/* ---- lines ---- */

static void fill_line(struct build *build, const struct sharing_line *from,
                      struct sharing_listed *listed)
{
    const struct sharing_judged *judged = &listed->judged;
    const struct sharing_owner *owner = main_owner(build, from);
    double all = sharing_all_samples(build);
    double object = sharing_object_samples(build, owner->object);
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
    const struct sharing_listed *a = left;
    const struct sharing_listed *b = right;
    bool a_reads = a->judged.verdict == SHARING_READ_ONLY;
    bool b_reads = b->judged.verdict == SHARING_READ_ONLY;
    if (a_reads != b_reads)
        return a_reads ? 1 : -1;
    int order = sharing_most_first(a->judged.samples, b->judged.samples);
    return order ? order : a->line.address < b->line.address ? -1 : 1;
}

static int by_place(const void *left, const void *right)
{
    const struct sharing_listed *a = left;
    const struct sharing_listed *b = right;
    if (a->object != b->object)
        return a->object < b->object ? -1 : 1;
    if (sharing_line_in_object(a) != sharing_line_in_object(b))
        return sharing_line_in_object(a) < sharing_line_in_object(b) ? -1 : 1;
    return a->line.address < b->line.address ? -1 : a->line.address > b->line.address;
}

/* The lines with evidence, those with most samples, by object and place in it. */
static size_t list_lines(struct build *build, struct sharing_listed *list)
{
    const struct sharing *sharing = &build->profile->sharing;
    const struct sharing_line *from[SHARING_LINES];
    size_t count = 0;
    for (int i = 0; i < SHARING_LINES; i++) {
        const struct sharing_line *line = &sharing->lines[i];
        if (!line->address || !line->owner_count)
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
        for (int k = SNOOP_UNKNOWN + 1; k < SNOOP_COUNT; k++)
            snooped += build->profile->all_levels[i].at[LEVELS_SNOOP + k].at[BASIS_RUN];
    return snooped > 0 ? SHARING_HITM : SHARING_TURNS;
}

void build_sharing(struct build *build)
{
    struct snapshot_sharing *shown = &build->snapshot->sharing;
    struct sharing_listed *list = calloc(SHARING_LINES + 1, sizeof *list);
    *shown = (struct snapshot_sharing){
        .evidence = best_evidence(build),
        .misses = all_misses(build),
        .groups = arena_array(build->arena, LINES_LISTED, sizeof *shown->groups)};
    build->failed |= !list || !shown->groups;
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
        ask_nodes(build);
}
