/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "view/display/browser.h"
#include "view/widget/chart.h"

void prompt_open(struct browser *browser, enum prompt_kind kind)
{
    const struct table *table = browser_table(browser);
    if (!table && (kind != PROMPT_FIND || !browser_screen(browser)->find))
        return;
    prompt_ask(browser, kind, table && kind == PROMPT_FILTER ? table->filter : "");
    browser->prompt.identity = table ? table->identity : 0;
}

void prompt_ask(struct browser *browser, enum prompt_kind kind, const char *text)
{
    browser->prompt = (struct prompt){.kind = kind};
    snprintf(browser->prompt.text, sizeof browser->prompt.text, "%s", text);
}

static void apply_prompt(struct browser *browser, struct table *table)
{
    struct prompt *prompt = &browser->prompt;
    if (!table) {
        prompt->missing =
            *prompt->text && !browser_screen(browser)->find(browser, prompt->text, true);
    } else if (prompt->kind == PROMPT_FILTER) {
        table_filter(table, prompt->text);
        prompt->missing = *prompt->text && !table->shown;
    } else {
        /* After each character, search again from where the prompt began. */
        table_select(table, prompt->identity);
        prompt->missing = *prompt->text && !table_find(table, prompt->text, true);
    }
}

static void cancel_prompt(struct browser *browser, struct table *table)
{
    struct prompt *prompt = &browser->prompt;
    if (prompt->kind == PROMPT_FILTER)
        table_filter(table, "");
    table_select(table, prompt->identity);
    prompt->kind = PROMPT_NONE;
}

static void erase_last_character(char *text)
{
    size_t length = strlen(text);
    while (length > 0 && ((unsigned char)text[length - 1] & 0xc0) == 0x80)
        length--;
    text[length ? length - 1 : 0] = '\0';
}

static void prompt_add(char *text, size_t size, uint32_t key)
{
    char bytes[5];
    unsigned length = glyph_encode(bytes, (wchar_t)key);
    size_t used = strlen(text);
    if (used + length < size)
        memcpy(text + used, bytes, length + 1);
}

static void edit_text(char *text, size_t size, uint32_t key)
{
    if (key == KEYS_BACKSPACE)
        erase_last_character(text);
    else if (key >= 0x20 && key != 0x7f && key < KEYS_UP)
        prompt_add(text, size, key);
}

static void prompt_take_key(struct browser *browser, uint32_t key, struct request *request)
{
    struct prompt *prompt = &browser->prompt;
    const struct screen *screen = browser_screen(browser);
    edit_text(prompt->text, sizeof prompt->text, key);
    if (key != KEYS_ENTER && key != KEYS_ESCAPE)
        return;
    enum prompt_kind kind = prompt->kind;
    prompt->kind = PROMPT_NONE;
    if (key == KEYS_ENTER && (kind == PROMPT_TIME || kind == PROMPT_WRITE)) {
        request->kind = !*prompt->text        ? REQUEST_NONE
                        : kind == PROMPT_TIME ? REQUEST_PLAY_GO
                                              : REQUEST_WRITE;
        snprintf(request->name, sizeof request->name, "%s", prompt->text);
    } else if (key == KEYS_ENTER && screen->answer)
        screen->answer(browser, prompt->text, request);
}

void prompt_key(struct browser *browser, uint32_t key, struct request *request)
{
    struct table *table = browser_table(browser);
    struct prompt *prompt = &browser->prompt;
    if (prompt->kind >= PROMPT_RENAME) {
        prompt_take_key(browser, key, request);
    } else if ((!table && !browser_screen(browser)->find) || key == KEYS_ESCAPE) {
        if (table)
            cancel_prompt(browser, table);
        prompt->kind = PROMPT_NONE;
    } else if (key == KEYS_ENTER) {
        prompt->kind = PROMPT_NONE;
    } else if (table && (key == KEYS_UP || key == KEYS_DOWN)) {
        table_move(table, key == KEYS_UP ? -1 : 1);
    } else if (key == KEYS_BACKSPACE || (key >= 0x20 && key != 0x7f && key < KEYS_UP)) {
        edit_text(prompt->text, sizeof prompt->text, key);
        apply_prompt(browser, table);
    }
}

