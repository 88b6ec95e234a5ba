/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where accesses found their data, as displayed: columns, the Levels pane, text, JSON. */
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"
#include "unit/view/json_fixture.h"
#include "unit/view/screen_fixture.h"
#include "unit/view/snapshot_fixture.h"
#include "view/levels.h"
#include "view/display/browser.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-9)

static const struct column *column_named(const struct columns *columns, const char *title,
                                         const struct snapshot *snapshot)
{
    for (unsigned i = 0; i < columns->count; i++)
        if (columns_shown(columns, i, snapshot) && !strcmp(columns->list[i].title, title))
            return &columns->list[i];
    return NULL;
}

static const char *const levels_view_titles[] = {"FOUND IN", "CYCLES", "FAR",
                                                 "HITM",     "REMOTE", "TLB"};
enum { TITLES = sizeof levels_view_titles / sizeof *levels_view_titles };
static const struct columns *const levels_view_tables[] = {&object_columns, &field_columns,
                                                           &offset_columns, &layout_columns};
enum { TABLES = sizeof levels_view_tables / sizeof *levels_view_tables };

static void level_columns_appear_only_if_recorded(void **state)
{
    (void)state;
    const struct snapshot *without = fixture_new(FIXTURE_TYPED, 0);
    const struct snapshot *with = fixture_new(FIXTURE_LEVELS, 0);
    for (int i = 0; i < TABLES; i++)
        for (int k = 0; k < TITLES; k++) {
            assert_null(column_named(levels_view_tables[i], levels_view_titles[k], without));
            assert_non_null(column_named(levels_view_tables[i], levels_view_titles[k], with));
        }
    /* The event stall is sampled in one, estimated in the other. */
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

/* Stores report their level but no latency; the fifth object has no reports. */
static void unknown_level_cells_are_blank(void **state)
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
        assert_int_equal(cell(snapshot, levels_view_titles[k], 4).kind, VALUE_UNKNOWN);
    double stall = 0;
    for (size_t i = 0; i < snapshot->object_count; i++)
        if (cell(snapshot, "STALL", i).kind == VALUE_NUMBER)
            stall += cell(snapshot, "STALL", i).number;
    NEAR(stall, 1);
    fixture_release(snapshot);
}

/* F6 reaches each column, and sorts the rows; unknown values are last. */
static void objects_can_be_sorted_by_latency(void **state)
{
    (void)state;
    screen_open(FIXTURE_LEVELS, 40, 220, false, "");
    for (int k = 0;
         k < 40 && strcmp(table_sort_title(browser_table_of(&screen_browser, &object_columns)),
                          "CYCLES") != 0;
         k++)
        screen_press(KEYS_F6);
    assert_string_equal(table_sort_title(browser_table_of(&screen_browser, &object_columns)),
                        "CYCLES");
    double last = INFINITY;
    bool unknown = false;
    for (size_t i = 0; i < browser_table_of(&screen_browser, &object_columns)->shown; i++) {
        double cycles = screen_browser.snapshot
                            ->objects[browser_table_of(&screen_browser, &object_columns)->order[i]]
                            .latency;
        const struct snapshot_levels *levels =
            screen_browser.snapshot
                ->objects[browser_table_of(&screen_browser, &object_columns)->order[i]]
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
    screen_close();
}

static void quality_screen_describes_counted_accesses(void **state)
{
    (void)state;
    screen_open(FIXTURE_LEVELS, 60, 160, false, "i");
    int at = screen_row_with("found in: L1 36%");
    assert_true(at > 0 && screen_row_with("counted: only") >= at);
    assert_null(strstr(screen_row(at), "of all waiting")); /* it is the total */
    screen_close();
    screen_open(FIXTURE_TYPED, 60, 160, false, "i");
    assert_false(screen_has("found in:"));
    screen_close();
}

static void detail_screen_has_a_levels_pane(void **state)
{
    (void)state;
    screen_open(FIXTURE_LEVELS, 50, 160, false, "");
    screen_press(KEYS_ENTER);
    assert_true(screen_has("Levels: of loads that took more than 30 cycles"));
    assert_true(screen_has("56.") && screen_has("of all waiting"));
    assert_true(screen_has("latency in core cycles, mean 249"));
    assert_true(screen_has("256 to 511") && screen_has("128 to 255"));
    assert_non_null(strstr(screen_row(screen_row_with("remote-DRAM")), "2.0%"));
    assert_true(screen_has("page walk: huge pages help"));
    for (int i = 0; i < 3; i++)
        screen_press(KEYS_RIGHT);
    assert_ptr_equal(browser_table(&screen_browser),
                     browser_table_of(&screen_browser, &levels_columns));
    /* The cursor skips rules. */
    const struct levels_row *selected =
        table_selected(browser_table_of(&screen_browser, &levels_columns));
    assert_string_equal(selected->name, "LFB");
    for (int i = 0; i < 5; i++)
        screen_press(KEYS_DOWN);
    selected = table_selected(browser_table_of(&screen_browser, &levels_columns));
    assert_string_equal(selected->name, "32 to 63");
    screen_press(KEYS_ENTER);
    assert_int_equal(screen_browser.screen, SCREEN_DETAIL);
    screen_close();
}

/* Without reports there is no such pane: Right cycles through the other three. */
static void detail_screen_omits_pane_without_levels(void **state)
{
    (void)state;
    screen_open(FIXTURE_TYPED, 50, 160, false, "");
    screen_press(KEYS_ENTER);
    assert_false(screen_has("Levels"));
    for (int i = 0; i < 3; i++)
        screen_press(KEYS_RIGHT);
    assert_ptr_equal(browser_table(&screen_browser),
                     browser_table_of(&screen_browser, &field_columns));
    screen_close();
}

static void level_rows_add_up(void **state)
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

/* Every answer that hardware can give fits. */
static void all_level_rows_fit(void **state)
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
    /* All except the row of unknown TLB answers, which has no information. */
    assert_int_equal(rows.count, LEVELS_ROWS_MAX - 1);
    for (size_t i = 0; i < rows.count; i++)
        for (size_t k = 0; k < i; k++)
            assert_true(rows.list[i].identity != rows.list[k].identity);
}

