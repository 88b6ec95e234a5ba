/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/process.h"

#include "base/files.h"
#include "base/text.h"
#include "resolve/resolver.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

bool process_stat(pid_t pid, struct process_stat *out)
{
    char path[64];
    char text[1024];
    unsigned long user = 0, system = 0, flags = 0, faults = 0;
    long threads = 0, resident = 0;
    *out = (struct process_stat){0};
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (text_read_file(path, text, sizeof text) <= 0)
        return false;
    /* The name may hold anything, parentheses too: it ends at the last one. */
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

void process_exe(pid_t pid, char *out, size_t out_size)
{
    char path[64];
    char target[4096];
    snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
    ssize_t length = readlink(path, target, sizeof target);
    text_sanitise(out, out_size, target, length > 0 ? (size_t)length : 0);
}

/* Where a page is missing, the kernel stops there and tells how far it came. */
size_t process_read_some(pid_t pid, uint64_t address, void *out, size_t size)
{
    size_t used = 0;
    while (used < size) {
        struct iovec local = {(char *)out + used, size - used};
        struct iovec remote = {(void *)(uintptr_t)(address + used), size - used};
        ssize_t got = process_vm_readv(pid, &local, 1, &remote, 1, 0);
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

static int check_program(pid_t pid, const struct process_stat *stat, struct error *error)
{
    char path[64];
    unsigned char ident[EI_NIDENT] = {0};
    snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
    int fd = files_open(path);
    if (fd == -EACCES || fd == -EPERM)
        return error_set(error, -EACCES,
                         "process %d (%s): permission denied: it belongs to another user or may "
                         "not be traced; try sudo",
                         (int)pid, stat->comm);
    if (fd < 0)
        return error_set(error, -ESRCH, "process %d (%s) has no program: %s", (int)pid, stat->comm,
                         strerror(-fd));
    ssize_t got = read(fd, ident, sizeof ident);
    close(fd);
    if (got == sizeof ident && ident[EI_CLASS] == ELFCLASS32)
        return error_set(error, -ENOEXEC,
                         "process %d (%s) is a 32-bit program; misstop reads 64-bit ones only",
                         (int)pid, stat->comm);
    return 0;
}

int resolver_check(pid_t pid, struct error *error)
{
    struct process_stat stat;
    if (!process_stat(pid, &stat))
        return error_set(error, -ESRCH,
                         "no process %d: it is gone or never was; ps -e lists what there is",
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
