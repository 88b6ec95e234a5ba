/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/filter.h"

#include "sample/event.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILTER_WORD_BYTES = 32, FILTER_LDLAT_MOST = 65535 /* config1:0-15 */ };

static int take_threshold(struct filter *filter, const char *number, struct error *error)
{
    char *end;
    unsigned long cycles = strtoul(number, &end, 10);
    if (!isdigit((unsigned char)*number) || *end || !cycles || cycles > FILTER_LDLAT_MOST)
        return error_set(error, -EINVAL,
                         "-e ldlat=: a number of cycles from 1 to %d is wanted, as in ldlat=64",
                         FILTER_LDLAT_MOST);
    filter->ldlat_cycles = (uint32_t)cycles;
    return 0;
}

static int take_word(struct filter *filter, const char *word, struct error *error)
{
    static const char threshold[] = "ldlat=";
    if (!strncmp(word, threshold, sizeof threshold - 1))
        return take_threshold(filter, word + sizeof threshold - 1, error);
    if (!strcmp(word, "l3missonly"))
        filter->l3_miss_only = true;
    else
        filter->events = true;
    return 0;
}

int filter_parse(struct filter *filter, const char *list, struct error *error)
{
    const char *word;
    size_t size;
    int code = 0;
    *filter = (struct filter){0};
    while (!code && list && event_next_word(&list, &word, &size)) {
        char copy[FILTER_WORD_BYTES];
        if (size >= sizeof copy) {
            filter->events = true;
            continue;
        }
        snprintf(copy, sizeof copy, "%.*s", (int)size, word);
        code = take_word(filter, copy, error);
    }
    return code;
}
