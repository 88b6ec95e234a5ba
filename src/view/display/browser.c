/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/display/browser.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"

/* ---- the table of screens ---- */

#define SCREEN_DECLARATION(id, it, its_keys, its_place) extern const struct screen it;
SCREENS(SCREEN_DECLARATION)

#define SCREEN_ROW(id, it, its_keys, its_place)                                                    \
    [SCREEN_##id] = {.screen = &(it),                                                              \
                     .keys = (its_keys),                                                           \
                     .key = {(its_keys)[0]},                                                       \
                     .place = SCREEN_IS_##its_place},
const struct screen_row screens[SCREEN_COUNT] = {SCREENS(SCREEN_ROW)};

bool screen_filled(enum screen_id id, const struct snapshot *snapshot)
{
    const struct screen *screen = screens[id].screen;
    return path_given(&screen->has_data_path, snapshot) &&
           (!screen->has_data || (snapshot && screen->has_data(snapshot)));
}

static struct table *table_in(void *state, const struct screen_table *listed)
{
    return (struct table *)((char *)state + listed->at);
}

static int screen_states_init(void *states[SCREEN_COUNT])
{
    for (int i = 0; i < SCREEN_COUNT; i++) {
        const struct screen *screen = screens[i].screen;
        if (!screen->state_size)
            continue;
        states[i] = calloc(1, screen->state_size);
        if (!states[i])
            return -ENOMEM;
        for (const struct screen_table *table = screen->tables; table->columns; table++)
            table_init(table_in(states[i], table), table->columns);
        if (screen->init)
            screen->init(states[i]);
    }
    return 0;
}

static void screen_states_fini(void *states[SCREEN_COUNT])
{
    for (int i = 0; i < SCREEN_COUNT; i++) {
        const struct screen *screen = screens[i].screen;
        if (!states[i])
            continue;
        for (const struct screen_table *table = screen->tables; table->columns; table++)
            table_fini(table_in(states[i], table));
        if (screen->fini)
            screen->fini(states[i]);
        free(states[i]);
        states[i] = NULL;
    }
}

/* ---- titled parts of a screen ---- */

int pane_title(struct canvas *canvas, struct area area, bool focused, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (area.rows < 1)
        return 0;
    int used = canvas_text(canvas, area.row, area.column, 2, PAINT_PANE,
                           !focused        ? "  "
                           : canvas->ascii ? "> "
                                           : "▸ ");
    canvas_text(canvas, area.row, area.column + used, area.columns - used,
                focused ? PAINT_PANE : PAINT_DIM, text);
    return 1;
}

void pane_table(struct browser *browser, struct canvas *canvas, struct area area,
                struct table *table)
{
    const char *empty = table->columns->empty;
    table_draw(table, canvas, area, browser_focused(browser, table));
    if (table->shown || area.rows < 2)
        return;
    struct area below = {area.row + 1, area.column + 1, area.rows - 1, area.columns - 1};
    canvas_wrap(canvas, below, PAINT_DIM,
                *table->filter ? "No row matches the filter; Esc clears it."
                : empty        ? empty
                               : "None yet.");
}

int pane_tabs(struct browser *browser, struct canvas *canvas, struct area area,
              struct table *const panes[], unsigned count)
{
    int used = 0;
    if (area.rows < 1)
        return 0;
    for (unsigned i = 0; i < count; i++) {
        bool focused = browser_focused(browser, panes[i]);
        int start = used;
        used += canvas_format(canvas, area.row, area.column + used, area.columns - used,
                              focused ? PAINT_TAB_SHOWN : PAINT_TAB, " %s %zu ",
                              panes[i]->columns->title, table_rows(panes[i]));
        browser_zone(browser, area.row, area.column + start, used - start,
                     focused ? ACTION_NONE : ACTION_RIGHT);
        used++;
    }
    return 1;
}

void pane_titled(struct browser *browser, struct canvas *canvas, struct area area,
                 struct table *table)
{
    bool focused = browser_focused(browser, table);
    area = area_below(area, pane_title(canvas, area, focused, "%s: %zu", table->columns->title,
                                       table_rows(table)));
    pane_table(browser, canvas, area, table);
}

void pane_tabbed(struct browser *browser, struct canvas *canvas, struct area area,
                 struct table *const panes[], unsigned count)
{
    unsigned shown = 0;
    for (unsigned i = 0; i < count; i++)
        if (browser_focused(browser, panes[i]))
            shown = i;
    area = area_below(area, pane_tabs(browser, canvas, area, panes, count));
    pane_table(browser, canvas, area, panes[shown]);
}

enum { LIST_MIN = 3, EXPLAIN_ROWS = 12, LABEL_COLUMNS = 11 };

int explained_draw(const struct snapshot *snapshot, const struct columns *columns, const void *row,
                   int most, struct canvas *canvas, struct area area)
{
    struct explained line = {.label = ""};
    struct area left = area;
    const char *label = "";
    for (unsigned i = 0; left.rows > 0; i++) {
        line.paint = PAINT_PLAIN;
        if (!columns->explain(snapshot, row, i, &line))
            break;
        if (!*line.text)
            continue;
        struct area text = {left.row, 1 + LABEL_COLUMNS, most < left.rows ? most : left.rows,
                            left.columns - LABEL_COLUMNS - 2};
        if (strcmp(label, line.label))
            canvas_text(canvas, left.row, 1, LABEL_COLUMNS, PAINT_DIM, line.label);
        label = line.label;
        left = area_below(left, canvas_wrap(canvas, text, line.paint, line.text));
    }
    return left.row - area.row;
}

void pane_explained(struct browser *browser, struct canvas *canvas, struct area area,
                    struct table *table)
{
    struct area list = area;
    int most = area.rows - EXPLAIN_ROWS - 1;
    most = most < LIST_MIN ? LIST_MIN : most;
    list.rows = (int)table->shown + 1 < most ? (int)table->shown + 1 : most;
    list.rows = list.rows > area.rows || !table->columns->explain ? area.rows : list.rows;
    pane_table(browser, canvas, list, table);
    const void *row = table->columns->explain ? table_selected(table) : NULL;
    if (row)
        explained_draw(browser->snapshot, table->columns, row, area.rows, canvas,
                       area_below(area, list.rows + (area.rows > EXPLAIN_ROWS)));
}

/* ---- the current screen ---- */

enum { MESSAGE_S = 5, STATUS_FROM_ROWS = 14 };

int browser_init(struct browser *browser, const struct view_sources *sources)
{
    *browser = (struct browser){.screen = SCREEN_OBJECTS};
    if (sources)
        browser->sources = *sources;
    return screen_states_init(browser->states);
}

static void held_snapshot_release(struct held_snapshot *held)
{
    if (held->snapshot && held->release)
        held->release(held->snapshot);
    *held = (struct held_snapshot){0};
}

void browser_fini(struct browser *browser)
{
    screen_states_fini(browser->states);
    settings_free(&browser->settings);
    held_snapshot_release(&browser->held);
    held_snapshot_release(&browser->newest);
}

static void browser_update(struct browser *browser)
{
    for (int i = 0; i < SCREEN_COUNT; i++) {
        const struct screen *screen = screens[i].screen;
        for (const struct screen_table *listed = screen->tables; listed->columns; listed++)
            if (listed->columns->all.kind != PATH_NONE)
                table_set_all(table_in(browser->states[i], listed), browser->snapshot);
        if (screen->update)
            screen->update(browser);
    }
}

/* The tables point into the old snapshot until they have been updated. */
static void browser_take(struct browser *browser, struct held_snapshot next)
{
    struct held_snapshot old = browser->held;
    browser->held = next;
    browser->snapshot = next.snapshot;
    browser_update(browser);
    held_snapshot_release(&old);
}

/* Shows a message once about problems of a recording; the help keeps it. */
static void report_trouble(struct browser *browser, const struct snapshot *snapshot)
{
    const struct snapshot_recording *recording = snapshot->recording;
    char text[256];
    if (recording->note) {
        browser_message(browser, recording->note);
    } else if (recording->addresses && snapshot->totals.attributed * 2 < snapshot->totals.samples) {
        snprintf(text, sizeof text, "addresses: %s", recording->addresses);
        browser_message(browser, text);
    }
}

void browser_show(struct browser *browser, const struct snapshot *snapshot,
                  void (*release)(const struct snapshot *))
{
    struct held_snapshot next = {snapshot, release};
    if (snapshot->recording && !browser->snapshot)
        report_trouble(browser, snapshot);
    if (browser->screen == SCREEN_PICKER) {
        browser->screen = SCREEN_OBJECTS;
        browser->level_count = 0;
    }
    if (browser->frozen && browser->snapshot) {
        held_snapshot_release(&browser->newest);
        browser->newest = next;
    } else {
        browser_take(browser, next);
    }
}

void browser_play(struct browser *browser, const struct view_play *play)
{
    browser->replays = true;
    browser->play = *play;
}

void browser_freeze(struct browser *browser)
{
    browser->frozen = !browser->frozen && browser->snapshot;
    if (!browser->frozen && browser->newest.snapshot) {
        struct held_snapshot next = browser->newest;
        browser->newest = (struct held_snapshot){0};
        browser_take(browser, next);
    }
}

void browser_message(struct browser *browser, const char *text)
{
    snprintf(browser->message, sizeof browser->message, "%s", text);
    browser->message_until_ns = clock_now_ns() + MESSAGE_S * CLOCK_NS_PER_S;
}

void screen_crumb(const struct browser *browser, char out[CRUMB_BYTES])
{
    const struct screen *screen = browser_screen(browser);
    if (screen->crumb)
        screen->crumb(browser, out, CRUMB_BYTES);
    else
        snprintf(out, CRUMB_BYTES, "%s", screen->name);
}

void browser_leave(struct browser *browser)
{
    if (browser->level_count == LEVELS_MAX) {
        browser->level_count--;
        memmove(browser->level_stack + 1, browser->level_stack + 2,
                (LEVELS_MAX - 2) * sizeof *browser->level_stack);
    }
    struct level *level = &browser->level_stack[browser->level_count++];
    *level = (struct level){.screen = browser->screen,
                            .chosen = browser->opened.chosen,
                            .object = browser->opened.id,
                            .function = browser->opened_function.id};
    screen_crumb(browser, level->crumb);
}

enum screen_id browser_tab(const struct browser *browser)
{
    return browser->level_count ? browser->level_stack[0].screen : browser->screen;
}

static void screen_update(struct browser *browser, enum screen_id screen)
{
    if (browser->snapshot && screens[screen].screen->update)
        screens[screen].screen->update(browser);
}

void browser_open_selected(struct browser *browser)
{
    if (browser->snapshot)
        browser->opened.chosen = false;
    screen_update(browser, SCREEN_DETAIL);
}

bool browser_return(struct browser *browser)
{
    if (!browser->level_count)
        return false;
    struct level level = browser->level_stack[--browser->level_count];
    browser->opened.chosen = level.chosen;
    browser->opened.id = level.object;
    browser->opened_function.id = level.function;
    screen_update(browser, SCREEN_DETAIL);
    browser_enter(browser, level.screen);
    return true;
}

void browser_go(struct browser *browser, enum screen_id screen)
{
    if (screen == browser->screen)
        return;
    if (screens[screen].place == SCREEN_IS_TAB)
        browser->level_count = 0;
    else
        browser_leave(browser);
    browser_enter(browser, screen);
}

struct table *screen_table(const struct browser *browser, enum screen_id id,
                           const struct screen_table *listed)
{
    return table_in(browser->states[id], listed);
}

void browser_enter(struct browser *browser, enum screen_id screen)
{
    const struct screen_table *table = screens[screen].screen->tables;
    for (; table->columns; table++)
        table_lay_out(screen_table(browser, screen, table));
    browser->screen = screen;
    screen_update(browser, screen);
}

struct table *browser_table_of(const struct browser *browser, const struct columns *columns)
{
    for (int i = 0; i < SCREEN_COUNT; i++)
        for (const struct screen_table *table = screens[i].screen->tables; table->columns; table++)
            if (table->columns == columns)
                return screen_table(browser, (enum screen_id)i, table);
    return NULL;
}

unsigned screen_panes(struct browser *browser, enum screen_id id, struct table *panes[PANES_MAX])
{
    const struct screen *screen = screens[id].screen;
    unsigned count = 0;
    if (screen->panes)
        return screen->panes(browser, panes);
    for (const struct screen_table *table = screen->tables; table->columns; table++)
        if (screen_table(browser, id, table)->count >= table->rows_min)
            panes[count++] = screen_table(browser, id, table);
    return count;
}

unsigned browser_panes(struct browser *browser, struct table *panes[PANES_MAX])
{
    return screen_panes(browser, browser->screen, panes);
}

struct table *browser_table(struct browser *browser)
{
    struct table *panes[PANES_MAX];
    unsigned count = browser_panes(browser, panes);
    unsigned focus = browser->pane[browser->screen];
    return count ? panes[focus < count ? focus : 0] : NULL;
}

const struct screen_table *browser_listed(struct browser *browser)
{
    const struct table *table = browser_table(browser);
    const struct screen_table *listed = browser_screen(browser)->tables;
    while (listed->columns && screen_table(browser, browser->screen, listed) != table)
        listed++;
    return listed;
}

bool browser_focused(struct browser *browser, const struct table *table)
{
    return browser_table(browser) == table;
}

void browser_zone(struct browser *browser, int row, int column, int columns, enum action action)
{
    if (browser->zone_count < ZONES_MAX && action != ACTION_NONE)
        browser->zones[browser->zone_count++] = (struct zone){row, column, columns, action};
}

static void draw_too_small(struct canvas *canvas)
{
    struct area all = {0, 0, canvas->rows, canvas->columns};
    char text[80];
    snprintf(text, sizeof text, "terminal too small (need %dx%d)", BROWSER_COLUMNS_MIN,
             BROWSER_ROWS_MIN);
    canvas_wrap(canvas, all, PAINT_WARN, text);
}

/* Forgets the areas of all tables, so that tables that are not drawn take no clicks. */
static void forget_places(struct browser *browser)
{
    const struct screen_table *table = browser_screen(browser)->tables;
    for (; table->columns; table++)
        screen_table(browser, browser->screen, table)->body = (struct area){0};
    browser->zone_count = 0;
    browser->drawn = false;
}

void browser_draw(struct browser *browser, struct canvas *canvas, uint64_t now_ns)
{
    browser->now_ns = now_ns;
    forget_places(browser);
    canvas_clear(canvas);
    if (canvas->rows < BROWSER_ROWS_MIN || canvas->columns < BROWSER_COLUMNS_MIN) {
        draw_too_small(canvas);
        return;
    }
    bool status = canvas->rows >= STATUS_FROM_ROWS;
    int top = header_draw(browser, canvas);
    int bar_row = canvas->rows - 1;
    struct area area = {top, 0, bar_row - status - top, canvas->columns};
    browser->drawn =
        browser->snapshot || browser_screen(browser)->title || browser->screen == SCREEN_HELP;
    if (browser->drawn)
        browser_screen(browser)->draw(browser, canvas, area);
    else
        canvas_wrap(canvas, area, PAINT_DIM,
                    browser->replays ? " Reading the recording."
                                     : " Waiting for the first samples.");
    footer_draw(browser, canvas, status ? bar_row - 1 : -1, bar_row);
}

/* In the help, actions must not change screens that are not visible. */
static bool is_allowed_in_help(enum action action)
{
    return action == ACTION_QUIT || action == ACTION_SUSPEND || action == ACTION_REFRESH ||
           action == ACTION_NONE;
}

/* Prompts for the name of the two files, .txt and .json. */
static void prompt_for_file(struct browser *browser)
{
    char name[TABLE_WORD_BYTES];
    if (!browser->snapshot)
        return;
    snprintf(name, sizeof name, "misstop-%s-%u", browser->snapshot->target.comm,
             browser->snapshot->target.pid);
    for (char *at = name; *at; at++)
        if (*at == '/')
            *at = '_';
    prompt_ask(browser, PROMPT_WRITE, name);
}

static const char named_elsewhere[] =
    "heap bins are renamed and combined on screen 4, Heap; functions and objects on 3, Matrix";

/* Requests of actions that no screen handled, or messages that name the screens that do. */
static const struct {
    enum request_kind kind;
    const char *message;
} requests[ACTION_SHOW] = {
    [ACTION_QUIT] = {REQUEST_QUIT, NULL},
    [ACTION_BASIS] = {REQUEST_BASIS, NULL},
    [ACTION_ALL_OBJECTS] = {REQUEST_ALL_OBJECTS, NULL},
    [ACTION_ZERO] = {REQUEST_ZERO, NULL},
    [ACTION_FASTER] = {REQUEST_FASTER, NULL},
    [ACTION_SLOWER] = {REQUEST_SLOWER, NULL},
    [ACTION_SEARCH_ALL] = {REQUEST_SEARCH_ALL, NULL},
    [ACTION_SEARCH_STOP] = {REQUEST_SEARCH_STOP, NULL},
    [ACTION_MARK] = {REQUEST_HEAP_MARK, NULL},
    [ACTION_COUNTING] = {REQUEST_COUNTING, NULL},
    [ACTION_REFRESH] = {REQUEST_REFRESH, NULL},
    [ACTION_SUSPEND] = {REQUEST_SUSPEND, NULL},
    [ACTION_NEXT_EVENT] = {REQUEST_NEXT_EVENT, NULL},
    [ACTION_USER] = {.message = "u chooses a user in the list of processes"},
    [ACTION_NO_SIGNAL] = {.message = "misstop sends no signals to the process"},
    [ACTION_RENAME] = {.message = named_elsewhere},
    [ACTION_TAG] = {.message = named_elsewhere},
    [ACTION_COMBINE] = {.message = named_elsewhere},
    [ACTION_UNDO] = {.message = named_elsewhere},
    [ACTION_MEASURE] =
        {.message = "the amount is chosen on 3, Matrix, and 8, Phases; e changes the event"},
    [ACTION_FOLD] = {.message =
                         "folds nested members on Layout, and callers on Detail and Function"},
    [ACTION_SPAN] = {.message = "time ranges are marked on screen 8, Phases"},
    [ACTION_STACK] = {.message = "switches between objects, functions and threads on screen 8, "
                                 "Phases, and on y, Causes"},
    [ACTION_SEARCH_HERE] = {.message = "nothing to search in: select an object or a region"},
};

static enum request_kind browser_request(struct browser *browser, enum action action)
{
    const struct snapshot *snapshot = browser->snapshot;
    bool moves = action >= ACTION_UP && action <= ACTION_END;
    if (browser->screen == SCREEN_HELP && !is_allowed_in_help(action))
        browser_message(browser, "not available in the help: Esc returns to the screen");
    else if (action == ACTION_WRITE)
        prompt_for_file(browser);
    else if (action == ACTION_NEXT_EVENT && !(snapshot && snapshot->source.event_count > 1))
        browser_message(browser, "only one event is sampled; -e l2-miss,stall would sample two");
    else if (requests[action].message)
        browser_message(browser, requests[action].message);
    else if (requests[action].kind == REQUEST_NONE && action != ACTION_NONE && !moves)
        browser_message(browser, "this key has no function here: F1 lists the keys");
    else
        return requests[action].kind;
    return REQUEST_NONE;
}

enum { WHEEL_ROWS = 3 };

static void browser_show_screen(struct browser *browser, enum screen_id screen)
{
    if (screen == browser->screen && screens[screen].place == SCREEN_IS_LEVEL)
        browser_return(browser); /* the same key closes it */
    else if (screen != browser->screen && screens[screen].screen->open)
        screens[screen].screen->open(browser);
    else
        browser_go(browser, screen);
}

/* Goes from a time range back to now, from any screen. */
static void browser_return_to_now(struct browser *browser, struct request *request)
{
    if (browser->frozen)
        browser_freeze(browser);
    if (browser->snapshot && browser->snapshot->time_range)
        request->kind = REQUEST_NOW;
    else
        browser_message(browser, "the present is shown; 8, Phases, selects a time range");
}

static void browser_go_back(struct browser *browser, struct request *request)
{
    struct table *table = browser_table(browser);
    if (table && *table->filter)
        table_filter(table, "");
    else if (browser_return(browser))
        return;
    else if (browser->snapshot && browser->snapshot->time_range)
        browser_return_to_now(browser, request);
    else if (browser->replays && !isnan(browser->play.goal_s))
        *request = (struct request){.kind = REQUEST_PLAY_GO, .name = "here"};
    else
        browser_message(browser, "this is the top level: 1 to 9 are the screens, q quits");
}

void browser_pane_step(struct browser *browser, int direction)
{
    struct table *panes[PANES_MAX];
    unsigned count = browser_panes(browser, panes);
    unsigned *pane = &browser->pane[browser->screen];
    if (count)
        *pane = (*pane + count + (unsigned)direction) % count;
}

static bool open_selected_row(struct browser *browser)
{
    const struct screen_table *listed = browser_listed(browser);
    const void *row = listed->columns ? table_selected(browser_table(browser)) : NULL;
    if (row && listed->open)
        listed->open(browser, row);
    else if (row && listed->columns->object.kind != PATH_NONE)
        browser_open_listed(browser, (uint32_t)path_value(&listed->columns->object, row).integer);
    else
        return false;
    return true;
}

static bool move_in_table(struct browser *browser, enum action action)
{
    struct table *table = browser_table(browser);
    if (!table)
        return false;
    switch (action) {
    case ACTION_UP:
        table_move(table, -1);
        return true;
    case ACTION_DOWN:
        table_move(table, 1);
        return true;
    case ACTION_PAGE_UP:
        table_page(table, -1);
        return true;
    case ACTION_PAGE_DOWN:
        table_page(table, 1);
        return true;
    case ACTION_HOME:
        table_move(table, -(long)table->shown);
        return true;
    case ACTION_END:
        table_move(table, (long)table->shown);
        return true;
    case ACTION_SORT_NEXT:
        table_sort_step(table, 1);
        return true;
    case ACTION_SORT_LAST:
        table_sort_step(table, -1);
        return true;
    case ACTION_INVERT:
        table_invert(table);
        return true;
    case ACTION_FIND_NEXT:
        if (!*table->find)
            browser_message(browser, "no search word yet: / asks for one");
        else if (!table_find(table, table->find, false))
            browser_message(browser, "not found");
        return true;
    default:
        return false;
    }
}

static bool handle_navigation(struct browser *browser, enum action action, struct request *request)
{
    if (action >= ACTION_SHOW) {
        browser_show_screen(browser, (enum screen_id)(action - ACTION_SHOW));
        return true;
    }
    switch (action) {
    case ACTION_NEXT_SCREEN:
        return handle_navigation(browser, tabs_next(browser, 1), request);
    case ACTION_LAST_SCREEN:
        return handle_navigation(browser, tabs_next(browser, -1), request);
    case ACTION_BACK:
        browser_go_back(browser, request);
        return true;
    case ACTION_ENTER:
        return open_selected_row(browser);
    case ACTION_LEFT:
        browser_pane_step(browser, -1);
        return true;
    case ACTION_RIGHT:
        browser_pane_step(browser, 1);
        return true;
    case ACTION_NOW:
        browser_return_to_now(browser, request);
        return true;
    case ACTION_FREEZE:
        browser_freeze(browser);
        return true;
    case ACTION_THREADS:
        browser_go(browser, SCREEN_CODE);
        browser->pane[SCREEN_CODE] = 1;
        return true;
    case ACTION_FIND:
        prompt_open(browser, PROMPT_FIND);
        return true;
    case ACTION_FILTER:
        prompt_open(browser, PROMPT_FILTER);
        return true;
    default:
        return move_in_table(browser, action);
    }
}

static bool is_allowed_in_picker(enum action action)
{
    return action == ACTION_QUIT || action == ACTION_USER || action == ACTION_SUSPEND ||
           action == ACTION_FIND || action == ACTION_FILTER || action == ACTION_BACK ||
           (action >= ACTION_UP && action <= ACTION_INVERT);
}

static struct request browser_act(struct browser *browser, enum action action)
{
    struct request request = {.kind = REQUEST_NONE};
    const struct screen *screen = browser_screen(browser);
    if (screen->title && !is_allowed_in_picker(action))
        return request;
    browser->message_until_ns = 0;
    if (keys_replays(action))
        return play_act(browser, action);
    if (screen->act && screen->act(browser, action, &request))
        return request;
    if (!handle_navigation(browser, action, &request))
        request.kind = browser_request(browser, action);
    if (request.kind == REQUEST_SEARCH_ALL)
        browser_go(browser, SCREEN_SEARCH);
    return request;
}

static enum action zone_action(const struct browser *browser, int row, int column)
{
    for (unsigned i = 0; i < browser->zone_count; i++) {
        const struct zone *zone = &browser->zones[i];
        if (row == zone->row && column >= zone->column && column < zone->column + zone->columns)
            return zone->action;
    }
    return ACTION_NONE;
}

static struct request browser_click(struct browser *browser, int row, int column)
{
    struct table *panes[PANES_MAX];
    const struct screen *screen = browser_screen(browser);
    enum action action = zone_action(browser, row, column);
    if (action != ACTION_NONE)
        return browser_act(browser, action);
    if (browser->drawn && screen->click && screen->click(browser, row, column))
        return (struct request){.kind = REQUEST_NONE};
    unsigned count = browser_panes(browser, panes);
    for (unsigned i = 0; i < count; i++) {
        bool focused = panes[i] == browser_table(browser);
        enum table_hit hit = table_click(panes[i], row, column);
        if (hit == TABLE_MISSED)
            continue;
        browser->pane[browser->screen] = i;
        if (hit == TABLE_AGAIN && focused)
            return browser_act(browser, ACTION_ENTER);
        break;
    }
    return (struct request){.kind = REQUEST_NONE};
}

static struct request browser_press(struct browser *browser, uint32_t key)
{
    enum action action = keys_action(key);
    char name[16];
    char text[64];
    if (!key) /* the terminal was resized */
        return (struct request){.kind = REQUEST_NONE};
    if (action != ACTION_NONE || browser_screen(browser)->title)
        return browser_act(browser, action);
    keys_name(key, name, sizeof name);
    snprintf(text, sizeof text, "%s has no function: F1 lists the keys", name);
    browser_message(browser, text);
    return (struct request){.kind = REQUEST_NONE};
}

struct request browser_input(struct browser *browser, const struct input *input)
{
    struct request none = {.kind = REQUEST_NONE};
    struct table *table = browser_table(browser);
    switch (input->kind) {
    case INPUT_CLICK:
        browser->prompt.kind = PROMPT_NONE;
        return browser_click(browser, input->row, input->column);
    case INPUT_WHEEL_UP:
    case INPUT_WHEEL_DOWN:
        if (!table)
            return browser_act(browser, input->kind == INPUT_WHEEL_UP ? ACTION_UP : ACTION_DOWN);
        table_move(table, input->kind == INPUT_WHEEL_UP ? -WHEEL_ROWS : WHEEL_ROWS);
        return none;
    default:
        /* Control characters are never part of a word: Ctrl-C and Ctrl-Z work during a prompt. */
        if (browser->prompt.kind != PROMPT_NONE && input->key >= 0x20) {
            prompt_key(browser, input->key, &none);
            return none;
        }
        return browser_press(browser, input->key);
    }
}
