/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One function, opened from Code, Detail or Layout: its source lines, the instructions of the
 * line selected, and the objects it misses on. */
#include "view/browser.h"

#include "base/text.h"
#include "view/partners_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { ROWS_FOR_BOTH = 16, ROWS_FOR_HEAD = 6, ROWS_FOR_NOTE = 10 };

/* Source and instructions are read from files and the process: only while somebody looks. */
static void function_update(struct browser *browser)
{
    const struct snapshot *snapshot = browser->snapshot;
    bool looks = snapshot && browser->page == PAGE_FUNCTION;
    browser->code.function = NULL;
    browser->code.site_count = 0;
    browser->code.lines.count = 0;
    browser->code.instructions.count = 0;
    browser->code.gathered = false;
    for (size_t i = 0; looks && i < snapshot->code_count; i++)
        if (snapshot->code[i].id == browser->code.id)
            browser->code.function = &snapshot->code[i];
    table_set(&browser->code.source, snapshot, NULL, 0);
    table_set(&browser->code.accesses, snapshot, NULL, 0);
    if (browser->code.function) {
        snprintf(browser->code.name, sizeof browser->code.name, "%s",
                 browser->code.function->function);
        function_gather(browser);
    }
    if (looks)
        function_gather_sites(browser);
    table_set(&browser->code.table, snapshot, browser->code.sites, browser->code.site_count);
}

void browser_open_function(struct browser *browser, const struct snapshot_code *code)
{
    browser_leave(browser);
    browser->code.id = code->id;
    browser->code.table.pinned = false;
    browser->code.source.pinned = false;
    browser->code.accesses.pinned = false;
    browser->pane[PAGE_FUNCTION] = 0;
    browser_enter(browser, PAGE_FUNCTION);
}

void browser_open_instruction(struct browser *browser, const struct snapshot_code *code,
                              const struct snapshot_instruction *instruction)
{
    browser_open_function(browser, code);
    table_select(&browser->code.source, source_identity(instruction->file, instruction->line));
    function_gather_line(browser);
    table_select(&browser->code.accesses, instruction->address);
}

/* Source where lines are known, instructions where they were listed, and always the objects. */
static unsigned function_panes(struct browser *browser, struct table *panes[PANES_MAX])
{
    unsigned count = 0;
    if (browser->code.lines.count)
        panes[count++] = &browser->code.source;
    if (browser->code.function && browser->code.function->instruction_count)
        panes[count++] = &browser->code.accesses;
    panes[count++] = &browser->code.table;
    return count;
}

static void empty_text(const struct browser *browser, const struct table *table, char *out,
                       size_t size)
{
    const struct source_row *line = table_selected(&browser->code.source);
    if (table == &browser->code.accesses && line)
        snprintf(out, size,
                 "Line %" PRIu32 " has no samples: it is shown for its neighbours. "
                 "Lines with a figure under OF IT have some.",
                 line->line);
    else
        snprintf(out, size, "None of its accesses fell on a listed object.");
}

/* ---- drawing ---- */

static void draw_figures(const struct snapshot_code *code, struct canvas *canvas, struct area area)
{
    char text[16];
    int used = 0;
    if (code->samples > 0)
        used = canvas_format(canvas, area.row, 0, area.columns, paint_heat(code->share.value),
                             " %.1f%% %s%.1f", code->share.value * 100, canvas->ascii ? "+-" : "±",
                             columns_half(&code->share) * 100);
    if (code->unknown_samples > 0)
        used += canvas_format(canvas, area.row, used, area.columns - used,
                              paint_heat(code->all_share), "%s%.1f%% of all samples, %.1f%% %s",
                              used ? "   " : " ", code->all_share * 100, code->unknown_share * 100,
                              code->unknown_note ? code->unknown_note : "object unknown");
    used += canvas_format(canvas, area.row, used, area.columns - used, PAINT_PLAIN,
                          "   %s samples   %s",
                          text_count(text, code->samples + code->unknown_samples), code->module);
    if (code->file)
        canvas_format(canvas, area.row, used, area.columns - used, PAINT_DIM, "   %s:%" PRIu32,
                      code->file, code->line);
}

/* Where the text of the selected line is from, or was looked for. Rows used. */
static int draw_note(struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct source_row *row = table_selected(&browser->code.source);
    char text[1200];
    if (!browser->code.lines.count) {
        return canvas_wrap(canvas, area, PAINT_DIM,
                           browser->snapshot->reading.waiting
                               ? "source lines: debug information is still being read"
                               : "source lines are not known: the file of this code has no debug "
                                 "information that tells them");
    }
    const char *note = row && row->file && browser->sources.source_note
                           ? browser->sources.source_note(browser->sources.context, row->file)
                           : NULL;
    if (!note)
        return 0;
    if (*row->text) {
        canvas_text(canvas, area.row, area.column, area.columns, PAINT_DIM, note);
        return 1;
    }
    snprintf(text, sizeof text, "no text of %s; %s", source_base_name(row->file), note);
    return canvas_wrap(canvas, area, PAINT_WARN, text);
}

