/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every distinct path once: ids count up from 1, and misstop reads the paths themselves from the
 * ring of words (agent_abi.h). Written by all threads without locks; used by path.c.
 */
#ifndef MISSTOP_AGENT_PATH_TABLE_H
#define MISSTOP_AGENT_PATH_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/* Before the gate opens. */
int path_table_start(void);

/* The id of a path with this hash (unwind.h); 0: it is new. */
uint32_t path_table_find(uint64_t hash);

/* The same, made where it is new; 0 when there is no room for more paths (counted). */
uint32_t path_table_id(const uint64_t *addresses, unsigned count, uint64_t hash);

#endif
