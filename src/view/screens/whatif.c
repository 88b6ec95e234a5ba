/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen x: "what if" an object had another layout: questions to ask, and the answers so far. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "view/screens/rows.h"
#include "view/display/browser.h"
#include "view/widget/columns.h"
#include "view/words.h"

struct whatif_view {
    uint32_t type;   /* id of the layout's type; 0: the one with most samples */
    bool at_member;  /* a member was selected on Layout */
    uint64_t member; /* its identity */
    struct whatif_choice choices[WHATIF_CHOICES_MAX];
    struct whatif_row rows[WHATIF_ROWS_MAX];
    struct table questions;
    struct table asked;
    struct table answer; /* answer to the selected question */
};

static struct whatif_view *whatif_view(const struct browser *browser)
{
    return browser->states[SCREEN_WHATIF];
}

struct menu {
    const struct snapshot_object *object;
    const struct snapshot_layout *layout; /* NULL: none is known */
    uint32_t line_bytes;
    const struct snapshot_whatifs *asked; /* current and earlier questions */
    struct whatif_choice *choices;
    size_t count;
};

static double find_past_change(const struct menu *menu, const struct whatif_request *wanted)
{
    const struct snapshot_whatifs *asked = menu->asked;
    char words[160];
    whatif_words(wanted, words, sizeof words);
    for (uint32_t i = 0; i < asked->count; i++)
        if (asked->list[i].object_id == menu->object->id && !strcmp(asked->list[i].question, words))
            return snapshot_whatif_change(&asked->list[i]);
    for (uint32_t i = 0; i < asked->past_count; i++)
        if (asked->past[i].object_id == menu->object->id && !strcmp(asked->past[i].question, words))
            return asked->past[i].stall_change;
    return NAN;
}

static void whatif_choice_add(struct menu *menu, enum whatif_kind kind, uint32_t bytes,
                              const char *field, const char *title)
{
    struct whatif_choice *choice = &menu->choices[menu->count++];
    struct whatif_plan plan;
    struct error error = {0};
    *choice = (struct whatif_choice){.request = {.kind = kind, .bytes = bytes}};
    snprintf(choice->title, sizeof choice->title, "%s", title);
    if (strlen(field) < sizeof choice->request.fields)
        strcpy(choice->request.fields, field);
    choice->possible =
        !whatif_plan(&choice->request, menu->object, menu->layout, menu->line_bytes, &plan, &error);
    if (choice->possible)
        whatif_plan_words(&plan, choice->text, sizeof choice->text);
    else
        snprintf(choice->text, sizeof choice->text, "Not here: %.170s.", error.text);
    choice->change = find_past_change(menu, &choice->request);
}

/* A member without a name is identified by its offset. */
static void add_split(struct menu *menu, const struct snapshot_layout_row *row)
{
    char field[128] = "+0";
    char title[64] = "split at a member";
    if (row && row->kind == LAYOUT_MEMBER && *row->member.name)
        snprintf(field, sizeof field, "%s", row->member.name);
    else if (row)
        snprintf(field, sizeof field, "+%llu", (unsigned long long)row->member.offset);
    if (row)
        snprintf(title, sizeof title, "split before %.40s", field);
    whatif_choice_add(menu, WHATIF_SPLIT, 0, field, title);
    if (!row)
        snprintf(menu->choices[menu->count - 1].text, sizeof menu->choices->text,
                 "Not here: select a member on Layout and press x there.");
}

/* `row`: member selected in the layout, to split there; NULL: none. */
static void whatif_choices(struct menu *menu, const struct snapshot_layout_row *row)
{
    const struct snapshot_object *object = menu->object;
    const struct snapshot_layout *layout = menu->layout;
    uint32_t line_bytes = menu->line_bytes;
    uint64_t element = layout ? layout->size : object->element_size;
    char title[64];
    whatif_choice_add(menu, WHATIF_NEVER, 0, "", "it never missed");
    whatif_choice_add(menu, WHATIF_HOT, 0, "", "hot members were separate");
    add_split(menu, row);
    whatif_choice_add(menu, WHATIF_ORDER, 0, "", "hottest members came first");
    whatif_choice_add(menu, WHATIF_ARRAYS, 0, "", "each member had an array");
    if (!element || element & (element - 1))
        whatif_choice_add(menu, WHATIF_PAD, 0, "", "padded to a power of two");
    whatif_choice_add(menu, WHATIF_ALIGN, 0, "", "elements began on lines");
    if (element && element < line_bytes / 2) {
        uint32_t half = line_bytes / 2;
        snprintf(title, sizeof title, "elements began at %us", half);
        whatif_choice_add(menu, WHATIF_ALIGN, half, "", title);
    }
    whatif_choice_add(menu, WHATIF_ALIGN_OBJECT, 0, "", "it began on a line");
    if (object->blocks > 1)
        whatif_choice_add(menu, WHATIF_POOL, 0, "", "blocks were contiguous");
}

