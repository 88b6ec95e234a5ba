/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "loop.h"

#include "base/clock.h"
#include "profile/profile.h"
#include "refresh_timer.h"
#include "player.h"
#include "sample/sampler.h"
#include "signals.h"
#include "snapshot_file.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum loop_source { LOOP_RECORDS, LOOP_KEYS, LOOP_TIMER, LOOP_SIGNAL, LOOP_TARGET, LOOP_SOURCES };

struct loop {
    const struct loop_setup *setup;
    struct player player; /* of a recording on the screen */
    bool replays;
    struct error *error;
    struct pollfd polled[LOOP_SOURCES];
    double delay_s;
    bool delay_follows; /* the volatility, until the user says otherwise */
    uint32_t refreshes;
    bool target_ended;
    bool quit;
    int code;
};

static void watch(struct loop *loop, enum loop_source source, int fd)
{
    loop->polled[source] = (struct pollfd){.fd = fd, .events = POLLIN};
}

static int loop_init(struct loop *loop, const struct loop_setup *setup, struct error *error)
{
    *loop = (struct loop){.setup = setup,
                          .delay_s = setup->options->delay_s,
                          .delay_follows = setup->screen && !setup->options->delay_given &&
                                           !setup->options->input,
                          .replays = setup->options->input != NULL,
                          .error = error};
    int timer = refresh_timer_open(loop->delay_s);
    int signals = signals_open();
    /* -1 on kernels before 5.3: then the end is noticed by the refresh. */
    int target = setup->pid ? (int)syscall(SYS_pidfd_open, setup->pid, 0) : -1;
    watch(loop, LOOP_RECORDS, pipeline_fd(setup->pipeline));
    watch(loop, LOOP_KEYS, setup->screen ? STDIN_FILENO : -1);
    watch(loop, LOOP_TIMER, timer);
    watch(loop, LOOP_SIGNAL, signals);
    watch(loop, LOOP_TARGET, target);
    if (timer < 0 || signals < 0)
        return error_set(error, timer < 0 ? timer : signals, "no timer or signal descriptor: %s",
                         strerror(timer < 0 ? -timer : -signals));
    return 0;
}

static void loop_fini(struct loop *loop)
{
    static const enum loop_source owned[] = {LOOP_TIMER, LOOP_SIGNAL, LOOP_TARGET};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        if (loop->polled[owned[i]].fd >= 0)
            close(loop->polled[owned[i]].fd);
}

static void drain(struct loop *loop)
{
    if (loop->replays)
        return;
    uint64_t until = loop->target_ended ? UINT64_MAX : clock_now_ns() - SAMPLER_SETTLES_NS;
    long code = pipeline_drain(loop->setup->pipeline, until);
    if (code == -ENODATA)
        loop->target_ended = true;
    else if (code < 0)
        loop->code = (int)code;
}

static int print_snapshot(const struct loop *loop, FILE *out, const struct snapshot *snapshot)
{
    const struct options *options = loop->setup->options;
    return options->json ? json_print(out, snapshot) : text_print(out, snapshot, &options->view);
}

/* What is seen to change from picture to picture ought to be the program and not its noise. */
static void follow_volatility(struct loop *loop, const struct snapshot *snapshot)
{
    double delay_s = refresh_timer_for(snapshot->timeline.display_s);
    if (!loop->delay_follows || delay_s == loop->delay_s)
        return;
    loop->delay_s = delay_s;
    refresh_timer_arm(loop->polled[LOOP_TIMER].fd, delay_s);
}

/* One refresh: all that waits goes to the tables, then a snapshot to the view. */
static void refresh(struct loop *loop)
{
    drain(loop);
    if (pipeline_tick(loop->setup->pipeline) == -ESRCH)
        loop->target_ended = true;
    /* Between its long steps too: rings of the agent fill up in milliseconds. */
    drain(loop);
    const struct snapshot *snapshot = pipeline_snapshot(loop->setup->pipeline, loop->delay_s);
    uint32_t wanted = loop->setup->options->iterations;
    loop->quit |= wanted && loop->refreshes + 1 >= wanted;
    /* What comes after the last picture is not part of it, nor of what is recorded. */
    if (!loop->quit)
        drain(loop);
    if (!snapshot) {
        loop->code = -ENOMEM;
        return;
    }
    loop->refreshes++;
    if (loop->setup->screen) {
        follow_volatility(loop, snapshot);
        screen_show(loop->setup->screen, snapshot, snapshot_free);
    } else {
        loop->code = print_snapshot(loop, stdout, snapshot);
        snapshot_free(snapshot);
    }
}

static void change_delay(struct loop *loop, int direction)
{
    char text[48];
    loop->delay_follows = false;
    loop->delay_s = refresh_timer_step(loop->delay_s, direction);
    refresh_timer_arm(loop->polled[LOOP_TIMER].fd, loop->delay_s);
    snprintf(text, sizeof text, "refresh every %g s", loop->delay_s);
    screen_message(loop->setup->screen, text);
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

static void suspend(struct loop *loop)
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
        screen_message(loop->setup->screen, message);
}

