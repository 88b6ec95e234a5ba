/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the header of a recording: its kind and the positions of its parts. Format:
 * tools/perf/Documentation/perf.data-file-format.txt. */
#ifndef MISSTOP_SAMPLE_PERFDATA_HEADER_H
#define MISSTOP_SAMPLE_PERFDATA_HEADER_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/hash.h"
#include "sample.h"
#include "sample/cursor.h"
#include "sample/perfdata/attributes.h"
#include "sample/perfdata/input.h"
#include "sample/perfdata/perfdata.h"

enum {
    PERFDATA_FEATURES = 256,
    PERFDATA_HEADER_BYTES = 104,
    PERFDATA_DATA_SIZE_AT = 48, /* offset in the header of the size of the data */
    /* Ids of events that misstop wrote: the file's mark in the high bits, the event's number in the
     * low bits, and a bit for an event without data source: ADDR is what misstop decoded. */
    PERFDATA_MARK_SHIFT = 8,
    PERFDATA_ID_RECORDED = 0x80
};

/* The kernel's ids are a counter, which never gets that high. */
static inline bool perfdata_id_marked(uint64_t id)
{
    return id >> 63;
}

struct perfdata_section {
    uint64_t offset;
    uint64_t size;
};

struct perfdata_header {
    bool swap;          /* recorded on a machine of the other byte order */
    bool piped;         /* attributes and features are records between the others */
    bool killed;        /* data.size is 0: perf record was killed */
    bool is_truncated;  /* the file ends before its data end */
    uint64_t attr_size; /* of an attribute with the position of its ids after it */
    struct perfdata_section attrs;
    struct perfdata_section data;
    uint64_t features[PERFDATA_FEATURES / 64];
};

/* The input is at its start, and stays there. Returns 0, or -EBADMSG or -ENOTSUP with the cause. */
int perfdata_header_read(struct perfdata_header *header, struct input *input, const char *path,
                         struct error *error);

/* Finds the position of feature number `feature`: a table after the data has a section for each bit
 * set. Returns false if it is absent, or the file is piped, killed or cut. */
bool perfdata_header_feature(const struct perfdata_header *header, const struct input *input,
                             unsigned feature, struct perfdata_section *section);

/* Build-ids by path, for mappings without a build-id in their records. Keyed by a hash of the path;
 * a collision does no more harm than the wrong build-ids a recording may contain anyway. */
enum {
    BUILD_ID_MISC_SIZE = 1 << 15, /* the byte after the id is its length */
    BUILD_ID_FIELD_BYTES = 24
};

struct build_id {
    uint8_t size;
    uint8_t bytes[20];
};

struct build_ids {
    struct build_id *list;
    size_t count;
    size_t room;
    struct hash index_of_path;
};

void build_ids_fini(struct build_ids *build_ids);

/* Adds one entry, header first, of a feature or a record. Returns 0, -EBADMSG or -ENOMEM. */
int build_ids_add(struct build_ids *build_ids, struct cursor *cursor);

/* Gives a mapping without a build-id the build-id of its path, if known. */
void build_ids_complete(const struct build_ids *build_ids, struct sample_mapping *mapping);

/*
 * The machine and the command that made a recording, from its feature sections or, in a piped
 * recording, its feature records. Every byte is untrusted; strings are made printable. Format:
 * tools/perf/Documentation/perf.data-file-format.txt.
 */

/* Numbers of the features that are read or written. */
enum feature {
    FEATURE_BUILD_ID = 2,
    FEATURE_HOSTNAME = 3,
    FEATURE_OSRELEASE = 4,
    FEATURE_VERSION = 5,
    FEATURE_ARCH = 6,
    FEATURE_NRCPUS = 7,
    FEATURE_CPUDESC = 8,
    FEATURE_CPUID = 9,
    FEATURE_TOTAL_MEM = 10,
    FEATURE_CMDLINE = 11,
    FEATURE_EVENT_DESC = 12,
    FEATURE_CPU_TOPOLOGY = 13,
    FEATURE_NUMA_TOPOLOGY = 14,
    FEATURE_PMU_MAPPINGS = 16,
    FEATURE_CACHE = 20,
    FEATURE_SAMPLE_TIME = 21,
    FEATURE_MEM_TOPOLOGY = 22,
    FEATURE_CLOCKID = 23,
    FEATURE_CLOCK_DATA = 29,
    FEATURE_COUNT
};

enum {
    FEATURE_CACHE_VERSION = 1,
    FEATURE_MEM_TOPOLOGY_VERSION = 1,
    FEATURE_CLOCK_DATA_VERSION = 1
};

struct features {
    struct perfdata_machine *machine;
    struct attributes *attributes;
    struct build_ids *build_ids;
};

/* Reads one section; ignores a damaged or unknown one. Returns 0 or -ENOMEM. */
int features_take(const struct features *features, unsigned feature, struct cursor *cursor);

/*
 * Names of the events of a perf.data file: from its EVENT_DESC feature section or, if there is none
 * because the recorder was killed, from the attribute. Every byte is untrusted. Format:
 * tools/perf/Documentation/perf.data-file-format.txt, HEADER_EVENT_DESC.
 */

/* Sets the names of the events from the section, by id or otherwise by order. */
void event_desc_take(struct cursor *cursor, struct attributes *attributes);

/* Parses the body of an EVENT_UPDATE record, which carries names in piped recordings. */
void event_desc_update(struct cursor *cursor, struct attributes *attributes);

/* Makes a name from the attribute alone: "cpu-clock", "cache-misses", "r01cd of PMU 4". */
void event_desc_guess(const struct perf_event_attr *attr, char *out, size_t out_size);

#endif
