/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/text.h"

int error_set(struct error *error, int code, const char *format, ...)
{
    if (!error)
        return code;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    error->code = code;
    return code;
}

static void explain_descriptors(char out[ERROR_CAUSE])
{
    enum { PLENTY = 4096 };
    struct rlimit limit = {0};
    getrlimit(RLIMIT_NOFILE, &limit);
    unsigned long now = (unsigned long)limit.rlim_cur;
    unsigned long most = limit.rlim_max < PLENTY ? (unsigned long)limit.rlim_max : PLENTY;
    if (most > now)
        snprintf(out, ERROR_CAUSE,
                 "the limit of %lu open files (RLIMIT_NOFILE) is reached; ulimit -n %lu raises it",
                 now, most);
    else
        snprintf(out, ERROR_CAUSE,
                 "the limit of %lu open files (RLIMIT_NOFILE, the hard one too) is reached; start "
                 "misstop where ulimit -n is more: sudo prlimit --pid $$ --nofile=%d raises it for "
                 "this shell",
                 now, PLENTY);
}

const char *error_cause(int code, char out[ERROR_CAUSE])
{
    switch (-code) {
    case EMFILE:
        explain_descriptors(out);
        break;
    case ENFILE:
        snprintf(
            out, ERROR_CAUSE,
            "the system has no more open files; sudo sysctl fs.file-max=N with more allows it");
        break;
    case ENOSPC:
        snprintf(out, ERROR_CAUSE, "the disk is full; free space or name another place");
        break;
    case EDQUOT:
        snprintf(out, ERROR_CAUSE, "your quota is used up; free space or name another place");
        break;
    default:
        snprintf(out, ERROR_CAUSE, "%s", strerror(-code));
    }
    return out;
}

static bool has_ptrace_capability(void)
{
    enum { CAPABILITY_SYS_PTRACE = 19 };
    static const char name[] = "\nCapEff:";
    char text[8192];
    const char *line =
        text_read_file("/proc/self/status", text, sizeof text) > 0 ? strstr(text, name) : NULL;
    return line && strtoull(line + sizeof name - 1, NULL, 16) >> CAPABILITY_SYS_PTRACE & 1;
}

static bool forbids_tracing(void)
{
    char text[16];
    return text_read_file("/proc/sys/kernel/yama/ptrace_scope", text, sizeof text) > 0 &&
           atoi(text) >= 3;
}

const char *error_rights_remedy(void)
{
    if (geteuid())
        return "try sudo";
    if (forbids_tracing())
        return "kernel.yama.ptrace_scope is 3, which forbids it to root as well until a reboot";
    if (!has_ptrace_capability())
        return "root lacks CAP_SYS_PTRACE here, as in a container: run misstop outside, or start "
               "the container with it (docker run --cap-add SYS_PTRACE)";
    return "a security module (SELinux, AppArmor), a user namespace or a sandbox forbids it to "
           "root "
           "as well: run misstop outside of it";
}
