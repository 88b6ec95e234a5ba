/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON to a report: the words of json*.c read back; declared in report.h. */
#include "view/report.h"

#include "base/text.h"
#include "view/json_part.h"
#include "view/report_file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 1 << 17, TEXT_MOST = 4096, FIELDS_LISTED = 64, FUNCTIONS_LISTED = 200 };

static const double objects_listed = 0.001;

static json_t *member(const json_t *from, const char *path)
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

/* NAN: not there, no number, or not below infinity and from 0 on. */
static double number(const json_t *from, const char *path)
{
    const json_t *value = member(from, path);
    double parsed = json_is_number(value) ? json_number_value(value) : NAN;
    return isfinite(parsed) && parsed >= 0 ? parsed : NAN;
}

static double share(const json_t *from, const char *name)
{
    double value = number(from, name);
    return value <= 1.000001 ? fmin(value, 1) : NAN;
}

static const char *text(struct report *report, const json_t *from, const char *path)
{
    char clean[TEXT_MOST];
    const char *value = json_string_value(member(from, path));
    if (!value)
        return "";
    text_sanitise(clean, sizeof clean, value, strlen(value));
    const char *kept = arena_string(&report->arena, clean);
    return kept ? kept : "";
}

/* "[heap 0x55d0c0de 12.1M]": the next run has it elsewhere. */
static void drop_addresses(char *name)
{
    for (char *at = name; (at = strstr(at, " 0x"));) {
        size_t digits = strspn(at + 3, "0123456789abcdef");
        if (digits)
            memmove(at, at + 3 + digits, strlen(at + 3 + digits) + 1);
        else
            at++;
    }
}

static const char *name_without_address(struct report *report, const json_t *from)
{
    char *name = (char *)(uintptr_t)text(report, from, "name");
    if (*name == '[')
        drop_addresses(name);
    return *name ? name : "?";
}

/* The kernel cuts names of processes to 15 bytes. */
static bool is_own(const struct report *report, const char *module)
{
    enum { COMM_BYTES = 15 };
    size_t length = strlen(report->comm);
    return length && !strncmp(module, report->comm, length) &&
           (!module[length] || length >= COMM_BYTES);
}

static struct report_row *add_row(struct report *report, enum report_table table)
{
    return report->count[table] < ROWS_MOST ? &report->rows[table][report->count[table]++] : NULL;
}

/* Offsets into a stack differ with every run, as its start does. */
static bool moves(const struct report_row *object, const char *field)
{
    return *field == '+' && !strcmp(object->kind, "stack");
}

static void take_fields(struct report *report, struct report_row *object, const json_t *fields)
{
    size_t i;
    json_t *from;
    object->least = 0;
    json_array_foreach(fields, i, from)
    {
        double part = share(from, "share");
        const char *name = text(report, from, "name");
        if (isnan(part) || isnan(object->share) || !*name || moves(object, name))
            continue;
        struct report_row *row = add_row(report, REPORT_FIELDS);
        if (!row)
            return;
        *row = (struct report_row){.name = name,
                                   .object = object->name,
                                   .kind = object->kind,
                                   .module = object->module,
                                   .own = object->own,
                                   .share = part * object->share};
        object->least = row->share;
    }
    if (json_array_size(fields) < FIELDS_LISTED)
        object->least = 0;
}

/* From the first part there was. */
static const double *take_parts(struct report *report, const json_t *history)
{
    double *parts = arena_array(&report->arena, SNAPSHOT_HISTORY, sizeof *parts);
    size_t first = 0;
    while (first < SNAPSHOT_HISTORY && json_is_null(json_array_get(history, first)))
        first++;
    for (size_t i = 0; parts && i < SNAPSHOT_HISTORY; i++) {
        const json_t *value = json_array_get(history, first + i);
        double parsed = json_is_number(value) ? json_number_value(value) : NAN;
        parts[i] = parsed >= 0 && parsed <= 1.000001 ? parsed : NAN;
    }
    return parts;
}

static void take_objects(struct report *report, const json_t *objects)
{
    size_t i;
    json_t *from;
    json_array_foreach(objects, i, from)
    {
        double part = share(from, "share");
        struct report_row *row = isnan(part) ? NULL : add_row(report, REPORT_OBJECTS);
        if (!row)
            continue;
        *row = (struct report_row){.name = name_without_address(report, from),
                                   .kind = text(report, from, "kind"),
                                   .module = text(report, from, "module"),
                                   .object = "",
                                   .share = part,
                                   .parts = take_parts(report, member(from, "history"))};
        row->own = is_own(report, row->module);
        take_fields(report, row, member(from, "fields"));
    }
}

/* A refresh without samples is no share of 0. */
static void forget_empty_parts(struct report *report)
{
    const struct report_row *rows = report->rows[REPORT_OBJECTS];
    report->part_count = SNAPSHOT_HISTORY;
    for (size_t i = 0; i < SNAPSHOT_HISTORY; i++) {
        double sum = 0;
        for (size_t k = 0; k < report->count[REPORT_OBJECTS]; k++)
            sum += rows[k].parts && rows[k].parts[i] > 0 ? rows[k].parts[i] : 0;
        for (size_t k = 0; k < report->count[REPORT_OBJECTS] && !(sum > 0); k++)
            if (rows[k].parts)
                ((double *)(uintptr_t)rows[k].parts)[i] = NAN;
    }
}

static void take_functions(struct report *report, const json_t *functions)
{
    size_t i;
    json_t *from;
    report->least_code = 0;
    json_array_foreach(functions, i, from)
    {
        double part = share(from, "share");
        const char *name = text(report, from, "function");
        struct report_row *row = isnan(part) || !*name ? NULL : add_row(report, REPORT_FUNCTIONS);
        if (!row)
            continue;
        *row = (struct report_row){.name = name,
                                   .kind = "",
                                   .module = text(report, from, "module"),
                                   .object = text(report, from, "object"),
                                   .share = part};
        row->own = is_own(report, row->module);
        report->least_code = part;
    }
    if (json_array_size(functions) < FUNCTIONS_LISTED)
        report->least_code = 0;
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
            return number(from, "events");
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
    double counted_s = number(root, "counted");
    report->comm = text(report, root, "target.comm");
    report->event = text(report, root, "source.event");
    report->weighs = text(report, root, "source.weighs");
    report->basis = text(report, root, "basis");
    report->period = number(root, "source.period");
    report->half_life_s = number(root, "half_life");
    report->elapsed_s = number(root, "elapsed");
    report->covered_s = seconds_covered(report, isnan(counted_s) ? report->elapsed_s : counted_s);
    report->weight = number(root, "samples.weight");
    report->samples = number(root, "samples.attributed");
    report->effective = number(root, "samples.effective");
    /* What decays knows less than its count of samples, but not than those left of it. */
    if (isnan(report->effective))
        report->effective = report->samples;
    report->least = number(root, "objects_left_out") == 0 ? 0 : objects_listed;
    report->instructions =
        report->covered_s == counted_s ? instructions_of(member(root, "source.events")) : NAN;
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
        size_t room = wanted[i] < ROWS_MOST ? wanted[i] : ROWS_MOST;
        report->rows[i] = arena_array(&report->arena, room + 1, sizeof *report->rows[i]);
        failed |= !report->rows[i];
    }
    if (failed) {
        report_free(report);
        return out_of_memory(error);
    }
    take_head(report, root);
    take_objects(report, objects);
    forget_empty_parts(report);
    take_functions(report, functions);
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
