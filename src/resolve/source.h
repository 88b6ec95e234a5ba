/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads lines of source files, by the names in debug information. Searches in the root of the live
 * process, in our own root unless the process has another root or the recording is from another
 * machine, below --symfs, and in the current directory by the longest existing tail of the path.
 * Caches a bounded number of files and bytes; evicts the least recently used. Single-threaded.
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
    const char *symfs;          /* NULL: none; must outlive the texts, like `files` */
    struct files_client *files; /* users that files are opened for; NULL: our own */
};

/* Returns NULL if out of memory. */
struct source_texts *source_texts_new(const struct source_options *options);
void source_texts_free(struct source_texts *texts);

/* Copies one line, from 1: printable UTF-8, tabs as spaces. Returns false if the file cannot be
 * read or has fewer lines. */
bool source_texts_line(struct source_texts *texts, const char *file, uint32_t line, char *out,
                       size_t out_size);

/* Returns where the file was read from, or each path that was tried. Valid until the next call;
 * NULL: out of memory. */
const char *source_texts_note(struct source_texts *texts, const char *file);

#endif
