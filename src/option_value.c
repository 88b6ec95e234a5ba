/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "option_value.h"

#include "sample/perfdata.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int option_unsigned(const char *text, const char *option, uint64_t low, uint64_t high,
                    uint64_t *value, struct error *error)
{
    char *end;
    errno = 0;
    unsigned long long parsed = strtoull(text, &end, 10);
    if (end == text || *end || *text == '-' || errno || parsed < low || parsed > high)
        return error_set(error, -EINVAL, "%s wants a whole number from %llu to %llu, not '%s'",
                         option, (unsigned long long)low, (unsigned long long)high, text);
    *value = parsed;
    return 0;
}

/* Words with commas between. */
int option_heap(const char *text, unsigned *heap, struct error *error)
{
    static const struct {
        const char *word;
        unsigned value;
    } words[] = {{"auto", OPTIONS_HEAP_AUTO},
                 {"agent", OPTIONS_HEAP_AGENT},
                 {"walk", OPTIONS_HEAP_WALK},
                 {"none", 0}};
    const size_t count = sizeof words / sizeof *words;
    *heap = 0;
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        size_t i = 0;
        while (i < count && (strlen(words[i].word) != length || strncmp(at, words[i].word, length)))
            i++;
        if (i == count)
            return error_set(error, -EINVAL,
                             "--heap wants auto, agent, walk or none, with commas, not '%s'", text);
        *heap |= words[i].value;
        at += length;
        if (!*at)
            return 0;
    }
}

int option_seconds(const char *text, const char *option, double low, double high, double *value,
                   struct error *error)
{
    char *end;
    double parsed = strtod(text, &end);
    if (end == text || *end || !isfinite(parsed) || parsed < low || parsed > high)
        return error_set(error, -EINVAL, "%s wants seconds from %g to %g, not '%s'", option, low,
                         high, text);
    *value = parsed;
    return 0;
}

int option_u32(const char *text, const char *option, uint64_t low, uint64_t high, uint32_t *value,
               struct error *error)
{
    uint64_t wide;
    int code = option_unsigned(text, option, low, high, &wide, error);
    if (!code)
        *value = (uint32_t)wide;
    return code;
}

int option_choice(const char *text, const char *option, const char *const *choices,
                  struct error *error)
{
    char list[128] = "";
    for (int i = 0; choices[i]; i++) {
        if (!strcmp(text, choices[i]))
            return i;
        strncat(list, i ? ", " : "", sizeof list - strlen(list) - 1);
        strncat(list, choices[i], sizeof list - strlen(list) - 1);
    }
    return error_set(error, -EINVAL, "%s takes one of %s, not '%s'", option, list, text);
}

int option_pid(const char *text, pid_t *pid, struct error *error)
{
    uint64_t value;
    int code = option_unsigned(text, "-p", 0, INT32_MAX, &value, error);
    if (!code)
        *pid = value ? (pid_t)value : PERFDATA_IDLE;
    return code;
}

/* SIZE[,FILES] */
int option_record_limit(const char *text, struct options *options, struct error *error)
{
    static const char units[] = "KMG";
    enum { FILES_MAX = 1000 };
    char *end;
    unsigned long long size = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
    const char *unit = size && *end ? strchr(units, *end) : NULL;
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    options->record_files = 0;
    options->record_limit_bytes = (uint64_t)size << shift;
    const char *rest = size ? end + (unit != NULL) : "";
    if (!size || options->record_limit_bytes >> shift != size || (*rest && *rest != ','))
        return error_set(error, -EINVAL,
                         "--record-limit wants SIZE or SIZE,FILES, as 500M or 1G,10, not '%s'",
                         text);
    return *rest ? option_u32(rest + 1, "FILES of --record-limit", 1, FILES_MAX,
                              &options->record_files, error)
                 : 0;
}

int option_pace(const char *text, double *pace, struct error *error)
{
    char *end;
    *pace = text ? strtod(text, &end) : 1;
    if (text && !strcmp(text, "max"))
        *pace = INFINITY;
    else if (text && (end == text || *end || !(*pace >= 0.125 && *pace <= 1000)))
        return error_set(error, -EINVAL, "--play wants a pace from 0.125 to 1000, or max, not '%s'",
                         text);
    return 0;
}

int option_watch(const char *text, double *part, struct error *error)
{
    static const double least = 0.01;
    static const double most = 50;
    char *end = NULL;
    double percent = text ? strtod(text, &end) : 1;
    if (text && (end == text || *end || !isfinite(percent) || percent < least || percent > most))
        return error_set(error, -EINVAL,
                         "--watch wants a percentage of the process's time from %g to %g, as "
                         "--watch=2, not '%s'",
                         least, most, text);
    *part = percent / 100;
    return 0;
}
