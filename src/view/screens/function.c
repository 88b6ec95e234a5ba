/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One function, opened from Code, Detail or Layout: its source lines, the instructions of the
 * selected line, and the objects it misses on. */
#include "view/screens/rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/text.h"
#include "view/levels.h"
#include "view/display/browser.h"

struct function_view {
    const struct snapshot_code *function;
    struct source_rows lines;
    struct table source;
    struct instruction_rows instructions; /* instructions of the selected line */
    bool gathered;                        /* they are from this snapshot */
    uint64_t gathered_line;               /* identity of their line */
    struct table accesses;
    struct site *sites;
    size_t site_count;
    size_t site_capacity;
    struct table table;
    struct caller_rows callers;
    struct table called_by;
};

static struct function_view *function_view(const struct browser *browser)
{
    return browser->states[SCREEN_FUNCTION];
}

enum { CONTEXT_LINES = 3, HEAD_LINES = 12, ROWS_MAX = 4000 };

static uint64_t source_identity(const char *file, uint32_t line)
{
    return hash_bytes(file ? file : "", file ? strlen(file) : 0) ^ line;
}

static bool has_line(const struct snapshot_instruction *instruction)
{
    return instruction->file && instruction->line;
}

static bool source_row_has(const struct source_row *row,
                           const struct snapshot_instruction *instruction)
{
    if (!row->file)
        return !has_line(instruction);
    return has_line(instruction) && row->line == instruction->line &&
           !strcmp(row->file, instruction->file);
}

/* Sorts the function's own file first, unknown lines last. */
static int compare_source_line(const void *left, const void *right, void *context)
{
    const struct snapshot_instruction *a = *(const struct snapshot_instruction *const *)left;
    const struct snapshot_instruction *b = *(const struct snapshot_instruction *const *)right;
    const char *own = context;
    if (!has_line(a) || !has_line(b))
        return has_line(b) - has_line(a);
    bool own_a = own && !strcmp(a->file, own);
    bool own_b = own && !strcmp(b->file, own);
    if (own_a != own_b)
        return own_b - own_a;
    int order = strcmp(a->file, b->file);
    return order ? order : a->line < b->line ? -1 : a->line > b->line;
}

static struct source_row *source_add(struct source_rows *rows)
{
    if (!array_reserve_next(&rows->list, &rows->capacity, rows->count, sizeof *rows->list,
                            ROWS_MAX))
        return NULL;
    struct source_row *row = &rows->list[rows->count++];
    *row = (struct source_row){.samples = NAN, .share = NAN, .loads = NAN, .stores = NAN};
    return row;
}

static bool read_line(const struct view_sources *sources, const char *file, uint32_t line,
                      char *out, size_t size)
{
    *out = '\0';
    return sources->source && sources->source(sources->context, file, line, out, size);
}

static void add_parting(struct source_rows *rows, const char *text)
{
    struct source_row *row = source_add(rows);
    if (row)
        snprintf(row->text, sizeof row->text, "%s", text);
}

/* Adds lines [first, end), which have no misses. */
static void add_context(struct source_rows *rows, const struct view_sources *sources,
                        const char *file, uint64_t first, uint64_t end)
{
    for (uint64_t line = first; line < end && line <= UINT32_MAX; line++) {
        struct source_row *row = source_add(rows);
        if (!row)
            return;
        row->file = file;
        row->line = (uint32_t)line;
        /* the line is after the end of the file */
        if (!read_line(sources, file, row->line, row->text, sizeof row->text))
            rows->count--;
    }
}

/* Returns the samples on known and unknown objects. */
static double instruction_samples(const struct snapshot_instruction *instruction)
{
    return instruction->samples + instruction->unknown_samples;
}

static void add_line(struct source_rows *rows, const struct view_sources *sources,
                     const struct snapshot_instruction *const *sorted, size_t count)
{
    struct source_row *row = source_add(rows);
    const struct snapshot_instruction *hottest = sorted[0];
    if (!row)
        return;
    row->samples = row->share = row->loads = row->stores = 0;
    row->sites = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        row->samples += sorted[i]->samples;
        row->unknown_samples += sorted[i]->unknown_samples;
        row->share += sorted[i]->share;
        row->loads += sorted[i]->loads;
        row->stores += sorted[i]->stores;
        if (sorted[i]->use)
            snapshot_use_sum(&row->use, sorted[i]->use);
        if (instruction_samples(sorted[i]) > instruction_samples(hottest))
            hottest = sorted[i];
    }
    row->hottest = hottest;
    row->inlined = hottest->inlined;
    if (!has_line(hottest)) {
        snprintf(row->text, sizeof row->text, "(instructions without a known line)");
        return;
    }
    row->file = hottest->file;
    row->line = hottest->line;
    if (!read_line(sources, row->file, row->line, row->text, sizeof row->text))
        rows->unreadable = true;
}

