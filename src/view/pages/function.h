/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The source lines of one function that miss, with the lines around them, and the instructions
 * of a line. The text comes through struct screen_sources. For function.c.
 */
#ifndef MISSTOP_VIEW_PAGES_FUNCTION_H
#define MISSTOP_VIEW_PAGES_FUNCTION_H

#include "view/widget/columns.h"

struct browser;

struct source_rows {
    struct source_row *list;
    size_t count;
    size_t capacity;
    bool unreadable; /* text of some file */
};

struct instruction_rows {
    struct instruction_row *list;
    size_t count;
    size_t capacity;
};

/* By file, the function's own first, then by line. No rows where no line is known. Out of
 * memory: as many as there is room for. */
void source_rows_make(struct source_rows *rows, const struct snapshot_code *code,
                      const struct screen_sources *sources);
void source_rows_fini(struct source_rows *rows);

/* Those of one line, by address; all of the function for line NULL. */
void instruction_rows_make(struct instruction_rows *rows, const struct snapshot_code *code,
                           const struct source_row *line, const struct screen_sources *sources);
void instruction_rows_fini(struct instruction_rows *rows);

/* The last part of a path. */
const char *source_base_name(const char *file);

/* The tree of callers as rows of a table. */
struct caller_row {
    const struct snapshot_caller *caller;
    char text[256]; /* the function, indented */
};

/* Starts as zeros. */
struct caller_rows {
    struct caller_row *list;
    size_t count;
    size_t capacity;
    bool folded; /* only the uppermost level */
};

/* `callers` NULL: no rows. */
void caller_rows_make(struct caller_rows *rows, const struct snapshot_callers *callers);
void caller_rows_fini(struct caller_rows *rows);

/* "callers are known of 1.2k of 3.4k samples". */
void callers_known(const struct snapshot_callers *callers, double samples, char *out, size_t size);

/* Opens Function on a row; a message where it has no samples of its own. */
void callers_open(struct browser *browser, const struct caller_row *row);

#endif