static void prompt_draw(struct browser *browser, struct canvas *canvas, int row)
{
    static const struct {
        const char *word;
        const char *hint;
    } prompts[] = {
        [PROMPT_FIND] = {"Find", "Enter keeps, Esc cancels, then n: next match"},
        [PROMPT_FILTER] = {"Filter", ""},
        [PROMPT_RENAME] = {"New name", "Enter keeps, Esc cancels; empty: the original name"},
        [PROMPT_TIME] = {"Go to", "80, 1m20s, 1:20, 50%, +10, -10   Enter goes there, Esc cancels"},
        [PROMPT_WRITE] = {"Write to", ".txt and .json   Enter writes them, Esc cancels"}};
    const struct prompt *prompt = &browser->prompt;
    const struct table *table = browser_table(browser);
    struct pen pen = {canvas, row, 0, canvas->columns - 1};
    pen_part(&pen, PAINT_STRONG, " %s: ", prompts[prompt->kind].word);
    pen_part(&pen, prompt->missing ? PAINT_BAD : PAINT_PLAIN, "%s", prompt->text);
    canvas_flag(canvas, row, pen.column, 1, CELL_CURSOR);
    pen.column += 3;
    pen.end++;
    if (prompt->missing)
        pen_part(&pen, PAINT_BAD, prompt->kind == PROMPT_FIND ? "not found" : "no match");
    else if (table && prompt->kind < PROMPT_RENAME)
        pen_part(&pen, PAINT_DIM, "%zu of %zu rows   Enter keeps, Esc cancels", table->shown,
                 table->count);
    else
        pen_part(&pen, PAINT_DIM, "%s", prompts[prompt->kind].hint);
}

/* Returns the width of "key label" in the bar. */
static int bar_columns(const char *key, const char *label, bool ascii)
{
    return glyph_columns(key, ascii) + glyph_columns(label, ascii) + 2;
}

static const char *key_label(struct browser *browser, const struct key_binding *binding)
{
    const struct screen *screen = browser_screen(browser);
    bool past = browser->snapshot && browser->snapshot->time_range;
    struct table *panes[PANES_MAX];
    const char *own = screen->label ? screen->label(browser, binding->action) : NULL;
    if (own)
        return own;
    if (binding->action == ACTION_ENTER && browser_listed(browser)->enter)
        return table_selected(browser_table(browser)) ? browser_listed(browser)->enter : "";
    if (binding->action == ACTION_RIGHT && browser_panes(browser, panes) < 2)
        return "";
    if (binding->action == ACTION_BACK && !browser->level_count && !screen->title)
        return "";
    if (binding->action >= ACTION_SHOW)
        return screen_filled((enum screen_id)(binding->action - ACTION_SHOW), browser->snapshot)
                   ? binding->label
                   : "";
    if (binding->action == ACTION_NOW)
        return past ? binding->label : "";
    if (binding->action == ACTION_PLAY_PAUSE && !browser->play.paused)
        return "Pause";
    if (binding->action == ACTION_FREEZE && browser->frozen)
        return "Thaw";
    if (past && (binding->action == ACTION_BASIS || binding->action == ACTION_ZERO))
        return "";
    if (binding->action == ACTION_BASIS && browser->snapshot)
        return browser->snapshot->basis == BASIS_RUN ? "Recent" : "Whole run";
    if (binding->action == ACTION_ALL_OBJECTS && browser->snapshot)
        return browser->snapshot->lists_all_objects  ? "Above 0.1%"
               : browser->snapshot->objects_left_out ? "All objects"
                                                     : "";
    return binding->label;
}

static int draw_key(struct browser *browser, struct canvas *canvas, int row, int column, int room,
                    enum action action)
{
    const struct key_binding binding = keys_binding(action);
    if (!binding.action)
        return 0;
    const char *label = key_label(browser, &binding);
    if (!*label || bar_columns(binding.brief, label, canvas->ascii) > room)
        return 0;
    int used = canvas_text(canvas, row, column, room, PAINT_KEY, binding.brief);
    used += canvas_format(canvas, row, column + used, room - used, PAINT_KEY_LABEL, " %s", label);
    browser_zone(browser, row, column, used, action);
    return used + 1;
}

