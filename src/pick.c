/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pick.h"

#include "base/clock.h"
#include "resolve/resolver.h"
#include "sample/perfdata/perfdata.h"
#include "signals.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { ROWS_MAX = 4096 };

static void show_processes(struct screen *screen, struct resolver_process_list *list,
                           struct picker_row *rows)
{
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

static void suspend(struct screen *screen)
{
    screen_suspend(screen);
    kill(getpid(), SIGSTOP);
    screen_resume(screen);
}

/* A quit, a signal to end, the way back, or a PID, in *picked; false: nothing yet. */
static bool picked_now(struct screen *screen, int signals, pid_t *picked)
{
    struct signalfd_siginfo info;
    struct request request;
    while (read(signals, &info, sizeof info) == sizeof info)
        if (info.ssi_signo != SIGWINCH && info.ssi_signo != SIGCHLD && info.ssi_signo != SIGTSTP)
            return true;
    while ((request = picker_input(screen)).kind != REQUEST_NONE) {
        if (request.kind == REQUEST_PICK)
            *picked = request.pid ? (pid_t)request.pid : PERFDATA_IDLE;
        if (request.kind == REQUEST_LEAVE)
            *picked = PICK_BACK;
        if (request.kind == REQUEST_PICK || request.kind == REQUEST_LEAVE ||
            request.kind == REQUEST_QUIT)
            return true;
        if (request.kind == REQUEST_SUSPEND)
            suspend(screen);
    }
    return false;
}

pid_t pick_running(struct screen *screen, double delay_s, struct error *error)
{
    struct resolver_process_list *list = resolver_process_list_new();
    struct picker_row *rows = calloc(ROWS_MAX, sizeof *rows);
    int signals = signals_open();
    pid_t picked = PICK_QUIT;
    if (!list || !rows || signals < 0) {
        picked = error_set(error, -ENOMEM, "cannot list the processes");
        goto out;
    }
    uint64_t next_ns = 0;
    struct pollfd polled[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                              {.fd = signals, .events = POLLIN}};
    do {
        uint64_t now = clock_now_ns();
        if (now >= next_ns) {
            show_processes(screen, list, rows);
            next_ns = now + (uint64_t)(delay_s * CLOCK_NS_PER_S);
        }
        poll(polled, 2, (int)((next_ns - now) / 1000000) + 1);
    } while (!picked_now(screen, signals, &picked) && !(polled[0].revents & POLLHUP));
out:
    if (signals >= 0)
        close(signals);
    if (list)
        resolver_process_list_free(list);
    picker_end(screen, picked > 0);
    free(rows);
    return picked;
}

/* Their share is of all samples, also of processes too many to be listed. */
static size_t fill_recorded(struct picker_row *rows, const struct perfdata_process *list,
                            size_t count)
{
    double all = 0;
    for (size_t i = 0; i < count; i++)
        all += (double)list[i].samples;
    size_t used = 0;
    for (size_t i = 0; i < count && used < ROWS_MAX; i++)
        rows[used++] = (struct picker_row){
            .pid = (uint32_t)list[i].pid,
            .cpu_percent = NAN,
            .samples = list[i].samples,
            .share = (double)list[i].samples / all,
            .span_s =
                list[i].first_sample_ns
                    ? (double)(list[i].last_sample_ns - list[i].first_sample_ns) / CLOCK_NS_PER_S
                    : NAN,
            .command = *list[i].comm ? list[i].comm : NULL,
        };
    return used;
}

pid_t pick_recorded(struct screen *screen, const struct perfdata_process *list, size_t count,
                    struct error *error)
{
    struct picker_row *rows = calloc(ROWS_MAX, sizeof *rows);
    int signals = signals_open();
    pid_t picked = PICK_QUIT;
    if (!rows || signals < 0) {
        picked = error_set(error, -ENOMEM, "cannot list the processes of the recording");
        goto out;
    }
    picker_show_recorded(screen, rows, fill_recorded(rows, list, count));
    struct pollfd polled[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                              {.fd = signals, .events = POLLIN}};
    do
        poll(polled, 2, -1);
    while (!picked_now(screen, signals, &picked) && !(polled[0].revents & POLLHUP));
out:
    if (signals >= 0)
        close(signals);
    picker_end(screen, picked > 0 || picked == PERFDATA_IDLE);
    free(rows);
    return picked;
}
