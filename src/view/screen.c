/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The terminal. What is drawn is made by browser.c. */
#include "view/browser.h"

#include "base/clock.h"
#include "view/screen_part.h"

#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { ESCAPE_DELAY_MS = 25 };

struct screen {
    struct browser browser;
    struct canvas canvas;
    SCREEN *terminal;
    bool ascii;
    struct screen_colors colors;
};

/* The font of the Linux console has no eighth blocks. */
static bool ascii_only(const struct view_options *options)
{
    const char *term = getenv("TERM");
    return options->ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0 ||
           (term && !strncmp(term, "linux", 5));
}

static void set_modes(void)
{
    raw();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    set_escdelay(ESCAPE_DELAY_MS);
    curs_set(0);
    mouseinterval(0);
    mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
}

static int fit_canvas(struct screen *screen)
{
    int rows;
    int columns;
    getmaxyx(stdscr, rows, columns);
    if (screen->canvas.cells && screen->canvas.rows == rows && screen->canvas.columns == columns)
        return 0;
    canvas_fini(&screen->canvas);
    return canvas_init(&screen->canvas, rows, columns, screen->ascii);
}

static int start_curses(struct screen *screen, struct error *error)
{
    const char *term = getenv("TERM");
    screen->terminal = newterm(NULL, stdout, stdin);
    if (!screen->terminal)
        return error_set(error, -EINVAL,
                         "TERM=%.60s is not a terminal curses knows; set TERM (xterm-256color "
                         "suits most), or use -b",
                         term ? term : "");
    set_term(screen->terminal);
    if (screen_capability("cup"))
        return 0;
    endwin();
    delscreen(screen->terminal);
    return error_set(error, -EINVAL, "TERM=%.60s cannot place the cursor; set TERM, or use -b",
                     term ? term : "");
}

int screen_open(struct screen **out, const struct view_options *options,
                const struct screen_sources *sources, struct error *error)
{
    struct termios before;
    struct screen *screen;
    int code;
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || tcgetattr(STDIN_FILENO, &before))
        return error_set(error, -ENOTTY,
                         "the screen needs a terminal on standard input and output; -b prints "
                         "tables instead");
    screen = calloc(1, sizeof *screen);
    if (!screen)
        return error_set(error, -ENOMEM, "out of memory");
    screen->ascii = ascii_only(options);
    code = start_curses(screen, error);
    if (code)
        goto failed;
    set_modes();
    screen_choose_colors(&screen->colors, options);
    screen_arm(&before);
    browser_init(&screen->browser, sources);
    code = fit_canvas(screen);
    if (code) {
        screen_close(screen);
        return error_set(error, code, "out of memory");
    }
    *out = screen;
    return 0;
failed:
    free(screen);
    return code;
}

void screen_close(struct screen *screen)
{
    endwin();
    screen_disarm();
    browser_fini(&screen->browser);
    canvas_fini(&screen->canvas);
    delscreen(screen->terminal);
    free(screen);
}

static void put_cell(const struct screen *screen, int row, int column, const struct cell *cell)
{
    cchar_t character;
    wchar_t text[CELL_GLYPHS + 1] = {0};
    bool selected = cell->flags & CELL_SELECTED;
    enum paint paint = cell->flags & CELL_CURSOR ? PAINT_CURSOR : (enum paint)cell->paint;
    wmemcpy(text, cell->text, CELL_GLYPHS);
    if (setcchar(&character, text, screen->colors.attributes[paint][selected],
                 screen->colors.pairs[paint][selected], NULL) == OK)
        mvadd_wch(row, column, &character);
}

static void draw(struct screen *screen)
{
    if (fit_canvas(screen))
        return;
    browser_draw(&screen->browser, &screen->canvas, clock_now_ns());
    erase();
    for (int row = 0; row < screen->canvas.rows; row++)
        for (int column = 0; column < screen->canvas.columns; column++) {
            const struct cell *cell = canvas_at(&screen->canvas, row, column);
            if (cell->columns)
                put_cell(screen, row, column, cell);
        }
    refresh();
}

/* SIGWINCH may be blocked and read elsewhere, so the terminal itself is asked. */
static void follow_size(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row || !size.ws_col)
        return;
    if (size.ws_row != LINES || size.ws_col != COLS)
        resizeterm(size.ws_row, size.ws_col);
}

struct request screen_input(struct screen *screen)
{
    struct input input;
    struct request request = {.kind = REQUEST_NONE};
    follow_size();
    while (request.kind == REQUEST_NONE && screen_read(&input))
        request = browser_input(&screen->browser, &input);
    draw(screen);
    return request;
}

void screen_show(struct screen *screen, const struct snapshot *snapshot,
                 void (*release)(const struct snapshot *))
{
    browser_show(&screen->browser, snapshot, release);
    follow_size();
    draw(screen);
}

void screen_message(struct screen *screen, const char *text)
{
    browser_message(&screen->browser, text);
    draw(screen);
}

void screen_suspend(struct screen *screen)
{
    (void)screen;
    screen_disarm();
    def_prog_mode();
    endwin();
}

void screen_resume(struct screen *screen)
{
    reset_prog_mode();
    screen_rearm();
    follow_size();
    clearok(stdscr, TRUE);
    draw(screen);
}

const struct snapshot *screen_snapshot(const struct screen *screen)
{
    return screen->browser.snapshot;
}

void picker_show(struct screen *screen, const struct picker_row *rows, size_t count)
{
    browser_pick(&screen->browser, rows, count);
    follow_size();
    draw(screen);
}

void picker_show_recorded(struct screen *screen, const struct picker_row *rows, size_t count)
{
    browser_pick_recorded(&screen->browser, rows, count);
    follow_size();
    draw(screen);
}

void picker_end(struct screen *screen, bool picked)
{
    browser_pick_end(&screen->browser, picked);
}

void screen_play(struct screen *screen, const struct view_play *play)
{
    browser_play(&screen->browser, play);
    draw(screen);
}

struct request picker_input(struct screen *screen)
{
    return screen_input(screen);
}
