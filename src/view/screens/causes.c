/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen y: causes of misses, and evictors of the missed lines (--sim). */
#include "view/screens/causes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/text.h"
#include "view/display/browser.h"
#include "view/widget/columns.h"
#include "view/words.h"

static const double min_listed = 0.001; /* smaller shares are not listed */

/* ---- evictions ---- */

static struct eviction_row eviction_row(const struct snapshot_evictions *from, size_t row,
                                        size_t column)
{
    const struct snapshot_eviction_line *missed = &from->rows[row];
    const struct snapshot_eviction_line *evictor = &from->columns[column];
    double misses = from->cells[row][column];
    return (struct eviction_row){.missed = row < from->row_count ? missed->name : "others",
                                 .evictor = column < from->column_count ? evictor->name : "others",
                                 .missed_id = row < from->row_count ? missed->id : UINT32_MAX,
                                 .evictor_id =
                                     column < from->column_count ? evictor->id : UINT32_MAX,
                                 .misses = misses,
                                 .share = misses / from->misses,
                                 .of_missed = misses / missed->misses,
                                 .of_evictor = misses / evictor->misses};
}

size_t eviction_rows(const struct snapshot *snapshot, enum causes_of kind,
                     struct eviction_row rows[EVICTION_ROWS_MAX])
{
    const struct snapshot_evictions *from = &snapshot->causes.by_kind[kind].evictions;
    size_t count = 0;
    for (size_t i = 0; from->row_count && i <= from->row_count; i++)
        for (size_t k = 0; k <= from->column_count; k++)
            if (from->cells[i][k] >= min_listed * from->misses)
                rows[count++] = eviction_row(from, i, k);
    SORT(rows, count, LARGEST(struct eviction_row, misses));
    return count;
}

static uint64_t eviction_identity(const struct snapshot *snapshot, const void *pointer)
{
    ROW(eviction_row);
    return hash_mix((uint64_t)row->missed_id << 32 | row->evictor_id);
}

static const struct column eviction_list[] = {
    COLUMN(.title = "LINES OF", .help = "The object (or function, or thread) of the missed lines.",
           .from = FIELD(struct eviction_row, missed), .width = 12, .width_max = 40,
           .look = COLUMN_NAME, .paint = paint_strong),
    COLUMN(.title = "EVICTED BY", .help = "The one that had evicted these lines.",
           .from = FIELD(struct eviction_row, evictor), .width = 12, .width_max = 40,
           .look = COLUMN_NAME),
    COLUMN(.title = "MISSES", .help = "Misses on these lines.",
           .from = FIELD(struct eviction_row, misses), .width = 7, .rank = 1, UNIT_COUNT),
    COLUMN(.title = "SHARE", .help = "Share of all misses with a known evictor.",
           .from = FIELD(struct eviction_row, share), .width = 6, UNIT_SHARE),
    COLUMN(.title = "LINES%", .help = "Share of the misses on lines of the one that missed.",
           .from = FIELD(struct eviction_row, of_missed), .width = 6, .rank = 2, UNIT_PERCENT),
    COLUMN(.title = "BY%", .help = "Share of the misses on lines that this evictor evicted.",
           .from = FIELD(struct eviction_row, of_evictor), .width = 6, .rank = 2, UNIT_PERCENT),
};

const struct columns eviction_columns = {
    .title = "Evictions",
    .empty = "No evictor is known: no line has returned to this cache after its eviction. e: "
             "another level.",
    TABLE(struct eviction_row, eviction_list),
    .sort = COLUMNS_AS_THEY_COME,
    .identity = eviction_identity,
};

struct causes_view {
    struct table table;
    struct table evictions;
    struct table reuse;
    struct table reuse_lines;
    struct eviction_row rows[EVICTION_ROWS_MAX];
    enum causes_of of; /* kind of rows in the first two tables */
};

static struct causes_view *causes_view(const struct browser *browser)
{
    return browser->states[SCREEN_CAUSES];
}

enum {
    LIST_MIN = 3,
    LIST_MAX = 12,
    TEXT_ROWS = 12,
    SUMMARY_ROWS = 2,
    TABS_MIN_ROWS = 6,
    TEXT_BYTES = 512
};

static const struct snapshot_causes_list *shown_causes_list(const struct browser *browser)
{
    return &browser->snapshot->causes.by_kind[causes_view(browser)->of];
}

