/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests the feed on memory that the test writes, valid and hostile. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "agent_abi.h"
#include "base/clock.h"
#include "base/hash.h"
#include "resolve/heap/feed.h"
#include "unit.h"

enum { RINGS = 4, CHUNKS = 8, KEPT_MAX = 1024, FUZZ_FEEDS = 300, FUZZ_ROUNDS = 300 };

static const struct agent_sizes sizes = {
    .ring_count = RINGS, .chunk_count = CHUNKS, .path_count = 16, .word_count = 128};

static struct feed *feed_feed;
static char *memory; /* the agent's mapping */
static struct agent_header *header;
static struct agent_ring *rings;
static struct feed_event kept[KEPT_MAX];
static size_t kept_count;

static int open_feed(void **state)
{
    (void)state;
    if (feed_new_sized(&feed_feed, &sizes, NULL))
        return -1;
    memory = mmap(NULL, agent_total_bytes(&sizes), PROT_READ | PROT_WRITE, MAP_SHARED,
                  feed_fd(feed_feed), 0);
    header = (struct agent_header *)memory;
    rings = (struct agent_ring *)(memory + agent_rings_at());
    kept_count = 0;
    return memory == MAP_FAILED;
}

static int close_feed(void **state)
{
    (void)state;
    munmap(memory, agent_total_bytes(&sizes));
    feed_free(feed_feed);
    return 0;
}

static void keep_event(void *context, const struct feed_event *event)
{
    (void)context;
    kept[kept_count++ % KEPT_MAX] = *event;
}

static uint32_t pop_chunk(void)
{
    uint32_t *links = (uint32_t *)(memory + agent_chunk_links_at(&sizes));
    uint32_t chunk = agent_pop(&header->warm_chunks, links, CHUNKS);
    return chunk ? chunk : agent_pop(&header->cold_chunks, links, CHUNKS);
}

/* Writes a unit, and goes on to the next chunk like the agent; without one the unit is lost. */
static void put(uint32_t ring, uint64_t first, uint64_t second)
{
    struct agent_unit *units = (struct agent_unit *)(memory + agent_chunks_at(&sizes));
    struct agent_ring *own = &rings[ring];
    uint64_t at = own->head & (AGENT_CHUNK_UNITS - 1);
    uint32_t chunk = agent_chunk(own->head);
    if (!own->start || at > AGENT_CHUNK_UNITS - 4) {
        uint32_t next = pop_chunk();
        if (!next) {
            own->lost++;
            return;
        }
        if (own->start && chunk < CHUNKS)
            units[chunk * AGENT_CHUNK_UNITS + at] = (struct agent_unit){
                .second = (next - 1) | (uint64_t)AGENT_NEXT << AGENT_KIND_SHIFT};
        own->head = agent_chunk_after(own->head, next - 1);
        if (!own->start)
            own->start = own->head;
    }
    chunk = agent_chunk(own->head) % CHUNKS;
    at = own->head & (AGENT_CHUNK_UNITS - 1);
    units[chunk * AGENT_CHUNK_UNITS + at] = (struct agent_unit){first, second};
    own->head++;
}

static void put_kind(uint32_t ring, enum agent_kind kind, uint64_t stamp, uint64_t address)
{
    put(ring, stamp, address | (uint64_t)kind << AGENT_KIND_SHIFT);
}

static void put_alloc(uint32_t ring, uint64_t stamp, uint64_t address, uint64_t size)
{
    put_kind(ring, AGENT_ALLOC, stamp, address);
    put(ring, size, 1 | UINT64_C(8) << 32);
}

/* Writes as the agent does to the chunk at which misstop requested a wake-up. */
static void half_full_memory_wakes_the_poller(void **state)
{
    (void)state;
    struct pollfd polled = {.fd = feed_wake_fd(feed_feed), .events = POLLIN};
    uint64_t wakes = 0;
    assert_true(polled.fd >= 0);
    header->chunks_taken = 100;
    feed_read(feed_feed, UINT64_MAX, keep_event, NULL);
    assert_int_equal(header->wake_at, 100 + CHUNKS / 2);
    assert_int_equal(poll(&polled, 1, 0), 0);
    __atomic_add_fetch(&header->woken, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &header->woken, FUTEX_WAKE, 1, NULL, NULL, 0);
    assert_int_equal(poll(&polled, 1, -1), 1);
    assert_int_equal(read(polled.fd, &wakes, sizeof wakes), sizeof wakes);
    assert_int_equal(wakes, 1);
}

