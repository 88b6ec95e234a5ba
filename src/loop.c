/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "loop.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "player.h"
#include "export.h"
#include "profile/profile.h"
#include "sample/sampler.h"
#include "terminal.h"

static const double second_picture_s = 0.4;

enum loop_source {
    LOOP_RECORDS,
    LOOP_HEAP,
    LOOP_KEYS,
    LOOP_TIMER,
    LOOP_SIGNAL,
    LOOP_TARGET,
    LOOP_SOURCES
};

struct loop {
    const struct loop_setup *setup;
    struct player player; /* player of a recording */
    bool reads_recording; /* a complete recording */
    bool follows_pipe;    /* a recording that arrives through a pipe */
    bool signalled;
    struct error *error;
    struct pollfd polled[LOOP_SOURCES];
    double delay_s;
    uint32_t refreshes;
    bool target_ended;
    bool time_range_shown; /* --stretch has been handled */
    bool quit;
    int exit_code;
};

static struct timespec timespec_of(double seconds)
{
    return (struct timespec){.tv_sec = (time_t)seconds,
                             .tv_nsec = (long)((seconds - floor(seconds)) * 1e9)};
}

/* Makes the timer fire after first_s, then every delay_s; 0 s stops it. 0 or a negative errno. */
static int refresh_timer_start(int fd, double first_s, double delay_s)
{
    struct itimerspec timer = {.it_interval = timespec_of(delay_s),
                               .it_value = timespec_of(first_s)};
    return timerfd_settime(fd, 0, &timer, NULL) ? -errno : 0;
}

static int refresh_timer_arm(int fd, double delay_s)
{
    return refresh_timer_start(fd, delay_s, delay_s);
}

/* Returns a descriptor for poll(), or a negative errno. */
static int refresh_timer_open(double delay_s)
{
    int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (fd < 0)
        return -errno;
    int code = refresh_timer_arm(fd, delay_s);
    if (code)
        close(fd);
    return code ? code : fd;
}

/* Returns the next longer (1) or shorter (-1) interval in seconds. */
static double refresh_timer_step(double delay_s, int direction)
{
    static const double steps[] = {0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60};
    enum { STEPS = sizeof steps / sizeof *steps };
    int i = 0;
    while (i < STEPS - 1 && steps[i] < delay_s * 0.999)
        i++;
    i += direction;
    return steps[i < 0 ? 0 : i >= STEPS ? STEPS - 1 : i];
}

static void loop_message(struct loop *loop, const char *text)
{
    if (loop->setup->front)
        front_message(loop->setup->front, text);
}

/* ---- requests to the loop ---- */

static void change_delay(struct loop *loop, int direction)
{
    char text[48];
    loop->delay_s = refresh_timer_step(loop->delay_s, direction);
    refresh_timer_arm(loop->polled[LOOP_TIMER].fd, loop->delay_s);
    snprintf(text, sizeof text, "refresh every %g s", loop->delay_s);
    loop_message(loop, text);
}

static void ask_engine(struct loop *loop, const struct request *request)
{
    const char *message = engine_request(loop->setup->engine, request);
    if (*message)
        loop_message(loop, message);
}

static bool loop_act(struct loop *loop, const struct request *request)
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
    case REQUEST_INTERVAL:
        loop->delay_s = request->interval_s;
        refresh_timer_arm(loop->polled[LOOP_TIMER].fd, loop->delay_s);
        return false;
    case REQUEST_PROCESSES:
        if (loop->reads_recording)
            loop->exit_code = player_pick(&loop->player, &loop->quit, loop->error);
        break;
    default:
        if (!loop->reads_recording ||
            !player_act(&loop->player, request, loop->delay_s, &loop->exit_code, loop->error))
            ask_engine(loop, request);
        /* If nothing is left to read, because seeking was stopped, the screen is redrawn. */
        else if (request->kind != REQUEST_PLAY_GO || play_seeks(&loop->player.play))
            return false;
    }
    return !loop->quit && !loop->exit_code;
}

static void poll_source(struct loop *loop, enum loop_source source, int fd)
{
    loop->polled[source] = (struct pollfd){.fd = fd, .events = POLLIN};
}