static void causes_update(struct browser *browser)
{
    struct causes_view *view = causes_view(browser);
    view->table.columns = &causes_columns[view->of];
    table_set(&view->table, browser->snapshot, shown_causes_list(browser)->rows,
              shown_causes_list(browser)->count);
    table_set(&view->evictions, browser->snapshot, view->rows,
              eviction_rows(browser->snapshot, view->of, view->rows));
}

/* Returns the panes for causes, for uses, or both, depending on what was recorded. */
static unsigned causes_panes(struct browser *browser, struct table *panes[PANES_MAX])
{
    struct causes_view *view = causes_view(browser);
    bool reuse = browser->snapshot && browser->snapshot->reuse.known;
    unsigned count = 0;
    if (!reuse || browser->snapshot->causes.known) {
        panes[count++] = &view->table;
        panes[count++] = &view->evictions;
    }
    if (reuse) {
        panes[count++] = &view->reuse;
        panes[count++] = &view->reuse_lines;
    }
    return count;
}

/* Returns true if one of the panes with curves has the focus. */
static bool reuse_has_focus(struct browser *browser)
{
    return browser_focused(browser, &causes_view(browser)->reuse) ||
           browser_focused(browser, &causes_view(browser)->reuse_lines);
}

/* ---- drawing ---- */

static void causes_draw_nothing(const struct snapshot *snapshot, struct canvas *canvas,
                                struct area area)
{
    canvas_wrap(
        canvas, area, PAINT_DIM,
        snapshot->simulation.level_count
            ? " No causes and no uses of lines were recorded for this event: there was no miss "
              "yet, or the simulation was started without them (--sim=SPEC:nocauses:nouse), or the "
              "event counts accesses (e: another event)."
            : " Only a simulation can tell why a line is not in the cache: misstop --sim -- CMD "
              "runs a program 50 to 200 times slower, and shows here for each object whether its "
              "lines are new, do not fit, map to crowded sets, or are taken by other threads, what "
              "replaced them, and which cache sizes would hold them.");
}

static void draw_list(struct browser *browser, struct canvas *canvas, struct area body)
{
    struct table *panes[PANES_MAX];
    unsigned count = browser_panes(browser, panes);
    struct table *table = browser_table(browser);
    if (body.rows > TABS_MIN_ROWS)
        body = area_below(body, pane_tabs(browser, canvas, body, panes, count));
    if (!reuse_has_focus(browser)) {
        pane_explained(browser, canvas, body, table);
        return;
    }
    int rows = (int)table->shown + 1;
    int most = body.rows - TEXT_ROWS - 1;
    most = most > LIST_MAX ? LIST_MAX : most;
    rows = rows > most ? most : rows;
    rows = rows < LIST_MIN ? LIST_MIN : rows;
    rows = rows > body.rows ? body.rows : rows;
    pane_table(browser, canvas, (struct area){body.row, body.column, rows, body.columns}, table);
    const void *row = table_selected(table);
    if (row && body.rows > rows)
        reuse_draw(&browser->snapshot->reuse, row, canvas, area_below(body, rows));
}

static void causes_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    char text[TEXT_BYTES];
    if (!browser->snapshot->causes.known && !browser->snapshot->reuse.known) {
        causes_draw_nothing(browser->snapshot, canvas, area);
        return;
    }
    if (reuse_has_focus(browser))
        reuse_summary(browser->snapshot, text, sizeof text);
    else
        causes_summary(browser->snapshot, causes_view(browser)->of, text, sizeof text);
    struct area top = {area.row, 1, area.rows > TEXT_ROWS ? SUMMARY_ROWS : 1, area.columns - 2};
    int used = canvas_wrap(canvas, top, PAINT_DIM, text);
    struct area body = area_below(area, used);
    if (body.rows > 0)
        draw_list(browser, canvas, body);
}

/* ---- keys ---- */

/* Opens an object or function by its id. */
static void causes_open(struct browser *browser, uint32_t id)
{
    const struct snapshot_object *object = columns_object_of(browser->snapshot, id);
    if (causes_view(browser)->of == CAUSES_THREADS)
        browser_message(browser, "threads have no screen of their own");
    else if (causes_view(browser)->of == CAUSES_FUNCTIONS)
        browser_open_function_id(browser, id, "this function is not listed now");
    else
        browser_open_listed(browser,
                            object ? (uint32_t)(object - browser->snapshot->objects) : UINT32_MAX);
}

