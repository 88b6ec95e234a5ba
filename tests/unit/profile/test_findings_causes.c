/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rules based on exact evidence: causes of misses, links read from memory, consecutive misses,
 * watchpoints; their conditions, and the findings that they contradict. */
#include <math.h>
#include <string.h>

#include "unit.h"
#include "unit/profile/rules_fixture.h"

enum { KIB = 1024, NODE = 64 };

static struct snapshot_causes_row reported[2];
static struct snapshot_layout layout;
static struct snapshot_layout_row row;
static uint64_t step; /* distance between nodes; 0: random */

static int setup(void **state)
{
    int failed = findings_setup(state);
    memset(reported, 0, sizeof reported);
    for (uint32_t i = 0; i < 2; i++) {
        reported[i] =
            (struct snapshot_causes_row){.index = i, .id = 7 + i, .name = objects[i].name};
        reported[i].figures = (struct snapshot_causes_figures){
            .samples = 1000, .misses = 1000, .evicted = 1000, .self_evicted = 1};
        objects[i].loads = 1000;
    }
    snapshot.simulation = (struct snapshot_simulation){.level_count = 1, .miss_period = 1};
    snapshot.simulation.level[0] =
        (struct simulation_level){.size_bytes = 256 * KIB, .ways = 8, .line_bytes = LINE};
    snapshot.source.events[0].role = EVENT_MISS_L1;
    snapshot.causes.known = true;
    snapshot.causes.by_kind[CAUSES_OBJECTS].rows = reported;
    snapshot.causes.by_kind[CAUSES_OBJECTS].count = 2;
    return failed;
}

static void set_miss_cause(int object, enum miss_cause cause, double share)
{
    memset(reported[object].figures.share, 0, sizeof reported[object].figures.share);
    reported[object].figures.share[cause] = share;
    reported[object].figures.share[CAUSE_FIRST] += 1 - share;
}

static void set_evictor(int object, int by, double share)
{
    reported[object].evictors[0] = (struct snapshot_evictor){.function = "work",
                                                             .object = objects[by].name,
                                                             .object_id = 7 + (uint32_t)by,
                                                             .share = share};
    reported[object].evictor_count = 1;
    reported[object].figures.self_evicted = by == object ? share : 1 - share;
}

/* ---- causes ---- */

static void conflict_finding_names_its_evictor(void **state)
{
    (void)state;
    set_miss_cause(0, CAUSE_CONFLICT, 0.6);
    set_miss_cause(1, CAUSE_CONFLICT, 0.1); /* too few */
    set_evictor(0, 1, 0.9);
    assert_int_equal(REPORTED(RULE_CONFLICT_CAUSE), 1);
    assert_int_equal(list[0].kind, FINDING_CONFLICT);
    assert_int_equal(list[0].confidence, CONFIDENCE_HIGH);
    assert_true(fabs(list[0].gain - 0.4 * 0.6) < 1e-9);
    assert_non_null(strstr(words()->evidence, "work on second 90%"));
    assert_non_null(strstr(words()->advice, "a multiple of 32768 bytes"));
    assert_non_null(strstr(words()->advice, "this and second"));
    set_evictor(0, 0, 1);
    assert_int_equal(REPORTED(RULE_CONFLICT_CAUSE), 1);
    assert_non_null(strstr(words()->advice, "rows one line longer"));
    reported[0].figures.samples = FINDINGS_SAMPLES - 1;
    assert_int_equal(REPORTED(RULE_CONFLICT_CAUSE), 0);
}

static void invalidation_misses_are_sharing_findings(void **state)
{
    (void)state;
    set_miss_cause(0, CAUSE_INVALIDATED_FALSE, 0.5);
    set_miss_cause(1, CAUSE_INVALIDATED_TRUE, 0.5);
    assert_int_equal(REPORTED(RULE_FALSE_SHARING_CAUSE), 2);
    assert_int_equal(list[0].kind, FINDING_FALSE_SHARING);
    assert_int_equal(list[1].kind, FINDING_TRUE_SHARING);
    set_miss_cause(0, CAUSE_INVALIDATED_FALSE, 0.05);
    set_miss_cause(1, CAUSE_CAPACITY, 1);
    assert_int_equal(REPORTED(RULE_FALSE_SHARING_CAUSE), 0);
}

