/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Debug files and programs from servers that the user named in DEBUGINFOD_URLS, by elfutils' program
 * debuginfod-find: it asks the net, keeps what it got below the user's cache, and takes its time.
 * Only for users who asked for it, and only in a process that may wait. For debugfile.c
 * and lookup.c.
 */
#ifndef MISSTOP_RESOLVE_DEBUGINFOD_H
#define MISSTOP_RESOLVE_DEBUGINFOD_H

#include <stdbool.h>
#include <stddef.h>

enum debuginfod_kind { DEBUGINFOD_DEBUGINFO, DEBUGINFOD_EXECUTABLE };

/* Whether there is anybody to ask. */
bool debuginfod_available(void);

/* Descriptor of the debug file, or the program, of a build-id, or -1. Cached: only if it was fetched before; at once. */
int debuginfod_cached(enum debuginfod_kind kind, const unsigned char *id, size_t id_size);
int debuginfod_fetch(enum debuginfod_kind kind, const unsigned char *id, size_t id_size);

#endif