static void open_evictor(struct browser *browser, const void *row)
{
    causes_open(browser, ((const struct eviction_row *)row)->evictor_id);
}

/* Selects the largest eviction of the row in the other pane. */
static void show_evictions(struct browser *browser, const void *row)
{
    struct causes_view *view = causes_view(browser);
    for (size_t i = view->evictions.count; i-- > 0;)
        if (view->rows[i].missed_id == ((const struct snapshot_causes_row *)row)->id)
            table_select(&view->evictions, eviction_identity(browser->snapshot, &view->rows[i]));
    browser->pane[SCREEN_CAUSES] = 1;
}

static void show_next_kind(struct browser *browser)
{
    struct causes_view *view = causes_view(browser);
    view->of = (view->of + 1) % CAUSES_KINDS;
    view->table.selection_moved = view->evictions.selection_moved = false;
    causes_update(browser);
}

static bool causes_act(struct browser *browser, enum action action, struct request *request)
{
    const struct causes_view *view = causes_view(browser);
    const struct table *table = browser_table(browser);
    const void *row = table_selected(table);
    (void)request;
    if (action == ACTION_STACK && browser->snapshot && browser->snapshot->causes.known)
        show_next_kind(browser);
    else if (action == ACTION_FOLD && row && table == &view->evictions)
        causes_open(browser, ((const struct eviction_row *)row)->missed_id);
    else if (action == ACTION_FOLD && row && table == &view->table)
        causes_open(browser, ((const struct snapshot_causes_row *)row)->id);
    else
        return false;
    return true;
}

static void causes_hint(struct browser *browser, char *out, size_t size)
{
    struct causes_view *view = causes_view(browser);
    bool evictions = browser_focused(browser, &view->evictions);
    if (!reuse_has_focus(browser) && table_selected(&view->table))
        snprintf(out, size, "%s  b: by object, function, thread  e: another level%s",
                 evictions ? "Enter: the evictor" : "Enter: its evictions",
                 view->of == CAUSES_OBJECTS     ? "  F5: the object"
                 : view->of == CAUSES_FUNCTIONS ? "  F5: the function"
                                                : "");
}

/* A recording of a simulation has causes too. */
static bool causes_are_filled(const struct snapshot *snapshot)
{
    return snapshot->simulation.level_count || snapshot->causes.known || snapshot->reuse.known;
}

static const char *causes_label(struct browser *browser, enum action action)
{
    static const char *const opens[CAUSES_KINDS] = {
        [CAUSES_OBJECTS] = "Object", [CAUSES_FUNCTIONS] = "Function", [CAUSES_THREADS] = ""};
    const struct causes_view *view = causes_view(browser);
    bool thread = action == ACTION_ENTER && view->of == CAUSES_THREADS &&
                  browser_focused(browser, &view->evictions);
    return action == ACTION_FOLD ? opens[view->of] : thread ? "" : NULL;
}

const struct screen causes_screen = {
    .name = "Causes",
    .description =
        "Why lines were not in the simulated caches (misstop --sim): first reference, too "
        "much data, too many lines per set, or a write by another thread; what replaced them; "
        "and which cache sizes would hold them (Reuse).",
    .next_step =
        "Capacity: use less memory at a time. Conflict: change distances. Sharing: see 7. A "
        "steep fall in a Reuse curve is a size at which data starts to fit.",
    .key_help = "Causes: with --sim, why lines were not in the cache, and what replaced them",
    .state_size = sizeof(struct causes_view),
    .tables = {{.at = offsetof(struct causes_view, table),
                .columns = &causes_columns[CAUSES_OBJECTS],
                .open = show_evictions,
                .enter = "Evictions"},
               {.at = offsetof(struct causes_view, evictions),
                .columns = &eviction_columns,
                .open = open_evictor,
                .enter = "Evictor"},
               {.at = offsetof(struct causes_view, reuse),
                .columns = &reuse_columns,
                .open = reuse_open,
                .enter = "Object",
                .hint = "Enter: the object.  F1: what the columns mean"},
               {.at = offsetof(struct causes_view, reuse_lines),
                .columns = &reuse_line_columns,
                .open = reuse_open,
                .enter = "Function",
                .hint = "Enter: the function.  F1: what the columns mean"}},
    .has_data = causes_are_filled,
    .update = causes_update,
    .draw = causes_draw,
    .panes = causes_panes,
    .act = causes_act,
    .hint = causes_hint,
    .label = causes_label,
    .bar = {ACTION_ENTER, ACTION_STACK, ACTION_FOLD, ACTION_RIGHT, ACTION_BACK, ACTION_FIND,
            ACTION_FILTER, ACTION_SORT_NEXT, ACTION_NEXT_EVENT, ACTION_FREEZE},
};

