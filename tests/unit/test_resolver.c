/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The resolver on a live child whose variables, stacks, TLS and mappings the test knows. */
#include "unit.h"

#include "resolve/objects.h"
#include "resolve/process/maps.h"
#include "resolve/elf/module.h"
#include "resolve/resolver.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int resolver_test_global[1000];
static int initialised[64] = {1};
static __thread long thread_variable[8];

struct known {
    uint64_t global, initialised, tls, thread_tls, heap, stack, thread_stack, anonymous, libc_code;
    uint32_t tid;
};

static int to_parent;

static void *thread_main(void *data)
{
    struct known *known = data;
    long local = 1;
    known->thread_tls = (uint64_t)(uintptr_t)&thread_variable[2];
    known->thread_stack = (uint64_t)(uintptr_t)&local;
    known->tid = (uint32_t)syscall(SYS_gettid);
    if (write(to_parent, known, sizeof *known) < 0)
        _exit(1);
    for (;;)
        pause();
    return NULL;
}

static void child_main(void)
{
    struct known known = {0};
    long local = 2;
    pthread_t thread;
    char *map = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    map[0] = 1;
    known.global = (uint64_t)(uintptr_t)&resolver_test_global[500];
    known.initialised = (uint64_t)(uintptr_t)&initialised[3];
    known.tls = (uint64_t)(uintptr_t)&thread_variable[1];
    known.heap = (uint64_t)(uintptr_t)sbrk(4096);
    known.stack = (uint64_t)(uintptr_t)&local;
    known.anonymous = (uint64_t)(uintptr_t)map + 4096;
    known.libc_code = (uint64_t)(uintptr_t)&qsort;
    pthread_create(&thread, NULL, thread_main, &known);
    for (;;)
        pause();
}

static pid_t child;
static struct known known;
static struct resolver *resolver;

static int start_child(void **state)
{
    int pipes[2];
    struct error error;
    (void)state;
    if (pipe(pipes))
        return -1;
    to_parent = pipes[1];
    child = fork();
    if (!child)
        child_main();
    if (read(pipes[0], &known, sizeof known) != sizeof known)
        return -1;
    struct resolver_options options = {.pid = child, .live = true};
    return resolver_open(&resolver, &options, &error);
}

static int end_child(void **state)
{
    (void)state;
    resolver_close(resolver);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    return 0;
}

static struct place resolve(uint64_t address, uint8_t base)
{
    struct access access = {.address = address,
                            .ip = known.libc_code,
                            .base = base,
                            .index = SREG_NONE,
                            .tid = known.tid};
    struct place place;
    resolver_resolve(resolver, &access, NULL, &place);
    return place;
}

static void expect(uint64_t address, const char *name, enum object_kind kind, uint64_t offset)
{
    struct object_desc desc;
    struct place_names names = resolver_names(resolver);
    struct place place = resolve(address, SREG_NONE);
    assert_int_equal(place.access.reason, REASON_NONE);
    assert_true(names.object(names.context, place.object, &desc));
    assert_string_equal(desc.name, name);
    assert_int_equal(desc.kind, kind);
    assert_int_equal(address - place.base, offset);
}

static void variables_have_their_names_and_offsets(void **state)
{
    (void)state;
    expect(known.global, "resolver_test_global", OBJECT_GLOBAL, 2000);
    expect(known.initialised, "initialised", OBJECT_GLOBAL, 12);
    assert_int_equal(resolve(known.global, SREG_NONE).size_bytes, 4000);
}

static void thread_local_variables_are_found_without_stopping(void **state)
{
    (void)state;
    uint64_t base;
    /* Finding fs for any thread finds the blocks of all. */
    if (!resolver_segment(resolver, known.tid, false, &base))
        skip(); /* another libc lays its blocks out differently */
    expect(known.tls, "thread_variable", OBJECT_TLS, 8);
    expect(known.thread_tls, "thread_variable", OBJECT_TLS, 16);
    assert_int_equal(resolve(known.tls, SREG_NONE).object,
                     resolve(known.thread_tls, SREG_NONE).object);
}

static void stacks_heap_and_mappings_are_told_apart(void **state)
{
    (void)state;
    struct object_desc desc;
    struct place_names names = resolver_names(resolver);
    struct place place = resolve(known.stack, SREG_SP);
    assert_true(names.object(names.context, place.object, &desc));
    assert_int_equal(desc.kind, OBJECT_STACK);
    uint32_t main_stack = place.object;
    place = resolve(known.thread_stack, SREG_SP);
    assert_int_equal(place.object, main_stack); /* one bin, an instance per thread */
    place = resolve(known.heap, SREG_NONE);
    assert_true(names.object(names.context, place.object, &desc));
    assert_string_equal(desc.name, "[heap]");
    place = resolve(known.anonymous, SREG_NONE);
    assert_true(names.object(names.context, place.object, &desc));
    assert_true(desc.kind == OBJECT_ANON || desc.kind == OBJECT_HEAP);
}

