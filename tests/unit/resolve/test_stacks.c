/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adjacent stacks, guessed stacks, and a stack in one line of /proc/PID/maps with two blocks. */
#include <fcntl.h>
#include <gelf.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "resolve/elf/cfi.h"
#include "resolve/objects.h"
#include "resolve/process/threads.h"
#include "unit.h"

static struct stacks stacks;

static int end(void **state)
{
    (void)state;
    stacks_fini(&stacks);
    return 0;
}

static void expect(uint64_t address, uint64_t start, uint64_t stop, uint32_t tid)
{
    const struct stack *stack = stacks_find(&stacks, address);
    assert_non_null(stack);
    assert_int_equal(stack->start, start);
    assert_int_equal(stack->end, stop);
    assert_int_equal(stack->tid, tid);
}

static void expect_ordered_stacks(void)
{
    for (size_t i = 0; i < stacks.count; i++) {
        assert_true(stacks.stacks[i].start < stacks.stacks[i].end);
        assert_true(!i || stacks.stacks[i - 1].end <= stacks.stacks[i].start);
    }
}

static void addresses_beside_a_stack_are_not_found(void **state)
{
    const struct maps none = {0};
    const struct tcb tcb = {
        .base = 0x2f000, .stack_start = 0x20000, .stack_end = 0x30000, .tid = 7};
    uint64_t start = 0x10000;
    uint64_t stop = 0x50000;
    (void)state;
    stacks_of_thread(&stacks, &tcb, &none);
    stacks_of_thread(&stacks, &tcb, &none); /* as in each tick */
    assert_int_equal(stacks.count, 1);
    expect(0x20000, 0x20000, 0x30000, 7);
    assert_null(stacks_find(&stacks, 0x1ffff));
    assert_null(stacks_find(&stacks, 0x30000));
    stacks_gap(&stacks, 0x1ffff, &start, &stop);
    assert_int_equal(start, 0x10000);
    assert_int_equal(stop, 0x20000);
    stop = 0x50000;
    stacks_gap(&stacks, 0x30000, &start, &stop);
    assert_int_equal(start, 0x30000);
    assert_int_equal(stop, 0x50000);
}

/* A library without stack bounds: each stack begins where the one below ends, in any order. */
static void stacks_divide_their_common_mapping(void **state)
{
    static struct map map = {.start = 0x100000, .end = 0x700000, .kind = MAPPING_ANON};
    const struct maps maps = {.maps = &map, .count = 1};
    const uint64_t bases[] = {0x4ff000, 0x2ff000, 0x6ff000};
    (void)state;
    for (uint32_t i = 0; i < 3; i++)
        stacks_of_thread(&stacks, &(struct tcb){.base = bases[i], .tid = i + 1}, &maps);
    expect_ordered_stacks();
    assert_int_equal(stacks.count, 3);
    expect(0x100000, 0x100000, 0x300000, 2);
    expect(0x4fffff, 0x300000, 0x500000, 1);
    expect(0x500000, 0x500000, 0x700000, 3);
}

static void stack_pointer_guesses_reached_stack(void **state)
{
    static struct map map = {.start = 0x1000000, .end = 0x2000000, .kind = MAPPING_ANON};
    const struct maps maps = {.maps = &map, .count = 1};
    const struct tcbs none = {0};
    (void)state;
    stacks_note_access(&stacks, &map, 0x1845678);
    expect(0x1845678, 0x1840000, 0x1940000, 0);
    stacks_note_access(&stacks, &map, 0x1800000); /* deeper */
    expect(0x1845678, 0x1800000, 0x1940000, 0);
    stacks_note_access(&stacks, &map, 0x1ff8000); /* another stack, which extends to the end */
    expect(0x1ff8000, 0x1ff0000, 0x2000000, 0);
    assert_null(stacks_find(&stacks, 0x1000000));
    assert_null(stacks_find(&stacks, 0x1950000));
    expect_ordered_stacks();
    /* A guessed stack may grow, so its neighbours keep their bounds. */
    uint64_t start = map.start;
    uint64_t stop = map.end;
    stacks_gap(&stacks, 0x1950000, &start, &stop);
    assert_true(start == map.start && stop == map.end);
    stacks_refresh(&stacks, &none, &maps, 1);
    assert_int_equal(stacks.count, 2);
    map.end = 0x1900000; /* partly unmapped */
    stacks_refresh(&stacks, &none, &maps, 1);
    assert_int_equal(stacks.count, 0);
}

