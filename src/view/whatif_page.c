/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen x: what if the object lay otherwise: questions to ask, and the answer as it comes in. */
#include "view/browser.h"

#include "view/whatif_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LIST_LEAST = 4, TEXT_ROWS = 4, LINE_BYTES = 64 };

static uint32_t line_bytes(const struct snapshot *snapshot)
{
    const struct snapshot_simulation *simulation = &snapshot->simulation;
    return simulation->level_count ? simulation->level[simulation->level_count - 1].line_bytes
                                   : LINE_BYTES;
}

static const struct snapshot_layout *layout_of(const struct browser *browser)
{
    const struct snapshot_object *object = browser->detail.object;
    for (size_t i = 0; i < object->layout_count; i++)
        if (object->layouts[i].type == browser->whatif.type)
            return &object->layouts[i];
    return object->layout_count ? &object->layouts[0] : NULL;
}

/* The member that was selected on Layout, in this snapshot. */
static const struct snapshot_layout_row *member_of(const struct browser *browser,
                                                   const struct snapshot_layout *layout)
{
    for (size_t i = 0; layout && browser->whatif.at_member && i < layout->row_count; i++)
        if (layout_identity(layout->rows[i].index, layout->rows[i].member.offset) ==
            browser->whatif.member)
            return &layout->rows[i];
    return NULL;
}

static bool is_in_asked(struct browser *browser)
{
    return browser_focused(browser, &browser->whatif.asked);
}

/* The one that the cursor is on among those asked, else the best. */
static const struct snapshot_whatif *shown_of(struct browser *browser)
{
    const struct snapshot_whatifs *asked = &browser->snapshot->whatif;
    const struct snapshot_whatif *selected = table_selected(&browser->whatif.asked);
    return selected ? selected : asked->count ? &asked->list[0] : NULL;
}

static void whatif_update(struct browser *browser)
{
    const struct snapshot *snapshot = browser->snapshot;
    browser->whatif.choice_count = browser->whatif.row_count = 0;
    if (browser->page == PAGE_WHATIF) {
        if (browser->detail.object && snapshot->simulation.level_count) {
            const struct snapshot_layout *layout = layout_of(browser);
            browser->whatif.choice_count =
                whatif_choices(browser->detail.object, layout, member_of(browser, layout),
                               line_bytes(snapshot), &snapshot->whatif, browser->whatif.choices);
        }
    }
    table_set(&browser->whatif.questions, snapshot, browser->whatif.choices,
              browser->whatif.choice_count);
    table_set(&browser->whatif.asked, snapshot, snapshot->whatif.list, snapshot->whatif.count);
    const struct snapshot_whatif *shown = shown_of(browser);
    if (browser->page == PAGE_WHATIF && shown)
        browser->whatif.row_count = whatif_rows(shown, browser->whatif.rows);
    table_set(&browser->whatif.answer, snapshot, browser->whatif.rows, browser->whatif.row_count);
}

void browser_open_whatif(struct browser *browser)
{
    const struct layout_row *row = browser->page == PAGE_LAYOUT && browser->layout.shown
                                       ? table_selected(&browser->layout.table)
                                       : NULL;
    if (browser->page == PAGE_OBJECTS && browser->snapshot) {
        browser->detail.chosen = false;
        detail_page.update(browser);
    }
    browser->whatif.type = browser->page == PAGE_LAYOUT ? browser->layout.type : 0;
    browser->whatif.at_member = row && row->row;
    browser->whatif.member = row ? row->identity : 0;
    browser_leave(browser);
    /* As it was chosen: another picture may rank otherwise. */
    browser->detail.chosen |= browser->detail.object != NULL;
    browser_enter(browser, PAGE_WHATIF);
}

static unsigned whatif_panes(struct browser *browser, struct table *panes[PANES_MAX])
{
    unsigned count = 0;
    if (browser->whatif.choice_count)
        panes[count++] = &browser->whatif.questions;
    if (browser->snapshot && browser->snapshot->whatif.count > 1)
        panes[count++] = &browser->whatif.asked;
    return count;
}

/* ---- drawing ---- */

static struct area below(struct area area, int used)
{
    return (struct area){area.row + used, area.column, area.rows - used, area.columns};
}

/* What a running process can tell: the share of the time that loads of it took. */
static void draw_without(const struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct snapshot_object *object = browser->detail.object;
    char text[512];
    area = below(area, canvas_wrap(canvas, area, PAINT_DIM,
                                   " Only a simulation can run a program as if its data lay "
                                   "otherwise: misstop --sim -- CMD, then x on an object asks what "
                                   "if it were always cached, split, padded, aligned or put in "
                                   "order, and shows both side by side."));
    if (!object || !object->levels || !(object->levels->stall > 0))
        return;
    snprintf(
        text, sizeof text,
        " If %.80s were always cached, at most %.1f%% of the latency that was measured here would "
        "be gone.",
        object->name, 100 * object->levels->stall);
    canvas_wrap(canvas, below(area, 1), PAINT_PLAIN, text);
}

