/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen ?: keys and columns from their tables, reasons, and what the source can say. */
#include "view/browser.h"

#include "base/text.h"
#include "view/binary_words.h"
#include "view/rates_words.h"

#include <stdio.h>
#include <string.h>

enum { LABEL_COLUMNS = 16, HELP_LABEL_BYTES = 64 };

/* Draws the lines in sight and counts the rest. */
struct writer {
    struct canvas *canvas;
    struct area area;
    int line; /* next line, from the top of the whole text */
    int top;
};

static bool in_sight(const struct writer *writer)
{
    return writer->line >= writer->top && writer->line < writer->top + writer->area.rows;
}

static int row_of(const struct writer *writer)
{
    return writer->area.row + writer->line - writer->top;
}

static void write_heading(struct writer *writer, const char *text)
{
    if (writer->line)
        writer->line++;
    if (in_sight(writer))
        canvas_text(writer->canvas, row_of(writer), 1, writer->area.columns - 2, PAINT_PANE, text);
    writer->line++;
}

/* A label and its explanation, broken at spaces under itself. */
static void write_entry(struct writer *writer, enum paint paint, const char *label,
                        const char *text)
{
    int column = *label ? LABEL_COLUMNS + 3 : 3;
    int columns = writer->area.columns - column - 1;
    if (in_sight(writer))
        canvas_text(writer->canvas, row_of(writer), 3, LABEL_COLUMNS - 1, paint, label);
    while (*text) {
        char line[512];
        int used = 0;
        size_t bytes = 0;
        size_t space = 0;
        struct glyph glyph;
        for (; (glyph = glyph_next(text + bytes, false)).bytes; bytes += glyph.bytes) {
            used += glyph.columns;
            if (text[bytes] == ' ')
                space = bytes;
            if (used > columns) {
                bytes = space ? space : bytes;
                break;
            }
        }
        snprintf(line, sizeof line, "%.*s", (int)bytes, text);
        if (in_sight(writer))
            canvas_text(writer->canvas, row_of(writer), column, columns, PAINT_PLAIN, line);
        writer->line++;
        text += bytes ? bytes : strlen(text);
        text += strspn(text, " ");
    }
}

static const char *source_text(const char *name)
{
    static const struct {
        const char *name;
        const char *text;
    } sources[] = {
        {"counter",
         "Counts real cache misses. The address is computed from the instruction before the "
         "sampled one and the registers; what cannot be computed is counted under its reason and "
         "never guessed. It cannot tell latency or the cache level of a single miss."},
        {"clock",
         "Samples time, not misses, because there are no counters here: an object is hot when "
         "the process spends its time at accesses to it, also where they hit the cache."},
        {"pebs",
         "The hardware records the address, the latency and the level of each sampled access. "
         "Loads that took no longer than the latency threshold are not seen."},
        {"ibs",
         "The hardware records the address, the latency and the level of sampled operations, "
         "hits as well as misses."},
        {"replay", "A recording: what it does not hold cannot be shown, and nothing new comes."},
        {"sim", "Every access of the program goes through a simulated cache: exact, and slow."},
    };
    for (size_t i = 0; name && i < sizeof sources / sizeof *sources; i++)
        if (!strcmp(sources[i].name, name))
            return sources[i].text;
    return NULL;
}

static void write_source(struct writer *writer, const struct snapshot *snapshot)
{
    const char *text = snapshot ? source_text(snapshot->source.name) : NULL;
    if (!snapshot)
        return;
    write_heading(writer, "What the figures are");
    write_entry(writer, PAINT_STRONG, snapshot->source.name ? snapshot->source.name : "source",
                text ? text : "A source this help does not know.");
    if (snapshot->source.weighs)
        write_entry(writer, PAINT_STRONG, "shares are of", snapshot->source.weighs);
    char wanting[256];
    rates_wanting(snapshot, wanting, sizeof wanting);
    if (*wanting)
        write_entry(writer, PAINT_STRONG, "miss rates", wanting);
    write_entry(writer, PAINT_STRONG, "blank", "Not measured. It never means zero.");
}

static void write_known(struct writer *writer, const char *label, const char *text)
{
    if (text)
        write_entry(writer, PAINT_STRONG, label, text);
}

static void write_recording(struct writer *writer, const struct snapshot_recording *recording)
{
    if (!recording)
        return;
    write_heading(writer, "The recording");
    write_known(writer, "recorded on", recording->host);
    write_known(writer, "CPU", recording->cpu);
    write_known(writer, "kernel", recording->kernel);
    write_known(writer, "by", recording->command);
    write_known(writer, recording->date_exact ? "begun" : "file of", recording->date);
    write_known(writer, "other processes", recording->others);
    write_known(writer, "addresses", recording->addresses);
    write_known(writer, "note", recording->note);
}

