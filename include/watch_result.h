/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sample -> profile: how one hardware watchpoint ended (--watch). A plain value; made by
 * src/sample/watch_lines.c, where the legs of a watch and its visits are explained.
 */
#ifndef MISSTOP_WATCH_RESULT_H
#define MISSTOP_WATCH_RESULT_H

#include <stdint.h>

enum watch_kind {
    WATCH_FIRST, /* from a sampled access until its line was touched again */
    WATCH_AGAIN, /* from that touch until the next one */
    WATCH_VISIT  /* whether another word of the line was touched about when the sampled one was */
};

enum watch_end {
    WATCH_TOUCHED,  /* of a visit: the other word was, too */
    WATCH_EXPIRED,  /* not touched for as long as a watch may last; of a visit: the word was not */
    WATCH_REPLACED, /* another sample was drawn for the debug register */
    WATCH_DROPPED   /* the memory became something else, or the process another program */
};

struct watch_result {
    uint8_t kind; /* enum watch_kind */
    uint8_t end;  /* enum watch_end */
    uint32_t object;
    uint32_t origin_tid;
    uint32_t toucher_tid;
    uint64_t address;   /* of the word watched: 8 bytes */
    uint64_t base;      /* of the instance that the sampled access fell on */
    uint64_t origin_ns; /* of the access that time counts from */
    uint64_t armed_ns;  /* what happened before was not seen */
    uint64_t end_ns;
    uint64_t ip; /* of the instruction after the one that touched; 0: not touched */
};

#endif