/* A line that threads take from each other is rarely filled from memory: the object is not listed
 * if memory misses rank, or is listed for other misses. */
static void sharing_is_found_for_any_ranking_event(void **state)
{
    struct snapshot_sharing_side sides[2] = {
        {.codes = {{.function = "count_hits"}}, .code_count = 1},
        {.codes = {{.function = "count_misses"}}, .code_count = 1}};
    struct snapshot_sharing_line line = {.address = BASE, .sides = sides, .side_count = 2};
    struct snapshot_sharing_group group = {.object = UINT32_MAX,
                                           .id = 77,
                                           .name = "counters",
                                           .fields = "hits | misses",
                                           .verdict = SHARING_FALSE,
                                           .evidence = SHARING_HITM,
                                           .share = {.value = 0.9},
                                           .hitm = 2000,
                                           .threads = 2,
                                           .has_enough_samples = true,
                                           .remedy = {.kind = SHARING_COPIES},
                                           .lines = &line,
                                           .line_count = 1};
    (void)state;
    snapshot.sharing =
        (struct snapshot_sharing){.misses = 5000, .groups = &group, .group_count = 1};
    assert_int_equal(REPORTED(RULE_FALSE_SHARING), 1);
    assert_int_equal(list[0].kind, FINDING_FALSE_SHARING);
    assert_true(fabs(list[0].share - 0.4) < 1e-9 && isnan(list[0].gain));
    assert_string_equal(list[0].name, "counters");
    assert_non_null(strstr(words()->evidence, "sampled misses occurred because"));
    group.object = 0;
    set_miss_cause(0, CAUSE_FIRST, 1);
    assert_int_equal(REPORTED(RULE_FALSE_SHARING), 1);
    group.hitm = 100; /* handed over only rarely */
    assert_int_equal(REPORTED(RULE_FALSE_SHARING), 0);
    snapshot.sharing = (struct snapshot_sharing){0};
}

/* Applies the rules of capacity misses and first references. */
static size_t apply_capacity_and_cold_rules(void)
{
    findings.count = 0;
    for (int rule = RULE_EVICTED; rule <= RULE_FIRST_TOUCH_CAUSE; rule++)
        findings_apply(&findings, (enum finding_rule)rule);
    return findings.count;
}

/* 64 KiB of the first object at random, 4 MiB of the second in order. */
static void table_and_stream(void)
{
    for (uint64_t i = 0; i < 4000; i++) {
        add_sample(7, BASE + chance() % (64 * KIB));
        add_sample(8, 2 * BASE + i * 1024 % (4096 * KIB));
    }
    gather_samples();
}

static void fitting_table_evicted_by_stream_is_pushed_out(void **state)
{
    (void)state;
    table_and_stream();
    set_miss_cause(0, CAUSE_CAPACITY, 0.9);
    set_miss_cause(1, CAUSE_CAPACITY, 0.8);
    set_evictor(0, 1, 0.9);
    set_evictor(1, 1, 0.9);
    assert_int_equal(apply_capacity_and_cold_rules(), 2);
    assert_int_equal(list[0].kind, FINDING_EVICTED);
    assert_true(fabs(list[0].gain - 0.4 * 0.9) < 1e-9);
    assert_non_null(strstr(words()->advice, "Avoid accesses to second"));
    assert_int_equal(list[1].kind, FINDING_STREAMING);
    assert_true(fabs(list[1].gain - 0.4 * 0.8) < 1e-9);
    reported[0].figures.evicted = 10;  /* most evictors are not known */
    set_miss_cause(1, CAUSE_FIRST, 1); /* read once: no second pass */
    assert_int_equal(apply_capacity_and_cold_rules(), 0);
}

