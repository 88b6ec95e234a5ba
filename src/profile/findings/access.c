/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings about the order of accesses: following pointers, reading from end to end. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/findings/findings.h"
#include "profile/tables/rates.h"

/* ---- chasing ---- */

enum {
    LINK_SAMPLES = 2,  /* on the link itself: mostly the first use of a node waits for it */
    LINKS_LEAST = 12,  /* read in memory, to speak of all */
    LINKS_READ = 32,   /* a refresh, of one object: they are in a recording, too */
    NEAR_ELEMENTS = 4, /* a prefetcher that goes by steps or by lines comes there by itself */
    FAR_BYTES = 4096   /* no prefetcher crosses a page */
};
static const double links_alike = 0.7;   /* of those read */
static const double deep_at_least = 0.5; /* of the nodes: nothing follows the last of a chain */
static const double chase_saved_at_least = 0.5; /* of the time at its nodes: most of the wait */
static const double link_often = 0.05; /* of the samples: else it may be a hash table's chain */

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

/* Most nodes are followed by some more: the chain of a hash table that is not crowded is not. */
static bool mostly_deep(const struct findings_links *links)
{
    return links->nodes >= LINKS_LEAST && links->deep >= deep_at_least * links->nodes;
}

/* Each miss is a record, and they come in the order of the links. */
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
    if ((links->read >= LINKS_LEAST && links->near >= links_alike * links->read) ||
        order == SPREAD_FORWARD || order == SPREAD_BACKWARD)
        return -1;
    if (followed(links) && mostly_far(links))
        return FINDING_SURE;
    if (!links->nodes) /* the memory cannot be read */
        return order != SPREAD_SCATTERED ? -1 : often ? FINDING_LIKELY : FINDING_PERHAPS;
    return found->count > 1 || mostly_deep(links) ? FINDING_LIKELY : -1;
}

static void chasing(struct findings *findings, size_t index)
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
    struct snapshot_finding finding = {.rule = RULE_CHASING,
                                       .sure = (enum finding_sure)sure,
                                       .object = (uint32_t)index,
                                       .field = link->member.name,
                                       .gain = findings_most(findings, index),
                                       .gain_low =
                                           chase_saved_at_least * findings_share(findings, index)};
    finding.type = layout->name;
    finding.of.chasing =
        (struct finding_chasing){.element_bytes = layout->size,
                                 .samples = object->samples,
                                 .bytes = spread_bytes(spread, line),
                                 .scattered = findings_order(findings, index) == SPREAD_SCATTERED,
                                 .several = found.count > 1,
                                 .links_read = found.links.read >= LINKS_LEAST,
                                 .read = found.links.read,
                                 .far = found.links.far,
                                 .nodes = found.links.nodes,
                                 .deep = found.links.deep,
                                 .deep_least = FINDINGS_LINKS_DEEP};
    findings_add(findings, &finding);
}

/* ---- streaming ---- */

/* Of one thread; a core reads 5 to 20e9 from memory, and what works on blocks asks for less. */
static const double streaming_bytes_per_s = 3e9;
/* More than most last levels hold, as other programs take their part. */
static const double streaming_bytes = 32.0 * 1024 * 1024;

/* A finding about the elements of a block is not repeated about the block, which was their name
 * before their type was known. */
static bool reported_in_parts(const struct findings *findings, uint32_t object)
{
    for (size_t i = 0; i < findings->count; i++)
        if (findings_overlap(findings, findings->list[i].object, object))
            return true;
    return false;
}

static void streaming(struct findings *findings, size_t index)
{
    /* Time at data that is read in order is the same whether it is waited for or not. */
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
        findings_share(findings, index) < FINDINGS_STREAMING_LEAST ||
        findings_has(findings, (uint32_t)index) || reported_in_parts(findings, (uint32_t)index) ||
        findings->snapshot->loading.waiting)
        return;
    struct snapshot_finding finding = {.rule = RULE_STREAMING,
                                       .sure = FINDING_LIKELY,
                                       .object = (uint32_t)index,
                                       .gain = NAN,
                                       .bound = true};
    finding.of.streaming = (struct finding_streaming){
        .written = object->stores > object->loads,
        .backward = order == SPREAD_BACKWARD,
        .bytes = bytes,
        .bytes_per_s = speed,
        .part = (double)(order == SPREAD_FORWARD ? spread->up : spread->down) /
                (spread->up + spread->down),
        .lines = spread->lines,
        .singles = spread->singles};
    findings_add(findings, &finding);
}

