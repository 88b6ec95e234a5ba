/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The objects, and the first ones one by one; declared in html_part.h. */
#include "view/html_part.h"

#include "base/text.h"
#include "view/field_words.h"
#include "view/html_table.h"
#include "view/objects_words.h"
#include "view/levels_rows.h"

#include <inttypes.h>

enum {
    OBJECT_ROWS = 200,
    FIELD_ROWS = 40,
    FIELDS_ALWAYS = 5,
    LEVEL_ROWS = 64,
    CODE_ROWS = 15,
    INSTANCE_ROWS = 12,
    LAYOUTS = 3,
    SITES = 8
};

static const double field_worth_telling = 0.005;

bool html_object_link(const struct snapshot *snapshot, const void *pointer, char *id, size_t size)
{
    const struct snapshot_object *object = pointer;
    size_t index = (size_t)(object - snapshot->objects);
    snprintf(id, size, "o%zu", index + 1);
    return index < HTML_OBJECTS_OPENED;
}

static const struct snapshot_share *object_share(const void *row)
{
    return &((const struct snapshot_object *)row)->share;
}

static const struct snapshot_share *code_share(const void *row)
{
    return &((const struct snapshot_code *)row)->share;
}

void html_objects(struct html_writer *writer)
{
    const struct snapshot *snapshot = writer->snapshot;
    html_section(writer, "objects", "Objects",
                 "The variables, heap blocks and mappings that the samples are on. The whisker on "
                 "a bar is the 95 % interval of the share: rows whose whiskers overlap may well "
                 "stand the other way round.");
    if (!snapshot->object_count)
        html_markup(writer, "<p>No object: %s.</p>\n",
                    snapshot->totals.samples ? "no sample could be attributed" : "no samples");
    html_table(writer, &(struct html_table){.columns = &object_columns,
                                            .rows = snapshot->objects,
                                            .count = snapshot->object_count,
                                            .most = OBJECT_ROWS,
                                            .interval = object_share,
                                            .link = html_object_link});
    char left[160];
    objects_left_out(snapshot, left, sizeof left);
    if (*left) {
        html_markup(writer, "<p class=\"dim\">");
        html_text(writer, left);
        html_markup(writer, ".</p>\n");
    }
    html_section_end(writer);
}

/* Kind, place and size, how its type is known, who allocated it. */
static void write_facts(struct html_writer *writer, const struct snapshot_object *object)
{
    const struct snapshot *snapshot = writer->snapshot;
    char text[256];
    html_markup(writer, "<p>");
    html_format(writer, "%s%s%s", object_kind_name(object->kind),
                object->module && *object->module ? " of " : "",
                object->module ? object->module : "");
    if (object->size)
        html_format(writer, ", %s", text_bytes(text, object->size));
    if (object->blocks > 1)
        html_markup(writer, " in %" PRIu32 " %s", object->blocks,
                    object->bin == UINT32_MAX ? "instances" : "blocks");
    else if (object->address)
        html_markup(writer, " at 0x%" PRIx64, object->address);
    html_markup(writer, "</p>\n");
    if (object->type) {
        field_known(object, NULL, text, sizeof text);
        html_markup(writer, "<p><span class=\"strong\">");
        html_text(writer, object->type);
        html_markup(writer, "</span>: ");
        html_text(writer, text);
        html_markup(writer, "</p>\n");
    } else if (object->element_size) {
        html_markup(writer,
                    "<p>Looks like an array of %" PRIu64
                    "-byte elements (%.0f%% sure, from the sampled offsets).</p>\n",
                    object->element_size, object->element_confidence * 100);
    }
    if (object->bin >= snapshot->heap.bin_count)
        return;
    const struct heap_bin *heap = &snapshot->heap.bins[object->bin].heap;
    if (!heap->path)
        return;
    html_markup(writer, "<p>Allocated by ");
    html_text(writer, heap->path);
    html_markup(writer, "</p>\n");
    for (uint32_t i = 0; heap->site && i < heap->site_count && i < SITES; i++) {
        html_markup(writer, i ? "" : "<ul class=\"notes mono\">");
        html_element(writer, "li", "", heap->site[i]);
        if (i + 1 == heap->site_count || i + 1 == SITES)
            html_markup(writer, "</ul>\n");
    }
}

/* Most samples first: where the rows begin that nobody would miss. */
static size_t fields_worth_telling(const struct snapshot_object *object)
{
    size_t count = 0;
    while (count < object->field_count && count < FIELD_ROWS &&
           (count < FIELDS_ALWAYS || object->fields[count].share >= field_worth_telling))
        count++;
    return count;
}

static void write_list(struct html_writer *writer, const char *title,
                       const struct html_table *table)
{
    if (!table->count)
        return;
    html_element(writer, "h3", "", title);
    html_table(writer, table);
}

static void write_lists(struct html_writer *writer, const struct snapshot_object *object)
{
    struct levels_rows levels;
    levels_rows_make(&levels, object->levels);
    write_list(writer, "Fields",
               &(struct html_table){.columns = &field_columns,
                                    .rows = object->fields,
                                    .count = object->field_count,
                                    .most = fields_worth_telling(object)});
    for (size_t i = 0; i < object->layout_count && i < LAYOUTS; i++)
        html_layout(writer, object, &object->layouts[i]);
    write_list(writer, "Where its accesses found their data",
               &(struct html_table){.columns = &levels_columns,
                                    .rows = levels.list,
                                    .count = levels.count,
                                    .most = LEVEL_ROWS});
    write_list(writer, "Code that accesses it",
               &(struct html_table){.columns = &toucher_columns,
                                    .rows = object->code,
                                    .count = object->code_count,
                                    .most = CODE_ROWS,
                                    .interval = code_share,
                                    .link = html_function_link});
    /* One instance is the object itself. */
    write_list(
        writer, "Instances",
        &(struct html_table){.columns = &instance_columns,
                             .rows = object->instances,
                             .count = object->instance_count > 1 ? object->instance_count : 0,
                             .most = INSTANCE_ROWS});
}

/* The id stands inside, so that a browser which is led there opens it. */
static void write_object(struct html_writer *writer, const struct snapshot_object *object,
                         bool open)
{
    char id[32];
    char text[32] = "";
    const struct value share = value_number(object->share.value);
    html_object_link(writer->snapshot, object, id, sizeof id);
    if (share.kind == VALUE_NUMBER && html_known(share.number))
        format_percent(text, sizeof text, share);
    html_markup(writer, "<details%s><summary><span class=\"strong\">",
                open ? " open=\"open\"" : "");
    html_text(writer, object->name && *object->name ? object->name : "(no name)");
    html_markup(writer, "</span> ");
    html_text(writer, text);
    html_markup(writer, "</summary>\n<div id=\"%s\">\n", id);
    write_facts(writer, object);
    write_lists(writer, object);
    html_markup(writer, "</div></details>\n");
}

void html_opened_objects(struct html_writer *writer)
{
    const struct snapshot *snapshot = writer->snapshot;
    size_t count =
        snapshot->object_count < HTML_OBJECTS_OPENED ? snapshot->object_count : HTML_OBJECTS_OPENED;
    if (!count)
        return;
    html_section(writer, "inside", "Inside the objects",
                 "Fields, how they lie in cache lines, the code that accesses them.");
    for (size_t i = 0; i < count; i++)
        write_object(writer, &snapshot->objects[i], i == 0);
    html_section_end(writer);
}
