/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Miss rates and criticality as they are seen: numbers where they are sure, ranges, blanks. */
#include "unit.h"

#include "json_fixture.h"
#include "snapshot_fixture.h"
#include "view/screen/browser.h"
#include "view/rates.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct browser browser;
static struct canvas canvas;

static void open_page(enum fixture_kind kind, int rows, int columns)
{
    browser_init(&browser, NULL);
    canvas_init(&canvas, rows, columns, false);
    browser_show(&browser, fixture_new(kind, 0), fixture_release);
    browser_draw(&browser, &canvas, 0);
}

static void press(uint32_t key)
{
    struct input input = {.kind = INPUT_KEY, .key = key};
    browser_input(&browser, &input);
    browser_draw(&browser, &canvas, 0);
}

static void close_page(void)
{
    browser_fini(&browser);
    canvas_fini(&canvas);
    assert_int_equal(fixture_alive(), 0);
}

static bool drawn(const char *text)
{
    static char line[2048];
    for (int at = 0; at < canvas.rows; at++) {
        canvas_row_text(&canvas, at, line, sizeof line);
        if (strstr(line, text))
            return true;
    }
    return false;
}

static const struct column *column_named(const struct columns *columns, const char *title,
                                         const struct snapshot *snapshot)
{
    for (unsigned i = 0; i < columns->count; i++)
        if (columns->list[i].title && !strcmp(columns->list[i].title, title) &&
            (!columns->list[i].shown || columns->list[i].shown(snapshot)))
            return &columns->list[i];
    return NULL;
}

static const char *cell(const struct snapshot *snapshot, const char *title, size_t object)
{
    static char text[COLUMN_TEXT_BYTES];
    columns_text(column_named(&object_columns, title, snapshot), snapshot,
                 &snapshot->objects[object], 20, false, text, sizeof text);
    return text;
}

static void columns_only_where_the_source_tells(void **state)
{
    static const char *const titles[] = {"ACCESS", "MISS L1", "MISS MEM", "CRIT"};
    static const struct columns *const tables[] = {&object_columns, &field_columns, &offset_columns,
                                                   &function_columns};
    (void)state;
    const struct snapshot *without = fixture_new(FIXTURE_TYPED, 0);
    const struct snapshot *with = fixture_new(FIXTURE_RATES, 0);
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 4; k++) {
            assert_null(column_named(tables[i], titles[k], without));
            assert_non_null(column_named(tables[i], titles[k], with));
        }
        assert_null(column_named(tables[i], "MISS L2", with)); /* the event is not sampled */
        assert_non_null(column_named(tables[i], "STALL", with));
    }
    fixture_release(without);
    fixture_release(with);
}

