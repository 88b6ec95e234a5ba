/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "profile/snapshot/builders.h"
#include "profile/tables/statistics.h"

/* Threads of a snapshot, counted from the window, so that they have no cost per sample. */

enum { THREADS_LISTED = 256, RECENT = 16384 };

/* Samples by thread, by thread and object, and by thread and function, in window_parts(). Keys of
 * the three tables: */
struct counts {
    struct hash threads;   /* tid */
    struct hash objects;   /* tid, object */
    struct hash functions; /* tid, function */
};

/* The object or function with most samples of a thread. */
struct leading_count {
    uint32_t id;
    uint32_t parts; /* window_parts() */
};

static void threads_add(struct build *build, struct hash *hash, uint32_t tid, uint32_t id,
                        uint32_t parts)
{
    build->failed |= !hash_add(hash, (uint64_t)tid << 32 | id, parts);
}

static void count_recent_threads(struct build *build, struct counts *counts, uint32_t recent)
{
    const struct window *window = &build->profile->window;
    double mean = window_mean_weight(window, recent);
    for (uint32_t i = 0; i < recent && !build->failed; i++) {
        const struct window_entry *entry = window_at(window, window->used - recent + i);
        uint32_t parts = window_parts(entry, mean);
        threads_add(build, &counts->threads, entry->tid, 0, parts);
        threads_add(build, &counts->objects, entry->tid, entry->object, parts);
        threads_add(build, &counts->functions, entry->tid, entry->function, parts);
    }
}

/* Counts all threads and selects those to list. */
static void threads_list(struct build *build, const struct counts *counts)
{
    struct snapshot_threads *threads = &build->snapshot->threads;
    const struct hash *hash = &counts->threads;
    struct snapshot_thread *all = build_scratch(build, hash->count + 1, sizeof *all);
    size_t count = 0;
    const struct hash_slot *slot;
    for (size_t i = 0; all && (slot = hash_next(hash, &i));)
        all[count++] = (struct snapshot_thread){.tid = (uint32_t)(slot->key >> 32),
                                                .samples = (double)slot->value / WINDOW_PARTS};
    if (all)
        SORT(all, count, LARGEST(struct snapshot_thread, samples),
             SMALLEST(struct snapshot_thread, tid));
    threads->count = count < THREADS_LISTED ? count : THREADS_LISTED;
    threads->left_out = count - threads->count;
    threads->list = build_array(build, threads->count, sizeof *threads->list);
    for (size_t i = 0; !build->failed && i < threads->count; i++)
        threads->list[i] = all[i];
    free(all);
}

/* The values of counts->threads are then positions in the list, from 1. */
static void find_leading_counts(const struct counts *counts, const struct hash *hash,
                                struct leading_count most[THREADS_LISTED])
{
    const struct hash_slot *slot;
    for (size_t i = 0; (slot = hash_next(hash, &i));) {
        const uint32_t *place = hash_find(&counts->threads, slot->key >> 32 << 32);
        if (place && *place && slot->value > most[*place - 1].parts)
            most[*place - 1] = (struct leading_count){(uint32_t)slot->key, slot->value};
    }
}

static void number_listed(const struct snapshot_threads *threads, struct counts *counts)
{
    hash_clear(&counts->threads);
    for (size_t i = 0; i < threads->count; i++)
        hash_put(&counts->threads, (uint64_t)threads->list[i].tid << 32, (uint32_t)i + 1);
}

bool build_ask(const struct build *build, enum place_question question, uint64_t number,
               union place_answer *answer)
{
    return place_ask(&build->profile->options.names, question, number, answer);
}

bool build_describe_object(const struct build *build, uint32_t id, struct object_desc *desc)
{
    union place_answer answer;
    bool known = build_ask(build, PLACE_OBJECT, id, &answer);
    uint32_t index = build_object_index(build, id);
    *desc = known ? answer.object : (struct object_desc){0};
    if (index != UINT32_MAX && build->snapshot->objects[index].name)
        desc->name = build->snapshot->objects[index].name;
    return known;
}

bool build_describe_function(const struct build *build, uint32_t id, struct function_desc *desc)
{
    union place_answer answer;
    bool known = build_ask(build, PLACE_FUNCTION, id, &answer);
    *desc = known ? answer.function : (struct function_desc){0};
    return known;
}

void build_describe_instruction(const struct build *build, uint64_t address,
                                struct instruction_desc *desc)
{
    union place_answer answer;
    bool known = build_ask(build, PLACE_INSTRUCTION, address, &answer);
    *desc = known ? answer.instruction : (struct instruction_desc){0};
}

