/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares the agent's record with a log that the program itself kept: every event, the same
 * sequence of allocations and frees for each address, the same sizes. With 1, 2 and 4 threads, with
 * a million live blocks, and with other allocators.
 */
#include "../unit/unit.h"

#include "logger.h"
#include "watch.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CLOCK_ERROR_NS = 50000 };

/* An event of the log or of the record, in the same form. */
struct step {
    uint64_t address;
    uint64_t order; /* the log: stamp; the record: position in it */
    uint64_t time_ns;
    uint64_t after_ns;
    uint64_t size;
    uint64_t usable;
    bool is_free;
};

static int by_address(const void *a, const void *b)
{
    const struct step *first = a;
    const struct step *second = b;
    if (first->address != second->address)
        return first->address < second->address ? -1 : 1;
    return first->order < second->order ? -1 : first->order > second->order;
}

static struct step *read_log(const char *path, size_t *count, struct log_head *head)
{
    struct stat status;
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0 && !fstat(fd, &status));
    const struct log_head *log = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    const struct log_entry *entries = (const struct log_entry *)(log + 1);
    struct step *steps = malloc((log->count + 1) * sizeof *steps);
    *count = 0;
    for (uint64_t i = 0; i < log->count; i++)
        if (entries[i].kind != LOG_NOTHING)
            steps[(*count)++] = (struct step){.address = entries[i].address,
                                              .order = entries[i].stamp,
                                              .time_ns = entries[i].before_ns,
                                              .after_ns = entries[i].after_ns,
                                              .size = entries[i].size,
                                              .usable = entries[i].usable,
                                              .is_free = entries[i].kind == LOG_FREE};
    *head = *log;
    munmap((void *)(uintptr_t)log, (size_t)status.st_size);
    close(fd);
    return steps;
}

static struct step *read_record(const struct watch *watch, const struct log_head *head,
                                size_t *count)
{
    struct step *steps = malloc((watch->count + 1) * sizeof *steps);
    *count = 0;
    for (size_t i = 0; i < watch->count; i++) {
        const struct feed_event *event = &watch->events[i];
        if (event->kind > FEED_FREE || event->time_ns < head->start_ns ||
            event->time_ns > head->end_ns)
            continue;
        steps[(*count)++] = (struct step){.address = event->address,
                                          .order = i,
                                          .time_ns = event->time_ns,
                                          .size = event->requested,
                                          .usable = event->usable,
                                          .is_free = event->kind == FEED_FREE};
    }
    return steps;
}

static void expect_times_never_decrease(const struct watch *watch)
{
    for (size_t i = 1; i < watch->count; i++)
        assert_true(watch->events[i - 1].time_ns <= watch->events[i].time_ns);
}

/* Returns how many blocks were live when the program stopped. */
static size_t compare(const struct watch *watch, const char *path, const char *label)
{
    struct log_head head;
    size_t known;
    size_t recorded;
    size_t wrong = 0;
    size_t outside = 0;
    size_t live = 0;
    size_t allocations = 0;
    size_t timed = 0;
    struct step *log = read_log(path, &known, &head);
    struct step *record = read_record(watch, &head, &recorded);
    qsort(log, known, sizeof *log, by_address);
    qsort(record, recorded, sizeof *record, by_address);
    for (size_t i = 0; i < known && i < recorded; i++) {
        wrong += log[i].address != record[i].address || log[i].is_free != record[i].is_free ||
                 log[i].size != record[i].size || log[i].usable != record[i].usable;
        live += log[i].is_free ? (size_t)-1 : 1;
        outside += record[i].time_ns + CLOCK_ERROR_NS < log[i].time_ns ||
                   record[i].time_ns > log[i].after_ns + CLOCK_ERROR_NS;
    }
    for (size_t i = 0; i < watch->count; i++)
        if (watch->events[i].kind == FEED_ALLOC) {
            allocations++;
            timed += watch->events[i].is_timed;
        }
    struct feed_counts counts = feed_counts(watch->feed);
    printf("%s: %zu live, %zu events logged, %zu recorded, %zu wrong, %zu outside their call, "
           "%llu lost, %llu paths, %.2f %% unwound, one allocation in %.2f has a time\n",
           label, live, known, recorded, wrong, outside, (unsigned long long)feed_lost(watch->feed),
           (unsigned long long)counts.paths, 100.0 * (double)counts.unwound / (double)known,
           (double)allocations / (double)timed);
    assert_int_equal(feed_lost(watch->feed), 0);
    assert_int_equal(known, recorded);
    assert_int_equal(wrong, 0);
    assert_in_range(timed, allocations / 9, allocations / 7);
    /* An event has a later time if its thread was interrupted while recording it. */
    assert_true(outside <= known / 100);
    free(log);
    free(record);
    return live;
}

static size_t record_and_compare(const char *threads, const char *operations, const char *live,
                                 const char *preload)
{
    char path[] = "/tmp/misstop-agent-log-XXXXXX";
    char label[128];
    struct watch watch = {.preload = preload};
    close(mkstemp(path));
    const char *const words[] = {"logger", path, threads, operations, live, NULL};
    watch_run(&watch, words);
    snprintf(label, sizeof label, "%s threads%s%s", threads, preload ? ", " : "",
             preload ? preload : "");
    assert_int_equal(watch.status, 0);
    assert_int_equal(feed_state(watch.feed, NULL), FEED_RUNNING);
    expect_times_never_decrease(&watch);
    size_t left = compare(&watch, path, label);
    unlink(path);
    watch_fini(&watch);
    return left;
}

static void record_of_one_thread_matches_log(void **state)
{
    (void)state;
    record_and_compare("1", "1000000", "10000", NULL);
}

static void record_of_two_threads_matches_log(void **state)
{
    (void)state;
    record_and_compare("2", "1000000", "10000", NULL);
}

static void record_of_contending_threads_matches_log(void **state)
{
    (void)state;
    record_and_compare("4", "1000000", "50", NULL);
}

static void record_of_a_million_live_blocks_matches_log(void **state)
{
    (void)state;
#ifdef __SANITIZE_ADDRESS__ /* four times as slow; the tables grow as often */
    assert_true(record_and_compare("2", "1000000", "750000", NULL) > 250000);
#else
    assert_true(record_and_compare("2", "4000000", "3000000", NULL) > 1000000);
#endif
}

static void record_with_library(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "/usr/lib/x86_64-linux-gnu/%s", name);
    if (access(path, R_OK)) {
        printf("skipped: %s is not installed\n", name);
        skip();
    }
    record_and_compare("4", "400000", "1000", path);
}

static void record_with_jemalloc_matches_log(void **state)
{
    (void)state;
    record_with_library("libjemalloc.so.2");
}

static void record_with_tcmalloc_matches_log(void **state)
{
    (void)state;
    record_with_library("libtcmalloc_minimal.so.4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(record_of_one_thread_matches_log),
        cmocka_unit_test(record_of_two_threads_matches_log),
        cmocka_unit_test(record_of_contending_threads_matches_log),
        cmocka_unit_test(record_of_a_million_live_blocks_matches_log),
        cmocka_unit_test(record_with_jemalloc_matches_log),
        cmocka_unit_test(record_with_tcmalloc_matches_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
