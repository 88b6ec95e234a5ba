/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Places and names made from numbers, to be written to a store: for the tests, the fuzzer and the
 * bench of src/store.
 */
#ifndef MISSTOP_TESTS_STORE_TOLD_H
#define MISSTOP_TESTS_STORE_TOLD_H

#include "base/hash.h"
#include "store/store_write.h"

enum { TOLD_OBJECTS = 40, TOLD_FUNCTIONS = 12, TOLD_TYPES = 6, TOLD_BINS = 9 };

/* Every name says the generation; what it names stays. */
struct told {
    unsigned generation;
    char text[8][64];
    unsigned next;
    struct type_member members[4];
    const char *site[3];
};

struct place_names told_names(struct told *told);
bool told_instruction_text(void *context, uint64_t address, char *out, size_t size);
void told_facts(struct store_facts *facts, uint64_t period);

/* A watchpoint that ended at a time, of which all else follows. */
struct store_watch told_watch(uint64_t time_ns);

/* What a simulation told of a line at a time, of which all else follows; and of a pair by its
 * place. */
struct line_place told_line(uint64_t time_ns);
struct line_pair told_pair(uint32_t place, uint64_t time_ns);

/* The next one, a little later than `time_ns`; `wild`: any value in any field. */
struct place told_place(struct prng *prng, uint64_t time_ns, bool wild);

/* So many of them, one after the other; NULL: out of memory. The caller frees them. */
struct place *told_places(unsigned count, bool wild);

/* A file of so many places; after each `every` of them a watchpoint that ended with the last, a
 * line, two pairs, and a sync; its last descriptions those of told->generation. Aborts where it
 * cannot be written. Returns the descriptor, for reading. */
int told_write(struct told *told, const char *path, unsigned places, unsigned every);

#endif
