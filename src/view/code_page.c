/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 5: the same misses from the side of the code, and one function opened. */
#include "view/browser.h"

#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void code_update(struct browser *browser)
{
    const struct snapshot *snapshot = browser->snapshot;
    table_set(&browser->code.functions, snapshot, snapshot->code, snapshot->code_count);
}

static void code_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    pane_table(browser, canvas, area, &browser->code.functions, "No function has missed yet.");
}

static unsigned code_panes(struct browser *browser, struct table *panes[PANES_MAX])
{
    panes[0] = &browser->code.functions;
    return 1;
}

static bool code_act(struct browser *browser, enum action action, struct request *request)
{
    (void)request;
    const struct snapshot_code *code = table_selected(&browser->code.functions);
    if (action != ACTION_ENTER || !code)
        return false;
    browser_open_function(browser, code);
    return true;
}

static void code_hint(struct browser *browser, char *out, size_t size)
{
    (void)browser;
    snprintf(out, size, "Enter: what this function misses on, and the instructions that do");
}

static const enum action code_bar[] = {ACTION_BACK,      ACTION_ENTER,  ACTION_FIND,  ACTION_FILTER,
                                       ACTION_SORT_NEXT, ACTION_FREEZE, ACTION_BASIS, ACTION_INVERT,
                                       ACTION_WRITE,     ACTION_NONE};

const struct page code_page = {
    .name = "Code",
    .update = code_update,
    .draw = code_draw,
    .panes = code_panes,
    .act = code_act,
    .hint = code_hint,
    .bar = code_bar,
};

/* ---- one function ---- */

static bool add_site(struct browser *browser, const struct snapshot_object *object,
                     const struct snapshot_code *code)
{
    if (browser->code.site_count == browser->code.site_capacity) {
        size_t capacity = browser->code.site_capacity ? browser->code.site_capacity * 2 : 32;
        struct site *sites = realloc(browser->code.sites, capacity * sizeof *sites);
        if (!sites)
            return false;
        browser->code.sites = sites;
        browser->code.site_capacity = capacity;
    }
    struct site *site = &browser->code.sites[browser->code.site_count++];
    *site = (struct site){.code = code, .object = object};
    if (!browser->sources.instruction ||
        !browser->sources.instruction(browser->sources.context, code->address, site->text,
                                      sizeof site->text))
        site->text[0] = '\0';
    return true;
}

/* The snapshot lists code by object; a function's accesses are gathered from there. */
static void gather_sites(struct browser *browser)
{
    const struct snapshot *snapshot = browser->snapshot;
    double all = 0;
    browser->code.site_count = 0;
    for (size_t i = 0; i < snapshot->object_count; i++)
        for (size_t k = 0; k < snapshot->objects[i].code_count; k++)
            if (snapshot->objects[i].code[k].id == browser->code.id &&
                !add_site(browser, &snapshot->objects[i], &snapshot->objects[i].code[k]))
                return;
    for (size_t i = 0; i < browser->code.site_count; i++)
        all += browser->code.sites[i].code->samples;
    for (size_t i = 0; i < browser->code.site_count; i++)
        browser->code.sites[i].share = all > 0 ? browser->code.sites[i].code->samples / all : NAN;
}

static void function_update(struct browser *browser)
{
    const struct snapshot *snapshot = browser->snapshot;
    browser->code.function = NULL;
    /* Instructions are read from the process: only while somebody looks. */
    browser->code.site_count = 0;
    if (!snapshot || browser->page != PAGE_FUNCTION) {
        table_set(&browser->code.table, snapshot, browser->code.sites, 0);
        return;
    }
    for (size_t i = 0; i < snapshot->code_count; i++)
        if (snapshot->code[i].id == browser->code.id)
            browser->code.function = &snapshot->code[i];
    if (browser->code.function)
        snprintf(browser->code.name, sizeof browser->code.name, "%s",
                 browser->code.function->function);
    gather_sites(browser);
    table_set(&browser->code.table, snapshot, browser->code.sites, browser->code.site_count);
}

static int draw_head(const struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct snapshot_code *code = browser->code.function;
    char name[COLUMN_TEXT_BYTES];
    char text[16];
    glyph_fit(name, sizeof name, browser->code.name, area.columns - 2, GLYPH_CUT_MIDDLE,
              canvas->ascii);
    canvas_format(canvas, area.row, 0, area.columns, PAINT_STRONG, " %s", name);
    if (area.rows < 6)
        return 1;
    if (!code) {
        canvas_text(canvas, area.row + 1, 0, area.columns, PAINT_DIM,
                    " not among the listed functions now");
        return 2;
    }
    int used = canvas_format(canvas, area.row + 1, 0, area.columns, paint_heat(code->share.value),
                             " %.1f%% %s%.1f", code->share.value * 100, canvas->ascii ? "+-" : "±",
                             columns_half(&code->share) * 100);
    used += canvas_format(canvas, area.row + 1, used, area.columns - used, PAINT_PLAIN,
                          "   %s samples   %s", text_count(text, code->samples), code->module);
    if (code->file)
        canvas_format(canvas, area.row + 1, used, area.columns - used, PAINT_DIM, "   %s:%" PRIu32,
                      code->file, code->line);
    return area.rows >= 12 ? 3 : 2;
}

static void function_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    int used = draw_head(browser, canvas, area);
    area.row += used;
    area.rows -= used;
    pane_table(browser, canvas, area, &browser->code.table,
               "None of its accesses fell on a listed object.");
}

static unsigned function_panes(struct browser *browser, struct table *panes[PANES_MAX])
{
    panes[0] = &browser->code.table;
    return 1;
}

static bool function_act(struct browser *browser, enum action action, struct request *request)
{
    (void)request;
    const struct site *site = table_selected(&browser->code.table);
    if (action != ACTION_ENTER || !site)
        return false;
    browser_open_object(browser, site->object);
    return true;
}

static void function_hint(struct browser *browser, char *out, size_t size)
{
    (void)browser;
    snprintf(out, size, "One row per object it misses on, with the hottest instruction");
}

const struct page function_page = {
    .name = "Function",
    .update = function_update,
    .draw = function_draw,
    .panes = function_panes,
    .act = function_act,
    .hint = function_hint,
    .bar = code_bar,
};
