/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/perfdata/header.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "sample/cursor.h"
#include "sample/perfdata/input.h"

enum {
    HEADER_PIPE_BYTES = 16,
    HEADER_ATTR_MIN = 64 + 16, /* PERF_ATTR_SIZE_VER0 and a section */
    HEADER_ATTR_MAX = 4096
};

static int header_refuse(const char *path, struct error *error, int code, const char *cause)
{
    return error_set(error, code, "%s %s", path, cause);
}

/* Takes the magic, which is a number: with the other byte order its letters are reversed. */
static int take_magic(struct perfdata_header *header, const unsigned char *bytes, const char *path,
                      struct error *error)
{
    if (!memcmp(bytes, "PERFFILE", 8))
        return header_refuse(
            path, error, -ENOTSUP,
            "was recorded by a perf from before 2010; misstop cannot read its files");
    header->swap = !memcmp(bytes, "2ELIFREP", 8);
    if (!header->swap && memcmp(bytes, "PERFILE2", 8))
        return header_refuse(path, error, -EBADMSG, foreign_file(bytes, 8));
    return 0;
}

static struct perfdata_section take_section(struct cursor *cursor)
{
    struct perfdata_section section;
    section.offset = cursor_u64(cursor);
    section.size = cursor_u64(cursor);
    return section;
}

static void take_file(struct perfdata_header *header, struct cursor *cursor)
{
    header->attr_size = cursor_u64(cursor);
    header->attrs = take_section(cursor);
    header->data = take_section(cursor);
    take_section(cursor); /* event types, unused since perf 3 */
    for (unsigned i = 0; i < PERFDATA_FEATURES / 64; i++)
        header->features[i] = cursor_u64(cursor);
}

/*
 * perf swaps the features as words of the recorder's word size, and comments that it guesses. With
 * a 32-bit recorder their halves are exchanged: detected by the host name, which is always present.
 */
static void fix_swapped_features(struct perfdata_header *header)
{
    enum { HOSTNAME = 3 };
    if (!header->swap || header->features[0] >> HOSTNAME & 1 ||
        !(header->features[0] >> (32 + HOSTNAME) & 1))
        return;
    for (unsigned i = 0; i < PERFDATA_FEATURES / 64; i++)
        header->features[i] = header->features[i] << 32 | header->features[i] >> 32;
}

static bool section_is_inside_file(struct perfdata_section section, uint64_t size_bytes)
{
    return section.offset <= size_bytes && section.size <= size_bytes - section.offset;
}

static int check_file(struct perfdata_header *header, const struct input *input, const char *path,
                      struct error *error)
{
    if (header->attr_size < HEADER_ATTR_MIN || header->attr_size > HEADER_ATTR_MAX ||
        !section_is_inside_file(header->attrs, input->size_bytes) ||
        header->data.offset > input->size_bytes)
        return header_refuse(path, error, -EBADMSG,
                             "is damaged: its header points outside the file; copy it again");
    header->killed = !header->data.size;
    header->is_truncated = !section_is_inside_file(header->data, input->size_bytes);
    return 0;
}

int perfdata_header_read(struct perfdata_header *header, struct input *input, const char *path,
                         struct error *error)
{
    *header = (struct perfdata_header){0};
    const unsigned char *bytes = input_peek(input, 8);
    if (!bytes)
        return header_refuse(path, error, input->failed ? input->failed : -EBADMSG,
                             input->failed ? "cannot be read"
                             : input_peek(input, 1)
                                 ? "is not a perf.data file: it is too short"
                                 : "is empty; was the recording stopped too early?");
    int code = take_magic(header, bytes, path, error);
    if (code)
        return code;
    bytes = input_peek(input, HEADER_PIPE_BYTES);
    struct cursor cursor = {bytes, HEADER_PIPE_BYTES, false, header->swap};
    cursor_skip(&cursor, bytes ? 8 : 0);
    if (bytes && cursor_u64(&cursor) == HEADER_PIPE_BYTES) {
        header->piped = true;
        return 0;
    }
    bytes = input_peek(input, PERFDATA_HEADER_BYTES);
    if (!bytes)
        return header_refuse(path, error, -EBADMSG,
                             "is too short for a perf.data file: it was cut off; copy it again");
    cursor = (struct cursor){bytes, PERFDATA_HEADER_BYTES, false, header->swap};
    cursor_skip(&cursor, HEADER_PIPE_BYTES);
    take_file(header, &cursor);
    fix_swapped_features(header);
    /* A file that comes through a pipe is spooled before its sections can be read. */
    return input->seekable ? check_file(header, input, path, error) : 0;
}

