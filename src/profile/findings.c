/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/findings.h"

#include "profile/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MEMBERS_NAMED = 4, MEMBERS_BYTES = 160 };

static const double member_hot = 0.05; /* of the samples on the type: it decides what is fetched */
#define CPUS_LEAST 0.05                /* less is measured too coarsely: in ticks of 10 ms */
static const double member_used = 0.004; /* skid puts a few samples where nothing missed */

/* ---- for the rules ---- */

double findings_share(const struct findings *findings, size_t object)
{
    return findings->snapshot->objects[object].share.value * findings->attributed;
}

double findings_most(const struct findings *findings, size_t object)
{
    return findings->snapshot->objects[object].share.value;
}

double findings_code_share(const struct findings *findings, const struct snapshot_code *code)
{
    return isnan(code->all_share) ? code->share.value * findings->attributed : code->all_share;
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
    const struct snapshot_simulation *simulation = &findings->snapshot->simulation;
    double rate = findings->rate * findings->snapshot->objects[object].share.value;
    if (!spread)
        return SPREAD_UNKNOWN;
    /* Misses are told one after the other, so a pass has as many of them as it has lines. */
    if (simulation->level_count)
        return spread_order(spread, (double)spread->lines / fmax(simulation->one_in, 1));
    return spread_order(spread, spread_pass_samples(spread, rate));
}

bool findings_has(const struct findings *findings, uint32_t object)
{
    for (size_t i = 0; i < findings->count; i++)
        if (findings->list[i].object == object)
            return true;
    return false;
}

bool findings_has_kind(const struct findings *findings, uint32_t object, enum finding_kind kind)
{
    for (size_t i = 0; i < findings->count; i++)
        if (findings->list[i].object == object && findings->list[i].kind == kind)
            return true;
    return false;
}

bool findings_overlap(const struct findings *findings, uint32_t one, uint32_t other)
{
    const struct spread *a = findings_spread(findings, one);
    const struct spread *b = findings_spread(findings, other);
    return a && b && a->lowest <= b->highest && b->lowest <= a->highest;
}

const struct snapshot_bin *findings_bin(const struct findings *findings, size_t object)
{
    const struct snapshot_heap *heap = &findings->snapshot->heap;
    uint32_t bin = findings->snapshot->objects[object].bin;
    for (size_t i = 0; bin >= heap->bin_count && i < heap->bin_count; i++)
        if (heap->bins[i].object == object)
            return &heap->bins[i];
    return bin < heap->bin_count ? &heap->bins[bin] : NULL;
}

void findings_memory(const struct findings *findings, uint64_t address, struct memory_use *use)
{
    *use = (struct memory_use){NAN, NAN, NAN, NAN, 0};
    if (findings->names && findings->names->memory)
        findings->names->memory(findings->names->context, address, use);
}

bool findings_points_to(const struct snapshot_layout_row *row, const char *type)
{
    size_t length = strlen(type);
    return row->kind == LAYOUT_MEMBER && row->member.type &&
           !strncmp(row->member.type, type, length) && !strcmp(row->member.type + length, " *");
}

static void name_after(struct snapshot_finding *finding, const struct snapshot_object *object)
{
    finding->id = object->id;
    finding->name = object->name;
    if (!object->code_count || finding->function)
        return;
    finding->function = object->code[0].function;
    finding->file = object->code[0].file;
    finding->line = object->code[0].line;
}

double findings_worth(const struct snapshot_finding *finding)
{
    return isnan(finding->gain) ? finding->share : finding->gain;
}

static bool begins_with_one_of(const char *text, const char *const *names)
{
    for (; text && *names; names++)
        if (!strncmp(text, *names, strlen(*names)))
            return true;
    return false;
}

/*
 * Memory that the C library, the loader or the linker lays out: no change of the program moves it.
 * Who uses it, and how often, may be changed.
 */
