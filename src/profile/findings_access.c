/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings about the order of accesses: following pointers, reading from end to end. */
#include "profile/findings.h"

#include "profile/measured.h"

#include <math.h>
#include <string.h>

enum {
    LINK_SAMPLES = 2, /* on the link itself: mostly the first use of a node waits for it */
    LINKS_LEAST = 12  /* read in memory, to speak of all */
};

static const double links_alike = 0.7; /* of those read */
static const double deep_at_least =
    0.5; /* of the nodes: from the last ones of a chain nothing follows */

/* Of the time at its nodes: found in order, or several to a line, most of the wait goes. */
static const double saved_at_least = 0.5;
static const double link_often =
    0.05; /* of the samples: else it may be the chain of a hash table */
static const double copying_least = 0.1; /* of all samples */
static const double copy_saves_at_least = 0.5;
static const double copy_saves_at_most = 1.1; /* the copy evicts other data */
static const double streaming_least = 0.1; /* of all samples: everything large is read sometime */
/* Of one thread; a core reads 5 to 20e9 from memory, and what works on blocks asks for less. */
static const double streaming_bytes_per_s = 3e9;
/* More than most last levels hold, of which other programs take their part. */
static const double streaming_bytes = 32.0 * 1024 * 1024;

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

/* Most nodes are followed by some more: the chain of a hash table that is not crowded is not. */
static bool mostly_deep(const struct findings_links *links)
{
    return links->nodes >= LINKS_LEAST && links->deep >= deep_at_least * links->nodes;
}

/* Each miss is told, and they come where the links lead. */
static bool followed(const struct findings_links *links)
{
    return links->pairs >= LINKS_LEAST && links->followed >= links_alike * links->pairs;
}

/* Members of an object's elements that lead to others of them. */
struct links_found {
    const struct snapshot_layout *layout;
    const struct snapshot_layout_row *hottest;
    struct findings_links links; /* of the hottest */
    unsigned count;              /* that lead far and are read */
    double samples;              /* on all of them */
};

/* The word could be a pointer: where it leads says whether it is a link, whatever the types are
 * called. */
static bool may_be_link(const struct snapshot_layout_row *row)
{
    return row->kind == LAYOUT_MEMBER && !row->has_members && row->member.size == sizeof(void *) &&
           !row->member.count && row->member.offset % sizeof(void *) == 0 &&
           row->member.kind == MEMBER_FIELD;
}

/* Of a list with one link: what else would it be for than to be followed. */
static bool is_only_link(const struct snapshot_layout *layout)
{
    unsigned count = 0;
    for (size_t i = 0; i < layout->row_count; i++)
        count += findings_points_to(&layout->rows[i], layout->name);
    return count == 1;
}

static void take_link(const struct findings *findings, size_t index,
                      const struct snapshot_layout *layout, const struct snapshot_layout_row *row,
                      struct links_found *found)
{
    uint32_t id = findings->snapshot->objects[index].id;
    double samples = fmax(row->samples, in_window(findings, id, layout->type, row));
    bool named = findings_points_to(row, layout->name);
    struct findings_links links;
    if (samples < LINK_SAMPLES && !(named && is_only_link(layout)))
        return;
    findings_links(findings, index, layout, row->member.offset, &links);
    if (!mostly_far(&links) && (!named || links.nodes))
        return;
    found->count += mostly_far(&links);
    found->samples += row->samples;
    if (found->hottest && found->hottest->samples >= row->samples)
        return;
    found->layout = layout;
    found->hottest = row;
    found->links = links;
}

/* The other child of a tree: compilers choose one of two neighbours by an index, and then samples
 * are on one of both. A list in both directions is none. */