static void known_thread_stack_replaces_guess(void **state)
{
    static struct map map = {.start = 0x100000, .end = 0x900000, .kind = MAPPING_ANON};
    const struct maps maps = {.maps = &map, .count = 1};
    const struct tcb tcb = {
        .base = 0x2ff000, .stack_start = 0x200000, .stack_end = 0x300000, .tid = 9};
    (void)state;
    stacks_note_access(&stacks, &map, 0x2f0000);
    stacks_of_thread(&stacks, &tcb, &maps);
    stacks_note_access(&stacks, &map, 0x2f8000);
    assert_int_equal(stacks.count, 1);
    expect(0x2f0000, 0x200000, 0x300000, 9);
    stacks_forget(&stacks, 0x280000, 0x281000);
    assert_int_equal(stacks.count, 0);
}

static void invalid_stack_bounds_are_refused(void **state)
{
    const uint64_t base = 0x7f0000001000;
    uint64_t words[64] = {0};
    uint64_t start = 0;
    uint64_t stop = 0;
    (void)state;
    assert_false(tcb_stack((unsigned char *)words, sizeof words, base, &start, &stop));
    const uint64_t wrong[][3] = {{base + 8, 4096, 0},                     /* begins above */
                                 {base - 65536, 4096, 0},                 /* ends below */
                                 {4096, base, 0},                         /* whole address space */
                                 {base - 65536, 65536 + 2304, 65536 * 2}, /* only a guard */
                                 {base - 65536, 65536 + (1 << 20), 4096}, /* continues above */
                                 {base - 65536, UINT64_MAX, 0}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        memcpy(&words[40], wrong[i], sizeof wrong[i]);
        assert_false(tcb_stack((unsigned char *)words, sizeof words, base, &start, &stop));
    }
    memcpy(&words[61], (uint64_t[]){base - 65536, 65536 + 2304, 4096}, 3 * sizeof *words);
    memset(&words[40], 0, 3 * sizeof *words);
    assert_true(tcb_stack((unsigned char *)words, sizeof words, base, &start, &stop));
    assert_int_equal(start, base - 65536 + 4096);
    assert_int_equal(stop, base + 2304);
}

/* One line of /proc/PID/maps: a large block of malloc, a stack, another block */

enum { BLOCK = 8 << 20, STACK = 1 << 20, WHOLE = 2 * BLOCK + STACK, PAGE = 4096 };

static struct merged {
    unsigned char *reserved; /* with a page on both sides, so that nothing else joins the line */
    unsigned char *memory;
    uint32_t tid;
    pthread_barrier_t started;
    pthread_barrier_t looked;
} merged;

static void *on_merged_stack(void *data)
{
    merged.tid = (uint32_t)syscall(SYS_gettid);
    pthread_barrier_wait(&merged.started);
    pthread_barrier_wait(&merged.looked);
    return data;
}

/* Writes the header that malloc puts before a mapped block. */
static void write_chunk(unsigned char *at)
{
    memcpy(at, (uint64_t[]){0, BLOCK | 2}, 16);
}

