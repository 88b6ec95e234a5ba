/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What hardware watchpoints saw of each object, and the code that touched next; declared in
 * html_part.h. */
#include "view/html_part.h"

#include "view/html_table.h"
#include "view/watch_words.h"

enum { OBJECT_ROWS = 40, EXPLAINED = 12 };

static bool link_object(const struct snapshot *snapshot, const void *row, char *id, size_t size)
{
    const struct snapshot_watch_object *watched = row;
    const struct snapshot_object *object = columns_object(snapshot, watched->object);
    return object && html_object_link(snapshot, object, id, size);
}

static void explain(struct html_writer *writer, const struct snapshot_watch_object *object)
{
    html_markup(writer, "<li><b>");
    html_text(writer, object->name);
    html_markup(writer, "</b>: ");
    html_text(writer, object->reading);
    for (size_t i = 0; i < object->code_count; i++) {
        html_markup(writer, "%s", i ? ", " : " Touched next by ");
        html_text(writer, object->codes[i].text);
        if (html_known(object->codes[i].share))
            html_format(writer, " (%.0f%%)", object->codes[i].share * 100);
    }
    html_markup(writer, "%s</li>\n", object->code_count ? "." : "");
}

void html_watch(struct html_writer *writer)
{
    const struct snapshot_watch *watch = &writer->snapshot->watch;
    char text[512];
    size_t told = 0;
    if (!watch->on || !watch->count)
        return;
    html_section(
        writer, "watch", "Watched lines",
        "Debug registers of the processor were set on lines that had been sampled: whether "
        "they were touched again, how soon, and how much of them was used.");
    watch_summary(watch, text, sizeof text);
    html_element(writer, "p", "dim", text);
    if (watch_pace(watch, text, sizeof text))
        html_element(writer, "p", "dim", text);
    html_table(writer, &(struct html_table){.columns = &watch_columns,
                                            .rows = watch->objects,
                                            .count = watch->count,
                                            .most = OBJECT_ROWS,
                                            .link = link_object});
    html_markup(writer, "<ul>\n");
    for (size_t i = 0; i < watch->count && told < EXPLAINED; i++)
        if (watch->objects[i].verdict != WATCH_TOO_FEW || !i) {
            explain(writer, &watch->objects[i]);
            told++;
        }
    html_markup(writer, "</ul>\n");
    html_section_end(writer);
}