struct source_extent {
    const char *file; /* NULL: none yet */
    uint64_t end;     /* first line that was not added yet */
    bool readable;
};

/* Begins a file: adds its name, and the function's first line if it is in this file. */
static void begin_source_file(struct source_rows *rows, const struct snapshot_code *code,
                              const struct view_sources *sources,
                              const struct snapshot_instruction *first, struct source_extent *reach)
{
    const char *file = first->file;
    uint32_t line = first->line;
    char text[256];
    char title[256];
    *reach = (struct source_extent){.file = file, .end = line};
    reach->readable = read_line(sources, file, line, text, sizeof text);
    snprintf(title, sizeof title, "%.150s%s%.80s", file, first->inlined ? "  inlined: " : "",
             first->inlined ? first->inlined : "");
    add_parting(rows, title);
    reach->end = line > CONTEXT_LINES ? line - CONTEXT_LINES : 1;
    if (!reach->readable || !code->file || strcmp(code->file, file) || !code->line ||
        code->line >= line)
        return;
    if (reach->end > code->line && reach->end - code->line > HEAD_LINES) {
        add_context(rows, sources, file, code->line, (uint64_t)code->line + 1);
        add_parting(rows, "");
    } else {
        reach->end = code->line;
    }
}

/* Skips the middle of a long gap. */
static void bridge_gap(struct source_rows *rows, const struct view_sources *sources, uint32_t line,
                       struct source_extent *reach)
{
    uint64_t after = reach->end + CONTEXT_LINES;
    uint64_t before = line > CONTEXT_LINES ? line - CONTEXT_LINES : 1;
    if (!reach->readable)
        return;
    if (before <= after + 1) {
        add_context(rows, sources, reach->file, reach->end, line);
    } else {
        add_context(rows, sources, reach->file, reach->end, after);
        add_parting(rows, "");
        add_context(rows, sources, reach->file, before, line);
    }
}

static void end_file(struct source_rows *rows, const struct view_sources *sources,
                     const struct source_extent *reach)
{
    if (reach->file && reach->readable)
        add_context(rows, sources, reach->file, reach->end, reach->end + CONTEXT_LINES);
}

static void add_all_lines(struct source_rows *rows, const struct snapshot_code *code,
                          const struct view_sources *sources,
                          const struct snapshot_instruction *const *sorted)
{
    struct source_extent reach = {0};
    for (size_t i = 0, next = 0; i < code->instruction_count; i = next) {
        const struct snapshot_instruction *first = sorted[i];
        bool known = has_line(first);
        while (next < code->instruction_count && has_line(sorted[next]) == known &&
               (!known ||
                (sorted[next]->line == first->line && !strcmp(sorted[next]->file, first->file))))
            next++;
        bool begins = known && (!reach.file || strcmp(reach.file, first->file));
        if (begins || !known)
            end_file(rows, sources, &reach);
        if (begins) {
            begin_source_file(rows, code, sources, first, &reach);
            add_context(rows, sources, first->file, reach.end,
                        reach.readable ? first->line : reach.end);
        } else if (known) {
            bridge_gap(rows, sources, first->line, &reach);
        } else {
            add_parting(rows, "");
            reach.file = NULL;
        }
        add_line(rows, sources, &sorted[i], next - i);
        reach.end = (uint64_t)first->line + 1;
    }
    end_file(rows, sources, &reach);
}

void source_rows_make(struct source_rows *rows, const struct snapshot_code *code,
                      const struct view_sources *sources)
{
    const struct snapshot_instruction **sorted =
        calloc(code->instruction_count + 1, sizeof *sorted);
    size_t known = 0;
    rows->count = 0;
    rows->unreadable = false;
    for (size_t i = 0; sorted && i < code->instruction_count; i++) {
        sorted[i] = &code->instructions[i];
        known += has_line(sorted[i]);
    }
    if (known) {
        qsort_r(sorted, code->instruction_count, sizeof *sorted, compare_source_line,
                (void *)(uintptr_t)code->file);
        add_all_lines(rows, code, sources, sorted);
    }
    free(sorted);
}

