/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "player.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "loop.h"
#include "resolve/resolver.h"
#include "sample/perfdata/perfdata.h"
#include "terminal.h"

enum { ROWS_MAX = 4096 };

static void show_processes(struct display *display, struct resolver_process_list *list,
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
    picker_show(display, rows, count, false);
}

/* Returns true at the end of the choice: quit, left, picked or a signal; sets *picked. */
static bool poll_choice(struct display *display, int signals, pid_t *picked)
{
    struct signalfd_siginfo info;
    struct request request;
    while (read(signals, &info, sizeof info) == sizeof info)
        if (info.ssi_signo != SIGWINCH && info.ssi_signo != SIGCHLD && info.ssi_signo != SIGTSTP)
            return true;
    while ((request = display_input(display)).kind != REQUEST_NONE) {
        if (request.kind == REQUEST_PICK)
            *picked = request.pid ? (pid_t)request.pid : PERFDATA_IDLE;
        if (request.kind == REQUEST_LEAVE)
            *picked = PICK_BACK;
        if (request.kind == REQUEST_PICK || request.kind == REQUEST_LEAVE ||
            request.kind == REQUEST_QUIT)
            return true;
        if (request.kind == REQUEST_SUSPEND) {
            display_suspend(display);
            kill(getpid(), SIGSTOP);
            display_resume(display);
        }
    }
    return false;
}

/* Shares are of all samples, including those of processes that do not fit in the list. */
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

/* `running` is listed again every delay_s; NULL: the `recorded` processes are listed. Returns the
 * PID (PERFDATA_IDLE for process 0), PICK_QUIT, PICK_BACK (left the list) or a negative errno. */
static pid_t pick_process(struct display *display, struct resolver_process_list *running,
                          double delay_s, const struct perfdata_process *recorded, size_t count,
                          struct error *error)
{
    struct picker_row *rows = calloc(ROWS_MAX, sizeof *rows);
    int signals = signals_open();
    pid_t picked = PICK_QUIT;
    struct pollfd polled[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                              {.fd = signals, .events = POLLIN}};
    if (!rows || signals < 0)
        picked = error_set(error, -ENOMEM, "cannot list the processes");
    else if (!running)
        picker_show(display, rows, fill_recorded(rows, recorded, count), true);
    for (uint64_t next_ns = 0; picked == PICK_QUIT && !(polled[0].revents & POLLHUP);) {
        uint64_t now = clock_now_ns();
        if (running && now >= next_ns) {
            show_processes(display, running, rows);
            next_ns = now + (uint64_t)(delay_s * CLOCK_NS_PER_S);
        }
        poll(polled, 2, running ? (int)((next_ns - now) / 1000000) + 1 : -1);
        if (poll_choice(display, signals, &picked))
            break;
    }
    if (signals >= 0)
        close(signals);
    picker_end(display, picked > 0 || picked == PERFDATA_IDLE);
    free(rows);
    return picked;
}

pid_t pick_running(struct display *display, double delay_s, struct error *error)
{
    struct resolver_process_list *list = resolver_process_list_new();
    if (!list)
        return error_set(error, -ENOMEM, "cannot list the processes");
    pid_t picked = pick_process(display, list, delay_s, NULL, 0, error);
    resolver_process_list_free(list);
    return picked;
}

enum { LINE_NS = 100000000, PLAYING_MS = 50 };

static const char no_way_back[] = "cannot go back in a pipe, or while recording again (-o)";

static double seconds_of_ns(uint64_t ns)
{
    return (double)ns / CLOCK_NS_PER_S;
}

static void draw_line(struct player *player)
{
    if (!player->front)
        return;
    const struct play *clock = &player->play;
    bool seeks = play_seeks(clock);
    struct view_play line = {
        .position_s = seconds_of_ns(clock->position_ns),
        .length_s = clock->length_ns ? seconds_of_ns(clock->length_ns) : NAN,
        .goal_s = !seeks                       ? NAN
                  : clock->goal_ns != PLAY_END ? seconds_of_ns(clock->goal_ns)
                  : clock->length_ns           ? seconds_of_ns(clock->length_ns)
                                               : INFINITY,
        .paused = clock->paused,
        .ended = clock->ended,
        .pace = clock->pace,
    };
    player->drawn_ns = clock_now_ns();
    front_play(player->front, &line);
}

static void start_clock(struct player *player)
{
    struct play *clock = &player->play;
    play_init(clock, engine_length_ns(player->engine), clock_now_ns());
    clock->paused = !player->from_start;
    clock->pace = player->pace;
    play_go(clock, player->from_start ? 0 : PLAY_END);
    player->in_initial_pass = !player->from_start;
    engine_set_initial_pass(player->engine, player->in_initial_pass);
}

