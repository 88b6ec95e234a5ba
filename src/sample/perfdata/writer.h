/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes a perf.data recording for perf and misstop -i: the samples, with the decoded data
 * addresses. Format: tools/perf/Documentation/perf.data-file-format.txt.
 *
 * Records handed over before the last sync are readable, complete and described, whenever the
 * program is killed after it; later records may be missing. If the disk is full, records are
 * dropped and counted (as LOST records, once there is room again), and the file stays readable.
 *
 * At the limit FILE is moved to FILE.1, FILE.1 to FILE.2, and a new FILE is begun. Each file is
 * complete in itself, because mappings and names are repeated.
 */
#ifndef MISSTOP_SAMPLE_PERFDATA_WRITER_H
#define MISSTOP_SAMPLE_PERFDATA_WRITER_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "sample.h"
#include "sample/perfdata/perfdata.h"
#include "sample/sampler.h"

enum {
    PERFDATA_WRITER_LIMIT_MIN = 1 << 20, /* bytes; a smaller limit is refused */
    PERFDATA_WRITER_FILES_MAX = 1000
};

struct perfdata_writer;

struct perfdata_writer_options {
    const char *path;
    const struct sampler_info *info;        /* of the session; the needed members are copied */
    const struct perf_event_attr *attrs;    /* info->event_count: sampler_attribute() of each */
    const struct perfdata_machine *machine; /* of the recording that is replayed; NULL: this one */
    bool launched;        /* about to exec: its present mappings are not the program's */
    uint64_t limit_bytes; /* of one file; 0: none */
    unsigned files;       /* number of files kept, including FILE; 0: 2 */
};

struct perfdata_written {
    uint64_t address; /* data address; 0: not known */
    /* union perf_mem_data_src; 0: not known. May have only LOAD or STORE in its op. */
    uint64_t data_src;
};

/*
 * Mode 0600, not through a symbolic link. Moves an existing file that is not empty to `path`.old
 * first, as perf record does; refuses a device or folder. Live, writes the threads and mappings of
 * the process at once. Returns 0, or a negative errno with cause and remedy.
 */
int perfdata_writer_open(struct perfdata_writer **writer,
                         const struct perfdata_writer_options *options, struct error *error);

/*
 * Adds one record, in time order. `written` may be NULL and is for samples only; values recorded by
 * the hardware replace it. The record goes to a buffer, which is written rarely. Returns 0, or the
 * negative errno for which the record was dropped; perfdata_writer_sync() has the text.
 */
int perfdata_writer_add(struct perfdata_writer *writer, const struct record *record,
                        const struct perfdata_written *written);

/* Begins another file, as if this one had reached its limit: the accompanying file has reached its
 * own. */
void perfdata_writer_want_another(struct perfdata_writer *writer);

/* Writes pending records, and updates header and description. Called once per refresh. Returns 0,
 * or a negative errno with cause and remedy; the next sync tries again. */
int perfdata_writer_sync(struct perfdata_writer *writer, struct error *error);

/* Syncs, frees the writer in any case, and returns the result of the sync. NULL is allowed. */
int perfdata_writer_close(struct perfdata_writer *writer, struct error *error);

/* Returns the perfdata_file_mark() of the file being written, for an accompanying file. Changes
 * when perfdata_writer_add() begins a new file. */
uint64_t perfdata_writer_mark(const struct perfdata_writer *writer);

/*
 * For an accompanying file PATH.SUFFIX ("misstop"; NULL: the recording itself). create acts like
 * open on PATH: moves an old file to PATH.old.SUFFIX and returns a descriptor or a negative errno.
 * shift is for the limit: moves PATH.N.SUFFIX to PATH.N+1.SUFFIX and PATH.SUFFIX to PATH.1.SUFFIX;
 * with `files` 1 it removes the file.
 */
int perfdata_writer_create(const char *path, const char *suffix, struct error *error);
int perfdata_writer_shift(const char *path, const char *suffix, unsigned files,
                          struct error *error);

#endif
