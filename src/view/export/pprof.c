/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/export/files.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "snapshot.h"
#include "base/files.h"
#include "view/pprof.pb-c.h"
#include "view/words.h"

/* Strings, functions, locations and mappings, each entry once, from one arena. If memory runs out,
 * `failed` is set and returned ids are meaningless. */

/* Pointers in the messages' form, and the index of each entry. Initialised with zeros. */
struct pprof_list {
    struct hash index; /* key -> index + 1 */
    void **at;
    size_t count;
    size_t room;
};

struct pprof_tables {
    struct arena arena;
    struct pprof_list strings;
    struct pprof_list functions;
    struct pprof_list locations;
    struct pprof_list mappings;
    bool failed;
};

enum { INLINED_MAX = 32 };

/* Instructions with too few samples for their own entries. */
static const char other_code[] = "[other code]";

static void pprof_list_fini(struct pprof_list *list)
{
    hash_fini(&list->index);
    free(list->at);
}

static void pprof_list_add(struct pprof_tables *tables, struct pprof_list *list, void *what)
{
    tables->failed |= !what || !array_reserve_next(&list->at, &list->room, list->count,
                                                   sizeof *list->at, ARRAY_UNBOUNDED);
    if (!tables->failed)
        list->at[list->count++] = what;
}

/* Returns index + 1 of an entry, or a new one with value 0; `same` distinguishes entries with equal
 * keys. NULL: out of memory. */
static uint32_t *
pprof_tables_find(struct pprof_tables *tables, struct pprof_list *list, uint64_t key,
                  bool (*same)(const struct pprof_tables *, uint32_t, const void *),
                  const void *what)
{
    for (key = hash_mix(key);; key++) {
        uint32_t *at = hash_insert(&list->index, key, NULL);
        tables->failed |= !at;
        if (!at || !*at || same(tables, *at, what))
            return at;
    }
}

static bool is_same_string(const struct pprof_tables *tables, uint32_t at, const void *text)
{
    return !strcmp(tables->strings.at[at - 1], text);
}

/* Returns the index of a string; NULL is "". */
static int64_t pprof_string(struct pprof_tables *tables, const char *text)
{
    if (!text)
        return 0;
    uint32_t *at = pprof_tables_find(tables, &tables->strings, hash_bytes(text, strlen(text)),
                                     is_same_string, text);
    if (!at)
        return 0;
    if (!*at) {
        pprof_list_add(tables, &tables->strings, arena_string(&tables->arena, text));
        *at = (uint32_t)tables->strings.count;
    }
    return *at ? *at - 1 : 0;
}

static void pprof_tables_fini(struct pprof_tables *tables)
{
    struct pprof_list *lists[] = {&tables->strings, &tables->functions, &tables->locations,
                                  &tables->mappings};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        pprof_list_fini(lists[i]);
    arena_fini(&tables->arena);
}

static bool is_same_function(const struct pprof_tables *tables, uint32_t at, const void *what)
{
    const Pprof__Function *a = what;
    const Pprof__Function *b = tables->functions.at[at - 1];
    return a->name == b->name && a->file == b->file && a->line == b->line;
}

static uint64_t function_of(struct pprof_tables *tables, const char *name, const char *file,
                            uint32_t line)
{
    Pprof__Function wanted = PPROF__FUNCTION__INIT;
    wanted.name = wanted.linkage_name = pprof_string(tables, name);
    wanted.file = pprof_string(tables, file);
    wanted.line = line;
    uint64_t key = hash_mix((uint64_t)wanted.name << 32 ^ (uint64_t)wanted.file) ^ line;
    uint32_t *at = pprof_tables_find(tables, &tables->functions, key, is_same_function, &wanted);
    if (!at)
        return 0;
    if (!*at) {
        Pprof__Function *function = arena_alloc(&tables->arena, sizeof *function);
        if (function)
            *function = wanted;
        pprof_list_add(tables, &tables->functions, function);
        *at = (uint32_t)tables->functions.count;
        if (function)
            function->id = *at;
    }
    return *at;
}

