/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON to a report: the words of json*.c read back; declared in report.h. */
#include "view/report.h"

#include "base/text.h"
#include "view/json_part.h"
#include "view/json_report_part.h"
#include "view/report_file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MOST = 4096 };

static const double objects_listed = 0.001;

json_t *report_member(const json_t *from, const char *path)
{
    char name[64];
    json_t *at = (json_t *)(uintptr_t)from;
    for (const char *dot; at && *path; path = dot + (*dot == '.')) {
        dot = strchrnul(path, '.');
        snprintf(name, sizeof name, "%.*s", (int)(dot - path), path);
        at = json_object_get(at, name);
    }
    return at;
}

double report_number(const json_t *from, const char *path)
{
    const json_t *value = report_member(from, path);
    double parsed = json_is_number(value) ? json_number_value(value) : NAN;
    return isfinite(parsed) && parsed >= 0 ? parsed : NAN;
}

const char *report_text(struct report *report, const json_t *from, const char *path)
{
    char clean[TEXT_MOST];
    const char *value = json_string_value(report_member(from, path));
    if (!value)
        return "";
    text_sanitise(clean, sizeof clean, value, strlen(value));
    const char *kept = arena_string(&report->arena, clean);
    return kept ? kept : "";
}

/* Of the event whose name says so, as far as it was counted. */
static double instructions_of(const json_t *events)
{
    size_t i;
    json_t *from;
    json_array_foreach(events, i, from)
    {
        const char *name = json_string_value(json_object_get(from, "name"));
        if (name && strcasestr(name, "instructions"))
            return report_number(from, "events");
    }
    return NAN;
}

/* A weight fades to half in a half-life: a steady stream adds up to that of half-life / ln 2. */
static double seconds_covered(const struct report *report, double counted_s)
{
    if (!strcmp(report->basis, "run") || !(report->half_life_s > 0))
        return counted_s;
    return report->half_life_s / M_LN2 * (1 - exp2(-counted_s / report->half_life_s));
}

static void take_head(struct report *report, const json_t *root)
{
    double counted_s = report_number(root, "counted");
    report->comm = report_text(report, root, "target.comm");
    report->event = report_text(report, root, "source.event");
    report->weighs = report_text(report, root, "source.weighs");
    report->basis = report_text(report, root, "basis");
    report->simulated = json_array_size(report_member(root, "simulation.levels")) > 0;
    report->period = report_number(root, "source.period");
    report->half_life_s = report_number(root, "half_life");
    report->elapsed_s = report_number(root, "elapsed");
    report->covered_s = seconds_covered(report, isnan(counted_s) ? report->elapsed_s : counted_s);
    report->weight = report_number(root, "samples.weight");
    report->samples = report_number(root, "samples.attributed");
    report->effective = report_number(root, "samples.effective");
    /* What decays knows less than its count of samples, but not than those left of it. */
    if (isnan(report->effective))
        report->effective = report->samples;
    report->least = report_number(root, "objects_left_out") == 0 ? 0 : objects_listed;
    report->waiting = report_number(root, "types.unknown.waiting") / report->samples;
    report->waiting = report->waiting <= 1 ? report->waiting : 0;
    report->instructions = report->covered_s == counted_s
                               ? instructions_of(report_member(root, "source.events"))
                               : NAN;
}

static size_t fields_of(const json_t *objects)
{
    size_t i;
    size_t sum = 0;
    json_t *from;
    json_array_foreach(objects, i, from) sum += json_array_size(json_object_get(from, "fields"));
    return sum;
}

static int out_of_memory(struct error *error)
{
    return error_set(error, -ENOMEM, "out of memory for the reports");
}

static int refuse(const json_t *root, const char *path, struct error *error)
{
    const json_t *version = json_object_get(root, "version");
    if (!json_is_integer(version))
        return error_set(error, -EBADMSG,
                         "%s is no report of misstop: it has no version; give what key W wrote or "
                         "-b -j printed",
                         path);
    if (json_integer_value(version) != 1)
        return error_set(error, -EBADMSG, "%s: reports of version %lld are not known here", path,
                         (long long)json_integer_value(version));
    if (json_object_get(root, "change"))
        return error_set(error, -EBADMSG, "%s is what misstop diff printed, not a report", path);
    return error_set(error, -EBADMSG, "%s lists no objects; give what key W wrote or -b -j printed",
                     path);
}

static int make(struct report **out, const json_t *root, const char *path, struct error *error)
{
    const json_t *objects = json_object_get(root, "objects");
    const json_t *functions = json_object_get(root, "code");
    const json_t *version = json_object_get(root, "version");
    if (!json_is_integer(version) || json_integer_value(version) != 1 || !json_is_array(objects) ||
        json_object_get(root, "change"))
        return refuse(root, path, error);
    size_t wanted[REPORT_TABLES] = {json_array_size(objects), fields_of(objects),
                                    json_array_size(functions)};
    struct report *report = calloc(1, sizeof *report);
    if (!report)
        return out_of_memory(error);
    arena_init(&report->arena);
    bool failed = !(report->path = arena_string(&report->arena, path));
    for (int i = 0; i < REPORT_TABLES; i++) {
        size_t room = wanted[i] < REPORT_ROWS_MOST ? wanted[i] : REPORT_ROWS_MOST;
        report->rows[i] = arena_array(&report->arena, room + 1, sizeof *report->rows[i]);
        failed |= !report->rows[i];
    }
    if (failed) {
        report_free(report);
        return out_of_memory(error);
    }
    take_head(report, root);
    report_take_objects(report, objects);
    report_take_functions(report, functions);
    *out = report;
    return 0;
}

int report_read(struct report **report, const char *path, struct error *error)
{
    json_error_t cause;
    struct report_file file;
    *report = NULL;
    int code = report_file_read(&file, path, error);
    if (code)
        return code;
    json_t *root = json_loadb(file.last, file.last_size, 0, &cause);
    /* Not one object a line: someone made it pretty. */
    if (!root && file.last != file.text)
        root = json_loadb(file.text, file.size, 0, &cause);
    code = root ? make(report, root, path, error)
                : error_set(error, -EBADMSG, "%s is not JSON, or cut off: %s", path, cause.text);
    json_decref(root);
    report_file_free(&file);
    return code;
}

int report_of_snapshot(struct report **report, const struct snapshot *snapshot, const char *path,
                       struct error *error)
{
    *report = NULL;
    json_t *root = json_snapshot(snapshot);
    int code = root ? make(report, root, path, error) : out_of_memory(error);
    json_decref(root);
    return code;
}

void report_free(struct report *report)
{
    if (!report)
        return;
    arena_fini(&report->arena);
    free(report);
}
