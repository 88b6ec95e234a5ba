/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings from the cause of the misses: cache sets, capacity, first references, pages and levels.
 * Exact if a simulation reports each cause, otherwise from samples. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "profile/findings/findings.h"

/* ---- data from a simulation (--sim): the cache, and the causes of an object's misses ---- */

bool findings_simulated(const struct findings *findings)
{
    return findings->snapshot->simulation.level_count || findings->snapshot->causes.known;
}

/* Returns the index of the level; UINT32_MAX: the ranking event has none, or not known. */
static uint32_t simulated_level(const struct findings *findings)
{
    const struct snapshot_source *source = &findings->snapshot->source;
    uint32_t count = findings->snapshot->simulation.level_count;
    enum event_role role =
        source->ranking < SAMPLE_EVENTS_MAX ? source->events[source->ranking].role : EVENT_OTHER;
    uint32_t level = role == EVENT_MISS_L1    ? 0
                     : role == EVENT_MISS_L2  ? 1
                     : role == EVENT_MEM_FILL ? count - 1
                     : role == EVENT_OTHER    ? 2
                                              : UINT32_MAX;
    return level < count ? level : UINT32_MAX;
}

static const struct simulation_level *findings_level(const struct findings *findings)
{
    uint32_t level = simulated_level(findings);
    return level < SIMULATION_LEVELS_MAX ? &findings->snapshot->simulation.level[level] : NULL;
}

const char *findings_level_name(const struct findings *findings)
{
    static const char *const names[SIMULATION_LEVELS_MAX] = {"L1", "L2", "L3", "L4"};
    uint32_t level = simulated_level(findings);
    return level < SIMULATION_LEVELS_MAX ? names[level] : NULL;
}

const struct snapshot_causes_row *findings_causes(const struct findings *findings, uint32_t object)
{
    const struct snapshot_causes_list *objects =
        &findings->snapshot->causes.by_kind[CAUSES_OBJECTS];
    for (size_t i = 0; object != UINT32_MAX && i < objects->count; i++)
        if (objects->rows[i].index == object)
            return objects->rows[i].figures.samples >= FINDINGS_SAMPLES ? &objects->rows[i] : NULL;
    return NULL;
}

double findings_min_bytes(const struct findings *findings)
{
    const struct simulation_level *level = findings_level(findings);
    return level && level->size_bytes ? (double)level->size_bytes : FINDINGS_BEYOND_BYTES;
}

static double first_reference_share(const struct snapshot_causes_row *causes)
{
    return causes->figures.share[CAUSE_FIRST] + causes->figures.share[CAUSE_FIRST_HERE];
}

/* Share of the known evictors; smaller ones are not named. */
static const double evictor_min = 0.01;

/* Makes a finding from exact causes, with the evictors that evicted most of the object's lines. */
static struct snapshot_finding findings_exact(const struct findings *findings,
                                              const struct snapshot_causes_row *causes,
                                              enum finding_rule rule, double part)
{
    const struct simulation_level *level = findings_level(findings);
    struct snapshot_finding finding = {
        .rule = rule,
        .confidence = CONFIDENCE_HIGH,
        .object = causes->index,
        .level = findings_level_name(findings),
        .gain = findings_share(findings, causes->index) * part,
        .is_upper_bound = true,
        .figures.cause = {.misses = causes->figures.misses,
                          .cause_share = part,
                          .first = first_reference_share(causes),
                          .cache_bytes = findings_min_bytes(findings),
                          .stride = level && level->ways ? level->size_bytes / level->ways : 0}};
    for (size_t i = 0; i < causes->evictor_count && i < FINDING_EVICTORS &&
                       causes->evictors[i].share >= evictor_min;
         i++)
        finding.evictors[i] = (struct finding_evictor){
            .function = causes->evictors[i].function,
            .object = causes->evictors[i].object,
            .is_self_eviction = causes->evictors[i].object_id == causes->id,
            .share = causes->evictors[i].share};
    return finding;
}