static bool is_of_the_system(const struct snapshot_object *object)
{
    static const char *const modules[] = {"libc.so",    "libc-2.", "ld-linux", "ld-2.",
                                          "libc.musl",  "ld-musl", "libm.so",  "libm-2.",
                                          "libpthread", "libdl",   "libgcc_s", "libstdc++",
                                          "libc++",     "[vdso]",  NULL};
    static const char *const types[] = {"malloc_chunk", "malloc_state", "malloc_par",
                                        "tcache_",      "link_map",     "r_scope_elem",
                                        "Elf64_",       "_IO_FILE",     NULL};
    const char *type = object->layout_count ? object->layouts[0].name : object->type;
    const char *module = object->module ? strrchr(object->module, '/') : NULL;
    bool of_module = object->kind == OBJECT_GLOBAL || object->kind == OBJECT_CODE ||
                     object->kind == OBJECT_TLS || object->kind == OBJECT_MAP;
    if (type && !strncmp(type, "struct ", 7))
        type += 7;
    if (of_module && object->name &&
        object->name[0] == '.') /* a section: .dynsym, .gnu.hash, .rodata */
        return true;
    return begins_with_one_of(type, types) ||
           (of_module && begins_with_one_of(module ? module + 1 : object->module, modules));
}

/* What it advises is another layout, not another use. */
static bool is_about_layout(enum finding_kind kind)
{
    return kind != FINDING_TRUE_SHARING && kind != FINDING_SPINNING && kind != FINDING_CHURN &&
           kind != FINDING_COPYING && kind != FINDING_STACK;
}

void findings_add(struct findings *findings, const struct snapshot_finding *finding)
{
    const struct snapshot_object *object = finding->object < findings->snapshot->object_count
                                               ? &findings->snapshot->objects[finding->object]
                                               : NULL;
    if (object && is_about_layout(finding->kind) && is_of_the_system(object))
        return;
    if (findings->count == FINDINGS_MAX || !(findings_worth(finding) >= FINDINGS_GAIN_LEAST) ||
        !finding->evidence || !finding->advice || !finding->reckoned)
        return;
    struct snapshot_finding *added = &findings->list[findings->count++];
    *added = *finding;
    if (!isnan(finding->gain))
        added->gain = fmin(finding->gain, 1);
    if (finding->object < findings->snapshot->object_count)
        name_after(added, &findings->snapshot->objects[finding->object]);
    if (!finding->share)
        added->share = finding->object < findings->snapshot->object_count
                           ? findings_share(findings, finding->object)
                           : finding->gain;
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
    enum { DEPTHS = 16 };
    uint64_t around[DEPTHS] = {0}; /* bytes of the array of structs that a member is part of; 0: none */
    *hot = (struct findings_hot){.first = UINT64_MAX};
    for (size_t i = 0; i < layout->row_count; i++) {
        const struct snapshot_layout_row *row = &layout->rows[i];
        unsigned depth = row->member.depth < DEPTHS - 1 ? row->member.depth : DEPTHS - 2;
        uint64_t size = row->member.size ? row->member.size : 8;
        /* Which element was accessed is not known: of an array all are in use. */
        if (row->has_members)
            around[depth + 1] = row->member.count > 1 ? row->member.size : around[depth];
        if (depth && around[depth] > size)
            size = around[depth];
        if (row->has_members || !(row->share >= member_used))
            continue;
        hot->used_bytes += size;
        if (row->share < member_hot)
            continue;
        hot->first = row->member.offset < hot->first ? row->member.offset : hot->first;
        hot->end = row->member.offset + size > hot->end ? row->member.offset + size : hot->end;
    }
    if (layout->size && hot->used_bytes > layout->size)
        hot->used_bytes = layout->size;
    if (hot->first > hot->end)
        hot->first = hot->end;
    name_members(layout, arena, hot);
}

/* ---- all of them ---- */

void findings_find(struct findings *findings)
{
    const struct snapshot_source *source = &findings->snapshot->source;
    if (findings_simulated(findings) && source->ranking < SAMPLE_EVENTS_MAX &&
        source->events[source->ranking].role == EVENT_ACCESS)
        return; /* accesses, missed or not: no rule is about those */
    findings_by_cause(findings);
    findings_sharing(findings);
    findings_conflict(findings);
    findings_split(findings);
    findings_straddling(findings);
    findings_columns(findings);
    findings_copying(findings);
    findings_chasing(findings);
    findings_together(findings);
    findings_paired(findings);
    findings_scattered(findings);
    findings_waste(findings);
    findings_churn(findings);
    findings_stack(findings);
    findings_spin(findings);
    findings_first_touch(findings);
    findings_tlb(findings);
    findings_reach(findings);
    findings_remote(findings);
    findings_without_room(findings); /* last: what any other kind explains is not said again */
    findings_streaming(findings);
}

