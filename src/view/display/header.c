/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "view/answer.h"
#include "view/display/browser.h"
#include "view/display/canvas.h"
#include "view/words.h"

/* ---- the parts of a tab that fit ---- */

enum tab_label { LABEL_NOTHING, LABEL_KEY, LABEL_NAME };

static bool tab_has_alert(const struct browser *browser, int tab)
{
    const struct screen *screen = screens[tab].screen;
    return screen->needs_attention && browser->snapshot &&
           screen->needs_attention(browser->snapshot);
}

static bool tab_exists(const struct browser *browser, int tab)
{
    return screens[tab].place == SCREEN_IS_TAB &&
           (tab == (int)browser->screen || screen_filled((enum screen_id)tab, browser->snapshot));
}

/* Returns -1 if the current screen is not below a tab. */
static int tab_shown(const struct browser *browser)
{
    enum screen_id tab = browser_tab(browser);
    return screens[tab].place == SCREEN_IS_TAB ? (int)tab : -1;
}

static enum action tab_action(int tab)
{
    return (enum action)((int)ACTION_SHOW + tab);
}

/* Returns the width of a key with the blank before it, or of a name. */
static int tab_label_columns(int tab, enum tab_label label, bool ascii)
{
    return label == LABEL_NAME ? glyph_columns(screens[tab].screen->name, ascii)
                               : glyph_columns(screens[tab].key, ascii) + 1;
}

static void format_tab(const struct browser *browser, int tab, enum tab_label label, bool ascii,
                       int *room, enum tab_label out[SCREEN_COUNT])
{
    if (!tab_exists(browser, tab))
        return;
    int cost = tab_label_columns(tab, label, ascii);
    if (out[tab] != label - 1 || cost > *room)
        return;
    out[tab] = label;
    *room -= cost;
}

/* Returns the next tab; out of range after the last. */
static int tab_step(int tab, int direction)
{
    do
        tab += direction;
    while (tab >= 0 && tab < SCREEN_COUNT && screens[tab].place != SCREEN_IS_TAB);
    return tab;
}

/* Allocates the room: keys before names; first the current screen, then screens that call for
 * attention, then the nearest ones. */
static void allocate_tab_labels(const struct browser *browser, int room, bool ascii,
                                enum tab_label out[SCREEN_COUNT])
{
    int shown = tab_shown(browser);
    int middle = shown < 0 ? 0 : shown;
    for (enum tab_label label = LABEL_KEY; label <= LABEL_NAME; label++) {
        if (shown >= 0)
            format_tab(browser, shown, label, ascii, &room, out);
        for (int i = 0; i < SCREEN_COUNT; i++)
            if (tab_has_alert(browser, i))
                format_tab(browser, i, label, ascii, &room, out);
        for (int left = middle, right = middle; left >= 0 || right < SCREEN_COUNT;
             left = tab_step(left, -1), right = tab_step(right, 1)) {
            if (right < SCREEN_COUNT)
                format_tab(browser, right, label, ascii, &room, out);
            if (left >= 0)
                format_tab(browser, left, label, ascii, &room, out);
        }
    }
}

/* Draws a tab and returns the columns used; the trailing blank belongs to the next tab. */
static int draw_tab(struct browser *browser, struct canvas *canvas, int row, int column, int tab,
                    enum tab_label label, bool apart)
{
    bool calls = tab_has_alert(browser, tab);
    int room = canvas->columns - column;
    int used = canvas_format(canvas, row, column, room, calls ? PAINT_WARN : PAINT_KEY, " %s",
                             screens[tab].key);
    if (label == LABEL_NAME)
        used +=
            canvas_format(canvas, row, column + used, room - used, calls ? PAINT_WARN : PAINT_TAB,
                          "%s%s", apart ? " " : "", screens[tab].screen->name);
    browser_zone(browser, row, column, used, tab_action(tab));
    return used;
}

