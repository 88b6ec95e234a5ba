/* SPDX-License-Identifier: GPL-3.0-or-later */
/* misstop: top for cache misses. */
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config.h"
#include "base/clock.h"
#include "diff.h"
#include "engine/engine.h"
#include "player.h"
#include "export.h"
#include "terminal.h"
#include "launch.h"
#include "loop.h"
#include "options.h"
#include "resolve/heap/feed.h"
#include "resolve/resolver.h"
#include "resolve/process/memory_use.h"
#include "sample/sampler.h"
#include "view/words.h"
#include "view/view.h"

/* Lists missing binaries after a batch report. engine: NULL if never opened. */
static void report_missing_binaries(const struct options *options, const struct engine *engine)
{
    struct binary_desc list[BINARIES_SHOWN];
    if (!engine || !options->input || !options->batch)
        return;
    struct snapshot_binaries binaries = engine_binaries(engine, list);
    binary_report(stderr, &binaries);
}

/* Like strace, exits with the command's status, or kills itself by the same signal. */
static int exit_status_of_command(const struct launch *launch)
{
    if (WIFEXITED(launch->status))
        return WEXITSTATUS(launch->status);
    int number = WTERMSIG(launch->status);
    signal(number, SIG_DFL);
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    raise(number);
    return 128 + number;
}

static void report_simulation_trouble(const struct simulation *simulation)
{
    char text[320];
    simulation_trouble(simulation, text, sizeof text);
    if (text[0])
        fprintf(stderr, "misstop: --sim: %s\n", text);
}

/* Reports why the agent recorded no allocations, or stopped recording them. */
static void report_heap_trouble(const struct command *command)
{
    const char *why = NULL;
    if (command->feed && feed_state(command->feed, &why) == FEED_GAVE_UP)
        fprintf(stderr, "misstop: no allocations are recorded: %s\n", why);
}

/* Reports the file with the program's output while there was a screen; output "": it had the
 * terminal. Removes the file if the program was never started. */
static void report_program_output(const char *program, const char *output, bool started)
{
    if (output[0] && started)
        fprintf(stderr, "misstop: the output of %s is in %s\n", program, output);
    else if (output[0])
        unlink(output);
}

enum { EXIT_BAD_USAGE = 2 };

struct run {
    const struct options *options;
    struct display *display;
    struct engine *engine;
    struct front *front; /* thread that calls the three source functions below; NULL: none */
    struct launch launch;
    struct command command; /* the launched program */
    pid_t pid;
    const struct signal_dispositions *signals;
    FILE *output;   /* destination of reports */
    char input[32]; /* path to reread a recording from standard input; "": as given */
    bool started;   /* the program passed its gate */
};

static void print_error(const char *text)
{
    fprintf(stderr, "misstop: %s\n", text);
}

/* Restores the terminal if misstop crashes. */
static void on_fatal_signal(int number)
{
    static const char text[] = "misstop: fatal error; please report how to reproduce it\n";
    display_emergency_restore();
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        _exit(1);
    signal(number, SIG_DFL);
    raise(number);
}

static void catch_fatal_signals(void)
{
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS, SIGTRAP};
    /* SA_NODEFER, so that raise() in the handler kills the process at once. */
    struct sigaction action = {.sa_handler = on_fatal_signal,
                               .sa_flags = SA_RESETHAND | SA_NODEFER};
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        sigaction(fatal[i], &action, NULL);
}

/* Returns the engine, or NULL if the terminal's thread does not hold the stages. */
static struct engine *engine_if_available(const struct run *run)
{
    return run->front && !front_has_stages(run->front) ? NULL : run->engine;
}

/* Exits at once if the loop is busy, unless something must still be written or ended. */
static void leave_at_once(void *context)
{
    const struct run *run = context;
    const struct options *options = run->options;
    if (run->launch.pid || options->record || options->html || options->pprof)
        return;
    display_emergency_restore();
    _exit(0);
}

static bool source_instruction(void *context, uint64_t ip, char *out, size_t size)
{
    struct run *run = context;
    return engine_if_available(run) && engine_instruction(run->engine, ip, out, size);
}

static bool source_line(void *context, const char *file, uint32_t line, char *out, size_t size)
{
    struct run *run = context;
    return engine_if_available(run) && engine_source(run->engine, file, line, out, size);
}

static const char *source_note(void *context, const char *file)
{
    struct run *run = context;
    return engine_if_available(run) ? engine_source_note(run->engine, file) : NULL;
}

static int open_display(struct run *run, struct error *error)
{
    struct view_sources sources = {.context = run,
                                   .instruction = source_instruction,
                                   .source = source_line,
                                   .source_note = source_note};
    if (run->options->batch)
        return 0;
    int code = keyboard_take(error);
    if (code)
        return code;
    return display_open(&run->display, &run->options->view, &sources, error);
}

