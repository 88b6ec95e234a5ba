/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The questions that can be asked of an object's layout, with what each would make of it; for the
 * What if page. */
#ifndef MISSTOP_VIEW_WHATIF_CHOICES_H
#define MISSTOP_VIEW_WHATIF_CHOICES_H

#include "profile/whatif.h"
#include "snapshot.h"

#include <stdbool.h>
#include <stddef.h>

enum { WHATIF_CHOICES_MAX = 12 };

struct whatif_choice {
    struct whatif_wanted wanted;
    char title[64];
    char text[192]; /* how it lies then, or why not */
    bool possible;
    double change; /* of the cycles waited, where it was asked: the last answer; NAN */
};

/* `asked`: what was, and is. `layout`: NULL: none is known. `row`: the member selected in it, for a
 * split there; NULL: none. Number of choices. */
size_t whatif_choices(const struct snapshot_object *object, const struct snapshot_layout *layout,
                      const struct snapshot_layout_row *row, uint32_t line_bytes,
                      const struct snapshot_whatifs *asked,
                      struct whatif_choice choices[WHATIF_CHOICES_MAX]);

#endif
