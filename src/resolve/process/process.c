/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/process/process.h"

#include <ctype.h>
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <math.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/text.h"
#include "resolve/resolver.h"

static bool read_stat(const char *path, struct process_stat *out)
{
    char text[1024];
    unsigned long user = 0, system = 0, flags = 0, faults = 0;
    long threads = 0, resident = 0;
    *out = (struct process_stat){0};
    if (text_read_file(path, text, sizeof text) <= 0)
        return false;
    /* The name may contain anything, including parentheses: it ends at the last one. */
    char *open = strchr(text, '(');
    char *close = strrchr(text, ')');
    if (!open || !close || close < open)
        return false;
    text_sanitise(out->comm, sizeof out->comm, open + 1, (size_t)(close - open - 1));
    sscanf(
        close + 1,
        " %c %*d %*d %*d %*d %*d %lu %lu %*u %*u %*u %lu %lu %*d %*d %*d %*d %ld %*d %*u %*u %ld",
        &out->state, &flags, &faults, &user, &system, &threads, &resident);
    out->flags = flags;
    out->threads = (uint32_t)threads;
    out->cpu_ticks = user + system;
    out->system_ticks = system;
    out->minor_faults = faults;
    out->resident_bytes = resident > 0 ? (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
    return true;
}

bool process_stat(pid_t pid, struct process_stat *out)
{
    char path[64];
    struct process_stat other;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (!read_stat(path, out))
        return false;
    if (out->state != 'Z' || out->threads < 2)
        return true;
    /* The first thread has ended; state and memory are those of the other threads. */
    pid_t tid = files_proc_tid(pid);
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)pid, (int)tid);
    if (tid != pid && read_stat(path, &other)) {
        out->state = other.state;
        out->resident_bytes = other.resident_bytes;
    }
    return true;
}

void process_exe(pid_t pid, char *out, size_t out_size)
{
    char path[64];
    char target[4096];
    snprintf(path, sizeof path, "/proc/%d/exe", (int)files_proc_tid(pid));
    ssize_t length = readlink(path, target, sizeof target);
    text_sanitise(out, out_size, target, length > 0 ? (size_t)length : 0);
}

/* Reads in pieces: the kernel stops at a missing page and returns the bytes read so far. */
size_t process_read_some(pid_t pid, uint64_t address, void *out, size_t size)
{
    size_t used = 0;
    while (used < size) {
        struct iovec local = {(char *)out + used, size - used};
        struct iovec remote = {(void *)(uintptr_t)(address + used), size - used};
        ssize_t got = process_vm_readv(pid, &local, 1, &remote, 1, 0);
        if (got < 0 && errno == ESRCH && !used) {
            pid_t other = files_proc_tid(pid);
            got = other == pid ? got : process_vm_readv(other, &local, 1, &remote, 1, 0);
        }
        if (got <= 0)
            break;
        used += (size_t)got;
    }
    return used;
}

bool process_read(pid_t pid, uint64_t address, void *out, size_t size)
{
    return process_read_some(pid, address, out, size) == size;
}

bool process_rights(pid_t pid, struct process_rights *rights)
{
    char path[64];
    char text[4096];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d", (int)pid);
    if (stat(path, &status))
        return false;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    const char *line = text_read_file(path, text, sizeof text) > 0 ? strstr(text, "\nUid:") : NULL;
    if (!line || sscanf(line + 5, "%u %u", &rights->real, &rights->effective) != 2)
        return false;
    rights->is_root_owned = rights->effective && !status.st_uid;
    snprintf(path, sizeof path, "/proc/%d/exe", (int)files_proc_tid(pid));
    rights->setuid = stat(path, &status) || status.st_mode & S_ISUID;
    return true;
}

static const char *denial_reason(pid_t pid)
{
    struct process_rights rights;
    if (!process_rights(pid, &rights))
        return "it may not be traced";
    if (rights.real != rights.effective)
        return "its program is setuid";
    if (rights.effective != geteuid() && geteuid())
        return "it belongs to another user";
    if (rights.is_root_owned)
        return "its program is setgid, has capabilities or may not be read";
    return "it may not be traced";
}

/* Returns true if descriptors ran out, which does not mean that a process is gone. */
static bool lacks_descriptors(void)
{
    return errno == EMFILE || errno == ENFILE;
}

static int check_program(pid_t pid, const struct process_stat *stat, struct error *error)
{
    char path[64];
    char cause[ERROR_CAUSE];
    unsigned char ident[EI_NIDENT] = {0};
    snprintf(path, sizeof path, "/proc/%d/exe", (int)files_proc_tid(pid));
    int fd = files_open(path);
    if (fd == -EACCES || fd == -EPERM)
        return error_set(error, -EACCES, "process %d (%s): permission denied: %s; %s", (int)pid,
                         stat->comm, denial_reason(pid), error_rights_remedy());
    if (fd == -EMFILE || fd == -ENFILE)
        return error_set(error, fd, "process %d (%s): %s", (int)pid, stat->comm,
                         error_cause(fd, cause));
    if (fd < 0)
        return error_set(error, -ESRCH, "process %d (%s) has no program: %s", (int)pid, stat->comm,
                         strerror(-fd));
    ssize_t got = read(fd, ident, sizeof ident);
    close(fd);
    if (got == sizeof ident && ident[EI_CLASS] == ELFCLASS32)
        return error_set(
            error, -ENOEXEC,
            "process %d (%s) is a 32-bit program; misstop supports only 64-bit programs", (int)pid,
            stat->comm);
    return 0;
}

int resolver_check(pid_t pid, struct error *error)
{
    struct process_stat stat;
    char cause[ERROR_CAUSE];
    bool there = process_stat(pid, &stat);
    if (!there && lacks_descriptors())
        return error_set(error, -errno, "process %d: %s", (int)pid, error_cause(-errno, cause));
    if (!there)
        return error_set(error, -ESRCH,
                         "no process %d: it has ended or never existed; ps -e lists the processes",
                         (int)pid);
    if (stat.flags & PROCESS_PF_KTHREAD)
        return error_set(error, -ENOTSUP,
                         "process %d (%s) is a kernel thread: it has no memory of its own",
                         (int)pid, stat.comm);
    if (stat.state == 'Z' || stat.state == 'X')
        return error_set(error, -ESRCH,
                         "process %d (%s) has ended: a zombie that its parent has not waited for",
                         (int)pid, stat.comm);
    return check_program(pid, &stat, error);
}

/* The processes a user may choose from: the user's own, or all for root; no kernel threads. */

enum { PROCESS_LIST_MAX = 4096 };

struct resolver_process_list {
    struct resolver_process *entries;
    struct hash ticks_before; /* pid -> CPU ticks at the last read */
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
    *entry = (struct resolver_process){.pid = pid,
                                       .threads = stat.threads,
                                       .cpu_percent = NAN,
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

static int compare_cpu_use(const void *a, const void *b)
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
    qsort(list->entries, count, sizeof *list->entries, compare_cpu_use);
    *entries = list->entries;
    return count;
}
