/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The line of a replay: where it stands, how fast it goes, where it was recorded; browser.h. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "view/screen/browser.h"
#include "view/widget/chart.h"

enum { WIDE_COLUMNS = 100, BAR_COLUMNS = 12, TEXT_BYTES = 32 };

const char *play_time_text(char out[TEXT_BYTES], double seconds, double of)
{
    uint64_t whole = (uint64_t)fmin(fmax(seconds, 0), 1e15);
    bool hours = fmax(seconds, of) >= 3600;
    /* What lasts a moment is told finely, or it would seem to stand still. */
    if (fmax(seconds, of) < 1)
        snprintf(out, TEXT_BYTES, "%.0fms", seconds * 1e3);
    else if (fmax(seconds, of) < 10)
        snprintf(out, TEXT_BYTES, "%.2fs", seconds);
    else if (hours)
        snprintf(out, TEXT_BYTES, "%" PRIu64 "h%02" PRIu64 "m%02" PRIu64 "s", whole / 3600,
                 whole / 60 % 60, whole % 60);
    else
        snprintf(out, TEXT_BYTES, "%" PRIu64 "m%02" PRIu64 "s", whole / 60, whole % 60);
    return out;
}

/* A part as a whole, or nothing of it. */
static int play_line_part(struct canvas *canvas, int row, int column, enum paint paint,
                          const char *text)
{
    if (column + glyph_columns(text, canvas->ascii) >= canvas->columns)
        return column;
    return column + canvas_text(canvas, row, column, canvas->columns - column, paint, text);
}

/* "Paused", what it stands at, and the pace: always there. */
static int draw_state(const struct browser *browser, struct canvas *canvas, int row)
{
    const struct view_play *play = &browser->play;
    char at[TEXT_BYTES];
    char length[TEXT_BYTES];
    char text[160];
    bool seeks = !isnan(play->goal_s);
    const char *state = seeks          ? "Reading"
                        : play->ended  ? "At the end"
                        : play->paused ? "Paused"
                                       : "Playing";
    int used = 1;
    used += canvas_text(canvas, row, used, canvas->columns - used,
                        seeks || play->paused ? PAINT_RECORDED : PAINT_LIVE, state);
    play_time_text(at, play->position_s, play->length_s);
    play_time_text(length, play->length_s, 0);
    if (isnan(play->length_s))
        snprintf(text, sizeof text, "  %s", at);
    else
        snprintf(text, sizeof text, "  %s of %s", at, length);
    used = play_line_part(canvas, row, used, PAINT_STRONG, text);
    if (play->ended)
        return used;
    snprintf(text, sizeof text, ", %s%s", play->pace,
             browser->frozen && !play->paused ? " behind the frozen picture" : "");
    return play_line_part(canvas, row, used, PAINT_PLAIN, text);
}

static int draw_bar(const struct view_play *play, struct canvas *canvas, int row, int column)
{
    char bar[BAR_BYTES(BAR_COLUMNS)];
    if (canvas->columns < WIDE_COLUMNS || !(play->length_s > 0))
        return column;
    bar_fill(bar, sizeof bar, BAR_COLUMNS, play->position_s / play->length_s, canvas->ascii);
    int start = play_line_part(canvas, row, column, PAINT_DIM, "  |");
    int end = play_line_part(canvas, row, start, PAINT_STRONG, bar);
    return play_line_part(canvas, row, end, PAINT_DIM, "|");
}

void play_line_draw(const struct browser *browser, struct canvas *canvas, int row)
{
    const struct snapshot_recording *recording =
        browser->snapshot ? browser->snapshot->recording : NULL;
    char text[256];
    int column = draw_state(browser, canvas, row);
    column = draw_bar(&browser->play, canvas, row, column);
    if (!recording)
        return;
    if (recording->processes > 1) {
        snprintf(text, sizeof text, "  1 of %" PRIu32 " processes", recording->processes);
        column = play_line_part(canvas, row, column, PAINT_PLAIN, text);
    }
    if (recording->host) {
        snprintf(text, sizeof text, "  recorded on %s", recording->host);
        column = play_line_part(canvas, row, column, PAINT_PLAIN, text);
    }
    if (recording->date) {
        snprintf(text, sizeof text, "%s %s", recording->date_exact ? "," : ", file of",
                 recording->date);
        column = play_line_part(canvas, row, column, PAINT_DIM, text);
    }
    if (recording->cpu) {
        snprintf(text, sizeof text, ", %s", recording->cpu);
        play_line_part(canvas, row, column, PAINT_DIM, text);
    }
}

const char *play_badge(const struct browser *browser)
{
    const struct view_play *play = &browser->play;
    return !browser->replays || play->ended ? " RECORDED "
           : !isnan(play->goal_s)           ? " READING "
           : play->paused                   ? " PAUSED "
                                            : " PLAYING ";
}

/* What the keys that play a recording do; declared in browser.h. */

static struct request play_request(enum request_kind kind, int direction, const char *to)
{
    struct request request = {.kind = kind, .direction = direction};
    snprintf(request.name, sizeof request.name, "%s", to);
    return request;
}

struct request play_act(struct browser *browser, enum action action)
{
    if (!browser->replays) {
        browser_message(browser, "this key plays a recording: misstop -i FILE");
        return play_request(REQUEST_NONE, 0, "");
    }
    switch (action) {
    case ACTION_PLAY_STEP:
        return play_request(REQUEST_PLAY_STEP, 1, "");
    case ACTION_PLAY_STEP_BACK:
        return play_request(REQUEST_PLAY_STEP, -1, "");
    case ACTION_PLAY_FASTER:
        return play_request(REQUEST_PLAY_PACE, 1, "");
    case ACTION_PLAY_SLOWER:
        return play_request(REQUEST_PLAY_PACE, -1, "");
    case ACTION_PLAY_FORWARD:
        return play_request(REQUEST_PLAY_JUMP, 1, "");
    case ACTION_PLAY_BACK:
        return play_request(REQUEST_PLAY_JUMP, -1, "");
    case ACTION_PLAY_START:
        return play_request(REQUEST_PLAY_GO, 0, "0");
    case ACTION_PLAY_END:
        return play_request(REQUEST_PLAY_GO, 0, "end");
    case ACTION_PLAY_GO:
        prompt_ask(browser, PROMPT_TIME, "");
        return play_request(REQUEST_NONE, 0, "");
    case ACTION_PROCESSES:
        return play_request(REQUEST_PROCESSES, 0, "");
    default:
        return play_request(REQUEST_PLAY_PAUSE, 0, "");
    }
}
