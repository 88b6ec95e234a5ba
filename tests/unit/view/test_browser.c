/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "unit.h"
#include "unit/view/screen_fixture.h"
#include "unit/view/snapshot_fixture.h"
#include "view/screens/rows.h"
#include "view/display/browser.h"
#include "view/display/keys.h"
#include "view/display/screens.h"

static bool instruction(void *context, uint64_t ip, char *out, size_t size)
{
    (void)context;
    snprintf(out, size, "mov at %llx", (unsigned long long)ip);
    return true;
}

static int setup(void **state)
{
    (void)state;
    screen_open(FIXTURE_USUAL, 36, 120, false, "");
    screen_browser.sources.instruction = instruction;
    return 0;
}

static const char *selected_name(void)
{
    const struct snapshot_object *object =
        table_selected(browser_table_of(&screen_browser, &object_columns));
    return object->name;
}

static void keys_become_requests(void **state)
{
    static const struct {
        uint32_t key;
        enum request_kind kind;
    } keys[] = {{'q', REQUEST_QUIT},        {KEYS_F10, REQUEST_QUIT}, {'c', REQUEST_BASIS},
                {'z', REQUEST_ZERO},        {'+', REQUEST_SLOWER},    {'-', REQUEST_FASTER},
                {'e', REQUEST_NEXT_EVENT},  {'i', REQUEST_NONE},      {26, REQUEST_SUSPEND},
                {'X', REQUEST_SEARCH_STOP}, {'m', REQUEST_NONE},      {' ', REQUEST_NONE},
                {'S', REQUEST_SEARCH_ALL},  {'T', REQUEST_COUNTING}};
    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_int_equal(screen_press(keys[i].key).kind, keys[i].kind);
}

static void enter_opens_levels_and_escape_returns(void **state)
{
    (void)state;
    screen_press('j', KEYS_ENTER);
    assert_int_equal(screen_browser.screen, SCREEN_DETAIL);
    assert_string_equal(screen_browser.opened.object->name, "grid");
    screen_press(KEYS_RIGHT);
    assert_ptr_equal(browser_table(&screen_browser),
                     browser_table_of(&screen_browser, &toucher_columns));
    screen_press(KEYS_ENTER);
    assert_int_equal(screen_browser.screen, SCREEN_FUNCTION);
    assert_true(screen_has("walk_grid_column"));
    assert_true(screen_has("mov at 4011"));
    screen_press(KEYS_ENTER);
    assert_int_equal(screen_browser.screen, SCREEN_DETAIL);
    screen_press(KEYS_ESCAPE);
    assert_int_equal(screen_browser.screen, SCREEN_FUNCTION);
    screen_press(KEYS_ESCAPE, KEYS_BACKSPACE);
    assert_int_equal(screen_browser.screen, SCREEN_OBJECTS);
    assert_string_equal(selected_name(), "grid");
    screen_press(KEYS_ESCAPE); /* no level above the first screen */
    assert_int_equal(screen_browser.screen, SCREEN_OBJECTS);
}

/* Returns the name of the type on Layout. */
static const char *layout_name(void)
{
    const struct snapshot_object *object = screen_browser.opened.object;
    uint32_t type;
    layout_selected(&screen_browser, &type);
    for (size_t i = 0; i < object->layout_count; i++)
        if (object->layouts[i].type == type)
            return object->layouts[i].name;
    return "";
}

/* Returns the thread of the first access listed on Sharing. */
static const struct snapshot_sharing_side *shared_side(const struct browser *browser)
{
    const struct table *accesses = browser_table_of(browser, &sharing_access_columns);
    return ((const struct sharing_access *)(const void *)accesses->rows)->side;
}

static unsigned set_shown(void)
{
    char line[512];
    unsigned set = 0;
    struct area at = screen_find("Set ");
    canvas_row_text(&screen_canvas, at.row, line, sizeof line);
    assert_int_equal(sscanf(strstr(line, "Set "), "Set %u", &set), 1);
    return set;
}

static const struct layout_row *member_selected(void)
{
    return table_selected(browser_table_of(&screen_browser, &layout_columns));
}

/* Goes from the process to the source line with Enter alone, and back with Esc alone. */
static void enter_key_leads_to_the_source_line(void **state)
{
    (void)state;
    struct browser *browser = &screen_browser;
    browser_show(browser, fixture_new(FIXTURE_TYPED, 0), fixture_release);
    screen_press('1');
    assert_true(screen_has("Enter Fields and code"));
    screen_press(KEYS_ENTER);
    assert_true(screen_has("Enter Layout"));
    screen_press(KEYS_ENTER);
    assert_int_equal(browser->screen, SCREEN_LAYOUT);
    assert_string_equal(member_selected()->row->member.name, "y");
    assert_true(screen_has("Enter Code"));
    screen_press(KEYS_ENTER);
    assert_int_equal(browser->screen, SCREEN_FUNCTION);
    const struct source_row *line = table_selected(browser_table_of(browser, &source_columns));
    assert_int_equal(line->line, 75);
    const struct instruction_row *access =
        table_selected(browser_table_of(browser, &instruction_columns));
    assert_int_equal(access->instruction->address, 0x401004);
    assert_true(screen_has("Enter Instructions"));
    screen_press(KEYS_ENTER);
    assert_ptr_equal(browser_table(browser), browser_table_of(browser, &instruction_columns));
    assert_true(screen_has("mov at 401004"));
    screen_press(KEYS_ENTER);
    assert_int_equal(browser->screen, SCREEN_DETAIL);
    for (enum screen_id screen = SCREEN_FUNCTION;;
         screen = screen == SCREEN_FUNCTION ? SCREEN_LAYOUT
                  : screen == SCREEN_LAYOUT ? SCREEN_DETAIL
                                            : SCREEN_OBJECTS) {
        screen_press(KEYS_ESCAPE);
        assert_int_equal(browser->screen, screen);
        if (screen == SCREEN_LAYOUT)
            assert_string_equal(member_selected()->row->member.name, "y");
        if (screen == SCREEN_OBJECTS)
            break;
    }
}