static void counted_levels_are_described_as_such(void **state)
{
    struct snapshot_levels levels = {.evidence = LEVELS_COUNTED, .summary = "L2 60% L3 40%"};
    struct snapshot snapshot = {.levels = &levels};
    char text[512];
    (void)state;
    levels.latency = levels.stall = levels.hitm = levels.remote = levels.tlb_miss = NAN;
    levels.far_share = 0.4;
    snapshot.source.weight_unit = "fills from memory";
    snapshot.source.event_count = 1;
    snapshot.source.events[0].role = EVENT_MISS_L1;
    levels_sentence(&snapshot, &levels, text, sizeof text);
    assert_string_equal(text, "found in: L2 60% L3 40%, 40.0% beyond this core; counted: only L1 "
                              "misses, computed from the counts of several events");
    snapshot.source.events[0].role = EVENT_MISS_L2;
    levels_basis(&snapshot, text, sizeof text);
    assert_non_null(strstr(text, "L2 misses"));
    snapshot.levels = NULL;
    levels_sentence(&snapshot, NULL, text, sizeof text);
    assert_string_equal(text, "");
    levels_basis(&snapshot, text, sizeof text);
    assert_string_equal(text, "");
}

static void text_report_has_levels(void **state)
{
    (void)state;
    char *text = fixture_printed(fixture_text, fixture_new(FIXTURE_LEVELS, 0));
    assert_non_null(strstr(text, "\n  found in: L1 36%"));
    assert_non_null(strstr(text, "; counted: only loads that took more than 30 cycles\n"));
    assert_non_null(strstr(text, "DRAM 61% L3 22% LFB 10%"));
    assert_non_null(strstr(text, "HITM"));
    free(text);
}

static void json_has_levels_of_run_object_and_field(void **state)
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
    /* Stores, and accesses without a report. */
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

static int run_levels_view(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(level_columns_appear_only_if_recorded),
        cmocka_unit_test(unknown_level_cells_are_blank),
        cmocka_unit_test(objects_can_be_sorted_by_latency),
        cmocka_unit_test(quality_screen_describes_counted_accesses),
        cmocka_unit_test(detail_screen_has_a_levels_pane),
        cmocka_unit_test(detail_screen_omits_pane_without_levels),
        cmocka_unit_test(level_rows_add_up),
        cmocka_unit_test(all_level_rows_fit),
        cmocka_unit_test(counted_levels_are_described_as_such),
        cmocka_unit_test(text_report_has_levels),
        cmocka_unit_test(json_has_levels_of_run_object_and_field),
    };
    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Miss rates and criticality as displayed: numbers if they are certain, otherwise ranges or blanks.
 */

static const struct column *rates_view_column_named(const struct columns *columns,
                                                    const char *title,
                                                    const struct snapshot *snapshot)
{
    for (unsigned i = 0; i < columns->count; i++)
        if (columns_shown(columns, i, snapshot) && !strcmp(columns->list[i].title, title))
            return &columns->list[i];
    return NULL;
}

