/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/source_rows.h"

#include "base/array.h"
#include "base/hash.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONTEXT_LINES = 3, HEAD_LINES = 12, ROWS_MOST = 4000 };

void source_rows_fini(struct source_rows *rows)
{
    free(rows->list);
    *rows = (struct source_rows){0};
}

void instruction_rows_fini(struct instruction_rows *rows)
{
    free(rows->list);
    *rows = (struct instruction_rows){0};
}

uint64_t source_identity(const char *file, uint32_t line)
{
    return hash_bytes(file ? file : "", file ? strlen(file) : 0) ^ line;
}

const char *source_base_name(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash && slash[1] ? slash + 1 : file;
}

static bool has_line(const struct snapshot_instruction *instruction)
{
    return instruction->file && instruction->line;
}

bool source_row_has(const struct source_row *row, const struct snapshot_instruction *instruction)
{
    if (!row->file)
        return !has_line(instruction);
    return has_line(instruction) && row->line == instruction->line &&
           !strcmp(row->file, instruction->file);
}

/* The function's own file first, unknown lines last. */
static int by_line(const void *left, const void *right, void *context)
{
    const struct snapshot_instruction *a = *(const struct snapshot_instruction *const *)left;
    const struct snapshot_instruction *b = *(const struct snapshot_instruction *const *)right;
    const char *own = context;
    if (!has_line(a) || !has_line(b))
        return has_line(b) - has_line(a);
    bool own_a = own && !strcmp(a->file, own);
    bool own_b = own && !strcmp(b->file, own);
    if (own_a != own_b)
        return own_b - own_a;
    int order = strcmp(a->file, b->file);
    return order ? order : a->line < b->line ? -1 : a->line > b->line;
}

static struct source_row *add(struct source_rows *rows)
{
    struct source_row *list =
        array_more(rows->list, &rows->capacity, rows->count, sizeof *list, ROWS_MOST);
    if (!list)
        return NULL;
    rows->list = list;
    struct source_row *row = &rows->list[rows->count++];
    *row = (struct source_row){.samples = NAN, .share = NAN, .loads = NAN, .stores = NAN};
    return row;
}

static bool read_line(const struct screen_sources *sources, const char *file, uint32_t line,
                      char *out, size_t size)
{
    *out = '\0';
    return sources->source && sources->source(sources->context, file, line, out, size);
}

static void add_parting(struct source_rows *rows, const char *text)
{
    struct source_row *row = add(rows);
    if (row)
        snprintf(row->text, sizeof row->text, "%s", text);
}

/* Lines [first, end) that nothing missed on. */
static void add_context(struct source_rows *rows, const struct screen_sources *sources,
                        const char *file, uint64_t first, uint64_t end)
{
    for (uint64_t line = first; line < end && line <= UINT32_MAX; line++) {
        struct source_row *row = add(rows);
        if (!row)
            return;
        row->file = file;
        row->line = (uint32_t)line;
        /* Beyond the end of the file. */
        if (!read_line(sources, file, row->line, row->text, sizeof row->text))
            rows->count--;
    }
}

double instruction_samples(const struct snapshot_instruction *instruction)
{
    return instruction->samples + instruction->unknown_samples;
}

/* One line of the instructions [0, count), which all stand on it. */
static void add_line(struct source_rows *rows, const struct screen_sources *sources,
                     const struct snapshot_instruction *const *sorted, size_t count)
{
    struct source_row *row = add(rows);
    const struct snapshot_instruction *hottest = sorted[0];
    if (!row)
        return;
    row->samples = row->share = row->loads = row->stores = 0;
    row->sites = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        row->samples += sorted[i]->samples;
        row->unknown_samples += sorted[i]->unknown_samples;
        row->share += sorted[i]->share;
        row->loads += sorted[i]->loads;
        row->stores += sorted[i]->stores;
        if (sorted[i]->use)
            snapshot_use_sum(&row->use, sorted[i]->use);
        if (instruction_samples(sorted[i]) > instruction_samples(hottest))
            hottest = sorted[i];
    }
    row->hottest = hottest;
    row->inlined = hottest->inlined;
    if (!has_line(hottest)) {
        snprintf(row->text, sizeof row->text, "(instructions whose line is not known)");
        return;
    }
    row->file = hottest->file;
    row->line = hottest->line;
    if (!read_line(sources, row->file, row->line, row->text, sizeof row->text))
        rows->unreadable = true;
}

/* How far the lines of a file are shown. */
struct reach {
    const char *file; /* NULL: none yet */
    uint64_t end;     /* first line not shown */
    bool readable;
};

