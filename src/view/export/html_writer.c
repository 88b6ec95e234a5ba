/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/export/writers.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/text.h"

/* Larger figures come from damaged data, and could overflow as a percentage. */
static const double drawn_max = 1e100;

enum { PIECE = 256, TEXT_MAX = 4000, FORMAT_MAX = 4096 };

void html_markup(struct html_writer *writer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(writer->out, format, arguments);
    va_end(arguments);
}

static const char *html_escape(char byte)
{
    switch (byte) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

/* Writes printable UTF-8. U+FFFE and U+FFFF are valid characters, but not in XML. */
static void html_writer_put(FILE *out, const char *text)
{
    for (; *text; text++) {
        const char *escape = html_escape(*text);
        if (escape) {
            fputs(escape, out);
        } else if (!strncmp(text, "\xef\xbf\xbe", 3) || !strncmp(text, "\xef\xbf\xbf", 3)) {
            fputc('?', out);
            text += 2;
        } else {
            fputc(*text, out);
        }
    }
}

/* Returns the size of the next piece, which ends between characters. */
static size_t piece_size(const char *text, size_t left)
{
    if (left <= PIECE)
        return left;
    size_t size = PIECE;
    while (size > PIECE - 4 && ((unsigned char)text[size] & 0xc0) == 0x80)
        size--;
    return size;
}

void html_text(struct html_writer *writer, const char *text)
{
    char piece[PIECE + 1];
    size_t size = text ? strnlen(text, TEXT_MAX + 1) : 0;
    bool cut = size > TEXT_MAX;
    for (size_t at = 0, step; at < size && (!cut || at + PIECE <= TEXT_MAX); at += step) {
        step = piece_size(text + at, size - at);
        text_sanitise(piece, sizeof piece, text + at, step);
        html_writer_put(writer->out, piece);
    }
    if (cut)
        fputs("…", writer->out);
}

void html_format(struct html_writer *writer, const char *format, ...)
{
    char text[FORMAT_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    html_text(writer, text);
}

/* Writes one conversion of a format; supports the ones used here: text, integers, doubles. */
static void write_conversion(struct html_writer *writer, const char *conversion, char kind,
                             va_list *arguments)
{
    bool precise = strchr(conversion, '*');
    int precision = precise ? va_arg(*arguments, int) : 0;
    if (kind == 's')
        html_text(writer, va_arg(*arguments, const char *));
    else if (strchr("fge", kind) && precise)
        html_markup(writer, conversion, precision, va_arg(*arguments, double));
    else if (strchr("fge", kind))
        html_markup(writer, conversion, va_arg(*arguments, double));
    else if (strpbrk(conversion, "zl"))
        html_markup(writer, conversion, va_arg(*arguments, unsigned long));
    else
        html_markup(writer, conversion, va_arg(*arguments, unsigned));
}

void html_printf(struct html_writer *writer, const char *format, ...)
{
    char conversion[16];
    va_list arguments;
    va_start(arguments, format);
    for (const char *at = format, *next; *at; at = next) {
        next = *at == '%' ? strpbrk(at + 1, "sduxfge%") : strchrnul(at, '%');
        if (*at != '%') {
            fwrite(at, 1, (size_t)(next - at), writer->out);
        } else if (*next++ == '%') {
            fputc('%', writer->out);
        } else {
            snprintf(conversion, sizeof conversion, "%.*s", (int)(next - at), at);
            write_conversion(writer, conversion, next[-1], &arguments);
        }
    }
    va_end(arguments);
}

void html_element(struct html_writer *writer, const char *tag, const char *class, const char *text)
{
    if (!text || !*text)
        return;
    html_markup(writer, "<%s%s%s%s>", tag, *class ? " class=\"" : "", class, *class ? "\"" : "");
    html_text(writer, text);
    html_markup(writer, "</%s>\n", tag);
}

void html_details(struct html_writer *writer, bool open)
{
    html_markup(writer, open ? "<details open=\"open\">" : "<details>");
}

void html_facts(struct html_writer *writer, const struct columns *columns, const void *row)
{
    struct explained line;
    const char *label = "";
    for (unsigned i = 0; columns->explain(writer->snapshot, row, i, &line); i++) {
        if (!*line.text)
            continue;
        html_element(writer, "dt", "", strcmp(label, line.label) ? line.label : "");
        html_element(writer, "dd", "says", line.text);
        label = line.label;
    }
}

void html_explain(struct html_writer *writer, const struct columns *columns, const void *row,
                  bool open)
{
    char name[COLUMN_TEXT_BYTES];
    columns_caption(columns, writer->snapshot, row, name, sizeof name);
    html_details(writer, open);
    html_printf(writer, "<summary><b>%s</b></summary>\n<dl class=\"facts\">\n", name);
    html_facts(writer, columns, row);
    html_markup(writer, "</dl></details>\n");
}

const char *html_class(enum paint paint)
{
    static const char *const classes[PAINT_COUNT] = {
        [PAINT_DIM] = "dim",     [PAINT_STRONG] = "strong", [PAINT_GOOD] = "good",
        [PAINT_WARN] = "warn",   [PAINT_BAD] = "bad",       [PAINT_LOAD] = "load",
        [PAINT_STORE] = "store", [PAINT_HEAT_0] = "h0",     [PAINT_HEAT_1] = "h1",
        [PAINT_HEAT_2] = "h2",   [PAINT_HEAT_3] = "h3",     [PAINT_HEAT_4] = "h4",
        [PAINT_HEAT_5] = "h5",   [PAINT_SERIES_0] = "s0",   [PAINT_SERIES_1] = "s1",
        [PAINT_SERIES_2] = "s2", [PAINT_SERIES_3] = "s3",   [PAINT_SERIES_4] = "s4",
        [PAINT_SERIES_5] = "s5",
    };
    return classes[paint] ? classes[paint] : "";
}

bool html_known(double number)
{
    return fabs(number) < drawn_max;
}

/* ---- layouts ---- */

enum { CELL_WIDTH = 8, CELL_HEIGHT = 16, WORD_BYTES = 1024 };

/* Returns the height of a cell filled from the bottom; 0: it has text, or nothing. */
static int filled_height(const struct cell *cell)
{
    wchar_t code = cell->text[0];
    return code == L'░' ? CELL_HEIGHT : code >= L'▁' && code <= L'█' ? 2 * (code - L'▁' + 1) : 0;
}

/* All cells of one colour are one path, so that no seams show between them. */
static void write_filled(struct html_writer *writer, const struct canvas *canvas, enum paint paint)
{
    bool any = false;
    for (int row = 0; row < canvas->rows; row++)
        for (int column = 0; column < canvas->columns; column++) {
            const struct cell *cell = canvas_at(canvas, row, column);
            int height = cell->paint == paint ? filled_height(cell) : 0;
            if (!height)
                continue;
            if (!any)
                html_markup(writer, "<path class=\"%s\" d=\"", html_class(paint));
            any = true;
            html_markup(writer, "M%d %dv-%dh%dv%dz", column * CELL_WIDTH, (row + 1) * CELL_HEIGHT,
                        height, CELL_WIDTH, height);
        }
    html_markup(writer, "%s", any ? "\"/>\n" : "");
}

/* Makes each word as wide as on the screen, whatever the font. */
static void write_words(struct html_writer *writer, const struct canvas *canvas, int row)
{
    for (int column = 0, end; column < canvas->columns; column = end) {
        const struct cell *first = canvas_at(canvas, row, column);
        char word[WORD_BYTES] = "";
        for (end = column; end < canvas->columns; end++) {
            const struct cell *cell = canvas_at(canvas, row, end);
            if (cell->text[0] == L' ' || filled_height(cell) || cell->paint != first->paint)
                break;
            for (int i = 0; cell->columns && i < CELL_GLYPHS && cell->text[i]; i++) {
                char bytes[5];
                glyph_encode(bytes, cell->text[i]);
                text_append(word, sizeof word, "%s", bytes);
            }
        }
        if (end > column)
            html_printf(writer,
                        "<text class=\"%s\" x=\"%d\" y=\"%d\" textLength=\"%d\">%s</text>\n",
                        html_class(first->paint), column * CELL_WIDTH, row * CELL_HEIGHT + 12,
                        (end - column) * CELL_WIDTH, word);
        end += end == column;
    }
}

void html_picture(struct html_writer *writer, struct canvas *canvas, int rows, const char *label)
{
    canvas->rows = rows;
    html_printf(writer,
                "<div class=\"wide\"><svg class=\"picture\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                "role=\"img\" aria-label=\"%s\">\n",
                canvas->columns * CELL_WIDTH, rows * CELL_HEIGHT,
                canvas->columns * (CELL_WIDTH + 1), label);
    for (int paint = 0; paint < PAINT_COUNT; paint++)
        write_filled(writer, canvas, (enum paint)paint);
    for (int row = 0; row < rows; row++)
        write_words(writer, canvas, row);
    html_markup(writer, "</svg></div>\n");
    canvas_fini(canvas);
}

struct html_table {
    const struct columns *columns;
    const void *rows;
    size_t count;
    size_t rows_max;
    bool (*link)(const struct snapshot *snapshot, const void *row, char *id, size_t size);
    const struct column *name_column; /* column with the name of the row; NULL: none */
};

static const void *row_at(const struct html_table *table, size_t index)
{
    return (const char *)table->rows + index * table->columns->row_size;
}

static const char *parting_of(const struct html_table *table, const void *row)
{
    return table->columns->parting ? table->columns->parting(row) : NULL;
}

static bool has_content_value(struct value value)
{
    return value.kind == VALUE_NUMBER ? html_known(value.number) : value.kind != VALUE_UNKNOWN;
}

static size_t rows_shown(const struct html_table *table)
{
    return table->count < table->rows_max ? table->count : table->rows_max;
}

/* Returns false if all cells of a column would be blank. */
static bool has_content(const struct html_writer *writer, const struct html_table *table,
                        unsigned index)
{
    const struct column *column = &table->columns->list[index];
    if (!columns_shown(table->columns, index, writer->snapshot))
        return false;
    for (size_t i = 0; i < rows_shown(table); i++)
        if (!parting_of(table, row_at(table, i)) &&
            has_content_value(columns_value(column, writer->snapshot, row_at(table, i))))
            return true;
    return false;
}

static const char *class_of_look(const struct html_table *table, const struct column *column)
{
    switch (column->look) {
    case COLUMN_RIGHT:
        return "num";
    case COLUMN_BAR:
    case COLUMN_SPARK:
        return "pic";
    case COLUMN_CODE:
        return "code";
    case COLUMN_NAME:
        return table->columns->code ? "name code" : "name";
    default:
        return column->format ? "num" : table->columns->code ? "code" : "txt";
    }
}

static void write_titles(struct html_writer *writer, const struct html_table *table,
                         const bool shown[COLUMNS_MAX])
{
    html_markup(writer, "<thead><tr>");
    for (unsigned i = 0; i < table->columns->count; i++) {
        const struct column *column = &table->columns->list[i];
        if (!shown[i])
            continue;
        html_printf(writer, "<th scope=\"col\" class=\"%s\" title=\"%s\">%s</th>",
                    class_of_look(table, column), column->help, column->title);
    }
    html_markup(writer, "</tr></thead>\n");
}

static double clamp_share(double part)
{
    return fmin(fmax(part, 0), 1);
}

/* Draws a bar with its interval as a whisker, to compare bars. */
static void write_bar(struct html_writer *writer, const struct html_table *table, const void *row,
                      double part)
{
    const struct path *interval = &table->columns->interval;
    const struct snapshot_share *share =
        interval->kind != PATH_NONE ? path_target(interval, row) : NULL;
    html_markup(writer,
                "<svg class=\"bar\" viewBox=\"0 0 100 12\" preserveAspectRatio=\"none\">"
                "<rect class=\"%s\" y=\"1\" width=\"%.1f\" height=\"10\"/>",
                html_class(paint_heat(clamp_share(part))), clamp_share(part) * 100);
    if (share && html_known(share->low) && html_known(share->high))
        html_markup(writer, "<path class=\"whisker\" d=\"M%.1f 6H%.1fM%.1f 3V9M%.1f 3V9\"/>",
                    clamp_share(share->low) * 100, clamp_share(share->high) * 100,
                    clamp_share(share->low) * 100, clamp_share(share->high) * 100);
    html_markup(writer, "</svg>");
}

/* Each row has its own scale, as on the screen. */
static void write_spark(struct html_writer *writer, const float *series)
{
    float most = 0;
    bool drawing = false;
    for (int i = 0; i < SNAPSHOT_HISTORY; i++)
        if (isfinite(series[i]) && series[i] > most)
            most = series[i];
    html_markup(writer, "<svg class=\"spark\" viewBox=\"0 0 %d 16\" preserveAspectRatio=\"none\">",
                (SNAPSHOT_HISTORY - 1) * 3);
    html_markup(writer, "<path d=\"");
    for (int i = 0; i < SNAPSHOT_HISTORY && most > 0; i++) {
        if (isfinite(series[i]))
            html_markup(writer, "%c%d %.1f", drawing ? 'L' : 'M', i * 3,
                        15 - 14 * fmax(series[i] / most, 0));
        drawing = isfinite(series[i]);
    }
    html_markup(writer, "\"/></svg>");
}

static void write_name(struct html_writer *writer, const struct html_table *table, const void *row,
                       const char *text)
{
    char id[32];
    const struct path *index = &table->columns->object;
    const struct snapshot_object *object =
        index->kind != PATH_NONE
            ? columns_object(writer->snapshot, (uint32_t)path_value(index, row).integer)
            : NULL;
    bool links = table->link ? table->link(writer->snapshot, row, id, sizeof id)
                             : object && html_object_link(writer->snapshot, object, id, sizeof id);
    if (links)
        html_markup(writer, "<a href=\"#%s\">", id);
    html_text(writer, text);
    if (links)
        html_markup(writer, "</a>");
}

static void write_cell(struct html_writer *writer, const struct html_table *table,
                       const struct column *column, const void *row)
{
    char text[COLUMN_TEXT_BYTES];
    struct value value = columns_value(column, writer->snapshot, row);
    bool known = has_content_value(value);
    const char *paint = known && column->paint ? html_class(column->paint(value)) : "";
    html_markup(writer, "<td class=\"%s%s%s\"", class_of_look(table, column), *paint ? " " : "",
                paint);
    /* Sort by the value instead of the text. */
    if (known && value.kind == VALUE_NUMBER)
        html_markup(writer, " data-v=\"%.9g\"", value.number);
    else if (known && value.kind == VALUE_INTEGER)
        html_markup(writer, " data-v=\"%" PRIu64 "\"", value.integer);
    else if (known && value.kind == VALUE_SIGNED)
        html_markup(writer, " data-v=\"%" PRId64 "\"", (int64_t)value.integer);
    html_markup(writer, ">");
    if (column->look == COLUMN_SPARK) {
        write_spark(writer, column->series(row));
    } else if (known && column->look == COLUMN_BAR) {
        write_bar(writer, table, row, value.number);
    } else if (known && column->format) {
        column->format(text, sizeof text, value);
        html_text(writer, text);
    } else if (known && column == table->name_column) {
        write_name(writer, table, row, value.text);
    } else if (known) {
        html_text(writer, value.text);
    }
    html_markup(writer, "</td>");
}

static void write_row(struct html_writer *writer, const struct html_table *table,
                      const bool shown[COLUMNS_MAX], unsigned columns, const void *row)
{
    const char *parting = parting_of(table, row);
    if (parting) {
        html_printf(writer, "<tr class=\"rule\"><td colspan=\"%u\">%s</td></tr>\n", columns,
                    parting);
        return;
    }
    html_markup(writer, "<tr>");
    for (unsigned i = 0; i < table->columns->count; i++)
        if (shown[i])
            write_cell(writer, table, &table->columns->list[i], row);
    html_markup(writer, "</tr>\n");
}

static void write_table(struct html_writer *writer, const struct html_table *table)
{
    bool shown[COLUMNS_MAX] = {false};
    unsigned columns = 0;
    bool parted = false;
    for (unsigned i = 0; i < table->columns->count; i++)
        columns += shown[i] = has_content(writer, table, i);
    for (size_t i = 0; i < rows_shown(table) && !parted; i++)
        parted = parting_of(table, row_at(table, i)) != NULL;
    if (!columns)
        return;
    /* Rows between separators belong together, so such a table is not sortable. */
    html_markup(writer, "<div class=\"wide\"><table%s>\n", parted ? "" : " class=\"sorts\"");
    write_titles(writer, table, shown);
    html_markup(writer, "<tbody>\n");
    for (size_t i = 0; i < rows_shown(table); i++)
        write_row(writer, table, shown, columns, row_at(table, i));
    html_markup(writer, "</tbody></table></div>\n");
    if (table->count > rows_shown(table))
        html_markup(writer, "<p class=\"dim\">%zu more; the JSON report (-j) lists all.</p>\n",
                    table->count - rows_shown(table));
}

void html_linked_rows(struct html_writer *writer, const struct columns *columns, const void *rows,
                      size_t count, size_t most,
                      bool (*link)(const struct snapshot *snapshot, const void *row, char *id,
                                   size_t size))
{
    struct html_table table = {columns, rows, count, most, link, NULL};
    for (unsigned i = columns->count; i-- > 0;)
        if (columns->list[i].look == COLUMN_NAME && columns->list[i].paint == paint_strong)
            table.name_column = &columns->list[i];
    write_table(writer, &table);
}

void html_rows(struct html_writer *writer, const struct columns *columns, const void *rows,
               size_t count, size_t most)
{
    html_linked_rows(writer, columns, rows, count, most, NULL);
}
