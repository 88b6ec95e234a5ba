/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which function an instruction stands in: by symbol, unwind table or JIT map, remembered per
 * instruction, for every sample asks. For the files of the resolver.
 */
#ifndef MISSTOP_RESOLVE_FUNCTIONS_H
#define MISSTOP_RESOLVE_FUNCTIONS_H

#include "resolve/jitmap.h"
#include "resolve/names.h"
#include "resolve/space.h"

#include <stdbool.h>
#include <stdint.h>

enum { FUNCTIONS_CACHE = 1024 }; /* direct-mapped */

struct functions_cached {
    uint64_t ip;
    struct module *module;
    uint32_t function; /* 0: empty */
};

struct functions {
    struct jitmap jitmap;
    struct functions_cached cache[FUNCTIONS_CACHE];
};

void functions_init(struct functions *functions);
void functions_fini(struct functions *functions);

/* Code has changed somewhere: what is remembered may be wrong. */
void functions_forget(struct functions *functions);

/* Id of the function around an instruction, 0 where nothing is mapped; and the file it is in, NULL:
 * none. */
uint32_t functions_at(struct functions *functions, struct space *space, struct names *names,
                      uint64_t ip, struct module **module);

/* Its bounds; false: not known. */
bool functions_bounds(const struct functions *functions, struct space *space, uint64_t ip,
                      uint64_t *start, uint64_t *end);

#endif
