/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/findings/findings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "profile/state.h"
#include "snapshot_findings.h"

static double findings_worth(const struct snapshot_finding *finding)
{
    return isnan(finding->gain) ? finding->share : finding->gain;
}

/* Members; for all rules about layout. */
static const double member_hot = 0.05;   /* minimum share of the type's samples for a hot member */
static const double member_used = 0.004; /* below, samples may be due to skid */
static const double cpus_min = 0.05;     /* below, CPU time in ticks of 10 ms is too coarse */

/* ---- the rules ---- */

const struct findings_rule *findings_rule(enum finding_rule rule)
{
    static const struct findings_family *const families[] = {&findings_layout, &findings_access,
                                                             &findings_misses, &findings_threads};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        for (size_t k = 0; k < families[i]->count; k++)
            if (families[i]->rules[k].rule == rule)
                return &families[i]->rules[k];
    return NULL;
}

void findings_apply(struct findings *findings, enum finding_rule which)
{
    const struct findings_rule *rule = findings_rule(which);
    if (!rule || (rule->needs_real_time && findings_simulated(findings)))
        return;
    if (rule->find)
        rule->find(findings);
    for (size_t i = 0; rule->find_object && i < findings->snapshot->object_count; i++)
        if (findings_gain_max(findings, i) >= FINDINGS_GAIN_MIN)
            rule->find_object(findings, i);
}

void findings_find(struct findings *findings)
{
    const struct snapshot_source *source = &findings->snapshot->source;
    if (findings_simulated(findings) && source->ranking < SAMPLE_EVENTS_MAX &&
        source->events[source->ranking].role == EVENT_ACCESS)
        return; /* accesses, with or without a miss: no rule applies */
    for (int rule = RULE_NONE + 1; rule < RULE_COUNT; rule++)
        findings_apply(findings, (enum finding_rule)rule);
}

/* ---- findings and other measurements ---- */

/* Exact measurements in addition to estimates from samples: causes of misses and use of lines
 * (--sim), and watchpoints (--watch). */

/* Share of a line's words used per visit: nothing to split off. */
static const double used_mostly = 0.75;
static const double lines_enough = 100;

enum verdict { NOTHING, SUPPORTED, CONTRADICTED };

static const struct snapshot_watch_object *find_watch_object(const struct findings *findings,
                                                             uint32_t object)
{
    const struct snapshot_watch *watch = &findings->snapshot->watch;
    for (size_t i = 0; watch->is_on && object != UINT32_MAX && i < watch->count; i++)
        if (watch->objects[i].object == object)
            return &watch->objects[i];
    return NULL;
}

/* ---- causes ---- */

static enum verdict verdict_by_causes(const struct snapshot_causes_row *causes,
                                      const struct snapshot_finding *finding)
{
    double first = causes->figures.share[CAUSE_FIRST] + causes->figures.share[CAUSE_FIRST_HERE];
    return findings_rule(finding->rule)->assumes_reuse && finding->confidence != CONFIDENCE_HIGH &&
                   first >= FINDINGS_MOSTLY
               ? CONTRADICTED
               : NOTHING;
}

static void add_causes(const struct findings *findings, const struct snapshot_causes_row *causes,
                       struct snapshot_finding *finding)
{
    const double *share = causes->figures.share;
    finding->support.has_causes = true;
    finding->support.level = findings_level_name(findings);
    finding->support.misses = causes->figures.misses;
    finding->support.first = share[CAUSE_FIRST] + share[CAUSE_FIRST_HERE];
    finding->support.capacity = share[CAUSE_CAPACITY];
    finding->support.conflict = share[CAUSE_CONFLICT];
}

/* ---- use of lines ---- */

/* Judges a finding of unused bytes by the used share of its lines. */
static enum verdict verdict_by_used_share(double low, double high)
{
    return low > used_mostly ? CONTRADICTED : high < FINDINGS_MOSTLY ? SUPPORTED : NOTHING;
}

/* Returns the use of lines fetched for the object and evicted from a simulated cache; NULL: not
 * known, or too few. */
static const struct snapshot_use *finding_use(const struct findings *findings,
                                              const struct snapshot_finding *finding)
{
    const struct snapshot *snapshot = findings->snapshot;
    const struct snapshot_use *use =
        finding->object < snapshot->object_count ? snapshot->objects[finding->object].use : NULL;
    return use && use->lines >= lines_enough ? use : NULL;
}

