/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Opens files named by others: by the target, a recording, or debugging information. The choice of
 * a file decides what a report shows, so a file is opened only if the users that misstop acts for
 * could read it themselves, by its mode and the mode of each folder on the path. Symbolic links
 * stay below the root they are found in. Only regular files are opened: each step of the path is
 * opened by O_PATH and checked, and the file itself is opened last, so no device is touched and no
 * FIFO blocks. Kernel files (/proc, /sys) are refused. No other file of misstop opens such names,
 * and a test enforces this. One thread only.
 */
#ifndef MISSTOP_BASE_FILES_H
#define MISSTOP_BASE_FILES_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

enum {
    FILES_USERS_MAX = 8,
    FILES_GROUPS_MAX = 256,
    FILES_REFUSED_MAX = 16,
    FILES_PATH_SHOWN = 256,
    FILES_WHY = 128
};

/* Credentials of a user as the kernel checks them. */
struct files_user {
    uid_t uid;
    uint32_t group_count;
    gid_t groups[FILES_GROUPS_MAX];
    bool reads_all; /* root with its capabilities, or our own user, whom the kernel checks */
};

/* An existing file that was not opened. Both strings are printable. */
struct files_refused {
    char path[FILES_PATH_SHOWN];
    char reason[FILES_WHY];
};

/* The users that files are opened for: each of these users must be allowed to read a file. */
struct files_client {
    pid_t pid; /* a live process: users[0] is its user, read again for each file; 0: a recording */
    struct files_user users[FILES_USERS_MAX];
    uint32_t user_count;
    /* any other user must be allowed too: the owner of the name is not known */
    bool needs_world_access;
    bool privileged; /* misstop can read more than its user's files */
    /* other root, mounts or machine than ours: its paths do not name our files */
    bool is_other_root;
    struct files_refused refused[FILES_REFUSED_MAX]; /* in the order in which they were found */
    uint32_t refused_count;
};

/* Initialises a live client. If its user is not known, opens only files that everyone may read. */
void files_client_process(struct files_client *client, pid_t pid);

/* Initialises the client for a recording, with the owner of the recording file as user. */
void files_client_recording(struct files_client *client, const char *path);

/* Requires that this user may read the files, too. No effect for root, or without privileges. */
void files_client_add(struct files_client *client, uid_t uid);

/* Adds the owner of an open file that names other files, such as a program with debug information.
 * Does so only for a recording, and only if misstop has privileges. */
void files_client_add_owner(struct files_client *client, int fd);

/* Returns the thread id under which /proc shows the memory, mappings, program and root of the
 * process: `pid`, unless the first thread has ended while other threads run on. */
pid_t files_proc_tid(pid_t pid);

/* Returns a descriptor, which stays valid after the process ends, or -1. */
int files_root(pid_t pid);

enum files_links { FILES_FOLLOW, FILES_NOFOLLOW }; /* may the path itself be a link */

/* `root` -1: ours. Returns a descriptor or a negative errno, which files_why() explains. A file
 * that exists and may not be opened is noted in the client. client NULL: with our own rights. */
int files_open_below(int root, const char *path, struct files_client *client,
                     enum files_links links, uint64_t most_bytes);

/* Opens a file as seen by process pid: through its root directory and mounts. */
int files_open_in_root(pid_t pid, const char *path, struct files_client *client,
                       enum files_links links, uint64_t most_bytes);

/* Opens a file below the user's folder, with our own rights; links cannot lead out of it. */
int files_open_in_folder(const char *folder, const char *path, uint64_t most_bytes);

/* Opens a regular file named by the user, misstop or the kernel; follows any links. */
int files_open(const char *path);

/* Explains an error of the functions above: "user 1000 may not read it". */
const char *files_why(const struct files_client *client, int code, char out[FILES_WHY]);

/* Changes to this root directory and for good to one of the users that the process acts for, before
 * a library opens files. Changes nothing if it lacks the right to do so or acts for root. */
void files_change_root(int root);
void files_change_user(const struct files_client *client);

/* Copies a file to memory, which cannot be truncated while mapped; closes fd. -1: too large. */
int files_copy(int fd, uint64_t most_bytes);

/* A file that appears as a whole or not at all: written to a temporary file in the same folder,
 * synced and renamed. On failure an older file stays as it was. */
struct atomic_file {
    const char *option; /* "--pprof", for messages; NULL: the path is enough */
    const char *path;
    int fd; /* open for writing, mode 0600 */
    char temporary_path[PATH_MAX];
};

/* Checks before the run begins that the file can be created. Returns 0 or a negative errno. */
int whole_file_check(const char *option, const char *path, struct error *error);

/* Keeps the string pointers. Returns 0 or a negative errno; then there is nothing to close. */
int whole_file_open(struct atomic_file *file, const char *option, const char *path,
                    struct error *error);

/* Renames the file into place, or removes it on error. `code`: 0, or the negative errno of writing.
 * Returns 0 or a negative errno. */
int whole_file_close(struct atomic_file *file, int code, struct error *error);

#endif
