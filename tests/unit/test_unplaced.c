/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples whose object is not known: they count for the code that waited, and nowhere else. */
#include "unit.h"

#include "profile_fixture.h"

#include <math.h>
#include <string.h>

enum { WORKS = 3, REPORTS = 5, LOAD = 0x400100, OTHER = 0x400200 };

static uint64_t now_ns;

static void add(struct profile *profile, int count, enum reason reason, uint32_t function,
                uint64_t ip)
{
    struct place place = {.object = 1, .function = function, .base = PROFILE_FIXTURE_APART};
    place.access = (struct access){.weight = 2,
                                   .ip = ip,
                                   .address = PROFILE_FIXTURE_APART + 8,
                                   .kind = ACCESS_LOAD,
                                   .size = 8,
                                   .reason = (uint8_t)reason};
    for (int i = 0; i < count; i++) {
        place.access.time_ns = now_ns += 1000;
        profile_add(profile, &place);
    }
}

static const struct snapshot *look(struct profile *profile)
{
    struct snapshot head = {.iteration = 1};
    const struct snapshot *snapshot = profile_snapshot(profile, &head, now_ns);
    assert_non_null(snapshot);
    return snapshot;
}

/* 30 of work() on an object and 24 on none that it waited for; 40 of report() on an unknown one
 * and 2 on the object; 4 in the kernel. */
static struct profile *filled(double half_life_s)
{
    struct profile *profile = profile_fixture_new(half_life_s, 256);
    add(profile, 30, REASON_NONE, WORKS, OTHER);
    add(profile, 39, REASON_OVERWRITTEN, REPORTS, LOAD);
    add(profile, 1, REASON_AMBIGUOUS, REPORTS, LOAD);
    add(profile, 2, REASON_NONE, REPORTS, LOAD);
    add(profile, 4, REASON_KERNEL, 0, 0);
    add(profile, 24, REASON_NO_MEMORY, WORKS, OTHER);
    return profile;
}

static struct snapshot_share share_of_first(struct profile *profile)
{
    const struct snapshot *snapshot = look(profile);
    struct snapshot_share share = snapshot->objects[0].share;
    snapshot_free(snapshot);
    return share;
}

/* An object's interval holds what it would be if the samples that nothing is known of were its own,
 * or another's. */
static void what_is_not_known_widens_intervals(void **state)
{
    (void)state;
    struct profile *profile = profile_fixture_new(0, 256);
    add(profile, 3000, REASON_NONE, WORKS, OTHER);
    double low = share_of_first(profile).low;
    /* One in eleven of an instruction: like the other ten, but for a tenth of them. */
    add(profile, 300, REASON_CLOBBERED, WORKS, OTHER);
    struct snapshot_share few = share_of_first(profile);
    assert_true(few.low < low && few.low > low - 0.015);
    assert_true(fabs(few.value - 1) < 1e-9);
    /* All of an instruction. */
    add(profile, 1500, REASON_OVERWRITTEN, WORKS, LOAD);
    struct snapshot_share all = share_of_first(profile);
    assert_true(all.low < 0.69 && all.low > 0.65);
    assert_true(fabs(all.value - 1) < 1e-9 && all.high >= all.value);
    /* Computing and the kernel are no data. */
    add(profile, 9000, REASON_NO_MEMORY, WORKS, LOAD);
    add(profile, 9000, REASON_KERNEL, 0, 0);
    assert_true(fabs(share_of_first(profile).low - all.low) < 1e-9);
    /* Nor does it matter that the function is not known. */
    add(profile, 5000, REASON_NO_CODE, 0, LOAD + 8);
    assert_true(share_of_first(profile).low < 0.4);
    profile_free(profile);
}

static void the_agent_is_beside_the_samples(void **state)
{
    (void)state;
    struct profile *profile = filled(0);
    add(profile, 50, REASON_AGENT, WORKS, OTHER);
    const struct snapshot *snapshot = look(profile);
    assert_int_equal(snapshot->totals.samples, 100);
    assert_int_equal(snapshot->totals.agent, 50);
    assert_int_equal(snapshot->totals.reasons[REASON_AGENT], 0);
    assert_true(fabs(snapshot->code[0].all_share - 0.42) < 1e-9);
    snapshot_free(snapshot);
    profile_free(profile);
}

