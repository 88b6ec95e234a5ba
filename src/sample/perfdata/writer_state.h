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

/*
 * Bytes that are put together before they are written: the counterpart of cursor.h. Where memory
 * runs out they are marked failed, so that a writer checks once, when it is done. In the byte order
 * of this machine, as perf.data files are.
 */
struct perfdata_bytes {
    unsigned char *at;
    size_t used;
    size_t room;
    bool failed;
};

void perfdata_bytes_fini(struct perfdata_bytes *bytes);

/* Empties them and keeps the memory. */
void perfdata_bytes_clear(struct perfdata_bytes *bytes);

/* Room for `size` more; false, and failed, where there is no memory. */
bool perfdata_bytes_reserve(struct perfdata_bytes *bytes, size_t size);

void perfdata_bytes_put(struct perfdata_bytes *bytes, const void *data, size_t size);
void perfdata_bytes_zero(struct perfdata_bytes *bytes, size_t size);
void perfdata_bytes_u32(struct perfdata_bytes *bytes, uint32_t value);
void perfdata_bytes_u64(struct perfdata_bytes *bytes, uint64_t value);

/* struct perf_header_string: a length, and the text filled up with NULs to that length. */
void perfdata_bytes_string(struct perfdata_bytes *bytes, const char *text);

/*
 * One record in the form that perf.data files hold: the counterpart of record.h. Layout:
 * include/uapi/linux/perf_event.h, enum perf_event_type.
 */
/* A path (the kernel's end at 4096 bytes) and the fields around it. */
enum { PERFDATA_WRITE_RECORD_MAX = 4096 + 256 };

/* How the records of one event are laid out. */
struct perfdata_layout {
    uint64_t sample_type;
    uint64_t regs; /* mask of enum perf_event_x86_regs */
    uint64_t id;
};

/*
 * Threads, names and mappings that a recording contains so far and that still hold: a file that is
 * begun later repeats them.
 */
/* Keys searched at every mapping, apart from the rest. */
struct perfdata_task {
    uint64_t start; /* of a mapping */
    uint64_t past;
    uint32_t pid;
    uint32_t tid;
    uint32_t kind;
    struct record *record; /* with its text behind it; NULL: no longer so */
};

struct perfdata_tasks {
    struct perfdata_task *list; /* in the order of their coming */
    size_t count;
    size_t gone;
    size_t room;
};

void perfdata_tasks_fini(struct perfdata_tasks *tasks);

/*
 * Takes note of a mapping, name, fork or exit; `first`: of the initial list, in which entries do
 * not replace each other. 0 or -ENOMEM. More than a process may have are not remembered.
 */
int perfdata_tasks_note(struct perfdata_tasks *tasks, const struct record *record, bool first);

/* All that is known, as records of `time_ns`; 0: as what was so before the first record. */
void perfdata_tasks_write(const struct perfdata_tasks *tasks, uint64_t time_ns, sampler_sink sink,
                          void *context);

/*
 * The build-ids of the files that a process has mapped, as a recording lists them: read from the
 * note that the linker put into each. The files are the target's, and hostile: walks are bounded
 * and nothing of them is trusted.
 */
struct perfdata_build_ids {
    struct perfdata_bytes section; /* the entries, as the feature has them */
    struct hash seen;              /* paths by their hash */
};

void perfdata_build_ids_fini(struct perfdata_build_ids *ids);

/*
 * Lists the file of a mapping, unless it is listed: with the id that the record carries, or else,
 * if `pid` is not 0, with that of the file as the process sees it. Files without an id are left
 * out.
 */
void perfdata_build_ids_note(struct perfdata_build_ids *ids, const struct sample_mapping *mapping,
                             const struct kernel *kernel, pid_t pid);

/* Lists the running kernel. */
void perfdata_build_ids_kernel(struct perfdata_build_ids *ids, const struct kernel *kernel);

/* The id of an open ELF file of 64 or 32 bits; false if it has none. */
bool perfdata_build_id_read(int fd, struct build_id *id);

/*
 * The machine and the command that made a recording, as feature sections: of this machine from
 * /proc and /sys, or of the one where an older recording was made. Unknown facts are left out.
 * Formats: perf.data-file-format.txt.
 */
/* The sections, each empty where there is nothing to say. */
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
    int fd; /* -1: the next file could not be begun yet */
    pid_t pid;
    bool live;
    struct perfdata_writer_event events[SAMPLE_EVENTS_MAX];
    unsigned event_count;
    uint64_t session;    /* a number that other recordings do not have */
    uint64_t generation; /* files begun */
    bool wants_another;  /* file, with the next record */
    uint64_t limit_bytes;
    unsigned files;

    struct perfdata_bytes buffer; /* records that wait to be written */
    struct perfdata_bytes tail;   /* the description, while it is written */
    uint64_t data_at;             /* offset of the first record */
    uint64_t data_end;            /* ... behind the last one written */
    uint64_t initial_end;         /* ... behind what was said of tasks before the first one */
    uint64_t tail_bytes;          /* size of the description when it was written last */
    bool sealed;                  /* header and description agree with the records */
    bool round;                   /* records came since the last round ended */

    struct perfdata_tasks tasks;
    struct perfdata_build_ids build_ids;
    struct perfdata_sections sections;
    uint64_t first_sample_ns; /* of this file; 0: none */
    uint64_t last_sample_ns;
    uint64_t last_ns; /* of any record */
    uint64_t dropped;
    uint64_t dropped_before; /* ... that LOST records have reported */
    struct error trouble;    /* code 0: none */
};

/*
 * A running process in the form of the records of its start: its threads, their names, and its
 * mappings.
 */
/* Process id of the kernel's own mappings in a recording. */
#define PERFDATA_KERNEL_PID UINT32_MAX

/* Records of time 0. A process that is gone, or may not be read, gives none. */
void perfdata_process_write(const struct kernel *kernel, pid_t pid, bool mappings,
                            sampler_sink sink, void *context);

/* The kernel's own mappings, where /proc/kallsyms shows its addresses. */
void perfdata_process_kernel(const struct kernel *kernel, sampler_sink sink, void *context);

#endif
