/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cache line byte by byte: what each thread reads and writes of it. For the Sharing page and html_sharing.c. */
#ifndef MISSTOP_VIEW_SHARING_PICTURE_H
#define MISSTOP_VIEW_SHARING_PICTURE_H

#include "snapshot_sharing.h"
#include "view/canvas.h"

/* Draws a ruler, a row for each thread, and one for the bytes that are contended for, as far as
 * there is room; rows used. */
int sharing_picture(const struct snapshot_sharing_line *line, struct canvas *canvas,
                    struct area area);

/* Bytes that one thread writes and another reads or writes: bit i is byte i of the line. */
uint64_t sharing_contended(const struct snapshot_sharing_line *line);

#endif
