/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pointer chasing, streaming, copying, columns of matrices. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/findings/findings.h"
#include "profile/tables/rates.h"

/* ---- chasing ---- */

enum {
    LINK_SAMPLES = 2,  /* minimum on the link; usually the first use of a node waits */
    LINKS_MIN = 12,    /* minimum number of links read */
    LINKS_READ = 32,   /* links read per refresh and object; they are also recorded */
    NEAR_ELEMENTS = 4, /* within this distance a prefetcher fetches the node anyway */
    FAR_BYTES = 4096   /* prefetchers do not cross pages */
};
static const double links_alike = 0.7; /* minimum share of the links read */
/* Minimum share of the nodes: the end of a chain has no successors. */
static const double deep_min = 0.5;
/* Share of the time at its nodes: most of the wait. */
static const double chase_saved_min = 0.5;
/* Minimum share of the samples; rarer links may be those of a hash table. */
static const double link_often = 0.05;

/* Returns the samples on a member in the window, which has more of them than the decayed counts. */
static double member_window_samples(const struct findings *findings, uint32_t object, uint32_t type,
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

/* Returns true if most of the links read lead to another page. */
static bool links_mostly_lead_far(const struct findings_links *links)
{
    return links->links_in_object >= LINKS_MIN &&
           links->far_links >= links_alike * links->links_in_object;
}

/* Returns true if most nodes have several successors, unlike chains of a hash table. */
static bool links_mostly_branch(const struct findings_links *links)
{
    return links->nodes >= LINKS_MIN && links->deep_nodes >= deep_min * links->nodes;
}

/* Returns true if misses follow the links. Only possible if every miss is recorded. */
static bool is_link_followed(const struct findings_links *links)
{
    return links->pairs >= LINKS_MIN && links->followed_misses >= links_alike * links->pairs;
}

/* Members of an object's elements that point to other elements. */
struct links_found {
    const struct snapshot_layout *layout;
    const struct snapshot_layout_row *hottest;
    struct findings_links links; /* links of the hottest member */
    unsigned count; /* maximum number of members of a type with links that are read and lead far */
    double samples; /* samples on all of them */
};

/* Returns true for "char *" and pointers to other numbers. */
static bool points_to_number(const char *type)
{
    static const char *const words[] = {"bool", "_Bool", "char",   "wchar_t", "short",   "int",
                                        "long", "float", "double", "signed",  "unsigned"};
    static const char constant[] = "const ";
    type += strncmp(type, constant, strlen(constant)) ? 0 : strlen(constant);
    size_t length = strcspn(type, " *");
    for (size_t i = 0; i < sizeof words / sizeof *words && strchr(type, '*'); i++)
        if (strlen(words[i]) == length && !strncmp(type, words[i], length))
            return true;
    return false;
}

/* Returns true if a member can be a pointer to a node. Its targets show whether it is a link; its
 * type need not be that of the node. */
static bool may_be_link(const struct snapshot_layout_row *row)
{
    return row->kind == LAYOUT_MEMBER && !row->has_members && row->member.size == sizeof(void *) &&
           !row->member.count && row->member.offset % sizeof(void *) == 0 &&
           row->member.kind == MEMBER_FIELD && row->member.type &&
           !points_to_number(row->member.type);
}

/* Returns true if the type has only one link, which can only be there to be followed. */
static bool is_only_link(const struct snapshot_layout *layout)
{
    unsigned count = 0;
    for (size_t i = 0; i < layout->row_count; i++)
        count += findings_points_to(&layout->rows[i], layout->name);
    return count == 1;
}

static void findings_links(const struct findings *findings, size_t object,
                           const struct snapshot_layout *layout, uint64_t link_offset,
                           struct findings_links *links);

/* Returns true if the member is a link, and leads far. */
static bool note_link_member(const struct findings *findings, size_t index,
                             const struct snapshot_layout *layout,
                             const struct snapshot_layout_row *row, struct links_found *found)
{
    uint32_t id = findings->snapshot->objects[index].id;
    double samples = fmax(row->samples, member_window_samples(findings, id, layout->type, row));
    bool named = findings_points_to(row, layout->name);
    struct findings_links links;
    if (samples < LINK_SAMPLES && !(named && is_only_link(layout)))
        return false;
    findings_links(findings, index, layout, row->member.offset, &links);
    if (!links_mostly_lead_far(&links) && (!named || links.nodes))
        return false;
    found->samples += row->samples;
    if (!found->hottest || found->hottest->samples < row->samples) {
        found->layout = layout;
        found->hottest = row;
        found->links = links;
    }
    return links_mostly_lead_far(&links);
}

/* Finds the second child of a tree. Compilers select one of two adjacent members by an index, so
 * that samples are on either one. A doubly linked list is excluded. */
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
        found->count += links_mostly_lead_far(&links) && !list;
    }
}

