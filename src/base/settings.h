/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The user's settings files, in $XDG_CONFIG_HOME/misstop, otherwise in ~/.config/misstop: "config"
 * with lines "key=value", and files with their own formats ("bins", "matrix", "wrappers", "tlb").
 * Files of another user, as under sudo, are neither read nor written.
 */
#ifndef MISSTOP_BASE_SETTINGS_H
#define MISSTOP_BASE_SETTINGS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Returns 0; -ENOENT if neither variable is set to an absolute path; -EACCES if the folder belongs
 * to another user; -ENAMETOOLONG. */
int settings_path(char *out, size_t out_size, const char *name);

/* Creates the missing folders above a path. */
void settings_make_folders(const char *path);

/* Reads a whole regular file of at most `most` bytes, adds a NUL; the caller frees *text (NULL: no
 * file). Returns the size or a negative errno; -EINVAL: larger, or another kind of file. */
long settings_read(const char *path, size_t most, char **text);

/* Replaces the whole file, following links; creates the folders above it. */
int settings_write(const char *path, const char *text, size_t size, struct error *error);

struct settings {
    char path[PATH_MAX]; /* "": nowhere to keep them */
    char *text;          /* NULL: empty */
};

/* Loads the file "config". A file that cannot be read, or is not text, is not overwritten later. */
void settings_load(struct settings *settings);
void settings_free(struct settings *settings);

/* Copies the value of a key. Returns false if the key has none or `out` is too small. */
bool settings_get(const struct settings *settings, const char *key, char *out, size_t size);

/* Leaves all other lines unchanged. value NULL: removes the line. Returns 0 or -ENOMEM. */
int settings_set(struct settings *settings, const char *key, const char *value);

int settings_save(const struct settings *settings, struct error *error);

#endif