/* ---- copying and clearing ---- */

static const double copying_least = 0.1;
static const double copy_saves_at_least = 0.5;
static const double copy_saves_at_most = 1.1; /* the copy evicts other data */

static enum finding_rule rule_of_function(const char *function)
{
    if (!function)
        return RULE_NONE;
    if (strstr(function, "memcpy") || strstr(function, "memmove") || strstr(function, "mempcpy"))
        return RULE_COPYING;
    return strstr(function, "memset") || strstr(function, "bzero") ? RULE_CLEARING : RULE_NONE;
}

static const double passes_sigma = 4; /* steps far back beyond those far on */

/* The functions leave out no byte between two. That they go over it in passes shows in steps far
 * back, each the end of a pass; lines that are seen again prove no less then. */
static double copied_bytes(const struct spread *spread, uint32_t line)
{
    double passes = spread_passes(spread, SPREAD_FORWARD) + spread_passes(spread, SPREAD_BACKWARD);
    return passes > passes_sigma * sqrt(spread->far_up + spread->far_down)
               ? (double)(spread->highest - spread->lowest)
               : spread_bytes(spread, line);
}

/* Objects larger than a core's caches that a function of libc for it is at, as the one with most of
 * its samples. */
static void copying_add(struct findings *findings, const struct snapshot_code *code,
                        enum finding_rule rule)
{
    const struct snapshot *snapshot = findings->snapshot;
    const struct spread *spread = findings_spread(findings, code->top_object);
    double share = findings_code_share(findings, code);
    if (rule_of_function(code->function) != rule || !spread || !(share >= copying_least))
        return;
    double bytes = copied_bytes(spread, snapshot->sets.line);
    if (!(bytes >= findings_beyond(findings)))
        return;
    const struct snapshot_object *object = &snapshot->objects[code->top_object];
    struct snapshot_finding finding = {.rule = rule,
                                       .sure = FINDING_LIKELY,
                                       .object = code->top_object,
                                       .function = code->function,
                                       .share = share};
    finding.bound = rule == RULE_CLEARING;
    finding.gain = finding.bound ? share : fmin(1, copy_saves_at_most * share);
    finding.gain_low = finding.bound ? 0 : copy_saves_at_least * share;
    finding.of.copying = (struct finding_copying){bytes, object->loads, object->stores};
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

static void copying(struct findings *findings)
{
    copying_find(findings, RULE_COPYING);
}

static void clearing(struct findings *findings)
{
    copying_find(findings, RULE_CLEARING);
}

/* ---- links ---- */

/* Targets of the links of sampled nodes, read from the process itself: the layout of a list is seen
 * at once, however short a pass over it is. */

static bool on_type(const struct window_entry *entry, uint32_t object, uint32_t type)
{
    return entry->object == object && entry->type == type;
}

static uint64_t links_distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* Addresses between which elements of a type were sampled. */
struct extent {
    uint64_t lowest;
    uint64_t highest;
};

/* Blocks of one type may be distinguished by allocation site: nodes of one lead to nodes of
 * another. */
static struct extent extent_of(const struct findings *findings, const struct spread *spread,
                               uint32_t type)
{
    const struct snapshot *snapshot = findings->snapshot;
    struct extent extent = {spread->lowest, spread->highest};
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

/* The word at an address as of now; false: not to be read. */
static bool word_at(const struct findings *findings, uint64_t address, uint64_t *word)
{
    union place_answer answer;
    bool known = findings->now && place_ask(&findings->names, PLACE_WORD, address, &answer);
    if (known)
        *word = answer.word;
    return known;
}

/* Where the link of the node at `node` leads; 0: out of what was sampled, or not to be read. */
static uint64_t links_follow(const struct findings *findings, const struct extent *extent,
                             uint64_t node, uint64_t link_offset)
{
    uint64_t next;
    if (!word_at(findings, node + link_offset, &next) || next + FAR_BYTES < extent->lowest ||
        next > extent->highest || next == node)
        return 0;
    return next;
}

static void links_count(struct findings_links *links, uint64_t node, uint64_t next, uint64_t size)
{
    if (!next)
        return;
    links->read++;
    links->far += links_distance(node, next) > FAR_BYTES;
    links->near += links_distance(node, next) <= NEAR_ELEMENTS * size;
}

/* `node` and the next ones: a chain of as many as counts as deep. */
static bool is_deep(const struct findings *findings, const struct extent *extent, uint64_t node,
                    uint64_t link_offset)
{
    for (int i = 1; node && i < FINDINGS_LINKS_DEEP; i++)
        node = links_follow(findings, extent, node, link_offset);
    return node != 0;
}

/* The next miss of the same thread on the object, if it came soon; NULL. */
static const struct window_entry *next_of(const struct window *window, uint32_t i, uint32_t type)
{
    enum { SOON = 8 };
    const struct window_entry *entry = window_at(window, i);
    for (uint32_t k = i + 1; k < window->used && k <= i + SOON; k++) {
        const struct window_entry *later = window_at(window, k);
        if (later->tid == entry->tid && on_type(later, entry->object, type))
            return later;
    }
    return NULL;
}

void findings_links(const struct findings *findings, size_t object,
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
    struct extent extent = extent_of(findings, spread, layout->type);
    for (uint32_t i = 0; i < window->used; i++)
        on_it += on_type(window_at(window, i), id, layout->type);
    uint32_t step = on_it / LINKS_READ + 1;
    on_it = 0;
    for (uint32_t i = 0; i < window->used; i++) {
        const struct window_entry *entry = window_at(window, i);
        if (!on_type(entry, id, layout->type) || on_it++ % step)
            continue;
        uint64_t node = entry->address - entry->type_offset;
        uint64_t next = links_follow(findings, &extent, node, link_offset);
        const struct window_entry *later = next_of(window, i, layout->type);
        links_count(links, node, next, layout->size);
        uint64_t word;
        links->nodes += word_at(findings, node + link_offset, &word);
        links->deep += is_deep(findings, &extent, next, link_offset);
        links->pairs += next && later;
        links->followed += next && later && later->address - later->type_offset == next;
    }
}

/* The node that `there` of a node leads to leads back by `back`. */
static bool leads_back(const struct findings *findings, uint64_t node, uint64_t there,
                       uint64_t back)
{
    uint64_t next;
    uint64_t again;
    return word_at(findings, node + there, &next) && next &&
           word_at(findings, next + back, &again) && again == node;
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
        if (!on_type(entry, id, layout->type))
            continue;
        uint64_t node = entry->address - entry->type_offset;
        asked++;
        mutual += leads_back(findings, node, one, other) && leads_back(findings, node, other, one);
    }
    return mutual * 2 > asked;
}

/* ---- matrices that are walked down their columns ---- */

static const double columns_saved_at_least = 0.4; /* of the accesses: they may hit farther out */
static const double steps_at_least = 0.7; /* of the steps between rows end at the last column */
static const double crowd_at_most = 0.25; /* of the samples in a part of the row: columns move */
enum { CLOSE = 16, PARTS = 16 };          /* parts of a row: two columns are close within one */
enum { ROW_UNIT = 4, ROW_MOST = 1 << 20 };

/* Of the newest steps from row to row, how many end beside the last column, and how far. */
struct rows_fit {
    uint32_t row; /* bytes; 0: none fits */
    uint32_t beside;
    double left;
};

enum { FIRST_STEPS = SPREAD_STEPS / 4, FAILED_FEW = SPREAD_STEPS / 16 /* of the first steps */ };

/* Steps, those after the first from the shortest on: each is beside a row that is much longer, so
 * that of a row as long as many, few steps have to be divided. */
struct rows_steps {
    uint32_t steps[SPREAD_STEPS];
    double up_to[SPREAD_STEPS + 1]; /* sum of those before */
};

static int step_order(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static struct rows_steps sort_steps(const struct spread *spread)
{
    struct rows_steps sorted;
    memcpy(sorted.steps, spread->steps, sizeof sorted.steps);
    qsort(sorted.steps + FIRST_STEPS, SPREAD_STEPS - FIRST_STEPS, sizeof *sorted.steps, step_order);
    sorted.up_to[0] = 0;
    for (uint32_t i = 0; i < SPREAD_STEPS; i++)
        sorted.up_to[i + 1] = sorted.up_to[i] + sorted.steps[i];
    return sorted;
}

/* Counts up to the first few that are too many not to. *within: steps from FIRST_STEPS on that are
 * known to be within a part of a row. */
static struct rows_fit fit_rows(const struct rows_steps *sorted, uint32_t row, uint32_t *within)
{
    struct rows_fit fit = {.row = row};
    uint32_t failed = 0;
    while (*within < SPREAD_STEPS && sorted->steps[*within] <= row / CLOSE)
        ++*within;
    for (uint32_t i = 0; i < SPREAD_STEPS; i++) {
        if (i == FIRST_STEPS) {
            fit.beside += *within - i;
            fit.left += sorted->up_to[*within] - sorted->up_to[i];
            i = *within;
            if (i == SPREAD_STEPS)
                break;
        }
        uint32_t left = sorted->steps[i] % row;
        left = left < row - left ? left : row - left;
        bool beside = left <= row / CLOSE;
        fit.beside += beside;
        fit.left += beside ? left : row / CLOSE;
        failed += !beside;
        if (failed > FAILED_FEW + (i >= FIRST_STEPS) * FIRST_STEPS)
            return (struct rows_fit){.row = 0};
    }
    return fit.beside >= steps_at_least * SPREAD_STEPS ? fit : (struct rows_fit){.row = 0};
}

enum { ROWS = (ROW_MOST - SPREAD_STEP_LEAST) / ROW_UNIT + 1 };

/* Adds a step to the rows that it ends beside, as changes from each row to the next: `times` a row
 * is within a part of a row from the step. */
static void count_beside(int8_t changes[ROWS + 1], uint64_t step)
{
    for (uint64_t times = 0; times <= step / SPREAD_STEP_LEAST + 1; times++) {
        uint64_t low = (CLOSE * step + CLOSE * times) / (CLOSE * times + 1);
        uint64_t high = times ? CLOSE * step / (CLOSE * times - 1) : ROW_MOST;
        low = low > SPREAD_STEP_LEAST ? low : SPREAD_STEP_LEAST;
        high = high < ROW_MOST ? high : ROW_MOST;
        uint64_t first = (low - SPREAD_STEP_LEAST + ROW_UNIT - 1) / ROW_UNIT;
        uint64_t end = high < SPREAD_STEP_LEAST ? 0 : (high - SPREAD_STEP_LEAST) / ROW_UNIT + 1;
        if (first >= end)
            continue;
        changes[first]++;
        changes[end]--;
    }
}

/* The longest row that explains the steps: its divisors do too, and lengths beside it nearly as
 * well. Rows that too few of the first steps end beside are not looked at. */
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
        count_beside(changes, spread->steps[i]);
    for (uint32_t i = 0; changes && i < ROWS; i++) {
        beside += changes[i];
        if (FIRST_STEPS - beside > FAILED_FEW)
            continue;
        struct rows_fit fit = fit_rows(&sorted, SPREAD_STEP_LEAST + i * ROW_UNIT, &within);
        if (fit.row && (fit.row > best.row + best.row / CLOSE || fit.left <= best.left))
            best = fit;
    }
    free(changes);
    return best;
}

/* Columns move: the samples are all over the row, not at a member of elements that are as long. */
static bool columns_move(const struct findings *findings, size_t index, uint32_t row)
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
    return most <= crowd_at_most * spread->samples;
}

