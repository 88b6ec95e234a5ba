/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A snapshot as text for batch mode: the tables of the screen, with the same columns. */
#include "view/export/writers.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <langinfo.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"
#include "profile/tables/rates.h"
#include "view/answer.h"
#include "view/findings.h"
#include "view/levels.h"
#include "view/screens/causes.h"
#include "view/screens/matrix_table.h"
#include "view/words.h"
#include "view/screens/rows.h"
#include "view/widget/table.h"

/* ---- the first lines: what was watched, how, and how far to trust it ---- */

static void print_head(struct text_writer *writer)
{
    const struct snapshot *snapshot = writer->snapshot;
    const struct snapshot_source *source = &snapshot->source;
    const struct snapshot_target *target = &snapshot->target;
    const struct snapshot_event *ranking = ranking_event(source);
    const char *event = ranking ? ranking->name : NULL;
    char pid[24] = "";
    char threads[32] = "";
    char elapsed[32] = "";
    if (target->pid)
        snprintf(pid, sizeof pid, " %" PRIu32, target->pid);
    if (isfinite(snapshot->elapsed_s))
        snprintf(elapsed, sizeof elapsed, ", %.1f s", snapshot->elapsed_s);
    if (target->threads)
        snprintf(threads, sizeof threads, ", %" PRIu32 " thread%s", target->threads,
                 target->threads == 1 ? "" : "s");
    text_printf(writer, "misstop %s%s%s%s, %s%s%s: %s, %s", target->comm ? target->comm : "?", pid,
                threads, elapsed, source->name ? source->name : "?", event ? " " : "",
                event ? event : "", source->weight_unit ? source->weight_unit : "",
                snapshot->time_range           ? "a time range of the run"
                : snapshot->basis == BASIS_RUN ? "whole run"
                                               : "recent past");
}

/* Prints the host, the process among those recorded, and the limits of the recording. */
static void print_recording(struct text_writer *writer)
{
    const struct snapshot_recording *from = writer->snapshot->recording;
    if (!from)
        return;
    text_printf(writer, "recorded%s%s%s%s%s%s%s%s", from->host ? " on " : "",
                from->host ? from->host : "", from->cpu ? ", " : "", from->cpu ? from->cpu : "",
                from->kernel ? ", " : "", from->kernel ? from->kernel : "",
                !from->date        ? ""
                : from->date_exact ? ", begun "
                                   : ", file of ",
                from->date ? from->date : "");
    if (from->command)
        text_printf(writer, "recorded by: %s", from->command);
    if (from->processes > 1) {
        text_printf(writer,
                    "this is one of %" PRIu32 " recorded processes; -p PID shows another: %s",
                    from->processes, from->others ? from->others : "");
        text_printf(writer,
                    "shares refer to this process, which has %.1f%% of the samples; those of perf "
                    "report refer to all (--percentage relative --pid %" PRIu32
                    " makes them comparable)",
                    from->process_share * 100, writer->snapshot->target.pid);
    }
    if (from->addresses)
        text_printf(writer, "addresses: %s", from->addresses);
    if (from->note)
        text_printf(writer, "note: %s", from->note);
}

static void print_time_range(struct text_writer *writer)
{
    char text[192];
    if (!writer->snapshot->time_range)
        return;
    time_range_words(writer->snapshot->time_range, text, sizeof text);
    text_printf(writer, "only %s", text);
}

static void print_if_known(struct text_writer *writer, const char *before, const char *sentence)
{
    if (*sentence)
        text_printf(writer, "%s%s", before, sentence);
}

static void print_refused(struct text_writer *writer)
{
    const struct snapshot_refused *refused = &writer->snapshot->refused;
    for (size_t i = 0; i < refused->count; i++)
        text_printf(writer, "note: not opened: %s (%s)", refused->list[i].path,
                    refused->list[i].reason);
}

