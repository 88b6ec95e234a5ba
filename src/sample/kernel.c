/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/kernel.h"

#include "base/text.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int host_perf_event_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
                                unsigned long flags)
{
    long fd = syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, flags);
    return fd < 0 ? -errno : (int)fd;
}

const struct kernel *kernel_host(void)
{
    static const struct kernel host = {host_perf_event_open, "/sys", "/proc"};
    return &host;
}

bool kernel_text(const char *root, const char *path, char *out, size_t out_size)
{
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%s/%s", root, path);
    long got = text_read_file(name, out, out_size);
    if (got < 0)
        return false;
    out[strcspn(out, "\n")] = '\0';
    return true;
}

long kernel_number(const char *root, const char *path, long missing)
{
    char text[64];
    char *end;
    if (!kernel_text(root, path, text, sizeof text))
        return missing;
    long value = strtol(text, &end, 10);
    return end == text ? missing : value;
}

bool kernel_vendor(const struct kernel *kernel, const char *vendor)
{
    char path[PATH_MAX];
    char text[512];
    snprintf(path, sizeof path, "%s/cpuinfo", kernel->procfs);
    return text_read_file(path, text, sizeof text) > 0 && strstr(text, vendor);
}