static int loop_init(struct loop *loop, const struct loop_setup *setup, struct error *error)
{
    *loop = (struct loop){.setup = setup, .delay_s = setup->options->delay_s, .error = error};
    char cause[ERROR_CAUSE];
    bool idled;
    loop->follows_pipe = engine_follows(setup->engine, &idled);
    loop->reads_recording = setup->options->input && !loop->follows_pipe;
    int timer = refresh_timer_open(loop->delay_s);
    /* With a screen, the front reads them. */
    int signals = loop->setup->front ? -1 : signals_open();
    /* -1 before Linux 5.3: the end is then detected at a refresh. */
    int target = setup->pid ? (int)syscall(SYS_pidfd_open, setup->pid, 0) : -1;
    poll_source(loop, LOOP_RECORDS, engine_fd(setup->engine));
    poll_source(loop, LOOP_HEAP, engine_heap_fd(setup->engine));
    poll_source(loop, LOOP_KEYS, loop->setup->front ? front_fd(loop->setup->front) : -1);
    poll_source(loop, LOOP_TIMER, timer);
    poll_source(loop, LOOP_SIGNAL, signals);
    poll_source(loop, LOOP_TARGET, target);
    int code = timer < 0 ? timer : setup->front ? 0 : signals;
    if (code < 0)
        return error_set(error, code, "no timer or signal descriptor: %s",
                         error_cause(code, cause));
    return 0;
}

static void loop_fini(struct loop *loop)
{
    static const enum loop_source owned[] = {LOOP_TIMER, LOOP_SIGNAL, LOOP_TARGET};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        if (loop->polled[owned[i]].fd >= 0)
            close(loop->polled[owned[i]].fd);
}

/* With a screen, drains one slice at a time, so that keys are handled in between. */
static void drain_engine(struct loop *loop)
{
    if (loop->reads_recording)
        return;
    bool all_times = loop->target_ended || loop->follows_pipe;
    uint64_t until = all_times ? UINT64_MAX : clock_now_ns() - SAMPLER_SETTLES_NS;
    long code;
    /* A simulation waits until its misses are read; a live process continues. */
    bool all = !loop->setup->front && (loop->target_ended || loop->setup->options->sim);
    do
        code = engine_drain(loop->setup->engine, until);
    while (code >= 0 && all && engine_has_backlog(loop->setup->engine));
    if (code == -ENODATA)
        loop->target_ended = true;
    else if (code < 0)
        loop->exit_code = (int)code;
}

static int print_snapshot(const struct loop *loop, FILE *out, const struct snapshot *snapshot)
{
    const struct options *options = loop->setup->options;
    return options->json ? json_print(out, snapshot) : text_print(out, snapshot, &options->view);
}

/* Shows --stretch in the last report, or after a recording has been read to its end. */
static void show_time_range(struct loop *loop)
{
    const struct options *options = loop->setup->options;
    bool last =
        loop->target_ended || (options->iterations && loop->refreshes + 1 >= options->iterations);
    if (!options->time_range || loop->time_range_shown ||
        !(loop->reads_recording ? loop->player.play.ended : last))
        return;
    loop->time_range_shown = true;
    int code = engine_show_time_range(loop->setup->engine, options->time_range, loop->error);
    if (code && loop->setup->front)
        loop_message(loop, loop->error->text);
    else
        loop->exit_code = code;
}

static int poll_timeout_ms(const struct loop *loop, int otherwise_ms)
{
    struct engine *engine = loop->setup->engine;
    return engine_is_filling(engine) || engine_has_backlog(engine) ? 0 : otherwise_ms;
}

/* Waits for an event. The screens can use the stages meanwhile. */
static int poll_events(struct loop *loop, int otherwise_ms)
{
    int patience = poll_timeout_ms(loop, otherwise_ms);
    if (loop->setup->front)
        front_lend(loop->setup->front);
    int ready = poll(loop->polled, LOOP_SOURCES, patience);
    int code = ready < 0 ? -errno : ready;
    if (loop->setup->front)
        front_take_back(loop->setup->front);
    return code;
}

