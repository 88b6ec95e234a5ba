/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of a saved report: objects with their fields, and functions. */
#include "view/json_report_part.h"

#include <math.h>
#include <string.h>

enum { FIELDS_LISTED = 64, FUNCTIONS_LISTED = 200 };

static double share(const json_t *from, const char *name)
{
    double value = report_number(from, name);
    return value <= 1.000001 ? fmin(value, 1) : NAN;
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
    char *name = (char *)(uintptr_t)report_text(report, from, "name");
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
    return report->count[table] < REPORT_ROWS_MOST ? &report->rows[table][report->count[table]++]
                                                   : NULL;
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
        const char *name = report_text(report, from, "name");
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

void report_take_objects(struct report *report, const json_t *objects)
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
                                   .kind = report_text(report, from, "kind"),
                                   .module = report_text(report, from, "module"),
                                   .object = "",
                                   .share = part,
                                   .parts = take_parts(report, report_member(from, "history"))};
        row->own = is_own(report, row->module);
        take_fields(report, row, report_member(from, "fields"));
    }
    forget_empty_parts(report);
}

void report_take_functions(struct report *report, const json_t *functions)
{
    size_t i;
    json_t *from;
    report->least_code = 0;
    json_array_foreach(functions, i, from)
    {
        double part = share(from, "share");
        const char *name = report_text(report, from, "function");
        struct report_row *row = isnan(part) || !*name ? NULL : add_row(report, REPORT_FUNCTIONS);
        if (!row)
            continue;
        *row = (struct report_row){.name = name,
                                   .kind = "",
                                   .module = report_text(report, from, "module"),
                                   .object = report_text(report, from, "object"),
                                   .share = part};
        row->own = is_own(report, row->module);
        report->least_code = part;
    }
    if (json_array_size(functions) < FUNCTIONS_LISTED)
        report->least_code = 0;
}
