/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "diff.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/engine.h"
#include "options.h"
#include "profile/profile.h"
#include "sample/perfdata/perfdata.h"
#include "view/export/diff.h"

struct diff_input {
    const char *path;
    pid_t pid;        /* process of a recording; 0: selected by `comm` */
    const char *comm; /* program of the first run; NULL: this is the first run */
};

struct sides {
    struct report *runs[2][DIFF_RUNS_MAX];
    struct diff_side side[2];
};

/* If a recording has several processes, selects the one named `comm`; leaves the default if `comm`
 * is NULL or no process has that name. */
static int choose_process(struct engine *engine, const char *comm, struct error *error)
{
    size_t count;
    const struct perfdata_process *list = engine_processes(engine, &count);
    for (size_t i = 0; i < count && comm; i++)
        if (!strcmp(list[i].comm, comm))
            return i ? engine_restart(engine, list[i].pid, error) : 0;
    return 0;
}

static int open_replay(struct engine **engine, const struct diff_options *options,
                       const struct diff_input *run, struct error *error)
{
    struct engine_options wanted = {.pid = run->pid,
                                    .input = run->path,
                                    .symfs = options->symfs,
                                    .source = "auto",
                                    .whole_run = true,
                                    .ways = 2};
    int code = engine_open(engine, &wanted, error);
    return code || run->pid ? code : choose_process(*engine, run->comm, error);
}

/* Waits for debug information, because samples decoded before it is loaded have no fields. */
static void wait_for_names(struct engine *engine, unsigned *patience_ms)
{
    enum { STEP_MS = 5 };
    const struct timespec step = {.tv_nsec = STEP_MS * 1000000};
    while (*patience_ms >= STEP_MS && engine_loading(engine)) {
        nanosleep(&step, NULL);
        *patience_ms -= STEP_MS;
    }
}

static int replay_until(struct engine *engine, uint64_t until_ns, const char *path,
                        struct error *error)
{
    long count;
    do
        count = engine_drain(engine, until_ns);
    while (count > 0);
    engine_tick(engine);
    return count >= 0 || count == -ENODATA
               ? 0
               : error_set(error, (int)count, "cannot read %s: %s", path, strerror((int)-count));
}

/* Replays one of the equal parts in smaller steps; the last part continues to the end. */
static int replay_part(struct engine *engine, unsigned part, unsigned *patience_ms,
                       const char *path, struct error *error)
{
    enum { STEPS = 8 };
    uint64_t step_ns = engine_length_ns(engine) / (SNAPSHOT_HISTORY * STEPS);
    int code = 0;
    for (uint64_t step = 1; step <= STEPS && step_ns && !code; step++) {
        code = replay_until(engine, step_ns * (part * STEPS + step), path, error);
        wait_for_names(engine, patience_ms);
    }
    if (!code && part + 1 == SNAPSHOT_HISTORY)
        code = replay_until(engine, UINT64_MAX, path, error);
    return code;
}

/* Replays in parts, because the variation of shares between them shows how samples cluster. */
static int replay_run(struct report **report, const struct diff_options *options,
                      const struct diff_input *run, struct error *error)
{
    struct engine *engine = NULL;
    const struct snapshot *snapshot = NULL;
    unsigned patience_ms = 10000;
    int code = open_replay(&engine, options, run, error);
    for (unsigned part = 0; part < SNAPSHOT_HISTORY && !code; part++) {
        code = replay_part(engine, part, &patience_ms, run->path, error);
        snapshot_free(snapshot);
        snapshot = code ? NULL : engine_snapshot(engine, 0);
        if (!code && !snapshot)
            code = error_set(error, -ENOMEM, "out of memory for %s", run->path);
    }
    if (!code)
        code = report_of_snapshot(report, snapshot, run->path, error);
    snapshot_free(snapshot);
    engine_close(engine);
    return code;
}

static int read_run(struct report **report, const struct diff_options *options,
                    const struct diff_input *run, struct error *error)
{
    if (!strcmp(run->path, "-"))
        return error_set(
            error, -EINVAL,
            "diff cannot read a pipe, because it checks its files first; write it to a file");
    if (report_file_is_json(run->path))
        return report_read(report, run->path, error);
    return replay_run(report, options, run, error);
}

