/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions, and their lines of source; declared in html_part.h. */
#include "view/html_part.h"

#include "view/html_table.h"
#include "view/source_rows.h"

enum { FUNCTION_ROWS = 60, SOURCE_ROWS = 150, INSTRUCTION_ROWS = 40, ALWAYS_OPENED = 3 };

static const double worth_opening = 0.005;

static const struct snapshot_share *function_share(const void *row)
{
    return &((const struct snapshot_code *)row)->share;
}

/* A function that hardly misses is a row of the table and no more. */
static bool is_opened(const struct snapshot_code *code, size_t index)
{
    return index < HTML_FUNCTIONS_OPENED && code->instruction_count &&
           (index < ALWAYS_OPENED || code->share.value >= worth_opening);
}

/* The same function is a row of `code` and of each object that it misses on. */
bool html_function_link(const struct snapshot *snapshot, const void *pointer, char *id, size_t size)
{
    const struct snapshot_code *wanted = pointer;
    for (size_t i = 0; i < snapshot->code_count; i++)
        if (snapshot->code[i].id == wanted->id) {
            snprintf(id, size, "f%zu", i + 1);
            return is_opened(&snapshot->code[i], i);
        }
    return false;
}

/* Why a line has no text: of the first file that has none. */
static void write_unreadable(struct html_writer *writer, const struct source_rows *lines)
{
    const struct screen_sources *sources = writer->sources;
    const char *note = NULL;
    for (size_t i = 0; i < lines->count && !note && sources->source_note; i++)
        if (lines->list[i].file && !lines->list[i].text[0])
            note = sources->source_note(sources->context, lines->list[i].file);
    html_markup(writer, "<p class=\"dim\">The text of a source file could not be read here: "
                        "--symfs DIR says where it is.");
    if (note) {
        html_markup(writer, " ");
        html_text(writer, note);
    }
    html_markup(writer, "</p>\n");
}

/* The lines as the screen shows them; instructions where no line is known. */
static void write_lines(struct html_writer *writer, const struct snapshot_code *code)
{
    struct source_rows lines = {.list = NULL};
    struct instruction_rows instructions = {.list = NULL};
    source_rows_make(&lines, code, writer->sources);
    html_table(writer, &(struct html_table){.columns = &source_columns,
                                            .rows = lines.list,
                                            .count = lines.count,
                                            .most = SOURCE_ROWS,
                                            .code = true});
    if (lines.unreadable)
        write_unreadable(writer, &lines);
    instruction_rows_make(&instructions, code, NULL, writer->sources);
    if (lines.count)
        html_markup(writer, "<details><summary>Instructions</summary>\n");
    html_table(writer, &(struct html_table){.columns = &instruction_columns,
                                            .rows = instructions.list,
                                            .count = instructions.count,
                                            .most = INSTRUCTION_ROWS,
                                            .code = true});
    if (lines.count)
        html_markup(writer, "</details>\n");
    instruction_rows_fini(&instructions);
    source_rows_fini(&lines);
}

static void write_function(struct html_writer *writer, const struct snapshot_code *code,
                           size_t number, bool open)
{
    char text[32] = "";
    if (html_known(code->share.value))
        format_percent(text, sizeof text, value_number(code->share.value));
    html_markup(writer, "<details%s><summary><span class=\"strong\">",
                open ? " open=\"open\"" : "");
    html_text(writer, code->function && *code->function ? code->function : "(no name)");
    html_markup(writer, "</span> ");
    html_text(writer, text);
    html_markup(writer, "</summary>\n<div id=\"f%zu\">\n", number);
    if (code->file && code->line)
        html_markup(writer, "<p class=\"dim\">");
    if (code->file && code->line) {
        html_format(writer, "%s:%u", code->file, code->line);
        html_markup(writer, "</p>\n");
    }
    write_lines(writer, code);
    html_markup(writer, "</div></details>\n");
}

void html_code(struct html_writer *writer)
{
    const struct snapshot *snapshot = writer->snapshot;
    if (!snapshot->code_count)
        return;
    html_section(writer, "code", "Code",
                 "The functions that the sampled accesses are in, and below them the lines of the "
                 "first ones.");
    html_table(writer, &(struct html_table){.columns = &function_columns,
                                            .rows = snapshot->code,
                                            .count = snapshot->code_count,
                                            .most = FUNCTION_ROWS,
                                            .interval = function_share,
                                            .link = html_function_link});
    for (size_t i = 0; i < snapshot->code_count; i++)
        if (is_opened(&snapshot->code[i], i))
            write_function(writer, &snapshot->code[i], i + 1, i == 0);
    html_section_end(writer);
}
