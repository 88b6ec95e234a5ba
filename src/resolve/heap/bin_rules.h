/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rules for heap bins, and for the functions and objects of the matrix: a rule renames one or
 * combines it into another, as in MemSpy 5.2. They are kept in order, so that the last one can be
 * undone, and in a file from session to session. A rule names bins by their full names: if several
 * have the same one (calls from different lines of a function), it applies to all.
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
    BIN_RULES_NAME_BYTES = 8192, /* per name, with its NUL; longer names are refused */
    BIN_RULES_FILE_BYTES = 8 << 20,
};

struct bin_rule {
    bool combines;
    char *name;  /* full name that is renamed or combined into another */
    char *value; /* the new name, or the full name of the target group */
    uint64_t name_hash;
    uint64_t value_hash;
    uint32_t step; /* rules of one request have the same number */
};

struct bin_rules {
    struct bin_rule *rules;
    uint32_t count;
    uint32_t steps;
    bool is_in_step;     /* added rules belong to the newest step */
    uint32_t skipped;    /* malformed lines of the file */
    char path[PATH_MAX]; /* file of the rules; "": none */
};

void bin_rules_init(struct bin_rules *rules);
/* Loads the rules from the user's file (settings.h). An unreadable file is never overwritten. */
void bin_rules_open(struct bin_rules *rules, const char *file);
/* Writes the rules to that file. Called after each change because misstop may be killed. Rules that
 * cannot be written still hold for this session. */
void bin_rules_keep(const struct bin_rules *rules);
void bin_rules_fini(struct bin_rules *rules);

/* Both functions apply to the groups that contain the names. Names are made printable. -EINVAL: a
 * name is empty or too long; -EEXIST: already combined; -ENOSPC; -ENOMEM. */
int bin_rules_rename(struct bin_rules *rules, const char *full_name, const char *new_name);
int bin_rules_combine(struct bin_rules *rules, const char *into, const char *from);

/* All rules added between begin and end form one step, which is undone as a whole. If `code` is an
 * error, the step is undone at once. Returns `code`. */
void bin_rules_begin_step(struct bin_rules *rules);
int bin_rules_end_step(struct bin_rules *rules, int code);

/* Undoes the last step; returns false if there is none. Then regroup the bins (bins_regroup()). */
bool bin_rules_undo(struct bin_rules *rules);

/* Returns the full name of the group that a bin is in: its own name unless it was combined into
 * another bin. Sets *first to the first rule that combines into that group, or BIN_RULES_NONE. */
const char *bin_rules_group(const struct bin_rules *rules, const char *full_name, uint64_t hash,
                            uint32_t *first);

/* Returns the new name of a full name's group; NULL: none. Valid until the next change. */
const char *bin_rules_name(const struct bin_rules *rules, const char *full_name, uint64_t hash);

/* Adds the rules of a file. A missing file is no error; malformed lines are skipped and counted.
 * -EINVAL: not a regular file, or too long; other errors of open(). */
int bin_rules_load(struct bin_rules *rules, const char *path);

/* Writes all rules and creates the folder if necessary. Replaces the file atomically. */
int bin_rules_save(const struct bin_rules *rules, const char *path);

/* Functions that only allocate for others: the short name of a bin skips them. Globs (fnmatch); the
 * default list comes first, then the user's; the last match wins, and a leading ! excludes. */
enum {
    WRAPPERS_MAX = 512,
    WRAPPERS_GLOB_BYTES = 128,
    WRAPPERS_STARS_MAX = 4,
    WRAPPERS_FILE_BYTES = 1 << 16
};

struct wrappers {
    char (*globs)[WRAPPERS_GLOB_BYTES];
    unsigned count;
    unsigned skipped;     /* globs that are too long or have too many stars */
    struct hash verdicts; /* cached per function: the same functions recur in call paths */
};

/* Sets the default globs. Returns 0 or -ENOMEM. */
int wrappers_init(struct wrappers *wrappers);
void wrappers_fini(struct wrappers *wrappers);

/* Adds globs, one per line or separated by ';'. Skips blank lines and comments (#). -ENOMEM. */
int wrappers_add(struct wrappers *wrappers, const char *text);

/* Adds the user's globs from $MISSTOP_WRAPPERS and the optional file "wrappers". -ENOMEM. */
int wrappers_add_settings(struct wrappers *wrappers);

/* The last glob that matches a function decides; WRAPPER_NO: one that begins with '!'. */
enum wrapper { WRAPPER_NO_RULE, WRAPPER_NO, WRAPPER_YES };
enum wrapper wrappers_match(struct wrappers *wrappers, const char *function);

#endif
