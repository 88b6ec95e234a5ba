/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processes a user may choose from: his own, or all for root; no kernel threads. */
#include "resolve/resolver.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/text.h"
#include "resolve/process.h"

#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PROCESS_LIST_MAX = 4096 };

struct resolver_process_list {
    struct resolver_process *entries;
    struct hash ticks_before; /* pid to CPU ticks at the last reading */
    uint64_t read_ns;
};

struct resolver_process_list *resolver_process_list_new(void)
{
    struct resolver_process_list *list = calloc(1, sizeof *list);
    if (list)
        list->entries = calloc(PROCESS_LIST_MAX, sizeof *list->entries);
    if (list && !list->entries) {
        free(list);
        return NULL;
    }
    return list;
}

void resolver_process_list_free(struct resolver_process_list *list)
{
    hash_fini(&list->ticks_before);
    free(list->entries);
    free(list);
}

static void read_command(pid_t pid, const char *comm, char *out, size_t out_size)
{
    char path[64];
    char text[1024];
    snprintf(path, sizeof path, "/proc/%d/cmdline", (int)pid);
    long size = text_read_file(path, text, sizeof text);
    for (long i = 0; i + 1 < size; i++)
        if (!text[i])
            text[i] = ' ';
    if (size > 0)
        text_sanitise(out, out_size, text, (size_t)size);
    else
        snprintf(out, out_size, "[%s]", comm);
}

static void read_user(uid_t uid, char *out, size_t out_size)
{
    struct passwd *user = getpwuid(uid);
    if (user)
        text_sanitise(out, out_size, user->pw_name, strlen(user->pw_name));
    else
        snprintf(out, out_size, "%u", (unsigned)uid);
}

static bool read_entry(struct resolver_process_list *list, pid_t pid, double seconds,
                       struct resolver_process *entry)
{
    char path[64];
    struct stat owner;
    struct process_stat stat;
    bool created = false;
    snprintf(path, sizeof path, "/proc/%d", (int)pid);
    if (lstat(path, &owner) || (geteuid() && owner.st_uid != geteuid()) ||
        !process_stat(pid, &stat) || stat.flags & PROCESS_PF_KTHREAD || stat.state == 'Z' ||
        pid == getpid())
        return false;
    *entry = (struct resolver_process){.pid = pid, .threads = stat.threads, .cpu_percent = NAN,
                                       .resident_bytes = stat.resident_bytes,
                                       .state = stat.state};
    read_command(pid, stat.comm, entry->command, sizeof entry->command);
    read_user(owner.st_uid, entry->user, sizeof entry->user);
    uint32_t *before = hash_insert(&list->ticks_before, (uint64_t)pid, &created);
    if (before && !created && seconds > 0)
        entry->cpu_percent = 100.0 * (double)(uint32_t)((uint32_t)stat.cpu_ticks - *before) /
                             (double)sysconf(_SC_CLK_TCK) / seconds;
    if (before)
        *before = (uint32_t)stat.cpu_ticks;
    return true;
}

static int busier(const void *a, const void *b)
{
    const struct resolver_process *x = a;
    const struct resolver_process *y = b;
    double left = isnan(x->cpu_percent) ? 0 : x->cpu_percent;
    double right = isnan(y->cpu_percent) ? 0 : y->cpu_percent;
    if (left != right)
        return left > right ? -1 : 1;
    return x->pid < y->pid ? 1 : -1;
}

size_t resolver_process_list_read(struct resolver_process_list *list,
                                  const struct resolver_process **entries)
{
    uint64_t now = clock_now_ns();
    double seconds = list->read_ns ? (double)(now - list->read_ns) / CLOCK_NS_PER_S : 0;
    struct dirent *entry;
    size_t count = 0;
    DIR *folder = opendir("/proc");
    while (folder && (entry = readdir(folder)) && count < PROCESS_LIST_MAX)
        if (isdigit((unsigned char)entry->d_name[0]))
            count += read_entry(list, (pid_t)atoi(entry->d_name), seconds, &list->entries[count]);
    if (folder)
        closedir(folder);
    list->read_ns = now;
    qsort(list->entries, count, sizeof *list->entries, busier);
    *entries = list->entries;
    return count;
}