static void find_links(const struct findings *findings, size_t index, struct links_found *found)
{
    const struct snapshot_object *object = &findings->snapshot->objects[index];
    *found = (struct links_found){.count = 0};
    for (size_t i = 0; i < object->layout_count; i++) {
        const struct snapshot_layout *layout = &object->layouts[i];
        unsigned count = 0;
        for (size_t k = 0; k < layout->row_count && !layout->inferred; k++)
            count += may_be_link(&layout->rows[k]) &&
                     note_link_member(findings, index, layout, &layout->rows[k], found);
        found->count = count > found->count ? count : found->count;
    }
    if (found->count == 1 && found->samples >= link_often * object->samples)
        find_second_child(findings, index, found);
}

/*
 * Returns the confidence that nodes are found by their link; -1: none. A pass that is too short for
 * its order to show in samples is recognised by the links themselves: they lead far and most nodes
 * have several successors, or a node has two links, as in a tree.
 */
static int chasing_confidence(const struct findings *findings, size_t index,
                              const struct links_found *found)
{
    const struct findings_links *links = &found->links;
    bool often = found->samples >= link_often * findings->snapshot->objects[index].samples;
    enum spread_order order = findings_order(findings, index);
    if ((links->links_in_object >= LINKS_MIN &&
         links->near_links >= links_alike * links->links_in_object) ||
        order == SPREAD_FORWARD || order == SPREAD_BACKWARD)
        return -1;
    if (is_link_followed(links) && links_mostly_lead_far(links))
        return CONFIDENCE_HIGH;
    if (!links->nodes) /* memory not readable */
        return order != SPREAD_SCATTERED ? -1 : often ? CONFIDENCE_MEDIUM : CONFIDENCE_LOW;
    return found->count > 1 || links_mostly_branch(links) ? CONFIDENCE_MEDIUM : -1;
}

static void find_chasing(struct findings *findings, size_t index)
{
    const struct snapshot_object *object = &findings->snapshot->objects[index];
    const struct spread *spread = findings_spread(findings, index);
    uint32_t line = findings->snapshot->sets.line;
    struct links_found found;
    if (!spread || !(spread_bytes(spread, line) >= findings_min_bytes(findings)))
        return;
    find_links(findings, index, &found);
    int sure = found.hottest ? chasing_confidence(findings, index, &found) : -1;
    if (sure < 0)
        return;
    const struct snapshot_layout *layout = found.layout;
    const struct snapshot_layout_row *link = found.hottest;
    struct snapshot_finding finding = {.rule = RULE_CHASING,
                                       .confidence = (enum finding_confidence)sure,
                                       .object = (uint32_t)index,
                                       .field = link->member.name,
                                       .gain = findings_gain_max(findings, index),
                                       .gain_low =
                                           chase_saved_min * findings_share(findings, index)};
    finding.type = layout->name;
    finding.figures.chasing =
        (struct finding_chasing){.element_bytes = layout->size,
                                 .samples = object->samples,
                                 .bytes = spread_bytes(spread, line),
                                 .scattered = findings_order(findings, index) == SPREAD_SCATTERED,
                                 .several = found.count > 1,
                                 .links_read = found.links.links_in_object >= LINKS_MIN,
                                 .links_in_object = found.links.links_in_object,
                                 .far_links = found.links.far_links,
                                 .nodes = found.links.nodes,
                                 .deep_nodes = found.links.deep_nodes,
                                 .deep_min = FINDINGS_LINKS_DEEP};
    findings_add(findings, &finding);
}

/* ---- streaming ---- */

/* Minimum speed of one thread. A core reads 5 to 20e9; code that works on blocks less. */
static const double streaming_bytes_per_s = 3e9;
/* More than most last-level caches hold, because other programs use a part. */
static const double streaming_bytes = 32.0 * 1024 * 1024;

/* Elements of a block have the block's name until their type is known. */
static bool is_reported_in_parts(const struct findings *findings, uint32_t object)
{
    for (size_t i = 0; i < findings->count; i++)
        if (findings_overlap(findings, findings->list[i].object, object))
            return true;
    return false;
}

static void find_streaming(struct findings *findings, size_t index)
{
    /* In samples of time, accesses in order look the same whether they wait or not. */
    if (measured_of(&findings->snapshot->source) != MEASURED_MISSES)
        return;
    const struct snapshot_object *object = &findings->snapshot->objects[index];
    const struct spread *spread = findings_spread(findings, index);
    uint32_t line = findings->snapshot->sets.line;
    enum spread_order order = findings_order(findings, index);
    double bytes = spread ? spread_bytes(spread, line) : 0;
    double speed = spread ? spread_passes(spread, order) * bytes / findings->span_s : 0;
    if ((order != SPREAD_FORWARD && order != SPREAD_BACKWARD) || bytes < streaming_bytes ||
        !(speed >= streaming_bytes_per_s) ||
        findings_share(findings, index) < FINDINGS_STREAMING_MIN ||
        findings_has(findings, (uint32_t)index) ||
        is_reported_in_parts(findings, (uint32_t)index) ||
        findings->snapshot->loading.pending_requests)
        return;
    struct snapshot_finding finding = {.rule = RULE_STREAMING,
                                       .confidence = CONFIDENCE_MEDIUM,
                                       .object = (uint32_t)index,
                                       .gain = NAN,
                                       .is_upper_bound = true};
    finding.figures.streaming = (struct finding_streaming){
        .written = object->stores > object->loads,
        .backward = order == SPREAD_BACKWARD,
        .bytes = bytes,
        .bytes_per_s = speed,
        .in_order_share = (double)(order == SPREAD_FORWARD ? spread->up : spread->down) /
                          (spread->up + spread->down),
        .lines = spread->lines,
        .singles = spread->singles};
    findings_add(findings, &finding);
}

