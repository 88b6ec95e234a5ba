/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "options.h"

#include "option_value.h"
#include "sample/perfdata.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum long_only {
    OPT_SEARCH = 256,
    OPT_COLOR,
    OPT_ASCII,
    OPT_SYMFS,
    OPT_WIDTH,
    OPT_HEAP,
    OPT_DEBUGINFOD,
    OPT_PPROF,
    OPT_HTML,
    OPT_RECORD_LIMIT,
    OPT_PLAY,
    OPT_STRETCH,
    OPT_SIM,
    OPT_SIM_FROM,
    OPT_SIM_TO,
    OPT_WHAT_IF,
    OPT_WATCH,
    OPT_OUTPUT
};

static const char short_options[] = "+p:i:o:s:e:r:c:d:n:bjw:H:W:C:hV";

static const struct option long_options[] = {
    {"pid", required_argument, NULL, 'p'},
    {"input", required_argument, NULL, 'i'},
    {"record", required_argument, NULL, 'o'},
    {"record-limit", required_argument, NULL, OPT_RECORD_LIMIT},
    {"source", required_argument, NULL, 's'},
    {"event", required_argument, NULL, 'e'},
    {"rate", required_argument, NULL, 'r'},
    {"count", required_argument, NULL, 'c'},
    {"delay", required_argument, NULL, 'd'},
    {"iterations", required_argument, NULL, 'n'},
    {"batch", no_argument, NULL, 'b'},
    {"json", no_argument, NULL, 'j'},
    {"window", required_argument, NULL, 'w'},
    {"half-life", required_argument, NULL, 'H'},
    {"ways", required_argument, NULL, 'W'},
    {"cache", required_argument, NULL, 'C'},
    {"search", required_argument, NULL, OPT_SEARCH},
    {"stretch", required_argument, NULL, OPT_STRETCH},
    {"color", required_argument, NULL, OPT_COLOR},
    {"ascii", no_argument, NULL, OPT_ASCII},
    {"symfs", required_argument, NULL, OPT_SYMFS},
    {"sim", optional_argument, NULL, OPT_SIM},
    {"sim-from", required_argument, NULL, OPT_SIM_FROM},
    {"sim-to", required_argument, NULL, OPT_SIM_TO},
    {"what-if", required_argument, NULL, OPT_WHAT_IF},
    {"width", required_argument, NULL, OPT_WIDTH},
    {"heap", required_argument, NULL, OPT_HEAP},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {"play", optional_argument, NULL, OPT_PLAY},
    {"debuginfod", no_argument, NULL, OPT_DEBUGINFOD},
    {"pprof", required_argument, NULL, OPT_PPROF},
    {"watch", optional_argument, NULL, OPT_WATCH},
    {"html", required_argument, NULL, OPT_HTML},
    {"output", required_argument, NULL, OPT_OUTPUT},
    {NULL, 0, NULL, 0},
};

static int parse_sampling(struct options *options, int option, const char *text,
                          struct error *error)
{
    static const char *const sources[] = {"auto", "pebs", "ibs", "counter", "clock", NULL};
    switch (option) {
    case 'p':
        return option_pid(text, &options->pid, error);
    case 's':
        options->source = text;
        return option_choice(text, "-s", sources, error) < 0 ? -EINVAL : 0;
    case 'e':
        options->events = text;
        return 0;
    case 'r':
        return option_u32(text, "-r", 1, 1000000, &options->rate, error);
    case 'c':
        return option_unsigned(text, "-c", 1, UINT64_C(1) << 40, &options->period, error);
    case 'i':
        options->input = text;
        return 0;
    case 'o':
        options->record = text;
        return 0;
    case OPT_RECORD_LIMIT:
        return option_record_limit(text, options, error);
    case OPT_WATCH:
        return option_watch(text, &options->watch, error);
    default:
        options->symfs = text;
        return 0;
    }
}

static int add_question(struct options *options, const char *text, struct error *error)
{
    unsigned count = 0;
    while (options->what_if[count])
        count++;
    if (count == WHATIF_MAX)
        return error_set(error, -EINVAL, "--what-if %s: %d questions can be asked at a time", text,
                         WHATIF_MAX);
    options->what_if[count] = text;
    return 0;
}

static int parse_simulation(struct options *options, int option, const char *text,
                            struct error *error)
{
    if (option == OPT_SIM_FROM)
        options->sim_from = text;
    else if (option == OPT_SIM_TO)
        options->sim_to = text;
    if (option == OPT_SIM || !options->sim)
        options->sim = option == OPT_SIM && text ? text : "";
    return option == OPT_WHAT_IF ? add_question(options, text, error) : 0;
}

/* Told now: later nobody would see why nothing is fetched. */
static int want_debuginfod(struct options *options, struct error *error)
{
    const char *urls = getenv("DEBUGINFOD_URLS");
    options->debuginfod = true;
    if (urls && *urls)
        return 0;
    return error_set(error, -EINVAL,
                     "--debuginfod: no servers are named; set DEBUGINFOD_URLS, on Debian to "
                     "https://debuginfod.debian.net");
}

static int parse_tables(struct options *options, int option, const char *text, struct error *error)
{
    switch (option) {
    case 'w':
        return option_u32(text, "-w", 16, 1u << 24, &options->window, error);
    case 'H':
        options->decays = true;
        return option_seconds(text, "-H", 0, 1e6, &options->half_life_s, error);
    case 'W':
        return option_u32(text, "-W", 2, 64, &options->ways, error);
    case 'C':
        options->cache = text;
        return 0;
    case OPT_DEBUGINFOD:
        return want_debuginfod(options, error);
    default:
        options->search = text;
        return 0;
    }
}

