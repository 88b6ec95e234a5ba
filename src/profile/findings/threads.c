/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings about lines that threads take from each other, by the verdicts of sharing.h. */
#include <math.h>
#include <stdio.h>

#include "profile/findings/findings.h"
#include "profile/findings/thresholds.h"

static struct finding_sharing figures_of(const struct snapshot_sharing_group *group, double misses)
{
    return (struct finding_sharing){.threads = group->threads,
                                    .lines = group->line_count,
                                    .samples = group->samples,
                                    .turns = group->turns,
                                    .hitm = group->hitm,
                                    .misses = misses,
                                    .by_hitm = group->evidence == SHARING_HITM};
}

/* From the first line to the last: identifies the finding in the next snapshot. */
static void extent(const struct snapshot_sharing_group *group, struct snapshot_finding *finding)
{
    finding->lines_first = UINT64_MAX;
    for (size_t i = 0; i < group->line_count; i++) {
        uint64_t address = group->lines[i].address;
        finding->lines_first = address < finding->lines_first ? address : finding->lines_first;
        finding->lines_last = address > finding->lines_last ? address : finding->lines_last;
    }
}

static enum finding_kind sharing_finding_kind(const struct snapshot_sharing_group *group)
{
    return group->verdict == SHARING_FALSE ? FINDING_FALSE_SHARING : FINDING_TRUE_SHARING;
}

/*
 * Where misses of another level than the first rank, the line is hardly among them. Its part is of
 * the misses alone: samples of hits have no cost.
 */
static void share_simulated(struct findings *findings, const struct snapshot_sharing_group *group)
{
    const struct snapshot_sharing *sharing = &findings->snapshot->sharing;
    struct snapshot_finding finding = {.rule = RULE_SHARING_MISSES,
                                       .kind = sharing_finding_kind(group),
                                       .sure = FINDING_SURE,
                                       .object = group->object,
                                       .id = group->id,
                                       .name = group->name,
                                       .field = group->fields,
                                       .function = group->lines[0].sides[0].codes[0].function,
                                       .file = group->lines[0].sides[0].codes[0].file,
                                       .line = group->lines[0].sides[0].codes[0].line,
                                       .remedy = group->remedy,
                                       .of.sharing = figures_of(group, sharing->misses),
                                       .share = fmin(1, group->hitm / sharing->misses),
                                       .gain = NAN,
                                       .bound = true};
    extent(group, &finding);
    if (finding.share >= simulated_least)
        findings_add(findings, &finding);
}

static void sharing_finding_add(struct findings *findings,
                                const struct snapshot_sharing_group *group)
{
    struct snapshot_finding finding = {.rule = RULE_SHARING,
                                       .kind = sharing_finding_kind(group),
                                       .sure = group->evidence == SHARING_HITM ? FINDING_SURE
                                                                               : FINDING_LIKELY,
                                       .object = group->object,
                                       .field = group->fields,
                                       .function = group->lines[0].sides[0].codes[0].function,
                                       .file = group->lines[0].sides[0].codes[0].file,
                                       .line = group->lines[0].sides[0].codes[0].line,
                                       .remedy = group->remedy,
                                       .of.sharing = figures_of(group, NAN),
                                       .share = group->share.value * findings->attributed,
                                       .gain = NAN,
                                       .bound = true};
    extent(group, &finding);
    findings_add(findings, &finding);
}

/* By its causes, where the misses that rank are of it. */
static bool is_told(const struct findings *findings, uint32_t object)
{
    return object < findings->snapshot->object_count &&
           (findings_has_kind(findings, object, FINDING_FALSE_SHARING) ||
            findings_has_kind(findings, object, FINDING_TRUE_SHARING));
}

void findings_sharing(struct findings *findings)
{
    const struct snapshot_sharing *sharing = &findings->snapshot->sharing;
    for (size_t i = 0; i < sharing->group_count; i++) {
        const struct snapshot_sharing_group *group = &sharing->groups[i];
        bool contended = group->verdict == SHARING_TRUE || group->verdict == SHARING_FALSE ||
                         group->verdict == SHARING_BOTH;
        if (!contended || !group->sure || !group->line_count || !group->lines[0].side_count ||
            !group->lines[0].sides[0].code_count)
            continue;
        if (sharing->misses > 0) {
            if (!is_told(findings, group->object))
                share_simulated(findings, group);
        } else if (!findings_causes(findings, group->object) &&
                   group->object < findings->snapshot->object_count) {
            sharing_finding_add(findings, group);
        }
    }
}