/* Returns the other object that evicted most lines, and its share; NULL: none is known. */
static const struct snapshot_evictor *findings_rival(const struct snapshot_causes_row *causes,
                                                     double *share)
{
    const struct snapshot_evictor *rival = NULL;
    *share = 0;
    for (size_t i = 0; i < causes->evictor_count; i++) {
        const struct snapshot_evictor *evictor = &causes->evictors[i];
        if (!evictor->object || evictor->object_id == causes->id)
            continue;
        rival = rival ? rival : evictor;
        *share += evictor->object_id == rival->object_id ? evictor->share : 0;
    }
    return rival;
}

static const double conflicts_min = 0.2; /* minimum share of the object's misses */

static void find_conflict_cause(struct findings *findings, size_t index)
{
    const struct snapshot_causes_row *causes = findings_causes(findings, (uint32_t)index);
    double share;
    if (!causes)
        return;
    double part = causes->figures.share[CAUSE_CONFLICT];
    const struct snapshot_evictor *rival = findings_rival(causes, &share);
    struct snapshot_finding finding = findings_exact(findings, causes, RULE_CONFLICT_CAUSE, part);
    if (rival && !(causes->figures.self_evicted >= FINDINGS_MOSTLY))
        finding.other = rival->object;
    if (part >= conflicts_min)
        findings_add(findings, &finding);
}

/* Returns the object's group of lines in Sharing, for names and remedy; NULL: none. */
static const struct snapshot_sharing_group *causes_sharing_group(const struct findings *findings,
                                                                 uint32_t object)
{
    const struct snapshot_sharing *sharing = &findings->snapshot->sharing;
    for (size_t i = 0; i < sharing->group_count; i++)
        if (sharing->groups[i].object == object && sharing->groups[i].line_count)
            return &sharing->groups[i];
    return NULL;
}

static const double taken_min = 0.1; /* share of the object's misses: threads rarely alternate */

static void find_sharing_cause(struct findings *findings, size_t index)
{
    const struct snapshot_causes_row *causes = findings_causes(findings, (uint32_t)index);
    if (!causes)
        return;
    double same = causes->figures.share[CAUSE_INVALIDATED_TRUE];
    double apart_bytes = causes->figures.share[CAUSE_INVALIDATED_FALSE];
    const struct snapshot_sharing_group *group = causes_sharing_group(findings, causes->index);
    if (!(same + apart_bytes >= taken_min))
        return;
    struct snapshot_finding finding = findings_exact(
        findings, causes, apart_bytes > same ? RULE_FALSE_SHARING_CAUSE : RULE_TRUE_SHARING_CAUSE,
        same + apart_bytes);
    finding.field = group ? group->fields : NULL;
    finding.lines_first = finding.lines_last = group ? group->lines[0].address : 0;
    finding.figures.cause.same_bytes_share = same;
    finding.figures.cause.other_bytes_share = apart_bytes;
    findings_add(findings, &finding);
}

/* ---- cache sets: lines that evict each other while other sets have room ---- */

static const double most_of_hot = 0.5; /* main object's share of the samples in hot sets */

/* Samples of the window in hot sets: of all objects, and of the main one. */
struct hot_sets {
    double all;
    double leading;
    uint32_t object; /* UINT32_MAX: none */
    double excess;   /* share of all samples above an even distribution */
};

/* Returns true for a set with more than twice the mean: parts are listed by count only. */
static bool is_hot(const struct snapshot_sets *sets, uint32_t set, double mean)
{
    return set < sets->sets && sets->counts[set] > 2 * mean;
}

static void measure_hot_sets(const struct findings *findings, double *by_object,
                             struct hot_sets *hot)
{
    const struct snapshot_sets *sets = &findings->snapshot->sets;
    double sum = 0;
    for (uint32_t i = 0; i < sets->sets; i++)
        sum += sets->counts[i];
    double mean = sum / sets->sets;
    for (uint32_t i = 0; i < sets->sets; i++)
        hot->excess += is_hot(sets, i, mean) ? (sets->counts[i] - mean) / sum : 0;
    for (size_t i = 0; i < sets->part_count; i++) {
        const struct snapshot_set_part *part = &sets->parts[i];
        if (!is_hot(sets, part->set, mean))
            continue;
        hot->all += part->samples;
        if (part->object < findings->snapshot->object_count)
            by_object[part->object] += part->samples;
    }
    hot->object = UINT32_MAX;
    for (uint32_t i = 0; i < findings->snapshot->object_count; i++)
        if (by_object[i] > hot->leading) {
            hot->leading = by_object[i];
            hot->object = i;
        }
}

