/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "view/display/browser.h"
#include "view/display/canvas.h"
#include "view/display/keys.h"
#include "view/view.h"

/* Appearance of each paint on this terminal: normal, and in a selected row. */
struct display_colors {
    attr_t attributes[PAINT_COUNT][2];
    short pairs[PAINT_COUNT][2];
};

/* ---- curses attributes of the paints, with 256 colours, 8, or none ---- */

static attr_t attribute_bits(unsigned attributes)
{
    return (attributes & PAINT_BOLD ? A_BOLD : 0) | (attributes & PAINT_FAINT ? A_DIM : 0) |
           (attributes & PAINT_REVERSE ? A_REVERSE : 0) |
           (attributes & PAINT_UNDERLINE ? A_UNDERLINE : 0);
}

static void set_mono(struct display_colors *colors)
{
    for (int i = 0; i < PAINT_COUNT; i++) {
        attr_t bits = attribute_bits(paint_look(SCHEME_MONO, (enum paint)i).attributes_mono);
        colors->pairs[i][0] = colors->pairs[i][1] = 0;
        colors->attributes[i][0] = bits;
        colors->attributes[i][1] = bits | A_REVERSE;
    }
}

/* With 256 colours a selected row keeps its colours, on a grey background. */
static void set_256(struct display_colors *colors, enum paint_scheme scheme)
{
    enum { DIM = 245, DIM_ON_GREY = 250 };
    short pair = 1;
    for (int i = 0; i < PAINT_COUNT; i++) {
        const struct paint_look look = paint_look(scheme, (enum paint)i);
        attr_t bits = attribute_bits(look.attributes_256);
        init_pair(pair, look.text_256, look.ground_256);
        colors->pairs[i][0] = pair++;
        colors->attributes[i][0] = bits;
        init_pair(pair, look.text_256 == DIM ? DIM_ON_GREY : look.text_256,
                  paint_selected_ground(scheme));
        colors->pairs[i][1] = pair++;
        colors->attributes[i][1] = bits | A_BOLD;
    }
}

static void set_8(struct display_colors *colors, enum paint_scheme scheme)
{
    for (short i = 0; i < PAINT_COUNT; i++) {
        const struct paint_look look = paint_look(scheme, (enum paint)i);
        init_pair((short)(i + 1), look.text_8, look.ground_8);
        colors->pairs[i][0] = (short)(i + 1);
        colors->attributes[i][0] = attribute_bits(look.attributes_8);
        colors->pairs[i][1] = PAINT_SELECTED + 1;
        colors->attributes[i][1] = attribute_bits(paint_look(scheme, PAINT_SELECTED).attributes_8);
    }
}

/* Decides by the option and NO_COLOR; set_colors() checks the terminal. */
static bool colors_wanted(const struct view_options *options)
{
    const char *no_color = getenv("NO_COLOR");
    return options->color == VIEW_COLOR_ALWAYS ||
           (options->color == VIEW_COLOR_AUTO && !(no_color && *no_color));
}

static void set_colors(struct display_colors *colors, bool wanted, enum paint_scheme scheme)
{
    if (!wanted || scheme == SCHEME_MONO || !has_colors() || start_color() == ERR || COLORS < 8) {
        set_mono(colors);
        return;
    }
    use_default_colors();
    if (COLORS >= 256 && COLOR_PAIRS > 2 * PAINT_COUNT)
        set_256(colors, scheme);
    else
        set_8(colors, scheme);
}

/* ---- keys and mouse events from the terminal ---- */