static void cold_misses_with_stores_are_first_touch(void **state)
{
    (void)state;
    table_and_stream();
    set_miss_cause(0, CAUSE_FIRST, 1);
    set_miss_cause(1, CAUSE_FIRST, 1);
    objects[1].stores = 900;
    assert_int_equal(apply_capacity_and_cold_rules(), 1);
    assert_int_equal(list[0].kind, FINDING_FIRST_TOUCH);
    assert_int_equal(list[0].object, 1);
}

static void time_based_rules_are_disabled_in_simulation(void **state)
{
    (void)state;
    scatter(UINT64_C(96) << 20);
    assert_int_equal(REPORTED(RULE_TLB_REACH), 0);
    snapshot.simulation.level_count = 0;
    snapshot.causes.known = false;
    assert_int_equal(REPORTED(RULE_TLB_REACH), 1);
}

/* ---- links ---- */

static bool next_node(void *context, uint64_t address, uint64_t *value)
{
    (void)context;
    *value = step ? address + step : BASE + address * 2654435761u % (8192 * KIB) / NODE * NODE;
    return true;
}

/* The word at 8 of each node is the address of its class. */
static bool next_of_class(void *context, uint64_t address, uint64_t *value)
{
    next_node(context, address, value);
    if ((address - BASE) % NODE == 8)
        *value = 0x500000;
    return true;
}

static void list_of_nodes(void)
{
    row =
        (struct snapshot_layout_row){.kind = LAYOUT_MEMBER,
                                     .member = {.name = "next", .type = "struct node *", .size = 8},
                                     .share = 1,
                                     .samples = 900};
    layout = (struct snapshot_layout){
        .name = "struct node", .type = 3, .size = NODE, .rows = &row, .row_count = 1};
    objects[0].layouts = &layout;
    objects[0].layout_count = 1;
    names.word = next_node;
    for (int i = 0; i < 4000; i++) {
        struct window_entry entry = {.address = BASE + chance() % (8192 * KIB) / NODE * NODE,
                                     .object = 7,
                                     .tid = 1,
                                     .type = 3,
                                     .size = 8};
        window_add(&window, &entry);
    }
    gather_samples();
}

/* One pass over 8 MiB takes less time than there is between two samples. */
static void links_show_pointer_chasing_in_short_list(void **state)
{
    (void)state;
    snapshot.simulation.level_count = 0;
    snapshot.causes.known = false;
    list_of_nodes();
    assert_int_equal(findings_order(&findings, 0), SPREAD_UNKNOWN);
    step = 0;
    assert_int_equal(REPORTED(RULE_CHASING), 1);
    assert_int_equal(list[0].confidence, CONFIDENCE_MEDIUM);
    assert_non_null(strstr(words()->evidence, "lead to another page"));
    layout.reading = LAYOUT_MANAGED; /* in Python, the targets are objects of another class */
    assert_int_equal(REPORTED(RULE_CHASING), 0);
    names.word = next_of_class;
    assert_int_equal(REPORTED(RULE_CHASING), 1);
    layout.reading = LAYOUT_UNUSED;
    names.word = next_node;
    step = NODE;
    assert_int_equal(REPORTED(RULE_CHASING), 0);
    names.word = NULL; /* not known */
    assert_int_equal(REPORTED(RULE_CHASING), 0);
}

/* Each node is a block. */
static bool block_of_node(void *context, uint64_t address, struct object_extent *extent)
{
    (void)context;
    extent->base = address / NODE * NODE;
    extent->bound = extent->base + NODE;
    extent->object = 7;
    return true;
}

/* Links lead from blocks of one node to larger blocks: a node that was asked for first is known. */
static bool blocks_of_others(void *context, uint64_t address, struct object_extent *extent)
{
    static bool target;
    block_of_node(context, address, extent);
    extent->bound += target ? NODE : 0;
    target = !target;
    return true;
}

/* The target of a link has text at the offset of the link. */
static bool next_or_text(void *context, uint64_t address, uint64_t *value)
{
    static bool target;
    next_node(context, address, value);
    if (target)
        memcpy(value, "a name..", sizeof *value);
    target = !target;
    return true;
}

