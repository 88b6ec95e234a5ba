/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which functions only hand out memory for others: a bin's short name skips them. Globs
 * (fnmatch) over function names; a default list, then the user's, of which the last match
 * counts and a leading ! says that a function is none.
 */
#ifndef MISSTOP_RESOLVE_WRAPPERS_H
#define MISSTOP_RESOLVE_WRAPPERS_H

#include <stdbool.h>
#include <stddef.h>

enum {
    WRAPPERS_USER_MAX = 256,
    WRAPPERS_GLOB_BYTES = 128,
    WRAPPERS_STARS_MAX = 4,
    WRAPPERS_FILE_BYTES = 1 << 16
};

struct wrappers {
    char (*globs)[WRAPPERS_GLOB_BYTES]; /* the user's */
    unsigned count;
    unsigned skipped; /* too long, or with so many stars that matching might take for ever */
};

void wrappers_init(struct wrappers *wrappers);
void wrappers_fini(struct wrappers *wrappers);

/* Globs, one a line or parted by ';'; blank ones and those after # are left out. -ENOMEM. */
int wrappers_add(struct wrappers *wrappers, const char *text);

/* The user's: $MISSTOP_WRAPPERS and the file "wrappers" (rc.h), which need not be. -ENOMEM. */
int wrappers_add_settings(struct wrappers *wrappers);

bool wrappers_match(const struct wrappers *wrappers, const char *function);

#endif
