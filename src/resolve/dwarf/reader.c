/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/reader.h"

#include "base/array.h"
#include "base/clock.h"
#include "resolve/dwarf/reader_file.h"
#include "resolve/dwarf/reader_state.h"
#include "resolve/module.h"

#include <stdlib.h>
#include <sys/wait.h>

/* A look into a file costs some 0.2 ms: a program of hundreds of libraries is not to be held up
 * by all of them at once. */
enum { ENDED_MAX = 64, LOOKS_A_RUN = 8 };

/* Stretches in which nobody ran us (a suspended misstop) do not make a process late. */
static const uint64_t step_max_ns = CLOCK_NS_PER_S;
/* After this long a busy process makes room for a file that waits. */
static const uint64_t turn_ns = CLOCK_NS_PER_S;
static const uint64_t measure_ns = CLOCK_NS_PER_S;
static const uint64_t long_ns = CLOCK_NS_PER_S;

const struct readers_limits readers_usual = {
    .processes = 4, .memory_bytes = UINT64_C(4) << 30, .idle_ms = 60000, .patience_ms = 15000};

struct readers {
    struct readers_limits limits;
    struct readers_take take;
    const struct serve_source *source;
    struct reader_file **files;
    size_t count;
    size_t room;
    struct hash by_serial; /* index */
    uint64_t run_ns;       /* the last one; 0: none */
    uint64_t measured_ns;
    pid_t ended[ENDED_MAX]; /* killed, not yet gone */
    size_t ended_count;
};

struct readers *readers_new_from(const struct readers_limits *limits,
                                 const struct readers_take *take, const struct serve_source *source)
{
    struct readers *readers = calloc(1, sizeof *readers);
    if (!readers)
        return NULL;
    readers->limits = *limits;
    readers->take = *take;
    readers->source = source;
    return readers;
}

struct readers *readers_new(const struct readers_limits *limits, const struct readers_take *take)
{
    return readers_new_from(limits, take, &serve_program);
}

/* A process with gigabytes takes a while to go: nobody waits for it but at the end. */
static void reap(struct readers *readers, int flags)
{
    size_t left = 0;
    for (size_t i = 0; i < readers->ended_count; i++)
        if (!waitpid(readers->ended[i], NULL, flags))
            readers->ended[left++] = readers->ended[i];
    readers->ended_count = left;
}

static void add_ended(struct readers *readers, pid_t pid)
{
    if (!pid)
        return;
    if (readers->ended_count == ENDED_MAX)
        reap(readers, 0);
    readers->ended[readers->ended_count++] = pid;
}

void readers_forget(struct readers *readers)
{
    for (size_t i = 0; i < readers->count; i++)
        add_ended(readers, reader_file_free(readers->files[i]));
    readers->count = 0;
    hash_clear(&readers->by_serial);
}

void readers_free(struct readers *readers)
{
    if (!readers)
        return;
    readers_forget(readers);
    reap(readers, 0);
    hash_fini(&readers->by_serial);
    free(readers->files);
    free(readers);
}

static bool make_room(struct readers *readers)
{
    struct reader_file **more =
        array_more(readers->files, &readers->room, readers->count, sizeof *more, ARRAY_UNBOUNDED);
    if (!more)
        return false;
    readers->files = more;
    return true;
}

static struct reader_file *file_of(struct readers *readers, const struct module *module)
{
    bool created;
    uint32_t *index = hash_find(&readers->by_serial, module_serial(module));
    if (index)
        return readers->files[*index];
    struct reader_file *file = make_room(readers) ? reader_file_new(module) : NULL;
    index = file ? hash_insert(&readers->by_serial, file->serial, &created) : NULL;
    if (!index) {
        if (file)
            reader_file_free(file);
        return NULL;
    }
    *index = (uint32_t)readers->count;
    readers->files[readers->count++] = file;
    return file;
}

bool readers_without(const struct readers *readers, const struct module *module)
{
    const uint32_t *index = hash_find(&readers->by_serial, module_serial(module));
    return index && readers->files[*index]->state == READER_WITHOUT;
}