enum { BLOCK_HEAD = 64 }; /* bytes that an allocator adds, at most */

/* Rows are in blocks of their own, or several in a block: one over several blocks is a coincidence
 * of where these are, as of the entries of a hash table. */
static bool row_fits_blocks(const struct snapshot_object *object, uint64_t row)
{
    uint64_t block = object->instance_count ? object->instances[0].size : 0;
    return object->blocks <= 1 || row <= block + block / CLOSE + BLOCK_HEAD;
}

/* Bytes from one element of a row to the next; samples may be on a member of it. */
static uint64_t column_bytes(const struct snapshot_object *object, const struct spread *spread,
                             uint32_t line)
{
    uint64_t element = object->layout_count ? object->layouts[0].size : 0;
    return element > spread->widest && element < line ? element : spread->widest;
}

static void columns(struct findings *findings, size_t index)
{
    const struct snapshot_object *object = &findings->snapshot->objects[index];
    const struct spread *spread = findings_spread(findings, index);
    const struct snapshot_sets *sets = &findings->snapshot->sets;
    if (!spread || findings_has(findings, (uint32_t)index) || !sets->sets || !spread->widest)
        return;
    uint64_t element = column_bytes(object, spread, sets->line);
    if (element > sets->line / 2)
        return;
    /* Looking for rows takes milliseconds. */
    if (findings_share(findings, index) < FINDINGS_GAIN_LEAST)
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
        !columns_move(findings, index, fit.row))
        return;
    struct snapshot_finding finding = {.rule = RULE_COLUMNS,
                                       .sure = FINDING_LIKELY,
                                       .object = (uint32_t)index,
                                       .gain = findings_share(findings, index) *
                                               (1 - (double)element / sets->line)};
    finding.gain_low = columns_saved_at_least * finding.gain;
    finding.level = sets->level;
    finding.of.columns = (struct finding_columns){.rows = rows,
                                                  .row_bytes = row,
                                                  .steps = SPREAD_STEPS,
                                                  .beside = fit.beside,
                                                  .power = power,
                                                  .in_sets = in_sets,
                                                  .sets = sets->sets,
                                                  .ways = sets->ways,
                                                  .element_bytes = (uint32_t)element};
    findings_add(findings, &finding);
}

