/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The walk on programs that log their own blocks: every answer is compared. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../walk/follow.h"
#include "base/hash.h"
#include "unit.h"

static struct follow follow;

/* Blocks that walk_all() visited, by start. */
static struct hash walked;
static uint64_t *usable_bytes;
static size_t walked_count;
static size_t walked_mmapped;

enum { BLOCKS_MAX = 1 << 20 };

static bool keep_block(void *context, const struct walk_block *block)
{
    bool created;
    (void)context;
    uint32_t *index = hash_insert(&walked, block->start, &created);
    assert_true(created); /* no block twice */
    assert_true(walked_count < BLOCKS_MAX);
    assert_int_equal(block->state, WALK_IN_USE);
    *index = (uint32_t)walked_count;
    usable_bytes[walked_count++] = block->usable_bytes;
    walked_mmapped += block->mmapped;
    return true;
}

/* Attaches to the process. If it lost its CPU in the middle of malloc, its arenas look damaged
 * until it continues; walk_update() is then called again, as misstop does. Returns true if the
 * first attempt succeeded. */
static bool attach(void)
{
    assert_true(follow_attach(&follow));
    bool at_once = !walk_status(follow.walk);
    for (unsigned i = 0; i < 1000 && walk_status(follow.walk); i++) {
        usleep(1000);
        assert_true(follow_update(&follow));
    }
    assert_null(walk_status(follow.walk));
    return at_once;
}

static void start(const char *program, const char *mode, unsigned threads, uint64_t operations,
                  unsigned ready)
{
    char path[4096];
    follow_path(path, program);
    assert_true(follow_start(&follow, path, mode, threads, operations, ready, NULL));
    /* Wait for ending threads, which exit after they were counted. */
    usleep(ready ? 50000 : 0);
    attach();
}

static int begin(void **state)
{
    (void)state;
    hash_init(&walked);
    usable_bytes = calloc(BLOCKS_MAX, sizeof *usable_bytes);
    walked_count = walked_mmapped = 0;
    return usable_bytes ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    follow_end(&follow);
    hash_fini(&walked);
    free(usable_bytes);
    return 0;
}

struct verdict {
    size_t live, missing, wrong_size, freed_in_use, unknown;
};

/* Compares the program's log with the walk. */
static struct verdict compare(void)
{
    struct verdict verdict = {0};
    struct hash live;
    hash_init(&live);
    for (size_t t = 0; t < WALKED_THREADS; t++)
        for (size_t i = 0; i < WALKED_SLOTS; i++) {
            struct walked_slot *slot = &follow.shared->by_thread[t].slots[i];
            bool created;
            uint64_t pointer = slot->pointer;
            if (!pointer)
                continue;
            const uint32_t *index = hash_find(&walked, pointer);
            hash_insert(&live, pointer, &created);
            verdict.live++;
            if (!index && !verdict.missing++)
                print_message("missing: %#llx of %llu bytes\n", (unsigned long long)pointer,
                              (unsigned long long)slot->usable_bytes);
            verdict.wrong_size += index && usable_bytes[*index] != slot->usable_bytes;
        }
    for (size_t t = 0; t < WALKED_THREADS; t++)
        for (size_t i = 0; i < WALKED_FREED; i++) {
            uint64_t pointer = follow.shared->by_thread[t].freed[i];
            verdict.freed_in_use +=
                pointer && !hash_find(&live, pointer) && hash_find(&walked, pointer);
        }
    verdict.unknown = walked_count - (verdict.live - verdict.missing);
    hash_fini(&live);
    return verdict;
}

