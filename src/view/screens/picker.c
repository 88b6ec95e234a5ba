/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "view/display/browser.h"
#include "view/widget/columns.h"

struct picker_view {
    bool recorded;       /* lists the processes of a recording */
    enum screen_id from; /* screen to return to */
    struct table processes;
    struct table of_recording;
};

static struct picker_view *picker_view(const struct browser *browser)
{
    return browser->states[SCREEN_PICKER];
}

void browser_pick_end(struct browser *browser, bool picked)
{
    table_set(&picker_view(browser)->processes, NULL, NULL, 0);
    table_set(&picker_view(browser)->of_recording, NULL, NULL, 0);
    browser->screen = picked ? SCREEN_OBJECTS : picker_view(browser)->from;
    /* An opened object belongs to the previous process. */
    if (picked) {
        browser->level_count = 0;
        browser->opened.chosen = false;
    }
}

static struct table *picker_table(struct browser *browser)
{
    struct picker_view *view = picker_view(browser);
    return view->recorded ? &view->of_recording : &view->processes;
}

void browser_pick(struct browser *browser, const struct picker_row *rows, size_t count,
                  bool recorded)
{
    struct picker_view *view = picker_view(browser);
    if (browser->screen != SCREEN_PICKER)
        view->from = browser->screen;
    browser->screen = SCREEN_PICKER;
    view->recorded = recorded;
    table_set(picker_table(browser), NULL, rows, count);
}

static void picker_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    if (area.rows >= 16) {
        area.row++;
        area.rows--;
    }
    pane_table(browser, canvas, area, picker_table(browser));
}

static unsigned picker_panes(struct browser *browser, struct table *panes[PANES_MAX])
{
    panes[0] = picker_table(browser);
    return 1;
}

static bool picker_act(struct browser *browser, enum action action, struct request *request)
{
    const struct table *table = picker_table(browser);
    const struct picker_row *row = table_selected(table);
    if (action == ACTION_BACK && browser->snapshot && !*table->filter) {
        request->kind = REQUEST_LEAVE;
        return true;
    }
    if (action == ACTION_USER && row && row->user) {
        table_filter(picker_table(browser), *table->filter ? "" : row->user);
        return true;
    }
    if (action != ACTION_ENTER || !row)
        return false;
    request->kind = REQUEST_PICK;
    request->pid = row->pid;
    if (!picker_view(browser)->recorded)
        browser_message(browser, "attaching ...");
    return true;
}

static void picker_hint(struct browser *browser, char *out, size_t size)
{
    if (picker_view(browser)->recorded)
        snprintf(out, size, "%s. From a shell: misstop -i FILE -p PID",
                 browser->snapshot ? "Esc returns to the screen" : "P returns to this list");
    else
        snprintf(out, size, "\\ filters the list; F6 sorts. From a shell: misstop -p PID");
}

static void picker_title(const struct browser *browser, char *out, size_t size)
{
    bool recorded = picker_view(browser)->recorded;
    snprintf(out, size, "which process%s? Enter %s the selected one",
             recorded ? " of the recording" : "", recorded ? "shows" : "watches");
}

static const struct columns process_columns;
static const struct columns recorded_columns;

const struct screen picker_screen = {
    .name = "Processes",
    .state_size = sizeof(struct picker_view),
    .tables = {{.at = offsetof(struct picker_view, processes),
                .columns = &process_columns,
                .is_picker = true},
               {.at = offsetof(struct picker_view, of_recording),
                .columns = &recorded_columns,
                .is_picker = true}},
    .title = picker_title,
    .draw = picker_draw,
    .panes = picker_panes,
    .act = picker_act,
    .hint = picker_hint,
    .bar = {ACTION_ENTER, ACTION_FILTER, ACTION_FIND, ACTION_SORT_NEXT, ACTION_INVERT},
};

/* ---- columns of the two lists ---- */

static struct value process_cpu(const struct snapshot *snapshot, const void *pointer)
{
    ROW(picker_row);
    return value_number(row->cpu_percent / 100);
}

static struct value process_state(const struct snapshot *snapshot, const void *pointer)
{
    static const struct {
        char letter;
        const char *word;
    } states[] = {{'R', "runs"},   {'S', "sleeps"}, {'D', "disk"}, {'T', "stopped"},
                  {'t', "traced"}, {'Z', "zombie"}, {'I', "idle"}};
    ROW(picker_row);
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (states[i].letter == row->state)
            return value_text(states[i].word);
    return value_text(NULL);
}

static const struct column process_list[] = {
    COLUMN(.title = "CPU", .value = process_cpu, .width = 6, UNIT_SHARE),
    COLUMN(.title = "PID", .from = FIELD(struct picker_row, pid), .width = 7, UNIT_INTEGER),
    COLUMN(.title = "USER", .from = FIELD(struct picker_row, user), .width = 8, .width_max = 12,
           .rank = 4, .paint = paint_dim),
    COLUMN(.title = "MEMORY", .from = KNOWN(struct picker_row, resident_bytes), .width = 6,
           .rank = 2, UNIT_BYTES),
    COLUMN(.title = "THREADS", .from = KNOWN(struct picker_row, threads), .width = 7, .rank = 3,
           UNIT_INTEGER),
    COLUMN(.title = "STATE", .value = process_state, .width = 7, .rank = 5, .paint = paint_dim),
    COLUMN(.title = "COMMAND", .from = FIELD(struct picker_row, command), .width = 14,
           .width_max = 255, .paint = paint_strong),
};

static const struct columns process_columns = {
    .title = "Processes",
    .empty = "No process can be watched. Start one, or run misstop as its user.",
    TABLE(struct picker_row, process_list),
    .key = FIELD(struct picker_row, pid),
};

static const struct column recorded_list[] = {
    COLUMN(.title = "SHARE", .from = FIELD(struct picker_row, share), .width = 6, UNIT_SHARE),
    COLUMN(.title = "SAMPLES", .from = FIELD(struct picker_row, samples), .width = 9, UNIT_INTEGER),
    COLUMN(.title = "PID", .from = FIELD(struct picker_row, pid), .width = 7, UNIT_INTEGER),
    COLUMN(.title = "SAMPLED FOR", .from = FIELD(struct picker_row, span_s), .width = 11, .rank = 2,
           .look = COLUMN_RIGHT, .format = format_time),
    COLUMN(.title = "NAME", .from = FIELD(struct picker_row, command), .width = 14,
           .width_max = 255, .paint = paint_strong),
};

static const struct columns recorded_columns = {
    .title = "Processes recorded",
    TABLE(struct picker_row, recorded_list),
    .key = FIELD(struct picker_row, pid),
};
