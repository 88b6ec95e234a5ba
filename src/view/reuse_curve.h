/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A miss-ratio curve as a picture: cache sizes from left to right, the part missed upwards. For the
 * Reuse page. */
#ifndef MISSTOP_VIEW_REUSE_CURVE_H
#define MISSTOP_VIEW_REUSE_CURVE_H

#include "snapshot.h"
#include "view/canvas.h"

/* The curve of `row`, filled, and that of all accesses as dots, with the caches marked. */
void reuse_curve_draw(const struct snapshot_reuse *reuse, const struct snapshot_reuse_row *row,
                      struct canvas *canvas, struct area area);

#endif