static const char *rates_view_cell(const struct snapshot *snapshot, const char *title,
                                   size_t object)
{
    static char text[COLUMN_TEXT_BYTES];
    columns_text(rates_view_column_named(&object_columns, title, snapshot), snapshot,
                 &snapshot->objects[object], 20, false, text, sizeof text);
    return text;
}

static void rate_columns_appear_only_if_sampled(void **state)
{
    static const char *const titles[] = {"ACCESS", "MISS L1", "MISS MEM", "CRIT"};
    static const struct columns *const tables[] = {&object_columns, &field_columns, &offset_columns,
                                                   &function_columns};
    (void)state;
    const struct snapshot *without = fixture_new(FIXTURE_TYPED, 0);
    const struct snapshot *with = fixture_new(FIXTURE_RATES, 0);
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 4; k++) {
            assert_null(rates_view_column_named(tables[i], titles[k], without));
            assert_non_null(rates_view_column_named(tables[i], titles[k], with));
        }
        assert_null(
            rates_view_column_named(tables[i], "MISS L2", with)); /* the event is not sampled */
        assert_non_null(rates_view_column_named(tables[i], "STALL", with));
    }
    fixture_release(without);
    fixture_release(with);
}

/* A ratio of two small samples is not shown as a fact. */
static void uncertain_rates_are_shown_as_ranges(void **state)
{
    (void)state;
    const struct snapshot *snapshot = fixture_new(FIXTURE_RATES, 0);
    assert_string_equal(rates_view_cell(snapshot, "MISS L1", 0), "12.3%");
    assert_string_equal(rates_view_cell(snapshot, "MISS MEM", 0), "3.1%");
    assert_string_equal(rates_view_cell(snapshot, "CRIT", 0), "1.0x");
    assert_string_equal(rates_view_cell(snapshot, "MISS L1", 1), "2-19%");
    assert_string_equal(rates_view_cell(snapshot, "MISS MEM", 1), ""); /* 0 to 50 % */
    assert_string_equal(rates_view_cell(snapshot, "CRIT", 1), "0.0-0.9x");
    assert_string_equal(rates_view_cell(snapshot, "MISS L1", 2),
                        "40-100%"); /* no access was sampled */
    assert_string_equal(rates_view_cell(snapshot, "CRIT", 2), "");
    assert_string_equal(rates_view_cell(snapshot, "CRIT", 3), "7.9x");
    assert_string_equal(rates_view_cell(snapshot, "STALL", 3), "16.6%");
    assert_string_equal(rates_view_cell(snapshot, "MISS L1", 4), "");
    assert_string_equal(rates_view_cell(snapshot, "ACCESS", 4), "");
    fixture_release(snapshot);
}

static struct value rate(double value, double low, double high)
{
    return rates_rate(NULL, &(struct snapshot_share){value, low, high});
}

static struct value ratio(double value, double low, double high)
{
    return rates_ratio(NULL, &(struct snapshot_share){value, low, high});
}

static void rate_interval_width_decides_number_or_range(void **state)
{
    (void)state;
    struct value value = rate(0.1, 0.082, 0.12);
    assert_true(value.number == 0.1 && !(value.high > 0));
    value = rate(0.1, 0.07, 0.12);
    assert_true(value.number == 0.07 && value.low == 0.07 && value.high == 0.12);
    /* Values too small to print are certain, small upper bounds are informative. */
    assert_true(rate(0.0002, 0, 0.0009).number == 0.0002);
    assert_int_equal(rate(0.01, 0, 0.19).kind, VALUE_NUMBER);
    assert_int_equal(rate(0.01, 0, 0.21).kind, VALUE_UNKNOWN);
    /* A ratio is informative if it is certainly above or below 1; 0.5 to 6 is not. */
    assert_int_equal(ratio(0.3, 0.01, 0.9).kind, VALUE_NUMBER);
    assert_int_equal(ratio(2, 0.5, 6).kind, VALUE_UNKNOWN);
    assert_int_equal(ratio(3, 1.2, 6).kind, VALUE_NUMBER);
    assert_int_equal(rates_ratio(NULL, NULL).kind, VALUE_UNKNOWN);
}