/* Going back restores the object and function of each screen. */
static void escape_restores_opened_object_and_function(void **state)
{
    (void)state;
    struct browser *browser = &screen_browser;
    browser_show(browser, fixture_new(FIXTURE_TYPED, 0), fixture_release);
    screen_press(KEYS_ENTER, KEYS_ENTER, KEYS_ENTER);
    screen_press(KEYS_END); /* no line */
    screen_press(KEYS_UP);  /* the header: misses on grid */
    screen_press(KEYS_ENTER, KEYS_ENTER);
    assert_int_equal(browser->screen, SCREEN_DETAIL);
    assert_string_equal(browser->opened.object->name, "grid");
    screen_press(KEYS_RIGHT, 'j');
    screen_press(KEYS_ENTER); /* another function */
    assert_int_equal(browser->screen, SCREEN_FUNCTION);
    assert_string_not_equal(browser->opened_function.name, "visit_particles");
    screen_press(KEYS_ESCAPE);
    assert_string_equal(browser->opened.object->name, "grid");
    screen_press(KEYS_ESCAPE);
    assert_string_equal(browser->opened_function.name, "visit_particles");
    screen_press(KEYS_ESCAPE);
    assert_int_equal(browser->screen, SCREEN_LAYOUT);
    assert_string_equal(layout_name(), "struct particle");
    screen_press(KEYS_ESCAPE);
    assert_string_equal(browser->opened.object->name, "particles");
    /* opening from a tab uses the selected row, and Esc the level opened before */
    screen_press('1', 'j', 'j', KEYS_ENTER);
    assert_string_equal(browser->opened.object->name, "[heap]");
}

static void field_opens_layout_at_its_member(void **state)
{
    (void)state;
    browser_show(&screen_browser, fixture_new(FIXTURE_TYPED, 0), fixture_release);
    screen_press(KEYS_ENTER, 'j', KEYS_ENTER);
    assert_string_equal(member_selected()->row->member.name, "mass");
    screen_press(KEYS_ENTER);
    const struct source_row *line =
        table_selected(browser_table_of(&screen_browser, &source_columns));
    assert_int_equal(line->line, 74);
    /* it stays there with the next snapshot */
    browser_show(&screen_browser, fixture_new(FIXTURE_TYPED, 1), fixture_release);
    line = table_selected(browser_table_of(&screen_browser, &source_columns));
    assert_int_equal(line->line, 74);
}

/* A struct as a whole represents its members. */
static void struct_row_opens_code_of_its_members(void **state)
{
    (void)state;
    browser_show(&screen_browser, fixture_new(FIXTURE_TYPED, 0), fixture_release);
    screen_press(KEYS_ENTER, KEYS_ENTER, 'o');
    assert_string_equal(member_selected()->text, "+ vel");
    screen_press(KEYS_ENTER);
    const struct instruction_row *access =
        table_selected(browser_table_of(&screen_browser, &instruction_columns));
    assert_string_equal(access->instruction->field, "particle.vel.y");
    screen_press(KEYS_ESCAPE);
    assert_string_equal(member_selected()->text, "+ vel");
    screen_press('o');
    assert_string_equal(member_selected()->text, "- vel");
    screen_press(KEYS_HOME); /* pos: not part of a struct */
    screen_press('o');
    assert_true(screen_has("nothing to fold"));
    /* a member without samples of a listed instruction: shows at least the object's code */
    screen_press(KEYS_END, KEYS_ENTER);
    assert_int_equal(screen_browser.screen, SCREEN_FUNCTION);
    assert_true(screen_has("no instruction mainly accesses this member"));
}

/* The first member of a union represents accesses to any of them, the first bit-field those of its
 * unit. */
static void overlapping_members_open_their_shared_code(void **state)
{
    (void)state;
    struct snapshot *snapshot = (struct snapshot *)(uintptr_t)fixture_new(FIXTURE_TYPED, 0);
    snapshot->code[0].instructions[1].member = 7; /* alive, next to kind */
    snapshot->code[0].instructions[1].offset = 60;
    browser_show(&screen_browser, snapshot, fixture_release);
    screen_press(KEYS_ENTER, KEYS_ENTER, KEYS_END);
    assert_string_equal(member_selected()->row->member.name, "kind");
    screen_press(KEYS_ENTER);
    assert_int_equal(screen_browser.screen, SCREEN_FUNCTION);
    assert_false(screen_has("no instruction mainly accesses this member"));
    const struct source_row *line =
        table_selected(browser_table_of(&screen_browser, &source_columns));
    assert_int_equal(line->line, 75);
}

static void left_and_right_keys_change_the_type(void **state)
{
    (void)state;
    browser_show(&screen_browser, fixture_new(FIXTURE_TYPED, 0), fixture_release);
    screen_press('1', 'j', 'j');
    assert_string_equal(selected_name(), "[heap]");
    screen_press(KEYS_ENTER, KEYS_ENTER);
    assert_string_equal(layout_name(), "struct node");
    assert_true(screen_has("struct edge 30%"));
    screen_press(KEYS_RIGHT);
    assert_string_equal(layout_name(), "struct edge");
    assert_true(screen_has("not the object's own type"));
    browser_show(&screen_browser, fixture_new(FIXTURE_TYPED, 1), fixture_release);
    assert_string_equal(layout_name(), "struct edge");
    screen_press(KEYS_RIGHT);
    assert_string_equal(layout_name(), "struct node");
    screen_press(KEYS_LEFT);
    assert_string_equal(layout_name(), "struct edge");
    struct area at = screen_find("struct node 70%");
    screen_click(at.row, at.column);
    assert_string_equal(layout_name(), "struct node");
    /* another object starts with its own leading type */
    screen_press('1', KEYS_HOME, KEYS_ENTER, KEYS_ENTER);
    assert_string_equal(layout_name(), "struct particle");
    screen_press(KEYS_RIGHT);
    assert_true(screen_has("only one known type"));
}

/* Without debugging information the navigation is the same. */
static void inferred_elements_can_be_opened(void **state)
{
    (void)state;
    screen_press(KEYS_ENTER, KEYS_ENTER);
    assert_int_equal(screen_browser.screen, SCREEN_LAYOUT);
    assert_int_equal(member_selected()->row->member.offset, 40);
    assert_true(screen_has("inferred from the distances"));
    screen_press(KEYS_ENTER);
    assert_int_equal(screen_browser.screen, SCREEN_FUNCTION);
    /* grid has no elements: its fields lead directly to the code */
    screen_press('1', 'j', KEYS_ENTER);
    assert_true(screen_has("Enter Source"));
    screen_press(KEYS_ENTER);
    assert_int_equal(screen_browser.screen, SCREEN_FUNCTION);
}

