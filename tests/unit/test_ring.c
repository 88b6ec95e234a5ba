/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "sample/perf/ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DATA = 4096 };

struct fixture {
    struct ring ring;
    struct perf_event_mmap_page *page;
    unsigned char *data;
};

static int set_up(void **state)
{
    static struct fixture fixture;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    fixture.page = aligned_alloc(page, page + DATA);
    memset(fixture.page, 0, page + DATA);
    fixture.data = (unsigned char *)fixture.page + page;
    ring_attach(&fixture.ring, fixture.page, DATA);
    *state = &fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    free(fixture->page);
    return 0;
}

/* As the kernel writes: bytes first, wrapping, then the head. */
static void put(struct fixture *fixture, uint16_t size, unsigned char fill)
{
    unsigned char record[DATA];
    struct perf_event_header header = {.type = PERF_RECORD_SAMPLE, .size = size};
    memset(record, fill, sizeof record);
    memcpy(record, &header, sizeof header);
    for (size_t i = 0; i < size; i++)
        fixture->data[(fixture->page->data_head + i) % DATA] = record[i];
    fixture->page->data_head += size;
}

static void empty_gives_nothing(void **state)
{
    struct fixture *fixture = *state;
    unsigned char out[DATA];
    assert_int_equal(ring_next(&fixture->ring, out, sizeof out), 0);
}

static void records_that_wrap_come_whole(void **state)
{
    struct fixture *fixture = *state;
    unsigned char out[DATA];
    for (unsigned i = 0; i < 500; i++) {
        unsigned char fill = (unsigned char)(i + 1);
        put(fixture, 1000, fill);
        assert_int_equal(ring_next(&fixture->ring, out, sizeof out), 1000);
        for (size_t at = 8; at < 1000; at++)
            assert_int_equal(out[at], fill);
        ring_release(&fixture->ring);
        assert_int_equal(fixture->page->data_tail, fixture->page->data_head);
    }
}

/* A header of 8 bytes may itself wrap: records are multiples of 8, but sizes are not trusted. */
static void a_header_that_wraps_is_read(void **state)
{
    struct fixture *fixture = *state;
    unsigned char out[DATA];
    fixture->page->data_head = fixture->ring.tail = DATA - 4;
    put(fixture, 24, 9);
    assert_int_equal(ring_next(&fixture->ring, out, sizeof out), 24);
    assert_int_equal(out[23], 9);
}

static void space_is_given_back_only_on_release(void **state)
{
    struct fixture *fixture = *state;
    unsigned char out[DATA];
    put(fixture, 64, 1);
    ring_next(&fixture->ring, out, sizeof out);
    assert_int_equal(fixture->page->data_tail, 0);
    ring_release(&fixture->ring);
    assert_int_equal(fixture->page->data_tail, 64);
}

static void expect_skip(struct fixture *fixture, size_t out_size)
{
    unsigned char out[DATA];
    assert_int_equal(ring_next(&fixture->ring, out, out_size), -EBADMSG);
    assert_int_equal(ring_next(&fixture->ring, out, out_size), 0);
}

static void sizes_that_make_no_sense_are_refused(void **state)
{
    struct fixture *fixture = *state;
    put(fixture, 64, 1);
    fixture->data[6] = fixture->data[7] = 0; /* size 0 */
    expect_skip(fixture, DATA);
    put(fixture, 64, 1);
    fixture->data[64 + 6] = 7; /* shorter than its header */
    expect_skip(fixture, DATA);
    put(fixture, 64, 1);
    fixture->data[128 + 7] = 0xff; /* longer than what waits */
    expect_skip(fixture, DATA);
    put(fixture, 64, 1); /* longer than the room for it */
    expect_skip(fixture, 32);
    fixture->page->data_head += DATA + 8; /* more waits than the ring holds */
    expect_skip(fixture, DATA);
    fixture->page->data_head += 4; /* less than a header waits */
    expect_skip(fixture, DATA);
    fixture->page->data_head -= 4; /* the head went backwards */
    expect_skip(fixture, DATA);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(empty_gives_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(records_that_wrap_come_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_header_that_wraps_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(space_is_given_back_only_on_release, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sizes_that_make_no_sense_are_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
