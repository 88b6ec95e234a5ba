/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The experiment's cache: one level of 2 MB, using misstop's own model (src/sim). */
#ifndef MISSTOP_TESTS_SC2000_SIMULATED_H
#define MISSTOP_TESTS_SC2000_SIMULATED_H

#include <stdbool.h>
#include <stdint.h>

struct simulated;

struct simulated *simulated_new(void); /* aborts if memory runs out */
void simulated_free(struct simulated *cache);
bool simulated_misses(struct simulated *cache, uint64_t address, uint32_t bytes, bool store);
const char *simulated_described(void);

#endif