static void selected_line_filters_the_instructions(void **state)
{
    (void)state;
    struct browser *browser = &screen_browser;
    browser_show(browser, fixture_new(FIXTURE_TYPED, 0), fixture_release);
    screen_press('2', KEYS_ENTER);
    assert_int_equal(browser_table_of(browser, &instruction_columns)->count,
                     2); /* the hottest line */
    /* a cursor placed elsewhere stays on its row with the next snapshot */
    screen_press(KEYS_RIGHT, KEYS_DOWN);
    browser_show(browser, fixture_new(FIXTURE_TYPED, 1), fixture_release);
    const struct instruction_row *access =
        table_selected(browser_table_of(browser, &instruction_columns));
    assert_int_equal(access->instruction->address, 0x401009);
    screen_press(KEYS_LEFT);
    screen_press(KEYS_UP); /* 74 */
    access = table_selected(browser_table_of(browser, &instruction_columns));
    assert_int_equal(access->instruction->address, 0x401000);
    screen_press(KEYS_DOWN);
    access = table_selected(browser_table_of(browser, &instruction_columns));
    assert_int_equal(access->instruction->address, 0x401004);
    screen_press(KEYS_HOME);
    assert_int_equal(browser_table_of(browser, &instruction_columns)->count, 1);
    screen_press(KEYS_END);
    assert_int_equal(browser_table_of(browser, &instruction_columns)->count, 1);
    assert_true(screen_has("without a known line"));
    screen_press(KEYS_RIGHT, KEYS_RIGHT);
    assert_ptr_equal(browser_table(browser), browser_table_of(browser, &site_columns));
    screen_press(KEYS_RIGHT);
    assert_ptr_equal(browser_table(browser), browser_table_of(browser, &source_columns));
}

static void opened_object_stays_while_ranks_change(void **state)
{
    (void)state;
    screen_press('j', KEYS_ENTER);
    for (unsigned tick = 1; tick < 30; tick++) {
        browser_show(&screen_browser, fixture_new(FIXTURE_USUAL, tick), fixture_release);
        assert_string_equal(screen_browser.opened.object->name, "grid");
    }
    browser_show(&screen_browser, fixture_new(FIXTURE_ONE, 0), fixture_release);
    screen_draw();
    assert_true(screen_has("grid is not listed now"));
    screen_press(KEYS_ENTER); /* nothing to open, so nothing happens */
    assert_int_equal(screen_press('s').kind, REQUEST_NONE);
}

static uint64_t identity_at(const struct table *table, size_t at)
{
    return columns_identity(table->columns, table->snapshot,
                            table->rows + table->order[at] * table->columns->row_size);
}

/* In each list of each tab, rows have distinct identities, and the selected row stays selected when
 * rows move. */
static void cursor_follows_its_row_in_every_list(void **state)
{
    (void)state;
    struct browser *browser = &screen_browser;
    unsigned lists = 0;
    unsigned moved = 0;
    for (const char *key = "123456789"; *key; key++) {
        screen_press((uint32_t)*key);
        for (int pane = 0; pane < PANES_MAX; pane++, screen_press(KEYS_RIGHT)) {
            struct table *table = browser_table(browser);
            if (!table || table->shown < 3)
                continue;
            lists++;
            for (size_t i = 1; i < table->shown; i++)
                for (size_t k = 0; k < i; k++)
                    assert_true(identity_at(table, i) != identity_at(table, k));
            table_move(table, 1);
            uint64_t selected = identity_at(table, table->selected);
            size_t place = table->selected;
            table_invert(table);
            assert_true(identity_at(table, table->selected) == selected);
            moved += table->selected != place;
            for (unsigned tick = 1; tick < 12; tick++) {
                browser_show(browser, fixture_new(FIXTURE_USUAL, tick), fixture_release);
                for (size_t i = 0; i < table->shown; i++)
                    if (identity_at(table, i) == selected)
                        assert_int_equal(table->selected, i);
            }
        }
    }
    assert_true(lists >= 10 && moved >= 5);
}

static void heap_bins_can_be_renamed_and_combined(void **state)
{
    (void)state;
    screen_press('4', KEYS_HOME, 'R');
    for (const char *key = "mine!"; *key; key++)
        assert_int_equal(screen_press((uint32_t)*key).kind, REQUEST_NONE);
    screen_press(KEYS_BACKSPACE);
    struct request request = screen_press(KEYS_ENTER);
    assert_int_equal(request.kind, REQUEST_BIN_RENAME);
    assert_int_equal(request.bins[0], 1);
    assert_string_equal(request.name, "mine");
    screen_press('R');
    assert_int_equal(screen_press(KEYS_ESCAPE).kind, REQUEST_NONE);
    assert_int_equal(screen_press('C').kind, REQUEST_NONE); /* nothing is tagged */
    screen_press('t');                                      /* and moves to the next row */
    screen_press('t');
    request = screen_press('C');
    assert_int_equal(request.kind, REQUEST_BIN_COMBINE);
    assert_int_equal(request.bin_count, 3);
    assert_false(screen_has("tagged"));
    request = screen_press('U');
    assert_int_equal(request.kind, REQUEST_BIN_UNDO);
    assert_int_equal(screen_press('M').kind, REQUEST_HEAP_MARK);
}

static void number_and_tab_keys_change_the_screen(void **state)
{
    (void)state;
    for (uint32_t key = '1'; key <= '9'; key++) {
        screen_press(key);
        assert_int_equal(screens[screen_browser.screen].key[0], key);
    }
    screen_press('8');
    assert_int_equal(screen_browser.screen, SCREEN_TIMELINE);
    screen_press(KEYS_TAB);
    assert_int_equal(screen_browser.screen, SCREEN_FINDINGS);
    screen_press(KEYS_BACK_TAB);
    assert_int_equal(screen_browser.screen, SCREEN_TIMELINE);
    screen_press('?'); /* a level above it: the next tab is the same */
    screen_press(KEYS_TAB);
    assert_int_equal(screen_browser.screen, SCREEN_FINDINGS);
    screen_press(KEYS_TAB);
    assert_int_equal(screen_browser.screen, SCREEN_OBJECTS);
    screen_press(KEYS_BACK_TAB);
    assert_int_equal(screen_browser.screen, SCREEN_FINDINGS);
}

/* Esc goes up the levels, and never to a tab visited before. */
static void escape_goes_up_a_level_only(void **state)
{
    (void)state;
    struct browser *browser = &screen_browser;
    screen_press('3', '1', KEYS_ESCAPE);
    assert_int_equal(browser->screen, SCREEN_OBJECTS);
    assert_true(screen_has("this is the top level"));
    screen_press(KEYS_ENTER, KEYS_ENTER);
    assert_int_equal(browser->screen, SCREEN_LAYOUT);
    screen_press('i', '?');
    assert_true(screen_has("Objects › particles › Layout › Quality › Help"));
    for (unsigned levels = 4; levels; levels--) {
        assert_int_equal(browser->level_count, levels);
        assert_int_equal(browser_tab(browser), SCREEN_OBJECTS);
        screen_press(KEYS_ESCAPE);
    }
    assert_int_equal(browser->screen, SCREEN_OBJECTS);
    screen_press(KEYS_ENTER);
    screen_press('2'); /* a tab, from a level of another tab */
    screen_press(KEYS_ESCAPE);
    assert_int_equal(browser->screen, SCREEN_CODE);
    screen_press('1');
    for (int i = 0; i < 3 * LEVELS_MAX; i++) /* levels are bounded; the last one is the tab */
        screen_press(i % 2 ? 'i' : KEYS_F2);
    for (int i = 0; i <= LEVELS_MAX; i++)
        screen_press(KEYS_ESCAPE);
    assert_int_equal(browser->screen, SCREEN_OBJECTS);
}

