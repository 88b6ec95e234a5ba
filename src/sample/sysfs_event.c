/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/sysfs_event.h"

#include <errno.h>
#include <limits.h>
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

/* Spreads the low bits of a value over "0-7,32-35" of a 64-bit word. */
static uint64_t spread(const char *ranges, uint64_t value)
{
    uint64_t word = 0;
    while (*ranges) {
        char *end;
        unsigned long low = strtoul(ranges, &end, 10);
        unsigned long high = *end == '-' ? strtoul(end + 1, &end, 10) : low;
        if (high > 63 || low > high)
            break;
        for (unsigned long bit = low; bit <= high; bit++, value >>= 1)
            word |= (value & 1) << bit;
        if (*end != ',')
            break;
        ranges = end + 1;
    }
    return word;
}

/* One term by its format file ("config1:0-15"). */
static int set_term(struct event *event, const char *pmu, const char *term, uint64_t value,
                    const struct kernel *kernel, struct error *error)
{
    char path[PATH_MAX];
    char format[128];
    snprintf(path, sizeof path, "%s/%s/format/%s", devices, pmu, term);
    char *bits = kernel_text(kernel->sysfs, path, format, sizeof format) ? strchr(format, ':') : NULL;
    if (!bits)
        return error_set(error, -EINVAL, "%s: %s has no term '%s'; see /sys/%s/%s/format",
                         event->name, pmu, term, devices, pmu);
    *bits++ = '\0';
    uint64_t *word = !strcmp(format, "config")    ? &event->config
                     : !strcmp(format, "config1") ? &event->config1
                     : !strcmp(format, "config2") ? &event->config2
                                                  : NULL;
    if (!word)
        return error_set(error, -EINVAL, "%s: term '%s' is in %s, which misstop does not set",
                         event->name, term, format);
    *word |= spread(bits, value);
    return 0;
}

static int set_terms(struct event *event, const char *pmu, char *terms,
                     const struct kernel *kernel, bool expand, struct error *error)
{
    char *rest = NULL;
    for (char *term = strtok_r(terms, ",", &rest); term; term = strtok_r(NULL, ",", &rest)) {
        char path[PATH_MAX];
        char named[256];
        char *equals = strchr(term, '=');
        uint64_t value = equals ? strtoull(equals + 1, NULL, 0) : 1;
        if (equals)
            *equals = '\0';
        snprintf(path, sizeof path, "%s/%s/events/%s", devices, pmu, term);
        /* A bare word may be an event file that holds terms itself. */
        bool is_event = expand && !equals && kernel_text(kernel->sysfs, path, named, sizeof named);
        int code = is_event ? set_terms(event, pmu, named, kernel, false, error)
                            : set_term(event, pmu, term, value, kernel, error);
        if (code)
            return code;
    }
    return 0;
}

int sysfs_event_encode(struct event *event, const struct kernel *kernel, struct error *error)
{
    char pmu[sizeof event->name];
    snprintf(pmu, sizeof pmu, "%s", event->name);
    char *terms = strchr(pmu, '/');
    *terms++ = '\0';
    terms[strcspn(terms, "/")] = '\0';
    long type = strstr(pmu, "..") ? -1 : sysfs_pmu_type(kernel, pmu);
    if (type < 0)
        return error_set(error, -ENOENT, "no PMU '%s' here; ls /sys/%s shows them", pmu, devices);
    event->type = (uint32_t)type;
    snprintf(event->encoded, sizeof event->encoded, "%s", event->name);
    return set_terms(event, pmu, terms, kernel, true, error);
}
