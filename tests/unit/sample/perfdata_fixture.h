/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What comes out of a recording, counted. */
#ifndef MISSTOP_UNIT_SAMPLE_PERFDATA_FIXTURE_H
#define MISSTOP_UNIT_SAMPLE_PERFDATA_FIXTURE_H

#include <stddef.h>

#include "base/hash.h"
#include "sample/perfdata/perfdata.h"
#include "sample/perfdata/writer.h"

struct seen {
    size_t samples;
    size_t others;
    size_t of_event[SAMPLE_EVENTS_MAX];
    size_t with_address;
    size_t nonzero_address;
    size_t with_registers;
    size_t with_latency;
    size_t with_data_src;
    size_t kernel;
    uint64_t last_ns;
    uint64_t weight;
    bool backwards;
};

/* For perfdata_read(): context is a struct seen. */
void seen_count(void *context, const struct record *record);

/* All that is left of the recording. */
void seen_rest(struct perfdata *perfdata, struct seen *seen);

/*
 * Recordings that are written and read again: records made at random, a folder of its own for
 * the files, and what a reader finds in one. For test_perfdata_write*.c.
 */
enum { WRITTEN_PID = 4711, WRITTEN_RECORDS = 40000 };

struct written {
    char folder[64];
    char path[128];
    struct sampler_info info;
    struct perf_event_attr attrs[2];
    struct perfdata_writer_options options;
    struct perfdata_writer *writer;
    struct prng prng;
    uint64_t time_ns;
    /* As they are to come back. */
    struct record *expected;
    size_t expected_count;
};

/* What reading gave. */
struct found {
    struct record *records;
    size_t count;
    size_t samples;
    bool killed, cut, damaged;
    uint64_t bad;
    uint64_t mark;
    char event[64];
    char host[64];
};

/* A folder, and options for two events: the first with `sample_type`, the second plain. */
void written_init(struct written *written, uint64_t sample_type, unsigned precise);
void written_fini(struct written *written);

void written_open(struct written *written);

/* A sample made at random, told what a decoder might, and what is to come back of it. */
void written_sample(struct written *written);

/* Adds a record, and that it is to come back as `expected`. */
void written_add(struct written *written, const struct record *record,
                 const struct perfdata_written *reported, const struct record *expected);

/* Samples and some of the others, a sample last. */
void written_records(struct written *written, unsigned count);

void written_close(struct written *written);

/* Of a file; 0: there is none. */
size_t written_size(const char *path);

/* Negative where it cannot be opened, which must be said in one line. */
int found_read(struct found *found, const char *path);
void found_fini(struct found *found);

/* All of what is found is what is expected from `first` on. */
void found_is(const struct found *found, const struct written *written, size_t first);

/*
 * The file at `path` is whole, and holds `count` records, those expected from `first` on. Both
 * events must have samples, or they are numbered anew.
 */
void found_all(const struct written *written, const char *path, size_t first, size_t count);

#endif