/* ---- arrays that are read at the same index ---- */

/* Each is a miss of its own. Only where every miss is recorded (--sim): samples thousands of misses
 * apart show no index. */

enum { PAIRS_LEAST = 64 };
static const double next_often = 0.5;       /* of the misses on one: one on the other comes next */
static const double same_index_least = 0.9; /* of these */

/* Two objects, their elements, and what was seen of them. The first is read first. */
struct paired {
    size_t at[2];
    uint32_t id[2];
    uint64_t element[2];
    uint64_t base[2];
    uint32_t pairs; /* a miss on the first, and the next one of the thread on the second */
    uint32_t alike; /* of these, as far from index to index as most */
    int64_t apart;  /* so far */
};

static uint64_t element_bytes(const struct findings *findings, size_t index)
{
    const struct snapshot_object *object = &findings->snapshot->objects[index];
    const struct snapshot_layout *layout = object->layout_count ? &object->layouts[0] : NULL;
    return layout && !layout->inferred ? layout->size : findings->spreads[index].widest;
}

/* Far more than the cache holds, in no order. */
static bool fits_no_cache(const struct findings *findings, size_t index)
{
    const struct spread *spread = findings_spread(findings, index);
    return spread && findings_order(findings, index) == SPREAD_SCATTERED &&
           spread_bytes(spread, findings->snapshot->sets.line) >= findings_beyond(findings);
}

