/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the user's files of settings are: "bins" (bin_rules.h), "matrix" (the same rules, of
 * lines of the matrix: view/matrix_table.h) and "wrappers" (wrappers.h)
 * in $XDG_CONFIG_HOME/misstop, else in ~/.config/misstop. For main, which loads them.
 */
#ifndef MISSTOP_RESOLVE_RC_H
#define MISSTOP_RESOLVE_RC_H

#include <stddef.h>

/* -ENOENT: neither variable is set to an absolute path; -EACCES: the folder is another
 * user's; -ENAMETOOLONG. */
int rc_path(char *out, size_t out_size, const char *name);

#endif