const char *build_locate(struct build *build, uint64_t address, uint32_t *line)
{
    struct instruction_desc desc;
    build_describe_instruction(build, address, &desc);
    const char *file = arena_string(build->arena, desc.file);
    *line = file ? desc.line : 0;
    return file;
}

const char *build_line_name(struct build *build, const char *file, uint32_t line)
{
    const char *name = arena_printf(build->arena, "%s:%" PRIu32, text_base_name(file), line);
    build->failed |= !name;
    return name;
}

const char *build_name(struct build *build, const char *name)
{
    const char *kept = arena_string(build->arena, name ? name : "unknown");
    build->failed |= !kept;
    return kept;
}

const char *build_function_name(struct build *build, uint32_t id)
{
    struct function_desc desc;
    build_describe_function(build, id, &desc);
    return build_name(build, desc.name);
}

const char *build_object_name(struct build *build, uint32_t id)
{
    struct object_desc desc;
    uint32_t index = build_object_index(build, id);
    if (index != UINT32_MAX)
        return build->snapshot->objects[index].name;
    build_describe_object(build, id, &desc);
    return build_name(build, desc.name);
}

static void threads_name(struct build *build, struct snapshot_thread *thread, uint32_t object,
                         uint32_t function)
{
    union place_answer answer;
    struct object_desc object_desc;
    struct function_desc function_desc;
    if (build_ask(build, PLACE_THREAD, thread->tid, &answer))
        thread->name = arena_string(build->arena, answer.thread);
    thread->object = build_object_index(build, object);
    if (build_describe_object(build, object, &object_desc))
        thread->object_name = arena_string(build->arena, object_desc.name);
    if (build_describe_function(build, function, &function_desc))
        thread->function_name = arena_string(build->arena, function_desc.name);
}

static void threads_describe(struct build *build, struct counts *counts)
{
    struct snapshot_threads *threads = &build->snapshot->threads;
    struct leading_count objects[THREADS_LISTED] = {0};
    struct leading_count functions[THREADS_LISTED] = {0};
    double recent = (double)threads->recent;
    number_listed(threads, counts);
    find_leading_counts(counts, &counts->objects, objects);
    find_leading_counts(counts, &counts->functions, functions);
    for (size_t i = 0; i < threads->count; i++) {
        struct snapshot_thread *thread = &threads->list[i];
        thread->share = interval_share(thread->samples / recent, recent);
        thread->object_share = objects[i].parts / (thread->samples * WINDOW_PARTS);
        thread->function_share = functions[i].parts / (thread->samples * WINDOW_PARTS);
        threads_name(build, thread, objects[i].id, functions[i].id);
    }
}

static void build_threads(struct build *build)
{
    struct snapshot_threads *threads = &build->snapshot->threads;
    uint32_t used = build->profile->window.used;
    struct counts counts = {0};
    threads->recent = used < RECENT ? used : RECENT;
    count_recent_threads(build, &counts, (uint32_t)threads->recent);
    if (!build->failed)
        threads_list(build, &counts);
    if (!build->failed)
        threads_describe(build, &counts);
    hash_fini(&counts.threads);
    hash_fini(&counts.objects);
    hash_fini(&counts.functions);
}

const struct snapshot_thread *snapshot_thread(const struct snapshot_threads *threads, uint32_t tid)
{
    for (size_t i = 0; i < threads->count; i++)
        if (threads->list[i].tid == tid)
            return &threads->list[i];
    return NULL;
}

struct snapshot_holder {
    struct snapshot snapshot; /* first member: snapshot_free() gets its address */
    struct arena arena;
};

const char *sets_verdict_name(enum sets_verdict verdict)
{
    static const char *const names[] = {"too-few-samples", "uniform", "concentrated"};
    return (unsigned)verdict < 3 ? names[verdict] : "too-few-samples";
}

const char *search_state_name(enum search_state state)
{
    static const char *const names[] = {"off", "searching", "settled"};
    return (unsigned)state < 3 ? names[state] : "off";
}

const char *region_state_name(enum region_state state)
{
    static const char *const names[] = {"split", "kept", "object", "line", "dropped", "queued"};
    return (unsigned)state < 6 ? names[state] : "queued";
}

void *build_array(struct build *build, size_t count, size_t size_bytes)
{
    void *array = arena_array(build->arena, count, size_bytes);
    build->failed |= !array;
    return array;
}

void *build_scratch(struct build *build, size_t count, size_t size_bytes)
{
    void *array = calloc(count, size_bytes);
    build->failed |= !array;
    return array;
}

void *build_copy(struct build *build, const void *value, size_t size_bytes)
{
    void *copy = value ? build_array(build, 1, size_bytes) : NULL;
    return copy ? memcpy(copy, value, size_bytes) : NULL;
}

