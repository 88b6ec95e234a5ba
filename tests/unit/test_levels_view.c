/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where accesses found their data, as it is seen: columns, the Levels pane, text, JSON. */
#include "unit.h"

#include "json_fixture.h"
#include "page_fixture.h"
#include "view/levels.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-9)

static const struct column *column_named(const struct columns *columns, const char *title,
                                         const struct snapshot *snapshot)
{
    for (unsigned i = 0; i < columns->count; i++)
        if (columns->list[i].title && !strcmp(columns->list[i].title, title) &&
            (!columns->list[i].shown || columns->list[i].shown(snapshot)))
            return &columns->list[i];
    return NULL;
}

static const char *const titles[] = {"FOUND IN", "CYCLES", "FAR", "HITM", "REMOTE", "TLB"};
enum { TITLES = sizeof titles / sizeof *titles };
static const struct columns *const tables[] = {&object_columns, &field_columns, &offset_columns,
                                               &layout_columns};
enum { TABLES = sizeof tables / sizeof *tables };

static void columns_only_where_the_source_tells(void **state)
{
    (void)state;
    const struct snapshot *without = fixture_new(FIXTURE_TYPED, 0);
    const struct snapshot *with = fixture_new(FIXTURE_LEVELS, 0);
    for (int i = 0; i < TABLES; i++)
        for (int k = 0; k < TITLES; k++) {
            assert_null(column_named(tables[i], titles[k], without));
            assert_non_null(column_named(tables[i], titles[k], with));
        }
    /* Event stall is sampled in the one, estimated in the other. */
    assert_ptr_not_equal(column_named(&object_columns, "STALL", without),
                         column_named(&object_columns, "STALL", with));
    assert_ptr_not_equal(column_named(&field_columns, "STALL", without),
                         column_named(&field_columns, "STALL", with));
    fixture_release(without);
    fixture_release(with);
}

static struct value cell(const struct snapshot *snapshot, const char *title, size_t object)
{
    return columns_value(column_named(&object_columns, title, snapshot), snapshot,
                         &snapshot->objects[object]);
}

/* Stores tell their level and no latency; of the fifth object nothing is told. */
static void unknown_cells_are_blank(void **state)
{
    (void)state;
    const struct snapshot *snapshot = fixture_new(FIXTURE_LEVELS, 0);
    NEAR(cell(snapshot, "FAR", 0).number, 0.85);
    NEAR(cell(snapshot, "REMOTE", 0).number, 0.02);
    NEAR(cell(snapshot, "TLB", 0).number, 0.63);
    NEAR(cell(snapshot, "HITM", 1).number, 0.8);
    NEAR(cell(snapshot, "CYCLES", 2).number, 33);
    assert_string_equal(cell(snapshot, "FOUND IN", 3).text, "L1 96% beyond-L1 4%");
    assert_int_equal(cell(snapshot, "CYCLES", 3).kind, VALUE_UNKNOWN);
    assert_int_equal(cell(snapshot, "STALL", 3).kind, VALUE_UNKNOWN);
    assert_int_equal(cell(snapshot, "HITM", 3).kind, VALUE_UNKNOWN);
    assert_int_equal(cell(snapshot, "FAR", 3).kind, VALUE_UNKNOWN);
    for (int k = 0; k < TITLES; k++)
        assert_int_equal(cell(snapshot, titles[k], 4).kind, VALUE_UNKNOWN);
    double stall = 0;
    for (size_t i = 0; i < snapshot->object_count; i++)
        if (cell(snapshot, "STALL", i).kind == VALUE_NUMBER)
            stall += cell(snapshot, "STALL", i).number;
    NEAR(stall, 1);
    fixture_release(snapshot);
}

/* F6 comes to each of the columns, and the rows follow, those that are not known last. */
static void sorted_by_what_it_costs(void **state)
{
    (void)state;
    page_open(FIXTURE_LEVELS, 40, 220, false, "");
    for (int k = 0;
         k < 40 &&
         strcmp(table_sort_title(browser_table_of(&page_browser, &object_columns)), "CYCLES") != 0;
         k++)
        page_press(KEYS_F6);
    assert_string_equal(table_sort_title(browser_table_of(&page_browser, &object_columns)),
                        "CYCLES");
    double last = INFINITY;
    bool unknown = false;
    for (size_t i = 0; i < browser_table_of(&page_browser, &object_columns)->shown; i++) {
        double cycles = page_browser.snapshot
                            ->objects[browser_table_of(&page_browser, &object_columns)->order[i]]
                            .latency;
        const struct snapshot_levels *levels =
            page_browser.snapshot
                ->objects[browser_table_of(&page_browser, &object_columns)->order[i]]
                .levels;
        if (!levels || isnan(levels->latency)) {
            unknown = true;
            continue;
        }
        assert_false(unknown);
        assert_true(cycles <= last);
        last = cycles;
    }
    assert_true(unknown);
    page_close();
}

