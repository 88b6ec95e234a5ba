/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replay of a perf.data recording: of a file or a pipe, of either byte order, compressed or not,
 * whole or cut short. Format: tools/perf/Documentation/perf.data-file-format.txt. Memory is bounded
 * whatever the size of the recording. Every byte is untrusted.
 *
 * A file is read twice: for its processes and counts, then for its records. A pipe is spooled to an
 * unnamed file for that, unless the process is named: then it is played while it comes.
 */
#ifndef MISSTOP_SAMPLE_PERFDATA_PERFDATA_H
#define MISSTOP_SAMPLE_PERFDATA_PERFDATA_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "sample/sampler.h"

struct perfdata;
struct perf_event_attr;

enum {
    PERFDATA_EVERY_PROCESS = -1,
    PERFDATA_IDLE = INT_MIN, /* process 0, the kernel's idle task */
    PERFDATA_CACHES_MAX = 16
};

struct perfdata_process {
    pid_t pid;
    uint64_t samples;
    uint64_t first_sample_ns; /* of those with a time; 0: none has one */
    uint64_t last_sample_ns;
    char comm[32]; /* its last name, printable; "": not recorded */
};

struct perfdata_cache {
    uint32_t level;
    uint32_t line_bytes;
    uint32_t sets;
    uint32_t ways;
    char type[16]; /* "Data", "Instruction", "Unified" */
    char size[16]; /* "32K" */
};

/* Where and how it was recorded; "" and 0: not reported. All printable. */
struct perfdata_machine {
    char host[64];
    char os_release[64];
    char architecture[16];
    char cpu[128]; /* "Intel(R) Core(TM) ..." */
    char cpuid[64];
    char command[512];
    uint32_t cpus_available;
    uint32_t cpus_online;
    uint64_t memory_kb;
    uint64_t first_sample_ns;
    uint64_t last_sample_ns;
    uint64_t wall_ns; /* since 1970, when the records' clock stood at clock_ns; 0: not reported */
    uint64_t clock_ns;
    int64_t written_unix_s; /* when the file was last written; 0: it is a pipe */
    unsigned cache_count;   /* of different kinds */
    struct perfdata_cache caches[PERFDATA_CACHES_MAX];
};

/* Counts of the whole recording; while a pipe is played, of the part so far. */
struct perfdata_counts {
    uint64_t samples;
    uint64_t with_address;
    uint64_t with_registers; /* and without an address */
    uint64_t lost;           /* records that the recorder lost */
    uint64_t bad;            /* malformed records, left out */
    uint64_t unknown;        /* of events that the recording does not describe, left out */
    uint64_t late;           /* handed on after a newer one */
    uint64_t aux_bytes;      /* trace data, skipped */
    bool killed;             /* the recorder did not come to its end */
    bool growing;            /* likewise, and it still writes */
    bool perhaps_growing;    /* likewise, and whether it writes cannot be known */
    bool cut;                /* the end is missing */
    bool damaged;            /* read up to the damage */
};

typedef void (*perfdata_progress)(void *context, double share);

/*
 * `path` "-": standard input. `pid`: the process to show, 0: the one with most samples,
 * PERFDATA_IDLE or PERFDATA_EVERY_PROCESS. `progress` receives how much of a large file was looked
 * through, 0 to 1, from time to time (NULL: nothing is); a signal that waits to end the program
 * then ends it: -EINTR.
 */
int perfdata_open(struct perfdata **perfdata, const char *path, pid_t pid,
                  perfdata_progress progress, void *context, struct error *error);
void perfdata_close(struct perfdata *perfdata);

/* A pipe that goes on is followed: a descriptor to poll for what comes; -1: it is all there. */
int perfdata_fd(const struct perfdata *perfdata);
/* Whether that pipe was silent for a second: it is being recorded, and not only copied. */
bool perfdata_idled(const struct perfdata *perfdata);
/* Whether the last read of such a pipe left records, in order not to take too long. */
bool perfdata_more(const struct perfdata *perfdata);

/*
 * Back to the first record, of another process if `pid` is one. -ESPIPE: a pipe is played while it
 * comes. -ESRCH, -ENODATA as when it was opened.
 */
int perfdata_restart(struct perfdata *perfdata, pid_t pid, struct error *error);

/* When its process was sampled first, by the clock of the records, and for how long; 0, 0: the
 * samples have no times, or not all of it is here yet (a pipe). */
struct perfdata_span {
    uint64_t start_ns;
    uint64_t length_ns;
};
struct perfdata_span perfdata_span(const struct perfdata *perfdata);

/* Whether the instruction of a sample may be in a range, of whichever process; false: none is, or
 * no sample has an address or registers. While a pipe is played, of the part so far. */
bool perfdata_sampled(const struct perfdata *perfdata, uint64_t start, uint64_t length);

/* As sampler_read() in replay. */
long perfdata_read(struct perfdata *perfdata, uint64_t until_ns, sampler_sink sink, void *context);
/* The same of at most so many records. */
long perfdata_read_some(struct perfdata *perfdata, uint64_t until_ns, long most, sampler_sink sink,
                        void *context);

void perfdata_describe(const struct perfdata *perfdata, struct sampler_info *info);

/* The processes of a recording, most samples first; while a pipe is played, none. */
const struct perfdata_process *perfdata_processes(const struct perfdata *perfdata, size_t *count);

/* The event that is `index` in samples and in sampler_info; NULL: none. */
const struct perf_event_attr *perfdata_attribute(const struct perfdata *perfdata, unsigned index);

/* perfdata_writer_mark() of a recording; 0: it has none, or is no recording. */
uint64_t perfdata_file_mark(const char *path);

const struct perfdata_machine *perfdata_machine(const struct perfdata *perfdata);
struct perfdata_counts perfdata_counts(const struct perfdata *perfdata);

#endif