/* Prints the answer to the first question, as on the screen. */
static void print_answer(struct text_writer *writer)
{
    char text[256];
    char quality[64];
    const char *evidence = answer_evidence(writer->snapshot);
    answer_words(writer->snapshot, INT_MAX, text, sizeof text);
    answer_quality(writer->snapshot, quality, sizeof quality);
    text_printf(writer, "%s%s%s%s; %s", text, *evidence ? " (" : "", evidence, *evidence ? ")" : "",
                quality);
}

/* Prints notes that do not occur in every run. */
static void print_notes(struct text_writer *writer)
{
    char text[256];
    if (writer->snapshot->status)
        text_printf(writer, "note: %s", writer->snapshot->status);
    /* The files are listed on standard error at the end. */
    binary_note(&writer->snapshot->binaries, text, sizeof text);
    print_if_known(writer, "note: ", text);
    print_refused(writer);
}

static void text_say_quality(void *to, enum paint paint, const char *label, const char *text)
{
    (void)paint;
    if (label)
        text_printf(to, "  %s%s%s", label, *label ? ": " : "", text);
    else
        text_printf(to, "\n%s", text);
}

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
           : width > TEXT_WIDTH_MAX    ? TEXT_WIDTH_MAX
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
    const struct paint_look look = paint_look(SCHEME_DEFAULT, paint);
    fputs("\033[0", out);
    if (look.attributes_256 & PAINT_BOLD)
        fputs(";1", out);
    if (look.text_256 >= 0)
        fprintf(out, ";38;5;%d", look.text_256);
    if (look.ground_256 >= 0)
        fprintf(out, ";48;5;%d", look.ground_256);
    fputc('m', out);
}

