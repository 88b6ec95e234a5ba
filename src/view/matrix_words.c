/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/matrix_words.h"

#include "base/text.h"
#include "view/causes_words.h"
#include "view/levels_words.h"
#include "view/rates_words.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PARTS_TOLD = 5, NAME_BYTES = 160 };
static const double least_told = 0.005; /* of its cell */
static const double mixed = 0.05;       /* less than that part written is not worth a word */

__attribute__((format(printf, 2, 3))) static void append(char out[MATRIX_WORD_BYTES],
                                                         const char *format, ...)
{
    size_t used = strlen(out);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(out + used, MATRIX_WORD_BYTES - used, format, arguments);
    va_end(arguments);
}

static bool is_nobody(const struct matrix_line *line)
{
    return line && line->index == MATRIX_NOBODY;
}

static void tell_title(const struct matrix_cell *cell, char out[MATRIX_WORD_BYTES])
{
    if (is_nobody(cell->row)) {
        append(out, "no access to data");
        return;
    }
    append(out, "%.*s on %.*s", NAME_BYTES, cell->row ? cell->row->name : "all functions",
           NAME_BYTES, cell->column ? cell->column->name : "all objects");
}

/* ", 45% of NAME's"; nothing for what is no line. */
static void tell_part_of(const struct matrix_table *table, const struct matrix_line *line,
                         const struct snapshot_matrix_cell *figures, char out[MATRIX_WORD_BYTES])
{
    double of_line = line ? matrix_table_share(table, &line->total) : NAN;
    if (of_line > 0 && !is_nobody(line))
        append(out, ", %.1f%% of %s%.*s", matrix_table_share(table, figures) / of_line * 100,
               line->members ? "" : "that of ", NAME_BYTES, line->name);
    else if (of_line > 0)
        append(out, ", %.1f%% of what has no object",
               matrix_table_share(table, figures) / of_line * 100);
}

static void tell_shares(const struct matrix_table *table, const struct matrix_cell *cell,
                        char out[MATRIX_WORD_BYTES])
{
    const struct snapshot_matrix_cell *figures = cell->figures;
    char count[16];
    double share = matrix_table_share(table, figures);
    if (!(figures->samples > 0) && !(share > 0)) {
        append(out, "nothing: no sample of it fell there");
        return;
    }
    append(out, "%.1f%% of all %s", share * 100, matrix_table_measured(table));
    tell_part_of(table, cell->column ? cell->row : NULL, figures, out);
    tell_part_of(table, cell->row ? cell->column : NULL, figures, out);
    if (!(figures->samples > 0))
        return;
    append(out, "; %s sample%s: %.0f%% loads, %.0f%% stores", text_count(count, figures->samples),
           figures->samples < 1.5 ? "" : "s", figures->loads / figures->samples * 100,
           figures->stores / figures->samples * 100);
}

/* The reasons that stand apart are told with the samples on the header and in Code. */
static void tell_reason(const struct snapshot *snapshot, const struct matrix_cell *cell,
                        char out[MATRIX_WORD_BYTES])
{
    if (is_nobody(cell->row))
        append(out, "no access that waited for data was found: it was computing, in the kernel, or "
                    "in code that is not known");
    else if (is_nobody(cell->column) && cell->row && cell->row->members == 1 &&
             snapshot->code[cell->row->index].unknown_note)
        append(out, "%s; Enter opens the function, where it is told by line",
               snapshot->code[cell->row->index].unknown_note);
    else if (is_nobody(cell->column))
        append(out, "the access is known but not its address, or no access is; Code tells the "
                    "reasons by function");
}

/* The parts with their shares of the cell, and how much of each is written. */
static void tell_named(const struct matrix_parts *parts, const char *label,
                       char out[MATRIX_WORD_BYTES])
{
    for (size_t i = 0; i < parts->count && i < PARTS_TOLD; i++) {
        const struct matrix_part *part = &parts->list[i];
        double kinds = part->loads + part->stores;
        double written = kinds > 0 ? part->stores / kinds : NAN;
        if (!(part->samples >= least_told * parts->all))
            return;
        append(out, "%s%s %.0f%%", i ? ", " : label, part->name, part->samples / parts->all * 100);
        if (written > 1 - mixed)
            append(out, " (written)");
        else if (written > mixed)
            append(out, " (%.0f%% written)", written * 100);
    }
}

/* "why: 92% capacity; thrown out by visit on particles 61%, ..." */
static void tell_evictors(const struct matrix_parts *by, const char *label,
                          char out[MATRIX_WORD_BYTES])
{
    for (size_t i = 0; i < by->count && i < PARTS_TOLD; i++) {
        if (!(by->list[i].samples >= least_told * by->all))
            return;
        append(out, "%s%s %.0f%%", i ? ", " : label, by->list[i].name,
               by->list[i].samples / by->all * 100);
    }
}