/* Refreshes: moves all pending records to the tables and gives the view a snapshot. */
static void loop_refresh(struct loop *loop)
{
    if (loop->reads_recording && !player_refreshes(&loop->player))
        return;
    drain_engine(loop);
    if (engine_tick(loop->setup->engine) == -ESRCH)
        loop->target_ended = true;
    /* Drain between the long steps too, because the agent's rings fill up in milliseconds. If there
     * is more than one drain can read, take the snapshot first. */
    if (!engine_has_backlog(loop->setup->engine))
        drain_engine(loop);
    show_time_range(loop);
    if (loop->exit_code)
        return;
    uint32_t wanted = loop->setup->options->iterations;
    loop->quit |= wanted && loop->refreshes + 1 >= wanted;
    if (loop->quit && !loop->setup->front)
        engine_set_patience(loop->setup->engine);
    const struct snapshot *snapshot = engine_snapshot(loop->setup->engine, loop->delay_s);
    /* Records after the last refresh are neither shown nor recorded. */
    if (!loop->quit && !engine_has_backlog(loop->setup->engine))
        drain_engine(loop);
    if (!snapshot) {
        loop->exit_code = -ENOMEM;
        return;
    }
    loop->refreshes++;
    if (loop->setup->front) {
        front_show(loop->setup->front, snapshot);
    } else {
        loop->exit_code = print_snapshot(loop, loop->setup->output, snapshot);
        snapshot_free(snapshot);
    }
}

static void fill_time_range(struct loop *loop)
{
    struct engine *engine = loop->setup->engine;
    if (!loop->quit && !loop->exit_code && engine_is_filling(engine) && engine_fill(engine))
        loop_refresh(loop);
}

static void check_child(struct loop *loop)
{
    if (loop->setup->launch && launch_ended(loop->setup->launch))
        loop->target_ended = true;
}

/* Handles all pending requests with a single redraw. */
static void read_front(struct loop *loop)
{
    struct front_news news;
    bool refresh = false;
    while (!loop->quit && !loop->exit_code && front_take(loop->setup->front, &news)) {
        if (news.child)
            check_child(loop);
        if (news.request.kind != REQUEST_NONE)
            refresh |= loop_act(loop, &news.request);
    }
    if (refresh && !loop->quit && !loop->exit_code)
        loop_refresh(loop);
}

static void read_signals(struct loop *loop)
{
    struct signalfd_siginfo info;
    while (read(loop->polled[LOOP_SIGNAL].fd, &info, sizeof info) == sizeof info) {
        if (info.ssi_signo == SIGTSTP)
            kill(getpid(), SIGSTOP);
        else if (info.ssi_signo != SIGCHLD && info.ssi_signo != SIGWINCH)
            loop->quit = loop->signalled = true;
    }
    check_child(loop);
}

/* Returns true for a complete file read from a pipe: it has one report, at its end. A file that is
 * still being recorded has one per interval. */
static bool is_finished_pipe_copy(const struct loop *loop)
{
    bool idled;
    return loop->follows_pipe && engine_follows(loop->setup->engine, &idled) && !idled;
}

static void handle_ready(struct loop *loop)
{
    uint64_t ticks;
    if (loop->polled[LOOP_SIGNAL].revents)
        read_signals(loop);
    if (loop->polled[LOOP_KEYS].revents)
        read_front(loop);
    uint64_t wakes;
    bool heap = loop->polled[LOOP_HEAP].revents &&
                read(loop->polled[LOOP_HEAP].fd, &wakes, sizeof wakes) == sizeof wakes;
    if (heap || loop->polled[LOOP_RECORDS].revents)
        drain_engine(loop);
    if (loop->polled[LOOP_TARGET].revents)
        loop->target_ended = true;
    bool batch_replay =
        !loop->setup->front && (loop->reads_recording || is_finished_pipe_copy(loop));
    if (read(loop->polled[LOOP_TIMER].fd, &ticks, sizeof ticks) == sizeof ticks && !batch_replay)
        loop_refresh(loop);
}

/* Reports the end of the process. A simulated program reports its end shortly before it exits.
 * Returns false if the exit status is not known yet. */
