/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files named by others: by the target, a recording, or debugging information. The choice of a file
 * decides what a report shows, so a file is opened only if the users that misstop acts for may read
 * it themselves: by its mode and that of each folder on the way, as the kernel would judge for
 * them. Symbolic links stay below the root they are found in. Only regular files are opened: each
 * step is made by O_PATH and checked, and the file is opened last, so no device is touched and no
 * FIFO blocks. Files of the kernel (/proc, /sys) are not opened here. Only this file of misstop
 * opens such names, and a test enforces it. One thread only.
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

/* A user as the kernel checks access. */
struct files_user {
    uid_t uid;
    uint32_t group_count;
    gid_t groups[FILES_GROUPS_MAX];
    bool reads_all; /* root with its capabilities, or we ourselves, whom the kernel checks */
};

/* A file that is there and was not opened. Both printable. */
struct files_refused {
    char path[FILES_PATH_SHOWN];
    char why[FILES_WHY];
};

/* The users that files are opened for: each of them must be allowed to read them. */
struct files_client {
    pid_t pid; /* a live process with user users[0], asked anew at each file; 0: a recording */
    struct files_user users[FILES_USERS_MAX];
    uint32_t user_count;
    bool everyone;   /* besides, any user must be allowed to: the owner of the name is not known */
    bool privileged; /* misstop may read more than its user's files */
    bool elsewhere;  /* the process has another root or other mounts than we, or was recorded on
                        another machine: its paths do not name our files */
    struct files_refused refused[FILES_REFUSED_MAX]; /* in the order they were met */
    uint32_t refused_count;
};

/* For a live process. Where its user is not known, only files that everyone may read are opened. */
void files_client_process(struct files_client *client, pid_t pid);

/* For a recording, by the owner of its file. */
void files_client_recording(struct files_client *client, const char *path);

/* Besides, this user must be allowed. Root adds nothing, nor does the user of a misstop without
 * privileges. */
void files_client_add(struct files_client *client, uid_t uid);

/* For a recording, where misstop has privileges: adds the owner of an open file that names others,
 * as a program with debug information does. */
void files_client_add_owner(struct files_client *client, int fd);

/*
 * The thread with the number under which /proc shows the data of the whole process: its memory,
 * mappings, program and root. That is the first one, `pid`, unless it has ended and others run on.
 */
pid_t files_shown_by(pid_t pid);

/* Root directory of a process, as one knows it while that runs and keeps it after; or -1. */
int files_root(pid_t pid);

enum files_links { FILES_FOLLOW, FILES_NOFOLLOW }; /* whether the path itself may be a link */

/*
 * A descriptor of the file `path` below the directory `root` (-1: ours), at most `most_bytes` long;
 * or a negative errno, for which files_why() has words. A file that exists and may not be opened is
 * noted in the client. client NULL: with our own rights.
 */
int files_open_below(int root, const char *path, struct files_client *client,
                     enum files_links links, uint64_t most_bytes);

/* The same as process pid sees it: through its root directory and mounts. */
int files_open_in_root(pid_t pid, const char *path, struct files_client *client,
                       enum files_links links, uint64_t most_bytes);

/* A file below a folder that the user names, and not led out of it; on our own behalf. */
int files_open_in_folder(const char *folder, const char *path, uint64_t most_bytes);

/* A file that the user, misstop or the kernel (/proc/PID/exe) names: regular, by any links. */
int files_open(const char *path);

/* "user 1000 may not read it"; of what one of the above returned. */
const char *files_why(const struct files_client *client, int code, char out[FILES_WHY]);

/*
 * For a process that lets a library open files: its root directory is `root` from now on, and it
 * takes the identity of one of the users that it acts for, for good. Where it may not do that, or
 * acts for root, nothing changes.
 */
void files_enter(int root);
void files_become(const struct files_client *client);

/* A copy in memory, which cannot be truncated while it is mapped; closes fd. -1: too large. */
int files_copy(int fd, uint64_t most_bytes);

/* A file that appears as a whole or not at all: it is written beside its path and renamed once all
 * of it is on disk. On failure the older file stays as it was. For the files that are written at
 * the end of a run. */
struct whole_file {
    const char *option; /* "--pprof", for messages; NULL: the path says enough */
    const char *path;
    int fd; /* open for writing, mode 0600 */
    char beside[PATH_MAX];
};

/* Whether the file can be made; asked before the run begins. 0 or a negative errno. */
int whole_file_check(const char *option, const char *path, struct error *error);

/* The strings are kept. 0 or a negative errno; then there is nothing to close. */
int whole_file_open(struct whole_file *file, const char *option, const char *path,
                    struct error *error);

/* `code`: 0, or the negative errno that writing gave. Puts the file in its place, or leaves none.
 * 0 or a negative errno. */
int whole_file_close(struct whole_file *file, int code, struct error *error);

#endif
