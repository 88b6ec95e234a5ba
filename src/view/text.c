/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Batch: the tables of one refresh as text for people and grep. */
#include "view/columns.h"
#include "view/view.h"
#include "view/width.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { TEXT_WIDTH = 100, TEXT_COLUMNS_MAX = 32, TEXT_OBJECTS = 20, TEXT_CODE = 8, TEXT_FIELDS = 3 };

static int width_of(FILE *out, const struct view_options *options)
{
    struct winsize size;
    if (options->width)
        return (int)options->width;
    bool terminal = isatty(fileno(out)) && !ioctl(fileno(out), TIOCGWINSZ, &size) && size.ws_col;
    return terminal ? size.ws_col : TEXT_WIDTH;
}

static bool colored(FILE *out, const struct view_options *options)
{
    const char *no_color = getenv("NO_COLOR");
    if (options->color != VIEW_COLOR_AUTO)
        return options->color == VIEW_COLOR_ALWAYS;
    return isatty(fileno(out)) && !(no_color && *no_color);
}

static const char *heat_start(double share, bool color)
{
    return !color || !(share >= 0.02) ? ""
           : share >= 0.25            ? "\033[1;31m"
           : share >= 0.10            ? "\033[33m"
                                      : "\033[32m";
}

struct text_table {
    FILE *out;
    const struct snapshot *snapshot;
    const struct column *shown[TEXT_COLUMNS_MAX];
    size_t count;
    int flexible;
    bool color;
    bool ascii;
};

static void table_init(struct text_table *table, FILE *out, const struct snapshot *snapshot,
                       const struct column *columns, const struct view_options *options)
{
    int width = width_of(out, options);
    *table = (struct text_table){.out = out, .snapshot = snapshot, .color = colored(out, options),
                                 .ascii = options->ascii};
    table->count = columns_choose(columns, snapshot, width, table->shown, TEXT_COLUMNS_MAX);
    /* A trend is for the eye; text has the numbers. */
    size_t kept = 0;
    for (size_t i = 0; i < table->count; i++)
        if (table->shown[i]->paint != COLUMN_TREND)
            table->shown[kept++] = table->shown[i];
    table->count = kept;
    table->flexible = columns_flexible(table->shown, table->count, width);
}

static void print_cell(struct text_table *table, const struct column *column, const char *text,
                       bool last)
{
    char fitted[COLUMN_TEXT_MAX * 4];
    int width = column->width ? column->width : table->flexible;
    width_fit(fitted, sizeof fitted, text, width, column->right);
    size_t length = strlen(fitted);
    while (last && length && fitted[length - 1] == ' ')
        fitted[--length] = '\0';
    fputs(fitted, table->out);
    if (!last)
        fputc(' ', table->out);
}

static void print_titles(struct text_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const char *title = table->shown[i]->title;
        print_cell(table, table->shown[i], table->ascii && !strcmp(title, "±") ? "+-" : title,
                   i + 1 == table->count);
    }
    fputc('\n', table->out);
}

static void print_row(struct text_table *table, const void *row)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct column *column = table->shown[i];
        char text[COLUMN_TEXT_MAX];
        bool heat = column->paint == COLUMN_HEAT && column->value;
        const char *start = heat_start(heat ? column->value(table->snapshot, row) : 0, table->color);
        column->text(table->snapshot, row, text, sizeof text);
        fputs(start, table->out);
        print_cell(table, column, text, i + 1 == table->count);
        if (*start)
            fputs("\033[0m", table->out);
    }
    fputc('\n', table->out);
}

static void print_head(FILE *out, const struct snapshot *snapshot)
{
    const struct snapshot_source *source = &snapshot->source;
    bool event = source->ranking < source->event_count;
    fprintf(out, "misstop %u: %s (pid %u, %u threads, %s) after %.1f s; source %s", snapshot->iteration,
            snapshot->target.comm, snapshot->target.pid, snapshot->target.threads,
            snapshot->target.state, snapshot->elapsed_s, source->name);
    if (event)
        fprintf(out, ", %s", source->events[source->ranking].name);
    if (event && source->events[source->ranking].period)
        fprintf(out, " every %llu", (unsigned long long)source->events[source->ranking].period);
    fprintf(out, "; shares are of %s\n", source->weighs);
    if (snapshot->status)
        fprintf(out, "note: %s\n", snapshot->status);
}