bool perfdata_header_feature(const struct perfdata_header *header, const struct input *input,
                             unsigned feature, struct perfdata_section *section)
{
    unsigned char bytes[sizeof *section];
    uint64_t skipped = 0;
    if (header->piped || header->killed || header->is_truncated || feature >= PERFDATA_FEATURES ||
        !(header->features[feature / 64] >> feature % 64 & 1))
        return false;
    for (unsigned i = 0; i < feature; i++)
        skipped += header->features[i / 64] >> i % 64 & 1;
    uint64_t at = header->data.offset + header->data.size + skipped * sizeof bytes;
    if (input_read_at(input, at, bytes, sizeof bytes) != sizeof bytes)
        return false;
    struct cursor cursor = {bytes, sizeof bytes, false, header->swap};
    *section = take_section(&cursor);
    return section_is_inside_file(*section, input->size_bytes);
}

/* Reads a padded length and a string padded with NULs. */
static void take_string(struct cursor *cursor, char *out, size_t out_size)
{
    uint32_t length = cursor_u32(cursor);
    const char *text = (const char *)cursor->at;
    cursor_skip(cursor, length);
    if (cursor->bad)
        *out = '\0';
    else
        text_sanitise(out, out_size, text, strnlen(text, length));
}

static void take_cpus(struct cursor *cursor, struct perfdata_machine *machine)
{
    uint32_t available = cursor_u32(cursor);
    uint32_t online = cursor_u32(cursor);
    machine->cpus_available = cursor->bad ? 0 : available;
    machine->cpus_online = cursor->bad ? 0 : online;
}

static void take_command(struct cursor *cursor, struct perfdata_machine *machine)
{
    uint32_t count = cursor_u32(cursor);
    size_t used = 0;
    for (uint32_t i = 0; i < count && !cursor->bad && used + 2 < sizeof machine->command; i++) {
        if (used)
            machine->command[used++] = ' ';
        take_string(cursor, machine->command + used, sizeof machine->command - used);
        used += strlen(machine->command + used);
    }
}

static bool is_same_cache(const struct perfdata_cache *a, const struct perfdata_cache *b)
{
    return a->level == b->level && a->sets == b->sets && a->ways == b->ways &&
           a->line_bytes == b->line_bytes && !strcmp(a->type, b->type);
}

/* Caches of the same kind are listed for each core; keep one. */
static void add_cache_kind(struct perfdata_machine *machine, const struct perfdata_cache *cache)
{
    for (unsigned i = 0; i < machine->cache_count; i++)
        if (is_same_cache(&machine->caches[i], cache))
            return;
    if (machine->cache_count < PERFDATA_CACHES_MAX)
        machine->caches[machine->cache_count++] = *cache;
}

static void take_caches(struct cursor *cursor, struct perfdata_machine *machine)
{
    uint32_t version = cursor_u32(cursor);
    uint32_t count = cursor_u32(cursor);
    for (uint32_t i = 0; version == FEATURE_CACHE_VERSION && i < count && !cursor->bad; i++) {
        struct perfdata_cache cache = {0};
        char cpus[8];
        cache.level = cursor_u32(cursor);
        cache.line_bytes = cursor_u32(cursor);
        cache.sets = cursor_u32(cursor);
        cache.ways = cursor_u32(cursor);
        take_string(cursor, cache.type, sizeof cache.type);
        take_string(cursor, cache.size, sizeof cache.size);
        take_string(cursor, cpus, sizeof cpus);
        if (!cursor->bad)
            add_cache_kind(machine, &cache);
    }
}

