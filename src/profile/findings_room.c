/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings by cause, where it is want of room: read from end to end, pushed out by others, filled
 * for the first time. */
#include "profile/findings.h"

static const double mostly = 0.5;
static const double fits_in = 0.5;         /* of the cache: something else has to be there too */
static const double first_share = 0.2;     /* of all misses */
static const double stores_at_least = 0.8; /* of the samples on it */
static const double streaming_least = 0.1; /* of all misses */

static double first_references(const struct snapshot_causes_row *causes)
{
    return causes->figures.share[CAUSE_FIRST] + causes->figures.share[CAUSE_FIRST_HERE];
}

/* More of it misses than the cache holds: it passes through. */
static bool passes_through(const struct findings *findings, uint32_t id)
{
    for (size_t i = 0; i < findings->spread_count; i++)
        if (findings->snapshot->objects[i].id == id)
            return findings_spread(findings, i) &&
                   spread_bytes(&findings->spreads[i], findings->snapshot->sets.line) >
                       findings_beyond(findings);
    return false;
}

/* It would stay, were it not for another object that goes through the cache. */
static bool pushed_out(struct findings *findings, const struct snapshot_causes_row *causes,
                       double bytes)
{
    double share;
    const struct snapshot_evictor *rival = findings_rival(causes, &share);
    const struct simulation_level *level = findings_level(findings);
    double part = causes->figures.share[CAUSE_CAPACITY];
    const char *who = findings_evictors(findings, causes);
    if (!rival || !level || !who || bytes > fits_in * (double)level->size_bytes || share < mostly ||
        !passes_through(findings, rival->object_id) ||
        causes->figures.evicted < mostly * part * causes->figures.misses)
        return false;
    struct snapshot_finding finding = findings_exact(findings, causes, FINDING_PUSHED_OUT, part);
    finding.reckoned = "its misses for want of room: alone it would stay in the cache";
    finding.evidence = arena_printf(
        findings->arena,
        "What misses of it comes to %.0f KiB, and %s holds %.0f; yet %.0f%% of its %.0f misses are "
        "for want of room. What needed it: %s.",
        bytes / 1024, findings_level_name(findings), (double)level->size_bytes / 1024, part * 100,
        causes->figures.misses, who);
    finding.advice = arena_printf(
        findings->arena,
        "Keep %s from passing through between its uses: do first the one and then the other, or "
        "read it past the caches (prefetchnta; non-temporal stores where it is written).",
        rival->object);
    findings_add(findings, &finding);
    return true;
}

static void streaming(struct findings *findings, const struct snapshot_causes_row *causes,
                      enum spread_order order, double bytes)
{
    const struct snapshot_object *object = &findings->snapshot->objects[causes->index];
    double part = causes->figures.share[CAUSE_CAPACITY];
    const char *who = findings_evictors(findings, causes);
    struct snapshot_finding finding = findings_exact(findings, causes, FINDING_STREAMING, part);
    finding.how_sure = "the cause is exact; whether several passes can be joined it does not tell";
    finding.reckoned = "its misses for want of room: the lines had been there before";
    finding.evidence = arena_printf(
        findings->arena,
        "It is %s in order, %.1f MiB from end to end, again and again: %.0f%% of its %.0f misses "
        "in %s are for want of room, %.0f%% first references.%s%s%s",
        object->stores > object->loads ? "written" : "read", bytes / (1 << 20), part * 100,
        causes->figures.misses, findings_level_name(findings), first_references(causes) * 100,
        who ? " What needed the room, where that is known: " : "", who ? who : "", who ? "." : "");
    finding.advice = arena_printf(
        findings->arena,
        "Work on blocks that fit %s (%.0f KiB), all passes on one before the next; or make the "
        "elements smaller.",
        findings_level_name(findings), findings_beyond(findings) / 1024);
    if (order == SPREAD_FORWARD || order == SPREAD_BACKWARD)
        findings_add(findings, &finding);
}

static void first_touch(struct findings *findings, const struct snapshot_causes_row *causes)
{
    const struct snapshot_object *object = &findings->snapshot->objects[causes->index];
    double part = first_references(causes);
    struct snapshot_finding finding = findings_exact(findings, causes, FINDING_FIRST_TOUCH, part);
    finding.reckoned = "its first references: no cache holds what was never used";
    if (object->stores < stores_at_least * object->samples ||
        findings_share(findings, causes->index) < first_share)
        return;
    finding.evidence = arena_printf(
        findings->arena,
        "%.0f%% of its %.0f misses are first references, and %.0f%% of the samples on it stores: "
        "it is memory being filled for the first time.",
        part * 100, causes->figures.misses, 100 * object->stores / object->samples);
    finding.advice = "If this is how the program begins, leave it out: --sim-from FUNCTION. Else "
                     "fill memory again that was used before, instead of fresh one.";
    findings_add(findings, &finding);
}

static void without_room(struct findings *findings, const struct snapshot_causes_row *causes)
{
    const struct spread *spread = findings_spread(findings, causes->index);
    double bytes = spread ? spread_bytes(spread, findings->snapshot->sets.line) : 0;
    if (!spread || findings_has(findings, causes->index))
        return;
    if (causes->figures.share[CAUSE_CAPACITY] >= mostly && !pushed_out(findings, causes, bytes) &&
        bytes > findings_beyond(findings) && findings_from_memory(findings) &&
        findings_share(findings, causes->index) >= streaming_least)
        streaming(findings, causes, findings_order(findings, causes->index), bytes);
    else if (first_references(causes) >= mostly)
        first_touch(findings, causes);
}

void findings_without_room(struct findings *findings)
{
    const struct snapshot_causes_list *objects = &findings->snapshot->causes.of[CAUSES_OBJECTS];
    for (size_t i = 0; i < objects->count; i++)
        if (objects->rows[i].index < findings->snapshot->object_count &&
            objects->rows[i].figures.samples >= FINDINGS_SAMPLES)
            without_room(findings, &objects->rows[i]);
}