static pthread_t start_merged(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    merged.reserved = mmap(NULL, WHOLE + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(merged.reserved != MAP_FAILED);
    merged.memory = merged.reserved + PAGE;
    assert_int_equal(mprotect(merged.memory, WHOLE, PROT_READ | PROT_WRITE), 0);
    write_chunk(merged.memory);
    write_chunk(merged.memory + BLOCK + STACK);
    pthread_barrier_init(&merged.started, NULL, 2);
    pthread_barrier_init(&merged.looked, NULL, 2);
    pthread_attr_init(&attributes);
    assert_int_equal(pthread_attr_setstack(&attributes, merged.memory + BLOCK, STACK), 0);
    assert_int_equal(pthread_create(&thread, &attributes, on_merged_stack, NULL), 0);
    pthread_attr_destroy(&attributes);
    pthread_barrier_wait(&merged.started);
    return thread;
}

static void expect_object(struct space *space, size_t at, enum object_kind kind, size_t from,
                          size_t to)
{
    static struct names names;
    const struct tls no_tls = {0};
    struct located located;
    assert_int_equal(names_init(&names), 0);
    assert_true(located_make(&located, space, &no_tls, &names,
                             (uint64_t)(uintptr_t)merged.memory + at, STACK_KNOWN));
    names_fini(&names);
    assert_int_equal(located.kind, kind);
    assert_int_equal(located.base, (uintptr_t)merged.memory + from);
    assert_int_equal(located.end, (uintptr_t)merged.memory + to);
}

static void block_sharing_a_mapping_with_stack_stays_block(void **state)
{
    const struct lookup_from from = {.pid = getpid(), .live = true};
    struct space space;
    struct tcbs tcbs = {0};
    (void)state;
    pthread_t thread = start_merged();
    assert_int_equal(space_init(&space, &from), 0);
    const struct map *map = maps_find(&space.maps, (uintptr_t)merged.memory + BLOCK);
    assert_true(map && map->start == (uintptr_t)merged.memory);
    assert_true(map->end == (uintptr_t)merged.memory + WHOLE);
    tcbs_refresh(&tcbs, getpid());
    bool reported = tcbs_of_thread(&tcbs, merged.tid);
    stacks_refresh(&space.stacks, &tcbs, &space.maps, (uint32_t)getpid());
    if (reported) {
        expect_object(&space, BLOCK - 8, OBJECT_HEAP, 0, BLOCK);
        expect_object(&space, BLOCK + STACK - 4096, OBJECT_STACK, BLOCK, BLOCK + STACK);
        expect_object(&space, BLOCK, OBJECT_STACK, BLOCK, BLOCK + STACK);
        expect_object(&space, BLOCK + STACK, OBJECT_HEAP, BLOCK + STACK, WHOLE);
    }
    pthread_barrier_wait(&merged.looked);
    pthread_join(thread, NULL);
    munmap(merged.reserved, WHOLE + 2 * PAGE);
    tcbs_fini(&tcbs);
    space_fini(&space);
    if (!reported)
        skip(); /* a library that registers no list of robust mutexes */
}

/* Like in Go: stacks and other memory in one mapping. */
static void memory_near_stack_pointer_is_treated_as_stack(void **state)
{
    enum { BYTES = 8 << 20, REACHED = 4 << 20 };
    const struct lookup_from from = {.pid = getpid(), .live = true};
    static struct names names;
    const struct tls no_tls = {0};
    struct located located;
    struct space space;
    (void)state;
    unsigned char *memory =
        mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    assert_int_equal(names_init(&names), 0);
    assert_int_equal(space_init(&space, &from), 0);
    uint64_t reached = (uint64_t)(uintptr_t)memory + REACHED;
    const struct map *map = maps_find(&space.maps, reached);
    assert_non_null(map);
    if (map->end - map->start <= 32 << 20) {
        assert_true(located_make(&located, &space, &no_tls, &names, reached, STACK_REACHED));
        assert_int_equal(located.kind, OBJECT_STACK);
        assert_true(located.guessed && !located.of_thread);
        assert_true(located_make(&located, &space, &no_tls, &names, reached + 4096, STACK_KNOWN));
        assert_int_equal(located.kind, OBJECT_STACK);
        assert_true(located.guessed);
        assert_true(
            located_make(&located, &space, &no_tls, &names, reached + 4096, STACK_OF_THREAD));
        assert_int_equal(located.kind, OBJECT_ANON);
        assert_true(located.base == map->start && located.end == map->end);
    }
    names_fini(&names);
    space_fini(&space);
    munmap(memory, BYTES);
}

/* Returns true if a whole mapping of a recording is one object. */
static bool is_one_object(struct space *space, struct names *names, uint64_t address)
{
    const struct tls no_tls = {0};
    struct located located;
    for (int i = 0; i < 2; i++) { /* it has no name on the first call */
        assert_true(located_make(&located, space, &no_tls, names, address, STACK_KNOWN));
        assert_true(located_intern(&located, names));
    }
    return located_is_mapping(&located, space, address);
}

static void mapping_is_one_object_until_changed(void **state)
{
    enum { START = 0x70000000, BYTES = 1 << 20, IN = START + 0x8000 };
    const struct lookup_from from = {.live = false};
    const struct sample_mapping memory = {
        .start = START, .length = BYTES, .protection = PROT_READ | PROT_WRITE, .path = "//anon"};
    const struct sample_mapping other = {
        .start = START + BYTES / 2, .length = BYTES / 2, .protection = PROT_READ, .path = "/x"};
    static struct names names;
    struct space space;
    (void)state;
    assert_int_equal(names_init(&names), 0);
    assert_int_equal(space_init(&space, &from), 0);
    space_take(&space, &memory);
    assert_true(is_one_object(&space, &names, IN));
    uint64_t version = space_version(&space);
    space_take(&space, &other); /* half of it now belongs to a file */
    assert_int_not_equal(space_version(&space), version);
    assert_true(is_one_object(&space, &names, IN));
    assert_false(is_one_object(&space, &names, START + BYTES / 2));
    version = space_version(&space);
    stacks_note_access(&space.stacks, space_map(&space, IN), IN); /* a stack in its middle */
    assert_int_not_equal(space_version(&space), version);
    assert_false(is_one_object(&space, &names, IN));
    names_fini(&names);
    space_fini(&space);
}

static int run_stacks(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(addresses_beside_a_stack_are_not_found, end),
        cmocka_unit_test_teardown(stacks_divide_their_common_mapping, end),
        cmocka_unit_test_teardown(stack_pointer_guesses_reached_stack, end),
        cmocka_unit_test_teardown(known_thread_stack_replaces_guess, end),
        cmocka_unit_test(invalid_stack_bounds_are_refused),
        cmocka_unit_test(block_sharing_a_mapping_with_stack_stays_block),
        cmocka_unit_test(memory_near_stack_pointer_is_treated_as_stack),
        cmocka_unit_test(mapping_is_one_object_until_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Function bounds from .eh_frame, compared with the symbols of the same file. */

static char *image;
static size_t image_size;

/* Reads this test program itself into memory. */
static int read_self(void **state)
{
    (void)state;
    int fd = open("/proc/self/exe", O_RDONLY);
    off_t size = lseek(fd, 0, SEEK_END);
    image = malloc((size_t)size);
    image_size = (size_t)size;
    elf_version(EV_CURRENT);
    bool good = image && pread(fd, image, image_size, 0) == size;
    close(fd);
    return !good;
}

static int free_self(void **state)
{
    (void)state;
    free(image);
    return 0;
}

static Elf_Scn *section_named(Elf *elf, const char *wanted, GElf_Shdr *header)
{
    size_t names;
    Elf_Scn *section = NULL;
    assert_int_equal(elf_getshdrstrndx(elf, &names), 0);
    while ((section = elf_nextscn(elf, section)) && gelf_getshdr(section, header))
        if (!strcmp(elf_strptr(elf, names, header->sh_name), wanted))
            return section;
    return NULL;
}

static void eh_frame_bounds_match_symbol_table(void **state)
{
    (void)state;
    GElf_Shdr header;
    GElf_Sym symbol;
    struct frames frames = {0};
    Elf *elf = elf_memory(image, image_size);
    frames_read(&frames, elf);
    assert_true(frames.count > 5);
    Elf_Scn *section = section_named(elf, ".symtab", &header);
    assert_non_null(section);
    Elf_Data *data = elf_getdata(section, NULL);
    int functions = 0;
    for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
        const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
        if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || !symbol.st_size || *name == '_')
            continue;
        const struct frame *frame = frames_find(&frames, symbol.st_value + symbol.st_size / 2);
        assert_non_null(frame);
        assert_int_equal(frame->start, symbol.st_value);
        assert_int_equal(frame->end, symbol.st_value + symbol.st_size);
        functions++;
    }
    assert_true(functions > 5);
    frames_fini(&frames);
    elf_end(elf);
}

static void addresses_outside_functions_have_no_frame(void **state)
{
    (void)state;
    struct frames frames = {0};
    assert_null(frames_find(&frames, 0x1000));
    Elf *elf = elf_memory(image, image_size);
    frames_read(&frames, elf);
    assert_null(frames_find(&frames, 0));
    assert_null(frames_find(&frames, UINT64_MAX));
    assert_null(frames_find(&frames, frames.frames[frames.count - 1].end));
    for (size_t i = 0; i + 1 < frames.count; i++)
        assert_true(frames.frames[i].start <= frames.frames[i + 1].start);
    frames_fini(&frames);
    elf_end(elf);
}

/* Truncated at any position, the section yields the entries before it, or none. */
static void truncated_eh_frame_gives_fewer_entries(void **state)
{
    (void)state;
    GElf_Shdr header;
    struct frames whole = {0};
    Elf *elf = elf_memory(image, image_size);
    frames_read(&whole, elf);
    assert_non_null(section_named(elf, ".eh_frame", &header));
    elf_end(elf);
    char *copy = malloc(image_size);
    for (uint64_t cut = 0; cut < header.sh_size; cut += 1 + cut / 16) {
        struct frames frames = {0};
        memcpy(copy, image, image_size);
        memset(copy + header.sh_offset + cut, 0xff, header.sh_size - cut);
        elf = elf_memory(copy, image_size);
        frames_read(&frames, elf);
        assert_true(frames.count <= whole.count);
        frames_fini(&frames);
        elf_end(elf);
    }
    free(copy);
    frames_fini(&whole);
}

static int run_frames(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eh_frame_bounds_match_symbol_table),
        cmocka_unit_test(addresses_outside_functions_have_no_frame),
        cmocka_unit_test(truncated_eh_frame_gives_fewer_entries),
    };
    return cmocka_run_group_tests_name("frames", tests, read_self, free_self);
}