static bool is_same_mapping_entry(const struct pprof_tables *tables, uint32_t at, const void *what)
{
    const struct mapping_desc *a = what;
    const Pprof__Mapping *b = tables->mappings.at[at - 1];
    return a->start == b->start && a->end == b->end;
}

/* Functions and lines are known, so that a viewer need not look for the file. */
static uint64_t pprof_mapping(struct pprof_tables *tables, const struct mapping_desc *from)
{
    uint32_t *at = from ? pprof_tables_find(tables, &tables->mappings, from->start,
                                            is_same_mapping_entry, from)
                        : NULL;
    if (!at)
        return 0;
    if (!*at) {
        Pprof__Mapping *mapping = arena_alloc(&tables->arena, sizeof *mapping);
        if (mapping) {
            pprof__mapping__init(mapping);
            mapping->start = from->start;
            mapping->end = from->end;
            mapping->offset = from->offset;
            mapping->file = pprof_string(tables, from->path);
            mapping->build_id = pprof_string(tables, from->build_id);
            mapping->has_functions = mapping->has_files = true;
            mapping->has_lines = mapping->has_inlined = true;
        }
        pprof_list_add(tables, &tables->mappings, mapping);
        *at = (uint32_t)tables->mappings.count;
        if (mapping)
            mapping->id = *at;
    }
    return *at;
}

static void add_line(struct pprof_tables *tables, Pprof__Location *location, uint64_t function,
                     uint32_t line)
{
    Pprof__Line *added = arena_alloc(&tables->arena, sizeof *added);
    tables->failed |= !added || !location->lines;
    if (tables->failed)
        return;
    pprof__line__init(added);
    added->function = function;
    added->line = line;
    location->lines[location->n_lines++] = added;
}

/* For "min < clamp" the line is in min; the lines of the enclosing calls are not known. */
static void add_lines(struct pprof_tables *tables, Pprof__Location *location,
                      const struct snapshot_access *access)
{
    static const char between[] = " < ";
    char name[1024];
    const char *rest = access->inlined;
    uint32_t line = access->line;
    location->lines = arena_array(&tables->arena, INLINED_MAX + 1, sizeof *location->lines);
    while (rest && *rest && location->n_lines < INLINED_MAX && !tables->failed) {
        const char *end = strstr(rest, between);
        size_t length = end ? (size_t)(end - rest) : strlen(rest);
        length = length < sizeof name ? length : sizeof name - 1;
        memcpy(name, rest, length);
        name[length] = '\0';
        add_line(tables, location,
                 function_of(tables, name, location->n_lines ? NULL : access->file, 0), line);
        line = 0;
        rest = end ? end + sizeof between - 1 : NULL;
    }
    const char *function = access->function ? access->function : other_code;
    const char *file = access->function_file ? access->function_file : access->file;
    add_line(tables, location, function_of(tables, function, file, access->function_line), line);
}

static bool is_same_location(const struct pprof_tables *tables, uint32_t at, const void *what)
{
    const struct snapshot_access *a = what;
    const Pprof__Location *b = tables->locations.at[at - 1];
    return a->address == b->address;
}

/* `at`: its slot in the table, which receives its id. Returns NULL if out of memory. */
static Pprof__Location *new_location(struct pprof_tables *tables, uint32_t *at)
{
    Pprof__Location *location = arena_alloc(&tables->arena, sizeof *location);
    *at = (uint32_t)tables->locations.count + 1;
    uint32_t id = *at;
    pprof_list_add(tables, &tables->locations, location);
    if (!location)
        return NULL;
    pprof__location__init(location);
    location->id = id;
    return location;
}

