/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/pen.h"

#include "view/glyph.h"

#include <stdarg.h>
#include <stdio.h>

void pen_part(struct pen *pen, enum paint paint, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pen->column +=
        canvas_text(pen->canvas, pen->row, pen->column, pen->end - pen->column, paint, text);
}

bool pen_whole(struct pen *pen, enum paint paint, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (pen->column + glyph_columns(text, pen->canvas->ascii) > pen->end)
        return false;
    pen_part(pen, paint, "%s", text);
    return true;
}