/* Thread control blocks of this process, with threads that know their addresses. */

enum { THREADS = 20 };

static struct {
    pthread_t thread;
    uint32_t tid;
    uint64_t base;
    uint64_t stack;
} threads[THREADS];

static pthread_barrier_t tcb_started;
static pthread_barrier_t finished;
static struct tcbs tcb_tcbs;
static struct maps tcb_maps;

static void *thread_main(void *data)
{
    size_t i = (size_t)(uintptr_t)data;
    char local = 0;
    threads[i].tid = (uint32_t)syscall(SYS_gettid);
    threads[i].base = (uint64_t)(uintptr_t)__builtin_thread_pointer();
    threads[i].stack = (uint64_t)(uintptr_t)&local;
    pthread_barrier_wait(&tcb_started);
    pthread_barrier_wait(&finished);
    return NULL;
}

static int start_threads(void **state)
{
    (void)state;
    pthread_barrier_init(&tcb_started, NULL, THREADS + 1);
    pthread_barrier_init(&finished, NULL, THREADS + 1);
    for (size_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i].thread, NULL, thread_main, (void *)(uintptr_t)i))
            return -1;
    pthread_barrier_wait(&tcb_started);
    return maps_read(&tcb_maps, getpid());
}

static int join_threads(void **state)
{
    (void)state;
    pthread_barrier_wait(&finished);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i].thread, NULL);
    maps_fini(&tcb_maps);
    return 0;
}

