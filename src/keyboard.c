/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "keyboard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
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

static int standard_input(struct error *error)
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
    int code = dup2(terminal, STDIN_FILENO) < 0 ? standard_input(error) : 0;
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
        return standard_input(error);
    snprintf(path, size, "/dev/fd/%d", copy);
    return 0;
}