enum { LIST_MIN = 4, TEXT_ROWS = 4, LINE_BYTES = 64 };

static uint32_t line_bytes(const struct snapshot *snapshot)
{
    const struct snapshot_simulation *simulation = &snapshot->simulation;
    return simulation->level_count ? simulation->level[simulation->level_count - 1].line_bytes
                                   : LINE_BYTES;
}

static const struct snapshot_layout *whatif_layout(const struct browser *browser)
{
    const struct snapshot_object *object = browser->opened.object;
    for (size_t i = 0; i < object->layout_count; i++)
        if (object->layouts[i].type == whatif_view(browser)->type)
            return &object->layouts[i];
    return object->layout_count ? &object->layouts[0] : NULL;
}

/* Returns the member that was selected on Layout, in this snapshot. */
static const struct snapshot_layout_row *whatif_member(const struct browser *browser,
                                                       const struct snapshot_layout *layout)
{
    struct whatif_view *view = whatif_view(browser);
    for (size_t i = 0; layout && view->at_member && i < layout->row_count; i++)
        if (layout_identity(layout->rows[i].index, layout->rows[i].member.offset) == view->member)
            return &layout->rows[i];
    return NULL;
}

static bool asked_list_has_focus(struct browser *browser)
{
    return browser_focused(browser, &whatif_view(browser)->asked);
}

/* Returns the question under the cursor, otherwise the best one. */
static const struct snapshot_whatif *shown_question(struct browser *browser)
{
    const struct snapshot_whatifs *asked = &browser->snapshot->whatif;
    const struct snapshot_whatif *selected = table_selected(&whatif_view(browser)->asked);
    return selected ? selected : asked->count ? &asked->list[0] : NULL;
}

static void whatif_update(struct browser *browser)
{
    struct whatif_view *view = whatif_view(browser);
    const struct snapshot *snapshot = browser->snapshot;
    size_t choices = 0;
    size_t rows = 0;
    if (browser->screen == SCREEN_WHATIF && browser->opened.object &&
        snapshot->simulation.level_count) {
        struct menu menu = {.object = browser->opened.object,
                            .layout = whatif_layout(browser),
                            .line_bytes = line_bytes(snapshot),
                            .asked = &snapshot->whatif,
                            .choices = view->choices};
        whatif_choices(&menu, whatif_member(browser, menu.layout));
        choices = menu.count;
    }
    table_set(&view->questions, snapshot, view->choices, choices);
    table_set(&view->asked, snapshot, snapshot->whatif.list, snapshot->whatif.count);
    const struct snapshot_whatif *shown = shown_question(browser);
    if (browser->screen == SCREEN_WHATIF && shown)
        rows = whatif_rows(shown, view->rows);
    table_set(&view->answer, snapshot, view->rows, rows);
}

/* Opens for the object selected in Objects or shown in Detail, at the member of Layout. */
static void whatif_open(struct browser *browser)
{
    struct whatif_view *view = whatif_view(browser);
    const struct layout_row *row = NULL;
    view->type = 0;
    if (browser->screen == SCREEN_LAYOUT)
        row = layout_selected(browser, &view->type);
    if (browser->screen == SCREEN_OBJECTS)
        browser_open_selected(browser);
    view->at_member = row && row->row;
    view->member = row ? row->identity : 0;
    browser->level_count = 0;
    /* Keep the object, even if it ranks differently in the next snapshot. */
    browser->opened.chosen |= browser->opened.object != NULL;
    browser_enter(browser, SCREEN_WHATIF);
}

/* ---- drawing ---- */

/* Shows the known figure: the share of the time that loads of the object took. */
static void draw_without_simulation(const struct browser *browser, struct canvas *canvas,
                                    struct area area)
{
    const struct snapshot_object *object = browser->opened.object;
    char text[512];
    area = area_below(
        area,
        canvas_wrap(canvas, area, PAINT_DIM,
                    " Only a simulation can run a program with another data layout: start misstop "
                    "--sim -- CMD and press x on an object to ask what if it were always cached, "
                    "split, padded, aligned or reordered. Both results are shown side by side."));
    if (!object || !object->levels || !(object->levels->stall > 0))
        return;
    snprintf(text, sizeof text,
             " If %.80s were always cached, at most %.1f%% of the measured latency would be saved.",
             object->name, 100 * object->levels->stall);
    canvas_wrap(canvas, area_below(area, 1), PAINT_PLAIN, text);
}