static void objects_say_what_is_counted(void **state)
{
    (void)state;
    page_open(FIXTURE_LEVELS, 36, 160, false, "");
    int at = page_row_with("Found in L1 36%");
    assert_true(at > 0 && strstr(page_row(at), "of loads that took more than 30 cycles"));
    assert_non_null(strstr(page_row(at), "mean 1"));
    assert_null(strstr(page_row(at), "of all waiting")); /* it is everything */
    page_close();
    page_open(FIXTURE_TYPED, 36, 160, false, "");
    assert_int_equal(page_row_with("Found in"), -1);
    page_close();
}

static void detail_has_a_pane_of_them(void **state)
{
    (void)state;
    page_open(FIXTURE_LEVELS, 50, 160, false, "");
    page_press(KEYS_ENTER);
    assert_true(page_row_with("Levels: of loads that took more than 30 cycles") > 0);
    assert_true(page_row_with("56.") > 0 && page_row_with("of all waiting") > 0);
    assert_true(page_row_with("latency in core cycles, mean 249") > 0);
    assert_true(page_row_with("256 to 511") > 0 && page_row_with("128 to 255") > 0);
    assert_non_null(strstr(page_row(page_row_with("remote-DRAM")), "2.0%"));
    assert_true(page_row_with("page walk: huge pages help") > 0);
    for (int i = 0; i < 3; i++)
        page_press(KEYS_RIGHT);
    assert_ptr_equal(browser_table(&page_browser),
                     browser_table_of(&page_browser, &levels_columns));
    /* Rules are passed over. */
    const struct levels_row *selected =
        table_selected(browser_table_of(&page_browser, &levels_columns));
    assert_string_equal(selected->name, "LFB");
    for (int i = 0; i < 5; i++)
        page_press(KEYS_DOWN);
    selected = table_selected(browser_table_of(&page_browser, &levels_columns));
    assert_string_equal(selected->name, "32 to 63");
    page_press(KEYS_ENTER);
    assert_int_equal(page_browser.page, PAGE_DETAIL);
    page_close();
}

/* Where nothing is told there is no such pane: right goes round the three others. */
static void no_pane_without_levels(void **state)
{
    (void)state;
    page_open(FIXTURE_TYPED, 50, 160, false, "");
    page_press(KEYS_ENTER);
    assert_int_equal(page_row_with("Levels"), -1);
    for (int i = 0; i < 3; i++)
        page_press(KEYS_RIGHT);
    assert_ptr_equal(browser_table(&page_browser), browser_table_of(&page_browser, &field_columns));
    page_close();
}

static void rows_are_parts_of_a_whole(void **state)
{
    (void)state;
    const struct snapshot *snapshot = fixture_new(FIXTURE_LEVELS, 0);
    struct levels_rows rows;
    levels_rows_make(&rows, snapshot->objects[0].levels);
    double sum = 0;
    double waited = 0;
    size_t i;
    for (i = 0; i < rows.count && !rows.list[i].parting; i++) {
        sum += rows.list[i].share;
        waited += rows.list[i].waited;
    }
    assert_int_equal(i, 5);
    NEAR(sum, 1);
    NEAR(waited, 1);
    for (sum = 0, i++; i < rows.count && !rows.list[i].parting; i++)
        sum += rows.list[i].share;
    NEAR(sum, 1); /* latency classes */
    levels_rows_make(&rows, NULL);
    assert_int_equal(rows.count, 0);
    fixture_release(snapshot);
}

/* There is room for every answer that hardware can give. */
static void rows_of_everything_fit(void **state)
{
    (void)state;
    struct snapshot_levels levels = {.remote = 0.5, .locked = 0.5, .blocked = 0.5};
    struct levels_rows rows;
    for (int i = 0; i < DATA_LEVEL_COUNT; i++)
        levels.level[i] = levels.waited[i] = 1;
    for (int i = 0; i < SNAPSHOT_LATENCY_CLASSES; i++)
        levels.histogram[i] = 1;
    for (int i = 0; i < SNOOP_COUNT; i++)
        levels.snoop[i] = 1;
    for (int i = 0; i < TLB_COUNT; i++)
        levels.tlb[i] = 1;
    levels.accesses = DATA_LEVEL_COUNT;
    levels.latency = 1;
    levels_rows_make(&rows, &levels);
    /* All but the row of unknown TLB answers, which says nothing. */
    assert_int_equal(rows.count, LEVELS_ROWS_MAX - 1);
    for (size_t i = 0; i < rows.count; i++)
        for (size_t k = 0; k < i; k++)
            assert_true(rows.list[i].identity != rows.list[k].identity);
}

