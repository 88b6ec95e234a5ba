/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stands out, said in sentences before any table, each with a way to its part; declared in
 * html_part.h. */
#include "view/html_part.h"

#include "view/causes_words.h"
#include "view/whatif_words.h"
#include "view/html_table.h"
#include "view/source_rows.h"

enum { FINDINGS = 3, OBJECTS = 3, GROUPS = 2 };

static const double worth_telling = 0.05;

static void begin(struct html_writer *writer, bool *any)
{
    html_markup(writer, *any ? "<li>"
                             : "<section id=\"short\"><h2>In short</h2>\n"
                               "<ol class=\"found\">\n<li>");
    *any = true;
}

static void write_named(struct html_writer *writer, const char *id, const char *name)
{
    html_markup(writer, "<a href=\"#%s\"><b>", id);
    html_text(writer, name && *name ? name : "(no name)");
    html_markup(writer, "</b></a>");
}

/* "38.0% fall on particles, 61.0% of these on particle.vy; most from visit (demo.c:70)." */
static void tell_object(struct html_writer *writer, const struct snapshot_object *object)
{
    char id[32];
    html_object_link(writer->snapshot, object, id, sizeof id);
    html_markup(writer, "%.1f%% fall on ", object->share.value * 100);
    write_named(writer, id, object->name);
    if (object->field_count && object->fields[0].share >= worth_telling &&
        html_known(object->fields[0].share)) {
        html_markup(writer, ", %.1f%% of these on ", object->fields[0].share * 100);
        html_text(writer, object->fields[0].name);
    }
    if (object->code_count && html_known(object->code[0].share.value)) {
        const struct snapshot_code *code = &object->code[0];
        html_markup(writer, "; %.1f%% of them from ", object->code[0].share.value * 100);
        html_text(writer, code->function);
        if (code->file && code->line)
            html_format(writer, " (%s:%u)", source_base_name(code->file), code->line);
    }
    html_markup(writer, ". ");
    if (object->layout_count)
        html_text(writer, object->layouts[0].reading);
}

/* "Pointer chasing on particles: about 30.0% of all samples could be saved." */
static void tell_findings(struct html_writer *writer, bool *any)
{
    const struct snapshot_findings *findings = &writer->snapshot->findings;
    for (size_t i = 0; i < findings->count && i < FINDINGS; i++) {
        const struct snapshot_finding *finding = &findings->list[i];
        begin(writer, any);
        html_markup(writer, "<a href=\"#p%zu\">", i);
        html_text(writer, finding_kind_words(finding->kind));
        html_markup(writer, "</a> on <b>");
        html_text(writer, finding->name && *finding->name ? finding->name : "(no name)");
        html_markup(writer, "</b>");
        if (html_known(finding->gain)) {
            char gain[96];
            findings_gain(finding, gain, sizeof gain);
            html_format(writer, ": %s could be saved", gain);
        }
        html_markup(writer, " (%s).</li>\n", finding_sure_name(finding->sure));
    }
}

static void tell_objects(struct html_writer *writer, bool *any)
{
    const struct snapshot *snapshot = writer->snapshot;
    for (size_t i = 0; i < snapshot->object_count && i < OBJECTS; i++) {
        const struct snapshot_object *object = &snapshot->objects[i];
        if (!html_known(object->share.value) || object->share.value < worth_telling)
            return;
        begin(writer, any);
        tell_object(writer, object);
        html_markup(writer, "</li>\n");
    }
}

static void tell_sharing(struct html_writer *writer, bool *any)
{
    const struct snapshot_sharing *sharing = &writer->snapshot->sharing;
    for (size_t i = 0; i < sharing->group_count && i < GROUPS; i++) {
        const struct snapshot_sharing_group *group = &sharing->groups[i];
        if (group->verdict == SHARING_READ_ONLY || !group->sure)
            return;
        begin(writer, any);
        write_named(writer, "sharing", group->name);
        html_markup(writer, ": ");
        html_text(writer, group->reading);
        html_markup(writer, "</li>\n");
    }
}

/* A sentence that another part has said already. */
static void tell(struct html_writer *writer, bool *any, const char *id, const char *title,
                 const char *reading)
{
    if (!reading || !*reading)
        return;
    begin(writer, any);
    html_markup(writer, "<a href=\"#%s\">%s</a>: ", id, title);
    html_text(writer, reading);
    html_markup(writer, "</li>\n");
}

static void tell_causes(struct html_writer *writer, bool *any)
{
    char why[256];
    if (!writer->snapshot->causes.told)
        return;
    causes_why(&writer->snapshot->causes.all, why, sizeof why);
    tell(writer, any, "causes", "Why lines were missed", why);
}

void html_short(struct html_writer *writer)
{
    const struct snapshot *snapshot = writer->snapshot;
    bool any = false;
    tell_findings(writer, &any);
    tell_objects(writer, &any);
    tell_causes(writer, &any);
    tell_sharing(writer, &any);
    if (snapshot->sets.verdict == SETS_CONCENTRATED)
        tell(writer, &any, "sets", "Cache sets", snapshot->sets.reading);
    if (snapshot->timeline.phase_count > 1)
        tell(writer, &any, "time", "Time", snapshot->timeline.reading);
    if (snapshot->window.used)
        tell(writer, &any, "again", "Recurrence", snapshot->window.reading);
    if (snapshot->whatif.count && snapshot->whatif.list[0].state == WHATIF_COUNTS) {
        char text[WHATIF_TEXT_BYTES];
        whatif_sentence(&snapshot->whatif.list[0], text, sizeof text);
        tell(writer, &any, "whatif", "What if", text);
    }
    if (any)
        html_markup(writer, "</ol></section>\n");
}
