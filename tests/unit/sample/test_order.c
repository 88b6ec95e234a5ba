/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/hash.h"
#include "sample/perfdata/input.h"
#include "sample/perfdata/order.h"
#include "unit.h"
#include "unit/sample/recording.h"

static void add(struct order *order, uint64_t time_ns, uint64_t number)
{
    struct order_item item = {.size_bytes = sizeof number};
    assert_int_equal(order_add(order, time_ns, item, &number), 0);
}

/* Pops the head. Returns its time, and the number stored with it; UINT64_MAX: none is ready. */
static uint64_t pop(struct order *order, uint64_t *number)
{
    uint64_t time_ns;
    const struct order_item *item = order_head(order, &time_ns);
    if (!item)
        return UINT64_MAX;
    assert_int_equal(item->size_bytes, sizeof *number);
    memcpy(number, item + 1, sizeof *number);
    order_pop(order);
    return time_ns;
}

static size_t pop_all(struct order *order)
{
    uint64_t number;
    uint64_t last_ns = 0;
    size_t count = 0;
    for (uint64_t now; (now = pop(order, &number)) != UINT64_MAX; count++) {
        assert_true(now >= last_ns);
        last_ns = now;
    }
    return count;
}

static void round_releases_records_of_previous_round(void **state)
{
    struct order order;
    uint64_t number;
    (void)state;
    order_init(&order, ORDER_BYTES_MAX, ORDER_RECORDS_MAX);
    add(&order, 30, 0);
    add(&order, 10, 1);
    order_round(&order);
    assert_int_equal(pop(&order, &number), UINT64_MAX); /* the next round may have older ones */
    add(&order, 20, 2);
    add(&order, 50, 3);
    order_round(&order);
    assert_int_equal(pop(&order, &number), 10);
    assert_int_equal(pop(&order, &number), 20);
    assert_int_equal(pop(&order, &number), 30);
    assert_int_equal(pop(&order, &number), UINT64_MAX);
    order_finish(&order);
    assert_int_equal(pop(&order, &number), 50);
    assert_int_equal(number, 3);
    assert_int_equal(order.late, 0);
    order_fini(&order);
}

static void equal_times_keep_recorded_order(void **state)
{
    struct order order;
    (void)state;
    order_init(&order, ORDER_BYTES_MAX, ORDER_RECORDS_MAX);
    for (uint64_t i = 0; i < 1000; i++)
        add(&order, 5 - i % 2, i);
    order_finish(&order);
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t number;
        assert_int_equal(pop(&order, &number), i < 500 ? 4 : 5);
        assert_int_equal(number, i < 500 ? i * 2 + 1 : (i - 500) * 2);
    }
    order_fini(&order);
}

static void records_are_sorted_by_time(void **state)
{
    struct prng prng = {.state = 3};
    struct order order;
    (void)state;
    for (size_t count = 0; count < 200; count++) {
        order_init(&order, ORDER_BYTES_MAX, ORDER_RECORDS_MAX);
        for (size_t i = 0; i < count; i++)
            add(&order, prng_below(&prng, 50), i);
        order_finish(&order);
        assert_int_equal(pop_all(&order), count);
        order_fini(&order);
    }
}

/* Without rounds the number of waiting records is bounded, and records that come too late are
 * counted. */
static void waiting_records_are_bounded_and_late_counted(void **state)
{
    enum { LIMIT = 1000, COUNT = 100000 };
    struct order order;
    size_t handed = 0;
    (void)state;
    order_init(&order, 1 << 20, LIMIT);
    for (uint64_t i = 0; i < COUNT; i++) {
        add(&order, 1000 + (i ^ 7), i); /* out of order by less than the number that may wait */
        handed += pop_all(&order);
        assert_true(order.count - order.next < LIMIT);
    }
    assert_int_equal(order.late, 0);
    assert_true(order.block_count <= 2); /* blocks are reused */
    add(&order, 1, COUNT);
    assert_int_equal(order.late, 1);
    order_finish(&order);
    assert_int_equal(handed + pop_all(&order), COUNT + 1);
    order_fini(&order);
}

static void large_records_use_bounded_blocks(void **state)
{
    static unsigned char bytes[65528];
    struct order order;
    (void)state;
    order_init(&order, 1 << 20, ORDER_RECORDS_MAX);
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t time_ns;
        struct order_item item = {.size_bytes = sizeof bytes};
        assert_int_equal(order_add(&order, i, item, bytes), 0);
        while (order_head(&order, &time_ns))
            order_pop(&order);
        assert_true(order.block_count <= 10);
    }
    order_fini(&order);
}

