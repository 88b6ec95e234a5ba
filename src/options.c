/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/settings.h"
#include "sample/perfdata/perfdata.h"

static int option_unsigned(const char *text, const char *option, uint64_t low, uint64_t high,
                           uint64_t *value, struct error *error)
{
    char *end;
    errno = 0;
    unsigned long long parsed = strtoull(text, &end, 10);
    if (end == text || *end || *text == '-' || errno || parsed < low || parsed > high)
        return error_set(error, -EINVAL, "%s wants a whole number from %llu to %llu, not '%s'",
                         option, (unsigned long long)low, (unsigned long long)high, text);
    *value = parsed;
    return 0;
}

static const char *const source_names[] = {"auto", "pebs", "ibs", "counter", "clock", NULL};
static const double delay_least_s = 0.05;
static const double delay_most_s = 86400;

/* Words with commas between. */
static int option_heap(const char *text, unsigned *heap, struct error *error)
{
    static const struct {
        const char *word;
        unsigned value;
    } words[] = {{"auto", OPTIONS_HEAP_AUTO},
                 {"agent", OPTIONS_HEAP_AGENT},
                 {"walk", OPTIONS_HEAP_WALK},
                 {"none", 0}};
    const size_t count = sizeof words / sizeof *words;
    *heap = 0;
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        size_t i = 0;
        while (i < count && (strlen(words[i].word) != length || strncmp(at, words[i].word, length)))
            i++;
        if (i == count)
            return error_set(error, -EINVAL,
                             "--heap wants auto, agent, walk or none, with commas, not '%s'", text);
        *heap |= words[i].value;
        at += length;
        if (!*at)
            return 0;
    }
}

static int option_seconds(const char *text, const char *option, double low, double high,
                          double *value, struct error *error)
{
    char *end;
    double parsed = strtod(text, &end);
    if (end == text || *end || !isfinite(parsed) || parsed < low || parsed > high)
        return error_set(error, -EINVAL, "%s wants seconds from %g to %g, not '%s'", option, low,
                         high, text);
    *value = parsed;
    return 0;
}

static int option_u32(const char *text, const char *option, uint64_t low, uint64_t high,
                      uint32_t *value, struct error *error)
{
    uint64_t wide;
    int code = option_unsigned(text, option, low, high, &wide, error);
    if (!code)
        *value = (uint32_t)wide;
    return code;
}

/* The index of one of several words, ended by NULL. */
static int option_choice(const char *text, const char *option, const char *const *choices,
                         struct error *error)
{
    char list[128] = "";
    for (int i = 0; choices[i]; i++) {
        if (!strcmp(text, choices[i]))
            return i;
        strncat(list, i ? ", " : "", sizeof list - strlen(list) - 1);
        strncat(list, choices[i], sizeof list - strlen(list) - 1);
    }
    return error_set(error, -EINVAL, "%s takes one of %s, not '%s'", option, list, text);
}

static int option_pid(const char *text, pid_t *pid, struct error *error)
{
    uint64_t value;
    int code = option_unsigned(text, "-p", 0, INT32_MAX, &value, error);
    if (!code)
        *pid = value ? (pid_t)value : PERFDATA_IDLE;
    return code;
}

/* SIZE[,FILES] */
static int option_record_limit(const char *text, struct options *options, struct error *error)
{
    static const char units[] = "KMG";
    enum { FILES_MAX = 1000 };
    char *end;
    unsigned long long size = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
    const char *unit = size && *end ? strchr(units, *end) : NULL;
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    options->record_files = 0;
    options->record_limit_bytes = (uint64_t)size << shift;
    const char *rest = size ? end + (unit != NULL) : "";
    if (!size || options->record_limit_bytes >> shift != size || (*rest && *rest != ','))
        return error_set(error, -EINVAL,
                         "--record-limit wants SIZE or SIZE,FILES, as 500M or 1G,10, not '%s'",
                         text);
    return *rest ? option_u32(rest + 1, "FILES of --record-limit", 1, FILES_MAX,
                              &options->record_files, error)
                 : 0;
}