bool readers_ask(struct readers *readers, const struct module *module,
                 const struct dwarf_question *question)
{
    struct reader_file *file = file_of(readers, module);
    return file && asked_push(&file->asked, question);
}

/* Of the files whose process could make room the one not used for longest; where all are busy,
 * the one that has had its turn gives it up when what it was sent is answered. */
static struct reader_file *who_rests(struct readers *readers)
{
    struct reader_file *idle = NULL;
    struct reader_file *busy = NULL;
    for (size_t i = 0; i < readers->count; i++) {
        struct reader_file *file = readers->files[i];
        if (!reader_file_runs(file))
            continue;
        if (file->yields && !reader_file_rests(file))
            return NULL; /* one place at a time */
        if (reader_file_rests(file) && (!idle || file->idle_ns > idle->idle_ns))
            idle = file;
        if (file->served_ns > turn_ns && (!busy || file->served_ns > busy->served_ns))
            busy = file;
    }
    if (!idle && busy)
        busy->yields = true;
    return idle;
}

static uint32_t processes(const struct readers *readers)
{
    uint32_t running = 0;
    for (size_t i = 0; i < readers->count; i++)
        running += reader_file_runs(readers->files[i]);
    return running;
}

/* Who waits longest; one a run, for a fork of a large misstop costs time. */
static struct reader_file *who_starts(const struct readers *readers)
{
    struct reader_file *longest = NULL;
    for (size_t i = 0; i < readers->count; i++) {
        struct reader_file *file = readers->files[i];
        if (reader_file_needs(file) && (!longest || file->needs_ns > longest->needs_ns))
            longest = file;
    }
    return longest;
}

static void nobody_yields(struct readers *readers)
{
    for (size_t i = 0; i < readers->count; i++)
        readers->files[i]->yields = false;
}

static void start_one(struct readers *readers, struct reader_run *run)
{
    struct reader_file *file = who_starts(readers);
    if (!file) {
        nobody_yields(readers);
        return;
    }
    if (processes(readers) >= readers->limits.processes) {
        struct reader_file *rests = who_rests(readers);
        if (!rests)
            return;
        add_ended(readers, reader_file_rest(rests));
    }
    reader_file_start(file, run);
}

static void measure(struct readers *readers, uint64_t now_ns)
{
    if (now_ns - readers->measured_ns < measure_ns)
        return;
    readers->measured_ns = now_ns;
    for (size_t i = 0; i < readers->count; i++)
        readers->files[i]->resident_bytes = worker_resident_bytes(&readers->files[i]->worker);
}

size_t readers_run(struct readers *readers, uint64_t now_ns)
{
    struct reader_run run = {.limits = &readers->limits,
                             .take = &readers->take,
                             .source = readers->source,
                             .looks = LOOKS_A_RUN};
    if (readers->run_ns && now_ns > readers->run_ns)
        run.passed_ns = now_ns - readers->run_ns;
    if (run.passed_ns > step_max_ns)
        run.passed_ns = step_max_ns;
    readers->run_ns = now_ns;
    reap(readers, WNOHANG);
    for (size_t i = 0; i < readers->count; i++)
        add_ended(readers, reader_file_run(readers->files[i], &run));
    start_one(readers, &run);
    measure(readers, now_ns);
    return run.answers;
}

struct readers_status readers_status(const struct readers *readers)
{
    struct readers_status status = {0};
    uint64_t longest_ns = long_ns;
    for (size_t i = 0; i < readers->count; i++) {
        const struct reader_file *file = readers->files[i];
        status.waiting += file->asked.count;
        status.processes += reader_file_runs(file);
        status.given_up += file->state == READER_GIVEN_UP;
        status.resident_bytes += file->resident_bytes;
        if (reader_file_runs(file) && file->waited_ns > longest_ns) {
            longest_ns = file->waited_ns;
            status.busy_with = module_name(file->module);
        }
    }
    return status;
}
