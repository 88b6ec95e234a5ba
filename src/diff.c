/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "diff.h"

#include "pipeline.h"
#include "profile/profile.h"
#include "sample/perfdata.h"
#include "view/diff.h"
#include "view/report_file.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* One file. */
struct diff_input {
    const char *path;
    pid_t pid;        /* of a recording; 0: see comm */
    const char *comm; /* the program that the first run was of; NULL: this is the first */
};

struct sides {
    struct report *runs[2][DIFF_RUNS_MOST];
    struct diff_side side[2];
};

/* Of two recordings of several processes the same program is meant: `comm`, unless it is NULL or
 * nobody has that name. */
static int choose_process(struct pipeline *pipeline, const char *comm, struct error *error)
{
    size_t count;
    const struct perfdata_process *list = pipeline_processes(pipeline, &count);
    for (size_t i = 0; i < count && comm; i++)
        if (!strcmp(list[i].comm, comm))
            return i ? pipeline_restart(pipeline, list[i].pid, error) : 0;
    return 0;
}

static int open_replay(struct pipeline **pipeline, const struct diff_options *options,
                       const struct diff_input *run, struct error *error)
{
    struct pipeline_options wanted = {.pid = run->pid,
                                      .input = run->path,
                                      .symfs = options->symfs,
                                      .source = "auto",
                                      .whole_run = true,
                                      .ways = 2};
    int code = pipeline_open(pipeline, &wanted, error);
    return code || run->pid ? code : choose_process(*pipeline, run->comm, error);
}

/* What is read before its debugging information has no fields. */
static void wait_for_names(struct pipeline *pipeline, unsigned *patience_ms)
{
    enum { STEP_MS = 5 };
    const struct timespec step = {.tv_nsec = STEP_MS * 1000000};
    while (*patience_ms >= STEP_MS && pipeline_reading(pipeline)) {
        nanosleep(&step, NULL);
        *patience_ms -= STEP_MS;
    }
}

static int replay_until(struct pipeline *pipeline, uint64_t until_ns, const char *path,
                        struct error *error)
{
    long count;
    do
        count = pipeline_drain(pipeline, until_ns);
    while (count > 0);
    pipeline_tick(pipeline);
    return count >= 0 || count == -ENODATA
               ? 0
               : error_set(error, (int)count, "cannot read %s: %s", path, strerror((int)-count));
}

/* One of the equal parts of a recording, by smaller steps; the last goes to the end. */
static int replay_part(struct pipeline *pipeline, unsigned part, unsigned *patience_ms,
                       const char *path, struct error *error)
{
    enum { STEPS = 8 };
    uint64_t step_ns = pipeline_length_ns(pipeline) / (SNAPSHOT_HISTORY * STEPS);
    int code = 0;
    for (uint64_t step = 1; step <= STEPS && step_ns && !code; step++) {
        code = replay_until(pipeline, step_ns * (part * STEPS + step), path, error);
        wait_for_names(pipeline, patience_ms);
    }
    if (!code && part + 1 == SNAPSHOT_HISTORY)
        code = replay_until(pipeline, UINT64_MAX, path, error);
    return code;
}

/* In parts, because how shares wander between them tells how samples cluster. */
static int replay(struct report **report, const struct diff_options *options,
                  const struct diff_input *run, struct error *error)
{
    struct pipeline *pipeline = NULL;
    const struct snapshot *snapshot = NULL;
    unsigned patience_ms = 10000;
    int code = open_replay(&pipeline, options, run, error);
    for (unsigned part = 0; part < SNAPSHOT_HISTORY && !code; part++) {
        code = replay_part(pipeline, part, &patience_ms, run->path, error);
        snapshot_free(snapshot);
        snapshot = code ? NULL : pipeline_snapshot(pipeline, 0);
        if (!code && !snapshot)
            code = error_set(error, -ENOMEM, "out of memory for %s", run->path);
    }
    if (!code)
        code = report_of_snapshot(report, snapshot, run->path, error);
    snapshot_free(snapshot);
    pipeline_close(pipeline);
    return code;
}

static int read_run(struct report **report, const struct diff_options *options,
                    const struct diff_input *run, struct error *error)
{
    if (!strcmp(run->path, "-"))
        return error_set(error, -EINVAL,
                         "diff cannot take a pipe, for it looks into its files first; write it to "
                         "a file");
    if (report_file_is_json(run->path))
        return report_read(report, run->path, error);
    return replay(report, options, run, error);
}

/* "A1,A2,A3", unless there is a file of that very name. */
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
            return error_set(error, -EINVAL, "diff: a file's name is missing beside a comma");
        if (side->run_count == DIFF_RUNS_MOST)
            return error_set(error, -EINVAL, "diff takes at most %d runs a side", DIFF_RUNS_MOST);
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