/* Returns the id of an access's location; creates it and everything it refers to. */
static uint64_t pprof_location(struct pprof_tables *tables, const struct snapshot_access *access)
{
    uint32_t *at =
        pprof_tables_find(tables, &tables->locations, access->address, is_same_location, access);
    if (!at || *at)
        return at ? *at : 0;
    Pprof__Location *location = new_location(tables, at);
    if (!location)
        return 0;
    location->address = access->address;
    location->mapping = pprof_mapping(tables, access->code);
    add_lines(tables, location, access);
    return location->id;
}

static bool is_same_caller(const struct pprof_tables *tables, uint32_t at, const void *what)
{
    const uint64_t *function = what;
    const Pprof__Location *location = tables->locations.at[at - 1];
    return !location->address && location->n_lines && location->lines[0]->function == *function;
}

/* Returns the id of a caller's location; the position of the call in the function is not known. */
static uint64_t pprof_caller(struct pprof_tables *tables, const struct snapshot_frame *frame)
{
    uint64_t function = function_of(tables, frame->function, frame->file, frame->line);
    uint32_t *at =
        pprof_tables_find(tables, &tables->locations, ~function, is_same_caller, &function);
    if (!at || *at)
        return at ? *at : 0;
    Pprof__Location *location = new_location(tables, at);
    if (!location)
        return 0;
    location->lines = arena_array(&tables->arena, 1, sizeof *location->lines);
    add_line(tables, location, function, frame->line);
    return location->id;
}

static const char option[] = "--pprof";

int pprof_check(const char *path, struct error *error)
{
    return whole_file_check(option, path, error);
}

static int write_packed(int fd, const unsigned char *bytes, size_t size_bytes)
{
    enum { STEP = 1 << 20 };
    int last;
    int own = dup(fd); /* gzclose() closes its descriptor, but the caller owns this one */
    gzFile out = own < 0 ? NULL : gzdopen(own, "wb");
    if (!out && own >= 0)
        close(own);
    bool failed = !out;
    for (size_t at = 0; at < size_bytes && !failed;) {
        unsigned step = size_bytes - at < STEP ? (unsigned)(size_bytes - at) : STEP;
        errno = 0;
        failed = gzwrite(out, bytes + at, step) != (int)step;
        at += step;
    }
    int code = failed ? -(errno ? errno : EIO) : 0;
    errno = 0;
    if (out && (last = gzclose(out)) != Z_OK && !code)
        code = last == Z_ERRNO && errno ? -errno : -EIO;
    return code;
}

/* Writes a temporary file in the same folder, mode 0600, and renames it after everything is on
 * disk. On failure the old file is kept. Returns 0 or a negative errno. */
static int pprof_file_write(const char *path, const void *bytes, size_t size_bytes,
                            struct error *error)
{
    struct atomic_file file;
    int code = whole_file_open(&file, option, path, error);
    return code ? code : whole_file_close(&file, write_packed(file.fd, bytes, size_bytes), error);
}

enum { VALUES_MAX = 3, LABELS_MAX = 5, COMMENT_BYTES = 512 };

struct writer {
    struct pprof_tables tables;
    struct pprof_list samples;
    Pprof__Profile profile;
    const struct snapshot *snapshot;
    bool timed; /* latency was measured: there is a third value */
    Pprof__ValueType types[VALUES_MAX];
    Pprof__ValueType *type_list[VALUES_MAX];
    int64_t comments[2];
    int64_t rounded[VALUES_MAX]; /* sums of the values written, for rounding */
    double exact[VALUES_MAX];
};

static void set_type(struct writer *writer, Pprof__ValueType *type, const char *name,
                     const char *unit)
{
    pprof__value_type__init(type);
    type->type = pprof_string(&writer->tables, name);
    type->unit = pprof_string(&writer->tables, unit);
}

