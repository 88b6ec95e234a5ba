/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "diff.h"

#include "base/clock.h"
#include "pipeline.h"
#include "profile/profile.h"
#include "view/diff.h"
#include "view/report_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct sides {
    struct report *runs[2][DIFF_RUNS_MOST];
    struct diff_side side[2];
};

static int open_replay(struct pipeline **pipeline, const struct diff_options *options,
                       const char *path, pid_t pid, struct error *error)
{
    struct pipeline_options wanted = {
        .pid = pid, .input = path, .symfs = options->symfs, .source = "auto", .ways = 2};
    return pipeline_open(pipeline, &wanted, error);
}

/* All of the records up to a time from the start. */
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

static int length_of(const struct diff_options *options, const char *path, pid_t pid,
                     uint64_t *length_ns, struct error *error)
{
    struct pipeline *pipeline = NULL;
    int code = open_replay(&pipeline, options, path, pid, error);
    if (!code)
        code = replay_until(pipeline, UINT64_MAX, path, error);
    const struct snapshot *snapshot = code ? NULL : pipeline_snapshot(pipeline, 0);
    if (!code && !snapshot)
        code = error_set(error, -ENOMEM, "out of memory for %s", path);
    if (snapshot)
        *length_ns = (uint64_t)(snapshot->elapsed_s * CLOCK_NS_PER_S);
    snapshot_free(snapshot);
    pipeline_close(pipeline);
    return code;
}

/* In equal parts of its length: how shares wander between them tells how samples cluster. So the
 * length has to be known before, and the recording is read twice. */
static int replay(struct report **report, const struct diff_options *options, const char *path,
                  pid_t pid, struct error *error)
{
    struct pipeline *pipeline = NULL;
    const struct snapshot *snapshot = NULL;
    struct request whole_run = {.kind = REQUEST_BASIS};
    uint64_t length_ns = 0;
    int code = length_of(options, path, pid, &length_ns, error);
    if (!code)
        code = open_replay(&pipeline, options, path, pid, error);
    if (!code)
        pipeline_request(pipeline, &whole_run);
    for (uint64_t part = 1; part <= SNAPSHOT_HISTORY && !code; part++) {
        uint64_t until = part < SNAPSHOT_HISTORY ? length_ns / SNAPSHOT_HISTORY * part : UINT64_MAX;
        code = replay_until(pipeline, until, path, error);
        snapshot_free(snapshot);
        snapshot = code ? NULL : pipeline_snapshot(pipeline, 0);
        if (!code && !snapshot)
            code = error_set(error, -ENOMEM, "out of memory for %s", path);
    }
    if (!code)
        code = report_of_snapshot(report, snapshot, path, error);
    snapshot_free(snapshot);
    pipeline_close(pipeline);
    return code;
}

static int read_run(struct report **report, const struct diff_options *options, const char *path,
                    pid_t pid, struct error *error)
{
    if (!strcmp(path, "-"))
        return error_set(error, -EINVAL,
                         "diff reads its files twice and cannot take a pipe; write "
                         "it to a file first");
    if (report_file_is_json(path))
        return report_read(report, path, error);
    return replay(report, options, path, pid, error);
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
        code = read_run(&sides->runs[index][side->run_count], options, path, options->pids[index],
                        error);
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