/* Draws the tabs. Adds blanks between keys and names, and then between tabs, if all of them fit. */
static int tabs_draw(struct browser *browser, struct canvas *canvas, int row)
{
    enum tab_label label[SCREEN_COUNT] = {LABEL_NOTHING};
    int room = canvas->columns - 1;
    int wanted = 0;
    int count = 0;
    int column = 0;
    for (int i = 0; i < SCREEN_COUNT; i++) {
        if (!tab_exists(browser, i))
            continue;
        count++;
        wanted += tab_label_columns(i, LABEL_KEY, canvas->ascii) +
                  tab_label_columns(i, LABEL_NAME, canvas->ascii);
    }
    bool apart = wanted + count <= room;
    int gap = wanted + 2 * count <= room;
    allocate_tab_labels(browser, room, canvas->ascii, label);
    for (int i = 0; i < SCREEN_COUNT; i++) {
        if (label[i] == LABEL_NOTHING)
            continue;
        int used = draw_tab(browser, canvas, row, column, i, label[i], apart);
        if (i == tab_shown(browser))
            canvas_paint(canvas, row, column, used + 1, PAINT_TAB_SHOWN);
        column += used + gap;
    }
    return column + 1;
}

enum action tabs_next(const struct browser *browser, int direction)
{
    int from = tab_shown(browser);
    if (from < 0)
        from = direction > 0 ? SCREEN_COUNT - 1 : 0;
    int to = (from + direction + SCREEN_COUNT) % SCREEN_COUNT;
    while (!tab_exists(browser, to))
        to = (to + direction + SCREEN_COUNT) % SCREEN_COUNT;
    return tab_action(to);
}

/* Draws the levels from the tab down to the current screen. Returns the rows used, 0 on a tab. */
static int levels_above_draw(struct browser *browser, struct canvas *canvas, int row)
{
    static const char up[] = "Esc: up";
    char name[CRUMB_BYTES];
    char crumb[CRUMB_BYTES];
    int end = canvas->columns - (int)sizeof up;
    int used = 1;
    if (!browser->level_count)
        return 0;
    for (unsigned i = 0; i < browser->level_count; i++) {
        glyph_fit(name, sizeof name, browser->level_stack[i].crumb, 40, GLYPH_CUT_MIDDLE,
                  canvas->ascii);
        used += canvas_format(canvas, row, used, end - used, PAINT_DIM, "%s %s ", name,
                              canvas->ascii ? ">" : "›");
    }
    screen_crumb(browser, crumb);
    glyph_fit(name, sizeof name, crumb, end > used ? end - used : 0, GLYPH_CUT_MIDDLE,
              canvas->ascii);
    canvas_text(canvas, row, used, end - used, PAINT_STRONG, name);
    int columns = canvas_text(canvas, row, end, canvas->columns - end, PAINT_KEY, up);
    browser_zone(browser, row, end, columns, ACTION_BACK);
    return 1;
}

/* Draws the line below the tabs with the time range of all tables, and the way back. Returns the
 * rows used, 0 for the run up to now. */
static int time_range_line_draw(struct browser *browser, struct canvas *canvas, int row)
{
    static const char back[] = "N: back to now";
    const struct snapshot *snapshot = browser->snapshot;
    char words[192];
    if (!snapshot || !snapshot->time_range)
        return 0;
    int kept = (int)sizeof back + 1;
    time_range_words(snapshot->time_range, words, sizeof words);
    int used =
        canvas_format(canvas, row, 0, canvas->columns - kept, PAINT_FROZEN, " Only %s ", words);
    int length = canvas_text(canvas, row, used + 1, canvas->columns - used - 1, PAINT_KEY, back);
    browser_zone(browser, row, used + 1, length, ACTION_NOW);
    return 1;
}

enum { PLAY_FROM_ROWS = 12 };