/* Reads the files "A1,A2,A3", unless a file has that exact name. */
static int read_side(struct sides *sides, const struct diff_options *options, int index,
                     struct error *error)
{
    char *rest = options->sides[index];
    struct diff_side *side = &sides->side[index];
    bool one = !access(rest, F_OK);
    int code = 0;
    side->runs = sides->runs[index];
    while (rest && !code) {
        char *path = one ? rest : strsep(&rest, ",");
        if (one)
            rest = NULL;
        if (!*path)
            return error_set(error, -EINVAL, "diff: a file name is missing next to a comma");
        if (side->run_count == DIFF_RUNS_MAX)
            return error_set(error, -EINVAL, "diff takes at most %d runs per side", DIFF_RUNS_MAX);
        struct diff_input run = {path, options->pids[index],
                                 sides->runs[0][0] ? sides->runs[0][0]->comm : NULL};
        code = read_run(&sides->runs[index][side->run_count], options, &run, error);
        side->run_count += !code;
    }
    return code;
}

int diff_run_command(const struct diff_options *options, struct error *error)
{
    struct sides sides = {0};
    struct diff *diff = NULL;
    int code = read_side(&sides, options, 0, error);
    if (!code)
        code = read_side(&sides, options, 1, error);
    if (!code)
        code = diff_new(&diff, &sides.side[0], &sides.side[1], error);
    if (!code) {
        code = options->json ? json_diff_print(stdout, diff, options->all)
                             : diff_print(stdout, diff, &options->view, options->all);
        if (code)
            error_set(error, code, "cannot print: %s", strerror(-code));
    }
    diff_free(diff);
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < sides.side[i].run_count; k++)
            report_free(sides.runs[i][k]);
    return code;
}

/* ---- arguments of `misstop diff` ---- */

void diff_help(FILE *out)
{
    fputs("misstop diff: which objects, fields and functions gained or lost between two sides.\n"
          "\n"
          "  misstop diff [OPTION]... A B\n"
          "  misstop diff [OPTION]... A1,A2,A3 B1,B2,B3     several runs per side\n"
          "\n"
          "A and B are recordings (as -i replays them) or saved reports (from key W, or -b -j;\n"
          "the last one in the file is used), or one of each.\n"
          "\n"
          "      --all             also list rows without a significant change\n"
          "  -j, --json            one JSON object\n"
          "  -p, --pid PID[,PID]   process of the recordings (of A, of B); default: the one\n"
          "                        with most samples\n"
          "      --symfs DIR       directory with the binaries of the recordings\n"
          "      --width N, --color WHEN, --ascii    as for misstop\n"
          "  -h, --help            this text\n"
          "\n"
          "Exit status: 0 compared, with or without differences; 1 a file cannot be read\n"
          "or the two cannot be compared; 2 wrong usage.\n",
          out);
}

static int parse_pids(void *context, const char *text, struct error *error)
{
    struct diff_options *options = context;
    char *end;
    long first = strtol(text, &end, 10);
    long second = *end == ',' ? strtol(end + 1, &end, 10) : first;
    if (*end || first < 1 || first > INT_MAX || second < 1 || second > INT_MAX)
        return error_set(
            error, -EINVAL,
            "diff -p takes one PID, or a PID of A and one of B separated by a comma, not '%s'",
            text);
    options->pids[0] = (pid_t)first;
    options->pids[1] = (pid_t)second;
    return 0;
}

#define AT(kind_, member_) .kind = (kind_), .member = offsetof(struct diff_options, member_)

static const struct option_rule rules[] = {
    {"pid", 'p', .parse = parse_pids},
    {"json", 'j', AT(OPTION_FLAG, json)},
    {"batch", 'b', AT(OPTION_FLAG, batch)},
    {"all", AT(OPTION_FLAG, all)},
    {"symfs", AT(OPTION_TEXT, symfs)},
    {"width", AT(OPTION_U32, view.width), .low = OPTIONS_NARROW, .high = OPTIONS_WIDE},
    {"color", AT(OPTION_CHOICE, view.color), .choices = options_colors},
    {"ascii", AT(OPTION_FLAG, view.ascii)},
    {"help", 'h', AT(OPTION_STOP, help)},
    {.name = NULL},
};

int diff_options_parse(struct diff_options *options, char **words, struct error *error)
{
    int code = options_take(rules, options, words, "diff", error);
    if (code)
        return code < 0 ? code : 0;
    if (!words[optind] || !words[optind + 1] || words[optind + 2])
        return error_set(error, -EINVAL,
                         "diff takes two recordings or reports, A and B; separate several files of "
                         "one side with commas; try misstop diff --help");
    options->sides[0] = words[optind];
    options->sides[1] = words[optind + 1];
    return 0;
}
