/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Languages whose types are written in a way of their own. For the files of this folder. */
#ifndef MISSTOP_RESOLVE_DWARF_LANGUAGE_H
#define MISSTOP_RESOLVE_DWARF_LANGUAGE_H

#include <elfutils/libdw.h>

/* C stands for whatever is written as C is, and for what is not known. */
enum language { LANGUAGE_C, LANGUAGE_CPP, LANGUAGE_RUST, LANGUAGE_FORTRAN, LANGUAGE_GO };

/* Of the unit that an entry stands in (DWARF 5, 7.12). */
enum language language_of(Dwarf_Die *die);

#endif
