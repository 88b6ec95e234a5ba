/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was not attributed and why, and how to read the page; declared in html_part.h. */
#include "view/html_part.h"

#include "profile/tables/rates.h"
#include "view/field_words.h"

#include <inttypes.h>

static void write_reason(struct html_writer *writer, enum reason reason)
{
    const struct snapshot_totals *totals = &writer->snapshot->totals;
    html_markup(writer,
                "<tr><td class=\"num\" data-v=\"%" PRIu64 "\">%" PRIu64
                "</td><td class=\"num\">%.1f%%</td><td class=\"strong\">",
                totals->reasons[reason], totals->reasons[reason],
                measured_reason(totals, reason) * 100);
    html_text(writer, access_reason_name(reason));
    html_markup(writer, "</td><td class=\"txt\">");
    html_text(writer, access_reason_text(reason));
    html_markup(writer, "</td></tr>\n");
}

static void write_reasons(struct html_writer *writer)
{
    const struct snapshot_totals *totals = &writer->snapshot->totals;
    bool any = false;
    for (int i = REASON_NONE + 1; i < REASON_COUNT; i++) {
        if (!totals->reasons[i] || !totals->samples)
            continue;
        if (!any)
            html_markup(writer, "<div class=\"wide\"><table class=\"sorts\"><thead><tr>"
                                "<th class=\"num\">SAMPLES</th><th class=\"num\">OF ALL</th>"
                                "<th>REASON</th><th>WHAT THAT IS</th></tr></thead>\n<tbody>\n");
        any = true;
        write_reason(writer, (enum reason)i);
    }
    html_markup(writer, any ? "</tbody></table></div>\n" : "<p>Every sample has an object.</p>\n");
}

void html_trust(struct html_writer *writer)
{
    char text[512];
    html_section(writer, "trust", "What was not attributed, and why",
                 "Every sample either has an object or is counted here under one reason.");
    if (writer->snapshot->totals.samples)
        write_reasons(writer);
    else
        html_markup(writer, "<p>There were no samples.</p>\n");
    field_summary(writer->snapshot, text, sizeof text);
    html_element(writer, "p", "", text);
    html_section_end(writer);
}

static const char *const lines[] = {
    "A share says how much of what was sampled fell on a row; what that is of stands at the top. "
    "± is half of the 95 % interval in percent points: with few samples it is wide.",
    "A blank is what was not measured. It is not zero.",
    "An object is a variable, a heap block or all blocks of one origin, a stack, a mapping. OF IT "
    "is a part of the object, or of the function, whose row it is.",
    "In a layout each strip is a cache line, and is fetched as a whole. Hot fields on one strip "
    "come together; cold ones beside them are fetched for nothing.",
    "LD and ST are the parts that were loads and stores. Columns that this run has nothing to say "
    "in are left out.",
    "What the other titles mean is told where the pointer rests on them, and by man misstop. A "
    "click on a title sorts.",
};

void html_help(struct html_writer *writer)
{
    html_section(writer, "help", "How to read this", NULL);
    html_markup(writer, "<ul class=\"notes\">\n");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        html_element(writer, "li", "", lines[i]);
    html_markup(writer, "</ul>\n");
    html_section_end(writer);
}