/* Returns true if a fully associative cache of this size would hold the object: evidence of a
 * conflict. Reading large arrays also crowds sets, because prefetching restarts on each page. */
static bool fits_fully_associative(const struct findings *findings, uint32_t object)
{
    const struct snapshot_sets *sets = &findings->snapshot->sets;
    const struct spread *spread = findings_spread(findings, object);
    return spread &&
           spread_bytes(spread, sets->line) <= (double)sets->sets * sets->ways * sets->line;
}

static void conflict_sets_add(struct findings *findings, const struct hot_sets *hot)
{
    const struct snapshot_sets *sets = &findings->snapshot->sets;
    struct snapshot_finding finding = {.rule = RULE_CONFLICT_SETS,
                                       .confidence = CONFIDENCE_MEDIUM,
                                       .object = hot->object,
                                       .gain = hot->excess * findings->attributed,
                                       .is_upper_bound = true};
    finding.level = sets->level;
    finding.figures.sets = (struct finding_sets){.hot = sets->hot_sets,
                                                 .all = sets->sets,
                                                 .ways = sets->ways,
                                                 .excess = hot->excess,
                                                 .excess_share = hot->leading / hot->all};
    findings_add(findings, &finding);
}

static void find_conflict_sets(struct findings *findings)
{
    const struct snapshot_sets *sets = &findings->snapshot->sets;
    size_t count = findings->snapshot->object_count;
    struct hot_sets hot = {0};
    if (findings->snapshot->causes.known) /* find_conflict_cause() reports it */
        return;
    /* Not if the index is guessed, or exact only within a page. */
    if (sets->verdict != SETS_CONCENTRATED || !sets->conflict || sets->doubt || !sets->sets ||
        !count)
        return;
    double *by_object = calloc(count, sizeof *by_object);
    if (by_object)
        measure_hot_sets(findings, by_object, &hot);
    free(by_object);
    if (hot.object != UINT32_MAX && hot.leading >= most_of_hot * hot.all &&
        fits_fully_associative(findings, hot.object))
        conflict_sets_add(findings, &hot);
}

/* ---- capacity misses and first references: evicted, read from end to end, filled ---- */

static const double fits_in = 0.5;     /* share of the cache: other data also needs room */
static const double first_share = 0.2; /* minimum share of the object that is filled */
static const double stores_min = 0.8;  /* share of its samples that are stores */

/* Returns the causes of an object that has a spread and no finding yet; otherwise NULL. */
static const struct snapshot_causes_row *unreported_causes(const struct findings *findings,
                                                           size_t index)
{
    return findings_spread(findings, index) && !findings_has(findings, (uint32_t)index)
               ? findings_causes(findings, (uint32_t)index)
               : NULL;
}

/* Returns true if more of the object misses than the cache holds: it passes through. */
static bool exceeds_cache(const struct findings *findings, uint32_t id)
{
    for (size_t i = 0; i < findings->spread_count; i++)
        if (findings->snapshot->objects[i].id == id)
            return findings_spread(findings, i) &&
                   spread_bytes(&findings->spreads[i], findings->snapshot->sets.line) >
                       findings_min_bytes(findings);
    return false;
}

/* Reports an object that would stay cached if another object did not pass through the cache. */
static void find_evicted(struct findings *findings, size_t index)
{
    const struct snapshot_causes_row *causes = unreported_causes(findings, index);
    const struct simulation_level *level = findings_level(findings);
    double share;
    if (!causes || !level)
        return;
    double bytes = spread_bytes(&findings->spreads[index], findings->snapshot->sets.line);
    double part = causes->figures.share[CAUSE_CAPACITY];
    const struct snapshot_evictor *rival = findings_rival(causes, &share);
    if (!(part >= FINDINGS_MOSTLY) || !rival || !(causes->evictors[0].share >= evictor_min) ||
        bytes > fits_in * (double)level->size_bytes || share < FINDINGS_MOSTLY ||
        !exceeds_cache(findings, rival->object_id) ||
        causes->figures.evicted < FINDINGS_MOSTLY * part * causes->figures.misses)
        return;
    struct snapshot_finding finding = findings_exact(findings, causes, RULE_EVICTED, part);
    finding.other = rival->object;
    finding.figures.cause.bytes = bytes;
    finding.figures.cause.cache_bytes = (double)level->size_bytes;
    findings_add(findings, &finding);
}

