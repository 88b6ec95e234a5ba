/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Readers over real files: what they find, from whom, and what files can do to them. */
#include "unit.h"

#include "base/clock.h"
#include "resolve/dwarf/worker.h"
#include "resolve/dwarf/reader.h"
#include "resolve/elf/module.h"
#include "target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BASE = 0x7f0000000000, AWAIT_S = 300 };

static const char source[] = "struct point { double x, y; struct point *next; };\n"
                             "struct point table[10] = {{1, 2, 0}};\n"
                             "double outer(int i) { return table[i].x + table[0].y; }\n";

static struct {
    struct module *module;
    struct readers *readers;
    size_t answers;
    struct dwarf_answer last; /* its strings are gone */
    char type[64];
} seen;

static void take_type(void *context, uint32_t serial, const struct dwarf_type *type)
{
    (void)context, (void)serial;
    snprintf(seen.type, sizeof seen.type, "%s", type->desc.name);
}

static void take_answer(void *context, uint32_t serial, const struct dwarf_answer *answer)
{
    (void)context;
    assert_int_equal(serial, 5);
    seen.last = *answer;
    seen.answers++;
}

static const struct readers_limits patient = {
    .processes = 1, .memory_bytes = 1 << 30, .idle_ms = 60000, .patience_ms = 60000};

static void open_at(const char *path, const struct readers_limits *limits, bool debuginfod)
{
    static const struct readers_take take = {.type = take_type, .answer = take_answer};
    const struct module_source from = {
        .fd = open(path, O_RDONLY | O_CLOEXEC),
        .path = path,
        .mapping = {.start = BASE},
        .serial = 5,
        .debug = {.root = target_path("root"), .root_of = getpid(), .debuginfod = debuginfod}};
    assert_true(from.fd >= 0);
    memset(&seen, 0, sizeof seen);
    seen.module = module_new(&from);
    seen.readers = readers_new(limits, &take);
    assert_true(seen.module && seen.readers);
}

static void close_all(void)
{
    readers_free(seen.readers);
    module_free(seen.module);
    memset(&seen, 0, sizeof seen);
}

static int end(void **state)
{
    (void)state;
    close_all();
    target_run("rm -rf %s/*", target_folder());
    return 0;
}

static bool make(const char *command)
{
    FILE *out = fopen(target_path("a.c"), "w");
    assert_true(out && fputs(source, out) >= 0);
    fclose(out);
    return target_run("cd %s && CC='%s' && ( %s ) >/dev/null 2>&1", target_folder(),
                      getenv("CC") ? getenv("CC") : "cc", command);
}

static void need(bool can, const char *what)
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
    module_range(seen.module, &at, &bound);
    for (; at < bound; at++) {
        const struct symbol *symbol = module_object(seen.module, at);
        if (symbol && !strcmp(symbol->name, name))
            return symbol->start;
    }
    fail_msg("no symbol %s", name);
    return 0;
}

/* Asks for the variable at an address and waits for what is said. */
static void ask(uint64_t address)
{
    const struct dwarf_question question = {.ask = DWARF_VARIABLE, .address = address};
    size_t before = seen.answers;
    uint64_t since_ns = clock_now_ns();
    assert_true(readers_ask(seen.readers, seen.module, &question));
    while (seen.answers == before) {
        readers_run(seen.readers, clock_now_ns());
        assert_true(clock_now_ns() - since_ns < AWAIT_S * CLOCK_NS_PER_S);
        usleep(1000);
    }
}

static void expect_point(void)
{
    ask(address_of("table") + 32);
    assert_int_equal(seen.last.untyped, UNTYPED_NO_REASON);
    assert_int_equal(seen.last.count, 10);
    assert_int_equal(seen.last.offset, 32);
    assert_string_equal(seen.type, "struct point");
}

static void a_variable_has_its_type(void **state)
{
    (void)state;
    need(make("$CC -g -O1 -shared -fPIC -o a.so a.c"), "compiler");
    open_at(target_path("a.so"), &patient, false);
    expect_point();
    assert_int_equal(readers_status(seen.readers).processes, 1);
}

/* Through the target's root, which a reader has no way to any more once it reads. */
static void a_debug_file_is_read(void **state)
{
    (void)state;
    need(make("$CC -g -O1 -shared -fPIC -Wl,--build-id=0xabcdef0123456789 -o x.so a.c && "
              "mkdir -p root/.build-id/ab && strip -o a.so x.so && objcopy --only-keep-debug "
              "x.so root/.build-id/ab/cdef0123456789.debug"),
         "objcopy");
    open_at(target_path("a.so"), &patient, false);
    expect_point();
}

static void a_stripped_file_needs_no_process(void **state)
{
    (void)state;
    need(make("$CC -g -O1 -shared -fPIC -o x.so a.c && strip -o a.so x.so"), "compiler");
    open_at(target_path("a.so"), &patient, false);
    ask(address_of("table"));
    assert_int_equal(seen.last.untyped, UNTYPED_NO_DEBUG);
    assert_int_equal(readers_status(seen.readers).processes, 0);
}