/* The name of an entry of a hash table is in the same memory as the entries. */
static void pointer_to_something_else_is_not_a_link(void **state)
{
    (void)state;
    snapshot.simulation.level_count = 0;
    snapshot.causes.known = false;
    step = 0;
    list_of_nodes();
    names.extent = block_of_node;
    assert_int_equal(REPORTED(RULE_CHASING), 1);
    row.member.type = "const char *";
    assert_int_equal(REPORTED(RULE_CHASING), 0);
    row.member.type = "unsigned char *";
    assert_int_equal(REPORTED(RULE_CHASING), 0);
    row.member.type = "character *";
    assert_int_equal(REPORTED(RULE_CHASING), 1);
    row.member.type = "struct user *";
    names.word = next_or_text;
    assert_int_equal(REPORTED(RULE_CHASING), 0);
    names.word = next_node;
    names.extent = blocks_of_others;
    assert_int_equal(REPORTED(RULE_CHASING), 0);
    names.extent = NULL;
}

/* Accesses to a node and to its base class, in memory with several types. */
static void link_of_a_base_class_is_not_a_second_link(void **state)
{
    static struct snapshot_layout layouts[2];
    (void)state;
    snapshot.simulation.level_count = 0;
    snapshot.causes.known = false;
    step = 0;
    list_of_nodes();
    layouts[0] = layouts[1] = layout;
    layouts[1].name = "struct base";
    layouts[1].size = sizeof(void *);
    objects[0].layouts = layouts;
    objects[0].layout_count = 2;
    assert_int_equal(REPORTED(RULE_CHASING), 1);
    assert_false(list[0].figures.chasing.several);
    assert_non_null(strstr(words()->evidence, "of 64 bytes"));
    layout.size = sizeof(void *);
    objects[0].layouts = &layout;
    objects[0].layout_count = 1;
    assert_int_equal(REPORTED(RULE_CHASING), 1);
    assert_null(strstr(words()->evidence, "bytes"));
}

/* Words at 8 and 16 of half of the nodes are links; the first word is not an address. */
static bool short_tree(void *context, uint64_t address, uint64_t *value)
{
    next_node(context, address, value);
    if ((address - BASE) % NODE == 0 || (address * 2654435761u >> 16) % 2)
        *value = 0;
    return true;
}

/* A quarter of the nodes have a link: the chains of a hash table with one bucket per node. */
static bool short_chain(void *context, uint64_t address, uint64_t *value)
{
    next_node(context, address, value);
    if ((address * 2654435761u >> 16) % 4)
        *value = 0;
    return true;
}

static void single_node_chains_are_not_pointer_chasing(void **state)
{
    (void)state;
    snapshot.simulation.level_count = 0;
    snapshot.causes.known = false;
    step = 0;
    list_of_nodes();
    names.word = short_chain;
    assert_int_equal(REPORTED(RULE_CHASING), 0);
    findings.rate = 1e6; /* ... nor is a lack of order visible */
    assert_int_equal(findings_order(&findings, 0), SPREAD_SCATTERED);
    assert_int_equal(REPORTED(RULE_CHASING), 0);
    names.word = next_node;
    assert_int_equal(REPORTED(RULE_CHASING), 1);
}

/* Two links that are read and lead far away, neither of them along a chain: a tree, recognised by
 * the targets, not by names. */
static void node_with_two_links_is_a_tree(void **state)
{
    static struct snapshot_layout_row rows[3];
    (void)state;
    snapshot.simulation.level_count = 0;
    snapshot.causes.known = false;
    step = 0;
    list_of_nodes();
    for (int i = 0; i < 3; i++)
        rows[i] = (struct snapshot_layout_row){.kind = LAYOUT_MEMBER,
                                               .member = {.name = i ? "left" : "key",
                                                          .type = "_Base_ptr",
                                                          .offset = 8 * (uint64_t)i,
                                                          .size = 8},
                                               .samples = 300};
    layout.rows = rows;
    layout.row_count = 2;
    names.word = short_chain;
    assert_int_equal(REPORTED(RULE_CHASING), 0);
    layout.row_count = 3;
    names.word = short_tree;
    assert_int_equal(REPORTED(RULE_CHASING), 1);
    assert_int_equal(list[0].confidence, CONFIDENCE_MEDIUM);
    assert_non_null(strstr(words()->advice, "B-tree"));
}