/* ---- copying and clearing ---- */

static const double copying_min = 0.1;
static const double copy_saves_min = 0.5;
static const double copy_saves_max = 1.1; /* the copy evicts other data */

static enum finding_rule rule_of_function(const char *function)
{
    if (!function)
        return RULE_NONE;
    if (strstr(function, "memcpy") || strstr(function, "memmove") || strstr(function, "mempcpy"))
        return RULE_COPYING;
    return strstr(function, "memset") || strstr(function, "bzero") ? RULE_CLEARING : RULE_NONE;
}

static const double passes_sigma = 4; /* excess of far steps back over far steps forward */

/* Returns the bytes that were copied or cleared: every byte of a range. Far steps back end passes;
 * with enough of them the whole range counts, even if lines were seen only once. */
static double copied_bytes(const struct spread *spread, uint32_t line)
{
    double passes = spread_passes(spread, SPREAD_FORWARD) + spread_passes(spread, SPREAD_BACKWARD);
    return passes > passes_sigma * sqrt(spread->far_up + spread->far_down)
               ? (double)(spread->highest - spread->lowest)
               : spread_bytes(spread, line);
}

/* Adds a finding for the main object of a copying or clearing function, if it is larger than a
 * core's caches. */
static void copying_add(struct findings *findings, const struct snapshot_code *code,
                        enum finding_rule rule)
{
    const struct snapshot *snapshot = findings->snapshot;
    const struct spread *spread = findings_spread(findings, code->top_object);
    double share = findings_code_share(findings, code);
    if (rule_of_function(code->function) != rule || !spread || !(share >= copying_min))
        return;
    double bytes = copied_bytes(spread, snapshot->sets.line);
    if (!(bytes >= findings_min_bytes(findings)))
        return;
    const struct snapshot_object *object = &snapshot->objects[code->top_object];
    struct snapshot_finding finding = {.rule = rule,
                                       .confidence = CONFIDENCE_MEDIUM,
                                       .object = code->top_object,
                                       .function = code->function,
                                       .share = share};
    finding.is_upper_bound = rule == RULE_CLEARING;
    finding.gain = finding.is_upper_bound ? share : fmin(1, copy_saves_max * share);
    finding.gain_low = finding.is_upper_bound ? 0 : copy_saves_min * share;
    finding.figures.copying = (struct finding_copying){bytes, object->loads, object->stores};
    findings_add(findings, &finding);
}

static void copying_find(struct findings *findings, enum finding_rule rule)
{
    const struct snapshot *snapshot = findings->snapshot;
    bool in_time = measured_of(&snapshot->source) == MEASURED_TIME;
    for (size_t i = 0; in_time && i < snapshot->code_count; i++)
        if (snapshot->code[i].top_object < snapshot->object_count)
            copying_add(findings, &snapshot->code[i], rule);
}

static void find_copying(struct findings *findings)
{
    copying_find(findings, RULE_COPYING);
}

static void find_clearing(struct findings *findings)
{
    copying_find(findings, RULE_CLEARING);
}

/* ---- links ---- */

/* Targets of the links of sampled nodes, read from the process: they show the layout of a list at
 * once, however short a pass over it is. */

static bool is_on_type(const struct window_entry *entry, uint32_t object, uint32_t type)
{
    return entry->object == object && entry->type == type;
}

static uint64_t links_distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

struct extent {
    uint64_t lowest;
    uint64_t highest;
    uint64_t node_bytes;
    bool managed; /* objects of a language runtime, with their class in the header */
};

/* Returns the range of all objects of a type: blocks of one type may have several allocation sites,
 * and nodes of one lead to nodes of another. */
static struct extent extent_of_type(const struct findings *findings, const struct spread *spread,
                                    uint32_t type)
{
    const struct snapshot *snapshot = findings->snapshot;
    struct extent extent = {.lowest = spread->lowest, .highest = spread->highest};
    for (size_t i = 0; i < findings->spread_count && i < snapshot->object_count; i++) {
        const struct snapshot_object *object = &snapshot->objects[i];
        const struct spread *other = &findings->spreads[i];
        if (!other->samples || !object->layout_count || object->layouts[0].type != type)
            continue;
        extent.lowest = other->lowest < extent.lowest ? other->lowest : extent.lowest;
        extent.highest = other->highest > extent.highest ? other->highest : extent.highest;
    }
    return extent;
}

