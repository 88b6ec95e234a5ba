/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings by what a simulation told of each miss: sets that are crowded, lines that other threads
 * took. They stand in the place of what samples of a real cache leave to be guessed. */
#include "profile/findings.h"

#include <math.h>
#include <stdio.h>

enum { EVICTORS_NAMED = 2, EVICTORS_BYTES = 320 };

static const double conflicts_least = 0.2; /* of the object's misses */
static const double taken_least = 0.1;     /* ... by other threads: they take turns rarely there */
static const double mostly = 0.5;
static const double evictor_least = 0.01; /* of what is known: less is not named */

struct snapshot_finding findings_exact(const struct findings *findings,
                                       const struct snapshot_causes_row *causes,
                                       enum finding_kind kind, double part)
{
    return (struct snapshot_finding){
        .kind = kind,
        .sure = FINDING_SURE,
        .page = FINDING_ON_DETAIL,
        .object = causes->index,
        .gain = findings_share(findings, causes->index) * part,
        .bound = true,
        .how_sure = "exact: the simulation told the cause of each miss; another cache may differ"};
}

/* "BlkMultiply on Y 81%, fill on X 12%" */
const char *findings_evictors(const struct findings *findings,
                              const struct snapshot_causes_row *causes)
{
    char text[EVICTORS_BYTES] = "";
    size_t used = 0;
    for (size_t i = 0; i < causes->evictor_count && i < EVICTORS_NAMED &&
                       causes->evictors[i].share >= evictor_least;
         i++) {
        const struct snapshot_evictor *evictor = &causes->evictors[i];
        bool itself = evictor->object_id == causes->id;
        if (used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s on %s %.0f%%",
                                     used ? ", " : "", evictor->function,
                                     itself            ? "this itself"
                                     : evictor->object ? evictor->object
                                                       : "something unknown",
                                     evictor->share * 100);
    }
    return used ? arena_string(findings->arena, text) : NULL;
}

/* The other object that needed the room most often; NULL: none is known. */
const struct snapshot_evictor *findings_rival(const struct snapshot_causes_row *causes,
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

static const char *apart(const struct findings *findings, const struct snapshot_causes_row *causes)
{
    const struct simulation_level *level = findings_level(findings);
    uint64_t stride = level && level->ways ? level->size_bytes / level->ways : 0;
    uint32_t line = findings->snapshot->sets.line;
    double share;
    const struct snapshot_evictor *rival = findings_rival(causes, &share);
    const char *sets = stride
                           ? arena_printf(findings->arena, "%llu bytes", (unsigned long long)stride)
                           : "the cache's size over its ways";
    if (rival && !(causes->figures.by_itself >= mostly))
        return arena_printf(findings->arena,
                            "Addresses a multiple of %s apart share a set: move this and %s "
                            "against each other (some lines between them that nobody uses), or put "
                            "what is used together into one array of structs.",
                            sets, rival->object);
    return arena_printf(findings->arena,
                        "Addresses a multiple of %s apart share a set: make rows longer by a line "
                        "(%u bytes), or copy the block that is worked on into memory of its own.",
                        sets, line);
}

static void conflict(struct findings *findings, const struct snapshot_causes_row *causes)
{
    const char *who = findings_evictors(findings, causes);
    double part = causes->figures.share[CAUSE_CONFLICT];
    if (!(part >= conflicts_least))
        return;
    struct snapshot_finding finding = findings_exact(findings, causes, FINDING_CONFLICT, part);
    finding.reckoned = "its misses that a cache of the same size without sets would not have had";
    finding.evidence =
        arena_printf(findings->arena,
                     "%.0f%% of its %.0f misses in %s are conflicts: without sets, the cache "
                     "had room for the "
                     "line.%s%s%s",
                     part * 100, causes->figures.misses, findings_level_name(findings),
                     who ? " What needed its place: " : "", who ? who : "", who ? "." : "");
    finding.advice = apart(findings, causes);
    findings_add(findings, &finding);
}

/* Names and remedy of the group of lines that Sharing tells of the object; NULL: of none. */
static const struct snapshot_sharing_group *group_of(const struct findings *findings,
                                                     uint32_t object)
{
    const struct snapshot_sharing *sharing = &findings->snapshot->sharing;
    for (size_t i = 0; i < sharing->group_count; i++)
        if (sharing->groups[i].object == object && sharing->groups[i].line_count)
            return &sharing->groups[i];
    return NULL;
}

static void taken(struct findings *findings, const struct snapshot_causes_row *causes)
{
    double same = causes->figures.share[CAUSE_INVALIDATED_TRUE];
    double apart_bytes = causes->figures.share[CAUSE_INVALIDATED_FALSE];
    bool is_false = apart_bytes > same;
    const struct snapshot_sharing_group *group = group_of(findings, causes->index);
    const char *who = findings_evictors(findings, causes);
    if (!(same + apart_bytes >= taken_least))
        return;
    struct snapshot_finding finding =
        findings_exact(findings, causes, is_false ? FINDING_FALSE_SHARING : FINDING_TRUE_SHARING,
                       same + apart_bytes);
    finding.page = FINDING_ON_SHARING;
    finding.field = group ? group->fields : NULL;
    finding.lines_first = finding.lines_last = group ? group->lines[0].address : 0;
    finding.how_sure = "exact of each miss; but simulated threads run one at a time and change "
                       "seldom: where they really run at once, there are far more";
    finding.reckoned = "its misses on lines that another thread had written to";
    finding.evidence =
        arena_printf(findings->arena,
                     "Of its %.0f misses in %s %.0f%% are on lines that another thread had "
                     "taken by writing: "
                     "%.0f%% for bytes that it did not touch, %.0f%% for the same bytes.%s%s%s",
                     causes->figures.misses, findings_level_name(findings),
                     (same + apart_bytes) * 100, apart_bytes * 100, same * 100,
                     who ? " What took them: " : "", who ? who : "", who ? "." : "");
    finding.advice = is_false ? "Give each thread a line of its own: align what it writes to the "
                                "cache line, and pad it to whole lines."
                              : "Write it less often: count in a variable of the thread's own, and "
                                "add that up now and then; or take the lock for more work at once.";
    findings_add(findings, &finding);
}

void findings_by_cause(struct findings *findings)
{
    const struct snapshot_causes_list *objects = &findings->snapshot->causes.of[CAUSES_OBJECTS];
    for (size_t i = 0; i < objects->count; i++) {
        const struct snapshot_causes_row *object = &objects->rows[i];
        if (object->index >= findings->snapshot->object_count ||
            object->figures.samples < FINDINGS_SAMPLES)
            continue;
        taken(findings, object);
        conflict(findings, object);
    }
}