static int parse_output(struct options *options, int option, const char *text, struct error *error)
{
    static const char *const colors[] = {"auto", "always", "never", NULL};
    int code;
    switch (option) {
    case 'd':
        options->delay_given = true;
        return option_seconds(text, "-d", 0.05, 86400, &options->delay_s, error);
    case 'n':
        return option_u32(text, "-n", 1, UINT32_MAX, &options->iterations, error);
    case 'j':
        options->json = true;
        /* fall through */
    case 'b':
        options->batch = true;
        return 0;
    case OPT_ASCII:
        options->view.ascii = true;
        return 0;
    case OPT_PPROF:
        options->pprof = text;
        return 0;
    case OPT_OUTPUT:
        options->output = text;
        return 0;
    case OPT_HTML:
        options->html = text;
        return 0;
    case OPT_PLAY:
        return option_pace(text, &options->pace, error);
    case OPT_STRETCH:
        options->stretch = text;
        return 0;
    case OPT_HEAP:
        return option_heap(text, &options->heap, error);
    case OPT_WIDTH:
        return option_u32(text, "--width", 40, 1000, &options->view.width, error);
    default:
        code = option_choice(text, "--color", colors, error);
        if (code >= 0)
            options->view.color = (enum view_color)code;
        return code < 0 ? code : 0;
    }
}

/* Long-only options have numbers that strchr() would cut to a byte. */
static bool one_of(const char *letters, int option)
{
    return option < OPT_SEARCH && strchr(letters, option);
}

static int parse_one(struct options *options, int option, const char *text, struct error *error)
{
    if (option == 'h' || option == 'V') {
        options->action = option == 'h' ? OPTIONS_HELP : OPTIONS_VERSION;
        return 0;
    }
    if (option >= OPT_SIM && option <= OPT_WHAT_IF)
        return parse_simulation(options, option, text, error);
    if (option == OPT_SYMFS || option == OPT_RECORD_LIMIT || option == OPT_WATCH ||
        one_of("psercio", option))
        return parse_sampling(options, option, text, error);
    if (option == OPT_SEARCH || option == OPT_DEBUGINFOD || one_of("wHWC", option))
        return parse_tables(options, option, text, error);
    return parse_output(options, option, text, error);
}

static int bad_option(const char *word, struct error *error)
{
    return error_set(error, -EINVAL, "'%s' is no option, or lacks its value; try misstop --help",
                     word);
}

/* What goes with the kind of run, and with each other. */
static int check_together(const struct options *options, struct error *error)
{
    if (options->stretch && !options->batch && !options->input)
        return error_set(error, -EINVAL,
                         "--stretch is for the last report of -b or -j, and for a recording (-i); "
                         "on the screen, key 0 selects one");
    if (options->sim && (options->action != OPTIONS_LAUNCH || strcmp(options->source, "auto")))
        return error_set(error, -EINVAL,
                         "--sim is a source of its own, for a program that misstop starts: "
                         "misstop --sim -- CMD");
    if (options->sim && options->watch > 0)
        return error_set(error, -EINVAL,
                         "--sim and --watch exclude each other: a simulated program does not touch "
                         "its data as it would alone");
    if (options->watch > 0 && options->input)
        return error_set(error, -EINVAL,
                         "--watch sets hardware watchpoints on a running process; give -p PID or a "
                         "command instead of -i");
    if (options->output && !options->batch)
        return error_set(error, -EINVAL, "--output is for reports: add -b or -j");
    if (options->record_limit_bytes && !options->record)
        return error_set(error, -EINVAL, "--record-limit is for a recording: name it with -o FILE");
    return 0;
}

/* One target, and which kind of run it makes. */
static int choose_action(struct options *options, int argc, char **argv, struct error *error)
{
    /* With a recording, -p says which process of it. */
    bool process = options->pid && !options->input;
    if (process && options->pid == PERFDATA_IDLE)
        return error_set(error, -EINVAL,
                         "-p 0 is the kernel's idle task: only a recording can show it (-i FILE)");
    int targets = process + (options->input != NULL) + (optind < argc);
    if (targets > 1)
        return error_set(error, -EINVAL, "give one of -p PID, -i FILE and a command, not several");
    if (optind < argc && !strcmp(argv[optind], "doctor") && strcmp(argv[optind - 1], "--"))
        options->action = OPTIONS_DOCTOR;
    else if (optind < argc && !strcmp(argv[optind], "diff") && strcmp(argv[optind - 1], "--"))
        options->action = OPTIONS_DIFF;
    else if (optind < argc)
        options->action = OPTIONS_LAUNCH;
    else if (process)
        options->action = OPTIONS_ATTACH;
    else if (options->input)
        options->action = OPTIONS_REPLAY;
    options->command = argv + optind;
    return check_together(options, error);
}

int options_parse(struct options *options, int argc, char **argv, struct error *error)
{
    *options = (struct options){.action = OPTIONS_PICK,
                                .source = "auto",
                                .rate = 2000,
                                .delay_s = 1,
                                .pace = NAN,
                                .half_life_s = 10,
                                .ways = 10,
                                .heap = OPTIONS_HEAP_AUTO};
    opterr = 0;
    optind = 1;
    for (;;) {
        int word = optind;
        int option = getopt_long(argc, argv, short_options, long_options, NULL);
        if (option == -1)
            break;
        if (option == '?')
            return bad_option(argv[word], error);
        int code = parse_one(options, option, optarg, error);
        if (code)
            return code;
        if (options->action != OPTIONS_PICK)
            return 0;
    }
    return choose_action(options, argc, argv, error);
}