static void draw_answer(struct browser *browser, struct canvas *canvas, struct area area)
{
    struct whatif_view *view = whatif_view(browser);
    const struct snapshot_whatif *answer = shown_question(browser);
    char text[WHATIF_TEXT_BYTES];
    struct area inside = {area.row, 1, area.rows, area.columns - 2};
    whatif_title(answer, text, sizeof text);
    inside = area_below(inside, canvas_wrap(canvas, inside, PAINT_PANE, text));
    if (view->answer.count) {
        struct area table = {inside.row, area.column, (int)view->answer.count + 1, area.columns};
        table.rows = table.rows < inside.rows ? table.rows : inside.rows;
        table_draw(&view->answer, canvas, table, false);
        inside = area_below(inside, table.rows);
    }
    if (inside.rows > 0) {
        whatif_sentence(answer, text, sizeof text);
        canvas_wrap(canvas, inside, PAINT_STRONG, text);
    }
}

/* If several questions are open, they are listed above the displayed one. */
static int asked_list_rows(const struct browser *browser)
{
    uint32_t count = browser->snapshot->whatif.count;
    return count > 1 ? (int)count + 2 : 0;
}

static int answer_rows(const struct browser *browser)
{
    return !browser->snapshot->whatif.count
               ? 0
               : asked_list_rows(browser) + (int)whatif_view(browser)->answer.count + 1 + TEXT_ROWS;
}

static struct area draw_asked_list(struct browser *browser, struct canvas *canvas, struct area area)
{
    int rows = asked_list_rows(browser);
    rows = rows < area.rows ? rows : area.rows;
    if (rows < LIST_MIN)
        return area;
    bool focused = asked_list_has_focus(browser);
    pane_title(canvas, area, focused, "Open questions, best first");
    pane_table(browser, canvas, (struct area){area.row + 1, area.column, rows - 1, area.columns},
               &whatif_view(browser)->asked);
    return area_below(area, rows);
}

static void whatif_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    int wanted = answer_rows(browser);
    if (!browser->snapshot->simulation.level_count) {
        draw_without_simulation(browser, canvas, area);
        return;
    }
    if (whatif_view(browser)->questions.count) {
        int rows = (int)whatif_view(browser)->questions.shown + 2;
        int most = area.rows - wanted;
        rows = rows < most ? rows : most;
        rows = rows < LIST_MIN ? LIST_MIN : rows;
        pane_title(canvas, area, !asked_list_has_focus(browser), "What if %s ...",
                   browser->opened.name);
        pane_table(browser, canvas,
                   (struct area){area.row + 1, area.column, rows - 1, area.columns},
                   &whatif_view(browser)->questions);
        area = area_below(area, rows + (most > rows));
    } else {
        area = area_below(area, canvas_wrap(canvas, area, PAINT_DIM,
                                            " No object is selected. 1 lists them; x on an object, "
                                            "or on a member on its Layout, opens this screen."));
    }
    if (wanted && area.rows > 0)
        area = draw_asked_list(browser, canvas, area);
    if (wanted && area.rows > 0)
        draw_answer(browser, canvas, area);
}

/* ---- keys ---- */

static void whatif_ask(struct browser *browser, const struct whatif_choice *choice,
                       struct request *request)
{
    char words[160];
    if (!choice->possible) {
        browser_message(browser, choice->text);
        return;
    }
    const struct snapshot_layout *layout = whatif_layout(browser);
    whatif_words(&choice->request, words, sizeof words);
    request->kind = REQUEST_WHATIF;
    request->object = browser->opened.id;
    request->type = layout ? layout->type : 0;
    snprintf(request->name, sizeof request->name, "%.200s:%s", browser->opened.name, words);
}

static bool whatif_act(struct browser *browser, enum action action, struct request *request)
{
    struct whatif_view *view = whatif_view(browser);
    const struct whatif_choice *choice = table_selected(&view->questions);
    const struct snapshot_whatif *asked = shown_question(browser);
    if (action == SCREEN_ACTION(WHATIF)) {
        if (asked)
            request->kind = REQUEST_WHATIF_END;
        request->whatif = asked_list_has_focus(browser) ? asked->number : WHATIF_MAX;
        return true;
    }
    if (action != ACTION_ENTER || asked_list_has_focus(browser) || !view->questions.count ||
        !choice)
        return false;
    whatif_ask(browser, choice, request);
    return true;
}

