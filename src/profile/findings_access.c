/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings about the order of accesses: following pointers, reading from end to end. */
#include "profile/findings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double chasing_least =
    0.3; /* of the samples on it: loads that give the next address */
static const double streaming_least = 0.1; /* of all samples: everything large is read sometime */
/* More than most last levels hold, of which other programs take their part. */
static const double streaming_bytes = 32.0 * 1024 * 1024;

/* "struct node *" in "struct node", the one hottest; NULL: no member points to its own kind. */
static const struct snapshot_layout_row *link_of(const struct snapshot_layout *layout)
{
    const struct snapshot_layout_row *best = NULL;
    size_t length = strlen(layout->name);
    for (size_t i = 0; i < layout->row_count; i++) {
        const struct snapshot_layout_row *row = &layout->rows[i];
        const char *type = row->member.type;
        bool link = row->kind == LAYOUT_MEMBER && type && !strncmp(type, layout->name, length) &&
                    !strncmp(type + length, " *", 2);
        if (link && (!best || row->samples > best->samples))
            best = row;
    }
    return best;
}

static void chase(struct findings *findings, size_t index)
{
    const struct snapshot_object *object = &findings->snapshot->objects[index];
    const struct spread *spread = findings_spread(findings, index);
    uint32_t line = findings->snapshot->sets.line;
    const struct snapshot_layout *layout = object->layout_count ? &object->layouts[0] : NULL;
    const struct snapshot_layout_row *link = layout && !layout->inferred ? link_of(layout) : NULL;
    if (!spread || !link || findings_order(findings, index) != SPREAD_SCATTERED ||
        !(spread_bytes(spread, line) >= FINDINGS_BEYOND_BYTES))
        return;
    /* The load of the link, or those of its node that wait for the same line. */
    double followed = link->samples / object->samples;
    double size = (double)layout->size;
    if (followed < chasing_least)
        return;
    struct snapshot_finding finding = {.kind = FINDING_CHASING,
                                       .sure = FINDING_LIKELY,
                                       .page = FINDING_ON_DETAIL,
                                       .object = (uint32_t)index,
                                       .field = link->member.name,
                                       .gain = findings_share(findings, index),
                                       .bound = true};
    finding.evidence = arena_printf(
        findings->arena,
        "%.0f%% of %.0f samples on it wait for %s, which is the address of the next %s of %.0f "
        "bytes; these lie on at least %.0f MiB, in no order.",
        followed * 100, object->samples, link->member.name, layout->name, size,
        spread_bytes(spread, line) / (1 << 20));
    finding.advice =
        "Lay the nodes in the order they are walked (an array, a pool that is filled in "
        "that order), or put several keys into a node; else walk two lists at once.";
    finding.reckoned = "all samples on it: in order, lines come before they are asked for";
    finding.how_sure = "a member that points to its own type is read where nothing is in order";
    findings_add(findings, &finding);
}

static void stream(struct findings *findings, size_t index)
{
    const struct snapshot_object *object = &findings->snapshot->objects[index];
    const struct spread *spread = findings_spread(findings, index);
    uint32_t line = findings->snapshot->sets.line;
    enum spread_order order = findings_order(findings, index);
    double bytes = spread ? spread_bytes(spread, line) : 0;
    if ((order != SPREAD_FORWARD && order != SPREAD_BACKWARD) || bytes < streaming_bytes ||
        findings_share(findings, index) < streaming_least ||
        findings_has(findings, (uint32_t)index))
        return;
    struct snapshot_finding finding = {.kind = FINDING_STREAMING,
                                       .sure = FINDING_LIKELY,
                                       .page = FINDING_ON_DETAIL,
                                       .object = (uint32_t)index,
                                       .gain = findings_share(findings, index),
                                       .bound = true};
    finding.evidence = arena_printf(
        findings->arena,
        "%.0f%% of the samples on it follow upon an address %s theirs: it is read from "
        "end to end, at least %.0f MiB; %u of %u lines were seen once.",
        100.0 * (order == SPREAD_FORWARD ? spread->up : spread->down) / (spread->up + spread->down),
        order == SPREAD_FORWARD ? "below" : "above", bytes / (1 << 20), spread->singles,
        spread->lines);
    finding.advice = object->stores > object->loads
                         ? "Work on blocks that fit a cache, all passes on one before the next; or "
                           "write past the caches (non-temporal stores) what is not read soon."
                         : "Work on blocks that fit a cache, all passes on one before the next; or "
                           "make the elements smaller.";
    finding.reckoned = "all samples on it: it takes as long as memory needs for so many bytes";
    finding.how_sure = "whether several passes can be joined, the samples do not tell";
    findings_add(findings, &finding);
}

void findings_chasing(struct findings *findings)
{
    for (size_t i = 0; i < findings->spread_count; i++)
        chase(findings, i);
}

void findings_streaming(struct findings *findings)
{
    for (size_t i = 0; i < findings->spread_count; i++)
        stream(findings, i);
}