/* PACE of --play: NULL is 1, max is INFINITY. */
static int option_pace(const char *text, double *pace, struct error *error)
{
    char *end;
    *pace = text ? strtod(text, &end) : 1;
    if (text && !strcmp(text, "max"))
        *pace = INFINITY;
    else if (text && (end == text || *end || !(*pace >= 0.125 && *pace <= 1000)))
        return error_set(error, -EINVAL, "--play wants a pace from 0.125 to 1000, or max, not '%s'",
                         text);
    return 0;
}

/* PERCENT of --watch, as a part of 1: NULL is 1 %. */
static int option_watch(const char *text, double *part, struct error *error)
{
    static const double least = 0.01;
    static const double most = 50;
    char *end = NULL;
    double percent = text ? strtod(text, &end) : 1;
    if (text && (end == text || *end || !isfinite(percent) || percent < least || percent > most))
        return error_set(error, -EINVAL,
                         "--watch wants a percentage of the process's time from %g to %g, as "
                         "--watch=2, not '%s'",
                         least, most, text);
    *part = percent / 100;
    return 0;
}

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
    OPT_TIME_RANGE,
    OPT_SIM,
    OPT_SIM_FROM,
    OPT_SIM_TO,
    OPT_WHAT_IF,
    OPT_WATCH,
    OPT_OUTPUT,
    OPT_FULL,
    OPT_THREADS
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
    {"stretch", required_argument, NULL, OPT_TIME_RANGE},
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
    {"full", no_argument, NULL, OPT_FULL},
    {"threads", required_argument, NULL, OPT_THREADS},
    {NULL, 0, NULL, 0},
};