double build_read(const struct build *build, const struct counted *counted)
{
    return counted_read(counted, build->snapshot->basis, build->scale);
}

double build_samples(const struct build *build, const struct counted *weight)
{
    const struct profile *profile = build->profile;
    const struct tally *all = profile->all[build->event].samples.at[BASIS_RUN] > 0
                                  ? &profile->all[build->event]
                                  : &profile->unplaced.all[build->event];
    double sum = build_read(build, &all->weight);
    /* Without samples the mean is not known, and each counts as one. */
    return build_read(build, weight) * (sum > 0 ? build_read(build, &all->samples) / sum : 1);
}

double build_samples_over(const struct build *build, const struct counted *samples,
                          const struct counted *weight)
{
    return build_read(build, samples) - build_samples(build, weight);
}

double build_effective(const struct build *build, const struct tally *tally)
{
    double squares =
        counted_read(&tally->squares, build->snapshot->basis, build->scale * build->scale);
    return decay_effective(build_read(build, &tally->weight), squares);
}

uint32_t build_object_index(const struct build *build, uint32_t object)
{
    const uint32_t *index = hash_find(&build->index, object);
    return index ? *index : UINT32_MAX;
}

static const struct snapshot_recording *copy_recording(struct build *build,
                                                       const struct snapshot_recording *from)
{
    struct snapshot_recording *copy = build_copy(build, from, sizeof *from);
    if (!copy)
        return NULL;
    copy->host = arena_string(build->arena, from->host);
    copy->cpu = arena_string(build->arena, from->cpu);
    copy->kernel = arena_string(build->arena, from->kernel);
    copy->command = arena_string(build->arena, from->command);
    copy->date = arena_string(build->arena, from->date);
    copy->others = arena_string(build->arena, from->others);
    copy->addresses = arena_string(build->arena, from->addresses);
    copy->note = arena_string(build->arena, from->note);
    return copy;
}

static void copy_binaries(struct build *build)
{
    struct snapshot_binaries *binaries = &build->snapshot->binaries;
    struct binary_desc *copies =
        binaries->count ? arena_alloc(build->arena, binaries->count * sizeof *copies) : NULL;
    for (size_t i = 0; copies && i < binaries->count; i++) {
        copies[i] = binaries->list[i];
        copies[i].path = arena_string(build->arena, copies[i].path);
        copies[i].build_id = arena_string(build->arena, copies[i].build_id);
        copies[i].found = arena_string(build->arena, copies[i].found);
        copies[i].found_id = arena_string(build->arena, copies[i].found_id);
    }
    binaries->list = copies;
    binaries->count = copies ? binaries->count : 0;
}

static void copy_refused(struct build *build)
{
    struct snapshot_refused *refused = &build->snapshot->refused;
    struct file_refused *copies =
        refused->count ? arena_alloc(build->arena, refused->count * sizeof *copies) : NULL;
    for (size_t i = 0; copies && i < refused->count; i++) {
        copies[i].path = arena_string(build->arena, refused->list[i].path);
        copies[i].reason = arena_string(build->arena, refused->list[i].reason);
    }
    refused->list = copies;
    refused->count = copies ? refused->count : 0;
}

/* Copies the head, with the strings that its owner may change later. */
static void copy_head(struct build *build, const struct snapshot *head)
{
    struct snapshot *snapshot = build->snapshot;
    struct snapshot_source *source = &snapshot->source;
    *snapshot = *head;
    snapshot->recording = copy_recording(build, head->recording);
    snapshot->time_range = build_copy(build, head->time_range, sizeof *head->time_range);
    snapshot->status = arena_string(build->arena, head->status);
    snapshot->target.comm = arena_string(build->arena, head->target.comm);
    snapshot->target.exe = arena_string(build->arena, head->target.exe);
    snapshot->target.state = arena_string(build->arena, head->target.state);
    source->name = arena_string(build->arena, head->source.name);
    source->weight_unit = arena_string(build->arena, head->source.weight_unit);
    if (source->event_count > SAMPLE_EVENTS_MAX)
        source->event_count = SAMPLE_EVENTS_MAX;
    for (size_t i = 0; i < source->event_count; i++)
        source->events[i].name = arena_string(build->arena, head->source.events[i].name);
    copy_binaries(build);
    copy_refused(build);
    snapshot->loading.slow_file = arena_string(build->arena, head->loading.slow_file);
}

