/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "view/screen/keys.h"
#include "view/screen/pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void the_contract_is_kept(void **state)
{
    static const struct {
        uint32_t key;
        enum action action;
    } fixed[] = {{'?', ACTION_HELP},
                 {KEYS_F1, ACTION_HELP},
                 {'q', ACTION_QUIT},
                 {KEYS_F10, ACTION_QUIT},
                 {'1', PAGE_ACTION(OBJECTS)},
                 {'7', PAGE_ACTION(HEAP)},
                 {'8', PAGE_ACTION(LAYOUT)},
                 {KEYS_TAB, ACTION_NEXT_PAGE},
                 {KEYS_UP, ACTION_UP},
                 {'j', ACTION_DOWN},
                 {'k', ACTION_UP},
                 {'g', ACTION_HOME},
                 {'G', ACTION_END},
                 {KEYS_PAGE_UP, ACTION_PAGE_UP},
                 {KEYS_PAGE_DOWN, ACTION_PAGE_DOWN},
                 {KEYS_HOME, ACTION_HOME},
                 {KEYS_END, ACTION_END},
                 {KEYS_ENTER, ACTION_ENTER},
                 {KEYS_ESCAPE, ACTION_BACK},
                 {KEYS_BACKSPACE, ACTION_BACK},
                 {'/', ACTION_FIND},
                 {'\\', ACTION_FILTER},
                 {'n', ACTION_FIND_NEXT},
                 {KEYS_F6, ACTION_SORT_NEXT},
                 {'<', ACTION_SORT_LAST},
                 {'>', ACTION_SORT_NEXT},
                 {'I', ACTION_INVERT},
                 {' ', ACTION_FREEZE},
                 {'c', ACTION_BASIS},
                 {'z', ACTION_ZERO},
                 {'+', ACTION_SLOWER},
                 {'-', ACTION_FASTER},
                 {'e', ACTION_NEXT_EVENT},
                 {'m', PAGE_ACTION(MATRIX)},
                 {'w', PAGE_ACTION(WATCH)},
                 {'y', PAGE_ACTION(CAUSES)},
                 {'x', PAGE_ACTION(WHATIF)},
                 {'r', PAGE_ACTION(REUSE)},
                 {'L' & 0x1f, ACTION_REFRESH},
                 {'s', ACTION_SEARCH_HERE},
                 {'S', ACTION_SEARCH_ALL},
                 {'W', ACTION_WRITE},
                 {'Z' & 0x1f, ACTION_SUSPEND}};
    (void)state;
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        assert_int_equal(keys_action(fixed[i].key), fixed[i].action);
    assert_int_equal(keys_action('u'), ACTION_NONE);
    assert_int_equal(keys_action(0), ACTION_NONE);
}

static void no_key_means_two_things(void **state)
{
    size_t count;
    const struct key_binding *all = keys_all(&count);
    (void)state;
    for (size_t i = 0; i < count; i++) {
        assert_true(strlen(all[i].label) > 0 && strlen(all[i].brief) > 0);
        assert_string_equal(keys_binding(all[i].action).brief, all[i].brief);
        for (size_t k = 0; k < 4 && all[i].keys[k]; k++)
            assert_int_equal(keys_action(all[i].keys[k]), all[i].action);
    }
    for (int i = 0; i < PAGE_COUNT; i++) {
        if (!pages[i].key)
            continue;
        enum action action = (enum action)((int)ACTION_SHOW + i);
        assert_int_equal(keys_action((uint32_t)pages[i].key[0]), action);
        assert_string_equal(keys_binding(action).label, pages[i].page->name);
    }
}

/* The man page has a paragraph on each screen that has a tab, under its key and name, and on no
 * other. */
static void the_man_page_lists_every_screen(void **state)
{
    char path[4096];
    char line[1024];
    bool listed[PAGE_COUNT] = {false};
    (void)state;
    snprintf(path, sizeof path, "%s/man/misstop.1", getenv("srcdir") ? getenv("srcdir") : "..");
    FILE *man = fopen(path, "r");
    assert_non_null(man);
    bool section = false;
    while (fgets(line, sizeof line, man)) {
        line[strcspn(line, "\n")] = '\0';
        if (!strncmp(line, ".S", 2))
            section = !strcmp(line, ".SH SCREENS");
        if (!section || strncmp(line, ".B ", 3) != 0 || strlen(line) < 6 || line[4] != ' ')
            continue;
        enum action action = keys_action((uint32_t)line[3]);
        if (!action || strcmp(line + 5, keys_binding(action).label) != 0)
            fail_msg("no such screen: %s", line);
        if (action >= ACTION_SHOW)
            listed[action - ACTION_SHOW] = true;
    }
    fclose(man);
    for (int i = 0; i < PAGE_COUNT; i++)
        if (!listed[i] && pages[i].key)
            fail_msg("not in the man page: %s %s", pages[i].key, pages[i].page->name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_contract_is_kept),
                                       cmocka_unit_test(no_key_means_two_things),
                                       cmocka_unit_test(the_man_page_lists_every_screen)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
