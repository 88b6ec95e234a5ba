/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Readers with another source of answers than debugging information: for tests of reader.c. */
#ifndef MISSTOP_RESOLVE_DWARF_READER_STATE_H
#define MISSTOP_RESOLVE_DWARF_READER_STATE_H

#include "resolve/dwarf/reader.h"
#include "resolve/dwarf/serve.h"

struct readers *readers_new_from(const struct readers_limits *limits,
                                 const struct readers_take *take,
                                 const struct serve_source *source);

#endif