static void unassigned_key_shows_a_message(void **state)
{
    (void)state;
    screen_press(KEYS_F1 + 10);
    assert_true(screen_has("F11 has no function"));
    screen_press('|');
    assert_true(screen_has("| has no function"));
    screen_press(KEYS_F9);
    assert_true(screen_has("sends no signals"));
    screen_press(KEYS_F7);
    assert_true(screen_has("no function here"));
    screen_press('j');
    assert_false(screen_has("does nothing"));
    screen_press(0); /* sent by curses when the terminal is resized */
    assert_false(screen_has("does nothing"));
}

/* H shows the threads; u restricts the list of processes to one user. */
static void htop_keys_show_threads_and_filter_users(void **state)
{
    static const struct picker_row rows[] = {
        {.pid = 1, .user = "root", .command = "primus", .cpu_percent = 9},
        {.pid = 2, .user = "alice", .command = "two", .cpu_percent = 5},
        {.pid = 3, .user = "alice", .command = "three", .cpu_percent = 1}};
    (void)state;
    struct browser *browser = &screen_browser;
    screen_press('H');
    assert_int_equal(browser->screen, SCREEN_CODE);
    assert_int_equal(browser->pane[SCREEN_CODE], 1);
    screen_press('u');
    assert_true(screen_has("list of processes"));
    browser_pick(browser, rows, 3, false);
    screen_press(KEYS_DOWN, 'u');
    assert_true(screen_has("two") && screen_has("three") && !screen_has("primus"));
    screen_press('u');
    assert_true(screen_has("primus"));
    browser_pick_end(browser, false);
}

/* W requests a file name and suggests one. */
static void write_key_asks_for_a_file_name(void **state)
{
    (void)state;
    assert_int_equal(screen_press('W').kind, REQUEST_NONE);
    assert_true(screen_has("Write to: misstop-misstop-demo-4242"));
    screen_press(KEYS_ESCAPE, 'W', '-', 'b');
    struct request request = screen_press(KEYS_ENTER);
    assert_int_equal(request.kind, REQUEST_WRITE);
    assert_string_equal(request.name, "misstop-misstop-demo-4242-b");
}

/* Columns chosen in Setup, their order, and back to the default. */
static void setup_selects_columns_and_their_order(void **state)
{
    (void)state;
    struct browser *browser = &screen_browser;
    struct table *objects = browser_table_of(browser, &object_columns);
    struct column_choice again;
    char text[512];
    screen_has("");
    screen_press(KEYS_F2);
    for (int i = 0; i < 3; i++)
        screen_press(KEYS_DOWN);
    screen_press(KEYS_ENTER);
    assert_true(screen_has("Setup: columns of Objects"));
    screen_press(KEYS_ENTER); /* removes SHARE */
    column_choice_text(&object_columns, &objects->choice, text, sizeof text);
    assert_int_equal(strncmp(text, "+-,bar,", 7), 0);
    screen_press(KEYS_HOME, KEYS_F8);
    column_choice_text(&object_columns, &objects->choice, text, sizeof text);
    assert_int_equal(strncmp(text, "bar,+-,", 7), 0);
    screen_press(KEYS_ESCAPE, KEYS_ESCAPE);
    assert_int_equal(browser->screen, SCREEN_OBJECTS);
    assert_false(screen_has("SHARE"));
    column_choice_parse(&object_columns, "NAME,NONSENSE,SHARE,,bar", &again);
    column_choice_text(&object_columns, &again, text, sizeof text);
    assert_string_equal(text, "NAME,SHARE,bar");
    objects->choice = again;
    screen_press('2', '1');
    assert_true(screen_find("NAME").column < screen_find("SHARE").column);
}

/* Panes: groups, accesses, and lines if there are several. */
static void sharing_screen_opens_object_and_function(void **state)
{
    (void)state;
    const struct browser *browser = &screen_browser;
    screen_press('7');
    assert_int_equal(browser_table_of(browser, &sharing_line_columns)->count, 3);
    assert_int_equal(browser_table_of(browser, &sharing_access_columns)->count, 4);
    screen_press(KEYS_RIGHT, KEYS_RIGHT);
    screen_press(KEYS_DOWN); /* the second line of the array */
    assert_ptr_equal(shared_side(browser), browser->snapshot->sharing.groups[0].lines[1].sides);
    screen_press(KEYS_RIGHT);
    screen_press(KEYS_DOWN); /* the lock: one line, six threads */
    assert_int_equal(browser_table_of(browser, &sharing_line_columns)->count, 0);
    assert_int_equal(browser_table_of(browser, &sharing_access_columns)->count, 12);
    screen_press(KEYS_ENTER);
    assert_string_equal(browser->opened.object->name, browser->snapshot->objects[1].name);
    while (browser->screen != SCREEN_SHARING)
        screen_press(KEYS_ESCAPE);
    browser_show(&screen_browser, fixture_new(FIXTURE_USUAL, 1), fixture_release);
    assert_ptr_equal(shared_side(browser), browser->snapshot->sharing.groups[1].lines[0].sides);
    screen_press(KEYS_RIGHT, KEYS_ENTER);
    assert_int_equal(browser->screen, SCREEN_FUNCTION);
}

static void frozen_screen_keeps_its_snapshot_and_accepts_keys(void **state)
{
    (void)state;
    const struct snapshot *before = screen_browser.snapshot;
    screen_press(' ');
    assert_true(screen_has("FROZEN"));
    for (unsigned tick = 1; tick < 4; tick++)
        browser_show(&screen_browser, fixture_new(FIXTURE_USUAL, tick), fixture_release);
    assert_ptr_equal(screen_browser.snapshot, before);
    assert_int_equal(fixture_alive(), 2); /* the one shown and the newest */
    screen_press('I');
    assert_string_equal(selected_name(), "unknown");
    screen_press(KEYS_ENTER);
    assert_string_equal(screen_browser.opened.object->name, "unknown");
    screen_press(' ');
    assert_false(screen_has("FROZEN"));
    assert_int_equal(screen_browser.snapshot->iteration, 4);
    assert_int_equal(fixture_alive(), 1);
}