/* Nodes in a ring: the word at 8 leads to the next node, the word at 16 to the previous one. */
static bool ring(void *context, uint64_t address, uint64_t *value)
{
    uint64_t node = (address - BASE) / NODE;
    uint64_t nodes = 8192 * KIB / NODE;
    uint64_t step_nodes = 100003 % nodes;
    (void)context;
    *value = 0;
    if ((address - BASE) % NODE == 0) /* the key */
        return true;
    uint64_t to = (address - BASE) % NODE == 8 ? (node + step_nodes) % nodes
                                               : (node + nodes - step_nodes) % nodes;
    *value = BASE + to * NODE;
    return true;
}

/* All samples of the links are on one of them, for example if the compiler selects the child by an
 * index. For a tree, and for the two directions of a list in the elements of a hash table. */
static void tree_is_found_with_one_sampled_link(void **state)
{
    static struct snapshot_layout_row rows[3];
    (void)state;
    snapshot.simulation.level_count = 0;
    snapshot.causes.known = false;
    step = 0;
    list_of_nodes();
    for (int i = 0; i < 3; i++)
        rows[i] = (struct snapshot_layout_row){.kind = LAYOUT_MEMBER,
                                               .member = {.name = i ? "child" : "key",
                                                          .type = "_Base_ptr",
                                                          .offset = 8 * (uint64_t)i,
                                                          .size = 8},
                                               .samples = i == 1 ? 300 : 0};
    layout.rows = rows;
    layout.row_count = 3;
    names.word = short_tree;
    assert_int_equal(REPORTED(RULE_CHASING), 1);
    assert_false(findings_links_mutual(&findings, 0, &layout, 8, 16));
    names.word = ring;
    assert_true(findings_links_mutual(&findings, 0, &layout, 8, 16));
    rows[1].samples = 0; /* the chain is short, and nothing follows the list */
    rows[0].samples = 300;
    assert_int_equal(REPORTED(RULE_CHASING), 0);
}

/* ---- one miss after the other ---- */

static void arrays_read_at_same_index_are_a_finding(void **state)
{
    (void)state;
    for (int i = 0; i < 4000; i++) {
        uint64_t at = chance() % (128 * KIB);
        add_sample(7, BASE + at * 8);
        add_sample(8, 2 * BASE + at * 8);
    }
    gather_samples();
    assert_int_equal(REPORTED(RULE_SAME_INDEX), 1);
    assert_int_equal(list[0].kind, FINDING_SEPARATED_PAIR);
    assert_true(fabs(list[0].gain - 0.4) < 1e-9);
    window_clear(&window);
    for (int i = 0; i < 4000; i++) {
        add_sample(7, BASE + chance() % (128 * KIB) * 8);
        add_sample(8, 2 * BASE + chance() % (128 * KIB) * 8);
    }
    gather_samples();
    assert_int_equal(REPORTED(RULE_SAME_INDEX), 0);
}

/* ---- exact evidence against findings ---- */

static struct snapshot_finding prepare_finding(enum finding_rule rule, bool bound)
{
    return (struct snapshot_finding){.rule = rule,
                                     .kind = findings_rule(rule)->kind,
                                     .confidence = CONFIDENCE_MEDIUM,
                                     .object = 0,
                                     .gain = 0.2,
                                     .is_upper_bound = bound,
                                     .level = "L1"};
}

static size_t weighed(enum finding_rule rule, bool bound)
{
    list[0] = prepare_finding(rule, bound);
    findings.count = 1;
    findings_weigh(&findings);
    return findings.count;
}

