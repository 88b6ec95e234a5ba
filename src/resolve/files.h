/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files that the target points us at, opened so that it can do no harm by them: regular ones
 * only (a FIFO would hold us, a device may have effects), and inside the target's own root,
 * which its symbolic links do not leave. For the files of the resolver.
 */
#ifndef MISSTOP_RESOLVE_FILES_H
#define MISSTOP_RESOLVE_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Descriptor of a file on this side, or -1. */
int files_open(const char *path);

/* Root directory of a process, as one knows it while that runs and keeps it after; or -1. */
int files_root(pid_t pid);

/* A file below such a root. */
int files_open_below(int root, const char *path, bool follow);

/* The same as process pid sees it: through its root directory and mounts. The path itself may be
 * a symbolic link only if `follow`. */
int files_open_in_root(pid_t pid, const char *path, bool follow);

/* A copy in memory, which nobody can cut short while it is mapped; closes fd. -1: too large. */
int files_copy(int fd, uint64_t most_bytes);

#endif
