/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/snapshot/builders.h"
#include "profile/tables/statistics.h"

enum { CALLERS_ROWS = 64, CALLERS_CHILDREN = 100, CALLERS_DEPTHS = 64 };

/* Minimum share of a child; limits a node to CALLERS_CHILDREN. */
static const double callers_min = 0.01;
static const double listed_min = 0.005; /* minimum share of all stacks for a row to have a tree */

struct call {
    uint32_t node;
    uint32_t row; /* row of the object in the snapshot; UINT32_MAX: not listed */
    double samples;
};

/* The nodes on the paths of some calls. Arrays are by node. */
struct call_tree {
    struct caller_desc *desc;
    double *samples; /* inclusive; 0: not in the tree */
    uint32_t *child;
    uint32_t *sibling;
    uint32_t *nodes; /* the nodes in the tree */
    size_t count;
};

static bool call_tree_init(struct call_tree *tree)
{
    *tree = (struct call_tree){.desc = calloc(CALLER_NODES_MAX, sizeof *tree->desc),
                               .samples = calloc(CALLER_NODES_MAX, sizeof *tree->samples),
                               .child = calloc(CALLER_NODES_MAX, sizeof *tree->child),
                               .sibling = calloc(CALLER_NODES_MAX, sizeof *tree->sibling),
                               .nodes = calloc(CALLER_NODES_MAX, sizeof *tree->nodes)};
    return tree->desc && tree->samples && tree->child && tree->sibling && tree->nodes;
}

static void call_tree_fini(struct call_tree *tree)
{
    free(tree->desc);
    free(tree->samples);
    free(tree->child);
    free(tree->sibling);
    free(tree->nodes);
}

static void call_tree_clear(struct call_tree *tree)
{
    for (size_t i = 0; i < tree->count; i++) {
        tree->samples[tree->nodes[i]] = 0;
        tree->child[tree->nodes[i]] = 0;
    }
    tree->count = tree->child[0] = 0;
}

/* Describes a node; returns false if it is not known. A parent must have a lower number than its
 * children, whatever a recording says, so there are no cycles. */
static bool describe_node(const struct build *build, struct call_tree *tree, uint32_t node)
{
    struct caller_desc *desc = &tree->desc[node];
    union place_answer answer;
    if (!desc->function && build_ask(build, PLACE_CALLER, node, &answer))
        *desc = answer.caller;
    return desc->function && desc->parent < node;
}

/* Adds a call to all nodes on its path. Roots are children of node 0. */
static void call_tree_add(const struct build *build, struct call_tree *tree,
                          const struct call *call)
{
    for (uint32_t node = call->node; node && describe_node(build, tree, node);) {
        uint32_t parent = tree->desc[node].parent;
        if (!(tree->samples[node] > 0)) {
            tree->nodes[tree->count++] = node;
            tree->sibling[node] = tree->child[parent];
            tree->child[parent] = node;
        }
        tree->samples[node] += call->samples;
        node = parent;
    }
}

struct call_list {
    struct build *build;
    const struct call_tree *tree;
    struct snapshot_caller *rows;
    size_t count;
    uint32_t depths;
    double all;               /* samples with known callers */
    double effective_samples; /* effective number of those samples */
};

struct call_child {
    uint32_t node;
    double samples;
};

static void list_row(struct call_list *list, uint32_t node, uint32_t depth, uint64_t path)
{
    struct build *build = list->build;
    struct snapshot_caller *row = &list->rows[list->count++];
    struct function_desc desc;
    *row = (struct snapshot_caller){
        .depth = depth, .id = list->tree->desc[node].function, .path = path};
    build_describe_function(build, row->id, &desc);
    row->function = build_name(build, desc.name);
    row->module = build_name(build, desc.module ? desc.module : "");
    row->samples = list->tree->samples[node];
    row->share = interval_share(row->samples / list->all, list->effective_samples);
}

/* Finds the children of a node that are large enough, most samples first. */
static size_t list_call_children(const struct call_list *list, uint32_t node,
                                 struct call_child children[CALLERS_CHILDREN])
{
    const struct call_tree *tree = list->tree;
    size_t count = 0;
    for (uint32_t child = tree->child[node]; child && count < CALLERS_CHILDREN;
         child = tree->sibling[child])
        if (tree->samples[child] >= callers_min * list->all)
            children[count++] = (struct call_child){child, tree->samples[child]};
    SORT(children, count, LARGEST(struct call_child, samples), SMALLEST(struct call_child, node));
    return count;
}