/* By how much the indices of two misses differ, on the first object and then on the second. */
static bool difference(const struct paired *paired, const struct window_entry *one,
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

/* The difference that most have, if more than half do (Boyer and Moore 1981); then how many. */
static void paired_find_difference(const struct window *window, struct paired *paired)
{
    uint32_t votes = 0;
    int64_t apart;
    for (uint32_t i = 0; i + 1 < window->used; i++) {
        if (!difference(paired, window_at(window, i), window_at(window, i + 1), &apart))
            continue;
        paired->pairs++;
        if (!votes)
            paired->apart = apart;
        votes += apart == paired->apart ? 1 : UINT32_MAX;
    }
    for (uint32_t i = 0; votes && i + 1 < window->used; i++)
        paired->alike +=
            difference(paired, window_at(window, i), window_at(window, i + 1), &apart) &&
            apart == paired->apart;
}

static void paired_report(struct findings *findings, const struct paired *paired)
{
    const struct snapshot_object *other = &findings->snapshot->objects[paired->at[1]];
    struct snapshot_finding finding = {.rule = RULE_SAME_INDEX,
                                       .sure = FINDING_SURE,
                                       .object = (uint32_t)paired->at[0],
                                       .gain = (findings_share(findings, paired->at[0]) +
                                                findings_share(findings, paired->at[1])) /
                                               2};
    finding.other = other->name;
    finding.of.pair =
        (struct finding_pair){.misses = paired->pairs,
                              .same = (double)paired->alike / paired->pairs,
                              .element_bytes = {paired->element[0], paired->element[1]}};
    findings_add(findings, &finding);
}

static void pair(struct findings *findings, size_t one, size_t other)
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
    if (paired.pairs >= PAIRS_LEAST && paired.pairs >= next_often * fewer &&
        paired.alike >= same_index_least * paired.pairs)
        paired_report(findings, &paired);
}

