/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "profile/findings/findings.h"

/* Sets the first and the last line, which identify the finding in the next snapshot. */
static void set_line_extent(const struct snapshot_sharing_group *group,
                            struct snapshot_finding *finding)
{
    finding->lines_first = UINT64_MAX;
    for (size_t i = 0; i < group->line_count; i++) {
        uint64_t address = group->lines[i].address;
        finding->lines_first = address < finding->lines_first ? address : finding->lines_first;
        finding->lines_last = address > finding->lines_last ? address : finding->lines_last;
    }
}

static const double simulated_min = 0.1; /* minimum share of all misses */

/* Adds a finding about sharing. In a simulation its share is that of the misses, because hits have
 * no cost. If misses of another level than the first rank, few of them are on the line. */
static void sharing_add(struct findings *findings, const struct snapshot_sharing_group *group)
{
    const struct snapshot_sharing *sharing = &findings->snapshot->sharing;
    const struct snapshot_sharing_code *code = &group->lines[0].sides[0].codes[0];
    bool simulated = sharing->misses > 0;
    struct snapshot_finding finding = {
        .rule = group->verdict == SHARING_FALSE ? RULE_FALSE_SHARING : RULE_TRUE_SHARING,
        .confidence =
            simulated || group->evidence == SHARING_HITM ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM,
        .object = group->object,
        .id = group->id,
        .name = group->name,
        .field = group->fields,
        .function = code->function,
        .file = code->file,
        .line = code->line,
        .remedy = group->remedy,
        .figures.sharing = {.threads = group->threads,
                            .lines = group->line_count,
                            .samples = group->samples,
                            .alternations = group->alternations,
                            .hitm = group->hitm,
                            .misses = simulated ? sharing->misses : NAN,
                            .by_hitm = group->evidence == SHARING_HITM},
        .share = simulated ? fmin(1, group->hitm / sharing->misses)
                           : group->share.value * findings->attributed,
        .gain = NAN,
        .is_upper_bound = true};
    set_line_extent(group, &finding);
    if (!simulated || finding.share >= simulated_min)
        findings_add(findings, &finding);
}

/* Returns true if the object is already reported by the causes of its misses. */
static bool is_reported_sharing(const struct findings *findings, uint32_t object)
{
    return object < findings->snapshot->object_count &&
           (findings_has_kind(findings, object, FINDING_FALSE_SHARING) ||
            findings_has_kind(findings, object, FINDING_TRUE_SHARING));
}

static void find_sharing(struct findings *findings)
{
    const struct snapshot_sharing *sharing = &findings->snapshot->sharing;
    for (size_t i = 0; i < sharing->group_count; i++) {
        const struct snapshot_sharing_group *group = &sharing->groups[i];
        bool contended = group->verdict == SHARING_TRUE || group->verdict == SHARING_FALSE ||
                         group->verdict == SHARING_BOTH;
        if (contended && group->has_enough_samples && group->line_count &&
            group->lines[0].side_count && group->lines[0].sides[0].code_count &&
            (sharing->misses > 0 ? !is_reported_sharing(findings, group->object)
                                 : !findings_causes(findings, group->object) &&
                                       group->object < findings->snapshot->object_count))
            sharing_add(findings, group);
    }
}

/* ---- threads that poll one word until another thread writes it ---- */

static const double in_function = 0.9;   /* share of the function's samples on the object */
static const double at_loads = 0.9;      /* share of them on its one or two hottest instructions */
static const double written_most = 0.02; /* share of an instruction's samples that are stores */
static const double on_one_line = 0.95;  /* share of a thread's samples on one line */
static const double in_loops = 0.9;      /* share of samples in polling loops (decode/function.c) */
static const double of_all_samples = 0.9; /* share of the window's samples from counted threads */

struct reader {
    uint32_t tid;
    uint64_t line;
    uint32_t votes; /* votes for the line (Boyer and Moore's majority) */
    uint32_t samples;
    uint32_t hits;
};

struct readers {
    struct reader list[SPREAD_THREADS];
    uint32_t count;
    uint32_t samples; /* samples of all threads */
    uint32_t waits;   /* samples in a loop that only polls */
};

static struct reader *find_or_add_reader(struct readers *readers, uint32_t tid)
{
    for (uint32_t i = 0; i < readers->count; i++)
        if (readers->list[i].tid == tid)
            return &readers->list[i];
    if (readers->count == SPREAD_THREADS)
        return NULL;
    readers->list[readers->count] = (struct reader){.tid = tid};
    return &readers->list[readers->count++];
}

static void vote_for_line(struct reader *reader, uint64_t line)
{
    if (!reader->votes)
        reader->line = line;
    reader->votes += reader->line == line ? 1 : -1;
}

