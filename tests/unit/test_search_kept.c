/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which searches are put by when the phase changes: by changes made up, one after the other. */
#include "unit.h"

#include "profile/cache/search_phases.h"

#include "planted.h"

static const uint64_t second = 1000000000;
static struct planted array = {"a", 0x10000000, 1 << 20, 0, OBJECT_GLOBAL};
static struct search search;
static struct search_phases kept;

static void begin(void)
{
    plant(&array, 1);
    search_phases_clear(&kept);
    search_init(&search, &planted_names, 10, 64);
    search_start(&search, 0, UINT64_MAX, "all", 0);
}

/* One block of misses, and the next that begins another segment. */
static void change(struct phases *made, uint64_t at_ns, uint8_t phase)
{
    made->segments[0] = (struct phases_segment){.start_ns = at_ns, .phase = phase};
    made->segments[1] = (struct phases_segment){
        .start_ns = at_ns + second, .end_ns = at_ns + 1, .phase = PHASES_NONE};
    search_phases_step(&kept, &search, made, false, at_ns + 1);
    search_phases_step(&kept, &search, made, true, at_ns + second + 1);
}

/* More phases than have room: those that were there last stay, in memory of a fixed size. */
static void few_are_kept(void **state)
{
    (void)state;
    struct phases_segment segments[2];
    struct phases made = {.segments = segments, .segment_count = 2};
    begin();
    for (unsigned i = 0; i < 20; i++)
        change(&made, i * second, (uint8_t)i);
    for (unsigned i = 0; i < SEARCH_KEPT; i++) {
        assert_non_null(kept.kept[i].mark);
        assert_true(kept.kept[i].phase >= 20 - SEARCH_KEPT);
    }
    search_phases_clear(&kept);
    assert_null(kept.marks);
}

/* What was measured between two phases is of neither. */
static void an_edge_is_not_kept(void **state)
{
    (void)state;
    struct phases_segment segments[2];
    struct phases made = {.segments = segments, .segment_count = 2, .was_edge = true};
    begin();
    change(&made, 0, 0);
    assert_null(kept.kept[0].mark);
    made.was_edge = false;
    change(&made, second, 0);
    assert_non_null(kept.kept[0].mark);
    search_phases_clear(&kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_are_kept),
        cmocka_unit_test(an_edge_is_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