void instruction_rows_make(struct instruction_rows *rows, const struct snapshot_code *code,
                           const struct source_row *line, const struct view_sources *sources)
{
    rows->count = 0;
    if (!array_reserve_exact(&rows->list, &rows->capacity, code->instruction_count,
                             sizeof *rows->list))
        return;
    for (size_t i = 0; i < code->instruction_count; i++) {
        const struct snapshot_instruction *instruction = &code->instructions[i];
        if (line && !source_row_has(line, instruction))
            continue;
        struct instruction_row *row = &rows->list[rows->count++];
        *row = (struct instruction_row){.instruction = instruction};
        if (!sources->instruction || !sources->instruction(sources->context, instruction->address,
                                                           row->text, sizeof row->text))
            row->text[0] = '\0';
    }
}

/* ---- gathering the lists from the snapshot, the source files and the process ---- */

static bool add_site(struct browser *browser, const struct snapshot_object *object,
                     const struct snapshot_code *code)
{
    struct function_view *view = function_view(browser);
    if (!array_reserve_next(&view->sites, &view->site_capacity, view->site_count,
                            sizeof *view->sites, ARRAY_UNBOUNDED))
        return false;
    struct site *site = &view->sites[view->site_count++];
    *site = (struct site){.code = code, .object = object};
    if (!browser->sources.instruction ||
        !browser->sources.instruction(browser->sources.context, code->address, site->text,
                                      sizeof site->text))
        site->text[0] = '\0';
    return true;
}

/* Gathers a function's accesses from the snapshot, which lists code by object. */
static void function_gather_sites(struct browser *browser)
{
    struct function_view *view = function_view(browser);
    const struct snapshot *snapshot = browser->snapshot;
    double all = 0;
    for (size_t i = 0; i < snapshot->object_count; i++)
        for (size_t k = 0; k < snapshot->objects[i].code_count; k++)
            if (snapshot->objects[i].code[k].id == browser->opened_function.id &&
                !add_site(browser, &snapshot->objects[i], &snapshot->objects[i].code[k]))
                return;
    for (size_t i = 0; i < view->site_count; i++)
        all += view->sites[i].code->samples;
    for (size_t i = 0; i < view->site_count; i++)
        view->sites[i].share = all > 0 ? view->sites[i].code->samples / all : NAN;
}

static const struct snapshot_instruction *hottest_of(const struct snapshot_code *code)
{
    const struct snapshot_instruction *hottest = NULL;
    for (size_t i = 0; i < code->instruction_count; i++)
        if (!hottest || instruction_samples(&code->instructions[i]) > instruction_samples(hottest))
            hottest = &code->instructions[i];
    return hottest;
}

/* Gathers the instructions of the selected line, or of the function if no line is known. */
static void function_gather_line(struct browser *browser)
{
    struct function_view *view = function_view(browser);
    const struct snapshot_code *code = view->function;
    const struct source_row *line = table_selected(&view->source);
    const struct snapshot_instruction *hottest = NULL;
    uint64_t wanted = line ? source_identity(line->file, line->line) : 0;
    /* Instructions are read and disassembled, so do not repeat it for every key. */
    if (!code || (view->gathered && wanted == view->gathered_line))
        return;
    view->accesses.selection_moved &= wanted == view->gathered_line;
    view->gathered = true;
    view->gathered_line = wanted;
    instruction_rows_make(&view->instructions, code, line, &browser->sources);
    for (size_t i = 0; i < view->instructions.count; i++) {
        const struct snapshot_instruction *one = view->instructions.list[i].instruction;
        if (!hottest || instruction_samples(one) > instruction_samples(hottest))
            hottest = one;
    }
    table_set(&view->accesses, browser->snapshot, view->instructions.list,
              view->instructions.count);
    if (hottest)
        table_prefer(&view->accesses, hottest->address);
}

static void function_gather(struct browser *browser)
{
    struct function_view *view = function_view(browser);
    const struct snapshot_code *code = view->function;
    const struct snapshot_instruction *hottest = hottest_of(code);
    source_rows_make(&view->lines, code, &browser->sources);
    table_set(&view->source, browser->snapshot, view->lines.list, view->lines.count);
    if (hottest)
        table_prefer(&view->source, source_identity(hottest->file, hottest->line));
    function_gather_line(browser);
}

enum { JOINED = 64, SAID = 4 };

/* Instructions of one source line count as one. */
static bool is_same_partner(const struct snapshot_partner *a, const struct snapshot_partner *b)
{
    if (a->address == b->address)
        return true;
    if (strcmp(a->function, b->function) || a->line != b->line || !a->file != !b->file)
        return false;
    return !a->file || !strcmp(a->file, b->file);
}

