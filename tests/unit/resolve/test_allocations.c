/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks and bins from the records of the agent in a real program, with its own log beside it. */
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
#include "base/clock.h"
#include "resolve/heap/allocations.h"
#include "unit.h"

static char folder[] = "/tmp/misstop-alloc-XXXXXX";
static char log_path[64];

/* Every address is a separate function; odd pages have no name. */
static bool name_by_address(void *context, uint64_t address, const char **function,
                            const char **module, const char **file, uint32_t *line)
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

static struct allocations *of_feed(struct feed *feed)
{
    struct allocations *allocations;
    struct allocations_options options = {.feed = feed, .name = name_by_address};
    assert_int_equal(allocations_new(&allocations, &options, NULL), 0);
    return allocations;
}

/* All that the feed has by now. */
static struct heap_summary read_all(struct allocations *allocations)
{
    struct heap_summary summary;
    allocations_follow(allocations, UINT64_MAX);
    allocations_tick(allocations, NULL, NULL, true, clock_now_ns());
    allocations_summary(allocations, &summary);
    return summary;
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

static void note_bytes(void *context, uint64_t start, uint64_t bytes)
{
    struct log_entry *wanted = context;
    if (start == wanted->address)
        wanted->size = bytes;
}

/* Each block that is live at the end of the log is found with its size; freed ones are not. */
static void live_blocks_match_the_allocation_log(void **state)
{
    (void)state;
    struct watch watch = run_logger();
    struct allocations *allocations = of_feed(watch.feed);
    assert_true(allocations_follow(allocations, UINT64_MAX) > 5000);
    const struct log_head *log = open_log();
    const struct log_entry *entries = (const struct log_entry *)(log + 1);
    size_t live = 0;
    for (uint64_t i = 0; i < log->count; i++) {
        bool freed = false;
        struct allocation found;
        if (entries[i].kind != LOG_ALLOC)
            continue;
        for (uint64_t k = i + 1; k < log->count && !freed; k++)
            freed = entries[k].kind == LOG_FREE && entries[k].address == entries[i].address;
        if (freed)
            continue;
        live++;
        assert_true(allocations_find(allocations, NULL, entries[i].address + entries[i].usable - 1,
                                     0, &found));
        assert_int_equal(found.kind, ALLOCATION_RECORDED);
        assert_int_equal(found.start, entries[i].address);
        assert_int_equal(found.end - found.start, entries[i].usable);
        struct log_entry listed = {.address = entries[i].address};
        assert_int_equal(allocations_blocks(allocations, found.bin, note_bytes, &listed), 0);
        assert_int_equal(listed.size, entries[i].size);
    }
    assert_true(live > 100);
    allocations_free(allocations);
    watch_fini(&watch);
}

static uint32_t bin_with_most_blocks(struct allocations *allocations, struct heap_bin *most)
{
    struct heap_bin bin;
    most->live_blocks = 0;
    for (uint32_t i = 0; allocations_bin(allocations, i, &bin); i++)
        if (bin.live_blocks > most->live_blocks)
            *most = bin;
    return most->id;
}

static void bin_totals_match_blocks_and_renames_apply(void **state)
{
    (void)state;
    struct heap_bin bin;
    struct heap_bin again;
    uint64_t sum = 0;
    struct watch watch = run_logger();
    struct allocations *allocations = of_feed(watch.feed);
    struct heap_summary summary = read_all(allocations);
    assert_true(summary.bins >= 3); /* malloc, calloc, realloc of operate() */
    for (uint32_t i = 0; allocations_bin(allocations, i, &bin); i++) {
        uint64_t of_sizes = 0;
        for (int k = 0; k < HEAP_SIZES; k++)
            of_sizes += bin.sizes[k];
        assert_int_equal(of_sizes, bin.live_blocks);
        assert_true(bin.requested_bytes <= bin.usable_bytes);
        assert_int_equal(bin.allocations - bin.frees, bin.live_blocks);
        sum += bin.live_blocks;
    }
    assert_int_equal(sum, summary.live_blocks);
    uint32_t id = bin_with_most_blocks(allocations, &bin);
    assert_int_equal(allocations_rename(allocations, id, "mine"), 0);
    assert_string_equal(allocations_bin_name(allocations, id), "mine");
    assert_int_equal(allocations_undo(allocations), 0);
    assert_string_not_equal(allocations_bin_name(allocations, id), "mine");
    uint32_t other = 0;
    for (uint32_t i = 0; allocations_bin(allocations, i, &again) && !other; i++)
        other = again.id != id && again.path && strcmp(again.path, bin.path) ? again.id : 0;
    assert_int_equal(allocations_combine(allocations, (uint32_t[]){id, other}, 2), 0);
    assert_int_equal(allocations_bin_lead(allocations, other), id);
    assert_true(read_all(allocations).bins < summary.bins);
    assert_int_equal(allocations_rename(allocations, UINT32_MAX, "x"), -EOPNOTSUPP);
    assert_int_equal(allocations_rename(allocations, 1 << 20, "x"), -ENOENT);
    allocations_free(allocations);
    /* Combined bins are kept in the file, and hold for the next session. */
    allocations = of_feed(watch.feed);
    assert_int_equal(allocations_undo(allocations), 0);
    assert_int_equal(allocations_undo(allocations), -ENOENT);
    allocations_free(allocations);
    watch_fini(&watch);
}

static int remove_folder(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* Blocks freed before any lookup */

static const struct agent_sizes small = {
    .ring_count = 1, .chunk_count = 2, .path_count = 16, .word_count = 128};

/* A feed with the agent's side of its memory, and the allocations that read it. */
struct side {
    struct feed *feed;
    struct allocations *allocations;
    char *memory;
    struct agent_header *header;
    struct agent_ring *ring;
    struct agent_unit *units;
    uint64_t *words;
    uint64_t word_count;
    uint32_t paths;
};

static struct side open_allocations_side(void)
{
    struct feed *feed;
    assert_int_equal(feed_new_sized(&feed, &small, NULL), 0);
    char *memory =
        mmap(NULL, agent_total_bytes(&small), PROT_READ | PROT_WRITE, MAP_SHARED, feed_fd(feed), 0);
    struct side side = {.feed = feed,
                        .allocations = of_feed(feed),
                        .memory = memory,
                        .header = (struct agent_header *)memory,
                        .ring = (struct agent_ring *)(memory + agent_rings_at()),
                        .units = (struct agent_unit *)(memory + agent_chunks_at(&small)),
                        .words = (uint64_t *)(memory + agent_words_at(&small))};
    side.header->rings_used = 1;
    side.ring->head = side.ring->start = agent_chunk_after(0, 0);
    return side;
}

/* A path of two calls. */
static uint32_t write_path(struct side *side, uint64_t inner)
{
    uint64_t *words = side->words + side->word_count;
    words[1] = inner;
    words[2] = 0x999;
    words[0] = (uint64_t)++side->paths << 8 | 2;
    side->word_count += 3;
    return side->paths;
}

/* An event now, in the first ring. */
static void write_event(struct side *side, enum agent_kind kind, uint64_t address, uint64_t bytes,
                        uint32_t path)
{
    unsigned at = side->ring->head & (AGENT_CHUNK_UNITS - 1);
    uint64_t stamp = side->header->clock == AGENT_TSC ? __rdtsc() : clock_now_ns();
    side->units[at] = (struct agent_unit){stamp, address | (uint64_t)kind << AGENT_KIND_SHIFT};
    side->units[at + 1] = (struct agent_unit){bytes, path};
    side->ring->head += kind == AGENT_FREE ? 1 : 2;
}

static void close_allocations_side(struct side *side)
{
    allocations_free(side->allocations);
    munmap(side->memory, agent_total_bytes(&small));
    feed_free(side->feed);
}

/* A mapping of an allocator is not counted in addition to the blocks allocated from it. */
static void allocators_own_mapping_is_counted_once(void **state)
{
    (void)state;
    struct side side = open_allocations_side();
    struct allocations *allocations = side.allocations;
    uint32_t dealers = write_path(&side, 0x1000);
    uint32_t own = write_path(&side, 0x2000);
    write_event(&side, AGENT_MAP, 0x10000000, 0x100000, dealers);
    write_event(&side, AGENT_MAP, 0x20000000, 0x40000, own);
    assert_int_equal(read_all(allocations).usable_bytes, 0x140000);
    write_event(&side, AGENT_ALLOC, 0x10000800, 0x400, write_path(&side, 0x3000));
    write_event(&side, AGENT_MAP, 0x30000000, 0x100000, dealers);
    assert_int_equal(read_all(allocations).usable_bytes, 0x40400);
    close_allocations_side(&side);
}

static struct heap_bin stats_of_default_bin(struct allocations *allocations)
{
    struct heap_bin bin;
    read_all(allocations);
    assert_true(allocations_bin(allocations, 0, &bin));
    return bin;
}

static bool is_live(struct allocations *allocations, uint64_t address)
{
    struct allocation found;
    return allocations_find(allocations, NULL, address, 0, &found);
}

static void allocation_freed_before_reading_is_counted(void **state)
{
    (void)state;
    struct side side = open_allocations_side();
    struct allocations *allocations = side.allocations;
    write_event(&side, AGENT_ALLOC, 0x10000, 64, 0);
    write_event(&side, AGENT_ALLOC, 0x20000, 32, 0);
    write_event(&side, AGENT_FREE, 0x10000, 0, 0);
    struct heap_bin bin = stats_of_default_bin(allocations);
    assert_int_equal(bin.allocations, 2);
    assert_int_equal(bin.frees, 1);
    assert_int_equal(bin.usable_bytes, 32);
    assert_true(bin.lifetime_s >= 0);
    assert_false(is_live(allocations, 0x10000));
    assert_true(is_live(allocations, 0x20000));
    write_event(&side, AGENT_FREE, 0x20000, 0, 0);
    assert_int_equal(stats_of_default_bin(allocations).frees, 2);
    assert_false(is_live(allocations, 0x20000));
    close_allocations_side(&side);
}

/* If a free is not seen, the next allocation shows it, also if all events are read at once. */
static void reallocated_address_ends_the_old_block(void **state)
{
    (void)state;
    struct side side = open_allocations_side();
    struct allocations *allocations = side.allocations;
    write_event(&side, AGENT_ALLOC, 0x10000, 64, 0);
    write_event(&side, AGENT_ALLOC, 0x10000, 48, 0);
    write_event(&side, AGENT_FREE, 0x10000, 0, 0);
    struct heap_bin bin = stats_of_default_bin(allocations);
    assert_int_equal(bin.allocations, 2);
    assert_int_equal(bin.frees, 2);
    assert_false(is_live(allocations, 0x10000));
    /* From now on all events use the index: a block is removed when its address is allocated again.
     */
    write_event(&side, AGENT_ALLOC, 0x30000, 64, 0);
    assert_int_equal(stats_of_default_bin(allocations).live_blocks, 1);
    write_event(&side, AGENT_ALLOC, 0x30000, 16, 0);
    write_event(&side, AGENT_FREE, 0x30000, 0, 0);
    assert_int_equal(stats_of_default_bin(allocations).live_blocks, 0);
    close_allocations_side(&side);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(allocators_own_mapping_is_counted_once),
                                       cmocka_unit_test(allocation_freed_before_reading_is_counted),
                                       cmocka_unit_test(reallocated_address_ends_the_old_block),
                                       cmocka_unit_test(live_blocks_match_the_allocation_log),
                                       cmocka_unit_test(bin_totals_match_blocks_and_renames_apply)};
    if (!mkdtemp(folder))
        return 1;
    snprintf(log_path, sizeof log_path, "%s/log", folder);
    setenv("XDG_CONFIG_HOME", folder, 1);
    return cmocka_run_group_tests(tests, NULL, remove_folder);
}
