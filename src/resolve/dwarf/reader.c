/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/reader.h"

#include <assert.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/hash.h"
#include "resolve/dwarf/question.h"
#include "resolve/elf/debuginfo.h"
#include "resolve/elf/module.h"

/* Pending questions in the order they were asked; their number is bounded. */
enum { ASKED_MAX = 4096 };

struct question_queue {
    struct dwarf_question *at;
    size_t room;
    uint32_t count;
};

/* reader.c decides when a process of the file may run. */
enum reader_state {
    READER_UNKNOWN, /* not yet known whether it has debug information */
    READER_USABLE,
    READER_WITHOUT, /* no debug information */
    READER_GIVEN_UP
};

struct reader_file {
    struct module *module;
    uint32_t serial;
    enum reader_state state;
    struct question_queue asked;
    uint32_t sent;   /* number of `asked` that were sent, oldest first */
    uint32_t number; /* number of the oldest question */
    struct worker worker;
    bool expected;          /* questions will come; may take a free place in advance */
    bool opened;            /* by the running worker */
    bool gets_no_questions; /* gets no more questions: another file waits for its place */
    uint32_t deaths;
    uint32_t answers_since_death; /* answers since the last death */
    uint64_t cpu_ns;              /* CPU time of the worker when `waited_ns` started */
    uint64_t waited_ns;           /* wait for the oldest question sent, or for the opening */
    uint64_t idle_ns;
    uint64_t pause_ns;  /* until the next attempt to start a process */
    uint64_t needs_ns;  /* time waiting for a process */
    uint64_t served_ns; /* time since the worker started */
    uint64_t resident_bytes;
};

struct reader_run {
    const struct readers_limits *limits;
    const struct readers_take *take;
    const struct serve_source *source;
    uint64_t elapsed_ns;  /* time since the last run */
    uint32_t checks_left; /* files that may still be checked in this run */
    size_t answers;
};

static inline bool reader_file_runs(const struct reader_file *file)
{
    return file->worker.pid;
}

static inline bool reader_file_needs_process(const struct reader_file *file)
{
    return file->state == READER_USABLE && (file->asked.count || file->expected) &&
           !file->worker.pid && !file->pause_ns;
}

/* Returns true if a file's process can be ended without loss. */
static inline bool reader_file_is_idle(const struct reader_file *file)
{
    return file->worker.pid && !file->sent && (!file->asked.count || file->gets_no_questions);
}

/* Adds a question. Returns false if the list is full or out of memory. */
static bool asked_push(struct question_queue *asked, const struct dwarf_question *question)
{
    if (!array_reserve_next(&asked->at, &asked->room, asked->count, sizeof *asked->at, ASKED_MAX))
        return false;
    asked->at[asked->count++] = *question;
    return true;
}

/* Removes the oldest question; there must be one. */
static struct dwarf_question asked_pop(struct question_queue *asked)
{
    assert(asked->count);
    struct dwarf_question oldest = asked->at[0];
    memmove(asked->at, asked->at + 1, --asked->count * sizeof *asked->at);
    return oldest;
}

enum {
    DEATHS_MAX = 3,     /* deaths after which the file is given up */
    DEATHS_OPENING = 2, /* weight of a death at opening: the next process would die too */
    ANSWERS_TO_FORGIVE = 1000 /* answers after which earlier deaths are forgiven */,
    SENT_MAX = 256, /* questions sent and not answered */
    SERVERS_PATIENCE_FACTOR = 80,
    REFERENCES_MAX = 1 << 18,      /* of types of one file, whatever a process makes up */
    STARVED_PATIENCE_FACTOR = 240, /* times the patience, by the clock, if it gets no CPU time */
    NS_PER_MS = 1000000,
    PAUSE_NS = 1000000000 /* time for a system short of processes or memory to recover */
};

