/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen F2: colours, interval, source, and the columns of each table; saved in the config file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/display/browser.h"
#include "view/widget/columns.h"

enum setup_kind { SETUP_COLORS, SETUP_INTERVAL, SETUP_SOURCE, SETUP_COLUMNS, SETUP_COLUMN };

enum { ROWS_MAX = 96, VALUE_BYTES = 64 };

struct setup_row {
    enum setup_kind kind;
    unsigned index;       /* index of a column */
    struct table *chosen; /* table of a row about columns */
    char name[VALUE_BYTES];
    char value[VALUE_BYTES];
    const char *help;
};

struct setup_view {
    struct table table;
    struct table *columns_of; /* table with its columns listed; NULL: all settings */
    struct setup_row rows[ROWS_MAX];
    size_t count;
};

static const char *const schemes[] = {
    [SCHEME_DEFAULT] = "default",
    [SCHEME_LIGHT] = "light background",
    [SCHEME_CONTRAST] = "high contrast",
    [SCHEME_MONO] = "monochrome",
};
static const char *const sources[] = {"auto", "pebs", "ibs", "counter", "clock"};
static const char *const intervals[] = {"0.1", "0.2", "0.5", "1", "2", "5", "10", "30", "60"};

#define COUNT(list) (sizeof(list) / sizeof *(list))

static struct setup_view *setup_view(const struct browser *browser)
{
    return browser->states[SCREEN_SETUP];
}

/* ---- from settings ---- */

static void columns_key(const struct columns *columns, char out[VALUE_BYTES])
{
    snprintf(out, VALUE_BYTES, "columns.%s", columns->title);
}

static size_t word_index(const char *const *words, size_t count, const char *word, size_t otherwise)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(words[i], word))
            return i;
    return otherwise;
}

void setup_apply(struct browser *browser)
{
    char key[VALUE_BYTES];
    char text[1024];
    if (settings_get(&browser->settings, "colors", text, sizeof text))
        browser->scheme =
            (enum paint_scheme)word_index(schemes, COUNT(schemes), text, SCHEME_DEFAULT);
    for (int i = 0; i < SCREEN_COUNT; i++)
        for (const struct screen_table *listed = screens[i].screen->tables; listed->columns;
             listed++) {
            struct table *table = screen_table(browser, (enum screen_id)i, listed);
            columns_key(listed->columns, key);
            if (settings_get(&browser->settings, key, text, sizeof text))
                column_choice_parse(listed->columns, text, &table->choice);
        }
}

/* ---- rows ---- */

static struct setup_row *add_row(struct setup_view *view, enum setup_kind kind, const char *name,
                                 const char *value, const char *help)
{
    struct setup_row *row = &view->rows[view->count];
    if (view->count == ROWS_MAX)
        return NULL;
    view->count++;
    *row = (struct setup_row){.kind = kind, .help = help};
    snprintf(row->name, sizeof row->name, "%s", name);
    snprintf(row->value, sizeof row->value, "%s", value);
    return row;
}

static void read_setting(const struct browser *browser, const char *key, const char *otherwise,
                         char out[VALUE_BYTES])
{
    if (!settings_get(&browser->settings, key, out, VALUE_BYTES))
        snprintf(out, VALUE_BYTES, "%s", otherwise);
}

static void add_tables(struct browser *browser, struct setup_view *view)
{
    for (int i = 0; i < SCREEN_COUNT; i++)
        for (const struct screen_table *listed = screens[i].screen->tables;
             listed->columns && i != SCREEN_SETUP; listed++) {
            struct table *table = screen_table(browser, (enum screen_id)i, listed);
            char name[VALUE_BYTES];
            char value[VALUE_BYTES];
            bool again = false;
            for (size_t k = 0; k < view->count; k++)
                again |= view->rows[k].chosen && view->rows[k].chosen->columns == listed->columns;
            if (again || listed->is_picker)
                continue;
            if (table->choice.count)
                snprintf(value, sizeof value, "%u chosen", table->choice.count);
            else
                snprintf(value, sizeof value, "as many as fit");
            const char *screen = screens[i].screen->name;
            bool same = !strcmp(screen, listed->columns->title);
            snprintf(name, sizeof name, "%s%s%s", screen, same ? "" : ": ",
                     same ? "" : listed->columns->title);
            struct setup_row *row =
                add_row(view, SETUP_COLUMNS, name, value, "Enter: its columns and their order");
            if (row)
                row->chosen = table;
        }
}