static int draw_keys(struct browser *browser, struct canvas *canvas, int row, int column, int kept,
                     const enum action *actions)
{
    int used = 0;
    for (; *actions; actions++) {
        int room = canvas->columns - column - used - kept;
        used += draw_key(browser, canvas, row, column + used, room, *actions);
    }
    return used;
}

/* Draws the screen's own keys from the left; always keeps room for help and quit. */
static void draw_bar(struct browser *browser, struct canvas *canvas, int row)
{
    static const enum action always[] = {SCREEN_ACTION(HELP), ACTION_QUIT};
    static const enum action replay_first[] = {ACTION_PLAY_PAUSE, ACTION_PLAY_STEP, ACTION_NONE};
    static const enum action replay_then[] = {ACTION_PROCESSES, ACTION_PLAY_GO, ACTION_PLAY_FORWARD,
                                              ACTION_PLAY_BACK, ACTION_NONE};
    static const enum action way_back[] = {ACTION_NOW, ACTION_NONE};
    const enum action *actions = browser_screen(browser)->bar;
    int kept = 0;
    int used = 0;
    for (size_t i = 0; i < 2; i++)
        kept +=
            bar_columns(keys_binding(always[i]).brief, keys_binding(always[i]).label, false) + 1;
    bool replays = browser->replays && !browser_screen(browser)->title;
    if (replays)
        used += draw_keys(browser, canvas, row, used, kept, replay_first);
    used += draw_keys(browser, canvas, row, used, kept, way_back);
    used += draw_keys(browser, canvas, row, used, kept, actions);
    if (replays)
        used += draw_keys(browser, canvas, row, used, kept, replay_then);
    for (size_t i = 0; i < 2; i++)
        used += draw_key(browser, canvas, row, used, canvas->columns - used, always[i]);
}

/* Draws the most urgent: a prompt, a message, the program's status. False: none. */
static bool draw_message_line(struct browser *browser, struct canvas *canvas, int row)
{
    const struct snapshot *snapshot = browser->snapshot;
    const char *news = NULL;
    if (browser->prompt.kind != PROMPT_NONE) {
        prompt_draw(browser, canvas, row);
        return true;
    }
    if (*browser->message && browser->now_ns < browser->message_until_ns)
        news = browser->message;
    else if (snapshot && snapshot->status && *snapshot->status)
        news = snapshot->status;
    if (news)
        canvas_format(canvas, row, 0, canvas->columns, PAINT_WARN, " %s", news);
    return news;
}

static void draw_hint(struct browser *browser, struct canvas *canvas, int row)
{
    char hint[512] = "";
    const struct table *table = browser_table(browser);
    const struct screen *screen = browser_screen(browser);
    int used = 1;
    if (table && *table->filter)
        used += canvas_format(canvas, row, used, canvas->columns - used, PAINT_WARN,
                              "filter \"%s\": %zu of %zu (Esc clears)  ", table->filter,
                              table->shown, table->count);
    if (screen->hint)
        screen->hint(browser, hint, sizeof hint);
    const char *text =
        *hint || !table || !table_selected(table) ? hint : browser_listed(browser)->hint;
    canvas_text(canvas, row, used, canvas->columns - used, PAINT_DIM, text);
}

void footer_draw(struct browser *browser, struct canvas *canvas, int status_row, int bar_row)
{
    /* Without a status line, the news replaces the key bar. */
    if (status_row < 0) {
        if (!draw_message_line(browser, canvas, bar_row))
            draw_bar(browser, canvas, bar_row);
        return;
    }
    if (!draw_message_line(browser, canvas, status_row))
        draw_hint(browser, canvas, status_row);
    draw_bar(browser, canvas, bar_row);
}

/* ---- the line of a replay: position, speed and origin ---- */

enum { WIDE_COLUMNS = 100, BAR_COLUMNS = 12 };

