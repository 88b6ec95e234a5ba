/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "loop.h"

#include "base/clock.h"
#include "profile/profile.h"
#include "terminal.h"
#include "export.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

enum {
    REQUESTS = 32,
    STAGES_WAIT_MS = 10, /* how long a key waits for the stages before it is handled without them */
    REDRAW_MS = 100,     /* delay before the screen is redrawn with them */
    QUIT_WAIT_MS = 300   /* how long the loop may take to end after a quit */
};

struct front {
    struct front_setup setup;
    pthread_t thread;
    pthread_mutex_t stages;    /* held while the stages are used */
    pthread_mutex_t next_turn; /* held while waiting for `stages`: the loop cannot overtake */
    bool holds_stages;         /* the terminal thread holds `stages`; used only by that thread */
    bool drawn_without; /* the screen lacks data that requires `stages`; used only by that thread */
    int signals;
    int to_loop;                  /* eventfd */
    int to_front;                 /* eventfd */
    pthread_mutex_t mailbox_lock; /* protects all members below */
    struct request requests[REQUESTS];
    size_t request_count;
    const struct snapshot *snapshot;
    char message[256];
    struct view_play play; /* position of a recording; to be drawn if .has_line is set */
    bool has_play;
    bool quit;
    bool child;
    bool stopping;
    bool thread_exists; /* the thread exists; used only by the loop */
};

static void ring_bell(int fd)
{
    uint64_t one = 1;
    if (write(fd, &one, sizeof one) < 0)
        return; /* the counter is full: a wakeup is already pending */
}

static void clear_wakeups(int fd)
{
    uint64_t rings;
    if (read(fd, &rings, sizeof rings) < 0)
        return;
}

static struct timespec deadline_after_ms(int ms)
{
    uint64_t at_ns = clock_now_ns() + (uint64_t)ms * 1000000;
    return (struct timespec){.tv_sec = (time_t)(at_ns / CLOCK_NS_PER_S),
                             .tv_nsec = (long)(at_ns % CLOCK_NS_PER_S)};
}

/* ---- the loop's side ---- */

int front_fd(const struct front *front)
{
    return front->to_loop;
}

bool front_take(struct front *front, struct front_news *news)
{
    *news = (struct front_news){.request = {.kind = REQUEST_NONE}};
    pthread_mutex_lock(&front->mailbox_lock);
    news->child = front->child;
    if (front->quit)
        news->request.kind = REQUEST_QUIT;
    else if (front->request_count)
        news->request = front->requests[0];
    if (!front->quit && front->request_count)
        memmove(front->requests, front->requests + 1,
                --front->request_count * sizeof *front->requests);
    front->child = false;
    if (!front->request_count)
        clear_wakeups(front->to_loop);
    pthread_mutex_unlock(&front->mailbox_lock);
    return news->child || news->request.kind != REQUEST_NONE;
}

void front_show(struct front *front, const struct snapshot *snapshot)
{
    pthread_mutex_lock(&front->mailbox_lock);
    const struct snapshot *unseen = front->snapshot;
    front->snapshot = snapshot;
    pthread_mutex_unlock(&front->mailbox_lock);
    snapshot_free(unseen);
    ring_bell(front->to_front);
}

void front_message(struct front *front, const char *text)
{
    pthread_mutex_lock(&front->mailbox_lock);
    snprintf(front->message, sizeof front->message, "%s", text);
    pthread_mutex_unlock(&front->mailbox_lock);
    ring_bell(front->to_front);
}

void front_play(struct front *front, const struct view_play *line)
{
    pthread_mutex_lock(&front->mailbox_lock);
    front->play = *line;
    front->has_play = true;
    pthread_mutex_unlock(&front->mailbox_lock);
    ring_bell(front->to_front);
}

void front_lend(struct front *front)
{
    pthread_mutex_unlock(&front->stages);
}

void front_take_back(struct front *front)
{
    pthread_mutex_lock(&front->next_turn);
    pthread_mutex_lock(&front->stages);
    pthread_mutex_unlock(&front->next_turn);
}

/* ---- the terminal's side ---- */

bool front_has_stages(const struct front *front)
{
    return front->holds_stages;
}

static void borrow_stages(struct front *front)
{
    struct timespec until = deadline_after_ms(STAGES_WAIT_MS);
    if (pthread_mutex_clocklock(&front->next_turn, CLOCK_MONOTONIC, &until))
        return;
    front->holds_stages = !pthread_mutex_clocklock(&front->stages, CLOCK_MONOTONIC, &until);
    pthread_mutex_unlock(&front->next_turn);
}

static void give_back_stages(struct front *front)
{
    front->drawn_without = !front->holds_stages;
    if (front->holds_stages)
        pthread_mutex_unlock(&front->stages);
    front->holds_stages = false;
}

static void send_to_loop(struct front *front, const struct request *request)
{
    pthread_mutex_lock(&front->mailbox_lock);
    if (request->kind == REQUEST_QUIT)
        front->quit = true;
    else if (front->request_count < REQUESTS)
        front->requests[front->request_count++] = *request;
    pthread_mutex_unlock(&front->mailbox_lock);
    ring_bell(front->to_loop);
}

static void ask_to_quit(struct front *front)
{
    send_to_loop(front, &(struct request){.kind = REQUEST_QUIT});
}

static void suspend_front(struct front *front)
{
    display_suspend(front->setup.display);
    /* SIGTSTP is blocked for the signalfd. raise() stops this thread too, which must not continue
     * before the others stop. */
    raise(SIGSTOP);
    display_resume(front->setup.display);
}

static void write_snapshot(struct front *front, const char *name)
{
    char message[512];
    struct display *display = front->setup.display;
    if (!display_snapshot(display))
        return;
    snapshot_file_write(display_snapshot(display), front->setup.view, name, message,
                        sizeof message);
    display_message(display, message);
}