static void expect_all(const char *name, size_t unknown_max)
{
    assert_null(walk_status(follow.walk));
    long passed = walk_all(follow.walk, keep_block, NULL);
    assert_int_equal(passed, walked_count);
    struct verdict verdict = compare();
    const struct walk_stats *stats = walk_stats(follow.walk);
    print_message("%s: %zu live blocks, %zu missing, %zu of wrong size, %zu freed blocks in use; "
                  "%zu others, %zu mmapped, %u arenas, %u caches\n",
                  name, verdict.live, verdict.missing, verdict.wrong_size, verdict.freed_in_use,
                  verdict.unknown, walked_mmapped, stats->arenas, stats->thread_caches);
    assert_true(verdict.live > 1000);
    assert_int_equal(verdict.missing, 0);
    assert_int_equal(verdict.wrong_size, 0);
    assert_int_equal(verdict.freed_in_use, 0);
    assert_true(verdict.unknown <= unknown_max);
}

static void print_stats(void)
{
    static const char *const names[WALK_FAILURES] = {
        "answered", "no heap",       "unmapped", "not malloc's",   "gone while read",
        "broken",   "kept changing", "unsure",   "too far for now"};
    const struct walk_stats *stats = walk_stats(follow.walk);
    for (int i = 0; i < WALK_FAILURES; i++)
        print_message("%s %llu, ", names[i], (unsigned long long)stats->failures[i]);
    print_message("%.1f reads and %.0f bytes per find, %llu retries\n",
                  (double)stats->reads / (double)stats->find_count,
                  (double)stats->bytes_read / (double)stats->find_count,
                  (unsigned long long)stats->retries);
}

/* Finds every live block from an address in it, including its first and last byte. */
static void expect_finds(void)
{
    size_t queries = 0, failed = 0;
    for (size_t t = 0; t < WALKED_THREADS; t++)
        for (size_t i = 0; i < WALKED_SLOTS; i++) {
            struct walked_slot *slot = &follow.shared->by_thread[t].slots[i];
            struct walk_block block;
            uint64_t usable = slot->usable_bytes;
            if (!slot->pointer)
                continue;
            uint64_t offset = i % 3 == 0 ? 0 : i % 3 == 1 ? usable - 1 : usable / 2;
            queries++;
            if (!walk_find(follow.walk, slot->pointer + offset, &block)) {
                if (!failed++)
                    print_message("not found: %#llx of %llu bytes\n",
                                  (unsigned long long)slot->pointer, (unsigned long long)usable);
                continue;
            }
            if (block.start != slot->pointer)
                print_message("lookup at +%llu: expected %#llx of %llu bytes, got %#llx of %llu\n",
                              (unsigned long long)offset, (unsigned long long)slot->pointer,
                              (unsigned long long)usable, (unsigned long long)block.start,
                              (unsigned long long)block.usable_bytes);
            assert_int_equal(block.start, slot->pointer);
            assert_int_equal(block.usable_bytes, usable);
            assert_int_equal(block.state, WALK_IN_USE);
        }
    print_message("%zu lookups, %zu failed\n", queries, failed);
    print_stats();
    assert_int_equal(failed, 0);
}

/* Checks that recently freed memory outside all blocks is found to be free. After expect_all(). */
static void expect_freed(void)
{
    size_t queries = 0, in_use = 0;
    for (size_t t = 0; t < WALKED_THREADS; t++)
        for (size_t i = 0; i < WALKED_FREED; i++) {
            struct walk_block block;
            uint64_t pointer = follow.shared->by_thread[t].freed[i];
            if (!pointer || hash_find(&walked, pointer))
                continue;
            queries++;
            in_use += walk_find(follow.walk, pointer, &block) && block.start == pointer &&
                      block.state == WALK_IN_USE;
        }
    print_message("%zu lookups of freed blocks, %zu reported in use\n", queries, in_use);
    assert_true(queries > 1000);
    assert_int_equal(in_use, 0);
}

static void idle_process_is_walked_exactly(void **state)
{
    (void)state;
    start("walked", "still", 20, 60000, 20);
    expect_all("still", 100);
    expect_finds();
    expect_freed();
    assert_true(walked_mmapped > 10);
    assert_true(walk_stats(follow.walk)->arenas > 4);
}

