/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of struct snapshot (snapshot.h, where its rules stand): every pair of an instruction and an
 * object, for profiles that other viewers read. Costs a look at each pair, so it is made only for
 * a profile that was told so (profile_want_accesses()). */
#ifndef MISSTOP_SNAPSHOT_ACCESS_H
#define MISSTOP_SNAPSHOT_ACCESS_H

#include "place.h"

#include <stdint.h>

struct snapshot_access {
    uint64_t address; /* of the instruction; 0: all those of the object that are not kept apart */
    const char *function;      /* NULL: address is 0 */
    const char *function_file; /* where it begins; NULL, 0: not known, like the next four */
    uint32_t function_line;
    const char *file; /* of the instruction */
    uint32_t line;
    const char *inlined;             /* "min < clamp": functions inlined there; NULL: none */
    const struct mapping_desc *code; /* where the instruction lies */
    const char *object;
    enum object_kind kind;
    const char *module; /* of the object; "" */
    const char *type;   /* of the object; NULL */
    const char *field;  /* NULL */
    double samples;     /* add up to those attributed, like the next two to their totals */
    double weight;      /* events: the object's, in proportion to the samples */
    double cycles;      /* weight times the object's mean latency; NAN: not measured */
};

#endif
