/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/pprof.h"

#include "view/pprof_file.h"
#include "view/pprof_tables.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES_MOST = 3, LABELS_MOST = 5, COMMENT_BYTES = 512 };

struct writer {
    struct pprof_tables tables;
    struct pprof_list samples;
    Pprof__Profile profile;
    const struct snapshot *snapshot;
    bool timed; /* latency was measured: there is a third value */
    Pprof__ValueType types[VALUES_MOST];
    Pprof__ValueType *type_list[VALUES_MOST];
    int64_t comments[2];
    int64_t rounded[VALUES_MOST]; /* sums of what was written, for rounding */
    double exact[VALUES_MOST];
};

static const struct snapshot_event *ranking_of(const struct snapshot *snapshot)
{
    const struct snapshot_source *source = &snapshot->source;
    return source->ranking < source->event_count ? &source->events[source->ranking] : NULL;
}

static void set_type(struct writer *writer, Pprof__ValueType *type, const char *name,
                     const char *unit)
{
    pprof__value_type__init(type);
    type->type = pprof_string(&writer->tables, name);
    type->unit = pprof_string(&writer->tables, unit);
}

/* The clock's events are nanoseconds; all others are events. */
static void set_types(struct writer *writer)
{
    const struct snapshot_event *event = ranking_of(writer->snapshot);
    const char *name = event && event->name ? event->name : "events";
    set_type(writer, &writer->types[0], "samples", "count");
    set_type(writer, &writer->types[1], name, strstr(name, "clock") ? "nanoseconds" : "count");
    set_type(writer, &writer->types[2], "latency", "cycles");
    for (int i = 0; i < VALUES_MOST; i++)
        writer->type_list[i] = &writer->types[i];
    for (size_t i = 0; i < writer->snapshot->access_count; i++)
        writer->timed |= !isnan(writer->snapshot->accesses[i].cycles);
    writer->profile.n_value_types = writer->timed ? 3 : 2;
    writer->profile.value_types = writer->type_list;
    writer->profile.period_type = &writer->types[1];
    writer->profile.period = event ? (int64_t)event->period : 0;
    writer->profile.default_value_type = writer->types[1].type;
}

/* Parts are fractions, values whole: what is cut off one goes to the next, so that sums agree. */
static int64_t round_on(struct writer *writer, int value, double amount)
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

static void add_access(struct writer *writer, const struct snapshot_access *access)
{
    struct pprof_tables *tables = &writer->tables;
    Pprof__Sample *sample = arena_alloc(&tables->arena, sizeof *sample);
    pprof_list_add(tables, &writer->samples, sample);
    if (tables->failed)
        return;
    pprof__sample__init(sample);
    sample->locations = arena_array(&tables->arena, 1, sizeof *sample->locations);
    sample->values = arena_array(&tables->arena, VALUES_MOST, sizeof *sample->values);
    sample->labels = arena_array(&tables->arena, LABELS_MOST, sizeof *sample->labels);
    tables->failed |= !sample->locations || !sample->values || !sample->labels;
    if (tables->failed)
        return;
    sample->n_locations = 1;
    sample->locations[0] = pprof_location(tables, access);
    sample->n_values = writer->profile.n_value_types;
    sample->values[0] = round_on(writer, 0, access->samples);
    sample->values[1] = round_on(writer, 1, access->weight);
    sample->values[2] = round_on(writer, 2, access->cycles);
    add_label(writer, sample, "object", access->object);
    add_label(writer, sample, "field", access->field);
    add_label(writer, sample, "kind", object_kind_name(access->kind));
    add_label(writer, sample, "type", access->type);
    add_label(writer, sample, "module", access->module);
}

static void set_head(struct writer *writer, uint64_t now_ns)
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
             snapshot->source.weighs ? snapshot->source.weighs : "");
    writer->comments[0] = pprof_string(&writer->tables, comment);
    snprintf(comment, sizeof comment, "%llu of %llu samples (all events) had an object",
             (unsigned long long)snapshot->totals.attributed,
             (unsigned long long)snapshot->totals.samples);
    writer->comments[1] = pprof_string(&writer->tables, comment);
    writer->profile.n_comments = 2;
    writer->profile.comments = writer->comments;
}

/* Viewers take the first mapping for the program. */
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
    pprof_tables_init(&writer.tables);
    set_types(&writer);
    set_head(&writer, now_ns);
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
