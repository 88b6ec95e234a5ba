/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen f: problems that were recognised, most gain first, and what to try. */
#include "view/browser.h"

#include <stdio.h>

enum { LIST_LEAST = 3, TEXT_ROWS = 12, LABEL_COLUMNS = 11 };

static void findings_update(struct browser *browser)
{
    const struct snapshot_findings *findings = &browser->snapshot->findings;
    table_set(&browser->findings, browser->snapshot, findings->list, findings->count);
}

static unsigned findings_panes(struct browser *browser, struct table *panes[PANES_MAX])
{
    panes[0] = &browser->findings;
    return 1;
}

/* ---- drawing ---- */

static struct area below(struct area area, int used)
{
    return (struct area){area.row + used, area.column, area.rows - used, area.columns};
}

/* A label and text beside it, over as many rows as it takes. */
static struct area say(struct canvas *canvas, struct area area, const char *label, const char *text,
                       enum paint paint)
{
    if (area.rows < 1 || !text || !*text)
        return area;
    struct area right = {area.row, area.column + LABEL_COLUMNS, area.rows,
                         area.columns - LABEL_COLUMNS};
    canvas_text(canvas, area.row, area.column, LABEL_COLUMNS, PAINT_DIM, label);
    return below(area, canvas_wrap(canvas, right, paint, text));
}

static void draw_selected(const struct snapshot_finding *finding, struct canvas *canvas,
                          struct area area)
{
    char text[512];
    area = say(canvas, area, "Evidence", finding->evidence, PAINT_PLAIN);
    area = say(canvas, area, "Try", finding->advice, PAINT_STRONG);
    char gain[96];
    findings_gain(finding, gain, sizeof gain);
    snprintf(text, sizeof text, "%s: %s.", gain, finding->reckoned);
    area = say(canvas, area, "Gain", text, PAINT_PLAIN);
    snprintf(text, sizeof text, "%s: %s.", finding_sure_name(finding->sure), finding->how_sure);
    area = say(canvas, area, "How sure", text, PAINT_PLAIN);
    if (!finding->function)
        return;
    if (finding->file && finding->line)
        snprintf(text, sizeof text, "%s (%s:%u)", finding->function, finding->file, finding->line);
    else
        snprintf(text, sizeof text, "%s", finding->function);
    say(canvas, area, "Code", text, PAINT_PLAIN);
}

static void draw_nothing(const struct snapshot *snapshot, struct canvas *canvas, struct area area)
{
    char why[FINDINGS_NONE_BYTES];
    char text[sizeof why + 80];
    findings_none(snapshot, why, sizeof why);
    snprintf(text, sizeof text, " %s 1 Objects and 5 Code rank data and code all the same.", why);
    canvas_wrap(canvas, area, PAINT_DIM, text);
}

static void findings_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct snapshot *snapshot = browser->snapshot;
    if (!snapshot->findings.count) {
        draw_nothing(snapshot, canvas, area);
        return;
    }
    int rows = (int)browser->findings.shown + 1;
    int most = area.rows - TEXT_ROWS - 1;
    most = most < LIST_LEAST ? LIST_LEAST : most;
    rows = rows > most ? most : rows;
    struct area list = {area.row, area.column, rows < area.rows ? rows : area.rows, area.columns};
    pane_table(browser, canvas, list, &browser->findings, "");
    const struct snapshot_finding *finding = table_selected(&browser->findings);
    struct area rest = below(area, rows + (area.rows > TEXT_ROWS));
    rest.column = 1;
    rest.columns -= 2;
    if (finding)
        draw_selected(finding, canvas, rest);
}

/* ---- keys ---- */

static void open_screen(struct browser *browser, const struct snapshot_finding *finding)
{
    static const enum page_id pages[] = {PAGE_DETAIL, PAGE_LAYOUT, PAGE_SHARING,
                                         PAGE_SETS,   PAGE_CODE,   PAGE_HEAP};
    const struct snapshot_object *object = columns_object(browser->snapshot, finding->object);
    enum page_id page = pages[finding->page];
    if (page == PAGE_SHARING || page == PAGE_SETS || page == PAGE_CODE || page == PAGE_HEAP) {
        browser_go(browser, page);
        return;
    }
    if (!object)
        return;
    browser_open_object(browser, object);
    if (page == PAGE_LAYOUT && object->layout_count)
        browser_enter(browser, PAGE_LAYOUT);
}

static bool findings_act(struct browser *browser, enum action action, struct request *request)
{
    const struct snapshot_finding *finding = table_selected(&browser->findings);
    (void)request;
    if (action != ACTION_ENTER || !finding)
        return false;
    open_screen(browser, finding);
    return true;
}

static const char *findings_enter(struct browser *browser)
{
    const struct snapshot_finding *finding = table_selected(&browser->findings);
    return finding ? finding_page_name(finding->page) : "";
}

static void findings_hint(struct browser *browser, char *out, size_t size)
{
    const struct snapshot_finding *finding = table_selected(&browser->findings);
    if (finding)
        snprintf(out, size, "Enter: %s, which shows it. Esc: back",
                 finding_page_name(finding->page));
    else
        snprintf(out, size, "Findings come as samples do: give it a while. Esc: back");
}

static const enum action findings_bar[] = {ACTION_BACK,   ACTION_ENTER,     ACTION_FIND,
                                           ACTION_FILTER, ACTION_SORT_NEXT, ACTION_FREEZE,
                                           ACTION_BASIS,  ACTION_NONE};

const struct page findings_page = {
    .name = "Findings",
    .update = findings_update,
    .draw = findings_draw,
    .panes = findings_panes,
    .act = findings_act,
    .hint = findings_hint,
    .enter = findings_enter,
    .bar = findings_bar,
};
