/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/reader_file.h"

#include "resolve/debuginfo.h"
#include "resolve/module.h"

#include <stdlib.h>

enum {
    DEATHS_MAX = 3,     /* then the file is given up */
    DEATHS_OPENING = 2, /* what one while it was opened counts for: the next will too */
    FORGIVEN_AFTER = 1000 /* answers without a death */,
    SENT_MAX = 256, /* questions on their way at once */
    PATIENCE_WITH_SERVERS = 80,
    STARVED_TIMES = 240, /* of the patience by the clock, for want of a CPU */
    NS_PER_MS = 1000000,
    PAUSE_NS = 1000000000 /* a system short of processes or memory needs time */
};

struct reader_file *reader_file_new(const struct module *module)
{
    struct reader_file *file = calloc(1, sizeof *file);
    if (!file)
        return NULL;
    /* Read here only for its name; the process forked has a copy of its own to work with. */
    file->module = (struct module *)(uintptr_t)module;
    file->serial = module_serial(module);
    return file;
}

pid_t reader_file_free(struct reader_file *file)
{
    pid_t pid = worker_end(&file->worker);
    asked_fini(&file->asked);
    references_fini(&file->types);
    free(file);
    return pid;
}

static void give(struct reader_file *file, struct reader_run *run, struct dwarf_answer *answer)
{
    answer->question = asked_pop(&file->asked);
    file->sent -= file->sent > 0;
    file->number++;
    file->waited_ns = 0;
    run->answers++;
    run->take->answer(run->take->context, file->serial, answer);
}

static void give_none(struct reader_file *file, struct reader_run *run, enum untyped why)
{
    struct dwarf_answer answer = {.untyped = why};
    give(file, run, &answer);
}

static void give_all(struct reader_file *file, struct reader_run *run, enum untyped why)
{
    for (uint32_t left = file->asked.count; left; left--)
        give_none(file, run, why);
}

pid_t reader_file_rest(struct reader_file *file)
{
    file->sent = 0;
    file->opened = file->yields = false;
    file->waited_ns = file->idle_ns = file->served_ns = file->resident_bytes = 0;
    references_restart(&file->types);
    return worker_end(&file->worker);
}

static void count_deaths(struct reader_file *file, uint32_t deaths)
{
    file->deaths += deaths;
    file->lived = 0;
    if (file->deaths >= DEATHS_MAX)
        file->state = READER_GIVEN_UP;
}

void reader_file_start(struct reader_file *file, struct reader_run *run)
{
    if (!worker_start(&file->worker, file->module, run->source, run->limits))
        return;
    count_deaths(file, 1);
    file->pause_ns = PAUSE_NS;
}

/* The process died, hung or talks nonsense: over the oldest question it was sent. */
static pid_t died(struct reader_file *file, struct reader_run *run)
{
    bool opened = file->opened;
    bool culprit = opened && file->sent;
    pid_t pid = reader_file_rest(file);
    count_deaths(file, opened ? 1 : DEATHS_OPENING);
    if (culprit)
        give_none(file, run, UNTYPED_GAVE_UP);
    return pid;
}

static void send(struct reader_file *file)
{
    while (
        file->opened && !file->yields && file->sent < file->asked.count && file->sent < SENT_MAX &&
        worker_ask(&file->worker, file->number + file->sent, asked_get(&file->asked, file->sent)))
        file->sent++;
}

static void take_type(struct reader_file *file, struct reader_run *run,
                      struct wire_message *message)
{
    bool is_new;
    struct dwarf_type *type = &message->type;
    type->type = references_add(&file->types, type->type, message->content, &is_new);
    if (type->type && is_new)
        run->take->type(run->take->context, file->serial, type);
}

/* A type that was never told is none. */
static void take_answer(struct reader_file *file, struct reader_run *run,
                        struct dwarf_answer *answer)
{
    uint32_t told = answer->type;
    answer->type = told ? references_of(&file->types, told) : 0;
    if (told && !answer->type)
        answer->untyped = UNTYPED_GAVE_UP;
    if (++file->lived == FORGIVEN_AFTER)
        file->deaths = 0;
    give(file, run, answer);
}