/* Held, of an object of which by now fewer samples are: at most those. 0: no more listed. */
static void bring_up_to_date(const struct findings *findings, struct snapshot_finding *finding)
{
    const struct snapshot *snapshot = findings->snapshot;
    bool listed = finding->object != UINT32_MAX;
    finding->object = UINT32_MAX;
    for (size_t i = 0; i < snapshot->object_count; i++)
        if (snapshot->objects[i].id == finding->id)
            finding->object = (uint32_t)i;
    double most = finding->object != UINT32_MAX ? findings_most(findings, finding->object)
                  : listed                      ? 0
                                                : 1;
    finding->share = fmin(finding->share, most);
    finding->gain_low = fmin(finding->gain_low, most);
    if (!isnan(finding->gain))
        finding->gain = fmin(finding->gain, most);
}

/* Found now, of the same memory under another name. */
static bool superseded(const struct findings *findings, size_t found,
                       const struct snapshot_finding *finding)
{
    for (size_t i = 0; i < found; i++)
        if (findings->list[i].kind == finding->kind &&
            finding->object != findings->list[i].object &&
            findings_overlap(findings, findings->list[i].object, finding->object))
            return true;
    return false;
}

void findings_hold(struct findings *findings, struct findings_held *held)
{
    struct findings_moment moment = {findings->window->added, findings->window->used,
                                     findings->snapshot->elapsed_s};
    size_t found = findings->count;
    size_t all =
        findings_held_join(held, findings->list, found, FINDINGS_MAX, &moment, findings->arena);
    for (size_t i = found; i < all; i++) {
        bring_up_to_date(findings, &findings->list[i]);
        if (findings_worth(&findings->list[i]) >= FINDINGS_GAIN_LEAST &&
            !superseded(findings, found, &findings->list[i]))
            findings->list[findings->count++] = findings->list[i];
    }
    findings_sort(findings);
}

/* A process that waits for a CPU, or for input, does not go through its data more slowly. */
static void measure_time(struct findings *findings)
{
    const struct snapshot_window *window = &findings->snapshot->window;
    struct memory_use use;
    findings_memory(findings, 0, &use);
    findings->span_s = window->span_s * (use.cpus >= CPUS_LEAST ? use.cpus : 1);
    findings->rate = findings->span_s > 0 ? (double)window->used / findings->span_s : NAN;
}

static void note_arrays(const struct snapshot_layout *layout, struct spread_of *of)
{
    for (size_t i = 0; i < layout->row_count && of->array_count < SPREAD_ARRAYS; i++) {
        const struct type_member *member = &layout->rows[i].member;
        if (layout->rows[i].kind != LAYOUT_MEMBER || (!member->count && !member->stride))
            continue;
        of->arrays[of->array_count].first = member->offset;
        of->arrays[of->array_count++].end =
            member->size ? member->offset + member->size : UINT64_MAX;
    }
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
        note_arrays(&object->layouts[0], &of[i]);
    }
    spread_gather(spreads, of, count, &build->profile->window,
                  build->profile->sets.geometry.line_bytes);
    findings->spreads = spreads;
    findings->spread_count = count;
}

void build_findings(struct build *build)
{
    struct snapshot *snapshot = build->snapshot;
    double everything = build_everything(build);
    struct spread *spreads = arena_array(build->arena, SPREADS_MAX, sizeof *spreads);
    struct findings *findings = arena_array(build->arena, 1, sizeof *findings);
    struct snapshot_finding *list = arena_array(build->arena, FINDINGS_MAX, sizeof *list);
    build->failed |= !findings || !list || !spreads;
    if (build->failed)
        return;
    *findings =
        (struct findings){.snapshot = snapshot,
                          .arena = build->arena,
                          .window = &build->profile->window,
                          .names = &build->profile->options.names,
                          .list = list,
                          .attributed = everything > 0 ? snapshot->totals.weight / everything : 0};
    measure_time(findings);
    gather(build, findings, spreads);
    findings_find(findings);
    snapshot->findings = (struct snapshot_findings){findings->list, findings->count};
    build->findings = findings;
}

void build_weigh_findings(struct build *build)
{
    struct findings *findings = build->findings;
    findings_weigh(findings);
    findings_hold(findings, &build->profile->findings_held);
    build->snapshot->findings = (struct snapshot_findings){findings->list, findings->count};
}
