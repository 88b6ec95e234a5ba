/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks and bins from what the agent told of a real program, with its own log beside it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

#include "../agent/logger.h"
#include "../agent/watch.h"
#include "agent_abi.h"
#include "../bench/blocks_candidate.h"
#include "base/clock.h"
#include "resolve/heap/recorded_heap.h"
#include "unit.h"

static char folder[] = "/tmp/misstop-told-XXXXXX";
static char log_path[64];

/* Every address is a function of its own; odd pages have no name. */
static bool name_it(void *context, uint64_t address, const char **function, const char **module,
                    const char **file, uint32_t *line)
{
    static char text[32];
    (void)context;
    snprintf(text, sizeof text, "f%llx", (unsigned long long)address & 0xfff);
    *function = text;
    *module = "m";
    *file = NULL;
    *line = 0;
    return true;
}

static struct watch run_logger(void)
{
    struct watch watch = {.leave_unread = true};
    const char *const words[] = {"logger", log_path, "1", "5000", "500", NULL};
    watch_start(&watch, words);
    waitpid(watch.pid, &watch.status, 0);
    assert_int_equal(watch.status, 0);
    return watch;
}

static const struct log_head *open_log(void)
{
    struct stat stat;
    int fd = open(log_path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0 && !fstat(fd, &stat));
    void *memory = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    assert_true(memory != MAP_FAILED);
    close(fd);
    return memory;
}

/* Each block that the log knows to live at the end is there, with its size; freed ones are not. */
static void blocks_are_those_of_the_log(void **state)
{
    (void)state;
    struct recorded_heap recorded;
    struct watch watch = run_logger();
    assert_int_equal(recorded_heap_init(&recorded, watch.feed, name_it, NULL, NULL), 0);
    assert_true(recorded_heap_follow(&recorded, UINT64_MAX) > 5000);
    const struct log_head *log = open_log();
    const struct log_entry *entries = (const struct log_entry *)(log + 1);
    size_t live = 0;
    for (uint64_t i = 0; i < log->count; i++) {
        bool freed = false;
        bool mapping;
        struct block block;
        if (entries[i].kind != LOG_ALLOC)
            continue;
        for (uint64_t k = i + 1; k < log->count && !freed; k++)
            freed = entries[k].kind == LOG_FREE && entries[k].address == entries[i].address;
        if (freed)
            continue;
        live++;
        assert_true(recorded_heap_find(&recorded, entries[i].address + entries[i].usable - 1,
                                       &block, &mapping));
        assert_int_equal(block.start, entries[i].address);
        assert_int_equal(block.usable_bytes, entries[i].usable);
        assert_int_equal(block.requested_bytes, entries[i].size);
    }
    assert_true(live > 100);
    recorded_heap_fini(&recorded);
    watch_fini(&watch);
}

static uint32_t bin_with_most_blocks(struct recorded_heap *recorded, struct heap_bin *most)
{
    struct heap_bin bin;
    most->live_blocks = 0;
    for (uint32_t i = 0; recorded_heap_bin(recorded, i, &bin); i++)
        if (bin.live_blocks > most->live_blocks)
            *most = bin;
    return most->id;
}

