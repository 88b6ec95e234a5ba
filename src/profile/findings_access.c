/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings about the order of accesses: following pointers, reading from end to end. */
#include "profile/findings.h"

#include <math.h>

enum {
    LINK_SAMPLES = 2, /* on the link itself: mostly the first use of a node waits for it */
    LINKS_LEAST = 16  /* read in memory, to speak of all */
};

static const double links_alike = 0.7; /* of those read */

static const double link_often =
    0.05; /* of the samples: else it may be the chain of a hash table */
static const double streaming_least = 0.1; /* of all samples: everything large is read sometime */
/* Of one thread; a core reads 5 to 20e9 from memory, and what works on blocks asks for less. */
static const double streaming_bytes_per_s = 3e9;
/* More than most last levels hold, of which other programs take their part. */
static const double streaming_bytes = 32.0 * 1024 * 1024;

/* "struct node *" in "struct node", the one hottest; NULL: no member points to its own kind. */
static const struct snapshot_layout_row *link_of(const struct snapshot_layout *layout)
{
    const struct snapshot_layout_row *best = NULL;
    for (size_t i = 0; i < layout->row_count; i++) {
        const struct snapshot_layout_row *row = &layout->rows[i];
        if (findings_points_to(row, layout->name) && (!best || row->samples > best->samples))
            best = row;
    }
    return best;
}

/* Samples on a member in the window, which holds more of them than what decays. */
static double in_window(const struct findings *findings, uint32_t object, uint32_t type,
                        const struct snapshot_layout_row *row)
{
    const struct window *window = findings->window;
    double samples = 0;
    for (uint32_t i = 0; window && i < window->used; i++) {
        const struct window_entry *entry = window_at(window, i);
        samples += entry->object == object && entry->type == type &&
                   entry->type_offset - row->member.offset < row->member.size;
    }
    return samples;
}

/* Most of the links that were read lead to another page, or to a neighbour. */
static bool mostly_far(const struct findings_links *links)
{
    return links->read >= LINKS_LEAST && links->far >= links_alike * links->read;
}

static bool mostly_near(const struct findings_links *links)
{
    return links->read >= LINKS_LEAST && links->near >= links_alike * links->read;
}

/* Each miss is told, and they come where the links lead. */
static bool followed(const struct findings_links *links)
{
    return links->pairs >= LINKS_LEAST && links->followed >= links_alike * links->pairs;
}

/* How sure it is that nodes are found by their link; -1: not at all. */
static int chased(const struct findings *findings, size_t index,
                  const struct snapshot_layout_row *link, const struct findings_links *links)
{
    const struct snapshot_object *object = &findings->snapshot->objects[index];
    uint32_t type = object->layouts[0].type;
    bool often = link->share >= link_often;
    bool read =
        often || fmax(link->samples, in_window(findings, object->id, type, link)) >= LINK_SAMPLES;
    if (mostly_near(links))
        return -1;
    if (followed(links) && mostly_far(links))
        return FINDING_SURE;
    if (findings_order(findings, index) == SPREAD_SCATTERED && read)
        return often ? FINDING_LIKELY : FINDING_PERHAPS;
    return findings_order(findings, index) == SPREAD_UNKNOWN && mostly_far(links) && often
               ? FINDING_LIKELY
               : -1;
}

/* "Of 32 links read 31 lead to another page." */
static const char *where_they_lead(const struct findings *findings,
                                   const struct findings_links *links)
{
    if (links->read < LINKS_LEAST)
        return "";
    return arena_printf(findings->arena,
                        " Of %u links that were read in its memory %u lead to "
                        "another page.",
                        links->read, links->far);
}

static void chase(struct findings *findings, size_t index)
{
    const struct snapshot_object *object = &findings->snapshot->objects[index];
    const struct spread *spread = findings_spread(findings, index);
    uint32_t line = findings->snapshot->sets.line;
    const struct snapshot_layout *layout = object->layout_count ? &object->layouts[0] : NULL;
    const struct snapshot_layout_row *link = layout && !layout->inferred ? link_of(layout) : NULL;
    struct findings_links links;
    if (!spread || !link || !(spread_bytes(spread, line) >= findings_beyond(findings)))
        return;
    findings_links(findings, index, layout, link->member.offset, &links);
    int sure = chased(findings, index, link, &links);
    if (sure < 0)
        return;
    struct snapshot_finding finding = {.kind = FINDING_CHASING,
                                       .sure = (enum finding_sure)sure,
                                       .page = FINDING_ON_DETAIL,
                                       .object = (uint32_t)index,
                                       .field = link->member.name,
                                       .gain = findings_share(findings, index),
                                       .bound = true};
    finding.evidence = arena_printf(
        findings->arena,
        "%s leads from each %s of %.0f bytes to the next; the %.0f samples on them lie on at least "
        "%.0f MiB, in no order.%s%s",
        link->member.name, layout->name, (double)layout->size, object->samples,
        spread_bytes(spread, line) / (1 << 20), where_they_lead(findings, &links),
        sure == FINDING_SURE ? " The misses come where the links lead." : "");
    finding.advice =
        "Lay the nodes in the order they are walked (an array, a pool that is filled in "
        "that order), or put several keys into a node; else walk two lists at once.";
    finding.reckoned = "all samples on it: in order, lines come before they are asked for";
    finding.how_sure =
        sure == FINDING_SURE
            ? "every miss is told, and its node's link was read: they follow each other; what "
              "lying "
              "in order saves is the wait for them, which a simulation does not tell"
            : "that nodes are found by the link, and not by an index, is taken from its being read";
    findings_add(findings, &finding);
}

/* What is found among the elements of a block is not said again of the block, which is what they
 * were called before their type was known. */
static bool told_of_parts(const struct findings *findings, uint32_t object)
{
    for (size_t i = 0; i < findings->count; i++)
        if (findings_overlap(findings, findings->list[i].object, object))
            return true;
    return false;
}

static void stream(struct findings *findings, size_t index)
{
    const struct snapshot_object *object = &findings->snapshot->objects[index];
    const struct spread *spread = findings_spread(findings, index);
    uint32_t line = findings->snapshot->sets.line;
    enum spread_order order = findings_order(findings, index);
    double bytes = spread ? spread_bytes(spread, line) : 0;
    double speed = spread ? spread_passes(spread, order) * bytes / findings->span_s : 0;
    if ((order != SPREAD_FORWARD && order != SPREAD_BACKWARD) || bytes < streaming_bytes ||
        !(speed >= streaming_bytes_per_s) || findings_share(findings, index) < streaming_least ||
        findings_has(findings, (uint32_t)index) || told_of_parts(findings, (uint32_t)index) ||
        findings->snapshot->reading.waiting)
        return;
    struct snapshot_finding finding = {.kind = FINDING_STREAMING,
                                       .sure = FINDING_LIKELY,
                                       .page = FINDING_ON_DETAIL,
                                       .object = (uint32_t)index,
                                       .gain = findings_share(findings, index),
                                       .bound = true};
    finding.evidence = arena_printf(
        findings->arena,
        "It is %s in order, %.0f MiB from end to end, at about %.1f GB/s: %.0f%% of the samples "
        "on it stand %s the one before, and of %u lines %u were seen once.",
        object->stores > object->loads ? "written" : "read", bytes / (1 << 20), speed / 1e9,
        100.0 * (order == SPREAD_FORWARD ? spread->up : spread->down) / (spread->up + spread->down),
        order == SPREAD_FORWARD ? "behind" : "before", spread->lines, spread->singles);
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
    for (size_t i = 0; i < findings->spread_count && !findings_simulated(findings); i++)
        stream(findings, i);
}
