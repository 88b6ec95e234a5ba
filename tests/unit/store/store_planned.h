/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places and names generated from numbers, to be written to a store: for the tests, the fuzzer and
 * the benchmark of src/store. */
#ifndef MISSTOP_UNIT_STORE_STORE_PLANNED_H
#define MISSTOP_UNIT_STORE_STORE_PLANNED_H

#include "base/hash.h"
#include "store/store_write.h"

enum {
    PLANNED_OBJECTS = 40,
    PLANNED_FUNCTIONS = 12,
    PLANNED_TYPES = 6,
    PLANNED_BINS = 9,
    PLANNED_CALLERS = 9
};

/* Every name contains the generation; the named entity stays the same. */
struct planned {
    unsigned generation;
    const union place_answer
        *of_memory; /* answer for questions about an address; NULL: not known */
    char text[8][64];
    unsigned next;
    struct type_member members[4];
    const char *site[3];
    uint32_t pairs; /* of each of two tables, and their time */
    uint64_t pairs_ns;
};

struct place_names planned_names(struct planned *planned);
void planned_facts(struct store_facts *facts, uint64_t period);

/* Makes a watchpoint result from its end time alone. */
struct store_watch planned_watch(uint64_t time_ns);

/* A line event at a time, which fixes all else; and a pair by its place, from 1 on. */
struct line_place planned_line(uint64_t time_ns);
struct line_pair planned_pair(uint32_t place, uint64_t time_ns);

/* Makes the next place, slightly later than `time_ns`; `wild`: any value in any field. */
struct place planned_place(struct prng *prng, uint64_t time_ns, bool wild);

/* Makes `count` consecutive places, for the caller to free. NULL: out of memory. */
struct place *planned_places(unsigned count, bool wild);

/*
 * Writes a file of `places` places. After every `every` of them writes a watchpoint that ended with
 * the last place, a line, two pairs, and a sync; the last descriptions are those of
 * planned->generation. Aborts on error. Returns the descriptor, for reading.
 */
int planned_write(struct planned *planned, const char *path, unsigned places, unsigned every);

#endif
