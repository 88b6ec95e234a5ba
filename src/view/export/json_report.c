/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads JSON into a report; uses the member names of json*.c. Also prints a comparison as JSON. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "view/export/diff.h"
#include "view/export/json.h"

enum { REPORT_ROWS_MAX = 1 << 17 };

static double report_number(const json_t *from, const char *path);
/* Finds "a.b"; returns NULL if it does not exist. */
static json_t *report_member(const json_t *from, const char *path)
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

static const char *report_text(struct report *report, const json_t *from, const char *path);

/* ---- tables of a saved report: objects with their fields, and functions ---- */

enum { FIELDS_LISTED = 64, FUNCTIONS_LISTED = 200 };

static double report_share(const json_t *from)
{
    double value = report_number(from, "share");
    return value <= 1.000001 ? fmin(value, 1) : NAN;
}

/* Removes addresses, as in "[heap 0x55d0c0de 12.1M]": they differ in the next run. */
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
    char *name = (char *)(uintptr_t)report_text(report, from, "name");
    if (*name == '[')
        drop_addresses(name);
    return *name ? name : "?";
}

/* Returns true if the module is the program. The kernel truncates process names to 15 bytes. */
static bool is_program_module(const struct report *report, const char *module)
{
    enum { COMM_BYTES = 15 };
    size_t length = strlen(report->comm);
    return length && !strncmp(module, report->comm, length) &&
           (!module[length] || length >= COMM_BYTES);
}

static struct report_row *add_row(struct report *report, enum report_table table)
{
    return report->count[table] < REPORT_ROWS_MAX ? &report->rows[table][report->count[table]++]
                                                  : NULL;
}

/* Offsets into a stack differ in every run, because its start does. */
static bool field_moves(const struct report_row *object, const char *field)
{
    return *field == '+' && !strcmp(object->kind, "stack");
}

static void take_fields(struct report *report, struct report_row *object, const json_t *fields)
{
    size_t i;
    json_t *from;
    object->min_listed_share = 0;
    json_array_foreach(fields, i, from)
    {
        double part = report_share(from);
        const char *name = report_text(report, from, "name");
        if (isnan(part) || isnan(object->share) || !*name || field_moves(object, name))
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
        object->min_listed_share = row->share;
    }
    if (json_array_size(fields) < FIELDS_LISTED)
        object->min_listed_share = 0;
}

/* Reads the parts, starting with the first that exists. */
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

/* A part of the run without samples is unknown, not a share of 0. */
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

/* Reads the objects into rows with room for all, or for REPORT_ROWS_MAX. */
static void report_take_objects(struct report *report, const json_t *objects)
{
    size_t i;
    json_t *from;
    json_array_foreach(objects, i, from)
    {
        double part = report_share(from);
        struct report_row *row = isnan(part) ? NULL : add_row(report, REPORT_OBJECTS);
        if (!row)
            continue;
        *row = (struct report_row){.name = name_without_address(report, from),
                                   .kind = report_text(report, from, "kind"),
                                   .module = report_text(report, from, "module"),
                                   .object = "",
                                   .share = part,
                                   .parts = take_parts(report, report_member(from, "history"))};
        row->own = is_program_module(report, row->module);
        take_fields(report, row, report_member(from, "fields"));
    }
    forget_empty_parts(report);
}

static void report_take_functions(struct report *report, const json_t *functions)
{
    size_t i;
    json_t *from;
    report->min_code = 0;
    json_array_foreach(functions, i, from)
    {
        double part = report_share(from);
        const char *name = report_text(report, from, "function");
        struct report_row *row = isnan(part) || !*name ? NULL : add_row(report, REPORT_FUNCTIONS);
        if (!row)
            continue;
        *row = (struct report_row){.name = name,
                                   .kind = "",
                                   .module = report_text(report, from, "module"),
                                   .object = report_text(report, from, "object"),
                                   .share = part};
        row->own = is_program_module(report, row->module);
        report->min_code = part;
    }
    if (json_array_size(functions) < FUNCTIONS_LISTED)
        report->min_code = 0;
}

enum { REPORT_BYTES_MAX = 64 << 20 };

/* Returns the end of a file, from malloc(), and the bytes `before` it; NULL: `error`. */
static char *read_file_end(const char *path, size_t *size, off_t *before, struct error *error)
{
    struct stat status;
    char *text = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO must not block */
    FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
    if (!file || fstat(fd, &status)) {
        error_set(error, -errno, "cannot open %s: %s", path, strerror(errno));
    } else if (!S_ISREG(status.st_mode)) {
        error_set(error, -ENOTSUP, "%s is not a file; give a recording or a saved report", path);
    } else {
        *before = status.st_size > REPORT_BYTES_MAX ? status.st_size - REPORT_BYTES_MAX : 0;
        text = malloc((size_t)(status.st_size - *before) + 1);
        fseeko(file, *before, SEEK_SET);
        *size = text ? fread(text, 1, (size_t)(status.st_size - *before), file) : 0;
        if (!text) {
            error_set(error, -ENOMEM, "out of memory for %s", path);
        } else if (ferror(file)) {
            error_set(error, -errno, "cannot read %s: %s", path, strerror(errno));
            free(text);
            text = NULL;
        }
    }
    if (file)
        fclose(file);
    else if (fd >= 0)
        close(fd);
    return text;
}

