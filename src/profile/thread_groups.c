/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/thread_groups.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

void thread_groups_name(const char *name, char out[THREAD_NAME_BYTES])
{
    size_t length = strnlen(name, THREAD_NAME_BYTES - 2);
    size_t end = length;
    while (end > 1 && isdigit((unsigned char)name[end - 1]))
        end--;
    memmove(out, name, end);
    if (end < length)
        out[end++] = '*';
    out[end] = '\0';
}

static uint32_t group_of(struct thread_groups *groups, const char *name)
{
    for (uint32_t i = 0; i < groups->count; i++)
        if (!strcmp(groups->names[i], name))
            return i;
    if (groups->count == THREAD_GROUPS_MAX)
        return THREAD_GROUPS_MAX - 1;
    bool last = groups->count == THREAD_GROUPS_MAX - 1;
    snprintf(groups->names[groups->count], THREAD_NAME_BYTES, "%s", last ? "more threads" : name);
    return groups->count++;
}

void thread_groups_take(struct thread_groups *groups, const struct place_names *names,
                        void (*take)(void *context, uint32_t group,
                                     const double weight[SNAPSHOT_MEASURES]),
                        void *context)
{
    for (uint32_t i = 0; i < THREAD_NUMBERS; i++) {
        char name[THREAD_NAME_BYTES] = "unnamed";
        if (!groups->threads[i].counted)
            continue;
        if (i == THREAD_NUMBERS - 1)
            snprintf(name, sizeof name, "more threads");
        else if (names->thread &&
                 names->thread(names->context, groups->threads[i].tid, name, sizeof name))
            thread_groups_name(name, name);
        take(context, group_of(groups, name), groups->threads[i].weight);
        memset(groups->threads[i].weight, 0, sizeof groups->threads[i].weight);
        groups->threads[i].counted = false;
    }
}