static void ranks_with_the_others(void **state)
{
    (void)state;
    struct profile *profile = filled(0);
    const struct snapshot *snapshot = look(profile);
    assert_int_equal(snapshot->code_count, 2);
    const struct snapshot_code *first = &snapshot->code[0];
    assert_int_equal(first->id, REPORTS);
    assert_true(fabs(first->samples - 2) < 1e-9 && fabs(first->unknown_samples - 40) < 1e-9);
    assert_true(fabs(first->unknown_share - 0.40) < 1e-9);
    assert_true(fabs(first->all_share - 0.42) < 1e-9);
    assert_true(fabs(first->share.value - 2.0 / 32) < 1e-9); /* of those attributed */
    assert_string_equal(first->unknown_note, "object unknown: overwritten");
    /* What only computes waits for no data. */
    assert_true(!(snapshot->code[1].unknown_samples > 0) && !snapshot->code[1].unknown_note);
    assert_true(fabs(snapshot->code[1].all_share - 0.30) < 1e-9);
    assert_int_equal(snapshot->totals.attributed, 32);
    snapshot_free(snapshot);
    profile_free(profile);
}

static void is_told_at_the_instruction(void **state)
{
    (void)state;
    struct profile *profile = filled(0);
    add(profile, 21, REASON_CLOBBERED, REPORTS, OTHER);
    const struct snapshot *snapshot = look(profile);
    const struct snapshot_code *code = &snapshot->code[0];
    assert_int_equal(code->instruction_count, 2);
    const struct snapshot_instruction *load = &code->instructions[0];
    assert_true(load->address == LOAD && load->object == 0);
    assert_true(fabs(load->samples - 2) < 1e-9 && fabs(load->unknown_samples - 40) < 1e-9);
    assert_true(fabs(load->share - 42.0 / 63) < 1e-9);
    assert_string_equal(load->unknown_note, "object unknown: overwritten");
    const struct snapshot_instruction *other = &code->instructions[1];
    assert_true(other->address == OTHER && other->object == UINT32_MAX && other->samples == 0);
    assert_string_equal(other->unknown_note, "object unknown: clobbered");
    assert_true(isnan(other->object_share));
    assert_int_equal(code->sites, 2);
    snapshot_free(snapshot);
    profile_free(profile);
}

static void fades_and_is_forgotten(void **state)
{
    (void)state;
    struct profile *profile = filled(0.001); /* the scale is brought back several times */
    for (int i = 0; i < 30; i++, now_ns += 100000000)
        add(profile, 10, REASON_NONE, WORKS, OTHER);
    const struct snapshot *snapshot = look(profile);
    assert_int_equal(snapshot->code[0].id, WORKS);
    assert_true(snapshot->code[0].all_share > 0.999 && snapshot->code[0].all_share < 1.001);
    snapshot_free(snapshot);
    profile_zero(profile, now_ns);
    snapshot = look(profile);
    assert_int_equal(snapshot->code_count, 0);
    snapshot_free(snapshot);
    profile_free(profile);
}

static void any_function_and_event_is_safe(void **state)
{
    (void)state;
    struct profile *profile = profile_fixture_new(0, 256);
    add(profile, 1, REASON_OVERWRITTEN, UINT32_MAX, LOAD);
    for (uint32_t i = 1; i < 20000; i++)
        add(profile, 1, REASON_OVERWRITTEN, i, i);
    struct place foreign = {.function = 1, .access = {.reason = REASON_GATHER, .event = 7}};
    foreign.access.time_ns = ++now_ns;
    profile_add(profile, &foreign);
    const struct snapshot *snapshot = look(profile);
    assert_true(snapshot->code_count > 0 && snapshot->code_count <= 200);
    assert_int_equal(snapshot->totals.reasons[REASON_GATHER], 1);
    snapshot_free(snapshot);
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_with_the_others),
        cmocka_unit_test(what_is_not_known_widens_intervals),
        cmocka_unit_test(the_agent_is_beside_the_samples),
        cmocka_unit_test(is_told_at_the_instruction),
        cmocka_unit_test(fades_and_is_forgotten),
        cmocka_unit_test(any_function_and_event_is_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