/* Returns the badge of a process that is not simply running. */
static const char *live_badge(const struct snapshot *snapshot)
{
    static const char *const badges[][2] = {{"exited", " ENDED "},
                                            {"not counted", " NOT COUNTING "},
                                            {"stopped", " STOPPED "},
                                            {"idle", " IDLE "},
                                            {"not sampled", " NO SAMPLES "}};
    for (size_t i = 0; i < sizeof badges / sizeof *badges; i++)
        if (snapshot->target.state && !strcmp(snapshot->target.state, badges[i][0]))
            return badges[i][1];
    return NULL;
}

static int draw_badge(const struct browser *browser, struct canvas *canvas)
{
    const struct snapshot *snapshot = browser->snapshot;
    const char *other = live_badge(snapshot);
    const char *text = browser->frozen          ? " FROZEN "
                       : snapshot->time_range   ? " PAST "
                       : !snapshot->source.live ? play_badge(browser)
                       : other                  ? other
                                                : " LIVE ";
    enum paint paint = browser->frozen || snapshot->time_range ? PAINT_FROZEN
                       : !snapshot->source.live || other       ? PAINT_RECORDED
                                                               : PAINT_LIVE;
    int columns = (int)strlen(text);
    canvas_text(canvas, 0, canvas->columns - columns, columns, paint, text);
    return columns;
}

/* Draws the source of the samples, and the unit of shares. */
static void draw_source(const struct snapshot *snapshot, struct pen *pen)
{
    const struct snapshot_source *source = &snapshot->source;
    const struct snapshot_event *event = ranking_event(&snapshot->source);
    const char *name = source->name ? source->name : "";
    if (!strcmp(name, "clock"))
        pen_part(pen, PAINT_DIM, "  timer samples");
    else
        pen_part(pen, PAINT_DIM, "  %s%s%s", name, event && event->name ? ":" : "",
                 event && event->name ? event->name : "");
    if (source->weight_unit && *source->weight_unit)
        pen_whole(pen, PAINT_PLAIN, ": %s", source->weight_unit);
}

static void draw_title(const struct browser *browser, struct canvas *canvas)
{
    char elapsed[TEXT_TIME_BYTES];
    char text[160];
    const struct snapshot *snapshot = browser->snapshot;
    void (*title)(const struct browser *, char *, size_t) = browser_screen(browser)->title;
    struct pen pen = {canvas, 0, 0, canvas->columns};
    pen_part(&pen, PAINT_TITLE, " misstop ");
    if (title) {
        title(browser, text, sizeof text);
        pen_part(&pen, PAINT_PLAIN, "%s", text);
    }
    if (title || !snapshot)
        return;
    pen.end -= draw_badge(browser, canvas) + 1;
    const struct snapshot_target *target = &snapshot->target;
    pen_part(&pen, PAINT_STRONG, "%s", target->comm ? target->comm : "?");
    if (target->pid)
        pen_part(&pen, PAINT_PLAIN, " %" PRIu32, target->pid);
    if (target->threads)
        pen_whole(&pen, PAINT_DIM, "  %" PRIu32 " thread%s", target->threads,
                  target->threads == 1 ? "" : "s");
    answer_cpu(target, text, sizeof text);
    if (*text)
        pen_whole(&pen, PAINT_PLAIN, "  %s", text);
    draw_source(snapshot, &pen);
    if (!isnan(snapshot->elapsed_s) && (!browser->replays || canvas->rows < PLAY_FROM_ROWS))
        pen_whole(&pen, PAINT_DIM, "  %s", text_time(elapsed, snapshot->elapsed_s));
    if (snapshot->interval_s > 0 && snapshot->source.live)
        pen_whole(&pen, PAINT_DIM, "  every %g s", snapshot->interval_s);
}

/* Draws whether the process waits for memory, and at the right, if there is room, the quality of
 * the samples. */
