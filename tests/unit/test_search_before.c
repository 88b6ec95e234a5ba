/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "base/hash.h"
#include "profile/cache/search_phases.h"

#include "planted.h"

#include <string.h>

#define MIB (UINT64_C(1) << 20)

static const struct planted objects[] = {{"hot", 0x10000000, MIB, .7, OBJECT_GLOBAL},
                                         {"warm", 0x10100000, MIB, .3, OBJECT_GLOBAL}};

static struct search search; /* 76 KiB */

static uint64_t feed(struct prng *prng, uint64_t now, double seconds)
{
    uint64_t end = now + (uint64_t)(seconds * 1e9);
    for (; now < end; now += 500000) {
        const struct planted *one = &planted[prng_below(prng, 10) >= 7];
        search_count(&search, one->base + prng_below(prng, (uint32_t)one->size) / 8 * 8, 1);
        search_tick(&search, now);
    }
    return now;
}

static uint64_t begin(struct prng *prng)
{
    plant(objects, 2);
    search_init(&search, &planted_names, 10, 64);
    search_start(&search, 0, UINT64_MAX, "all", 0);
    return feed(prng, 0, 20);
}

static double share_of(uint32_t object)
{
    return planted_found(&search, object);
}

static void one_that_gave_way_goes_on(void **state)
{
    (void)state;
    struct prng prng = {7};
    struct search_before before = {0};
    uint64_t now = begin(&prng);
    uint32_t rounds = search.rounds;
    assert_int_equal(search.state, SEARCH_SETTLED);
    search_before_put(&before, &search);
    assert_string_equal(search_before_what(&before), "all");
    search_start(&search, planted[0].base, planted[0].base + MIB, "hot", now);
    now = feed(&prng, now, 5);
    assert_true(search.base == planted[0].base);
    assert_true(search_before_take(&before, &search, now));
    assert_null(search_before_what(&before));
    assert_string_equal(search.what, "all");
    assert_int_equal(search.state, SEARCH_SETTLED);
    assert_int_equal(search.rounds, rounds);
    /* The interval is a new one: what was counted before it went away is not of it. */
    assert_true(search.started_ns == now && search.all_samples == 0);
    feed(&prng, now, 20);
    assert_true(search.rounds > rounds);
    assert_true(share_of(1) > .65 && share_of(1) < .75);
    assert_true(share_of(2) > .25 && share_of(2) < .35);
    assert_false(search_before_take(&before, &search, now));
}

static void nothing_measured_is_not_kept(void **state)
{
    (void)state;
    struct search_before before = {0};
    plant(objects, 2);
    search_init(&search, &planted_names, 10, 64);
    search_before_put(&before, &search);
    search_start(&search, 0, UINT64_MAX, "all", 0);
    search_before_put(&before, &search);
    assert_false(search_before_take(&before, &search, 0));
    assert_int_equal(search.state, SEARCH_SEARCHING);
}

static void the_oldest_gives_way(void **state)
{
    (void)state;
    struct prng prng = {9};
    struct search_before before = {0};
    uint64_t now = begin(&prng);
    for (unsigned i = 0; i < SEARCH_BEFORE_MOST + 2; i++) {
        search.what[0] = (char)('a' + i);
        search_before_put(&before, &search);
    }
    for (unsigned i = SEARCH_BEFORE_MOST + 2; i-- > 2;) {
        assert_true(search_before_take(&before, &search, now));
        assert_int_equal(search.what[0], 'a' + (int)i);
    }
    assert_false(search_before_take(&before, &search, now));
    search_before_put(&before, &search);
    search_before_clear(&before);
    assert_null(search_before_what(&before));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_that_gave_way_goes_on),
                                       cmocka_unit_test(nothing_measured_is_not_kept),
                                       cmocka_unit_test(the_oldest_gives_way)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
