/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/settings.h"
#include "base/text.h"
#include "sample/perfdata/perfdata.h"

static const char *const source_names[] = {"auto", "pebs", "ibs", "counter", "clock", NULL};
#define DELAY_MIN_S 0.05
#define DELAY_MAX_S 86400

static int option_number(const char *text, const char *option, double low, double high,
                         uint64_t *value, struct error *error)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    if (end == text || *end || *text == '-' || errno || (double)*value < low ||
        (double)*value > high)
        return error_set(error, -EINVAL, "%s takes a whole number from %.0f to %.0f, not '%s'",
                         option, low, high, text);
    return 0;
}

static int option_seconds(const char *text, const char *option, double low, double high,
                          double *value, struct error *error)
{
    char *end;
    double parsed = strtod(text, &end);
    if (end == text || *end || !isfinite(parsed) || parsed < low || parsed > high)
        return error_set(error, -EINVAL, "%s takes seconds from %g to %g, not '%s'", option, low,
                         high, text);
    *value = parsed;
    return 0;
}

static int option_choice(const char *text, const char *option, const char *const *choices,
                         struct error *error)
{
    char list[128] = "";
    for (int i = 0; choices[i]; i++) {
        if (!strcmp(text, choices[i]))
            return i;
        text_append(list, sizeof list, "%s%s", i ? ", " : "", choices[i]);
    }
    return error_set(error, -EINVAL, "%s takes one of %s, not '%s'", option, list, text);
}

static int apply_option(const struct option_rule *rule, void *options, const char *text,
                        struct error *error)
{
    void *member = (char *)options + rule->member;
    char shown[32];
    uint64_t number = 0;
    int code = 0;
    snprintf(shown, sizeof shown, "-%s%.*s", rule->letter ? "" : "-", rule->letter ? 1 : 30,
             rule->letter ? &rule->letter : rule->name);
    switch (rule->kind) {
    case OPTION_FLAG:
        *(bool *)member = true;
        return 0;
    case OPTION_STOP:
        *(bool *)member = true;
        return 1;
    case OPTION_TEXT:
        *(const char **)member = text ? text : "";
        code = rule->choices ? option_choice(text, shown, rule->choices, error) : 0;
        return code < 0 ? code : 0;
    case OPTION_CHOICE:
        code = option_choice(text, shown, rule->choices, error);
        *(unsigned *)member = (unsigned)code;
        return code < 0 ? code : 0;
    case OPTION_SECONDS:
        return option_seconds(text, shown, rule->low, rule->high, member, error);
    case OPTION_U32:
        code = option_number(text, shown, rule->low, rule->high, &number, error);
        *(uint32_t *)member = (uint32_t)number;
        return code;
    case OPTION_U64:
        return option_number(text, shown, rule->low, rule->high, member, error);
    default:
        return rule->parse(options, text, error);
    }
}

int options_take(const struct option_rule *rules, void *options, char **words, const char *command,
                 struct error *error)
{
    enum { RULES_MAX = 63, LONG = 256 };
    struct option longs[RULES_MAX + 1] = {{0}};
    char letters[3 * RULES_MAX] = "";
    int count = 0;
    int code = 0;
    text_append(letters, sizeof letters, "%s", *command ? "" : "+");
    for (int i = 0; rules[i].name && i < RULES_MAX; i++) {
        bool alone = rules[i].kind == OPTION_FLAG || rules[i].kind == OPTION_STOP;
        longs[i] = (struct option){.name = rules[i].name,
                                   .has_arg = rules[i].optional ? optional_argument
                                              : alone           ? no_argument
                                                                : required_argument,
                                   .val = LONG + i};
        if (rules[i].letter)
            text_append(letters, sizeof letters, "%c%s", rules[i].letter, alone ? "" : ":");
    }
    while (words[count])
        count++;
    opterr = 0;
    optind = 0; /* reset getopt */
    while (!code) {
        int word = optind ? optind : 1;
        int option = getopt_long(count, words, letters, longs, NULL);
        if (option == -1)
            break;
        const struct option_rule *rule = option < LONG ? rules : &rules[option - LONG];
        while (option < LONG && rule->name && rule->letter != option)
            rule++;
        code =
            rule->name
                ? apply_option(rule, options, optarg, error)
                : error_set(error, -EINVAL,
                            "'%s' is not an option%s%s, or lacks its value; try misstop%s%s --help",
                            words[word], *command ? " of " : "", command, *command ? " " : "",
                            command);
    }
    return code;
}

