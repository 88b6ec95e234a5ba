/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The first bytes of a recording: what kind it is and where its parts lie. For perfdata*.c.
 * Format: tools/perf/Documentation/perf.data-file-format.txt.
 */
#ifndef MISSTOP_SAMPLE_PERFDATA_HEADER_H
#define MISSTOP_SAMPLE_PERFDATA_HEADER_H

#include "base/error.h"
#include "sample/input.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    PERFDATA_FEATURES = 256,
    PERFDATA_HEADER_BYTES = 104,
    PERFDATA_DATA_SIZE_AT = 48, /* where the header tells the size of the data */
    /*
     * Ids of events that misstop wrote: a mark of the file above, the event's number below, and a
     * bit where the event had no data source: ADDR is then what misstop worked out.
     */
    PERFDATA_MARK_SHIFT = 8,
    PERFDATA_ID_TOLD = 0x80
};

/* Whether an id is of a recording that misstop wrote: the kernel's, a counter, never get there. */
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
    bool piped;         /* attributes and features are records among the others */
    bool killed;        /* data.size is 0: perf record did not come to its end */
    bool cut;           /* the file ends before its data do */
    uint64_t attr_size; /* of an attribute with the place of its ids behind it */
    struct perfdata_section attrs;
    struct perfdata_section data;
    uint64_t features[PERFDATA_FEATURES / 64];
};

/* Of an input at its start, which is left there. -EBADMSG or -ENOTSUP with the cause. */
int perfdata_header_read(struct perfdata_header *header, struct input *input, const char *path,
                         struct error *error);

/*
 * Where feature number `feature` lies: in a table after the data, a section for each bit set.
 * False if it is not there, or the file is piped, killed or cut.
 */
bool perfdata_header_feature(const struct perfdata_header *header, const struct input *input,
                             unsigned feature, struct perfdata_section *section);

#endif