static uint32_t key_of_code(wint_t code)
{
    static const struct {
        int code;
        uint32_t key;
    } keys[] = {{KEY_UP, KEYS_UP},
                {KEY_DOWN, KEYS_DOWN},
                {KEY_LEFT, KEYS_LEFT},
                {KEY_RIGHT, KEYS_RIGHT},
                {KEY_PPAGE, KEYS_PAGE_UP},
                {KEY_NPAGE, KEYS_PAGE_DOWN},
                {KEY_HOME, KEYS_HOME},
                {KEY_END, KEYS_END},
                {KEY_ENTER, KEYS_ENTER},
                {KEY_BTAB, KEYS_BACK_TAB},
                {KEY_BACKSPACE, KEYS_BACKSPACE},
                {KEY_A1, KEYS_HOME},
                {KEY_C1, KEYS_END},
                {KEY_A3, KEYS_PAGE_UP},
                {KEY_C3, KEYS_PAGE_DOWN}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if ((wint_t)keys[i].code == code)
            return keys[i].key;
    if (code >= KEY_F(1) && code <= KEY_F(12))
        return KEYS_F1 + (uint32_t)(code - KEY_F(1));
    return 0;
}

static uint32_t key_of_character(wint_t character)
{
    switch (character) {
    case '\r':
    case '\n':
        return KEYS_ENTER;
    case '\t':
        return KEYS_TAB;
    case 27:
        return KEYS_ESCAPE;
    case 8:
    case 127:
        return KEYS_BACKSPACE;
    default:
        return (uint32_t)character;
    }
}

static void read_mouse(struct input *input)
{
    MEVENT event;
    if (getmouse(&event) != OK)
        return;
    input->row = event.y;
    input->column = event.x;
    if (event.bstate & BUTTON4_PRESSED)
        input->kind = INPUT_WHEEL_UP;
    else if (event.bstate & BUTTON5_PRESSED)
        input->kind = INPUT_WHEEL_DOWN;
    else if (event.bstate & BUTTON1_PRESSED)
        input->kind = INPUT_CLICK;
}

/* Reads one event. Returns false if there is none. An event without a meaning here has key 0. */
static bool display_read(struct input *input)
{
    wint_t code;
    int kind = get_wch(&code);
    *input = (struct input){.kind = INPUT_KEY};
    if (kind == ERR)
        return false;
    if (kind == KEY_CODE_YES && code == KEY_MOUSE)
        read_mouse(input);
    else if (kind == KEY_CODE_YES)
        input->key = key_of_code(code);
    else
        input->key = key_of_character(code);
    return true;
}

/* ---- restoring the terminal from a signal handler ---- */

enum { RESTORE_BYTES = 512 };

/* State that a signal handler needs to restore the terminal. It is static because a handler
 * receives no pointer. Written only by open, close, suspend and resume. */
static struct {
    volatile sig_atomic_t armed;
    struct termios before;
    size_t length;
    char text[RESTORE_BYTES];
} emergency;

/* Appends a capability without its "$<5>" delays, which only curses can carry out. */
static void add_restore(const char *text)
{
    while (text && *text && emergency.length < RESTORE_BYTES) {
        const char *end = text[0] == '$' && text[1] == '<' ? strchr(text, '>') : NULL;
        if (end)
            text = end + 1;
        else
            emergency.text[emergency.length++] = *text++;
    }
}

/* Returns a capability of the terminal by its terminfo name; NULL if it has none. */
static const char *display_capability(const char *name)
{
    const char *text = tigetstr((char *)(uintptr_t)name);
    return text == (const char *)-1 ? NULL : text;
}

/* Prepares restoring the terminal, with the modes from before curses. */
static void display_prepare_restore(const struct termios *before)
{
    static const char *const names[] = {"sgr0", "rmkx", "cnorm", "rmcup"};
    emergency.before = *before;
    emergency.length = 0;
    if (display_capability("kmous"))
        add_restore("\033[?1000l\033[?1002l\033[?1003l\033[?1006l");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        add_restore(display_capability(names[i]));
    emergency.armed = 1;
}

void display_emergency_restore(void)
{
    int saved = errno;
    if (emergency.armed) {
        emergency.armed = 0;
        if (write(STDOUT_FILENO, emergency.text, emergency.length) < 0)
            errno = 0; /* the screen cannot be restored; still restore the modes */
        tcsetattr(STDIN_FILENO, TCSANOW, &emergency.before);
    }
    errno = saved;
}

enum { ESCAPE_DELAY_MS = 25 };

struct display {
    struct browser browser;
    struct canvas canvas;
    SCREEN *terminal;
    bool ascii;
    struct display_colors colors;
    bool colored; /* colours are wanted: the option and NO_COLOR */
    enum paint_scheme scheme;
};

/* The font of the Linux console has no eighth-block characters. */
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

static int fit_canvas_to_screen(struct display *display)
{
    int rows;
    int columns;
    getmaxyx(stdscr, rows, columns);
    if (display->canvas.cells && display->canvas.rows == rows && display->canvas.columns == columns)
        return 0;
    canvas_fini(&display->canvas);
    return canvas_init(&display->canvas, rows, columns, display->ascii);
}

static int start_curses(struct display *display, struct error *error)
{
    const char *term = getenv("TERM");
    display->terminal = newterm(NULL, stdout, stdin);
    if (!display->terminal)
        return error_set(error, -EINVAL,
                         "TERM=%.60s is not known to curses; set TERM (xterm-256color suits most "
                         "terminals), or use -b",
                         term ? term : "");
    set_term(display->terminal);
    if (display_capability("cup"))
        return 0;
    endwin();
    delscreen(display->terminal);
    return error_set(error, -EINVAL, "TERM=%.60s cannot place the cursor; set TERM, or use -b",
                     term ? term : "");
}

int display_open(struct display **out, const struct view_options *options,
                 const struct view_sources *sources, struct error *error)
{
    struct termios before;
    struct display *display;
    int code;
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || tcgetattr(STDIN_FILENO, &before))
        return error_set(
            error, -ENOTTY,
            "the screen needs a terminal on standard input and output; -b prints tables instead");
    display = calloc(1, sizeof *display);
    if (!display)
        return error_set(error, -ENOMEM, "out of memory");
    display->ascii = ascii_only(options);
    code = start_curses(display, error);
    if (code) {
        free(display);
        return code;
    }
    set_modes();
    display_prepare_restore(&before);
    code = browser_init(&display->browser, sources);
    settings_load(&display->browser.settings);
    if (!code)
        setup_apply(&display->browser);
    display->colored = colors_wanted(options);
    display->scheme = display->browser.scheme;
    set_colors(&display->colors, display->colored, display->scheme);
    if (!code)
        code = fit_canvas_to_screen(display);
    if (code) {
        display_close(display);
        return error_set(error, code, "out of memory");
    }
    *out = display;
    return 0;
}