/* Returns NULL if out of memory. */
static struct reader_file *reader_file_new(const struct module *module)
{
    struct reader_file *file = calloc(1, sizeof *file);
    if (!file)
        return NULL;
    /* Only its name is used here; the forked process works on its own copy. */
    file->module = (struct module *)(uintptr_t)module;
    file->serial = module_serial(module);
    return file;
}

/* Frees a file and ends its process. Returns the PID to wait for, or 0. */
static pid_t reader_file_free(struct reader_file *file)
{
    pid_t pid = worker_end(&file->worker);
    free(file->asked.at);
    free(file);
    return pid;
}

static void give_answer(struct reader_file *file, struct reader_run *run,
                        struct dwarf_answer *answer)
{
    answer->question = asked_pop(&file->asked);
    file->sent -= file->sent > 0;
    file->number++;
    file->waited_ns = 0;
    run->answers++;
    run->take->answer(run->take->context, file->serial, answer);
}

static void give_untyped(struct reader_file *file, struct reader_run *run, enum untyped why)
{
    struct dwarf_answer answer = {.untyped = why};
    give_answer(file, run, &answer);
}

static void give_all_untyped(struct reader_file *file, struct reader_run *run, enum untyped why)
{
    for (uint32_t left = file->asked.count; left; left--)
        give_untyped(file, run, why);
}

/* Ends an idle process. Returns the PID to wait for. */
static pid_t reader_file_end_process(struct reader_file *file)
{
    file->sent = 0;
    file->opened = file->gets_no_questions = false;
    file->waited_ns = file->idle_ns = file->served_ns = file->resident_bytes = 0;
    return worker_end(&file->worker);
}

static void count_deaths(struct reader_file *file, uint32_t deaths)
{
    file->deaths += deaths;
    file->answers_since_death = 0;
    if (file->deaths >= DEATHS_MAX)
        file->state = READER_GIVEN_UP;
}

/* Starts a process. If that fails it is retried after a pause, then given up. */
static void reader_file_start(struct reader_file *file, struct reader_run *run)
{
    file->expected = false;
    if (!worker_start(&file->worker, file->module, run->source, run->limits))
        return;
    count_deaths(file, 1);
    file->pause_ns = PAUSE_NS;
}

/* Handles a process that died, hung or sent invalid messages; blames the oldest question sent. */
static pid_t process_died(struct reader_file *file, struct reader_run *run)
{
    bool opened = file->opened;
    bool culprit = opened && file->sent;
    pid_t pid = reader_file_end_process(file);
    count_deaths(file, opened ? 1 : DEATHS_OPENING);
    if (culprit)
        give_untyped(file, run, UNTYPED_GAVE_UP);
    return pid;
}

static void send_questions(struct reader_file *file)
{
    while (file->opened && !file->gets_no_questions && file->sent < file->asked.count &&
           file->sent < SENT_MAX &&
           worker_send(&file->worker, file->number + file->sent, &file->asked.at[file->sent]))
        file->sent++;
}

/* Handles one message. Returns false if it violates the protocol. */
static bool reader_file_take(struct reader_file *file, struct reader_run *run, enum wire_kind kind,
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
        if (message->type.type && message->type.type <= REFERENCES_MAX)
            run->take->type(run->take->context, file->serial, &message->type);
        return true;
    }
    if (!file->sent || message->number != file->number)
        return false;
    if (++file->answers_since_death == ANSWERS_TO_FORGIVE)
        file->deaths = 0;
    give_answer(file, run, &message->answer);
    return true;
}

/* Receives the pending messages. Returns false if the process is no longer usable. */
static bool receive_answer(struct reader_file *file, struct reader_run *run)
{
    struct arena strings = {0};
    struct wire_message message;
    enum wire_kind kind;
    bool good = true;
    int code = worker_exchange(&file->worker);
    while (good && file->state == READER_USABLE &&
           (kind = worker_receive(&file->worker, &message, &strings)) != WIRE_NOTHING) {
        good = reader_file_take(file, run, kind, &message);
        arena_fini(&strings);
    }
    arena_fini(&strings);
    return file->state != READER_USABLE || (good && !code);
}