static void whatif_hint(struct browser *browser, char *out, size_t size)
{
    if (!whatif_view(browser)->questions.count)
        *out = '\0';
    else if (asked_list_has_focus(browser))
        snprintf(out, size, "Up, Down: select an answer. x: withdraw it. Left: ask more");
    else if (!browser->snapshot->whatif.count)
        snprintf(out, size,
                 "Enter asks: a second simulation runs too, which takes about twice the time.");
    else
        snprintf(out, size, "Enter asks another one, up to %d. z: reset counts. x: withdraw.%s",
                 WHATIF_MAX, browser->snapshot->whatif.count > 1 ? " Right: those asked" : "");
}

static const char *whatif_label(struct browser *browser, enum action action)
{
    const struct whatif_view *view = whatif_view(browser);
    const struct whatif_choice *choice = table_selected(&view->questions);
    if (action == ACTION_ENTER)
        return view->questions.count && choice && choice->possible && !asked_list_has_focus(browser)
                   ? "Ask"
                   : "";
    if (action != SCREEN_ACTION(WHATIF))
        return NULL;
    return browser->snapshot && browser->snapshot->whatif.count ? "No more" : "";
}

const struct screen whatif_screen = {
    .name = "What if",
    .description = "The simulation ran another layout in addition to the real one.",
    .next_step = "Choose a question about an object; the answer compares both layouts.",
    .key_help =
        "What if: with --sim, the object always cached, or with another layout; there: withdraw",
    .state_size = sizeof(struct whatif_view),
    .tables = {{.at = offsetof(struct whatif_view, questions),
                .columns = &whatif_choice_columns,
                .rows_min = 1,
                .is_picker = true},
               {.at = offsetof(struct whatif_view, asked),
                .columns = &whatif_asked_columns,
                .rows_min = 2,
                .is_picker = true},
               {.at = offsetof(struct whatif_view, answer),
                .columns = &whatif_columns,
                .rows_min = UINT_MAX}},
    .has_data_path = FIELD(struct snapshot, simulation.level_count),
    .open = whatif_open,
    .update = whatif_update,
    .draw = whatif_draw,
    .act = whatif_act,
    .hint = whatif_hint,
    .label = whatif_label,
    .bar = {ACTION_BACK, ACTION_ENTER, SCREEN_ACTION(WHATIF), ACTION_ZERO, ACTION_FREEZE},
};

/* ---- columns of an answer, one level per row ---- */

static void format_change(char *out, size_t size, struct value value)
{
    snprintf(out, size, "%+.1f%%", 100 * value.number);
}

static enum paint paint_change(struct value value)
{
    const double clear = 0.01;
    return value.number < -clear ? PAINT_GOOD : value.number > clear ? PAINT_BAD : PAINT_DIM;
}

static uint64_t whatif_column_identity(const struct snapshot *snapshot, const void *pointer)
{
    ROW(whatif_row);
    return (uint64_t)(uintptr_t)row->name;
}

static const struct column answer_list[] = {
    COLUMN(.title = "OF ALL ACCESSES", .from = FIELD(struct whatif_row, name), .width = 22,
           .paint = paint_strong),
    COLUMN(.title = "NOW",
           .help = "Misses with the present layout, since the question was asked (or settled).",
           .from = FIELD(struct whatif_row, before), .width = 7, UNIT_COUNT),
    COLUMN(.title = "THEN", .help = "Misses of the same accesses with the other layout.",
           .from = FIELD(struct whatif_row, after), .width = 7, UNIT_COUNT),
    COLUMN(.title = "CHANGE", .help = "The difference, relative to now.",
           .from = CHANGE(struct whatif_row, before, after), .width = 8, .look = COLUMN_RIGHT,
           .format = format_change, .paint = paint_change),
    COLUMN(.title = "ITS NOW", .help = "Misses of the object itself.",
           .from = FIELD(struct whatif_row, object_before), .width = 8, .rank = 1, UNIT_COUNT),
    COLUMN(.title = "ITS THEN", .help = "The same with the other layout.",
           .from = FIELD(struct whatif_row, object_after), .width = 8, .rank = 1, UNIT_COUNT),
    COLUMN(.title = "CHANGE", .from = CHANGE(struct whatif_row, object_before, object_after),
           .width = 8, .rank = 2, .look = COLUMN_RIGHT, .format = format_change,
           .paint = paint_change),
};

