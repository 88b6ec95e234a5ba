/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/confine.h"

#include "base/text.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CONFINE_NICE = 5, CONFINE_FDS_MAX = 1 << 16 };

/* Whatever calls exit(), libdw when it is out of memory for one, must not run handlers that
 * misstop has registered: they restore the terminal. The last registered runs first. */
static void end_here(void)
{
    _exit(EXIT_FAILURE);
}

static void end_with_parent(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
}

/* Ctrl-C, Ctrl-\ and Ctrl-Z at the terminal are for misstop, in whose process group this stays:
 * it ends the process when it wants to. */
static void reset_signals(void)
{
    static const int ignored[] = {SIGINT, SIGQUIT, SIGTSTP, SIGHUP, SIGPIPE, SIGTTIN, SIGTTOU};
    sigset_t none;
    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_DFL); /* fails for the two that cannot be caught */
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Files have a path; what is a file by its mode alone (newer kernels say so of some) has none. */
static bool is_file(int folder, const char *name, int fd)
{
    char start;
    struct stat status;
    return !fstat(fd, &status) && S_ISREG(status.st_mode) &&
           readlinkat(folder, name, &start, 1) == 1 && start == '/';
}

/* Samplers, the agent's socket, the terminal and other readers' sockets stay open as long as
 * somebody has them; files do no harm, and some are those that will be read. */
static void close_others(int keep)
{
    DIR *folder = opendir("/proc/self/fd");
    struct dirent *entry;
    if (!folder)
        _exit(EXIT_FAILURE);
    while ((entry = readdir(folder))) {
        int fd = atoi(entry->d_name);
        if (fd > STDERR_FILENO && fd != keep && fd != dirfd(folder) &&
            !is_file(dirfd(folder), entry->d_name, fd))
            close(fd);
    }
    closedir(folder);
}

/* A sanitizer writes there what it finds, for tests to see; not to a terminal. */
static bool keeps_errors(void)
{
#if defined __SANITIZE_ADDRESS__
    return !isatty(STDERR_FILENO);
#elif defined __has_feature
#if __has_feature(address_sanitizer)
    return !isatty(STDERR_FILENO);
#endif
#endif
    return false;
}

static void leave_terminal(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    int last = keeps_errors() ? STDOUT_FILENO : STDERR_FILENO;
    if (null < 0)
        _exit(EXIT_FAILURE);
    for (int fd = STDIN_FILENO; fd <= last; fd++)
        dup2(null, fd);
    if (null > STDERR_FILENO)
        close(null);
}

static void limit(int resource, uint64_t most)
{
    struct rlimit limits;
    if (getrlimit(resource, &limits))
        return;
    if (limits.rlim_max == RLIM_INFINITY || limits.rlim_max > most)
        limits.rlim_max = most;
    limits.rlim_cur = limits.rlim_max;
    setrlimit(resource, &limits);
}

static uint64_t address_space_bytes(void)
{
    char text[128];
    long got = text_read_file("/proc/self/statm", text, sizeof text);
    return got > 0 ? strtoull(text, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

/* Where memory runs out, this goes before the target and misstop. */
static void be_killed_first(void)
{
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    if (write(fd, "1000", 4) < 0)
        nice(0); /* as well as it goes */
    close(fd);
}

int confine(int fd, pid_t parent, uint64_t memory_bytes)
{
    int keep = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (keep < 0)
        _exit(EXIT_FAILURE);
    atexit(end_here);
    end_with_parent(parent);
    reset_signals();
    close_others(keep);
    leave_terminal();
    prctl(PR_SET_NAME, "misstop-types");
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    be_killed_first();
    if (nice(CONFINE_NICE) == -1)
        setpriority(PRIO_PROCESS, 0, CONFINE_NICE);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_AS, address_space_bytes() + memory_bytes);
    return keep;
}

void confine_cpu(uint64_t more_ms)
{
    struct rusage used;
    struct rlimit limits;
    if (getrusage(RUSAGE_SELF, &used) || getrlimit(RLIMIT_CPU, &limits))
        return;
    limits.rlim_cur =
        (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 2 + (more_ms + 999) / 1000;
    if (limits.rlim_cur > limits.rlim_max)
        limits.rlim_cur = limits.rlim_max;
    setrlimit(RLIMIT_CPU, &limits);
}