static void list_settings(struct browser *browser, struct setup_view *view)
{
    char value[VALUE_BYTES];
    add_row(view, SETUP_COLORS, "Colours", schemes[browser->scheme],
            "default, light background, high contrast, none; NO_COLOR overrides");
    read_setting(browser, "interval", "1", value);
    add_row(view, SETUP_INTERVAL, "Interval", value,
            "seconds between refreshes; + and - change it for this run only");
    read_setting(browser, "source", "auto", value);
    add_row(view, SETUP_SOURCE, "Source", value,
            "of the samples, from the next start; -s overrides");
    add_tables(browser, view);
}

static bool is_chosen(const struct column_choice *choice, unsigned index)
{
    for (unsigned i = 0; i < choice->count; i++)
        if (choice->index[i] == index)
            return true;
    return false;
}

/* Lists the chosen columns in their order, then the others. */
static void list_columns(struct setup_view *view)
{
    const struct columns *columns = view->columns_of->columns;
    const struct column_choice *choice = &view->columns_of->choice;
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned i = 0; i < (pass ? columns->count : choice->count); i++) {
            unsigned index = pass ? i : choice->index[i];
            char name[VALUE_BYTES];
            if (!columns->list[index].title || (pass && is_chosen(choice, index)))
                continue;
            columns_setting_name(columns, index, name, sizeof name);
            struct setup_row *row =
                add_row(view, SETUP_COLUMN, name, pass ? "" : "shown", columns->list[index].help);
            if (row) {
                row->index = index;
                row->chosen = view->columns_of;
            }
        }
}

static void setup_list(struct browser *browser)
{
    struct setup_view *view = setup_view(browser);
    view->count = 0;
    if (view->columns_of)
        list_columns(view);
    else
        list_settings(browser, view);
    table_set(&view->table, browser->snapshot, view->rows, view->count);
}

/* ---- changes ---- */

static void save_setting(struct browser *browser, const char *key, const char *value)
{
    struct error error = {0};
    if (settings_set(&browser->settings, key, value) || settings_save(&browser->settings, &error))
        browser_message(browser, *error.text ? error.text : "out of memory");
}

static void keep_columns(struct browser *browser, const struct table *table)
{
    char key[VALUE_BYTES];
    char text[1024];
    columns_key(table->columns, key);
    column_choice_text(table->columns, &table->choice, text, sizeof text);
    save_setting(browser, key, table->choice.count ? text : NULL);
}

/* A table without a choice shows the columns that fit; before a change, this becomes its choice. */
static void choose_shown_columns(struct table *table)
{
    if (table->choice.count)
        return;
    for (unsigned i = 0; i < table->layout.count; i++)
        table->choice.index[table->choice.count++] = (uint8_t)table->layout.places[i].index;
    if (!table->choice.count)
        for (unsigned i = 0; i < table->columns->count; i++)
            if (table->columns->list[i].title)
                table->choice.index[table->choice.count++] = (uint8_t)i;
}

static void toggle_column(struct column_choice *choice, unsigned index)
{
    unsigned at = 0;
    while (at < choice->count && choice->index[at] != index)
        at++;
    if (at == choice->count)
        choice->index[choice->count++] = (uint8_t)index;
    else
        memmove(choice->index + at, choice->index + at + 1, --choice->count - at);
}

static void move_column(struct column_choice *choice, unsigned index, int direction)
{
    for (int i = 0; i < choice->count; i++) {
        int to = i + direction;
        if (choice->index[i] != index || to < 0 || to >= choice->count)
            continue;
        choice->index[i] = choice->index[to];
        choice->index[to] = (uint8_t)index;
        return;
    }
}

static const char *next_choice(const char *const *words, size_t count, const char *now,
                               int direction)
{
    size_t at = word_index(words, count, now, 0);
    return words[(at + count + (size_t)direction) % count];
}

static void change_setting(struct browser *browser, const struct setup_row *row, int direction,
                           struct request *request)
{
    const char *value;
    switch (row->kind) {
    case SETUP_COLORS:
        value = next_choice(schemes, COUNT(schemes), row->value, direction);
        browser->scheme = (enum paint_scheme)word_index(schemes, COUNT(schemes), value, 0);
        save_setting(browser, "colors", value);
        return;
    case SETUP_INTERVAL:
        value = next_choice(intervals, COUNT(intervals), row->value, direction);
        request->kind = REQUEST_INTERVAL;
        request->interval_s = strtod(value, NULL);
        save_setting(browser, "interval", value);
        return;
    case SETUP_SOURCE:
        save_setting(browser, "source",
                     next_choice(sources, COUNT(sources), row->value, direction));
        return;
    case SETUP_COLUMNS:
        setup_view(browser)->columns_of = row->chosen;
        choose_shown_columns(row->chosen);
        setup_view(browser)->table.selection_moved = false;
        return;
    default:
        toggle_column(&row->chosen->choice, row->index);
        keep_columns(browser, row->chosen);
    }
}