static void filter_can_be_typed_kept_and_cleared(void **state)
{
    (void)state;
    screen_press('\\');
    screen_type("arenaq");
    assert_true(screen_has("Filter: arenaq"));
    assert_true(screen_has("no match"));
    screen_press(KEYS_BACKSPACE);
    assert_int_equal(browser_table_of(&screen_browser, &object_columns)->shown, 2);
    screen_press(KEYS_ENTER);
    assert_true(screen_has("2 of 12"));
    browser_show(&screen_browser, fixture_new(FIXTURE_USUAL, 1), fixture_release);
    assert_int_equal(browser_table_of(&screen_browser, &object_columns)->shown, 2);
    screen_press(KEYS_ESCAPE); /* Esc first clears the filter; the screen stays */
    assert_int_equal(browser_table_of(&screen_browser, &object_columns)->shown, 12);
}

static void find_moves_the_cursor_while_typing(void **state)
{
    (void)state;
    screen_press('/');
    screen_type("lib");
    assert_string_equal(browser_table_of(&screen_browser, &object_columns)->find, "lib");
    const char *first = selected_name();
    assert_true(strstr(first, "std::") == first);
    screen_press(KEYS_ENTER, 'n');
    assert_string_equal(selected_name(), "errno_table");
    screen_press('/');
    screen_type("grid");
    assert_string_equal(selected_name(), "grid");
    screen_press(KEYS_ESCAPE);
    assert_string_equal(selected_name(), "errno_table");
    screen_press('/');
    assert_int_equal(screen_press(3).kind, REQUEST_QUIT); /* Ctrl-C works while typing */
}

static void search_requests_contain_a_range(void **state)
{
    (void)state;
    const struct snapshot_object *object = &screen_browser.snapshot->objects[0];
    struct request request = screen_press('s');
    assert_int_equal(request.kind, REQUEST_SEARCH_RANGE);
    assert_int_equal(request.base, object->address);
    assert_int_equal(request.bound, object->address + object->size);
    assert_string_equal(request.name, "particles");
    assert_int_equal(screen_browser.screen, SCREEN_SEARCH);
    /* on a region without a single object, Enter zooms in */
    screen_press(KEYS_END);
    request = screen_press(KEYS_ENTER);
    assert_int_equal(request.kind, REQUEST_SEARCH_RANGE);
    /* on a region with one object, Enter opens it */
    screen_press(KEYS_HOME, KEYS_ENTER);
    assert_int_equal(screen_browser.screen, SCREEN_DETAIL);
    /* an object of unknown size cannot be searched */
    screen_press('1', KEYS_END);
    assert_string_equal(selected_name(), "unknown");
    assert_int_equal(screen_press('s').kind, REQUEST_NONE);
    assert_true(screen_has("nothing to search in"));
}

static void cursor_moves_over_cache_sets(void **state)
{
    (void)state;
    screen_press('5');
    uint32_t hottest = set_shown();
    assert_in_range(hottest, 13, 14);
    screen_press(KEYS_LEFT);
    assert_int_equal(set_shown(), hottest - 1);
    screen_press(KEYS_DOWN);
    assert_int_equal(set_shown(), hottest - 1 + 16);
    browser_show(&screen_browser, fixture_new(FIXTURE_USUAL, 5), fixture_release);
    assert_int_equal(set_shown(), hottest - 1 + 16); /* stays in place */
    for (int i = 0; i < 9; i++)
        screen_press(KEYS_DOWN);
    assert_int_equal(set_shown(), 63);
    screen_press(KEYS_HOME);
    assert_in_range(set_shown(), 13, 14);
    /* 16 sets per row, cells of 7 columns after labels of 7 */
    struct area at = screen_find("    16 ");
    screen_click(at.row, at.column + 7 + 2 * 7);
    assert_int_equal(set_shown(), 18);
    screen_press(KEYS_ENTER);
    assert_int_equal(screen_browser.screen, SCREEN_DETAIL);
}

static void mouse_selects_opens_sorts_and_presses_keys(void **state)
{
    (void)state;
    struct area at = screen_find("demo arena");
    screen_click(at.row, at.column);
    assert_string_equal(selected_name(), "demo arena");
    assert_int_equal(screen_browser.screen, SCREEN_OBJECTS);
    screen_click(at.row, at.column);
    assert_int_equal(screen_browser.screen, SCREEN_DETAIL);
    at = screen_find("2 Code");
    screen_click(at.row, at.column);
    assert_int_equal(screen_browser.screen, SCREEN_CODE);
    at = screen_find("Quit");
    assert_int_equal(at.row, 35);
    assert_int_equal(screen_click(at.row, at.column).kind, REQUEST_QUIT);
    screen_press('1');
    at = screen_find("NAME");
    screen_click(at.row, at.column);
    assert_string_equal(table_sort_title(browser_table_of(&screen_browser, &object_columns)),
                        "NAME");
    struct input wheel = {.kind = INPUT_WHEEL_DOWN};
    size_t before = browser_table_of(&screen_browser, &object_columns)->selected;
    browser_input(&screen_browser, &wheel);
    assert_int_equal(browser_table_of(&screen_browser, &object_columns)->selected, before + 3);
    screen_click(500, 500);
    screen_click(-1, -1);
}

static void messages_disappear_after_a_time(void **state)
{
    (void)state;
    browser_message(&screen_browser, "written: a.txt");
    screen_draw();
    assert_true(screen_has("written: a.txt"));
    browser_draw(&screen_browser, &screen_canvas, clock_now_ns() + 10 * CLOCK_NS_PER_S);
    assert_false(screen_has("written: a.txt"));
}

static void picker_returns_the_process_and_closes(void **state)
{
    (void)state;
    struct browser *browser = &screen_browser;
    struct picker_row rows[] = {{.pid = 10, .cpu_percent = 1, .command = "one"},
                                {.pid = 20, .cpu_percent = 90, .command = "two"},
                                {.pid = 30, .cpu_percent = 50, .command = "three"}};
    browser_pick(browser, rows, 3, false);
    browser_draw(browser, &screen_canvas, 0);
    assert_int_equal(screen_press(KEYS_DOWN).kind, REQUEST_NONE);
    /* The list is resorted, and the selection stays on its process. */
    rows[0].cpu_percent = 99;
    browser_pick(browser, rows, 3, false);
    assert_int_equal(screen_press('5').kind, REQUEST_NONE); /* no tabs here */
    assert_int_equal(browser->screen, SCREEN_PICKER);
    struct request request = screen_press(KEYS_ENTER);
    assert_int_equal(request.kind, REQUEST_PICK);
    assert_int_equal(request.pid, 30);
    browser_pick(browser, rows, 0, false);
    assert_int_equal(screen_press(KEYS_ENTER).kind, REQUEST_NONE);
    browser_show(browser, fixture_new(FIXTURE_USUAL, 1), fixture_release);
    assert_int_equal(browser->screen, SCREEN_OBJECTS);
}

static void next_event_key_needs_several_events(void **state)
{
    (void)state;
    browser_show(&screen_browser, fixture_new(FIXTURE_EMPTY, 0), fixture_release);
    assert_int_equal(screen_press('e').kind, REQUEST_NONE);
    assert_true(screen_has("one event is sampled"));
}

