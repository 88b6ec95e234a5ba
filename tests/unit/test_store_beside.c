/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a store tells beside places and names: totals of a simulated run, and watchpoints. */
#include "unit.h"

#include "store/form.h"
#include "store/store_read.h"
#include "store_planned.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/misstop-store-XXXXXX";

static int make_path(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_path(void **state)
{
    (void)state;
    return unlink(path);
}

static struct store_writer *start(struct planned *planned, const struct store_facts *facts)
{
    struct store_writer *writer;
    int fd = open(path, O_RDWR | O_TRUNC | O_CLOEXEC);
    struct store_writer_options options = {
        .fd = fd, .path = path, .names = planned_names(planned), .start_ns = 1000};
    assert_int_equal(store_writer_open(&writer, &options, facts, NULL), 0);
    return writer;
}

static struct store_reader *finish(struct store_writer *writer)
{
    struct store_reader *reader;
    assert_int_equal(store_writer_close(writer, NULL), 0);
    assert_int_equal(store_reader_open(&reader, path, NULL), 0);
    return reader;
}

enum { ITEMS = 16 };

struct items {
    struct store_item list[ITEMS];
    unsigned count;
};

static void keep(void *context, const struct store_item *item)
{
    struct items *items = context;
    assert_true(items->count < ITEMS);
    items->list[items->count++] = *item;
}

static struct items read_all(struct store_reader *reader)
{
    struct items items = {.count = 0};
    while (store_reader_read(reader, UINT64_MAX, keep, &items) >= 0)
        continue;
    return items;
}

static void same_watch(const struct store_watch *a, const struct store_watch *b)
{
    const struct watch_result *left = &a->result;
    const struct watch_result *right = &b->result;
    assert_true(left->kind == right->kind && left->end == right->end &&
                left->object == right->object && left->origin_tid == right->origin_tid &&
                left->toucher_tid == right->toucher_tid && left->address == right->address &&
                left->base == right->base && left->origin_ns == right->origin_ns &&
                left->armed_ns == right->armed_ns && left->end_ns == right->end_ns &&
                left->off_ns == right->off_ns && a->function == b->function && a->ip == b->ip);
}

/* Also where one is like the one before, and where it ended before the last place. */
static void results_come_back_among_the_places(void **state)
{
    struct planned planned = {.generation = 1};
    struct store_facts facts;
    struct prng prng = {7};
    struct store_watch watches[2] = {planned_watch(5001), planned_watch(20002)};
    (void)state;
    planned_facts(&facts, 1);
    struct store_writer *writer = start(&planned, &facts);
    struct place place = planned_place(&prng, 30000, false);
    store_writer_watch(writer, &watches[0]);
    store_writer_place(writer, &place);
    store_writer_watch(writer, &watches[1]);
    store_writer_watch(writer, &watches[1]);
    assert_int_equal(store_writer_sync(writer, &facts, place.access.time_ns + 1, 1, NULL), 0);
    struct store_reader *reader = finish(writer);
    struct items items = read_all(reader);
    assert_int_equal(items.count, 5);
    assert_int_equal(items.list[0].kind, STORE_ITEM_WATCH);
    assert_int_equal(items.list[1].kind, STORE_ITEM_PLACE);
    assert_int_equal(items.list[4].kind, STORE_ITEM_REFRESH);
    same_watch(&items.list[0].watch, &watches[0]);
    same_watch(&items.list[2].watch, &watches[1]);
    same_watch(&items.list[3].watch, &watches[1]);
    assert_int_equal(items.list[2].time_ns, items.list[1].time_ns);
    /* What it names can be asked for. */
    struct place_names names = store_reader_names(reader);
    struct object_desc object;
    struct function_desc function;
    struct instruction_desc line;
    assert_true(names.object(names.context, watches[1].result.object, &object));
    assert_true(names.function(names.context, watches[1].function, &function));
    assert_true(names.instruction(names.context, watches[1].ip, &line));
    store_reader_close(reader);
}

/* In their order among the places; what they name can be asked for. */
static void renames_come_back(void **state)
{
    struct planned planned = {.generation = 1};
    struct store_facts facts;
    struct prng prng = {7};
    static const struct object_rename renames[2] = {
        {.from = 7, .to = 3, .type = 2, .offset = 16},
        {.from = 8, .to = 3, .fixed = true, .offset = -5}};
    (void)state;
    planned_facts(&facts, 1);
    struct store_writer *writer = start(&planned, &facts);
    struct place place = planned_place(&prng, 30000, false);
    store_writer_place(writer, &place);
    store_writer_rename(writer, &renames[0]);
    store_writer_rename(writer, &renames[1]);
    store_writer_rename(writer, &renames[1]);
    assert_int_equal(store_writer_sync(writer, &facts, place.access.time_ns + 1, 1, NULL), 0);
    struct store_reader *reader = finish(writer);
    struct items items = read_all(reader);
    assert_int_equal(items.count, 5);
    for (int i = 0; i < 3; i++) {
        const struct object_rename *read = &items.list[i + 1].rename;
        const struct object_rename *written = &renames[i > 0];
        assert_int_equal(items.list[i + 1].kind, STORE_ITEM_RENAME);
        assert_true(read->from == written->from && read->to == written->to &&
                    read->type == written->type && read->fixed == written->fixed &&
                    read->offset == written->offset);
    }
    struct place_names names = store_reader_names(reader);
    struct object_desc object;
    struct type_desc type;
    assert_true(names.object(names.context, 3, &object));
    assert_true(names.type(names.context, 2, &type));
    store_reader_close(reader);
}

static void what_ranks_comes_back(void **state)
{
    struct prng prng = {4};
    struct planned planned = {0};
    struct store_facts facts;
    (void)state;
    planned_facts(&facts, 1);
    struct store_writer *writer = start(&planned, &facts);
    struct place place = planned_place(&prng, 30000, false);
    store_writer_place(writer, &place);
    store_writer_ranking(writer, 2);
    store_writer_ranking(writer, 2);
    store_writer_place(writer, &place);
    store_writer_ranking(writer, 0);
    struct store_reader *reader = finish(writer);
    struct items items = read_all(reader);
    assert_int_equal(items.count, 4);
    assert_int_equal(items.list[1].kind, STORE_ITEM_RANKING);
    assert_int_equal(items.list[1].ranking, 2);
    assert_int_equal(items.list[3].kind, STORE_ITEM_RANKING);
    assert_int_equal(items.list[3].ranking, 0);
    store_reader_close(reader);
}

/* As of each refresh, and before the first one as they began. */
static void totals_come_back(void **state)
{
    struct planned planned = {.generation = 1};
    struct store_facts made;
    struct store_facts facts;
    (void)state;
    planned_facts(&made, 3);
    struct store_writer *writer = start(&planned, &made);
    planned_facts(&made, 1000003);
    made.watch.trouble = NULL;
    assert_int_equal(store_writer_sync(writer, &made, 5000, 1, NULL), 0);
    struct store_reader *reader = finish(writer);
    read_all(reader);
    store_reader_facts(reader, &facts);
    assert_memory_equal(&facts.simulation, &made.simulation, sizeof made.simulation);
    assert_memory_equal(facts.watch_lines, made.watch_lines, sizeof made.watch_lines);
    const struct snapshot_watch *a = &facts.watch;
    const struct snapshot_watch *b = &made.watch;
    assert_true(a->on && a->registers == b->registers && a->threads == b->threads &&
                a->threads_left_out == b->threads_left_out && a->offered == b->offered &&
                a->armed == b->armed && a->unpaid == b->unpaid && a->touches == b->touches &&
                a->trap_ns == b->trap_ns && a->arm_ns == b->arm_ns && a->budget == b->budget);
    assert_true(isnan(a->overhead));
    assert_null(a->trouble);
    store_reader_close(reader);
}

struct refreshes {
    struct store_reader *reader;
    bool more[8];
    char name[8][64];
    unsigned count;
};

static void at_refresh(void *context, const struct store_item *item)
{
    struct refreshes *refreshes = context;
    struct place_names names = store_reader_names(refreshes->reader);
    struct object_desc object = {0};
    if (item->kind != STORE_ITEM_REFRESH)
        return;
    refreshes->more[refreshes->count] = store_reader_more(refreshes->reader);
    names.object(names.context, 1, &object);
    snprintf(refreshes->name[refreshes->count++], 64, "%s", object.name);
}

/* Also where nothing but names lies between two of them, in the same block or another. */
static void names_at_a_refresh_are_those_of_then(void **state)
{
    struct planned planned = {.generation = 1};
    struct store_facts facts;
    struct prng prng = {7};
    char first[64];
    (void)state;
    planned_facts(&facts, 1);
    struct store_writer *writer = start(&planned, &facts);
    struct place place = planned_place(&prng, 2000, false);
    struct place_names names = planned_names(&planned);
    struct object_desc object;
    place.object = 1;
    store_writer_place(writer, &place);
    names.object(names.context, 1, &object);
    snprintf(first, sizeof first, "%s", object.name);
    assert_int_equal(store_writer_sync(writer, &facts, 300000, 1, NULL), 0);
    planned.generation = 2;
    assert_int_equal(store_writer_sync(writer, &facts, 400000, 1, NULL), 0);
    /* Read on after the last refresh: more names, but no item. */
    store_writer_cpu_node(writer, 3, 1);
    struct refreshes refreshes = {.reader = finish(writer)};
    while (store_reader_read(refreshes.reader, UINT64_MAX, at_refresh, &refreshes) >= 0)
        continue;
    assert_int_equal(refreshes.count, 2);
    assert_true(refreshes.more[0] && !refreshes.more[1]);
    assert_string_equal(refreshes.name[0], first);
    assert_string_not_equal(refreshes.name[1], first);
    store_reader_close(refreshes.reader);
}

/* The tables count a place that a refresh overtook when it was. */
static void a_late_place_keeps_its_time(void **state)
{
    struct planned planned = {.generation = 1};
    struct store_facts facts;
    struct prng prng = {7};
    (void)state;
    planned_facts(&facts, 1);
    struct store_writer *writer = start(&planned, &facts);
    struct place place = planned_place(&prng, 2000, false);
    uint64_t refresh_ns = place.access.time_ns + 1000000;
    assert_int_equal(store_writer_sync(writer, &facts, refresh_ns, 1, NULL), 0);
    store_writer_place(writer, &place);
    struct store_reader *reader = finish(writer);
    struct items items = read_all(reader);
    assert_int_equal(items.count, 2);
    assert_int_equal(items.list[1].kind, STORE_ITEM_PLACE);
    assert_int_equal(items.list[1].place.access.time_ns, place.access.time_ns);
    assert_int_equal(items.list[1].time_ns, refresh_ns);
    store_reader_close(reader);
}

static void nothing_of_either(void **state)
{
    struct planned planned = {.generation = 1};
    struct store_facts facts;
    (void)state;
    planned_facts(&facts, 1);
    facts.simulation = (struct snapshot_simulation){0};
    facts.watch = (struct snapshot_watch){0};
    struct store_reader *reader = finish(start(&planned, &facts));
    store_reader_facts(reader, &facts);
    assert_int_equal(facts.simulation.level_count, 0);
    assert_false(facts.watch.on);
    store_reader_close(reader);
}

static void no_watch_ends_so(void **state)
{
    struct store_watch watch = planned_watch(5001);
    uint64_t row[WATCH_ROW_FIELDS];
    (void)state;
    watch.result.kind = WATCH_VISIT + 1;
    watch_row_fill(row, &watch);
    assert_false(watch_row_read(row, &watch));
    watch.result.kind = WATCH_VISIT;
    watch.result.end = WATCH_DROPPED + 1;
    watch_row_fill(row, &watch);
    assert_false(watch_row_read(row, &watch));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_come_back_among_the_places),
        cmocka_unit_test(renames_come_back),
        cmocka_unit_test(what_ranks_comes_back),
        cmocka_unit_test(totals_come_back),
        cmocka_unit_test(names_at_a_refresh_are_those_of_then),
        cmocka_unit_test(a_late_place_keeps_its_time),
        cmocka_unit_test(nothing_of_either),
        cmocka_unit_test(no_watch_ends_so),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