static bool report_target_end(struct loop *loop)
{
    char how[80] = "";
    char text[128];
    if (loop->follows_pipe) {
        loop_message(loop, "the recording has ended; q quits");
        return true;
    }
    if (loop->setup->launch)
        launch_end_text(loop->setup->launch, how, sizeof how);
    snprintf(text, sizeof text, "the process has ended%s%s; q quits", *how ? " " : "", how);
    loop_message(loop, text);
    return *how || !loop->setup->launch;
}

/* Reads another part of an ended program's remaining records; refreshes after the last part. */
static void drain_ended_target(struct loop *loop)
{
    if (!engine_has_backlog(loop->setup->engine))
        return;
    drain_engine(loop);
    if (!engine_has_backlog(loop->setup->engine) && !loop->quit && !loop->exit_code)
        loop_refresh(loop);
}

/* Keeps the last snapshot of an ended target on the screen until the user leaves. */
static void show_ended_target(struct loop *loop)
{
    loop->polled[LOOP_TARGET].fd = -1;
    loop->polled[LOOP_RECORDS].fd = -1;
    loop_refresh(loop);
    bool ended = report_target_end(loop);
    /* Stop refreshing, so that decay does not fade out the last snapshot. */
    refresh_timer_arm(loop->polled[LOOP_TIMER].fd, 0);
    while (!loop->quit && !loop->exit_code) {
        int ready = poll_events(loop, -1);
        if (ready < 0 && ready != -EINTR)
            loop->exit_code = ready;
        else if (ready > 0)
            handle_ready(loop);
        if (!ended && launch_ended(loop->setup->launch))
            ended = report_target_end(loop);
        fill_time_range(loop);
        drain_ended_target(loop);
    }
    /* The files written at the end include all records. */
    while (engine_has_backlog(loop->setup->engine) && !loop->exit_code)
        drain_engine(loop);
}

static void watch_target(struct loop *loop)
{
    const struct loop_setup *setup = loop->setup;
    if (setup->front) {
        loop_refresh(loop);
        /* A sleeping or just started program has no samples yet: refresh again soon. */
        refresh_timer_start(loop->polled[LOOP_TIMER].fd, fmin(loop->delay_s, second_picture_s),
                            loop->delay_s);
    }
    while (!loop->quit && !loop->target_ended && !loop->exit_code) {
        int ready = poll_events(loop, engine_patience_ms(setup->engine));
        if (ready < 0 && ready != -EINTR)
            loop->exit_code = ready;
        else if (ready > 0)
            handle_ready(loop);
        else
            drain_engine(loop);
        fill_time_range(loop);
    }
    if (loop->target_ended && !loop->exit_code && !loop->quit && setup->front)
        show_ended_target(loop);
    else if (loop->target_ended && !loop->exit_code && !loop->quit)
        loop_refresh(loop);
    /* Ended by a signal: the report covers the samples so far. */
    else if (loop->signalled && loop->follows_pipe && !loop->exit_code && !setup->front)
        loop_refresh(loop);
}

/* Handles keys between slices; the timer refreshes. Without a screen: one report at the end. */
static void play_recording(struct loop *loop)
{
    player_init(&loop->player, loop->setup->engine, loop->setup->front,
                loop->setup->front ? loop->setup->options->pace : NAN);
    while (!loop->quit && !loop->exit_code) {
        int ready = poll_events(loop, player_patience_ms(&loop->player));
        if (ready < 0 && ready != -EINTR)
            loop->exit_code = ready;
        else if (ready > 0)
            handle_ready(loop);
        fill_time_range(loop);
        if (loop->quit || loop->exit_code)
            return;
        int code = player_advance(&loop->player);
        if (code < 0)
            loop->exit_code = code;
        else if (code)
            loop_refresh(loop);
        loop->quit |= code && !loop->setup->front;
    }
}

int loop_run(const struct loop_setup *setup, struct error *error)
{
    struct loop loop;
    int code = loop_init(&loop, setup, error);
    if (code)
        goto out;
    if (loop.reads_recording)
        play_recording(&loop);
    else
        watch_target(&loop);
    code = loop.exit_code;
    if (code && error->code != code)
        error_set(error, code, "%s: %s", setup->front ? "watching failed" : "cannot print",
                  strerror(-code));
out:
    loop_fini(&loop);
    return code;
}