static void causes_open_reuse(struct browser *browser)
{
    struct table *panes[PANES_MAX];
    browser_go(browser, SCREEN_CAUSES);
    if (browser->snapshot && browser->snapshot->reuse.known)
        browser->pane[SCREEN_CAUSES] = causes_panes(browser, panes) - 2;
}

/* The key for the reuse panes. */
const struct screen reuse_screen = {
    .name = "Reuse",
    .key_help = "Reuse: with --sim, the curve over all cache sizes; a pane of Causes",
    .has_data_path = FIELD(struct snapshot, reuse.known),
    .open = causes_open_reuse,
};

enum { FIELDS_LISTED = 4, WORDS_NAME_BYTES = 120 };
static const double all_first = 0.995;
static const double min_early = 0.05; /* fraction of the misses; smaller ones are not mentioned */

const struct snapshot_causes_row *causes_row_of(const struct snapshot_causes *causes,
                                                enum causes_of kind, uint32_t id)
{
    const struct snapshot_causes_list *list = &causes->by_kind[kind];
    for (size_t i = 0; i < list->count; i++)
        if (list->rows[i].id == id)
            return &list->rows[i];
    return NULL;
}

const char *causes_of_name(enum causes_of kind)
{
    static const char *const names[CAUSES_KINDS] = {"object", "function", "thread"};
    return kind < CAUSES_KINDS ? names[kind] : "object";
}

/* Return fractions of the misses: first references, by the process or by this thread; lines
 * invalidated by another thread's write; all others except capacity and conflict. */
static double causes_first_share(const double share[CAUSE_COUNT])
{
    return share[CAUSE_FIRST] + share[CAUSE_FIRST_HERE];
}

static double causes_invalidated(const double share[CAUSE_COUNT])
{
    return share[CAUSE_INVALIDATED_TRUE] + share[CAUSE_INVALIDATED_FALSE];
}

static double causes_rest_share(const double share[CAUSE_COUNT])
{
    return share[CAUSE_INCLUSION] + share[CAUSE_UNKNOWN];
}

/* Returns the fraction of early evictions by accesses to other objects; NAN: none. */
static double causes_early_rest_share(const struct snapshot_causes_figures *figures)
{
    double early = figures->early_same + figures->early_other;
    return early > 0 ? figures->early_other / early : NAN;
}

/* ---- why ---- */

struct part {
    const char *name;
    double share;
};

enum { PARTS = 5 };

static void sort_cause_parts(const struct snapshot_causes_figures *figures,
                             struct part parts[PARTS])
{
    const double *share = figures->share;
    struct part found[PARTS] = {{"first references", causes_first_share(share)},
                                {"capacity", share[CAUSE_CAPACITY]},
                                {"conflict", share[CAUSE_CONFLICT]},
                                {"invalidated by a thread", causes_invalidated(share)},
                                {"other", causes_rest_share(share)}};
    for (int i = 0; i < PARTS; i++) {
        int at = i;
        for (; at > 0 && parts[at - 1].share < found[i].share; at--)
            parts[at] = parts[at - 1];
        parts[at] = found[i];
    }
}

void causes_why(const struct snapshot_causes_figures *figures, char *out, size_t size)
{
    struct part parts[PARTS];
    sort_cause_parts(figures, parts);
    *out = '\0';
    for (int i = 0; i < PARTS && parts[i].share >= min_listed; i++)
        text_append(out, size, "%s%.1f%% %s", i ? ", " : "", 100 * parts[i].share, parts[i].name);
}

void causes_summary(const struct snapshot *snapshot, enum causes_of kind, char *out, size_t size)
{
    const struct snapshot_causes_figures *all = &snapshot->causes.all;
    const struct snapshot_event *event = ranking_event(&snapshot->source);
    char why[256];
    char count[16];
    causes_why(all, why, sizeof why);
    snprintf(out, size, "Why %s %s, by %s: %s", text_count(count, all->misses),
             event && event->name ? event->name : "misses", causes_of_name(kind), why);
    if (all->early_same + all->early_other > 0)
        text_append(out, size,
                    "; evicted too early: %.1f%% by the object itself, %.1f%% by another",
                    100 * all->early_same, 100 * all->early_other);
}

