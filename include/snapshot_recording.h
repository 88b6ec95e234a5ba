/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of struct snapshot (snapshot.h, where its rules stand): the recording that is replayed. */
#ifndef MISSTOP_SNAPSHOT_RECORDING_H
#define MISSTOP_SNAPSHOT_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

struct snapshot_recording {
    const char *host;
    const char *cpu;       /* "Intel(R) Xeon(R) ..." */
    const char *kernel;    /* "5.4.0-42-generic x86_64" */
    const char *command;   /* of the recorder */
    const char *date;      /* "2026-11-21 12:03:11" local time */
    bool date_exact;       /* when it began; else when the file was last written */
    double position_s;     /* since the process was first sampled; NAN: without times */
    double length_s;       /* to its last sample; NAN: not known */
    uint32_t processes;    /* with samples; 0: not known */
    double process_share;  /* of the process shown, of all their samples; NAN: not known */
    const char *others;    /* "12 (xz), 13 (cat)": the strongest of the others */
    const char *addresses; /* how many samples have one, or registers to compute it from */
    const char *note;      /* what is missing, damaged or cannot be used */
};

#endif