void display_close(struct display *display)
{
    endwin();
    emergency.armed = 0;
    browser_fini(&display->browser);
    canvas_fini(&display->canvas);
    delscreen(display->terminal);
    free(display);
}

static void put_cell(const struct display *display, int row, int column, const struct cell *cell)
{
    cchar_t character;
    wchar_t text[CELL_GLYPHS + 1] = {0};
    bool selected = cell->flags & CELL_SELECTED;
    enum paint paint = cell->flags & CELL_CURSOR ? PAINT_CURSOR : (enum paint)cell->paint;
    wmemcpy(text, cell->text, CELL_GLYPHS);
    if (setcchar(&character, text, display->colors.attributes[paint][selected],
                 display->colors.pairs[paint][selected], NULL) == OK)
        mvadd_wch(row, column, &character);
}

static void display_draw(struct display *display)
{
    if (fit_canvas_to_screen(display))
        return;
    if (display->scheme != display->browser.scheme) {
        display->scheme = display->browser.scheme;
        set_colors(&display->colors, display->colored, display->scheme);
    }
    browser_draw(&display->browser, &display->canvas, clock_now_ns());
    erase();
    for (int row = 0; row < display->canvas.rows; row++)
        for (int column = 0; column < display->canvas.columns; column++) {
            const struct cell *cell = canvas_at(&display->canvas, row, column);
            if (cell->columns)
                put_cell(display, row, column, cell);
        }
    refresh();
}

/* Queries the terminal for its size, because SIGWINCH may be blocked and read elsewhere. */
static void update_terminal_size(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row || !size.ws_col)
        return;
    if (size.ws_row != LINES || size.ws_col != COLS)
        resizeterm(size.ws_row, size.ws_col);
}

struct request display_input(struct display *display)
{
    struct input input;
    struct request request = {.kind = REQUEST_NONE};
    update_terminal_size();
    while (request.kind == REQUEST_NONE && display_read(&input))
        request = browser_input(&display->browser, &input);
    display_draw(display);
    return request;
}

void display_show(struct display *display, const struct snapshot *snapshot,
                  void (*release)(const struct snapshot *))
{
    browser_show(&display->browser, snapshot, release);
    update_terminal_size();
    display_draw(display);
}

void display_message(struct display *display, const char *text)
{
    browser_message(&display->browser, text);
    display_draw(display);
}

void display_suspend(struct display *display)
{
    (void)display;
    emergency.armed = 0;
    def_prog_mode();
    endwin();
}

void display_resume(struct display *display)
{
    reset_prog_mode();
    emergency.armed = 1;
    update_terminal_size();
    clearok(stdscr, TRUE);
    display_draw(display);
}

const struct snapshot *display_snapshot(const struct display *display)
{
    return display->browser.snapshot;
}

void picker_show(struct display *display, const struct picker_row *rows, size_t count,
                 bool recorded)
{
    browser_pick(&display->browser, rows, count, recorded);
    update_terminal_size();
    display_draw(display);
}

void picker_end(struct display *display, bool picked)
{
    browser_pick_end(&display->browser, picked);
}

void display_play(struct display *display, const struct view_play *play)
{
    browser_play(&display->browser, play);
    display_draw(display);
}