static void counted_levels_say_so(void **state)
{
    struct snapshot_levels levels = {.from = LEVELS_COUNTED, .found = "L2 60% L3 40%"};
    struct snapshot snapshot = {.levels = &levels};
    char text[512];
    (void)state;
    levels.latency = levels.stall = levels.hitm = levels.remote = levels.tlb_miss = NAN;
    levels.far = 0.4;
    snapshot.source.weighs = "fills from memory";
    snapshot.source.event_count = 1;
    snapshot.source.events[0].role = EVENT_MISS_L1;
    levels_sentence(&snapshot, &levels, text, sizeof text);
    assert_string_equal(text, "found in: L2 60% L3 40%, 40.0% beyond this core; counted: only L1 "
                              "misses, worked out from the counts of several events");
    snapshot.source.events[0].role = EVENT_MISS_L2;
    levels_basis(&snapshot, text, sizeof text);
    assert_non_null(strstr(text, "L2 misses"));
    snapshot.levels = NULL;
    levels_sentence(&snapshot, NULL, text, sizeof text);
    assert_string_equal(text, "");
    levels_basis(&snapshot, text, sizeof text);
    assert_string_equal(text, "");
}

static void text_tells_them(void **state)
{
    struct view_options options = {.color = VIEW_COLOR_NEVER, .width = 200};
    char *text = NULL;
    size_t size;
    (void)state;
    const struct snapshot *snapshot = fixture_new(FIXTURE_LEVELS, 0);
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(text_print(out, snapshot, &options), 0);
    fclose(out);
    fixture_release(snapshot);
    assert_non_null(strstr(text, "\nfound in: L1 36%"));
    assert_non_null(strstr(text, "; counted: only loads that took more than 30 cycles\n"));
    assert_non_null(strstr(text, "DRAM 61% L3 22% LFB 10%"));
    assert_non_null(strstr(text, "HITM"));
    free(text);
}

static void json_has_them_at_every_height(void **state)
{
    (void)state;
    json_t *root = json_fixture(fixture_new(FIXTURE_LEVELS, 0));
    json_t *levels = json_object_get(root, "levels");
    json_t *objects = json_object_get(root, "objects");
    json_t *first = json_array_get(objects, 0);
    json_t *field = json_array_get(json_object_get(first, "fields"), 0);
    assert_string_equal(json_string_value(json_object_get(levels, "from")), "recorded");
    assert_string_equal(json_string_value(json_object_get(levels, "counts")),
                        "loads that took more than 30 cycles");
    assert_true(json_fixture_number(root, "latency") > 0);
    levels = json_object_get(first, "levels");
    double share =
        json_fixture_number(levels, "found.DRAM") / json_fixture_number(levels, "accesses");
    assert_true(fabs(share - 0.61) < 1e-3);
    assert_null(json_object_get(json_object_get(levels, "found"), "L1"));
    assert_true(fabs(json_fixture_number(levels, "far") - 0.85) < 1e-6);
    assert_int_equal(json_array_size(json_object_get(levels, "latencies")),
                     SNAPSHOT_LATENCY_CLASSES);
    assert_true(json_is_null(json_object_get(levels, "blocked")));
    assert_true(json_fixture_number(first, "stall_share") > json_fixture_number(first, "share"));
    assert_true(json_fixture_number(field, "levels.tlb_miss") > 0.6 &&
                json_fixture_number(field, "latency") > 0);
    assert_true(json_fixture_number(field, "stall_share") <
                json_fixture_number(first, "stall_share"));
    /* Stores, and what nothing is told of. */
    json_t *stores = json_array_get(objects, 3);
    assert_true(json_fixture_number(stores, "levels.found.beyond-L1") > 0);
    assert_true(json_is_null(json_object_get(json_object_get(stores, "levels"), "latencies")));
    assert_true(json_is_null(json_object_get(json_object_get(stores, "levels"), "snoop")));
    assert_true(json_is_null(json_object_get(stores, "latency")));
    assert_true(json_is_null(json_object_get(json_array_get(objects, 4), "levels")));
    json_decref(root);
    root = json_fixture(fixture_new(FIXTURE_TYPED, 0));
    assert_true(json_is_null(json_object_get(root, "levels")));
    assert_true(json_is_null(json_object_get(root, "latency")));
    json_decref(root);
    json_decref(json_fixture(fixture_new(FIXTURE_HOSTILE, 0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_only_where_the_source_tells),
        cmocka_unit_test(unknown_cells_are_blank),
        cmocka_unit_test(sorted_by_what_it_costs),
        cmocka_unit_test(objects_say_what_is_counted),
        cmocka_unit_test(detail_has_a_pane_of_them),
        cmocka_unit_test(no_pane_without_levels),
        cmocka_unit_test(rows_are_parts_of_a_whole),
        cmocka_unit_test(rows_of_everything_fit),
        cmocka_unit_test(counted_levels_say_so),
        cmocka_unit_test(text_tells_them),
        cmocka_unit_test(json_has_them_at_every_height),
    };
    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