static bool setup_change(struct browser *browser, enum action action, struct request *request)
{
    struct setup_view *view = setup_view(browser);
    const struct setup_row *row = table_selected(&view->table);
    bool column = row && row->kind == SETUP_COLUMN;
    switch (action) {
    case ACTION_LEFT:
    case ACTION_RIGHT:
    case ACTION_ENTER:
        if (row && (action == ACTION_ENTER || row->kind < SETUP_COLUMNS))
            change_setting(browser, row, action == ACTION_LEFT ? -1 : 1, request);
        return true;
    case ACTION_MOVE_UP:
    case ACTION_MOVE_DOWN:
        if (!column)
            return false;
        move_column(&row->chosen->choice, row->index, action == ACTION_MOVE_UP ? -1 : 1);
        keep_columns(browser, row->chosen);
        return true;
    case ACTION_ZERO: /* as many columns as fit */
        if (!column)
            return false;
        row->chosen->choice.count = 0;
        keep_columns(browser, row->chosen);
        view->columns_of = NULL;
        return true;
    case ACTION_BACK:
        if (!view->columns_of)
            return false;
        view->columns_of = NULL;
        view->table.selection_moved = false;
        return true;
    default:
        return false;
    }
}

static bool setup_act(struct browser *browser, enum action action, struct request *request)
{
    struct table *table = &setup_view(browser)->table;
    uint64_t selected = table->identity;
    if (!setup_change(browser, action, request))
        return false;
    setup_list(browser);
    if (table->selection_moved)
        table_select(table, selected);
    return true;
}

static void setup_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    setup_list(browser);
    pane_table(browser, canvas, area, &setup_view(browser)->table);
}

static void setup_crumb(const struct browser *browser, char *out, size_t size)
{
    const struct table *columns_of = setup_view(browser)->columns_of;
    snprintf(out, size, "Setup%s%s", columns_of ? ": columns of " : "",
             columns_of ? columns_of->columns->title : "");
}

static void setup_hint(struct browser *browser, char *out, size_t size)
{
    if (setup_view(browser)->columns_of)
        snprintf(out, size,
                 "Enter shows or hides a column, F7 and F8 move it, z: reset to as many as fit. "
                 "Esc: up");
    else
        snprintf(out, size, "Enter or Left and Right change a value. Saved in %s",
                 *browser->settings.path ? browser->settings.path : "this run only");
}

static const char *setup_label(struct browser *browser, enum action action)
{
    const struct setup_row *row = table_selected(&setup_view(browser)->table);
    if (action == ACTION_ZERO)
        return setup_view(browser)->columns_of ? "As fits" : "";
    return action != ACTION_ENTER       ? NULL
           : !row                       ? ""
           : row->kind == SETUP_COLUMNS ? "Columns"
           : row->kind == SETUP_COLUMN  ? "Show/hide"
                                        : "Change";
}

static uint64_t setup_identity(const struct snapshot *snapshot, const void *pointer)
{
    ROW(setup_row);
    return (uint64_t)row->kind << 32 | row->index | (uint64_t)(uintptr_t)row->chosen << 8;
}

static const struct column setup_list_of_columns[] = {
    COLUMN(.title = "SETTING", .from = FIELD(struct setup_row, name), .width = 12, .width_max = 30,
           .look = COLUMN_NAME),
    COLUMN(.title = "VALUE", .from = FIELD(struct setup_row, value), .width = 12, .width_max = 24),
    COLUMN(.title = "WHAT IT IS", .from = FIELD(struct setup_row, help), .width = 10,
           .width_max = 120, .rank = 1),
};

static const struct columns setup_columns = {
    .title = "Setup",
    TABLE(struct setup_row, setup_list_of_columns),
    .identity = setup_identity,
    .sort = COLUMNS_AS_THEY_COME,
};

const struct screen setup_screen = {
    .name = "Setup",
    .description =
        "Colours, interval, source, and the columns of each table with their order. Changes "
        "take effect immediately and are saved.",
    .next_step = "By default a table shows as many columns as fit.",
    .state_size = sizeof(struct setup_view),
    .tables = {{.at = offsetof(struct setup_view, table),
                .columns = &setup_columns,
                .is_picker = true}},
    .crumb = setup_crumb,
    .draw = setup_draw,
    .act = setup_act,
    .hint = setup_hint,
    .label = setup_label,
    .bar = {ACTION_ENTER, ACTION_BACK, ACTION_MOVE_UP, ACTION_MOVE_DOWN, ACTION_ZERO},
};
