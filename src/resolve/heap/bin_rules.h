/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The user's rules for heap bins, and for the functions and objects of the matrix: a new name for
 * one, or one combined into another, as in MemSpy 5.2. Kept in order, so that the last can be
 * undone, and in a file from session to session. A rule names bins by their full names; where
 * several have the same (calls from different lines of a function), it applies to them all.
 */
#ifndef MISSTOP_RESOLVE_HEAP_BIN_RULES_H
#define MISSTOP_RESOLVE_HEAP_BIN_RULES_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"

#define BIN_RULES_NONE UINT32_MAX

enum {
    BIN_RULES_MAX = 1024,
    BIN_RULES_NAME_BYTES = 8192, /* of any name, with its NUL; longer ones are refused */
    BIN_RULES_FILE_BYTES = 8 << 20,
};

struct bin_rule {
    bool combines;
    char *name;  /* full name that is renamed, or goes into another */
    char *value; /* the new name, or the full name it goes into */
    uint64_t name_hash;
    uint64_t value_hash;
    uint32_t step; /* rules that came with one request have one number */
};

struct bin_rules {
    struct bin_rule *rules;
    uint32_t count;
    uint32_t steps;
    bool is_in_step;     /* added rules belong to the newest step */
    uint32_t skipped;    /* lines of the file that made no sense */
    char path[PATH_MAX]; /* where they are kept; "": nowhere */
};

void bin_rules_init(struct bin_rules *rules);
/* Those of the user's file of that name (settings.h). A file that cannot be read is not written
 * over either. */
void bin_rules_open(struct bin_rules *rules, const char *file);
/* To that file, at once after each change, for misstop may be killed. Rules that cannot be written
 * hold for this session. */
void bin_rules_keep(const struct bin_rules *rules);
void bin_rules_fini(struct bin_rules *rules);

/*
 * Both are about the groups that the names are in. Names are made printable.
 * -EINVAL: a name is empty or too long; -EEXIST: already combined; -ENOSPC; -ENOMEM.
 */
int bin_rules_rename(struct bin_rules *rules, const char *full_name, const char *new_name);
int bin_rules_combine(struct bin_rules *rules, const char *into, const char *from);

/* From begin to end all rules are of one request, which is taken back as a whole; at once where it
 * failed with a code. Returns the code. */
void bin_rules_begin_step(struct bin_rules *rules);
int bin_rules_end_step(struct bin_rules *rules, int code);

/* Takes the last request back; false: there is none. Regroup the bins then (bins_regroup()). */
bool bin_rules_undo(struct bin_rules *rules);

/*
 * The full name that a bin's group goes by: its own, unless it was combined into another.
 * *first: the first rule that combines into that group, BIN_RULES_NONE if none does.
 */
const char *bin_rules_group(const struct bin_rules *rules, const char *full_name, uint64_t hash,
                            uint32_t *first);

/* The new name of the group that a full name is in; NULL: none. Valid until a change. */
const char *bin_rules_name(const struct bin_rules *rules, const char *full_name, uint64_t hash);

/*
 * Adds the rules of a file. A file that is not there is no error; lines that make no sense
 * are skipped and counted. -EINVAL: no regular file, or too long; other errors of open().
 */
int bin_rules_load(struct bin_rules *rules, const char *path);

/* Writes all rules, making the folder if need be: afterwards the file is the old or the new. */
int bin_rules_save(const struct bin_rules *rules, const char *path);

/*
 * Functions that only allocate for others: a bin's short name skips them. Globs (fnmatch) over
 * function names; a default list, then the user's, where the last match counts and a leading !
 * excludes a function.
 */
enum {
    WRAPPERS_MAX = 512,
    WRAPPERS_GLOB_BYTES = 128,
    WRAPPERS_STARS_MAX = 4,
    WRAPPERS_FILE_BYTES = 1 << 16
};

struct wrappers {
    char (*globs)[WRAPPERS_GLOB_BYTES];
    unsigned count;
    unsigned skipped;     /* too long, or with so many stars that matching might take for ever */
    struct hash verdicts; /* of functions asked about: a path has the same ones again and again */
};

/* Those by default. -ENOMEM. */
int wrappers_init(struct wrappers *wrappers);
void wrappers_fini(struct wrappers *wrappers);

/* Globs, one a line or parted by ';'; blank ones and those after # are left out. -ENOMEM. */
int wrappers_add(struct wrappers *wrappers, const char *text);

/* The user's: $MISSTOP_WRAPPERS and the file "wrappers", which need not be. -ENOMEM. */
int wrappers_add_settings(struct wrappers *wrappers);

bool wrappers_match(struct wrappers *wrappers, const char *function);

#endif
