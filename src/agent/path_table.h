/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every distinct path once, in the shared memory: ids count up from 1. Written by all threads
 * without locks; used by path.c.
 */
#ifndef MISSTOP_AGENT_PATH_TABLE_H
#define MISSTOP_AGENT_PATH_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/* Before the gate opens. */
int path_table_start(void);

/*
 * The id of a path with this hash (unwind.h), made where it is new; 0 when the memory for paths
 * is full (counted).
 */
uint32_t path_table_id(const uint64_t *addresses, unsigned count, uint64_t hash);

#endif
