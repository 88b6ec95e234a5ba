/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen f: problems that were recognised, most gain first, and what to try. */
#include <math.h>
#include <stdio.h>

#include "profile/tables/rates.h"
#include "view/findings.h"
#include "view/screen/browser.h"
#include "view/widget/columns.h"

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
static struct area findings_say(struct canvas *canvas, struct area area, const char *label,
                                const char *text, enum paint paint)
{
    if (area.rows < 1 || !text || !*text)
        return area;
    struct area right = {area.row, area.column + LABEL_COLUMNS, area.rows,
                         area.columns - LABEL_COLUMNS};
    canvas_text(canvas, area.row, area.column, LABEL_COLUMNS, PAINT_DIM, label);
    return below(area, canvas_wrap(canvas, right, paint, text));
}

static void findings_draw_selected(const struct snapshot_finding *finding, struct canvas *canvas,
                                   struct area area)
{
    char text[512];
    struct finding_words words;
    finding_words(finding, &words);
    area = findings_say(canvas, area, "Evidence", words.evidence, PAINT_PLAIN);
    area = findings_say(canvas, area, "Try", words.advice, PAINT_STRONG);
    char gain[96];
    findings_gain(finding, gain, sizeof gain);
    snprintf(text, sizeof text, "%s: %s.", gain, words.reckoned);
    area = findings_say(canvas, area, "Gain", text, PAINT_PLAIN);
    snprintf(text, sizeof text, "%s: %s.", finding_sure_name(finding->sure), words.how_sure);
    area = findings_say(canvas, area, "How sure", text, PAINT_PLAIN);
    if (!finding->function)
        return;
    if (finding->file && finding->line)
        snprintf(text, sizeof text, "%s (%s:%u)", finding->function, finding->file, finding->line);
    else
        snprintf(text, sizeof text, "%s", finding->function);
    findings_say(canvas, area, "Code", text, PAINT_PLAIN);
}

static void findings_draw_nothing(const struct snapshot *snapshot, struct canvas *canvas,
                                  struct area area)
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
        findings_draw_nothing(snapshot, canvas, area);
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
        findings_draw_selected(finding, canvas, rest);
}

/* ---- keys ---- */

static void open_screen(struct browser *browser, const struct snapshot_finding *finding)
{
    static const enum page_id pages[] = {PAGE_DETAIL, PAGE_LAYOUT, PAGE_SHARING,
                                         PAGE_SETS,   PAGE_CODE,   PAGE_HEAP};
    const struct snapshot_object *object = columns_object(browser->snapshot, finding->object);
    enum page_id page = pages[finding_page(finding)];
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
    return finding ? finding_page_name(finding_page(finding)) : "";
}

static void findings_hint(struct browser *browser, char *out, size_t size)
{
    const struct snapshot_finding *finding = table_selected(&browser->findings);
    if (finding)
        snprintf(out, size, "Enter: %s, which shows it. Esc: back",
                 finding_page_name(finding_page(finding)));
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

/* Columns of the problems that were recognised. */

#define ROW                                                                                        \
    const struct snapshot_finding *row = pointer;                                                  \
    (void)snapshot

static struct value gain(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    struct value value = value_number(row->gain);
    value.low = row->gain_low;
    value.high = row->gain_low > 0 ? row->gain : 0;
    return value;
}

static void format_gain(char *out, size_t size, struct value value)
{
    if (value.high > value.low)
        snprintf(out, size, "%.0f-%.0f%%", value.low * 100, value.high * 100);
    else
        format_percent(out, size, value);
}

static struct value finding_column_share(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->share);
}

static struct value bound(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_text(isnan(row->gain) || row->gain_low > 0 ? ""
                      : row->bound                          ? "at most"
                                                            : "about");
}

static struct value kind(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_text(finding_kind_words(row->kind));
}

static struct value finding_column_object(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_text(row->name);
}

static struct value field(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_text(row->field);
}

static struct value finding_column_function(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_text(row->function);
}

static struct value sure(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_text(finding_sure_name(row->sure));
}

static struct value screen(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_text(finding_page_name(finding_page(row)));
}

static uint64_t finding_column_identity(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return (uint64_t)row->id << 8 | row->kind;
}

static const struct column finding_list[] = {
    {"", NULL, 7, 0, 1, COLUMN_TEXT, NULL, bound, NULL, paint_dim, NULL},
    {"GAIN",
     "Part of all samples that the remedy could save, by the estimate below the list: from so much "
     "to so much, or at most so much; blank: the samples do not tell.",
     7, 0, 0, COLUMN_RIGHT, NULL, gain, format_gain, paint_share, NULL},
    {"SHARE", "Part of all samples that it is about.", 6, 0, 0, COLUMN_RIGHT, NULL,
     finding_column_share, format_percent, paint_share, NULL},
    {"PROBLEM", "What it is; below the list stands why.", 15, 19, 0, COLUMN_TEXT, NULL, kind, NULL,
     paint_strong, NULL},
    {"OBJECT", NULL, 10, 40, 0, COLUMN_NAME, NULL, finding_column_object, NULL, paint_strong, NULL},
    {"FIELDS", NULL, 10, 40, 2, COLUMN_NAME, NULL, field, NULL, NULL, NULL},
    {"FUNCTION", "The one with most samples on it.", 10, 32, 3, COLUMN_NAME, NULL,
     finding_column_function, NULL, NULL, NULL},
    {"SURE", "By the rule: each says what it cannot tell.", 7, 0, 1, COLUMN_TEXT, NULL, sure, NULL,
     NULL, NULL},
    {"SCREEN", "Enter opens it.", 7, 0, 4, COLUMN_TEXT, NULL, screen, NULL, paint_dim, NULL},
};

const struct columns finding_columns = {
    .title = "Findings",
    .list = finding_list,
    .count = sizeof finding_list / sizeof *finding_list,
    .sort = COLUMNS_AS_THEY_COME,
    .row_size = sizeof(struct snapshot_finding),
    .identity = finding_column_identity,
};

void findings_gain(const struct snapshot_finding *finding, char *out, size_t size)
{
    if (isnan(finding->gain))
        snprintf(out, size, "not known; %.1f%% of all samples are there", finding->share * 100);
    else if (finding->gain_low > 0)
        snprintf(out, size, "%.0f to %.0f%% of all samples", finding->gain_low * 100,
                 finding->gain * 100);
    else
        snprintf(out, size, "%s %.1f%% of all samples", finding->bound ? "at most" : "about",
                 finding->gain * 100);
}

void findings_none(const struct snapshot *snapshot, char *out, size_t size)
{
    snprintf(out, size,
             "No problem that misstop knows by name has been recognised%s. It looks for hot and "
             "cold fields in one line, elements that straddle lines, false and true sharing, "
             "%swalks down columns, pointer chasing, streaming, scattered and "
             "wasted blocks, objects used together, allocation churn, stack variables, first "
             "touches, threads that spin, page walks and remote memory, and says nothing unless "
             "the samples show it.",
             snapshot->totals.attributed < 1000 ? " in so few samples" : "",
             measured_of(&snapshot->source)->misses ? "set conflicts, " : "");
}