/* Sorts by the lower bound: a possibly large value does not rank above a certain one. */
static void rates_are_sorted_by_lower_bound(void **state)
{
    (void)state;
    screen_open(FIXTURE_RATES, 40, 240, false, "");
    for (int k = 0;
         k < 40 && strcmp(table_sort_title(browser_table_of(&screen_browser, &object_columns)),
                          "MISS L1") != 0;
         k++)
        screen_press(KEYS_F6);
    assert_string_equal(table_sort_title(browser_table_of(&screen_browser, &object_columns)),
                        "MISS L1");
    double last = INFINITY;
    bool unknown = false;
    for (size_t i = 0; i < browser_table_of(&screen_browser, &object_columns)->shown; i++) {
        const struct snapshot_object *object =
            &screen_browser.snapshot
                 ->objects[browser_table_of(&screen_browser, &object_columns)->order[i]];
        struct value value =
            rates_rate(NULL, object->rates ? &object->rates->miss_rate[RATE_L1] : NULL);
        if (value.kind == VALUE_UNKNOWN) {
            unknown = true;
            continue;
        }
        assert_false(unknown);
        assert_true(value.number <= last);
        last = value.number;
    }
    assert_true(unknown && last < 0.05);
    screen_close();
}

static void rates_are_shown_above_the_lists(void **state)
{
    (void)state;
    screen_open(FIXTURE_RATES, 40, 200, false, "");
    screen_press('i');
    assert_true(screen_has("12.3% (11.8 to 12.8) miss the L1"));
    assert_true(screen_has("3.1% (2.9 to 3.4) go to memory"));
    assert_false(screen_has("of all stalls")); /* it is the total */
    screen_press('1');
    for (int i = 0; i < 3; i++)
        screen_press(KEYS_DOWN);
    screen_press(KEYS_ENTER);
    assert_true(screen_has("16.6% (15.9 to 17.3) of all stalls"));
    assert_true(screen_has("7.9x (6.8 to 9.2) its share of the misses"));
    screen_close();
    screen_open(FIXTURE_RATES, 10, 40, false, "");
    screen_close();
    screen_open(FIXTURE_HOSTILE, 40, 200, false, "");
    screen_press(KEYS_ENTER);
    screen_close();
}

static void rates_hint_names_the_required_option(void **state)
{
    static const struct {
        const char *source;
        bool live;
        const char *text;
    } cases[] = {{"counter", true, "-e mem-fill,l1-miss,access"},
                 {"clock", true, "misstop doctor"},
                 {"pebs", true, "-e ldlat=3"},
                 {"ibs", true, "l3missonly"},
                 {"replay", false, "recording has no event"}};
    char text[256];
    (void)state;
    const struct snapshot *without = fixture_new(FIXTURE_TYPED, 0);
    for (int i = 0; i < 5; i++) {
        struct snapshot snapshot = *without;
        snapshot.source.name = cases[i].source;
        snapshot.source.live = cases[i].live;
        rates_wanting(&snapshot, text, sizeof text);
        assert_non_null(strstr(text, cases[i].text));
    }
    const struct snapshot *with = fixture_new(FIXTURE_RATES, 0);
    rates_wanting(with, text, sizeof text);
    assert_string_equal(text, "");
    fixture_release(with);
    fixture_release(without);
    screen_open(FIXTURE_TYPED, 40, 120, false, "");
    screen_press('i');
    for (int i = 0; i < 40 && !screen_has(" rates "); i++)
        screen_press(KEYS_PAGE_DOWN);
    assert_true(screen_has(" rates "));
    screen_close();
}

static void json_rates_have_value_and_interval(void **state)
{
    (void)state;
    json_t *root = json_fixture(fixture_new(FIXTURE_RATES, 0));
    json_t *objects = json_object_get(root, "objects");
    json_t *tds = json_array_get(objects, 3);
    json_t *rates = json_object_get(tds, "rates");
    assert_true(json_fixture_number(tds, "accesses") == 2e6);
    assert_true(json_fixture_number(tds, "miss_rate") == 0.02);
    assert_string_equal(json_string_value(json_object_get(tds, "miss_rate_of")), "L1");
    assert_true(json_fixture_number(rates, "critical.value") == 7.9);
    assert_true(json_fixture_number(rates, "critical.high") == 9.2);
    assert_true(json_fixture_number(rates, "miss.L1.low") == 0.019);
    assert_true(json_is_null(json_object_get(json_object_get(rates, "miss"), "L2")));
    rates = json_object_get(json_array_get(objects, 2), "rates");
    assert_true(json_fixture_number(rates, "miss.L1.low") == 0.4);
    assert_true(json_is_null(
        json_object_get(json_object_get(json_object_get(rates, "miss"), "L1"), "value")));
    assert_true(json_is_null(json_object_get(json_array_get(objects, 4), "rates")));
    assert_true(json_is_null(json_object_get(json_array_get(objects, 4), "miss_rate")));
    json_t *field = json_array_get(json_object_get(json_array_get(objects, 0), "fields"), 0);
    assert_true(json_fixture_number(field, "miss_rate") == 0.123);
    assert_true(json_fixture_number(field, "stall_share") == 0.25);
    json_t *events = json_object_get(json_object_get(root, "source"), "events");
    assert_true(json_fixture_number(json_array_get(events, 3), "counted") == 0.5);
    assert_true(json_is_null(json_object_get(json_array_get(events, 0), "counted")));
    json_decref(root);
    json_decref(json_fixture(fixture_new(FIXTURE_HOSTILE, 0)));
}