static void cold_misses_drop_findings_that_need_reuse(void **state)
{
    (void)state;
    set_miss_cause(0, CAUSE_FIRST, 1);
    assert_int_equal(weighed(RULE_COLUMNS, true), 0);
    assert_int_equal(weighed(RULE_SPLIT, false), 1); /* fewer lines are fetched */
    assert_non_null(strstr(words()->evidence, "100% are first references"));
    set_miss_cause(0, CAUSE_CAPACITY, 1);
    assert_int_equal(weighed(RULE_COLUMNS, true), 1);
}

static void line_use_drops_or_supports_a_split(void **state)
{
    struct snapshot_use use = {.lines = 1000, .fetched_bytes = 64000, .used_bytes = 8000};
    (void)state;
    set_miss_cause(0, CAUSE_CAPACITY, 1);
    objects[0].use = &use;
    snapshot.uses = (struct snapshot_uses){.known = true, .level = 1};
    assert_int_equal(weighed(RULE_SPLIT, false), 1);
    assert_int_equal(list[0].confidence, CONFIDENCE_HIGH);
    assert_non_null(
        strstr(words()->evidence, "1000 lines fetched for it and evicted from L2, 12%"));
    /* A line that a nearer cache evicted may still have been used in the next level. */
    snapshot.uses.is_nearer = true;
    assert_int_equal(weighed(RULE_SPLIT, false), 1);
    assert_int_equal(list[0].confidence, CONFIDENCE_MEDIUM);
    use.used_bytes = 60000;
    assert_int_equal(weighed(RULE_SPLIT, false), 0);
    assert_int_equal(weighed(RULE_COLUMNS, true), 1);
    use.lines = 10;
    assert_int_equal(weighed(RULE_SPLIT, false), 1);
}

static void watch_results_drop_or_support_findings(void **state)
{
    struct snapshot_watch_object watched = {.object = 0,
                                            .id = 7,
                                            .watched = 100,
                                            .touched = 90,
                                            .visits = 100,
                                            .used = {0.2, 0.1, 0.3},
                                            .verdict = WATCH_CAPACITY};
    (void)state;
    snapshot.causes.known = false;
    snapshot.watch = (struct snapshot_watch){.is_on = true, .objects = &watched, .count = 1};
    assert_int_equal(weighed(RULE_STREAMING, true), 1);
    assert_int_equal(list[0].confidence, CONFIDENCE_HIGH);
    assert_int_equal(weighed(RULE_CONFLICT_SETS, true), 0);
    assert_int_equal(weighed(RULE_SPLIT, false), 1);
    assert_int_equal(list[0].confidence, CONFIDENCE_HIGH);
    assert_non_null(strstr(words()->evidence, "20% (10 to 30)"));
    watched.used = (struct snapshot_share){0.9, 0.8, 0.95};
    assert_int_equal(weighed(RULE_SPLIT, false), 0);
    watched.verdict = WATCH_TOO_FEW;
    assert_int_equal(weighed(RULE_CONFLICT_SETS, true), 1);
    assert_int_equal(list[0].confidence, CONFIDENCE_MEDIUM);
}

#undef RULE
#define RULE(test) cmocka_unit_test_setup_teardown(test, setup, findings_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RULE(conflict_finding_names_its_evictor),
        RULE(invalidation_misses_are_sharing_findings),
        RULE(sharing_is_found_for_any_ranking_event),
        RULE(fitting_table_evicted_by_stream_is_pushed_out),
        RULE(cold_misses_with_stores_are_first_touch),
        RULE(time_based_rules_are_disabled_in_simulation),
        RULE(single_node_chains_are_not_pointer_chasing),
        RULE(node_with_two_links_is_a_tree),
        RULE(tree_is_found_with_one_sampled_link),
        RULE(links_show_pointer_chasing_in_short_list),
        RULE(link_of_a_base_class_is_not_a_second_link),
        RULE(pointer_to_something_else_is_not_a_link),
        RULE(arrays_read_at_same_index_are_a_finding),
        RULE(cold_misses_drop_findings_that_need_reuse),
        RULE(line_use_drops_or_supports_a_split),
        RULE(watch_results_drop_or_support_findings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