/* Findings about threads that read one word over and over until another thread writes it. */

/* A thread that reads one line only. */
struct reader {
    uint32_t tid;
    uint64_t line;
    uint32_t votes; /* for the line; Boyer and Moore's majority */
    uint32_t samples;
    uint32_t hits;
};

struct readers {
    struct reader list[SPREAD_THREADS];
    uint32_t count;
    uint32_t samples; /* of all threads */
    uint32_t waits;   /* of these, in a loop that only looks */
};

static struct reader *reader_of(struct readers *readers, uint32_t tid)
{
    for (uint32_t i = 0; i < readers->count; i++)
        if (readers->list[i].tid == tid)
            return &readers->list[i];
    if (readers->count == SPREAD_THREADS)
        return NULL;
    readers->list[readers->count] = (struct reader){.tid = tid};
    return &readers->list[readers->count++];
}

static void vote(struct reader *reader, uint64_t line)
{
    if (!reader->votes)
        reader->line = line;
    reader->votes += reader->line == line ? 1 : -1;
}

/* Twice through the window: first for the line that each thread reads most, then how often. */
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
            struct reader *reader = reader_of(readers, entry->tid);
            readers->samples += !pass;
            readers->waits += !pass && entry->waits;
            if (reader && !pass)
                vote(reader, entry->address & mask);
            if (reader && pass) {
                reader->samples++;
                reader->hits += (entry->address & mask) == reader->line;
            }
        }
}

static double hits_of(const struct readers *readers)
{
    uint32_t hits = 0;
    for (uint32_t i = 0; i < readers->count; i++)
        hits += readers->list[i].hits;
    return (double)hits / readers->samples;
}

/* Threads that read one line each; 0: not all do. */
static uint32_t waiting(const struct readers *readers)
{
    uint32_t told = 0;
    if (readers->waits < in_loops * readers->samples)
        return 0;
    for (uint32_t i = 0; i < readers->count; i++) {
        const struct reader *reader = &readers->list[i];
        if (reader->hits < on_one_line * reader->samples)
            return 0;
        told += reader->samples;
    }
    return told >= of_all_samples * readers->samples ? readers->count : 0;
}

/* The hottest instruction, if it and the one after it make up the function; NULL: they do not. */
static const struct snapshot_instruction *loop_of(const struct snapshot_code *code)
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

static bool may_be_shared(const struct snapshot_object *object)
{
    return object->kind != OBJECT_STACK && object->kind != OBJECT_TLS;
}

static void spin(struct findings *findings, const struct snapshot_code *code)
{
    const struct snapshot *snapshot = findings->snapshot;
    struct readers readers;
    if (code->top_object >= snapshot->object_count || !(code->top_object_share >= in_function) ||
        findings_has(findings, code->top_object) || code->samples < FINDINGS_SAMPLES)
        return;
    const struct snapshot_object *object = &snapshot->objects[code->top_object];
    const struct snapshot_instruction *loop = loop_of(code);
    if (!loop || loop->object != code->top_object || !may_be_shared(object))
        return;
    spin_gather_readers(findings, code->id, object->id, &readers);
    uint32_t threads = waiting(&readers);
    if (!threads || readers.samples < FINDINGS_SAMPLES)
        return;
    struct snapshot_finding finding = {.rule = RULE_SPINNING,
                                       .kind = FINDING_SPINNING,
                                       .sure = FINDING_LIKELY,
                                       .object = code->top_object,
                                       .field = loop->field,
                                       .function = code->function,
                                       .file = loop->file,
                                       .line = loop->line,
                                       .share = code->all_share,
                                       .gain = NAN,
                                       .bound = true};
    finding.of.spinning = (struct finding_spinning){threads, readers.samples, hits_of(&readers)};
    findings_add(findings, &finding);
}

void findings_spin(struct findings *findings)
{
    const struct snapshot *snapshot = findings->snapshot;
    const struct snapshot_source *source = &snapshot->source;
    bool of_misses = source->ranking < SAMPLE_EVENTS_MAX && source->event_count &&
                     source->events[source->ranking].role <= EVENT_MEM_FILL;
    /* A line that is read again and again is not missed on; time is spent there. */
    if (of_misses || findings_simulated(findings) || snapshot->target.threads < 2 ||
        !findings->window)
        return;
    for (size_t i = 0; i < snapshot->code_count; i++)
        if (snapshot->code[i].all_share >= FINDINGS_GAIN_LEAST)
            spin(findings, &snapshot->code[i]);
}
