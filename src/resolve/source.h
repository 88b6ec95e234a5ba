/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lines of source files, by the names in debug information. Looks for a file in the root of the
 * live process, on this side unless the process has another root, below --symfs and, by the longest
 * tail of its path that exists, in the current directory; and reports where it looked, and why a
 * file was not opened. Keeps a bounded number of files and bytes, least recently used first to go.
 * For the screens, through src/engine; owned there. One thread only.
 */
#ifndef MISSTOP_RESOLVE_SOURCE_H
#define MISSTOP_RESOLVE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct files_client;
struct source_texts;

struct source_options {
    pid_t pid;                  /* 0: no live process */
    const char *symfs;          /* NULL: none; must outlive the texts, as files must */
    struct files_client *files; /* the users that they are opened for; NULL: ours */
};

/* NULL: out of memory. */
struct source_texts *source_texts_new(const struct source_options *options);
void source_texts_free(struct source_texts *texts);

/* One line, from 1: printable UTF-8, tabs as spaces. False: the file cannot be read, or is
 * shorter. */
bool source_texts_line(struct source_texts *texts, const char *file, uint32_t line, char *out,
                       size_t out_size);

/* Where the file was read from, or else each place that was tried. Lives until the next call;
 * NULL: out of memory. */
const char *source_texts_note(struct source_texts *texts, const char *file);

#endif
