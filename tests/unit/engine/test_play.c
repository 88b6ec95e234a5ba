/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The clock of a replay, with a wall clock controlled by the test. */
#include <math.h>

#include "engine/play.h"
#include "unit.h"

#define SECOND UINT64_C(1000000000)
#define WALL   (1000 * SECOND) /* start of each test */

/* Reads everything that is due, at `cost_ns` per read. Returns the wall time at the end. */
static uint64_t read_all(struct play *play, uint64_t now_ns, uint64_t cost_ns)
{
    for (int i = 0; i < 10000; i++) {
        uint64_t until_ns = play_due(play, now_ns);
        if (until_ns == play->position_ns)
            return now_ns;
        now_ns += cost_ns;
        play_done(play, until_ns, now_ns, until_ns == PLAY_END);
    }
    fail_msg("the position still changes after 10000 reads");
    return now_ns;
}

static void player_starts_paused_at_zero(void **state)
{
    struct play play;
    (void)state;
    play_init(&play, 60 * SECOND, WALL);
    assert_true(play.paused);
    assert_false(play_hurries(&play));
    assert_int_equal(play_due(&play, WALL + 100 * SECOND), 0);
}

static void player_follows_the_wall_clock_at_its_pace(void **state)
{
    static const struct {
        double pace;
        uint64_t expected_ns; /* after 2 s of reading every 10 ms */
    } paces[] = {
        {1, 2 * SECOND}, {2, 4 * SECOND}, {10, 20 * SECOND}, {0.5, SECOND}, {0.125, SECOND / 4}};
    (void)state;
    for (size_t i = 0; i < sizeof paces / sizeof *paces; i++) {
        struct play play;
        play_init(&play, 0, WALL);
        play.pace = paces[i].pace;
        assert_false(play_pause(&play, WALL));
        for (uint64_t now = WALL; now <= WALL + 2 * SECOND; now += SECOND / 100) {
            uint64_t until_ns = play_due(&play, now);
            play_done(&play, until_ns, now, false);
        }
        /* The first read at a fast pace is limited to a slice; later ones are not. */
        assert_true(play.position_ns <= paces[i].expected_ns);
        assert_true(play.position_ns >= paces[i].expected_ns - SECOND / 10);
    }
}

/* Time that a slow reader could not read is dropped: it could never catch up. */
static void slow_reader_drops_time_instead_of_catching_up(void **state)
{
    struct play play;
    uint64_t now = WALL;
    (void)state;
    play_init(&play, 0, WALL);
    play.pace = 1000;
    play_pause(&play, now);
    for (int i = 0; i < 100; i++) {
        uint64_t until_ns = play_due(&play, now += SECOND / 10);
        assert_true(until_ns - play.position_ns <= play.slice_ns);
        play_done(&play, until_ns, now += SECOND, false);
    }
    assert_true(play.slice_ns <= 2000000);
}

static void paused_time_does_not_advance_the_position(void **state)
{
    struct play play;
    (void)state;
    play_init(&play, 0, WALL);
    play_pause(&play, WALL);
    play_done(&play, play_due(&play, WALL + SECOND / 100), WALL + SECOND / 100, false);
    assert_int_equal(play.position_ns, SECOND / 100);
    play_pause(&play, WALL + SECOND / 100);
    assert_int_equal(play_due(&play, WALL + 50 * SECOND), SECOND / 100);
    play_pause(&play, WALL + 90 * SECOND);
    assert_int_equal(play_due(&play, WALL + 90 * SECOND + 1000), SECOND / 100 + 1000);
}

static void seek_reads_in_slices_and_pauses_at_its_goal(void **state)
{
    struct play play;
    (void)state;
    play_init(&play, 3600 * SECOND, WALL);
    assert_false(play_go(&play, 1800 * SECOND));
    assert_true(play_seeks(&play) && play_hurries(&play));
    assert_true(play_due(&play, WALL) < 1800 * SECOND);
    uint64_t before_ns = play.slice_ns;
    read_all(&play, WALL, 1000); /* reads are fast: slices grow */
    assert_int_equal(play.position_ns, 1800 * SECOND);
    assert_true(play.slice_ns > before_ns);
    assert_false(play_seeks(&play));
    assert_true(play.paused);
}

static void resuming_at_the_end_restarts_from_the_beginning(void **state)
{
    struct play play;
    (void)state;
    play_init(&play, 10 * SECOND, WALL);
    assert_false(play_go(&play, PLAY_END));
    read_all(&play, WALL, 1000);
    assert_true(play.ended && play.paused);
    assert_int_equal(play.position_ns, 10 * SECOND);
    assert_false(play_hurries(&play));
    assert_false(play_step(&play, 5)); /* there is nothing more */
    assert_false(play_seeks(&play));
    assert_true(play_pause(&play, WALL + 5 * SECOND)); /* restarts from the beginning */
    assert_false(play.ended || play.paused);
    assert_int_equal(play.position_ns, 0);
}

