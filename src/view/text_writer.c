/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/text_writer.h"

#include "view/table.h"

#include <langinfo.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH_DEFAULT = 100 };

static unsigned width_of(FILE *out, const struct view_options *options)
{
    struct winsize size;
    unsigned width = options->width;
    if (!width && isatty(fileno(out)) && !ioctl(fileno(out), TIOCGWINSZ, &size))
        width = size.ws_col;
    if (!width)
        width = WIDTH_DEFAULT;
    return width < BROWSER_COLUMNS_MIN ? BROWSER_COLUMNS_MIN
           : width > TEXT_WIDTH_MOST   ? TEXT_WIDTH_MOST
                                       : width;
}

static bool color_of(FILE *out, const struct view_options *options)
{
    const char *no_color = getenv("NO_COLOR");
    return options->color == VIEW_COLOR_ALWAYS ||
           (options->color == VIEW_COLOR_AUTO && !(no_color && *no_color) && isatty(fileno(out)));
}

int text_writer_init(struct text_writer *writer, FILE *out, const struct snapshot *snapshot,
                     const struct view_options *options)
{
    bool ascii = options->ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
    *writer = (struct text_writer){out, snapshot, {0}, color_of(out, options)};
    return canvas_init(&writer->line, 1, (int)width_of(out, options), ascii);
}

static void write_color(FILE *out, enum paint paint)
{
    const struct paint_look *look = paint_look(paint);
    fputs("\033[0", out);
    if (look->attributes_256 & PAINT_BOLD)
        fputs(";1", out);
    if (look->text_256 >= 0)
        fprintf(out, ";38;5;%d", look->text_256);
    if (look->ground_256 >= 0)
        fprintf(out, ";48;5;%d", look->ground_256);
    fputc('m', out);
}

static void write_cells(const struct text_writer *writer, int columns)
{
    int paint = PAINT_PLAIN;
    for (int column = 0; column < columns; column++) {
        const struct cell *cell = canvas_at(&writer->line, 0, column);
        if (cell->columns && cell->paint != paint)
            write_color(writer->out, (enum paint)(paint = cell->paint));
        for (int i = 0; cell->columns && i < CELL_GLYPHS && cell->text[i]; i++) {
            char bytes[5];
            glyph_encode(bytes, cell->text[i]);
            fputs(bytes, writer->out);
        }
    }
    if (paint != PAINT_PLAIN)
        fputs("\033[0m", writer->out);
}

void text_canvas(struct text_writer *writer)
{
    char text[TEXT_WIDTH_MOST * 8];
    if (writer->color) {
        int columns = writer->line.columns;
        while (columns > 0 && canvas_at(&writer->line, 0, columns - 1)->text[0] == L' ' &&
               canvas_at(&writer->line, 0, columns - 1)->columns)
            columns--;
        write_cells(writer, columns);
    } else {
        canvas_row_text(&writer->line, 0, text, sizeof text);
        fputs(text, writer->out);
    }
    fputc('\n', writer->out);
    canvas_clear(&writer->line);
}

void text_say(struct text_writer *writer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(writer->out, format, arguments);
    va_end(arguments);
    fputc('\n', writer->out);
}

void text_rows(struct text_writer *writer, const struct columns *columns, const void *rows,
               size_t count, size_t most)
{
    struct layout layout;
    struct table table;
    if (!count)
        return;
    table_init(&table, columns);
    table.snapshot = writer->snapshot;
    table.sort = COLUMNS_MAX; /* rows stand as they come; no arrow */
    /* Bars and trends are for the eye; text has the figures. */
    columns_layout(columns, writer->snapshot, rows, count, writer->line.columns, false, &layout);
    fputc('\n', writer->out);
    table_draw_row(&table, &layout, &writer->line, 0, 0, NULL);
    text_canvas(writer);
    for (size_t i = 0; i < count && i < most; i++) {
        table_draw_row(&table, &layout, &writer->line, 0, 0,
                       (const char *)rows + i * columns->row_size);
        text_canvas(writer);
    }
    if (count > most)
        text_say(writer, "(%zu more; -j lists all)", count - most);
}