static void causes_early(const struct snapshot_causes_figures *figures, char *out, size_t size)
{
    const double *share = figures->share;
    double early = figures->early_same + figures->early_other;
    double all = share[CAUSE_CAPACITY] + share[CAUSE_CONFLICT] + share[CAUSE_INCLUSION];
    *out = '\0';
    if (early < min_early)
        return;
    snprintf(out, size,
             "%.1f%% of the misses are on lines that had been evicted, %.1f%% by the "
             "same object, %.1f%% by another",
             100 * early, 100 * figures->early_same, 100 * figures->early_other);
    if (all - early >= min_early)
        text_append(out, size, "; for %.1f%% more the evictor is not known", 100 * (all - early));
    text_append(out, size, ".");
}

static void causes_fields(const struct snapshot *snapshot, const struct snapshot_causes_row *object,
                          char *out, size_t size)
{
    const struct snapshot_object *listed = columns_object(snapshot, object->index);
    int fields = 0;
    *out = '\0';
    for (size_t i = 0; listed && i < listed->field_count && fields < FIELDS_LISTED; i++) {
        const struct snapshot_causes_figures *figures = listed->fields[i].causes;
        struct part parts[PARTS];
        if (!figures || figures->misses < 0.01 * object->figures.misses)
            continue;
        sort_cause_parts(figures, parts);
        text_append(out, size, "%s%.*s %.1f%% (%.0f%% %s)", fields++ ? ", " : "", WORDS_NAME_BYTES,
                    listed->fields[i].name, 100 * figures->misses / object->figures.misses,
                    100 * parts[0].share, parts[0].name);
    }
}

/* ---- evictors ---- */

void causes_evictor(const struct snapshot_evictor *evictor, char *out, size_t size)
{
    snprintf(out, size, "%s%s%s", evictor->function, evictor->object ? " on " : "",
             evictor->object ? evictor->object : "");
}

static bool has_threads(const struct snapshot *snapshot)
{
    const struct snapshot_causes_list *list = &snapshot->causes.by_kind[CAUSES_THREADS];
    return list->count > 1 || list->evictions.column_count > 1;
}

/* ---- remedy against the main cause ---- */

enum { SAMPLES_MIN = 20, ADVICE_NAME_BYTES = 160 };
static const double itself_leads = 0.5;

static uint32_t id_of(enum causes_of kind, const struct snapshot_evictor *evictor)
{
    return kind == CAUSES_OBJECTS ? evictor->object_id : evictor->function_id;
}

/* Finds the main evictor if known and not the row itself: an object for an object, a function for a
 * function. Another one can have the same name. Returns false if there is none. */
static bool find_rival(enum causes_of kind, const struct snapshot_causes_row *row,
                       char out[ADVICE_NAME_BYTES])
{
    const struct snapshot_evictor *first = NULL;
    double share = 0;
    for (size_t i = 0; i < row->evictor_count; i++) {
        const struct snapshot_evictor *evictor = &row->evictors[i];
        uint32_t id = id_of(kind, evictor);
        if (!first && id && id != row->id)
            first = evictor;
        share += first && id == id_of(kind, first) ? evictor->share : 0;
    }
    if (!first || share <= row->figures.self_evicted)
        return false;
    const char *name = kind == CAUSES_OBJECTS ? first->object : first->function;
    bool alike = name && row->name && !strcmp(name, row->name);
    snprintf(out, ADVICE_NAME_BYTES, "%s%s", alike ? "another " : "", name ? name : "");
    return name;
}

static void advise_capacity(const struct snapshot_causes_row *row, char *out, size_t size)
{
    char other[ADVICE_NAME_BYTES];
    if (row->figures.self_evicted >= itself_leads)
        snprintf(out, size,
                 "It is larger than the cache, and mostly evicts itself before it is used again. "
                 "Process it in blocks that fit, or make its elements smaller.");
    else if (find_rival(CAUSES_OBJECTS, row, other))
        snprintf(out, size,
                 "Between two uses, more data than the cache holds is accessed, mostly %s. Process "
                 "both in smaller portions, or one after the other.",
                 other);
    else
        snprintf(out, size,
                 "Between two uses, more data than the cache holds is accessed. Process it in "
                 "blocks that fit, or make the elements smaller.");
}