static uint64_t now_stamp(void)
{
    return header->clock == AGENT_TSC ? __rdtsc() : clock_now_ns();
}

static void events_of_threads_are_merged_by_time(void **state)
{
    (void)state;
    uint64_t start = now_stamp() - 1000;
    header->rings_used = 2;
    put_kind(0, AGENT_OWNER, 0, 10);
    put_kind(1, AGENT_OWNER, 0, 11);
    put_alloc(0, start + 1, 0x1000, 24);
    put_alloc(1, start + 2, 0x2000, 100);
    put_kind(0, AGENT_FREE, start + 3, 0x1000);
    put_kind(1, AGENT_FREE, start + 4, 0x2000);
    assert_int_equal(feed_read(feed_feed, UINT64_MAX, keep_event, NULL), 4);
    assert_int_equal(kept[0].tid, 10);
    assert_int_equal(kept[0].address, 0x1000);
    assert_int_equal(kept[0].requested, 24);
    assert_int_equal(kept[0].usable, 32);
    assert_int_equal(kept[1].tid, 11);
    assert_int_equal(kept[2].kind, FEED_FREE);
    assert_int_equal(kept[2].address, 0x1000);
    assert_int_equal(kept[3].address, 0x2000);
}

static void events_after_the_time_limit_are_kept(void **state)
{
    (void)state;
    header->rings_used = 1;
    put_kind(0, AGENT_FREE, now_stamp(), 0x1000);
    uint64_t between = clock_now_ns() + 1000000;
    struct timespec nap = {.tv_nsec = 2000000};
    nanosleep(&nap, NULL);
    put_kind(0, AGENT_FREE, now_stamp(), 0x2000);
    assert_int_equal(feed_read(feed_feed, between, keep_event, NULL), 1);
    assert_int_equal(feed_read(feed_feed, UINT64_MAX, keep_event, NULL), 1);
    assert_int_equal(kept[1].address, 0x2000);
    assert_true(kept[0].time_ns <= between && kept[1].time_ns > between);
}

static void put_brief(uint32_t ring, uint64_t address, uint64_t size, uint64_t path, uint64_t slack)
{
    put_kind(ring, AGENT_BRIEF, size | path << AGENT_BRIEF_PATH | slack << AGENT_BRIEF_SLACK,
             address);
}

static void brief_allocation_inherits_previous_event_time(void **state)
{
    (void)state;
    uint64_t start = now_stamp() - 1000;
    header->rings_used = 2;
    put_alloc(0, start + 1, 0x1000, 24);
    put_brief(0, 0x2000, 40, 7, 4095);
    put_kind(1, AGENT_FREE, start + 2, 0x5000);
    put_kind(0, AGENT_FREE, start + 3, 0x1000);
    put_brief(0, 0x1000, UINT32_MAX, 1, 0);
    put_kind(0, AGENT_ALLOC, start + 4, 0x3000);
    put(0, 16, AGENT_NOT_TIMED | 1);
    put_kind(1, AGENT_FREE, start + 5, 0x6000);
    assert_int_equal(feed_read(feed_feed, UINT64_MAX, keep_event, NULL), 7);
    assert_int_equal(kept[0].address, 0x1000);
    assert_true(kept[0].is_timed);
    assert_int_equal(kept[1].address, 0x2000);
    assert_int_equal(kept[1].kind, FEED_ALLOC);
    assert_int_equal(kept[1].requested, 40);
    assert_int_equal(kept[1].usable, 40 + 4095);
    assert_int_equal(kept[1].time_ns, kept[0].time_ns);
    assert_false(kept[1].is_timed);
    assert_int_equal(kept[2].address, 0x5000);
    assert_int_equal(kept[4].address, 0x1000);
    assert_int_equal(kept[4].kind, FEED_ALLOC);
    assert_int_equal(kept[4].requested, UINT32_MAX);
    assert_int_equal(kept[4].time_ns, kept[3].time_ns);
    assert_int_equal(kept[5].address, 0x3000);
    assert_false(kept[5].is_timed);
}

static void put_path(uint64_t at, uint64_t id, uint64_t count, uint64_t first)
{
    uint64_t *words = (uint64_t *)(memory + agent_words_at(&sizes));
    for (uint64_t i = 1; i <= count && i < sizes.word_count; i++)
        words[(at + i) % sizes.word_count] = first + i;
    words[at % sizes.word_count] = id << 8 | count;
}