/* A nearer cache may evict a line before all of its used bytes are accessed. */
static enum verdict verdict_by_spatial(const struct findings *findings,
                                       const struct snapshot_use *use,
                                       const struct snapshot_finding *finding)
{
    double used = snapshot_use_spatial(use);
    if (!findings_rule(finding->rule)->assumes_unused_bytes || isnan(used))
        return NOTHING;
    enum verdict verdict = verdict_by_used_share(used, used);
    return verdict == SUPPORTED && findings->snapshot->uses.is_nearer ? NOTHING : verdict;
}

static void add_spatial(const struct findings *findings, const struct snapshot_use *use,
                        struct snapshot_finding *finding)
{
    finding->support.has_use = true;
    finding->support.lines = use->lines;
    finding->support.used = snapshot_use_spatial(use);
    finding->support.use_level = findings->snapshot->uses.level + 1u;
    finding->confidence = CONFIDENCE_HIGH;
}

/* ---- watches ---- */

static enum verdict verdict_by_watched_use(const struct snapshot_watch_object *watch,
                                           const struct snapshot_finding *finding)
{
    if (!findings_rule(finding->rule)->assumes_unused_bytes || isnan(watch->used.value))
        return NOTHING;
    return verdict_by_used_share(watch->used.low, watch->used.high);
}

static enum verdict verdict_by_reuse(const struct snapshot_watch_object *watch,
                                     const struct snapshot_finding *finding)
{
    enum finding_kind kind = finding->kind;
    switch (watch->verdict) {
    case WATCH_STREAMING:
        return kind == FINDING_STREAMING                     ? SUPPORTED
               : findings_rule(finding->rule)->assumes_reuse ? CONTRADICTED
                                                             : NOTHING;
    case WATCH_CAPACITY:
        return kind == FINDING_STREAMING  ? SUPPORTED
               : kind == FINDING_CONFLICT ? CONTRADICTED
                                          : NOTHING;
    case WATCH_CONFLICT:
        return kind == FINDING_CONFLICT ? SUPPORTED : NOTHING;
    case WATCH_CACHED: /* in the level that the event counts */
        return kind == FINDING_STREAMING || kind == FINDING_CONFLICT ? CONTRADICTED : NOTHING;
    default:
        return NOTHING;
    }
}

static enum verdict verdict_by_watch(const struct snapshot_watch_object *watch,
                                     const struct snapshot_finding *finding)
{
    enum verdict use = verdict_by_watched_use(watch, finding);
    enum verdict reuse = verdict_by_reuse(watch, finding);
    return use == CONTRADICTED || reuse == CONTRADICTED ? CONTRADICTED
           : use == SUPPORTED || reuse == SUPPORTED     ? SUPPORTED
                                                        : NOTHING;
}

static void add_watch(const struct snapshot_watch_object *watch, struct snapshot_finding *finding)
{
    finding->support.has_watch = true;
    finding->support.watched_use = verdict_by_watched_use(watch, finding) == SUPPORTED;
    finding->support.watch_used = watch->used.value;
    finding->support.watch_low = watch->used.low;
    finding->support.watch_high = watch->used.high;
    finding->support.visits = watch->visits;
    finding->support.watched = watch->watched;
    finding->support.touched = watch->touched;
    finding->confidence = CONFIDENCE_HIGH;
}

/* ---- all measurements ---- */

/* Weighs a finding; returns false if a measurement contradicts it. */
static bool weigh_finding(const struct findings *findings, struct snapshot_finding *finding)
{
    const struct snapshot_causes_row *causes = findings_causes(findings, finding->object);
    const struct snapshot_watch_object *watch = find_watch_object(findings, finding->object);
    const struct snapshot_use *use = finding_use(findings, finding);
    enum verdict watched = watch ? verdict_by_watch(watch, finding) : NOTHING;
    enum verdict used = verdict_by_spatial(findings, use, finding);
    if ((causes && verdict_by_causes(causes, finding) == CONTRADICTED) || used == CONTRADICTED ||
        watched == CONTRADICTED)
        return false;
    if (causes && finding->confidence != CONFIDENCE_HIGH)
        add_causes(findings, causes, finding);
    if (used == SUPPORTED)
        add_spatial(findings, use, finding);
    if (watched == SUPPORTED)
        add_watch(watch, finding);
    return true;
}

