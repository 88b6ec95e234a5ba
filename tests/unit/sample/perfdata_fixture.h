/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts the records of a recording. */
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

/* Sink for perfdata_read(): context is a struct seen. */
void seen_count(void *context, const struct record *record);

/* Reads the rest of the recording. */
void seen_rest(struct perfdata *perfdata, struct seen *seen);

/* Recordings that are written and read back: random records, a folder for the files, and the
 * records that a reader finds. For test_writer.c. */
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
    /* expected records, as read back */
    struct record *expected;
    size_t expected_count;
};

/* result of reading */
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

/* Makes a folder, and options for two events: the first with `sample_type`, the second plain. */
void written_init(struct written *written, uint64_t sample_type, unsigned precise);
void written_fini(struct written *written);

void written_open(struct written *written);

/* Writes a random sample with a random result of decoding, and stores the expected record. */
void written_sample(struct written *written);

/* Writes a record, and stores that `expected` is to be read back. */
void written_add(struct written *written, const struct record *record,
                 const struct perfdata_written *reported, const struct record *expected);

/* Writes samples and some other records, a sample last. */
void written_records(struct written *written, unsigned count);

void written_close(struct written *written);

/* Returns the size of a file; 0: there is none. */
size_t written_size(const char *path);

/* Reads a file. Returns a negative errno if it cannot be opened, which must be reported in one
 * line. */
int found_read(struct found *found, const char *path);
void found_fini(struct found *found);

/* The records found must equal those expected from `first` on. */
void found_is(const struct found *found, const struct written *written, size_t first);

/* The file at `path` must be complete, and contain `count` records, those expected from `first` on.
 * Both events must have samples, because events are numbered by them. */
void found_all(const struct written *written, const char *path, size_t first, size_t count);

#endif
