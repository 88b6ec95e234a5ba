/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a recording is to be: checked, and taken over into its state. */
#include "sample/perfdata_write_state.h"

#include "base/clock.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

enum { FILES_USUAL = 2, SESSION_BITS = 40 };

void perfdata_writer_take(struct perfdata_writer *writer,
                          const struct perfdata_writer_options *options)
{
    const struct sampler_info *info = options->info;
    uint64_t now = clock_now_ns();
    writer->live = info->live;
    writer->pid = info->live ? info->pid : 0;
    writer->limit_bytes = options->limit_bytes;
    writer->files = options->files ? options->files : FILES_USUAL;
    /* The highest bit: no id that the kernel gave looks like it. */
    writer->session = (hash_mix(now ^ (uint64_t)getpid() << 32) >> (64 - SESSION_BITS)) |
                      UINT64_C(1) << (SESSION_BITS - 1);
    writer->event_count = info->event_count;
    for (unsigned i = 0; i < info->event_count; i++) {
        struct perfdata_writer_event *event = &writer->events[i];
        event->attr = options->attrs[i];
        event->told = !(event->attr.sample_type & PERF_SAMPLE_DATA_SRC);
        perfdata_layout_init(&event->layout, &event->attr, 0);
        snprintf(event->name, sizeof event->name, "%s", info->events[i].name);
    }
    if (options->machine)
        perfdata_host_copy(&writer->sections, options->machine);
    else
        perfdata_host_describe(&writer->sections, kernel_host());
}

int perfdata_writer_check(const struct perfdata_writer_options *options, struct error *error)
{
    if (options->limit_bytes && options->limit_bytes < PERFDATA_WRITER_LIMIT_MIN)
        return error_set(error, -EINVAL, "--record-limit: a file needs at least 1M");
    if (options->files > PERFDATA_WRITER_FILES_MAX)
        return error_set(error, -EINVAL, "--record-limit: at most %d files",
                         PERFDATA_WRITER_FILES_MAX);
    if (!options->info->event_count || options->info->event_count > SAMPLE_EVENTS_MAX)
        return error_set(error, -EINVAL, "there are no events to record");
    return 0;
}