static void write_cells(const struct text_writer *writer, const struct canvas *canvas, int row,
                        int columns)
{
    int paint = PAINT_PLAIN;
    for (int column = 0; column < columns; column++) {
        const struct cell *cell = canvas_at(canvas, row, column);
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

static void print_canvas(const struct text_writer *writer, const struct canvas *canvas, int rows)
{
    char text[TEXT_WIDTH_MAX * 8];
    for (int row = 0; row < rows; row++) {
        int columns = canvas->columns;
        while (writer->color && columns > 0 &&
               canvas_at(canvas, row, columns - 1)->text[0] == L' ' &&
               canvas_at(canvas, row, columns - 1)->columns)
            columns--;
        if (writer->color) {
            write_cells(writer, canvas, row, columns);
        } else {
            canvas_row_text(canvas, row, text, sizeof text);
            fputs(text, writer->out);
        }
        fputc('\n', writer->out);
    }
}

/* Prints the row drawn on `line`, and clears it for the next. */
static void print_line(struct text_writer *writer)
{
    print_canvas(writer, &writer->line, 1);
    canvas_clear(&writer->line);
}

void text_printf(struct text_writer *writer, const char *format, ...)
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
    table.sort = COLUMNS_MAX; /* rows in the order given; no arrow */
    /* Bars and sparklines are left out; text has the figures. */
    columns_layout(columns, NULL, writer->snapshot, rows, count, writer->line.columns, false,
                   &layout);
    fputc('\n', writer->out);
    table_draw_row(&table, &layout, &writer->line, 0, 0, NULL);
    print_line(writer);
    for (size_t i = 0; i < count && i < most; i++) {
        table_draw_row(&table, &layout, &writer->line, 0, 0,
                       (const char *)rows + i * columns->row_size);
        print_line(writer);
    }
    if (count > most)
        text_printf(writer, "(%zu more; -j lists all)", count - most);
}

static void text_explain(struct text_writer *writer, const struct columns *columns, const void *row)
{
    struct explained line;
    char name[COLUMN_TEXT_BYTES];
    columns_caption(columns, writer->snapshot, row, name, sizeof name);
    for (unsigned i = 0; columns->explain(writer->snapshot, row, i, &line); i++)
        if (i == 0)
            text_printf(writer, "%s: %s", name, line.text);
        else if (*line.text)
            text_printf(writer, "  %s: %s", line.label, line.text + strspn(line.text, " "));
}

/* ---- the matrix: the first functions on the first objects ---- */

enum { MATRIX_TEXT_ROWS = 12, MATRIX_TEXT_CELLS = 3 };

static void write_grid(struct text_writer *writer, const struct matrix_table *table)
{
    struct matrix_grid grid = {0};
    struct canvas canvas;
    if (canvas_init(&canvas, MATRIX_TEXT_ROWS, writer->line.columns, writer->line.ascii))
        return;
    fputc('\n', writer->out);
    struct area area = {0, 0, canvas.rows, canvas.columns};
    print_canvas(writer, &canvas, matrix_grid_draw(&grid, table, &canvas, area));
    size_t rows = table->axis[MATRIX_FUNCTIONS].count;
    size_t columns = table->axis[MATRIX_OBJECTS].count;
    if (rows > grid.shown[MATRIX_FUNCTIONS] || columns > grid.shown[MATRIX_OBJECTS])
        text_printf(writer, "(%zu functions and %zu objects in all; -j lists them)", rows, columns);
    canvas_fini(&canvas);
}

/* Prints the largest cells in words. */
static void write_strongest(struct text_writer *writer, const struct matrix_table *table)
{
    bool listed[MATRIX_ROWS][MATRIX_COLUMNS] = {{false}};
    char text[MATRIX_WORD_BYTES];
    struct matrix_cell cell;
    struct matrix_place place;
    for (int i = 0; i < MATRIX_TEXT_CELLS && matrix_cell_next(table, listed, &place); i++) {
        matrix_cell_gather(table, place, &cell);
        for (enum matrix_word word = 0; word < MATRIX_WORDS; word++) {
            matrix_word(table, &cell, word, text);
            if (*text)
                text_printf(writer, "%s%s", word == MATRIX_WORD_TITLE ? "" : "  ", text);
        }
    }
}

static void print_matrix(struct text_writer *writer)
{
    struct bin_rules rules;
    struct matrix_table table;
    if (!writer->snapshot->matrix.row_count)
        return;
    bin_rules_open(&rules, MATRIX_RULES);
    matrix_table_make(&table, writer->snapshot, &rules, MATRIX_WEIGHT);
    write_grid(writer, &table);
    write_strongest(writer, &table);
    bin_rules_fini(&rules);
}

/* ---- why lines were missed ---- */

enum { CAUSES_ROWS = 15, EXPLAINED = 3, TEXT_BYTES = 512, EVICTION_ROWS = 5 };

static void print_causes_kind(struct text_writer *writer, enum causes_of kind)
{
    const struct snapshot_causes_list *list = &writer->snapshot->causes.by_kind[kind];
    char text[TEXT_BYTES];
    if (kind == CAUSES_THREADS && list->count < 2)
        return;
    causes_summary(writer->snapshot, kind, text, sizeof text);
    text_printf(writer, "\n%s", text);
    text_rows(writer, &causes_columns[kind], list->rows, list->count, CAUSES_ROWS);
    for (size_t i = 0; i < list->count && i < EXPLAINED; i++)
        text_explain(writer, &causes_columns[kind], &list->rows[i]);
}

/* Prints causes of misses and evictors; nothing unless recorded. */
static void causes_text_print(struct text_writer *writer)
{
    if (!writer->snapshot->causes.known)
        return;
    for (enum causes_of kind = 0; kind < CAUSES_KINDS; kind++)
        print_causes_kind(writer, kind);
    struct eviction_row rows[EVICTION_ROWS_MAX];
    size_t count = eviction_rows(writer->snapshot, CAUSES_OBJECTS, rows);
    text_rows(writer, &eviction_columns, rows, count, EVICTION_ROWS);
}

enum { REUSE_TEXT_ROWS = 15, CURVES = 5, EVERY = 4 };

/* Prints a row of the table of curves, in steps of a factor of four. */
static void print_curve(struct text_writer *writer, const struct snapshot_reuse_row *row)
{
    char text[512] = "";
    for (unsigned i = 0; i < REUSE_POINTS; i += EVERY) {
        const struct snapshot_share *missed = &row->miss[i];
        char range[24];
        snprintf(range, sizeof range, "%.0f-%.0f", 100 * missed->low, 100 * missed->high);
        if (reuse_is_sure(missed))
            text_append(text, sizeof text, " %6.2f", 100 * missed->value);
        else
            text_append(text, sizeof text, " %6s", range);
    }
    text_printf(writer, "%s  %s", text, row->name);
}

static void print_cache_sizes(struct text_writer *writer)
{
    char text[512] = "";
    char size[16];
    for (unsigned i = 0; i < REUSE_POINTS; i += EVERY)
        text_append(text, sizeof text, " %6s", reuse_size_text(size, snapshot_reuse_size(i)));
    text_printf(writer, "\npercent missed, by cache size\n%s", text);
}

/* Prints miss curves by cache size; nothing unless recorded. */
static void reuse_text_print(struct text_writer *writer)
{
    const struct snapshot_reuse *reuse = &writer->snapshot->reuse;
    char text[512];
    if (!reuse->known)
        return;
    reuse_summary(writer->snapshot, text, sizeof text);
    text_printf(writer, "\nreuse: %c%s", *text - 'A' + 'a', text + 1);
    text_rows(writer, &reuse_columns, reuse->objects, reuse->object_count, REUSE_TEXT_ROWS);
    text_rows(writer, &reuse_line_columns, reuse->lines, reuse->line_count, REUSE_TEXT_ROWS);
    print_cache_sizes(writer);
    print_curve(writer, &reuse->all);
    for (size_t i = 0; i < reuse->object_count && i < CURVES; i++)
        print_curve(writer, &reuse->objects[i]);
    for (size_t i = 0; i < reuse->object_count && i < CURVES; i++) {
        reuse_advice(reuse, &reuse->objects[i], text, sizeof text);
        text_printf(writer, "%s: %s", reuse->objects[i].name, text);
    }
}

enum { WATCH_ROWS = 15 };

/* Prints results of watchpoints, with the reason for each verdict; nothing without them. */
static void watch_text_print(struct text_writer *writer)
{
    const struct snapshot_watch *watch = &writer->snapshot->watch;
    char text[WATCH_READING_BYTES];
    if (!watch->is_on)
        return;
    watch_summary(watch, text, sizeof text);
    text_printf(writer, "\nwatch: %s", text);
    if (watch_pace(watch, text, sizeof text))
        text_printf(writer, "%s", text);
    text_rows(writer, &watch_columns, watch->objects, watch->count, WATCH_ROWS);
    for (size_t i = 0; i < watch->count && i < WATCH_ROWS; i++)
        if (watch->objects[i].verdict != WATCH_TOO_FEW)
            text_explain(writer, &watch_columns, &watch->objects[i]);
}

static void print_whatif(struct text_writer *writer, const struct snapshot_whatif *answer)
{
    struct whatif_row rows[WHATIF_ROWS_MAX];
    char text[WHATIF_TEXT_BYTES];
    whatif_title(answer, text, sizeof text);
    text_printf(writer, "\nwhat if %s", text);
    text_rows(writer, &whatif_columns, rows, whatif_rows(answer, rows), WHATIF_ROWS_MAX);
    whatif_sentence(answer, text, sizeof text);
    text_printf(writer, "%s", text);
}

/* Prints questions about another layout, and the answers; nothing if none were asked. */
static void whatif_text_print(struct text_writer *writer)
{
    const struct snapshot_whatifs *asked = &writer->snapshot->whatif;
    char text[WHATIF_TEXT_BYTES];
    whatif_summary(asked, text, sizeof text);
    if (*text) {
        text_printf(writer, "\n%s", text);
        text_rows(writer, &whatif_asked_columns, asked->list, asked->count, WHATIF_MAX);
    }
    for (uint32_t i = 0; i < asked->count; i++)
        print_whatif(writer, &asked->list[i]);
}

enum {
    OBJECT_ROWS = 40,
    OBJECT_ROWS_SHORT = 28,
    FINDING_ROWS_SHORT = 3,
    FUNCTION_ROWS = 15,
    REGION_ROWS = 20,
    OFFSET_OBJECTS = 5,
    OFFSETS_EACH = 3,
    BIN_ROWS = 15,
    SHARING_ROWS = 10,
    FINDING_ROWS = 8,
    PHASE_ROWS = 20,
    THREAD_ROWS = 10,
    SHARING_READINGS = 3
};

static void print_offsets(struct text_writer *writer)
{
    const struct snapshot *snapshot = writer->snapshot;
    struct hot_offset offsets[OFFSET_OBJECTS * OFFSETS_EACH];
    size_t count = 0;
    for (size_t i = 0; i < snapshot->object_count && i < OFFSET_OBJECTS; i++)
        for (size_t k = 0; k < snapshot->objects[i].field_count && k < OFFSETS_EACH; k++)
            offsets[count++] =
                (struct hot_offset){&snapshot->objects[i], &snapshot->objects[i].fields[k]};
    text_rows(writer, &offset_columns, offsets, count, count);
}

static void print_sets(struct text_writer *writer)
{
    const struct snapshot_sets *sets = &writer->snapshot->sets;
    char summary[160];
    char text[320];
    if (!sets->sets)
        return;
    sets_summary(sets, summary, sizeof summary);
    sets_reading(writer->snapshot, text, sizeof text);
    text_printf(writer, "\nsets of %s. %s: %s", summary, sets_verdict_name(sets->verdict), text);
}

static void print_window(struct text_writer *writer)
{
    const struct snapshot_window *window = &writer->snapshot->window;
    char summary[160];
    char text[320];
    if (!window->used)
        return;
    window_summary(window, summary, sizeof summary);
    window_reading(writer->snapshot, text, sizeof text);
    text_printf(writer, "window: %s. %s", summary, text);
}

static void print_threads(struct text_writer *writer)
{
    const struct snapshot_threads *threads = &writer->snapshot->threads;
    if (threads->count < 2)
        return;
    text_rows(writer, &thread_columns, threads->list, threads->count, THREAD_ROWS);
    text_printf(writer, "(%zu threads in the newest %" PRIu64 " samples)",
                threads->count + threads->left_out, threads->recent);
}

static void print_heap(struct text_writer *writer)
{
    const struct snapshot_heap *heap = &writer->snapshot->heap;
    const struct heap_summary *summary = &heap->summary;
    const char *note = heap_note(writer->snapshot);
    char bytes[16];
    char lost[48] = "";
    if (summary->feed == HEAP_FEED_NONE) {
        if (note)
            text_printf(writer, "\nheap: %s", note);
        return;
    }
    if (summary->lost)
        snprintf(lost, sizeof lost, ", %" PRIu64 " events lost", summary->lost);
    text_printf(writer, "\nheap %s in %" PRIu64 " blocks, known by %s%s%s%s",
                text_bytes(bytes, summary->usable_bytes), summary->live_blocks,
                summary->source ? summary->source : "?", lost, note ? ". " : "", note ? note : "");
    text_rows(writer, &bin_columns, heap->bins, heap->bin_count, BIN_ROWS);
}

static void print_sharing(struct text_writer *writer)
{
    const struct snapshot_sharing *sharing = &writer->snapshot->sharing;
    char reading[SHARING_READING_BYTES];
    if (!sharing->group_count)
        return;
    text_rows(writer, &sharing_columns, sharing->groups, sharing->group_count, SHARING_ROWS);
    for (size_t i = 0; i < sharing->group_count && i < SHARING_READINGS; i++) {
        sharing_reading(&sharing->groups[i], reading, sizeof reading);
        text_printf(writer, "%s%s: %s", i ? "" : "\n", sharing->groups[i].name, reading);
    }
}

/* Prints the findings in full, because batch output has no second screen. */
static void print_findings(struct text_writer *writer)
{
    const struct snapshot_findings *findings = &writer->snapshot->findings;
    text_rows(writer, &finding_columns, findings->list, findings->count, FINDING_ROWS);
    fputc('\n', writer->out);
    for (size_t i = 0; i < findings->count && i < FINDING_ROWS; i++)
        text_explain(writer, &finding_columns, &findings->list[i]);
}

/* Prints why there is no finding; without `full` only the first sentence. */
static void print_no_finding(struct text_writer *writer, bool full)
{
    char text[FINDINGS_NONE_BYTES];
    findings_none(writer->snapshot, text, sizeof text);
    if (!full)
        text[strcspn(text, ".") + 1] = '\0';
    text_printf(writer, "\n%s", text);
}

/* Prints one line per finding: the problem and what to try. */
static void print_findings_short(struct text_writer *writer)
{
    const struct snapshot_findings *findings = &writer->snapshot->findings;
    struct finding_words words;
    char text[256];
    if (findings->count)
        fputc('\n', writer->out);
    for (size_t i = 0; i < findings->count && i < FINDING_ROWS_SHORT; i++) {
        finding_words(&findings->list[i], &words);
        answer_finding(&findings->list[i], text, sizeof text);
        text_printf(writer, "finding: %s. Try: %s", text, words.advice);
    }
    if (findings->count > FINDING_ROWS_SHORT)
        text_printf(writer, "(%zu more findings; --full prints them, with the evidence of each)",
                    findings->count - FINDING_ROWS_SHORT);
}

static void print_phases(struct text_writer *writer)
{
    const struct snapshot_timeline *timeline = &writer->snapshot->timeline;
    char reading[PHASES_READING_BYTES];
    if (timeline->phase_count < 2)
        return;
    text_rows(writer, &phase_columns, timeline->phases, timeline->phase_count, PHASE_ROWS);
    phases_reading(timeline, reading, sizeof reading);
    text_printf(writer, "%s", reading);
}

static void print_search(struct text_writer *writer)
{
    const struct snapshot_search *search = &writer->snapshot->search;
    char text[320];
    if (search->state == SEARCH_OFF)
        return;
    search_summary(search, text, sizeof text);
    text_printf(writer, "\nsearch in %s", text);
    text_rows(writer, &region_columns, search->regions, search->region_count, REGION_ROWS);
}

/* Prints the first part: the answer, what to do, and for which data. */
static void print_answer_part(struct text_writer *writer, size_t objects, bool full)
{
    const struct snapshot *snapshot = writer->snapshot;
    print_head(writer);
    print_recording(writer);
    print_time_range(writer);
    print_answer(writer);
    print_notes(writer);
    if (snapshot->object_count && !snapshot->findings.count)
        print_no_finding(writer, full);
    else if (full)
        print_findings(writer);
    else
        print_findings_short(writer);
    if (!snapshot->object_count)
        text_printf(writer, "\n%s", objects_nothing_yet(snapshot));
    text_rows(writer, &object_columns, snapshot->objects, snapshot->object_count, objects);
}

static void print_tables(struct text_writer *writer)
{
    const struct snapshot *snapshot = writer->snapshot;
    print_offsets(writer);
    print_heap(writer);
    text_rows(writer, &function_columns, snapshot->code, snapshot->code_count, FUNCTION_ROWS);
    print_threads(writer);
    print_matrix(writer);
    print_sharing(writer);
    watch_text_print(writer);
    causes_text_print(writer);
    reuse_text_print(writer);
    whatif_text_print(writer);
    print_phases(writer);
    print_search(writer);
    print_sets(writer);
    print_window(writer);
    quality_prose(&(struct prose_writer){.say = text_say_quality, .to = writer}, snapshot);
}

int text_print(FILE *out, const struct snapshot *snapshot, const struct view_options *options)
{
    struct text_writer writer;
    int code = text_writer_init(&writer, out, snapshot, options);
    if (code)
        return code;
    errno = 0;
    print_answer_part(&writer, options->full ? OBJECT_ROWS : OBJECT_ROWS_SHORT, options->full);
    if (options->full)
        print_tables(&writer);
    else { /* tables requested by an option */
        watch_text_print(&writer);
        whatif_text_print(&writer);
        print_search(&writer);
    }
    fputc('\n', out);
    if (fflush(out) == EOF || ferror(out))
        code = errno ? -errno : -EIO;
    canvas_fini(&writer.line);
    return code;
}