/* Reads the current word at an address; returns false if it cannot be read. */
static bool read_target_word(const struct findings *findings, uint64_t address, uint64_t *word)
{
    union place_answer answer;
    bool known = findings->is_current && place_ask(&findings->names, PLACE_WORD, address, &answer);
    if (known)
        *word = answer.word;
    return known;
}

/* Returns true if two objects of a runtime have a pointer in common in their headers: their class.
 * The allocator of a runtime mixes objects of many classes. */
static bool nodes_share_class_pointer(const struct findings *findings, uint64_t node,
                                      uint64_t other)
{
    enum { HEADER = 24, POINTER_MIN = 4096 };
    for (unsigned at = 0; at < HEADER; at += sizeof(uint64_t)) {
        uint64_t word;
        uint64_t other_word;
        if (read_target_word(findings, node + at, &word) && word > POINTER_MIN &&
            read_target_word(findings, other + at, &other_word) && word == other_word)
            return true;
    }
    return false;
}

static bool is_in_extent(const struct extent *extent, uint64_t address)
{
    return address + FAR_BYTES >= extent->lowest && address <= extent->highest;
}

/* Returns true if the target may be a node like `node`: it has a link, or the end of a list, at the
 * same offset, and its block is like that of `node`. A name or another struct may be between the
 * nodes. */
static bool may_be_node(const struct findings *findings, const struct extent *extent, uint64_t node,
                        uint64_t target, uint64_t link_offset)
{
    union place_answer own;
    union place_answer other;
    uint64_t next;
    if (!read_target_word(findings, target + link_offset, &next) ||
        (next && !is_in_extent(extent, next)))
        return false;
    if (!place_ask(&findings->names, PLACE_EXTENT, node, &own) || !own.extent.object ||
        !place_ask(&findings->names, PLACE_EXTENT, target, &other) || !other.extent.object)
        return true; /* a block is not known, as when the agent's events were lost */
    uint64_t own_bytes = own.extent.bound - own.extent.base;
    uint64_t other_bytes = other.extent.bound - other.extent.base;
    bool many = own_bytes >= 2 * extent->node_bytes; /* an array, or a pool */
    return own.extent.base == other.extent.base ||
           (many
                ? other_bytes >= 2 * extent->node_bytes
                : own_bytes == other_bytes && node - own.extent.base == target - other.extent.base);
}

/* Returns the target of the link of `node`; 0: no node, or not readable. */
static uint64_t links_follow(const struct findings *findings, const struct extent *extent,
                             uint64_t node, uint64_t link_offset)
{
    uint64_t next;
    if (!read_target_word(findings, node + link_offset, &next) || !is_in_extent(extent, next) ||
        next == node || !may_be_node(findings, extent, node, next, link_offset) ||
        (extent->managed && !nodes_share_class_pointer(findings, node, next)))
        return 0;
    return next;
}

static void links_count(struct findings_links *links, uint64_t node, uint64_t next, uint64_t size)
{
    if (!next)
        return;
    links->links_in_object++;
    links->far_links += links_distance(node, next) > FAR_BYTES;
    links->near_links += links_distance(node, next) <= NEAR_ELEMENTS * size;
}

/* Returns true if a chain of FINDINGS_LINKS_DEEP nodes starts at `node`. */
static bool is_deep(const struct findings *findings, const struct extent *extent, uint64_t node,
                    uint64_t link_offset)
{
    for (int i = 1; node && i < FINDINGS_LINKS_DEEP; i++)
        node = links_follow(findings, extent, node, link_offset);
    return node != 0;
}

/* Returns the next miss of the same thread on the object, if it came soon; NULL: none. */
static const struct window_entry *next_miss_on_type(const struct window *window, uint32_t i,
                                                    uint32_t type)
{
    enum { SOON = 8 };
    const struct window_entry *entry = window_at(window, i);
    for (uint32_t k = i + 1; k < window->used && k <= i + SOON; k++) {
        const struct window_entry *later = window_at(window, k);
        if (later->tid == entry->tid && is_on_type(later, entry->object, type))
            return later;
    }
    return NULL;
}

