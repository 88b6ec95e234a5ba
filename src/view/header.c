/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines on top: what is watched and how, the screens, the totals; see browser.h. */
#include "view/browser.h"

#include "base/text.h"
#include "view/bar.h"
#include "view/binary_words.h"
#include "view/field_words.h"
#include "view/levels_words.h"
#include "view/rates_words.h"
#include "view/simulation_words.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLES_FEW = 100, REASONS_SHOWN = 6, PLAY_FROM_ROWS = 12 };
static const double BINARIES_MISSED = 0.02; /* share of the samples worth a line */

/* What is left of a row, filled from the left. */
struct pen {
    struct canvas *canvas;
    int row;
    int column;
    int end;
};

__attribute__((format(printf, 3, 4))) static void write_part(struct pen *pen, enum paint paint,
                                                             const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pen->column +=
        canvas_text(pen->canvas, pen->row, pen->column, pen->end - pen->column, paint, text);
}

/* Only as a whole: half a figure misleads. */
__attribute__((format(printf, 3, 4))) static bool write_whole(struct pen *pen, enum paint paint,
                                                              const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (pen->column + glyph_columns(text, pen->canvas->ascii) > pen->end)
        return false;
    write_part(pen, paint, "%s", text);
    return true;
}

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

static int draw_badge(const struct browser *browser, struct canvas *canvas)
{
    const struct snapshot *snapshot = browser->snapshot;
    bool ended = is(snapshot->target.state, "exited");
    const char *text = browser->frozen          ? " FROZEN "
                       : snapshot->stretch      ? " PAST "
                       : !snapshot->source.live ? play_badge(browser)
                       : ended                  ? " ENDED "
                                                : " LIVE ";
    enum paint paint = browser->frozen || snapshot->stretch ? PAINT_FROZEN
                       : !snapshot->source.live || ended ? PAINT_RECORDED
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
        write_part(&pen, PAINT_TITLE, " misstop ");
        if (browser->page == PAGE_PICKER)
            write_part(&pen, PAINT_PLAIN, "which process%s? Enter %s the one selected",
                       browser->picker.recorded ? " of the recording" : "",
                       browser->picker.recorded ? "shows" : "watches");
        return;
    }
    pen.end -= draw_badge(browser, canvas) + 1;
    const struct snapshot_target *target = &snapshot->target;
    const struct snapshot_event *event = ranking_event(snapshot);
    write_part(&pen, PAINT_TITLE, " misstop ");
    write_part(&pen, PAINT_STRONG, "%s", target->comm ? target->comm : "?");
    if (target->pid)
        write_part(&pen, PAINT_PLAIN, " %" PRIu32, target->pid);
    write_part(&pen, PAINT_DIM, "  %s", snapshot->source.name ? snapshot->source.name : "");
    if (event && event->name)
        write_part(&pen, PAINT_DIM, ":%s", event->name);
    if (snapshot->source.weighs && *snapshot->source.weighs)
        write_part(&pen, PAINT_WARN, "  %s", snapshot->source.weighs);
    if (target->threads)
        write_whole(&pen, PAINT_DIM, "  %" PRIu32 " thread%s", target->threads,
                    target->threads == 1 ? "" : "s");
    if (!isnan(snapshot->elapsed_s) && (!browser->replays || canvas->rows < PLAY_FROM_ROWS))
        write_whole(&pen, PAINT_DIM, "  %s", elapsed_text(elapsed, snapshot->elapsed_s));
    if (snapshot->interval_s > 0 && snapshot->source.live)
        write_whole(&pen, PAINT_DIM, "  every %g s%s", snapshot->interval_s,
                    browser->calmer && snapshot->interval_s > 1 ? ": calmer" : "");
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

static double part_of(uint64_t part, uint64_t all)
{
    return all ? (double)part / (double)all : NAN;
}

static void draw_lost(const struct snapshot_totals *totals, struct pen *pen)
{
    char text[16];
    write_whole(pen, totals->lost ? PAINT_WARN : PAINT_DIM, "  Lost %s",
                text_count(text, (double)totals->lost));
    write_whole(pen, totals->throttled ? PAINT_WARN : PAINT_DIM, "  Throttled %s",
                text_count(text, (double)totals->throttled));
}