static void draw_answer(struct browser *browser, struct canvas *canvas, int row)
{
    enum { GAUGE_COLUMNS = 20, WIDE_COLUMNS = 100 };
    static const enum paint paints[] = {
        [WAITS_NOT_YET] = PAINT_DIM, [WAITS_UNKNOWN] = PAINT_DIM,    [WAITS_IDLE] = PAINT_STRONG,
        [WAITS_HARDLY] = PAINT_GOOD, [WAITS_PERHAPS] = PAINT_STRONG, [WAITS_MUCH] = PAINT_WARN};
    const struct snapshot *snapshot = browser->snapshot;
    enum answer answer = answer_kind(snapshot);
    char gauge[GAUGE_COLUMNS * 4] = "";
    char words[256];
    char quality[64];
    bool look = answer_quality(snapshot, quality, sizeof quality);
    int columns = glyph_columns(quality, canvas->ascii);
    struct pen pen = {canvas, row, 0, canvas->columns - columns - 2};
    if (canvas->columns >= WIDE_COLUMNS)
        answer_gauge(snapshot, GAUGE_COLUMNS, canvas->ascii, gauge, sizeof gauge);
    int room = pen.end - 1 - (*gauge ? GAUGE_COLUMNS + 1 : 0);
    answer_words(snapshot, room, words, sizeof words);
    if (glyph_columns(words, canvas->ascii) <= room) {
        canvas_text(canvas, row, pen.end + 1, columns, look ? PAINT_WARN : PAINT_DIM, quality);
        browser_zone(browser, row, pen.end + 1, columns, SCREEN_ACTION(QUALITY));
    } else {
        pen.end = canvas->columns;
        answer_words(snapshot, pen.end - 1, words, sizeof words);
    }
    if (*gauge)
        pen_part(&pen, paints[answer], " %s", gauge);
    pen_part(&pen, paints[answer], " %s", words);
    if (*answer_evidence(snapshot))
        pen_whole(&pen, PAINT_DIM, "  %s", answer_evidence(snapshot));
}

static void draw_tabs(struct browser *browser, struct canvas *canvas, int row)
{
    const struct snapshot *snapshot = browser->snapshot;
    int used = tabs_draw(browser, canvas, row);
    if (!snapshot)
        return;
    char basis[48];
    if (snapshot->time_range)
        snprintf(basis, sizeof basis, "a time range");
    else if (snapshot->basis == BASIS_RUN || !(snapshot->half_life_s > 0))
        snprintf(basis, sizeof basis, "whole run");
    else
        snprintf(basis, sizeof basis, "recent past, half-life %g s", snapshot->half_life_s);
    int columns = (int)strlen(basis);
    if (used + 2 + columns <= canvas->columns)
        canvas_text(canvas, row, canvas->columns - columns - 1, columns, PAINT_DIM, basis);
}

/* Draws the first sentence of the tab's help, if it fits. Returns the rows used. */
static int help_lead_draw(const struct browser *browser, struct canvas *canvas, int row)
{
    enum { LEAD_FROM_ROWS = 20 };
    const char *shows = browser_screen(browser)->description;
    const char *end = shows ? strchr(shows, '.') : NULL;
    if (!end || browser->level_count || canvas->rows < LEAD_FROM_ROWS ||
        end - shows + 2 > canvas->columns)
        return 0;
    canvas_format(canvas, row, 1, canvas->columns - 1, PAINT_DIM, "%.*s", (int)(end - shows + 1),
                  shows);
    return 1;
}

int header_draw(struct browser *browser, struct canvas *canvas)
{
    int row = 1;
    draw_title(browser, canvas);
    if (browser_screen(browser)->title)
        return 1;
    if (browser->replays && canvas->rows >= PLAY_FROM_ROWS)
        play_line_draw(browser, canvas, row++);
    if (browser->snapshot)
        draw_answer(browser, canvas, row++);
    draw_tabs(browser, canvas, row++);
    row += levels_above_draw(browser, canvas, row);
    row += help_lead_draw(browser, canvas, row);
    return row + time_range_line_draw(browser, canvas, row);
}