const struct columns whatif_columns = {
    .title = "What if",
    TABLE(struct whatif_row, answer_list),
    .sort = COLUMNS_AS_THEY_COME,
    .identity = whatif_column_identity,
};

/* ---- questions ---- */

static struct value asked_wait_change(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_whatif);
    return value_number(snapshot_whatif_change(row));
}

/* Returns the level that misses to memory. */
static const void *last_level(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_whatif);
    return row->state == WHATIF_COUNTING && row->level_count ? &row->level[row->level_count - 1]
                                                             : NULL;
}

static struct value asked_state_text(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_whatif);
    return value_text(row->state == WHATIF_REFUSED    ? "no answer"
                      : row->state != WHATIF_COUNTING ? "waits"
                      : row->settled                  ? "settled"
                                                      : "counts");
}

static const struct column asked_list[] = {
    COLUMN(.title = "WHAT IF", .from = FIELD(struct snapshot_whatif, question), .width = 14,
           .width_max = 30, .paint = paint_strong),
    COLUMN(.title = "WAITED", .help = "Change of the time waited for data.",
           .value = asked_wait_change, .width = 7, .look = COLUMN_RIGHT, .format = format_change,
           .paint = paint_change),
    COLUMN(.title = "MEMORY",
           .help =
               "Fetches from memory with the present layout, since this was asked (or settled).",
           .target = last_level, .from = FIELD(struct snapshot_whatif_level, before), .width = 7,
           .rank = 1, UNIT_COUNT),
    COLUMN(.title = "THEN", .help = "The same with the other layout.", .target = last_level,
           .from = FIELD(struct snapshot_whatif_level, after), .width = 7, .rank = 1, UNIT_COUNT),
    COLUMN(.title = "ITS OWN", .help = "Change of the fetches of the object itself.",
           .target = last_level,
           .from = CHANGE(struct snapshot_whatif_level, object_before, object_after), .width = 8,
           .rank = 2, .look = COLUMN_RIGHT, .format = format_change, .paint = paint_change),
    COLUMN(.title = "STATE",
           .help = "Waits for the object; counts; or has settled: the second cache has the "
                   "contents that it would have if the layout had always been so.",
           .value = asked_state_text, .width = 9, .rank = 1, .paint = paint_dim),
    COLUMN(.title = "OBJECT", .from = FIELD(struct snapshot_whatif, object), .width = 12,
           .width_max = 40, .look = COLUMN_NAME),
};

const struct columns whatif_asked_columns = {
    .title = "Asked",
    TABLE(struct snapshot_whatif, asked_list),
    .sort = COLUMNS_AS_THEY_COME,
    .key = FIELD(struct snapshot_whatif, number),
};

/* ---- questions ---- */

static uint64_t choice_identity(const struct snapshot *snapshot, const void *pointer)
{
    const struct whatif_choice *choice = pointer;
    (void)snapshot;
    return (uint64_t)choice->request.kind + 1 + ((uint64_t)choice->request.bytes << 8);
}

static const struct column choice_list[] = {
    COLUMN(.title = "WHAT IF", .from = FIELD(struct whatif_choice, title), .width = 26,
           .width_max = 44, .paint = paint_strong),
    COLUMN(.title = "WAITED",
           .help = "Change of the time waited for data, if the question was asked.",
           .from = FIELD(struct whatif_choice, change), .width = 7, .look = COLUMN_RIGHT,
           .format = format_change, .paint = paint_change),
    COLUMN(.title = "LAYOUT", .help = "The layout in question, or why it cannot be asked for.",
           .from = FIELD(struct whatif_choice, text), .width = 20, .width_max = 120, .rank = 1,
           .look = COLUMN_CODE),
};

const struct columns whatif_choice_columns = {
    .title = "Questions",
    TABLE(struct whatif_choice, choice_list),
    .sort = COLUMNS_AS_THEY_COME,
    .identity = choice_identity,
};

static const double worth_a_word = 0.01;
static const double same_within = 0.01;

const char *whatif_state_name(enum whatif_state state)
{
    static const char *const names[] = {"none", "waits", "counts", "refused"};
    return (unsigned)state < sizeof names / sizeof *names ? names[state] : "none";
}

static const char *row_name(uint32_t level, uint32_t count)
{
    static const char *const names[] = {"L1 misses", "L2 misses", "L3 misses", "L4 misses"};
    static const char *const last[] = {"L1 misses, to memory", "L2 misses, to memory",
                                       "L3 misses, to memory", "L4 misses, to memory"};
    return level + 1 == count ? last[level] : names[level];
}

