/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/thread_names.h"

#include "base/array.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void thread_names_init(struct thread_names *names)
{
    *names = (struct thread_names){.count = 0};
    hash_init(&names->of_tid);
}

void thread_names_fini(struct thread_names *names)
{
    hash_fini(&names->of_tid);
    free(names->list);
}

static char *make(struct thread_names *names, uint32_t tid)
{
    char(*more)[THREAD_NAME_MAX] =
        array_more(names->list, &names->room, names->count, sizeof *more, THREAD_NAMES_MAX);
    if (!more)
        return NULL;
    names->list = more;
    uint32_t *index = hash_insert(&names->of_tid, tid, NULL);
    if (!index)
        return NULL;
    *index = (uint32_t)names->count;
    return names->list[names->count++];
}

void thread_names_put(struct thread_names *names, uint32_t tid, const char *name)
{
    const uint32_t *index = hash_find(&names->of_tid, tid);
    char *place = index ? names->list[*index] : make(names, tid);
    if (place)
        text_sanitise(place, THREAD_NAME_MAX, name, strlen(name));
}

/* Its place stays empty until the same number comes again: there are few numbers. */
void thread_names_forget(struct thread_names *names, uint32_t tid)
{
    const uint32_t *index = hash_find(&names->of_tid, tid);
    if (index)
        names->list[*index][0] = '\0';
}

void thread_names_forget_all(struct thread_names *names)
{
    hash_clear(&names->of_tid);
    names->count = 0;
}

static bool read_name(pid_t pid, uint32_t tid, char *out, size_t out_size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%u/comm", (int)pid, tid);
    FILE *in = fopen(path, "re");
    size_t got = in ? fread(out, 1, out_size - 1, in) : 0;
    if (in)
        fclose(in);
    out[got] = '\0';
    out[strcspn(out, "\n")] = '\0';
    return got > 0;
}

bool thread_names_get(struct thread_names *names, pid_t pid, uint32_t tid, bool live, char *out,
                      size_t out_size)
{
    char text[THREAD_NAME_MAX];
    const uint32_t *index = hash_find(&names->of_tid, tid);
    if ((!index || !names->list[*index][0]) && live && read_name(pid, tid, text, sizeof text)) {
        thread_names_put(names, tid, text);
        index = hash_find(&names->of_tid, tid);
    }
    if (!index || !names->list[*index][0])
        return false;
    snprintf(out, out_size, "%s", names->list[*index]);
    return true;
}
