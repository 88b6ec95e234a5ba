/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lets the user choose a process on the screen: of this machine, or of a recording. */
#ifndef MISSTOP_PICK_H
#define MISSTOP_PICK_H

#include "base/error.h"
#include "view/view.h"

#include <sys/types.h>

struct perfdata_process;

enum { PICK_QUIT = 0, PICK_BACK = -1 };

/* Its PID, PICK_QUIT, or below -1 a negative errno. */
pid_t pick_running(struct screen *screen, double delay_s, struct error *error);

/* Of the recorded ones: its PID (PERFDATA_IDLE for process 0), PICK_QUIT, PICK_BACK (the list was
 * left) or a negative errno. */
pid_t pick_recorded(struct screen *screen, const struct perfdata_process *list, size_t count,
                    struct error *error);

#endif
