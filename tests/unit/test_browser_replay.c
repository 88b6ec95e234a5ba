/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keys and the line of a replay, and its list of processes, without a terminal. */
#include "unit.h"

#include "base/clock.h"
#include "snapshot_fixture.h"
#include "view/screen/browser.h"

#include <locale.h>
#include <math.h>
#include <string.h>

struct fixture {
    struct browser browser;
    struct canvas canvas;
    struct snapshot_recording recording;
};

static const struct view_play playing = {
    .position_s = 41, .length_s = 130, .goal_s = NAN, .pace = "5x"};

static void draw(struct fixture *fixture)
{
    browser_draw(&fixture->browser, &fixture->canvas, clock_now_ns());
}

static void show(struct fixture *fixture)
{
    struct snapshot *snapshot = (struct snapshot *)(uintptr_t)fixture_new(FIXTURE_USUAL, 0);
    snapshot->source.live = false;
    snapshot->recording = &fixture->recording;
    browser_show(&fixture->browser, snapshot, fixture_release);
}

static int setup(void **state)
{
    static struct fixture fixture;
    browser_init(&fixture.browser, NULL);
    canvas_init(&fixture.canvas, 36, 140, false);
    fixture.recording = (struct snapshot_recording){.host = "server9",
                                                    .cpu = "Xeon 8173M",
                                                    .kernel = "4.14 x86_64",
                                                    .command = "perf mem record",
                                                    .date = "2026-11-21 12:03:11",
                                                    .date_exact = true,
                                                    .processes = 3};
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    browser_fini(&fixture->browser);
    canvas_fini(&fixture->canvas);
    return fixture_alive() ? -1 : 0;
}

static struct request press(struct fixture *fixture, uint32_t key)
{
    struct input input = {.kind = INPUT_KEY, .key = key};
    struct request request = browser_input(&fixture->browser, &input);
    draw(fixture);
    return request;
}

static bool seen(struct fixture *fixture, const char *text)
{
    char line[2048];
    for (int row = 0; row < fixture->canvas.rows; row++) {
        canvas_row_text(&fixture->canvas, row, line, sizeof line);
        if (strstr(line, text))
            return true;
    }
    return false;
}

static void the_line_says_where_it_stands(void **state)
{
    struct fixture *fixture = *state;
    struct view_play play = playing;
    browser_play(&fixture->browser, &play);
    show(fixture);
    draw(fixture);
    assert_true(seen(fixture, "Playing  0m41s of 2m10s, 5x"));
    assert_true(seen(fixture, "1 of 3 processes  recorded on server9, 2026-11-21 12:03:11, Xeon"));
    assert_true(seen(fixture, "RECORDED") || seen(fixture, "PLAYING"));
    assert_false(seen(fixture, "LIVE"));
    press(fixture, ' ');
    assert_true(seen(fixture, "FROZEN"));
    assert_true(seen(fixture, "behind the frozen picture"));
    play.paused = true;
    browser_play(&fixture->browser, &play);
    draw(fixture);
    assert_true(seen(fixture, "FROZEN"));
    assert_true(seen(fixture, "Paused  0m41s of 2m10s, 5x"));
    press(fixture, ' ');
    assert_true(seen(fixture, "PAUSED"));
    play.goal_s = 100;
    browser_play(&fixture->browser, &play);
    draw(fixture);
    assert_true(seen(fixture, "Reading  0m41s of 2m10s"));
    play = (struct view_play){
        .position_s = 0.0123, .length_s = 0.0123, .goal_s = NAN, .paused = true, .ended = true};
    browser_play(&fixture->browser, &play);
    draw(fixture);
    assert_true(seen(fixture, "At the end  12ms of 12ms"));
}

static void what_is_not_known_is_left_out(void **state)
{
    struct fixture *fixture = *state;
    struct view_play play = playing;
    play.length_s = NAN;
    fixture->recording = (struct snapshot_recording){.position_s = NAN, .length_s = NAN};
    browser_play(&fixture->browser, &play);
    draw(fixture);
    assert_true(seen(fixture, "Reading the recording."));
    show(fixture);
    draw(fixture);
    assert_true(seen(fixture, "Playing  0m41s, 5x"));
    assert_false(seen(fixture, "recorded on"));
    assert_false(seen(fixture, "nan"));
}

static void keys_become_requests(void **state)
{
    static const struct {
        uint32_t key;
        enum request_kind kind;
        int direction;
        const char *name;
    } keys[] = {{'p', REQUEST_PLAY_PAUSE, 0, ""}, {'.', REQUEST_PLAY_STEP, 1, ""},
                {',', REQUEST_PLAY_STEP, -1, ""}, {']', REQUEST_PLAY_PACE, 1, ""},
                {'[', REQUEST_PLAY_PACE, -1, ""}, {')', REQUEST_PLAY_JUMP, 1, ""},
                {'(', REQUEST_PLAY_JUMP, -1, ""}, {'^', REQUEST_PLAY_GO, 0, "0"},
                {'$', REQUEST_PLAY_GO, 0, "end"}, {'P', REQUEST_PROCESSES, 0, ""}};
    struct fixture *fixture = *state;
    show(fixture);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_int_equal(press(fixture, keys[i].key).kind, REQUEST_NONE);
    assert_true(seen(fixture, "misstop -i FILE"));
    assert_false(seen(fixture, "p Play"));
    browser_play(&fixture->browser, &playing);
    for (uint32_t page = '1'; page <= '9'; page++) {
        press(fixture, page);
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            struct request request = press(fixture, keys[i].key);
            assert_int_equal(request.kind, keys[i].kind);
            assert_int_equal(request.direction, keys[i].direction);
            assert_string_equal(request.name, keys[i].name);
        }
        assert_true(seen(fixture, "p Pause"));
    }
}

