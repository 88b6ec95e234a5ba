/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines on top: the process, its source, the tabs, totals. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "profile/tables/rates.h"
#include "view/levels.h"
#include "view/screen/browser.h"
#include "view/screen/canvas.h"
#include "view/widget/chart.h"
#include "view/words.h"

/*
 * The row of tabs: each screen's key and name. Where there is no room for all names the nearest to
 * the screen shown keep theirs and the others have their key alone.
 */

/* How much of a tab there is room for. */
enum said { SAID_NOTHING, SAID_KEY, SAID_NAME };

static bool tab_calls(const struct browser *browser, int tab)
{
    const struct page *page = pages[tab].page;
    return page->calls && browser->snapshot && page->calls(browser->snapshot);
}

static bool tab_exists(const struct browser *browser, int tab)
{
    return pages[tab].key &&
           (tab == (int)browser->page || page_filled((enum page_id)tab, browser->snapshot));
}

static int tab_shown(const struct browser *browser)
{
    int tab = (int)pages[browser->page].under;
    return pages[tab].key ? tab : -1;
}

static enum action tab_action(int tab)
{
    return (enum action)((int)ACTION_SHOW + tab);
}

/* Columns that a key, or a name behind it, takes with the blank before it. */
static int cost_of(int tab, enum said said, bool ascii)
{
    const char *text = said == SAID_NAME ? pages[tab].page->name : pages[tab].key;
    return glyph_columns(text, ascii) + 1;
}

static void tabs_say(const struct browser *browser, int tab, enum said said, bool ascii, int *room,
                     enum said out[PAGE_COUNT])
{
    if (!tab_exists(browser, tab))
        return;
    int cost = cost_of(tab, said, ascii);
    if (out[tab] != said - 1 || cost > *room)
        return;
    out[tab] = said;
    *room -= cost;
}

/* The next page that has a key; out of range past the last. */
static int tab_step(int tab, int direction)
{
    do
        tab += direction;
    while (tab >= 0 && tab < PAGE_COUNT && !pages[tab].key);
    return tab;
}

/* Keys come before names, and in each the screen shown, what calls for a look, the nearest. */
static void share_out(const struct browser *browser, int room, bool ascii,
                      enum said out[PAGE_COUNT])
{
    int shown = tab_shown(browser);
    int middle = shown < 0 ? 0 : shown;
    for (enum said said = SAID_KEY; said <= SAID_NAME; said++) {
        if (shown >= 0)
            tabs_say(browser, shown, said, ascii, &room, out);
        for (int i = 0; i < PAGE_COUNT; i++)
            if (tab_calls(browser, i))
                tabs_say(browser, i, said, ascii, &room, out);
        for (int left = middle, right = middle; left >= 0 || right < PAGE_COUNT;
             left = tab_step(left, -1), right = tab_step(right, 1)) {
            if (right < PAGE_COUNT)
                tabs_say(browser, right, said, ascii, &room, out);
            if (left >= 0)
                tabs_say(browser, left, said, ascii, &room, out);
        }
    }
}

/* Columns used; the blank behind it is the next one's too. */
static int draw_tab(struct browser *browser, struct canvas *canvas, int row, int column, int tab,
                    enum said said)
{
    enum paint paint = tab_calls(browser, tab) ? PAINT_WARN : PAINT_TAB;
    int room = canvas->columns - column;
    int used = canvas_format(canvas, row, column, room, paint, " %s", pages[tab].key);
    if (said == SAID_NAME)
        used += canvas_format(canvas, row, column + used, room - used, paint, " %s",
                              pages[tab].page->name);
    browser_zone(browser, row, column, used, tab_action(tab));
    return used;
}

static int tabs_draw(struct browser *browser, struct canvas *canvas, int row)
{
    enum said said[PAGE_COUNT] = {SAID_NOTHING};
    int room = canvas->columns - 1;
    int wanted = 0;
    int count = 0;
    int column = 0;
    for (int i = 0; i < PAGE_COUNT; i++)
        count += pages[i].key != NULL;
    for (int i = 0; i < PAGE_COUNT; i++)
        if (tab_exists(browser, i))
            wanted += cost_of(i, SAID_KEY, canvas->ascii) + cost_of(i, SAID_NAME, canvas->ascii);
    int apart = wanted + count <= room;
    share_out(browser, room, canvas->ascii, said);
    for (int i = 0; i < PAGE_COUNT; i++) {
        if (said[i] == SAID_NOTHING)
            continue;
        int used = draw_tab(browser, canvas, row, column, i, said[i]);
        if (i == tab_shown(browser))
            canvas_paint(canvas, row, column, used + 1, PAINT_TAB_SHOWN);
        column += used + apart;
    }
    return column + 1;
}

