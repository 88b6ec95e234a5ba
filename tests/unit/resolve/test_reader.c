/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Questions to readers: each gets one answer, in order, whatever happens to the processes. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "resolve/dwarf/reader.h"
#include "resolve/dwarf/wire.h"
#include "resolve/elf/module.h"
#include "unit.h"
#include "unit/resolve/reader_fake.h"
#include "unit/resolve/target.h"

static void answers_keep_the_order_of_questions(void **state)
{
    (void)state;
    enum { MANY = 3000 };
    fake_start(&fake_limits);
    for (uint64_t i = 0; i < MANY; i++)
        assert_true(fake_ask(0, FAKE_ECHO, i));
    assert_int_equal(fake.seen_count, 0);
    assert_int_equal(readers_status(fake.readers).pending_requests, MANY);
    fake_await(MANY);
    for (uint64_t i = 0; i < MANY; i++)
        fake_expect(i, i);
    assert_int_equal(readers_status(fake.readers).pending_requests, 0);
    assert_int_equal(readers_status(fake.readers).processes, 1);
}

static void too_many_questions_are_refused(void **state)
{
    (void)state;
    uint64_t queries = 0;
    fake_start(&fake_limits);
    while (queries < FAKE_SEEN_MAX && fake_ask(0, FAKE_ECHO, queries))
        queries++;
    assert_true(queries < FAKE_SEEN_MAX);
    assert_true(fake_ask(1, FAKE_ECHO, queries)); /* another file */
    fake_await(queries + 1);
    assert_true(fake_ask(0, FAKE_ECHO, queries));
}

static void reader_crash_costs_one_answer(void **state)
{
    (void)state;
    fake_start(&fake_limits);
    fake_ask(0, FAKE_ECHO, 0);
    fake_ask(0, FAKE_CRASH, 1);
    fake_ask(0, FAKE_ECHO, 2);
    fake_ask(0, FAKE_EXIT, 3);
    fake_ask(0, FAKE_ECHO, 4);
    fake_await(5);
    fake_expect(0, 0);
    fake_expect_untyped(1, 1, UNTYPED_GAVE_UP);
    fake_expect(2, 2);
    fake_expect_untyped(3, 3, UNTYPED_GAVE_UP);
    fake_expect(4, 4);
    assert_int_equal(readers_status(fake.readers).given_up, 0);
}

static void file_is_given_up_after_three_crashes(void **state)
{
    (void)state;
    fake_start(&fake_limits);
    for (uint64_t i = 0; i < 3; i++)
        fake_ask(0, FAKE_CRASH, i);
    for (uint64_t i = 3; i < 10; i++)
        fake_ask(0, FAKE_ECHO, i);
    fake_ask(1, FAKE_ECHO, 10);
    fake_await(11);
    size_t given_up = 0;
    for (size_t i = 0; i < 11; i++)
        given_up += fake.seen[i].answer.untyped == UNTYPED_GAVE_UP;
    assert_int_equal(given_up, 10);
    assert_int_equal(readers_status(fake.readers).given_up, 1);
    fake_ask(0, FAKE_ECHO, 11); /* and remains so */
    fake_await(12);
    fake_expect_untyped(11, 11, UNTYPED_GAVE_UP);
}

static void file_that_crashes_at_start_is_given_up(void **state)
{
    (void)state;
    fake_start(&fake_limits);
    fake_behaviour.crashes = true;
    fake_ask(0, FAKE_ECHO, 0);
    fake_await(1);
    fake_expect_untyped(0, 0, UNTYPED_GAVE_UP);
    assert_int_equal(readers_status(fake.readers).given_up, 1);
    assert_int_equal(readers_status(fake.readers).processes, 0);
}

static void reader_hang_costs_one_answer(void **state)
{
    (void)state;
    struct readers_limits limits = fake_limits;
    limits.patience_ms = 2500; /* generous, for a loaded machine */
    fake_start(&limits);
    fake_ask(0, FAKE_HANG, 0);
    fake_ask(0, FAKE_ECHO, 1);
    bool reported = false;
    while (fake.seen_count < 2) {
        reported |= readers_status(fake.readers).slow_file != NULL;
        fake_await(fake.seen_count);
        readers_run(fake.readers, clock_now_ns());
    }
    assert_true(reported); /* the file that is waited for */
    fake_expect_untyped(0, 0, UNTYPED_GAVE_UP);
    fake_expect(1, 1);
}