static void bins_sum_up_and_take_names(void **state)
{
    (void)state;
    struct recorded_heap recorded;
    struct heap_bin bin;
    struct heap_bin again;
    uint64_t sum = 0;
    struct watch watch = run_logger();
    assert_int_equal(recorded_heap_init(&recorded, watch.feed, name_it, NULL, NULL), 0);
    recorded_heap_follow(&recorded, UINT64_MAX);
    recorded_heap_tick(&recorded, recorded.now_ns);
    assert_true(recorded.lead_count >= 3); /* malloc, calloc, realloc of operate() */
    for (uint32_t i = 0; recorded_heap_bin(&recorded, i, &bin); i++) {
        uint64_t of_sizes = 0;
        for (int k = 0; k < HEAP_SIZES; k++)
            of_sizes += bin.sizes[k];
        assert_int_equal(of_sizes, bin.live_blocks);
        assert_true(bin.requested_bytes <= bin.usable_bytes);
        assert_int_equal(bin.allocations - bin.frees, bin.live_blocks);
        sum += bin.live_blocks;
    }
    assert_int_equal(sum, blocks_count(recorded.blocks) + blocks_count(recorded.mappings));
    uint32_t id = bin_with_most_blocks(&recorded, &bin);
    assert_int_equal(recorded_heap_rename(&recorded, id, "mine"), 0);
    assert_string_equal(bin_name(bins_at(recorded.bins, id)), "mine");
    assert_int_equal(recorded_heap_undo(&recorded), 0);
    assert_string_not_equal(bin_name(bins_at(recorded.bins, id)), "mine");
    uint32_t other = 0;
    for (uint32_t i = 0; recorded_heap_bin(&recorded, i, &again) && !other; i++)
        other = again.id != id && again.path && strcmp(again.path, bin.path) ? again.id : 0;
    uint32_t leads = recorded.lead_count;
    assert_int_equal(recorded_heap_combine(&recorded, (uint32_t[]){id, other}, 2), 0);
    assert_true(recorded.lead_count < leads);
    assert_int_equal(recorded_heap_lead(&recorded, other), id);
    assert_int_equal(recorded_heap_rename(&recorded, UINT32_MAX, "x"), -ENOENT);
    recorded_heap_fini(&recorded);
    /* What was combined is kept in the file, and holds for the next session. */
    assert_int_equal(recorded_heap_init(&recorded, watch.feed, name_it, NULL, NULL), 0);
    assert_int_equal(recorded.rules.count, 1);
    recorded_heap_fini(&recorded);
    watch_fini(&watch);
}

