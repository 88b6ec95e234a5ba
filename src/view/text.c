/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A snapshot as text for batch mode: the tables of the screen, through the same columns. */
#include "view/browser.h"

#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <langinfo.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    WIDTH_DEFAULT = 100,
    WIDTH_MOST = 2000,
    OBJECT_ROWS = 40,
    FUNCTION_ROWS = 15,
    REGION_ROWS = 20,
    OFFSET_OBJECTS = 5,
    OFFSETS_EACH = 3,
    BIN_ROWS = 15
};

struct text_writer {
    FILE *out;
    const struct snapshot *snapshot;
    struct canvas line;
    bool color;
};

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

/* Prints the row drawn on the canvas, and blanks it for the next. */
static void end_line(struct text_writer *writer)
{
    char text[WIDTH_MOST * 8];
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

/* Sentences are for people and grep: they are never cut to the width of the tables. */
__attribute__((format(printf, 2, 3))) static void say(struct text_writer *writer,
                                                      const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(writer->out, format, arguments);
    va_end(arguments);
    fputc('\n', writer->out);
}

static void print_rows(struct text_writer *writer, const struct columns *columns, const void *rows,
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
    end_line(writer);
    for (size_t i = 0; i < count && i < most; i++) {
        table_draw_row(&table, &layout, &writer->line, 0, 0,
                       (const char *)rows + i * columns->row_size);
        end_line(writer);
    }
    if (count > most)
        say(writer, "(%zu more; -j lists all)", count - most);
}

static void print_head(struct text_writer *writer)
{
    const struct snapshot *snapshot = writer->snapshot;
    const struct snapshot_source *source = &snapshot->source;
    const struct snapshot_target *target = &snapshot->target;
    const char *event =
        source->ranking < source->event_count ? source->events[source->ranking].name : NULL;
    char pid[24] = "";
    char elapsed[32] = "";
    if (target->pid)
        snprintf(pid, sizeof pid, " %" PRIu32, target->pid);
    if (isfinite(snapshot->elapsed_s))
        snprintf(elapsed, sizeof elapsed, ", %.1f s", snapshot->elapsed_s);
    say(writer, "misstop %s%s, %" PRIu32 " thread%s%s, %s%s%s: %s, %s",
        target->comm ? target->comm : "?", pid, target->threads, target->threads == 1 ? "" : "s",
        elapsed, source->name ? source->name : "?", event ? " " : "", event ? event : "",
        source->weighs ? source->weighs : "",
        snapshot->basis == BASIS_RUN ? "whole run" : "recent past");
}

static double percent(uint64_t part, uint64_t all)
{
    return (double)part * 100 / (double)all;
}

static void print_totals(struct text_writer *writer)
{
    const struct snapshot_totals *totals = &writer->snapshot->totals;
    char rate[32] = "";
    if (isfinite(totals->rate))
        snprintf(rate, sizeof rate, " (%.0f/s)", totals->rate);
    if (!totals->samples) {
        say(writer, "samples 0%s: lost %" PRIu64 ", throttled %" PRIu64, rate, totals->lost,
            totals->throttled);
        return;
    }
    say(writer,
        "samples %" PRIu64 "%s: attributed %.1f%%, kernel %.1f%%, lost %" PRIu64
        ", throttled %" PRIu64,
        totals->samples, rate, percent(totals->attributed, totals->samples),
        percent(totals->reasons[REASON_KERNEL], totals->samples), totals->lost, totals->throttled);
    bool any = false;
    for (int i = REASON_NONE + 1; i < REASON_COUNT; i++) {
        if (!totals->reasons[i] || i == REASON_KERNEL)
            continue;
        fprintf(writer->out, "%s %s %.1f%%",
                any ? "," : "not attributed:", access_reason_name((enum reason)i),
                percent(totals->reasons[i], totals->samples));
        any = true;
    }
    if (any)
        fputc('\n', writer->out);
}

static void print_offsets(struct text_writer *writer)
{
    const struct snapshot *snapshot = writer->snapshot;
    struct hot_offset offsets[OFFSET_OBJECTS * OFFSETS_EACH];
    size_t count = 0;
    for (size_t i = 0; i < snapshot->object_count && i < OFFSET_OBJECTS; i++)
        for (size_t k = 0; k < snapshot->objects[i].field_count && k < OFFSETS_EACH; k++)
            offsets[count++] =
                (struct hot_offset){&snapshot->objects[i], &snapshot->objects[i].fields[k]};
    print_rows(writer, &offset_columns, offsets, count, count);
}

static void print_sets(struct text_writer *writer)
{
    const struct snapshot_sets *sets = &writer->snapshot->sets;
    char p[32] = "";
    if (!sets->sets)
        return;
    if (isfinite(sets->p_value))
        snprintf(p, sizeof p, " (p %.2g)", sets->p_value);
    say(writer, "\nsets %s, %" PRIu32 " by %s address: %s%s, %" PRIu32 " hot%s%s",
        sets->level ? sets->level : "?", sets->sets, sets->index ? sets->index : "?",
        sets_verdict_name(sets->verdict), p, sets->hot_sets, sets->reading ? ". " : "",
        sets->reading ? sets->reading : "");
}

static void print_window(struct text_writer *writer)
{
    const struct snapshot_window *window = &writer->snapshot->window;
    if (!window->used)
        return;
    say(writer,
        "window %" PRIu64 " samples, %" PRIu64 " lines: %" PRIu64 " seen once, %" PRIu64
        " again%s%s",
        window->used, window->addresses, window->singletons, window->recurring,
        window->reading ? ". " : "", window->reading ? window->reading : "");
}

static void print_heap(struct text_writer *writer)
{
    const struct snapshot_heap *heap = &writer->snapshot->heap;
    const struct heap_summary *summary = &heap->summary;
    char bytes[16];
    char lost[48] = "";
    if (summary->feed == HEAP_FEED_NONE) {
        if (summary->note)
            say(writer, "\nheap: %s", summary->note);
        return;
    }
    if (summary->lost)
        snprintf(lost, sizeof lost, ", %" PRIu64 " events lost", summary->lost);
    say(writer, "\nheap %s in %" PRIu64 " blocks, known by %s%s%s%s",
        text_bytes(bytes, summary->usable_bytes), summary->live_blocks,
        summary->source ? summary->source : "?", lost, summary->note ? ". " : "",
        summary->note ? summary->note : "");
    print_rows(writer, &bin_columns, heap->bins, heap->bin_count, BIN_ROWS);
}

static void print_search(struct text_writer *writer)
{
    const struct snapshot_search *search = &writer->snapshot->search;
    char explained[48] = "";
    if (search->state == SEARCH_OFF)
        return;
    if (isfinite(search->explained))
        snprintf(explained, sizeof explained, ", found explains %.1f%%", search->explained * 100);
    say(writer, "\nsearch in %s: %s, round %" PRIu32 " of %.3g s, %" PRIu32 " ways%s",
        search->what && *search->what ? search->what : "all", search_state_name(search->state),
        search->iteration, search->interval_s, search->ways, explained);
    print_rows(writer, &region_columns, search->regions, search->region_count, REGION_ROWS);
}

static unsigned width_of(FILE *out, const struct view_options *options)
{
    struct winsize size;
    unsigned width = options->width;
    if (!width && isatty(fileno(out)) && !ioctl(fileno(out), TIOCGWINSZ, &size))
        width = size.ws_col;
    if (!width)
        width = WIDTH_DEFAULT;
    return width < BROWSER_COLUMNS_MIN ? BROWSER_COLUMNS_MIN
           : width > WIDTH_MOST        ? WIDTH_MOST
                                       : width;
}

static bool color_of(FILE *out, const struct view_options *options)
{
    const char *no_color = getenv("NO_COLOR");
    return options->color == VIEW_COLOR_ALWAYS ||
           (options->color == VIEW_COLOR_AUTO && !(no_color && *no_color) && isatty(fileno(out)));
}

int text_print(FILE *out, const struct snapshot *snapshot, const struct view_options *options)
{
    struct text_writer writer = {out, snapshot, {0}, color_of(out, options)};
    bool ascii = options->ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
    int code = canvas_init(&writer.line, 1, (int)width_of(out, options), ascii);
    if (code)
        return code;
    errno = 0;
    print_head(&writer);
    print_totals(&writer);
    if (snapshot->status)
        say(&writer, "note: %s", snapshot->status);
    if (!snapshot->object_count)
        say(&writer, "\nno object yet%s", snapshot->totals.samples ? "" : ": no samples");
    print_rows(&writer, &object_columns, snapshot->objects, snapshot->object_count, OBJECT_ROWS);
    print_offsets(&writer);
    print_heap(&writer);
    print_rows(&writer, &function_columns, snapshot->code, snapshot->code_count, FUNCTION_ROWS);
    print_search(&writer);
    print_sets(&writer);
    print_window(&writer);
    fputc('\n', out);
    if (fflush(out) == EOF || ferror(out))
        code = errno ? -errno : -EIO;
    canvas_fini(&writer.line);
    return code;
}