/* Parses comma-separated words. */
static int option_heap(void *context, const char *text, struct error *error)
{
    static const struct {
        const char *word;
        unsigned value;
    } words[] = {{"auto", OPTIONS_HEAP_AUTO},
                 {"agent", OPTIONS_HEAP_AGENT},
                 {"walk", OPTIONS_HEAP_WALK},
                 {"none", 0}};
    struct options *options = context;
    const size_t count = sizeof words / sizeof *words;
    options->heap = 0;
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        size_t i = 0;
        while (i < count && (strlen(words[i].word) != length || strncmp(at, words[i].word, length)))
            i++;
        if (i == count)
            return error_set(
                error, -EINVAL,
                "--heap takes auto, agent, walk or none, separated by commas, not '%s'", text);
        options->heap |= words[i].value;
        at += length;
        if (!*at)
            return 0;
    }
}

static int option_pid(void *context, const char *text, struct error *error)
{
    struct options *options = context;
    uint64_t value;
    int code = option_number(text, "-p", 0, INT32_MAX, &value, error);
    options->pid = value ? (pid_t)value : PERFDATA_IDLE;
    return code;
}

/* Parses SIZE[,FILES]. */
static int option_record_limit(void *context, const char *text, struct error *error)
{
    static const char units[] = "KMG";
    enum { FILES_MAX = 1000 };
    struct options *options = context;
    char *end;
    uint64_t files = 0;
    unsigned long long size = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
    const char *unit = size && *end ? strchr(units, *end) : NULL;
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    options->record_limit_bytes = (uint64_t)size << shift;
    const char *rest = size ? end + (unit != NULL) : "";
    if (!size || options->record_limit_bytes >> shift != size || (*rest && *rest != ','))
        return error_set(error, -EINVAL,
                         "--record-limit takes SIZE or SIZE,FILES (500M, 1G,10), not '%s'", text);
    int code =
        *rest ? option_number(rest + 1, "FILES of --record-limit", 1, FILES_MAX, &files, error) : 0;
    options->record_files = (uint32_t)files;
    return code;
}

/* Parses PACE of --play; NULL means 1, "max" means INFINITY. */
static int option_pace(void *context, const char *text, struct error *error)
{
    struct options *options = context;
    char *end;
    options->pace = text ? strtod(text, &end) : 1;
    if (text && !strcmp(text, "max"))
        options->pace = INFINITY;
    else if (text && (end == text || *end || !(options->pace >= 0.125 && options->pace <= 1000)))
        return error_set(error, -EINVAL, "--play takes a pace from 0.125 to 1000, or max, not '%s'",
                         text);
    return 0;
}

/* Parses PERCENT of --watch as a fraction of 1; NULL means 1 %. */
static int option_watch(void *context, const char *text, struct error *error)
{
    static const double least = 0.01;
    static const double most = 50;
    struct options *options = context;
    char *end = NULL;
    double percent = text ? strtod(text, &end) : 1;
    if (text && (end == text || *end || !isfinite(percent) || percent < least || percent > most))
        return error_set(
            error, -EINVAL,
            "--watch takes a percentage of the process's time from %g to %g (--watch=2), not '%s'",
            least, most, text);
    options->watch = percent / 100;
    return 0;
}

static int option_whatif(void *context, const char *text, struct error *error)
{
    struct options *options = context;
    unsigned count = 0;
    while (options->what_if[count])
        count++;
    if (count == WHATIF_MAX)
        return error_set(error, -EINVAL, "--what-if %s: %d questions can be asked at a time", text,
                         WHATIF_MAX);
    options->what_if[count] = text;
    return 0;
}

const char *const options_colors[] = {"auto", "always", "never", NULL};

#define AT(kind_, member_) .kind = (kind_), .member = offsetof(struct options, member_)