static int remove_folder(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void put(struct recorded_heap *recorded, struct blocks *blocks, uint64_t start,
                uint64_t bytes, uint64_t return_address)
{
    struct block block = {.start = start, .usable_bytes = bytes, .requested_bytes = bytes};
    block.bin = bins_of_path(recorded->bins, &return_address, 1);
    assert_int_equal(blocks_add(blocks, &block), 0);
    bins_born(recorded->bins, &block, block.born_ns);
}

static uint64_t bytes_of_all(struct recorded_heap *recorded)
{
    struct heap_bin bin;
    uint64_t sum = 0;
    recorded_heap_tick(recorded, recorded->now_ns);
    for (uint32_t i = 0; recorded_heap_bin(recorded, i, &bin); i++)
        sum += bin.usable_bytes;
    return sum;
}

/* What an allocator maps is not counted beside the blocks that it deals out of it. */
static void memory_that_is_dealt_out_counts_once(void **state)
{
    (void)state;
    struct recorded_heap recorded;
    struct watch watch = run_logger();
    assert_int_equal(recorded_heap_init(&recorded, watch.feed, name_it, NULL, NULL), 0);
    put(&recorded, recorded.mappings, 0x10000000, 0x100000, 0x1000); /* an allocator's */
    put(&recorded, recorded.mappings, 0x20000000, 0x40000, 0x2000);  /* the program's own */
    assert_int_equal(bytes_of_all(&recorded), 0x140000);
    put(&recorded, recorded.blocks, 0x10000800, 0x400, 0x3000);
    put(&recorded, recorded.mappings, 0x30000000, 0x100000, 0x1000);
    assert_int_equal(bytes_of_all(&recorded), 0x40400);
    recorded_heap_fini(&recorded);
    watch_fini(&watch);
}

/* ---- blocks that are freed before anybody could ask for them ---- */

static const struct agent_sizes small = {
    .ring_count = 1, .chunk_count = 2, .path_count = 16, .word_count = 128};

/* As an agent writes into the first ring: nothing, to open it, or an event now. */
static void write_event(struct feed *feed, enum agent_kind kind, uint64_t address, uint64_t bytes)
{
    char *memory =
        mmap(NULL, agent_total_bytes(&small), PROT_READ | PROT_WRITE, MAP_SHARED, feed_fd(feed), 0);
    struct agent_header *header = (struct agent_header *)memory;
    struct agent_ring *ring = (struct agent_ring *)(memory + agent_rings_at());
    struct agent_unit *units = (struct agent_unit *)(memory + agent_chunks_at(&small));
    header->rings_used = 1;
    if (!ring->start)
        ring->head = ring->start = agent_chunk_after(0, 0);
    unsigned at = ring->head & (AGENT_CHUNK_UNITS - 1);
    uint64_t stamp = header->clock == AGENT_TSC ? __rdtsc() : clock_now_ns();
    units[at] = (struct agent_unit){stamp, address | (uint64_t)kind << AGENT_KIND_SHIFT};
    units[at + 1] = (struct agent_unit){.first = bytes};
    ring->head += kind == AGENT_ALLOC ? 2 : 1;
    munmap(memory, agent_total_bytes(&small));
}

static struct heap_bin all_of_bin(struct recorded_heap *recorded)
{
    struct heap_bin bin;
    recorded_heap_follow(recorded, UINT64_MAX);
    recorded_heap_tick(recorded, recorded->now_ns);
    assert_true(recorded_heap_bin(recorded, 0, &bin));
    return bin;
}

static void a_short_life_is_counted(void **state)
{
    (void)state;
    struct recorded_heap recorded;
    struct feed *feed;
    assert_int_equal(feed_new_sized(&feed, &small, NULL), 0);
    assert_int_equal(recorded_heap_init(&recorded, feed, name_it, NULL, NULL), 0);
    write_event(feed, AGENT_ALLOC, 0x10000, 64);
    write_event(feed, AGENT_ALLOC, 0x20000, 32);
    write_event(feed, AGENT_FREE, 0x10000, 0);
    struct heap_bin bin = all_of_bin(&recorded);
    assert_int_equal(bin.allocations, 2);
    assert_int_equal(bin.frees, 1);
    assert_int_equal(bin.usable_bytes, 32);
    assert_true(bin.lifetime_s >= 0);
    assert_int_equal(blocks_count(recorded.blocks), 1);
    write_event(feed, AGENT_FREE, 0x20000, 0);
    assert_int_equal(all_of_bin(&recorded).frees, 2);
    assert_int_equal(blocks_count(recorded.blocks), 0);
    recorded_heap_fini(&recorded);
    feed_free(feed);
}

/* Where a free is not seen the next allocation says so, with all of them read at once, too. */
static void a_free_that_is_not_seen_ends_the_block(void **state)
{
    (void)state;
    struct recorded_heap recorded;
    struct feed *feed;
    assert_int_equal(feed_new_sized(&feed, &small, NULL), 0);
    assert_int_equal(recorded_heap_init(&recorded, feed, name_it, NULL, NULL), 0);
    write_event(feed, AGENT_ALLOC, 0x10000, 64);
    write_event(feed, AGENT_ALLOC, 0x10000, 48);
    write_event(feed, AGENT_FREE, 0x10000, 0);
    struct heap_bin bin = all_of_bin(&recorded);
    assert_int_equal(bin.allocations, 2);
    assert_int_equal(bin.frees, 2);
    assert_int_equal(blocks_count(recorded.blocks), 0);
    /* From now on all go through the index: this one is gone when its address is given out again.
     */
    write_event(feed, AGENT_ALLOC, 0x30000, 64);
    assert_int_equal(all_of_bin(&recorded).live_blocks, 1);
    write_event(feed, AGENT_ALLOC, 0x30000, 16);
    write_event(feed, AGENT_FREE, 0x30000, 0);
    assert_int_equal(all_of_bin(&recorded).live_blocks, 0);
    recorded_heap_fini(&recorded);
    feed_free(feed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_that_is_dealt_out_counts_once),
                                       cmocka_unit_test(a_short_life_is_counted),
                                       cmocka_unit_test(a_free_that_is_not_seen_ends_the_block),
                                       cmocka_unit_test(blocks_are_those_of_the_log),
                                       cmocka_unit_test(bins_sum_up_and_take_names)};
    if (!mkdtemp(folder))
        return 1;
    snprintf(log_path, sizeof log_path, "%s/log", folder);
    setenv("XDG_CONFIG_HOME", folder, 1);
    return cmocka_run_group_tests(tests, NULL, remove_folder);
}