/* Returns the patience for the current step. A server may take long to send a large file. */
static uint64_t answer_patience_ns(const struct reader_file *file, const struct reader_run *run)
{
    const struct debuginfo *debuginfo = module_debuginfo(file->module);
    uint64_t times = file->opened                                     ? 1
                     : debuginfo && debuginfo_asks_servers(debuginfo) ? SERVERS_PATIENCE_FACTOR
                                                                      : READERS_OPENING_PATIENCE;
    return (uint64_t)run->limits->patience_ms * NS_PER_MS * times;
}

static void count_process_time(struct reader_file *file, const struct reader_run *run)
{
    bool waits = file->sent || !file->opened;
    if (waits && !file->waited_ns)
        file->cpu_ns = worker_cpu_ns(&file->worker);
    file->waited_ns = waits ? file->waited_ns + run->elapsed_ns : 0;
    file->idle_ns = waits ? 0 : file->idle_ns + run->elapsed_ns;
    file->served_ns += run->elapsed_ns;
}

/*
 * Returns true if a process has exceeded its patience. If the target uses all CPUs, the process is
 * slow but not hung, so its CPU time is compared. Only a sleeping process is judged by the clock.
 */
static bool process_is_late(const struct reader_file *file, const struct reader_run *run)
{
    uint64_t patience = answer_patience_ns(file, run);
    if (file->waited_ns <= patience)
        return false;
    return worker_cpu_ns(&file->worker) - file->cpu_ns > patience ||
           file->waited_ns / STARVED_PATIENCE_FACTOR > patience || worker_sleeps(&file->worker);
}

/* A sleeping process may have answered since the last read, so read once more. */
static bool process_is_hung(struct reader_file *file, struct reader_run *run)
{
    return process_is_late(file, run) && (!receive_answer(file, run) || process_is_late(file, run));
}

static pid_t run_worker(struct reader_file *file, struct reader_run *run)
{
    send_questions(file);
    bool lives = receive_answer(file, run);
    count_process_time(file, run);
    lives = lives && !process_is_hung(file, run);
    if (file->state == READER_WITHOUT)
        return reader_file_end_process(file);
    if (!lives)
        return process_died(file, run);
    if (reader_file_is_idle(file) && file->idle_ns > (uint64_t)run->limits->idle_ms * NS_PER_MS)
        return reader_file_end_process(file);
    return 0;
}

static void reader_file_check_debug(struct reader_file *file, struct reader_run *run)
{
    if (file->state != READER_UNKNOWN || !(file->asked.count || file->expected) ||
        !run->checks_left)
        return;
    run->checks_left--;
    file->state = run->source->present(file->module) ? READER_USABLE : READER_WITHOUT;
}

/* Checks for debug information, sends questions, receives answers, supervises the process. Returns
 * the PID of a process that was ended and must be waited for, or 0. */
static pid_t reader_file_run(struct reader_file *file, struct reader_run *run)
{
    pid_t pid = 0;
    reader_file_check_debug(file, run);
    file->pause_ns -= file->pause_ns < run->elapsed_ns ? file->pause_ns : run->elapsed_ns;
    if (file->worker.pid)
        pid = run_worker(file, run);
    file->needs_ns = reader_file_needs_process(file) ? file->needs_ns + run->elapsed_ns : 0;
    if (file->state == READER_WITHOUT)
        give_all_untyped(file, run, UNTYPED_NO_DEBUG);
    else if (file->state == READER_GIVEN_UP)
        give_all_untyped(file, run, UNTYPED_GAVE_UP);
    return pid;
}

/* Checking a file costs about 0.2 ms, and a program may have hundreds of libraries. */
enum { ENDED_MAX = 64, LOOKS_A_RUN = 8 };

