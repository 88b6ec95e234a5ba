/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int open_terminal(struct error *error)
{
    int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC);
    return terminal >= 0 ? terminal
                         : error_set(error, -ENOTTY,
                                     "no terminal to read keys from (/dev/tty: %s); -b prints "
                                     "tables instead",
                                     strerror(errno));
}

static int standard_input_error(struct error *error)
{
    int code = -errno;
    return error_set(error, code, "standard input: %s", strerror(-code));
}

int keyboard_check(struct error *error)
{
    if (!isatty(STDOUT_FILENO))
        return error_set(error, -ENOTTY,
                         "the screen needs a terminal on standard output; -b prints tables "
                         "instead");
    if (isatty(STDIN_FILENO))
        return 0;
    int terminal = open_terminal(error);
    return terminal < 0 ? terminal : close(terminal);
}

int keyboard_take(struct error *error)
{
    if (isatty(STDIN_FILENO))
        return 0;
    int terminal = open_terminal(error);
    if (terminal < 0)
        return terminal;
    int code = dup2(terminal, STDIN_FILENO) < 0 ? standard_input_error(error) : 0;
    close(terminal);
    return code;
}

int keyboard_leave(char *path, size_t size, struct error *error)
{
    *path = '\0';
    if (isatty(STDIN_FILENO))
        return 0;
    int copy = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    if (copy < 0)
        return standard_input_error(error);
    snprintf(path, size, "/dev/fd/%d", copy);
    return 0;
}

static void signals_fill(sigset_t *set)
{
    /* Signals that would end the program by default with the terminal unrestored, and those that
     * misstop handles itself. */
    static const int signals[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,   SIGWINCH, SIGTSTP,
                                  SIGCHLD, SIGUSR1, SIGUSR2, SIGALRM,   SIGPROF,  SIGVTALRM,
                                  SIGIO,   SIGPWR,  SIGXCPU, SIGSTKFLT, SIGXFSZ};
    sigemptyset(set);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaddset(set, signals[i]);
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
        sigaddset(set, number);
}

void signals_note(struct signal_dispositions *before)
{
    struct sigaction action;
    sigprocmask(SIG_SETMASK, NULL, &before->mask);
    sigemptyset(&before->ignored);
    for (int number = 1; number < NSIG; number++)
        if (!sigaction(number, NULL, &action) && action.sa_handler == SIG_IGN)
            sigaddset(&before->ignored, number);
}

void signals_restore(const struct signal_dispositions *before)
{
    struct sigaction action;
    for (int number = 1; number < NSIG; number++) {
        bool was_ignored = sigismember(&before->ignored, number) == 1;
        if (!sigaction(number, NULL, &action) && was_ignored != (action.sa_handler == SIG_IGN))
            signal(number, was_ignored ? SIG_IGN : SIG_DFL);
    }
    sigprocmask(SIG_SETMASK, &before->mask, NULL);
}

void signals_block(void)
{
    sigset_t set;
    signals_fill(&set);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
}

int signals_open(void)
{
    sigset_t set;
    signals_fill(&set);
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return fd < 0 ? -errno : fd;
}
