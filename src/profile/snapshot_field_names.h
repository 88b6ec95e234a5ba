/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the fields of an object are called: members, elements of arrays, offsets. For
 * snapshot_fields.c, which finds where in the object they are.
 */
#ifndef MISSTOP_PROFILE_SNAPSHOT_FIELD_NAMES_H
#define MISSTOP_PROFILE_SNAPSHOT_FIELD_NAMES_H

#include "profile/state.h"

/* What an object's untyped offsets are folded by. */
struct folding {
    struct type_desc type; /* of its elements; name NULL: not known */
    uint32_t type_id;
    uint32_t element;
    bool exact; /* see find_members() */
};

/* A few scalars in a row: each is as good as a member. */
bool field_is_short_array(const struct type_desc *type, uint32_t member);

/* Sets name and type, in the arena of the build; name stays NULL where memory is short. */
void field_name(struct build *build, const struct folding *folding, struct snapshot_field *field);

#endif
