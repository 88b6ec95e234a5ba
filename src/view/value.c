/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of cells and how they are written and painted; declared in columns.h. */
#include "view/columns.h"

#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

struct value value_number(double number)
{
    return (struct value){.kind = isnan(number) ? VALUE_UNKNOWN : VALUE_NUMBER, .number = number};
}

struct value value_integer(uint64_t integer)
{
    return (struct value){.kind = VALUE_INTEGER, .integer = integer};
}

struct value value_known(uint64_t integer)
{
    return (struct value){.kind = integer ? VALUE_INTEGER : VALUE_UNKNOWN, .integer = integer};
}

struct value value_text(const char *text)
{
    return (struct value){.kind = text && *text ? VALUE_TEXT : VALUE_UNKNOWN, .text = text};
}

void format_percent(char *out, size_t size, struct value value)
{
    double percent = value.number * 100;
    if (percent > 0 && percent < 0.05)
        snprintf(out, size, "<0.1%%");
    else
        snprintf(out, size, "%.*f%%", percent < 99.95 ? 1 : 0, percent);
}

void format_points(char *out, size_t size, struct value value)
{
    double points = value.number * 100;
    snprintf(out, size, "%.*f", points < 0.095 ? 2 : points < 9.95 ? 1 : 0, points);
}

void format_count(char *out, size_t size, struct value value)
{
    char text[16];
    double count = value.kind == VALUE_INTEGER ? (double)value.integer : value.number;
    snprintf(out, size, "%s", text_count(text, count));
}

void format_bytes(char *out, size_t size, struct value value)
{
    char text[16];
    snprintf(out, size, "%s", text_bytes(text, value.integer));
}

void format_integer(char *out, size_t size, struct value value)
{
    snprintf(out, size, "%" PRIu64, value.integer);
}

void format_address(char *out, size_t size, struct value value)
{
    snprintf(out, size, "0x%" PRIx64, value.integer);
}

void format_offset(char *out, size_t size, struct value value)
{
    snprintf(out, size, "+%" PRIu64, value.integer);
}

void format_times(char *out, size_t size, struct value value)
{
    snprintf(out, size, "%.*fx", value.number < 9.95 ? 1 : 0, value.number);
}

void format_seconds(char *out, size_t size, struct value value)
{
    double seconds = value.number;
    if (seconds >= 5400)
        snprintf(out, size, "%.1fh", seconds / 3600);
    else if (seconds >= 90)
        snprintf(out, size, "%.1fm", seconds / 60);
    else if (seconds >= 0.9995)
        snprintf(out, size, "%.1fs", seconds);
    else if (seconds >= 0.0009995)
        snprintf(out, size, "%.0fms", seconds * 1e3);
    else if (seconds >= 0.0000009995)
        snprintf(out, size, "%.0fus", seconds * 1e6);
    else
        snprintf(out, size, "%.0fns", seconds * 1e9);
}

void format_time(char *out, size_t size, struct value value)
{
    char text[TEXT_TIME_BYTES];
    snprintf(out, size, "%s", text_time(text, value.number));
}

void format_gained(char *out, size_t size, struct value value)
{
    snprintf(out, size, "%+.1f", value.number * 100);
}

enum paint paint_share(struct value value)
{
    return value.kind == VALUE_NUMBER ? paint_heat(value.number) : PAINT_PLAIN;
}

enum paint paint_dim(struct value value)
{
    (void)value;
    return PAINT_DIM;
}

enum paint paint_strong(struct value value)
{
    (void)value;
    return PAINT_STRONG;
}

enum paint paint_load(struct value value)
{
    return value.number >= 0.005 ? PAINT_LOAD : PAINT_DIM;
}

enum paint paint_store(struct value value)
{
    return value.number >= 0.005 ? PAINT_STORE : PAINT_DIM;
}