size_t whatif_rows(const struct snapshot_whatif *answer, struct whatif_row rows[WHATIF_ROWS_MAX])
{
    uint32_t count = answer->state == WHATIF_COUNTING ? answer->level_count : 0;
    for (uint32_t i = 0; i < count; i++)
        rows[i] =
            (struct whatif_row){row_name(i, count), answer->level[i].before, answer->level[i].after,
                                answer->level[i].object_before, answer->level[i].object_after};
    if (count)
        rows[count++] = (struct whatif_row){"cycles waited", answer->stall_before,
                                            answer->stall_after, NAN, NAN};
    return count;
}

void whatif_summary(const struct snapshot_whatifs *asked, char *out, size_t size)
{
    /* An object that never misses gives an upper bound of the gain; it is not a remedy. */
    bool bound = asked->count > 1 && !strcmp(asked->list[0].question, "never");
    const struct snapshot_whatif *best = &asked->list[bound];
    double change = asked->count ? snapshot_whatif_change(best) : NAN;
    *out = '\0';
    if (asked->count < 2)
        return;
    if (isnan(change))
        snprintf(out, size, "%u open questions; none has an answer yet.", asked->count);
    else if (change > -same_within)
        snprintf(out, size, "%u open questions: none of them would save time.", asked->count);
    else
        snprintf(out, size,
                 "%u open questions, best first: %.60s, %.40s, would save most, %.1f %% of the "
                 "time waited for data.",
                 asked->count, best->object, best->question, -100 * change);
}

void whatif_title(const struct snapshot_whatif *answer, char *out, size_t size)
{
    snprintf(out, size, "%s: %s. %s", answer->object, answer->question, answer->layout);
}

static void format_whatif_change(const struct snapshot_whatif *answer, char *out, size_t size)
{
    char before[16];
    char after[16];
    const struct snapshot_whatif_level *last = &answer->level[answer->level_count - 1];
    double change = snapshot_whatif_change(answer);
    if (!(answer->stall_before > 0)) {
        text_append(out, size, "No misses since it was asked.");
        return;
    }
    if (fabs(change) < same_within)
        text_append(out, size, "It would make no difference to the time waited for data");
    else
        text_append(out, size, "The time waited for data would %s by %.1f %%",
                    change < 0 ? "fall" : "grow", 100 * fabs(change));
    if (!last->after && !last->before)
        text_append(out, size, "; nothing is fetched from memory either way.");
    else
        text_append(out, size, "; %s fetches from memory instead of %s.",
                    text_count(after, last->after), text_count(before, last->before));
}

/* Explains the limits of the figures. */
static void format_caveats(const struct snapshot_whatif *answer, char *out, size_t size)
{
    char number[16];
    const struct snapshot_whatif_level *last = &answer->level[answer->level_count - 1];
    if (!answer->object_accesses)
        text_append(out, size, " The object was not accessed since then.");
    if (!answer->settled && last->cold_share > worth_a_word * last->after)
        text_append(out, size,
                    " %s of them are first accesses to its new lines, which may not recur: it has "
                    "not settled yet.",
                    text_count(number, last->cold_share));
    if (answer->split_accesses > worth_a_word * answer->object_accesses)
        text_append(out, size, " %.0f %% of its accesses would span separate parts.",
                    100 * answer->split_accesses / answer->object_accesses);
    if (answer->blocks_left_out > 0)
        text_append(out, size, " %s of its blocks are not followed.",
                    text_count(number, answer->blocks_left_out));
    if (answer->blocks_small > 0)
        text_append(out, size, " %s blocks are shorter than an element and are not moved.",
                    text_count(number, answer->blocks_small));
}

void whatif_sentence(const struct snapshot_whatif *answer, char *out, size_t size)
{
    char accesses[16];
    char own[16];
    *out = '\0';
    if (answer->state != WHATIF_COUNTING || !answer->level_count) {
        snprintf(out, size, "%s: %s.", answer->state == WHATIF_REFUSED ? "No answer" : "Not yet",
                 answer->reason);
        return;
    }
    format_whatif_change(answer, out, size);
    format_caveats(answer, out, size);
    text_append(out, size, " Of %s accesses since %s, %s to it.",
                text_count(accesses, answer->accesses), answer->settled ? "it settled" : "asked",
                text_count(own, answer->object_accesses));
}
