/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The vdso, which has no file: its bytes copied into one in memory. For the files of the resolver.
 */
#ifndef MISSTOP_RESOLVE_VDSO_H
#define MISSTOP_RESOLVE_VDSO_H

#include "resolve/maps.h"

#include <sys/types.h>

/* Of a live process, from the mapping. A descriptor, or -1. */
int vdso_open(const struct map *map, pid_t pid);

/* misstop's own: every process under this kernel has the same. */
int vdso_open_own(void);

#endif