/* A file begins: its name, and the function's head where that is near or in the file at all. */
static void begin_file(struct source_rows *rows, const struct snapshot_code *code,
                       const struct screen_sources *sources,
                       const struct snapshot_instruction *first, struct reach *reach)
{
    const char *file = first->file;
    uint32_t line = first->line;
    char text[256];
    char title[256];
    *reach = (struct reach){.file = file, .end = line};
    reach->readable = read_line(sources, file, line, text, sizeof text);
    snprintf(title, sizeof title, "%.150s%s%.80s", file, first->inlined ? "  inlined: " : "",
             first->inlined ? first->inlined : "");
    add_parting(rows, title);
    reach->end = line > CONTEXT_LINES ? line - CONTEXT_LINES : 1;
    if (!reach->readable || !code->file || strcmp(code->file, file) || !code->line ||
        code->line >= line)
        return;
    if (reach->end > code->line && reach->end - code->line > HEAD_LINES) {
        add_context(rows, sources, file, code->line, (uint64_t)code->line + 1);
        add_parting(rows, "");
    } else {
        reach->end = code->line;
    }
}

/* What lies between the last line shown and the next hot one. */
static void bridge(struct source_rows *rows, const struct screen_sources *sources, uint32_t line,
                   struct reach *reach)
{
    uint64_t after = reach->end + CONTEXT_LINES;
    uint64_t before = line > CONTEXT_LINES ? line - CONTEXT_LINES : 1;
    if (!reach->readable)
        return;
    if (before <= after + 1) {
        add_context(rows, sources, reach->file, reach->end, line);
    } else {
        add_context(rows, sources, reach->file, reach->end, after);
        add_parting(rows, "");
        add_context(rows, sources, reach->file, before, line);
    }
}

static void end_file(struct source_rows *rows, const struct screen_sources *sources,
                     const struct reach *reach)
{
    if (reach->file && reach->readable)
        add_context(rows, sources, reach->file, reach->end, reach->end + CONTEXT_LINES);
}

static void add_all(struct source_rows *rows, const struct snapshot_code *code,
                    const struct screen_sources *sources,
                    const struct snapshot_instruction *const *sorted)
{
    struct reach reach = {0};
    for (size_t i = 0, next = 0; i < code->instruction_count; i = next) {
        const struct snapshot_instruction *first = sorted[i];
        bool known = has_line(first);
        while (next < code->instruction_count && has_line(sorted[next]) == known &&
               (!known ||
                (sorted[next]->line == first->line && !strcmp(sorted[next]->file, first->file))))
            next++;
        bool begins = known && (!reach.file || strcmp(reach.file, first->file));
        if (begins || !known)
            end_file(rows, sources, &reach);
        if (begins) {
            begin_file(rows, code, sources, first, &reach);
            add_context(rows, sources, first->file, reach.end,
                        reach.readable ? first->line : reach.end);
        } else if (known) {
            bridge(rows, sources, first->line, &reach);
        } else {
            add_parting(rows, "");
            reach.file = NULL;
        }
        add_line(rows, sources, &sorted[i], next - i);
        reach.end = (uint64_t)first->line + 1;
    }
    end_file(rows, sources, &reach);
}

void source_rows_make(struct source_rows *rows, const struct snapshot_code *code,
                      const struct screen_sources *sources)
{
    const struct snapshot_instruction **sorted =
        calloc(code->instruction_count + 1, sizeof *sorted);
    size_t known = 0;
    rows->count = 0;
    rows->unreadable = false;
    for (size_t i = 0; sorted && i < code->instruction_count; i++) {
        sorted[i] = &code->instructions[i];
        known += has_line(sorted[i]);
    }
    if (known) {
        qsort_r(sorted, code->instruction_count, sizeof *sorted, by_line,
                (void *)(uintptr_t)code->file);
        add_all(rows, code, sources, sorted);
    }
    free(sorted);
}

void instruction_rows_make(struct instruction_rows *rows, const struct snapshot_code *code,
                           const struct source_row *line, const struct screen_sources *sources)
{
    rows->count = 0;
    if (rows->capacity < code->instruction_count) {
        struct instruction_row *list =
            realloc(rows->list, code->instruction_count * sizeof *rows->list);
        if (!list)
            return;
        rows->list = list;
        rows->capacity = code->instruction_count;
    }
    for (size_t i = 0; i < code->instruction_count; i++) {
        const struct snapshot_instruction *instruction = &code->instructions[i];
        if (line && !source_row_has(line, instruction))
            continue;
        struct instruction_row *row = &rows->list[rows->count++];
        *row = (struct instruction_row){.instruction = instruction};
        if (!sources->instruction || !sources->instruction(sources->context, instruction->address,
                                                           row->text, sizeof row->text))
            row->text[0] = '\0';
    }
}