static void advise_function_capacity(const struct snapshot_causes_row *row, char *out, size_t size)
{
    char other[ADVICE_NAME_BYTES];
    if (!find_rival(CAUSES_FUNCTIONS, row, other))
        snprintf(out, size,
                 "Before it returns to the same data, it accesses more than the cache holds. "
                 "Process blocks that fit, and finish one block before the next.");
    else
        snprintf(out, size,
                 "Its data was in the cache, and %s replaced it with other data in between. "
                 "Alternate the two on small portions, or let the other access less data.",
                 other);
}

static void advise_conflict(enum causes_of kind, const struct snapshot_causes_row *row, char *out,
                            size_t size)
{
    char other[ADVICE_NAME_BYTES];
    if (kind != CAUSES_OBJECTS)
        snprintf(out, size,
                 "Its data would fit in the cache, but maps to few sets: power-of-two distances "
                 "between rows, or equally aligned blocks. Pad them: 5, Cache, shows the sets and "
                 "their objects.");
    else if (!find_rival(kind, row, other))
        snprintf(out, size,
                 "It would fit in the cache, but its lines map to few sets. Pad its rows or change "
                 "its stride, so that they spread over all sets: 5, Cache, shows which.");
    else
        snprintf(out, size,
                 "It would fit in the cache, but lines of %.*s map to the same sets. Move one of "
                 "the two by some lines, or pad its rows: 5, Cache, shows which sets.",
                 ADVICE_NAME_BYTES, other);
}

static void advise_invalidated(const struct snapshot_causes_row *row, char *out, size_t size)
{
    const double *share = row->figures.share;
    bool apart = share[CAUSE_INVALIDATED_FALSE] > share[CAUSE_INVALIDATED_TRUE];
    snprintf(out, size, "%s",
             apart ? "Other threads write to other bytes of the same lines. Give each thread lines "
                     "of its own: 7, Sharing, shows which."
                   : "Other threads write the bytes that are read here. Let them write less often, "
                     "or keep a copy per thread and merge the copies later.");
}

static void advise_other(const struct snapshot_causes_row *row, char *out, size_t size)
{
    const double *share = row->figures.share;
    snprintf(out, size, "%s",
             share[CAUSE_INCLUSION] > share[CAUSE_UNKNOWN]
                 ? "The larger cache below evicted its lines, and this one with it: see the event "
                   "of that level (e)."
                 : "The tables of the simulation had no room for the causes.");
}

static void causes_advice(enum causes_of kind, const struct snapshot_causes_row *row, char *out,
                          size_t size)
{
    const double *share = row->figures.share;
    double first = causes_first_share(share);
    double taken = causes_invalidated(share);
    double other = causes_rest_share(share);
    double replaced = share[CAUSE_CAPACITY] + share[CAUSE_CONFLICT];
    double most = fmax(fmax(first, taken), fmax(replaced, other));
    if (row->figures.samples < SAMPLES_MIN)
        snprintf(out, size, "Too few misses so far to say what to try.");
    else if (most == first)
        snprintf(out, size,
                 "%s lines are accessed for the first time: a larger cache would not help. Access "
                 "fewer lines, reuse memory, or prefetch.",
                 kind == CAUSES_OBJECTS ? "Its" : "The");
    else if (most == taken)
        advise_invalidated(row, out, size);
    else if (most == other)
        advise_other(row, out, size);
    else if (share[CAUSE_CONFLICT] > share[CAUSE_CAPACITY])
        advise_conflict(kind, row, out, size);
    else if (kind == CAUSES_OBJECTS)
        advise_capacity(row, out, size);
    else
        advise_function_capacity(row, out, size);
}

/* ---- explanation of a row ---- */

static enum causes_of causes_row_kind(const struct snapshot *snapshot,
                                      const struct snapshot_causes_row *row)
{
    for (enum causes_of kind = CAUSES_OBJECTS + 1; kind < CAUSES_KINDS; kind++) {
        const struct snapshot_causes_list *list = &snapshot->causes.by_kind[kind];
        if (row >= list->rows && row < list->rows + list->count)
            return kind;
    }
    return CAUSES_OBJECTS;
}