static int compare_findings(const void *left, const void *right)
{
    const struct snapshot_finding *a = left;
    const struct snapshot_finding *b = right;
    if (a->is_upper_bound != b->is_upper_bound)
        return a->is_upper_bound - b->is_upper_bound;
    double worth_a = findings_worth(a);
    double worth_b = findings_worth(b);
    return worth_a > worth_b ? -1 : worth_a < worth_b;
}

static void findings_sort(struct findings *findings)
{
    qsort(findings->list, findings->count, sizeof *findings->list, compare_findings);
}

void findings_weigh(struct findings *findings)
{
    size_t kept = 0;
    for (size_t i = 0; i < findings->count; i++)
        if (weigh_finding(findings, &findings->list[i]))
            findings->list[kept++] = findings->list[i];
    findings->count = kept;
    findings_sort(findings);
}

enum { MEMBERS_NAMED = 4, MEMBERS_BYTES = 160 };

/* ---- helpers of the rules ---- */

double findings_share(const struct findings *findings, size_t object)
{
    return findings->snapshot->objects[object].share.value * findings->attributed;
}

double findings_gain_max(const struct findings *findings, size_t object)
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
    /* Every miss is recorded, so a pass has one for each of its lines. */
    if (simulation->level_count)
        return spread_order(spread, (double)spread->lines / fmax(simulation->miss_period, 1));
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
    union place_answer answer;
    bool known = place_ask(&findings->names, PLACE_MEMORY, address, &answer);
    *use = known ? answer.memory : (struct memory_use){NAN, NAN, NAN, NAN, 0};
}

bool findings_points_to(const struct snapshot_layout_row *row, const char *type)
{
    size_t length = strlen(type);
    return row->kind == LAYOUT_MEMBER && row->member.type &&
           !strncmp(row->member.type, type, length) && !strcmp(row->member.type + length, " *");
}

static void set_finding_object(struct snapshot_finding *finding,
                               const struct snapshot_object *object)
{
    finding->id = object->id;
    finding->name = object->name;
    if (!object->code_count || finding->function)
        return;
    finding->function = object->code[0].function;
    finding->file = object->code[0].file;
    finding->line = object->code[0].line;
}

static bool begins_with_any(const char *text, const char *const *names)
{
    for (; text && *names; names++)
        if (!strncmp(text, *names, strlen(*names)))
            return true;
    return false;
}

/* Returns true for memory that the C library, the loader or the linker lays out: no change of the
 * program moves it. Its use can be changed. */
static bool is_system_object(const struct snapshot_object *object)
{
    static const char *const modules[] = {"libc.so",    "libc-2.", "ld-linux", "ld-2.",
                                          "libc.musl",  "ld-musl", "libm.so",  "libm-2.",
                                          "libpthread", "libdl",   "libgcc_s", "libstdc++",
                                          "libc++",     "[vdso]",  NULL};
    static const char *const types[] = {"malloc_chunk", "malloc_state", "malloc_par",
                                        "tcache_",      "link_map",     "r_scope_elem",
                                        "Elf64_",       "_IO_FILE",     NULL};
    const char *type = object->layout_count ? object->layouts[0].name : object->type;
    const char *module = object->module ? text_base_name(object->module) : NULL;
    bool of_module = object->kind == OBJECT_GLOBAL || object->kind == OBJECT_CODE ||
                     object->kind == OBJECT_TLS || object->kind == OBJECT_MAP;
    if (type && !strncmp(type, "struct ", 7))
        type += 7;
    if (of_module && object->name &&
        object->name[0] == '.') /* a section: .dynsym, .gnu.hash, .rodata */
        return true;
    return begins_with_any(type, types) || (of_module && begins_with_any(module, modules));
}

