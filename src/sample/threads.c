/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/threads.h"

#include "base/array.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

void threads_fini(struct threads *threads)
{
    free(threads->tids);
    *threads = (struct threads){0};
}

static int compare(const void *a, const void *b)
{
    pid_t x = *(const pid_t *)a;
    pid_t y = *(const pid_t *)b;
    return (x > y) - (x < y);
}

static int append(struct threads *threads, pid_t tid)
{
    pid_t *more =
        array_more(threads->tids, &threads->room, threads->count, sizeof *more, ARRAY_UNBOUNDED);
    if (!more)
        return -ENOMEM;
    threads->tids = more;
    threads->tids[threads->count++] = tid;
    return 0;
}

int threads_read(struct threads *threads, const struct kernel *kernel, pid_t pid)
{
    char path[64];
    struct dirent *entry;
    int code = 0;
    snprintf(path, sizeof path, "%s/%d/task", kernel->procfs, (int)pid);
    DIR *folder = opendir(path);
    if (!folder)
        return errno == ENOENT ? -ESRCH : -errno;
    threads->count = 0;
    while (!code && (entry = readdir(folder)))
        if (entry->d_name[0] != '.')
            code = append(threads, (pid_t)atoi(entry->d_name));
    closedir(folder);
    if (threads->count)
        qsort(threads->tids, threads->count, sizeof *threads->tids, compare);
    return code ? code : threads->count ? 0 : -ESRCH;
}

bool threads_has(const struct threads *threads, pid_t tid)
{
    return threads->count &&
           bsearch(&tid, threads->tids, threads->count, sizeof *threads->tids, compare);
}

pid_t threads_leader(const struct kernel *kernel, pid_t tid)
{
    char path[64];
    char line[256];
    int leader = -1;
    snprintf(path, sizeof path, "%s/%d/status", kernel->procfs, (int)tid);
    FILE *file = fopen(path, "re");
    if (!file)
        return -1;
    while (leader < 0 && fgets(line, sizeof line, file))
        if (sscanf(line, "Tgid: %d", &leader) != 1)
            leader = -1;
    fclose(file);
    return leader;
}