static int run_order(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_releases_records_of_previous_round),
        cmocka_unit_test(equal_times_keep_recorded_order),
        cmocka_unit_test(records_are_sorted_by_time),
        cmocka_unit_test(waiting_records_are_bounded_and_late_counted),
        cmocka_unit_test(large_records_use_bounded_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

enum { RECORDS = 500 };

struct opened {
    struct input input;
    struct tape tape;
    int fd;
};

static void open_tape(struct opened *opened, const struct recording *recording)
{
    struct error error;
    char path[64];
    recording_path(recording->bytes, recording->size, &opened->fd, path);
    assert_int_equal(input_open(&opened->input, path, &error), 0);
    tape_init(&opened->tape, &opened->input, recording->swap);
}

static void close_tape(struct opened *opened)
{
    tape_fini(&opened->tape);
    input_close(&opened->input);
    close(opened->fd);
}

/* Puts records of growing sizes, each with its number. */
static void put_numbered(struct recording *recording, size_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        recording_begin(recording, PERF_RECORD_SAMPLE, 0);
        for (uint64_t word = 0; word <= i % 50; word++)
            recording_u64(recording, i);
        recording_end(recording);
    }
}

/* Returns how many records were read, after checking that they are complete and in order. */
static size_t read_numbered(struct opened *opened)
{
    struct tape_record record;
    size_t count = 0;
    while (tape_next(&opened->tape, &record) == 1) {
        if (!record.bytes || record.header.type != PERF_RECORD_SAMPLE)
            continue;
        assert_int_equal(record.header.size, 8 + (count % 50 + 1) * 8);
        for (size_t at = 8; at < record.header.size; at += 8) {
            uint64_t number;
            memcpy(&number, record.bytes + at, sizeof number);
            assert_int_equal(opened->tape.swap ? __builtin_bswap64(number) : number, count);
        }
        count++;
    }
    return count;
}

static size_t read_recording(const struct recording *recording, enum tape_end end)
{
    struct opened opened;
    open_tape(&opened, recording);
    size_t count = read_numbered(&opened);
    assert_int_equal(opened.tape.end, end);
    close_tape(&opened);
    return count;
}

static void records_are_read_in_either_byte_order(void **state)
{
    static struct recording recording;
    (void)state;
    for (int swap = 0; swap < 2; swap++) {
        memset(&recording, 0, sizeof recording);
        recording.swap = swap;
        put_numbered(&recording, RECORDS);
        assert_int_equal(read_recording(&recording, TAPE_WHOLE), RECORDS);
    }
}

static void auxtrace_payload_is_skipped(void **state)
{
    static struct recording recording;
    static const unsigned char noise[4096] = {9, 0, 0, 0, 0, 0, 4, 0};
    struct opened opened;
    (void)state;
    memset(&recording, 0, sizeof recording);
    for (int i = 0; i < 20; i++) {
        recording_begin(&recording, TAPE_AUXTRACE, 0);
        recording_u64(&recording, sizeof noise);
        for (int word = 0; word < 4; word++)
            recording_u64(&recording, 0);
        recording_end(&recording);
        recording_bytes(&recording, noise, sizeof noise);
        recording_begin(&recording, TAPE_TRACING_DATA, 0);
        recording_u32(&recording, 13); /* and 3 bytes of padding */
        recording_end(&recording);
        recording_bytes(&recording, noise, 16);
    }
    put_numbered(&recording, 10);
    open_tape(&opened, &recording);
    assert_int_equal(read_numbered(&opened), 10);
    assert_int_equal(opened.tape.aux_bytes, 20 * sizeof noise);
    assert_int_equal(opened.tape.end, TAPE_WHOLE);
    close_tape(&opened);
}

/* Puts one zstd stream in chunks of `step` bytes, so that records begin in one chunk and end in
 * another. */
static void put_chunks(struct recording *recording, uint32_t type, size_t step)
{
    static struct recording inner;
    static unsigned char packed[RECORDING_BYTES];
    memset(&inner, 0, sizeof inner);
    put_numbered(&inner, RECORDS);
    size_t size = ZSTD_compress(packed, sizeof packed, inner.bytes, inner.size, 1);
    memset(recording, 0, sizeof *recording);
    for (size_t at = 0; at < size; at += step) {
        size_t part = size - at < step ? size - at : step;
        recording_begin(recording, type, 0);
        if (type == TAPE_COMPRESSED2)
            recording_u64(recording, part);
        recording_bytes(recording, packed + at, part);
        if (type == TAPE_COMPRESSED2) /* padded to whole words */
            recording_bytes(recording, "\xff\xff\xff\xff\xff\xff\xff", (8 - part % 8) % 8);
        recording_end(recording);
        recording_begin(recording, TAPE_FINISHED_ROUND, 0);
        recording_end(recording);
    }
}

