/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The row of tabs at every width: which screens it names, and where clicks and Tab lead. */
#include "unit.h"

#include "page_fixture.h"

#include <locale.h>
#include <string.h>

enum { ROW = 1 };

/* The screens that have a tab on the snapshots of these tests. */
static struct {
    char key;
    enum page_id page;
} screens[PAGE_COUNT];
static size_t screen_count;

static int list_screens(void **state)
{
    (void)state;
    page_open(FIXTURE_TYPED, 24, 80, false, "");
    for (int i = 0; i < PAGE_COUNT; i++)
        if (pages[i].key && page_filled((enum page_id)i, page_browser.snapshot)) {
            screens[screen_count].key = pages[i].key[0];
            screens[screen_count++].page = (enum page_id)i;
        }
    page_close();
    return screen_count ? 0 : -1;
}

static const int widths[] = {40, 41, 60, 80, 99, 120, 200};
enum { WIDTHS = sizeof widths / sizeof *widths };

/* Where a screen's key stands among the tabs; -1: nowhere. */
static int place_of(char key)
{
    const char *line = page_row(ROW);
    for (const char *at = line; *at; at++)
        if (at[0] == ' ' && at[1] == key && (at[2] == ' ' || !at[2]))
            return (int)(at - line) + 1;
    return -1;
}

static bool named(enum page_id page)
{
    char text[64];
    for (size_t i = 0; i < screen_count; i++)
        if (screens[i].page == page)
            snprintf(text, sizeof text, " %c %s", screens[i].key, pages[page].page->name);
    return page_column_of(ROW, text) >= 0;
}

static void every_screen_has_a_tab_that_leads_there(void **state)
{
    (void)state;
    for (size_t i = 0; i < WIDTHS; i++)
        for (size_t from = 0; from < screen_count; from++) {
            char keys[2] = {screens[from].key};
            page_open(FIXTURE_TYPED, widths[i] < 80 ? 10 : 24, widths[i], from % 2, keys);
            assert_int_equal(page_browser.page, screens[from].page);
            assert_true(named(screens[from].page));
            for (size_t to = 0; to < screen_count; to++) {
                page_press((uint32_t)screens[from].key);
                int column = place_of(screens[to].key);
                assert_true(column > 0);
                page_click(ROW, column);
                assert_int_equal(page_browser.page, screens[to].page);
            }
            page_close();
        }
}

/* Where some are named and some not, nothing that is named lies further away than what is not. */
static void the_nearest_keep_their_names(void **state)
{
    (void)state;
    page_open(FIXTURE_USUAL, 24, 80, false, "5");
    assert_true(named(PAGE_SEARCH) && named(PAGE_CODE) && named(PAGE_WINDOW));
    assert_false(named(PAGE_OBJECTS) && named(PAGE_MATRIX));
    page_press('m');
    assert_true(named(PAGE_TIMELINE) && named(PAGE_MATRIX) && named(PAGE_FINDINGS));
    assert_false(named(PAGE_OBJECTS));
    page_close();
    page_open(FIXTURE_USUAL, 24, 150, false, "5");
    for (size_t i = 0; i < screen_count; i++)
        assert_true(named(screens[i].page));
    page_close();
}

/* What was found keeps its name wherever one looks, and is told by its colour. */
static void findings_call(void **state)
{
    (void)state;
    page_open(FIXTURE_TYPED, 24, 80, false, "1");
    assert_true(page_browser.snapshot->findings.count > 0);
    assert_true(named(PAGE_FINDINGS));
    assert_int_equal(canvas_at(&page_canvas, ROW, place_of('f'))->paint, PAINT_WARN);
    assert_int_equal(canvas_at(&page_canvas, ROW, place_of('m'))->paint, PAINT_TAB);
    page_close();
}

static void tab_goes_round(void **state)
{
    (void)state;
    page_open(FIXTURE_TYPED, 24, 80, false, "1");
    for (size_t i = 1; i <= screen_count; i++) {
        page_press(KEYS_TAB);
        assert_int_equal(page_browser.page, screens[i % screen_count].page);
    }
    for (size_t i = screen_count; i > 0; i--) {
        page_press(KEYS_BACK_TAB);
        assert_int_equal(page_browser.page, screens[i - 1].page);
    }
    page_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_screen_has_a_tab_that_leads_there),
        cmocka_unit_test(the_nearest_keep_their_names),
        cmocka_unit_test(findings_call),
        cmocka_unit_test(tab_goes_round),
    };
    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, list_screens, NULL);
}