static void copy_totals(struct build *build, uint64_t now_ns)
{
    struct profile *profile = build->profile;
    struct snapshot_totals *totals = &build->snapshot->totals;
    *totals = profile->totals;
    uint64_t sum = totals->attributed;
    for (int i = 0; i < REASON_COUNT; i++)
        sum += totals->reasons[i];
    assert(sum == totals->samples);
    const struct tally *all = &profile->all[build->event];
    totals->weight = build_read(build, &all->weight);
    totals->total_weight = build_total_weight(build);
    for (int i = 0; i < REASON_COUNT; i++)
        totals->reason_weight[i] = build_read(build, &profile->unplaced.by_reason[build->event][i]);
    for (int i = 0; i < TYPED_COUNT; i++)
        totals->typed_weight[i] = build_read(build, &profile->typed[build->event][i]);
    for (int i = 0; i < UNTYPED_COUNT; i++)
        totals->untyped_weight[i] = build_read(build, &profile->untyped[build->event][i]);
    totals->effective_samples = build_effective(build, all);
    uint64_t since = profile->options.run ? 0 : profile->refreshed_ns;
    totals->rate = since && now_ns > since
                       ? (double)profile->refresh_samples * 1e9 / (double)(now_ns - since)
                       : NAN;
}

static void shift_histories(struct profile *profile, uint64_t now_ns)
{
    for (size_t i = 0; i < profile->extra_count; i++) {
        struct object_extra *extra = &profile->extras[i];
        memmove(extra->history, extra->history + 1,
                sizeof extra->history - sizeof extra->history[0]);
        extra->history[SNAPSHOT_HISTORY - 1] =
            profile->refresh_weight > 0 ? (float)(extra->refresh_weight / profile->refresh_weight)
                                        : 0;
        extra->refresh_weight = 0;
    }
    profile->refresh_weight = 0;
    profile->refresh_samples = 0;
    profile->refreshed_ns = now_ns;
}

/* In order of dependency: each function can use the results of the earlier ones. */
static void (*const all_parts[])(struct build *build) = {
    build_uses,     build_objects, build_heap,           build_window,   build_threads,
    build_details,  build_code,    build_waits,          build_callers,  build_instructions,
    build_matrix,   build_search,  build_timeline,       build_sharing,  build_causes,
    build_findings, build_watch,   build_weigh_findings, build_partners, build_reuse};

static bool build_all(struct build *build, const struct snapshot *head, uint64_t now_ns)
{
    struct profile *profile = build->profile;
    copy_head(build, head);
    build->snapshot->basis = profile->basis;
    build->snapshot->half_life_s = profile->decay.half_life_ns / 1e9;
    build->snapshot->source.ranking = profile->options.ranking;
    copy_totals(build, now_ns);
    if (!profile->options.run)
        shift_histories(profile, now_ns);
    build->now_ns = now_ns;
    for (size_t i = 0; i < sizeof all_parts / sizeof *all_parts && !build->failed; i++)
        all_parts[i](build);
    if (!build->failed && profile->accesses_wanted)
        build_accesses(build);
    return !build->failed;
}

static bool build_glance(struct build *build, const struct snapshot *head, uint64_t now_ns)
{
    copy_head(build, head);
    build->snapshot->basis = build->profile->basis;
    copy_totals(build, now_ns);
    build_objects(build);
    if (!build->failed)
        build_details(build);
    return !build->failed;
}

typedef bool build_parts(struct build *build, const struct snapshot *head, uint64_t now_ns);

static const struct snapshot *snapshot_make(struct profile *profile, const struct snapshot *head,
                                            uint64_t now_ns, double scale, build_parts *parts)
{
    struct snapshot_holder *held = calloc(1, sizeof *held);
    if (!held)
        return NULL;
    arena_init(&held->arena);
    struct build build = {.profile = profile,
                          .arena = &held->arena,
                          .snapshot = &held->snapshot,
                          .scale = scale,
                          .event = profile->options.ranking};
    hash_init(&build.index);
    bool built = parts(&build, head, now_ns);
    hash_fini(&build.index);
    if (built)
        return &held->snapshot;
    snapshot_free(&held->snapshot);
    return NULL;
}

const struct snapshot *profile_snapshot(struct profile *profile, const struct snapshot *head,
                                        uint64_t now_ns)
{
    search_tick(&profile->search, now_ns);
    return snapshot_make(profile, head, now_ns, decay_advance(&profile->decay, now_ns), build_all);
}

const struct snapshot *profile_glance(struct profile *profile, const struct snapshot *head)
{
    return snapshot_make(profile, head, 0, profile->decay.scale, build_glance);
}

void snapshot_free(const struct snapshot *snapshot)
{
    struct snapshot_holder *held = (struct snapshot_holder *)(uintptr_t)snapshot;
    if (!held)
        return;
    arena_fini(&held->arena);
    free(held);
}
