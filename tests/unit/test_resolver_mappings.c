/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What mappings without an ELF file are called, on mappings of this process. */
#include "unit.h"

#include "resolve/resolver_state.h"
#include "target.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef PR_SET_VMA
#define PR_SET_VMA           0x53564d41
#define PR_SET_VMA_ANON_NAME 0
#endif

static struct resolver *resolver;

static int begin(void **state)
{
    struct target self = {.pid = getpid()};
    (void)state;
    resolver = target_watch(&self);
    return 0;
}

static int end(void **state)
{
    (void)state;
    resolver_close(resolver);
    return 0;
}

/* Holes around it, so that the kernel joins it to no neighbour. */
static char *map_alone(size_t size, int flags, int fd)
{
    char *room = mmap(NULL, size + 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *map = mmap(room + 4096, size, PROT_READ | PROT_WRITE, flags | MAP_FIXED, fd, 0);
    assert_ptr_not_equal(map, MAP_FAILED);
    map[0] = 0;
    return map;
}

static const char *name_of(const void *at)
{
    resolver->space.reread_ns = 0;
    space_reread(&resolver->space, 1);
    return target_object(resolver, (uintptr_t)at);
}

static void names_given_by_prctl(void **state)
{
    (void)state;
    char *map = map_alone(1 << 16, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    if (prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, map, 1 << 16, "page pool")) {
        print_message("skipped: the kernel has no CONFIG_ANON_VMA_NAME\n");
        skip();
    }
    assert_string_equal(name_of(map + 5000), "[page pool]");
}

/* As the kernel would write it; this one may not have such names. */
static void names_in_records_and_lines(void **state)
{
    (void)state;
    struct record record = {
        .kind = RECORD_MAPPING,
        .pid = (uint32_t)getpid(),
        .mapping = {.start = 0x10000, .length = 0x10000, .path = "[anon:\033]0;title\a]"}};
    resolver->space.reread_ns = UINT64_MAX; /* /proc knows nothing of it */
    resolver_record(resolver, &record);
    assert_string_equal(target_object(resolver, 0x12345), "[?]");
    record.mapping.start = 0x30000;
    record.mapping.path = "[anon:a\033b]";
    resolver_record(resolver, &record);
    assert_string_equal(target_object(resolver, 0x30000), "[a?b]");
}

static void without_a_name_the_address_tells(void **state)
{
    (void)state;
    char wanted[64];
    char *map = map_alone(1 << 16, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    snprintf(wanted, sizeof wanted, "[anon %p]", (void *)map);
    assert_string_equal(name_of(map), wanted);
}

static void memory_files_and_shared_memory(void **state)
{
    (void)state;
    int fd = memfd_create("frame/buffer\033[2J", 0);
    assert_int_equal(ftruncate(fd, 4096), 0);
    char *map = map_alone(4096, MAP_SHARED, fd);
    assert_string_equal(name_of(map), "memfd:frame/buffer?[2J");
    map = map_alone(1 << 16, MAP_SHARED | MAP_ANONYMOUS, -1);
    assert_string_equal(name_of(map), "shared memory");
    fd = shm_open("/misstop\033[1mtest", O_RDWR | O_CREAT, 0600);
    if (fd < 0)
        skip();
    assert_int_equal(ftruncate(fd, 4096), 0);
    map = map_alone(4096, MAP_SHARED, fd);
    assert_string_equal(name_of(map), "misstop?[1mtest");
    shm_unlink("/misstop\033[1mtest");
    assert_string_equal(name_of(map), "misstop?[1mtest"); /* deleted now */
}

static char *shared_memory(const char *name)
{
    int fd = shm_open(name, O_RDWR | O_CREAT, 0600);
    if (fd < 0)
        skip();
    assert_int_equal(ftruncate(fd, 4096), 0);
    char *map = map_alone(4096, MAP_SHARED, fd);
    shm_unlink(name);
    return map;
}

/* As postgres has them, a new one for each query. */
static void numbered_shared_memory_is_one(void **state)
{
    (void)state;
    assert_string_equal(name_of(shared_memory("/misstop_test.2564281842.a")), "misstop_test.*.a");
    assert_string_equal(name_of(shared_memory("/misstop_test.97.b")), "misstop_test.97.b");
    struct place one;
    struct place other;
    char *first = shared_memory("/misstop_test.1974817536.a");
    char *second = shared_memory("/misstop_test.225641.a");
    assert_string_equal(name_of(second), "misstop_test.*.a");
    struct access access = {.address = (uintptr_t)first, .how = ACCESS_RECORDED, .size = 8};
    resolver_resolve(resolver, &access, NULL, &one);
    access.address = (uintptr_t)second;
    resolver_resolve(resolver, &access, NULL, &other);
    assert_int_equal(one.object, other.object);
    assert_int_not_equal(one.base, other.base);
}

static void files_by_their_last_name(void **state)
{
    (void)state;
    int fd = open(target_path("table of\nthings"), O_RDWR | O_CREAT, 0600);
    assert_int_equal(ftruncate(fd, 4096), 0);
    char *map = map_alone(4096, MAP_SHARED, fd);
    assert_string_equal(name_of(map), "table of\\012things"); /* as /proc escapes it */
}

/* A FIFO or device in place of a mapped file must not be opened. */
static void a_file_that_became_a_fifo(void **state)
{
    (void)state;
    const char *path = target_path("file");
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    assert_int_equal(ftruncate(fd, 4096), 0);
    char *map = map_alone(4096, MAP_SHARED, fd);
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_string_equal(name_of(map), "file");
}

static void blocks_of_malloc(void **state)
{
    (void)state;
    char *block = malloc(64 << 20);
    block[0] = 1;
    const char *name = name_of(block + 4096);
    assert_true(!strncmp(name, "[malloc block", 13) || !strncmp(name, "[anon", 5));
    free(block);
}

/* A stack of a coroutine inside a large mapping does not make all of it a stack. */
static void large_mappings_are_no_stacks(void **state)
{
    (void)state;
    struct place place;
    struct object_desc desc;
    struct place_names names = resolver_names(resolver);
    char *large = map_alone(64 << 20, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
    char *small = map_alone(1 << 16, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    struct access access = {.address = (uintptr_t)large + 4096, .base = SREG_SP};
    name_of(large);
    resolver_resolve(resolver, &access, NULL, &place);
    assert_true(names.object(names.context, place.object, &desc));
    assert_int_not_equal(desc.kind, OBJECT_STACK);
    access.address = (uintptr_t)small + 4096;
    resolver_resolve(resolver, &access, NULL, &place);
    assert_true(names.object(names.context, place.object, &desc));
    assert_int_equal(desc.kind, OBJECT_STACK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(names_given_by_prctl, begin, end),
        cmocka_unit_test_setup_teardown(names_in_records_and_lines, begin, end),
        cmocka_unit_test_setup_teardown(without_a_name_the_address_tells, begin, end),
        cmocka_unit_test_setup_teardown(memory_files_and_shared_memory, begin, end),
        cmocka_unit_test_setup_teardown(numbered_shared_memory_is_one, begin, end),
        cmocka_unit_test_setup_teardown(files_by_their_last_name, begin, end),
        cmocka_unit_test_setup_teardown(a_file_that_became_a_fifo, begin, end),
        cmocka_unit_test_setup_teardown(blocks_of_malloc, begin, end),
        cmocka_unit_test_setup_teardown(large_mappings_are_no_stacks, begin, end),
    };
    return cmocka_run_group_tests_name("resolver_mappings", tests, NULL, NULL);
}