/* Walks the window twice: first to find the line that each thread reads most, then to count it. */
static void spin_gather_readers(const struct findings *findings, uint32_t function, uint32_t object,
                                struct readers *readers)
{
    uint64_t mask = ~((uint64_t)findings->snapshot->sets.line - 1);
    *readers = (struct readers){.count = 0};
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < findings->window->used; i++) {
            const struct window_entry *entry = window_at(findings->window, i);
            if (entry->function != function || entry->object != object)
                continue;
            struct reader *reader = find_or_add_reader(readers, entry->tid);
            readers->samples += !pass;
            readers->waits += !pass && entry->is_spinning;
            if (reader && !pass)
                vote_for_line(reader, entry->address & mask);
            if (reader && pass) {
                reader->samples++;
                reader->hits += (entry->address & mask) == reader->line;
            }
        }
}

static double reader_hit_share(const struct readers *readers)
{
    uint32_t hits = 0;
    for (uint32_t i = 0; i < readers->count; i++)
        hits += readers->list[i].hits;
    return (double)hits / readers->samples;
}

/* Returns the number of threads that read one line each; 0: not all of them do. */
static uint32_t waiting_threads(const struct readers *readers)
{
    uint32_t counted = 0;
    if (readers->waits < in_loops * readers->samples)
        return 0;
    for (uint32_t i = 0; i < readers->count; i++) {
        const struct reader *reader = &readers->list[i];
        if (reader->hits < on_one_line * reader->samples)
            return 0;
        counted += reader->samples;
    }
    return counted >= of_all_samples * readers->samples ? readers->count : 0;
}

/* Returns the hottest instruction if it and the next hottest have nearly all samples of the
 * function; otherwise NULL. */
static const struct snapshot_instruction *find_polling_load(const struct snapshot_code *code)
{
    const struct snapshot_instruction *first = NULL;
    const struct snapshot_instruction *second = NULL;
    for (size_t i = 0; i < code->instruction_count; i++) {
        const struct snapshot_instruction *at = &code->instructions[i];
        if (!first || at->samples > first->samples)
            second = first, first = at;
        else if (!second || at->samples > second->samples)
            second = at;
    }
    if (!first || first->stores > written_most * first->samples ||
        (second && second->stores > written_most * first->samples))
        return NULL;
    double both = first->samples + (second ? second->samples : 0);
    return both >= at_loads * code->samples ? first : NULL;
}

static void spinning_add(struct findings *findings, const struct snapshot_code *code)
{
    const struct snapshot *snapshot = findings->snapshot;
    struct readers readers;
    if (code->top_object >= snapshot->object_count || !(code->top_object_share >= in_function) ||
        findings_has(findings, code->top_object) || code->samples < FINDINGS_SAMPLES)
        return;
    const struct snapshot_object *object = &snapshot->objects[code->top_object];
    const struct snapshot_instruction *loop = find_polling_load(code);
    if (!loop || loop->object != code->top_object || object->kind == OBJECT_STACK ||
        object->kind == OBJECT_TLS)
        return;
    spin_gather_readers(findings, code->id, object->id, &readers);
    uint32_t threads = waiting_threads(&readers);
    if (!threads || readers.samples < FINDINGS_SAMPLES)
        return;
    struct snapshot_finding finding = {.rule = RULE_SPINNING,
                                       .confidence = CONFIDENCE_MEDIUM,
                                       .object = code->top_object,
                                       .field = loop->field,
                                       .function = code->function,
                                       .file = loop->file,
                                       .line = loop->line,
                                       .share = code->all_share,
                                       .gain = NAN,
                                       .is_upper_bound = true};
    finding.figures.spinning =
        (struct finding_spinning){threads, readers.samples, reader_hit_share(&readers)};
    findings_add(findings, &finding);
}

static void find_spinning(struct findings *findings)
{
    const struct snapshot *snapshot = findings->snapshot;
    const struct snapshot_source *source = &snapshot->source;
    bool of_misses = source->ranking < SAMPLE_EVENTS_MAX && source->event_count &&
                     source->events[source->ranking].role <= EVENT_MEM_FILL;
    /* A line that is read repeatedly does not miss, but takes time. */
    if (of_misses || snapshot->target.threads < 2 || !findings->window)
        return;
    for (size_t i = 0; i < snapshot->code_count; i++)
        if (snapshot->code[i].all_share >= FINDINGS_GAIN_MIN)
            spinning_add(findings, &snapshot->code[i]);
}

static const struct findings_rule rules[] = {
    {.rule = RULE_FALSE_SHARING, .kind = FINDING_FALSE_SHARING, .find = find_sharing},
    {.rule = RULE_TRUE_SHARING, .kind = FINDING_TRUE_SHARING, .changes_use = true},
    {.rule = RULE_SPINNING,
     .kind = FINDING_SPINNING,
     .find = find_spinning,
     .needs_real_time = true,
     .changes_use = true},
};
const struct findings_family findings_threads = FINDINGS_FAMILY(rules);
