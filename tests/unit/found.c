/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is read of recordings that were written: written.h. */
#include "unit.h"

#include "written.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(const struct record *record)
{
    return record->kind == RECORD_MAPPING ? record->mapping.path
           : record->kind == RECORD_COMM  ? record->comm.name
                                          : NULL;
}

/* Strings live during the callback only. */
static void take(void *context, const struct record *record)
{
    struct found *found = context;
    struct record copy = *record;
    if (record->kind == RECORD_MAPPING)
        copy.mapping.path = strdup(record->mapping.path);
    if (record->kind == RECORD_COMM)
        copy.comm.name = strdup(record->comm.name);
    if (!(found->count & (found->count - 1)))
        found->records =
            realloc(found->records, (found->count ? found->count * 2 : 1) * sizeof copy);
    assert_non_null(found->records);
    found->records[found->count++] = copy;
    found->samples += copy.kind == RECORD_SAMPLE;
}

int found_read(struct found *found, const char *path)
{
    struct perfdata *perfdata;
    struct sampler_info info = {0};
    struct error error = {0};
    *found = (struct found){0};
    int code = perfdata_open(&perfdata, path, PERFDATA_EVERY_PROCESS, &error);
    if (code) {
        assert_int_equal(error.code, code);
        assert_true(*error.text && !strchr(error.text, '\n'));
        return code;
    }
    perfdata_describe(perfdata, &info);
    while (perfdata_read(perfdata, UINT64_MAX, take, found) >= 0)
        continue;
    struct perfdata_counts counts = perfdata_counts(perfdata);
    found->killed = counts.killed;
    found->cut = counts.cut;
    found->damaged = counts.damaged;
    found->bad = counts.bad + counts.unknown + counts.late;
    found->mark = perfdata_mark(perfdata);
    snprintf(found->event, sizeof found->event, "%s", info.events[0].name);
    snprintf(found->host, sizeof found->host, "%s", perfdata_machine(perfdata)->host);
    perfdata_close(perfdata);
    return 0;
}

void found_fini(struct found *found)
{
    for (size_t i = 0; i < found->count; i++)
        free((char *)text_of(&found->records[i]));
    free(found->records);
}

static void same_mapping(const struct sample_mapping *a, const struct sample_mapping *b)
{
    assert_int_equal(a->start, b->start);
    assert_int_equal(a->length, b->length);
    assert_int_equal(a->file_offset, b->file_offset);
    assert_int_equal(a->inode, b->inode);
    assert_int_equal(a->device_major, b->device_major);
    assert_int_equal(a->device_minor, b->device_minor);
    assert_int_equal(a->protection, b->protection);
    assert_int_equal(a->flags, b->flags);
    assert_int_equal(a->executable, b->executable);
}

static void same_sample(const struct sample *a, const struct sample *b)
{
    assert_memory_equal(a, b, offsetof(struct sample, mode));
    assert_int_equal(a->mode, b->mode);
    if (a->has & SAMPLE_HAS_REGS)
        assert_memory_equal(a->regs, b->regs, sizeof a->regs);
}

static void same(const struct record *a, const struct record *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->time_ns, b->time_ns);
    assert_int_equal(a->pid, b->pid);
    assert_int_equal(a->tid, b->tid);
    if (text_of(a))
        assert_string_equal(text_of(a), text_of(b));
    switch (a->kind) {
    case RECORD_SAMPLE:
        same_sample(&a->sample, &b->sample);
        break;
    case RECORD_MAPPING:
        same_mapping(&a->mapping, &b->mapping);
        break;
    case RECORD_COMM:
        assert_int_equal(a->comm.exec, b->comm.exec);
        break;
    case RECORD_FORK:
    case RECORD_EXIT:
        assert_int_equal(a->fork.parent_pid, b->fork.parent_pid);
        assert_int_equal(a->fork.parent_tid, b->fork.parent_tid);
        break;
    case RECORD_LOST:
        assert_int_equal(a->count, b->count);
        break;
    default:
        break;
    }
}

void found_is(const struct found *found, const struct written *written, size_t first)
{
    assert_true(first + found->count <= written->expected_count);
    assert_int_equal(found->bad, 0);
    for (size_t i = 0; i < found->count; i++)
        same(&found->records[i], &written->expected[first + i]);
}

void found_all(const struct written *written, const char *path, size_t first, size_t count)
{
    struct found found;
    assert_int_equal(found_read(&found, path), 0);
    assert_int_equal(found.count, count);
    found_is(&found, written, first);
    assert_false(found.killed || found.cut || found.damaged);
    assert_string_equal(found.event, "event-0");
    assert_string_equal(found.host, "elsewhere");
    found_fini(&found);
}