enum action tabs_next(const struct browser *browser, int direction)
{
    int from = tab_shown(browser);
    if (from < 0)
        from = direction > 0 ? PAGE_COUNT - 1 : 0;
    int to = (from + direction + PAGE_COUNT) % PAGE_COUNT;
    while (!tab_exists(browser, to))
        to = (to + direction + PAGE_COUNT) % PAGE_COUNT;
    return tab_action(to);
}

/* The line under the tabs: the time range of all tables, and the way back; rows used, 0 where it is
 * the run up to now. */
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

static const char *elapsed_text(char out[32], double seconds)
{
    uint64_t whole = (uint64_t)seconds;
    if (seconds < 60)
        snprintf(out, 32, "%.0fs", seconds);
    else if (seconds < 3600)
        snprintf(out, 32, "%" PRIu64 "m%02" PRIu64 "s", whole / 60, whole % 60);
    else if (seconds < 100 * 3600.0)
        snprintf(out, 32, "%" PRIu64 "h%02" PRIu64 "m", whole / 3600, whole / 60 % 60);
    else
        snprintf(out, 32, "%" PRIu64 "d%02" PRIu64 "h", whole / 86400, whole / 3600 % 24);
    return out;
}

static const struct snapshot_event *ranking_event(const struct snapshot *snapshot)
{
    const struct snapshot_source *source = &snapshot->source;
    return source->ranking < source->event_count ? &source->events[source->ranking] : NULL;
}

static bool is(const char *text, const char *other)
{
    return text && !strcmp(text, other);
}

