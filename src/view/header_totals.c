/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The totals below the lines on top, and how far they can be trusted; see browser.h. */
#include "view/browser.h"

#include "base/text.h"
#include "profile/tables/rates.h"
#include "view/bar.h"
#include "view/binary_words.h"
#include "view/field_words.h"
#include "view/levels_words.h"
#include "view/pen.h"
#include "view/rates_words.h"
#include "view/simulation_words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

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
    if (!snapshot->stretch)
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

/* What is being read stands before the figures: it explains why names are still missing. */
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
