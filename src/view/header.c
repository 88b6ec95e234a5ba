/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines on top: what is watched and how, the screens; see browser.h. */
#include "view/browser.h"

#include "view/pen.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* What the process does, where it is not simply running: as long as that lasts. */
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
                       : snapshot->stretch      ? " PAST "
                       : !snapshot->source.live ? play_badge(browser)
                       : other                  ? other
                                                : " LIVE ";
    enum paint paint = browser->frozen || snapshot->stretch ? PAINT_FROZEN
                       : !snapshot->source.live || other    ? PAINT_RECORDED
                                                            : PAINT_LIVE;
    int columns = (int)strlen(text);
    canvas_text(canvas, 0, canvas->columns - columns, columns, paint, text);
    return columns;
}

static void draw_title(const struct browser *browser, struct canvas *canvas)
{
    char elapsed[32];
    const struct snapshot *snapshot = browser->snapshot;
    struct pen pen = {canvas, 0, 0, canvas->columns};
    if (browser->page == PAGE_PICKER || !snapshot) {
        pen_part(&pen, PAINT_TITLE, " misstop ");
        if (browser->page == PAGE_PICKER)
            pen_part(&pen, PAINT_PLAIN, "which process%s? Enter %s the one selected",
                     browser->picker.recorded ? " of the recording" : "",
                     browser->picker.recorded ? "shows" : "watches");
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
    if (snapshot->stretch)
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
    if (browser->page == PAGE_PICKER)
        return 1;
    bool line = browser->replays && canvas->rows >= PLAY_FROM_ROWS;
    if (line)
        play_line_draw(browser, canvas, 1);
    draw_tabs(browser, canvas, 1 + line);
    return 2 + line + stretch_line_draw(browser, canvas, 2 + line);
}