static void write_binaries(struct writer *writer, const struct snapshot *snapshot)
{
    const struct snapshot_binaries *binaries = &snapshot->binaries;
    char fate[512];
    char label[16];
    if (!binaries->count)
        return;
    write_heading(writer, "Programs and libraries of the recording, by samples");
    for (size_t i = 0; i < binaries->count; i++) {
        char line[1024];
        const struct binary_desc *binary = &binaries->list[i];
        bool here = binary->state == BINARY_FOUND || binary->state == BINARY_UNVERIFIED;
        binary_fate(binary, fate, sizeof fate);
        snprintf(line, sizeof line, "%s%s%s", binary->path, *fate ? ": " : "", fate);
        write_entry(writer, here ? PAINT_STRONG : PAINT_BAD,
                    text_count(label, (double)binary->samples), line);
    }
    if (binary_missing(binaries) > 0)
        write_entry(writer, PAINT_STRONG, "to get them", binary_remedy);
    if (binaries->code_only)
        write_entry(writer, PAINT_STRONG, "recorded", binary_code_only);
}

static void write_keys(struct writer *writer, bool replays)
{
    size_t count;
    const struct key_binding *bindings = keys_all(&count);
    write_heading(writer, "Keys");
    for (size_t i = 0; i < count; i++)
        if (bindings[i].help && (replays || !keys_replays(bindings[i].action)))
            write_entry(writer, PAINT_STRONG, bindings[i].shown, bindings[i].help);
    write_entry(writer, PAINT_STRONG, "mouse",
                "click selects, click again opens, wheel scrolls; titles sort, names and the key "
                "bar act");
}

static void write_columns(struct writer *writer)
{
    static const struct columns *const tables[] = {
        &object_columns,       &field_columns,          &toucher_columns, &instance_columns,
        &part_columns,         &region_columns,         &dropped_columns, &function_columns,
        &site_columns,         &line_columns,           &pair_columns,    &layout_columns,
        &source_columns,       &instruction_columns,    &levels_columns,  &sharing_columns,
        &sharing_line_columns, &sharing_access_columns, &phase_columns,   &finding_columns,
        &watch_columns,        &causes_columns,         &reuse_columns,   &reuse_line_columns};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        char heading[HELP_LABEL_BYTES];
        snprintf(heading, sizeof heading, "Columns: %s", tables[i]->title);
        write_heading(writer, heading);
        for (unsigned k = 0; k < tables[i]->count; k++)
            if (tables[i]->list[k].help)
                write_entry(writer, PAINT_STRONG,
                            columns_title(&tables[i]->list[k], writer->canvas->ascii),
                            tables[i]->list[k].help);
    }
}

static void write_reasons(struct writer *writer)
{
    write_heading(writer, "Why a sample has no object");
    for (int i = REASON_NONE + 1; i < REASON_COUNT; i++)
        write_entry(writer, PAINT_STRONG, access_reason_name((enum reason)i),
                    access_reason_text((enum reason)i));
    write_heading(writer, "Why a sample has an object but no field");
    for (int i = UNTYPED_NO_REASON + 1; i < UNTYPED_COUNT; i++)
        write_entry(writer, PAINT_STRONG, untyped_name((enum untyped)i),
                    untyped_text((enum untyped)i));
}

static void help_draw(struct browser *browser, struct canvas *canvas, struct area area)
{
    struct writer writer = {canvas, area, 0, browser->help.top};
    write_source(&writer, browser->snapshot);
    write_recording(&writer, browser->snapshot ? browser->snapshot->recording : NULL);
    if (browser->snapshot)
        write_binaries(&writer, browser->snapshot);
    write_keys(&writer, browser->replays);
    write_columns(&writer);
    write_reasons(&writer);
    browser->help.lines = writer.line;
    browser->help.rows = area.rows;
}

static bool help_act(struct browser *browser, enum action action, struct request *request)
{
    (void)request;
    int page = browser->help.rows > 1 ? browser->help.rows - 1 : 1;
    int last = browser->help.lines - browser->help.rows;
    int top = browser->help.top;
    switch (action) {
    case ACTION_UP:
        top -= 1;
        break;
    case ACTION_DOWN:
        top += 1;
        break;
    case ACTION_PAGE_UP:
        top -= page;
        break;
    case ACTION_PAGE_DOWN:
        top += page;
        break;
    case ACTION_HOME:
        top = 0;
        break;
    case ACTION_END:
        top = last;
        break;
    default:
        return false;
    }
    last = last < 0 ? 0 : last;
    browser->help.top = top < 0 ? 0 : top > last ? last : top;
    return true;
}

static void help_hint(struct browser *browser, char *out, size_t size)
{
    int last = browser->help.top + browser->help.rows;
    if (last < browser->help.lines)
        snprintf(out, size, "lines %d to %d of %d: PgDn goes on. man misstop has more",
                 browser->help.top + 1, last, browser->help.lines);
    else
        snprintf(out, size, "man misstop has more");
}

static const enum action help_bar[] = {ACTION_BACK, ACTION_PAGE_DOWN, ACTION_PAGE_UP, ACTION_HOME,
                                       ACTION_NONE};

const struct page help_page = {
    .name = "Help",
    .draw = help_draw,
    .act = help_act,
    .hint = help_hint,
    .bar = help_bar,
};
