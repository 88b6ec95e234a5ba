/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "loop.h"

#include "base/clock.h"
#include "profile/profile.h"
#include "resolve/resolver.h"
#include "sample/sampler.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum loop_source { LOOP_RECORDS, LOOP_KEYS, LOOP_TIMER, LOOP_SIGNAL, LOOP_TARGET, LOOP_SOURCES };

struct loop {
    const struct loop_setup *setup;
    struct pollfd polled[LOOP_SOURCES];
    double delay_s;
    uint32_t refreshes;
    uint64_t started_ns;
    bool target_ended;
    bool quit;
    int code;
};

static void loop_signal_set(sigset_t *set)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCHLD};
    sigemptyset(set);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaddset(set, signals[i]);
}

void loop_block_signals(void)
{
    sigset_t set;
    loop_signal_set(&set);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static int arm_timer(int fd, double delay_s)
{
    struct timespec step = {.tv_sec = (time_t)delay_s,
                            .tv_nsec = (long)((delay_s - floor(delay_s)) * 1e9)};
    struct itimerspec timer = {.it_interval = step, .it_value = step};
    return timerfd_settime(fd, 0, &timer, NULL) ? -errno : 0;
}

static int open_timer(double delay_s)
{
    int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (fd < 0)
        return -errno;
    int code = arm_timer(fd, delay_s);
    if (code)
        close(fd);
    return code ? code : fd;
}

static int open_signals(void)
{
    sigset_t set;
    loop_signal_set(&set);
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return fd < 0 ? -errno : fd;
}

static void watch(struct loop *loop, enum loop_source source, int fd)
{
    loop->polled[source] = (struct pollfd){.fd = fd, .events = POLLIN};
}

static int loop_init(struct loop *loop, const struct loop_setup *setup, struct error *error)
{
    *loop = (struct loop){
        .setup = setup, .delay_s = setup->options->delay_s, .started_ns = clock_now_ns()};
    int timer = open_timer(loop->delay_s);
    int signals = open_signals();
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
    bool replay = loop->setup->options->input;
    bool paced = replay && loop->setup->screen;
    uint64_t until = paced                          ? clock_now_ns() - loop->started_ns
                     : replay || loop->target_ended ? UINT64_MAX
                                                    : clock_now_ns() - SAMPLER_SETTLES_NS;
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
        screen_show(loop->setup->screen, snapshot, snapshot_free);
    } else {
        loop->code = print_snapshot(loop, stdout, snapshot);
        snapshot_free(snapshot);
    }
}

/* Steps of the refresh interval that + and - go through, seconds. */
static void change_delay(struct loop *loop, int direction)
{
    static const double steps[] = {0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60};
    enum { STEPS = sizeof steps / sizeof *steps };
    char text[48];
    int i = 0;
    while (i < STEPS - 1 && steps[i] < loop->delay_s * 0.999)
        i++;
    i += direction;
    loop->delay_s = steps[i < 0 ? 0 : i >= STEPS ? STEPS - 1 : i];
    arm_timer(loop->polled[LOOP_TIMER].fd, loop->delay_s);
    snprintf(text, sizeof text, "refresh every %g s", loop->delay_s);
    screen_message(loop->setup->screen, text);
}

static int write_one(const struct loop *loop, const char *path, bool json)
{
    const struct snapshot *snapshot = screen_snapshot(loop->setup->screen);
    FILE *out = fopen(path, "wxe");
    if (!out)
        return -errno;
    struct view_options plain = loop->setup->options->view;
    plain.color = VIEW_COLOR_NEVER;
    plain.width = 132;
    int code = json ? json_print(out, snapshot) : text_print(out, snapshot, &plain);
    return fclose(out) && !code ? -errno : code;
}

/* `W`: the picture shown, as text and as JSON, in the working directory. */
static void write_snapshot(const struct loop *loop)
{
    char stamp[32];
    char text[80];
    char json[80];
    char message[160];
    time_t now = time(NULL);
    if (!screen_snapshot(loop->setup->screen))
        return;
    strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", localtime(&now));
    snprintf(text, sizeof text, "misstop-%d-%s.txt", (int)loop->setup->pid, stamp);
    snprintf(json, sizeof json, "misstop-%d-%s.json", (int)loop->setup->pid, stamp);
    int code = write_one(loop, text, false);
    if (!code)
        code = write_one(loop, json, true);
    if (code)
        snprintf(message, sizeof message, "cannot write %s: %s", text, strerror(-code));
    else
        snprintf(message, sizeof message, "written: %s and .json", text);
    screen_message(loop->setup->screen, message);
}

static void suspend(struct loop *loop)
{
    screen_suspend(loop->setup->screen);
    /* SIGTSTP is blocked for the signalfd; SIGSTOP stops whatever is blocked. */
    kill(getpid(), SIGSTOP);
    screen_resume(loop->setup->screen);
}

