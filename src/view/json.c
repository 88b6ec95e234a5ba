/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A snapshot as one line of JSON: the members CONTRACT.md fixes, and what else it holds. */
#include "view/json_part.h"
#include "view/view.h"

#include <errno.h>
#include <stdlib.h>

json_t *json_snapshot(const struct snapshot *snapshot)
{
    json_t *root = json_object();
    json_set(root, "version", json_integer(1));
    json_set(root, "iteration", json_whole(snapshot->iteration));
    json_set(root, "elapsed", json_share(snapshot->elapsed_s));
    json_set(root, "counted", json_share(snapshot->counted_s));
    json_set(root, "interval", json_share(snapshot->interval_s));
    json_set(root, "half_life", json_share(snapshot->half_life_s));
    json_set(root, "basis", json_text(snapshot->basis == BASIS_RUN ? "run" : "decayed"));
    json_set(root, "status", json_text(snapshot->status));
    json_set(root, "target", json_target(&snapshot->target));
    json_set(root, "source", json_source(&snapshot->source));
    if (snapshot->recording)
        json_set(root, "recording", json_recording(snapshot->recording));
    json_set(root, "stretch", json_stretch(snapshot->stretch));
    json_set(root, "simulation", json_simulation(&snapshot->simulation));
    if (snapshot->causes.told)
        json_set(root, "causes", json_all_causes(&snapshot->causes));
    json_set(root, "samples", json_samples(snapshot));
    json_set(root, "types", json_types(&snapshot->totals));
    json_set(root, "reading", json_reading(&snapshot->reading));
    json_set_levels(root, snapshot, snapshot->levels);
    json_set_rates(root, snapshot->rates);
    json_set_use(root, snapshot, &snapshot->uses.all);
    json_set(root, "objects", json_objects(snapshot));
    json_set(root, "objects_left_out", json_whole(snapshot->objects_left_out));
    json_set(root, "code", json_functions(snapshot, snapshot->code, snapshot->code_count));
    json_set(root, "matrix", json_matrix(snapshot));
    json_set(root, "sets", json_sets(snapshot));
    json_set(root, "search", json_search(&snapshot->search));
    json_set(root, "window", json_window(snapshot));
    json_set(root, "threads", json_threads(&snapshot->threads));
    json_set(root, "heap", json_heap(snapshot));
    json_set(root, "sharing", json_sharing(&snapshot->sharing));
    json_set(root, "phases", json_phases(snapshot));
    json_set(root, "findings", json_findings(&snapshot->findings));
    if (snapshot->reuse.told)
        json_set(root, "reuse", json_reuse(&snapshot->reuse));
    if (snapshot->watch.on)
        json_set(root, "watch", json_watchpoints(&snapshot->watch));
    json_set_whatif(root, &snapshot->whatif);
    if (!snapshot->source.live)
        json_set(root, "binaries", json_binaries(&snapshot->binaries));
    if (snapshot->refused.count)
        json_set(root, "not_opened", json_refused(&snapshot->refused));
    return root;
}

int json_line(FILE *out, json_t *root)
{
    enum { PRECISION = 15 };
    char *line = root ? json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(PRECISION)) : NULL;
    int code = 0;
    json_decref(root);
    if (!line)
        return -ENOMEM;
    errno = 0;
    if (fputs(line, out) == EOF || fputc('\n', out) == EOF || fflush(out) == EOF)
        code = errno ? -errno : -EIO;
    free(line);
    return code;
}

int json_print(FILE *out, const struct snapshot *snapshot)
{
    return json_line(out, json_snapshot(snapshot));
}
