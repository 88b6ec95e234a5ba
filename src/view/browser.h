/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is on the screen and how keys and clicks move through it, without a terminal:
 * input events in, a canvas and requests out. screen.c owns one; tests drive it directly.
 * It holds the snapshot shown, and while frozen the newest one too.
 */
#ifndef MISSTOP_VIEW_BROWSER_H
#define MISSTOP_VIEW_BROWSER_H

#include "view/browser_state.h"

void browser_init(struct browser *browser, const struct screen_sources *sources);
void browser_fini(struct browser *browser);

/* As screen_show(): takes the snapshot over. */
void browser_show(struct browser *browser, const struct snapshot *snapshot,
                  void (*release)(const struct snapshot *));

/* As picker_show(). (picker_page.c) */
void browser_pick(struct browser *browser, const struct picker_row *rows, size_t count);
void browser_pick_recorded(struct browser *browser, const struct picker_row *rows, size_t count);

/* As picker_end(). */
void browser_pick_end(struct browser *browser, bool picked);

/* As screen_play(); from the first on it is a replay. */
void browser_play(struct browser *browser, const struct view_play *play);

struct request browser_input(struct browser *browser, const struct input *input);
void browser_message(struct browser *browser, const char *text);

/* Draws all of the canvas; the time makes messages fade. */
void browser_draw(struct browser *browser, struct canvas *canvas, uint64_t now_ns);

/* ---- for the pages ---- */

extern const struct page *const browser_pages[PAGE_COUNT];
extern const struct page objects_page, detail_page, sets_page, search_page, code_page, window_page,
    heap_page, layout_page, sharing_page, timeline_page, help_page, function_page, matrix_page,
    findings_page, watch_page, causes_page, whatif_page, evictions_page, reuse_page, picker_page;

/* Another page; Esc comes back. */
void browser_go(struct browser *browser, enum page_id page);
/* The two halves of it, for those who change what is shown in between: Esc will come back to
 * this page as it is; and on to another, whose rows are made only while it is shown. */
void browser_leave(struct browser *browser);
void browser_enter(struct browser *browser, enum page_id page);
/* Every table of the screens, and the columns it begins with; NULL past the last. */
struct table *browser_listed_table(struct browser *browser, unsigned index);
const struct columns *browser_listed_columns(unsigned index);

/* To the page left last; false: there is none. */
bool browser_return(struct browser *browser);
void browser_open_object(struct browser *browser, const struct snapshot_object *object);
/* By its index; one that is not listed now is said so. */
void browser_open_listed(struct browser *browser, uint32_t object);
void browser_open_function(struct browser *browser, const struct snapshot_code *code);
/* Who evicts whom, at the object or function of this id. (evictions_page.c) */
void browser_open_evictions(struct browser *browser, uint32_t id);
/* The object or function, as Causes lists them now, of this index. (causes_page.c) */
void causes_open(struct browser *browser, uint32_t index);
/* The function at the source line of an instruction. */
void browser_open_instruction(struct browser *browser, const struct snapshot_code *code,
                              const struct snapshot_instruction *instruction);
/* What if the object selected in Objects, or the one in Detail, lay otherwise. (whatif_page.c) */
void browser_open_whatif(struct browser *browser);
/* The layout of the object in Detail, at one of its fields. */
void browser_open_layout(struct browser *browser, const struct snapshot_field *field);
/* The code that misses most on a member of the object in Detail. (member_code.c) */
void browser_open_member(struct browser *browser, const struct snapshot_layout *layout,
                         const struct snapshot_layout_row *row);

/* The tables of the page shown. */
unsigned browser_panes(struct browser *browser, struct table *panes[PANES_MAX]);

/* The help, from the screen shown on; back from there where it is open. (help_page.c) */
void help_open(struct browser *browser);

void browser_freeze(struct browser *browser);

/* The table that keys move in; NULL: none. */
struct table *browser_table(struct browser *browser);
bool browser_focused(struct browser *browser, const struct table *table);

void browser_zone(struct browser *browser, int row, int column, int columns, enum action action);

/* Blocks of a bin have no range in common; says so. */
bool browser_lies_apart(struct browser *browser, const struct snapshot_object *object);

/* From a stretch of the run back to now, from any page. */
void browser_now(struct browser *browser, struct request *request);

/* What an action asks of the engine where no page has taken it; one that only another screen
 * knows says which. (browser_request.c) */
enum request_kind browser_request(struct browser *browser, enum action action);

/* A request to search in a range. */
void browser_search_in(struct request *request, uint64_t base, uint64_t bound, const char *name);

#include "view/picture.h"

#endif
