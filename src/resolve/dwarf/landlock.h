/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Split DWARF names files, and libdw opens whatever is named: from a hostile file a FIFO, which
 * would hold us, or a device, which may do things when it is opened. And a process that a hostile
 * file got the better of should have nothing to write to. Landlock (Linux 5.13) leaves it files
 * to read, none below /dev, /proc and /sys; without it a reader has the rights of misstop. For
 * serve.c.
 */
#ifndef MISSTOP_RESOLVE_DWARF_LANDLOCK_H
#define MISSTOP_RESOLVE_DWARF_LANDLOCK_H

#include <stdbool.h>

/* For good: reads of files of our root are left. False: the kernel cannot. */
bool landlock_confine(void);

#endif
