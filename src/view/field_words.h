/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many of the samples have a field, by what, and why the others have none, in words. For the
 * lines on top of the screen, help, and the page of --html. */
#ifndef MISSTOP_VIEW_FIELD_WORDS_H
#define MISSTOP_VIEW_FIELD_WORDS_H

#include "snapshot.h"

#include <stdbool.h>
#include <stddef.h>

enum { FIELD_PARTS_MAX = TYPED_COUNT + 3 };
struct field_part {
    const char *label;
    double share; /* of the attributed samples */
    bool known;   /* else a reason why not */
};
/* The sum of the known ones comes first; their number, 0: nothing has been counted. */
unsigned field_parts(const struct snapshot *snapshot, struct field_part parts[FIELD_PARTS_MAX]);
/* The same in one line; what is being read in the background; how an object's type is known
 * (layout NULL: its own). "": nothing to say. */
void field_summary(const struct snapshot *snapshot, char *out, size_t size);
void field_reading(const struct snapshot *snapshot, char *out, size_t size);
void field_known(const struct snapshot_object *object, const struct snapshot_layout *layout,
                 char *out, size_t size);

#endif