static void find_streaming_cause(struct findings *findings, size_t index)
{
    const struct snapshot_object *object = &findings->snapshot->objects[index];
    const struct snapshot_causes_row *causes = unreported_causes(findings, index);
    enum spread_order order = findings_order(findings, index);
    if (!causes || (order != SPREAD_FORWARD && order != SPREAD_BACKWARD))
        return;
    double bytes = spread_bytes(&findings->spreads[index], findings->snapshot->sets.line);
    double part = causes->figures.share[CAUSE_CAPACITY];
    /* If a cache serves the misses instead of memory, processors prefetch them. */
    if (!(part >= FINDINGS_MOSTLY) || bytes <= findings_min_bytes(findings) ||
        simulated_level(findings) + 1 != findings->snapshot->simulation.level_count ||
        findings_share(findings, index) < FINDINGS_STREAMING_MIN)
        return;
    struct snapshot_finding finding = findings_exact(findings, causes, RULE_STREAMING_CAUSE, part);
    finding.figures.cause.written = object->stores > object->loads;
    finding.figures.cause.bytes = bytes;
    findings_add(findings, &finding);
}

static void find_first_touch_cause(struct findings *findings, size_t index)
{
    const struct snapshot_object *object = &findings->snapshot->objects[index];
    const struct snapshot_causes_row *causes = unreported_causes(findings, index);
    double part = causes ? first_reference_share(causes) : 0;
    if (!(part >= FINDINGS_MOSTLY) || object->stores < stores_min * object->samples ||
        findings_share(findings, index) < first_share)
        return;
    struct snapshot_finding finding =
        findings_exact(findings, causes, RULE_FIRST_TOUCH_CAUSE, part);
    finding.figures.cause.stores = object->stores / object->samples;
    findings_add(findings, &finding);
}

/* ---- recorded by hardware: page walks, memory of another node ---- */

static const double tlb_min = 0.2; /* share of the accesses: a walk is shorter than a miss */
/* Minimum share of the accesses: remote memory takes 1.5 to 2 times as long. */
static const double remote_min = 0.2;
static const double remote_saved = 0.4; /* share of that time: local memory takes 60 % of it */

static const struct snapshot_levels *find_object_levels(const struct findings *findings,
                                                        size_t index)
{
    const struct snapshot_object *object = &findings->snapshot->objects[index];
    const struct snapshot_levels *levels = object->levels;
    return levels && levels->evidence == LEVELS_RECORDED && object->samples >= FINDINGS_SAMPLES
               ? levels
               : NULL;
}

static void find_tlb(struct findings *findings, size_t index)
{
    const struct snapshot_levels *levels = find_object_levels(findings, index);
    if (!levels || !(levels->tlb_miss >= tlb_min))
        return;
    struct snapshot_finding finding = {.rule = RULE_TLB,
                                       .confidence = CONFIDENCE_HIGH,
                                       .object = (uint32_t)index,
                                       .gain = findings_share(findings, index) * levels->tlb_miss,
                                       .is_upper_bound = true};
    finding.figures.pages = (struct finding_pages){
        .samples = findings->snapshot->objects[index].samples, .affected_share = levels->tlb_miss};
    findings_add(findings, &finding);
}

static void find_remote(struct findings *findings, size_t index)
{
    const struct snapshot_levels *levels = find_object_levels(findings, index);
    if (!levels || !(levels->remote >= remote_min))
        return;
    struct snapshot_finding finding = {.rule = RULE_REMOTE,
                                       .confidence = CONFIDENCE_HIGH,
                                       .object = (uint32_t)index,
                                       .gain = findings_share(findings, index) * levels->remote *
                                               remote_saved};
    finding.figures.pages = (struct finding_pages){
        .samples = findings->snapshot->objects[index].samples, .affected_share = levels->remote};
    findings_add(findings, &finding);
}

/* ---- pages: beyond the reach of the TLB, or continuously fresh ---- */