static const struct option_rule rules[] = {
    {"pid", 'p', .parse = option_pid},
    {"input", 'i', AT(OPTION_TEXT, input)},
    {"record", 'o', AT(OPTION_TEXT, record)},
    {"record-limit", .parse = option_record_limit},
    {"source", 's', AT(OPTION_TEXT, source), .choices = source_names},
    {"event", 'e', AT(OPTION_TEXT, events)},
    {"rate", 'r', AT(OPTION_U32, rate), .low = 1, .high = 1000000},
    {"count", 'c', AT(OPTION_U64, period), .low = 1, .high = UINT64_C(1) << 40},
    {"delay", 'd', AT(OPTION_SECONDS, delay_s), .low = DELAY_MIN_S, .high = DELAY_MAX_S},
    {"iterations", 'n', AT(OPTION_U32, iterations), .low = 1, .high = UINT32_MAX},
    {"batch", 'b', AT(OPTION_FLAG, batch)},
    {"json", 'j', AT(OPTION_FLAG, json)},
    {"window", 'w', AT(OPTION_U32, window), .low = 16, .high = 1u << 24},
    {"half-life", 'H', AT(OPTION_SECONDS, half_life_s), .low = 0, .high = 1e6},
    {"ways", 'W', AT(OPTION_U32, ways), .low = 2, .high = 64},
    {"cache", 'C', AT(OPTION_TEXT, cache)},
    {"search", AT(OPTION_TEXT, search)},
    {"stretch", AT(OPTION_TEXT, time_range)},
    {"color", AT(OPTION_CHOICE, view.color), .choices = options_colors},
    {"ascii", AT(OPTION_FLAG, view.ascii)},
    {"symfs", AT(OPTION_TEXT, symfs)},
    {"sim", AT(OPTION_TEXT, sim), .optional = true},
    {"sim-from", AT(OPTION_TEXT, sim_from)},
    {"sim-to", AT(OPTION_TEXT, sim_to)},
    {"what-if", .parse = option_whatif},
    {"width", AT(OPTION_U32, view.width), .low = OPTIONS_NARROW, .high = OPTIONS_WIDE},
    {"heap", .parse = option_heap},
    {"help", 'h', AT(OPTION_STOP, help)},
    {"version", 'V', AT(OPTION_STOP, version)},
    {"play", .parse = option_pace, .optional = true},
    {"debuginfod", AT(OPTION_FLAG, debuginfod)},
    {"pprof", AT(OPTION_TEXT, pprof)},
    {"watch", .parse = option_watch, .optional = true},
    {"html", AT(OPTION_TEXT, html)},
    {"output", AT(OPTION_TEXT, output)},
    {"full", AT(OPTION_FLAG, view.full)},
    {"threads", AT(OPTION_U32, threads), .low = 1, .high = 64},
    {.name = NULL},
};

/* Checks options against the kind of run, and against each other. */
static int check_combination(const struct options *options, struct error *error)
{
    const char *urls = getenv("DEBUGINFOD_URLS");
    /* Report it now: later it would not be visible why nothing is downloaded. */
    if (options->debuginfod && (!urls || !*urls))
        return error_set(error, -EINVAL,
                         "--debuginfod: no servers are set; set DEBUGINFOD_URLS, on Debian to "
                         "https://debuginfod.debian.net");
    if (options->time_range && !options->batch && !options->input)
        return error_set(error, -EINVAL,
                         "--stretch applies to the last report of -b or -j, and to a recording "
                         "(-i); on the screen, 8 Phases selects one");
    if (options->sim && (options->action != OPTIONS_LAUNCH || strcmp(options->source, "auto")))
        return error_set(
            error, -EINVAL,
            "--sim is a separate source, for a program that misstop starts: misstop --sim -- CMD");
    if (options->sim && options->watch > 0)
        return error_set(error, -EINVAL,
                         "--sim and --watch exclude each other: a simulated program does not "
                         "access its data with normal timing");
    if (options->watch > 0 && options->input)
        return error_set(error, -EINVAL,
                         "--watch sets hardware watchpoints on a running process; give -p PID or a "
                         "command instead of -i");
    if (options->output && !options->batch)
        return error_set(error, -EINVAL, "--output applies to reports: add -b or -j");
    if (options->record_limit_bytes && !options->record)
        return error_set(error, -EINVAL,
                         "--record-limit applies to a recording: name it with -o FILE");
    return 0;
}

static int choose_action(struct options *options, int argc, char **argv, struct error *error)
{
    /* With a recording, -p selects one of its processes. */
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
    return check_combination(options, error);
}

/* Applies the settings of F2 unless an option was given. Ignores values it would reject. */
static void options_from_settings(struct options *options)
{
    struct settings settings;
    struct error ignored;
    char text[32];
    settings_load(&settings);
    if (!(options->delay_s > 0) && settings_get(&settings, "interval", text, sizeof text))
        option_seconds(text, "interval", DELAY_MIN_S, DELAY_MAX_S, &options->delay_s, &ignored);
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
                                .half_life_s = NAN,
                                .ways = 10,
                                .heap = OPTIONS_HEAP_AUTO};
    int code = options_take(rules, options, argv, "", error);
    options->action = options->help      ? OPTIONS_HELP
                      : options->version ? OPTIONS_VERSION
                                         : options->action;
    if (code)
        return code < 0 ? code : 0;
    options->batch |= options->json;
    options->decays = !isnan(options->half_life_s);
    options->half_life_s = options->decays ? options->half_life_s : 10;
    if (!options->sim && (options->sim_from || options->sim_to || options->what_if[0]))
        options->sim = "";
    options_from_settings(options);
    return choose_action(options, argc, argv, error);
}

