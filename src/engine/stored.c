/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replay of a FILE recorded by misstop: nothing is decoded or resolved again. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/state.h"

/*
 * Finds the store to replay for `input`: `input` itself, or the matching file next to it. *store is
 * NULL if there is none; `note` then has the reason if one was expected, otherwise "". Returns a
 * negative errno only if `input` itself is a store that cannot be read.
 */
static int find_store(struct store_reader **store, const char *input, char *note, size_t note_size,
                      struct error *error)
{
    char path[PATH_MAX];
    struct error cause = {0};
    *store = NULL;
    note[0] = '\0';
    if (store_has_magic(input))
        return store_reader_open(store, input, error);
    if (!strcmp(input, "-") ||
        snprintf(path, sizeof path, "%s.misstop", input) >= (int)sizeof path || access(path, F_OK))
        return 0;
    if (store_reader_open(store, path, &cause)) {
        snprintf(note, note_size, "%.440s; names are resolved again", cause.text);
        return 0;
    }
    uint64_t mark = store_reader_perfdata_mark(*store);
    if (mark && mark == perfdata_file_mark(input))
        return 0;
    store_reader_close(*store);
    *store = NULL;
    snprintf(note, note_size, "%.400s belongs to another recording; names are resolved again",
             path);
    return 0;
}

/* During the initial pass to the end, the tables are refreshed at the same times as while
 * recording, so that histories, element sizes and the search are identical. */

/* Makes the snapshot while names are as of then; the caller requests the last one. */
static void refresh_before_next(struct engine *engine)
{
    const struct engine_store *stored = &engine->stored;
    if (stored->in_initial_pass && store_reader_more(stored->reader))
        snapshot_free(engine_snapshot(engine, stored->interval_s));
}

static void take_place(struct engine *engine, const struct place *place)
{
    if (place->access.event >= engine_info(engine)->event_count)
        return;
    engine->samples[place->access.event]++;
    engine->events[place->access.event] += (double)place->access.weight;
    engine_add_place(engine, place);
}

/* Updates everything except places and names, as of the current position. */
static void take_facts(struct engine *engine)
{
    struct store_facts *facts = &engine->stored.facts;
    store_reader_facts(engine->stored.reader, facts);
    memcpy(engine->cache_lines, facts->cache_lines, sizeof facts->cache_lines);
}

/* Renames are consecutive in the file. They are applied together, because each pass reads all
 * tables. */
static void apply_renames(struct engine *engine)
{
    engine_rename(engine, engine->stored.renames, engine->stored.rename_count);
    engine->stored.rename_count = 0;
}

static void take_rename(struct engine *engine, const struct object_rename *rename)
{
    if (engine->stored.rename_count == ENGINE_RENAMES)
        apply_renames(engine);
    engine->stored.renames[engine->stored.rename_count++] = *rename;
}

static void take_item(void *context, const struct store_item *item)
{
    struct engine *engine = context;
    engine->stored.refresh_due = false;
    if (item->kind != STORE_ITEM_RENAME && engine->stored.rename_count)
        apply_renames(engine);
    engine->record_ns = item->time_ns;
    if (item->kind != STORE_ITEM_PLACE)
        engine_count_places(engine);
    switch (item->kind) {
    case STORE_ITEM_PLACE:
        take_place(engine, &item->place);
        break;
    case STORE_ITEM_LOST:
        profile_lost(engine->profile, item->count);
        break;
    case STORE_ITEM_THROTTLED:
        profile_throttled(engine->profile, item->count);
        break;
    case STORE_ITEM_WATCH:
        profile_watch(engine->profile, &item->watch.result, item->watch.function, item->watch.ip);
        break;
    case STORE_ITEM_RENAME:
        take_rename(engine, &item->rename);
        break;
    case STORE_ITEM_RANKING:
        if (!engine->event_chosen)
            engine_rank(engine, item->ranking);
        break;
    case STORE_ITEM_LINE:
        profile_add_lines(engine->profile, &item->line, 1);
        break;
    case STORE_ITEM_REFRESH:
        take_facts(engine);
        engine->stored.interval_s = item->interval_s;
        engine->stored.refresh_due = true;
        refresh_before_next(engine);
    }
}