void player_init(struct player *player, struct engine *engine, struct front *front, double pace)
{
    *player = (struct player){.engine = engine,
                              .front = front,
                              .from_start = !isnan(pace),
                              .pace = isnan(pace) ? 1 : pace};
    start_clock(player);
    draw_line(player);
}

static int read_until(struct player *player, uint64_t until_ns)
{
    long code = engine_drain(player->engine, until_ns);
    if (code < 0 && code != -ENODATA)
        return (int)code;
    play_done(&player->play, until_ns, clock_now_ns(), code == -ENODATA);
    return 0;
}

int player_advance(struct player *player)
{
    struct play *clock = &player->play;
    bool sought = play_seeks(clock);
    bool ended = clock->ended;
    uint64_t until_ns = play_due(clock, clock_now_ns());
    int code = until_ns > clock->position_ns ? read_until(player, until_ns) : 0;
    bool arrived = (sought && !play_seeks(clock)) || (!ended && clock->ended);
    if (sought && arrived)
        engine_drop_events(player->engine);
    if (arrived || clock_now_ns() - player->drawn_ns > LINE_NS)
        draw_line(player);
    return code ? code : arrived;
}

bool player_refreshes(const struct player *player)
{
    return !(player->in_initial_pass && play_seeks(&player->play) &&
             engine_names_are_recorded(player->engine));
}

int player_patience_ms(const struct player *player)
{
    const struct play *clock = &player->play;
    return play_hurries(clock) ? 0 : clock->paused || clock->ended ? -1 : PLAYING_MS;
}

/* Goes back to the start, from where the clock seeks to its position. */
static int restart_recording(struct player *player, pid_t pid, struct error *error)
{
    int code = engine_restart(player->engine, pid, error);
    if (code)
        return code;
    player->play.position_ns = 0;
    /* Read the records before the start, and the first sample. */
    long count = engine_drain(player->engine, 0);
    return count < 0 && count != -ENODATA ? (int)count : 0;
}

int player_pick(struct player *player, bool *quit, struct error *error)
{
    size_t count;
    const struct perfdata_process *list = engine_processes(player->engine, &count);
    *quit = false;
    if (!count || !engine_is_rereadable(player->engine)) {
        front_message(player->front, engine_names_are_recorded(player->engine)
                                         ? "misstop recorded only this process"
                                         : no_way_back);
        return 0;
    }
    pid_t pid = pick_process(front_pause(player->front), NULL, 0, list, count, error);
    int code = front_resume(player->front, error);
    *quit = pid == PICK_QUIT;
    if (code || (pid <= 0 && pid != PERFDATA_IDLE))
        return code || pid >= PICK_BACK ? code : (int)pid;
    code = restart_recording(player, pid, error);
    if (!code)
        start_clock(player);
    return code;
}

int player_pick_first(struct engine *engine, struct display *display, bool *quit,
                      struct error *error)
{
    size_t count;
    const struct perfdata_process *list = engine_processes(engine, &count);
    *quit = false;
    if (count < 2 || !engine_is_rereadable(engine))
        return 0;
    pid_t pid = pick_process(display, NULL, 0, list, count, error);
    *quit = pid == PICK_QUIT || pid == PICK_BACK;
    if (pid > 0 || pid == PERFDATA_IDLE)
        return engine_restart(engine, pid, error);
    return pid < PICK_BACK ? (int)pid : 0;
}

/* Returns true if the copy of the clock must go back, which a pipe cannot. */
static bool apply_play_request(struct play *clock, const struct request *request, double step_s,
                               bool *understood)
{
    uint64_t to_ns;
    *understood = true;
    if (request->kind == REQUEST_PLAY_PAUSE)
        return play_pause(clock, clock_now_ns());
    if (request->kind == REQUEST_PLAY_STEP)
        return play_step(clock, request->direction * step_s);
    *understood = play_parse(clock, request->name, &to_ns);
    return *understood && play_go(clock, to_ns);
}

bool player_act(struct player *player, const struct request *request, double step_s, int *code,
                struct error *error)
{
    struct play clock = player->play;
    bool understood;
    *code = 0;
    if (request->kind < REQUEST_PLAY_PAUSE || request->kind > REQUEST_PLAY_GO)
        return false;
    bool back = apply_play_request(&clock, request, step_s, &understood);
    if (!understood) {
        front_message(player->front, "not a time: 80, 1m20s, 1:20, 50%, +10, -10, end");
        return true;
    }
    if (back && !engine_is_rereadable(player->engine)) {
        front_message(player->front, no_way_back);
        return true;
    }
    player->play = clock;
    player->in_initial_pass &= request->kind == REQUEST_PLAY_PAUSE;
    engine_set_initial_pass(player->engine, player->in_initial_pass);
    if (back)
        *code = restart_recording(player, 0, error);
    draw_line(player);
    return true;
}