static void reader_endless_loop_costs_one_answer(void **state)
{
    (void)state;
    struct readers_limits limits = fake_limits;
    limits.patience_ms = 300;
    fake_start(&limits);
    fake_ask(0, FAKE_SPIN, 0);
    fake_ask(0, FAKE_ECHO, 1);
    fake_await(2);
    fake_expect_untyped(0, 0, UNTYPED_GAVE_UP);
    fake_expect(1, 1);
}

/* Others use the CPUs: late by the clock, but not by its CPU time. */
static void reader_short_of_cpu_time_is_waited_for(void **state)
{
    (void)state;
    struct readers_limits limits = fake_limits;
    limits.patience_ms = 100; /* a third of the time of FAKE_SLOW */
    fake_start(&limits);
    fake_ask(0, FAKE_ECHO, 0);
    fake_await(1);
    fake_ask(0, FAKE_SLOW, 1);
    fake_await(2);
    fake_expect(1, 1);
}

static void file_without_debug_info_starts_no_reader(void **state)
{
    (void)state;
    fake_start(&fake_limits);
    fake_behaviour.absent = fake_behaviour.crashes = true;
    for (uint64_t i = 0; i < 10; i++)
        fake_ask(i % 3, FAKE_ECHO, i);
    assert_int_equal(readers_run(fake.readers, clock_now_ns()), 10);
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(fake.seen[i].answer.untyped, UNTYPED_NO_DEBUG);
    assert_int_equal(readers_status(fake.readers).processes, 0);
}

static void unusable_debug_info_ends_the_reader(void **state)
{
    (void)state;
    fake_start(&fake_limits);
    fake_behaviour.unusable = true;
    fake_ask(0, FAKE_ECHO, 0);
    fake_ask(0, FAKE_ECHO, 1);
    fake_await(2);
    fake_expect_untyped(0, 0, UNTYPED_NO_DEBUG);
    fake_expect_untyped(1, 1, UNTYPED_NO_DEBUG);
    assert_int_equal(readers_status(fake.readers).processes, 0);
    assert_int_equal(readers_status(fake.readers).given_up, 0);
}

static void types_arrive_before_their_answers(void **state)
{
    (void)state;
    static const char *const names[] = {"struct t5", "struct t6", "", "struct t6", "struct t5"};
    fake_start(&fake_limits);
    fake_ask(0, FAKE_TYPES, 5);
    fake_ask(0, FAKE_TYPES, 6);
    fake_ask(0, FAKE_CRASH, 0); /* the next process starts its references from 1 again */
    fake_ask(0, FAKE_TYPES, 6);
    fake_ask(0, FAKE_TYPES, 5);
    fake_await(5);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(fake.seen[i].type, names[i]);
}

static void out_of_range_type_reference_is_ignored(void **state)
{
    (void)state;
    fake_start(&fake_limits);
    fake_ask(0, FAKE_LIE, 1);
    fake_await(1);
    assert_string_equal(fake.seen[0].type, "");
}

static void more_files_than_readers_all_get_answers(void **state)
{
    (void)state;
    enum { ROUNDS = 40 };
    fake_start(&fake_limits);
    for (uint64_t i = 0; i < ROUNDS * FAKE_MODULES; i++)
        fake_ask(i % FAKE_MODULES, FAKE_ECHO, i);
    uint32_t most = 0;
    while (fake.seen_count < (size_t)ROUNDS * FAKE_MODULES) {
        fake_await(fake.seen_count);
        readers_run(fake.readers, clock_now_ns());
        uint32_t now = readers_status(fake.readers).processes;
        most = now > most ? now : most;
    }
    assert_int_equal(most, fake_limits.processes);
    uint64_t next[FAKE_MODULES + 1] = {0};
    for (size_t i = 0; i < fake.seen_count; i++) {
        uint32_t serial = fake.seen[i].serial;
        fake_expect(i, serial - 1 + FAKE_MODULES * next[serial]++);
    }
}