static void seeking_here_stops_at_the_current_position(void **state)
{
    struct play play;
    uint64_t to_ns;
    (void)state;
    play_init(&play, 10 * SECOND, WALL);
    play_go(&play, PLAY_END);
    play_done(&play, play_due(&play, WALL), WALL + 1000, false);
    uint64_t reached_ns = play.position_ns;
    assert_true(reached_ns && play_seeks(&play));
    assert_true(play_parse(&play, "here", &to_ns));
    assert_false(play_go(&play, to_ns));
    assert_false(play_seeks(&play) || play_hurries(&play) || play.ended);
    assert_int_equal(play.position_ns, reached_ns);
    assert_false(play_go(&play, PLAY_END)); /* continues */
    assert_true(play_seeks(&play));
}

static void backward_step_rereads_and_forward_step_does_not(void **state)
{
    struct play play;
    (void)state;
    play_init(&play, 100 * SECOND, WALL);
    play_go(&play, 50 * SECOND);
    read_all(&play, WALL, 1000);
    assert_true(play_step(&play, -10));
    assert_int_equal(play.position_ns, 0);
    assert_int_equal(play.goal_ns, 40 * SECOND);
    /* Another jump is relative to the current goal, not to the current position. */
    assert_true(!play_step(&play, 5));
    assert_int_equal(play.goal_ns, 45 * SECOND);
    read_all(&play, WALL, 1000);
    assert_int_equal(play.position_ns, 45 * SECOND);
    assert_true(play_step(&play, -1000));
    assert_int_equal(play.goal_ns, 0);
    assert_false(play_step(&play, 1000));
    assert_int_equal(play.goal_ns, PLAY_END);
}

static void recording_without_length_ends_at_its_last_record(void **state)
{
    struct play play;
    (void)state;
    play_init(&play, 0, WALL);
    play_go(&play, PLAY_END);
    for (int i = 0; i < 5; i++)
        play_done(&play, play_due(&play, WALL), WALL, false);
    uint64_t position_ns = play.position_ns;
    assert_true(position_ns > 0);
    play_done(&play, play_due(&play, WALL), WALL, true);
    assert_true(play.ended);
    assert_false(play_hurries(&play));
    /* As fast as possible also reaches the end, even if the end is the largest time value. */
    play_init(&play, 0, WALL);
    play.pace = INFINITY;
    play_pause(&play, WALL);
    assert_true(play_hurries(&play));
    read_all(&play, WALL, 1);
    assert_true(play.ended);
}

static void play_parse_accepts_common_time_formats(void **state)
{
    static const struct {
        const char *text;
        uint64_t ns;
    } good[] = {{"80", 80 * SECOND},
                {"80s", 80 * SECOND},
                {"1m20s", 80 * SECOND},
                {"1m20", 80 * SECOND},
                {"1h2m", 3720 * SECOND},
                {"1:20", 80 * SECOND},
                {"1:02:03", 3723 * SECOND},
                {"0.5", SECOND / 2},
                {".5", SECOND / 2},
                {"50%", 100 * SECOND},
                {"+10", 40 * SECOND},
                {"-10", 20 * SECOND},
                {"-100", 0},
                {"-1:00", 0},
                {" 7", 7 * SECOND},
                {"end", PLAY_END},
                {"here", 30 * SECOND},
                {"99999999999999", PLAY_END},
                {"+10%", 50 * SECOND}};
    static const char *const bad[] = {"",   "x",    "1x",  "1:",   ":1",  "1::2",
                                      "%",  "x%",   "nan", "inf",  "--1", "1m%",
                                      "1e", "0x10", "+",   "1:2x", "50%%"};
    struct play play;
    uint64_t ns;
    (void)state;
    play_init(&play, 200 * SECOND, WALL);
    play.position_ns = 30 * SECOND;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(play_parse(&play, good[i].text, &ns));
        assert_int_equal(ns, good[i].ns);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (play_parse(&play, bad[i], &ns))
            fail_msg("invalid time '%s' was accepted", bad[i]);
    play.length_ns = 0;
    assert_false(play_parse(&play, "50%", &ns));
    assert_true(play_parse(&play, "+10%", &ns));
    assert_int_equal(ns, 40 * SECOND);
    /* Relative to the goal. */
    play.goal_ns = 50 * SECOND;
    assert_true(play_parse(&play, "+10", &ns));
    assert_int_equal(ns, 60 * SECOND);
    assert_true(play_parse(&play, "here", &ns));
    assert_int_equal(ns, 30 * SECOND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(player_starts_paused_at_zero),
        cmocka_unit_test(seeking_here_stops_at_the_current_position),
        cmocka_unit_test(player_follows_the_wall_clock_at_its_pace),
        cmocka_unit_test(slow_reader_drops_time_instead_of_catching_up),
        cmocka_unit_test(paused_time_does_not_advance_the_position),
        cmocka_unit_test(seek_reads_in_slices_and_pauses_at_its_goal),
        cmocka_unit_test(resuming_at_the_end_restarts_from_the_beginning),
        cmocka_unit_test(backward_step_rereads_and_forward_step_does_not),
        cmocka_unit_test(recording_without_length_ends_at_its_last_record),
        cmocka_unit_test(play_parse_accepts_common_time_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