static void any_key_is_safe_on_any_screen(void **state)
{
    (void)state;
    static const enum fixture_kind kinds[] = {FIXTURE_EMPTY, FIXTURE_ONE, FIXTURE_HOSTILE,
                                              FIXTURE_HUGE, FIXTURE_TYPED};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        browser_show(&screen_browser, fixture_new(kinds[k], 0), fixture_release);
        for (uint32_t screen = '1'; screen <= '9'; screen++)
            for (uint32_t key = 0; key < 0x80; key++) {
                screen_press(screen, key, KEYS_UP + key % 24, KEYS_ESCAPE);
            }
    }
}

static int run_browser(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, screen_teardown)
    const struct CMUnitTest tests[] = {
        TEST(keys_become_requests),
        TEST(enter_opens_levels_and_escape_returns),
        TEST(enter_key_leads_to_the_source_line),
        TEST(escape_restores_opened_object_and_function),
        TEST(field_opens_layout_at_its_member),
        TEST(struct_row_opens_code_of_its_members),
        TEST(overlapping_members_open_their_shared_code),
        TEST(left_and_right_keys_change_the_type),
        TEST(inferred_elements_can_be_opened),
        TEST(selected_line_filters_the_instructions),
        TEST(opened_object_stays_while_ranks_change),
        TEST(cursor_follows_its_row_in_every_list),
        TEST(heap_bins_can_be_renamed_and_combined),
        TEST(number_and_tab_keys_change_the_screen),
        TEST(escape_goes_up_a_level_only),
        TEST(unassigned_key_shows_a_message),
        TEST(htop_keys_show_threads_and_filter_users),
        TEST(write_key_asks_for_a_file_name),
        TEST(setup_selects_columns_and_their_order),
        TEST(sharing_screen_opens_object_and_function),
        TEST(frozen_screen_keeps_its_snapshot_and_accepts_keys),
        TEST(filter_can_be_typed_kept_and_cleared),
        TEST(find_moves_the_cursor_while_typing),
        TEST(search_requests_contain_a_range),
        TEST(cursor_moves_over_cache_sets),
        TEST(mouse_selects_opens_sorts_and_presses_keys),
        TEST(messages_disappear_after_a_time),
        TEST(picker_returns_the_process_and_closes),
        TEST(next_event_key_needs_several_events),
        TEST(any_key_is_safe_on_any_screen),
    };
    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#undef TEST

/* The keys and the status line of a replay, and its list of processes, without a terminal. */

static struct snapshot_recording recording;

static const struct view_play playing = {
    .position_s = 41, .length_s = 130, .goal_s = NAN, .pace = 5};

static void show_recording(void)
{
    struct snapshot *snapshot = (struct snapshot *)(uintptr_t)fixture_new(FIXTURE_USUAL, 0);
    snapshot->source.live = false;
    snapshot->recording = &recording;
    browser_show(&screen_browser, snapshot, fixture_release);
}

static int replay_setup(void **state)
{
    (void)state;
    screen_open_on(NULL, 36, 140, false, "");
    recording = (struct snapshot_recording){.host = "server9",
                                            .cpu = "Xeon 8173M",
                                            .kernel = "4.14 x86_64",
                                            .command = "perf mem record",
                                            .date = "2026-11-21 12:03:11",
                                            .date_exact = true,
                                            .processes = 3};
    return 0;
}

static void replay_line_shows_position_and_state(void **state)
{
    (void)state;
    struct view_play play = playing;
    browser_play(&screen_browser, &play);
    show_recording();
    screen_draw();
    assert_true(screen_has("Playing  41.0s of 2m10.0s, 5x"));
    assert_true(screen_has("1 of 3 processes  recorded on server9, 2026-11-21 12:03:11, Xeon"));
    assert_true(screen_has("RECORDED") || screen_has("PLAYING"));
    assert_false(screen_has("LIVE"));
    screen_press(' ');
    assert_true(screen_has("FROZEN"));
    assert_true(screen_has("behind the frozen screen"));
    play.paused = true;
    browser_play(&screen_browser, &play);
    screen_draw();
    assert_true(screen_has("FROZEN"));
    assert_true(screen_has("Paused  41.0s of 2m10.0s, 5x"));
    screen_press(' ');
    assert_true(screen_has("PAUSED"));
    play.goal_s = 100;
    browser_play(&screen_browser, &play);
    screen_draw();
    assert_true(screen_has("Reading  41.0s of 2m10.0s, Esc stops"));
    struct request stop = screen_press(KEYS_ESCAPE);
    assert_int_equal(stop.kind, REQUEST_PLAY_GO);
    assert_string_equal(stop.name, "here");
    play = (struct view_play){
        .position_s = 0.0123, .length_s = 0.0123, .goal_s = NAN, .paused = true, .ended = true};
    browser_play(&screen_browser, &play);
    screen_draw();
    assert_true(screen_has("At the end  12ms of 12ms"));
}

static void replay_line_omits_unknown_values(void **state)
{
    (void)state;
    struct view_play play = playing;
    play.length_s = NAN;
    recording = (struct snapshot_recording){.position_s = NAN, .length_s = NAN};
    browser_play(&screen_browser, &play);
    screen_draw();
    assert_true(screen_has("Reading the recording."));
    show_recording();
    screen_draw();
    assert_true(screen_has("Playing  41.0s, 5x"));
    assert_false(screen_has("recorded on"));
    assert_false(screen_has("nan"));
}

static void replay_keys_become_requests(void **state)
{
    static const struct {
        uint32_t key;
        enum request_kind kind;
        int direction;
        const char *name;
    } keys[] = {{'p', REQUEST_PLAY_PAUSE, 0, ""},  {'.', REQUEST_PLAY_STEP, 1, ""},
                {',', REQUEST_PLAY_STEP, -1, ""},  {')', REQUEST_PLAY_GO, 0, "+10%"},
                {'(', REQUEST_PLAY_GO, 0, "-10%"}, {'^', REQUEST_PLAY_GO, 0, "0"},
                {'$', REQUEST_PLAY_GO, 0, "end"},  {'P', REQUEST_PROCESSES, 0, ""}};
    (void)state;
    show_recording();
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_int_equal(screen_press(keys[i].key).kind, REQUEST_NONE);
    assert_true(screen_has("misstop -i FILE"));
    assert_false(screen_has("p Play"));
    browser_play(&screen_browser, &playing);
    for (uint32_t screen = '1'; screen <= '9'; screen++) {
        screen_press(screen);
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            struct request request = screen_press(keys[i].key);
            assert_int_equal(request.kind, keys[i].kind);
            assert_int_equal(request.direction, keys[i].direction);
            assert_string_equal(request.name, keys[i].name);
        }
        assert_true(screen_has("p Pause"));
    }
}