static int parse_sampling(struct options *options, int option, const char *text,
                          struct error *error)
{
    switch (option) {
    case 'p':
        return option_pid(text, &options->pid, error);
    case 's':
        options->source = text;
        return option_choice(text, "-s", source_names, error) < 0 ? -EINVAL : 0;
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
    case OPT_THREADS:
        return option_u32(text, "--threads", 1, 64, &options->threads, error);
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

/* Reported now: later the reason why nothing is fetched would not be visible. */
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
        return option_seconds(text, "-d", delay_least_s, delay_most_s, &options->delay_s, error);
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
    case OPT_TIME_RANGE:
        options->time_range = text;
        return 0;
    case OPT_FULL:
        options->view.full = true;
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
        option == OPT_THREADS || one_of("psercio", option))
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

/* Checks options against the kind of run, and against each other. */
static int check_together(const struct options *options, struct error *error)
{
    if (options->time_range && !options->batch && !options->input)
        return error_set(error, -EINVAL,
                         "--stretch is for the last report of -b or -j, and for a recording (-i); "
                         "on the screen, 8 Phases selects one");
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

/* Of F2, where no option was given. A value that no option would take is ignored. */
static void options_from_settings(struct options *options)
{
    struct settings settings;
    struct error ignored;
    char text[32];
    settings_load(&settings);
    if (!(options->delay_s > 0) && settings_get(&settings, "interval", text, sizeof text))
        option_seconds(text, "interval", delay_least_s, delay_most_s, &options->delay_s, &ignored);
    if (!options->source && !options->sim && !options->input &&
        settings_get(&settings, "source", text, sizeof text))
        for (const char *const *name = source_names; *name; name++)
            if (!strcmp(text, *name))
                options->source = *name;
    settings_free(&settings);
    if (!(options->delay_s > 0))
        options->delay_s = 1;
    if (!options->source)
        options->source = "auto";
}

int options_parse(struct options *options, int argc, char **argv, struct error *error)
{
    *options = (struct options){.action = OPTIONS_PICK,
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
    options_from_settings(options);
    return choose_action(options, argc, argv, error);
}

void options_help(FILE *out)
{
    fputs(
        "misstop: top for cache misses. Shows live which data a process misses on.\n"
        "\n"
        "  misstop [OPTION]... -p PID            watch a running process\n"
        "  misstop [OPTION]... [--] CMD [ARG]... start a program and watch it\n"
        "  misstop [OPTION]... -i FILE           replay a recording (perf.data)\n"
        "  misstop [OPTION]...                   pick a process from a list\n"
        "  misstop doctor                        what can be sampled here, how to enable more\n"
        "  misstop diff [OPTION]... A B          compare recordings or reports (diff --help)\n"
        "\n"
        "Sampling\n"
        "  -p, --pid PID         process to watch: all its threads, new ones included\n"
        "  -s, --source NAME     auto, pebs, ibs, counter, clock (auto)\n"
        "  -e, --event LIST      l1-miss, l2-miss, mem-fill, stall, access, or any libpfm4\n"
        "                        event; several with commas; the first one ranks; with -i\n"
        "                        an event of the recording\n"
        "  -r, --rate N          wanted samples per second of the ranking event (2000;\n"
        "                        less where that would slow the process)\n"
        "  -c, --count N         fixed period instead of a rate\n"
        "      --watch[=PERCENT]     set hardware watchpoints on sampled lines: when and by whom "
        "they\n"
        "                        are touched again; PERCENT of the process's time for it (1)\n"
        "  -i, --input FILE      replay a perf.data file, whole; with -p, that process of it\n"
        "      --play[=PACE]     play it from its start; PACE 0.125 to 1000, or max (1)\n"
        "  -o, --record FILE     also write the samples to FILE, a perf.data, and their places\n"
        "                        and names to FILE.misstop; look at them with -i FILE\n"
        "      --record-limit SIZE[,FILES]\n"
        "                        a FILE that has SIZE (K, M, G) is moved to FILE.1 and begun\n"
        "                        anew; FILES are kept in all (2)\n"
        "      --threads N       of a replay; the result is the same (the CPUs, at most 3)\n"
        "      --symfs DIR       where the binaries of a recording, and their sources, are\n"
        "Simulation\n"
        "      --sim[=SPEC]      run CMD under a simulated cache: every miss, on any machine;\n"
        "                        SPEC: levels as of -C (this machine's), nocauses, nouse\n"
        "                        to be faster without why, code to fetch instructions\n"
        "                        too, exact to follow all lines, joined by colons\n"
        "      --sim-from FUNC   count from the first call of FUNC on\n"
        "      --sim-to FUNC     ... until FUNC is called\n"
        "      --what-if OBJECT:QUESTION\n"
        "                        beside it, misses with OBJECT in another layout: never (missed),\n"
        "                        split=FIELD, hot[=FIELD,...], order, pad[=N], align[=N],\n"
        "                        align-object[=N], arrays, pool; up to four times\n"
        "Tables\n"
        "  -w, --window N        entries of the decaying window (16384)\n"
        "  -H, --half-life SECS  decay of the displayed weights (10); 0: count everything\n"
        "  -C, --cache SPEC      cache for the set map: L1, L2, L3 or LEVEL=SIZE,WAYS,LINE\n"
        "  -W, --ways N          n of the n-way search (10)\n"
        "      --search WHAT     start a search on all, START-END (hex) or an object's name\n"
        "      --stretch WHEN    show a time range alone, START-END in seconds or\n"
        "                        phase=LETTER: in the last report of -b, or of a recording\n"
        "      --heap LIST       how heap blocks are known: auto, agent (a library preloaded\n"
        "                        into CMD reports them), walk (read from outside), none\n"
        "      --debuginfod      fetch debug information from the servers that\n"
        "                        DEBUGINFOD_URLS names\n"
        "Output\n"
        "  -d, --delay SECS      refresh interval (1)\n"
        "  -n, --iterations N    stop after N refreshes\n"
        "  -b, --batch           print instead of the screen: the answer, findings, objects\n"
        "      --full            with -b: every table\n"
        "  -j, --json            print one JSON object per refresh, one a line\n"
        "      --pprof FILE      also write the run as a profile that pprof reads\n"
        "      --output FILE     reports of -b and -j go to FILE; without it to standard output,\n"
        "                        and the output of CMD then to standard error\n"
        "      --html FILE       also write the run as one page for a browser\n"
        "      --width N         columns of batch text (the terminal's, or 100)\n"
        "      --color WHEN      auto, always, never\n"
        "      --ascii           no Unicode characters\n"
        "  -h, --help            this text\n"
        "  -V, --version         version and licence\n"
        "\n"
        "Exit status: 0 done, 1 failed while running, 2 bad usage; with CMD, its own.\n"
        "The keys are listed by ? in the screen. The rest is in man misstop.\n",
        out);
}