static void split_files_are_read(void **state)
{
    (void)state;
    need(make("$CC -g -gsplit-dwarf -O1 -fPIC -c a.c && $CC -shared -o a.so a.o && [ -s a.dwo ]"),
         "compiler that splits");
    open_at(target_path("a.so"), &patient, false);
    expect_point();
}

/* libdw waits for a writer for ever; we do not wait for libdw. */
static void a_fifo_holds_only_the_reader(void **state)
{
    (void)state;
    struct readers_limits limits = patient;
    limits.patience_ms = 300;
    need(make("$CC -g -gsplit-dwarf -O1 -fPIC -c a.c && $CC -shared -o a.so a.o && "
              "[ -s a.dwo ] && rm a.dwo && mkfifo a.dwo"),
         "compiler that splits");
    open_at(target_path("a.so"), &limits, false);
    ask(address_of("table"));
    assert_int_equal(seen.last.untyped, UNTYPED_GAVE_UP);
}

/* Cut short while it is being read, a mapped file is a SIGBUS: in the reader alone. */
static void a_file_cut_short_kills_only_the_reader(void **state)
{
    (void)state;
    need(make("$CC -g -O1 -shared -fPIC -Wl,--build-id=0xabcdef0123456789 -o x.so a.c && "
              "mkdir -p root/.build-id/ab && strip -o a.so x.so && objcopy --only-keep-debug "
              "x.so root/.build-id/ab/cdef0123456789.debug"),
         "objcopy");
    open_at(target_path("a.so"), &patient, false);
    uint64_t table = address_of("table");
    assert_true(make("truncate -s 700 root/.build-id/ab/cdef0123456789.debug"));
    ask(table);
    assert_int_not_equal(seen.last.untyped, UNTYPED_NO_REASON);
    ask(table);
    assert_int_not_equal(seen.last.untyped, UNTYPED_NO_REASON);
}

/* A debuginfod-find of ours, which has one file and leaves a mark that it was asked. */
static bool make_server(void)
{
    return make("$CC -g -O1 -shared -fPIC -Wl,--build-id=0xabcdef0123456789 -o x.so a.c && "
                "strip -o a.so x.so && objcopy --only-keep-debug x.so served && mkdir bin && "
                "printf '%s\\n' '#!/bin/sh' 'd=${0%/*}/..' 'echo $1 $2 >$d/asked' "
                "'[ $2 = abcdef0123456789 ] && echo $d/served' >bin/debuginfod-find && "
                "chmod +x bin/debuginfod-find");
}

static void with_server(bool urls, bool wanted)
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

static void servers_are_asked_by_those_who_want_it(void **state)
{
    (void)state;
    need(make_server(), "objcopy");
    with_server(true, true);
    assert_int_equal(access(target_path("asked"), F_OK), 0);
}

static void nobody_is_asked_otherwise(void **state)
{
    (void)state;
    need(make_server(), "objcopy");
    with_server(true, false);
    assert_int_equal(seen.last.untyped, UNTYPED_NO_DEBUG);
    close_all();
    with_server(false, true);
    assert_int_equal(seen.last.untyped, UNTYPED_NO_DEBUG);
    assert_int_equal(readers_status(seen.readers).processes, 0);
    assert_int_not_equal(access(target_path("asked"), F_OK), 0);
}

/* What was fetched once is there from the start, local names too, without asking again. */
static void what_was_fetched_is_kept(void **state)
{
    (void)state;
    need(make_server(), "objcopy");
    assert_true(make("d=.cache/debuginfod_client/abcdef0123456789 && mkdir -p $d && "
                     "mv served $d/debuginfo"));
    with_server(true, true);
    assert_int_not_equal(access(target_path("asked"), F_OK), 0);
    target_run("rm -rf %s/.cache", target_folder());
}

static int confined_open(const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC | O_NONBLOCK, 0600);
    return fd < 0 ? errno : 0;
}

static int try_confined(void)
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

static void landlock_leaves_files_to_read(void **state)
{
    (void)state;
    int status = 0;
    make("true");
    target_path("new");
    pid_t pid = fork();
    if (!pid)
        _exit(try_confined());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    need(WEXITSTATUS(status) != 77, "Landlock in this kernel");
    assert_int_equal(WEXITSTATUS(status), 0);
}

#define TEST(test) cmocka_unit_test_teardown(test, end)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(a_variable_has_its_type),
                                       TEST(a_debug_file_is_read),
                                       TEST(a_stripped_file_needs_no_process),
                                       TEST(split_files_are_read),
                                       TEST(a_fifo_holds_only_the_reader),
                                       TEST(a_file_cut_short_kills_only_the_reader),
                                       TEST(servers_are_asked_by_those_who_want_it),
                                       TEST(nobody_is_asked_otherwise),
                                       TEST(what_was_fetched_is_kept),
                                       TEST(landlock_leaves_files_to_read)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