void findings_add(struct findings *findings, const struct snapshot_finding *finding)
{
    const struct findings_rule *rule = findings_rule(finding->rule);
    const struct snapshot_object *object = finding->object < findings->snapshot->object_count
                                               ? &findings->snapshot->objects[finding->object]
                                               : NULL;
    if (object && !rule->changes_use && is_system_object(object))
        return;
    if (findings->count == FINDINGS_MAX || !(findings_worth(finding) >= FINDINGS_GAIN_MIN))
        return;
    struct snapshot_finding *added = &findings->list[findings->count++];
    *added = *finding;
    added->kind = rule->kind;
    added->line_bytes = findings->snapshot->sets.line;
    if (!isnan(finding->gain))
        added->gain = fmin(finding->gain, 1);
    if (object)
        set_finding_object(added, object);
    if (!finding->share)
        added->share = object ? findings_share(findings, finding->object) : finding->gain;
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
    uint64_t around[DEPTHS] = {
        0}; /* bytes of the array of structs that contains a member; 0: none */
    *hot = (struct findings_hot){.first = UINT64_MAX};
    for (size_t i = 0; i < layout->row_count; i++) {
        const struct snapshot_layout_row *row = &layout->rows[i];
        unsigned depth = row->member.depth < DEPTHS - 1 ? row->member.depth : DEPTHS - 2;
        uint64_t size = row->member.size ? row->member.size : 8;
        /* The accessed element is not known, so the whole array counts as used. */
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

/* Updates a held finding: at most the object's current samples, 0 if no longer listed. */
static void update_held_finding(const struct findings *findings, struct snapshot_finding *finding)
{
    const struct snapshot *snapshot = findings->snapshot;
    bool listed = finding->object != UINT32_MAX;
    finding->object = UINT32_MAX;
    for (size_t i = 0; i < snapshot->object_count; i++)
        if (snapshot->objects[i].id == finding->id)
            finding->object = (uint32_t)i;
    double most = finding->object != UINT32_MAX ? findings_gain_max(findings, finding->object)
                  : listed                      ? 0
                                                : 1;
    finding->share = fmin(finding->share, most);
    finding->gain_low = fmin(finding->gain_low, most);
    if (!isnan(finding->gain))
        finding->gain = fmin(finding->gain, most);
}

/* Returns true if a current finding is about the same memory under another name. */
static bool is_superseded(const struct findings *findings, size_t found,
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
        update_held_finding(findings, &findings->list[i]);
        if (findings_worth(&findings->list[i]) >= FINDINGS_GAIN_MIN &&
            !is_superseded(findings, found, &findings->list[i]))
            findings->list[findings->count++] = findings->list[i];
    }
    findings_sort(findings);
}

/* Measures the window in CPU time, without waits for a CPU or for input. */
static void measure_time(struct findings *findings)
{
    const struct snapshot_window *window = &findings->snapshot->window;
    struct memory_use use;
    findings_memory(findings, 0, &use);
    findings->span_s = window->span_s * (use.cpus >= cpus_min ? use.cpus : 1);
    findings->rate = findings->span_s > 0 ? (double)window->used / findings->span_s : NAN;
}

static void add_array_members(const struct snapshot_layout *layout, struct spread_target *of)
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

static void findings_gather_spreads(struct build *build, struct findings *findings,
                                    struct spread *spreads)
{
    struct spread_target of[SPREADS_MAX] = {{0}};
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
        add_array_members(&object->layouts[0], &of[i]);
    }
    spread_gather(spreads, of, count, &build->profile->window,
                  build->profile->sets.geometry.line_bytes);
    findings->spreads = spreads;
    findings->spread_count = count;
}