/* Explains a row: the remedy, early evictions, fields, and the evicting threads and functions. */
static bool causes_explain(const struct snapshot *snapshot, const void *pointer, unsigned line,
                           struct explained *out)
{
    enum { ADVICE, EARLY, FIELDS, SHARES };
    ROW(snapshot_causes_row);
    size_t threads = has_threads(snapshot) ? row->thread_count : 0;
    size_t thread = line - SHARES;
    size_t evictor = thread - threads;
    char text[2 * COLUMN_TEXT_BYTES];
    double share = 1;
    *out->text = '\0';
    if (line == ADVICE) {
        out->label = "Why";
        out->paint = PAINT_STRONG;
        causes_advice(causes_row_kind(snapshot, row), row, out->text, sizeof out->text);
    } else if (line == EARLY) {
        out->label = "Too early";
        causes_early(&row->figures, out->text, sizeof out->text);
    } else if (line == FIELDS) {
        out->label = "Fields";
        if (causes_row_kind(snapshot, row) == CAUSES_OBJECTS)
            causes_fields(snapshot, row, out->text, sizeof out->text);
    } else if (thread < threads) {
        share = row->threads[thread].share;
        columns_share(out, "By threads", share, row->threads[thread].name);
    } else if (evictor < row->evictor_count) {
        share = row->evictors[evictor].share;
        causes_evictor(&row->evictors[evictor], text, sizeof text);
        columns_share(out, "Evicted by", share, text);
    } else if (evictor > row->evictor_count) {
        return false;
    } else if (row->unlisted >= 0.01) {
        columns_share(out, "Evicted by", row->unlisted, "others (table full)");
    } else if (!row->evictor_count && !row->thread_count) {
        out->label = "Evicted by";
        out->paint = PAINT_DIM;
        snprintf(out->text, sizeof out->text, "%s",
                 causes_first_share(row->figures.share) > all_first
                     ? "None of its lines was evicted from this cache and used again. e: another, "
                       "smaller level."
                     : "The evictors of its lines are not known: they are recorded for the "
                       "ranking event, from the time it ranks.");
    }
    if (share < min_listed)
        *out->text = '\0';
    return true;
}

/* ---- columns of causes, one object, function or thread per row ---- */

static struct value causes_column_share(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_causes_row);
    return value_number(row->figures.misses / snapshot->causes.all.misses);
}

static struct value causes_early_rest_value(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_causes_row);
    return value_number(causes_early_rest_share(&row->figures));
}

static struct value main_evictor(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_causes_row);
    return value_text(row->evictor_count  ? row->evictors[0].function
                      : row->thread_count ? row->threads[0].name
                                          : NULL);
}

static struct value evictor_object(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_causes_row);
    return value_text(row->evictor_count ? row->evictors[0].object : NULL);
}

static struct value evictor_share(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_causes_row);
    return value_number(row->evictor_count  ? row->evictors[0].share
                        : row->thread_count ? row->threads[0].share
                                            : NAN);
}

/* Always 0 with one thread, or one level. */
static bool has_invalidated(const struct snapshot *snapshot)
{
    return causes_invalidated(snapshot->causes.all.share) > 0;
}

static bool has_rest(const struct snapshot *snapshot)
{
    return causes_rest_share(snapshot->causes.all.share) > 0;
}

