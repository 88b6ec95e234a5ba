/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What if, on the screen, in batch text, JSON and HTML. */
#include "unit.h"

#include "page_fixture.h"
#include "view/export/html.h"
#include "view/export/diff.h"
#include "view/pages/layout.h"
#include "view/pages/whatif.h"

#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct snapshot *simulated(void)
{
    struct snapshot *snapshot = (struct snapshot *)(uintptr_t)fixture_new(FIXTURE_TYPED, 0);
    snapshot->simulation.level_count = 2;
    snapshot->simulation.level[0] = (struct simulation_level){32768, 8, 64, 100, 50};
    snapshot->simulation.level[1] = (struct simulation_level){1 << 20, 16, 64, 10, 5};
    snapshot->simulation.accesses = 1000;
    return snapshot;
}

/* The first object with a layout; its index. */
static size_t typed_object(const struct snapshot *snapshot)
{
    size_t i = 0;
    while (i < snapshot->object_count && !snapshot->objects[i].layout_count)
        i++;
    assert_true(i < snapshot->object_count);
    return i;
}

static struct snapshot *answered(enum whatif_state state)
{
    struct snapshot *snapshot = simulated();
    const struct snapshot_object *object = &snapshot->objects[typed_object(snapshot)];
    snapshot->whatif.count = snapshot->whatif.past_count = 1;
    snapshot->whatif.past[0] =
        (struct snapshot_whatif_past){object->name, object->id, "pad", 0.202};
    snapshot->whatif.list[0] = (struct snapshot_whatif){
        .state = state,
        .object = object->name,
        .object_id = object->id,
        .question = "hot",
        .layout = "Of 64 bytes, 16 apart.",
        .why = state == WHATIF_COUNTS ? NULL : "it is on a stack",
        .settled = true,
        .blocks = 3,
        .accesses = 100000,
        .object_accesses = 40000,
        .level_count = 2,
        .level = {{8000, 6000, 7000, 5000, 10}, {4000, 1000, 3900, 900, 10}},
        .stall_before = 824000,
        .stall_after = 246000};
    return snapshot;
}

static void open_typed(struct snapshot *snapshot, int rows, int columns)
{
    size_t object = typed_object(snapshot);
    page_open_on(snapshot, rows, columns, false, "");
    for (size_t i = 0; i < object; i++)
        page_press(KEYS_DOWN);
}

static int close_browser(void **state)
{
    (void)state;
    page_close();
    return 0;
}

static struct request press(uint32_t key)
{
    struct input input = {.kind = INPUT_KEY, .key = key};
    struct request request = browser_input(&page_browser, &input);
    browser_draw(&page_browser, &page_canvas, 1);
    return request;
}

static void asked_from_the_list(void **state)
{
    (void)state;
    open_typed(simulated(), 36, 120);
    page_press('x');
    assert_int_equal(page_browser.page, PAGE_WHATIF);
    assert_true(page_row_with("it never missed") > 0);
    assert_true(page_row_with("select a member on screen 8") > 0);
    struct request request = press(KEYS_ENTER);
    assert_int_equal(request.kind, REQUEST_WHATIF);
    assert_int_equal(request.object, page_browser.opened.id);
    const char *words = strrchr(request.name, ':');
    assert_non_null(words);
    assert_string_equal(words, ":never");
    /* Nothing is asked: x has nothing to end. */
    assert_int_equal(press('x').kind, REQUEST_NONE);
    page_press(KEYS_ESCAPE);
    assert_int_equal(page_browser.page, PAGE_OBJECTS);
}

static void split_where_layout_stands(void **state)
{
    (void)state;
    open_typed(simulated(), 36, 120);
    page_press('8');
    page_press(KEYS_HOME);
    page_press(KEYS_DOWN);
    page_press(KEYS_DOWN);
    const struct layout_row *row = table_selected(browser_table_of(&page_browser, &layout_columns));
    assert_non_null(row);
    char wanted[160];
    snprintf(wanted, sizeof wanted, "split before %s", row->row->member.name);
    page_press('x');
    assert_true(page_row_with(wanted) > 0);
    while (!strstr(((const struct whatif_choice *)table_selected(
                        browser_table_of(&page_browser, &whatif_choice_columns)))
                       ->title,
                   "split"))
        page_press(KEYS_DOWN);
    struct request request = press(KEYS_ENTER);
    assert_int_equal(request.kind, REQUEST_WHATIF);
    snprintf(wanted, sizeof wanted, ":split=%s", row->row->member.name);
    assert_non_null(strstr(request.name, wanted));
}