static void compressed_records_may_span_chunks(void **state)
{
    static const size_t steps[] = {1, 7, 100, 1000, 60000};
    static struct recording recording;
    (void)state;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        put_chunks(&recording, TAPE_COMPRESSED, steps[i]);
        assert_int_equal(read_recording(&recording, TAPE_WHOLE), RECORDS);
        put_chunks(&recording, TAPE_COMPRESSED2, steps[i]);
        assert_int_equal(read_recording(&recording, TAPE_WHOLE), RECORDS);
    }
}

static void invalid_zstd_data_ends_reading(void **state)
{
    static struct recording recording;
    (void)state;
    put_chunks(&recording, TAPE_COMPRESSED, 100);
    recording.bytes[8] ^= 1; /* zstd's magic number */
    assert_int_equal(read_recording(&recording, TAPE_NOT_UNPACKED), 0);
    memset(&recording, 0, sizeof recording);
    recording_begin(&recording, TAPE_COMPRESSED2, 0);
    recording_u64(&recording, 9); /* more than available */
    recording_u64(&recording, 0);
    recording_end(&recording);
    assert_int_equal(read_recording(&recording, TAPE_DAMAGED), 0);
}

static void damage_and_truncation_are_distinguished(void **state)
{
    static struct recording recording;
    (void)state;
    memset(&recording, 0, sizeof recording);
    put_numbered(&recording, 3);
    recording.size -= 4;
    assert_int_equal(read_recording(&recording, TAPE_CUT), 2);
    recording.size += 4;
    recording_begin(&recording, PERF_RECORD_SAMPLE, 0); /* of size 0 */
    assert_int_equal(read_recording(&recording, TAPE_DAMAGED), 3);
    memset(&recording, 0, sizeof recording);
    put_numbered(&recording, 1);
    recording_begin(&recording, TAPE_AUXTRACE, 0);
    recording_u64(&recording, UINT64_MAX);
    recording_end(&recording);
    assert_int_equal(read_recording(&recording, TAPE_CUT), 1);
}

/* A pipe cannot seek: reads it directly, and spooled for a second reading. */
static void pipe_is_read_like_a_file(void **state)
{
    static struct recording recording;
    struct opened opened;
    struct error error;
    int ends[2];
    char path[64];
    (void)state;
    memset(&recording, 0, sizeof recording);
    put_numbered(&recording, 100);
    for (int spool = 0; spool < 2; spool++) {
        assert_int_equal(pipe(ends), 0);
        assert_int_equal(write(ends[1], recording.bytes, recording.size), recording.size);
        close(ends[1]);
        snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
        assert_int_equal(input_open(&opened.input, path, &error), 0);
        opened.fd = ends[0];
        assert_false(opened.input.seekable);
        assert_int_equal(input_left(&opened.input), UINT64_MAX);
        if (spool)
            assert_int_equal(input_spool(&opened.input, NAN, &error), 0);
        for (int reading = 0; reading <= spool; reading++) {
            tape_init(&opened.tape, &opened.input, false);
            assert_int_equal(read_numbered(&opened), 100);
            if (spool)
                assert_int_equal(input_seek(&opened.input, 0), 0);
        }
        close_tape(&opened);
    }
}

static void missing_spool_directory_is_reported(void **state)
{
    struct input input;
    struct error error = {0};
    int ends[2];
    char path[64];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    close(ends[1]);
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    assert_int_equal(input_open(&input, path, &error), 0);
    setenv("TMPDIR", "/nonexistent", 1);
    assert_int_equal(input_spool(&input, NAN, &error), -ENOENT);
    assert_non_null(strstr(error.text, "/nonexistent"));
    unsetenv("TMPDIR");
    input_close(&input);
    close(ends[0]);
}

static int run_tape(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_read_in_either_byte_order),
        cmocka_unit_test(auxtrace_payload_is_skipped),
        cmocka_unit_test(compressed_records_may_span_chunks),
        cmocka_unit_test(invalid_zstd_data_ends_reading),
        cmocka_unit_test(damage_and_truncation_are_distinguished),
        cmocka_unit_test(pipe_is_read_like_a_file),
        cmocka_unit_test(missing_spool_directory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    int failed = 0;
    failed += run_order();
    failed += run_tape();
    return failed;
}
