/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Facts of a store beside places and names: the process watched, the sources, the machine. A plain
 * value. The recorder fills one in to be written, the reader hands one out; strings are printable,
 * and NULL or "" where not known.
 */
#ifndef MISSTOP_STORE_FACTS_H
#define MISSTOP_STORE_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "sample.h"
#include "snapshot_simulation.h"
#include "snapshot_watch.h"

struct store_event {
    const char *name;
    const char *weighs;
    uint8_t role; /* enum event_role */
    uint64_t period;
    uint64_t opened_on;
    double counted; /* part of the time that it was counted by then; NAN: not known */
};

struct store_facts {
    const char *source; /* as struct sampler_info has it, like the next */
    const char *weighs;
    const char *note;
    bool exact_address;
    bool exact_ip;
    bool latency;
    bool data_source;
    bool lines; /* use of lines and distances are reported, as items */
    unsigned event_count;
    struct store_event events[SAMPLE_EVENTS_MAX];
    uint32_t pid;
    uint32_t threads;
    const char *comm;
    const char *exe;
    bool alive;
    const char *cache_level; /* of the set map, with the next: as struct geometry has it */
    uint64_t cache_size_bytes;
    uint32_t cache_ways;
    uint32_t cache_line_bytes;
    const char *host;
    int64_t user; /* owner of the process; negative: not known */
    struct snapshot_simulation simulation;
    struct snapshot_watch watch; /* without objects, which follow from the results */
    struct snapshot_whatifs whatif;
    uint64_t watch_lines[3]; /* of L1d, L2, L3, by which these are judged; 0: not known */
};

/* How a watchpoint ended and the code that touched, as the tables are reported it
 * (profile_watch()): what a store keeps of it. A plain value; the recorder fills one in, the reader
 * hands one out. */
struct store_watch {
    struct watch_result result;
    uint32_t function; /* that touched; 0: it did not, or is not known */
    uint64_t ip;       /* within the instruction that touched */
};

#endif
