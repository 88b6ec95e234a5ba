/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of tables that are made for the screen: source lines, instructions, callers, members of
 * a type, answers of What if. Lists start as zeros, are made anew in the same room, and are the
 * caller's to free. */
#ifndef MISSTOP_VIEW_SCREENS_ROWS_H
#define MISSTOP_VIEW_SCREENS_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/whatif.h"
#include "snapshot.h"
#include "view/widget/columns.h"

struct browser;

/*
 * The source lines of one function that have samples, with the lines around them, and the
 * instructions of a line. The text comes through struct view_sources. For function.c.
 */
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
                      const struct view_sources *sources);

/* Those of one line, by address; all of the function for line NULL. */
void instruction_rows_make(struct instruction_rows *rows, const struct snapshot_code *code,
                           const struct source_row *line, const struct view_sources *sources);

/* The tree of callers as rows of a table. */
struct caller_row {
    const struct snapshot_caller *caller;
    char text[256]; /* the function, indented */
};

struct caller_rows {
    struct caller_row *list;
    size_t count;
    size_t capacity;
    bool folded; /* only the uppermost level */
};

/* `callers` NULL: no rows. */
void caller_rows_make(struct caller_rows *rows, const struct snapshot_callers *callers);

/* "callers are known of 1.2k of 3.4k samples". */
void callers_known(const struct snapshot_callers *callers, double samples, char *out, size_t size);

/* Opens Function on a struct caller_row; a message where it has no samples of its own. */
void callers_open(struct browser *browser, const void *row);

/*
 * The rows of the Layout screen: the members of a type in order, without those of folded ones, with
 * a rule where a cache line begins and a note on defects. For layout.c.
 */

struct layout_row {
    const struct snapshot_layout_row *row; /* NULL: a rule, which says `text` */
    uint64_t identity;
    char text[160]; /* the member's name, indented */
    char note[64];  /* "" if there is nothing to say; what costs begins with a capital */
};

struct layout_rows {
    struct layout_row *list;
    size_t count;
    size_t capacity;
};

/* Members that are folded, by index. */
struct layout_folds {
    uint32_t members[64];
    unsigned count;
};

/* Folds, or unfolds; false: too many are folded. */
bool layout_fold(struct layout_folds *folds, uint32_t member);

/* Out of memory: as many rows as there is room for. They point into the layout. */
void layout_rows_make(struct layout_rows *rows, const struct snapshot_layout *layout,
                      const struct layout_folds *folds);

/* Identities of table rows of members, and of offsets without one. */
uint64_t layout_identity(uint32_t member, uint64_t offset);

struct browser;
/* The row selected on the screen, NULL: none; and the type that it shows, 0: none. */
const struct layout_row *layout_selected(const struct browser *browser, uint32_t *type);

/* Answers to "what if" in rows and words; for the What if screen, batch text, JSON and HTML. */

enum { WHATIF_ROWS_MAX = SIMULATION_LEVELS_MAX + 1, WHATIF_TEXT_BYTES = 640 };

/* Misses of a level, or, last, the cycles that they cost. */
struct whatif_row {
    const char *name;
    double before;
    double after;
    double object_before; /* NAN: not reported */
    double object_after;
};

/* The answer so far; 0: nothing is counted yet. */
size_t whatif_rows(const struct snapshot_whatif *answer, struct whatif_row rows[WHATIF_ROWS_MAX]);

/* "waits", "counts", "refused"; as in JSON. */
const char *whatif_state_name(enum whatif_state state);

/* The answers side by side, best first, for which one is of: "" where fewer than two are asked. */
void whatif_summary(const struct snapshot_whatifs *asked, char *out, size_t size);

/* The question, its object, and the layout in question. */
void whatif_title(const struct snapshot_whatif *answer, char *out, size_t size);

/* The answer in a sentence or two: what changes, of how much, and how far to trust it. */
void whatif_sentence(const struct snapshot_whatif *answer, char *out, size_t size);

/* The questions that can be asked of an object's layout, with what each would make of it; for the
 * What if screen. */
enum { WHATIF_CHOICES_MAX = 12 };

struct whatif_choice {
    struct whatif_wanted wanted;
    char title[64];
    char text[192]; /* the layout in question, or why there is none */
    bool possible;
    double change; /* of the cycles waited, where it was asked: the last answer; NAN */
};

#endif