static void the_answer_beside_the_questions(void **state)
{
    (void)state;
    open_typed(answered(WHATIF_COUNTS), 36, 120);
    page_press('x');
    assert_int_equal(page_row_with("8.0k"), page_row_with("-25.0%"));
    assert_int_equal(page_row_with("-75.0%"), page_row_with("L2 misses, to memory"));
    assert_true(page_row_with("would fall by 70.1 %") > 0);
    assert_true(page_row_with("Of 100k accesses") > 0);
    /* What was answered stands beside each question. */
    assert_int_equal(page_row_with("hot members lay apart"), page_row_with("-70.1%"));
    assert_int_equal(page_row_with("padded to a power of two"), page_row_with("+20.2%"));
    assert_int_equal(press('x').kind, REQUEST_WHATIF_END);
}

static void why_there_is_no_answer(void **state)
{
    (void)state;
    open_typed(answered(WHATIF_REFUSED), 24, 80);
    page_press('x');
    assert_true(page_row_with("No answer: it is on a stack.") > 0);
}

static void without_a_simulation(void **state)
{
    (void)state;
    open_typed((struct snapshot *)(uintptr_t)fixture_new(FIXTURE_LEVELS, 0), 24, 80);
    assert_int_equal(page_row_with("x What if"), -1);
    page_press('x');
    assert_true(page_row_with("Only a simulation") > 0);
    assert_true(page_row_with("were always cached, at most") > 0);
    assert_int_equal(press(KEYS_ENTER).kind, REQUEST_NONE);
}

static void little_room_is_enough(void **state)
{
    (void)state;
    open_typed(answered(WHATIF_COUNTS), 10, 40);
    page_press('x');
    assert_true(page_row_with("it never missed") > 0);
    for (int i = 0; i < 12; i++)
        page_press(KEYS_DOWN);
}

static void hostile_snapshots(void **state)
{
    (void)state;
    struct snapshot *snapshot = (struct snapshot *)(uintptr_t)fixture_new(FIXTURE_HOSTILE, 0);
    snapshot->simulation.level_count = 4;
    snapshot->whatif.count = 1;
    snapshot->whatif.list[0] = (struct snapshot_whatif){.state = WHATIF_COUNTS,
                                                        .question = "hot",
                                                        .level_count = 4,
                                                        .stall_before = NAN,
                                                        .stall_after = 1e300,
                                                        .object_accesses = 1e300,
                                                        .cut = 1e300,
                                                        .blocks_left_out = 1.8e19};
    page_open_on(snapshot, 24, 80, false, "");
    page_press('x');
    for (int i = 0; i < 12; i++) {
        press(KEYS_ENTER);
        page_press(KEYS_DOWN);
    }
}

static char *printed(int (*print)(FILE *out, const struct snapshot *snapshot),
                     const struct snapshot *snapshot)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(print(out, snapshot), 0);
    fclose(out);
    fixture_release(snapshot);
    return text;
}

static int as_text(FILE *out, const struct snapshot *snapshot)
{
    struct view_options options = {0};
    return text_print(out, snapshot, &options);
}

static int as_page(FILE *out, const struct snapshot *snapshot)
{
    static const struct html_run run = {.command = "", .host = "", .version = "", .date = ""};
    static const struct screen_sources sources = {0};
    return html_print(out, snapshot, &sources, &run);
}

/* Best first; the one that the cursor is on is told below, and x drops it alone. */
static struct snapshot *several(void)
{
    struct snapshot *snapshot = answered(WHATIF_COUNTS);
    struct snapshot_whatif *list = snapshot->whatif.list;
    snapshot->whatif.count = 3;
    list[0].number = 2;
    list[1] = list[0];
    list[1].number = 0;
    list[1].question = "align";
    list[1].stall_after = 900000;
    list[2] = list[1];
    list[2].number = 1;
    list[2].question = "never";
    list[2].state = WHATIF_WAITS;
    list[2].level_count = 0;
    list[2].why = "the program has not come to it yet";
    return snapshot;
}