static void count_children(const struct call_list *list, uint32_t node, uint32_t depth,
                           size_t counts[CALLERS_DEPTHS])
{
    struct call_child children[CALLERS_CHILDREN];
    size_t count = depth < CALLERS_DEPTHS ? list_call_children(list, node, children) : 0;
    for (size_t i = 0; i < count; i++) {
        counts[depth]++;
        count_children(list, children[i].node, depth + 1, counts);
    }
}

/* Returns the depth to which rows fit: all callers of one level before those of the next. */
static uint32_t choose_call_depth(const struct call_list *list, uint32_t node)
{
    size_t counts[CALLERS_DEPTHS] = {0};
    uint32_t depth = 1;
    count_children(list, node, 0, counts);
    size_t rows = counts[0];
    while (depth < CALLERS_DEPTHS && counts[depth] && rows + counts[depth] <= CALLERS_ROWS)
        rows += counts[depth++];
    return depth;
}

static void list_children(struct call_list *list, uint32_t node, uint32_t depth, uint64_t path)
{
    struct call_child children[CALLERS_CHILDREN];
    size_t count = depth < list->depths ? list_call_children(list, node, children) : 0;
    for (size_t i = 0; i < count && list->count < CALLERS_ROWS && !list->build->failed; i++) {
        uint64_t own = hash_mix(path + list->tree->desc[children[i].node].function);
        list_row(list, children[i].node, depth, own);
        list_children(list, children[i].node, depth + 1, own);
    }
}

/* Adds the samples of the event with known callers, and their effective number. */
static void add_stacks(const struct build *build, const struct tally *tally, double *all,
                       double *effective)
{
    double weight = build_read(build, &tally->weight);
    double part = weight > 0 ? build_read(build, &tally->stacks) / weight : 0;
    *all += build_samples(build, &tally->stacks);
    *effective += part * build_effective(build, tally);
}

static struct snapshot_callers *list_callers_below(struct build *build,
                                                   const struct call_tree *tree, uint32_t node,
                                                   double all, double effective)
{
    struct snapshot_caller rows[CALLERS_ROWS];
    struct call_list list = {
        .build = build, .tree = tree, .rows = rows, .all = all, .effective_samples = effective};
    if (!(all > 0) || !tree->child[node] || all < listed_min * build->stacks)
        return NULL;
    list.depths = choose_call_depth(&list, node);
    list_children(&list, node, 0, 0);
    struct snapshot_callers *callers = build_array(build, 1, sizeof *callers);
    struct snapshot_caller *copy = build_array(build, list.count, sizeof *copy);
    if (build->failed)
        return NULL;
    memcpy(copy, rows, list.count * sizeof *copy);
    *callers = (struct snapshot_callers){.samples = all, .list = copy, .count = list.count};
    return callers;
}

/* Gathers all calls counted for the event; NULL: no memory. */
static struct call *gather_calls(const struct build *build, size_t *count)
{
    const struct pairs *pairs = &build->profile->callers;
    const struct pair *pair;
    struct call *calls = calloc(pairs->count + 1, sizeof *calls);
    *count = 0;
    for (size_t i = 0; calls && (pair = pairs_next(pairs, &i));) {
        double samples =
            PAIR_EVENT(pair->owner) == build->event ? build_samples(build, &pair->weight) : 0;
        if (samples > 0 && pair->key < CALLER_NODES_MAX)
            calls[(*count)++] = (struct call){
                (uint32_t)pair->key, build_object_index(build, PAIR_OBJECT(pair->owner)), samples};
    }
    return calls;
}

static void list_objects(struct build *build, struct call_tree *tree, struct call *calls,
                         size_t count)
{
    const struct profile *profile = build->profile;
    SORT(calls, count, SMALLEST(struct call, row), SMALLEST(struct call, node));
    for (size_t i = 0; i < count && calls[i].row != UINT32_MAX && !build->failed;) {
        struct snapshot_object *object = &build->snapshot->objects[calls[i].row];
        double all = 0;
        double effective = 0;
        uint32_t id = object->id;
        do
            add_stacks(build, tallies_at(&profile->objects, id, build->event), &all, &effective);
        while ((id = build_next_part(build, id)));
        call_tree_clear(tree);
        for (uint32_t row = calls[i].row; i < count && calls[i].row == row; i++)
            call_tree_add(build, tree, &calls[i]);
        object->callers = list_callers_below(build, tree, 0, all, effective);
    }
}