static void call_paths_are_copied(void **state)
{
    (void)state;
    uint64_t *words = (uint64_t *)(memory + agent_words_at(&sizes));
    const uint64_t *frames;
    header->rings_used = 1;
    put_path(0, 1, 2, 0x400000);
    put_alloc(0, now_stamp(), 0x1000, 1);
    assert_int_equal(feed_path(feed_feed, 1, &frames), 0); /* not known before feed_read() */
    assert_int_equal(feed_read(feed_feed, UINT64_MAX, keep_event, NULL), 1);
    assert_int_equal(kept[0].path, 1);
    words[1] = 0xbad; /* too late for a change */
    assert_int_equal(feed_path(feed_feed, 1, &frames), 2);
    assert_int_equal(frames[0], 0x400001);
    assert_int_equal(frames[1], 0x400002);
    assert_int_equal(feed_path(feed_feed, 0, &frames), 0);
    assert_int_equal(feed_path(feed_feed, UINT32_MAX, &frames), 0);
}

/* Wraps around in the ring of words, which is left zeroed for the next entry. */
static void path_ring_wraps_and_is_zeroed(void **state)
{
    (void)state;
    const uint64_t *frames;
    uint64_t at = 0;
    header->rings_used = 1;
    for (uint64_t id = 1; id < sizes.path_count; id++, at += 41) {
        put_path(at, id, 40, id * 1000);
        feed_read(feed_feed, UINT64_MAX, keep_event, NULL);
        assert_int_equal(feed_path(feed_feed, (uint32_t)id, &frames), 40);
        assert_int_equal(frames[39], id * 1000 + 40);
        assert_int_equal(header->words_read, at + 41);
    }
}

/* The remaining words of the dead program are skipped. */
static void path_truncated_by_exec_is_skipped(void **state)
{
    (void)state;
    const uint64_t *frames;
    put_path(10, 2, 3, 0x1000);
    feed_read(feed_feed, UINT64_MAX, keep_event, NULL);
    assert_int_equal(feed_path(feed_feed, 2, &frames), 0);
    header->words_from = 10;
    feed_read(feed_feed, UINT64_MAX, keep_event, NULL);
    feed_read(feed_feed, UINT64_MAX, keep_event, NULL);
    assert_int_equal(feed_path(feed_feed, 2, &frames), 3);
}

static void invalid_path_entries_are_ignored(void **state)
{
    static const struct {
        uint64_t id, count;
    } bad[] = {{1, AGENT_DEPTH_MAX + 1}, {1, 255}, {1, 0}, {0, 2}, {16, 2}, {UINT32_MAX, 2}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        open_feed(state);
        header->rings_used = 1;
        put_path(0, bad[i].id, bad[i].count, 0x1000);
        put_alloc(0, now_stamp(), 0x1000, 1);
        assert_int_equal(feed_read(feed_feed, UINT64_MAX, keep_event, NULL), 1);
        assert_int_equal(kept[0].path, 0);
        close_feed(state);
    }
}

/* More units than fit in all chunks pass through if they are read meanwhile; nothing is lost. */
static void chunks_are_recycled_while_reading(void **state)
{
    (void)state;
    long got = 0;
    header->rings_used = 1;
    for (int i = 0; i < 100; i++) {
        for (int j = 0; j < 300; j++)
            put_kind(0, AGENT_FREE, now_stamp(), (uint64_t)i << 20 | (uint64_t)j);
        got += feed_read(feed_feed, UINT64_MAX, keep_event, NULL);
    }
    assert_int_equal(got, 100 * 300);
    assert_int_equal(feed_lost(feed_feed), 0);
    for (int i = 0; i < 10000; i++)
        put_kind(0, AGENT_FREE, now_stamp(), (uint64_t)i);
    assert_true(feed_lost(feed_feed) > 7000 && feed_lost(feed_feed) < 10000);
}

