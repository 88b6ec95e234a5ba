/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a recording says about itself: features, attributes in a pipe, counts. */
#include "sample/perfdata_state.h"

#include "sample/event_desc.h"

#include <errno.h>
#include <stdlib.h>

/* A feature larger than this (build-ids of a hundred thousand files) is left out. */
enum { FEATURE_BYTES_MAX = 16 << 20 };

/* Registers have the numbers of the machine that they were recorded on. */
static void settle_registers(struct perfdata *file)
{
    const char *architecture = file->machine.architecture;
    if (*architecture && strcmp(architecture, "x86_64"))
        attributes_set_foreign(&file->attributes);
    if (!strncmp(file->machine.cpuid, "GenuineIntel,", 13))
        attributes_set_pebs(&file->attributes);
}

static int take_feature(struct perfdata *file, unsigned feature, struct cursor *cursor)
{
    struct features features = {&file->machine, &file->attributes, &file->build_ids};
    int code = features_take(&features, feature, cursor);
    if (feature == FEATURE_ARCH || feature == FEATURE_CPUID)
        settle_registers(file);
    return code;
}

static int take_section(struct perfdata *file, unsigned feature, struct perfdata_section section)
{
    if (!section.size || section.size > FEATURE_BYTES_MAX)
        return 0;
    unsigned char *bytes = malloc(section.size);
    if (!bytes)
        return -ENOMEM;
    int code = 0;
    if (input_read_at(&file->input, section.offset, bytes, section.size) == (long)section.size) {
        struct cursor cursor = {bytes, section.size, false, file->header.swap};
        code = take_feature(file, feature, &cursor);
    }
    free(bytes);
    return code;
}

int perfdata_take_features(struct perfdata *file)
{
    int code = 0;
    for (unsigned feature = 0; !code && feature < FEATURE_COUNT; feature++) {
        struct perfdata_section section;
        if (perfdata_header_feature(&file->header, &file->input, feature, &section))
            code = take_section(file, feature, section);
    }
    return code;
}

/* What does not fit is left out: records of an event without attribute are counted. */
static int take_attribute(struct perfdata *file, struct cursor *cursor)
{
    int code = attributes_add_record(&file->attributes, cursor);
    settle_registers(file);
    file->counts.bad += code == -EBADMSG || code == -E2BIG;
    return code == -ENOMEM ? code : 0;
}

int perfdata_take_own(struct perfdata *file, const struct tape_record *found)
{
    struct cursor cursor = {found->bytes, found->header.size, false, file->header.swap};
    int code;
    if (file->surveyed)
        return 0;
    if (found->header.type == TAPE_BUILD_ID) {
        code = build_ids_add(&file->build_ids, &cursor);
        return code == -ENOMEM ? code : 0;
    }
    cursor_skip(&cursor, sizeof found->header);
    switch (found->header.type) {
    case TAPE_ATTR:
        return take_attribute(file, &cursor);
    case TAPE_EVENT_UPDATE:
        event_desc_update(&cursor, &file->attributes);
        return 0;
    case TAPE_FEATURE:
        return take_feature(file, (unsigned)cursor_u64(&cursor), &cursor);
    default:
        return 0;
    }
}

int perfdata_parse(struct perfdata *file, const struct tape_record *found, struct attribute **event,
                   struct record *record)
{
    *event = file->attributes.count ? attributes_of(&file->attributes, found->bytes, &found->header)
                                    : NULL;
    if (!*event) {
        file->counts.unknown += !file->surveyed;
        return 0;
    }
    int code = record_parse_as(found->bytes, found->header.size, &(*event)->format, record);
    file->counts.bad += code < 0 && !file->surveyed;
    return code == 1;
}

struct expansion {
    struct perfdata *file;
    reads_take take;
    void *context;
};

static int take_expanded(void *context, struct attribute *event, const struct record *record)
{
    struct expansion *expansion = context;
    if (event)
        return expansion->take(expansion->context, event, record);
    expansion->file->counts.unknown += !expansion->file->surveyed;
    return 0;
}

int perfdata_expand(struct perfdata *file, const struct tape_record *found, struct attribute *event,
                    const struct record *record, reads_take take, void *context)
{
    struct expansion expansion = {file, take, context};
    if (record->kind != RECORD_SAMPLE || !reads_in(&event->format))
        return take(context, event, record);
    int code = reads_expand(&file->reads, &file->attributes, found->bytes, found->header.size,
                            event, record, take_expanded, &expansion);
    return code == -EBADMSG ? 0 : code; /* what cannot be: it was parsed before */
}

static void count_sample(struct perfdata *file, struct attribute *event,
                         const struct sample *sample)
{
    bool address = sample->has & SAMPLE_HAS_ADDRESS;
    event->samples++;
    file->counts.samples++;
    file->counts.with_address += address;
    file->counts.with_registers += !address && sample->has & SAMPLE_HAS_REGS;
}

int perfdata_count(struct perfdata *file, struct attribute *event, const struct record *record)
{
    if (file->surveyed)
        return 0;
    if (record->kind == RECORD_SAMPLE)
        count_sample(file, event, &record->sample);
    if (record->kind == RECORD_LOST)
        file->counts.lost += record->count;
    if (record->time_ns && (!file->oldest_ns || record->time_ns < file->oldest_ns))
        file->oldest_ns = record->time_ns;
    return processes_note(&file->processes, record);
}
