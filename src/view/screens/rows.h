/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows that are made for the screen. Lists start zeroed, are rebuilt in the same memory, and are
 * freed by the caller. */
#ifndef MISSTOP_VIEW_SCREENS_ROWS_H
#define MISSTOP_VIEW_SCREENS_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/whatif.h"
#include "snapshot.h"
#include "view/widget/columns.h"

struct browser;

/* Source lines of one function that have samples, with context, and the instructions of a line. The
 * text is read through struct view_sources. For function.c. */
struct source_rows {
    struct source_row *list;
    size_t count;
    size_t capacity;
    bool unreadable; /* the text of a file could not be read */
};

struct instruction_rows {
    struct instruction_row *list;
    size_t count;
    size_t capacity;
};

/* Makes the rows sorted by file, the function's own first, then by line. No rows if no line is
 * known. If out of memory, makes as many as fit. */
void source_rows_make(struct source_rows *rows, const struct snapshot_code *code,
                      const struct view_sources *sources);

/* Makes the rows of one line, by address; of the whole function if `line` is NULL. */
void instruction_rows_make(struct instruction_rows *rows, const struct snapshot_code *code,
                           const struct source_row *line, const struct view_sources *sources);

struct caller_row {
    const struct snapshot_caller *caller;
    char text[256]; /* the function, indented */
};

struct caller_rows {
    struct caller_row *list;
    size_t count;
    size_t capacity;
    bool folded; /* only the top level is shown */
};

/* Makes the rows; none if `callers` is NULL. */
void caller_rows_make(struct caller_rows *rows, const struct snapshot_callers *callers);

/* Formats "callers are known of 1.2k of 3.4k samples". */
void callers_known(const struct snapshot_callers *callers, double samples, char *out, size_t size);

/* Opens Function for a struct caller_row; shows a message if it has no samples of its own. */
void callers_open(struct browser *browser, const void *row);

/* Rows of the Layout screen: the members of a type in order, without members of folded ones, with
 * separators at cache line starts and notes on defects. For layout.c. */

struct layout_row {
    const struct snapshot_layout_row *row; /* NULL: a separator with the title `text` */
    uint64_t identity;
    char text[160]; /* the member's name, indented */
    char note[64];  /* "": no note; costly findings begin with a capital */
};

struct layout_rows {
    struct layout_row *list;
    size_t count;
    size_t capacity;
};

/* Indices of the folded members. */
struct layout_folds {
    uint32_t members[64];
    unsigned count;
};

/* Folds or unfolds; returns false if too many are folded. */
bool layout_fold(struct layout_folds *folds, uint32_t member);

/* Makes the rows, which point into the layout. If out of memory, makes as many as fit. */
void layout_rows_make(struct layout_rows *rows, const struct snapshot_layout *layout,
                      const struct layout_folds *folds);

/* Returns the identity of a table row of a member, or of an offset without one. */
uint64_t layout_identity(uint32_t member, uint64_t offset);

struct browser;
/* Returns the selected row of the screen, NULL if there is none; *type is the displayed type, 0 if
 * there is none. */
const struct layout_row *layout_selected(const struct browser *browser, uint32_t *type);

/* Answers to "what if" as rows and sentences; for the What if screen, batch text, JSON and HTML. */

enum { WHATIF_ROWS_MAX = SIMULATION_LEVELS_MAX + 1, WHATIF_TEXT_BYTES = 640 };

/* Misses of a level, or in the last row, their cost in cycles. */
struct whatif_row {
    const char *name;
    double before;
    double after;
    double object_before; /* NAN: not reported */
    double object_after;
};

/* Fills in the answer so far; returns 0 if nothing has been counted yet. */
size_t whatif_rows(const struct snapshot_whatif *answer, struct whatif_row rows[WHATIF_ROWS_MAX]);

/* Returns the name as in JSON: "waits", "counts", "refused". */
const char *whatif_state_name(enum whatif_state state);

/* Compares the answers, best first, in a sentence; "" if fewer than two questions are open. */
void whatif_summary(const struct snapshot_whatifs *asked, char *out, size_t size);

/* Formats the question, its object, and the new layout. */
void whatif_title(const struct snapshot_whatif *answer, char *out, size_t size);

/* Formats the answer in one or two sentences: the change, its basis, and how far to trust it. */
void whatif_sentence(const struct snapshot_whatif *answer, char *out, size_t size);

/* The questions that can be asked about an object's layout, and the layout each would give; for the
 * What if screen. */
enum { WHATIF_CHOICES_MAX = 12 };

struct whatif_choice {
    struct whatif_request request;
    char title[64];
    char text[192]; /* the new layout, or why there is none */
    bool possible;
    double change; /* relative, of the cycles waited: the last answer; NAN: not asked */
};

#endif
