/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit/view/screen_fixture.h"

#include <string.h>

#include "base/clock.h"
#include "unit.h"

struct browser screen_browser;
struct canvas screen_canvas;

static struct request press_input(const struct input *input)
{
    struct request request = browser_input(&screen_browser, input);
    screen_draw();
    return request;
}

struct request screen_press_keys(const uint32_t *keys, size_t count)
{
    struct request request = {0};
    for (size_t i = 0; i < count; i++)
        request = press_input(&(struct input){.kind = INPUT_KEY, .key = keys[i]});
    return request;
}

void screen_type(const char *text)
{
    for (; *text; text++)
        screen_press((uint32_t)*text);
}

struct request screen_click(int row, int column)
{
    return press_input(&(struct input){.kind = INPUT_CLICK, .row = row, .column = column});
}

void screen_draw(void)
{
    browser_draw(&screen_browser, &screen_canvas, clock_now_ns());
}

void screen_resize(int rows, int columns, bool ascii)
{
    canvas_fini(&screen_canvas);
    canvas_init(&screen_canvas, rows, columns, ascii);
}

void screen_open_on(const struct snapshot *snapshot, int rows, int columns, bool ascii,
                    const char *keys)
{
    browser_init(&screen_browser, NULL);
    canvas_init(&screen_canvas, rows, columns, ascii);
    if (snapshot)
        browser_show(&screen_browser, snapshot, fixture_release);
    screen_draw();
    for (; *keys; keys++)
        screen_press(*keys == '\n'     ? KEYS_ENTER
                     : *keys == '~'    ? KEYS_RIGHT
                     : *keys == '\x02' ? KEYS_F2
                                       : (uint32_t)*keys);
}

void screen_open(enum fixture_kind kind, int rows, int columns, bool ascii, const char *keys)
{
    screen_open_on(fixture_new(kind, 0), rows, columns, ascii, keys);
}

void screen_close(void)
{
    browser_fini(&screen_browser);
    canvas_fini(&screen_canvas);
    assert_int_equal(fixture_alive(), 0);
}

int screen_teardown(void **state)
{
    (void)state;
    screen_close();
    return 0;
}

const char *screen_row(int at)
{
    static char line[2048];
    canvas_row_text(&screen_canvas, at, line, sizeof line);
    return line;
}

int screen_row_with(const char *text)
{
    for (int at = 0; at < screen_canvas.rows; at++)
        if (strstr(screen_row(at), text))
            return at;
    return -1;
}

int screen_column_of(int at, const char *text)
{
    char line[2048];
    strcpy(line, screen_row(at));
    char *found = strstr(line, text);
    if (!found)
        return -1;
    *found = '\0';
    return glyph_columns(line, false);
}

struct area screen_find(const char *text)
{
    int row = screen_row_with(text);
    return (struct area){.row = row, .column = row < 0 ? 0 : screen_column_of(row, text)};
}

bool screen_has(const char *text)
{
    return screen_row_with(text) >= 0;
}