static void find_second_child(const struct findings *findings, size_t index,
                              struct links_found *found)
{
    const struct snapshot_layout *layout = found->layout;
    uint64_t offset = found->hottest->member.offset;
    for (size_t i = 0; i < layout->row_count && found->count == 1; i++) {
        const struct snapshot_layout_row *row = &layout->rows[i];
        struct findings_links links;
        bool list = false;
        if (!may_be_link(row) || (row->member.offset != offset + sizeof(void *) &&
                                  row->member.offset + sizeof(void *) != offset))
            continue;
        findings_links(findings, index, layout, row->member.offset, &links);
        for (size_t k = 0; k < layout->row_count && !list; k++)
            list = k != i && may_be_link(&layout->rows[k]) &&
                   findings_links_mutual(findings, index, layout, row->member.offset,
                                         layout->rows[k].member.offset);
        found->count += mostly_far(&links) && !list;
    }
}

static void find_links(const struct findings *findings, size_t index, struct links_found *found)
{
    const struct snapshot_object *object = &findings->snapshot->objects[index];
    *found = (struct links_found){.count = 0};
    for (size_t i = 0; i < object->layout_count; i++)
        for (size_t k = 0; k < object->layouts[i].row_count && !object->layouts[i].inferred; k++)
            if (may_be_link(&object->layouts[i].rows[k]))
                take_link(findings, index, &object->layouts[i], &object->layouts[i].rows[k], found);
    if (found->count == 1 && found->samples >= link_often * object->samples)
        find_second_child(findings, index, found);
}

/*
 * How sure it is that nodes are found by their link; -1: not at all. A pass that is too short for
 * its order to be seen in samples is known by the links themselves: they lead far, and from most
 * nodes to several more, or there are two of them, as in a tree.
 */
static int chased(const struct findings *findings, size_t index, const struct links_found *found)
{
    const struct findings_links *links = &found->links;
    bool often = found->samples >= link_often * findings->snapshot->objects[index].samples;
    enum spread_order order = findings_order(findings, index);
    if (mostly_near(links) || order == SPREAD_FORWARD || order == SPREAD_BACKWARD)
        return -1;
    if (followed(links) && mostly_far(links))
        return FINDING_SURE;
    if (!links->nodes) /* the memory cannot be read */
        return order != SPREAD_SCATTERED ? -1 : often ? FINDING_LIKELY : FINDING_PERHAPS;
    return found->count > 1 || mostly_deep(links) ? FINDING_LIKELY : -1;
}

/* "Of 32 links read 31 lead to another page." */
static const char *where_they_lead(const struct findings *findings,
                                   const struct findings_links *links)
{
    if (links->read < LINKS_LEAST)
        return "";
    return arena_printf(findings->arena,
                        " Of %u links that were read in its memory %u lead to another page, and of "
                        "%u nodes %u are followed by %d or more.",
                        links->read, links->far, links->nodes, links->deep, FINDINGS_LINKS_DEEP);
}