/* False: it does not keep to the order of things. */
static bool take(struct reader_file *file, struct reader_run *run, enum wire_kind kind,
                 struct wire_message *message)
{
    if (kind == WIRE_BROKEN || file->opened != (kind != WIRE_OPENED))
        return false;
    if (kind == WIRE_OPENED) {
        file->opened = true;
        file->waited_ns = 0;
        if (!message->number)
            file->state = READER_WITHOUT;
        return true;
    }
    if (kind == WIRE_TYPE) {
        take_type(file, run, message);
        return true;
    }
    if (!file->sent || message->number != file->number)
        return false;
    take_answer(file, run, &message->answer);
    return true;
}

/* False: the process cannot be talked to any more. */
static bool hear(struct reader_file *file, struct reader_run *run)
{
    struct arena strings = {0};
    struct wire_message message;
    enum wire_kind kind;
    bool good = true;
    int code = worker_exchange(&file->worker);
    while (good && file->state == READER_USABLE &&
           (kind = worker_hear(&file->worker, &message, &strings)) != WIRE_NOTHING) {
        good = take(file, run, kind, &message);
        arena_fini(&strings);
    }
    arena_fini(&strings);
    return file->state != READER_USABLE || (good && !code);
}

/* A server may take long to send what is large. */
static uint64_t patience_ns(const struct reader_file *file, const struct reader_run *run)
{
    const struct debuginfo *debuginfo = module_debuginfo(file->module);
    uint64_t times = file->opened                                     ? 1
                     : debuginfo && debuginfo_asks_servers(debuginfo) ? PATIENCE_WITH_SERVERS
                                                                      : READERS_OPENING_PATIENCE;
    return (uint64_t)run->limits->patience_ms * NS_PER_MS * times;
}

static void count_time(struct reader_file *file, const struct reader_run *run)
{
    bool waits = file->sent || !file->opened;
    if (waits && !file->waited_ns)
        file->cpu_ns = worker_cpu_ns(&file->worker);
    file->waited_ns = waits ? file->waited_ns + run->passed_ns : 0;
    file->idle_ns = waits ? 0 : file->idle_ns + run->passed_ns;
    file->served_ns += run->passed_ns;
}

/* Where the target takes all CPUs, a process that comes after it is slow and not hung: its time
 * is what it has had of a CPU. Only who sleeps is judged by the clock. */
static bool is_late(const struct reader_file *file, const struct reader_run *run)
{
    uint64_t patience = patience_ns(file, run);
    if (file->waited_ns <= patience)
        return false;
    return worker_cpu_ns(&file->worker) - file->cpu_ns > patience ||
           file->waited_ns / STARVED_TIMES > patience || worker_sleeps(&file->worker);
}

/* Who was found asleep may have answered since it was heard, and be out of questions. */
static bool is_hung(struct reader_file *file, struct reader_run *run)
{
    return is_late(file, run) && (!hear(file, run) || is_late(file, run));
}

static pid_t run_worker(struct reader_file *file, struct reader_run *run)
{
    send(file);
    bool lives = hear(file, run);
    count_time(file, run);
    lives = lives && !is_hung(file, run);
    if (file->state == READER_WITHOUT)
        return reader_file_rest(file);
    if (!lives)
        return died(file, run);
    if (reader_file_rests(file) && file->idle_ns > (uint64_t)run->limits->idle_ms * NS_PER_MS)
        return reader_file_rest(file);
    return 0;
}

static void look(struct reader_file *file, struct reader_run *run)
{
    if (file->state != READER_UNKNOWN || !file->asked.count || !run->looks)
        return;
    run->looks--;
    file->state = run->source->present(file->module) ? READER_USABLE : READER_WITHOUT;
}

pid_t reader_file_run(struct reader_file *file, struct reader_run *run)
{
    pid_t pid = 0;
    look(file, run);
    file->pause_ns -= file->pause_ns < run->passed_ns ? file->pause_ns : run->passed_ns;
    if (file->worker.pid)
        pid = run_worker(file, run);
    file->needs_ns = reader_file_needs(file) ? file->needs_ns + run->passed_ns : 0;
    if (file->state == READER_WITHOUT)
        give_all(file, run, UNTYPED_NO_DEBUG);
    else if (file->state == READER_GIVEN_UP)
        give_all(file, run, UNTYPED_GAVE_UP);
    return pid;
}