/* An ending owner returns ring and chunk. An exec ends owners that did not report their end. */
static void rings_of_ended_threads_are_recycled(void **state)
{
    (void)state;
    uint32_t *links = (uint32_t *)(memory + agent_ring_links_at(&sizes));
    header->rings_used = 2;
    put_kind(0, AGENT_FREE, now_stamp(), 0x1000);
    put_kind(0, AGENT_END, 0, 0);
    put_kind(1, AGENT_FREE, now_stamp(), 0x1000);
    assert_int_equal(feed_read(feed_feed, UINT64_MAX, keep_event, NULL), 2);
    assert_int_equal(agent_pop(&header->free_rings, links, RINGS), 1);
    assert_int_equal(agent_pop(&header->free_rings, links, RINGS), 0);
    rings[0].start = 0; /* used again */
    put_kind(0, AGENT_FREE, now_stamp(), 0x2000);
    rings[0].generation = 1;
    header->generation = 1;
    assert_int_equal(feed_read(feed_feed, UINT64_MAX, keep_event, NULL), 1);
    assert_int_equal(kept[2].address, 0x2000);
    assert_int_equal(agent_pop(&header->free_rings, links, RINGS), 2);
    assert_int_equal(agent_pop(&header->free_rings, links, RINGS), 0);
    feed_read(feed_feed, UINT64_MAX, keep_event, NULL);
    int chunks = 0;
    while (pop_chunk())
        chunks++;
    assert_int_equal(chunks, CHUNKS - 1); /* all except the one in use */
    assert_int_equal(feed_counts(feed_feed).damaged, 0);
}

static void corrupt_rings_are_skipped_and_counted(void **state)
{
    (void)state;
    header->rings_used = 3;
    put_kind(0, AGENT_FREE, now_stamp(), 0x1000);
    feed_read(feed_feed, UINT64_MAX, keep_event, NULL);
    rings[0].head += UINT64_C(1) << 40;            /* more than it can hold */
    put_kind(1, AGENT_ALLOC, now_stamp(), 0x1000); /* half a record */
    put_kind(2, 77, now_stamp(), 0x1000);          /* no such kind */
    assert_int_equal(feed_read(feed_feed, UINT64_MAX, keep_event, NULL), 0);
    assert_int_equal(feed_counts(feed_feed).damaged, 3);
    assert_int_equal(feed_lost(feed_feed), 3);
    put_kind(1, AGENT_FREE, now_stamp(), 0x1000);
    assert_int_equal(feed_read(feed_feed, UINT64_MAX, keep_event, NULL), 1);
}

static void event_times_are_monotonic(void **state)
{
    (void)state;
    header->rings_used = 1;
    uint64_t now = now_stamp();
    put_kind(0, AGENT_FREE, now, 0x1000);
    feed_read(feed_feed, UINT64_MAX, keep_event, NULL);
    put_kind(0, AGENT_FREE, now - 1000000, 0x2000);
    put_kind(0, AGENT_FREE, 0, 0x3000);
    feed_read(feed_feed, UINT64_MAX, keep_event, NULL);
    assert_int_equal(kept_count, 3);
    assert_true(kept[1].time_ns >= kept[0].time_ns && kept[2].time_ns >= kept[1].time_ns);
}

/* Returns mostly plausible words, so that the fuzzing gets past the first check. */
static uint64_t hostile_word(struct prng *prng)
{
    uint64_t word = prng_next(prng);
    switch (word >> 61) {
    case 0:
        return word;
    case 1:
        return word & 0xff;
    case 2:
        return now_stamp() - (word & 0xffff);
    case 3:
        return UINT64_MAX - (word & 3);
    default:
        return (word & 0xffff) | ((word >> 20) % 9) << AGENT_KIND_SHIFT;
    }
}

static void overwrite_randomly(struct prng *prng)
{
    uint64_t part = prng_below(prng, 4) ? AGENT_HEADER_BYTES : 0;
    uint64_t all = agent_total_bytes(&sizes) - part;
    uint64_t size = prng_below(prng, 2) ? RINGS * sizeof *rings : all;
    uint64_t at = part + prng_below(prng, (uint32_t)(size / 8)) * 8;
    *(uint64_t *)(memory + at) = hostile_word(prng);
}

static void put_random_event(struct prng *prng)
{
    uint32_t ring = (uint32_t)prng_below(prng, RINGS);
    uint64_t now = now_stamp();
    put_alloc(ring, now, prng_next(prng) & 0xffff0, prng_next(prng));
    put_kind(ring, (enum agent_kind)prng_below(prng, 9), now, prng_next(prng) & 0xffff0);
}

