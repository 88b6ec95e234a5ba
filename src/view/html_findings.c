/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The problems that were recognised, each in full; declared in html_part.h. */
#include "view/html_part.h"

#include "view/html_table.h"

#include <inttypes.h>

static void write_fact(struct html_writer *writer, const char *name, const char *text)
{
    if (!text || !*text)
        return;
    html_markup(writer, "<dt>%s</dt><dd class=\"says\">", name);
    html_text(writer, text);
    html_markup(writer, "</dd>\n");
}

static void write_gain(struct html_writer *writer, const struct snapshot_finding *finding)
{
    char gain[96];
    findings_gain(finding, gain, sizeof gain);
    html_markup(writer, "<dt>Gain</dt><dd class=\"says\"><b>");
    html_text(writer, gain);
    html_markup(writer, "</b>");
    if (finding->reckoned && *finding->reckoned) {
        html_markup(writer, ": ");
        html_text(writer, finding->reckoned);
    }
    html_markup(writer, ".</dd>\n");
}

static void write_code(struct html_writer *writer, const struct snapshot_finding *finding)
{
    if (!finding->function)
        return;
    html_markup(writer, "<dt>Code</dt><dd>");
    html_text(writer, finding->function);
    if (finding->file && finding->line)
        html_format(writer, " (%s:%" PRIu32 ")", finding->file, finding->line);
    html_markup(writer, "</dd>\n");
}

/* Where the page shows what it speaks of. */
static void write_places(struct html_writer *writer, const struct snapshot_finding *finding)
{
    const struct snapshot *snapshot = writer->snapshot;
    const struct snapshot_object *object = columns_object(snapshot, finding->object);
    char id[32];
    bool sharing = finding->page == FINDING_ON_SHARING && snapshot->sharing.group_count > 0;
    bool sets = finding->page == FINDING_ON_SETS && snapshot->sets.sets > 0;
    bool opened = object && html_object_link(snapshot, object, id, sizeof id);
    if (!opened && !sharing && !sets)
        return;
    html_markup(writer, "<dt>Look at</dt><dd class=\"says\">");
    if (opened)
        html_markup(writer, "<a href=\"#%s\">the object</a>%s", id, sharing || sets ? ", " : "");
    if (sharing || sets)
        html_markup(writer, "<a href=\"#%s\">%s</a>", sharing ? "sharing" : "sets",
                    sharing ? "its lines and threads" : "the cache sets");
    html_markup(writer, "</dd>\n");
}

static void write_finding(struct html_writer *writer, const struct snapshot_finding *finding,
                          size_t number)
{
    char sure[512];
    html_markup(writer, "<article id=\"p%zu\">\n<h3>", number);
    html_format(writer, "%s: %s%s%s", finding_kind_words(finding->kind),
                finding->name ? finding->name : "(no name)", finding->field ? ", " : "",
                finding->field ? finding->field : "");
    html_markup(writer, "</h3>\n<dl class=\"facts\">\n");
    write_fact(writer, "Evidence", finding->evidence);
    write_fact(writer, "Try", finding->advice);
    write_gain(writer, finding);
    snprintf(sure, sizeof sure, "%s%s%s", finding_sure_name(finding->sure),
             finding->how_sure ? ": " : "", finding->how_sure ? finding->how_sure : "");
    write_fact(writer, "How sure", sure);
    write_code(writer, finding);
    write_places(writer, finding);
    html_markup(writer, "</dl>\n</article>\n");
}

void html_findings(struct html_writer *writer)
{
    const struct snapshot_findings *findings = &writer->snapshot->findings;
    char text[FINDINGS_NONE_BYTES];
    html_section(writer, "findings", "Problems recognised",
                 findings->count
                     ? "Known problems that show in the samples, most "
                       "gain first. A gain is the part of all samples that the change could save."
                     : NULL);
    for (size_t i = 0; i < findings->count; i++)
        write_finding(writer, &findings->list[i], i);
    if (!findings->count) {
        findings_none(writer->snapshot, text, sizeof text);
        html_element(writer, "p", "", text);
    }
    html_section_end(writer);
}