static bool is_blank(char byte)
{
    return byte && strchr(" \t\r\n", byte);
}

bool report_file_is_json(const char *path)
{
    char start[64];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t got = fd < 0 ? 0 : read(fd, start, sizeof start);
    ssize_t blank = 0;
    if (fd >= 0)
        close(fd);
    while (blank < got && is_blank(start[blank]))
        blank++;
    return blank < got && start[blank] == '{';
}

enum { TEXT_MAX = 4096 };

static const double objects_listed = 0.001;

/* Returns NAN if the member does not exist, or is not a finite number of at least 0. */
static double report_number(const json_t *from, const char *path)
{
    const json_t *value = report_member(from, path);
    double parsed = json_is_number(value) ? json_number_value(value) : NAN;
    return isfinite(parsed) && parsed >= 0 ? parsed : NAN;
}

/* Returns printable text in the report's arena; "" if it does not exist. */
static const char *report_text(struct report *report, const json_t *from, const char *path)
{
    char clean[TEXT_MAX];
    const char *value = json_string_value(report_member(from, path));
    if (!value)
        return "";
    text_sanitise(clean, sizeof clean, value, strlen(value));
    const char *kept = arena_string(&report->arena, clean);
    return kept ? kept : "";
}

/* Returns the count of the instructions event, found by name. */
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

/* A steady stream accumulates to the weight of half-life / ln 2. */
static double seconds_covered(const struct report *report, double counted_s)
{
    if (!strcmp(report->basis, "run") || !(report->half_life_s > 0))
        return counted_s;
    return report->half_life_s / M_LN2 * (1 - exp2(-counted_s / report->half_life_s));
}