static size_t partners_join(struct snapshot_partner joined[JOINED], size_t count,
                            const struct snapshot_partners *more)
{
    for (uint32_t i = 0; i < more->count; i++) {
        size_t at = 0;
        while (at < count && !is_same_partner(&joined[at], &more->list[i]))
            at++;
        if (at == JOINED)
            continue;
        if (at == count)
            joined[count++] = more->list[i];
        else
            joined[at].count += more->list[i].count;
    }
    return count;
}

/* Formats users or evictors of the lines that the instructions of `row` fetched (NULL: of the whole
 * function), "62% smooth x.c:20, 30% move"; "" if none are known. */
static void partners_words(const struct snapshot_code *code, const struct source_row *row,
                           enum line_pairs kind, char *out, size_t size)
{
    struct snapshot_partner joined[JOINED];
    size_t count = 0;
    double all = 0;
    *out = '\0';
    for (size_t i = 0; i < code->instruction_count; i++) {
        const struct snapshot_instruction *instruction = &code->instructions[i];
        if (!instruction->partners || (row && !source_row_has(row, instruction)))
            continue;
        all += instruction->partners[kind].all;
        count = partners_join(joined, count, &instruction->partners[kind]);
    }
    SORT(joined, count, LARGEST(struct snapshot_partner, count));
    for (size_t i = 0; i < count && i < SAID; i++) {
        text_append(out, size, "%s%.0f%% %.64s", i ? ", " : "", 100 * joined[i].count / all,
                    joined[i].function);
        if (joined[i].file)
            text_append(out, size, " %.48s:%u", text_base_name(joined[i].file), joined[i].line);
    }
}

/* Draws users and evictors for the selected source line. Returns the rows used. */
static int partners_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    struct function_view *view = function_view(browser);
    static const char *const labels[LINE_PAIRS] = {
        [LINE_USED_BY] = "Lines it fetched were used by", [LINE_EVICTED_BY] = "... and evicted by"};
    static const enum line_pairs order[] = {LINE_USED_BY, LINE_EVICTED_BY};
    enum { LABEL = 31 };
    char text[512];
    int rows = 0;
    if (!view->function)
        return 0;
    for (int i = 0; i < LINE_PAIRS && rows < area.rows; i++) {
        partners_words(view->function, table_selected(&view->source), order[i], text, sizeof text);
        if (!*text)
            continue;
        canvas_text(canvas, area.row + rows, 1, LABEL, PAINT_DIM, labels[order[i]]);
        canvas_text(canvas, area.row + rows, 1 + LABEL, area.columns - LABEL - 2, PAINT_PLAIN,
                    text);
        rows++;
    }
    return rows;
}

enum { ROWS_FOR_BOTH = 16, ROWS_FOR_HEAD = 6, ROWS_FOR_NOTE = 10 };

/* Reads source and instructions, from files and the process, only while the screen is displayed. */
static void function_update(struct browser *browser)
{
    struct function_view *view = function_view(browser);
    const struct snapshot *snapshot = browser->snapshot;
    bool looks = snapshot && browser->screen == SCREEN_FUNCTION;
    view->function = looks ? columns_code(snapshot, browser->opened_function.id) : NULL;
    view->site_count = 0;
    view->lines.count = 0;
    view->instructions.count = 0;
    view->gathered = false;
    table_set(&view->source, snapshot, NULL, 0);
    table_set(&view->accesses, snapshot, NULL, 0);
    if (view->function) {
        snprintf(browser->opened_function.name, sizeof browser->opened_function.name, "%s",
                 view->function->function);
        function_gather(browser);
    }
    if (looks)
        function_gather_sites(browser);
    table_set(&view->table, snapshot, view->sites, view->site_count);
    caller_rows_make(&view->callers, view->function ? view->function->callers : NULL);
    table_set(&view->called_by, snapshot, view->callers.list, view->callers.count);
}

void browser_open_function(struct browser *browser, const struct snapshot_code *code)
{
    browser_leave(browser);
    browser->opened_function.id = code->id;
    function_view(browser)->table.selection_moved = false;
    function_view(browser)->source.selection_moved = false;
    function_view(browser)->accesses.selection_moved = false;
    function_view(browser)->called_by.selection_moved = false;
    browser->pane[SCREEN_FUNCTION] = 0;
    browser_enter(browser, SCREEN_FUNCTION);
}

void browser_open_function_row(struct browser *browser, const void *code)
{
    browser_open_function(browser, code);
}

void browser_open_function_id(struct browser *browser, uint32_t id, const char *not_listed)
{
    const struct snapshot_code *code = columns_code(browser->snapshot, id);
    if (code)
        browser_open_function(browser, code);
    else
        browser_message(browser, not_listed);
}