static void findings_links(const struct findings *findings, size_t object,
                           const struct snapshot_layout *layout, uint64_t link_offset,
                           struct findings_links *links)
{
    const struct spread *spread = findings_spread(findings, object);
    const struct window *window = findings->window;
    uint32_t id = findings->snapshot->objects[object].id;
    uint32_t on_it = 0;
    *links = (struct findings_links){0};
    if (!spread || !window)
        return;
    struct extent extent = extent_of_type(findings, spread, layout->type);
    extent.managed = layout->reading == LAYOUT_MANAGED;
    extent.node_bytes = layout->size;
    for (uint32_t i = 0; i < window->used; i++)
        on_it += is_on_type(window_at(window, i), id, layout->type);
    uint32_t step = on_it / LINKS_READ + 1;
    on_it = 0;
    for (uint32_t i = 0; i < window->used; i++) {
        const struct window_entry *entry = window_at(window, i);
        if (!is_on_type(entry, id, layout->type) || on_it++ % step)
            continue;
        uint64_t node = entry->address - entry->type_offset;
        uint64_t next = links_follow(findings, &extent, node, link_offset);
        const struct window_entry *later = next_miss_on_type(window, i, layout->type);
        links_count(links, node, next, layout->size);
        uint64_t word;
        links->nodes += read_target_word(findings, node + link_offset, &word);
        links->deep_nodes += is_deep(findings, &extent, next, link_offset);
        links->pairs += next && later;
        links->followed_misses += next && later && later->address - later->type_offset == next;
    }
}

/* Returns true if the target of the link `there` leads back to the node by the link `back`. */
static bool link_leads_back(const struct findings *findings, uint64_t node, uint64_t there,
                            uint64_t back)
{
    uint64_t next;
    uint64_t again;
    return read_target_word(findings, node + there, &next) && next &&
           read_target_word(findings, next + back, &again) && again == node;
}

bool findings_links_mutual(const struct findings *findings, size_t object,
                           const struct snapshot_layout *layout, uint64_t one, uint64_t other)
{
    const struct spread *spread = findings_spread(findings, object);
    const struct window *window = findings->window;
    uint32_t id = findings->snapshot->objects[object].id;
    uint32_t asked = 0;
    uint32_t mutual = 0;
    if (!spread || !window)
        return false;
    for (uint32_t i = window->used; i > 0 && asked < LINKS_READ / 2; i--) {
        const struct window_entry *entry = window_at(window, i - 1);
        if (!is_on_type(entry, id, layout->type))
            continue;
        uint64_t node = entry->address - entry->type_offset;
        asked++;
        mutual += link_leads_back(findings, node, one, other) &&
                  link_leads_back(findings, node, other, one);
    }
    return mutual * 2 > asked;
}

/* ---- matrices traversed by column ---- */

/* Share of the accesses that is saved; the others may hit in an outer cache level. */
static const double columns_saved_min = 0.4;
/* Minimum share of the steps between rows that end near the previous column. */
static const double steps_min = 0.7;
/* Maximum share of the samples in one part of a row, because the column has to move. */
static const double crowd_max = 0.25;
enum { CLOSE = 16, PARTS = 16 }; /* parts of a row: columns are close within one part */
enum { ROW_UNIT = 4, ROW_MAX = 1 << 20 };

/* How many of the newest steps end near the previous column, and how far from it. */
struct rows_fit {
    uint32_t row; /* bytes; 0: no row fits */
    uint32_t near_previous_column;
    double remainder;
};

/* FAILED_FEW: failures among the first steps. */
enum { FIRST_STEPS = SPREAD_STEPS / 4, FAILED_FEW = SPREAD_STEPS / 16 };

/* The newest steps; those after the first FIRST_STEPS are sorted by length. A step much shorter
 * than the row stays within one part of it, so for a long row few steps have to be divided. */
struct rows_steps {
    uint32_t steps[SPREAD_STEPS];
    double up_to[SPREAD_STEPS + 1]; /* sums of the steps before */
};