/* Draws "Paused", the position and the speed, which are always shown. */
static void draw_state(const struct browser *browser, struct pen *pen)
{
    const struct view_play *play = &browser->play;
    char at[TEXT_TIME_BYTES];
    char length[TEXT_TIME_BYTES];
    bool seeks = !isnan(play->goal_s);
    const char *state = seeks          ? "Reading"
                        : play->ended  ? "At the end"
                        : play->paused ? "Paused"
                                       : "Playing";
    const char *behind = browser->frozen && !play->paused ? " behind the frozen screen" : "";
    pen_part(pen, seeks || play->paused ? PAINT_RECORDED : PAINT_LIVE, "%s", state);
    text_time(at, play->position_s);
    text_time(length, play->length_s);
    if (isnan(play->length_s))
        pen_whole(pen, PAINT_STRONG, "  %s", at);
    else
        pen_whole(pen, PAINT_STRONG, "  %s of %s", at, length);
    if (play->ended)
        return;
    if (seeks)
        pen_whole(pen, PAINT_DIM, ", Esc stops");
    else if (isinf(play->pace))
        pen_whole(pen, PAINT_PLAIN, ", as fast as possible%s", behind);
    else
        pen_whole(pen, PAINT_PLAIN, ", %gx%s", play->pace, behind);
}

static void play_line_draw_bar(const struct view_play *play, struct pen *pen)
{
    char bar[BAR_BYTES(BAR_COLUMNS)];
    if (pen->canvas->columns < WIDE_COLUMNS || !(play->length_s > 0))
        return;
    bar_fill(bar, sizeof bar, BAR_COLUMNS, play->position_s / play->length_s, pen->canvas->ascii);
    pen_whole(pen, PAINT_DIM, "  |");
    pen_whole(pen, PAINT_STRONG, "%s", bar);
    pen_whole(pen, PAINT_DIM, "|");
}

void play_line_draw(const struct browser *browser, struct canvas *canvas, int row)
{
    const struct snapshot_recording *recording =
        browser->snapshot ? browser->snapshot->recording : NULL;
    struct pen pen = {canvas, row, 1, canvas->columns - 1};
    draw_state(browser, &pen);
    play_line_draw_bar(&browser->play, &pen);
    if (!recording)
        return;
    if (recording->processes > 1)
        pen_whole(&pen, PAINT_PLAIN, "  1 of %" PRIu32 " processes", recording->processes);
    if (recording->host)
        pen_whole(&pen, PAINT_PLAIN, "  recorded on %s", recording->host);
    if (recording->date)
        pen_whole(&pen, PAINT_DIM, "%s %s", recording->date_exact ? "," : ", file of",
                  recording->date);
    if (recording->cpu)
        pen_whole(&pen, PAINT_DIM, ", %s", recording->cpu);
}

const char *play_badge(const struct browser *browser)
{
    const struct view_play *play = &browser->play;
    return !browser->replays || play->ended ? " RECORDED "
           : !isnan(play->goal_s)           ? " READING "
           : play->paused                   ? " PAUSED "
                                            : " PLAYING ";
}

/* ---- keys that play a recording ---- */

struct request play_act(struct browser *browser, enum action action)
{
    static const struct {
        enum request_kind kind;
        int direction;
        const char *to;
    } requests[] = {
        [ACTION_PLAY_PAUSE] = {.kind = REQUEST_PLAY_PAUSE},
        [ACTION_PLAY_STEP] = {.kind = REQUEST_PLAY_STEP, .direction = 1},
        [ACTION_PLAY_STEP_BACK] = {.kind = REQUEST_PLAY_STEP, .direction = -1},
        [ACTION_PLAY_FORWARD] = {.kind = REQUEST_PLAY_GO, .to = "+10%"},
        [ACTION_PLAY_BACK] = {.kind = REQUEST_PLAY_GO, .to = "-10%"},
        [ACTION_PLAY_START] = {.kind = REQUEST_PLAY_GO, .to = "0"},
        [ACTION_PLAY_END] = {.kind = REQUEST_PLAY_GO, .to = "end"},
        [ACTION_PLAY_GO] = {.kind = REQUEST_NONE},
        [ACTION_PROCESSES] = {.kind = REQUEST_PROCESSES},
    };
    struct request request = {.kind = REQUEST_NONE};
    if (!browser->replays) {
        browser_message(browser, "this key plays a recording: misstop -i FILE");
        return request;
    }
    if (action == ACTION_PLAY_GO)
        prompt_ask(browser, PROMPT_TIME, "");
    request.kind = requests[action].kind;
    request.direction = requests[action].direction;
    snprintf(request.name, sizeof request.name, "%s",
             requests[action].to ? requests[action].to : "");
    return request;
}