static void go_to_time_is_typed(void **state)
{
    (void)state;
    browser_play(&screen_browser, &playing);
    show_recording();
    screen_press('@');
    for (const char *at = "1m2x"; *at; at++)
        assert_int_equal(screen_press((uint32_t)*at).kind, REQUEST_NONE);
    screen_press(KEYS_BACKSPACE);
    assert_true(screen_has("Go to: 1m2"));
    struct request request = screen_press(KEYS_ENTER);
    assert_int_equal(request.kind, REQUEST_PLAY_GO);
    assert_string_equal(request.name, "1m2");
    screen_press('@', '4');
    assert_int_equal(screen_press(KEYS_ESCAPE).kind, REQUEST_NONE);
    screen_press('@');
    assert_int_equal(screen_press(KEYS_ENTER).kind, REQUEST_NONE);
}

static void help_describes_the_recording_keys(void **state)
{
    (void)state;
    show_recording();
    screen_press('?');
    assert_false(screen_has("recording: to the start, and to the end"));
    screen_press(KEYS_ESCAPE, 'i');
    recording.note = "the recording is damaged: read up to the damage";
    browser_play(&screen_browser, &playing);
    screen_resize(300, 120, false);
    screen_draw();
    assert_true(screen_has("perf mem record"));
    assert_true(screen_has("4.14 x86_64"));
    assert_true(screen_has("the recording is damaged"));
    screen_press('?');
    assert_true(screen_has("recording: to the start, and to the end"));
}

static void recording_damage_is_reported_at_first_snapshot(void **state)
{
    (void)state;
    recording.note = "the recording is cut short: its end is missing";
    browser_play(&screen_browser, &playing);
    show_recording();
    screen_draw();
    assert_true(screen_has("cut short"));
    browser_draw(&screen_browser, &screen_canvas, clock_now_ns() + 60 * CLOCK_NS_PER_S);
    assert_false(screen_has("cut short"));
}

static void picker_of_a_recording_can_be_left(void **state)
{
    (void)state;
    struct browser *browser = &screen_browser;
    const struct picker_row rows[] = {
        {.pid = 10, .samples = 900, .share = 0.9, .span_s = 12, .command = "server"},
        {.pid = 20, .samples = 100, .share = 0.1, .span_s = NAN, .command = "client"}};
    browser_pick(browser, rows, 2, true);
    screen_draw();
    assert_true(screen_has("which process of the recording?"));
    assert_true(screen_has("12.0s server"));
    assert_int_equal(screen_press(KEYS_ESCAPE).kind, REQUEST_NONE); /* nothing to go back to */
    screen_press(KEYS_DOWN);
    struct request request = screen_press(KEYS_ENTER);
    assert_int_equal(request.kind, REQUEST_PICK);
    assert_int_equal(request.pid, 20);
    browser_pick_end(browser, true);
    browser_play(browser, &playing);
    show_recording();
    screen_press('5');
    browser_pick(browser, rows, 2, true);
    screen_draw();
    assert_int_equal(screen_press('p').kind, REQUEST_NONE);
    assert_int_equal(screen_press(KEYS_ESCAPE).kind, REQUEST_LEAVE);
    browser_pick_end(browser, false);
    screen_draw();
    assert_int_equal(browser->screen, SCREEN_CACHE);
    screen_press(KEYS_UP); /* the rows are freed and must not be used */
    browser_pick(browser, rows, 2, true);
    browser_pick_end(browser, true);
    assert_int_equal(browser->screen, SCREEN_OBJECTS);
}

static void small_screen_shows_replay_state(void **state)
{
    (void)state;
    struct view_play play = playing;
    screen_resize(BROWSER_ROWS_MIN, BROWSER_COLUMNS_MIN, true);
    browser_play(&screen_browser, &play);
    show_recording();
    screen_draw();
    assert_true(screen_has("PLAYING"));
    play.paused = true;
    browser_play(&screen_browser, &play);
    screen_draw();
    assert_true(screen_has("PAUSED"));
}

static int run_browser_replay(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, replay_setup, screen_teardown)
    const struct CMUnitTest tests[] = {
        TEST(replay_line_shows_position_and_state),
        TEST(replay_line_omits_unknown_values),
        TEST(replay_keys_become_requests),
        TEST(go_to_time_is_typed),
        TEST(help_describes_the_recording_keys),
        TEST(recording_damage_is_reported_at_first_snapshot),
        TEST(picker_of_a_recording_can_be_left),
        TEST(small_screen_shows_replay_state),
    };
    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#undef TEST

/* The row of tabs at every width: the names shown, and the effect of clicks and Tab. */

enum { ROW = 2 };

/* The screens that have a tab with the snapshots of these tests. */
static struct {
    char key;
    enum screen_id screen;
} tabs[SCREEN_COUNT];
static size_t tab_count;

static int list_tabs(void **state)
{
    (void)state;
    screen_open(FIXTURE_TYPED, 24, 80, false, "");
    for (int i = 0; i < SCREEN_COUNT; i++)
        if (screens[i].place == SCREEN_IS_TAB &&
            screen_filled((enum screen_id)i, screen_browser.snapshot)) {
            tabs[tab_count].key = screens[i].key[0];
            tabs[tab_count++].screen = (enum screen_id)i;
        }
    screen_close();
    return tab_count ? 0 : -1;
}

static const int widths[] = {40, 41, 60, 80, 99, 120, 200};
enum { WIDTHS = sizeof widths / sizeof *widths };

/* Returns the position of a screen's key in the row of tabs; -1: none. */
static int place_of(char key)
{
    const char *line = screen_row(ROW);
    for (const char *at = line; *at; at++)
        if (at[0] == ' ' && at[1] == key && !isdigit((unsigned char)at[2]))
            return (int)(at - line) + 1;
    return -1;
}

static bool tab_has_name(enum screen_id screen)
{
    char text[64];
    for (size_t i = 0; i < tab_count; i++)
        if (tabs[i].screen == screen)
            snprintf(text, sizeof text, " %c %s", tabs[i].key, screens[screen].screen->name);
    char *blank = strrchr(text, ' ');
    if (screen_column_of(ROW, text) >= 0)
        return true;
    memmove(blank, blank + 1, strlen(blank)); /* form for small widths */
    return screen_column_of(ROW, text) >= 0;
}

