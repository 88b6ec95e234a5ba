/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of struct snapshot (snapshot.h, where its rules stand): objects, and what is known of each.
 */
#ifndef MISSTOP_SNAPSHOT_OBJECT_H
#define MISSTOP_SNAPSHOT_OBJECT_H

#include "place.h"
#include "sample.h"
#include "snapshot_code.h"
#include "snapshot_layout.h"
#include "snapshot_levels.h"
#include "snapshot_rates.h"
#include "snapshot_share.h"
#include "snapshot_use.h"

#include <stddef.h>
#include <stdint.h>

#define SNAPSHOT_HISTORY 32 /* refreshes in an object's sparkline */

struct snapshot_instance {
    uint64_t base;
    uint64_t size;
    double samples;    /* by weight, as an object's */
    double count_over; /* the same */
    double share;      /* of its object */
    uint32_t tid; /* thread that missed most on it */
};

struct snapshot_object {
    uint32_t id;
    const char *name;
    const char *module;
    const char *type;          /* NULL: not known */
    uint32_t type_id;          /* of its elements; 0: not known */
    uint32_t type_votes;       /* accesses by code that gave it; 0: declared */
    uint32_t type_against;     /* that say another */
    double typed[TYPED_COUNT]; /* parts of samples */
    enum object_kind kind;
    uint64_t address;
    uint64_t size;
    uint32_t blocks;
    uint32_t bin;                /* index into heap.bins, UINT32_MAX: no heap bin */
    double samples;              /* ranking event, under the basis, by weight: of mean weight */
    double count_over;           /* samples counted, less these: 0 where all weigh the same */
    struct snapshot_share share; /* of all attributed weight of the ranking event */
    double loads;                /* parts of samples; the rest is of unknown kind */
    double stores;
    double inferred; /* part of samples whose address is inferred, not computed */
    double event_share[SAMPLE_EVENTS_MAX]; /* of each event's attributed weight; NAN: none */
    double latency;                        /* mean, cycles; NAN */
    struct snapshot_levels *levels;        /* NULL: the source tells nothing of it */
    struct snapshot_rates *rates;          /* the same */
    struct snapshot_use *use;              /* the same, of the lines it fetched */
    uint64_t element_size;                 /* inferred stride; 0: none */
    double element_confidence;             /* 0..1 */
    uint32_t threads;                      /* distinct threads seen, capped at 255 */
    float history[SNAPSHOT_HISTORY]; /* weight per refresh as a share of the refresh, oldest first;
                                        NAN before start */
    struct snapshot_field *fields;   /* most samples first */
    size_t field_count;
    struct snapshot_layout *layouts; /* types seen in it, most samples first */
    size_t layout_count;
    struct snapshot_code *code;
    size_t code_count;
    struct snapshot_instance *instances;
    size_t instance_count;
};

#endif