static void report_take_head(struct report *report, const json_t *root)
{
    double counted_s = report_number(root, "counted");
    report->comm = report_text(report, root, "target.comm");
    report->event = report_text(report, root, "source.event");
    report->weight_unit = report_text(report, root, "source.weighs");
    report->basis = report_text(report, root, "basis");
    report->simulated = json_array_size(report_member(root, "simulation.levels")) > 0;
    report->period = report_number(root, "source.period");
    report->half_life_s = report_number(root, "half_life");
    report->elapsed_s = report_number(root, "elapsed");
    report->covered_s = seconds_covered(report, isnan(counted_s) ? report->elapsed_s : counted_s);
    report->weight = report_number(root, "samples.weight");
    report->samples = report_number(root, "samples.attributed");
    report->effective_samples = report_number(root, "samples.effective");
    /* Decayed counts have the information of fewer samples than were taken; use the samples only if
     * the effective number is missing. */
    if (isnan(report->effective_samples))
        report->effective_samples = report->samples;
    report->min_object_share = report_number(root, "objects_left_out") == 0 ? 0 : objects_listed;
    report->loading_share = report_number(root, "types.unknown.waiting") / report->samples;
    report->loading_share = report->loading_share <= 1 ? report->loading_share : 0;
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

static int report_refuse(const json_t *root, const char *path, struct error *error)
{
    const json_t *version = json_object_get(root, "version");
    if (!json_is_integer(version))
        return error_set(
            error, -EBADMSG,
            "%s is not a report of misstop: it has no version; give a file from key W or -b -j",
            path);
    if (json_integer_value(version) != 1)
        return error_set(error, -EBADMSG, "%s: reports of version %lld are not supported", path,
                         (long long)json_integer_value(version));
    if (json_object_get(root, "change"))
        return error_set(error, -EBADMSG, "%s is the output of misstop diff, not a report", path);
    return error_set(error, -EBADMSG, "%s lists no objects; give a file from key W or -b -j", path);
}

static int report_make(struct report **out, const json_t *root, const char *path,
                       struct error *error)
{
    const json_t *objects = json_object_get(root, "objects");
    const json_t *functions = json_object_get(root, "code");
    const json_t *version = json_object_get(root, "version");
    if (!json_is_integer(version) || json_integer_value(version) != 1 || !json_is_array(objects) ||
        json_object_get(root, "change"))
        return report_refuse(root, path, error);
    size_t wanted[REPORT_TABLES] = {json_array_size(objects), fields_of(objects),
                                    json_array_size(functions)};
    struct report *report = calloc(1, sizeof *report);
    if (!report)
        return out_of_memory(error);
    arena_init(&report->arena);
    bool failed = !(report->path = arena_string(&report->arena, path));
    for (int i = 0; i < REPORT_TABLES; i++) {
        size_t room = wanted[i] < REPORT_ROWS_MAX ? wanted[i] : REPORT_ROWS_MAX;
        report->rows[i] = arena_array(&report->arena, room + 1, sizeof *report->rows[i]);
        failed |= !report->rows[i];
    }
    if (failed) {
        report_free(report);
        return out_of_memory(error);
    }
    report_take_head(report, root);
    report_take_objects(report, objects);
    report_take_functions(report, functions);
    *out = report;
    return 0;
}

/* One object a line: the last line that is not blank is the report. */
int report_read(struct report **report, const char *path, struct error *error)
{
    json_error_t cause;
    size_t size;
    off_t before;
    *report = NULL;
    char *text = read_file_end(path, &size, &before, error);
    if (!text)
        return error->code;
    while (size && is_blank(text[size - 1]))
        size--;
    const char *end = size ? memrchr(text, '\n', size) : NULL;
    const char *last = end ? end + 1 : text;
    json_t *root = json_loadb(last, (size_t)(text + size - last), 0, &cause);
    /* Not one object per line: try the whole file as one formatted object. */
    if (!root && last != text)
        root = json_loadb(text, size, 0, &cause);
    int code =
        !size  ? error_set(error, -EBADMSG, "%s is empty", path)
        : root ? report_make(report, root, path, error)
        : before && last == text
            ? error_set(error, -EFBIG, "the last line of %s is too long for a report", path)
            : error_set(error, -EBADMSG, "%s is not JSON, or is truncated: %s", path, cause.text);
    json_decref(root);
    free(text);
    return code;
}

int report_of_snapshot(struct report **report, const struct snapshot *snapshot, const char *path,
                       struct error *error)
{
    *report = NULL;
    json_t *root = json_snapshot(snapshot);
    int code = root ? report_make(report, root, path, error) : out_of_memory(error);
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

/* ---- a comparison as one JSON object on one line ---- */

static const struct columns run_members = MEMBERS(
    struct report,
    MEMBER("path", struct report, path),
    MEMBER_KNOWN("comm", struct report, comm),
    MEMBER_KNOWN("event", struct report, event),
    MEMBER_KNOWN("basis", struct report, basis),
    MEMBER("elapsed", struct report, elapsed_s),
    MEMBER_COUNT("samples", struct report, samples),
    MEMBER_COUNT("effective", struct report, effective_samples),
    MEMBER_COUNT("weight", struct report, weight));

static json_t *json_runs(const struct diff_side *side)
{
    json_t *out = json_array();
    for (size_t i = 0; i < side->run_count; i++)
        json_array_append_new(out, json_row(&run_members, NULL, side->runs[i]));
    return out;
}

static const char *amounts_name(unsigned amounts)
{
    static const char *const names[] = {
        [DIFF_AMOUNT_OF_RUN] = "of-run",
        [DIFF_AMOUNT_PER_SECOND] = "per-second",
        [DIFF_AMOUNT_PER_1000_INSTRUCTIONS] = "per-1000-instructions",
    };
    return names[amounts];
}

static struct value amount_unit(const struct snapshot *snapshot, const void *diff)
{
    (void)snapshot;
    return value_text(diff_in_time(diff) ? "nanoseconds" : "events");
}

static const struct columns change_members = MEMBERS(
    struct diff,
    COLUMN(.key = "amounts", .from = FIELD(struct diff, amounts), .name = amounts_name),
    COLUMN(.key = "amount_unit", .value = amount_unit),
    MEMBER_EXACT("amount_a", struct diff, a.amount),
    MEMBER_EXACT("amount_b", struct diff, b.amount),
    MEMBER_EXACT("times", struct diff, times.value),
    MEMBER_EXACT("times_low", struct diff, times.low),
    MEMBER_EXACT("times_high", struct diff, times.high),
    MEMBER_EXACT("run_a", struct diff, a.weight),
    MEMBER_EXACT("run_b", struct diff, b.weight),
    COLUMN(.key = "notes", .from = FIELD(struct diff, notes[0]),
           .count = FIELD(struct diff, note_count)));

static json_t *json_diff_change(const struct diff *diff, bool all)
{
    static const char *const tables[] = {"objects", "fields", "code"};
    json_t *out = json_row(&change_members, NULL, diff);
    json_set(out, "level", json_real(COMPARE_LEVEL));
    for (int i = 0; i < REPORT_TABLES; i++)
        json_set(out, tables[i],
                 json_rows(diff_columns[i], NULL, diff->rows[i],
                           all ? diff->count[i] : diff->changed[i]));
    return out;
}

int json_diff_print(FILE *out, const struct diff *diff, bool all)
{
    json_t *root = json_object();
    json_set(root, "version", json_integer(1));
    json_set(root, "a", json_runs(&diff->a));
    json_set(root, "b", json_runs(&diff->b));
    json_set(root, "change", json_diff_change(diff, all));
    return json_line(out, root);
}
