/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The user's files of settings, in $XDG_CONFIG_HOME/misstop, else in ~/.config/misstop: "config"
 * with lines "key=value", and files with a form of their own ("bins", "matrix", "wrappers", "tlb").
 * Those of another user, as under sudo, are neither read nor written.
 */
#ifndef MISSTOP_BASE_SETTINGS_H
#define MISSTOP_BASE_SETTINGS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* -ENOENT: neither variable is set to an absolute path; -EACCES: the folder is another user's;
 * -ENAMETOOLONG. */
int settings_path(char *out, size_t out_size, const char *name);

/* Makes the folders above a path that are missing. */
void settings_make_folders(const char *path);

/* All of a regular file of at most `most` bytes, with a NUL behind it, for free(); text NULL where
 * there is none. Its size, or a negative errno: -EINVAL for a larger file or another kind. */
long settings_read(const char *path, size_t most, char **text);

/* Replaces the file as a whole, through links to it; makes the folders above it. */
int settings_write(const char *path, const char *text, size_t size, struct error *error);

struct settings {
    char path[PATH_MAX]; /* "": nowhere to keep them */
    char *text;          /* NULL: empty */
};

/* Those of the file "config". One that cannot be read, or is no text, is not written over. */
void settings_load(struct settings *settings);
void settings_free(struct settings *settings);

/* The value of a key; false: it has none. */
bool settings_get(const struct settings *settings, const char *key, char *out, size_t size);

/* Its line gets the value; all other lines stay as they are. value NULL: the line goes. -ENOMEM. */
int settings_set(struct settings *settings, const char *key, const char *value);

int settings_save(const struct settings *settings, struct error *error);

#endif
