/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "loop_state.h"

#include "base/clock.h"
#include "profile/profile.h"
#include "refresh_timer.h"
#include "sample/sampler.h"
#include "signals.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

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

/* With a screen a part at a time, for keys are to be heard in between. */
static void drain(struct loop *loop)
{
    if (loop->replays)
        return;
    uint64_t until = loop->target_ended ? UINT64_MAX : clock_now_ns() - SAMPLER_SETTLES_NS;
    long code;
    do
        code = pipeline_drain(loop->setup->pipeline, until);
    while (code >= 0 && pipeline_behind(loop->setup->pipeline) && !loop->setup->screen);
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

/* --stretch is for the last report, or for a recording that has been read to its end. */
static void show_stretch(struct loop *loop)
{
    const struct options *options = loop->setup->options;
    bool last =
        loop->target_ended || (options->iterations && loop->refreshes + 1 >= options->iterations);
    if (!options->stretch || loop->stretched || !(loop->replays ? loop->player.clock.ended : last))
        return;
    loop->stretched = true;
    int code = pipeline_show_stretch(loop->setup->pipeline, options->stretch, loop->error);
    if (code && loop->setup->screen)
        screen_message(loop->setup->screen, loop->error->text);
    else
        loop->code = code;
}

static int patience_ms(const struct loop *loop, int otherwise_ms)
{
    struct pipeline *pipeline = loop->setup->pipeline;
    return pipeline_fills(pipeline) || pipeline_behind(pipeline) ? 0 : otherwise_ms;
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

void loop_refresh(struct loop *loop)
{
    drain(loop);
    if (pipeline_tick(loop->setup->pipeline) == -ESRCH)
        loop->target_ended = true;
    /* Between its long steps too: rings of the agent fill up in milliseconds. */
    drain(loop);
    show_stretch(loop);
    if (loop->code)
        return;
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
        screen_follows(loop->setup->screen, loop->delay_follows);
        screen_show(loop->setup->screen, snapshot, snapshot_free);
    } else {
        loop->code = print_snapshot(loop, loop->setup->output, snapshot);
        snapshot_free(snapshot);
    }
}

/* Another slice of the stretch that is to be shown. */
static void fill_stretch(struct loop *loop)
{
    struct pipeline *pipeline = loop->setup->pipeline;
    if (!loop->quit && !loop->code && pipeline_fills(pipeline) && pipeline_fill(pipeline))
        loop_refresh(loop);
}

static void read_signals(struct loop *loop)
{
    struct signalfd_siginfo info;
    while (read(loop->polled[LOOP_SIGNAL].fd, &info, sizeof info) == sizeof info) {
        if (info.ssi_signo == SIGWINCH && loop->setup->screen)
            loop_read_keys(loop);
        else if (info.ssi_signo == SIGTSTP && loop->setup->screen)
            loop_suspend(loop);
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
        loop_read_keys(loop);
    if (loop->polled[LOOP_RECORDS].revents)
        drain(loop);
    if (loop->polled[LOOP_TARGET].revents)
        loop->target_ended = true;
    bool batch_replay = loop->replays && !loop->setup->screen;
    if (read(loop->polled[LOOP_TIMER].fd, &ticks, sizeof ticks) == sizeof ticks && !batch_replay)
        loop_refresh(loop);
}

/* A simulated program tells that it ends, a little before it has. false: how is to be told later.
 */
static bool tell_end(const struct loop *loop)
{
    char how[80] = "";
    char text[128];
    if (loop->setup->launch)
        launch_how(loop->setup->launch, how, sizeof how);
    snprintf(text, sizeof text, "the process has ended%s%s; q leaves", *how ? " " : "", how);
    screen_message(loop->setup->screen, text);
    return *how || !loop->setup->launch;
}

/* Another part of what an ended program left to be read; the picture of all of it at the end. */
static void read_rest(struct loop *loop)
{
    if (!pipeline_behind(loop->setup->pipeline))
        return;
    drain(loop);
    if (!pipeline_behind(loop->setup->pipeline) && !loop->quit && !loop->code)
        loop_refresh(loop);
}

/* The target has ended: the last picture stays on the screen until the user leaves. */
static void show_end(struct loop *loop)
{
    loop->polled[LOOP_TARGET].fd = -1;
    loop->polled[LOOP_RECORDS].fd = -1;
    loop_refresh(loop);
    bool told = tell_end(loop);
    /* Messages fade; refreshing stops, so that decay does not wipe out the last picture. */
    refresh_timer_arm(loop->polled[LOOP_TIMER].fd, 0);
    while (!loop->quit && !loop->code) {
        int ready = poll(loop->polled, LOOP_SOURCES, patience_ms(loop, -1));
        if (ready < 0 && errno != EINTR)
            loop->code = -errno;
        else if (ready > 0)
            take_ready(loop);
        if (!told && launch_ended(loop->setup->launch))
            told = tell_end(loop);
        fill_stretch(loop);
        read_rest(loop);
    }
    /* Files that are written at the end have all of it. */
    while (pipeline_behind(loop->setup->pipeline) && !loop->code)
        drain(loop);
}

static void watch_target(struct loop *loop)
{
    const struct loop_setup *setup = loop->setup;
    if (setup->screen)
        loop_refresh(loop);
    while (!loop->quit && !loop->target_ended && !loop->code) {
        int ready = poll(loop->polled, LOOP_SOURCES,
                         patience_ms(loop, pipeline_patience_ms(setup->pipeline)));
        if (ready < 0 && errno != EINTR)
            loop->code = -errno;
        else if (ready > 0)
            take_ready(loop);
        else
            drain(loop);
        fill_stretch(loop);
    }
    if (loop->target_ended && !loop->code && !loop->quit && setup->screen)
        show_end(loop);
    else if (loop->target_ended && !loop->code && !loop->quit)
        loop_refresh(loop);
}

/* Keys are heard between the slices that are read; the timer makes the pictures. Without a screen
 * there is one picture, of all. */
static void play(struct loop *loop)
{
    player_init(&loop->player, loop->setup->pipeline, loop->setup->screen,
                loop->setup->screen ? loop->setup->options->pace : NAN);
    while (!loop->quit && !loop->code) {
        int ready =
            poll(loop->polled, LOOP_SOURCES, patience_ms(loop, player_patience_ms(&loop->player)));
        if (ready < 0 && errno != EINTR)
            loop->code = -errno;
        else if (ready > 0)
            take_ready(loop);
        fill_stretch(loop);
        if (loop->quit || loop->code)
            return;
        int code = player_advance(&loop->player);
        if (code < 0)
            loop->code = code;
        else if (code)
            loop_refresh(loop);
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
