/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The line under the tabs that says of which stretch of the run all tables are; in browser.h. */
#include "view/browser.h"

#include "view/stretch_words.h"

int stretch_line_draw(struct browser *browser, struct canvas *canvas, int row)
{
    static const char back[] = "N: back to now";
    const struct snapshot *snapshot = browser->snapshot;
    char words[192];
    if (!snapshot || !snapshot->stretch)
        return 0;
    int kept = (int)sizeof back + 1;
    stretch_words(snapshot->stretch, words, sizeof words);
    int used =
        canvas_format(canvas, row, 0, canvas->columns - kept, PAINT_FROZEN, " Only %s ", words);
    int length = canvas_text(canvas, row, used + 1, canvas->columns - used - 1, PAINT_KEY, back);
    browser_zone(browser, row, used + 1, length, ACTION_NOW);
    return 1;
}