static unsigned threads_for_cpus(void)
{
    enum { MOST = 3 };
    cpu_set_t allowed;
    unsigned count =
        sched_getaffinity(0, sizeof allowed, &allowed) ? 1 : (unsigned)CPU_COUNT(&allowed);
    return count < MOST ? count : MOST;
}

/* Shows progress while a recording of gigabytes is scanned before the screen opens. */
struct scan_progress {
    const char *input;
    uint64_t begun_ns;
    bool shown;
};

static void show_progress(void *context, double share)
{
    enum { SOON_NS = 500000000 };
    struct scan_progress *looking = context;
    looking->shown |= clock_now_ns() - looking->begun_ns > SOON_NS;
    if (looking->shown)
        fprintf(stderr, "\rmisstop: looking through %s: %.0f%% ", looking->input, share * 100);
}

static int open_engine(struct run *run, struct error *error)
{
    const struct options *options = run->options;
    struct scan_progress looking = {.input = options->input, .begun_ns = clock_now_ns()};
    struct engine_options wanted = {
        .pid = options->input ? options->pid : run->pid,
        .launched = options->action == OPTIONS_LAUNCH,
        .input = run->input[0] ? run->input : options->input,
        .symfs = options->symfs,
        .debuginfod = options->debuginfod,
        .batch = options->batch,
        .keeps_no_past = options->batch && !options->time_range,
        .threads = options->threads ? options->threads : threads_for_cpus(),
        .progress = isatty(STDERR_FILENO) && !options->batch ? show_progress : NULL,
        .progress_context = &looking,
        .source = options->source,
        .events = options->events,
        .rate = options->rate,
        .period = options->period,
        .window = options->window,
        .half_life_s = options->half_life_s,
        .whole_run = options->input && isnan(options->pace) && !options->decays,
        .ways = options->ways,
        .cache =
            options->cache || !options->sim ? options->cache : run->command.simulation.first_level,
        .sim = options->sim ? &run->command.simulation.memory : NULL,
        .search = options->search,
        .what_if = options->what_if,
        .feed = run->command.feed,
        .walk = options->heap & OPTIONS_HEAP_WALK && !run->command.feed,
        .heap_note = run->command.heap_note.text[0] ? run->command.heap_note.text : NULL,
        .record = options->record,
        .record_limit_bytes = options->record_limit_bytes,
        .record_files = options->record_files,
        .watch = options->watch,
    };
    int code = engine_open(&run->engine, &wanted, error);
    if (looking.shown)
        fputs("\r\033[K", stderr);
    return code;
}

/* Finds the target, from the option, the list or the command. 0 with pid 0: the user quit. */
static int find_target(struct run *run, struct error *error)
{
    const struct options *options = run->options;
    if (options->action == OPTIONS_LAUNCH) {
        int code = command_open(&run->command, options, error);
        const struct launch_options wanted = {.command = run->command.argv,
                                              .is_redirected = !options->batch,
                                              .stdout_to_stderr =
                                                  options->batch && !options->output,
                                              .feed = run->command.feed,
                                              .signals = run->signals};
        if (!code)
            code = launch_prepare(&run->launch, &wanted, error);
        run->pid = run->launch.pid;
        return code;
    }
    run->pid = options->input ? 0 : options->pid;
    if (options->action == OPTIONS_PICK) {
        int code = open_display(run, error);
        run->pid = code ? 0 : pick_running(run->display, options->delay_s, error);
        if (code || run->pid <= 0)
            return code ? code : run->pid;
    }
    return run->pid ? resolver_check(run->pid, error) : 0;
}

/* Starts the program, unless the screen cannot open. */
static int start_program(struct run *run, struct error *error)
{
    int code = run->options->batch ? 0 : keyboard_check(error);
    run->started = !code;
    if (!code)
        code = launch_exec(&run->launch, run->options->command[0], error);
    if (!code && run->command.heap_note.text[0])
        fprintf(stderr, "misstop: no allocations are recorded: %s\n", run->command.heap_note.text);
    return code;
}

/* Called before the program is started: do not run it if the file cannot be written. */
static int open_output(struct run *run, struct error *error)
{
    const char *name = run->options->output;
    run->output = name ? fopen(name, "we") : stdout;
    return run->output ? 0 : error_set(error, -errno, "cannot write %s: %s", name, strerror(errno));
}

static int close_output(struct run *run, struct error *error)
{
    FILE *output = run->output;
    if (!output || output == stdout)
        return 0;
    return fclose(output) ? error_set(error, -EIO, "cannot write %s: %s", run->options->output,
                                      strerror(errno))
                          : 0;
}

