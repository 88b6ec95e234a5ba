/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Debug files from servers that the user named in DEBUGINFOD_URLS, by elfutils' program
 * debuginfod-find: it asks the net, keeps what it got below the user's cache, and takes its time.
 * Only for users who asked for it, and only in a process that may wait. For debuginfo.c.
 */
#ifndef MISSTOP_RESOLVE_DEBUGINFOD_H
#define MISSTOP_RESOLVE_DEBUGINFOD_H

#include <stdbool.h>
#include <stddef.h>

/* Whether there is anybody to ask. */
bool debuginfod_available(void);

/* Descriptor of the file of a build-id, or -1. Cached: only if it was fetched before; at once. */
int debuginfod_cached(const unsigned char *id, size_t id_size);
int debuginfod_fetch(const unsigned char *id, size_t id_size);

#endif