static void draw_totals(const struct snapshot *snapshot, struct pen *pen)
{
    const struct snapshot_totals *totals = &snapshot->totals;
    char text[16];
    char bar[BAR_BYTES(16)];
    double attributed = part_of(totals->attributed, totals->samples);
    int columns = pen->end >= 100 ? 16 : 8;
    write_part(pen, PAINT_DIM, " Samples ");
    write_part(pen, PAINT_STRONG, "%s", text_count(text, (double)totals->samples));
    if (!isnan(totals->rate))
        write_whole(pen, PAINT_PLAIN, "  %s/s", text_count(text, totals->rate));
    if (isnan(attributed))
        return;
    enum paint paint = attributed >= 0.8 ? PAINT_GOOD : attributed >= 0.5 ? PAINT_WARN : PAINT_BAD;
    bar_fill(bar, sizeof bar, columns, attributed, pen->canvas->ascii);
    if (write_whole(pen, PAINT_DIM, "  Attributed ") && pen->end >= 70)
        write_whole(pen, paint, "%s ", bar);
    write_whole(pen, paint, "%.1f%%", attributed * 100);
    if (!snapshot->stretch)
        draw_lost(totals, pen);
    write_whole(pen, PAINT_DIM, "  Kernel %.1f%%",
                part_of(totals->reasons[REASON_KERNEL], totals->samples) * 100);
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
    write_part(pen, PAINT_DIM, " Not attributed %.1f%%:", part_of(without, totals->samples) * 100);
    if (totals->reasons[REASON_KERNEL] == without)
        write_whole(pen, PAINT_DIM, " all in the kernel");
    for (int i = 0; i < REASONS_SHOWN; i++) {
        int most = REASON_NONE;
        for (int k = 0; k < REASON_COUNT; k++)
            if (!said[k] && totals->reasons[k] &&
                (most == REASON_NONE || totals->reasons[k] > totals->reasons[most]))
                most = k;
        if (most == REASON_NONE)
            break;
        said[most] = true;
        if (!write_whole(pen, PAINT_PLAIN, "  %s %.1f%%", access_reason_name((enum reason)most),
                         part_of(totals->reasons[most], totals->samples) * 100))
            break;
    }
    if (!leader)
        return;
    glyph_fit(name, sizeof name, leader->function, 40, GLYPH_CUT_MIDDLE, pen->canvas->ascii);
    write_whole(pen, PAINT_PLAIN, "  mostly in %s", name);
}

/* In the place of the fields, which cannot be known of code that is not here. */
static bool draw_missing(const struct snapshot *snapshot, struct pen *pen)
{
    char text[128];
    if (binary_missing(&snapshot->binaries) < BINARIES_MISSED)
        return false;
    binary_note(&snapshot->binaries, text, sizeof text);
    write_part(pen, PAINT_BAD, " %s: ? tells which", text);
    return true;
}

/* What is being read stands before the figures: it explains why names are still missing. */
static bool draw_fields(const struct snapshot *snapshot, struct pen *pen)
{
    char reading[160];
    struct field_part parts[FIELD_PARTS_MAX];
    unsigned count = field_parts(snapshot, parts);
    field_reading(snapshot, reading, sizeof reading);
    if (count) {
        write_part(pen, PAINT_DIM, " %s ", parts[0].label);
        write_part(pen, PAINT_STRONG, "%.1f%%", parts[0].share * 100);
    }
    if (*reading && !write_whole(pen, PAINT_WARN, "%s%s", count ? "  " : " ", reading))
        write_part(pen, PAINT_WARN, "  reading debug information: %" PRIu32 " waiting",
                   snapshot->reading.waiting);
    for (unsigned i = 1; i < count; i++)
        if (!write_whole(pen, parts[i].known ? PAINT_PLAIN : PAINT_DIM, "  %s%s %.1f%%",
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
