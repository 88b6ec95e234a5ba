/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What caches of any size would miss, in batch text; declared in text_writer.h. */
#include "view/reuse_words.h"
#include "view/text_writer.h"

enum { ROWS = 15, CURVES = 5, EVERY = 4 };

/* A row of the table of curves: each factor of four. */
static void say_curve(struct text_writer *writer, const struct snapshot_reuse_row *row)
{
    char text[512];
    size_t used = 0;
    for (unsigned i = 0; i < REUSE_POINTS && used < sizeof text; i += EVERY) {
        const struct snapshot_share *missed = &row->miss[i];
        char range[24];
        snprintf(range, sizeof range, "%.0f-%.0f", 100 * missed->low, 100 * missed->high);
        used +=
            (size_t)(reuse_is_sure(missed)
                         ? snprintf(text + used, sizeof text - used, " %6.2f", 100 * missed->value)
                         : snprintf(text + used, sizeof text - used, " %6s", range));
    }
    text_say(writer, "%s  %s", text, row->name);
}

static void say_sizes(struct text_writer *writer)
{
    char text[512];
    char size[16];
    size_t used = 0;
    for (unsigned i = 0; i < REUSE_POINTS && used < sizeof text; i += EVERY)
        used += (size_t)snprintf(text + used, sizeof text - used, " %6s",
                                 reuse_size_text(size, snapshot_reuse_size(i)));
    text_say(writer, "\npercent missed, by size of the cache\n%s", text);
}

void reuse_text_print(struct text_writer *writer)
{
    const struct snapshot_reuse *reuse = &writer->snapshot->reuse;
    char text[512];
    if (!reuse->told)
        return;
    reuse_summary(writer->snapshot, text, sizeof text);
    text_say(writer, "\nreuse: %c%s", *text - 'A' + 'a', text + 1);
    text_rows(writer, &reuse_columns, reuse->objects, reuse->object_count, ROWS);
    text_rows(writer, &reuse_line_columns, reuse->lines, reuse->line_count, ROWS);
    say_sizes(writer);
    say_curve(writer, &reuse->all);
    for (size_t i = 0; i < reuse->object_count && i < CURVES; i++)
        say_curve(writer, &reuse->objects[i]);
    for (size_t i = 0; i < reuse->object_count && i < CURVES; i++) {
        reuse_advice(reuse, &reuse->objects[i], text, sizeof text);
        text_say(writer, "%s: %s", reuse->objects[i].name, text);
    }
}
