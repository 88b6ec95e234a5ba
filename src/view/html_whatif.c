/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was asked about another layout, and the answer; declared in html_part.h. */
#include "view/html_part.h"

#include "view/html_table.h"
#include "view/whatif_words.h"

static void write_answer(struct html_writer *writer, const struct snapshot_whatif *answer)
{
    struct whatif_row rows[WHATIF_ROWS_MAX];
    char text[WHATIF_TEXT_BYTES];
    whatif_title(answer, text, sizeof text);
    html_element(writer, "p", "says", text);
    html_table(writer, &(struct html_table){.columns = &whatif_columns,
                                            .rows = rows,
                                            .count = whatif_rows(answer, rows),
                                            .most = WHATIF_ROWS_MAX});
    whatif_sentence(answer, text, sizeof text);
    html_element(writer, "p", "says", text);
}

void html_whatif(struct html_writer *writer)
{
    const struct snapshot_whatifs *asked = &writer->snapshot->whatif;
    char text[WHATIF_TEXT_BYTES];
    if (!asked->count)
        return;
    html_section(writer, "whatif", "What if",
                 "The same accesses in a second simulated cache, as if one object lay otherwise.");
    whatif_summary(asked, text, sizeof text);
    html_element(writer, "p", "says", text);
    if (*text)
        html_table(writer, &(struct html_table){.columns = &whatif_asked_columns,
                                                .rows = asked->list,
                                                .count = asked->count,
                                                .most = WHATIF_MAX});
    for (uint32_t i = 0; i < asked->count; i++)
        write_answer(writer, &asked->list[i]);
    html_section_end(writer);
}