static void blocks_are_found_without_prior_walk(void **state)
{
    (void)state;
    start("walked", "still", 8, 20000, 8);
    expect_finds();
}

static void foreign_brk_memory_is_skipped(void **state)
{
    (void)state;
    start("walked", "hole", 2, 20000, 2);
    expect_finds();
    expect_all("hole", 300);
}

static void heap_without_brk_is_walked(void **state)
{
    (void)state;
    start("walked", "nobrk", 2, 60000, 2);
    expect_finds();
    expect_all("nobrk", 100);
}

static void static_program_is_walked(void **state)
{
    (void)state;
    start("walked_static", "still", 8, 20000, 8);
    assert_string_equal(walk_source(follow.walk), "static program with glibc malloc");
    expect_all("static", 100);
    expect_finds();
}

/* Samples a block of a program at full speed: correct, failed (counted), or changed meanwhile. */
static void sample(uint64_t *random, size_t counts[4])
{
    struct walked_slot *slot;
    struct walk_block block = {0};
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    uint32_t thread = (uint32_t)(*random >> 33) % follow.shared->threads;
    slot = &follow.shared->by_thread[thread].slots[(*random >> 13) % WALKED_SLOTS];
    uint64_t before = atomic_load(&slot->sequence);
    uint64_t pointer = atomic_load(&slot->pointer);
    uint64_t usable = atomic_load(&slot->usable_bytes);
    if (before & 1 || !pointer || atomic_load(&slot->sequence) != before)
        return;
    bool found = walk_find(follow.walk, pointer + (*random >> 20) % usable, &block);
    bool same = atomic_load(&slot->sequence) == before;
    bool right =
        block.start == pointer && block.usable_bytes == usable && block.state == WALK_IN_USE;
    counts[!found ? 0 : !same ? 1 : right ? 2 : 3]++;
    if (found && same && !right)
        print_message("expected %#llx of %llu bytes, got %#llx of %llu, state %d arena %u\n",
                      (unsigned long long)pointer, (unsigned long long)usable,
                      (unsigned long long)block.start, (unsigned long long)block.usable_bytes,
                      block.state, block.arena);
}

/* Answers about blocks that were live all the time must be correct; other answers are counted. */
static size_t sample_many(const char *mode, size_t samples)
{
    size_t counts[4] = {0};
    uint64_t random = 1;
    start("walked", mode, 4, 20000, 0);
    for (size_t i = 0; i < samples; i++) {
        if (i % 1000 == 0)
            assert_true(follow_update(&follow));
        sample(&random, counts);
    }
    print_message("%s: %zu right, %zu wrong, %zu changed meanwhile, %zu failed\n", mode, counts[2],
                  counts[3], counts[1], counts[0]);
    print_stats();
    assert_int_equal(counts[3], 0);
    assert_true(counts[0] * 10 < counts[2]);
    return counts[2];
}

static void busy_process_gives_no_wrong_answer(void **state)
{
    (void)state;
    /* WALK_SAMPLES: for longer manual runs. */
    const char *samples = getenv("WALK_SAMPLES");
    assert_true(sample_many("churn", samples ? strtoul(samples, NULL, 10) : 50000) > 10000);
}

/* Blocks live only for milliseconds, so no knowledge about the heap stays valid. */
static void allocation_storm_gives_no_wrong_answer(void **state)
{
    (void)state;
    assert_true(sample_many("storm", 3000) > 100);
}

static void busy_process_can_be_attached_to(void **state)
{
    (void)state;
    size_t later = 0;
    start("walked", "storm", 4, 20000, 0);
    for (int i = 0; i < 100; i++) {
        walk_free(follow.walk);
        follow.walk = NULL;
        later += !attach();
        assert_true(walk_stats(follow.walk)->arenas >= 2);
    }
    print_message("arenas found immediately in %zu of 100 attaches\n", 100 - later);
}

