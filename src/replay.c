/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay.h"

#include "base/clock.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { LINE_NS = 100000000, PLAYING_MS = 50, WAITING_MS = 10 };
#define PATIENCE_NS (10 * CLOCK_NS_PER_S)

static double seconds(uint64_t ns)
{
    return (double)ns / CLOCK_NS_PER_S;
}

static void draw_line(struct replay *replay)
{
    if (!replay->screen)
        return;
    const struct play *clock = &replay->clock;
    bool seeks = play_seeks(clock);
    struct view_play line = {
        .position_s = seconds(clock->position_ns),
        .length_s = clock->length_ns ? seconds(clock->length_ns) : NAN,
        .goal_s = !seeks                       ? NAN
                  : clock->goal_ns != PLAY_END ? seconds(clock->goal_ns)
                  : clock->length_ns           ? seconds(clock->length_ns)
                                               : INFINITY,
        .paused = clock->paused,
        .ended = clock->ended,
    };
    play_pace_text(clock, line.pace, sizeof line.pace);
    replay->drawn_ns = clock_now_ns();
    screen_play(replay->screen, &line);
}

static void set_out(struct replay *replay)
{
    struct play *clock = &replay->clock;
    unsigned pace = clock->pace;
    play_init(clock, pipeline_length_ns(replay->pipeline), clock_now_ns());
    if (replay->drawn_ns)
        clock->pace = pace;
    clock->paused = !replay->from_start;
    play_go(clock, replay->from_start ? 0 : PLAY_END);
    replay->patience_ns = PATIENCE_NS;
}

void replay_init(struct replay *replay, struct pipeline *pipeline, struct screen *screen,
                 double pace)
{
    *replay = (struct replay){
        .pipeline = pipeline, .screen = screen, .from_start = !isnan(pace), .pace = pace};
    set_out(replay);
    play_set_pace(&replay->clock, isnan(pace) ? 1 : pace);
    draw_line(replay);
}

static int read_up_to(struct replay *replay, uint64_t until_ns)
{
    long code = pipeline_drain(replay->pipeline, until_ns);
    if (code < 0 && code != -ENODATA)
        return (int)code;
    play_done(&replay->clock, until_ns, clock_now_ns(), code == -ENODATA);
    return 0;
}

/*
 * Whoever reads a recording in a hurry waits for the debugging information of what has been read
 * so far, or most samples would come before it and stay without fields.
 */
static bool wait_for_names(struct replay *replay)
{
    uint64_t now = clock_now_ns();
    bool waits =
        play_hurries(&replay->clock) && replay->patience_ns && pipeline_reading(replay->pipeline);
    if (replay->waited_ns) {
        uint64_t waited = now - replay->waited_ns;
        replay->patience_ns -= waited < replay->patience_ns ? waited : replay->patience_ns;
    }
    replay->waited_ns = waits ? now : 0;
    return waits;
}

int replay_advance(struct replay *replay)
{
    if (wait_for_names(replay))
        return 0;
    struct play *clock = &replay->clock;
    bool sought = play_seeks(clock);
    bool ended = clock->ended;
    uint64_t until_ns = play_due(clock, clock_now_ns());
    int code = until_ns > clock->position_ns ? read_up_to(replay, until_ns) : 0;
    bool arrived = (sought && !play_seeks(clock)) || (!ended && clock->ended);
    if (arrived || clock_now_ns() - replay->drawn_ns > LINE_NS)
        draw_line(replay);
    return code ? code : arrived;
}

int replay_patience_ms(const struct replay *replay)
{
    const struct play *clock = &replay->clock;
    return replay->waited_ns               ? WAITING_MS
           : play_hurries(clock)           ? 0
           : clock->paused || clock->ended ? -1
                                           : PLAYING_MS;
}

/* Back to the start; the way to where the clock is to be begins there. */
static int start_over(struct replay *replay, pid_t pid, struct error *error)
{
    replay->patience_ns = PATIENCE_NS;
    int code = pipeline_restart(replay->pipeline, pid, error);
    if (code)
        return code;
    replay->clock.position_ns = 0;
    /* What was there when it began, and its first sample. */
    long count = pipeline_drain(replay->pipeline, 0);
    return count < 0 && count != -ENODATA ? (int)count : 0;
}

int replay_choose(struct replay *replay, pid_t pid, struct error *error)
{
    int code = start_over(replay, pid, error);
    if (!code)
        set_out(replay);
    return code;
}

/* Whether to turn back is decided by the clock, on a copy: a pipe cannot. */
static bool try_request(struct play *clock, const struct request *request, double step_s,
                        bool *understood)
{
    uint64_t to_ns;
    double jump_s = clock->length_ns ? seconds(clock->length_ns) / 10 : 10 * step_s;
    *understood = true;
    switch (request->kind) {
    case REQUEST_PLAY_PAUSE:
        return play_pause(clock, clock_now_ns());
    case REQUEST_PLAY_STEP:
        clock->paused = true;
        return play_by(clock, request->direction * step_s);
    case REQUEST_PLAY_JUMP:
        return play_by(clock, request->direction * jump_s);
    case REQUEST_PLAY_GO:
        *understood = play_parse(clock, request->name, &to_ns);
        return *understood && play_go(clock, to_ns);
    default:
        play_change_pace(clock, request->direction);
        return false;
    }
}

bool replay_act(struct replay *replay, const struct request *request, double step_s, int *code,
                struct error *error)
{
    struct play clock = replay->clock;
    bool understood;
    *code = 0;
    if (request->kind < REQUEST_PLAY_PAUSE || request->kind > REQUEST_PLAY_GO)
        return false;
    bool back = try_request(&clock, request, step_s, &understood);
    if (!understood) {
        screen_message(replay->screen, "not a time: 80, 1m20s, 1:20, 50%, +10, -10, end");
        return true;
    }
    if (back && !pipeline_rereadable(replay->pipeline)) {
        screen_message(replay->screen, "a pipe cannot be read again: record to a file to go back");
        return true;
    }
    replay->clock = clock;
    if (back)
        *code = start_over(replay, 0, error);
    draw_line(replay);
    return true;
}