/* Limits the time counted between two runs: while misstop is suspended no process becomes late. */
static const uint64_t step_max_ns = CLOCK_NS_PER_S;
/* Time after which a busy process makes room for a waiting file. */
static const uint64_t turn_ns = CLOCK_NS_PER_S;
static const uint64_t measure_ns = CLOCK_NS_PER_S;
static const uint64_t long_ns = CLOCK_NS_PER_S;

/* Enough for the files of most programs: reopening a file takes longer than most answers. */
const struct readers_limits readers_usual = {.processes = 16,
                                             .processes_min = 4,
                                             .resident_bytes = UINT64_C(512) << 20,
                                             .memory_bytes = UINT64_C(4) << 30,
                                             .idle_ms = 60000,
                                             .patience_ms = 15000};

struct readers {
    struct readers_limits limits;
    struct readers_take take;
    const struct serve_source *source;
    struct reader_file **files;
    size_t count;
    size_t room;
    struct hash by_serial; /* module serial -> index */
    uint64_t run_ns;       /* time of the last run; 0: none */
    uint64_t measured_ns;
    pid_t unreaped[ENDED_MAX]; /* killed but not yet reaped */
    size_t unreaped_count;
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

/* Reaps ended processes, waiting only at the end: a process with gigabytes exits slowly. */
static void reap_processes(struct readers *readers, int flags)
{
    size_t left = 0;
    for (size_t i = 0; i < readers->unreaped_count; i++)
        if (!waitpid(readers->unreaped[i], NULL, flags))
            readers->unreaped[left++] = readers->unreaped[i];
    readers->unreaped_count = left;
}

static void add_ended_process(struct readers *readers, pid_t pid)
{
    if (!pid)
        return;
    if (readers->unreaped_count == ENDED_MAX)
        reap_processes(readers, 0);
    readers->unreaped[readers->unreaped_count++] = pid;
}

void readers_forget(struct readers *readers)
{
    for (size_t i = 0; i < readers->count; i++)
        add_ended_process(readers, reader_file_free(readers->files[i]));
    readers->count = 0;
    hash_clear(&readers->by_serial);
}

void readers_free(struct readers *readers)
{
    if (!readers)
        return;
    readers_forget(readers);
    reap_processes(readers, 0);
    hash_fini(&readers->by_serial);
    free(readers->files);
    free(readers);
}

static struct reader_file *find_or_add_file(struct readers *readers, const struct module *module)
{
    bool created;
    uint32_t *index = hash_find(&readers->by_serial, module_serial(module));
    if (index)
        return readers->files[*index];
    struct reader_file *file = array_reserve_next(&readers->files, &readers->room, readers->count,
                                                  sizeof *readers->files, ARRAY_UNBOUNDED)
                                   ? reader_file_new(module)
                                   : NULL;
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

void readers_expect(struct readers *readers, const struct module *module)
{
    struct reader_file *file = find_or_add_file(readers, module);
    if (file)
        file->expected = true;
}

bool readers_ask(struct readers *readers, const struct module *module,
                 const struct dwarf_question *question)
{
    struct reader_file *file = find_or_add_file(readers, module);
    return file && asked_push(&file->asked, question);
}

/* Chooses a process that makes room: the one idle for longest. If all are busy, a process that had
 * its turn ends when its pending questions are answered. */
static struct reader_file *choose_file_to_end(struct readers *readers)
{
    struct reader_file *idle = NULL;
    struct reader_file *busy = NULL;
    for (size_t i = 0; i < readers->count; i++) {
        struct reader_file *file = readers->files[i];
        if (!reader_file_runs(file))
            continue;
        if (file->gets_no_questions && !reader_file_is_idle(file))
            return NULL; /* one at a time */
        if (reader_file_is_idle(file) && (!idle || file->idle_ns > idle->idle_ns))
            idle = file;
        if (file->served_ns > turn_ns && (!busy || file->served_ns > busy->served_ns))
            busy = file;
    }
    if (!idle && busy)
        busy->gets_no_questions = true;
    return idle;
}

static uint32_t running_processes(const struct readers *readers)
{
    uint32_t running = 0;
    for (size_t i = 0; i < readers->count; i++)
        running += reader_file_runs(readers->files[i]);
    return running;
}

static uint32_t processes_allowed(const struct readers *readers)
{
    uint64_t resident_bytes = 0;
    for (size_t i = 0; i < readers->count; i++)
        resident_bytes += readers->files[i]->resident_bytes;
    bool large = readers->limits.resident_bytes && resident_bytes > readers->limits.resident_bytes;
    return large ? readers->limits.processes_min : readers->limits.processes;
}

/* Returns the file that has waited longest for a process, preferably one with questions. Only one
 * process starts per run, because forking a large misstop takes time. */
static struct reader_file *choose_file_to_start(const struct readers *readers)
{
    struct reader_file *longest = NULL;
    for (size_t i = 0; i < readers->count; i++) {
        struct reader_file *file = readers->files[i];
        if (!reader_file_needs_process(file) ||
            (longest && longest->asked.count && !file->asked.count))
            continue;
        if (!longest || (file->asked.count && !longest->asked.count) ||
            file->needs_ns > longest->needs_ns)
            longest = file;
    }
    return longest;
}

static void clear_yields(struct readers *readers)
{
    for (size_t i = 0; i < readers->count; i++)
        readers->files[i]->gets_no_questions = false;
}

static void start_waiting_file(struct readers *readers, struct reader_run *run)
{
    struct reader_file *file = choose_file_to_start(readers);
    uint32_t most = processes_allowed(readers);
    uint32_t running = running_processes(readers);
    if (!file)
        clear_yields(readers);
    if (running > most) {
        struct reader_file *rests = choose_file_to_end(readers);
        if (rests)
            add_ended_process(readers, reader_file_end_process(rests));
        return;
    }
    if (!file)
        return;
    if (running == most) {
        struct reader_file *rests = file->asked.count ? choose_file_to_end(readers) : NULL;
        if (!rests)
            return;
        add_ended_process(readers, reader_file_end_process(rests));
    }
    reader_file_start(file, run);
}

static void readers_measure(struct readers *readers, uint64_t now_ns)
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
                             .checks_left = LOOKS_A_RUN};
    if (readers->run_ns && now_ns > readers->run_ns)
        run.elapsed_ns = now_ns - readers->run_ns;
    if (run.elapsed_ns > step_max_ns)
        run.elapsed_ns = step_max_ns;
    readers->run_ns = now_ns;
    reap_processes(readers, WNOHANG);
    for (size_t i = 0; i < readers->count; i++)
        add_ended_process(readers, reader_file_run(readers->files[i], &run));
    start_waiting_file(readers, &run);
    readers_measure(readers, now_ns);
    return run.answers;
}

void readers_wait(const struct readers *readers)
{
    enum { PROCESSES = 8, NS = 1000000, NS_BEFORE_START = 50000 };
    struct pollfd polled[PROCESSES];
    nfds_t count = 0;
    for (size_t i = 0; i < readers->count && count < PROCESSES; i++)
        if (reader_file_runs(readers->files[i]))
            polled[count++] =
                (struct pollfd){.fd = readers->files[i]->worker.channel.fd, .events = POLLIN};
    ppoll(polled, count, &(struct timespec){.tv_nsec = count ? NS : NS_BEFORE_START}, NULL);
}

struct readers_status readers_status(const struct readers *readers)
{
    struct readers_status status = {0};
    uint64_t longest_ns = long_ns;
    for (size_t i = 0; i < readers->count; i++) {
        const struct reader_file *file = readers->files[i];
        status.pending_requests += file->asked.count;
        status.processes += reader_file_runs(file);
        status.given_up += file->state == READER_GIVEN_UP;
        status.resident_bytes += file->resident_bytes;
        if (reader_file_runs(file) && file->waited_ns > longest_ns) {
            longest_ns = file->waited_ns;
            status.slow_file = module_name(file->module);
        }
    }
    return status;
}
