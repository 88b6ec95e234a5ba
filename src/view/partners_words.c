/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/partners_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JOINED = 64, SAID = 4 };

/* Instructions of one source line are one. */
static bool same(const struct snapshot_partner *a, const struct snapshot_partner *b)
{
    if (a->address == b->address)
        return true;
    if (strcmp(a->function, b->function) || a->line != b->line || !a->file != !b->file)
        return false;
    return !a->file || !strcmp(a->file, b->file);
}

static size_t join(struct snapshot_partner joined[JOINED], size_t count,
                   const struct snapshot_partners *more)
{
    for (uint32_t i = 0; i < more->count; i++) {
        size_t at = 0;
        while (at < count && !same(&joined[at], &more->list[i]))
            at++;
        if (at == JOINED)
            continue;
        if (at == count)
            joined[count++] = more->list[i];
        else
            joined[at].count += more->list[i].count;
    }
    return count;
}

static int most(const void *left, const void *right)
{
    const struct snapshot_partner *a = left;
    const struct snapshot_partner *b = right;
    return a->count > b->count ? -1 : a->count < b->count;
}

void partners_words(const struct snapshot_code *code, const struct source_row *row,
                    enum line_pairs kind, char *out, size_t size)
{
    struct snapshot_partner joined[JOINED];
    size_t count = 0;
    size_t used = 0;
    double all = 0;
    *out = '\0';
    for (size_t i = 0; i < code->instruction_count; i++) {
        const struct snapshot_instruction *instruction = &code->instructions[i];
        if (!instruction->partners || (row && !source_row_has(row, instruction)))
            continue;
        all += instruction->partners[kind].all;
        count = join(joined, count, &instruction->partners[kind]);
    }
    qsort(joined, count, sizeof *joined, most);
    for (size_t i = 0; i < count && i < SAID && used < size; i++) {
        used += (size_t)snprintf(out + used, size - used, "%s%.0f%% %.64s", i ? ", " : "",
                                 100 * joined[i].count / all, joined[i].function);
        if (joined[i].file && used < size)
            used += (size_t)snprintf(out + used, size - used, " %.48s:%u",
                                     source_base_name(joined[i].file), joined[i].line);
    }
}

int partners_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    static const char *const labels[LINE_PAIRS] = {[LINE_USED_BY] = "What it fetched was used by",
                                                   [LINE_EVICTED_BY] = "... and thrown out by"};
    static const enum line_pairs order[] = {LINE_USED_BY, LINE_EVICTED_BY};
    enum { LABEL = 29 };
    char text[512];
    int rows = 0;
    if (!browser->code.function)
        return 0;
    for (int i = 0; i < LINE_PAIRS && rows < area.rows; i++) {
        partners_words(browser->code.function, table_selected(&browser->code.source), order[i],
                       text, sizeof text);
        if (!*text)
            continue;
        canvas_text(canvas, area.row + rows, 1, LABEL, PAINT_DIM, labels[order[i]]);
        canvas_text(canvas, area.row + rows, 1 + LABEL, area.columns - LABEL - 2, PAINT_PLAIN,
                    text);
        rows++;
    }
    return rows;
}
