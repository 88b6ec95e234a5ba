/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/build_ids.h"

#include "base/array.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>

enum { BUILD_IDS_MAX = 1 << 16 };

void build_ids_fini(struct build_ids *build_ids)
{
    free(build_ids->list);
    hash_fini(&build_ids->index_of_path);
    *build_ids = (struct build_ids){0};
}

static int keep(struct build_ids *build_ids, const char *path, const struct build_id *id)
{
    if (build_ids->count == BUILD_IDS_MAX)
        return 0;
    struct build_id *more = array_more(build_ids->list, &build_ids->room, build_ids->count,
                                       sizeof *more, ARRAY_UNBOUNDED);
    if (!more)
        return -ENOMEM;
    build_ids->list = more;
    uint32_t *index = hash_insert(&build_ids->index_of_path, hash_bytes(path, strlen(path)), NULL);
    if (!index)
        return -ENOMEM;
    *index = (uint32_t)build_ids->count;
    build_ids->list[build_ids->count++] = *id;
    return 0;
}

int build_ids_add(struct build_ids *build_ids, struct cursor *cursor)
{
    struct build_id id = {.size = sizeof id.bytes};
    cursor_u32(cursor); /* type: what stands in the feature has none */
    uint16_t misc = cursor_u16(cursor);
    uint16_t size_bytes = cursor_u16(cursor);
    size_t head_bytes = sizeof(struct perf_event_header) + 4 + BUILD_ID_FIELD_BYTES;
    if (size_bytes <= head_bytes || size_bytes - sizeof(struct perf_event_header) > cursor->left)
        return -EBADMSG;
    struct cursor entry = *cursor;
    entry.left = size_bytes - sizeof(struct perf_event_header);
    cursor_skip(cursor, entry.left);
    cursor_u32(&entry); /* the machine: -1 the one recorded, else a guest's process */
    memcpy(id.bytes, entry.at, sizeof id.bytes);
    if (misc & BUILD_ID_MISC_SIZE)
        id.size = entry.at[sizeof id.bytes];
    cursor_skip(&entry, BUILD_ID_FIELD_BYTES);
    if (id.size > sizeof id.bytes || !memchr(entry.at, '\0', entry.left))
        return -EBADMSG;
    uint16_t mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;
    bool guest = mode == PERF_RECORD_MISC_GUEST_KERNEL || mode == PERF_RECORD_MISC_GUEST_USER;
    return guest ? 0 : keep(build_ids, (const char *)entry.at, &id);
}

void build_ids_complete(const struct build_ids *build_ids, struct sample_mapping *mapping)
{
    if (mapping->build_id_size || !build_ids->count)
        return;
    uint64_t key = hash_bytes(mapping->path, strlen(mapping->path));
    const uint32_t *index = hash_find(&build_ids->index_of_path, key);
    if (!index)
        return;
    const struct build_id *id = &build_ids->list[*index];
    mapping->build_id_size = id->size;
    memcpy(mapping->build_id, id->bytes, sizeof mapping->build_id);
}