static void chase(struct findings *findings, size_t index)
{
    const struct snapshot_object *object = &findings->snapshot->objects[index];
    const struct spread *spread = findings_spread(findings, index);
    uint32_t line = findings->snapshot->sets.line;
    struct links_found found;
    if (!spread || !(spread_bytes(spread, line) >= findings_beyond(findings)))
        return;
    find_links(findings, index, &found);
    int sure = found.hottest ? chased(findings, index, &found) : -1;
    if (sure < 0)
        return;
    const struct snapshot_layout *layout = found.layout;
    const struct snapshot_layout_row *link = found.hottest;
    struct snapshot_finding finding = {.kind = FINDING_CHASING,
                                       .sure = (enum finding_sure)sure,
                                       .page = FINDING_ON_DETAIL,
                                       .object = (uint32_t)index,
                                       .field = link->member.name,
                                       .gain = findings_most(findings, index),
                                       .gain_low =
                                           saved_at_least * findings_share(findings, index)};
    finding.evidence = arena_printf(
        findings->arena,
        "%s leads from each %s of %.0f bytes to another one; the %.0f samples on them are on at "
        "least %.0f MiB%s.%s%s",
        link->member.name, layout->name, (double)layout->size, object->samples,
        spread_bytes(spread, line) / (1 << 20),
        findings_order(findings, index) == SPREAD_SCATTERED ? ", in no order" : "",
        where_they_lead(findings, &found.links),
        sure == FINDING_SURE ? " The misses come where the links lead." : "");
    finding.advice =
        found.count > 1
            ? "Put several keys into a node (a B-tree), or the nodes that are visited first side "
              "by "
              "side; where it is only read, a sorted array or a hash table."
            : "Lay the nodes in the order they are walked (an array, a pool that is filled in that "
              "order), or put several keys into a node; in a hash table, use more buckets.";
    finding.reckoned =
        "half to all of the samples on it, those without an object in proportion: found in "
        "order, or several to a line, most would not be waited for";
    finding.how_sure =
        sure == FINDING_SURE
            ? "every miss is told, and its node's link was read: they follow each other; a "
              "simulation does not tell the wait"
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
                                       .gain = NAN,
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
    finding.reckoned = "what prefetching hides already, misses do not tell";
    finding.how_sure = "whether several passes can be joined, the samples do not tell";
    findings_add(findings, &finding);
}

static bool is_copy(const char *function)
{
    return function && (strstr(function, "memcpy") || strstr(function, "memmove") ||
                        strstr(function, "mempcpy"));
}

/* Objects larger than a core's caches that a copying function is at, as the one with most of its
 * samples. */
static void copy(struct findings *findings, const struct snapshot_code *code)
{
    const struct snapshot *snapshot = findings->snapshot;
    const struct spread *spread = findings_spread(findings, code->top_object);
    uint32_t line = snapshot->sets.line;
    if (!is_copy(code->function) || !spread ||
        !(findings_code_share(findings, code) >= copying_least) ||
        !(spread_bytes(spread, line) >= findings_beyond(findings)))
        return;
    const struct snapshot_object *object = &snapshot->objects[code->top_object];
    struct snapshot_finding finding = {
        .kind = FINDING_COPYING,
        .sure = FINDING_LIKELY,
        .page = FINDING_ON_DETAIL,
        .object = code->top_object,
        .function = code->function,
        .share = findings_code_share(findings, code),
        .gain = fmin(1, copy_saves_at_most * findings_code_share(findings, code)),
        .gain_low = copy_saves_at_least * findings_code_share(findings, code)};
    finding.evidence = arena_printf(
        findings->arena,
        "%.0f%% of the samples are in %s; most are on this, of which at least %.0f MiB "
        "are copied: %.0f samples of loads and %.0f of stores.",
        findings_code_share(findings, code) * 100, code->function,
        spread_bytes(spread, line) / (1 << 20), object->loads, object->stores);
    finding.advice =
        "Use the data where it is (pass the pointer, swap two buffers); or copy and use it "
        "in parts that fit a cache.";
    finding.reckoned =
        "half of the samples in the copying function, to a tenth more than them: the data "
        "is still read once";
    finding.how_sure = "whether both copies are needed the samples do not tell";
    findings_add(findings, &finding);
}

void findings_copying(struct findings *findings)
{
    const struct snapshot *snapshot = findings->snapshot;
    bool in_time = measured_of(&snapshot->source)->time;
    for (size_t i = 0; in_time && i < snapshot->code_count; i++)
        if (snapshot->code[i].top_object < snapshot->object_count)
            copy(findings, &snapshot->code[i]);
}

void findings_chasing(struct findings *findings)
{
    for (size_t i = 0; i < findings->spread_count; i++)
        chase(findings, i);
}

void findings_streaming(struct findings *findings)
{
    /* Time at data that is read in order is the same whether it is waited for or not. */
    bool misses = measured_of(&findings->snapshot->source)->misses;
    for (size_t i = 0; misses && i < findings->spread_count && !findings_simulated(findings); i++)
        stream(findings, i);
}