void browser_open_instruction(struct browser *browser, const struct snapshot_code *code,
                              const struct snapshot_instruction *instruction)
{
    struct function_view *view = function_view(browser);
    browser_open_function(browser, code);
    table_select(&view->source, source_identity(instruction->file, instruction->line));
    function_gather_line(browser);
    table_select(&view->accesses, instruction->address);
}

/* Fills in the panes: source if lines are known, instructions if they were listed, objects always,
 * callers if a stack is known. */
static unsigned function_panes(struct browser *browser, struct table *panes[PANES_MAX])
{
    struct function_view *view = function_view(browser);
    unsigned count = 0;
    if (view->lines.count)
        panes[count++] = &view->source;
    if (view->function && view->function->instruction_count)
        panes[count++] = &view->accesses;
    panes[count++] = &view->table;
    if (view->callers.count)
        panes[count++] = &view->called_by;
    return count;
}

/* ---- drawing ---- */

static void draw_figures(const struct snapshot_code *code, struct canvas *canvas, struct area area)
{
    char text[16];
    struct pen pen = {canvas, area.row, 0, area.columns};
    if (code->samples > 0)
        pen_part(&pen, paint_heat(code->share.value), " %.1f%% %s%.1f", code->share.value * 100,
                 canvas->ascii ? "+-" : "±", columns_half(&code->share) * 100);
    if (code->unknown_samples > 0)
        pen_part(&pen, paint_heat(code->all_share), "%s%.1f%% of all samples, %.1f%% %s",
                 pen.column ? "   " : " ", code->all_share * 100, code->unknown_share * 100,
                 code->unknown_reason ? access_reason_note(code->unknown_reason)
                                      : "object unknown");
    pen_part(&pen, PAINT_PLAIN, "   %s samples   %s",
             text_count(text, code->samples + code->unknown_samples), code->module);
    if (code->file)
        pen_part(&pen, PAINT_DIM, "   %s:%" PRIu32, code->file, code->line);
}

static const char *missing_lines_reason(const struct browser *browser)
{
    const struct snapshot_code *code = function_view(browser)->function;
    if (browser->snapshot->loading.pending_requests)
        return "source lines: debug information is still being loaded";
    if (code && !*code->module && !strncmp(code->function, "[code ", 6))
        return "code generated at run time: it has a name if the runtime writes /tmp/perf-PID.map "
               "(node --perf-basic-prof)";
    return "source lines are not known: this file has no line table in its debug information";
}

/* Draws where the selected line's text was read or searched. Returns the rows used. */
static int draw_note(struct browser *browser, struct canvas *canvas, struct area area)
{
    const struct source_row *row = table_selected(&function_view(browser)->source);
    char text[1200];
    if (!function_view(browser)->lines.count)
        return canvas_wrap(canvas, area, PAINT_DIM, missing_lines_reason(browser));
    const char *note = row && row->file && browser->sources.source_note
                           ? browser->sources.source_note(browser->sources.context, row->file)
                           : NULL;
    if (!note)
        return 0;
    if (*row->text) {
        canvas_text(canvas, area.row, area.column, area.columns, PAINT_DIM, note);
        return 1;
    }
    snprintf(text, sizeof text, "no text of %s; %s", text_base_name(row->file), note);
    return canvas_wrap(canvas, area, PAINT_WARN, text);
}

