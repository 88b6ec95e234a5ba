/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of C++ templates without what nobody writes: arguments of the standard library that are
 * the default ("std::vector<int>"), inline namespaces, blanks between closing brackets, and
 * std::string by its name. For typename.c.
 */
#ifndef MISSTOP_RESOLVE_DWARF_SHORTEN_H
#define MISSTOP_RESOLVE_DWARF_SHORTEN_H

#include <stddef.h>

/* In place. */
void shorten_template(char *name);

#endif