static struct area draw_answer(struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct snapshot_whatif *answer = shown_of(browser);
    char text[WHATIF_TEXT_BYTES];
    struct area inside = {area.row, 1, area.rows, area.columns - 2};
    whatif_title(answer, text, sizeof text);
    inside = below(inside, canvas_wrap(canvas, inside, PAINT_PANE, text));
    if (browser->whatif.row_count) {
        struct area table = {inside.row, area.column, (int)browser->whatif.row_count + 1,
                             area.columns};
        table.rows = table.rows < inside.rows ? table.rows : inside.rows;
        table_draw(&browser->whatif.answer, canvas, table, false);
        inside = below(inside, table.rows);
    }
    if (inside.rows > 0) {
        whatif_sentence(answer, text, sizeof text);
        inside = below(inside, canvas_wrap(canvas, inside, PAINT_STRONG, text));
    }
    return inside;
}

/* Where several are asked, they stand side by side above the one that is shown. */
static int asked_rows(const struct browser *browser)
{
    uint32_t count = browser->snapshot->whatif.count;
    return count > 1 ? (int)count + 2 : 0;
}

static int answer_rows(const struct browser *browser)
{
    return !browser->snapshot->whatif.count
               ? 0
               : asked_rows(browser) + (int)browser->whatif.row_count + 1 + TEXT_ROWS;
}

static struct area draw_asked(struct browser *browser, struct canvas *canvas, struct area area)
{
    int rows = asked_rows(browser);
    rows = rows < area.rows ? rows : area.rows;
    if (rows < LIST_LEAST)
        return area;
    bool focused = is_in_asked(browser);
    pane_title(canvas, area, focused, "Asked at a time, best first");
    pane_table(browser, canvas, (struct area){area.row + 1, area.column, rows - 1, area.columns},
               &browser->whatif.asked, "");
    return below(area, rows);
}

static void whatif_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    int wanted = answer_rows(browser);
    if (!browser->snapshot->simulation.level_count) {
        draw_without(browser, canvas, area);
        return;
    }
    if (browser->whatif.choice_count) {
        int rows = (int)browser->whatif.questions.shown + 2;
        int most = area.rows - wanted;
        rows = rows < most ? rows : most;
        rows = rows < LIST_LEAST ? LIST_LEAST : rows;
        pane_title(canvas, area, !is_in_asked(browser), "What if %s ...", browser->detail.name);
        pane_table(browser, canvas,
                   (struct area){area.row + 1, area.column, rows - 1, area.columns},
                   &browser->whatif.questions, "");
        area = below(area, rows + (most > rows));
    } else {
        area = below(area, canvas_wrap(canvas, area, PAINT_DIM,
                                       " No object is selected. 1 lists them; x on one of them, "
                                       "or on a member on its Layout, comes here."));
    }
    if (wanted && area.rows > 0)
        area = draw_asked(browser, canvas, area);
    if (wanted && area.rows > 0)
        draw_answer(browser, canvas, area);
}

/* ---- keys ---- */

static void ask(struct browser *browser, const struct whatif_choice *choice,
                struct request *request)
{
    char words[160];
    if (!choice->possible) {
        browser_message(browser, choice->text);
        return;
    }
    const struct snapshot_layout *layout = layout_of(browser);
    whatif_words(&choice->wanted, words, sizeof words);
    request->kind = REQUEST_WHATIF;
    request->object = browser->detail.id;
    request->type = layout ? layout->type : 0;
    snprintf(request->name, sizeof request->name, "%.200s:%s", browser->detail.name, words);
}

static bool whatif_act(struct browser *browser, enum action action, struct request *request)
{
    const struct whatif_choice *choice = table_selected(&browser->whatif.questions);
    const struct snapshot_whatif *asked = shown_of(browser);
    if (action == ACTION_WHATIF) {
        if (asked)
            request->kind = REQUEST_WHATIF_END;
        request->whatif = is_in_asked(browser) ? asked->number : WHATIF_MAX;
        return true;
    }
    if (action != ACTION_ENTER || is_in_asked(browser) || !browser->whatif.choice_count || !choice)
        return false;
    ask(browser, choice, request);
    return true;
}

static const char *whatif_enter(struct browser *browser)
{
    const struct whatif_choice *choice = table_selected(&browser->whatif.questions);
    return browser->whatif.choice_count && choice && choice->possible && !is_in_asked(browser)
               ? "Ask"
               : "";
}

static void whatif_hint(struct browser *browser, char *out, size_t size)
{
    if (!browser->whatif.choice_count)
        snprintf(out, size, "Esc: back");
    else if (is_in_asked(browser))
        snprintf(out, size, "Up, Down: another answer below. x: drop this one. Left: ask more");
    else if (!browser->snapshot->whatif.count)
        snprintf(out, size,
                 "Enter asks: a second simulation runs beside the first, about twice as slow.");
    else
        snprintf(out, size,
                 "Enter asks another too, up to %d. z: count all anew. x: ask nothing more.%s",
                 WHATIF_MAX, browser->snapshot->whatif.count > 1 ? " Right: those asked" : "");
}

static const enum action whatif_bar[] = {ACTION_BACK, ACTION_ENTER,  ACTION_WHATIF,
                                         ACTION_ZERO, ACTION_FREEZE, ACTION_NONE};

const struct page whatif_page = {
    .name = "What if",
    .update = whatif_update,
    .draw = whatif_draw,
    .panes = whatif_panes,
    .act = whatif_act,
    .hint = whatif_hint,
    .enter = whatif_enter,
    .bar = whatif_bar,
};