static void a_time_is_typed(void **state)
{
    struct fixture *fixture = *state;
    browser_play(&fixture->browser, &playing);
    show(fixture);
    press(fixture, '@');
    for (const char *at = "1m2x"; *at; at++)
        assert_int_equal(press(fixture, (uint32_t)*at).kind, REQUEST_NONE);
    press(fixture, KEYS_BACKSPACE);
    assert_true(seen(fixture, "Go to: 1m2"));
    struct request request = press(fixture, KEYS_ENTER);
    assert_int_equal(request.kind, REQUEST_PLAY_GO);
    assert_string_equal(request.name, "1m2");
    press(fixture, '@');
    press(fixture, '7');
    assert_int_equal(press(fixture, KEYS_ESCAPE).kind, REQUEST_NONE);
    press(fixture, '@');
    assert_int_equal(press(fixture, KEYS_ENTER).kind, REQUEST_NONE);
}

static void help_tells_of_the_recording(void **state)
{
    struct fixture *fixture = *state;
    show(fixture);
    press(fixture, '?');
    assert_false(seen(fixture, "to its start, and to its end"));
    fixture->recording.note = "the recording is damaged: read up to there";
    browser_play(&fixture->browser, &playing);
    canvas_fini(&fixture->canvas);
    canvas_init(&fixture->canvas, 300, 120, false);
    draw(fixture);
    assert_true(seen(fixture, "perf mem record"));
    assert_true(seen(fixture, "4.14 x86_64"));
    assert_true(seen(fixture, "the recording is damaged"));
    assert_true(seen(fixture, "to its start, and to its end"));
}

static void what_is_wrong_is_said_with_the_first_picture(void **state)
{
    struct fixture *fixture = *state;
    fixture->recording.note = "the recording is cut short: its end is missing";
    browser_play(&fixture->browser, &playing);
    show(fixture);
    draw(fixture);
    assert_true(seen(fixture, "cut short"));
    browser_draw(&fixture->browser, &fixture->canvas, clock_now_ns() + 60 * CLOCK_NS_PER_S);
    assert_false(seen(fixture, "cut short"));
}

static void the_list_is_left_for_the_picture_or_a_process(void **state)
{
    struct fixture *fixture = *state;
    struct browser *browser = &fixture->browser;
    const struct picker_row rows[] = {
        {.pid = 10, .samples = 900, .share = 0.9, .span_s = 12, .command = "server"},
        {.pid = 20, .samples = 100, .share = 0.1, .span_s = NAN, .command = "client"}};
    browser_pick_recorded(browser, rows, 2);
    draw(fixture);
    assert_true(seen(fixture, "which process of the recording?"));
    assert_true(seen(fixture, "0m12s server"));
    assert_int_equal(press(fixture, KEYS_ESCAPE).kind, REQUEST_NONE); /* nothing to go back to */
    press(fixture, KEYS_DOWN);
    struct request request = press(fixture, KEYS_ENTER);
    assert_int_equal(request.kind, REQUEST_PICK);
    assert_int_equal(request.pid, 20);
    browser_pick_end(browser, true);
    browser_play(browser, &playing);
    show(fixture);
    press(fixture, '3');
    browser_pick_recorded(browser, rows, 2);
    draw(fixture);
    assert_int_equal(press(fixture, 'p').kind, REQUEST_NONE);
    assert_int_equal(press(fixture, KEYS_ESCAPE).kind, REQUEST_LEAVE);
    browser_pick_end(browser, false);
    draw(fixture);
    assert_int_equal(browser->page, PAGE_SETS);
    press(fixture, KEYS_UP); /* the rows are gone; nothing may look at them */
    browser_pick_recorded(browser, rows, 2);
    browser_pick_end(browser, true);
    assert_int_equal(browser->page, PAGE_OBJECTS);
}

static void a_small_screen_keeps_the_state_in_its_corner(void **state)
{
    struct fixture *fixture = *state;
    struct view_play play = playing;
    canvas_fini(&fixture->canvas);
    canvas_init(&fixture->canvas, BROWSER_ROWS_MIN, BROWSER_COLUMNS_MIN, true);
    browser_play(&fixture->browser, &play);
    show(fixture);
    draw(fixture);
    assert_true(seen(fixture, "PLAYING"));
    play.paused = true;
    browser_play(&fixture->browser, &play);
    draw(fixture);
    assert_true(seen(fixture, "PAUSED"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(the_line_says_where_it_stands),
        TEST(what_is_not_known_is_left_out),
        TEST(keys_become_requests),
        TEST(a_time_is_typed),
        TEST(help_tells_of_the_recording),
        TEST(what_is_wrong_is_said_with_the_first_picture),
        TEST(the_list_is_left_for_the_picture_or_a_process),
        TEST(a_small_screen_keeps_the_state_in_its_corner),
    };
    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
