/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was asked about another layout, in batch text; declared in text_writer.h. */
#include "view/text_writer.h"
#include "view/whatif_words.h"

static void print_answer(struct text_writer *writer, const struct snapshot_whatif *answer)
{
    struct whatif_row rows[WHATIF_ROWS_MAX];
    char text[WHATIF_TEXT_BYTES];
    whatif_title(answer, text, sizeof text);
    text_say(writer, "\nwhat if %s", text);
    text_rows(writer, &whatif_columns, rows, whatif_rows(answer, rows), WHATIF_ROWS_MAX);
    whatif_sentence(answer, text, sizeof text);
    text_say(writer, "%s", text);
}

void whatif_text_print(struct text_writer *writer)
{
    const struct snapshot_whatifs *asked = &writer->snapshot->whatif;
    char text[WHATIF_TEXT_BYTES];
    whatif_summary(asked, text, sizeof text);
    if (*text) {
        text_say(writer, "\n%s", text);
        text_rows(writer, &whatif_asked_columns, asked->list, asked->count, WHATIF_MAX);
    }
    for (uint32_t i = 0; i < asked->count; i++)
        print_answer(writer, &asked->list[i]);
}
