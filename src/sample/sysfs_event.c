/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/sysfs_event.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char devices[] = "bus/event_source/devices";

long sysfs_pmu_type(const struct kernel *kernel, const char *pmu)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s/type", devices, pmu);
    return kernel_number(kernel->sysfs, path, -1);
}

/*
 * Puts a value into the bits "0-7,32-35" of a word, in place of what stood there: a term
 * overrides that of the event file before it. False when the value does not fit.
 */
static bool put_bits(uint64_t *word, const char *ranges, uint64_t value)
{
    for (;;) {
        char *end;
        unsigned long low = strtoul(ranges, &end, 10);
        unsigned long high = *end == '-' ? strtoul(end + 1, &end, 10) : low;
        if (end == ranges || high > 63 || low > high)
            return false;
        for (unsigned long bit = low; bit <= high; bit++, value >>= 1)
            *word = (*word & ~(UINT64_C(1) << bit)) | (value & 1) << bit;
        if (*end != ',')
            return !value;
        ranges = end + 1;
    }
}

static uint64_t *word_named(struct event *event, const char *name)
{
    return !strcmp(name, "config")    ? &event->config
           : !strcmp(name, "config1") ? &event->config1
           : !strcmp(name, "config2") ? &event->config2
                                      : NULL;
}

/* One term by its format file ("config1:0-15"), or a whole word ("config1=0x1e"). */
static int set_term(struct event *event, const char *pmu, const char *term, uint64_t value,
                    const struct kernel *kernel, struct error *error)
{
    char path[PATH_MAX];
    char format[128];
    uint64_t *word = word_named(event, term);
    if (word) {
        *word = value;
        return 0;
    }
    snprintf(path, sizeof path, "%s/%s/format/%s", devices, pmu, term);
    char *bits =
        kernel_text(kernel->sysfs, path, format, sizeof format) ? strchr(format, ':') : NULL;
    if (!bits)
        return error_set(error, -EINVAL, "%s: %s has no term '%s'; see /sys/%s/%s/format",
                         event->name, pmu, term, devices, pmu);
    *bits++ = '\0';
    word = word_named(event, format);
    if (!word)
        return error_set(error, -EINVAL, "%s: term '%s' is in %s, which misstop does not set",
                         event->name, term, format);
    if (!put_bits(word, bits, value))
        return error_set(error, -EINVAL, "%s: %#llx does not fit the bits of '%s' (%s)",
                         event->name, (unsigned long long)value, term, bits);
    return 0;
}

/* "term=value" or "term", which means 1. Cuts the value off the term. */
static int take_value(char *term, uint64_t *value, const struct event *event, struct error *error)
{
    char *equals = strchr(term, '=');
    char *end;
    *value = 1;
    if (!equals)
        return 0;
    *equals = '\0';
    *value = strtoull(equals + 1, &end, 0);
    if (end == equals + 1 || *end)
        return error_set(error, -EINVAL, "%s: '%s' is no number for %s", event->name, equals + 1,
                         term);
    return 0;
}

static int set_terms(struct event *event, const char *pmu, char *terms, const struct kernel *kernel,
                     bool expand, struct error *error)
{
    char *rest = NULL;
    for (char *term = strtok_r(terms, ",", &rest); term; term = strtok_r(NULL, ",", &rest)) {
        char path[PATH_MAX];
        char named[256];
        uint64_t value;
        bool bare = !strchr(term, '=');
        int code = take_value(term, &value, event, error);
        snprintf(path, sizeof path, "%s/%s/events/%s", devices, pmu, term);
        /* A bare word may be an event file that holds terms itself. */
        bool is_event = expand && bare && kernel_text(kernel->sysfs, path, named, sizeof named);
        if (!code)
            code = is_event ? set_terms(event, pmu, named, kernel, false, error)
                            : set_term(event, pmu, term, value, kernel, error);
        if (code)
            return code;
    }
    return 0;
}

/* What stands after the closing slash: u, and how precise (p, pp, ppp, P: the most there is). */
static int set_modifiers(struct event *event, const char *modifiers, struct error *error)
{
    enum { MOST_PRECISE = 3 };
    for (; *modifiers; modifiers++) {
        if (*modifiers == 'p')
            event->precise_ip++;
        else if (*modifiers == 'P')
            event->precise_ip = MOST_PRECISE;
        else if (*modifiers != 'u')
            return error_set(error, -EINVAL,
                             "%s: modifier '%c': misstop samples user mode only, "
                             "and knows u, p and P",
                             event->name, *modifiers);
    }
    if (event->precise_ip > MOST_PRECISE)
        return error_set(error, -EINVAL, "%s: at most ppp", event->name);
    return 0;
}

int sysfs_event_encode(struct event *event, const struct kernel *kernel, struct error *error)
{
    char pmu[sizeof event->name];
    snprintf(pmu, sizeof pmu, "%s", event->name);
    char *terms = strchr(pmu, '/');
    *terms++ = '\0';
    char *modifiers = strchr(terms, '/');
    if (!modifiers)
        return error_set(error, -EINVAL, "%s: the closing '/' is missing", event->name);
    *modifiers++ = '\0';
    long type = !*pmu || strstr(pmu, "..") ? -1 : sysfs_pmu_type(kernel, pmu);
    if (type < 0)
        return error_set(error, -ENOENT, "no PMU '%s' here; ls /sys/%s shows them", pmu, devices);
    event->type = (uint32_t)type;
    snprintf(event->encoded, sizeof event->encoded, "%s", event->name);
    int code = set_terms(event, pmu, terms, kernel, true, error);
    return code ? code : set_modifiers(event, modifiers, error);
}