/* A ratio of two small samples is not shown as a fact. */
static void cells_are_numbers_only_where_they_are_sure(void **state)
{
    (void)state;
    const struct snapshot *snapshot = fixture_new(FIXTURE_RATES, 0);
    assert_string_equal(cell(snapshot, "MISS L1", 0), "12.3%");
    assert_string_equal(cell(snapshot, "MISS MEM", 0), "3.1%");
    assert_string_equal(cell(snapshot, "CRIT", 0), "1.0x");
    assert_string_equal(cell(snapshot, "MISS L1", 1), "2-19%");
    assert_string_equal(cell(snapshot, "MISS MEM", 1), ""); /* 0 to 50 %: anything */
    assert_string_equal(cell(snapshot, "CRIT", 1), "0.0-0.9x");
    assert_string_equal(cell(snapshot, "MISS L1", 2), "40-100%"); /* no access was sampled */
    assert_string_equal(cell(snapshot, "CRIT", 2), "");
    assert_string_equal(cell(snapshot, "CRIT", 3), "7.9x");
    assert_string_equal(cell(snapshot, "STALL", 3), "16.6%");
    assert_string_equal(cell(snapshot, "MISS L1", 4), "");
    assert_string_equal(cell(snapshot, "ACCESS", 4), "");
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

static void where_a_number_becomes_a_range(void **state)
{
    (void)state;
    struct value value = rate(0.1, 0.082, 0.12);
    assert_true(value.number == 0.1 && !(value.high > 0));
    value = rate(0.1, 0.07, 0.12);
    assert_true(value.number == 0.07 && value.low == 0.07 && value.high == 0.12);
    /* Too small to print is sure, small is something. */
    assert_true(rate(0.0002, 0, 0.0009).number == 0.0002);
    assert_int_equal(rate(0.01, 0, 0.19).kind, VALUE_NUMBER);
    assert_int_equal(rate(0.01, 0, 0.21).kind, VALUE_UNKNOWN);
    /* More than the others, or less, is something to say of a ratio; 0.5 to 6 times is not. */
    assert_int_equal(ratio(0.3, 0.01, 0.9).kind, VALUE_NUMBER);
    assert_int_equal(ratio(2, 0.5, 6).kind, VALUE_UNKNOWN);
    assert_int_equal(ratio(3, 1.2, 6).kind, VALUE_NUMBER);
    assert_int_equal(rates_ratio(NULL, NULL).kind, VALUE_UNKNOWN);
}

/* By the low end: what may be much does not stand above what is. */
static void sorted_by_what_is_sure(void **state)
{
    (void)state;
    open_page(FIXTURE_RATES, 40, 240);
    for (int k = 0; k < 40 && strcmp(table_sort_title(browser_table_of(&browser, &object_columns)),
                                     "MISS L1") != 0;
         k++)
        press(KEYS_F6);
    assert_string_equal(table_sort_title(browser_table_of(&browser, &object_columns)), "MISS L1");
    double last = INFINITY;
    bool unknown = false;
    for (size_t i = 0; i < browser_table_of(&browser, &object_columns)->shown; i++) {
        const struct snapshot_object *object =
            &browser.snapshot->objects[browser_table_of(&browser, &object_columns)->order[i]];
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
    close_page();
}

static void said_above_the_lists(void **state)
{
    (void)state;
    open_page(FIXTURE_RATES, 40, 200);
    assert_true(drawn("12.3% (11.8 to 12.8) miss the L1"));
    assert_true(drawn("3.1% (2.9 to 3.4) go to memory"));
    assert_false(drawn("of all stalls")); /* it is everything */
    for (int i = 0; i < 3; i++)
        press(KEYS_DOWN);
    press(KEYS_ENTER);
    assert_true(drawn("16.6% (15.9 to 17.3) of all stalls"));
    assert_true(drawn("7.9x (6.8 to 9.2) its part of the misses"));
    close_page();
    open_page(FIXTURE_RATES, 10, 40);
    close_page();
    open_page(FIXTURE_HOSTILE, 40, 200);
    press(KEYS_ENTER);
    close_page();
}

static void help_says_what_would_give_them(void **state)
{
    static const struct {
        const char *source;
        bool live;
        const char *text;
    } cases[] = {{"counter", true, "-e mem-fill,l1-miss,access"},
                 {"clock", true, "misstop doctor"},
                 {"pebs", true, "-e ldlat=3"},
                 {"ibs", true, "l3missonly"},
                 {"replay", false, "recording holds no event"}};
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
    open_page(FIXTURE_TYPED, 40, 120);
    press('?');
    for (int i = 0; i < 40 && !drawn(" rates "); i++)
        press(KEYS_PAGE_DOWN);
    assert_true(drawn(" rates "));
    close_page();
}

static void json_has_value_and_ends(void **state)
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

int main(void)
{
    setlocale(LC_ALL, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_only_where_the_source_tells),
        cmocka_unit_test(cells_are_numbers_only_where_they_are_sure),
        cmocka_unit_test(where_a_number_becomes_a_range),
        cmocka_unit_test(sorted_by_what_is_sure),
        cmocka_unit_test(said_above_the_lists),
        cmocka_unit_test(help_says_what_would_give_them),
        cmocka_unit_test(json_has_value_and_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