static void functions_of_libraries_have_names_and_bounds(void **state)
{
    (void)state;
    uint64_t start;
    uint64_t end;
    struct function_desc desc;
    struct place_names names = resolver_names(resolver);
    struct place place = resolve(known.global, SREG_NONE);
    assert_true(names.function(names.context, place.function, &desc));
    assert_non_null(strstr(desc.name, "qsort"));
    assert_true(resolver_function_bounds(resolver, known.libc_code, &start, &end));
    assert_true(start == known.libc_code && end > start);
}

static void nothing_mapped_is_a_bad_address(void **state)
{
    (void)state;
    assert_int_equal(resolve(16, SREG_NONE).access.reason, REASON_BAD_ADDRESS);
}

static void extents_never_cut_an_object(void **state)
{
    (void)state;
    struct object_extent extent;
    struct place_names names = resolver_names(resolver);
    assert_true(names.extent(names.context, known.global, &extent));
    assert_int_equal(extent.bound - extent.base, 4000);
    assert_true(extent.object);
    assert_true(names.extent(names.context, 16, &extent));
    assert_int_equal(extent.object, 0);
    assert_true(extent.bound > 4096);
}

static void processes_that_cannot_be_watched_are_refused(void **state)
{
    (void)state;
    struct error error = {0};
    pid_t zombie = fork();
    if (!zombie)
        _exit(0);
    siginfo_t ended;
    assert_int_equal(waitid(P_PID, (id_t)zombie, &ended, WEXITED | WNOWAIT), 0);
    assert_int_equal(resolver_check(zombie, &error), -ESRCH);
    assert_non_null(strstr(error.text, "zombie"));
    waitpid(zombie, NULL, 0);
    assert_int_equal(resolver_check(zombie, &error), -ESRCH);
    assert_int_equal(resolver_check(2, &error), -ENOTSUP);
    assert_int_equal(resolver_check(getpid(), &error), 0);
}

/* A file cut at every 64 bytes gives fewer names, never a crash. */
static void truncated_files_are_survived(void **state)
{
    (void)state;
    static unsigned char bytes[1 << 16];
    int in = open("/proc/self/exe", O_RDONLY);
    ssize_t size = read(in, bytes, sizeof bytes);
    close(in);
    int opened = 0;
    for (ssize_t cut = 0; cut <= size; cut += 64) {
        int fd = memfd_create("cut", 0);
        assert_int_equal(write(fd, bytes, (size_t)cut), cut);
        struct module *module = module_new(
            &(struct module_source){.fd = fd, .path = "/tmp/cut", .mapping = {.start = 0x10000}});
        if (module) {
            uint64_t start = 0;
            uint64_t end = 0;
            module_function(module, 0x11000);
            module_frame(module, 0x11000, &start, &end);
            opened++;
        }
        module_free(module);
    }
    print_message("%zd cuts, %d still opened\n", size / 64, opened);
}

static void mappings_replace_what_they_cover(void **state)
{
    (void)state;
    struct maps maps = {0};
    struct sample_mapping whole = {.start = 0x10000, .length = 0x10000, .path = "/a"};
    struct sample_mapping middle = {
        .start = 0x14000, .length = 0x2000, .path = "/b", .executable = true};
    assert_int_equal(maps_add(&maps, &whole), 0);
    assert_int_equal(maps_add(&maps, &middle), 0);
    assert_int_equal(maps.count, 3);
    assert_string_equal(maps_name(&maps, maps_find(&maps, 0x15000)), "/b");
    assert_string_equal(maps_name(&maps, maps_find(&maps, 0x16000)), "/a");
    assert_int_equal(maps_find(&maps, 0x16000)->offset, 0x6000);
    assert_null(maps_find(&maps, 0x20000));
    whole.start = 0;
    whole.length = 0x40000;
    whole.path = "//anon";
    assert_int_equal(maps_add(&maps, &whole), 0);
    assert_int_equal(maps.count, 1);
    assert_int_equal(maps.maps[0].kind, MAPPING_ANON);
    maps_fini(&maps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_have_their_names_and_offsets),
        cmocka_unit_test(thread_local_variables_are_found_without_stopping),
        cmocka_unit_test(stacks_heap_and_mappings_are_told_apart),
        cmocka_unit_test(functions_of_libraries_have_names_and_bounds),
        cmocka_unit_test(nothing_mapped_is_a_bad_address),
        cmocka_unit_test(extents_never_cut_an_object),
        cmocka_unit_test(processes_that_cannot_be_watched_are_refused),
        cmocka_unit_test(truncated_files_are_survived),
        cmocka_unit_test(mappings_replace_what_they_cover),
    };
    return cmocka_run_group_tests_name("resolver", tests, start_child, end_child);
}
