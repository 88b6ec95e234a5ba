/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "refresh_timer.h"

#include <errno.h>
#include <math.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

int refresh_timer_arm(int fd, double delay_s)
{
    struct timespec step = {.tv_sec = (time_t)delay_s,
                            .tv_nsec = (long)((delay_s - floor(delay_s)) * 1e9)};
    struct itimerspec timer = {.it_interval = step, .it_value = step};
    return timerfd_settime(fd, 0, &timer, NULL) ? -errno : 0;
}

int refresh_timer_open(double delay_s)
{
    int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (fd < 0)
        return -errno;
    int code = refresh_timer_arm(fd, delay_s);
    if (code)
        close(fd);
    return code ? code : fd;
}

double refresh_timer_step(double delay_s, int direction)
{
    static const double steps[] = {0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60};
    enum { STEPS = sizeof steps / sizeof *steps };
    int i = 0;
    while (i < STEPS - 1 && steps[i] < delay_s * 0.999)
        i++;
    i += direction;
    return steps[i < 0 ? 0 : i >= STEPS ? STEPS - 1 : i];
}