static void print_totals(FILE *out, const struct snapshot_totals *totals)
{
    double all = (double)totals->samples;
    fprintf(out, "samples %llu", (unsigned long long)totals->samples);
    if (totals->samples)
        fprintf(out, ", attributed %llu (%.1f %%)", (unsigned long long)totals->attributed,
                100 * (double)totals->attributed / all);
    for (int i = REASON_NONE + 1; i < REASON_COUNT; i++)
        if (totals->reasons[i])
            fprintf(out, ", %s %llu (%.1f %%)", access_reason_name(i),
                    (unsigned long long)totals->reasons[i], 100 * (double)totals->reasons[i] / all);
    fprintf(out, "; lost %llu, throttled %llu\n", (unsigned long long)totals->lost,
            (unsigned long long)totals->throttled);
}

static void print_fields(FILE *out, const struct snapshot_object *object)
{
    if (object->element_size)
        fprintf(out, "                    elements of %llu bytes (inferred)",
                (unsigned long long)object->element_size);
    else if (object->field_count && object->fields[0].share >= 0.05)
        fprintf(out, "                    offsets");
    else
        return;
    for (size_t i = 0; i < object->field_count && i < TEXT_FIELDS; i++)
        if (object->fields[i].share >= 0.05)
            fprintf(out, "%s %s %.0f %%", i ? "," : ":", object->fields[i].name,
                    object->fields[i].share * 100);
    fputc('\n', out);
}

static void print_objects(FILE *out, const struct snapshot *snapshot,
                          const struct view_options *options)
{
    struct text_table table;
    table_init(&table, out, snapshot, columns_object, options);
    fputc('\n', out);
    print_titles(&table);
    for (size_t i = 0; i < snapshot->object_count && i < TEXT_OBJECTS; i++) {
        print_row(&table, &snapshot->objects[i]);
        print_fields(out, &snapshot->objects[i]);
    }
    if (!snapshot->object_count)
        fprintf(out, "(no sample has been attributed yet)\n");
}

static void print_code(FILE *out, const struct snapshot *snapshot,
                       const struct view_options *options)
{
    struct text_table table;
    if (!snapshot->code_count)
        return;
    table_init(&table, out, snapshot, columns_code, options);
    fputc('\n', out);
    print_titles(&table);
    for (size_t i = 0; i < snapshot->code_count && i < TEXT_CODE; i++)
        print_row(&table, &snapshot->code[i]);
}

static void print_sets_and_window(FILE *out, const struct snapshot *snapshot)
{
    const struct snapshot_sets *sets = &snapshot->sets;
    const struct snapshot_window *window = &snapshot->window;
    fprintf(out, "\nsets of %s (%u sets, %u ways, %u-byte lines, %s index): %s", sets->level,
            sets->sets, sets->ways, sets->line, sets->index, sets_verdict_name(sets->verdict));
    if (!isnan(sets->p_value))
        fprintf(out, ", p %.3g, %u hot", sets->p_value, sets->hot_sets);
    fprintf(out, "%s%s\n", sets->reading ? "; " : "", sets->reading ? sets->reading : "");
    fprintf(out, "window: %llu of %llu entries, %llu addresses, %llu once, %llu again%s%s\n",
            (unsigned long long)window->used, (unsigned long long)window->entries,
            (unsigned long long)window->addresses, (unsigned long long)window->singletons,
            (unsigned long long)window->recurring, window->reading ? "; " : "",
            window->reading ? window->reading : "");
}

static void print_search(FILE *out, const struct snapshot *snapshot,
                         const struct view_options *options)
{
    const struct snapshot_search *search = &snapshot->search;
    struct text_table table;
    if (search->state == SEARCH_OFF)
        return;
    fprintf(out, "\nsearch of %s: %s, %u ways, iteration %u of %.2f s, explains %.1f %%\n",
            search->what, search_state_name(search->state), search->ways, search->iteration,
            search->interval_s, isnan(search->explained) ? 0 : search->explained * 100);
    table_init(&table, out, snapshot, columns_region, options);
    print_titles(&table);
    for (size_t i = 0; i < search->region_count; i++)
        print_row(&table, &search->regions[i]);
}

int text_print(FILE *out, const struct snapshot *snapshot, const struct view_options *options)
{
    errno = 0;
    print_head(out, snapshot);
    print_totals(out, &snapshot->totals);
    print_objects(out, snapshot, options);
    print_code(out, snapshot, options);
    print_sets_and_window(out, snapshot);
    print_search(out, snapshot, options);
    fputc('\n', out);
    if (fflush(out) || ferror(out))
        return errno ? -errno : -EIO;
    return 0;
}