/* Returns the rows used. */
static int draw_head(struct browser *browser, struct canvas *canvas, struct area area)
{
    enum { NOTE_ROWS = 3 };
    const struct snapshot_code *code = function_view(browser)->function;
    char name[COLUMN_TEXT_BYTES];
    glyph_fit(name, sizeof name, browser->opened_function.name, area.columns - 2, GLYPH_CUT_MIDDLE,
              canvas->ascii);
    canvas_format(canvas, area.row, 0, area.columns, PAINT_STRONG, " %s", name);
    if (area.rows < ROWS_FOR_HEAD)
        return 1;
    if (!code) {
        canvas_text(canvas, area.row + 1, 0, area.columns, PAINT_DIM, " is not listed now");
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

static void function_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    struct table *panes[PANES_MAX];
    unsigned count = function_panes(browser, panes);
    /* The selection may have moved to another line. */
    function_gather_line(browser);
    area = area_below(area, draw_head(browser, canvas, area));
    if (area.rows < ROWS_FOR_BOTH || panes[0] != &function_view(browser)->source) {
        pane_tabbed(browser, canvas, area, panes, count);
        return;
    }
    struct area upper = {area.row, 0, area.rows * 3 / 5, area.columns};
    struct area lower = {area.row + upper.rows, 0, area.rows - upper.rows, area.columns};
    pane_tabbed(browser, canvas, upper, panes, 1);
    lower = area_below(lower, partners_draw(browser, canvas, lower));
    pane_tabbed(browser, canvas, lower, panes + 1, count - 1);
}

/* ---- keys ---- */

static void open_site_object(struct browser *browser, const void *row)
{
    browser_open_object(browser, ((const struct site *)row)->object);
}

static void open_source_line(struct browser *browser, const void *row)
{
    (void)row;
    function_gather_line(browser);
    if (function_view(browser)->instructions.count)
        browser->pane[SCREEN_FUNCTION] = 1;
    else
        browser_message(browser, "no access of this line was sampled");
}

static bool function_act(struct browser *browser, enum action action, struct request *request)
{
    struct function_view *view = function_view(browser);
    (void)request;
    if (action != ACTION_FOLD || !browser_focused(browser, &view->called_by))
        return false;
    view->callers.folded = !view->callers.folded;
    function_update(browser);
    return true;
}

static void function_hint(struct browser *browser, char *out, size_t size)
{
    const struct snapshot_code *code = function_view(browser)->function;
    char known[96];
    if (!browser_focused(browser, &function_view(browser)->called_by) || !code || !code->callers)
        return;
    callers_known(code->callers, code->samples + code->unknown_samples, known, sizeof known);
    snprintf(out, size, "Enter: that function.  F5: direct callers only, or all.  %s", known);
}

static void function_fini(void *state)
{
    struct function_view *function = state;
    free(function->sites);
    free(function->lines.list);
    free(function->instructions.list);
    free(function->callers.list);
}

static void function_crumb(const struct browser *browser, char *out, size_t size)
{
    snprintf(out, size, "%s", browser->opened_function.name);
}

const struct screen function_screen = {
    .name = "Function",
    .description =
        "One function: its source lines with their samples; below, the instructions of the "
        "selected line and the data that each accesses, the objects that the function "
        "accesses, and its callers.",
    .next_step =
        "If the source was not found, a line lists the places tried. Right switches to the "
        "instructions. Callers: F5 shows only the direct ones.",
    .state_size = sizeof(struct function_view),
    .tables = {{.at = offsetof(struct function_view, table),
                .columns = &site_columns,
                .open = open_site_object,
                .enter = "Object",
                .hint = "One row per object that it accesses. Enter opens the object"},
               {.at = offsetof(struct function_view, source),
                .columns = &source_columns,
                .open = open_source_line,
                .enter = "Instructions",
                .hint = "Enter: the instructions of this line and the data each one accesses"},
               {.at = offsetof(struct function_view, accesses),
                .columns = &instruction_columns,
                .enter = "Object",
                .hint = "Enter: the object that this instruction accesses"},
               {.at = offsetof(struct function_view, called_by),
                .columns = &caller_columns,
                .open = callers_open,
                .enter = "Function"}},
    .fini = function_fini,
    .crumb = function_crumb,
    .update = function_update,
    .draw = function_draw,
    .panes = function_panes,
    .act = function_act,
    .hint = function_hint,
    .bar = {ACTION_ENTER, ACTION_BACK, ACTION_RIGHT, ACTION_FIND, ACTION_FILTER, ACTION_SORT_NEXT,
            ACTION_FREEZE, ACTION_BASIS, ACTION_WRITE},
};

/* ---- columns of a function's source lines and of their instructions ---- */

#define INSTRUCTION                                                                                \
    const struct snapshot_instruction *row =                                                       \
        ((const struct instruction_row *)pointer)->instruction;                                    \
    (void)snapshot

static struct value object_name(const struct snapshot *snapshot, uint32_t index)
{
    const struct snapshot_object *object = columns_object(snapshot, index);
    return value_text(object ? object->name : NULL);
}

/* Returns the reason if most samples have no object, otherwise `known`. */
static struct value known_or_reason(const struct snapshot_instruction *row, struct value known)
{
    return row->unknown_samples > row->samples ? value_text(access_reason_note(row->unknown_reason))
                                               : known;
}

static struct value source_text(const struct snapshot *snapshot, const void *pointer)
{
    ROW(source_row);
    return value_text(row->line || row->sites ? row->text : NULL);
}

/* Returns the field, or the object if the field has no name. */
static struct value source_mostly(const struct snapshot *snapshot, const void *pointer)
{
    ROW(source_row);
    if (!row->hottest)
        return value_text(NULL);
    return known_or_reason(row->hottest, row->hottest->field
                                             ? value_text(row->hottest->field)
                                             : object_name(snapshot, row->hottest->object));
}

static uint64_t identity_of_source(const struct snapshot *snapshot, const void *pointer)
{
    ROW(source_row);
    return source_identity(row->file, row->line);
}

static const char *source_parting(const void *pointer)
{
    const struct source_row *row = pointer;
    return !row->line && !row->sites ? row->text : NULL;
}

static const struct column source_list[] = {
    COLUMN(.title = "LINE", .help = "Line of the file named above it.",
           .from = KNOWN(struct source_row, line), .width = 5, .width_max = 8, .rank = 1,
           UNIT_INTEGER, .paint = paint_dim),
    COLUMN(.title = "OF IT",
           .help = "Share of the function's samples on the line; blank: shown as context.",
           .from = FIELD(struct source_row, share), .width = 6, UNIT_SHARE),
    COLUMN(.title = "", .from = FIELD(struct source_row, share), .width = 6, .width_max = 10,
           .rank = 4, .look = COLUMN_BAR, .paint = paint_share),
    COLUMN(.title = "SOURCE", .help = "The text, if the file can be read.", .value = source_text,
           .width = 20, .width_max = 200, .look = COLUMN_CODE),
    COLUMN(.title = "MOSTLY ON",
           .help = "The field, or object, that its hottest instruction accesses.",
           .value = source_mostly, .width = 12, .width_max = 28, .rank = 2, .look = COLUMN_NAME,
           .paint = paint_strong),
    COLUMN(.title = "SAMPLES", .from = SUM(struct source_row, samples, unknown_samples), .width = 7,
           .rank = 6, UNIT_COUNT),
    LOADS_COLUMNS(5, struct source_row, {0}),
    USE_COLUMNS(1, ROW_IN(struct source_row, use)),
    COLUMN(.title = "INLINED", .help = "Inlined functions, innermost first.",
           .from = FIELD(struct source_row, inlined), .width = 10, .width_max = 32, .rank = 3,
           .look = COLUMN_NAME, .paint = paint_dim),
};

const struct columns source_columns = {
    .title = "Source",
    TABLE(struct source_row, source_list),
    .sort = COLUMNS_AS_THEY_COME,
    .identity = identity_of_source,
    .parting = source_parting,
    .code = true,
};

static struct value instruction_field_name(const struct snapshot *snapshot, const void *pointer)
{
    INSTRUCTION;
    return value_text(row->unknown_samples > row->samples ? NULL : row->field);
}

static struct value source_column_object(const struct snapshot *snapshot, const void *pointer)
{
    INSTRUCTION;
    return known_or_reason(row, object_name(snapshot, row->object));
}

static bool has_inlined(const struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->code_count; i++)
        for (size_t k = 0; k < snapshot->code[i].instruction_count; k++)
            if (snapshot->code[i].instructions[k].inlined)
                return true;
    return false;
}