static void tell_causes(const struct matrix_cell *cell, char out[MATRIX_WORD_BYTES])
{
    char why[256];
    if (!(cell->causes.misses > 0))
        return;
    causes_why(&cell->causes, why, sizeof why);
    append(out, "why: %s", why);
    tell_evictors(&cell->evictors, "; thrown out by ", out);
    if (cell->evictor_threads.count > 1 || cell->threads.distinct > 1)
        tell_evictors(&cell->evictor_threads, "; by thread ", out);
}

static void tell_threads(const struct matrix_parts *threads, char out[MATRIX_WORD_BYTES])
{
    append(out, threads->distinct > 1 ? "%zu threads: " : "thread ", threads->distinct);
    for (size_t i = 0; i < threads->count && i < PARTS_TOLD; i++) {
        append(out, "%s%s%s%" PRIu64 "%s", i ? ", " : "", threads->list[i].name,
               *threads->list[i].name ? " (" : "", threads->list[i].key,
               *threads->list[i].name ? ")" : "");
        if (threads->distinct > 1)
            append(out, " %.0f%%", threads->list[i].samples / threads->all * 100);
    }
}

/* Only those that are no chance. */
static bool stands_out(const struct matrix_part *block, const struct matrix_parts *blocks)
{
    return block->samples >= 5 && block->samples >= 0.01 * blocks->all;
}

static void tell_blocks(const struct matrix_parts *blocks, char out[MATRIX_WORD_BYTES])
{
    if (!blocks->count)
        return;
    if (blocks->distinct == 1) {
        append(out, "; one block, at 0x%" PRIx64, blocks->list[0].key);
        return;
    }
    append(out, "; %zu blocks", blocks->distinct);
    if ((double)blocks->distinct > 0.9 * blocks->all)
        append(out, ", hardly one twice: there are many more");
    else if (!stands_out(&blocks->list[0], blocks))
        append(out, ", none stands out");
    for (size_t i = 0; i < blocks->count && i < PARTS_TOLD; i++)
        if (stands_out(&blocks->list[i], blocks))
            append(out, "%s0x%" PRIx64 " %.1f%%", i ? ", " : ": ", blocks->list[i].key,
                   blocks->list[i].samples / blocks->all * 100);
}

static void tell_recent(const struct matrix_cell *cell, char out[MATRIX_WORD_BYTES])
{
    char count[16];
    if (!cell->threads.count)
        return;
    if (cell->threads.all > 1)
        append(out, "its last %s samples: ", text_count(count, cell->threads.all));
    tell_threads(&cell->threads, out);
    tell_blocks(&cell->blocks, out);
}

void matrix_word(const struct matrix_table *table, const struct matrix_cell *cell,
                 enum matrix_word word, char out[MATRIX_WORD_BYTES])
{
    *out = '\0';
    if (word == MATRIX_WORD_TITLE)
        tell_title(cell, out);
    else if (word == MATRIX_WORD_SHARES)
        tell_shares(table, cell, out);
    else if (word == MATRIX_WORD_REASON)
        tell_reason(table->snapshot, cell, out);
    else if (word == MATRIX_WORD_LEVELS && cell->levels.parts)
        levels_sentence(table->snapshot, &cell->levels.levels, out, MATRIX_WORD_BYTES);
    else if (word == MATRIX_WORD_RATES)
        rates_sentence(table->snapshot, cell->rates, out, MATRIX_WORD_BYTES);
    else if (word == MATRIX_WORD_CAUSES)
        tell_causes(cell, out);
    else if (word == MATRIX_WORD_FIELDS)
        tell_named(&cell->fields, "fields: ", out);
    else if (word == MATRIX_WORD_LINES)
        tell_named(&cell->lines, "lines: ", out);
    else if (word == MATRIX_WORD_RECENT)
        tell_recent(cell, out);
}

int matrix_words_draw(const struct matrix_table *table, const struct matrix_cell *cell,
                      struct canvas *canvas, struct area area)
{
    static const enum paint paints[MATRIX_WORDS] = {
        [MATRIX_WORD_TITLE] = PAINT_PANE,   [MATRIX_WORD_SHARES] = PAINT_STRONG,
        [MATRIX_WORD_REASON] = PAINT_PLAIN, [MATRIX_WORD_LEVELS] = PAINT_PLAIN,
        [MATRIX_WORD_RATES] = PAINT_PLAIN,  [MATRIX_WORD_CAUSES] = PAINT_PLAIN,
        [MATRIX_WORD_FIELDS] = PAINT_PLAIN, [MATRIX_WORD_LINES] = PAINT_PLAIN,
        [MATRIX_WORD_RECENT] = PAINT_DIM,
    };
    char text[MATRIX_WORD_BYTES];
    int used = 0;
    /* Where there is one row only, the figures matter more than the names. */
    for (enum matrix_word word = area.rows > 1 ? MATRIX_WORD_TITLE : MATRIX_WORD_SHARES;
         word < MATRIX_WORDS && used < area.rows; word++) {
        struct area rest = {area.row + used, area.column + 1, area.rows - used, area.columns - 2};
        if (rest.rows > 2)
            rest.rows = 2;
        matrix_word(table, cell, word, text);
        if (*text)
            used += canvas_wrap(canvas, rest, paints[word], text);
    }
    return used;
}
