/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replays a perf.data recording: from a file or a pipe, of either byte order, compressed or not,
 * complete or truncated. Format: tools/perf/Documentation/perf.data-file-format.txt. Memory is
 * bounded whatever the size of the recording. Every byte is untrusted.
 *
 * A file is read twice: for its processes and counts, then for its records. A pipe is spooled to an
 * unnamed file for that, unless the process is named: then it is played as it arrives.
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
    uint64_t first_sample_ns; /* of samples with a time; 0: none has one */
    uint64_t last_sample_ns;
    char comm[32]; /* last name, printable; "": not recorded */
};

struct perfdata_cache {
    uint32_t level;
    uint32_t line_bytes;
    uint32_t sets;
    uint32_t ways;
    char type[16]; /* "Data", "Instruction", "Unified" */
    char size[16]; /* "32K" */
};

/* The machine and command of the recording; "" and 0: not recorded. All printable. */
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
    uint64_t wall_ns; /* since 1970, when the record clock was clock_ns; 0: not recorded */
    uint64_t clock_ns;
    int64_t written_unix_s; /* time when the file was last written; 0: a pipe */
    unsigned cache_count;   /* different caches */
    struct perfdata_cache caches[PERFDATA_CACHES_MAX];
};

/* Counts of the whole recording or, while a pipe is played, of the part so far. */
struct perfdata_counts {
    uint64_t samples;
    uint64_t with_address;
    uint64_t with_registers; /* registers but no address */
    uint64_t lost;           /* lost by the recorder */
    uint64_t malformed;      /* malformed, dropped */
    uint64_t unknown;        /* of events that the recording does not describe, dropped */
    uint64_t late;           /* delivered after a newer record */
    uint64_t aux_bytes;      /* trace data, skipped */
    bool killed;             /* the recorder was killed */
    bool growing;            /* ... or is still writing */
    bool perhaps_growing;    /* ... or may still be writing: not known */
    bool is_truncated;       /* the end is missing */
    bool damaged;            /* read up to the damage */
};

typedef void (*perfdata_progress)(void *context, double share);

/*
 * Opens a recording. `path` "-": standard input. `pid`: the process to show, 0: the one with most
 * samples, PERFDATA_IDLE or PERFDATA_EVERY_PROCESS. `progress` is called from time to time with the
 * share of a large file that has been read, 0 to 1 (NULL: no calls). Returns -EINTR if a signal
 * that ends the program is pending.
 */
int perfdata_open(struct perfdata **perfdata, const char *path, pid_t pid,
                  perfdata_progress progress, void *context, struct error *error);
void perfdata_close(struct perfdata *perfdata);

/* Returns a descriptor to poll if a pipe is followed; -1: the recording is complete. */
int perfdata_fd(const struct perfdata *perfdata);
/* Returns true if that pipe was silent for a second: a live recording, not a copy. */
bool perfdata_is_live_pipe(const struct perfdata *perfdata);
/* Returns true if the last read of that pipe left records, in order to limit its time. */
bool perfdata_has_backlog(const struct perfdata *perfdata);

/* Goes back to the first record, for process `pid`. -ESPIPE: a pipe is played as it arrives.
 * -ESRCH, -ENODATA as in perfdata_open(). */
int perfdata_restart(struct perfdata *perfdata, pid_t pid, struct error *error);

/* Time of the first sample of the process, by the clock of the records, and time from first to last
 * sample. Both 0: the samples have no times, or the recording is not complete yet (a pipe). */
struct perfdata_span {
    uint64_t start_ns;
    uint64_t length_ns;
};
struct perfdata_span perfdata_span(const struct perfdata *perfdata);

/* Returns false if no sample of any process has its instruction in a range, or no sample has an
 * address or registers. While a pipe is played, covers only the part so far. */
bool perfdata_sampled(const struct perfdata *perfdata, uint64_t start, uint64_t length);

/* Same as sampler_read() in replay. */
long perfdata_read(struct perfdata *perfdata, uint64_t until_ns, sampler_sink sink, void *context);
/* The same, limited to `most` records. */
long perfdata_read_some(struct perfdata *perfdata, uint64_t until_ns, long most, sampler_sink sink,
                        void *context);

void perfdata_describe(const struct perfdata *perfdata, struct sampler_info *info);

/* Returns the processes of a recording, most samples first; none while a pipe is played. */
const struct perfdata_process *perfdata_processes(const struct perfdata *perfdata, size_t *count);

/* Returns the attribute of an event by its number in samples, or NULL. */
const struct perf_event_attr *perfdata_attribute(const struct perfdata *perfdata, unsigned index);

/* Returns the perfdata_writer_mark() of a recording, or 0 if it has none or is no recording. */
uint64_t perfdata_file_mark(const char *path);

const struct perfdata_machine *perfdata_machine(const struct perfdata *perfdata);
struct perfdata_counts perfdata_counts(const struct perfdata *perfdata);

#endif