static long read_and_check(struct prng *prng)
{
    const uint64_t *frames;
    const char *why;
    uint64_t until = prng_below(prng, 2) ? UINT64_MAX : prng_next(prng);
    long got = feed_read(feed_feed, until, keep_event, NULL);
    assert_true(got >= 0 && got <= (long)RINGS * (CHUNKS * AGENT_CHUNK_UNITS + 1));
    assert_true(feed_path(feed_feed, (uint32_t)prng_next(prng) & 31, &frames) <= AGENT_DEPTH_MAX);
    feed_lost(feed_feed);
    feed_state(feed_feed, &why);
    assert_true(!why || strlen(why) < 200);
    return got;
}

/* Overwrites all of the memory randomly between reads: bounded, and no crash. */
static void randomly_overwritten_memory_is_harmless(void **state)
{
    struct prng prng = {42};
    long events = 0;
    uint64_t skipped = 0;
    for (int i = 0; i < FUZZ_FEEDS; i++) {
        assert_int_equal(open_feed(state), 0);
        header->rings_used = RINGS;
        for (int round = 0; round < FUZZ_ROUNDS; round++) {
            put_random_event(&prng);
            if (prng_below(&prng, 4) == 0)
                overwrite_randomly(&prng);
            events += read_and_check(&prng);
        }
        skipped += feed_counts(feed_feed).damaged;
        close_feed(state);
    }
    printf("%d rounds, %ld events delivered, %llu rings skipped\n", FUZZ_FEEDS * FUZZ_ROUNDS,
           events, (unsigned long long)skipped);
    assert_true(events > 10000 && skipped > 1000);
}

