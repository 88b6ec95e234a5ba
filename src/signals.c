/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "signals.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/signalfd.h>

static void signals_fill(sigset_t *set)
{
    /* All that would end the program by default, with the terminal as it is. */
    static const int signals[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,   SIGWINCH, SIGTSTP,
                                  SIGCHLD, SIGUSR1, SIGUSR2, SIGALRM,   SIGPROF,  SIGVTALRM,
                                  SIGIO,   SIGPWR,  SIGXCPU, SIGSTKFLT, SIGXFSZ};
    sigemptyset(set);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaddset(set, signals[i]);
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
        sigaddset(set, number);
}

void signals_note(struct signals_before *before)
{
    struct sigaction action;
    sigprocmask(SIG_SETMASK, NULL, &before->mask);
    sigemptyset(&before->ignored);
    for (int number = 1; number < NSIG; number++)
        if (!sigaction(number, NULL, &action) && action.sa_handler == SIG_IGN)
            sigaddset(&before->ignored, number);
}

void signals_restore(const struct signals_before *before)
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