static int tcb_end(void **state)
{
    (void)state;
    tcbs_fini(&tcb_tcbs);
    return 0;
}

static void expect_own_threads(void)
{
    uint32_t self = (uint32_t)getpid();
    const struct tcb *tcb = tcbs_of_thread(&tcb_tcbs, self);
    assert_non_null(tcb);
    assert_int_equal(tcb->base, (uintptr_t)__builtin_thread_pointer());
    for (size_t i = 0; i < THREADS; i++) {
        tcb = tcbs_of_thread(&tcb_tcbs, threads[i].tid);
        assert_non_null(tcb);
        assert_int_equal(tcb->base, threads[i].base);
    }
    for (size_t i = 0; i + 1 < tcb_tcbs.count; i++)
        assert_true(tcb_tcbs.tcbs[i].tid < tcb_tcbs.tcbs[i + 1].tid);
}

/* Returns false on other libcs than glibc, for which the kernel has no list. */
static bool has_robust_lists(void)
{
    void *head = NULL;
    size_t size;
    return !syscall(SYS_get_robust_list, 0, &head, &size) && head;
}

static void robust_lists_lead_to_every_tcb(void **state)
{
    (void)state;
    if (!has_robust_lists()) {
        print_message("skipped: this C library registers no robust list\n");
        skip();
    }
    tcbs_refresh(&tcb_tcbs, getpid());
    expect_own_threads();
    tcbs_refresh(&tcb_tcbs, getpid()); /* nothing is counted twice */
    assert_int_equal(tcb_tcbs.count, THREADS + 1);
}