/* A file with endless questions makes room for a waiting one. */
static void busy_file_does_not_starve_others(void **state)
{
    (void)state;
    struct readers_limits limits = fake_limits;
    limits.processes = 1;
    fake_start(&limits);
    fake_ask(0, FAKE_ECHO, 0);
    fake_await(1);
    fake_ask(1, FAKE_ECHO, 1);
    for (bool other = false; !other;) {
        assert_true(fake.seen_count < FAKE_SEEN_MAX - 4);
        while (readers_status(fake.readers).pending_requests < 3)
            fake_ask(0, FAKE_ECHO, 0);
        usleep(1000);
        readers_run(fake.readers, clock_now_ns());
        other = fake.seen[fake.seen_count - 1].serial == 2;
    }
    fake_await(fake.seen_count + readers_status(fake.readers).pending_requests);
}

/* A file that will be asked about is opened in advance, but not instead of one with questions. */
static void expected_file_is_opened_in_advance(void **state)
{
    (void)state;
    struct readers_limits limits = fake_limits;
    limits.processes = 2;
    fake_start(&limits);
    readers_expect(fake.readers, fake.modules[0]);
    readers_expect(fake.readers, fake.modules[1]);
    fake_await_processes(2);
    readers_expect(fake.readers, fake.modules[2]);
    readers_run(fake.readers, clock_now_ns());
    assert_int_equal(readers_status(fake.readers).processes, 2);
    assert_int_equal(readers_status(fake.readers).pending_requests, 0);
    for (uint64_t i = 0; i < 4; i++)
        fake_ask(i, FAKE_ECHO, i);
    fake_await(4);
}

static void readers_over_memory_limit_are_ended(void **state)
{
    (void)state;
    struct readers_limits limits = fake_limits;
    limits.processes = FAKE_MODULES;
    limits.processes_min = 1;
    limits.resident_bytes = 1;
    fake_start(&limits);
    for (uint64_t i = 0; i < FAKE_MODULES; i++)
        fake_ask(i, FAKE_ECHO, i);
    fake_await(FAKE_MODULES);
    fake_await_processes(1);
    fake_ask(0, FAKE_ECHO, FAKE_MODULES);
    fake_await(FAKE_MODULES + 1);
}

static void cancelled_questions_get_no_answers(void **state)
{
    (void)state;
    fake_start(&fake_limits);
    fake_ask(0, FAKE_ECHO, 0);
    fake_await(1);
    fake_ask(0, FAKE_HANG, 1);
    fake_ask(1, FAKE_ECHO, 2);
    readers_run(fake.readers, clock_now_ns());
    readers_forget(fake.readers);
    assert_int_equal(readers_status(fake.readers).pending_requests, 0);
    assert_int_equal(readers_status(fake.readers).processes, 0);
    fake_ask(2, FAKE_ECHO, 3);
    fake_await(2);
    fake_expect(1, 3);
}

#define TEST(test) cmocka_unit_test_teardown(test, fake_end)

