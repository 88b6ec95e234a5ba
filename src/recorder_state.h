/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recorder, shared by recorder.c (the files), recorder_names.c (what the tables ask) and
 * recorder_lines.c. Private to them. */
#ifndef MISSTOP_RECORDER_STATE_H
#define MISSTOP_RECORDER_STATE_H

#include "recorder.h"
#include "sample/perfdata_write.h"
#include "store/store_write.h"
#include "store/thinning.h"

#include <limits.h>
#include <sys/utsname.h>

struct recorder {
    struct recorder_options options;
    struct place_names names; /* the resolver's */
    struct perfdata_writer *perfdata;
    struct store_writer *store; /* NULL: it could not be begun after a rotation */
    uint64_t mark;
    uint16_t ranking; /* as it was told last */
    struct utsname machine;
    struct snapshot_simulation simulation; /* as the last refresh showed it, like the next */
    struct snapshot_watch watch;           /* without its objects */
    struct snapshot_whatifs whatif;        /* valid while a refresh is recorded */
    struct thinning reuses;                /* of lines: a program may make millions a second */
    char path[PATH_MAX];
    int told[2]; /* the error last said of each file: said once */
    char trouble[600];
};

/* As a refresh begins: pairs as they are now. (recorder_lines.c) */
void recorder_take_pairs(struct recorder *recorder);

#endif