static int compare_steps(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static struct rows_steps sort_steps(const struct spread *spread)
{
    struct rows_steps sorted;
    memcpy(sorted.steps, spread->steps, sizeof sorted.steps);
    qsort(sorted.steps + FIRST_STEPS, SPREAD_STEPS - FIRST_STEPS, sizeof *sorted.steps,
          compare_steps);
    sorted.up_to[0] = 0;
    for (uint32_t i = 0; i < SPREAD_STEPS; i++)
        sorted.up_to[i + 1] = sorted.up_to[i] + sorted.steps[i];
    return sorted;
}

/* Tests a row length; gives up once too many steps do not fit. *within: index from FIRST_STEPS of
 * the first step that is longer than a part of the row. */
static struct rows_fit fit_rows(const struct rows_steps *sorted, uint32_t row, uint32_t *within)
{
    struct rows_fit fit = {.row = row};
    uint32_t failed = 0;
    while (*within < SPREAD_STEPS && sorted->steps[*within] <= row / CLOSE)
        ++*within;
    for (uint32_t i = 0; i < SPREAD_STEPS; i++) {
        if (i == FIRST_STEPS) {
            fit.near_previous_column += *within - i;
            fit.remainder += sorted->up_to[*within] - sorted->up_to[i];
            i = *within;
            if (i == SPREAD_STEPS)
                break;
        }
        uint32_t left = sorted->steps[i] % row;
        left = left < row - left ? left : row - left;
        bool beside = left <= row / CLOSE;
        fit.near_previous_column += beside;
        fit.remainder += beside ? left : row / CLOSE;
        failed += !beside;
        if (failed > FAILED_FEW + (i >= FIRST_STEPS) * FIRST_STEPS)
            return (struct rows_fit){.row = 0};
    }
    return fit.near_previous_column >= steps_min * SPREAD_STEPS ? fit : (struct rows_fit){.row = 0};
}

enum { ROWS = (ROW_MAX - SPREAD_STEP_MIN) / ROW_UNIT + 1 };

/* Counts a step for the row lengths it fits, as differences between consecutive lengths: the length
 * times `times` is within a part of a row from the step. */
static void count_matching_rows(int8_t changes[ROWS + 1], uint64_t step)
{
    for (uint64_t times = 0; times <= step / SPREAD_STEP_MIN + 1; times++) {
        uint64_t low = (CLOSE * step + CLOSE * times) / (CLOSE * times + 1);
        uint64_t high = times ? CLOSE * step / (CLOSE * times - 1) : ROW_MAX;
        low = low > SPREAD_STEP_MIN ? low : SPREAD_STEP_MIN;
        high = high < ROW_MAX ? high : ROW_MAX;
        uint64_t first = (low - SPREAD_STEP_MIN + ROW_UNIT - 1) / ROW_UNIT;
        uint64_t end = high < SPREAD_STEP_MIN ? 0 : (high - SPREAD_STEP_MIN) / ROW_UNIT + 1;
        if (first >= end)
            continue;
        changes[first]++;
        changes[end]--;
    }
}

/* Finds the longest row that explains the steps: its divisors do as well, and similar lengths
 * nearly as well. Skips lengths that too few of the first steps fit. */
static struct rows_fit find_rows(const struct spread *spread)
{
    struct rows_fit best = {.row = 0};
    int beside = 0;
    uint32_t within = FIRST_STEPS;
    if (spread->step_count < SPREAD_STEPS)
        return best;
    struct rows_steps sorted = sort_steps(spread);
    int8_t *changes = calloc(ROWS + 1, sizeof *changes);
    for (uint32_t i = 0; changes && i < FIRST_STEPS; i++)
        count_matching_rows(changes, spread->steps[i]);
    for (uint32_t i = 0; changes && i < ROWS; i++) {
        beside += changes[i];
        if (FIRST_STEPS - beside > FAILED_FEW)
            continue;
        struct rows_fit fit = fit_rows(&sorted, SPREAD_STEP_MIN + i * ROW_UNIT, &within);
        if (fit.row && (fit.row > best.row + best.row / CLOSE || fit.remainder <= best.remainder))
            best = fit;
    }
    free(changes);
    return best;
}

/* The samples are spread over the row instead of at one member of equally long elements. */
static bool samples_move_along_row(const struct findings *findings, size_t index, uint32_t row)
{
    const struct spread *spread = &findings->spreads[index];
    uint32_t object = findings->snapshot->objects[index].id;
    uint32_t parts[PARTS] = {0};
    uint32_t most = 0;
    for (uint32_t i = 0; findings->window && i < findings->window->used; i++) {
        const struct window_entry *entry = window_at(findings->window, i);
        if (entry->object == object && entry->address >= spread->lowest)
            parts[(entry->address - spread->lowest) % row * PARTS / row]++;
    }
    for (int i = 0; i < PARTS; i++)
        most = parts[i] > most ? parts[i] : most;
    return most <= crowd_max * spread->samples;
}

enum { BLOCK_HEAD = 64 }; /* maximum bytes that an allocator adds */

/* Returns true if a row fits into a block: a block holds one or several rows. A row over several
 * blocks is a coincidence of their addresses, as for the entries of a hash table. */
static bool row_fits_blocks(const struct snapshot_object *object, uint64_t row)
{
    uint64_t block = object->instance_count ? object->instances[0].size : 0;
    return object->blocks <= 1 || row <= block + block / CLOSE + BLOCK_HEAD;
}

/* Returns the bytes from one element of a row to the next; samples may be on one member of it. */
static uint64_t column_bytes(const struct snapshot_object *object, const struct spread *spread,
                             uint32_t line)
{
    uint64_t element = object->layout_count ? object->layouts[0].size : 0;
    return element > spread->widest && element < line ? element : spread->widest;
}

static void find_columns(struct findings *findings, size_t index)
{
    const struct snapshot_object *object = &findings->snapshot->objects[index];
    const struct spread *spread = findings_spread(findings, index);
    const struct snapshot_sets *sets = &findings->snapshot->sets;
    if (!spread || findings_has(findings, (uint32_t)index) || !sets->sets || !spread->widest)
        return;
    uint64_t element = column_bytes(object, spread, sets->line);
    if (element > sets->line / 2)
        return;
    /* The search for rows takes milliseconds. */
    if (findings_share(findings, index) < FINDINGS_GAIN_MIN)
        return;
    enum spread_order order = findings_order(findings, index);
    if (order == SPREAD_FORWARD || order == SPREAD_BACKWARD)
        return;
    struct rows_fit fit = find_rows(spread);
    uint64_t row = fit.row;
    uint64_t way = (uint64_t)sets->sets * sets->line;
    bool power = row && !(row & (row - 1));
    uint64_t in_sets = power && row < way ? way / row : power ? 1 : sets->sets;
    double rows = row ? (double)((spread->highest - spread->lowest) / row + 1) : 0;
    if (rows <= (double)in_sets * sets->ways || !row_fits_blocks(object, row) ||
        !samples_move_along_row(findings, index, fit.row))
        return;
    struct snapshot_finding finding = {.rule = RULE_COLUMNS,
                                       .confidence = CONFIDENCE_MEDIUM,
                                       .object = (uint32_t)index,
                                       .gain = findings_share(findings, index) *
                                               (1 - (double)element / sets->line)};
    finding.gain_low = columns_saved_min * finding.gain;
    finding.level = sets->level;
    finding.figures.columns =
        (struct finding_columns){.rows = rows,
                                 .row_bytes = row,
                                 .steps = SPREAD_STEPS,
                                 .near_previous_column = fit.near_previous_column,
                                 .is_power_of_two = power,
                                 .sets_used = in_sets,
                                 .sets = sets->sets,
                                 .ways = sets->ways,
                                 .element_bytes = (uint32_t)element};
    findings_add(findings, &finding);
}

/* ---- arrays that are accessed with the same index ---- */

/* Minimum pairs; each access is a miss of its own. Requires that every miss is recorded (--sim):
 * samples thousands of misses apart do not show an index. */

enum { PAIRS_MIN = 64 };
/* Minimum share of the misses on one object that are followed by a miss on the other. */
static const double next_often = 0.5;
/* Minimum share of the pairs with the most frequent index difference. */
static const double same_index_min = 0.9;

/* Two objects, their elements, and the observed pairs. The first is read first. */
struct paired {
    size_t at[2];
    uint32_t id[2];
    uint64_t element[2];
    uint64_t base[2];
    /* Misses on the first object followed by one of the same thread on the second. */
    uint32_t pairs;
    uint32_t same_difference; /* pairs with the index difference `index_difference` */
    int64_t index_difference; /* most frequent difference of the indices */
};

static uint64_t element_bytes(const struct findings *findings, size_t index)
{
    const struct snapshot_object *object = &findings->snapshot->objects[index];
    const struct snapshot_layout *layout = object->layout_count ? &object->layouts[0] : NULL;
    return layout && !layout->inferred ? layout->size : findings->spreads[index].widest;
}

/* Returns true if the object is larger than the cache and accessed in no order. */
static bool is_scattered_past_cache(const struct findings *findings, size_t index)
{
    const struct spread *spread = findings_spread(findings, index);
    return spread && findings_order(findings, index) == SPREAD_SCATTERED &&
           spread_bytes(spread, findings->snapshot->sets.line) >= findings_min_bytes(findings);
}

/* Computes the difference between the indices of two misses, on the first object and then on the
 * second. Returns false for other misses. */
static bool index_difference(const struct paired *paired, const struct window_entry *one,
                             const struct window_entry *next, int64_t *apart)
{
    const struct window_entry *entries[2] = {one, next};
    if (one->object != paired->id[0] || next->object != paired->id[1] || one->tid != next->tid)
        return false;
    int64_t index[2];
    for (int i = 0; i < 2; i++)
        index[i] = (int64_t)((entries[i]->address - paired->base[i]) / paired->element[i]);
    *apart = index[0] - index[1];
    return true;
}

/* Finds the majority difference (Boyer and Moore 1981), then counts it. */
static void paired_find_difference(const struct window *window, struct paired *paired)
{
    uint32_t votes = 0;
    int64_t apart;
    for (uint32_t i = 0; i + 1 < window->used; i++) {
        if (!index_difference(paired, window_at(window, i), window_at(window, i + 1), &apart))
            continue;
        paired->pairs++;
        if (!votes)
            paired->index_difference = apart;
        votes += apart == paired->index_difference ? 1 : UINT32_MAX;
    }
    for (uint32_t i = 0; votes && i + 1 < window->used; i++)
        paired->same_difference +=
            index_difference(paired, window_at(window, i), window_at(window, i + 1), &apart) &&
            apart == paired->index_difference;
}

static void paired_report(struct findings *findings, const struct paired *paired)
{
    const struct snapshot_object *other = &findings->snapshot->objects[paired->at[1]];
    struct snapshot_finding finding = {.rule = RULE_SAME_INDEX,
                                       .confidence = CONFIDENCE_HIGH,
                                       .object = (uint32_t)paired->at[0],
                                       .gain = (findings_share(findings, paired->at[0]) +
                                                findings_share(findings, paired->at[1])) /
                                               2};
    finding.other = other->name;
    finding.figures.pair =
        (struct finding_pair){.misses = paired->pairs,
                              .same_index_share = (double)paired->same_difference / paired->pairs,
                              .element_bytes = {paired->element[0], paired->element[1]}};
    findings_add(findings, &finding);
}

static void check_index_pair(struct findings *findings, size_t one, size_t other)
{
    struct paired paired = {.at = {one, other}};
    uint32_t fewer = UINT32_MAX;
    for (int i = 0; i < 2; i++) {
        const struct spread *spread = &findings->spreads[paired.at[i]];
        paired.id[i] = findings->snapshot->objects[paired.at[i]].id;
        paired.element[i] = element_bytes(findings, paired.at[i]);
        paired.base[i] = spread->lowest;
        fewer = spread->samples < fewer ? spread->samples : fewer;
    }
    if (!paired.element[0] || !paired.element[1] ||
        paired.element[0] + paired.element[1] > findings->snapshot->sets.line)
        return;
    paired_find_difference(findings->window, &paired);
    if (paired.pairs >= PAIRS_MIN && paired.pairs >= next_often * fewer &&
        paired.same_difference >= same_index_min * paired.pairs)
        paired_report(findings, &paired);
}

static void find_same_index(struct findings *findings)
{
    if (!findings->window || !findings->snapshot->simulation.level_count)
        return;
    for (size_t i = 0; i < findings->spread_count; i++)
        for (size_t k = i + 1; is_scattered_past_cache(findings, i) && k < findings->spread_count;
             k++)
            if (is_scattered_past_cache(findings, k) &&
                !findings_overlap(findings, (uint32_t)i, (uint32_t)k))
                check_index_pair(findings, i, k);
}

/* ---- stack variables that a loop reads and writes instead of a register ---- */

static const double hot_min = 0.1;
static const double one_function = 0.8; /* share of its samples in one function */
static const double kept_max = 0.1;     /* share of its samples in loops with calls */
static const double stack_min = 0.3;    /* share of its samples that is saved */
enum { FRAMES_LINES = 4 };
enum { REGISTER_BYTES = 16 }; /* width of a general or an SSE register */

/* Returns true if the variable is in many stack frames: the function is recursive, or called at
 * many depths. The variable is then saved for calls, and no register would keep it. */
static bool is_in_many_frames(const struct findings *findings, size_t index)
{
    const struct spread *spread = findings_spread(findings, index);
    return spread && spread->lines > FRAMES_LINES;
}

/* Returns true if the loop calls functions: a register does not keep the variable, and the time is
 * that of the call. */
static bool is_kept_for_calls(const struct findings *findings, size_t index)
{
    const struct spread *spread = findings_spread(findings, index);
    return spread && spread->spill_samples > kept_max * spread->samples;
}

/* Returns true if the variable is written, so no parameter. Timers sample few stores, on some CPUs
 * one in thousands: a store in the loop's code is sufficient, as is a sampled store. */
static bool is_written(const struct findings *findings, size_t index)
{
    const struct spread *spread = findings_spread(findings, index);
    return findings->snapshot->objects[index].stores > 0 ||
           (spread && spread->stored_in_loop_samples > 0);
}

static void find_hot_stack(struct findings *findings, size_t index)
{
    const struct snapshot_object *object = &findings->snapshot->objects[index];
    if (object->kind != OBJECT_STACK || !object->type || !object->size ||
        object->size > REGISTER_BYTES || object->samples < FINDINGS_SAMPLES ||
        !(findings_share(findings, index) >= hot_min) || !object->code_count ||
        !(object->code[0].share.value >= one_function) || !is_written(findings, index) ||
        is_in_many_frames(findings, index) || is_kept_for_calls(findings, index))
        return;
    struct snapshot_finding finding = {.rule = RULE_STACK,
                                       .confidence = CONFIDENCE_MEDIUM,
                                       .object = (uint32_t)index,
                                       .gain = findings_share(findings, index),
                                       .gain_low = stack_min * findings_share(findings, index)};
    finding.type = object->type;
    finding.figures.stack =
        (struct finding_stack){object->size, object->samples, object->code[0].share.value};
    findings_add(findings, &finding);
}

static const struct findings_rule rules[] = {
    {.rule = RULE_COLUMNS,
     .kind = FINDING_COLUMNS,
     .find_object = find_columns,
     .assumes_reuse = true},
    {.rule = RULE_COPYING, .kind = FINDING_COPYING, .find = find_copying, .changes_use = true},
    {.rule = RULE_CLEARING, .kind = FINDING_CLEARING, .find = find_clearing, .changes_use = true},
    {.rule = RULE_CHASING, .kind = FINDING_CHASING, .find_object = find_chasing},
    {.rule = RULE_SAME_INDEX, .kind = FINDING_SEPARATED_PAIR, .find = find_same_index},
    {.rule = RULE_STACK,
     .kind = FINDING_STACK,
     .find_object = find_hot_stack,
     .needs_real_time = true, /* misses are not waits for stores */
     .changes_use = true},
    {.rule = RULE_STREAMING,
     .kind = FINDING_STREAMING,
     .find_object = find_streaming,
     .needs_real_time = true,
     .assumes_reuse = true},
};
const struct findings_family findings_access = FINDINGS_FAMILY(rules);