static void feed_memory_is_sealed_and_private(void **state)
{
    (void)state;
    struct stat status;
    assert_int_equal(ftruncate(feed_fd(feed_feed), 4096), -1);
    assert_int_equal(ftruncate(feed_fd(feed_feed), 1 << 30), -1);
    assert_int_equal(fstat(feed_fd(feed_feed), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_true(fcntl(feed_fd(feed_feed), F_GETFD) & FD_CLOEXEC);
    assert_int_equal(feed_inherit(feed_feed), 0);
    assert_false(fcntl(feed_fd(feed_feed), F_GETFD) & FD_CLOEXEC);
}

static void agent_failure_reasons_have_names(void **state)
{
    (void)state;
    const char *why;
    assert_int_equal(feed_state(feed_feed, &why), FEED_NOT_STARTED);
    header->state = AGENT_GAVE_UP;
    header->reason = AGENT_NO_WIPEONFORK;
    assert_int_equal(feed_state(feed_feed, &why), FEED_GAVE_UP);
    assert_non_null(strstr(why, "MADV_WIPEONFORK"));
    header->reason = 1000;
    assert_int_equal(feed_state(feed_feed, &why), FEED_GAVE_UP);
    assert_non_null(why);
}

static void stamps_and_times_convert_both_ways(void **state)
{
    (void)state;
    struct stamp_clock clock;
    stamp_clock_init(&clock);
    stamp_clock_update(&clock);
    uint64_t now = clock_now_ns();
    uint64_t error = stamp_clock_ns(&clock, stamp_clock_stamp(&clock, now)) - now;
    assert_true((int64_t)error >= -2 && (int64_t)error <= 2);
    assert_int_equal(stamp_clock_stamp(&clock, UINT64_MAX), UINT64_MAX);
    /* No stamp, however odd, causes undefined behaviour. */
    stamp_clock_ns(&clock, 0);
    stamp_clock_ns(&clock, UINT64_MAX);
    stamp_clock_ns(&clock, clock.latest.stamp + INT64_MAX);
    stamp_clock_ns(&clock, clock.latest.stamp - INT64_MAX);
    stamp_clock_stamp(&clock, 0);
    clock.ns_per_tick = 1e6;
    assert_int_equal(stamp_clock_ns(&clock, clock.latest.stamp + INT64_MAX), UINT64_MAX);
    assert_int_equal(stamp_clock_ns(&clock, clock.latest.stamp - INT64_MAX), 0);
}

static int run_feed(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(events_of_threads_are_merged_by_time, open_feed,
                                        close_feed),
        cmocka_unit_test_setup_teardown(brief_allocation_inherits_previous_event_time, open_feed,
                                        close_feed),
        cmocka_unit_test_setup_teardown(half_full_memory_wakes_the_poller, open_feed, close_feed),
        cmocka_unit_test_setup_teardown(events_after_the_time_limit_are_kept, open_feed,
                                        close_feed),
        cmocka_unit_test_setup_teardown(call_paths_are_copied, open_feed, close_feed),
        cmocka_unit_test_setup_teardown(path_ring_wraps_and_is_zeroed, open_feed, close_feed),
        cmocka_unit_test_setup_teardown(path_truncated_by_exec_is_skipped, open_feed, close_feed),
        cmocka_unit_test(invalid_path_entries_are_ignored),
        cmocka_unit_test_setup_teardown(chunks_are_recycled_while_reading, open_feed, close_feed),
        cmocka_unit_test_setup_teardown(rings_of_ended_threads_are_recycled, open_feed, close_feed),
        cmocka_unit_test_setup_teardown(corrupt_rings_are_skipped_and_counted, open_feed,
                                        close_feed),
        cmocka_unit_test_setup_teardown(event_times_are_monotonic, open_feed, close_feed),
        cmocka_unit_test(randomly_overwritten_memory_is_harmless),
        cmocka_unit_test_setup_teardown(feed_memory_is_sealed_and_private, open_feed, close_feed),
        cmocka_unit_test_setup_teardown(agent_failure_reasons_have_names, open_feed, close_feed),
        cmocka_unit_test(stamps_and_times_convert_both_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Starting a target with the agent, and programs that cannot be started with it. */

static void environment_keeps_existing_preload(void **state)
{
    (void)state;
    char preload[128];
    char variable[32];
    char wanted[32];
    struct error error;
    struct feed *feed;
    assert_int_equal(feed_new(&feed, &error), 0);
    unsetenv("LD_PRELOAD");
    assert_int_equal(
        feed_environment(feed, "/a.so", preload, sizeof preload, variable, sizeof variable, &error),
        0);
    assert_string_equal(preload, "LD_PRELOAD=/a.so");
    snprintf(wanted, sizeof wanted, "MISSTOP_AGENT=%d", feed_fd(feed));
    assert_string_equal(variable, wanted);
    setenv("LD_PRELOAD", "/b.so /c.so", 1);
    feed_environment(feed, "/a.so", preload, sizeof preload, variable, sizeof variable, &error);
    unsetenv("LD_PRELOAD");
    assert_string_equal(preload, "LD_PRELOAD=/a.so:/b.so /c.so");
    assert_int_equal(feed_environment(feed, "/with space.so", preload, sizeof preload, variable,
                                      sizeof variable, &error),
                     -EINVAL);
    assert_int_equal(
        feed_environment(feed, "/a.so", preload, 12, variable, sizeof variable, &error),
        -ENAMETOOLONG);
    feed_free(feed);
}

static enum agent_load refusal_of(const void *bytes, size_t size, mode_t mode, uid_t owner)
{
    char path[] = "/tmp/misstop-feed-XXXXXX";
    struct error error = {0};
    int fd = mkstemp(path);
    assert_int_equal(write(fd, bytes, size), size);
    if (owner)
        assert_int_equal(fchown(fd, owner, (gid_t)-1), 0);
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
    enum agent_load refusal = feed_refusal(path, &error);
    assert_true(refusal == AGENT_LOADABLE || error.text[0]);
    unlink(path);
    return refusal;
}

static size_t read_whole(const char *path, char *out, size_t size)
{
    int fd = open(path, O_RDONLY);
    ssize_t got = read(fd, out, size);
    close(fd);
    return got > 0 ? (size_t)got : 0;
}

static void unpreloadable_programs_are_refused_with_reason(void **state)
{
    (void)state;
    static char self[1 << 20];
    struct error error;
    size_t size = read_whole("/bin/true", self, sizeof self);
    assert_int_equal(feed_refusal("true", &error), AGENT_LOADABLE);
    assert_int_equal(refusal_of(self, size, 0700, 0), AGENT_LOADABLE);
    if (!getuid())
        assert_int_equal(refusal_of(self, size, 04755, 1), AGENT_LOAD_RIGHTS);
    assert_int_equal(refusal_of("#!/bin/sh\n", 10, 0700, 0), AGENT_LOADABLE);
    assert_int_equal(refusal_of("#! /no/such\n", 12, 0700, 0), AGENT_LOAD_UNREADABLE);
    assert_int_equal(refusal_of("text", 4, 0700, 0), AGENT_LOAD_NO_PROGRAM);
    assert_int_equal(refusal_of("", 0, 0700, 0), AGENT_LOAD_NO_PROGRAM);
    assert_int_equal(feed_refusal("no-such-command-here", &error), AGENT_LOAD_UNREADABLE);
    assert_int_equal(error.code, -ENOENT);
    self[4] = 1; /* ELFCLASS32 */
    assert_int_equal(refusal_of(self, size, 0700, 0), AGENT_LOAD_MACHINE);
    self[4] = 2;
    char *interpreter = memmem(self, size, "/ld-linux-x86-64.so.2", 21);
    assert_non_null(interpreter);
    memcpy(interpreter, "/ld-musl-x86_64.so.1", 21);
    assert_int_equal(refusal_of(self, size, 0700, 0), AGENT_LOAD_LIBC);
}

static void static_program_is_refused(void **state)
{
    (void)state;
    const char *build = getenv("BUILD");
    char path[4096];
    struct error error;
    snprintf(path, sizeof path, "%s/tests/agent/fixed", build ? build : ".");
    if (access(path, X_OK)) {
        printf("skipped: tests/agent/fixed was not built (no static libc?)\n");
        skip();
    }
    assert_int_equal(feed_refusal(path, &error), AGENT_LOAD_STATIC);
    assert_non_null(strstr(error.text, "statically"));
}

/* Uses any available compiler, with the runtime linked dynamically, statically, without symbols. */
static void sanitizer_programs_are_refused(void **state)
{
    (void)state;
    static const char *const builds[] = {"gcc -fsanitize=address",
                                         "gcc -fsanitize=address -static-libasan",
                                         "gcc -fsanitize=address -static-libasan -s",
                                         "gcc -fsanitize=thread",
                                         "gcc -fsanitize=leak -static-liblsan -s",
                                         "clang -fsanitize=address",
                                         "clang -fsanitize=thread",
                                         "clang -fsanitize=memory -s"};
    struct error error;
    char folder[] = "/tmp/misstop-load-XXXXXX";
    char command[512];
    char path[64];
    int built = 0;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/program", folder);
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++) {
        snprintf(command, sizeof command,
                 "echo 'int main(void) { return 0; }' | %s -x c - -o %s 2>/dev/null", builds[i],
                 path);
        if (system(command)) {
            printf("skipped, cannot be built: %s\n", builds[i]);
            continue;
        }
        built++;
        assert_int_equal(feed_refusal(path, &error), AGENT_LOAD_SANITIZER);
        assert_non_null(strstr(error.text, "sanitizer"));
        unlink(path);
    }
    rmdir(folder);
    if (!built)
        skip();
    setenv("LD_PRELOAD", "/lib/libasan.so.8", 1);
    assert_int_equal(feed_refusal("true", &error), AGENT_LOAD_SANITIZER);
    unsetenv("LD_PRELOAD");
}

/* Another glibc has an interpreter with the same name elsewhere. */
static void program_with_another_glibc_is_refused(void **state)
{
    (void)state;
    static char self[1 << 20];
    size_t size = read_whole("/bin/true", self, sizeof self);
    char *interpreter = memmem(self, size, "/lib64/ld-linux-x86-64.so.2", 27);
    assert_non_null(interpreter);
    memcpy(interpreter, "/lib65", 6);
    assert_int_equal(refusal_of(self, size, 0700, 0), AGENT_LOAD_LINKER);
}

/* Damaged ELF files must be harmless too. */
static void damaged_elf_files_are_harmless(void **state)
{
    (void)state;
    static char whole[1 << 20];
    struct prng prng = {7};
    size_t size = read_whole("/bin/true", whole, sizeof whole);
    for (int round = 0; round < 300; round++) {
        char damaged[1024];
        memcpy(damaged, whole, sizeof damaged);
        for (int i = 0; i < 8; i++)
            damaged[prng_below(&prng, sizeof damaged)] = (char)prng_next(&prng);
        refusal_of(damaged, 64 + prng_below(&prng, sizeof damaged - 64), 0700, 0);
    }
    assert_true(size > 1024);
}

static int run_feed_launch(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(environment_keeps_existing_preload),
        cmocka_unit_test(unpreloadable_programs_are_refused_with_reason),
        cmocka_unit_test(static_program_is_refused),
        cmocka_unit_test(sanitizer_programs_are_refused),
        cmocka_unit_test(program_with_another_glibc_is_refused),
        cmocka_unit_test(damaged_elf_files_are_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    int failed = 0;
    failed += run_feed();
    failed += run_feed_launch();
    return failed;
}
