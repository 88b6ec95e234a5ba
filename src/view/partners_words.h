/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which code used, and which threw out, the lines that a source line had fetched; for the page of a
 * function. */
#ifndef MISSTOP_VIEW_PARTNERS_WORDS_H
#define MISSTOP_VIEW_PARTNERS_WORDS_H

#include "view/browser.h"

/* "62% smooth x.c:20, 30% move" of the lines that instructions of `row` fetched (NULL: any of the
 * function); "": nothing is known. */
void partners_words(const struct snapshot_code *code, const struct source_row *row,
                    enum line_pairs kind, char *out, size_t size);

/* Both, for the source line selected. Rows used. */
int partners_draw(struct browser *browser, struct canvas *canvas, struct area area);

#endif