static int run_reader(void)
{
    const struct CMUnitTest tests[] = {TEST(answers_keep_the_order_of_questions),
                                       TEST(too_many_questions_are_refused),
                                       TEST(reader_crash_costs_one_answer),
                                       TEST(file_is_given_up_after_three_crashes),
                                       TEST(file_that_crashes_at_start_is_given_up),
                                       TEST(reader_hang_costs_one_answer),
                                       TEST(reader_endless_loop_costs_one_answer),
                                       TEST(reader_short_of_cpu_time_is_waited_for),
                                       TEST(file_without_debug_info_starts_no_reader),
                                       TEST(unusable_debug_info_ends_the_reader),
                                       TEST(types_arrive_before_their_answers),
                                       TEST(out_of_range_type_reference_is_ignored),
                                       TEST(more_files_than_readers_all_get_answers),
                                       TEST(busy_file_does_not_starve_others),
                                       TEST(expected_file_is_opened_in_advance),
                                       TEST(readers_over_memory_limit_are_ended),
                                       TEST(cancelled_questions_get_no_answers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#undef TEST

/* Readers of real files: what they find, where, and what files can do to them. */

enum { BASE = 0x7f0000000000, AWAIT_S = 300 };

static const char source[] = "struct point { double x, y; struct point *next; };\n"
                             "struct point table[10] = {{1, 2, 0}};\n"
                             "double outer(int i) { return table[i].x + table[0].y; }\n";

static struct {
    struct module *module;
    struct readers *readers;
    size_t answers;
    struct dwarf_answer last; /* its strings are no longer valid */
    char type[64];
} files_seen;

static void take_type(void *context, uint32_t serial, const struct dwarf_type *type)
{
    (void)context, (void)serial;
    snprintf(files_seen.type, sizeof files_seen.type, "%s", type->desc.name);
}

static void take_answer(void *context, uint32_t serial, const struct dwarf_answer *answer)
{
    (void)context;
    assert_int_equal(serial, 5);
    files_seen.last = *answer;
    files_seen.answers++;
}

static const struct readers_limits patient = {
    .processes = 1, .memory_bytes = 1 << 30, .idle_ms = 60000, .patience_ms = 60000};

static void open_at(const char *path, const struct readers_limits *limits, bool debuginfod)
{
    static const struct readers_take take = {.type = take_type, .answer = take_answer};
    const struct module_source from = {.fd = open(path, O_RDONLY | O_CLOEXEC),
                                       .path = path,
                                       .mapping = &(struct map){.start = BASE},
                                       .serial = 5,
                                       .from = {.debug_root = target_path("root"),
                                                .pid = getpid(),
                                                .live = true,
                                                .debuginfod = debuginfod}};
    assert_true(from.fd >= 0);
    memset(&files_seen, 0, sizeof files_seen);
    files_seen.module = module_new(&from);
    files_seen.readers = readers_new(limits, &take);
    assert_true(files_seen.module && files_seen.readers);
}

static void close_all(void)
{
    readers_free(files_seen.readers);
    module_free(files_seen.module);
    memset(&files_seen, 0, sizeof files_seen);
}

static int files_end(void **state)
{
    (void)state;
    close_all();
    target_run("rm -rf %s/*", target_folder());
    return 0;
}

static bool build(const char *command)
{
    FILE *out = fopen(target_path("a.c"), "w");
    assert_true(out && fputs(source, out) >= 0);
    fclose(out);
    return target_run("cd %s && CC='%s' && ( %s ) >/dev/null 2>&1", target_folder(),
                      getenv("CC") ? getenv("CC") : "cc", command);
}

static void skip_unless(bool can, const char *what)
{
    if (!can) {
        print_message("skipped: no %s\n", what);
        skip();
    }
}

static uint64_t address_of(const char *name)
{
    uint64_t at;
    uint64_t bound;
    module_range(files_seen.module, &at, &bound);
    for (; at < bound; at++) {
        const struct symbol *symbol = module_object(files_seen.module, at);
        if (symbol && !strcmp(symbol->name, name))
            return symbol->start;
    }
    fail_msg("no symbol %s", name);
    return 0;
}

/* Asks for the variable at an address and waits for the answer. */
static void ask(uint64_t address)
{
    const struct dwarf_question question = {.ask = DWARF_VARIABLE, .address = address};
    size_t before = files_seen.answers;
    uint64_t since_ns = clock_now_ns();
    assert_true(readers_ask(files_seen.readers, files_seen.module, &question));
    while (files_seen.answers == before) {
        readers_run(files_seen.readers, clock_now_ns());
        assert_true(clock_now_ns() - since_ns < AWAIT_S * CLOCK_NS_PER_S);
        usleep(1000);
    }
}

static void expect_point(void)
{
    ask(address_of("table") + 32);
    assert_int_equal(files_seen.last.untyped, UNTYPED_NO_REASON);
    assert_int_equal(files_seen.last.count, 10);
    assert_int_equal(files_seen.last.offset, 32);
    assert_string_equal(files_seen.type, "struct point");
}

static void variable_type_is_read_by_reader(void **state)
{
    (void)state;
    skip_unless(build("$CC -g -O1 -shared -fPIC -o a.so a.c"), "compiler");
    open_at(target_path("a.so"), &patient, false);
    expect_point();
    assert_int_equal(readers_status(files_seen.readers).processes, 1);
}

/* Reads through the target's root, which a reader can no longer reach once it is confined. */
static void reader_uses_separate_debug_file(void **state)
{
    (void)state;
    skip_unless(
        build("$CC -g -O1 -shared -fPIC -Wl,--build-id=0xabcdef0123456789 -o x.so a.c && "
              "mkdir -p root/.build-id/ab && strip -o a.so x.so && objcopy --only-keep-debug "
              "x.so root/.build-id/ab/cdef0123456789.debug"),
        "objcopy");
    open_at(target_path("a.so"), &patient, false);
    expect_point();
}

static void stripped_file_starts_no_reader(void **state)
{
    (void)state;
    skip_unless(build("$CC -g -O1 -shared -fPIC -o x.so a.c && strip -o a.so x.so"), "compiler");
    open_at(target_path("a.so"), &patient, false);
    ask(address_of("table"));
    assert_int_equal(files_seen.last.untyped, UNTYPED_NO_DEBUG);
    assert_int_equal(readers_status(files_seen.readers).processes, 0);
}

static void reader_uses_split_dwarf(void **state)
{
    (void)state;
    skip_unless(
        build("$CC -g -gsplit-dwarf -O1 -fPIC -c a.c && $CC -shared -o a.so a.o && [ -s a.dwo ]"),
        "compiler that splits");
    open_at(target_path("a.so"), &patient, false);
    expect_point();
}

/* libdw waits for a writer forever; misstop does not wait for libdw. */
static void fifo_as_dwo_blocks_only_the_reader(void **state)
{
    (void)state;
    struct readers_limits limits = patient;
    limits.patience_ms = 300;
    skip_unless(build("$CC -g -gsplit-dwarf -O1 -fPIC -c a.c && $CC -shared -o a.so a.o && "
                      "[ -s a.dwo ] && rm a.dwo && mkfifo a.dwo"),
                "compiler that splits");
    open_at(target_path("a.so"), &limits, false);
    ask(address_of("table"));
    assert_int_equal(files_seen.last.untyped, UNTYPED_GAVE_UP);
}

/* Truncating a mapped file raises SIGBUS, but only in the reader. */
static void truncated_file_kills_only_the_reader(void **state)
{
    (void)state;
    skip_unless(
        build("$CC -g -O1 -shared -fPIC -Wl,--build-id=0xabcdef0123456789 -o x.so a.c && "
              "mkdir -p root/.build-id/ab && strip -o a.so x.so && objcopy --only-keep-debug "
              "x.so root/.build-id/ab/cdef0123456789.debug"),
        "objcopy");
    open_at(target_path("a.so"), &patient, false);
    uint64_t table = address_of("table");
    assert_true(build("truncate -s 700 root/.build-id/ab/cdef0123456789.debug"));
    ask(table);
    assert_int_not_equal(files_seen.last.untyped, UNTYPED_NO_REASON);
    ask(table);
    assert_int_not_equal(files_seen.last.untyped, UNTYPED_NO_REASON);
}

/* A debuginfod-find of ours, which has one file and leaves a mark that it was asked. */
static bool make_server(void)
{
    return build("$CC -g -O1 -shared -fPIC -Wl,--build-id=0xabcdef0123456789 -o x.so a.c && "
                 "strip -o a.so x.so && objcopy --only-keep-debug x.so served && mkdir bin && "
                 "printf '%s\\n' '#!/bin/sh' 'd=${0%/*}/..' 'echo $1 $2 >$d/asked' "
                 "'[ $2 = abcdef0123456789 ] && echo $d/served' >bin/debuginfod-find && "
                 "chmod +x bin/debuginfod-find");
}

static void ask_with_server(bool urls, bool wanted)
{
    char path[4096];
    snprintf(path, sizeof path, "%s:%s", target_path("bin"), getenv("PATH"));
    char *before = strdup(getenv("PATH"));
    setenv("PATH", path, 1);
    setenv("HOME", target_folder(), 1);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("DEBUGINFOD_CACHE_PATH");
    setenv("DEBUGINFOD_URLS", urls ? "http://localhost:1" : "", 1);
    open_at(target_path("a.so"), &patient, wanted);
    if (urls && wanted)
        expect_point();
    else
        ask(address_of("table"));
    setenv("PATH", before, 1);
    free(before);
}

static void debuginfod_is_asked_if_enabled(void **state)
{
    (void)state;
    skip_unless(make_server(), "objcopy");
    ask_with_server(true, true);
    assert_int_equal(access(target_path("asked"), F_OK), 0);
}

static void debuginfod_is_not_asked_if_disabled(void **state)
{
    (void)state;
    skip_unless(make_server(), "objcopy");
    ask_with_server(true, false);
    assert_int_equal(files_seen.last.untyped, UNTYPED_NO_DEBUG);
    close_all();
    ask_with_server(false, true);
    assert_int_equal(files_seen.last.untyped, UNTYPED_NO_DEBUG);
    assert_int_equal(readers_status(files_seen.readers).processes, 0);
    assert_int_not_equal(access(target_path("asked"), F_OK), 0);
}

/* A file fetched once is available from the start, with local names, without another query. */
static void fetched_debug_file_is_cached(void **state)
{
    (void)state;
    skip_unless(make_server(), "objcopy");
    assert_true(build("d=.cache/debuginfod_client/abcdef0123456789 && mkdir -p $d && "
                      "mv served $d/debuginfo"));
    ask_with_server(true, true);
    assert_int_not_equal(access(target_path("asked"), F_OK), 0);
    target_run("rm -rf %s/.cache", target_folder());
}

static int confined_open(const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC | O_NONBLOCK, 0600);
    return fd < 0 ? errno : 0;
}

static int run_confined(void)
{
    if (!landlock_confine())
        return 77;
    if (confined_open("/dev/zero", O_RDONLY) != EACCES)
        return 1;
    if (confined_open("/proc/self/mem", O_RDONLY) != EACCES)
        return 2;
    if (confined_open(target_path("new"), O_RDWR | O_CREAT) != EACCES)
        return 3;
    if (confined_open(target_path("a.c"), O_RDWR) != EACCES)
        return 4;
    if (confined_open(target_path("a.c"), O_RDONLY))
        return 5;
    if (!access("/bin/true", X_OK))
        execl("/bin/true", "true", (char *)NULL);
    return errno == EACCES ? 0 : 6;
}

static void landlock_confines_but_allows_reading(void **state)
{
    (void)state;
    int status = 0;
    build("true");
    target_path("new");
    pid_t pid = fork();
    if (!pid)
        _exit(run_confined());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    skip_unless(WEXITSTATUS(status) != 77, "Landlock in this kernel");
    assert_int_equal(WEXITSTATUS(status), 0);
}

#define TEST(test) cmocka_unit_test_teardown(test, files_end)

static int run_reader_files(void)
{
    const struct CMUnitTest tests[] = {
        TEST(variable_type_is_read_by_reader),    TEST(reader_uses_separate_debug_file),
        TEST(stripped_file_starts_no_reader),     TEST(reader_uses_split_dwarf),
        TEST(fifo_as_dwo_blocks_only_the_reader), TEST(truncated_file_kills_only_the_reader),
        TEST(debuginfod_is_asked_if_enabled),     TEST(debuginfod_is_not_asked_if_disabled),
        TEST(fetched_debug_file_is_cached),       TEST(landlock_confines_but_allows_reading)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#undef TEST

/* Messages of readers: valid ones survive a round trip, invalid ones are rejected. */

static struct channel_bytes line;
static struct arena strings;
static struct wire_message taken;

static int wire_end(void **state)
{
    (void)state;
    free(line.at);
    line = (struct channel_bytes){0};
    arena_fini(&strings);
    return 0;
}

static void put_message(enum wire_kind kind, struct wire_message message)
{
    assert_true(wire_put(&line, kind, &message));
}

static enum wire_kind take_message(void)
{
    return wire_take(&line, &taken, &strings);
}

static struct dwarf_answer some_answer(void)
{
    return (struct dwarf_answer){.untyped = UNTYPED_VOID,
                                 .how = DWARF_HOW_STACK,
                                 .slot = DWARF_SLOT_SPILL,
                                 .type = 9,
                                 .count = 1ull << 40,
                                 .offset = -8,
                                 .indexed = true,
                                 .size = 64,
                                 .name = "list",
                                 .file = "/src/a.c",
                                 .line = 77,
                                 .inlined_count = 2,
                                 .inlined = {"min", NULL},
                                 .inlined_file = {NULL, "b.h"},
                                 .inlined_line = {3, 4}};
}

static const struct type_member two_members[] = {
    {.name = "at", .type = "struct point", .size = 16, .parent = TYPE_NO_MEMBER},
    {.name = "y",
     .type = "double",
     .offset = 8,
     .size = 8,
     .parent = 0,
     .depth = 1,
     .bit_offset = 3,
     .bit_size = 5}};

static struct dwarf_type some_type(void)
{
    return (struct dwarf_type){.type = 3,
                               .desc = {.name = "struct atom",
                                        .kind = TYPE_STRUCT,
                                        .size = 24,
                                        .members = two_members,
                                        .member_count = 2}};
}

static void wire_transfers_a_question(void **state)
{
    (void)state;
    const struct dwarf_question question = {.ask = DWARF_SLOT,
                                            .pc = 1,
                                            .address = 1ull << 63,
                                            .slot = -16,
                                            .displacement = INT64_MIN,
                                            .base = 3,
                                            .index = 4,
                                            .size = 5};
    put_message(WIRE_QUESTION, (struct wire_message){.number = 12, .question = question});
    assert_int_equal(take_message(), WIRE_QUESTION);
    assert_int_equal(taken.number, 12);
    assert_int_equal(taken.question.ask, DWARF_SLOT);
    assert_int_equal(taken.question.address, 1ull << 63);
    assert_int_equal(taken.question.slot, -16);
    assert_true(taken.question.displacement == INT64_MIN);
    assert_int_equal(taken.question.base, 3);
    assert_int_equal(taken.question.index, 4);
    assert_int_equal(taken.question.size, 5);
    assert_int_equal(take_message(), WIRE_NOTHING);
}

static void wire_transfers_an_answer(void **state)
{
    (void)state;
    put_message(WIRE_ANSWER, (struct wire_message){.number = 1, .answer = some_answer()});
    assert_int_equal(take_message(), WIRE_ANSWER);
    assert_int_equal(taken.answer.untyped, UNTYPED_VOID);
    assert_int_equal(taken.answer.how, DWARF_HOW_STACK);
    assert_int_equal(taken.answer.slot, DWARF_SLOT_SPILL);
    assert_int_equal(taken.answer.type, 9);
    assert_int_equal(taken.answer.count, 1ull << 40);
    assert_int_equal(taken.answer.offset, -8);
    assert_true(taken.answer.indexed);
    assert_string_equal(taken.answer.name, "list");
    assert_string_equal(taken.answer.file, "/src/a.c");
    assert_int_equal(taken.answer.line, 77);
    assert_string_equal(taken.answer.inlined[0], "min");
    assert_null(taken.answer.inlined[1]);
    assert_string_equal(taken.answer.inlined_file[1], "b.h");
    assert_int_equal(taken.answer.inlined_line[1], 4);
}

static void wire_transfers_a_type(void **state)
{
    (void)state;
    put_message(WIRE_TYPE, (struct wire_message){.type = some_type()});
    assert_int_equal(take_message(), WIRE_TYPE);
    const struct type_desc *desc = &taken.type.desc;
    assert_int_equal(taken.type.type, 3);
    assert_string_equal(desc->name, "struct atom");
    assert_int_equal(desc->kind, TYPE_STRUCT);
    assert_int_equal(desc->size, 24);
    assert_int_equal(desc->member_count, 2);
    assert_false(desc->is_truncated);
    assert_string_equal(desc->members[1].name, "y");
    assert_string_equal(desc->members[1].type, "double");
    assert_int_equal(desc->members[1].offset, 8);
    assert_int_equal(desc->members[1].parent, 0);
    assert_int_equal(desc->members[1].bit_size, 5);
}

static void partial_wire_message_is_not_taken(void **state)
{
    (void)state;
    put_message(WIRE_ANSWER, (struct wire_message){.answer = some_answer()});
    size_t whole = line.end;
    for (line.end = 0; line.end < whole; line.end++)
        assert_int_equal(take_message(), WIRE_NOTHING);
    assert_int_equal(take_message(), WIRE_ANSWER);
}

static void wire_strings_are_sanitised(void **state)
{
    (void)state;
    struct dwarf_answer answer = some_answer();
    answer.name = "a\033[2Jb";
    put_message(WIRE_ANSWER, (struct wire_message){.answer = answer});
    assert_int_equal(take_message(), WIRE_ANSWER);
    assert_string_equal(taken.answer.name, "a?[2Jb");
}

static void oversized_wire_type_is_cut(void **state)
{
    (void)state;
    static char name[WIRE_TEXT_MAX + 1];
    static struct type_member members[TYPE_MEMBERS_MAX + 10];
    memset(name, 'x', WIRE_TEXT_MAX);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        members[i] = (struct type_member){.name = name, .type = name, .parent = TYPE_NO_MEMBER};
    struct dwarf_type type = some_type();
    type.desc.members = members;
    type.desc.member_count = TYPE_MEMBERS_MAX + 10;
    put_message(WIRE_TYPE, (struct wire_message){.type = type});
    assert_int_equal(take_message(), WIRE_TYPE);
    assert_in_range(taken.type.desc.member_count, 100, 200);
    assert_true(taken.type.desc.is_truncated);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        members[i].name = members[i].type = "x";
    put_message(WIRE_TYPE, (struct wire_message){.type = type});
    assert_int_equal(take_message(), WIRE_TYPE);
    assert_int_equal(taken.type.desc.member_count, TYPE_MEMBERS_MAX);
    assert_true(taken.type.desc.is_truncated);
}

/* An invalid member is dropped with all members after it. */
static void misplaced_wire_members_are_cut(void **state)
{
    (void)state;
    const struct type_member wrong[] = {
        {.name = "a", .type = "int", .parent = 1, .depth = 1},
        {.name = "a", .type = "int", .parent = 0, .depth = 2},
        {.name = "a", .type = "int", .parent = TYPE_NO_MEMBER, .depth = 1},
        {.name = "a", .type = "int", .parent = TYPE_NO_MEMBER, .kind = 9},
        {.name = "a", .type = "int", .parent = TYPE_NO_MEMBER, .count = 4},
        {.name = "a", .type = "int", .parent = TYPE_NO_MEMBER, .offset = 8, .size = UINT64_MAX},
        {.type = "int", .parent = TYPE_NO_MEMBER}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct type_member members[3] = {two_members[0], wrong[i], two_members[1]};
        struct dwarf_type type = some_type();
        type.desc.members = members;
        type.desc.member_count = 3;
        put_message(WIRE_TYPE, (struct wire_message){.type = type});
        assert_int_equal(take_message(), WIRE_TYPE);
        assert_int_equal(taken.type.desc.member_count, 1);
        assert_true(taken.type.desc.is_truncated);
    }
}

/* Random bytes: no access outside the buffer, and no more than it can hold. */
static void mutated_wire_messages_are_harmless(void **state)
{
    (void)state;
    struct prng prng = {.state = 4};
    unsigned kinds[WIRE_ANSWER + 1] = {0};
    for (int i = 0; i < 20000; i++) {
        put_message(WIRE_TYPE, (struct wire_message){.type = some_type()});
        put_message(WIRE_ANSWER, (struct wire_message){.answer = some_answer()});
        /* Allocated to the exact size, so that a sanitizer detects an overrun. */
        unsigned char *exact = malloc(line.end);
        struct channel_bytes hostile = {.at = exact, .end = line.end, .room = line.end};
        memcpy(exact, line.at, line.end);
        for (int changes = 0; changes < 3; changes++)
            exact[prng_below(&prng, (uint32_t)line.end)] = (unsigned char)prng_next(&prng);
        enum wire_kind kind;
        while ((kind = wire_take(&hostile, &taken, &strings)) > WIRE_BROKEN) {
            if (kind == WIRE_TYPE)
                assert_in_range(taken.type.desc.member_count, 0, 2);
            kinds[kind]++;
        }
        kinds[kind]++;
        assert_true(strings.used_bytes < 65536);
        arena_fini(&strings);
        free(exact);
        line.start = line.end = 0;
    }
    assert_true(kinds[WIRE_BROKEN] > 100 && kinds[WIRE_TYPE] > 100 && kinds[WIRE_ANSWER] > 100);
}

#define TEST(test) cmocka_unit_test_teardown(test, wire_end)

static int run_wire(void)
{
    const struct CMUnitTest tests[] = {
        TEST(wire_transfers_a_question),      TEST(wire_transfers_an_answer),
        TEST(wire_transfers_a_type),          TEST(partial_wire_message_is_not_taken),
        TEST(wire_strings_are_sanitised),     TEST(oversized_wire_type_is_cut),
        TEST(misplaced_wire_members_are_cut), TEST(mutated_wire_messages_are_harmless)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#undef TEST

int main(void)
{
    int failed = 0;
    failed += run_reader();
    failed += run_reader_files();
    failed += run_wire();
    return failed;
}
