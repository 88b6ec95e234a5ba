/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "piped_input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int piped_input(const char *input, char *path, size_t size, struct error *error)
{
    *path = '\0';
    if (strcmp(input, "-") || isatty(STDIN_FILENO))
        return 0;
    int recording = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC);
    int code = recording < 0 || terminal < 0 || dup2(terminal, STDIN_FILENO) < 0 ? -errno : 0;
    if (code)
        error_set(error, code,
                  "no terminal to read keys from (/dev/tty: %s); -b prints tables instead",
                  strerror(-code));
    else
        snprintf(path, size, "/dev/fd/%d", recording);
    if (terminal >= 0)
        close(terminal);
    return code;
}