void options_help(FILE *out)
{
    fputs("misstop: top for cache misses. Shows live which data a process misses on.\n"
          "\n"
          "  misstop [OPTION]... -p PID            watch a running process\n"
          "  misstop [OPTION]... [--] CMD [ARG]... start a program and watch it\n"
          "  misstop [OPTION]... -i FILE           replay a recording (perf.data)\n"
          "  misstop [OPTION]...                   pick a process from a list\n"
          "  misstop doctor                        what works here, and how to enable more\n"
          "  misstop diff [OPTION]... A B          compare recordings or reports\n"
          "\n"
          "Sampling\n"
          "  -p, --pid PID         process to watch, with all its threads\n"
          "  -s, --source NAME     auto, pebs, ibs, counter, clock (auto)\n"
          "  -e, --event LIST      l1-miss, l2-miss, mem-fill, stall, access, or one of\n"
          "                        libpfm4; separated by commas; the first one ranks;\n"
          "                        with -i, an event of the recording\n"
          "  -r, --rate N          samples per second of the ranking event (2000; fewer if\n"
          "                        that would slow the process)\n"
          "  -c, --count N         fixed period instead of a rate\n"
          "      --watch[=PERCENT] set hardware watchpoints on sampled lines, to see when\n"
          "                        and by which code they are accessed again, for at most\n"
          "                        PERCENT of the process's time (1)\n"
          "  -i, --input FILE      replay a perf.data file; with -p, only that process\n"
          "      --play[=PACE]     play it from the start; PACE 0.125 to 1000, or max (1)\n"
          "  -o, --record FILE     also write the samples to FILE (perf.data) and their\n"
          "                        objects and names to FILE.misstop; replay with -i FILE\n"
          "      --record-limit SIZE[,FILES]\n"
          "                        rename FILE to FILE.1 when it reaches SIZE (K, M, G);\n"
          "                        keep FILES in total (2)\n"
          "      --threads N       threads for a replay (number of CPUs, at most 3)\n"
          "      --symfs DIR       directory with the binaries of a recording, and sources\n"
          "Simulation\n"
          "      --sim[=SPEC]      run CMD under a simulated cache, on any machine;\n"
          "                        SPEC, joined by colons: levels as for -C (those of this\n"
          "                        machine), nocauses, nouse (faster), code (simulate\n"
          "                        instruction fetches), exact (follow all lines)\n"
          "      --sim-from FUNC   start counting at the first call of FUNC\n"
          "      --sim-to FUNC     stop counting when FUNC is called\n"
          "      --what-if OBJECT:QUESTION\n"
          "                        also count misses with OBJECT in another layout: never,\n"
          "                        split=FIELD, hot[=FIELD,...], order, pad[=N], align[=N],\n"
          "                        align-object[=N], arrays, pool; up to four times\n"
          "Tables\n"
          "  -w, --window N        entries of the decaying window (16384)\n"
          "  -H, --half-life SECS  half-life of sample weights (10); 0: no decay\n"
          "  -C, --cache SPEC      cache for the set map: L1, L2, L3, LEVEL=SIZE,WAYS,LINE\n"
          "  -W, --ways N          n of the n-way search (10)\n"
          "      --search WHAT     search all, START-END (hex) or an object by name\n"
          "      --stretch WHEN    report only a time range, START-END in seconds or\n"
          "                        phase=LETTER, at the end of -b or of a recording\n"
          "      --heap LIST       how to identify heap blocks: auto, agent (a library\n"
          "                        preloaded into CMD), walk (read from outside), none\n"
          "      --debuginfod      download debug information from the servers in\n"
          "                        DEBUGINFOD_URLS\n"
          "Output\n"
          "  -d, --delay SECS      refresh interval (1)\n"
          "  -n, --iterations N    stop after N refreshes\n"
          "  -b, --batch           print text, no screen: answer, findings, objects\n"
          "      --full            with -b: all tables\n"
          "  -j, --json            print one JSON object per refresh, one per line\n"
          "      --pprof FILE      also write the run as a profile for pprof\n"
          "      --output FILE     write reports to FILE (-b, -j); otherwise to standard\n"
          "                        output, and CMD's output to standard error\n"
          "      --html FILE       also write the run as a web page\n"
          "      --width N         width of batch text (the terminal's, or 100)\n"
          "      --color WHEN      auto, always, never\n"
          "      --ascii           no Unicode characters\n"
          "  -h, --help            this text\n"
          "  -V, --version         version and licence\n"
          "\n"
          "Exit status: 0 done, 1 failed while running, 2 wrong usage; with CMD, its own.\n"
          "? on the screen lists the keys. man misstop has the rest.\n",
          out);
}