/* The state of a process that is not simply running. */
static const char *live_badge(const struct snapshot *snapshot)
{
    static const char *const badges[][2] = {{"exited", " ENDED "},
                                            {"not counted", " NOT COUNTING "},
                                            {"stopped", " STOPPED "},
                                            {"idle", " IDLE "},
                                            {"not sampled", " NO SAMPLES "}};
    for (size_t i = 0; i < sizeof badges / sizeof *badges; i++)
        if (is(snapshot->target.state, badges[i][0]))
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

static void draw_title(const struct browser *browser, struct canvas *canvas)
{
    char elapsed[32];
    char text[160];
    const struct snapshot *snapshot = browser->snapshot;
    void (*title)(const struct browser *, char *, size_t) = browser_page(browser)->title;
    struct pen pen = {canvas, 0, 0, canvas->columns};
    if (title || !snapshot) {
        pen_part(&pen, PAINT_TITLE, " misstop ");
        if (title) {
            title(browser, text, sizeof text);
            pen_part(&pen, PAINT_PLAIN, "%s", text);
        }
        return;
    }
    pen.end -= draw_badge(browser, canvas) + 1;
    const struct snapshot_target *target = &snapshot->target;
    const struct snapshot_event *event = ranking_event(snapshot);
    pen_part(&pen, PAINT_TITLE, " misstop ");
    pen_part(&pen, PAINT_STRONG, "%s", target->comm ? target->comm : "?");
    if (target->pid)
        pen_part(&pen, PAINT_PLAIN, " %" PRIu32, target->pid);
    pen_part(&pen, PAINT_DIM, "  %s", snapshot->source.name ? snapshot->source.name : "");
    if (event && event->name)
        pen_part(&pen, PAINT_DIM, ":%s", event->name);
    if (snapshot->source.weighs && *snapshot->source.weighs)
        pen_part(&pen, PAINT_WARN, "  %s", snapshot->source.weighs);
    if (target->threads)
        pen_whole(&pen, PAINT_DIM, "  %" PRIu32 " thread%s", target->threads,
                  target->threads == 1 ? "" : "s");
    if (!isnan(snapshot->elapsed_s) && (!browser->replays || canvas->rows < PLAY_FROM_ROWS))
        pen_whole(&pen, PAINT_DIM, "  %s", elapsed_text(elapsed, snapshot->elapsed_s));
    if (snapshot->interval_s > 0 && snapshot->source.live)
        pen_whole(&pen, PAINT_DIM, "  every %g s", snapshot->interval_s);
}

static void draw_tabs(struct browser *browser, struct canvas *canvas, int row)
{
    const struct snapshot *snapshot = browser->snapshot;
    int used = tabs_draw(browser, canvas, row);
    if (!snapshot)
        return;
    char basis[48];
    if (snapshot->time_range)
        snprintf(basis, sizeof basis, "a stretch of the run");
    else if (snapshot->basis == BASIS_RUN || !(snapshot->half_life_s > 0))
        snprintf(basis, sizeof basis, "whole run");
    else
        snprintf(basis, sizeof basis, "recent past, half-life %g s", snapshot->half_life_s);
    int columns = (int)strlen(basis);
    if (used + 2 + columns <= canvas->columns)
        canvas_text(canvas, row, canvas->columns - columns - 1, columns, PAINT_DIM, basis);
}

int header_draw(struct browser *browser, struct canvas *canvas)
{
    draw_title(browser, canvas);
    if (browser_page(browser)->title)
        return 1;
    bool line = browser->replays && canvas->rows >= PLAY_FROM_ROWS;
    if (line)
        play_line_draw(browser, canvas, 1);
    draw_tabs(browser, canvas, 1 + line);
    return 2 + line + time_range_line_draw(browser, canvas, 2 + line);
}

enum { SAMPLES_FEW = 100, REASONS_SHOWN = 6 };
static const double BINARIES_MISSED = 0.02; /* share of the samples worth a line */

static void draw_lost(const struct snapshot_totals *totals, struct pen *pen)
{
    char text[16];
    pen_whole(pen, totals->lost ? PAINT_WARN : PAINT_DIM, "  Lost %s",
              text_count(text, (double)totals->lost));
    pen_whole(pen, totals->throttled ? PAINT_WARN : PAINT_DIM, "  Throttled %s",
              text_count(text, (double)totals->throttled));
}

static void draw_totals(const struct snapshot *snapshot, struct pen *pen)
{
    const struct snapshot_totals *totals = &snapshot->totals;
    char text[16];
    char bar[BAR_BYTES(16)];
    double attributed = measured_attributed(totals);
    int columns = pen->end >= 100 ? 16 : 8;
    pen_part(pen, PAINT_DIM, " Samples ");
    pen_part(pen, PAINT_STRONG, "%s", text_count(text, (double)totals->samples));
    if (!isnan(totals->rate))
        pen_whole(pen, PAINT_PLAIN, "  %s/s", text_count(text, totals->rate));
    if (isnan(attributed))
        return;
    enum paint paint = attributed >= 0.8 ? PAINT_GOOD : attributed >= 0.5 ? PAINT_WARN : PAINT_BAD;
    bar_fill(bar, sizeof bar, columns, attributed, pen->canvas->ascii);
    if (pen_whole(pen, PAINT_DIM, "  Attributed ") && pen->end >= 70)
        pen_whole(pen, paint, "%s ", bar);
    pen_whole(pen, paint, "%.1f%%", attributed * 100);
    if (pen->end >= 100) /* as SHARE and ALL in the tables below */
        pen_whole(pen, PAINT_DIM, " of the %s", measured_of(&snapshot->source)->word);
    if (!snapshot->time_range)
        draw_lost(totals, pen);
    pen_whole(pen, PAINT_DIM, "  Kernel %.1f%%", measured_reason(totals, REASON_KERNEL) * 100);
    if (totals->agent && totals->samples)
        pen_whole(pen, PAINT_DIM, "  Agent +%.1f%%",
                  (double)totals->agent * 100 / (double)totals->samples);
}

/* The most frequent reasons first; each as a part of all samples. */
static void draw_reasons(const struct snapshot *snapshot, struct pen *pen)
{
    const struct snapshot_totals *totals = &snapshot->totals;
    const struct snapshot_code *leader = columns_unknown_leader(snapshot);
    char name[64];
    bool said[REASON_COUNT] = {[REASON_NONE] = true, [REASON_KERNEL] = true};
    uint64_t without = totals->samples - totals->attributed;
    if (!without || totals->attributed > totals->samples)
        return;
    pen_part(pen, PAINT_DIM, " Not attributed %.1f%%:", (1 - measured_attributed(totals)) * 100);
    if (totals->reasons[REASON_KERNEL] == without)
        pen_whole(pen, PAINT_DIM, " all in the kernel");
    for (int i = 0; i < REASONS_SHOWN; i++) {
        int most = REASON_NONE;
        for (int k = 0; k < REASON_COUNT; k++)
            if (!said[k] && totals->reasons[k] &&
                (most == REASON_NONE || measured_reason(totals, (enum reason)k) >
                                            measured_reason(totals, (enum reason)most)))
                most = k;
        if (most == REASON_NONE)
            break;
        said[most] = true;
        if (!pen_whole(pen, PAINT_PLAIN, "  %s %.1f%%", access_reason_name((enum reason)most),
                       measured_reason(totals, (enum reason)most) * 100))
            break;
    }
    if (!leader)
        return;
    glyph_fit(name, sizeof name, leader->function, 40, GLYPH_CUT_MIDDLE, pen->canvas->ascii);
    pen_whole(pen, PAINT_PLAIN, "  mostly in %s", name);
}

/* In the place of the fields, which cannot be known of code that is not here. */
static bool draw_missing(const struct snapshot *snapshot, struct pen *pen)
{
    char text[256];
    if (binary_missing(&snapshot->binaries) < BINARIES_MISSED)
        return false;
    binary_note(&snapshot->binaries, text, sizeof text);
    pen_part(pen, PAINT_BAD, " %s: ? tells which", text);
    return true;
}

/* Debug information that is being loaded comes first: it explains why names are still missing. */
static bool draw_fields(const struct snapshot *snapshot, struct pen *pen)
{
    char reading[160];
    struct field_part parts[FIELD_PARTS_MAX];
    unsigned count = field_parts(snapshot, parts);
    field_reading(snapshot, reading, sizeof reading);
    if (count) {
        pen_part(pen, PAINT_DIM, " %s ", parts[0].label);
        pen_part(pen, PAINT_STRONG, "%.1f%%", parts[0].share * 100);
    }
    if (*reading && !pen_whole(pen, PAINT_WARN, "%s%s", count ? "  " : " ", reading))
        pen_part(pen, PAINT_WARN, "  reading debug information: %" PRIu32 " waiting",
                 snapshot->reading.waiting);
    for (unsigned i = 1; i < count; i++)
        if (!pen_whole(pen, parts[i].known ? PAINT_PLAIN : PAINT_DIM, "  %s%s %.1f%%",
                       parts[i].known || !parts[i - 1].known ? "" : "not: ", parts[i].label,
                       parts[i].share * 100))
            break;
    return *reading || count;
}

int header_totals(struct browser *browser, struct canvas *canvas, int row, int rows)
{
    struct pen pen = {canvas, row, 0, canvas->columns};
    if (rows < 1)
        return 0;
    draw_totals(browser->snapshot, &pen);
    if (rows < 2)
        return 1;
    pen = (struct pen){canvas, row + 1, 0, canvas->columns};
    draw_reasons(browser->snapshot, &pen);
    if (rows < 3)
        return 2;
    pen = (struct pen){canvas, row + 2, 0, canvas->columns};
    int used =
        draw_missing(browser->snapshot, &pen) || draw_fields(browser->snapshot, &pen) ? 3 : 2;
    struct area line = {row + used, 0, 1, canvas->columns};
    if (rows > used && levels_line(browser->snapshot, browser->snapshot->levels, canvas, line))
        used++;
    line.row = row + used;
    if (rows > used && rates_line(browser->snapshot, browser->snapshot->rates, canvas, line))
        used++;
    line.row = row + used;
    return used + (rows > used && simulation_line(&browser->snapshot->simulation, canvas, line));
}

void header_trust(const struct snapshot *snapshot, char *out, size_t size)
{
    double samples = 0;
    *out = '\0';
    for (size_t i = 0; i < snapshot->object_count; i++)
        samples += snapshot->objects[i].samples;
    if (samples > 0 && samples < SAMPLES_FEW)
        snprintf(out, size, "Only %.0f sample%s so far: shares are rough, see the +- column.",
                 samples, samples < 1.5 ? "" : "s");
    else if (snapshot->totals.samples > SAMPLES_FEW &&
             snapshot->totals.attributed * 2 < snapshot->totals.samples)
        snprintf(out, size, "Less than half of the samples have an object: shares are of those.");
}