static void take_times(struct cursor *cursor, struct perfdata_machine *machine)
{
    uint64_t first_ns = cursor_u64(cursor);
    uint64_t last_ns = cursor_u64(cursor);
    machine->first_sample_ns = cursor->bad ? 0 : first_ns;
    machine->last_sample_ns = cursor->bad ? 0 : last_ns;
}

/* Reads the wall clock and the record clock at one moment. */
static void take_clocks(struct cursor *cursor, struct perfdata_machine *machine)
{
    uint32_t version = cursor_u32(cursor);
    cursor_skip(cursor, sizeof(uint32_t)); /* clock id */
    uint64_t wall_ns = cursor_u64(cursor);
    uint64_t clock_ns = cursor_u64(cursor);
    bool known = !cursor->bad && version == FEATURE_CLOCK_DATA_VERSION;
    machine->wall_ns = known ? wall_ns : 0;
    machine->clock_ns = known ? clock_ns : 0;
}

static int take_build_ids(struct cursor *cursor, struct build_ids *build_ids)
{
    int code = 0;
    while (!code && cursor->left)
        code = build_ids_add(build_ids, cursor);
    return code == -ENOMEM ? code : 0;
}

int features_take(const struct features *features, unsigned feature, struct cursor *cursor)
{
    struct perfdata_machine *machine = features->machine;
    switch (feature) {
    case FEATURE_BUILD_ID:
        return take_build_ids(cursor, features->build_ids);
    case FEATURE_HOSTNAME:
        take_string(cursor, machine->host, sizeof machine->host);
        break;
    case FEATURE_OSRELEASE:
        take_string(cursor, machine->os_release, sizeof machine->os_release);
        break;
    case FEATURE_ARCH:
        take_string(cursor, machine->architecture, sizeof machine->architecture);
        break;
    case FEATURE_NRCPUS:
        take_cpus(cursor, machine);
        break;
    case FEATURE_CPUDESC:
        take_string(cursor, machine->cpu, sizeof machine->cpu);
        break;
    case FEATURE_CPUID:
        take_string(cursor, machine->cpuid, sizeof machine->cpuid);
        break;
    case FEATURE_TOTAL_MEM:
        machine->memory_kb = cursor_u64(cursor);
        break;
    case FEATURE_CMDLINE:
        take_command(cursor, machine);
        break;
    case FEATURE_EVENT_DESC:
        event_desc_take(cursor, features->attributes);
        break;
    case FEATURE_CACHE:
        take_caches(cursor, machine);
        break;
    case FEATURE_SAMPLE_TIME:
        take_times(cursor, machine);
        break;
    case FEATURE_CLOCK_DATA:
        take_clocks(cursor, machine);
        break;
    default:
        break;
    }
    return 0;
}

enum { EVENT_UPDATE_NAME = 2 };

/* Returns a description's event: that of its first id, or else of the same index. */
static struct attribute *described_event(struct attributes *attributes, uint32_t place,
                                         struct cursor ids, uint32_t id_count)
{
    struct attribute *event = id_count ? attributes_by_id(attributes, cursor_u64(&ids)) : NULL;
    if (!event && place < attributes->count)
        event = &attributes->events[place];
    return event;
}

void event_desc_take(struct cursor *cursor, struct attributes *attributes)
{
    uint32_t count = cursor_u32(cursor);
    uint32_t attr_bytes = cursor_u32(cursor);
    for (uint32_t place = 0; place < count && !cursor->bad; place++) {
        cursor_skip(cursor, attr_bytes);
        uint32_t id_count = cursor_u32(cursor);
        uint32_t length = cursor_u32(cursor);
        const char *name = (const char *)cursor->at;
        cursor_skip(cursor, length);
        struct cursor ids = *cursor;
        cursor_skip_items(cursor, id_count, 8);
        if (cursor->bad)
            return;
        struct attribute *event = described_event(attributes, place, ids, id_count);
        if (event)
            text_sanitise(event->name, sizeof event->name, name, strnlen(name, length));
    }
}