static const struct column instruction_list[] = {
    COLUMN(.title = "OF IT", .help = "Share of the function's samples.",
           .from = VIA(struct instruction_row, instruction, share), .width = 6, UNIT_SHARE),
    COLUMN(.title = "", .from = VIA(struct instruction_row, instruction, share), .width = 6,
           .width_max = 10, .rank = 7, .look = COLUMN_BAR, .paint = paint_share),
    COLUMN(.title = "ADDRESS", .from = VIA_KNOWN(struct instruction_row, instruction, address),
           .width = 14, .width_max = 18, .rank = 4, .format = format_address, .paint = paint_dim),
    COLUMN(.title = "INSTRUCTION", .help = "As read from the process.",
           .from = FIELD(struct instruction_row, text), .width = 16, .width_max = 48,
           .look = COLUMN_CODE),
    COLUMN(.title = "FIELD", .help = "The field with most of its samples.",
           .value = instruction_field_name, .width = 10, .width_max = 28, .rank = 1,
           .look = COLUMN_NAME, .paint = paint_strong),
    COLUMN(.title = "MOSTLY ON", .help = "The object with most of its samples.",
           .value = source_column_object, .width = 10, .width_max = 40, .rank = 1,
           .look = COLUMN_NAME),
    COLUMN(.title = "OBJECT", .help = "Share of the instruction's samples on that object.",
           .from = VIA(struct instruction_row, instruction, object_share), .width = 6, .rank = 5,
           UNIT_SHARE),
    COLUMN(.title = "OBJS", .help = "Number of different objects that it accesses.",
           .from = VIA_KNOWN(struct instruction_row, instruction, objects), .width = 4, .rank = 8,
           UNIT_INTEGER),
    COLUMN(.title = "SAMPLES", .in = ROW_OF(struct instruction_row, instruction),
           .from = SUM(struct snapshot_instruction, samples, unknown_samples), .width = 7,
           .rank = 3, UNIT_COUNT),
    LOADS_COLUMNS(6, struct snapshot_instruction, ROW_OF(struct instruction_row, instruction)),
    USE_COLUMNS(2, ROW_VIA(struct instruction_row, instruction, use)),
    COLUMN(.title = "INLINED", .from = VIA(struct instruction_row, instruction, inlined),
           .width = 10, .width_max = 32, .rank = 9, .look = COLUMN_NAME, .shown = has_inlined,
           .paint = paint_dim),
};

