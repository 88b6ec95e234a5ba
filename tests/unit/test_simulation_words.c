/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The exact totals of a simulated run in words. */
#include "unit.h"

#include "view/words.h"

#include <string.h>

static struct snapshot_simulation two_levels(void)
{
    return (struct snapshot_simulation){
        .level_count = 2,
        .level = {{32 << 10, 8, 64, 15, 5}, {1 << 20, 16, 64, 0, 1}},
        .loads = 900,
        .stores = 150,
        .accesses = 1000,
        .one_in = 1,
        .counting = true,
    };
}

static void all_of_it(void **state)
{
    char text[320];
    struct snapshot_simulation simulation = two_levels();
    (void)state;
    simulation_sentence(&simulation, text, sizeof text);
    assert_string_equal(text, "simulated: 900 loads, 150 stores; missed L1 32.0K 2.00%, "
                              "L2 1.0M 0.10%; every miss is a sample");
}

static void what_became_of_the_misses(void **state)
{
    char text[320];
    struct snapshot_simulation simulation = two_levels();
    (void)state;
    simulation.one_in = 23;
    simulation_sentence(&simulation, text, sizeof text);
    assert_non_null(strstr(text, "samples are 1 in 23 misses"));
    simulation.counting = false;
    simulation.pause = SIMULATION_OUTSIDE;
    simulation_sentence(&simulation, text, sizeof text);
    assert_non_null(strstr(text, "simulated (not counting after --sim-to): 900 loads"));
    simulation.pause = SIMULATION_PAUSED;
    simulation_sentence(&simulation, text, sizeof text);
    assert_non_null(strstr(text, "T goes on"));
    simulation.pause = SIMULATION_BEFORE;
    simulation_sentence(&simulation, text, sizeof text);
    assert_non_null(strstr(text, "--sim-from was not reached"));
    /* Thinned before: not every miss is one. */
    simulation = two_levels();
    simulation.dropped = 1;
    simulation_sentence(&simulation, text, sizeof text);
    assert_null(strstr(text, "every miss"));
}

/* The seconds before the program runs are no pause. */
static void what_is_awaited_at_first(void **state)
{
    char text[320];
    struct snapshot_simulation simulation = two_levels();
    (void)state;
    simulation.accesses = simulation.loads = simulation.stores = 0;
    simulation.counting = false;
    assert_true(simulation_starts(&simulation));
    simulation_sentence(&simulation, text, sizeof text);
    assert_non_null(strstr(text, "Valgrind starts the program"));
    assert_null(strstr(text, "0 loads"));
    simulation.counting = true;
    assert_false(simulation_starts(&simulation));
    assert_string_equal(simulation_pause_name(SIMULATION_BEFORE), "before");
}

/* No access is no rate; no simulation is no sentence. */
static void nothing_is_said_of_nothing(void **state)
{
    char text[320];
    struct snapshot_simulation simulation = two_levels();
    (void)state;
    simulation.accesses = 0;
    simulation_sentence(&simulation, text, sizeof text);
    assert_null(strstr(text, "missed"));
    simulation.level_count = 0;
    simulation_sentence(&simulation, text, sizeof text);
    assert_string_equal(text, "");
}

static void a_short_buffer_is_kept(void **state)
{
    struct snapshot_simulation simulation = two_levels();
    (void)state;
    for (size_t size = 1; size < 120; size++) {
        char text[120];
        memset(text, 'x', sizeof text);
        simulation_sentence(&simulation, text, size);
        assert_true(strlen(text) < size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_it),
        cmocka_unit_test(what_became_of_the_misses),
        cmocka_unit_test(what_is_awaited_at_first),
        cmocka_unit_test(nothing_is_said_of_nothing),
        cmocka_unit_test(a_short_buffer_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