enum { TLB_ENTRIES_MAX = 4096 }; /* last level, 4 KiB pages: the maximum of x86 CPUs up to Zen 5 */
static const double beyond_reach = 2; /* multiple of the TLB's reach: half of the accesses walk */
static const double huge_max = 0.5;   /* share of its memory already on huge pages */
/* Share of time beyond the TLB that huge pages save: measured 1 to 42 % (tests/judged). */
static const double walk_min = 0.03;
static const double walk_max = 0.4;

double findings_pages(const struct findings *findings, size_t index)
{
    uint32_t object = findings->snapshot->objects[index].id;
    struct hash pages;
    double once = 0;
    double twice = 0;
    hash_init(&pages);
    for (uint32_t i = 0; findings->window && i < findings->window->used; i++) {
        const struct window_entry *entry = window_at(findings->window, i);
        uint32_t *seen = entry->object == object
                             ? hash_insert(&pages, entry->address / FINDINGS_PAGE_BYTES, NULL)
                             : NULL;
        if (!seen)
            continue;
        once += *seen == 0 ? 1 : *seen == 1 ? -1 : 0;
        twice += *seen == 1 ? 1 : *seen == 2 ? -1 : 0;
        ++*seen;
    }
    double all = (double)pages.count + once * fmax(0, once - 1) / (2 * (twice + 1));
    hash_fini(&pages);
    return all;
}

static bool runs_module(const struct findings *findings, const char *part)
{
    const struct snapshot *snapshot = findings->snapshot;
    for (size_t i = 0; i < snapshot->code_count; i++)
        if (snapshot->code[i].module && strstr(snapshot->code[i].module, part))
            return true;
    return false;
}

/* Returns true if a runtime has a heap of its own: "[V8 heap]", "[Haskell heap]". */
static bool has_runtime_heap(const struct findings *findings)
{
    const struct snapshot *snapshot = findings->snapshot;
    for (size_t i = 0; i < snapshot->object_count; i++)
        if (*snapshot->objects[i].name == '[' && strstr(snapshot->objects[i].name, " heap]"))
            return true;
    return false;
}

/* Returns how to get huge pages from the allocator of this memory. */
static enum huge_page_method huge_page_remedy(const struct findings *findings, size_t index)
{
    static const struct {
        const char *library;
        enum huge_page_method way;
    } allocators[] = {{"libjemalloc", HUGE_JEMALLOC},
                      {"libmimalloc", HUGE_MIMALLOC},
                      {"libtcmalloc", HUGE_TCMALLOC},
                      {"glibc malloc", HUGE_GLIBC}};
    const struct heap_summary *heap = &findings->snapshot->heap.summary;
    if (runs_module(findings, "libjvm"))
        return HUGE_JAVA;
    if (findings->snapshot->objects[index].kind == OBJECT_MAP)
        return HUGE_FILE;
    if (runs_module(findings, "python"))
        return HUGE_PYTHON;
    if (runs_module(findings, "php"))
        return HUGE_PHP;
    if (findings->snapshot->objects[index].kind != OBJECT_HEAP)
        return HUGE_MADVISE;
    if (has_runtime_heap(findings))
        return HUGE_ALLOCATOR;
    for (size_t i = 0; i < sizeof allocators / sizeof *allocators; i++)
        if ((heap->note && strstr(heap->note, allocators[i].library)) ||
            (heap->source && strstr(heap->source, allocators[i].library)))
            return allocators[i].way;
    return HUGE_ALLOCATOR;
}

static void find_reach(struct findings *findings, size_t index)
{
    const struct spread *spread = findings_spread(findings, index);
    struct memory_use use;
    if (!spread || !findings->window || findings_order(findings, index) != SPREAD_SCATTERED ||
        findings_has_kind(findings, (uint32_t)index, FINDING_COLUMNS)) /* it has an order */
        return;
    findings_memory(findings, spread->lowest + (spread->highest - spread->lowest) / 2, &use);
    double entries = use.tlb_entries ? use.tlb_entries : TLB_ENTRIES_MAX;
    double most = (double)((spread->highest - spread->lowest) / FINDINGS_PAGE_BYTES + 1);
    if (!(use.huge_share <= huge_max) || most < beyond_reach * entries)
        return;
    double pages = fmin(findings_pages(findings, index), most);
    if (pages < beyond_reach * entries)
        return;
    struct snapshot_finding finding = {
        .rule = RULE_TLB_REACH,
        .confidence = CONFIDENCE_LOW,
        .object = (uint32_t)index,
        .gain = findings_share(findings, index) * (1 - entries / pages) * walk_max,
        .gain_low = findings_share(findings, index) * (1 - entries / pages) * walk_min};
    finding.figures.pages =
        (struct finding_pages){.pages = pages,
                               .page_bytes = FINDINGS_PAGE_BYTES,
                               .tlb_entries = entries,
                               .tlb_known = use.tlb_entries != 0,
                               .huge = use.huge_share,
                               .huge_method = huge_page_remedy(findings, index)};
    findings_add(findings, &finding);
}