static void act(struct loop *loop, const struct request *request)
{
    switch (request->kind) {
    case REQUEST_QUIT:
        loop->quit = true;
        return;
    case REQUEST_REFRESH:
        break;
    case REQUEST_FASTER:
        change_delay(loop, -1);
        return;
    case REQUEST_SLOWER:
        change_delay(loop, 1);
        return;
    case REQUEST_WRITE:
        write_snapshot(loop);
        return;
    case REQUEST_SUSPEND:
        suspend(loop);
        return;
    case REQUEST_PROCESSES:
        if (loop->replays)
            loop->code = player_pick(&loop->player, &loop->quit, loop->error);
        break;
    default:
        if (loop->replays &&
            player_act(&loop->player, request, loop->delay_s, &loop->code, loop->error))
            return;
        ask_pipeline(loop, request);
    }
    if (!loop->quit && !loop->code)
        refresh(loop);
}

static void read_keys(struct loop *loop)
{
    for (;;) {
        struct request request = screen_input(loop->setup->screen);
        if (request.kind == REQUEST_NONE || loop->quit)
            return;
        act(loop, &request);
    }
}

static void read_signals(struct loop *loop)
{
    struct signalfd_siginfo info;
    while (read(loop->polled[LOOP_SIGNAL].fd, &info, sizeof info) == sizeof info) {
        if (info.ssi_signo == SIGWINCH && loop->setup->screen)
            read_keys(loop);
        else if (info.ssi_signo == SIGTSTP && loop->setup->screen)
            suspend(loop);
        else if (info.ssi_signo == SIGTSTP)
            kill(getpid(), SIGSTOP);
        else if (info.ssi_signo != SIGCHLD && info.ssi_signo != SIGWINCH)
            loop->quit = true;
    }
    if (loop->setup->launch && launch_ended(loop->setup->launch))
        loop->target_ended = true;
}

static void take_ready(struct loop *loop)
{
    uint64_t ticks;
    if (loop->polled[LOOP_SIGNAL].revents)
        read_signals(loop);
    /* Hang-up of the terminal: nobody is left to look. */
    if (loop->polled[LOOP_KEYS].revents & (POLLHUP | POLLERR))
        loop->quit = true;
    else if (loop->polled[LOOP_KEYS].revents)
        read_keys(loop);
    if (loop->polled[LOOP_RECORDS].revents)
        drain(loop);
    if (loop->polled[LOOP_TARGET].revents)
        loop->target_ended = true;
    bool batch_replay = loop->replays && !loop->setup->screen;
    if (read(loop->polled[LOOP_TIMER].fd, &ticks, sizeof ticks) == sizeof ticks && !batch_replay)
        refresh(loop);
}

/* The target has ended: the last picture stays on the screen until the user leaves. */
static void show_end(struct loop *loop)
{
    loop->polled[LOOP_TARGET].fd = -1;
    loop->polled[LOOP_RECORDS].fd = -1;
    refresh(loop);
    screen_message(loop->setup->screen, "the process has ended; q leaves");
    /* Messages fade; refreshing stops, so that decay does not wipe out the last picture. */
    refresh_timer_arm(loop->polled[LOOP_TIMER].fd, 0);
    while (!loop->quit && !loop->code) {
        int ready = poll(loop->polled, LOOP_SOURCES, -1);
        if (ready < 0 && errno != EINTR)
            loop->code = -errno;
        else if (ready > 0)
            take_ready(loop);
    }
}

static void watch_target(struct loop *loop)
{
    const struct loop_setup *setup = loop->setup;
    if (setup->screen)
        refresh(loop);
    while (!loop->quit && !loop->target_ended && !loop->code) {
        int ready = poll(loop->polled, LOOP_SOURCES, pipeline_patience_ms(setup->pipeline));
        if (ready < 0 && errno != EINTR)
            loop->code = -errno;
        else if (ready > 0)
            take_ready(loop);
        else
            drain(loop);
    }
    if (loop->target_ended && !loop->code && !loop->quit && setup->screen)
        show_end(loop);
    else if (loop->target_ended && !loop->code && !loop->quit)
        refresh(loop);
}

/* Keys are heard between the slices that are read; the timer makes the pictures. Without a screen
 * there is one picture, of all. */
static void play(struct loop *loop)
{
    player_init(&loop->player, loop->setup->pipeline, loop->setup->screen,
                loop->setup->screen ? loop->setup->options->pace : NAN);
    while (!loop->quit && !loop->code) {
        int ready = poll(loop->polled, LOOP_SOURCES, player_patience_ms(&loop->player));
        if (ready < 0 && errno != EINTR)
            loop->code = -errno;
        else if (ready > 0)
            take_ready(loop);
        if (loop->quit || loop->code)
            return;
        int code = player_advance(&loop->player);
        if (code < 0)
            loop->code = code;
        else if (code)
            refresh(loop);
        loop->quit |= code && !loop->setup->screen;
    }
}

int loop_run(const struct loop_setup *setup, struct error *error)
{
    struct loop loop;
    int code = loop_init(&loop, setup, error);
    if (code)
        goto out;
    if (loop.replays)
        play(&loop);
    else
        watch_target(&loop);
    code = loop.code;
    if (code && error->code != code)
        error_set(error, code, "%s: %s", setup->screen ? "watching failed" : "cannot print",
                  strerror(-code));
out:
    loop_fini(&loop);
    return code;
}
