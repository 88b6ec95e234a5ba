/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Types small enough to check by hand, as debug information would describe them. */
#ifndef MISSTOP_UNIT_RESOLVE_SMALL_TYPES_H
#define MISSTOP_UNIT_RESOLVE_SMALL_TYPES_H

#include "resolve/typing.h"

extern const struct type_desc small_int;      /* 4 bytes */
extern const struct type_desc small_double;   /* 8 bytes */
extern const struct type_desc small_pointer;  /* struct node * */
extern const struct type_desc small_node;     /* 16: next 0, value 8 (int), padding 12..15 */
extern const struct type_desc small_vec3;     /* 24: x 0, y 8, z 16 */
extern const struct type_desc small_particle; /* 64: pos 0 (vec3), vel 24 (vec3), mass 48, id 56
                                                 (int), then at 60 alive:1, kind:9 from bit 8 */
extern const struct type_desc small_other;    /* 64: a 0, b 8 (double each), rest 16 (char [48]) */
extern const struct type_desc small_message;  /* 16: length 0 (int), hole, body 8 (double), then
                                                 tail (vec3 [], flexible) at 16 */
extern const struct type_desc small_choice;   /* 24: tag 0 (int), hole 4, union at 8 { whole (long),
                                                 pair { low, high (int) } }, values 16 (short [4]) */
extern const struct type_desc small_cells;    /* 96: cells 0: small_choice's union [4], 8 each with
                                                 whole, pair; then vecs 32: vec3 [2]; n 80 (int);
                                                 padding 84..87, last 88 (double) */

/* Ids of the types used in votes, once they are in a table of types. */
struct small_ids {
    uint32_t particle;
    uint32_t vec3;
    uint32_t number; /* small_double */
    uint32_t node;
    uint32_t other;
};
struct small_ids small_types_add(struct types *types);

#endif
