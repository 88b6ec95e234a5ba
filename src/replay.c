/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay.h"

#include "sample/perfdata.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int replay_open(struct store_reader **store, const char *input, char *note, size_t note_size,
                struct error *error)
{
    char path[PATH_MAX];
    struct error cause = {0};
    *store = NULL;
    note[0] = '\0';
    if (store_is_one(input))
        return store_reader_open(store, input, error);
    if (!strcmp(input, "-") ||
        snprintf(path, sizeof path, "%s.misstop", input) >= (int)sizeof path || access(path, F_OK))
        return 0;
    if (store_reader_open(store, path, &cause)) {
        snprintf(note, note_size, "%s; names are worked out again", cause.text);
        return 0;
    }
    uint64_t mark = store_reader_belongs(*store);
    if (mark && mark == perfdata_file_mark(input))
        return 0;
    store_reader_close(*store);
    *store = NULL;
    snprintf(note, note_size, "%s is not of this recording; names are worked out again", path);
    return 0;
}

static void copy_text(char *out, size_t size, const char *text)
{
    snprintf(out, size, "%s", text ? text : "");
}

void replay_info(const struct store_reader *store, struct sampler_info *info)
{
    struct store_facts facts;
    store_reader_facts(store, &facts);
    *info = (struct sampler_info){
        .source = facts.source ? facts.source : "recording",
        .weighs = facts.weighs ? facts.weighs : "",
        .exact_address = facts.exact_address,
        .exact_ip = facts.exact_ip,
        .latency = facts.latency,
        .data_source = facts.data_source,
        .lines = facts.lines,
        .event_count = facts.event_count,
        .pid = (pid_t)facts.pid,
    };
    for (unsigned i = 0; i < facts.event_count; i++) {
        struct sampler_event *event = &info->events[i];
        copy_text(event->name, sizeof event->name, facts.events[i].name);
        copy_text(event->weighs, sizeof event->weighs, facts.events[i].weighs);
        event->role = facts.events[i].role <= EVENT_OTHER ? (enum event_role)facts.events[i].role
                                                          : EVENT_OTHER;
        event->period = facts.events[i].period;
        event->opened_on = facts.events[i].opened_on;
        event->counted = facts.events[i].counted;
    }
    copy_text(info->note, sizeof info->note, facts.note);
}

struct resolver_target replay_target(const struct store_reader *store)
{
    struct store_facts facts;
    store_reader_facts(store, &facts);
    return (struct resolver_target){.pid = facts.pid,
                                    .threads = facts.threads,
                                    .comm = facts.comm,
                                    .exe = facts.exe,
                                    .alive = facts.alive};
}

int replay_geometry(const struct store_reader *store, struct geometry *geometry,
                    struct error *error)
{
    char spec[128];
    struct store_facts facts;
    store_reader_facts(store, &facts);
    snprintf(spec, sizeof spec, "%.16s=%llu,%u,%u", facts.cache_level ? facts.cache_level : "",
             (unsigned long long)facts.cache_size_bytes, facts.cache_ways, facts.cache_line_bytes);
    return geometry_parse(geometry, spec, "", error);
}
