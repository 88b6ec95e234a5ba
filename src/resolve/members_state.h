/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What members.c, which finds members, and members_names.c, which names them, share. */
#ifndef MISSTOP_RESOLVE_MEMBERS_STATE_H
#define MISSTOP_RESOLVE_MEMBERS_STATE_H

#include "place.h"

#include <stdint.h>

/* type_member_at() with what type_fold() says of an access of that size. */
uint32_t members_find(const struct type_desc *type, uint64_t offset, uint64_t size,
                      uint64_t *folded);

/* The name of a type without "struct ", "union ", "class " or "enum ". */
const char *members_bare(const char *name);

#endif