/* Clock events are in nanoseconds; all others are counts. */
static void set_types(struct writer *writer)
{
    const struct snapshot_event *event = ranking_event(&writer->snapshot->source);
    const char *name = event && event->name ? event->name : "events";
    set_type(writer, &writer->types[0], "samples", "count");
    set_type(writer, &writer->types[1], name, strstr(name, "clock") ? "nanoseconds" : "count");
    set_type(writer, &writer->types[2], "latency", "cycles");
    for (int i = 0; i < VALUES_MAX; i++)
        writer->type_list[i] = &writer->types[i];
    for (size_t i = 0; i < writer->snapshot->access_count; i++)
        writer->timed |= !isnan(writer->snapshot->accesses[i].cycles);
    writer->profile.n_value_types = writer->timed ? 3 : 2;
    writer->profile.value_types = writer->type_list;
    writer->profile.period_type = &writer->types[1];
    writer->profile.period = event ? (int64_t)event->period : 0;
    writer->profile.default_value_type = writer->types[1].type;
}

/* Carries the remainder to the next part, so that the sums agree. */
static int64_t round_with_carry(struct writer *writer, int value, double amount)
{
    const double most = 9e18;
    if (!(amount > 0))
        return 0;
    writer->exact[value] = fmin(writer->exact[value] + amount, most);
    int64_t rounded = llround(writer->exact[value]) - writer->rounded[value];
    writer->rounded[value] += rounded;
    return rounded;
}

static void add_label(struct writer *writer, Pprof__Sample *sample, const char *key,
                      const char *text)
{
    struct pprof_tables *tables = &writer->tables;
    Pprof__Label *label = text && *text ? arena_alloc(&tables->arena, sizeof *label) : NULL;
    if (!text || !*text)
        return;
    tables->failed |= !label;
    if (tables->failed)
        return;
    pprof__label__init(label);
    label->key = pprof_string(tables, key);
    label->text = pprof_string(tables, text);
    sample->labels[sample->n_labels++] = label;
}

/* Adds the part of an access with one stack; `outermost` NULL: no stack is known. */
static void add_part(struct writer *writer, const struct snapshot_access *access,
                     const struct snapshot_frame *outermost, double part)
{
    size_t callers = 0;
    for (const struct snapshot_frame *frame = outermost; frame && frame->inner;
         frame = frame->inner)
        callers++;
    struct pprof_tables *tables = &writer->tables;
    Pprof__Sample *sample = arena_alloc(&tables->arena, sizeof *sample);
    pprof_list_add(tables, &writer->samples, sample);
    if (tables->failed)
        return;
    pprof__sample__init(sample);
    sample->locations = arena_array(&tables->arena, callers + 1, sizeof *sample->locations);
    sample->values = arena_array(&tables->arena, VALUES_MAX, sizeof *sample->values);
    sample->labels = arena_array(&tables->arena, LABELS_MAX, sizeof *sample->labels);
    tables->failed |= !sample->locations || !sample->values || !sample->labels;
    if (tables->failed)
        return;
    sample->n_locations = callers + 1;
    sample->locations[0] = pprof_location(tables, access);
    for (; callers; callers--, outermost = outermost->inner)
        sample->locations[callers] = pprof_caller(tables, outermost);
    sample->n_values = writer->profile.n_value_types;
    sample->values[0] = round_with_carry(writer, 0, part * access->samples);
    sample->values[1] = round_with_carry(writer, 1, part * access->weight);
    sample->values[2] = round_with_carry(writer, 2, part * access->cycles);
    add_label(writer, sample, "object", access->object);
    add_label(writer, sample, "field", access->field);
    add_label(writer, sample, "kind", object_kind_name(access->kind));
    add_label(writer, sample, "type", access->type);
    add_label(writer, sample, "module", access->module);
}

/* The samples with stacks represent all of them. */
static void add_access(struct writer *writer, const struct snapshot_access *access)
{
    for (size_t i = 0; i < access->stack_count && !writer->tables.failed; i++)
        add_part(writer, access, access->stacks[i].outermost, access->stacks[i].share);
    if (!access->stack_count)
        add_part(writer, access, NULL, 1);
}

