/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the answers of perf_event_open mean to a user, and what helps. */
#include "sample/source.h"

#include <errno.h>
#include <string.h>
static int explain_access(const struct source_plan *plan, const char *what,
                          const struct kernel *kernel, struct error *error)
{
    long paranoid = kernel_number(kernel->procfs, "sys/kernel/perf_event_paranoid", -100);
    int enough = plan->kernel_too ? 1 : 2;
    if (paranoid > enough)
        return error_set(error, -EACCES,
                         "%s: permission denied: perf_event_paranoid is %ld; sudo sysctl "
                         "kernel.perf_event_paranoid=%d allows it for your own processes, or give "
                         "misstop alone the right: sudo setcap cap_perfmon+ep on its file",
                         what, paranoid, enough);
    return error_set(error, -EACCES,
                     "%s: permission denied: the process belongs to another user or may not be "
                     "traced, or a seccomp filter forbids perf_event_open; %s",
                     what, error_rights_remedy());
}

static int explain_files(int code, const char *what, struct error *error)
{
    char cause[ERROR_CAUSE];
    return error_set(error, code, "%s: more file descriptors are needed: %s", what,
                     error_cause(code, cause));
}

int source_explain(const struct source *source, int code, const struct source_plan *plan,
                   const char *what, const struct kernel *kernel, struct error *error)
{
    const char *remedy = source->remedy ? source->remedy(code, kernel) : NULL;
    if (remedy)
        return error_set(error, code == -EINVAL ? -ENOTSUP : code, "%s: %s", what, remedy);
    switch (-code) {
    case EACCES:
    case EPERM:
        return explain_access(plan, what, kernel, error);
    case ENOENT:
    case EOPNOTSUPP:
    case ENODEV:
        return error_set(error, code, "%s: this CPU or virtual machine does not count it (%s)",
                         what, strerror(-code));
    case EMFILE:
    case ENFILE:
        return explain_files(code, what, error);
    case EBUSY:
        return error_set(error, code,
                         "%s: the counter is in use by somebody else; stop other "
                         "profilers (and sudo sysctl kernel.nmi_watchdog=0)",
                         what);
    case ENOSYS:
        return error_set(error, code,
                         "%s: this kernel or sandbox has no perf_event_open; run "
                         "misstop outside of it",
                         what);
    case ESRCH:
        return error_set(error, code, "%s: the process is gone", what);
    case EINVAL:
        return error_set(error, -ENOTSUP,
                         "%s: the kernel refuses these attributes (EINVAL); take "
                         "another event with -e or another source with -s",
                         what);
    default:
        return error_set(error, code, "%s: %s", what, strerror(-code));
    }
}