void build_findings(struct build *build)
{
    struct snapshot *snapshot = build->snapshot;
    double everything = build_total_weight(build);
    struct spread *spreads = build_array(build, SPREADS_MAX, sizeof *spreads);
    struct findings *findings = build_array(build, 1, sizeof *findings);
    struct snapshot_finding *list = build_array(build, FINDINGS_MAX, sizeof *list);
    if (build->failed)
        return;
    *findings =
        (struct findings){.snapshot = snapshot,
                          .arena = build->arena,
                          .window = &build->profile->window,
                          .names = build->profile->options.names,
                          .is_current = !build->profile->options.run,
                          .list = list,
                          .attributed = everything > 0 ? snapshot->totals.weight / everything : 0};
    measure_time(findings);
    findings_gather_spreads(build, findings, spreads);
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

enum { STRINGS = 9 + 2 * FINDING_EVICTORS };

static void finding_strings(struct snapshot_finding *finding, const char **strings[STRINGS])
{
    const char **all[STRINGS] = {&finding->name, &finding->field, &finding->function,
                                 &finding->file, &finding->type,  &finding->other,
                                 &finding->link, &finding->level, &finding->remedy.name};
    for (int i = 0; i < FINDING_EVICTORS; i++) {
        all[STRINGS - 2 * i - 1] = &finding->evictors[i].function;
        all[STRINGS - 2 * i - 2] = &finding->evictors[i].object;
    }
    memcpy(strings, all, sizeof all);
}

void findings_held_fini(struct findings_held *held)
{
    free(held->list);
    *held = (struct findings_held){0};
}

static bool is_sharing_finding(const struct snapshot_finding *finding)
{
    return finding->kind == FINDING_FALSE_SHARING || finding->kind == FINDING_TRUE_SHARING;
}

/* The lines of an object are separate findings, whatever their fields and verdict, because these
 * change with a few more samples. Other findings exist once per kind and object. */
static bool is_same_finding(const struct snapshot_finding *a, const struct snapshot_finding *b)
{
    if (is_sharing_finding(a) && is_sharing_finding(b))
        return a->id == b->id && a->lines_first <= b->lines_last && b->lines_first <= a->lines_last;
    return a->kind == b->kind && a->id == b->id;
}

/* Copies a finding with its strings; returns false if they are too long. */
static bool copy_held_finding(struct finding_held *one, const struct snapshot_finding *finding)
{
    const char **strings[STRINGS];
    size_t used = 0;
    one->finding = *finding;
    finding_strings(&one->finding, strings);
    for (int i = 0; i < STRINGS; i++) {
        size_t size = *strings[i] ? strlen(*strings[i]) + 1 : 0;
        if (size > sizeof one->text - used)
            return false;
        if (size)
            *strings[i] = memcpy(one->text + used, *strings[i], size);
        used += size;
    }
    return true;
}

static struct finding_held *held_finding_find(struct findings_held *held,
                                              const struct snapshot_finding *finding)
{
    for (size_t i = 0; i < held->count; i++)
        if (is_same_finding(&held->list[i].finding, finding))
            return &held->list[i];
    return NULL;
}

static void held_finding_forget(struct findings_held *held, struct finding_held *one)
{
    struct finding_held *last = &held->list[--held->count];
    if (one == last)
        return;
    *one = *last;
    copy_held_finding(one, &last->finding);
}

void findings_held_drop_renamed(struct findings_held *held, const uint32_t *renamed, size_t count)
{
    for (size_t i = 0; i < held->count;) {
        uint32_t id = held->list[i].finding.id;
        if (id < count && renamed[id])
            held_finding_forget(held, &held->list[i]);
        else
            i++;
    }
}

static void held_finding_remember(struct findings_held *held,
                                  const struct snapshot_finding *finding,
                                  const struct findings_moment *moment)
{
    struct finding_held *one = held_finding_find(held, finding);
    if (!one && held->count == FINDINGS_HELD_MAX)
        return;
    if (!one) {
        one = &held->list[held->count++];
        one->seen_count = 0;
    }
    one->seen_count++;
    one->expires_at_added = moment->added + moment->used;
    one->found_s = moment->elapsed_s;
    if (!copy_held_finding(one, finding))
        held_finding_forget(held, one);
}

static bool is_listed_finding(const struct snapshot_finding *list, size_t count,
                              const struct snapshot_finding *finding)
{
    for (size_t i = 0; i < count; i++)
        if (is_same_finding(&list[i], finding))
            return true;
    return false;
}

static bool is_held_too_long(const struct finding_held *one, const struct findings_moment *moment)
{
    return one->seen_count < 2 || moment->added >= one->expires_at_added ||
           !(moment->elapsed_s - one->found_s <= FINDINGS_HELD_S);
}

size_t findings_held_join(struct findings_held *held, struct snapshot_finding *list, size_t count,
                          size_t room, const struct findings_moment *moment, struct arena *arena)
{
    const char **strings[STRINGS];
    if (!held->list && count)
        held->list = calloc(FINDINGS_HELD_MAX, sizeof *held->list);
    if (!held->list)
        return count;
    for (size_t i = 0; i < count; i++)
        held_finding_remember(held, &list[i], moment);
    for (size_t i = 0; i < held->count;) {
        struct finding_held *one = &held->list[i];
        if (is_listed_finding(list, count, &one->finding)) {
            i++;
            continue;
        }
        if (is_held_too_long(one, moment)) {
            held_finding_forget(held, one);
            continue;
        }
        i++;
        if (count == room)
            continue;
        list[count] = one->finding;
        finding_strings(&list[count], strings);
        for (int k = 0; k < STRINGS; k++)
            *strings[k] = arena_string(arena, *strings[k]);
        count++;
    }
    return count;
}