static void read_keys(struct front *front)
{
    struct request request;
    borrow_stages(front);
    while ((request = display_input(front->setup.display)).kind != REQUEST_NONE) {
        if (request.kind == REQUEST_SUSPEND)
            suspend_front(front);
        else if (request.kind == REQUEST_WRITE)
            write_snapshot(front, request.name);
        else
            send_to_loop(front, &request);
        if (request.kind == REQUEST_QUIT)
            break;
    }
    give_back_stages(front);
}

static void read_signals(struct front *front)
{
    struct signalfd_siginfo info;
    while (read(front->signals, &info, sizeof info) == sizeof info) {
        if (info.ssi_signo == SIGWINCH) {
            read_keys(front);
        } else if (info.ssi_signo == SIGTSTP) {
            suspend_front(front);
        } else if (info.ssi_signo == SIGCHLD) {
            pthread_mutex_lock(&front->mailbox_lock);
            front->child = true;
            pthread_mutex_unlock(&front->mailbox_lock);
            ring_bell(front->to_loop);
        } else {
            ask_to_quit(front);
        }
    }
}

static void draw_pending(struct front *front)
{
    char message[sizeof front->message];
    clear_wakeups(front->to_front);
    pthread_mutex_lock(&front->mailbox_lock);
    const struct snapshot *snapshot = front->snapshot;
    memcpy(message, front->message, sizeof message);
    struct view_play line = front->play;
    bool has_line = front->has_play;
    front->has_play = false;
    front->snapshot = NULL;
    front->message[0] = '\0';
    pthread_mutex_unlock(&front->mailbox_lock);
    if (!snapshot && !has_line && !message[0])
        return;
    borrow_stages(front);
    if (has_line)
        display_play(front->setup.display, &line);
    if (snapshot)
        display_show(front->setup.display, snapshot, snapshot_free);
    if (message[0])
        display_message(front->setup.display, message);
    give_back_stages(front);
}

static bool read_flag(struct front *front, const bool *what)
{
    pthread_mutex_lock(&front->mailbox_lock);
    bool asked = *what;
    pthread_mutex_unlock(&front->mailbox_lock);
    return asked;
}

/* Gives a busy loop a moment to finish. */
static void wait_for_loop_end(struct front *front)
{
    uint64_t until_ns = clock_now_ns() + (uint64_t)QUIT_WAIT_MS * 1000000;
    struct pollfd polled = {.fd = front->to_front, .events = POLLIN};
    while (!read_flag(front, &front->stopping) && clock_now_ns() < until_ns) {
        clear_wakeups(front->to_front);
        poll(&polled, 1, QUIT_WAIT_MS / 10);
    }
    if (!read_flag(front, &front->stopping))
        front->setup.force_quit(front->setup.context);
}

static void *front_run(void *context)
{
    struct front *front = context;
    struct pollfd polled[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                              {.fd = front->signals, .events = POLLIN},
                              {.fd = front->to_front, .events = POLLIN}};
    while (!read_flag(front, &front->stopping) && !read_flag(front, &front->quit)) {
        int ready =
            poll(polled, sizeof polled / sizeof *polled, front->drawn_without ? REDRAW_MS : -1);
        if (ready < 0 && errno != EINTR)
            ask_to_quit(front);
        if (ready == 0)
            read_keys(front); /* no input: redraws */
        if (ready <= 0)
            continue;
        if (polled[1].revents)
            read_signals(front);
        /* The terminal hung up: the screen is gone. */
        if (polled[0].revents & (POLLHUP | POLLERR))
            ask_to_quit(front);
        else if (polled[0].revents)
            read_keys(front);
        if (polled[2].revents)
            draw_pending(front);
    }
    if (!read_flag(front, &front->stopping))
        wait_for_loop_end(front);
    return NULL;
}

static void free_front(struct front *front)
{
    const int fds[] = {front->signals, front->to_loop, front->to_front};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    snapshot_free(front->snapshot);
    free(front);
}

int front_resume(struct front *front, struct error *error)
{
    front->stopping = false;
    pthread_mutex_lock(&front->stages);
    int code = -pthread_create(&front->thread, NULL, front_run, front);
    front->thread_exists = !code;
    return code ? error_set(error, code, "cannot start the thread of the screen: %s",
                            strerror(-code))
                : 0;
}

struct display *front_pause(struct front *front)
{
    if (!front->thread_exists)
        return front->setup.display;
    pthread_mutex_lock(&front->mailbox_lock);
    front->stopping = true;
    pthread_mutex_unlock(&front->mailbox_lock);
    ring_bell(front->to_front);
    pthread_mutex_unlock(&front->stages);
    pthread_join(front->thread, NULL);
    front->thread_exists = false;
    return front->setup.display;
}

int front_start(struct front **out, const struct front_setup *setup, struct error *error)
{
    struct front *front = calloc(1, sizeof *front);
    if (!front)
        return error_set(error, -ENOMEM, "out of memory");
    front->setup = *setup;
    front->signals = signals_open();
    front->to_loop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    front->to_front = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_init(&front->stages, NULL);
    pthread_mutex_init(&front->next_turn, NULL);
    pthread_mutex_init(&front->mailbox_lock, NULL);
    int code =
        front->signals < 0 || front->to_loop < 0 || front->to_front < 0
            ? error_set(error, -EMFILE, "no file descriptor for the screen: %s", strerror(EMFILE))
            : 0;
    *out = front; /* the thread may already use it */
    if (!code)
        code = front_resume(front, error);
    if (code) {
        free_front(front);
        *out = NULL;
    }
    return code;
}

void front_stop(struct front *front)
{
    if (!front)
        return;
    front_pause(front);
    free_front(front);
}
