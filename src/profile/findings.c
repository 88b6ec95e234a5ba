/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/findings.h"

#include "profile/state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMBERS_NAMED = 4, MEMBERS_BYTES = 160 };

static const double member_hot = 0.05; /* of the samples on the type: it decides what is fetched */
static const double member_used = 0.004; /* skid puts a few samples where nothing missed */

/* ---- words ---- */

const char *finding_kind_name(enum finding_kind kind)
{
    static const char *const names[FINDING_KIND_COUNT] = {
        "split",   "straddling", "false-sharing", "true-sharing", "conflict",
        "chasing", "streaming",  "tlb",           "remote"};
    return (unsigned)kind < FINDING_KIND_COUNT ? names[kind] : "split";
}

const char *finding_kind_words(enum finding_kind kind)
{
    static const char *const words[FINDING_KIND_COUNT] = {
        "hot and cold fields", "straddles lines", "false sharing", "true sharing", "set conflict",
        "pointer chasing",     "streaming",       "page walks",    "remote memory"};
    return (unsigned)kind < FINDING_KIND_COUNT ? words[kind] : "";
}

const char *finding_sure_name(enum finding_sure sure)
{
    static const char *const names[] = {"perhaps", "likely", "sure"};
    return (unsigned)sure < 3 ? names[sure] : "perhaps";
}

const char *finding_page_name(enum finding_page page)
{
    static const char *const names[] = {"Detail", "Layout", "Sharing", "Sets", "Code"};
    return (unsigned)page < 5 ? names[page] : "Detail";
}

/* ---- for the rules ---- */

double findings_share(const struct findings *findings, size_t object)
{
    return findings->snapshot->objects[object].share.value * findings->attributed;
}

const struct spread *findings_spread(const struct findings *findings, size_t object)
{
    const struct spread *spread =
        object < findings->spread_count ? &findings->spreads[object] : NULL;
    return spread && spread->samples >= FINDINGS_SAMPLES ? spread : NULL;
}

enum spread_order findings_order(const struct findings *findings, size_t object)
{
    const struct spread *spread = findings_spread(findings, object);
    double rate = findings->rate * findings->snapshot->objects[object].share.value;
    return spread ? spread_order(spread, rate) : SPREAD_UNKNOWN;
}

bool findings_has(const struct findings *findings, uint32_t object)
{
    for (size_t i = 0; i < findings->count; i++)
        if (findings->list[i].object == object)
            return true;
    return false;
}

void findings_add(struct findings *findings, const struct snapshot_finding *finding)
{
    const struct snapshot_object *object = &findings->snapshot->objects[finding->object];
    if (findings->count == FINDINGS_MAX || !(finding->gain >= FINDINGS_GAIN_LEAST) ||
        !finding->evidence || !finding->advice)
        return;
    struct snapshot_finding *added = &findings->list[findings->count++];
    *added = *finding;
    added->id = object->id;
    added->name = object->name;
    added->gain = fmin(finding->gain, 1);
    if (!object->code_count || added->function)
        return;
    added->function = object->code[0].function;
    added->file = object->code[0].file;
    added->line = object->code[0].line;
}

static void name_members(const struct snapshot_layout *layout, struct arena *arena,
                         struct findings_hot *hot)
{
    char text[MEMBERS_BYTES] = "";
    size_t used = 0;
    double below = INFINITY;
    for (int named = 0; named < MEMBERS_NAMED && !layout->inferred; named++) {
        const struct snapshot_layout_row *best = NULL;
        for (size_t i = 0; i < layout->row_count; i++) {
            const struct snapshot_layout_row *row = &layout->rows[i];
            if (row->kind == LAYOUT_MEMBER && !row->has_members && row->share >= member_hot &&
                row->share < below && (!best || row->share > best->share))
                best = row;
        }
        if (!best || used >= sizeof text)
            break;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? ", " : "",
                                 best->member.name);
        below = best->share;
    }
    hot->members = used && used < sizeof text ? arena_string(arena, text) : NULL;
}

void findings_hot(const struct snapshot_layout *layout, struct arena *arena,
                  struct findings_hot *hot)
{
    *hot = (struct findings_hot){.first = UINT64_MAX};
    for (size_t i = 0; i < layout->row_count; i++) {
        const struct snapshot_layout_row *row = &layout->rows[i];
        uint64_t size = row->member.size ? row->member.size : 8;
        if (row->has_members || !(row->share >= member_used))
            continue;
        hot->used_bytes += size;
        if (row->share < member_hot)
            continue;
        hot->first = row->member.offset < hot->first ? row->member.offset : hot->first;
        hot->end = row->member.offset + size > hot->end ? row->member.offset + size : hot->end;
    }
    if (hot->first > hot->end)
        hot->first = hot->end;
    name_members(layout, arena, hot);
}

/* ---- all of them ---- */

static int order(const void *left, const void *right)
{
    const struct snapshot_finding *a = left;
    const struct snapshot_finding *b = right;
    if (a->bound != b->bound)
        return a->bound - b->bound;
    return a->gain > b->gain ? -1 : a->gain < b->gain;
}

void findings_find(struct findings *findings)
{
    findings_sharing(findings);
    findings_conflict(findings);
    findings_split(findings);
    findings_straddling(findings);
    findings_chasing(findings);
    findings_tlb(findings);
    findings_remote(findings);
    findings_streaming(findings); /* last: what any other kind explains is not said again */
    qsort(findings->list, findings->count, sizeof *findings->list, order);
}

static void gather(struct build *build, struct findings *findings, struct spread *spreads)
{
    struct spread_of of[SPREADS_MAX] = {{0}};
    size_t count = build->snapshot->object_count;
    count = count < SPREADS_MAX ? count : SPREADS_MAX;
    for (size_t i = 0; i < count; i++) {
        const struct snapshot_object *object = &build->snapshot->objects[i];
        struct findings_hot hot;
        of[i].object = object->id;
        if (!object->layout_count)
            continue;
        findings_hot(&object->layouts[0], build->arena, &hot);
        of[i].type = object->layouts[0].type;
        of[i].element_size = hot.end ? object->layouts[0].size : 0;
        of[i].hot_first = hot.first;
        of[i].hot_end = hot.end;
    }
    spread_gather(spreads, of, count, &build->profile->window,
                  build->profile->sets.geometry.line_bytes);
    findings->spreads = spreads;
    findings->spread_count = count;
}

void build_findings(struct build *build)
{
    struct snapshot *snapshot = build->snapshot;
    const struct snapshot_totals *totals = &snapshot->totals;
    struct spread *spreads = arena_array(build->arena, SPREADS_MAX, sizeof *spreads);
    struct findings findings = {
        .snapshot = snapshot,
        .arena = build->arena,
        .list = arena_array(build->arena, FINDINGS_MAX, sizeof *findings.list),
        .attributed = totals->samples ? (double)totals->attributed / (double)totals->samples : 0,
        .rate =
            snapshot->window.span_s > 0 ? snapshot->window.used / snapshot->window.span_s : NAN};
    build->failed |= !findings.list || !spreads;
    if (build->failed)
        return;
    gather(build, &findings, spreads);
    findings_find(&findings);
    snapshot->findings = (struct snapshot_findings){findings.list, findings.count};
}
