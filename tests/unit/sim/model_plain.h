/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A second cache model, written for the tests from the descriptions in src/sim/model/model.h:
 * linear searches in lists and byte arrays; no hints, no directory, no messages between levels.
 * Addresses and statements are small numbers here.
 */
#ifndef MISSTOP_UNIT_SIM_MODEL_PLAIN_H
#define MISSTOP_UNIT_SIM_MODEL_PLAIN_H

#include "unit/sim/model_host.h"

enum {
    PLAIN_BYTES = 1 << 16, /* upper bound of addresses */
    PLAIN_LINE_MAX = 256,
    PLAIN_THREADS = 4,
    PLAIN_IDS = 64,
    PLAIN_BIN_BYTES = PLAIN_BYTES / PLAIN_IDS
};

struct plain_line {
    uint64_t number;
    struct model_who fetched;
    bool valid;
    uint8_t touched[PLAIN_LINE_MAX], written[PLAIN_LINE_MAX];
    uint64_t touched_bytes, uses[MODEL_USE_CLASSES];
    uint32_t user[8];
    uint64_t user_uses[8];
};

struct plain_left { /* how a line last left a cache */
    bool known;
    enum model_reason reason;
    struct model_who evictor;
    uint32_t thread; /* of the evictor */
};

struct plain_cache {
    struct model_level_spec spec;
    uint32_t level, thread, sets;
    struct plain_line *lines; /* sets * ways */
    uint32_t *order;          /* ways of each set, oldest first */
    uint64_t *shadow;         /* fully associative: line numbers, oldest first */
    uint32_t shadow_count;
    struct plain_left *left; /* by line number */
};

struct plain {
    struct model_spec spec;
    struct plain_cache caches[MODEL_LEVELS_MAX][PLAIN_THREADS];
    bool referenced[PLAIN_BYTES], referenced_by[PLAIN_THREADS][PLAIN_BYTES];
    bool taken[PLAIN_THREADS][PLAIN_BYTES]; /* by line number of the first level */
    bool written_since[PLAIN_THREADS][PLAIN_BYTES];
    struct figures total[MODEL_LEVELS_MAX], of_ip[PLAIN_IDS][MODEL_LEVELS_MAX];
    uint64_t pairs[MODEL_PAIRS][MODEL_LEVELS_MAX][PLAIN_IDS][PLAIN_IDS];
    /* The last access: */
    uint32_t thread;
    struct model_missed missed[MODEL_LEVELS_MAX];
    uint32_t served;
};

struct plain *plain_new(const struct model_spec *spec);
void plain_free(struct plain *plain);
uint32_t plain_access(struct plain *plain, uint32_t thread, uint64_t address, uint32_t size,
                      uint32_t kind, uint32_t ip);
void plain_finish(struct plain *plain);

#endif