static void list_functions(struct build *build, struct call_tree *tree, const struct call *calls,
                           size_t count)
{
    const struct profile *profile = build->profile;
    struct snapshot *snapshot = build->snapshot;
    call_tree_clear(tree);
    for (size_t i = 0; i < count; i++)
        call_tree_add(build, tree, &calls[i]);
    for (size_t i = 0; i < snapshot->code_count && !build->failed; i++) {
        struct snapshot_code *code = &snapshot->code[i];
        const struct tally *unplaced = unplaced_tally(&profile->unplaced, code->id, build->event);
        uint32_t root = tree->child[0];
        double all = 0;
        double effective = 0;
        while (root && tree->desc[root].function != code->id)
            root = tree->sibling[root];
        add_stacks(build, tallies_at(&profile->functions, code->id, build->event), &all,
                   &effective);
        if (unplaced)
            add_stacks(build, unplaced, &all, &effective);
        if (root)
            code->callers = list_callers_below(build, tree, root, all, effective);
    }
}

void build_callers(struct build *build)
{
    struct call_tree tree;
    size_t count = 0;
    struct call *calls = gather_calls(build, &count);
    build->failed |= !calls;
    for (size_t i = 0; i < count; i++)
        build->stacks += calls[i].samples;
    if (count) {
        build->failed |= !call_tree_init(&tree);
        if (!build->failed)
            list_objects(build, &tree, calls, count);
        if (!build->failed)
            list_functions(build, &tree, calls, count);
        call_tree_fini(&tree);
    }
    free(calls);
}

/* ---- whole stacks ---- */

/* Returns the frame of a node, which is created once; NULL: not known. A stack has at most
 * CALLERS_DEEPEST nodes, whatever a recording says. */
static const struct snapshot_frame *make_frame(struct build *build,
                                               const struct snapshot_frame **frames, uint32_t node,
                                               unsigned deep, uint32_t *function)
{
    enum { CALLERS_DEEPEST = 256 };
    union place_answer answer;
    struct function_desc described;
    if (deep == CALLERS_DEEPEST || node >= CALLER_NODES_MAX ||
        !build_ask(build, PLACE_CALLER, node, &answer))
        return NULL;
    struct caller_desc desc = answer.caller;
    const struct snapshot_frame *inner =
        desc.parent && desc.parent < node
            ? make_frame(build, frames, desc.parent, deep + 1, function)
            : NULL;
    if (!desc.parent)
        *function = desc.function;
    if (frames[node] || (desc.parent && !inner))
        return frames[node];
    struct snapshot_frame *frame = build_array(build, 1, sizeof *frame);
    if (!frame)
        return NULL;
    build_describe_function(build, desc.function, &described);
    frame->function = build_name(build, described.name);
    frame->file =
        described.file && *described.file ? arena_string(build->arena, described.file) : NULL;
    frame->line = described.line;
    frame->inner = inner;
    return frames[node] = frame;
}

void build_stacks_list(struct build *build, struct build_stacks *stacks)
{
    const struct pairs *pairs = &build->profile->callers;
    const struct pair *pair;
    const struct snapshot_frame **frames = build_scratch(build, CALLER_NODES_MAX, sizeof *frames);
    *stacks = (struct build_stacks){.list = build_array(build, pairs->count, sizeof *stacks->list)};
    for (size_t i = 0; !build->failed && (pair = pairs_next(pairs, &i));) {
        struct build_stack *stack = &stacks->list[stacks->count];
        uint32_t function = 0;
        if (PAIR_EVENT(pair->owner) != build->event)
            continue;
        stack->weight = build_read(build, &pair->weight);
        stack->outermost = make_frame(build, frames, (uint32_t)pair->key, 0, &function);
        stack->key = build_stack_key(PAIR_OBJECT(pair->owner), function);
        stacks->count += stack->outermost && stack->weight > 0;
    }
    if (!build->failed)
        SORT(stacks->list, stacks->count, SMALLEST(struct build_stack, key),
             LARGEST(struct build_stack, weight));
    free(frames);
}

const struct snapshot_stack *build_stacks_of(struct build *build, const struct build_stacks *stacks,
                                             uint32_t object, uint32_t function, size_t *count)
{
    uint64_t key = build_stack_key(object, function);
    size_t low = SORTED_BELOW(stacks->list, stacks->count, key, key);
    size_t end = SORTED_UP_TO(stacks->list, stacks->count, key, key);
    double all = 0;
    for (size_t i = low; i < end; i++)
        all += stacks->list[i].weight;
    *count = end - low;
    struct snapshot_stack *list = *count ? arena_array(build->arena, *count, sizeof *list) : NULL;
    build->failed |= *count && !list;
    for (size_t i = 0; list && i < *count; i++)
        list[i] = (struct snapshot_stack){stacks->list[low + i].outermost,
                                          stacks->list[low + i].weight / all};
    return list;
}