static void tcb_contains_the_stack_bounds(void **state)
{
    (void)state;
    tcbs_refresh(&tcb_tcbs, getpid());
    for (size_t i = 0; i < THREADS && tcb_tcbs.count; i++) {
        const struct tcb *tcb = tcbs_of_thread(&tcb_tcbs, threads[i].tid);
        pthread_attr_t attributes;
        void *start;
        size_t bytes;
        assert_int_equal(pthread_getattr_np(threads[i].thread, &attributes), 0);
        assert_int_equal(pthread_attr_getstack(&attributes, &start, &bytes), 0);
        pthread_attr_destroy(&attributes);
        assert_int_equal(tcb->stack_start, (uintptr_t)start);
        assert_int_equal(tcb->stack_end, (uintptr_t)start + bytes);
    }
}

/* The alternative for libraries that register no list. */
static void memory_scan_finds_every_tcb(void **state)
{
    (void)state;
    tcbs_scan(&tcb_tcbs, getpid(), &tcb_maps);
    if (!tcb_tcbs.count)
        skip(); /* blocks with another layout */
    expect_own_threads();
}

static void ended_threads_are_removed(void **state)
{
    (void)state;
    tcbs_refresh(&tcb_tcbs, getpid());
    size_t before = tcb_tcbs.count;
    if (!before)
        skip();
    tcb_tcbs.tcbs[before - 1].tid = 0x7ffffff0; /* no such thread */
    tcbs_refresh(&tcb_tcbs, getpid());
    assert_null(tcbs_of_thread(&tcb_tcbs, 0x7ffffff0));
    assert_int_equal(tcb_tcbs.count, before);
}

static void many_threads_are_refreshed_less_often(void **state)
{
    (void)state;
    struct tcbs many = {.tcbs = calloc(TCBS_MANY, sizeof *many.tcbs),
                        .count = TCBS_MANY,
                        .room = TCBS_MANY,
                        .next_listing_ns = 1000};
    for (size_t i = 0; i < TCBS_MANY; i++)
        many.tcbs[i].tid = 0x7ffffff0; /* no such thread */
    tcbs_tick(&many, getpid(), many.next_listing_ns - 1);
    assert_int_equal(many.count, TCBS_MANY);
    tcbs_tick(&many, getpid(), many.next_listing_ns);
    assert_null(tcbs_of_thread(&many, 0x7ffffff0));
    assert_true(many.next_listing_ns > 1000);
    tcbs_fini(&many);
}

static void unknown_threads_have_no_tcb(void **state)
{
    (void)state;
    assert_null(tcbs_find_or_ask(&tcb_tcbs, getpid(), 0x7ffffff0));
    assert_null(tcbs_of_thread(&tcb_tcbs, 1));
    assert_int_equal(tcb_tcbs.count, 0);
}

static int run_tcb(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(robust_lists_lead_to_every_tcb, tcb_end),
        cmocka_unit_test_teardown(tcb_contains_the_stack_bounds, tcb_end),
        cmocka_unit_test_teardown(memory_scan_finds_every_tcb, tcb_end),
        cmocka_unit_test_teardown(ended_threads_are_removed, tcb_end),
        cmocka_unit_test_teardown(many_threads_are_refreshed_less_often, tcb_end),
        cmocka_unit_test_teardown(unknown_threads_have_no_tcb, tcb_end),
    };
    return cmocka_run_group_tests_name("tcb", tests, start_threads, join_threads);
}

int main(void)
{
    int failed = 0;
    failed += run_stacks();
    failed += run_frames();
    failed += run_tcb();
    return failed;
}