static void set_profile_head(struct writer *writer, uint64_t now_ns)
{
    const struct snapshot *snapshot = writer->snapshot;
    const struct snapshot_target *target = &snapshot->target;
    char comment[COMMENT_BYTES];
    double duration = snapshot->counted_s * 1e9;
    bool known = duration > 0 && duration < 9e18;
    writer->profile.duration_ns = known ? (int64_t)duration : 0;
    writer->profile.time_ns = now_ns ? (int64_t)now_ns - writer->profile.duration_ns : 0;
    snprintf(comment, sizeof comment, "misstop: %s %u, source %s: %s",
             target->comm ? target->comm : "?", (unsigned)target->pid,
             snapshot->source.name ? snapshot->source.name : "?",
             snapshot->source.weight_unit ? snapshot->source.weight_unit : "");
    writer->comments[0] = pprof_string(&writer->tables, comment);
    snprintf(comment, sizeof comment, "%llu of %llu samples (all events) had an object",
             (unsigned long long)snapshot->totals.attributed,
             (unsigned long long)snapshot->totals.samples);
    writer->comments[1] = pprof_string(&writer->tables, comment);
    writer->profile.n_comments = 2;
    writer->profile.comments = writer->comments;
}

/* Viewers take the first mapping to be the program. */
static void put_program_first(struct writer *writer)
{
    const struct snapshot *snapshot = writer->snapshot;
    const char *comm = snapshot->target.comm;
    for (size_t i = 0; i < snapshot->access_count && comm && *comm; i++) {
        const struct mapping_desc *code = snapshot->accesses[i].code;
        const char *slash = code ? strrchr(code->path, '/') : NULL;
        if (slash && !strncmp(slash + 1, comm, strlen(comm))) {
            pprof_mapping(&writer->tables, code);
            return;
        }
    }
}

static void link_tables(struct writer *writer)
{
    struct pprof_tables *tables = &writer->tables;
    Pprof__Profile *profile = &writer->profile;
    profile->n_samples = writer->samples.count;
    profile->samples = (Pprof__Sample **)writer->samples.at;
    profile->n_mappings = tables->mappings.count;
    profile->mappings = (Pprof__Mapping **)tables->mappings.at;
    profile->n_locations = tables->locations.count;
    profile->locations = (Pprof__Location **)tables->locations.at;
    profile->n_functions = tables->functions.count;
    profile->functions = (Pprof__Function **)tables->functions.at;
    profile->n_strings = tables->strings.count;
    profile->strings = (char **)tables->strings.at;
}

int pprof_pack(const struct snapshot *snapshot, uint64_t now_ns, unsigned char **bytes,
               size_t *size_bytes)
{
    struct writer writer = {.snapshot = snapshot};
    *bytes = NULL;
    *size_bytes = 0;
    pprof__profile__init(&writer.profile);
    writer.tables = (struct pprof_tables){0};
    arena_init(&writer.tables.arena);
    pprof_string(&writer.tables, "");
    set_types(&writer);
    set_profile_head(&writer, now_ns);
    put_program_first(&writer);
    for (size_t i = 0; i < snapshot->access_count && !writer.tables.failed; i++)
        add_access(&writer, &snapshot->accesses[i]);
    if (!writer.tables.failed) {
        link_tables(&writer);
        *size_bytes = pprof__profile__get_packed_size(&writer.profile);
        *bytes = malloc(*size_bytes + 1);
    }
    if (*bytes)
        pprof__profile__pack(&writer.profile, *bytes);
    pprof_list_fini(&writer.samples);
    pprof_tables_fini(&writer.tables);
    return *bytes ? 0 : -ENOMEM;
}

int pprof_write(const char *path, const struct snapshot *snapshot, uint64_t now_ns,
                struct error *error)
{
    unsigned char *bytes;
    size_t size;
    if (pprof_pack(snapshot, now_ns, &bytes, &size))
        return error_set(error, -ENOMEM, "out of memory for %s", path);
    int code = pprof_file_write(path, bytes, size, error);
    free(bytes);
    return code;
}