/* Fewer samples are sufficient: most of the time is in the kernel, which is not sampled. */
enum { FRESH_SAMPLES = 50 };
static const double kernel_saved = 0.5; /* share of the kernel's time: the rest may be other work */
static const double faults_per_s = 10e3; /* 40 MB of fresh memory per second */
static const double kernel_min = 0.2;    /* share of the CPU time: enough to be worth a change */

static void find_first_touch_faults(struct findings *findings, size_t index)
{
    const struct snapshot_object *object = &findings->snapshot->objects[index];
    struct memory_use use;
    bool fresh = object->kind == OBJECT_ANON || object->kind == OBJECT_HEAP ||
                 object->kind == OBJECT_MAP || object->kind == OBJECT_UNKNOWN;
    if (!fresh || object->samples < FRESH_SAMPLES ||
        object->stores < stores_min * object->samples ||
        !(findings_share(findings, index) >= first_share))
        return;
    findings_memory(findings, 0, &use);
    if (!(use.faults_per_s >= faults_per_s) || !(use.kernel_share >= kernel_min))
        return;
    struct snapshot_finding finding = {
        .rule = RULE_FIRST_TOUCH_FAULTS,
        .confidence = CONFIDENCE_LOW,
        .object = (uint32_t)index,
        .gain = use.kernel_share + (1 - use.kernel_share) * findings_share(findings, index),
        .gain_low = kernel_saved * use.kernel_share};
    finding.figures.pages =
        (struct finding_pages){.affected_share = object->stores / object->samples,
                               .page_bytes = FINDINGS_PAGE_BYTES,
                               .faults_per_s = use.faults_per_s,
                               .kernel = use.kernel_share};
    findings_add(findings, &finding);
}

static const struct findings_rule rules[] = {
    {.rule = RULE_FALSE_SHARING_CAUSE,
     .kind = FINDING_FALSE_SHARING,
     .find_object = find_sharing_cause},
    {.rule = RULE_TRUE_SHARING_CAUSE, .kind = FINDING_TRUE_SHARING, .changes_use = true},
    {.rule = RULE_CONFLICT_CAUSE,
     .kind = FINDING_CONFLICT,
     .find_object = find_conflict_cause,
     .assumes_reuse = true},
    {.rule = RULE_CONFLICT_SETS,
     .kind = FINDING_CONFLICT,
     .find = find_conflict_sets,
     .assumes_reuse = true},
    {.rule = RULE_FIRST_TOUCH_FAULTS,
     .kind = FINDING_FIRST_TOUCH,
     .find_object = find_first_touch_faults,
     .needs_real_time = true},
    {.rule = RULE_TLB, .kind = FINDING_TLB, .find_object = find_tlb},
    {.rule = RULE_TLB_REACH,
     .kind = FINDING_TLB_REACH,
     .find_object = find_reach,
     .needs_real_time = true},
    {.rule = RULE_REMOTE, .kind = FINDING_REMOTE, .find_object = find_remote},
    {.rule = RULE_EVICTED,
     .kind = FINDING_EVICTED,
     .find_object = find_evicted,
     .assumes_reuse = true},
    {.rule = RULE_STREAMING_CAUSE,
     .kind = FINDING_STREAMING,
     .find_object = find_streaming_cause,
     .assumes_reuse = true},
    {.rule = RULE_FIRST_TOUCH_CAUSE,
     .kind = FINDING_FIRST_TOUCH,
     .find_object = find_first_touch_cause},
};
const struct findings_family findings_misses = FINDINGS_FAMILY(rules);