/* Bounds of waiting: the first object is cached in L1, the second waits, for the third only L2 is
 * known. */
static void waiting_columns_show_bounds(void **state)
{
    (void)state;
    struct snapshot *snapshot = (struct snapshot *)(uintptr_t)fixture_new(FIXTURE_TYPED, 0);
    struct snapshot_object *objects = snapshot->objects;
    char text[32];
    assert_null(column_named(&object_columns, "WAITS", snapshot));
    objects[0].wait = (struct snapshot_wait){WAIT_FROM_RECURRENCE, {0, 0, 0}, {0.04, 0.02, 0.01}};
    objects[1].wait = (struct snapshot_wait){WAIT_FROM_RECURRENCE, {0.8, 0.5, NAN}, {1, 0.99, NAN}};
    objects[2].wait = (struct snapshot_wait){WAIT_FROM_RECURRENCE, {NAN, 0, 0}, {NAN, 0.05, 0.01}};
    const struct column *waits = column_named(&object_columns, "WAITS", snapshot);
    assert_non_null(waits);
    waits->format(text, sizeof text, cell(snapshot, "WAITS", 0));
    assert_string_equal(text, "0.0-4.0%");
    waits->format(text, sizeof text, cell(snapshot, "WAITS", 1));
    assert_string_equal(text, "80-100%");
    assert_int_equal(cell(snapshot, "WAITS", 2).kind, VALUE_UNKNOWN);
    assert_int_equal(cell(snapshot, "WAITS", 3).kind, VALUE_UNKNOWN);
    assert_string_equal(cell(snapshot, "CACHED", 0).text, "L1");
    assert_int_equal(cell(snapshot, "CACHED", 1).kind, VALUE_UNKNOWN);
    assert_string_equal(cell(snapshot, "CACHED", 2).text, "L2");
    NEAR(cell(snapshot, "MAY WAIT", 0).number, objects[0].share.value * 0.04);
    NEAR(cell(snapshot, "MAY WAIT", 3).number, objects[3].share.value);
    /* For functions, by the displayed share. */
    struct snapshot_code *function = snapshot->code;
    const struct column *most = column_named(&function_columns, "MAY WAIT", snapshot);
    function->wait = objects[0].wait;
    function->all_share = function->share.value / 2;
    for (size_t i = 0; i < snapshot->code_count; i++)
        function[i].unknown_samples = 0;
    NEAR(columns_value(most, snapshot, function).number, function->share.value * 0.04);
    function->unknown_samples = 1;
    NEAR(columns_value(most, snapshot, function).number, function->all_share * 0.04);
    json_t *root = json_fixture(snapshot);
    json_t *list = json_object_get(root, "objects");
    json_t *one = json_object_get(json_array_get(list, 1), "waits");
    assert_string_equal(json_string_value(json_object_get(one, "from")), "recurrence");
    assert_true(json_fixture_number(json_object_get(one, "L1"), "low") == 0.8);
    assert_true(json_fixture_number(json_object_get(one, "L2"), "high") == 0.99);
    assert_true(json_is_null(json_object_get(one, "L3")));
    assert_true(json_is_null(json_object_get(json_array_get(list, 3), "waits")));
    assert_true(json_is_null(json_object_get(root, "waits")));
    json_decref(root);
}

static int run_rates_view(void)
{
    setlocale(LC_ALL, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rate_columns_appear_only_if_sampled),
        cmocka_unit_test(uncertain_rates_are_shown_as_ranges),
        cmocka_unit_test(rate_interval_width_decides_number_or_range),
        cmocka_unit_test(rates_are_sorted_by_lower_bound),
        cmocka_unit_test(rates_are_shown_above_the_lists),
        cmocka_unit_test(rates_hint_names_the_required_option),
        cmocka_unit_test(json_rates_have_value_and_interval),
        cmocka_unit_test(waiting_columns_show_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    int failed = 0;
    failed += run_levels_view();
    failed += run_rates_view();
    return failed;
}
