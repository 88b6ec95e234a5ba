/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State of a recording that is being written; private to writer*.c. */
#ifndef MISSTOP_SAMPLE_PERFDATA_WRITER_STATE_H
#define MISSTOP_SAMPLE_PERFDATA_WRITER_STATE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/hash.h"
#include "sample.h"
#include "sample/kernel.h"
#include "sample/perfdata/header.h"
#include "sample/perfdata/perfdata.h"
#include "sample/perfdata/writer.h"

/* The counterpart of cursor.h. If memory runs out the buffer is marked failed, so a writer checks
 * only once, at the end. Uses the byte order of this machine, as perf.data files do. */
struct perfdata_bytes {
    unsigned char *at;
    size_t used;
    size_t room;
    bool failed;
};

void perfdata_bytes_fini(struct perfdata_bytes *bytes);

void perfdata_bytes_clear(struct perfdata_bytes *bytes);

/* Returns false, and marks the buffer failed, if out of memory. */
bool perfdata_bytes_reserve(struct perfdata_bytes *bytes, size_t size);

void perfdata_bytes_put(struct perfdata_bytes *bytes, const void *data, size_t size);
void perfdata_bytes_zero(struct perfdata_bytes *bytes, size_t size);
void perfdata_bytes_u32(struct perfdata_bytes *bytes, uint32_t value);
void perfdata_bytes_u64(struct perfdata_bytes *bytes, uint64_t value);

/* Puts a struct perf_header_string: a length, and the text padded with NULs to that length. */
void perfdata_bytes_string(struct perfdata_bytes *bytes, const char *text);

/* The counterpart of record.h. Layout: include/uapi/linux/perf_event.h, enum perf_event_type. */

/* A path (the kernel's are at most 4096 bytes) and the fields around it. */
enum { PERFDATA_WRITE_RECORD_MAX = 4096 + 256 };

struct perfdata_layout {
    uint64_t sample_type;
    uint64_t regs; /* mask of enum perf_event_x86_regs */
    uint64_t id;
};

/* Threads, names and mappings that still exist: a file that is begun later repeats them. */

/* Keys that are searched for every mapping, separate from the record. */
struct perfdata_task {
    uint64_t start; /* of a mapping */
    uint64_t end;
    uint32_t pid;
    uint32_t tid;
    uint32_t kind;
    struct record *record; /* with its text after it; NULL: obsolete */
};

struct perfdata_tasks {
    struct perfdata_task *list; /* in order of appearance */
    size_t count;
    size_t obsolete_count;
    size_t room;
};

void perfdata_tasks_fini(struct perfdata_tasks *tasks);

/*
 * Stores a mapping, name, fork or exit; `first`: it belongs to the initial list, in which entries
 * do not replace each other. Returns 0 or -ENOMEM. Ignores entries beyond the maximum of a process.
 */
int perfdata_tasks_note(struct perfdata_tasks *tasks, const struct record *record, bool first);

/* Writes all entries as records of time `time_ns`; 0: as the state before the first record. */
void perfdata_tasks_write(const struct perfdata_tasks *tasks, uint64_t time_ns, sampler_sink sink,
                          void *context);

/*
 * The build-ids of the files that a process has mapped, as a recording lists them: read from the
 * note that the linker put into each file. The files belong to the target and are untrusted: walks
 * are bounded and all values checked.
 */
struct perfdata_build_ids {
    struct perfdata_bytes section; /* the entries in the format of the feature */
    struct hash seen;              /* hashes of the paths */
};

void perfdata_build_ids_fini(struct perfdata_build_ids *ids);

/* Unless it is listed: with the id in the record or, if there is none and `pid` is not 0, of the
 * file as the process sees it. Skips files without an id. */
void perfdata_build_ids_note(struct perfdata_build_ids *ids, const struct sample_mapping *mapping,
                             const struct kernel *kernel, pid_t pid);

void perfdata_build_ids_kernel(struct perfdata_build_ids *ids, const struct kernel *kernel);

/* Reads the id of an open ELF file of 64 or 32 bits. Returns false if it has none. */
bool perfdata_build_id_read(int fd, struct build_id *id);

/* Feature sections: this machine, from /proc and /sys, or the machine of an older recording.
 * Unknown facts are left out. Formats: perf.data-file-format.txt. */

/* The sections; a section without content is empty. */
struct perfdata_sections {
    struct perfdata_bytes of[FEATURE_COUNT];
};

void perfdata_sections_fini(struct perfdata_sections *sections);

void perfdata_host_describe(struct perfdata_sections *sections, const struct kernel *kernel);
void perfdata_host_copy(struct perfdata_sections *sections, const struct perfdata_machine *machine);

struct perfdata_writer_event {
    struct perf_event_attr attr;
    struct perfdata_layout layout;
    bool by_writer; /* it has no data source of its own */
    char name[64];
};

struct perfdata_writer {
    char *path;
    int fd; /* -1: the next file could not be created yet */
    pid_t pid;
    bool live;
    struct perfdata_writer_event events[SAMPLE_EVENTS_MAX];
    unsigned event_count;
    uint64_t session;      /* a number that other recordings do not have */
    uint64_t generation;   /* number of files begun */
    bool begins_next_file; /* begin another file with the next record */
    uint64_t limit_bytes;
    unsigned files;

    struct perfdata_bytes buffer; /* records waiting to be written */
    struct perfdata_bytes tail;   /* buffer for writing the description */
    uint64_t data_at;             /* offset of the first record */
    uint64_t data_end;            /* ... past the last record written */
    uint64_t initial_end;         /* ... past the initial state of tasks */
    uint64_t tail_bytes;          /* size of the description when last written */
    bool sealed;                  /* header and description agree with the records */
    bool round_is_open;           /* records were added since the last end of a round */

    struct perfdata_tasks tasks;
    struct perfdata_build_ids build_ids;
    struct perfdata_sections sections;
    uint64_t first_sample_ns; /* of this file; 0: none */
    uint64_t last_sample_ns;
    uint64_t last_ns; /* of any record */
    uint64_t dropped;
    uint64_t dropped_before; /* ... already reported by LOST records */
    struct error trouble;    /* code 0: none */
};

/* A running process by the records of its start: threads, names and mappings. */

/* Process id of the kernel's own mappings in a recording. */
#define PERFDATA_KERNEL_PID UINT32_MAX

/* Writes records of time 0; none if the process is gone or must not be read. */
void perfdata_process_write(const struct kernel *kernel, pid_t pid, bool mappings,
                            sampler_sink sink, void *context);

/* Writes the kernel's own mappings if /proc/kallsyms shows its addresses. */
void perfdata_process_kernel(const struct kernel *kernel, sampler_sink sink, void *context);

#endif