static void same_index(struct findings *findings)
{
    if (!findings->window || !findings->snapshot->simulation.level_count)
        return;
    for (size_t i = 0; i < findings->spread_count; i++)
        for (size_t k = i + 1; fits_no_cache(findings, i) && k < findings->spread_count; k++)
            if (fits_no_cache(findings, k) && !findings_overlap(findings, (uint32_t)i, (uint32_t)k))
                pair(findings, i, k);
}

/* ---- variables on the stack that a loop reads and writes where a register would do ---- */

static const double hot_at_least = 0.1;
static const double one_function = 0.8;   /* of the samples on it */
static const double kept_most = 0.1;      /* ... in loops that call */
static const double stack_at_least = 0.3; /* of them saved */
enum { FRAMES_LINES = 4 };
enum { REGISTER_BYTES = 16 }; /* width of a general or an SSE register */

/* In a loop it is at one place; of a function that calls itself, or is called at many depths, it is
 * saved for the calls, and no register would keep it. */
static bool is_in_many_frames(const struct findings *findings, size_t index)
{
    const struct spread *spread = findings_spread(findings, index);
    return spread && spread->lines > FRAMES_LINES;
}

/* Where the loop calls a function, a register does not keep it, and the time goes to the call. */
static bool is_kept_for_calls(const struct findings *findings, size_t index)
{
    const struct spread *spread = findings_spread(findings, index);
    return spread && spread->kept > kept_most * spread->samples;
}

/* A variable that is only read is a parameter. A timer samples few stores, on some CPUs one in
 * thousands: a store of the loop's code to the slot is enough, or one that was sampled. */
static bool is_written(const struct findings *findings, size_t index)
{
    const struct spread *spread = findings_spread(findings, index);
    return findings->snapshot->objects[index].stores > 0 || (spread && spread->rewritten > 0);
}

static void stack(struct findings *findings, size_t index)
{
    const struct snapshot_object *object = &findings->snapshot->objects[index];
    if (object->kind != OBJECT_STACK || !object->type || !object->size ||
        object->size > REGISTER_BYTES || object->samples < FINDINGS_SAMPLES ||
        !(findings_share(findings, index) >= hot_at_least) || !object->code_count ||
        !(object->code[0].share.value >= one_function) || !is_written(findings, index) ||
        is_in_many_frames(findings, index) || is_kept_for_calls(findings, index))
        return;
    struct snapshot_finding finding = {.rule = RULE_STACK,
                                       .sure = FINDING_LIKELY,
                                       .object = (uint32_t)index,
                                       .gain = findings_share(findings, index),
                                       .gain_low =
                                           stack_at_least * findings_share(findings, index)};
    finding.type = object->type;
    finding.of.stack =
        (struct finding_stack){object->size, object->samples, object->code[0].share.value};
    findings_add(findings, &finding);
}

static const struct findings_rule rules[] = {
    {.rule = RULE_COLUMNS, .kind = FINDING_COLUMNS, .find_object = columns, .of_reuse = true},
    {.rule = RULE_COPYING, .kind = FINDING_COPYING, .find = copying, .of_use = true},
    {.rule = RULE_CLEARING, .kind = FINDING_CLEARING, .find = clearing, .of_use = true},
    {.rule = RULE_CHASING, .kind = FINDING_CHASING, .find_object = chasing},
    {.rule = RULE_SAME_INDEX, .kind = FINDING_TOGETHER, .find = same_index},
    {.rule = RULE_STACK,
     .kind = FINDING_STACK,
     .find_object = stack,
     .of_samples = true, /* misses are no waits for stores */
     .of_use = true},
    {.rule = RULE_STREAMING,
     .kind = FINDING_STREAMING,
     .find_object = streaming,
     .of_samples = true,
     .of_reuse = true},
};
const struct findings_family findings_access = FINDINGS_FAMILY(rules);
