/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbols of C++ and Rust as their programmers know them. For names.c. */
#ifndef MISSTOP_RESOLVE_DEMANGLE_H
#define MISSTOP_RESOLVE_DEMANGLE_H

#include <stddef.h>

/*
 * The name without its types of parameters, in `out`; NULL: it is not mangled, or too long
 * or too strange to be trusted to a demangler (the target decides what its symbols say).
 */
const char *demangle(const char *name, char *out, size_t out_size);

#endif
