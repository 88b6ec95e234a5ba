/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which objects a snapshot lists, and what it says of the others. */
#include "unit.h"

#include "profile_fixture.h"

#include <math.h>

static uint64_t now_ns;

static void add(struct profile *profile, uint32_t object, int count)
{
    struct place place = {.object = object, .function = 1, .base = object * PROFILE_FIXTURE_APART};
    place.access =
        (struct access){.weight = 1, .address = place.base + 8, .kind = ACCESS_LOAD, .size = 8};
    for (int i = 0; i < count; i++) {
        place.access.time_ns = now_ns += 1000;
        profile_add(profile, &place);
    }
}

static const struct snapshot *look(struct profile *profile, bool all)
{
    struct snapshot head = {.iteration = 1, .objects_all = all};
    const struct snapshot *snapshot = profile_snapshot(profile, &head, now_ns);
    assert_non_null(snapshot);
    return snapshot;
}

/* What the rows say and what is said of the rest is everything. */
static double sum_of(const struct snapshot *snapshot)
{
    double sum = snapshot->objects_left_share;
    for (size_t i = 0; i < snapshot->object_count; i++) {
        assert_true(snapshot->objects[i].share.value >= snapshot->objects_least);
        sum += snapshot->objects[i].share.value;
    }
    return sum;
}

static void small_shares_on_request(void **state)
{
    (void)state;
    struct profile *profile = profile_fixture_new(0, 256);
    add(profile, 1, 9000);
    add(profile, 2, 991);
    add(profile, 3, 6);
    for (uint32_t id = 4; id < 7; id++)
        add(profile, id, 1);
    const struct snapshot *snapshot = look(profile, false);
    assert_int_equal(snapshot->object_count, 2);
    assert_int_equal(snapshot->objects_left_out, 4);
    assert_true(fabs(snapshot->objects_left_share - 0.0009) < 1e-9);
    assert_true(fabs(sum_of(snapshot) - 1) < 1e-9);
    snapshot_free(snapshot);
    snapshot = look(profile, true);
    assert_int_equal(snapshot->object_count, 6);
    assert_int_equal(snapshot->objects_left_out, 0);
    assert_true(snapshot->objects_least == 0 && snapshot->objects_left_share == 0);
    assert_true(fabs(sum_of(snapshot) - 1) < 1e-9);
    assert_true(snapshot->objects[2].samples == 6 && snapshot->objects[5].samples == 1);
    snapshot_free(snapshot);
    profile_free(profile);
}

/* More than there is room for: those above a share, all of them, and none below it. */
static void too_many_to_list(void **state)
{
    enum { MANY = 5000 };
    (void)state;
    struct profile *profile = profile_fixture_new(0, 256);
    add(profile, 1, 50000);
    for (uint32_t id = 2; id < 22; id++)
        add(profile, id, 20);
    for (uint32_t id = 22; id < 22 + MANY; id++)
        add(profile, id, 1);
    const struct snapshot *snapshot = look(profile, true);
    assert_int_equal(snapshot->object_count, 21);
    assert_int_equal(snapshot->objects_left_out, MANY);
    assert_true(snapshot->objects_least == 0.0001);
    assert_true(fabs(sum_of(snapshot) - 1) < 1e-9);
    snapshot_free(snapshot);
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_shares_on_request),
                                       cmocka_unit_test(too_many_to_list)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
