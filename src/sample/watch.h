/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Watchpoints on a running process (--watch): takes sampled accesses, watches the lines of some of
 * them within a budget, and hands over what became of each. Driven by the engine beside the
 * sampler; one thread only.
 */
#ifndef MISSTOP_SAMPLE_WATCH_H
#define MISSTOP_SAMPLE_WATCH_H

#include "base/error.h"
#include "sample/watch_lines.h"

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

struct watch;

/* What it does and costs, for the user. */
struct watch_state {
    unsigned registers;
    size_t threads;
    size_t threads_left_out;
    uint64_t offered; /* sampled accesses that could be watched */
    uint64_t armed;   /* registers set */
    uint64_t unpaid;  /* not set for want of budget */
    uint64_t touches; /* traps */
    double trap_ns;
    double arm_ns;
    double budget; /* part of the target's CPU time */
    double spent;  /* likewise; NAN: not known yet */
    int refused;   /* last error of arming, negative errno; 0: none */
};

/*
 * `part`: of the target's CPU time that may be spent, above 0. Nothing is armed yet. Negative errno
 * with cause and remedy.
 */
int watch_open(struct watch **watch, pid_t pid, double part, struct error *error);
void watch_close(struct watch *watch);

/* Readable when something was touched, or `beside` is readable; -1: none could be had. */
int watch_fd(struct watch *watch, int beside);

void watch_offer(struct watch *watch, const struct watch_offer *offer);

/* Reads what was touched, arms what was drawn. Often: time until then is time not seen. */
void watch_pump(struct watch *watch);

/* The results that ended by then, at most `most`. */
size_t watch_results(struct watch *watch, uint64_t until_ns, struct watch_result *out, size_t most);

/* Once per refresh: threads that came and went. */
void watch_tick(struct watch *watch);

/* The process runs another program now. */
void watch_exec(struct watch *watch);

struct watch_state watch_state(const struct watch *watch);

/* For `misstop doctor`: whether a process has debug registers to be watched by, and what a touch
 * costs; tried on ourselves. */
void watch_doctor(FILE *out);

#endif
