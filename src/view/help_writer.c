/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/help_writer.h"

#include <stdio.h>
#include <string.h>

enum { LABEL_COLUMNS = 16 };

static bool in_sight(const struct help_writer *writer)
{
    return writer->line >= writer->top && writer->line < writer->top + writer->area.rows;
}

static int row_of(const struct help_writer *writer)
{
    return writer->area.row + writer->line - writer->top;
}

/* An entry begins with the line that is found. */
static void look(struct help_writer *writer, const char *label, const char *text)
{
    if (writer->word && writer->found < 0 && writer->line >= writer->from &&
        (strcasestr(label, writer->word) || strcasestr(text, writer->word)))
        writer->found = writer->line;
}

void help_heading(struct help_writer *writer, const char *text)
{
    if (writer->line)
        writer->line++;
    look(writer, "", text);
    if (in_sight(writer))
        canvas_text(writer->canvas, row_of(writer), 1, writer->area.columns - 2, PAINT_PANE, text);
    writer->line++;
}

/* A label and its explanation, broken at spaces under itself. */
void help_entry(struct help_writer *writer, enum paint paint, const char *label, const char *text)
{
    int column = *label ? LABEL_COLUMNS + 3 : 3;
    int columns = writer->area.columns - column - 1;
    look(writer, label, text);
    if (in_sight(writer))
        canvas_text(writer->canvas, row_of(writer), 3, LABEL_COLUMNS - 1, paint, label);
    while (*text) {
        char line[512];
        int used = 0;
        size_t bytes = 0;
        size_t space = 0;
        struct glyph glyph;
        for (; (glyph = glyph_next(text + bytes, false)).bytes; bytes += glyph.bytes) {
            used += glyph.columns;
            if (text[bytes] == ' ')
                space = bytes;
            if (used > columns) {
                bytes = space ? space : bytes;
                break;
            }
        }
        snprintf(line, sizeof line, "%.*s", (int)bytes, text);
        if (in_sight(writer))
            canvas_text(writer->canvas, row_of(writer), column, columns, PAINT_PLAIN, line);
        writer->line++;
        text += bytes ? bytes : strlen(text);
        text += strspn(text, " ");
    }
}
