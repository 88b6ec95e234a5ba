/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes a perf.data recording that perf report, perf script, perf mem report and misstop -i read:
 * the samples, with the data addresses that misstop decoded. Format:
 * tools/perf/Documentation/perf.data-file-format.txt.
 *
 * Records handed over before the last sync are readable, whole and described, wherever the program
 * is killed after it; later ones may be missing. Where the disk is full, records are dropped and
 * counted (as LOST records, once there is room again), and the file stays readable.
 *
 * At the limit FILE is moved to FILE.1, FILE.1 to FILE.2, and a new FILE is begun: each is complete
 * in itself, because mappings and names are reported again.
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
    const struct sampler_info *info;        /* the session's; the needed members are copied */
    const struct perf_event_attr *attrs;    /* info->event_count: sampler_attribute() of each */
    const struct perfdata_machine *machine; /* of the recording that is replayed; NULL: this one */
    bool launched;        /* the process is about to exec: its present mappings are not the
                             program's */
    uint64_t limit_bytes; /* of one file; 0: none */
    unsigned files;       /* kept at the limit, FILE itself among them; 0: 2 */
};

/* Values that decode found for a sample. */
struct perfdata_written {
    uint64_t address;  /* of the data; 0: not known */
    uint64_t data_src; /* union perf_mem_data_src; 0: not known. Only LOAD or STORE of its op may
                          be set, where nothing else is known */
};

/*
 * Creates `path`, with mode 0600 and not through a symbolic link. A file of that name that is not
 * empty is moved to `path`.old first, as perf record does; a device or folder is refused. Live, the
 * threads and mappings of the process are written at once. 0, or a negative errno with cause and
 * remedy.
 */
int perfdata_writer_open(struct perfdata_writer **writer,
                         const struct perfdata_writer_options *options, struct error *error);

/*
 * One record, in the order of time. `written` may be NULL, and is for samples only: values that the
 * hardware recorded replace it. Goes to a buffer; rarely writes it out. 0, or the negative errno
 * for which it was dropped: perfdata_writer_sync() has the text.
 */
int perfdata_writer_add(struct perfdata_writer *writer, const struct record *record,
                        const struct perfdata_written *written);

/* The file written beside it has reached its limit: begins another file as if this one had. */
void perfdata_writer_want_another(struct perfdata_writer *writer);

/*
 * Once per refresh: writes out what waits, and brings header and description up to date. A
 * negative errno with cause and remedy where that fails; it is tried again at the next sync.
 */
int perfdata_writer_sync(struct perfdata_writer *writer, struct error *error);

/* Syncs, frees the writer in any case, and reports as sync does. NULL is allowed. */
int perfdata_writer_close(struct perfdata_writer *writer, struct error *error);

/*
 * A number by which a file beside the recording can say that it belongs to it: perfdata_file_mark()
 * of the file that is being written. Changes when a new one is begun, within perfdata_writer_add().
 */
uint64_t perfdata_writer_mark(const struct perfdata_writer *writer);

/*
 * For a file beside the recording, PATH.SUFFIX ("misstop"; NULL: the recording itself). create
 * does what open does with PATH: moves an old one to PATH.old.SUFFIX, returns a descriptor or a
 * negative errno. shift does what happens at the limit: PATH.N.SUFFIX moves to PATH.N+1.SUFFIX,
 * PATH.SUFFIX to PATH.1.SUFFIX; with `files` 1 it is removed.
 */
int perfdata_writer_create(const char *path, const char *suffix, struct error *error);
int perfdata_writer_shift(const char *path, const char *suffix, unsigned files,
                          struct error *error);

#endif
