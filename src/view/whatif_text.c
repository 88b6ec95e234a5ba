/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was asked about another layout, in batch text; declared in text_writer.h. */
#include "view/text_writer.h"
#include "view/whatif_words.h"

void whatif_text_print(struct text_writer *writer)
{
    const struct snapshot_whatif *answer = &writer->snapshot->whatif;
    struct whatif_row rows[WHATIF_ROWS_MAX];
    char text[WHATIF_TEXT_BYTES];
    if (answer->state == WHATIF_NONE)
        return;
    whatif_title(answer, text, sizeof text);
    text_say(writer, "\nwhat if %s", text);
    text_rows(writer, &whatif_columns, rows, whatif_rows(answer, rows), WHATIF_ROWS_MAX);
    whatif_sentence(answer, text, sizeof text);
    text_say(writer, "%s", text);
}