static void act(struct loop *loop, const struct request *request)
{
    const char *message;
    switch (request->kind) {
    case REQUEST_QUIT:
        loop->quit = true;
        break;
    case REQUEST_REFRESH:
        refresh(loop);
        break;
    case REQUEST_FASTER:
        change_delay(loop, -1);
        break;
    case REQUEST_SLOWER:
        change_delay(loop, 1);
        break;
    case REQUEST_WRITE:
        write_snapshot(loop);
        break;
    case REQUEST_SUSPEND:
        suspend(loop);
        break;
    default:
        message = pipeline_request(loop->setup->pipeline, request);
        if (*message)
            screen_message(loop->setup->screen, message);
        refresh(loop);
    }
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
    if (read(loop->polled[LOOP_TIMER].fd, &ticks, sizeof ticks) == sizeof ticks)
        refresh(loop);
}

/* The target has ended: the last picture stays on the screen until the user leaves. */
static void show_end(struct loop *loop)
{
    loop->polled[LOOP_TARGET].fd = -1;
    loop->polled[LOOP_RECORDS].fd = -1;
    refresh(loop);
    bool replay = loop->setup->options->input;
    screen_message(loop->setup->screen,
                   replay ? "end of the recording; q leaves" : "the process has ended; q leaves");
    /* Messages fade; refreshing stops, so that decay does not wipe out the last picture. */
    arm_timer(loop->polled[LOOP_TIMER].fd, 0);
    while (!loop->quit && !loop->code) {
        int ready = poll(loop->polled, LOOP_SOURCES, -1);
        if (ready < 0 && errno != EINTR)
            loop->code = -errno;
        else if (ready > 0)
            take_ready(loop);
    }
}

int loop_run(const struct loop_setup *setup, struct error *error)
{
    struct loop loop;
    int code = loop_init(&loop, setup, error);
    if (code)
        goto out;
    if (setup->screen)
        refresh(&loop);
    if (setup->options->input && !setup->screen)
        drain(&loop);
    while (!loop.quit && !loop.target_ended && !loop.code) {
        int ready = poll(loop.polled, LOOP_SOURCES, pipeline_patience_ms(setup->pipeline));
        if (ready < 0 && errno != EINTR)
            loop.code = -errno;
        else if (ready > 0)
            take_ready(&loop);
        else if (!setup->options->input)
            drain(&loop);
    }
    if (loop.target_ended && !loop.code && !loop.quit && setup->screen)
        show_end(&loop);
    else if (loop.target_ended && !loop.code && !loop.quit)
        refresh(&loop);
    code = loop.code;
    if (code)
        error_set(error, code, "%s: %s", setup->screen ? "watching failed" : "cannot print",
                  strerror(-code));
out:
    loop_fini(&loop);
    return code;
}

static void show_processes(struct screen *screen, struct resolver_process_list *list)
{
    enum { ROWS_MAX = 4096 };
    static struct picker_row rows[ROWS_MAX];
    const struct resolver_process *entries;
    size_t count = resolver_process_list_read(list, &entries);
    count = count < ROWS_MAX ? count : ROWS_MAX;
    for (size_t i = 0; i < count; i++)
        rows[i] = (struct picker_row){
            .pid = (uint32_t)entries[i].pid,
            .threads = entries[i].threads,
            .cpu_percent = entries[i].cpu_percent,
            .resident_bytes = entries[i].resident_bytes,
            .state = entries[i].state,
            .user = entries[i].user,
            .command = entries[i].command,
        };
    picker_show(screen, rows, count);
}

/* A quit, a signal to end, or a PID, in *picked; false: nothing yet. */
static bool picked_now(struct screen *screen, int signals, pid_t *picked)
{
    struct signalfd_siginfo info;
    struct request request;
    while (read(signals, &info, sizeof info) == sizeof info)
        if (info.ssi_signo != SIGWINCH && info.ssi_signo != SIGCHLD && info.ssi_signo != SIGTSTP)
            return true;
    while ((request = picker_input(screen)).kind != REQUEST_NONE) {
        if (request.kind == REQUEST_PICK)
            *picked = (pid_t)request.pid;
        if (request.kind == REQUEST_PICK || request.kind == REQUEST_QUIT)
            return true;
        if (request.kind == REQUEST_SUSPEND) {
            screen_suspend(screen);
            kill(getpid(), SIGSTOP);
            screen_resume(screen);
        }
    }
    return false;
}

pid_t loop_pick(struct screen *screen, double delay_s, struct error *error)
{
    struct resolver_process_list *list = resolver_process_list_new();
    int signals = open_signals();
    pid_t picked = 0;
    if (!list || signals < 0) {
        picked = error_set(error, -ENOMEM, "cannot list the processes");
        goto out;
    }
    uint64_t next_ns = 0;
    struct pollfd polled[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                              {.fd = signals, .events = POLLIN}};
    do {
        uint64_t now = clock_now_ns();
        if (now >= next_ns) {
            show_processes(screen, list);
            next_ns = now + (uint64_t)(delay_s * CLOCK_NS_PER_S);
        }
        poll(polled, 2, (int)((next_ns - now) / 1000000) + 1);
    } while (!picked_now(screen, signals, &picked) && !(polled[0].revents & POLLHUP));
out:
    if (signals >= 0)
        close(signals);
    if (list)
        resolver_process_list_free(list);
    return picked;
}