static void several_side_by_side(void **state)
{
    (void)state;
    open_typed(several(), 40, 120);
    page_press('x');
    assert_true(page_row_with("Asked at a time, best first") > 0);
    assert_true(page_row_with("-70.1%") > 0);
    assert_true(page_row_with("+9.2%") > 0);
    assert_true(page_row_with("would fall by 70.1 %") > 0);
    assert_true(page_row_with("waits") > 0);
    struct request all = press('x');
    assert_int_equal(all.kind, REQUEST_WHATIF_END);
    assert_int_equal(all.whatif, WHATIF_MAX);
    page_press(KEYS_RIGHT);
    page_press(KEYS_DOWN);
    assert_true(page_row_with("would grow by 9.2 %") > 0);
    struct request one = press('x');
    assert_int_equal(one.kind, REQUEST_WHATIF_END);
    assert_int_equal(one.whatif, 0);
    page_press(KEYS_DOWN);
    assert_true(page_row_with("the program has not come to it yet") > 0);
}

static void several_in_text_and_json(void **state)
{
    (void)state;
    char *text = printed(as_text, several());
    assert_non_null(strstr(text, "3 questions at a time, best first"));
    assert_non_null(strstr(text, "would save most, 70.1 % of the time"));
    assert_non_null(strstr(text, ": align. "));
    free(text);
    text = printed(json_print, several());
    json_t *root = json_loads(text, 0, NULL);
    json_t *list = json_object_get(root, "what_ifs");
    assert_int_equal(json_array_size(list), 3);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(root, "what_if"), "question")), "hot");
    assert_string_equal(json_string_value(json_object_get(json_array_get(list, 1), "question")),
                        "align");
    json_decref(root);
    free(text);
    text = printed(as_page, several());
    assert_non_null(strstr(text, "best first"));
    assert_non_null(strstr(text, "would grow by 9.2 %"));
    free(text);
}

static void text_json_and_page(void **state)
{
    (void)state;
    char *text = printed(as_text, answered(WHATIF_COUNTS));
    assert_non_null(strstr(text, "\nwhat if "));
    assert_non_null(strstr(text, ": hot. Of 64 bytes, 16 apart."));
    assert_non_null(strstr(text, "would fall by 70.1 %"));
    free(text);
    text = printed(as_page, answered(WHATIF_COUNTS));
    assert_non_null(strstr(text, "id=\"whatif\""));
    assert_non_null(strstr(text, "would fall by 70.1 %"));
    free(text);
    text = printed(json_print, answered(WHATIF_COUNTS));
    json_t *root = json_loads(text, 0, NULL);
    json_t *answer = json_object_get(root, "what_if");
    json_t *level = json_array_get(json_object_get(answer, "levels"), 1);
    assert_int_equal(json_integer_value(json_object_get(level, "misses_then")), 1000);
    assert_true(json_number_value(json_object_get(level, "change")) == -0.75);
    assert_string_equal(json_string_value(json_object_get(answer, "state")), "counts");
    assert_int_equal(json_array_size(json_object_get(answer, "before")), 1);
    json_decref(root);
    free(text);
    text = printed(json_print, answered(WHATIF_REFUSED));
    assert_non_null(strstr(text, "\"why\":\"it is on a stack\""));
    free(text);
    text = printed(json_print, simulated());
    assert_null(strstr(text, "what_if"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(asked_from_the_list, close_browser),
        cmocka_unit_test_teardown(split_where_layout_stands, close_browser),
        cmocka_unit_test_teardown(the_answer_beside_the_questions, close_browser),
        cmocka_unit_test_teardown(why_there_is_no_answer, close_browser),
        cmocka_unit_test_teardown(without_a_simulation, close_browser),
        cmocka_unit_test_teardown(little_room_is_enough, close_browser),
        cmocka_unit_test_teardown(hostile_snapshots, close_browser),
        cmocka_unit_test_teardown(several_side_by_side, close_browser),
        cmocka_unit_test(several_in_text_and_json),
        cmocka_unit_test(text_json_and_page),
    };
    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