#define FIGURES                                                                                    \
    COLUMN(.title = "MISSES",                                                                      \
           .help = "Misses of the ranking event, and their share of all its misses.",              \
           .from = FIELD(struct snapshot_causes_row, figures.misses), .width = 7, .rank = 6,       \
           UNIT_COUNT),                                                                            \
        COLUMN(.title = "SHARE", .value = causes_column_share, .width = 6, .rank = 1, UNIT_SHARE), \
        COLUMN(.title = "FIRST",                                                                   \
               .help =                                                                             \
                   "Share of the misses on lines that this thread accesses for the first time.",   \
               .from = SUM(struct snapshot_causes_row, figures.share[CAUSE_FIRST],                 \
                           figures.share[CAUSE_FIRST_HERE]),                                       \
               .width = 6, UNIT_PERCENT),                                                          \
        COLUMN(.title = "CAPACITY",                                                                \
               .help = "Share that would miss even in a fully associative cache of this size, "    \
                       "where any line can go "                                                    \
                       "anywhere in it.",                                                          \
               .from = FIELD(struct snapshot_causes_row, figures.share[CAUSE_CAPACITY]),           \
               .width = 8, UNIT_PERCENT),                                                          \
        COLUMN(.title = "CONFLICT",                                                                \
               .help = "Share that such a cache would not miss: too many lines in one set.",       \
               .from = FIELD(struct snapshot_causes_row, figures.share[CAUSE_CONFLICT]),           \
               .width = 8, UNIT_PERCENT),                                                          \
        COLUMN(.title = "INVALID",                                                                 \
               .help = "Share whose lines were invalidated by another thread's write.",            \
               .from = SUM(struct snapshot_causes_row, figures.share[CAUSE_INVALIDATED_TRUE],      \
                           figures.share[CAUSE_INVALIDATED_FALSE]),                                \
               .width = 7, .rank = 2, .shown = has_invalidated, UNIT_PERCENT),                     \
        COLUMN(.title = "OTHER", .help = "Share evicted from a larger cache below, or not known.", \
               .from = SUM(struct snapshot_causes_row, figures.share[CAUSE_INCLUSION],             \
                           figures.share[CAUSE_UNKNOWN]),                                          \
               .width = 6, .rank = 5, .shown = has_rest, UNIT_PERCENT, .paint = paint_dim),        \
        COLUMN(.title = "EARLY",                                                                   \
               .help = "Share on lines that had been evicted too early: they "                     \
                       "were wanted "                                                              \
                       "again.",                                                                   \
               .from = SUM(struct snapshot_causes_row, figures.early_same, figures.early_other),   \
               .width = 6, .rank = 2, UNIT_PERCENT),                                               \
        COLUMN(.title = "OTHERS'",                                                                 \
               .help = "Share of EARLY that was evicted by accesses to other objects.",            \
               .value = causes_early_rest_value, .width = 7, .rank = 2, UNIT_PERCENT),             \
        COLUMN(.title = "ITSELF",                                                                  \
               .help = "Share of the misses with a known evictor that it evicted itself.",         \
               .from = FIELD(struct snapshot_causes_row, figures.self_evicted), .width = 6,        \
               .rank = 5, UNIT_PERCENT),                                                           \
        COLUMN(.title = "BY%",                                                                     \
               .help = "Share of the misses evicted by the function in the next column.",          \
               .value = evictor_share, .width = 6, .rank = 1, UNIT_PERCENT),                       \
        COLUMN(.title = "EVICTED BY",                                                              \
               .help = "The function that evicted most of its lines, and the object it accessed.", \
               .value = main_evictor, .width = 12, .width_max = 36, .rank = 1,                     \
               .look = COLUMN_CODE),                                                               \
        COLUMN(.title = "ON", .value = evictor_object, .width = 8, .width_max = 30, .rank = 3,     \
               .look = COLUMN_NAME)

static const struct column object_list[] = {
    COLUMN(.title = "OBJECT", .from = FIELD(struct snapshot_causes_row, name), .width = 12,
           .width_max = 30, .look = COLUMN_NAME, .paint = paint_strong),
    FIGURES};
static const struct column function_list[] = {
    COLUMN(.title = "FUNCTION", .from = FIELD(struct snapshot_causes_row, name), .width = 12,
           .width_max = 30, .look = COLUMN_NAME, .paint = paint_strong),
    FIGURES};
static const struct column thread_list[] = {
    COLUMN(.title = "THREAD", .from = FIELD(struct snapshot_causes_row, name), .width = 12,
           .width_max = 30, .look = COLUMN_NAME, .paint = paint_strong),
    FIGURES};

#define COLUMNS(rows, ...)                                                                         \
    {                                                                                              \
        .title = "Causes", .list = rows, .count = sizeof rows / sizeof *rows,                      \
        .sort = COLUMNS_AS_THEY_COME, .row_size = sizeof(struct snapshot_causes_row),              \
        .key = FIELD(struct snapshot_causes_row, id), .explain = causes_explain, __VA_ARGS__       \
    }

const struct columns causes_columns[CAUSES_KINDS] = {
    [CAUSES_OBJECTS] = COLUMNS(object_list, .object = FIELD(struct snapshot_causes_row, index)),
    [CAUSES_FUNCTIONS] = COLUMNS(function_list, ),
    [CAUSES_THREADS] = COLUMNS(thread_list, ),
};
