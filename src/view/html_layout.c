/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A type as it lies in cache lines: a strip of bytes for each line, and the rows of the Layout
 * screen; declared in html_part.h. */
#include "view/html_part.h"

#include "view/field_words.h"
#include "view/html_table.h"
#include "view/layout_rows.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    LINE_BYTES = 64,
    LINES_DRAWN = 24,
    ROWS = 200,
    BYTE = 12,  /* width of one, like the rest in units of the drawing */
    LEFT = 110, /* the line's own figures */
    HEIGHT = 20,
    STEP = 24,
    RULER = 16,
    GLYPH = 6
};

/* Bytes of one row that lie in one cache line. */
struct piece {
    unsigned at; /* from the start of the cache line */
    unsigned size;
};

static unsigned line_bytes(const struct html_writer *writer)
{
    uint32_t line = writer->snapshot->sets.line;
    return line == 32 || line == 128 ? line : LINE_BYTES;
}

/* false: none. The first line may begin before the type does. */
static bool cut(const struct snapshot_layout *layout, size_t line, uint64_t start, uint64_t end,
                unsigned bytes, struct piece *piece)
{
    const struct snapshot_layout_line *on = &layout->lines[line];
    uint64_t from = start > on->start ? start : on->start;
    uint64_t to = end < on->end ? end : on->end;
    uint64_t shift = line ? 0 : layout->phase;
    if (from >= to || shift + (to - on->start) > bytes)
        return false;
    *piece = (struct piece){(unsigned)(from - on->start + shift), (unsigned)(to - from)};
    return true;
}

static void draw_label(struct html_writer *writer, const struct snapshot_layout_row *row,
                       const struct piece *piece, int y, bool hot)
{
    const char *name = row->member.name;
    if (!name || !*name || strlen(name) * GLYPH + 4 > piece->size * BYTE)
        return;
    html_markup(writer, "<text class=\"%s\" x=\"%u\" y=\"%d\">", hot ? "on" : "dim",
                LEFT + piece->at * BYTE + 4, y + 14);
    html_text(writer, name);
    html_markup(writer, "</text>");
}

static void draw_piece(struct html_writer *writer, const struct snapshot_layout_row *row,
                       const struct piece *piece, int y)
{
    bool hot = row->samples > 0 && html_known(row->share);
    const char *class = row->kind == LAYOUT_HOLE || row->kind == LAYOUT_PADDING ? "hole"
                        : hot ? html_class(paint_heat(fmin(fmax(row->share, 0), 1)))
                              : "cold";
    html_markup(writer, "<rect class=\"%s\" x=\"%u\" y=\"%d\" width=\"%u\" height=\"%d\"><title>",
                class, LEFT + piece->at * BYTE, y, piece->size * BYTE - 1, HEIGHT);
    html_text(writer, row->kind == LAYOUT_HOLE      ? "hole"
                      : row->kind == LAYOUT_PADDING ? "padding"
                      : row->member.name            ? row->member.name
                                                    : "");
    html_markup(writer, ", +%" PRIu64, row->member.offset);
    if (hot)
        html_markup(writer, ", %.1f%%", row->share * 100);
    html_markup(writer, "</title></rect>");
    draw_label(writer, row, piece, y, hot);
}

/* A row's end; one that would pass the end of 64 bits has none. */
static uint64_t end_of(const struct snapshot_layout_row *row)
{
    uint64_t end;
    return __builtin_add_overflow(row->member.offset, row->member.size, &end) ? UINT64_MAX : end;
}

static void draw_line(struct html_writer *writer, const struct snapshot_layout *layout, size_t line,
                      unsigned bytes)
{
    int y = RULER + (int)line * STEP;
    struct piece piece;
    html_markup(writer, "<text class=\"dim\" x=\"0\" y=\"%d\">line %zu", y + 14, line);
    if (html_known(layout->lines[line].share))
        html_markup(writer, "  %.1f%%", layout->lines[line].share * 100);
    html_markup(writer,
                "</text><rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%u\" "
                "height=\"%d\"/>\n",
                LEFT, y, bytes * BYTE, HEIGHT);
    for (size_t i = 0; i < layout->row_count && i < ROWS; i++) {
        const struct snapshot_layout_row *row = &layout->rows[i];
        if (!row->has_members && cut(layout, line, row->member.offset, end_of(row), bytes, &piece))
            draw_piece(writer, row, &piece, y);
    }
    html_markup(writer, "\n");
}

static void draw(struct html_writer *writer, const struct snapshot_layout *layout)
{
    unsigned bytes = line_bytes(writer);
    size_t lines = layout->line_count < LINES_DRAWN ? layout->line_count : LINES_DRAWN;
    if (!lines)
        return;
    html_markup(writer,
                "<div class=\"wide\"><svg class=\"chart\" viewBox=\"0 0 %u %zu\" "
                "role=\"img\" aria-label=\"fields in cache lines\">\n",
                LEFT + bytes * BYTE + 4, RULER + lines * STEP);
    for (unsigned byte = 0; byte < bytes; byte += 8)
        html_markup(writer, "<text class=\"dim\" x=\"%u\" y=\"11\">%u</text>", LEFT + byte * BYTE,
                    byte);
    for (size_t i = 0; i < lines; i++)
        draw_line(writer, layout, i, bytes);
    html_markup(writer, "</svg></div>\n");
    if (layout->line_count > lines)
        html_markup(writer, "<p class=\"dim\">%zu lines more.</p>\n", layout->line_count - lines);
}

static void write_title(struct html_writer *writer, const struct snapshot_object *object,
                        const struct snapshot_layout *layout)
{
    char known[256];
    field_known(object, layout, known, sizeof known);
    html_markup(writer, "<h3>Layout of ");
    html_text(writer, layout->inferred ? "one element" : layout->name);
    html_markup(writer, "</h3>\n<p class=\"dim\">%" PRIu64 " bytes", layout->size);
    if (html_known(layout->share))
        html_markup(writer, ", %.1f%% of the object's samples", layout->share * 100);
    html_format(writer, "; %s", known);
    html_markup(writer, "</p>\n");
}

void html_layout(struct html_writer *writer, const struct snapshot_object *object,
                 const struct snapshot_layout *layout)
{
    const struct layout_folds none = {.count = 0};
    struct layout_rows rows = {.list = NULL};
    write_title(writer, object, layout);
    html_element(writer, "p", "says", layout->reading);
    draw(writer, layout);
    layout_rows_make(&rows, layout, &none);
    html_table(writer, &(struct html_table){.columns = &layout_columns,
                                            .rows = rows.list,
                                            .count = rows.count,
                                            .most = ROWS,
                                            .code = true});
    layout_rows_fini(&rows);
}