static int run_session(struct run *run, struct error *error)
{
    const struct options *options = run->options;
    bool left = false;
    int code = engine_check_time_range(options->time_range, error);
    if (!code)
        code = export_check(options, error);
    if (!code)
        code = open_output(run, error);
    if (!code)
        code = find_target(run, error);
    if (code || (!run->pid && !run->options->input))
        return code;
    if (options->input && !strcmp(options->input, "-") && !options->batch)
        code = keyboard_leave(run->input, sizeof run->input, error);
    if (!code)
        code = open_engine(run, error);
    if (!code && run->launch.pid)
        code = start_program(run, error);
    /* The screen opens last, so that earlier errors appear on a normal terminal. */
    if (!code && !run->display)
        code = open_display(run, error);
    bool idled;
    bool follows = !code && engine_follows(run->engine, &idled);
    if (!code && run->display && options->input && !options->pid && !follows)
        code = player_pick_first(run->engine, run->display, &left, error);
    if (code || left)
        return code;
    const struct front_setup front = {.display = run->display,
                                      .view = &options->view,
                                      .force_quit = leave_at_once,
                                      .context = run};
    code = run->display ? front_start(&run->front, &front, error) : 0;
    const struct loop_setup setup = {.options = options,
                                     .engine = run->engine,
                                     .front = run->front,
                                     .output = run->output,
                                     .launch = run->launch.pid ? &run->launch : NULL,
                                     .pid = run->pid};
    if (!code)
        code = loop_run(&setup, error);
    front_stop(run->front);
    run->front = NULL;
    int written =
        export_write(options, run->engine, options->input ? 0 : run->pid, code ? NULL : error);
    return code ? code : written;
}

static int run_options(const struct options *options, const struct signal_dispositions *signals)
{
    struct error error = {0};
    struct run run = {
        .options = options, .signals = signals, .launch = {.gate = -1, .exec_error_fd = -1}};
    int code = run_session(&run, &error);
    bool own_end = launch_ended(&run.launch);
    if (run.display)
        display_close(run.display);
    report_missing_binaries(options, run.engine);
    if (run.engine && !code)
        code = engine_stop_recording(run.engine, &error);
    engine_close(run.engine);
    launch_fini(&run.launch);
    if (!code)
        code = close_output(&run, &error);
    if (run.started)
        report_heap_trouble(&run.command);
    if (run.started)
        report_simulation_trouble(&run.command.simulation);
    command_close(&run.command);
    if (options->action == OPTIONS_LAUNCH)
        report_program_output(options->command[0], run.launch.output, run.started);
    /* The reader of a pipe may close it early; this is not a failure. */
    if (code == -EPIPE)
        return 0;
    if (code)
        print_error(error.text);
    if (code == -EINVAL)
        return EXIT_BAD_USAGE;
    if (code)
        return EXIT_FAILURE;
    return own_end ? exit_status_of_command(&run.launch) : EXIT_SUCCESS;
}

/* Options before `diff` apply to it too, as far as it has them. */
static int run_diff(const struct options *options)
{
    struct error error = {0};
    struct diff_options wanted = {
        .symfs = options->symfs, .json = options->json, .view = options->view};
    int code = diff_options_parse(&wanted, options->command, &error);
    if (!code && wanted.help) {
        diff_help(stdout);
        return fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
    }
    if (!code)
        code = diff_run_command(&wanted, &error);
    if (code == -EPIPE)
        return EXIT_SUCCESS;
    if (code)
        print_error(error.text);
    return code == -EINVAL ? EXIT_BAD_USAGE : code ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int print_version(void)
{
    puts(PACKAGE_STRING "\n"
                        "Licence GPL-3.0-or-later: free software, no warranty.");
    return fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    struct options options;
    struct signal_dispositions signals;
    struct error error = {0};
    signals_note(&signals);
    setlocale(LC_ALL, "");
    /* Numbers are written for programs to parse, independent of the locale. */
    setlocale(LC_NUMERIC, "C");
    if (options_parse(&options, argc, argv, &error)) {
        print_error(error.text);
        return EXIT_BAD_USAGE;
    }
    catch_fatal_signals();
    signals_block();
    switch (options.action) {
    case OPTIONS_HELP:
        options_help(stdout);
        return fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
    case OPTIONS_VERSION:
        return print_version();
    case OPTIONS_DOCTOR:
        sampler_doctor(stdout);
        simulation_doctor(stdout);
        tlb_doctor(stdout);
        return fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
    case OPTIONS_DIFF:
        return run_diff(&options);
    default:
        return run_options(&options, &signals);
    }
}