static void every_tab_opens_its_screen_by_click(void **state)
{
    (void)state;
    for (size_t i = 0; i < WIDTHS; i++)
        for (size_t from = 0; from < tab_count; from++) {
            char keys[2] = {tabs[from].key};
            screen_open(FIXTURE_TYPED, widths[i] < 80 ? 10 : 24, widths[i], from % 2, keys);
            assert_int_equal(screen_browser.screen, tabs[from].screen);
            assert_true(tab_has_name(tabs[from].screen));
            for (size_t to = 0; to < tab_count; to++) {
                screen_press((uint32_t)tabs[from].key);
                int column = place_of(tabs[to].key);
                assert_true(column > 0);
                screen_click(ROW, column);
                assert_int_equal(screen_browser.screen, tabs[to].screen);
            }
            screen_close();
        }
}

/* If only some tabs have names, these are the ones nearest to the current screen. */
static void nearest_tabs_keep_their_names(void **state)
{
    (void)state;
    screen_open(FIXTURE_USUAL, 24, 60, false, "2");
    assert_true(tab_has_name(SCREEN_OBJECTS) && tab_has_name(SCREEN_CODE) &&
                tab_has_name(SCREEN_MATRIX));
    assert_false(tab_has_name(SCREEN_FINDINGS));
    screen_press('9');
    assert_true(tab_has_name(SCREEN_TIMELINE) && tab_has_name(SCREEN_FINDINGS));
    assert_false(tab_has_name(SCREEN_OBJECTS));
    screen_close();
    screen_open(FIXTURE_USUAL, 24, 80, false, "2"); /* nine have their names at 80 */
    for (size_t i = 0; i < tab_count; i++)
        assert_true(tabs[i].screen > SCREEN_FINDINGS || tab_has_name(tabs[i].screen));
    screen_close();
    screen_open(FIXTURE_USUAL, 24, 150, false, "2");
    for (size_t i = 0; i < tab_count; i++)
        assert_true(tab_has_name(tabs[i].screen));
    screen_close();
}

/* The tab of Findings keeps its name on all screens, and has its own colour. */
static void findings_tab_keeps_name_and_warning_colour(void **state)
{
    (void)state;
    screen_open(FIXTURE_TYPED, 24, 80, false, "1");
    assert_true(screen_browser.snapshot->findings.count > 0);
    assert_true(tab_has_name(SCREEN_FINDINGS));
    assert_int_equal(canvas_at(&screen_canvas, ROW, place_of('9'))->paint, PAINT_WARN);
    assert_int_equal(canvas_at(&screen_canvas, ROW, place_of('3'))->paint, PAINT_KEY);
    screen_close();
}

static void tab_key_cycles_through_the_tabs(void **state)
{
    (void)state;
    screen_open(FIXTURE_TYPED, 24, 80, false, "1");
    for (size_t i = 1; i <= tab_count; i++) {
        screen_press(KEYS_TAB);
        assert_int_equal(screen_browser.screen, tabs[i % tab_count].screen);
    }
    for (size_t i = tab_count; i > 0; i--) {
        screen_press(KEYS_BACK_TAB);
        assert_int_equal(screen_browser.screen, tabs[i - 1].screen);
    }
    screen_close();
}

static int run_tabs(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tab_opens_its_screen_by_click),
        cmocka_unit_test(nearest_tabs_keep_their_names),
        cmocka_unit_test(findings_tab_keeps_name_and_warning_colour),
        cmocka_unit_test(tab_key_cycles_through_the_tabs),
    };
    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, list_tabs, NULL);
}

static void contract_keys_keep_their_actions(void **state)
{
    static const struct {
        uint32_t key;
        enum action action;
    } fixed[] = {{'?', SCREEN_ACTION(HELP)},
                 {KEYS_F1, SCREEN_ACTION(HELP)},
                 {'q', ACTION_QUIT},
                 {KEYS_F10, ACTION_QUIT},
                 {'1', SCREEN_ACTION(OBJECTS)},
                 {'h', SCREEN_ACTION(HELP)},
                 {'2', SCREEN_ACTION(CODE)},
                 {'3', SCREEN_ACTION(MATRIX)},
                 {'4', SCREEN_ACTION(HEAP)},
                 {'5', SCREEN_ACTION(CACHE)},
                 {'6', SCREEN_ACTION(SEARCH)},
                 {'7', SCREEN_ACTION(SHARING)},
                 {'8', SCREEN_ACTION(TIMELINE)},
                 {'9', SCREEN_ACTION(FINDINGS)},
                 {'i', SCREEN_ACTION(QUALITY)},
                 {KEYS_F2, SCREEN_ACTION(SETUP)},
                 {KEYS_F3, ACTION_FIND},
                 {KEYS_F4, ACTION_FILTER},
                 {KEYS_F5, ACTION_FOLD},
                 {KEYS_TAB, ACTION_NEXT_SCREEN},
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
                 {'m', SCREEN_ACTION(MATRIX)},
                 {'w', SCREEN_ACTION(WATCH)},
                 {'y', SCREEN_ACTION(CAUSES)},
                 {'x', SCREEN_ACTION(WHATIF)},
                 {'r', SCREEN_ACTION(REUSE)},
                 {'L' & 0x1f, ACTION_REFRESH},
                 {'s', ACTION_SEARCH_HERE},
                 {'S', ACTION_SEARCH_ALL},
                 {'W', ACTION_WRITE},
                 {'Z' & 0x1f, ACTION_SUSPEND}};
    (void)state;
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        assert_int_equal(keys_action(fixed[i].key), fixed[i].action);
    assert_int_equal(keys_action('|'), ACTION_NONE);
    assert_int_equal(keys_action(0), ACTION_NONE);
}

static void every_key_has_one_action(void **state)
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
    for (int i = 0; i < SCREEN_COUNT; i++) {
        if (!*screens[i].key)
            continue;
        enum action action = (enum action)((int)ACTION_SHOW + i);
        assert_int_equal(keys_action((uint32_t)screens[i].key[0]), action);
        assert_string_equal(keys_binding(action).label, screens[i].screen->name);
    }
}

/*
 * The man page has a paragraph for each screen with a tab, with its key and name, and for no other.
 */
static void man_page_lists_every_screen(void **state)
{
    char path[4096];
    char line[1024];
    bool listed[SCREEN_COUNT] = {false};
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
            fail_msg("the man page lists a screen that does not exist: %s", line);
        if (action >= ACTION_SHOW)
            listed[action - ACTION_SHOW] = true;
    }
    fclose(man);
    for (int i = 0; i < SCREEN_COUNT; i++)
        if (!listed[i] && *screens[i].key)
            fail_msg("the man page lacks the screen %s %s", screens[i].key,
                     screens[i].screen->name);
}

static int run_keys(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(contract_keys_keep_their_actions),
                                       cmocka_unit_test(every_key_has_one_action),
                                       cmocka_unit_test(man_page_lists_every_screen)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    int failed = 0;
    failed += run_browser();
    failed += run_browser_replay();
    failed += run_tabs();
    failed += run_keys();
    return failed;
}