static bool count_block(void *context, const struct walk_block *block)
{
    (void)block;
    ++*(size_t *)context;
    return true;
}

static void walking_a_busy_process_terminates(void **state)
{
    (void)state;
    start("walked", "churn", 4, 20000, 0);
    for (int i = 0; i < 20; i++) {
        size_t visited = 0;
        assert_true(follow_update(&follow));
        long passed = walk_all(follow.walk, count_block, &visited);
        assert_int_equal(passed, visited);
    }
    print_message("%llu broken spans in 20 walks\n",
                  (unsigned long long)walk_stats(follow.walk)->broken_spans);
}

static void corrupt_heap_is_survived(void **state)
{
    (void)state;
    size_t visited = 0, found = 0;
    start("walked", "corrupt", 1, 60000, 1);
    assert_true(walk_all(follow.walk, count_block, &visited) >= 0);
    for (size_t i = 0; i < WALKED_SLOTS; i++) {
        struct walk_block block;
        uint64_t pointer = follow.shared->by_thread[0].slots[i].pointer;
        found += pointer && walk_find(follow.walk, pointer, &block);
    }
    const struct walk_stats *stats = walk_stats(follow.walk);
    print_message("corrupt: %zu visited, %zu found, %llu broken, %llu reads\n", visited, found,
                  (unsigned long long)stats->failures[WALK_FAIL_BROKEN],
                  (unsigned long long)stats->reads);
    assert_true(stats->failures[WALK_FAIL_BROKEN] > 0);
    assert_int_equal(stats->broken_spans, 1);
}

static void ended_process_gives_no_answer(void **state)
{
    (void)state;
    struct walk_block block;
    size_t visited = 0;
    start("walked", "still", 1, 1000, 1);
    uint64_t pointer = 0;
    for (size_t i = 0; !pointer; i++)
        pointer = follow.shared->by_thread[0].slots[i].pointer;
    assert_true(walk_find(follow.walk, pointer, &block));
    pid_t pid = follow.pid;
    follow.pid = 1 << 30;
    assert_false(walk_find(follow.walk, pointer, &block));
    assert_int_equal(walk_all(follow.walk, count_block, &visited), 0);
    follow.pid = pid;
}

static void expect_status(const char *path, const char *preload, const char *status)
{
    struct walk_block block;
    assert_true(follow_start(&follow, path, "many", 1, 10000, 1, preload));
    assert_true(follow_attach(&follow));
    print_message("status: %s\n", walk_status(follow.walk) ? walk_status(follow.walk) : "-");
    assert_non_null(walk_status(follow.walk));
    assert_non_null(strstr(walk_status(follow.walk), status));
    assert_false(walk_find(follow.walk, follow.shared->by_thread[0].slots[0].pointer, &block));
    assert_int_equal(walk_stats(follow.walk)->failures[WALK_FAIL_NO_HEAP], 1);
}

static const char *library_or_skip(const char *name, const char *package)
{
    static char path[128];
    snprintf(path, sizeof path, "/usr/lib/x86_64-linux-gnu/%s", name);
    if (access(path, R_OK)) {
        print_message("skipped: %s is not installed (apt-get install %s)\n", path, package);
        skip();
    }
    return path;
}

static void another_allocator_is_named_in_status(void **state)
{
    (void)state;
    char path[4096];
    follow_path(path, "walked");
    expect_status(path, library_or_skip("libtcmalloc_minimal.so.4", "libtcmalloc-minimal4"),
                  "libtcmalloc_minimal.so.4");
}

static bool count_visited(void *context, const struct walk_block *block)
{
    *(uint64_t *)context += block->count * block->usable_bytes;
    return true;
}