void event_desc_update(struct cursor *cursor, struct attributes *attributes)
{
    uint64_t what = cursor_u64(cursor);
    struct attribute *event = attributes_by_id(attributes, cursor_u64(cursor));
    const char *name = (const char *)cursor->at;
    if (what == EVENT_UPDATE_NAME && event && cursor->left)
        text_sanitise(event->name, sizeof event->name, name, strnlen(name, cursor->left));
}

void event_desc_guess(const struct perf_event_attr *attr, char *out, size_t out_size)
{
    static const char *const software[] = {
        "cpu-clock",    "task-clock",   "page-faults",      "context-switches", "cpu-migrations",
        "minor-faults", "major-faults", "alignment-faults", "emulation-faults", "dummy"};
    static const char *const hardware[] = {"cycles",       "instructions", "cache-references",
                                           "cache-misses", "branches",     "branch-misses"};
    const char *name = NULL;
    if (attr->type == PERF_TYPE_SOFTWARE && attr->config < sizeof software / sizeof *software)
        name = software[attr->config];
    if (attr->type == PERF_TYPE_HARDWARE && attr->config < sizeof hardware / sizeof *hardware)
        name = hardware[attr->config];
    if (name)
        snprintf(out, out_size, "%s", name);
    else
        snprintf(out, out_size, "r%04llx of PMU %u", (unsigned long long)attr->config, attr->type);
}

enum { BUILD_IDS_MAX = 1 << 16 };

void build_ids_fini(struct build_ids *build_ids)
{
    free(build_ids->list);
    hash_fini(&build_ids->index_of_path);
    *build_ids = (struct build_ids){0};
}

static int build_ids_keep(struct build_ids *build_ids, const char *path, const struct build_id *id)
{
    if (build_ids->count == BUILD_IDS_MAX)
        return 0;
    if (!array_reserve_next(&build_ids->list, &build_ids->room, build_ids->count,
                            sizeof *build_ids->list, ARRAY_UNBOUNDED))
        return -ENOMEM;
    if (!hash_put(&build_ids->index_of_path, hash_bytes(path, strlen(path)),
                  (uint32_t)build_ids->count))
        return -ENOMEM;
    build_ids->list[build_ids->count++] = *id;
    return 0;
}

int build_ids_add(struct build_ids *build_ids, struct cursor *cursor)
{
    struct build_id id = {.size = sizeof id.bytes};
    cursor_u32(cursor); /* type: unused in the feature */
    uint16_t misc = cursor_u16(cursor);
    uint16_t size_bytes = cursor_u16(cursor);
    size_t head_bytes = sizeof(struct perf_event_header) + 4 + BUILD_ID_FIELD_BYTES;
    if (size_bytes <= head_bytes || size_bytes - sizeof(struct perf_event_header) > cursor->left)
        return -EBADMSG;
    struct cursor entry = *cursor;
    entry.left = size_bytes - sizeof(struct perf_event_header);
    cursor_skip(cursor, entry.left);
    cursor_u32(&entry); /* the machine: -1 for the recorded one, otherwise a guest's process */
    memcpy(id.bytes, entry.at, sizeof id.bytes);
    if (misc & BUILD_ID_MISC_SIZE)
        id.size = entry.at[sizeof id.bytes];
    cursor_skip(&entry, BUILD_ID_FIELD_BYTES);
    if (id.size > sizeof id.bytes || !memchr(entry.at, '\0', entry.left))
        return -EBADMSG;
    uint16_t mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;
    bool guest = mode == PERF_RECORD_MISC_GUEST_KERNEL || mode == PERF_RECORD_MISC_GUEST_USER;
    return guest ? 0 : build_ids_keep(build_ids, (const char *)entry.at, &id);
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
