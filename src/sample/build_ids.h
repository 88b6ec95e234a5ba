/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The build-ids that a recording lists by the path of the file, for mappings whose records carry
 * none. Kept by a hash of the path: a recording may lie about build-ids anyway. For perfdata*.c.
 */
#ifndef MISSTOP_SAMPLE_BUILD_IDS_H
#define MISSTOP_SAMPLE_BUILD_IDS_H

#include "base/hash.h"
#include "sample.h"
#include "sample/cursor.h"

enum {
    BUILD_ID_MISC_SIZE = 1 << 15, /* the byte behind the id tells its length */
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

/* One entry, header first, as the feature and the record have it. 0, -EBADMSG or -ENOMEM. */
int build_ids_add(struct build_ids *build_ids, struct cursor *cursor);

/* Gives a mapping without a build-id the one of its path, if it is known. */
void build_ids_complete(const struct build_ids *build_ids, struct sample_mapping *mapping);

#endif