static long stored_drain(struct engine *engine, uint64_t until_ns)
{
    struct engine_store *stored = &engine->stored;
    uint64_t until = stored->first_ns + until_ns;
    bool to_the_end = until < until_ns || until_ns == UINT64_MAX;
    long count =
        store_reader_read(stored->reader, to_the_end ? UINT64_MAX : until, take_item, engine);
    engine_count_places(engine);
    apply_renames(engine);
    if (to_the_end)
        count = -ENODATA;
    if (count == -ENODATA && store_reader_damage(stored->reader)[0])
        snprintf(engine->status, sizeof engine->status, "%s", store_reader_damage(stored->reader));
    recorded_reached(engine, until_ns);
    return count;
}

void engine_set_initial_pass(struct engine *engine, bool through)
{
    engine->stored.in_initial_pass = through;
}

/* ---- members of the table ---- */

/* With -o a store is ignored, and the recording is sampled again. */
int stored_detect(struct engine *engine, struct error *error)
{
    struct engine_store *stored = &engine->stored;
    char note[sizeof engine->status] = "";
    if (engine->options.record)
        return 0;
    int code = find_store(&stored->reader, engine->options.input, note, sizeof note, error);
    if (stored->reader) {
        engine->kind = &engine_stored;
        take_facts(engine);
        stored->first_ns = engine->record_ns = store_reader_start_ns(stored->reader);
    }
    snprintf(engine->status, sizeof engine->status, "%s", note);
    return code;
}

/* A misstop recording contains the user of the process. */
static void stored_open_files(struct engine *engine)
{
    const struct store_reader *reader = engine->stored.reader;
    const struct store_facts *facts = &engine->stored.facts;
    files_client_recording(&engine->files, engine->options.input);
    engine->files.is_other_root = sampled_on_another_host(facts->host);
    if (store_reader_owner(reader) != geteuid())
        files_client_add(&engine->files, store_reader_owner(reader));
    if (facts->user >= 0)
        files_client_add(&engine->files, (uid_t)facts->user);
    else if (engine->files.privileged)
        engine->files.needs_world_access = true;
}

static int stored_open_names(struct engine *engine, struct error *error)
{
    return engine->stored.reader ? 0 : stored_detect(engine, error);
}

/* The ranking event is part of the recording. */
static int stored_restart(struct engine *engine, pid_t pid, struct error *error)
{
    (void)pid, (void)error;
    if (!engine->event_chosen)
        engine->ranking = 0;
    return 0;
}

static bool stored_geometry(struct engine *engine)
{
    char spec[128];
    const struct store_facts *facts = &engine->stored.facts;
    if (engine->options.cache)
        return false;
    snprintf(spec, sizeof spec, "%.16s=%llu,%u,%u", facts->cache_level ? facts->cache_level : "",
             (unsigned long long)facts->cache_size_bytes, facts->cache_ways,
             facts->cache_line_bytes);
    return !geometry_parse(&engine->geometry, spec, "", NULL);
}

static struct snapshot_whatifs stored_whatifs(struct engine *engine)
{
    return engine->stored.facts.whatif;
}

static void stored_describe(struct engine *engine)
{
    struct recording_text *text = &engine->recording;
    const struct store_reader *reader = engine->stored.reader;
    const char *host = engine->stored.facts.host;
    uint64_t start_ns = store_reader_start_ns(reader);
    text->shown.host = host && *host ? host : NULL;
    struct perfdata_machine clocks = {.wall_ns = store_reader_start_wall_ns(reader),
                                      .clock_ns = start_ns};
    recorded_date(text, &clocks, start_ns);
}

static const char *stored_request(struct engine *engine, const struct request *request)
{
    (void)engine;
    switch (request->kind) {
    case REQUEST_HEAP_MARK:
    case REQUEST_BIN_RENAME:
    case REQUEST_BIN_COMBINE:
    case REQUEST_BIN_UNDO:
        return "the heap of a recording cannot be changed";
    case REQUEST_WHATIF:
    case REQUEST_WHATIF_END:
        return "a recording shows only the questions asked then; a new one needs a simulation";
    default:
        return NULL;
    }
}

const struct engine_kind engine_stored = {.open_files = stored_open_files,
                                          .open_names = stored_open_names,
                                          .drain = stored_drain,
                                          .restart = stored_restart,
                                          .geometry = stored_geometry,
                                          .whatifs = stored_whatifs,
                                          .describe_recording = stored_describe,
                                          .request = stored_request};
