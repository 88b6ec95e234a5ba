/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What keys ask of the loop; declared in loop_state.h. */
#include "loop_state.h"

#include "profile/profile.h"
#include "refresh_timer.h"
#include "snapshot_file.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static void change_delay(struct loop *loop, int direction)
{
    char text[48];
    loop->delay_s = refresh_timer_step(loop->delay_s, direction);
    refresh_timer_arm(loop->polled[LOOP_TIMER].fd, loop->delay_s);
    snprintf(text, sizeof text, "refresh every %g s", loop->delay_s);
    loop_message(loop, text);
}

/* `W`: the picture shown. */
static void write_snapshot(const struct loop *loop)
{
    char message[160];
    struct screen *screen = loop->setup->screen;
    if (!screen_snapshot(screen))
        return;
    snapshot_file_write(screen_snapshot(screen), &loop->setup->options->view, message,
                        sizeof message);
    screen_message(screen, message);
}

void loop_suspend(struct loop *loop)
{
    screen_suspend(loop->setup->screen);
    /* SIGTSTP is blocked for the signalfd; SIGSTOP stops whatever is blocked. */
    kill(getpid(), SIGSTOP);
    screen_resume(loop->setup->screen);
}

static void ask_pipeline(struct loop *loop, const struct request *request)
{
    const char *message = pipeline_request(loop->setup->pipeline, request);
    if (*message)
        loop_message(loop, message);
}

bool loop_act(struct loop *loop, const struct request *request)
{
    switch (request->kind) {
    case REQUEST_QUIT:
        loop->quit = true;
        return false;
    case REQUEST_REFRESH:
        break;
    case REQUEST_FASTER:
        change_delay(loop, -1);
        return false;
    case REQUEST_SLOWER:
        change_delay(loop, 1);
        return false;
    case REQUEST_WRITE:
        write_snapshot(loop);
        return false;
    case REQUEST_SUSPEND:
        loop_suspend(loop);
        return false;
    case REQUEST_PROCESSES:
        if (loop->replays)
            loop->code = player_pick(&loop->player, &loop->quit, loop->error);
        break;
    default:
        if (loop->replays &&
            player_act(&loop->player, request, loop->delay_s, &loop->code, loop->error))
            return false;
        ask_pipeline(loop, request);
    }
    return !loop->quit && !loop->code;
}

void loop_read_keys(struct loop *loop)
{
    for (;;) {
        struct request request = screen_input(loop->setup->screen);
        if (request.kind == REQUEST_NONE || loop->quit)
            return;
        if (loop_act(loop, &request))
            loop_refresh(loop);
    }
}