/* Checks each block exactly, and the total in use, which may include blocks in threads' caches. */
static void expect_jemalloc(const char *mode, unsigned threads, uint64_t operations)
{
    char path[4096];
    uint64_t bytes = 0;
    uint64_t live = 0;
    long live_blocks = 0;
    follow_path(path, "walked");
    assert_true(follow_start(&follow, path, mode, threads, operations, threads,
                             library_or_skip("libjemalloc.so.2", "libjemalloc2")));
    assert_true(follow_attach(&follow));
    assert_null(walk_status(follow.walk));
    assert_string_equal(walk_source(follow.walk), "jemalloc in libjemalloc.so.2");
    expect_finds();
    for (size_t t = 0; t < WALKED_THREADS; t++)
        for (size_t i = 0; i < WALKED_SLOTS; i++) {
            live += follow.shared->by_thread[t].slots[i].usable_bytes;
            live_blocks += !!follow.shared->by_thread[t].slots[i].pointer;
        }
    long passed = walk_all(follow.walk, count_visited, &bytes);
    print_message("%ld blocks of %llu bytes visited, %ld of %llu in use\n", passed,
                  (unsigned long long)bytes, live_blocks, (unsigned long long)live);
    assert_true(live_blocks > 1000 && passed >= live_blocks);
    assert_true(passed < live_blocks + 100 + 3000 * (long)threads);
    assert_true(bytes >= live && bytes < live + (8 << 20) * (uint64_t)threads);
}

static void jemalloc_blocks_are_found(void **state)
{
    (void)state;
    expect_jemalloc("still", 1, 60000);
}

static void jemalloc_blocks_of_threads_are_found(void **state)
{
    (void)state;
    expect_jemalloc("still", 20, 20000);
}

static void expect_musl_status(const char *flags, const char *status)
{
    char command[16384], path[4096];
    const char *file_name = strrchr(__FILE__, '/');
    if (system("command -v musl-gcc >/dev/null 2>&1")) {
        print_message("skipped: musl-gcc is not installed (apt-get install musl-tools)\n");
        skip();
    }
    follow_path(path, "walked_musl");
    snprintf(command, sizeof command, "musl-gcc -O1 %s -o %s %.*s/../../walk/walked.c", flags, path,
             (int)(file_name - __FILE__), __FILE__);
    assert_int_equal(system(command), 0);
    expect_status(path, NULL, status);
    unlink(path);
}

static void musl_is_named_in_status(void **state)
{
    (void)state;
    expect_musl_status("", "musl:");
}

static void static_program_without_glibc_is_reported(void **state)
{
    (void)state;
    expect_musl_status("-static", "static program: no glibc allocator found");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(idle_process_is_walked_exactly, begin, end),
        cmocka_unit_test_setup_teardown(blocks_are_found_without_prior_walk, begin, end),
        cmocka_unit_test_setup_teardown(foreign_brk_memory_is_skipped, begin, end),
        cmocka_unit_test_setup_teardown(heap_without_brk_is_walked, begin, end),
        cmocka_unit_test_setup_teardown(static_program_is_walked, begin, end),
        cmocka_unit_test_setup_teardown(busy_process_gives_no_wrong_answer, begin, end),
        cmocka_unit_test_setup_teardown(allocation_storm_gives_no_wrong_answer, begin, end),
        cmocka_unit_test_setup_teardown(busy_process_can_be_attached_to, begin, end),
        cmocka_unit_test_setup_teardown(walking_a_busy_process_terminates, begin, end),
        cmocka_unit_test_setup_teardown(corrupt_heap_is_survived, begin, end),
        cmocka_unit_test_setup_teardown(ended_process_gives_no_answer, begin, end),
        cmocka_unit_test_setup_teardown(another_allocator_is_named_in_status, begin, end),
        cmocka_unit_test_setup_teardown(jemalloc_blocks_are_found, begin, end),
        cmocka_unit_test_setup_teardown(jemalloc_blocks_of_threads_are_found, begin, end),
        cmocka_unit_test_setup_teardown(musl_is_named_in_status, begin, end),
        cmocka_unit_test_setup_teardown(static_program_without_glibc_is_reported, begin, end),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