const struct columns instruction_columns = {
    .title = "Instructions",
    .empty = "The selected line has no samples and is shown as context. Lines with a figure under "
             "OF IT have samples.",
    TABLE(struct instruction_row, instruction_list),
    .sort = COLUMNS_AS_THEY_COME,
    .key = VIA(struct instruction_row, instruction, address),
    .code = true,
    .object = VIA(struct instruction_row, instruction, object),
};

/* ---- the tree of callers, for Function, Detail and HTML ---- */

void caller_rows_make(struct caller_rows *rows, const struct snapshot_callers *callers)
{
    enum { INDENT = 2, INDENT_MAX = 24 };
    size_t count = callers ? callers->count : 0;
    rows->count = 0;
    if (!array_reserve_exact(&rows->list, &rows->capacity, count, sizeof *rows->list))
        return;
    for (size_t i = 0; i < count; i++) {
        const struct snapshot_caller *caller = &callers->list[i];
        if (rows->folded && caller->depth)
            continue;
        struct caller_row *row = &rows->list[rows->count++];
        int indent = caller->depth < INDENT_MAX ? (int)caller->depth : INDENT_MAX;
        row->caller = caller;
        snprintf(row->text, sizeof row->text, "%*s%s", indent * INDENT, "", caller->function);
    }
}

void callers_known(const struct snapshot_callers *callers, double samples, char *out, size_t size)
{
    char known[16];
    char all[16];
    snprintf(out, size, "callers are known for %s of %s samples",
             text_count(known, callers->samples), text_count(all, samples));
}

void callers_open(struct browser *browser, const void *row)
{
    browser_open_function_id(browser, ((const struct caller_row *)row)->caller->id,
                             "it has no samples of its own, only functions that it calls");
}

static const struct column caller_list[] = {
    COLUMN(.title = "SHARE",
           .help = "Share of the samples with known callers that were taken in its calls.",
           .from = VIA(struct caller_row, caller, share.value), .width = 6, UNIT_SHARE),
    COLUMN(.title = "", .from = VIA(struct caller_row, caller, share.value), .width = 6,
           .width_max = 10, .rank = 3, .look = COLUMN_BAR, .paint = paint_share),
    COLUMN(.title = "CALLED BY",
           .help = "A caller, with its own callers below it, indented. A recursive function is one "
                   "row.",
           .from = FIELD(struct caller_row, text), .width = 20, .width_max = 80,
           .look = COLUMN_CODE),
    COLUMN(.title = "SAMPLES", .from = VIA(struct caller_row, caller, samples), .width = 7,
           .rank = 1, UNIT_COUNT),
    COLUMN(.title = "MODULE", .from = VIA(struct caller_row, caller, module), .width = 10,
           .width_max = 20, .rank = 2, .look = COLUMN_NAME, .paint = paint_dim),
};

const struct columns caller_columns = {
    .title = "Callers",
    TABLE(struct caller_row, caller_list),
    .sort = COLUMNS_AS_THEY_COME,
    .key = VIA(struct caller_row, caller, path),
    .code = true,
};

static const struct columns caller_members = MEMBERS(
    struct snapshot_caller,
    MEMBER("depth", struct snapshot_caller, depth),
    MEMBER("function", struct snapshot_caller, function),
    MEMBER_KNOWN("module", struct snapshot_caller, module),
    MEMBER_COUNT("samples", struct snapshot_caller, samples),
    MEMBER("share", struct snapshot_caller, share.value),
    MEMBER("share_low", struct snapshot_caller, share.low),
    MEMBER("share_high", struct snapshot_caller, share.high));

const struct columns callers_members =
    MEMBERS(
    struct snapshot_callers,
    MEMBER_COUNT("samples", struct snapshot_callers, samples),
    COLUMN(.key = "tree", .from = ROW_OF(struct snapshot_callers, list),
           .count = FIELD(struct snapshot_callers, count), .rows = &caller_members));
