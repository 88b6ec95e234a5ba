/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by both units of d_units.c. */
#ifndef MISSTOP_TESTS_TYPES_D_SHARED_H
#define MISSTOP_TESTS_TYPES_D_SHARED_H

struct hidden;

struct shared {
    int number;
    struct hidden *next;
};

extern struct shared there;
struct hidden *make_hidden(void);

#endif