/* Rows used. */
static int draw_head(struct browser *browser, struct canvas *canvas, struct area area)
{
    enum { NOTE_ROWS = 3 };
    const struct snapshot_code *code = browser->code.function;
    char name[COLUMN_TEXT_BYTES];
    glyph_fit(name, sizeof name, browser->code.name, area.columns - 2, GLYPH_CUT_MIDDLE,
              canvas->ascii);
    canvas_format(canvas, area.row, 0, area.columns, PAINT_STRONG, " %s", name);
    if (area.rows < ROWS_FOR_HEAD)
        return 1;
    if (!code) {
        canvas_text(canvas, area.row + 1, 0, area.columns, PAINT_DIM,
                    " not among the listed functions now");
        return 2;
    }
    area.row++;
    draw_figures(code, canvas, area);
    if (area.rows < ROWS_FOR_NOTE)
        return 2;
    struct area below = {area.row + 1, 1, area.rows >= ROWS_FOR_BOTH ? NOTE_ROWS : 1,
                         area.columns - 2};
    return 2 + draw_note(browser, canvas, below);
}

/* Tabs of some panes over the one that has focus, or else over the first of them. */
static void draw_tabbed(struct browser *browser, struct canvas *canvas, struct area area,
                        struct table *const panes[], unsigned count)
{
    struct table *shown = panes[0];
    char empty[160];
    for (unsigned i = 0; i < count; i++)
        if (browser_focused(browser, panes[i]))
            shown = panes[i];
    int used = count > 1 || area.rows > 3 ? pane_tabs(browser, canvas, area, panes, count) : 0;
    area.row += used;
    area.rows -= used;
    empty_text(browser, shown, empty, sizeof empty);
    pane_table(browser, canvas, area, shown, empty);
}

static void function_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    struct table *panes[PANES_MAX];
    unsigned count = function_panes(browser, panes);
    /* The selection may have moved to another line. */
    function_gather_line(browser);
    int used = draw_head(browser, canvas, area);
    area.row += used;
    area.rows -= used;
    if (area.rows < ROWS_FOR_BOTH || panes[0] != &browser->code.source) {
        draw_tabbed(browser, canvas, area, panes, count);
        return;
    }
    struct area upper = {area.row, 0, area.rows * 3 / 5, area.columns};
    struct area lower = {area.row + upper.rows, 0, area.rows - upper.rows, area.columns};
    draw_tabbed(browser, canvas, upper, panes, 1);
    used = partners_draw(browser, canvas, lower);
    lower.row += used;
    lower.rows -= used;
    draw_tabbed(browser, canvas, lower, panes + 1, count - 1);
}

/* ---- keys ---- */

static bool open_missed(struct browser *browser)
{
    const struct site *site = table_selected(&browser->code.table);
    const struct instruction_row *row = table_selected(&browser->code.accesses);
    const struct snapshot_object *object =
        browser_table(browser) == &browser->code.table ? (site ? site->object : NULL)
        : row ? columns_object(browser->snapshot, row->instruction->object)
              : NULL;
    if (!object)
        return false;
    browser_open_object(browser, object);
    return true;
}

static bool function_act(struct browser *browser, enum action action, struct request *request)
{
    (void)request;
    if (action != ACTION_ENTER)
        return false;
    if (browser_table(browser) != &browser->code.source)
        return open_missed(browser);
    function_gather_line(browser);
    if (browser->code.instructions.count)
        browser->pane[PAGE_FUNCTION] = 1;
    else
        browser_message(browser, "no access of this line was sampled");
    return true;
}

static void function_hint(struct browser *browser, char *out, size_t size)
{
    const struct table *table = browser_table(browser);
    if (table == &browser->code.source)
        snprintf(out, size, "Enter: the instructions of this line and the data each one accesses");
    else if (table == &browser->code.accesses)
        snprintf(out, size, "Enter: the object that this instruction accesses");
    else
        snprintf(out, size, "One row per object that it accesses. Enter opens the object");
}

static const char *function_enter(struct browser *browser)
{
    struct table *panes[PANES_MAX];
    unsigned count = function_panes(browser, panes);
    unsigned focus = browser->pane[PAGE_FUNCTION];
    return panes[focus < count ? focus : 0] == &browser->code.source ? "Instructions" : "Object";
}

static const enum action function_bar[] = {
    ACTION_ENTER,     ACTION_BACK,   ACTION_RIGHT, ACTION_FIND,  ACTION_FILTER,
    ACTION_SORT_NEXT, ACTION_FREEZE, ACTION_BASIS, ACTION_WRITE, ACTION_NONE};

const struct page function_page = {
    .name = "Function",
    .update = function_update,
    .draw = function_draw,
    .panes = function_panes,
    .act = function_act,
    .hint = function_hint,
    .enter = function_enter,
    .bar = function_bar,
};
